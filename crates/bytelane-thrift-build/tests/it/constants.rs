//! Constants that use other constants, and values with names that do not exist.

use crate::faults::{directory, generated, run};
use bytelane_thrift_build::Compiler;
use std::time::{Duration, Instant};

/// Returns the text generated from `levels` definitions, each of which uses the previous one twice.
fn doubling(name: &str, levels: usize, file: impl Fn(usize) -> String) -> String {
    let text: String = (0..levels).map(file).collect();
    let start = Instant::now();
    let generated = generated(name, &text).unwrap_or_else(|error| panic!("{error}"));
    let took = start.elapsed();
    assert!(took < Duration::from_secs(10), "{name}: {took:?}");
    let (from, to) = (text.len(), generated.len());
    assert!(to < 100 * (from + 100), "{name}: {to} bytes from {from}");
    generated
}

/// Returns a type: `wrapped` levels of lists around an element.
fn lists(wrapped: usize, element: &str) -> String {
    format!(
        "{}{element}{}",
        "list<".repeat(wrapped),
        ">".repeat(wrapped)
    )
}

#[test]
fn nothing_doubles_the_output() {
    let levels = 40;
    let lists_of = |i: usize, element: &str| {
        let value = if i == 0 {
            "[1, 2]".to_owned()
        } else {
            format!("[C{0}, C{0}]", i - 1)
        };
        format!("const {} C{i} = {value}\n", lists(i + 1, element))
    };
    let text = doubling("lists", levels, |i| lists_of(i, "i32"));
    assert!(text.contains("vec![C38.clone(), C38.clone()]"));
    // The last one, or each one, has a type of its own.
    let last = |i| if i + 1 == levels { "i64" } else { "i32" };
    doubling("last_list", levels, |i| lists_of(i, last(i)));
    let types = ["i8", "i16", "i32", "i64", "double", "bool"];
    doubling("all_lists", levels, |i| lists_of(i, types[i % types.len()]));
    doubling("sets", levels, |i| {
        lists_of(i, "double").replace("list", if i % 2 == 0 { "set" } else { "list" })
    });
    doubling("maps", levels, |i| match i {
        0 => "typedef i32 T0\nconst T0 C0 = 5\n".to_owned(),
        _ => format!(
            "typedef map<T{0}, T{0}> T{i}\nconst T{i} C{i} = {{C{0}: C{0}}}\n",
            i - 1
        ),
    });
    doubling("ordered_typedefs", levels, |i| match i {
        0 => "typedef double T0\nconst T0 C0 = 5\n".to_owned(),
        _ => format!(
            "typedef map<T{0}, T{0}> T{i}\nstruct S{i} {{ 1: set<T{i}> keys }}\n",
            i - 1
        ),
    });
    doubling("ordered_lists", levels, |i| match i {
        0 => "typedef double T0\n".to_owned(),
        _ => format!(
            "typedef list<map<i32, map<T{0}, T{0}>>> T{i}\nstruct S{i} {{ 1: map<T{i}, T{i}> keys }}\n",
            i - 1
        ),
    });
    doubling("structs", levels, |i| match i {
        0 => "struct S0 { 1: i32 x }\nconst S0 C0 = {\"x\": 1}\n".to_owned(),
        _ => format!(
            "struct S{i} {{ 1: S{0} a = C{0}, 2: S{0} b = C{0}, 3: list<S{0}> c = [C{0}, C{0}] }}\n\
             const S{i} C{i} = {{\"a\": C{0}, \"b\": C{0}}}\n",
            i - 1
        ),
    });
    // A struct that contains itself, so that all types are short.
    doubling("one_struct", levels, |i| match i {
        0 => "struct S { 1: list<S> of, 2: map<string, S> by, 3: optional S own }\n\
              const S C0 = {}\nstruct D { 1: list<S> d = [C39, C39] }\n"
            .to_owned(),
        _ => format!(
            "const S C{i} = {{\"of\": [C{0}, C{0}], \"by\": {{\"a\": C{0}}}, \"own\": C{0}}}\n",
            i - 1
        ),
    });
    doubling("arguments", levels, |i| match i {
        0 => "const list<i32> C0 = [1, 2]\n".to_owned(),
        _ => format!(
            "{}service S{i} {{ void f(1: {} x = C{i}) }}\n",
            lists_of(i, "i32"),
            lists(i + 1, "i64")
        ),
    });
    doubling("texts", levels, |i| match i {
        0 => format!("const string C0 = \"{}\"\n", "a".repeat(10_000)),
        _ => format!(
            "const string C{i} = C{}\nconst list<string> L{i} = [C{i}, C{i}]\n",
            i - 1
        ),
    });
    doubling("services", levels, |i| match i {
        0 => "service S0 { void f() }\n".to_owned(),
        _ => format!("service S{i} extends S{} {{ void f() }}\n", i - 1),
    });
}

/// Long chains within long chains do not exhaust the stack.
#[test]
fn constants_in_deep_values() {
    let (open, close) = ("{\"of\": [".repeat(31), "]}".repeat(31));
    let mut text = String::from("struct S { 1: list<S> of }\n");
    for i in 0..199 {
        text += &format!("const S C{i} = {open}C{}{close}\n", i + 1);
    }
    text += "const S C199 = {}\n";
    let result = generated("deep_constants", &text);
    assert!(result.is_ok_and(|text| text.contains("C199.clone()")));
}

#[test]
fn references_have_the_values_of_the_constants() {
    let text = r#"
        include "other.thrift"
        typedef list<i32> Numbers
        typedef map<string, double> Weights
        struct Point { 1: double x = 1, 2: other.Inner inner = other.INNER } (rust.ord)
        struct Small { 1: i32 x } (rust.copy)
        enum Kind { UNKNOWN = 0, FIXED = 8 }
        const i32 ONE = 1
        const i64 LONG_ONE = ONE
        const bool YES = true
        const Kind FIXED_KIND = "Kind.FIXED"
        const Kind SAME_KIND = FIXED_KIND
        const i32 NUMBER = Kind.FIXED
        const string TEXT = "text"
        const string SAME_TEXT = TEXT
        const binary TEXT_BYTES = TEXT
        const binary BYTES = TEXT_BYTES
        const uuid ID = "00112233-4455-6677-8899-aabbccddeeff"
        const uuid SAME_ID = ID
        const list<i32> LIST = [ONE, 2]
        const Numbers SAME = LIST
        const list<i64> LONGS = LIST
        const list<double> DOUBLES = LONGS
        const set<double> SET = DOUBLES
        const set<i32> NUMBERS = SAME
        const Weights WEIGHTS = {TEXT: 1, "b": ONE}
        const map<string, double> SAME_WEIGHTS = WEIGHTS
        const set<Weights> KEYS = [WEIGHTS, SAME_WEIGHTS]
        const list<string> NONE = {}
        const map<string, string> NO_ENTRIES = NONE
        const Small SMALL = {"x": ONE}
        const Small COPY = SMALL
        const Point POINT = {"x": ONE, "inner": other.INNER}
        const set<Point> POINTS = [POINT]
        struct Uses {
            1: list<i64> a = LIST, 2: Point b = POINT, 3: optional Weights c = SAME_WEIGHTS,
            4: Kind d = "FIXED", 5: optional Kind e = SAME_KIND, 6: string f = SAME_TEXT,
            7: list<i32> g = other.LIST, 8: set<i64> h = other.LIST, 9: Small i = COPY
        }
        service S { void f(1: list<i64> a = LIST, 2: Point b = POINT, 3: set<double> c = SET) }
    "#;
    let other =
        "struct Inner { 1: i32 y }\nconst Inner INNER = {\"y\": 7}\nconst list<i32> LIST = [3]";
    let folder = directory("references", &[("a.thrift", text), ("other.thrift", other)]);
    Compiler::new()
        .compile(&[folder.join("a.thrift")], folder.join("src"))
        .unwrap_or_else(|error| panic!("{error}"));
    let tests = r#"
        #[test]
        fn values() {
            use a::*;
            assert_eq!((LONG_ONE, YES, NUMBER, SAME_KIND), (1, true, 8, Kind::Fixed));
            assert_eq!((SAME_TEXT, TEXT_BYTES, BYTES), ("text", &b"text"[..], &b"text"[..]));
            assert_eq!(SAME_ID, ID);
            assert_eq!((&*SAME, &*LONGS, &*DOUBLES), (&vec![1, 2], &vec![1, 2], &vec![1.0, 2.0]));
            assert_eq!((SET.len(), NUMBERS.len(), KEYS.len()), (2, 2, 1));
            assert_eq!((&*SAME_WEIGHTS, WEIGHTS["text"]), (&*WEIGHTS, 1.0));
            assert!(NONE.is_empty() && NO_ENTRIES.is_empty());
            assert_eq!((COPY.x, POINTS.len(), POINT.inner.y), (1, 1, 7));
            let uses = Uses::default();
            assert_eq!((uses.a, uses.b, uses.c), (vec![1, 2], POINT.clone(), Some(WEIGHTS.clone())));
            assert_eq!((uses.d, uses.e, &*uses.f), (Kind::Fixed, Some(Kind::Fixed), "text"));
            assert_eq!((uses.g, uses.h, uses.i), (vec![3], [3].into(), *COPY));
            let arguments = s::FArgs::default();
            assert_eq!((arguments.a, arguments.b), (vec![1, 2], POINT.clone()));
            assert_eq!(arguments.c.len(), 2);
        }
    "#;
    run(&folder, tests);
}

/// In defaults and constants, of structs, unions and exceptions, of this file and of included ones.
#[test]
fn names_that_do_not_exist_are_errors() {
    let included = "struct Limits { 1: i32 rows = 5, 2: string unit }\nunion Choice { 1: i32 rows }\n\
        exception Broken { 1: i32 rows }\nenum Kind { FIXED = 8 }\nconst i32 ROWS = 5\n";
    let of_kind = |name: &str| format!("`{name}` has no field `row`; did you mean `rows`?");
    let mut cases = Vec::new();
    for prefix in ["", "limits."] {
        for name in ["Limits", "Choice", "Broken"] {
            let ty = format!("{prefix}{name}");
            for value in ["{\"row\": 1}", "{row: 1}", "{row = 1}"] {
                cases.push((format!("const {ty} X = {value}"), of_kind(name)));
                cases.push((format!("struct Q {{ 1: {ty} x = {value} }}"), of_kind(name)));
                cases.push((format!("const list<{ty}> X = [{value}]"), of_kind(name)));
                cases.push((
                    format!("service S {{ void f(1: {ty} x = {value}) }}"),
                    of_kind(name),
                ));
            }
            cases.push((format!("const {ty} X = {ty}{{row = 1}}"), of_kind(name)));
        }
        let message = "`Kind` has no number `FIXD`; did you mean `FIXED`?".to_owned();
        for value in ["Kind.FIXD", "\"Kind.FIXD\"", "\"FIXD\""] {
            let value = value.replace("Kind", &format!("{prefix}Kind"));
            cases.push((format!("const {prefix}Kind X = {value}"), message.clone()));
        }
        let far = "`Limits` has no field `zebra`".to_owned();
        cases.push((format!("const {prefix}Limits X = {{\"zebra\": 1}}"), far));
    }
    for (case, message) in cases {
        let text = format!("include \"limits.thrift\"\n{included}\n{case}");
        let folder = directory(
            "absent",
            &[("a.thrift", &text), ("limits.thrift", included)],
        );
        let error = Compiler::new()
            .modules(&[folder.join("a.thrift")])
            .unwrap_err();
        assert_eq!(error.message, message, "{case}");
        assert_eq!(error.at.unwrap().0, text.lines().count(), "{case}");
    }
}

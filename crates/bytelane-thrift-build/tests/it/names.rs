//! Names of Rust as names of everything in the IDL: the generated code compiles without a warning.

use crate::faults::{check, directory};
use bytelane_thrift_build::Compiler;
use std::fmt::Write;

/// Names of the prelude, of its traits' methods, of built-in types and of types of the library.
const NAMES: &str = "\
    Option Some None Result Ok Err Vec Box String ToString ToOwned Copy Send Sized Sync Unpin Drop \
    Fn FnMut FnOnce AsyncFn AsyncFnMut AsyncFnOnce drop AsMut AsRef From Into Default Iterator \
    Extend IntoIterator DoubleEndedIterator ExactSizeIterator Clone PartialEq PartialOrd Eq Ord \
    Debug Hash TryFrom TryInto FromIterator Future IntoFuture align_of align_of_val size_of \
    size_of_val some none ok err vec option result string to_string to_owned copy send sized sync \
    call as_mut as_ref from into default iterator next extend into_iter len clone eq cmp max debug \
    fmt hash try_from try_into future poll deref source new u8 str f64 i128 char std core crate \
    Self union await gen BTreeMap LazyLock Transport Client Error Thrift Uuid service \
    bytelane_thrift dispatch value success handler request unknown unknown_fields T P C macro";

#[test]
fn names_of_rust_can_be_names_of_the_idl() {
    let names: Vec<&str> = NAMES.split_whitespace().collect();
    let mut text = String::new();
    let list = |form: &dyn Fn(usize, &str) -> String| -> String {
        let all = names.iter().enumerate();
        all.map(|(i, name)| form(i + 1, name)).collect()
    };
    let fields = list(&|i, name| format!("{i}: i32 {name} "));
    let strings = list(&|i, name| format!("{i}: optional string {name} = \"a\" "));
    writeln!(
        text,
        "struct Fields {{ {fields} }} union Members {{ {fields} }}"
    )
    .unwrap();
    writeln!(
        text,
        "exception Thrown {{ {strings} }} struct Ordered {{ {fields} }}"
    )
    .unwrap();
    writeln!(
        text,
        "struct Keys {{ 1: set<Ordered> keys, 2: map<Members, Thrown> by }}"
    )
    .unwrap();
    let numbers = list(&|_, name| format!("{name} "));
    writeln!(text, "enum Numbers {{ {numbers} }}").unwrap();
    let methods = list(&|_, name| {
        format!("string {name}(1: string {name}, 2: list<double> list) throws (1: Thrown {name}) ")
    });
    writeln!(
        text,
        "service Methods {{ {methods} }} service Derived extends Methods {{}}"
    )
    .unwrap();
    let same = list(&|i, name| format!("{i}: i32 {name} "));
    writeln!(text, "service Long {{ oneway void all({same}) }}").unwrap();

    let mut files = vec![("names.thrift".to_owned(), text)];
    let body = "{ 1: i32 x = 1, 2: list<string> y = [\"a\"], 3: map<string, double> z = {\"a\": 1}, \
        4: optional binary b = \"a\", 5: uuid u }";
    let kinds = [
        ("structs", format!("struct NAME {body}\n")),
        (
            "unions",
            "union NAME { 1: i32 x, 2: string y }\n".to_owned(),
        ),
        ("exceptions", format!("exception NAME {body}\n")),
        (
            "typedefs",
            "typedef map<string, set<i32>> NAME\n".to_owned(),
        ),
        ("enums", "enum NAME { ONE, TWO = 5 }\n".to_owned()),
        (
            "constants",
            "const list<string> NAME = [\"a\"]\n".to_owned(),
        ),
        (
            "services",
            "service NAME { string f(1: list<double> x) throws (1: E e) }\n".to_owned(),
        ),
    ];
    for (kind, one) in kinds {
        // `string` is a built-in type, which nothing but fields and methods can be called.
        let all = list(&|_, name| match name {
            "string" => String::new(),
            name => one.replace("NAME", name),
        });
        // All kinds of uses beside all names.
        let uses = "exception E { 1: optional map<string, list<double>> m = {\"a\": [1]} }\n\
            const string TEXT = \"a\"\nconst binary BYTES = \"a\"\nconst i64 LARGE = 5\n\
            const map<string, list<i32>> MAP = {\"a\": [1]}\n\
            struct Uses { 1: set<string> a = [TEXT], 2: optional Uses b, 3: i8 c, 4: uuid d }\n\
            service Used { list<i32> get(1: binary a) throws (1: E e), void none() }\n";
        let path = format!("{kind}.thrift");
        files.push((path, format!("{all}{uses}")));
    }
    let listed: Vec<_> = files
        .iter()
        .map(|(name, text)| (&**name, &**text))
        .collect();
    let folder = directory("rust_names", &listed);
    let paths: Vec<_> = files.iter().map(|(name, _)| folder.join(name)).collect();
    Compiler::new()
        .compile(&paths, folder.join("src"))
        .unwrap_or_else(|error| panic!("{error}"));
    check(&folder);
}

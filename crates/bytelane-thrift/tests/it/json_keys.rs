//! Tests maps with keys of every type in both JSON protocols, in the form of Apache Thrift.

use crate::common::{Color, Point};
use bytelane_thrift::{
    DecodeOwned, Double, Encode, Float, Json, Message, Options, Protocol, SimpleJson, Thrift, Uuid,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Thrift)]
#[thrift(union)]
enum Choice {
    #[thrift(id = 1, name = "number")]
    Number(i32),
    #[thrift(id = 2, name = "point")]
    Point(Point),
}

/// Contains a map with a key that contains others, and more after it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Thrift)]
struct Nested {
    #[thrift(id = 1)]
    by_point: BTreeMap<Point, BTreeMap<Vec<i32>, bool>>,
    #[thrift(id = 2)]
    after: BTreeMap<i32, i64>,
}

#[derive(Debug, PartialEq, Thrift)]
struct Map<K: Ord> {
    #[thrift(id = 1)]
    map: BTreeMap<K, i32>,
    #[thrift(id = 2)]
    after: BTreeMap<i64, String>,
}

/// Has none of the fields.
#[derive(Debug, PartialEq, Thrift)]
struct Other {
    #[thrift(id = 9)]
    other: Option<i32>,
}

/// Checks the message of a map with two keys: the text of the map in both protocols.
fn check<K>(keys: [K; 2], json: &str, simple: &str)
where
    K: Ord + Clone + Debug,
    Map<K>: Message + Encode + DecodeOwned + PartialEq + Debug + Default,
{
    let value = Map {
        map: keys.into_iter().zip([5, 6]).collect(),
        after: BTreeMap::from([(7, "a".to_owned())]),
    };
    let json = format!(r#"{{"1":{{"map":{json}}},"2":{{"map":["i64","str",1,{{"7":"a"}}]}}}}"#);
    let simple = format!(r#"{{"map":{simple},"after":{{"7":"a"}}}}"#);
    message::<Json, _>(&value, &json);
    message::<SimpleJson, _>(&value, &simple);
}

fn message<P: Protocol, T>(value: &T, text: &str)
where
    T: Message + Encode + DecodeOwned + PartialEq + Debug + Default,
{
    let bytes = value.encode::<P>().unwrap();
    assert_eq!(String::from_utf8_lossy(&bytes), text);
    assert_eq!(&T::decode::<P>(&bytes).unwrap(), value);
    // Whitespace outside of strings changes nothing.
    let (mut spaced, mut quoted) = (String::new(), false);
    for c in text.chars() {
        quoted ^= c == '"';
        match c {
            '{' | '}' | '[' | ']' | ',' | ':' if !quoted => spaced.extend([' ', c, '\n']),
            _ => spaced.push(c),
        }
    }
    assert_eq!(
        &T::decode::<P>(spaced.as_bytes()).unwrap(),
        value,
        "{spaced}"
    );
    // Readers of another version skip it.
    assert_eq!(Other::decode::<P>(&bytes).unwrap(), Other::default());
    let lenient = Options::default().with_lenient_json(true);
    assert_eq!(&T::decode_with::<P>(&bytes, lenient).unwrap(), value);
    // Every part of it is an error.
    for end in 0..bytes.len() {
        let error = T::decode::<P>(&bytes[..end]).unwrap_err();
        assert!(error.offset().unwrap_or_default() <= end, "{end}: {error}");
    }
}

#[test]
fn keys_of_every_type_are_those_of_apache() {
    check(
        [false, true],
        r#"["tf","i32",2,{"0":5,"1":6}]"#,
        r#"{"false":5,"true":6}"#,
    );
    let both = |name: &str, entries: &str| {
        let json = format!(r#"["{name}","i32",2,{entries}]"#);
        (json, entries.to_owned())
    };
    macro_rules! check_both {
        ($keys:expr, $name:literal, $entries:literal) => {
            let (json, simple) = both($name, $entries);
            check($keys, &json, &simple);
        };
    }
    check_both!([-1i8, 2], "i8", r#"{"-1":5,"2":6}"#);
    check_both!([-1i16, 2], "i16", r#"{"-1":5,"2":6}"#);
    check_both!([-1i32, 2], "i32", r#"{"-1":5,"2":6}"#);
    check_both!([i64::MIN, 2], "i64", r#"{"-9223372036854775808":5,"2":6}"#);
    check_both!(
        [Double(-0.5), Double(f64::INFINITY)],
        "dbl",
        r#"{"-0.5":5,"Infinity":6}"#
    );
    check_both!([Float(-0.5), Float(2.5)], "flt", r#"{"-0.5":5,"2.5":6}"#);
    check_both!(
        ["".to_owned(), "a{[:,".to_owned()],
        "str",
        r#"{"":5,"a{[:,":6}"#
    );
    check_both!([vec![1u8], vec![2, 3]], "str", r#"{"AQ":5,"AgM":6}"#);
    check_both!([Color::Red, Color::Unknown(9)], "i32", r#"{"1":5,"9":6}"#);
    let uuids = [Uuid([0; 16]), Uuid([0x11; 16])];
    check_both!(
        uuids,
        "uid",
        r#"{"00000000-0000-0000-0000-000000000000":5,"11111111-1111-1111-1111-111111111111":6}"#
    );
}

#[test]
fn structs_and_containers_are_keys_without_quotes() {
    let points = [Point { x: 1, y: None }, Point { x: 2, y: Some(3) }];
    check(
        points.clone(),
        r#"["rec","i32",2,{{"1":{"i32":1}}:5,{"1":{"i32":2},"20":{"i64":3}}:6}]"#,
        r#"{{"x":1}:5,{"x":2,"y":3}:6}"#,
    );
    check(
        [Choice::Number(1), Choice::Point(points[0].clone())],
        r#"["rec","i32",2,{{"1":{"i32":1}}:5,{"2":{"rec":{"1":{"i32":1}}}}:6}]"#,
        r#"{{"number":1}:5,{"point":{"x":1}}:6}"#,
    );
    check(
        [vec![], vec![1, 2]],
        r#"["lst","i32",2,{["i32",0]:5,["i32",2,1,2]:6}]"#,
        "{[]:5,[1,2]:6}",
    );
    check(
        [BTreeSet::new(), BTreeSet::from(["a".to_owned()])],
        r#"["set","i32",2,{["str",0]:5,["str",1,"a"]:6}]"#,
        r#"{[]:5,["a"]:6}"#,
    );
    check(
        [BTreeMap::new(), BTreeMap::from([(true, vec![1i64])])],
        r#"["map","i32",2,{["tf","lst",0,{}]:5,["tf","lst",1,{"1":["i64",1,1]}]:6}]"#,
        r#"{{}:5,{"true":[1]}:6}"#,
    );
    let nested = |number| Nested {
        by_point: BTreeMap::from([(points[0].clone(), BTreeMap::from([(vec![1, 2], true)]))]),
        after: BTreeMap::from([(number, 4)]),
    };
    let json = |number: i32| {
        r#"{"1":{"map":["rec","map",1,{{"1":{"i32":1}}:["lst","tf",1,{["i32",2,1,2]:1}]}]},"2":{"map":["i32","i64",1,{"NUMBER":4}]}}"#
            .replace("NUMBER", &number.to_string())
    };
    let simple = |number: i32| {
        r#"{"by_point":{{"x":1}:{[1,2]:true}},"after":{"NUMBER":4}}"#
            .replace("NUMBER", &number.to_string())
    };
    check(
        [nested(7), nested(8)],
        &format!(r#"["rec","i32",2,{{{}:5,{}:6}}]"#, json(7), json(8)),
        &format!("{{{}:5,{}:6}}", simple(7), simple(8)),
    );
}

/// Keys that contain others are limited in depth like values.
#[test]
fn depth_of_keys_is_limited() {
    let open = r#"{["lst","i32",1,"#;
    let deep = format!(r#"{{"9":{{"map":["map","i32",1,{}"#, open.repeat(100_000));
    Other::decode::<Json>(deep.as_bytes()).unwrap_err();
    let deep = format!(r#"{{"unknown":{}"#, "{[".repeat(100_000));
    Other::decode::<SimpleJson>(deep.as_bytes()).unwrap_err();
    for key in ["1", "true", "null", ":"] {
        let text = format!(r#"{{"unknown":{{{key}:1}}}}"#);
        Other::decode::<SimpleJson>(text.as_bytes()).unwrap_err();
    }
}

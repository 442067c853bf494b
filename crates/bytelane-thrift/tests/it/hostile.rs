//! Messages that are malformed or claim more than they contain: each is an error with its kind,
//! offset and path, and costs no memory.

use crate::common::everything;
use bytelane_thrift::{
    Binary, Compact, ErrorKind, Json, Limits, Message, Options, Protocol, SimpleJson, Thrift, Type,
};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Thrift)]
struct Fields {
    #[thrift(id = 1)]
    ints: Vec<i32>,
    #[thrift(id = 2)]
    texts: Vec<String>,
    #[thrift(id = 3)]
    map: BTreeMap<i32, Vec<Fields>>,
    #[thrift(id = 4)]
    text: String,
    #[thrift(id = 5)]
    flag: bool,
    #[thrift(id = 6)]
    short: i16,
    #[thrift(id = 7)]
    data: Vec<u8>,
    #[thrift(id = 8)]
    real: f64,
    #[thrift(id = 9)]
    set: BTreeSet<i64>,
    #[thrift(id = 10)]
    doubles: Vec<f64>,
    #[thrift(id = 11)]
    nothing: Vec<Empty>,
}

#[derive(Debug, Thrift)]
struct Empty {}

fn check<P: Protocol>(message: &[u8], kind: ErrorKind, offset: usize, path: &str) {
    let strict = Options::default().with_strict_types(true);
    let error = Fields::decode_with::<P>(message, strict).expect_err("a malformed message");
    let shown = String::from_utf8_lossy(message);
    assert_eq!(error.kind(), kind, "{shown}");
    assert_eq!(error.offset(), Some(offset), "{shown}: {error}");
    let suffix = if path.is_empty() {
        String::new()
    } else {
        format!(", in {path}")
    };
    let expected = format!("{kind}, at byte {offset}{suffix}");
    assert_eq!(error.to_string(), expected, "{shown}");
}

#[test]
fn binary() {
    use ErrorKind::*;
    let cases: &[(&[u8], ErrorKind, usize, &str)] = &[
        (b"", UnexpectedEnd, 0, ""),
        (b"\x08", UnexpectedEnd, 1, ""),
        (b"\x07\0\x01", UnknownType(7), 1, ""),
        // 268 million elements in 12 bytes; then the maximum of four bytes.
        (b"\x0f\0\x01\x08\x10\0\0\0....", UnexpectedEnd, 8, "ints"),
        (
            b"\x0f\0\x01\x08\xff\xff\xff\xff....",
            InvalidSize(-1),
            8,
            "ints",
        ),
        (b"\x0f\0\x02\x0b\x00\0\0\x02....", UnexpectedEnd, 8, "texts"),
        (
            b"\x0f\0\x0b\x0c\x7f\xff\xff\xff\0\0\0\0",
            UnexpectedEnd,
            8,
            "nothing",
        ),
        (
            b"\x0d\0\x03\x08\x0f\0\0\0\x02........",
            UnexpectedEnd,
            9,
            "map",
        ),
        (
            b"\x0d\0\x03\x08\x0f\x80\0\0\0........",
            InvalidSize(i32::MIN as i64),
            9,
            "map",
        ),
        (b"\x0e\0\x09\x0a\0\0\0\x02........", UnexpectedEnd, 8, "set"),
        (
            b"\x0b\0\x04\xff\xff\xff\xfe....",
            InvalidSize(-2),
            7,
            "text",
        ),
        (b"\x0b\0\x04\0\0\0\x05abcd", UnexpectedEnd, 7, "text"),
        (b"\x0b\0\x04\0\0\0\x03a\xc3(\0", InvalidUtf8, 8, "text"),
        (b"\x02\0\x05\x02\0", InvalidBool(2), 4, "flag"),
        (
            b"\x0f\0\x01\x0a\0\0\0\x01........",
            WrongType {
                expected: Type::I32,
                found: Type::I64,
            },
            8,
            "ints",
        ),
        (
            b"\x08\0\x06",
            WrongType {
                expected: Type::I16,
                found: Type::I32,
            },
            3,
            "short",
        ),
        (
            b"\x0d\0\x03\x08\x0f\0\0\0\x01\0\0\0\x05\x0c\0\0\0\x01\x0b\0\x04\0\0\0\x09\0\0",
            UnexpectedEnd,
            25,
            "map[0][0].text",
        ),
        // Within a skipped field.
        (b"\x0f\x01\0\x08\x10\0\0\0....", UnexpectedEnd, 8, ""),
        (b"\x0b\x01\0\xff\xff\xff\xff....", InvalidSize(-1), 7, ""),
    ];
    for &(message, kind, offset, path) in cases {
        check::<Binary>(message, kind, offset, path);
    }
}

#[test]
fn compact() {
    use ErrorKind::*;
    let cases: &[(&[u8], ErrorKind, usize, &str)] = &[
        (b"", UnexpectedEnd, 0, ""),
        (b"\x1e", UnknownType(14), 1, ""),
        (b"\x05\xff\xff\x0f\x01", InvalidFieldId, 4, ""),
        (b"\x19\xf5\xff\xff\xff\x7f", UnexpectedEnd, 6, "ints"),
        (
            b"\x19\xf5\xff\xff\xff\xff\x0f..",
            InvalidSize(-1),
            7,
            "ints",
        ),
        (b"\x19\xf5\xff\xff\xff\xff\x7f..", InvalidVarint, 2, "ints"),
        (
            b"\x19\x25\x01\xff\xff\xff\xff\xff\x01",
            InvalidVarint,
            3,
            "ints",
        ),
        (b"\x19\x35\x01\x80\x80", UnexpectedEnd, 3, "ints"),
        (b"\xa9\x27....", UnexpectedEnd, 2, "doubles"),
        (b"\x48\x85abcd", UnexpectedEnd, 3, "text"),
        (b"\x48\x05abcd", UnexpectedEnd, 2, "text"),
        (b"\x64\x80\x80\x04\0", NumberOutOfRange, 1, "short"),
        (b"\x64\xfe\xff\xff\xff\xff\x01", InvalidVarint, 1, "short"),
        (
            b"\x19\x16\0\0",
            WrongType {
                expected: Type::I32,
                found: Type::I64,
            },
            2,
            "ints",
        ),
        (b"\x3b\x03\x59....", UnexpectedEnd, 3, "map"),
        (
            b"\x3b\x02\x79..................",
            WrongType {
                expected: Type::I32,
                found: Type::Double,
            },
            3,
            "map",
        ),
        (b"\x09\xd0\x0f\xf5\xff\xff\xff\x7f", UnexpectedEnd, 8, ""),
    ];
    for &(message, kind, offset, path) in cases {
        check::<Compact>(message, kind, offset, path);
    }
}

#[test]
fn json() {
    use ErrorKind::*;
    fn syntax(expected: &'static str) -> ErrorKind {
        Syntax { expected }
    }
    let cases: &[(&str, ErrorKind, usize, &str)] = &[
        ("", UnexpectedEnd, 0, ""),
        ("[", syntax("`{`"), 0, ""),
        ("{\"1\"", UnexpectedEnd, 4, ""),
        ("{\"x\":{", syntax("an integer"), 1, ""),
        ("{\"40000\":{\"i32\":1}}", InvalidFieldId, 1, ""),
        ("{\"1\":{\"int\":1}}", syntax("the name of a type"), 6, ""),
        (
            "{\"1\":{\"i32\":1}}",
            WrongType {
                expected: Type::List,
                found: Type::I32,
            },
            11,
            "ints",
        ),
        (
            "{\"1\":{\"lst\":[\"i32\",9,1,2]}}",
            UnexpectedEnd,
            20,
            "ints",
        ),
        (
            "{\"1\":{\"lst\":[\"i32\",-1]}}",
            InvalidSize(-1),
            21,
            "ints",
        ),
        (
            "{\"1\":{\"lst\":[\"i32\",1,1,2]}}",
            syntax("`]`"),
            22,
            "ints",
        ),
        (
            "{\"1\":{\"lst\":[\"i32\",2,1 ]  }}",
            syntax("`,`"),
            23,
            "ints",
        ),
        (
            "{\"1\":{\"lst\":[\"i32\",1,\"1\"]}}",
            syntax("a number"),
            21,
            "ints",
        ),
        ("{\"6\":{\"i16\":32768}}", NumberOutOfRange, 12, "short"),
        (
            "{\"6\":{\"i16\":-99999999999999999999}}",
            NumberOutOfRange,
            12,
            "short",
        ),
        ("{\"6\":{\"i16\":1.5}}", syntax("an integer"), 12, "short"),
        ("{\"5\":{\"tf\":2}}", InvalidBool(2), 12, "flag"),
        ("{\"8\":{\"dbl\":1e999}}", NumberOutOfRange, 12, "real"),
        ("{\"8\":{\"dbl\":\"nan\"}}", syntax("a number"), 12, "real"),
        ("{\"8\":{\"dbl\":+1}}", syntax("a number"), 12, "real"),
        ("{\"8\":{\"dbl\":01}}", syntax("a number"), 12, "real"),
        ("{\"8\":{\"dbl\":-01.5}}", syntax("a number"), 12, "real"),
        ("{\"8\":{\"dbl\":1.}}", syntax("a number"), 12, "real"),
        ("{\"8\":{\"dbl\":.5}}", syntax("a number"), 12, "real"),
        ("{\"8\":{\"dbl\":1.e5}}", syntax("a number"), 12, "real"),
        ("{\"8\":{\"dbl\":1e}}", syntax("a number"), 12, "real"),
        ("{\"8\":{\"dbl\":1e+}}", syntax("a number"), 12, "real"),
        ("{\"8\":{\"dbl\":1-2}}", syntax("a number"), 12, "real"),
        ("{\"6\":{\"i16\":01}}", syntax("an integer"), 12, "short"),
        ("{\"6\":{\"i16\":-00}}", syntax("an integer"), 12, "short"),
        ("{\"6\":{\"i16\":-}}", syntax("an integer"), 12, "short"),
        ("{\"06\":{\"i16\":1}}", syntax("an integer"), 1, ""),
        ("{\"4\":{\"str\":\"a\nb\"}}", ControlCharacter, 14, "text"),
        ("{\"4\":{\"str\":\"a\\x\"}}", InvalidEscape, 14, "text"),
        ("{\"4\":{\"str\":\"a\\ud83d\"}}", LoneSurrogate, 14, "text"),
        ("{\"4\":{\"str\":\"abc}}", UnexpectedEnd, 18, "text"),
        ("{\"7\":{\"str\":\"Q!==\"}}", InvalidBase64, 14, "data"),
        ("{\"7\":{\"str\":\"QR==\"}}", InvalidBase64, 14, "data"),
        ("{\"7\":{\"str\":\"Q\"}}", InvalidBase64, 14, "data"),
        ("{\"6\":{\"i16\":1},}", syntax("a string"), 15, ""),
        ("{\"6\":{\"i16\":1}\"7\"", syntax("`,`"), 14, ""),
        (
            "{\"3\":{\"map\":[\"i32\",\"lst\",1,{5:[\"rec\",0]}]}}",
            syntax("`\"`"),
            28,
            "map[0]",
        ),
    ];
    for &(message, kind, offset, path) in cases {
        check::<Json>(message.as_bytes(), kind, offset, path);
    }
}

#[test]
fn simple_json() {
    use ErrorKind::*;
    fn syntax(expected: &'static str) -> ErrorKind {
        Syntax { expected }
    }
    let cases: &[(&str, ErrorKind, usize, &str)] = &[
        ("", UnexpectedEnd, 0, ""),
        ("{", UnexpectedEnd, 1, ""),
        ("{\"ints\":{}}", syntax("`[`"), 8, "ints"),
        ("{\"ints\":[1,]}", syntax("a number"), 11, "ints"),
        ("{\"ints\":[,1]}", syntax("a number"), 9, "ints"),
        ("{\"ints\":[1 2]}", syntax("`,`"), 11, "ints"),
        ("{\"ints\":[1}", syntax("`,`"), 10, "ints"),
        ("{\"flag\":1}", syntax("false"), 8, "flag"),
        (
            "{\"texts\":[\"a\",null]}",
            syntax("a string"),
            14,
            "texts[1]",
        ),
        (
            "{\"map\":{\"1\":[{\"short\":-}]}}",
            syntax("an integer"),
            22,
            "map[0][0].short",
        ),
        ("{\"other\":[1,{\"a\":nul}]}", syntax("null"), 17, ""),
        ("{\"other\":[1,{\"a\" 1}]}", syntax("`:`"), 17, ""),
        ("{\"other\":[1}", syntax("`,`"), 11, ""),
        ("{\"other\":[1,-.5]}", syntax("a number"), 12, ""),
        ("{\"other\":007}", syntax("a number"), 9, ""),
    ];
    for &(message, kind, offset, path) in cases {
        check::<SimpleJson>(message.as_bytes(), kind, offset, path);
    }
}

#[test]
fn readers_take_what_others_write() {
    // Whitespace, padding, escapes within base64, all kinds of escapes, `null`, unknown names.
    let json = br#" { "7" : { "str" : "\/\u002b8=" } , "4":{"str":"\u003c\/\b\u00e9"},
        "8":{"dbl":"-NaN"}, "9": {"set":["i64",2, -1 , 7 ]} } "#;
    let (fields, _) = Fields::decode_prefix::<Json>(json).unwrap();
    assert_eq!(fields.data, [0xff, 0xef]);
    assert_eq!(fields.text, "</\u{8}é");
    assert!(fields.real.is_nan());
    assert_eq!(fields.set, BTreeSet::from([-1, 7]));

    for (text, value) in [("-0", -0.0), ("0.50", 0.5), ("1E2", 100.0), ("2e-1", 0.2)] {
        let json = format!("{{\"real\":{text},\"short\":-0}}");
        let fields = Fields::decode::<SimpleJson>(json.as_bytes()).unwrap();
        assert_eq!(fields.real.to_bits(), f64::to_bits(value), "{text}");
        assert_eq!(fields.short, 0);
    }

    let json = br#"{"te\u0078t": "x", "data":null, "new":{"a":[1,"]",{}],"b":null}, "real": 1,
        "map":{"-3":[{"flag":true}]}, "short" :7}"#;
    let fields = Fields::decode::<SimpleJson>(json).unwrap();
    assert_eq!((&*fields.text, fields.real, fields.short), ("x", 1.0, 7));
    assert!(fields.map[&-3][0].flag);
}

#[test]
fn limits_hold() {
    fn test<P: Protocol>() {
        let value = everything();
        let bytes = value.encode::<P>().unwrap();
        let read = |limits: Limits| {
            let error = crate::common::Everything::decode_with::<P>(&bytes, &limits).unwrap_err();
            error.kind()
        };
        let all = Limits::default();
        assert_eq!(
            read(all.with_total_allocation(2000)),
            ErrorKind::AllocationLimit
        );
        assert!(matches!(
            read(all.with_string(20)),
            ErrorKind::StringLimit(_)
        ));
        if !std::any::type_name::<P>().contains("<true>") {
            assert_eq!(
                read(all.with_container(200)),
                ErrorKind::ContainerLimit(300)
            );
        }
        let write = |limits: Limits| value.encode_with::<P>(&limits).unwrap_err().kind();
        assert_eq!(
            write(all.with_container(200)),
            ErrorKind::ContainerLimit(300)
        );
        assert!(matches!(
            write(all.with_string(20)),
            ErrorKind::StringLimit(_)
        ));
        assert_eq!(write(all.with_depth(2)), ErrorKind::DepthLimit);
    }
    test::<Binary>();
    test::<Compact>();
    test::<Json>();
    test::<SimpleJson>();
}

/// Changes bytes in each way that one byte can change: the result is an error or another value, not
/// a panic.
#[test]
fn changed_bytes_do_not_panic() {
    fn test<P: Protocol>() {
        let bytes = everything().encode::<P>().unwrap();
        let (mut read, mut refused) = (0, 0);
        for at in (0..bytes.len()).step_by(11) {
            for change in [1, 0x0f, 0x10, 0x55, 0x80, 0xff] {
                let mut changed = bytes.clone();
                changed[at] ^= change;
                match crate::common::Everything::decode::<P>(&changed) {
                    Ok(_) => read += 1,
                    Err(error) => {
                        assert!(error.offset().unwrap() <= bytes.len());
                        refused += 1;
                    }
                }
            }
        }
        assert!(read > 50 && refused > 50, "{read} read, {refused} refused");
    }
    test::<Binary>();
    test::<Compact>();
    test::<Json>();
    test::<SimpleJson>();
}

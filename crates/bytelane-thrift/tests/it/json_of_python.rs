//! Tests JSON as Apache Thrift's library for Python writes it, and whitespace.

use bytelane_thrift::{
    Binary, Compact, Envelope, ErrorKind, Json, Message, MessageKind, Options, Protocol,
    SimpleJson, Thrift,
};
use std::collections::BTreeMap;

#[derive(Debug, PartialEq, Thrift)]
struct Values {
    #[thrift(id = 1)]
    text: String,
    #[thrift(id = 2)]
    real: f64,
    #[thrift(id = 3)]
    flag: bool,
    #[thrift(id = 4)]
    texts: Vec<String>,
    #[thrift(id = 5)]
    reals: Vec<f64>,
    #[thrift(id = 6)]
    keys: BTreeMap<bool, String>,
}

fn lenient() -> Options {
    Options::default().with_lenient_json(true)
}

#[test]
fn white_space_may_follow() {
    fn test<P: Protocol>(spaces: &str) {
        let mut bytes = Values::default().encode::<P>().unwrap();
        bytes.extend(spaces.as_bytes());
        assert_eq!(Values::decode::<P>(&bytes).unwrap(), Values::default());
        let mut value = Values::default();
        value.merge::<P>(&bytes).unwrap();
        let envelope = Envelope {
            name: "f".into(),
            kind: MessageKind::Call,
            sequence: 1,
        };
        let mut bytes = envelope.encode::<P, _>(&value).unwrap();
        bytes.extend(spaces.as_bytes());
        let (_, body) = Envelope::decode::<P>(&bytes).unwrap();
        assert_eq!(body.read::<Values>().unwrap(), value);
        bytes.push(b'x');
        let (_, body) = Envelope::decode::<P>(&bytes).unwrap();
        let error = body.read::<Values>().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TrailingBytes);
        assert_eq!(error.offset(), Some(bytes.len() - 1));
    }
    for spaces in ["", "\n", " \t\r\n"] {
        test::<Json>(spaces);
        test::<SimpleJson>(spaces);
    }
    test::<Binary>("");
    test::<Compact>("");
}

fn check<P: Protocol>(text: &str, expected: &Values) {
    assert!(Values::decode::<P>(text.as_bytes()).is_err(), "{text}");
    let read = Values::decode_with::<P>(text.as_bytes(), lenient());
    let read = read.unwrap_or_else(|error| panic!("{text}: {error}"));
    // NaN differs from itself.
    assert_eq!(format!("{read:?}"), format!("{expected:?}"), "{text}");
}

#[test]
fn control_characters() {
    let text = "a\u{1}\nb\"é\u{1f}😀\u{0}";
    let quoted = "a\u{1}\nb\\\"é\u{1f}\\ud83d\\ude00\u{0}";
    let expected = Values {
        text: text.into(),
        texts: vec![text.into(), "\t".into(), String::new()],
        ..Values::default()
    };
    let list = format!("[\"str\",3,\"{quoted}\",\"\t\",\"\"]");
    let json = format!("{{\"1\":{{\"str\":\"{quoted}\"}},\"4\":{{\"lst\":{list}}}}}");
    check::<Json>(&json, &expected);
    let json = format!("{{\"text\":\"{quoted}\",\"texts\":[\"{quoted}\",\"\t\",\"\"]}}");
    check::<SimpleJson>(&json, &expected);
}

#[test]
fn what_is_malformed_beside_a_control_character_is_an_error() {
    for (text, kind) in [
        ("a\nb", ErrorKind::UnexpectedEnd),
        ("a\nb\\x\"", ErrorKind::InvalidEscape),
        ("\\\n\"", ErrorKind::InvalidEscape),
        ("\n\\ud83d.\"", ErrorKind::LoneSurrogate),
        ("\n\\ude00\n\"", ErrorKind::LoneSurrogate),
    ] {
        let json = format!("{{\"text\":\"{text}");
        let error = Values::decode_with::<SimpleJson>(json.as_bytes(), lenient()).unwrap_err();
        assert_eq!(error.kind(), kind, "{text:?}: {error}");
    }
    let error = Values::decode_with::<SimpleJson>(b"{\"text\":\"\n\xff\"}", lenient());
    assert_eq!(error.unwrap_err().kind(), ErrorKind::InvalidUtf8);
}

#[test]
fn doubles_that_are_no_numbers() {
    for (word, real) in [
        ("nan", f64::NAN),
        ("NaN", f64::NAN),
        ("inf", f64::INFINITY),
        ("-inf", f64::NEG_INFINITY),
        ("Infinity", f64::INFINITY),
        ("-Infinity", f64::NEG_INFINITY),
    ] {
        let expected = Values {
            real,
            reals: vec![0.5, real, -1.0],
            ..Values::default()
        };
        let list = format!("[\"dbl\",3,0.5,{word},-1.0]");
        let json = format!("{{\"2\":{{\"dbl\":{word}}},\"5\":{{\"lst\":{list}}}}}");
        check::<Json>(&json, &expected);
        let json = format!("{{\"real\": {word}, \"reals\": [0.5, {word}, -1.0]}}");
        check::<SimpleJson>(&json, &expected);
    }
}

#[test]
fn bools_as_numbers() {
    let expected = Values {
        flag: true,
        keys: BTreeMap::from([(false, "f".into()), (true, "t".into())]),
        ..Values::default()
    };
    let json = "{\"flag\": 1, \"keys\": {\"0\": \"f\", \"1\": \"t\"}}";
    check::<SimpleJson>(json, &expected);
}

/// Errors in strings with control characters report the byte that is wrong.
#[test]
fn places_of_lenient_errors_are_in_the_message() {
    let at = |message: &[u8]| {
        let error = Values::decode_with::<Json>(message, lenient()).unwrap_err();
        (error.kind(), error.offset().unwrap())
    };
    let escape = b"{\"1\":{\"str\":\"a\nbc\\q de\"}}";
    assert_eq!(at(escape), (ErrorKind::InvalidEscape, 17));
    let cut = b"{\"1\":{\"str\":\"a\\\nb\"}}";
    assert_eq!(at(cut).0, ErrorKind::InvalidEscape);
    assert!((13..=16).contains(&at(cut).1), "{:?}", at(cut));
    let utf8 = b"{\"1\":{\"str\":\"a\nb\xff\"}}";
    assert_eq!(at(utf8), (ErrorKind::InvalidUtf8, 16));

    let message = b"{\"1\":{\"str\":\"a\tb\\n\nc\\u00e4\"},\"2\":{\"dbl\":NaN},\"4\":{\"lst\":[\"str\",1,\"x\ny\"]}}";
    assert!(Values::decode_with::<Json>(message, lenient()).is_ok());
    let mut errors = 0;
    for place in 0..message.len() {
        for byte in [0, b'\n', b'"', b'\\', b'u', 0x80, 0xff, b'{'] {
            let mut changed = message.to_vec();
            changed[place] = byte;
            if let Err(error) = Values::decode_with::<Json>(&changed, lenient()) {
                errors += 1;
                let offset = error.offset();
                assert!(
                    offset.is_none_or(|offset| offset <= changed.len()),
                    "{error}"
                );
            }
        }
    }
    assert!(errors > 100, "{errors}");
}

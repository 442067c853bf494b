//! Tests that each protocol reads what it wrote.

use crate::common::{Color, Everything, Point, Shape, Tree, everything};
use bytelane_thrift::{
    Binary, Compact, DecodeOwned, Double, Element, Encode, ErrorKind, FbthriftCompact, Json,
    Limits, Message, Protocol, SimpleJson, Thrift, Uuid,
};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Calls a function with each of the protocols.
macro_rules! each_protocol {
    ($function:ident ( $($argument:expr),* )) => {
        $function::<Binary>($($argument),*);
        $function::<Compact>($($argument),*);
        $function::<FbthriftCompact>($($argument),*);
        $function::<Json>($($argument),*);
        $function::<SimpleJson>($($argument),*);
    };
}

fn name<P>() -> &'static str {
    std::any::type_name::<P>()
}

fn round_trip<P: Protocol, T>(value: &T)
where
    T: Message + Encode + DecodeOwned + PartialEq + std::fmt::Debug,
{
    let bytes = value.encode::<P>().unwrap();
    assert_eq!(
        value.encoded_len::<P>().unwrap(),
        bytes.len(),
        "{}",
        name::<P>()
    );
    let read = T::decode::<P>(&bytes);
    let read = read.unwrap_or_else(|error| panic!("{}: {error}", name::<P>()));
    assert_eq!(&read, value, "{}", name::<P>());

    let mut appended = b"before".to_vec();
    value.encode_into::<P>(&mut appended).unwrap();
    assert_eq!(appended[6..], bytes);
    appended.drain(..6);
    appended.extend_from_slice(b"?");
    assert_eq!(T::decode_prefix::<P>(&appended).unwrap().1, bytes.len());
    let error = T::decode::<P>(&appended).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TrailingBytes);
}

#[test]
fn everything_and_nothing() {
    fn test<P: Protocol>() {
        round_trip::<P, _>(&everything());
        round_trip::<P, _>(&Everything::default());
    }
    each_protocol!(test());
}

#[test]
fn every_prefix_is_an_error() {
    fn test<P: Protocol>() {
        let bytes = everything().encode::<P>().unwrap();
        for len in 0..bytes.len() {
            let result = Everything::decode::<P>(&bytes[..len]);
            let error = result.expect_err(name::<P>());
            assert!(error.offset().unwrap() <= len, "{}: {error}", name::<P>());
        }
    }
    each_protocol!(test());
}

#[test]
fn unknown_fields_are_skipped() {
    #[derive(Debug, PartialEq, Thrift)]
    struct Old {
        #[thrift(id = 5)]
        int: i32,
        #[thrift(id = 2000, default = 9)]
        added: i32,
    }
    fn test<P: Protocol>() {
        let bytes = everything().encode::<P>().unwrap();
        let old = Old::decode::<P>(&bytes).unwrap_or_else(|e| panic!("{}: {e}", name::<P>()));
        assert_eq!(
            old,
            Old {
                int: i32::MIN,
                added: 9
            }
        );
    }
    each_protocol!(test());
}

#[test]
fn unknown_union_fields_are_none_where_the_union_is_optional() {
    #[derive(Debug, PartialEq, Thrift)]
    #[thrift(union)]
    enum Newer {
        #[thrift(id = 9, name = "square")]
        Square(i32),
    }
    #[derive(Debug, PartialEq, Thrift)]
    struct Writes {
        #[thrift(id = 1)]
        shape: Option<Newer>,
    }
    #[derive(Debug, PartialEq, Thrift)]
    struct Reads {
        #[thrift(id = 1)]
        shape: Option<Shape>,
    }
    fn test<P: Protocol>() {
        let bytes = Writes {
            shape: Some(Newer::Square(4)),
        }
        .encode::<P>()
        .unwrap();
        assert_eq!(Reads::decode::<P>(&bytes).unwrap(), Reads { shape: None });
        let bytes = Newer::Square(4).encode::<P>().unwrap();
        let error = Shape::decode::<P>(&bytes).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::EmptyUnion);
    }
    each_protocol!(test());
}

#[test]
fn a_required_field_must_be_there() {
    #[derive(Debug, PartialEq, Thrift)]
    struct Loose {
        #[thrift(id = 20)]
        y: i64,
    }
    #[derive(Debug, PartialEq, Thrift)]
    struct Writes {
        #[thrift(id = 1)]
        points: Vec<Loose>,
    }
    #[derive(Debug, PartialEq, Thrift)]
    struct Reads {
        #[thrift(id = 1)]
        points: Vec<Point>,
    }
    fn test<P: Protocol>() {
        let points = Writes {
            points: vec![Loose { y: 1 }],
        };
        let error = Reads::decode::<P>(&points.encode::<P>().unwrap()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::MissingField("x"), "{error}");
        assert!(error.to_string().ends_with(", in points[0]"), "{error}");
    }
    each_protocol!(test());
}

#[test]
fn nan_travels() {
    #[derive(Debug, Thrift)]
    struct Doubles {
        #[thrift(id = 1)]
        one: f64,
        #[thrift(id = 2)]
        list: Vec<f64>,
        #[thrift(id = 3)]
        keys: BTreeMap<Double, f64>,
    }
    fn test<P: Protocol>() {
        let doubles = Doubles {
            one: f64::NAN,
            list: vec![1.0, f64::NAN],
            keys: BTreeMap::from([(Double(f64::NAN), f64::NAN)]),
        };
        let read = Doubles::decode::<P>(&doubles.encode::<P>().unwrap()).unwrap();
        assert!(read.one.is_nan() && read.list[1].is_nan());
        assert!(
            read.keys
                .iter()
                .all(|(key, value)| key.0.is_nan() && value.is_nan())
        );
    }
    each_protocol!(test());
}

#[test]
fn control_characters_and_infinite_keys_travel() {
    #[derive(Debug, PartialEq, Thrift)]
    struct Texts {
        #[thrift(id = 1)]
        text: String,
        #[thrift(id = 2)]
        keys: BTreeMap<Double, String>,
    }
    let text: String = (0..0x20u8).map(char::from).collect();
    let keys = [f64::NEG_INFINITY, f64::INFINITY].map(|key| (Double(key), text.clone()));
    let texts = Texts {
        text,
        keys: keys.into(),
    };
    fn test<P: Protocol>(texts: &Texts) {
        round_trip::<P, _>(texts);
    }
    each_protocol!(test(&texts));
    let json = texts.encode::<SimpleJson>().unwrap();
    let json = String::from_utf8(json).unwrap();
    assert!(
        json.contains(r#","keys":{"-Infinity":"\u0000\u0001"#),
        "{json}"
    );
}

#[test]
fn uuid_and_float() {
    #[derive(Debug, PartialEq, Thrift)]
    struct Ids {
        #[thrift(id = 1)]
        id: Uuid,
        #[thrift(id = 2)]
        more: BTreeMap<Uuid, Vec<Uuid>>,
    }
    #[derive(Debug, PartialEq, Thrift)]
    struct Floats {
        #[thrift(id = 1)]
        one: f32,
        #[thrift(id = 2)]
        more: Vec<f32>,
    }
    let id = Uuid(*b"0123456789abcdef");
    let ids = Ids {
        id,
        more: BTreeMap::from([(id, vec![id, Uuid::default()])]),
    };
    let floats = Floats {
        one: 0.1,
        more: vec![f32::MAX, f32::NEG_INFINITY, -0.0],
    };
    round_trip::<Binary, _>(&ids);
    round_trip::<Compact, _>(&ids);
    round_trip::<Json, _>(&ids);
    round_trip::<SimpleJson, _>(&ids);
    round_trip::<Binary, _>(&floats);
    round_trip::<FbthriftCompact, _>(&floats);
    round_trip::<Json, _>(&floats);
    round_trip::<SimpleJson, _>(&floats);
    let error = ids.encode::<FbthriftCompact>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "this protocol does not support the type uuid, in id"
    );
    let error = floats.encode::<Compact>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "this protocol does not support the type float, in one"
    );
}

#[test]
fn borrowed_values() {
    #[derive(Debug, PartialEq, Thrift)]
    struct Borrowed<'a> {
        #[thrift(id = 1)]
        text: &'a str,
        #[thrift(id = 2)]
        cow: Cow<'a, str>,
        #[thrift(id = 3)]
        data: Cow<'a, [u8]>,
        #[thrift(id = 4)]
        list: Vec<Cow<'a, str>>,
        #[thrift(id = 5)]
        bytes: Option<&'a [u8]>,
    }
    fn test<P: Protocol>() {
        let value = Borrowed {
            text: "plain",
            cow: "\"".into(),
            data: Cow::Borrowed(b"data"),
            list: vec!["a".into()],
            bytes: None,
        };
        let bytes = value.encode::<P>().unwrap();
        let read = Borrowed::decode::<P>(&bytes).unwrap();
        assert_eq!(read, value);
        assert!(matches!(read.list[0], Cow::Borrowed(_)));

        let bytes = Borrowed {
            bytes: Some(b"1"),
            ..value
        }
        .encode::<P>()
        .unwrap();
        let read = Borrowed::decode::<P>(&bytes);
        if name::<P>().contains("Json") {
            let error = read.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::CannotBorrow);
            assert!(error.to_string().ends_with("in bytes"), "{error}");
        } else {
            assert_eq!(read.unwrap().bytes, Some(&b"1"[..]));
        }
    }
    each_protocol!(test());
}

#[test]
fn merging_replaces_what_is_there() {
    fn test<P: Protocol>() {
        let mut value = everything();
        let ints = value.ints.as_ptr();
        value
            .merge::<P>(&everything().encode::<P>().unwrap())
            .unwrap();
        assert_eq!(value, everything());
        assert_eq!(value.ints.as_ptr(), ints);
        let mut tree = Tree {
            value: 5,
            left: None,
            others: vec![Tree::default()],
        };
        tree.merge::<P>(
            &Tree {
                value: 6,
                left: None,
                others: vec![],
            }
            .encode::<P>()
            .unwrap(),
        )
        .unwrap();
        assert_eq!(
            tree,
            Tree {
                value: 6,
                left: None,
                others: vec![]
            }
        );
    }
    each_protocol!(test());
}

#[test]
fn depth_is_bounded_both_ways() {
    fn deep(depth: usize) -> Tree {
        let mut tree = Tree::default();
        for _ in 1..depth {
            tree = Tree {
                left: Some(Box::new(tree)),
                ..Tree::default()
            };
        }
        tree
    }
    fn test<P: Protocol>() {
        let limits = Limits::default().with_depth(65);
        assert_eq!(
            deep(65).encode::<P>().unwrap_err().kind(),
            ErrorKind::DepthLimit
        );
        round_trip::<P, _>(&Tree {
            others: vec![],
            ..deep(63)
        });
        let bytes = deep(64).encode_with::<P>(&limits).unwrap();
        Tree::decode_with::<P>(&bytes, &limits).unwrap();
        let limits = limits.with_depth(63);
        let error = Tree::decode_with::<P>(&bytes, &limits).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::DepthLimit);
        // Skips the field, too.
        #[derive(Debug, Thrift)]
        struct Other {
            #[thrift(id = 9)]
            other: i32,
        }
        let error = Other::decode_with::<P>(&bytes, &limits).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::DepthLimit);
    }
    each_protocol!(test());
}

#[test]
fn closed_enums_refuse_unknown_numbers() {
    #[derive(Clone, Copy, Debug, Default, PartialEq, Thrift)]
    enum Closed {
        #[default]
        #[thrift(value = 1)]
        One,
    }
    #[derive(Debug, Thrift)]
    struct Holds {
        #[thrift(id = 10, name = "color")]
        color: Closed,
    }
    assert_eq!(i32::from(Closed::One), 1);
    assert_eq!(Color::from(-2), Color::Green);
    assert_eq!(<Color as Element>::TYPE, bytelane_thrift::Type::I32);
    fn test<P: Protocol>() {
        let bytes = everything().encode::<P>().unwrap();
        let error = Holds::decode::<P>(&bytes).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnknownEnumValue(77));
        assert!(error.to_string().ends_with(", in color"), "{error}");
        let one = Everything {
            color: Color::Red,
            ..Everything::default()
        };
        let holds = Holds::decode::<P>(&one.encode::<P>().unwrap()).unwrap();
        assert_eq!(holds.color, Closed::One);
    }
    each_protocol!(test());
}

#[test]
fn defaults() {
    #[derive(Debug, PartialEq, Thrift)]
    struct Defaults {
        #[thrift(id = 1, default = 5)]
        number: i32,
        #[thrift(id = 2, default = "m".to_owned())]
        text: String,
        #[thrift(id = 3, default = Some(1.5))]
        real: Option<f64>,
        #[thrift(id = -4)]
        r#type: Option<bool>,
    }
    let expected = Defaults {
        number: 5,
        text: "m".into(),
        real: Some(1.5),
        r#type: None,
    };
    assert_eq!(Defaults::default(), expected);
    assert_eq!(Defaults::decode::<Binary>(b"\0").unwrap(), expected);
    assert_eq!(<Defaults as Message>::FIELDS[3].name, "type");
    assert_eq!(<Defaults as Message>::FIELDS[3].id, -4);
    assert_eq!(Shape::default(), Shape::Circle(0.0));
    each_protocol!(round_trip_defaults());
    fn round_trip_defaults<P: Protocol>() {
        round_trip::<P, _>(&Defaults {
            r#type: Some(true),
            ..Defaults::default()
        });
    }
}

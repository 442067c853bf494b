//! Tests messages of other versions of a type: fields that are new, gone, or of another type.

use bytelane_thrift::{
    Binary, Compact, DecodeOwned, Double, Encode, ErrorKind, FbthriftCompact, Json, Message,
    Options, Protocol, SimpleJson, Thrift, UnknownField, UnknownFields,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

/// Reads as one type what another wrote.
fn reread<P: Protocol, T: Message + DecodeOwned>(value: &(impl Message + Encode)) -> T {
    let bytes = value.encode::<P>().unwrap();
    T::decode::<P>(&bytes).unwrap_or_else(|error| panic!("{}: {error}", name::<P>()))
}

fn name<P>() -> &'static str {
    std::any::type_name::<P>()
}

#[derive(Clone, Debug, PartialEq, Thrift)]
struct Before {
    #[thrift(id = 1)]
    number: i32,
    #[thrift(id = 2)]
    flag: bool,
    #[thrift(id = 3)]
    list: Vec<i32>,
    #[thrift(id = 4)]
    nested: Vec<Vec<i32>>,
    #[thrift(id = 5)]
    map: BTreeMap<i32, String>,
    #[thrift(id = 6)]
    text: String,
    #[thrift(id = 7)]
    optional: Option<i16>,
    #[thrift(id = 8)]
    last: i64,
}

#[derive(Clone, Debug, PartialEq, Thrift)]
struct After {
    #[thrift(id = 1, default = -1)]
    number: i64,
    #[thrift(id = 2)]
    flag: String,
    #[thrift(id = 3, default = vec![7])]
    list: Vec<i64>,
    #[thrift(id = 4)]
    nested: Vec<Vec<bool>>,
    #[thrift(id = 5)]
    map: BTreeMap<i32, Vec<String>>,
    #[thrift(id = 6)]
    text: bool,
    #[thrift(id = 7)]
    optional: Option<BTreeSet<i32>>,
    #[thrift(id = 8)]
    last: i64,
}

fn before() -> Before {
    Before {
        number: 5,
        flag: true,
        list: vec![1, -2],
        nested: vec![vec![], vec![3]],
        map: BTreeMap::from([(1, "x".into())]),
        text: "abc".into(),
        optional: Some(4),
        last: 99,
    }
}

#[test]
fn a_field_of_another_type_is_skipped() {
    fn test<P: Protocol>() {
        let read: After = reread::<P, _>(&before());
        let expected = After {
            last: 99,
            ..After::default()
        };
        assert_eq!(read, expected, "{}", name::<P>());
        // In reverse, bools are skipped.
        let back: Before = reread::<P, _>(&After {
            text: true,
            last: 1,
            ..After::default()
        });
        assert_eq!(
            back,
            Before {
                last: 1,
                ..Before::default()
            }
        );
    }
    test::<Binary>();
    test::<Compact>();
    test::<FbthriftCompact>();
    test::<Json>();
}

#[test]
fn a_field_of_another_type_is_an_error_where_types_are_strict() {
    fn test<P: Protocol>() {
        let bytes = before().encode::<P>().unwrap();
        let strict = Options::default().with_strict_types(true);
        let error = After::decode_with::<P>(&bytes, strict).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::WrongType { .. }));
        assert!(error.to_string().ends_with(", in number"), "{error}");
    }
    test::<Binary>();
    test::<Compact>();
    test::<Json>();
}

#[test]
fn a_required_field_of_another_type_is_missing() {
    #[derive(Debug, PartialEq, Thrift)]
    struct Requires {
        #[thrift(id = 1, required)]
        number: i64,
    }
    let bytes = before().encode::<Binary>().unwrap();
    let error = Requires::decode::<Binary>(&bytes).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::MissingField("number"));
}

/// Fields that are skipped because of the types of their elements cost only as much as skipping
/// them, however deep they are.
#[test]
fn skipping_elements_of_another_type_is_linear() {
    #[derive(Debug, PartialEq, Thrift)]
    struct Deep {
        #[thrift(id = 1)]
        list: Vec<Vec<i32>>,
        #[thrift(id = 2)]
        inner: Vec<Deep>,
    }
    let mut message = b"\x0f\0\x01\x0f\0\0\0\x01\x0a\0\0\0\x01........\0".to_vec();
    for _ in 0..20 {
        let header = b"\x0f\0\x02\x0c\0\0\0\x01";
        let list = b"\x0f\0\x01\x0f\0\0\0\x01\x0a\0\0\0\x01........";
        message = [&header[..], &message, list, b"\0"].concat();
    }
    let read = Deep::decode::<Binary>(&message).unwrap();
    assert_eq!(read.inner.len(), 1);
    assert_eq!(read.list, Vec::<Vec<i32>>::new());
}

#[derive(Clone, Debug, PartialEq, Thrift)]
struct Inner {
    #[thrift(id = 1, default = 3)]
    a: i32,
    #[thrift(id = 2)]
    b: String,
}

#[derive(Clone, Debug, PartialEq, Thrift)]
struct Outer {
    #[thrift(id = 1, default = Inner { a: 7, b: "x".into() })]
    inner: Inner,
    #[thrift(id = 2, default = Some(Inner { a: 8, b: "y".into() }))]
    optional: Option<Inner>,
    #[thrift(id = 3, default = Box::new(Inner { a: 9, b: "z".into() }))]
    boxed: Box<Inner>,
}

#[test]
fn the_default_of_a_struct_is_that_of_the_whole_struct() {
    #[derive(Debug, Thrift)]
    struct OnlyA {
        #[thrift(id = 1)]
        a: i32,
    }
    #[derive(Debug, Thrift)]
    struct Partial {
        #[thrift(id = 1)]
        inner: Option<OnlyA>,
        #[thrift(id = 2)]
        optional: Option<OnlyA>,
        #[thrift(id = 3)]
        boxed: Option<OnlyA>,
    }
    fn test<P: Protocol>() {
        let nothing: Outer = reread::<P, _>(&Partial::default());
        assert_eq!(nothing, Outer::default());
        let only = || Some(OnlyA { a: 1 });
        let partial = Partial {
            inner: only(),
            optional: only(),
            boxed: only(),
        };
        let read: Outer = reread::<P, _>(&partial);
        let expected = Inner {
            a: 1,
            b: String::new(),
        };
        assert_eq!(read.inner, expected);
        assert_eq!(read.optional, Some(expected.clone()));
        assert_eq!(*read.boxed, expected);

        // Merging keeps fields that are not in the message.
        let mut merged = Outer::default();
        merged.merge::<P>(&partial.encode::<P>().unwrap()).unwrap();
        assert_eq!((merged.inner.a, &*merged.inner.b), (1, "x"));
        assert_eq!(merged.optional.unwrap().b, "y");
        assert_eq!(merged.boxed.b, "z");
    }
    test::<Binary>();
    test::<Compact>();
    test::<Json>();
    test::<SimpleJson>();
}

#[derive(Clone, Debug, PartialEq, PartialOrd, Thrift)]
#[thrift(union)]
enum NewUnion {
    #[thrift(id = 1)]
    Number(i32),
    #[thrift(id = 2)]
    Flag(bool),
    #[thrift(id = 3)]
    List(Vec<Double>),
    #[thrift(id = 4)]
    Inner(Inner0),
    #[thrift(id = 5)]
    Map(BTreeMap<i64, Vec<String>>),
}

#[derive(Clone, Debug, PartialEq, PartialOrd, Thrift)]
struct Inner0 {
    #[thrift(id = 1)]
    yes: bool,
    #[thrift(id = 90)]
    texts: BTreeSet<String>,
}

#[derive(Clone, Debug, PartialEq, Thrift)]
#[thrift(union)]
enum OldUnion {
    #[thrift(id = 1)]
    Number(i32),
    #[thrift(id = 3)]
    ListOfOtherType(Vec<i8>),
    #[thrift(id = 5)]
    OtherType(i32),
    #[thrift(unknown)]
    Unknown(UnknownField),
}

#[derive(Clone, Debug, PartialEq, Thrift)]
struct Holds<U> {
    #[thrift(id = 1)]
    one: Option<U>,
    #[thrift(id = 2)]
    list: Vec<U>,
    #[thrift(id = 3)]
    map: BTreeMap<i32, U>,
}

fn unions() -> Holds<NewUnion> {
    let inner = Inner0 {
        yes: true,
        texts: BTreeSet::from(["a\"b".into()]),
    };
    let list = vec![
        NewUnion::Number(1),
        NewUnion::Flag(true),
        NewUnion::List(vec![Double(0.5)]),
        NewUnion::Inner(inner),
        NewUnion::Map(BTreeMap::from([(-1, vec!["x".into(), String::new()])])),
        NewUnion::Flag(false),
    ];
    Holds {
        one: Some(NewUnion::Flag(true)),
        map: (0..).zip(list.clone()).collect(),
        list,
    }
}

fn id(union: &OldUnion) -> i16 {
    match union {
        OldUnion::Unknown(field) => field.id(),
        _ => 0,
    }
}

#[test]
fn unknown_members_of_unions_travel_unchanged() {
    fn test<P: Protocol>() {
        let bytes = unions().encode::<P>().unwrap();
        let old = Holds::<OldUnion>::decode::<P>(&bytes).unwrap();
        assert_eq!(old.list[0], OldUnion::Number(1));
        let ids: Vec<i16> = old.list.iter().map(id).collect();
        assert_eq!(ids, [0, 2, 3, 4, 5, 2], "{}", name::<P>());
        assert_eq!(old.encode::<P>().unwrap(), bytes, "{}", name::<P>());
        let OldUnion::Unknown(field) = &old.list[3] else {
            panic!("member 4 is unknown")
        };
        assert!(field.value::<Inner0>().unwrap().yes);
        assert!(field.value::<i32>().is_err());
    }
    test::<Binary>();
    test::<Compact>();
    test::<FbthriftCompact>();
    test::<Json>();
}

#[test]
fn unknown_members_are_converted_between_binary_protocols() {
    fn test<P: Protocol, Q: Protocol>() {
        let old: Holds<OldUnion> = reread::<P, _>(&unions());
        let bytes = old.encode::<Q>().unwrap();
        assert_eq!(bytes, unions().encode::<Q>().unwrap(), "{}", name::<Q>());
    }
    test::<Binary, Compact>();
    test::<Compact, Binary>();
    test::<Compact, FbthriftCompact>();
    test::<FbthriftCompact, Binary>();
    let old: Holds<OldUnion> = reread::<Binary, _>(&unions());
    let error = old.encode::<Json>().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OtherProtocol);
    let old: Holds<OldUnion> = reread::<Json, _>(&unions());
    let error = old.encode::<Binary>().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OtherProtocol);
}

#[derive(Clone, Debug, PartialEq, Thrift)]
struct Keeps {
    #[thrift(id = 1)]
    number: i32,
    #[thrift(unknown)]
    rest: UnknownFields,
}

#[test]
fn unknown_fields_are_kept_on_request() {
    fn test<P: Protocol>() {
        let keeps: Keeps = reread::<P, _>(&before());
        assert_eq!((keeps.number, keeps.rest.len()), (5, 7), "{}", name::<P>());
        let back: Before = reread::<P, _>(&keeps);
        assert_eq!(back, before(), "{}", name::<P>());
        assert_eq!(
            keeps.encode::<P>().unwrap(),
            before().encode::<P>().unwrap()
        );
    }
    test::<Binary>();
    test::<Compact>();
    test::<Json>();
    let simple: Keeps = reread::<SimpleJson, _>(&before());
    assert!(simple.rest.is_empty(), "SimpleJSON has no ids");
}

/// Same as `Keeps`, but the types of its declared fields differ from those in the message.
#[derive(Clone, Debug, PartialEq, Thrift)]
struct KeepsOthers {
    #[thrift(id = 1)]
    text: String,
    #[thrift(id = 2)]
    numbers: Option<Vec<i64>>,
    #[thrift(id = 3)]
    same: i32,
    #[thrift(unknown)]
    rest: UnknownFields,
}

#[derive(Clone, Debug, PartialEq, Thrift)]
struct Others {
    #[thrift(id = 1)]
    number: i64,
    #[thrift(id = 2)]
    texts: Vec<String>,
    #[thrift(id = 3)]
    same: i32,
}

#[test]
fn fields_of_other_types_are_kept_on_request() {
    fn test<P: Protocol>() {
        let others = Others {
            number: 1 << 40,
            texts: vec!["a".into(), "b".into()],
            same: 7,
        };
        let keeps: KeepsOthers = reread::<P, _>(&others);
        assert_eq!((&*keeps.text, &keeps.numbers, keeps.same), ("", &None, 7));
        assert_eq!(keeps.rest.len(), 2, "{}", name::<P>());
        let ids: Vec<i16> = keeps.rest.iter().map(|field| field.id()).collect();
        assert_eq!(ids, [1, 2]);
        let texts: Vec<String> = keeps.rest.iter().nth(1).unwrap().value().unwrap();
        assert_eq!(texts, others.texts);
    }
    test::<Binary>();
    test::<Compact>();
    test::<Json>();
}

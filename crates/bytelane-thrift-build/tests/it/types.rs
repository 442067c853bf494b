//! Tests that the generated types compile, and contain what the IDL declares.

use crate::generated::common_shared::{Header, Priority};
use crate::generated::everything::{
    Color, EXAMPLE, Everything, Forest, INNER, Impossible, Inner, Key, LOWEST, Level, PRIMES,
    Renumbered, STRANGE, Shape, Tree, calculator,
};
use bytelane_thrift::{
    Binary, Compact, DecodeOwned, Double, Encode, Json, Message, Protocol, SimpleJson,
};

fn round_trip<P: Protocol, T>(value: &T)
where
    T: Message + Encode + DecodeOwned + PartialEq + std::fmt::Debug,
{
    let bytes = value.encode::<P>().unwrap();
    assert_eq!(&T::decode::<P>(&bytes).unwrap(), value);
}

#[test]
fn defaults_are_those_of_the_idl() {
    let value = Everything::default();
    assert!(value.flag);
    assert_eq!((value.small, value.big), (-7, 0x1234_5678_90ab_cdef));
    assert_eq!(value.color, Some(Color::Red));
    assert_eq!(value.priority, Priority::High);
    assert_eq!(value.shape, None);
    assert_eq!(EXAMPLE.color, Some(Color::Unknown(99)));
    assert_eq!(*PRIMES, [2, 3, 5, 7]);
    assert_eq!(Shape::default(), Shape::Circle(0.0));
    assert_eq!(calculator::AddArgs::default().second, 5);
}

#[test]
fn values_travel() {
    let key = Key {
        name: "k".into(),
        weight: Double(0.5),
        inner: vec![Inner { x: Double(-0.0) }],
    };
    let header = Header {
        trace_id: "t".into(),
        at: Some(7),
    };
    let mut value = Everything {
        shape: Some(Shape::Inside(Box::new(Shape::PolyLine(key.inner.clone())))),
        ..EXAMPLE.clone()
    };
    value.by_key.insert(key, header);
    round_trip::<Json, _>(&value);
    round_trip::<SimpleJson, _>(&value);
    round_trip::<Binary, _>(&value);
    round_trip::<Compact, _>(&value);
    let mut tree = Tree {
        value: 1,
        ..Tree::default()
    };
    tree.left = Some(Box::new(tree.clone()));
    tree.forest = Some(Box::new(Forest {
        first: Some(Box::new(tree.clone())),
    }));
    round_trip::<Compact, _>(&tree);
    let result = calculator::TreesResult {
        success: Some(vec![tree]),
    };
    round_trip::<SimpleJson, _>(&result);
}

#[test]
fn what_the_compiler_of_apache_accepts() {
    assert_eq!((Level::Minimum, LOWEST), (Level::Low, Level::Low));
    assert_eq!(Level::from(0), Level::Minimum);
    const { assert!(STRANGE) };
    assert_eq!(INNER.x, Double(1.0));
    let ids = Renumbered::FIELDS.iter().map(|field| field.id);
    assert_eq!(ids.collect::<Vec<_>>(), [-1, -2, -3, 5]);
    // Any member of a union without members belongs to another version.
    let message = b"\x08\0\x01\0\0\0\x05\0";
    let union = Impossible::decode::<Binary>(message).unwrap();
    let Impossible::Unknown(field) = &union;
    assert_eq!((field.id(), field.value::<i32>().unwrap()), (1, 5));
    assert_eq!(union.encode::<Binary>().unwrap(), message);
}

#[test]
fn unknown_members_and_fields_are_kept() {
    use crate::kept::keeping::{EXAMPLE, Either, Empty, Kept};
    let shape = Shape::Circle(0.5);
    let message = shape.encode::<Compact>().unwrap();
    let either = Either::decode::<Compact>(&message).unwrap();
    assert!(matches!(either, Either::Unknown(_)));
    assert_eq!(either.encode::<Compact>().unwrap(), message);

    assert_eq!((EXAMPLE.number, EXAMPLE.unknown_fields.len()), (7, 0));
    let kept = Kept {
        number: 7,
        unknown_fields_: "text".into(),
        ..Kept::default()
    };
    let message = kept.encode::<Compact>().unwrap();
    let empty = Empty::decode::<Compact>(&message).unwrap();
    assert_eq!(empty.unknown_fields.len(), 2);
    assert_eq!(empty.encode::<Compact>().unwrap(), message);
}

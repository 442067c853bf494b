//! The generated types compile, and hold what the IDL says.

#[rustfmt::skip]
#[allow(clippy::all, dead_code, reason = "not written by hand, and used in part")]
mod generated;

use bytelane_thrift::{Binary, Compact, Double, Json, Message, Protocol, SimpleJson};
use generated::common_shared::{Header, Priority};
use generated::everything::{
    Color, EXAMPLE, Everything, Forest, Inner, Key, PRIMES, Shape, Tree, calculator,
};

fn round_trip<P: Protocol, T>(value: &T)
where
    T: for<'de> Message<'de> + PartialEq + std::fmt::Debug,
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
    round_trip::<Json, _>(&value);
    round_trip::<SimpleJson, _>(&value);
    // A struct is no key in JSON.
    value.by_key.insert(key, header);
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

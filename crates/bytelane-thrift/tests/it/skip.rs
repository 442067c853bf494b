//! Fields that a type does not declare are skipped, whatever they contain.

use bytelane_thrift::{
    Binary, Compact, FbthriftCompact, Json, Message, Protocol, SimpleJson, Thrift, Uuid,
};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, PartialEq, Thrift)]
struct Old {
    #[thrift(id = 100)]
    last: i32,
}

#[derive(Debug, Thrift)]
struct New {
    #[thrift(id = 1)]
    bytes: Vec<i8>,
    #[thrift(id = 2)]
    shorts: Vec<i16>,
    #[thrift(id = 3)]
    ints: Vec<i32>,
    #[thrift(id = 4)]
    longs: BTreeSet<i64>,
    #[thrift(id = 5)]
    reals: Vec<f64>,
    #[thrift(id = 6)]
    bools: Vec<bool>,
    #[thrift(id = 7)]
    texts: Vec<String>,
    #[thrift(id = 8)]
    nested: Vec<Vec<i16>>,
    #[thrift(id = 9)]
    map: BTreeMap<i32, Vec<Uuids>>,
    #[thrift(id = 10)]
    floats: Option<Vec<f32>>,
    #[thrift(id = 11)]
    empty: Vec<i32>,
    #[thrift(id = 100)]
    last: i32,
}

#[derive(Debug, Thrift)]
struct Uuids {
    #[thrift(id = 1)]
    uuids: Option<Vec<Uuid>>,
    #[thrift(id = 2)]
    last: bool,
}

fn new(uuids: Option<Vec<Uuid>>, floats: Option<Vec<f32>>) -> New {
    New {
        bytes: vec![-1; 5],
        shorts: vec![-300, 300, 7],
        ints: (0..40).map(|n| n * 100_000).collect(),
        longs: [i64::MIN, 0, i64::MAX].into(),
        reals: vec![0.5, -1e300],
        bools: vec![true, false],
        texts: vec!["a\"b".to_owned(), String::new()],
        nested: vec![vec![1], vec![], vec![2, 3]],
        map: [(1, vec![Uuids { uuids, last: true }])].into(),
        floats,
        empty: Vec::new(),
        last: 7,
    }
}

/// Skips the message, and checks that each truncated one is an error.
fn skips<P: Protocol>(new: &New) {
    let message = new.encode::<P>().unwrap();
    assert_eq!(Old::decode::<P>(&message).unwrap(), Old { last: 7 });
    for len in 0..message.len() {
        assert!(Old::decode::<P>(&message[..len]).is_err(), "{len}");
    }
}

#[test]
fn fields_of_every_type_are_skipped() {
    let (uuids, floats) = (|| Some(vec![Uuid([7; 16]); 2]), || Some(vec![1.5, 2.5]));
    skips::<Binary>(&new(uuids(), floats()));
    skips::<Compact>(&new(uuids(), None));
    skips::<FbthriftCompact>(&new(None, floats()));
    skips::<Json>(&new(uuids(), floats()));
    skips::<SimpleJson>(&new(uuids(), floats()));
}

//! Tests properties of generated messages of any shape, in each protocol.

use bytelane_thrift::{
    Binary, Compact, Double, Envelope, ErrorKind, FbthriftCompact, Json, Message, MessageKind,
    Protocol, SimpleJson, Thrift,
};
use proptest::collection::{btree_map, btree_set, vec};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::collections::{BTreeMap, BTreeSet};

/// A value of any type, which can contain others.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Thrift)]
#[thrift(union)]
enum Value {
    #[thrift(id = 1)]
    Bool(bool),
    #[thrift(id = 2)]
    I8(i8),
    #[thrift(id = 3)]
    I16(i16),
    #[thrift(id = 4)]
    I32(i32),
    #[thrift(id = 5)]
    I64(i64),
    #[thrift(id = 20)]
    Double(Double),
    #[thrift(id = 21)]
    Text(String),
    #[thrift(id = 300)]
    Data(Vec<u8>),
    #[thrift(id = 30)]
    Bools(Vec<bool>),
    #[thrift(id = 31)]
    I8s(Vec<i8>),
    #[thrift(id = 32)]
    I16s(Vec<i16>),
    #[thrift(id = 33)]
    I32s(Vec<i32>),
    #[thrift(id = 34)]
    I64s(Vec<i64>),
    #[thrift(id = 35)]
    Doubles(Vec<Double>),
    #[thrift(id = 36)]
    Texts(BTreeSet<String>),
    #[thrift(id = 40)]
    Values(Vec<Value>),
    #[thrift(id = 41)]
    Set(BTreeSet<Value>),
    #[thrift(id = 42)]
    ByText(BTreeMap<String, Value>),
    #[thrift(id = 43)]
    ByNumber(BTreeMap<i64, Vec<Value>>),
    #[thrift(id = 44)]
    ByDouble(BTreeMap<Double, Value>),
    #[thrift(id = 45)]
    Record(Box<Record>),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Thrift)]
struct Record {
    #[thrift(id = 2)]
    first: Option<Value>,
    #[thrift(id = 1, required)]
    name: String,
    #[thrift(id = -5, default = 7)]
    number: i32,
    #[thrift(id = 32767)]
    last: Option<bool>,
}

/// Knows none of the fields.
#[derive(Debug, PartialEq, Thrift)]
struct Nothing {}

fn double() -> impl Strategy<Value = Double> {
    let special = [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        0.0,
        -0.0,
        5e-324,
    ];
    prop_oneof![select(special.to_vec()), any::<f64>()].prop_map(Double)
}

/// Returns integers with any number of significant bits, so that varints of all lengths occur.
fn integer() -> impl Strategy<Value = i64> + Clone {
    (any::<i64>(), 0..64u32).prop_map(|(value, bits)| value >> bits)
}

/// Returns text with a high share of characters that JSON has to escape.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![".{0,40}", "[\"\\\\/\u{0}-\u{1f}\u{7f}é😀a]{0,40}"]
}

fn plain() -> impl Strategy<Value = Value> {
    // Lists around 15 elements, where the compact protocol's header changes, and long ones.
    let len = || prop_oneof![0..20usize, 100..200usize];
    fn list<T: std::fmt::Debug>(
        element: impl Strategy<Value = T> + Clone,
        len: impl Strategy<Value = usize>,
    ) -> impl Strategy<Value = Vec<T>> {
        len.prop_flat_map(move |len| vec(element.clone(), len))
    }
    prop_oneof![
        any::<bool>().prop_map(Value::Bool),
        any::<i8>().prop_map(Value::I8),
        any::<i16>().prop_map(Value::I16),
        integer().prop_map(|value| Value::I32(value as i32)),
        integer().prop_map(Value::I64),
        double().prop_map(Value::Double),
        text().prop_map(Value::Text),
        vec(any::<u8>(), 0..100).prop_map(Value::Data),
        list(any::<bool>(), len()).prop_map(Value::Bools),
        list(any::<i8>(), len()).prop_map(Value::I8s),
        list(any::<i16>(), len()).prop_map(Value::I16s),
        list(integer().prop_map(|value| value as i32), len()).prop_map(Value::I32s),
        list(integer(), len()).prop_map(Value::I64s),
        vec(double(), 0..50).prop_map(Value::Doubles),
        btree_set(text(), 0..5).prop_map(Value::Texts),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    plain().prop_recursive(4, 32, 4, |value| {
        prop_oneof![
            vec(value.clone(), 0..4).prop_map(Value::Values),
            btree_set(value.clone(), 0..4).prop_map(Value::Set),
            btree_map(text(), value.clone(), 0..4).prop_map(Value::ByText),
            btree_map(any::<i64>(), vec(value.clone(), 0..3), 0..3).prop_map(Value::ByNumber),
            btree_map(double(), value.clone(), 0..4).prop_map(Value::ByDouble),
            record(value).prop_map(|record| Value::Record(Box::new(record))),
        ]
    })
}

fn record(value: impl Strategy<Value = Value>) -> impl Strategy<Value = Record> {
    let fields = (
        proptest::option::of(value),
        text(),
        any::<i32>(),
        any::<Option<bool>>(),
    );
    fields.prop_map(|(first, name, number, last)| Record {
        first,
        name,
        number,
        last,
    })
}

/// Tests a message in one protocol; `cut` and `changed` choose a byte of it.
fn travels<P: Protocol>(record: &Record, cut: Index, changed: Index, mask: u8) {
    let protocol = std::any::type_name::<P>();
    let bytes = record.encode::<P>().unwrap();
    assert_eq!(
        record.encoded_len::<P>().unwrap(),
        bytes.len(),
        "{protocol}"
    );
    assert_eq!(&Record::decode::<P>(&bytes).unwrap(), record, "{protocol}");
    assert_eq!(
        Nothing::decode::<P>(&bytes).unwrap(),
        Nothing {},
        "{protocol}"
    );

    // Read over another value: the contents of the message replace it.
    let mut other = Record {
        first: Some(Value::Texts(BTreeSet::from(["x".to_owned()]))),
        name: "other".to_owned(),
        number: -1,
        last: None,
    };
    let first = record.first.clone().or(other.first.clone());
    other.merge::<P>(&bytes).unwrap();
    assert_eq!(
        other,
        Record {
            first,
            ..record.clone()
        },
        "{protocol}"
    );

    let cut = &bytes[..cut.index(bytes.len())];
    let error = Record::decode::<P>(cut).unwrap_err();
    assert!(error.offset().unwrap() <= cut.len(), "{protocol}: {error}");
    let mut changed_bytes = bytes.clone();
    changed_bytes[changed.index(bytes.len())] ^= mask;
    if let Err(error) = Record::decode::<P>(&changed_bytes) {
        assert!(
            error.offset().unwrap() <= bytes.len(),
            "{protocol}: {error}"
        );
        assert_ne!(error.kind(), ErrorKind::AllocationLimit, "{protocol}");
    }

    let envelope = Envelope {
        name: record.name.as_str().into(),
        kind: MessageKind::Reply,
        sequence: record.number,
    };
    let message = envelope.encode::<P, _>(record).unwrap();
    let (found, body) = Envelope::decode::<P>(&message).unwrap();
    assert_eq!(found, envelope, "{protocol}");
    assert_eq!(&body.read::<Record>().unwrap(), record, "{protocol}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn messages_travel(
        record in record(value()),
        cut: Index,
        changed: Index,
        mask in 1..=255u8,
    ) {
        travels::<Binary>(&record, cut, changed, mask);
        travels::<Binary<false>>(&record, cut, changed, mask);
        travels::<Compact>(&record, cut, changed, mask);
        travels::<FbthriftCompact>(&record, cut, changed, mask);
        travels::<Json>(&record, cut, changed, mask);
        travels::<SimpleJson>(&record, cut, changed, mask);
    }
}

//! Properties that hold for any input of a reader, for the tests and the fuzz targets.

use super::types::Everything;
use bytelane::Backend;
use bytelane_thrift::dynamic::Struct;
use bytelane_thrift::{Envelope, Error, ErrorKind, Message, Protocol, Segment};
use std::collections::{BTreeMap, BTreeSet};

/// A value in a form that is equal for equal values: NaN and -0 by their bits, sets and maps in
/// order.
type Canonical = (Vec<u8>, BTreeSet<String>, BTreeMap<i32, Vec<String>>);

fn canonical(mut value: Everything) -> Canonical {
    let set = std::mem::take(&mut value.hash_set).into_iter().collect();
    let map = std::mem::take(&mut value.hash_map).into_iter().collect();
    let rest = value.encode::<bytelane_thrift::Binary>();
    (rest.expect("what was read can be written"), set, map)
}

/// Contents of an error.
type Told = (ErrorKind, Option<usize>, Vec<Segment>);

fn told(error: &Error) -> Told {
    (error.kind(), error.offset(), error.path().collect())
}

/// Reads the bytes on every backend. The values and the errors must be the same, errors must lie
/// within the bytes, and the value can be written and read again.
pub fn check<P: Protocol>(input: &[u8]) {
    let before = Backend::active();
    let mut results = Vec::new();
    for backend in Backend::available() {
        Backend::set_active(backend).expect("it is available");
        results.push((backend, read::<P>(input)));
    }
    Backend::set_active(before).expect("it was active before");
    let (_, specified) = &results[0];
    for (backend, result) in &results[1..] {
        assert_eq!(result, specified, "{backend:?}");
    }
}

fn read<P: Protocol>(input: &[u8]) -> (Result<Canonical, Told>, Result<(), Told>) {
    let value = Everything::decode::<P>(input).map(|value| {
        let again = value.encode::<P>().expect("what was read can be written");
        let value = canonical(value);
        let again = Everything::decode::<P>(&again).expect("what was written can be read");
        assert_eq!(canonical(again), value);
        value
    });
    // Without a declaration, every message that is read can be written as well.
    if let Ok(value) = Struct::decode::<P>(input) {
        let bytes = value.encode::<P>().expect("what was read can be written");
        let again = Struct::decode::<P>(&bytes).expect("what was written can be read");
        assert_eq!(again.encode::<P>().expect("it was written before"), bytes);
    }
    let envelope = Envelope::decode::<P>(input);
    let body = envelope.and_then(|(_, body)| body.read::<Everything>());
    if let Err(error) = &value {
        let offset = error.offset().expect("errors of reading have a place");
        assert!(offset <= input.len(), "{error}");
    }
    (
        value.map_err(|error| told(&error)),
        body.map(drop).map_err(|error| told(&error)),
    )
}

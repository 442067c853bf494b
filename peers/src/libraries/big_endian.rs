//! The crates `thrift` and `pilota`: the values of a list in the Binary protocol.

use super::number::Number;
use super::{Comparison, Peer, Received, Work, comparison, show};
use bytes::BytesMut;
use pilota::thrift::binary::TBinaryProtocol;
use pilota::thrift::binary_unsafe::{TBinaryUnsafeInputProtocol, TBinaryUnsafeOutputProtocol};
use thrift::protocol::{TBinaryInputProtocol, TBinaryOutputProtocol};

pub const COMPARISON: Comparison =
    comparison(&["random"], &[16, 100, 1000, 12_345, 100_000], false);

pub fn peers<T: Number>(_values: usize) -> anyhow::Result<Vec<Peer>> {
    Ok(vec![
        apache::<T>(),
        pilota_checked::<T>(),
        pilota_unchecked::<T>(),
    ])
}

fn apache<T: Number>() -> Peer {
    let encode: Work = Box::new(|values, encoded| {
        let mut protocol = TBinaryOutputProtocol::new(&mut encoded[..], true);
        for value in bytemuck::cast_slice::<u8, T>(values) {
            value.write_apache(&mut protocol).expect("room for all");
        }
        values.len()
    });
    let decode: Work = Box::new(|encoded, values| {
        let mut protocol = TBinaryInputProtocol::new(encoded, true);
        for value in bytemuck::cast_slice_mut::<u8, T>(values) {
            *value = T::read_apache(&mut protocol).expect("as many values as were written");
        }
        values.len()
    });
    Peer::new("thrift", encode, decode)
}

fn pilota_checked<T: Number>() -> Peer {
    let mut buffer = BytesMut::new();
    let encode: Work = Box::new(move |values, encoded| {
        buffer.clear();
        buffer.reserve(values.len());
        let mut protocol = TBinaryProtocol::new(&mut buffer, false);
        for value in bytemuck::cast_slice::<u8, T>(values) {
            value.write_pilota(&mut protocol);
        }
        show(&buffer, encoded)
    });
    let mut received = Received::default();
    let decode: Work = Box::new(move |encoded, values| {
        let mut source = received.of(encoded);
        let mut protocol = TBinaryProtocol::new(&mut source, false);
        for value in bytemuck::cast_slice_mut::<u8, T>(values) {
            *value = T::read_pilota(&mut protocol);
        }
        values.len()
    });
    Peer::new("pilota", encode, decode)
}

fn pilota_unchecked<T: Number>() -> Peer {
    let mut buffer = BytesMut::new();
    let encode: Work = Box::new(move |values, encoded| {
        buffer.resize(values.len(), 0);
        // SAFETY: the buffer has room for all values. The second one is for zero-copy output,
        // which this is not.
        let mut protocol = unsafe { TBinaryUnsafeOutputProtocol::new(&mut buffer, &mut [], false) };
        for value in bytemuck::cast_slice::<u8, T>(values) {
            value.write_pilota(&mut protocol);
        }
        show(&buffer, encoded)
    });
    let mut received = Received::default();
    let decode: Work = Box::new(move |encoded, values| {
        assert_eq!(encoded.len(), values.len());
        let mut source = received.of(encoded);
        // SAFETY: exactly as many values are read as exist.
        let mut protocol = unsafe { TBinaryUnsafeInputProtocol::new(&mut source) };
        for value in bytemuck::cast_slice_mut::<u8, T>(values) {
            *value = T::read_pilota(&mut protocol);
        }
        values.len()
    });
    Peer::new("pilota unchecked", encode, decode)
}

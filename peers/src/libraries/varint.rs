//! `varint-simd` and `integer-encoding`, one value at a time; for lists with zigzag, also the
//! compact protocols of `thrift` and `pilota`.

use super::number::Number;
use super::{Comparison, Peer, Received, Work, comparison, show};
use bytemuck::Pod;
use bytes::BytesMut;
use integer_encoding::VarInt;
use pilota::thrift::compact::{TCompactInputProtocol, TCompactOutputProtocol};
use thrift::protocol as apache;
use varint_simd::num::{SignedVarIntTarget, VarIntTarget};

pub const COMPARISON: Comparison = comparison(
    &["one_byte", "two_bytes", "mixed_widths", "random"],
    &[100, 12_345, 1_000_000],
    true,
);

pub fn unsigned<T: VarIntTarget + VarInt + Pod>(_values: usize) -> anyhow::Result<Vec<Peer>> {
    let decode = |bytes: &[u8]| varint_simd::decode::<T>(bytes).expect("a varint");
    let simd = simd(varint_simd::encode::<T>, decode);
    Ok(vec![simd, integer_encoding::<T>()])
}

/// Creates a peer for two functions of `varint-simd`.
fn simd<T: Pod>(
    encode: impl Fn(T) -> ([u8; 16], u8) + 'static,
    decode: impl Fn(&[u8]) -> (T, usize) + 'static,
) -> Peer {
    let encode: Work = Box::new(move |values, bytes| {
        let mut at = 0;
        for &value in bytemuck::cast_slice::<u8, T>(values) {
            let (encoded, length) = encode(value);
            at = put(&encoded, length.into(), bytes, at);
        }
        at
    });
    let decode: Work = Box::new(move |mut bytes, values| {
        for value in bytemuck::cast_slice_mut::<u8, T>(values) {
            let (decoded, length) = decode(bytes);
            *value = decoded;
            bytes = &bytes[usize::from(length as u8)..];
        }
        values.len()
    });
    Peer::new("varint-simd", encode, decode)
}

pub fn signed<T: Number + SignedVarIntTarget + VarInt>(
    _values: usize,
) -> anyhow::Result<Vec<Peer>> {
    let decode = |bytes: &[u8]| varint_simd::decode_zigzag::<T>(bytes).expect("a varint");
    let simd = simd(varint_simd::encode_zigzag::<T>, decode);
    Ok(vec![
        simd,
        integer_encoding::<T>(),
        apache_compact::<T>(),
        pilota_compact::<T>(),
    ])
}

/// Stores a varint: all 16 bytes that the library returns if there is room, as it recommends.
#[inline(always)]
fn put(encoded: &[u8; 16], length: usize, bytes: &mut [u8], at: usize) -> usize {
    match bytes.get_mut(at..at + 16) {
        Some(room) => room.copy_from_slice(encoded),
        None => bytes[at..at + length].copy_from_slice(&encoded[..length]),
    }
    at + length
}

fn integer_encoding<T: VarInt + Pod>() -> Peer {
    let encode: Work = Box::new(|values, bytes| {
        let mut at = 0;
        for &value in bytemuck::cast_slice::<u8, T>(values) {
            at += value.encode_var(&mut bytes[at..]);
        }
        at
    });
    let decode: Work = Box::new(|mut bytes, values| {
        for value in bytemuck::cast_slice_mut::<u8, T>(values) {
            let (decoded, length) = T::decode_var(bytes).expect("a varint");
            *value = decoded;
            bytes = &bytes[length..];
        }
        values.len()
    });
    Peer::new("integer-encoding", encode, decode)
}

fn apache_compact<T: Number>() -> Peer {
    let mut buffer = Vec::new();
    let encode: Work = Box::new(move |values, bytes| {
        buffer.clear();
        let mut protocol = apache::TCompactOutputProtocol::new(&mut buffer);
        for &value in bytemuck::cast_slice::<u8, T>(values) {
            value.write_apache(&mut protocol).expect("room for all");
        }
        drop(protocol);
        show(&buffer, bytes)
    });
    let decode: Work = Box::new(|bytes, values| {
        let mut protocol = apache::TCompactInputProtocol::new(bytes);
        for value in bytemuck::cast_slice_mut::<u8, T>(values) {
            *value = T::read_apache(&mut protocol).expect("as many values as were written");
        }
        values.len()
    });
    Peer::new("thrift", encode, decode)
}

fn pilota_compact<T: Number>() -> Peer {
    let mut buffer = BytesMut::new();
    let encode: Work = Box::new(move |values, bytes| {
        buffer.clear();
        buffer.reserve(bytes.len());
        let mut protocol = TCompactOutputProtocol::new(&mut buffer, false);
        for &value in bytemuck::cast_slice::<u8, T>(values) {
            value.write_pilota(&mut protocol);
        }
        drop(protocol);
        show(&buffer, bytes)
    });
    let mut received = Received::default();
    let decode: Work = Box::new(move |bytes, values| {
        let mut source = received.of(bytes);
        let mut protocol = TCompactInputProtocol::new(&mut source);
        for value in bytemuck::cast_slice_mut::<u8, T>(values) {
            *value = T::read_pilota(&mut protocol);
        }
        values.len()
    });
    Peer::new("pilota", encode, decode)
}

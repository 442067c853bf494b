//! The crates `thrift` and `pilota`: the values of a list in the Binary protocol.

use super::ours::Calls;
use super::{Comparison, Peer, Peers, Received, Work, show};
use bytemuck::Pod;
use bytes::BytesMut;
use pilota::thrift::binary::TBinaryProtocol;
use pilota::thrift::binary_unsafe::{TBinaryUnsafeInputProtocol, TBinaryUnsafeOutputProtocol};
use thrift::protocol::{
    TBinaryInputProtocol, TBinaryOutputProtocol, TInputProtocol as ApacheInput,
    TOutputProtocol as ApacheOutput,
};

pub const fn comparison(
    specification: &'static str,
    peers: Peers,
    ours: fn() -> Calls,
) -> Comparison {
    Comparison {
        specification,
        data: &["random"],
        values: &[16, 100, 1000, 12_345, 100_000],
        varied: false,
        ours: Some(ours),
        peers,
    }
}

/// Number type that both crates support.
pub trait Number: Pod {
    fn write_apache(self, to: &mut impl ApacheOutput) -> thrift::Result<()>;
    fn read_apache(from: &mut impl ApacheInput) -> thrift::Result<Self>;
    fn write_pilota(self, to: &mut impl pilota::thrift::TOutputProtocol);
    fn read_pilota(from: &mut impl pilota::thrift::TInputProtocol) -> Self;
}

macro_rules! numbers {
    ($($T:ty: $write:ident $read:ident;)*) => { $(
        impl Number for $T {
            #[inline]
            fn write_apache(self, to: &mut impl ApacheOutput) -> thrift::Result<()> {
                to.$write(self)
            }
            #[inline]
            fn read_apache(from: &mut impl ApacheInput) -> thrift::Result<Self> {
                from.$read()
            }
            #[inline]
            fn write_pilota(self, to: &mut impl pilota::thrift::TOutputProtocol) {
                to.$write(self).expect("memory takes everything");
            }
            #[inline]
            fn read_pilota(from: &mut impl pilota::thrift::TInputProtocol) -> Self {
                from.$read().expect("as many values as were written")
            }
        }
    )* };
}
numbers! {
    i16: write_i16 read_i16;
    i32: write_i32 read_i32;
    i64: write_i64 read_i64;
}

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

//! Row of `varint`.

use crate::number_stream::write_numbers;
use crate::numbers::{Number, NumberCodec};
use crate::stream::{Io, StreamError};
use crate::{Entry, Experiment, Length, Parameter};
use bytelane::Detected;
use bytelane::varint::{self, Error, ErrorKind, Integer};
use std::io::Read;
use std::marker::PhantomData;

pub(crate) const ENTRY: Entry = Entry {
    name: "varint",
    summary: "LEB128 integers, as in Thrift's Compact protocol and protobuf's packed fields",
    parameters: &[Parameter {
        name: "type",
        default: None,
        help: "u32 or u64; i32 or i64 for integers with zigzag",
    }],
    open: |parameters| {
        let kind = parameters.get("type", |kind: &String| {
            ["u32", "u64", "i32", "i64"].contains(&kind.as_str())
        })?;
        Ok(match kind.as_str() {
            "u32" => Box::new(Varint::<u32>(PhantomData)),
            "u64" => Box::new(Varint::<u64>(PhantomData)),
            "i32" => Box::new(Varint::<i32>(PhantomData)),
            _ => Box::new(Varint::<i64>(PhantomData)),
        })
    },
    cases: &["type=u32", "type=u64", "type=i32", "type=i64"],
    experiments: &[Experiment {
        title: "Lists of 100, 12,345 and a million integers",
        cases: &["type=i32", "type=u64"],
        data: &["one_byte", "two_bytes", "mixed_widths", "random"],
        values: &[100, 12_345, 1_000_000],
        evicted: false,
    }],
    #[cfg(feature = "plain")]
    plain: Some(crate::plain::varint::open),
};

struct Varint<T>(PhantomData<T>);

impl<T: Integer + Number> NumberCodec for Varint<T> {
    type Number = T;

    fn data(&self) -> &'static [&'static str] {
        &[
            "all_widths",
            "mixed_widths",
            "two_bytes",
            "one_byte",
            "random",
        ]
    }

    fn max_encoded_len(&self, count: usize) -> usize {
        varint::max_encoded_len::<T>(count)
    }

    fn max_count(&self, encoded: usize) -> usize {
        encoded
    }

    fn encode(&self, backend: Detected, numbers: &[T], to: &mut [u8]) -> Length {
        Ok(varint::encode_with(backend, numbers, to)?.len())
    }

    fn decode(&self, backend: Detected, from: &[u8], to: &mut [T]) -> Length {
        Ok(varint::decode_with(backend, from, to)?.1)
    }

    fn piece(&self) -> Option<usize> {
        Some(1 << 16)
    }

    /// Decodes piece by piece; a varint that continues in the next piece waits for it.
    fn decode_stream(&self, backend: Detected, io: Io<'_>) -> Result<(), StreamError> {
        let (mut pending, mut offset) = (Vec::new(), 0);
        let mut numbers = Vec::new();
        let failed = |error: Error, offset| StreamError::Codec(error.behind(offset).into());
        loop {
            let piece = (&mut *io.input).take(1 << 16).read_to_end(&mut pending);
            let is_last = piece.map_err(StreamError::Read)? == 0;
            numbers.resize(varint::count(&pending), T::zeroed());
            let read = varint::decode_with(backend, &pending, &mut numbers[..]);
            let (_, read) = read.map_err(|error| failed(error, offset))?;
            write_numbers(io.output, &mut numbers)?;
            pending.drain(..read);
            offset += read;
            // The remaining bytes contain no end, or none yet.
            match varint::read::<T>(&pending) {
                Err(error) if error.kind() == ErrorKind::Truncated && !is_last => {}
                _ if pending.is_empty() => return Ok(()),
                Err(error) => return Err(failed(error, offset)),
                Ok(_) => {}
            }
        }
    }
}

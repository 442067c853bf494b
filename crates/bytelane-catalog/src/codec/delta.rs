//! Row of `delta`.

use crate::number_stream;
use crate::numbers::{Number, NumberCodec};
use crate::stream::{Io, StreamError};
use crate::{Entry, Experiment, Length, Parameter};
use bytelane::Detected;
use bytelane::delta::{self, Format, Integer};
use std::marker::PhantomData;

pub(crate) const ENTRY: Entry = Entry {
    name: "delta",
    summary: "differences of integers, bit-packed: Parquet's DELTA_BINARY_PACKED",
    parameters: &[
        Parameter {
            name: "type",
            default: None,
            help: "i32 or i64",
        },
        Parameter {
            name: "block_values",
            default: Some("128"),
            help: "values per block when encoding: a multiple of 128",
        },
        Parameter {
            name: "miniblocks",
            default: Some("4"),
            help: "parts of a block, each with a width of its own and a multiple of 32 values",
        },
    ],
    open: |parameters| {
        let kind: String = parameters.get("type", |kind: &String| {
            ["i32", "i64"].contains(&kind.as_str())
        })?;
        let block = parameters.get("block_values", |&block: &u32| {
            Format::new(block, 1).is_some()
        })?;
        let miniblocks = parameters.get("miniblocks", |&miniblocks: &u32| {
            Format::new(block, miniblocks).is_some()
        })?;
        let format = Format::new(block, miniblocks).expect("it was accepted");
        Ok(match kind.as_str() {
            "i32" => Box::new(Delta::<i32>(format, PhantomData)),
            _ => Box::new(Delta::<i64>(format, PhantomData)),
        })
    },
    cases: &[
        "type=i32",
        "type=i64",
        "type=i32,block_values=1024,miniblocks=2",
        "type=i64,block_values=256,miniblocks=8",
    ],
    experiments: &[Experiment {
        title: "Ascending ids and integers of 20 bits as differences",
        cases: &["type=i32", "type=i64"],
        data: &["gaps", "bits_20"],
        values: &[128, 4096, 100_000],
        evicted: false,
    }],
    #[cfg(feature = "plain")]
    plain: Some(crate::plain::delta::open),
};

struct Delta<T>(Format, PhantomData<T>);

impl<T: Integer + Number> NumberCodec for Delta<T> {
    type Number = T;

    fn data(&self) -> &'static [&'static str] {
        &["gaps", "bits_20", "all_widths", "random"]
    }

    fn max_encoded_len(&self, count: usize) -> usize {
        self.0.max_encoded_len::<T>(count)
    }

    fn max_count(&self, encoded: usize) -> usize {
        encoded.saturating_mul(32)
    }

    fn encode(&self, backend: Detected, numbers: &[T], to: &mut [u8]) -> Length {
        Ok(self.0.encode_with(backend, numbers, to)?.len())
    }

    fn decode(&self, backend: Detected, from: &[u8], to: &mut [T]) -> Length {
        Ok(delta::decode_with(backend, from, to)?.1)
    }

    /// `None`: the number of values comes first.
    fn piece(&self) -> Option<usize> {
        None
    }

    fn decode_stream(&self, backend: Detected, io: Io<'_>) -> Result<(), StreamError> {
        let check = |encoded: &[u8]| Ok(delta::validate::<T>(encoded)?);
        number_stream::decode_whole(self, backend, check, io)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytelane::Backend;

    #[test]
    fn a_short_stream_cannot_ask_for_any_amount_of_memory() {
        let codec = ENTRY.open("type=i64").unwrap();
        // Blocks of 2^30 values in one miniblock of 0 bits, and a count of 2^35.
        let mut stream = vec![
            0x80, 0x80, 0x80, 0x80, 0x04, 1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 0,
        ];
        stream.extend([0, 0].repeat(32));
        let mut output = Vec::new();
        let decoded = codec.decode_stream(Backend::Scalar, &mut &stream[..], &mut output);
        let error = decoded.unwrap_err().to_string();
        assert!(error.contains("34359738368 values"), "{error}");
        assert!(output.is_empty());
    }
}

//! Row of `delta`.

use crate::stream::{self, StreamError};
use crate::varint::{in_order, to_little_endian};
use crate::{Codec, Decoded, Entry, Experiment, Failure, Parameter, numbers, numbers_mut};
use bytelane::delta::{self, Format, Integer};
use bytelane::{Backend, Detected};
use bytemuck::Pod;
use std::io::{Read, Write};
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
            "i32" => Box::new(Delta::<i32>::new("i32", format)),
            _ => Box::new(Delta::<i64>::new("i64", format)),
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

struct Delta<T> {
    element: &'static str,
    format: Format,
    of: PhantomData<T>,
}

impl<T> Delta<T> {
    fn new(element: &'static str, format: Format) -> Self {
        Self {
            element,
            format,
            of: PhantomData,
        }
    }
}

impl<T: Integer + Pod> Codec for Delta<T> {
    fn element(&self) -> String {
        self.element.to_owned()
    }

    fn width(&self) -> usize {
        size_of::<T>()
    }

    fn data(&self) -> &'static [&'static str] {
        &["gaps", "bits_20", "all_widths", "random"]
    }

    fn max_encoded_len(&self, values: usize) -> usize {
        self.format.max_encoded_len::<T>(values / size_of::<T>())
    }

    fn max_decoded_len(&self, encoded: usize) -> usize {
        encoded.saturating_mul(32 * size_of::<T>())
    }

    fn encode(
        &self,
        backend: Backend,
        values: &[u8],
        encoded: &mut [u8],
    ) -> Result<usize, Failure> {
        let values = in_order(numbers::<T>(values)?);
        let backend = Detected::new(backend)?;
        Ok(self.format.encode_with(backend, &values, encoded)?.len())
    }

    fn decode(
        &self,
        backend: Backend,
        encoded: &[u8],
        values: &mut [u8],
    ) -> Result<Decoded, Failure> {
        let backend = Detected::new(backend)?;
        let (_, read) = delta::decode_with(backend, encoded, numbers_mut::<T>(values)?)?;
        to_little_endian::<T>(values);
        Ok(Decoded {
            read,
            written: values.len(),
        })
    }

    /// `None`: the number of values comes first.
    fn piece(&self) -> Option<usize> {
        None
    }

    fn decode_stream(
        &self,
        backend: Backend,
        input: &mut dyn Read,
        output: &mut dyn Write,
    ) -> Result<(), StreamError> {
        let check = |encoded: &[u8]| Ok(delta::validate::<T>(encoded)?);
        stream::decode_whole(self, backend, check, input, output)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

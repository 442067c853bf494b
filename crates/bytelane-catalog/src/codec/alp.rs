//! Row of `alp`.

use crate::number_stream;
use crate::numbers::{Number, NumberCodec};
use crate::stream::{Io, StreamError};
use crate::{Entry, Experiment, Length, Parameter};
use bytelane::Detected;
use bytelane::alp::{self, Float, Format};
use std::marker::PhantomData;

pub(crate) const ENTRY: Entry = Entry {
    name: "alp",
    summary: "floating-point numbers as decimal integers, bit-packed: Parquet's ALP",
    parameters: &[
        Parameter {
            name: "type",
            default: None,
            help: "f32 or f64",
        },
        Parameter {
            name: "vector",
            default: Some("1024"),
            help: "values per vector when encoding: a power of two from 8 to 32768",
        },
    ],
    open: |parameters| {
        let kind: String = parameters.get("type", |kind: &String| {
            ["f32", "f64"].contains(&kind.as_str())
        })?;
        let vector = parameters.get("vector", |&vector: &usize| Format::new(vector).is_some())?;
        let format = Format::new(vector).expect("it was accepted");
        Ok(match kind.as_str() {
            "f32" => Box::new(Alp::<f32>(format, PhantomData)),
            _ => Box::new(Alp::<f64>(format, PhantomData)),
        })
    },
    cases: &[
        "type=f32",
        "type=f64",
        "type=f32,vector=64",
        "type=f64,vector=8",
    ],
    experiments: &[Experiment {
        title: "Decimal numbers as integers",
        cases: &["type=f64", "type=f32"],
        data: &["prices", "nearly_decimals", "random"],
        values: &[1024, 32_768, 131_072],
        evicted: false,
    }],
    #[cfg(feature = "plain")]
    plain: Some(crate::plain::alp::open),
};

/// Minimum number of bytes of a vector, with its offset.
const LEAST_VECTOR: usize = 13;

struct Alp<T>(Format, PhantomData<T>);

impl<T: Float + Number> NumberCodec for Alp<T> {
    type Number = T;

    fn data(&self) -> &'static [&'static str] {
        &["prices", "nearly_decimals", "smooth", "random"]
    }

    fn max_encoded_len(&self, count: usize) -> usize {
        self.0.max_encoded_len::<T>(count)
    }

    /// The bound holds for pages with vectors of this size.
    fn max_count(&self, encoded: usize) -> usize {
        (encoded / LEAST_VECTOR).saturating_mul(self.0.vector_len())
    }

    fn encode(&self, backend: Detected, numbers: &[T], to: &mut [u8]) -> Length {
        Ok(self.0.encode_with(backend, numbers, to)?.len())
    }

    fn decode(&self, backend: Detected, from: &[u8], to: &mut [T]) -> Length {
        Ok(alp::decode_with(backend, from, to)?.1)
    }

    /// `None`: the number of values comes first.
    fn piece(&self) -> Option<usize> {
        None
    }

    fn decode_stream(&self, backend: Detected, io: Io<'_>) -> Result<(), StreamError> {
        let check = |encoded: &[u8]| {
            let (count, length) = alp::validate::<T>(encoded)?;
            Ok((count as u64, length))
        };
        number_stream::decode_whole(self, backend, check, io)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytelane::Backend;

    #[test]
    fn a_short_page_cannot_ask_for_any_amount_of_memory() {
        // 2^31 - 1 values in vectors of 2^15 zeros.
        let vectors = 1u32 << 16;
        let mut page = vec![0, 0, 15, 0xff, 0xff, 0xff, 0x7f];
        for vector in 0..vectors {
            page.extend((4 * vectors + 13 * vector).to_le_bytes());
        }
        page.extend([0; 13].repeat(vectors as usize));
        let codec = ENTRY.open("type=f64").unwrap();
        let mut output = Vec::new();
        let decoded = codec.decode_stream(Backend::Scalar, &mut &page[..], &mut output);
        let error = decoded.unwrap_err().to_string();
        assert!(error.contains("2147483647 values"), "{error}");
        assert!(output.is_empty());
    }
}

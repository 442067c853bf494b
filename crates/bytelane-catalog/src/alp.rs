//! Row of `alp`.

use crate::stream::{self, StreamError};
use crate::varint::{in_order, to_little_endian};
use crate::{Codec, Decoded, Entry, Experiment, Failure, Parameter, numbers, numbers_mut};
use bytelane::alp::{self, Float, Format};
use bytelane::{Backend, Detected};
use bytemuck::Pod;
use std::io::{Read, Write};
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
            "f32" => Box::new(Alp::<f32>::new("f32", format)),
            _ => Box::new(Alp::<f64>::new("f64", format)),
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

struct Alp<T> {
    element: &'static str,
    format: Format,
    of: PhantomData<T>,
}

impl<T> Alp<T> {
    fn new(element: &'static str, format: Format) -> Self {
        Self {
            element,
            format,
            of: PhantomData,
        }
    }
}

impl<T: Float + Pod> Codec for Alp<T> {
    fn element(&self) -> String {
        self.element.to_owned()
    }

    fn width(&self) -> usize {
        size_of::<T>()
    }

    fn data(&self) -> &'static [&'static str] {
        &["prices", "nearly_decimals", "smooth", "random"]
    }

    fn max_encoded_len(&self, values: usize) -> usize {
        self.format.max_encoded_len::<T>(values / size_of::<T>())
    }

    /// The bound holds for pages with vectors of this size.
    fn max_decoded_len(&self, encoded: usize) -> usize {
        let vectors = encoded / LEAST_VECTOR;
        vectors.saturating_mul(self.format.vector_len() * size_of::<T>())
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
        let (_, read) = alp::decode_with(backend, encoded, numbers_mut::<T>(values)?)?;
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
        let check = |encoded: &[u8]| {
            let (count, length) = alp::validate::<T>(encoded)?;
            Ok((count as u64, length))
        };
        stream::decode_whole(self, backend, check, input, output)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

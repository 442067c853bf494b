//! Row of `varint`.

use crate::stream::{AlignedBytes, StreamError};
use crate::{Codec, Decoded, Entry, Experiment, Failure, Parameter, numbers, numbers_mut};
use bytelane::varint::{self, Error, ErrorKind, Integer};
use bytelane::{Backend, Detected};
use bytemuck::Pod;
use std::io::{Read, Write};

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
            "u32" => Box::new(Varint::<u32>::new("u32")),
            "u64" => Box::new(Varint::<u64>::new("u64")),
            "i32" => Box::new(Varint::<i32>::new("i32")),
            _ => Box::new(Varint::<i64>::new("i64")),
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

struct Varint<T> {
    element: &'static str,
    of: std::marker::PhantomData<T>,
}

impl<T> Varint<T> {
    fn new(element: &'static str) -> Self {
        Self {
            element,
            of: std::marker::PhantomData,
        }
    }
}

impl<T: Integer + Pod> Codec for Varint<T> {
    fn element(&self) -> String {
        self.element.to_owned()
    }

    fn width(&self) -> usize {
        size_of::<T>()
    }

    fn data(&self) -> &'static [&'static str] {
        &[
            "all_widths",
            "mixed_widths",
            "two_bytes",
            "one_byte",
            "random",
        ]
    }

    fn max_encoded_len(&self, values: usize) -> usize {
        varint::max_encoded_len::<T>(values / size_of::<T>())
    }

    fn max_decoded_len(&self, encoded: usize) -> usize {
        encoded.saturating_mul(size_of::<T>())
    }

    fn encode(
        &self,
        backend: Backend,
        values: &[u8],
        encoded: &mut [u8],
    ) -> Result<usize, Failure> {
        let values = in_order(numbers::<T>(values)?);
        let backend = Detected::new(backend)?;
        Ok(varint::encode_with(backend, &values, encoded)?.len())
    }

    fn decode(
        &self,
        backend: Backend,
        encoded: &[u8],
        values: &mut [u8],
    ) -> Result<Decoded, Failure> {
        let backend = Detected::new(backend)?;
        let (_, read) = varint::decode_with(backend, encoded, numbers_mut::<T>(values)?)?;
        to_little_endian::<T>(values);
        Ok(Decoded {
            read,
            written: values.len(),
        })
    }

    fn piece(&self) -> Option<usize> {
        Some(1 << 16)
    }

    /// Decodes piece by piece; a varint that continues in the next piece waits for it.
    fn decode_stream(
        &self,
        backend: Backend,
        input: &mut dyn Read,
        output: &mut dyn Write,
    ) -> Result<(), StreamError> {
        let backend = Detected::new(backend).map_err(Failure::from)?;
        let (mut pending, mut offset) = (Vec::new(), 0);
        let mut values = AlignedBytes::default();
        let failed = |error: Error, offset| StreamError::Codec(error.behind(offset).into());
        loop {
            let piece = (&mut *input).take(1 << 16).read_to_end(&mut pending);
            let is_last = piece.map_err(StreamError::Read)? == 0;
            let count = varint::count(&pending);
            values.resize(count * size_of::<T>());
            let numbers = numbers_mut::<T>(&mut values)?;
            let read = varint::decode_with(backend, &pending, numbers);
            let (_, read) = read.map_err(|error| failed(error, offset))?;
            to_little_endian::<T>(&mut values);
            output.write_all(&values).map_err(StreamError::Write)?;
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

/// Converts values to little-endian, which is used here on every machine; the codec works on the
/// machine's own numbers.
pub(crate) fn in_order<T: Pod>(values: &[T]) -> std::borrow::Cow<'_, [T]> {
    if cfg!(target_endian = "little") {
        return values.into();
    }
    let mut values = values.to_vec();
    to_little_endian::<T>(bytemuck::cast_slice_mut(&mut values));
    values.into()
}

/// Converts from the machine's byte order to little-endian or back, which is the same operation.
pub(crate) fn to_little_endian<T>(bytes: &mut [u8]) {
    if cfg!(target_endian = "big") {
        bytes
            .chunks_exact_mut(size_of::<T>())
            .for_each(<[u8]>::reverse);
    }
}

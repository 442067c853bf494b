//! Codecs of numbers in memory, as codecs of their little-endian bytes.

use crate::stream::{self, Io, StreamError};
use crate::{Codec, Decoded, Failure, Length};
use bytelane::{Backend, Detected, LengthErrorKind};
use bytemuck::Pod;
use std::borrow::Cow;
use std::io::{Read, Write};

/// A type of numbers, with the name that the data generators give it.
pub(crate) trait Number: Pod + Send + Sync {
    const NAME: &'static str;
}

macro_rules! number {
    ($($T:ident)*) => {$(
        impl Number for $T {
            const NAME: &'static str = stringify!($T);
        }
    )*};
}
number!(u8 u16 u32 u64 i32 i64 f32 f64);

/// A codec of numbers in this machine's byte order. It is a [`Codec`]: of their little-endian bytes.
pub(crate) trait NumberCodec: Send + Sync {
    type Number: Number;

    /// Same as [`Codec::element`].
    fn element(&self) -> String {
        Self::Number::NAME.to_owned()
    }

    /// Same as [`Codec::data`].
    fn data(&self) -> &'static [&'static str];

    /// Returns the maximum encoded length of `count` numbers.
    fn max_encoded_len(&self, count: usize) -> usize;

    /// Returns the maximum number of numbers that `encoded` bytes can contain.
    fn max_count(&self, encoded: usize) -> usize;

    /// Encodes all numbers to the front of `to`. Returns the length of the result.
    fn encode(&self, backend: Detected, numbers: &[Self::Number], to: &mut [u8]) -> Length;

    /// Decodes numbers, which fill `to`. Returns the number of bytes read.
    fn decode(&self, backend: Detected, from: &[u8], to: &mut [Self::Number]) -> Length;

    /// Same as [`Codec::piece`].
    fn piece(&self) -> Option<usize>;

    /// Same as [`Codec::encode_stream`].
    fn encode_stream(&self, backend: Detected, io: Io<'_>) -> Result<(), StreamError> {
        stream::encode_pieces(io, self.piece(), |values, encoded| {
            let numbers = in_order(numbers(values)?);
            encoded.resize(self.max_encoded_len(numbers.len()), 0);
            self.encode(backend, &numbers, encoded)
        })
    }

    /// Same as [`Codec::decode_stream`].
    fn decode_stream(&self, backend: Detected, io: Io<'_>) -> Result<(), StreamError>;
}

impl<C: NumberCodec> Codec for C {
    fn element(&self) -> String {
        NumberCodec::element(self)
    }

    fn width(&self) -> usize {
        size_of::<C::Number>()
    }

    fn data(&self) -> &'static [&'static str] {
        NumberCodec::data(self)
    }

    fn max_encoded_len(&self, values: usize) -> usize {
        NumberCodec::max_encoded_len(self, values / self.width())
    }

    fn max_decoded_len(&self, encoded: usize) -> usize {
        self.max_count(encoded).saturating_mul(self.width())
    }

    fn encode(&self, backend: Backend, values: &[u8], to: &mut [u8]) -> Length {
        let numbers = in_order(numbers(values)?);
        NumberCodec::encode(self, Detected::new(backend)?, &numbers, to)
    }

    fn decode(&self, backend: Backend, from: &[u8], to: &mut [u8]) -> Result<Decoded, Failure> {
        let read = NumberCodec::decode(self, Detected::new(backend)?, from, numbers_mut(to)?)?;
        to_little_endian::<C::Number>(to);
        let written = to.len();
        Ok(Decoded { read, written })
    }

    fn piece(&self) -> Option<usize> {
        NumberCodec::piece(self)
    }

    fn encode_stream(
        &self,
        backend: Backend,
        input: &mut dyn Read,
        output: &mut dyn Write,
    ) -> Result<(), StreamError> {
        let backend = Detected::new(backend).map_err(Failure::from)?;
        NumberCodec::encode_stream(self, backend, Io { input, output })
    }

    fn decode_stream(
        &self,
        backend: Backend,
        input: &mut dyn Read,
        output: &mut dyn Write,
    ) -> Result<(), StreamError> {
        let backend = Detected::new(backend).map_err(Failure::from)?;
        NumberCodec::decode_stream(self, backend, Io { input, output })
    }
}

/// Views bytes as numbers, in this machine's byte order.
pub(crate) fn numbers<T: Pod>(bytes: &[u8]) -> Result<&[T], Failure> {
    // An empty `Vec` has no memory that could be aligned.
    if bytes.is_empty() {
        return Ok(&[]);
    }
    whole::<T>(bytes.len()).map_err(|error| error.to_string())?;
    bytemuck::try_cast_slice(bytes).map_err(|error| format!("numbers: {error}").into())
}

/// Views bytes as numbers, for writing.
pub(crate) fn numbers_mut<T: Pod>(bytes: &mut [u8]) -> Result<&mut [T], Failure> {
    if bytes.is_empty() {
        return Ok(&mut []);
    }
    whole::<T>(bytes.len()).map_err(|error| error.to_string())?;
    bytemuck::try_cast_slice_mut(bytes).map_err(|error| format!("numbers: {error}").into())
}

/// Rejects a length that is not a multiple of the size of a number.
fn whole<T>(bytes: usize) -> Result<(), LengthErrorKind> {
    let width = size_of::<T>();
    match bytes % width {
        0 => Ok(()),
        _ => Err(LengthErrorKind::Indivisible { bytes, width }),
    }
}

/// Converts values to little-endian, which is used here on every machine; the codec works on the
/// machine's own numbers.
pub(crate) fn in_order<T: Pod>(values: &[T]) -> Cow<'_, [T]> {
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

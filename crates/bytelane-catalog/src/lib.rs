//! The one list of bytelane's codecs, each behind one interface from bytes to bytes.
//!
//! [`CODECS`] is what the command, the benchmarks, the oracle sweep and the fuzzers iterate: a row
//! added there is a codec added everywhere. [`open`] reads a specification such as
//! `byte_stream_split:width=8`.
//!
//! ```
//! use bytelane::Backend;
//!
//! let codec = bytelane_catalog::open("byte_stream_split:width=2")?;
//! let mut encoded = vec![0; codec.max_encoded_len(6)];
//! let length = codec.encode(Backend::active(), b"a1b2c3", &mut encoded)?;
//! assert_eq!(&encoded[..length], b"abc123");
//! # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
//! ```

mod base64;
mod big_endian;
mod byte_stream_split;
mod json_string;
mod specification;
pub mod stream;
mod stream_vbyte;
mod varint;

pub use specification::{Parameter, Parameters, SpecificationError};

use bytelane::{Backend, LengthErrorKind};
use bytemuck::Pod;
use std::io::{Read, Write};
use stream::{AlignedBytes, StreamError};

/// Every codec there is.
pub static CODECS: &[Entry] = &[
    byte_stream_split::ENTRY,
    big_endian::ENTRY,
    base64::ENTRY,
    json_string::ENTRY,
    stream_vbyte::ENTRY,
    varint::ENTRY,
];

/// A codec of the list.
#[derive(Debug)]
pub struct Entry {
    /// Its name in specifications: `byte_stream_split`.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// What a specification may say after the name.
    pub parameters: &'static [Parameter],
    /// Makes the codec of a specification's parameters.
    pub open: fn(&Parameters<'_>) -> Result<Box<dyn Codec>, SpecificationError>,
    /// Parameters that together reach every path of the codec: tests and fuzzers take each.
    pub cases: &'static [&'static str],
    /// What the benchmark measures when it is not told otherwise.
    pub experiments: &'static [Experiment],
}

impl Entry {
    /// The codec for parameters such as `width=8`; empty for all the defaults.
    ///
    /// # Errors
    ///
    /// [`SpecificationError`] for a parameter that it does not have or a value that does not fit.
    pub fn open(&self, parameters: &str) -> Result<Box<dyn Codec>, SpecificationError> {
        (self.open)(&Parameters::read(self, parameters)?)
    }
}

/// Measurements that belong together.
#[derive(Debug)]
pub struct Experiment {
    /// What it shows.
    pub title: &'static str,
    /// The parameters of the codec, one measurement each.
    pub cases: &'static [&'static str],
    /// Names of data sets.
    pub data: &'static [&'static str],
    /// Numbers of values.
    pub values: &'static [usize],
    /// Whether input and output are evicted from the caches before each call.
    pub evicted: bool,
}

/// Why a codec refused: a message that names the place.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// What a decoder did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decoded {
    /// Encoded bytes read.
    pub read: usize,
    /// Bytes of values written.
    pub written: usize,
}

/// One codec with its parameters fixed.
///
/// Values are the bytes of little-endian numbers, or of text. Where they are numbers, the buffer
/// that holds them is aligned to [`width`](Self::width), up to 8.
pub trait Codec: Send + Sync {
    /// The type of one value as the data generators name it: `f32`, `u8`, `fixed12`.
    fn element(&self) -> String;

    /// Bytes in a value.
    fn width(&self) -> usize;

    /// Names of the data sets that show how the codec behaves, most typical first.
    fn data(&self) -> &'static [&'static str];

    /// The most bytes that `values` bytes of values can become.
    fn max_encoded_len(&self, values: usize) -> usize;

    /// The most bytes of values that `encoded` bytes can become.
    fn max_decoded_len(&self, encoded: usize) -> usize;

    /// Encodes all values to the front of `encoded` and returns the length of the result, which is
    /// all the room that it needs.
    ///
    /// # Errors
    ///
    /// Values that the codec does not take, a destination too short, a backend not available.
    fn encode(&self, backend: Backend, values: &[u8], encoded: &mut [u8])
    -> Result<usize, Failure>;

    /// Decodes. Codecs whose format does not say how many values there are fill `values`; the
    /// others write as many as there are.
    ///
    /// # Errors
    ///
    /// Malformed input, a destination that does not fit, a backend not available.
    fn decode(
        &self,
        backend: Backend,
        encoded: &[u8],
        values: &mut [u8],
    ) -> Result<Decoded, Failure>;

    /// Bytes of values that a stream encodes at a time, which bounds its memory; `None` if the
    /// codec needs them all at once, or has streams of its own.
    fn piece(&self) -> Option<usize>;

    /// Encodes from a reader to a writer. As it stands it is for formats whose
    /// [pieces](Self::piece) can be encoded by themselves and concatenated.
    ///
    /// # Errors
    ///
    /// [`StreamError`]: reading, writing or encoding, with the place in the input.
    fn encode_stream(
        &self,
        backend: Backend,
        input: &mut dyn Read,
        output: &mut dyn Write,
    ) -> Result<(), StreamError> {
        let mut encoded = Vec::new();
        stream::pieces(input, self.piece(), |values| {
            encoded.resize(self.max_encoded_len(values.len()), 0);
            let length = self.encode(backend, values, &mut encoded)?;
            output
                .write_all(&encoded[..length])
                .map_err(StreamError::Write)
        })
    }

    /// Decodes from a reader to a writer. As it stands it is for formats in which a piece has as
    /// many encoded bytes as it has bytes of values.
    ///
    /// # Errors
    ///
    /// [`StreamError`]: reading, writing or decoding, with the place in the input.
    fn decode_stream(
        &self,
        backend: Backend,
        input: &mut dyn Read,
        output: &mut dyn Write,
    ) -> Result<(), StreamError> {
        let mut values = AlignedBytes::default();
        stream::pieces(input, self.piece(), |encoded| {
            values.resize(encoded.len());
            let decoded = self.decode(backend, encoded, &mut values)?;
            output
                .write_all(&values[..decoded.written])
                .map_err(StreamError::Write)
        })
    }
}

/// The numbers that bytes are, in this machine's order.
pub(crate) fn numbers<T: Pod>(bytes: &[u8]) -> Result<&[T], Failure> {
    // An empty `Vec` has no place in memory that could be aligned.
    if bytes.is_empty() {
        return Ok(&[]);
    }
    whole::<T>(bytes.len()).map_err(|error| error.to_string())?;
    bytemuck::try_cast_slice(bytes).map_err(|error| format!("numbers: {error}").into())
}

/// The numbers that bytes are, to write to.
pub(crate) fn numbers_mut<T: Pod>(bytes: &mut [u8]) -> Result<&mut [T], Failure> {
    if bytes.is_empty() {
        return Ok(&mut []);
    }
    whole::<T>(bytes.len()).map_err(|error| error.to_string())?;
    bytemuck::try_cast_slice_mut(bytes).map_err(|error| format!("numbers: {error}").into())
}

/// Refuses a length that is not a whole number of numbers.
fn whole<T>(bytes: usize) -> Result<(), LengthErrorKind> {
    let width = size_of::<T>();
    match bytes % width {
        0 => Ok(()),
        _ => Err(LengthErrorKind::Indivisible { bytes, width }),
    }
}

/// The codec of a specification: a name, and after a colon parameters separated by commas.
///
/// # Errors
///
/// [`SpecificationError`] with what there is instead.
pub fn open(specification: &str) -> Result<Box<dyn Codec>, SpecificationError> {
    let (name, parameters) = specification.split_once(':').unwrap_or((specification, ""));
    find(name)?.open(parameters)
}

/// The row of a codec by its name.
///
/// # Errors
///
/// [`SpecificationError::Codec`].
pub fn find(name: &str) -> Result<&'static Entry, SpecificationError> {
    let named = |entry: &&Entry| entry.name == name;
    CODECS
        .iter()
        .find(named)
        .ok_or_else(|| SpecificationError::Codec(name.to_owned()))
}

//! The single list of bytelane's codecs, all with one interface from bytes to bytes.
//!
//! The command, the benchmarks, the oracle sweep and the fuzzers iterate over [`CODECS`]: add a row
//! there to add a codec everywhere. [`open`] parses a specification such as
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

mod codec;
mod number_stream;
mod numbers;
#[cfg(feature = "plain")]
pub mod plain;
mod result;
mod specification;
pub mod stream;

pub use codec::{CODECS, validity};
pub use result::{Decoded, Failure, Length};
pub use specification::{Parameter, Parameters, SpecificationError};

use bytelane::Backend;
use std::io::{Read, Write};
use stream::{AlignedBytes, Io, StreamError};

/// A codec of the list.
#[derive(Debug)]
pub struct Entry {
    /// Name in specifications: `byte_stream_split`.
    pub name: &'static str,
    /// One-line summary.
    pub summary: &'static str,
    /// Parameters that a specification may give after the name.
    pub parameters: &'static [Parameter],
    /// Creates the codec from the parameters of a specification.
    pub open: fn(&Parameters<'_>) -> Result<Box<dyn Codec>, SpecificationError>,
    /// Parameters that together reach every path of the codec: tests and fuzzers run each of them.
    pub cases: &'static [&'static str],
    /// Measurements that the benchmark makes by default.
    pub experiments: &'static [Experiment],
    /// Creates the plain loops for comparison, if the codec has any.
    #[cfg(feature = "plain")]
    pub plain: Option<plain::Open>,
}

impl Entry {
    /// Opens the codec with parameters such as `width=8`; an empty string selects the defaults.
    ///
    /// # Errors
    ///
    /// [`SpecificationError`] for an unknown parameter or an invalid value.
    pub fn open(&self, parameters: &str) -> Result<Box<dyn Codec>, SpecificationError> {
        (self.open)(&Parameters::read(self, parameters)?)
    }

    /// Opens the plain loops for comparison, for the same parameters; `None` if the codec has none,
    /// and on big-endian machines, which they do not support.
    ///
    /// # Errors
    ///
    /// The same as [`open`](Self::open).
    #[cfg(feature = "plain")]
    pub fn open_plain(
        &self,
        parameters: &str,
    ) -> Result<Option<Box<dyn plain::Plain>>, SpecificationError> {
        let parameters = Parameters::read(self, parameters)?;
        (self.open)(&parameters)?;
        let plain = self.plain.filter(|_| cfg!(target_endian = "little"));
        plain.map(|open| open(&parameters)).transpose()
    }
}

/// A group of related measurements.
#[derive(Debug)]
pub struct Experiment {
    /// Title of the group, which says what it shows.
    pub title: &'static str,
    /// Parameters of the codec, one set per measurement.
    pub cases: &'static [&'static str],
    /// Names of data sets.
    pub data: &'static [&'static str],
    /// Numbers of values.
    pub values: &'static [usize],
    /// True if input and output are evicted from the caches before each call.
    pub evicted: bool,
}

/// A codec with fixed parameters.
///
/// Values are the bytes of little-endian numbers, or of text. A buffer of numbers is aligned to
/// [`width`](Self::width), up to 8.
pub trait Codec: Send + Sync {
    /// Returns the type of one value, as the data generators call it: `f32`, `u8`, `fixed12`.
    fn element(&self) -> String;

    /// Returns the number of bytes in a value.
    fn width(&self) -> usize;

    /// Returns the names of data sets that show how the codec behaves, most typical first.
    fn data(&self) -> &'static [&'static str];

    /// Returns the maximum encoded length of `values` bytes of values.
    fn max_encoded_len(&self, values: usize) -> usize;

    /// Returns the maximum number of bytes of values that `encoded` bytes can contain.
    fn max_decoded_len(&self, encoded: usize) -> usize;

    /// Encodes all values to the front of `to`. Returns the length of the result. No more room
    /// is needed than that.
    ///
    /// # Errors
    ///
    /// If the codec does not accept the values, the destination is too short, or the backend is not
    /// available.
    fn encode(&self, backend: Backend, values: &[u8], to: &mut [u8]) -> Length;

    /// Decodes. Codecs whose format does not record the number of values fill `to`; the others
    /// write all values of the input.
    ///
    /// # Errors
    ///
    /// If the input is malformed, the destination is too short, or the backend is not available.
    fn decode(&self, backend: Backend, from: &[u8], to: &mut [u8]) -> Result<Decoded, Failure>;

    /// Returns the number of bytes of values that a stream encodes at a time, which bounds its
    /// memory; `None` if the codec needs all values at once, or implements streams itself.
    fn piece(&self) -> Option<usize>;

    /// Encodes from a reader to a writer. The default implementation is for formats whose
    /// [pieces](Self::piece) can be encoded separately and concatenated.
    ///
    /// # Errors
    ///
    /// [`StreamError`] if reading, writing or encoding fails, with the offset in the input.
    fn encode_stream(
        &self,
        backend: Backend,
        input: &mut dyn Read,
        output: &mut dyn Write,
    ) -> Result<(), StreamError> {
        let io = Io { input, output };
        stream::encode_pieces(io, self.piece(), |values, encoded| {
            encoded.resize(self.max_encoded_len(values.len()), 0);
            self.encode(backend, values, encoded)
        })
    }

    /// Decodes from a reader to a writer. The default implementation is for formats in which the
    /// values of a piece have the same length before and after encoding.
    ///
    /// # Errors
    ///
    /// [`StreamError`] if reading, writing or decoding fails, with the offset in the input.
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

/// Opens the codec of a specification: a name, and optionally a colon and parameters separated by
/// commas.
///
/// # Errors
///
/// [`SpecificationError`], with a list of valid names.
pub fn open(specification: &str) -> Result<Box<dyn Codec>, SpecificationError> {
    let (name, parameters) = specification.split_once(':').unwrap_or((specification, ""));
    find(name)?.open(parameters)
}

/// Finds the row of a codec by its name.
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

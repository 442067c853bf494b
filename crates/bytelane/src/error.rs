//! The error of the codecs whose input has no bad bytes, only bad lengths.

use crate::{Backend, Unavailable};
use core::fmt;

/// Buffers whose lengths do not fit each other, or a backend that this machine lacks.
///
/// The codecs that return it have checked everything before they write the first byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The backend asked for is not available on this machine.
    Unavailable(Backend),
    /// Values of no bytes.
    ZeroWidth,
    /// The bytes are not a whole number of values.
    Indivisible {
        /// Length of the buffer in bytes.
        bytes: usize,
        /// Bytes a value.
        width: usize,
    },
    /// The destination is not as long as the result, in bytes.
    Destination {
        /// Length of the result.
        needed: usize,
        /// Length of the buffer given.
        given: usize,
    },
    /// A range that begins after its end or reaches beyond the values there are.
    Range {
        /// First value of the range.
        start: usize,
        /// The value behind the last of the range.
        end: usize,
        /// Number of values there are.
        values: usize,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Error::Unavailable(backend) => Unavailable(backend).fmt(f),
            Error::ZeroWidth => f.write_str("a value must have at least one byte"),
            Error::Indivisible { bytes, width } => {
                write!(
                    f,
                    "{bytes} bytes are not a whole number of values of {width} bytes"
                )
            }
            Error::Destination { needed, given } => {
                write!(f, "the result has {needed} bytes, the destination {given}")
            }
            Error::Range { start, end, values } => {
                write!(
                    f,
                    "the range {start}..{end} does not lie within {values} values"
                )
            }
        }
    }
}

impl core::error::Error for Error {}

impl From<Unavailable> for Error {
    fn from(Unavailable(backend): Unavailable) -> Self {
        Error::Unavailable(backend)
    }
}

/// That a result of so many bytes has a destination as long.
#[inline]
pub(crate) fn check_destination(needed: usize, given: usize) -> Result<(), Error> {
    if needed == given {
        Ok(())
    } else {
        Err(Error::Destination { needed, given })
    }
}

/// The number of values that so many bytes are.
#[inline]
pub(crate) fn check_divisible(bytes: usize, width: usize) -> Result<usize, Error> {
    match bytes.checked_rem(width) {
        None => Err(Error::ZeroWidth),
        Some(0) => Ok(bytes / width),
        Some(_) => Err(Error::Indivisible { bytes, width }),
    }
}

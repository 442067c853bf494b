//! What can be wrong with a stream, a buffer or a place in a stream.

use crate::{Backend, Unavailable};
use core::fmt;

/// Why a stream could not be read or written. Offsets count from the first control byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The backend asked for is not available on this machine.
    Unavailable(Backend),
    /// The input ends within the control bytes.
    Controls {
        /// Control bytes of as many values.
        needed: usize,
        /// Length of the input: the offset of the first control byte that is missing.
        given: usize,
    },
    /// The input ends before the data that the control bytes say.
    Data {
        /// The first value whose bytes are not all there.
        value: usize,
        /// Offset of its first byte.
        offset: usize,
        /// How many bytes it has.
        needed: usize,
        /// How many of them are there.
        given: usize,
    },
    /// The destination is shorter than the result.
    Destination {
        /// Length of the result.
        needed: usize,
        /// Length of the buffer given.
        given: usize,
    },
    /// A place beyond the last value.
    Position {
        /// The value asked for.
        value: usize,
        /// Number of values in the stream.
        values: usize,
    },
    /// A checkpoint that is none of this stream: its data begin within the control bytes or behind
    /// the end.
    Checkpoint {
        /// Where it says that the data begin.
        offset: usize,
    },
}

impl Error {
    /// Offset in the input of what is wrong with it; none if something else is wrong.
    #[must_use]
    pub fn offset(&self) -> Option<usize> {
        match *self {
            Error::Controls { given, .. } => Some(given),
            Error::Data { offset, .. } | Error::Checkpoint { offset } => Some(offset),
            _ => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Error::Unavailable(backend) => Unavailable(backend).fmt(f),
            Error::Controls { needed, given } => {
                write!(
                    f,
                    "offset {given}: the input ends within its {needed} control bytes"
                )
            }
            Error::Data {
                value,
                offset,
                needed,
                given,
            } => write!(
                f,
                "offset {offset}: value {value} has {needed} bytes, and {given} are there"
            ),
            Error::Destination { needed, given } => {
                write!(f, "the result has {needed} bytes, the destination {given}")
            }
            Error::Position { value, values } => {
                write!(
                    f,
                    "value {value} lies beyond the {values} values of the stream"
                )
            }
            Error::Checkpoint { offset } => {
                write!(f, "offset {offset}: no data of this stream begin there")
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

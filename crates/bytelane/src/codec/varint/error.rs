//! What can be wrong with varints, and where.

use crate::{Backend, Unavailable};
use core::fmt;

/// A varint that is none, a destination too short, or a backend that this machine lacks.
///
/// Offsets count bytes of the input and are those of the varint's first byte: everything before it
/// is well formed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The backend asked for is not available on this machine.
    Unavailable(Backend),
    /// The destination has not enough room for the result, in bytes.
    Destination {
        /// Length of the result.
        needed: usize,
        /// Length of the buffer given.
        given: usize,
    },
    /// The input ends before the varint does, or before it begins.
    Truncated {
        /// Where the varint begins.
        offset: usize,
    },
    /// The varint has more bytes than any of its type: more than 5, or more than 10.
    Overlong {
        /// Where the varint begins.
        offset: usize,
    },
    /// The varint has as many bytes as its type allows and more bits.
    Overflow {
        /// Where the varint begins.
        offset: usize,
    },
}

impl Error {
    /// Where in the input the malformed varint begins; `None` if the input is not at fault.
    #[must_use]
    pub const fn offset(self) -> Option<usize> {
        match self {
            Error::Truncated { offset }
            | Error::Overlong { offset }
            | Error::Overflow { offset } => Some(offset),
            Error::Unavailable(_) | Error::Destination { .. } => None,
        }
    }

    /// The same error in an input that has `bytes` bytes in front of the one it is about: for
    /// readers that decode a part of what they have.
    ///
    /// ```
    /// use bytelane::varint::{self, Error};
    ///
    /// let message = [0x02, 0x05, 0x80];
    /// let error = varint::read::<u32>(&message[2..]).map_err(|error| error.behind(2));
    /// assert_eq!(error, Err(Error::Truncated { offset: 2 }));
    /// ```
    #[must_use]
    pub const fn behind(mut self, bytes: usize) -> Self {
        if let Error::Truncated { offset }
        | Error::Overlong { offset }
        | Error::Overflow { offset } = &mut self
        {
            *offset += bytes;
        }
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Error::Unavailable(backend) => Unavailable(backend).fmt(f),
            Error::Destination { needed, given } => {
                write!(f, "the result has {needed} bytes, the destination {given}")
            }
            Error::Truncated { offset } => {
                write!(f, "the input ends within the varint at offset {offset}")
            }
            Error::Overlong { offset } => {
                write!(f, "the varint at offset {offset} has too many bytes")
            }
            Error::Overflow { offset } => {
                write!(f, "the varint at offset {offset} does not fit its type")
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

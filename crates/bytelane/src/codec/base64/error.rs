//! What can be wrong with a text.

use crate::{Backend, Unavailable};
use core::fmt;

/// Why a text was not decoded: the kind, and for a fault of the text its place.
///
/// Of several faults the first one in the text is reported. All backends report the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum DecodeError {
    /// A byte outside the alphabet: also white space, and `=` where no padding can be.
    InvalidByte {
        /// Place of the byte.
        offset: usize,
        /// The byte.
        byte: u8,
    },
    /// The last group has one character only, 6 bits, which make no byte.
    InvalidLength {
        /// The end of the text.
        offset: usize,
    },
    /// The padding is not what the engine asks for.
    InvalidPadding {
        /// Where padding is missing, or the first `=` if there must be none.
        offset: usize,
    },
    /// The last character has bits behind the last byte that are not zero.
    InvalidLastSymbol {
        /// Place of the character.
        offset: usize,
        /// The character.
        byte: u8,
    },
    /// The destination is shorter than the result, in bytes. Nothing was written.
    Destination {
        /// Length of the result.
        needed: usize,
        /// Length of the buffer given.
        given: usize,
    },
    /// The backend asked for is not available on this machine.
    Unavailable(Backend),
}

impl DecodeError {
    /// Where in the text the fault is, in bytes from its beginning. `None` if the text is not to blame.
    #[must_use]
    pub const fn offset(self) -> Option<usize> {
        match self {
            Self::InvalidByte { offset, .. }
            | Self::InvalidLength { offset }
            | Self::InvalidPadding { offset }
            | Self::InvalidLastSymbol { offset, .. } => Some(offset),
            Self::Destination { .. } | Self::Unavailable(_) => None,
        }
    }

    /// The error of a text that began `bytes` bytes earlier.
    #[cfg(feature = "std")]
    pub(super) const fn behind(mut self, bytes: usize) -> Self {
        match &mut self {
            Self::InvalidByte { offset, .. }
            | Self::InvalidLength { offset }
            | Self::InvalidPadding { offset }
            | Self::InvalidLastSymbol { offset, .. } => *offset = offset.saturating_add(bytes),
            Self::Destination { .. } | Self::Unavailable(_) => {}
        }
        self
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::InvalidByte { offset, byte } => {
                write!(
                    f,
                    "the byte {byte:#04x} at offset {offset} is not in the base64 alphabet"
                )
            }
            Self::InvalidLength { offset } => {
                write!(
                    f,
                    "the text ends at offset {offset} with one character of a group"
                )
            }
            Self::InvalidPadding { offset } => write!(f, "wrong padding at offset {offset}"),
            Self::InvalidLastSymbol { offset, byte } => {
                let last = char::from(byte);
                write!(
                    f,
                    "the last character, {last:?} at offset {offset}, has bits behind the last byte"
                )
            }
            Self::Destination { needed, given } => {
                write!(f, "the result has {needed} bytes, the destination {given}")
            }
            Self::Unavailable(backend) => Unavailable(backend).fmt(f),
        }
    }
}

impl core::error::Error for DecodeError {}

impl From<Unavailable> for DecodeError {
    fn from(Unavailable(backend): Unavailable) -> Self {
        Self::Unavailable(backend)
    }
}

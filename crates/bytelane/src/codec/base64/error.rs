//! Errors of base64 texts.

use crate::DestinationError;
use core::fmt;

/// Why a text was not decoded.
pub type Error = crate::Error<ErrorKind>;

/// Kind of fault in a text, or in the length of the destination.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A byte outside the alphabet, at the offset. This includes white space, and `=` where padding
    /// cannot be.
    InvalidByte(u8),
    /// The last group has only one character: 6 bits, less than a byte. The offset is the end of
    /// the text.
    InvalidLength,
    /// The padding is not what the engine requires. The offset is where `=` is missing, or that of
    /// the first `=` if none is allowed.
    InvalidPadding,
    /// The last character, at the offset, has bits after the last byte that are not zero.
    InvalidLastSymbol(u8),
    /// The destination is too short. Nothing was written.
    Destination(DestinationError),
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::InvalidByte(byte) => {
                write!(f, "the byte {byte:#04x} is not in the base64 alphabet")
            }
            Self::InvalidLength => {
                f.write_str("the text ends after the first character of a group of four")
            }
            Self::InvalidPadding => f.write_str("the padding is missing or not allowed"),
            Self::InvalidLastSymbol(character) => {
                let character = char::from(character);
                write!(
                    f,
                    "the last character, '{character}', has bits beyond the last byte"
                )
            }
            Self::Destination(error) => error.fmt(f),
        }
    }
}

impl From<DestinationError> for ErrorKind {
    fn from(error: DestinationError) -> Self {
        Self::Destination(error)
    }
}

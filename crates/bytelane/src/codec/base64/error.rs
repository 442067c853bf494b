//! Errors in base64 texts.

use crate::DestinationError;
use core::fmt;

/// Error of decoding a text.
pub type Error = crate::Error<ErrorKind>;

/// Kind of error in a text, or in the length of the destination.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A byte outside the alphabet, at the offset. This includes whitespace, and `=` where padding
    /// is not possible.
    InvalidByte(u8),
    /// The last group has only one character: 6 bits, less than a byte. The offset is the end of
    /// the text.
    InvalidLength,
    /// The padding does not match what the engine requires. The offset points to the missing `=`,
    /// or to the first `=` if none is allowed.
    InvalidPadding,
    /// The last character, at the offset, has nonzero bits after the last byte.
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

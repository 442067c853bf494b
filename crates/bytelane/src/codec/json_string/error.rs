//! What is wrong with a string, and where.

use crate::{Backend, Unavailable};
use core::fmt;

/// A string that is not one, a destination too short, or a backend that this machine lacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The backend asked for is not available on this machine.
    Unavailable(Backend),
    /// The destination is shorter than the result, in bytes.
    Destination {
        /// Length of the result.
        needed: usize,
        /// Length of the buffer given.
        given: usize,
    },
    /// The input breaks a rule; it is the first one that it breaks.
    Malformed {
        /// The rule.
        kind: ErrorKind,
        /// Where: offset in bytes of the character or of the backslash of the escape; the length
        /// of the input if it ends too soon.
        offset: usize,
    },
}

/// The rules of RFC 8259, section 7, and of UTF-8.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input ends before the closing quote, or within an escape or a character.
    UnexpectedEnd,
    /// A quote within a text that has none around it.
    UnexpectedQuote,
    /// A byte below 0x20 that is not escaped.
    ControlCharacter,
    /// Bytes that are not UTF-8: overlong, a surrogate, above U+10FFFF, or out of place.
    InvalidUtf8,
    /// A backslash before something other than `"`, `\`, `/`, `b`, `f`, `n`, `r`, `t` and `u`.
    InvalidEscape,
    /// A `\u` with something other than four hexadecimal digits behind it.
    InvalidHex,
    /// Half of a surrogate pair, without the other.
    LoneSurrogate,
}

impl ErrorKind {
    const fn explanation(self) -> &'static str {
        match self {
            ErrorKind::UnexpectedEnd => "the string does not end",
            ErrorKind::UnexpectedQuote => "a quote that is not escaped",
            ErrorKind::ControlCharacter => "a control character that is not escaped",
            ErrorKind::InvalidUtf8 => "invalid UTF-8",
            ErrorKind::InvalidEscape => "an escape that there is not",
            ErrorKind::InvalidHex => "\\u without four hexadecimal digits",
            ErrorKind::LoneSurrogate => "half of a surrogate pair",
        }
    }
}

impl Error {
    /// Offset in the input of what is wrong with it, in bytes.
    #[must_use]
    pub const fn offset(&self) -> Option<usize> {
        match *self {
            Error::Malformed { offset, .. } => Some(offset),
            _ => None,
        }
    }
}

impl Error {
    /// The same in an input of which this one was the part behind `bytes` bytes.
    #[cfg(feature = "alloc")]
    pub(super) fn behind(self, bytes: usize) -> Self {
        match self {
            Error::Malformed { kind, offset } => Error::Malformed {
                kind,
                offset: offset + bytes,
            },
            error => error,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Error::Unavailable(backend) => Unavailable(backend).fmt(f),
            Error::Destination { needed, given } => {
                write!(f, "the result has {needed} bytes, the destination {given}")
            }
            Error::Malformed { kind, offset } => {
                write!(f, "{} at byte {offset}", kind.explanation())
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

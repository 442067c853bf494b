//! Errors in strings.

use crate::DestinationError;
use core::fmt;

/// Error for a malformed string or a destination that is too short.
///
/// The offset is that of the malformed character or of the backslash of the malformed escape, or
/// the length of the input if it ends too early.
pub type Error = crate::Error<ErrorKind>;

/// Kind of error: a violation of RFC 8259, section 7, or of UTF-8, or a destination that is too
/// short.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The destination is shorter than the text.
    Destination(DestinationError),
    /// The input ends before the closing quote, or within an escape or a character.
    UnexpectedEnd,
    /// An unescaped quote in a text without quotes around it.
    UnexpectedQuote,
    /// An unescaped byte below 0x20.
    ControlCharacter,
    /// Bytes that are not UTF-8: an overlong form, a surrogate, a value above U+10FFFF, or a
    /// misplaced byte.
    InvalidUtf8,
    /// A backslash before a character other than `"`, `\`, `/`, `b`, `f`, `n`, `r`, `t` and `u`.
    InvalidEscape,
    /// A `\u` that is not followed by four hexadecimal digits.
    InvalidHex,
    /// One half of a surrogate pair without the other.
    LoneSurrogate,
}

impl From<DestinationError> for ErrorKind {
    fn from(error: DestinationError) -> Self {
        Self::Destination(error)
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Destination(error) => return error.fmt(f),
            Self::UnexpectedEnd => "the input ends within a string, escape or character",
            Self::UnexpectedQuote => "an unescaped quote",
            Self::ControlCharacter => "an unescaped control character",
            Self::InvalidUtf8 => "invalid UTF-8",
            Self::InvalidEscape => "an unknown escape",
            Self::InvalidHex => "\\u without four hexadecimal digits",
            Self::LoneSurrogate => "one half of a surrogate pair without the other",
        })
    }
}

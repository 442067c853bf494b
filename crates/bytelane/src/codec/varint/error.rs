//! Errors in varints.

use core::fmt;

/// Error for a malformed varint. The offset is that of its first byte: everything before it is well
/// formed.
pub type Error = crate::Error<ErrorKind>;

/// Kind of error in a varint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input ends before the varint is complete, or before it begins.
    Truncated,
    /// The varint is longer than the longest one of its type: more than 5 or more than 10 bytes.
    Overlong,
    /// The varint has the maximum length of its type, but its last byte has too many bits.
    Overflow,
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Truncated => "the input ends within this varint",
            Self::Overlong => "this varint has more bytes than its type allows",
            Self::Overflow => "the value of this varint does not fit its type",
        })
    }
}

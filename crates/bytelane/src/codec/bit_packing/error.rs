//! Errors in packed values.

use crate::DestinationError;
use core::fmt;

/// Error of packing or unpacking values.
///
/// When packing, the offset is that of the first byte of the value, in memory.
pub type Error = crate::Error<ErrorKind>;

/// Kind of error in packed values, or in values to be packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input ends before the last requested value. The offset is its end.
    Truncated {
        /// The number of bytes that the values take.
        needed: usize,
    },
    /// A value does not fit the width, after the frame of reference or zigzag.
    Value {
        /// The number of bits that it may have.
        width: u32,
    },
    /// The range begins after its end.
    Range {
        /// First value of the range.
        start: usize,
        /// The value after the last one of the range.
        end: usize,
    },
    /// The destination is too short.
    Destination(DestinationError),
}

impl From<DestinationError> for ErrorKind {
    fn from(error: DestinationError) -> Self {
        Self::Destination(error)
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Truncated { needed } => {
                write!(f, "the values take {needed} bytes, but the input ends here")
            }
            Self::Value { width } => write!(f, "this value does not fit {width} bits"),
            Self::Range { start, end } => {
                write!(f, "the range {start}..{end} begins after its end")
            }
            Self::Destination(error) => error.fmt(f),
        }
    }
}

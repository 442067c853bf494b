//! Errors in runs.

use crate::DestinationError;
use crate::error::RangeKind;
use core::fmt;

/// Error of reading or writing runs.
///
/// When encoding, the offset is that of the first byte of the value, in memory.
pub type Error = crate::Error<ErrorKind>;

/// Kind of error in runs, or in values to be encoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input ends within a run, or before the last requested value. The offset is the start of
    /// the run.
    Truncated,
    /// The header of a run has no values, or more than 2^31 - 1.
    Length,
    /// A value does not fit the width: the repeated value of a run, or a value to be encoded.
    Value {
        /// The number of bits that it may have.
        width: u32,
    },
    /// The dictionary does not have an index. The offset is the byte in which the index begins.
    Index {
        /// The index.
        index: u32,
        /// The number of entries.
        entries: usize,
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

impl RangeKind for ErrorKind {
    fn range(start: usize, end: usize) -> Self {
        Self::Range { start, end }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Truncated => f.write_str("the input ends within the run that begins here"),
            Self::Length => f.write_str("a run must have 1 to 2^31 - 1 values"),
            Self::Value { width } => write!(f, "this value does not fit {width} bits"),
            Self::Index { index, entries } => {
                write!(
                    f,
                    "the dictionary has {entries} entries, but not index {index}"
                )
            }
            Self::Range { start, end } => {
                write!(f, "the range {start}..{end} begins after its end")
            }
            Self::Destination(error) => error.fmt(f),
        }
    }
}

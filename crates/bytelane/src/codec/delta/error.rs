//! Errors in delta streams.

use crate::DestinationError;
use crate::error::RangeKind;
use core::fmt;

/// Error of reading a stream. Everything before the offset is well formed.
pub type Error = crate::Error<ErrorKind>;

/// Kind of error in a stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input ends within the header, a block's header, or a miniblock. The offset is the start
    /// of that part.
    Truncated,
    /// A number of the header, or the smallest difference of a block, has more than 64 bits.
    Varint,
    /// The number of values in a block is not a multiple of 128, or 2^31 or more.
    Block,
    /// The number of miniblocks does not divide a block into multiples of 32 values.
    Miniblocks,
    /// The packed differences of a miniblock have more bits than the type.
    Width {
        /// The number of bits.
        width: u8,
    },
    /// The stream has fewer values than requested.
    Count {
        /// The number of values in the stream.
        values: u64,
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
            Self::Truncated => f.write_str("the input ends within what begins here"),
            Self::Varint => f.write_str("this number has more than 64 bits"),
            Self::Block => f.write_str("a block must have a multiple of 128 values, below 2^31"),
            Self::Miniblocks => {
                f.write_str("a miniblock must have a multiple of 32 values, and all as many")
            }
            Self::Width { width } => {
                write!(f, "differences of {width} bits do not fit the type")
            }
            Self::Count { values } => write!(f, "the stream has only {values} values"),
            Self::Range { start, end } => {
                write!(f, "the range {start}..{end} begins after its end")
            }
            Self::Destination(error) => error.fmt(f),
        }
    }
}

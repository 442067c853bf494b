//! Errors in pages.

use crate::DestinationError;
use crate::error::RangeKind;
use core::fmt;

/// Error of reading or writing a page. Everything before the offset is well formed.
pub type Error = crate::Error<ErrorKind>;

/// Kind of error in a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input ends within the part that begins at the offset: the header, the offsets, or a
    /// vector.
    Truncated,
    /// The compression mode or the integer encoding is not 0, the only one that is specified.
    Mode {
        /// The value found.
        mode: u8,
    },
    /// The base-2 logarithm of the vector size is not within 3 to 15.
    VectorSize {
        /// The value found.
        logarithm: u8,
    },
    /// The number of values is negative.
    Negative,
    /// A vector does not begin where the one before it, or the list of offsets, ends.
    Offset {
        /// The stored offset, relative to the start of the list of offsets.
        stored: u32,
    },
    /// The exponent is too large for the type, or the factor greater than the exponent.
    Exponent {
        /// The exponent.
        exponent: u8,
        /// The factor.
        factor: u8,
    },
    /// The packed integers have more bits than the type.
    Width {
        /// The number of bits.
        width: u8,
    },
    /// A vector has more exceptions than values.
    Exceptions {
        /// The number of exceptions.
        exceptions: u16,
    },
    /// An exception is past the end of its vector.
    Position {
        /// Its position in the vector.
        position: u16,
    },
    /// The page has fewer values than requested.
    Count {
        /// The number of values in the page.
        values: usize,
    },
    /// The range begins after its end.
    Range {
        /// First value of the range.
        start: usize,
        /// The value after the last one of the range.
        end: usize,
    },
    /// There are more values, or more bytes, than a page can have: 2^31 - 1 and 2^32 - 1.
    Size,
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
            Self::Mode { mode } => write!(f, "mode {mode} is not specified; the only one is 0"),
            Self::VectorSize { logarithm } => write!(
                f,
                "vectors of 2^{logarithm} values are not allowed, only of 2^3 to 2^15"
            ),
            Self::Negative => f.write_str("the number of values is negative"),
            Self::Offset { stored } => {
                write!(f, "offset {stored} is not where the vector must begin")
            }
            Self::Exponent { exponent, factor } => {
                write!(f, "exponent {exponent} and factor {factor} are not allowed")
            }
            Self::Width { width } => write!(f, "integers of {width} bits do not fit the type"),
            Self::Exceptions { exceptions } => {
                write!(
                    f,
                    "{exceptions} exceptions are more than the vector has values"
                )
            }
            Self::Position { position } => {
                write!(f, "position {position} is past the end of the vector")
            }
            Self::Count { values } => write!(f, "the page has only {values} values"),
            Self::Range { start, end } => {
                write!(f, "the range {start}..{end} begins after its end")
            }
            Self::Size => f.write_str("a page has at most 2^31 - 1 values and 2^32 - 1 bytes"),
            Self::Destination(error) => error.fmt(f),
        }
    }
}

//! Errors in levels and bitmaps.

use crate::DestinationError;
use core::fmt;

/// Error of converting levels, bitmaps or values.
///
/// The offset is that of the first byte of a level, in memory.
pub type Error = crate::Error<ErrorKind>;

/// Kind of error in levels, bitmaps or values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A level is greater than the maximum.
    Level {
        /// The maximum.
        max: u16,
    },
    /// The bitmap is too short.
    Bitmap {
        /// The number of bytes that it needs.
        needed: usize,
        /// The number of bytes that it has.
        given: usize,
    },
    /// The number of values differs from the number of set bits.
    Values {
        /// The number of set bits.
        needed: usize,
        /// The number of values.
        given: usize,
    },
    /// The numbers of repetition levels and definition levels differ.
    Lengths {
        /// The number of repetition levels.
        repetition: usize,
        /// The number of definition levels.
        definition: usize,
    },
    /// A repetition level continues a list, but no list has begun, or the list has no entries. The
    /// offset is that of the repetition level.
    Repetition,
    /// The lists have more entries than offsets of this size can count.
    Offsets {
        /// The number of bits of an offset.
        bits: u32,
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
            Self::Level { max } => write!(f, "this level is greater than the maximum, {max}"),
            Self::Bitmap { needed, given } => {
                write!(f, "the bitmap needs {needed} bytes, but it has {given}")
            }
            Self::Values { needed, given } => write!(
                f,
                "the bitmap has {needed} set bits, but there are {given} values"
            ),
            Self::Lengths {
                repetition,
                definition,
            } => write!(
                f,
                "there are {repetition} repetition levels, but {definition} definition levels"
            ),
            Self::Repetition => {
                f.write_str("this repetition level continues a list that has no entry before it")
            }
            Self::Offsets { bits } => write!(
                f,
                "the lists have more entries than offsets of {bits} bits can count"
            ),
            Self::Destination(error) => error.fmt(f),
        }
    }
}

/// Returns the bytes of a bitmap that `count` values need.
pub(super) fn bitmap_of(bitmap: &[u8], count: usize) -> Result<&[u8], Error> {
    let (needed, given) = (count.div_ceil(8), bitmap.len());
    let front = bitmap.get(..needed);
    front.ok_or(Error::nowhere(ErrorKind::Bitmap { needed, given }))
}

//! Shape of all errors: a kind, and an offset in the input.

use crate::memory::Slot;
use core::fmt;
use core::ops::Range;

/// Error in an input: its kind and its offset. Each codec has its own kinds, `ErrorKind`, and an
/// alias for its errors, `Error`.
///
/// If an input has several errors, every backend reports the first one.
///
/// ```
/// use bytelane::varint::{self, ErrorKind};
///
/// let error = varint::decode(&[0x03, 0x80], &mut [0u32; 2]).unwrap_err();
/// assert_eq!((error.kind(), error.offset()), (ErrorKind::Truncated, Some(1)));
/// assert_eq!(error.to_string(), "offset 1: the input ends within this varint");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Error<K> {
    kind: K,
    /// `usize::MAX`, which no slice reaches, stands for `None`: an `Option` would make every result
    /// larger.
    offset: usize,
}

impl<K: Copy> Error<K> {
    #[inline]
    pub(crate) const fn at(offset: usize, kind: K) -> Self {
        Self { kind, offset }
    }

    /// Creates an error that is not caused by the bytes of the input.
    #[inline]
    pub(crate) const fn nowhere(kind: K) -> Self {
        Self {
            kind,
            offset: usize::MAX,
        }
    }

    /// Returns the kind of error.
    #[must_use]
    #[inline]
    pub const fn kind(&self) -> K {
        self.kind
    }

    /// Returns the offset of the error, in bytes from the beginning of the input. `None` if the
    /// error is not in the bytes: the input has the wrong length, or the destination is too short.
    #[must_use]
    #[inline]
    pub const fn offset(&self) -> Option<usize> {
        match self.offset {
            usize::MAX => None,
            offset => Some(offset),
        }
    }

    /// Returns the same error, relocated to an input in which this part follows the first `bytes`
    /// bytes. For callers that read an input in pieces.
    #[must_use]
    pub const fn behind(mut self, bytes: usize) -> Self {
        if self.offset != usize::MAX {
            let offset = self.offset.saturating_add(bytes);
            self.offset = offset - (offset == usize::MAX) as usize;
        }
        self
    }
}

impl<K: Copy + fmt::Display> fmt::Display for Error<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(offset) = self.offset() {
            write!(f, "offset {offset}: ")?;
        }
        self.kind.fmt(f)
    }
}

impl<K: Copy + fmt::Debug + fmt::Display> core::error::Error for Error<K> {}

impl<K: Copy + From<DestinationError>> From<DestinationError> for Error<K> {
    fn from(error: DestinationError) -> Self {
        Self::nowhere(error.into())
    }
}

/// Error for a destination that is shorter than the result. Encoding cannot fail in any other way.
///
/// The contents of the destination are then unspecified, unless the function says that it writes
/// nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DestinationError {
    needed: usize,
    given: usize,
}

impl DestinationError {
    pub(crate) const fn new(needed: usize, given: usize) -> Self {
        Self { needed, given }
    }

    /// Returns the length of the result, in bytes.
    #[must_use]
    pub const fn needed(&self) -> usize {
        self.needed
    }

    /// Returns the length of the destination, in bytes.
    #[must_use]
    pub const fn given(&self) -> usize {
        self.given
    }
}

impl fmt::Display for DestinationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { needed, given } = self;
        write!(
            f,
            "the result needs {needed} bytes, but the destination has {given}"
        )
    }
}

impl core::error::Error for DestinationError {}

/// Returns the first `needed` bytes of a destination.
#[inline]
pub(crate) fn front<B>(destination: &mut [B], needed: usize) -> Result<&mut [B], DestinationError> {
    let given = destination.len();
    let front = destination.get_mut(..needed);
    front.ok_or(DestinationError { needed, given })
}

/// Kind of error for a range of values that begins after its end.
pub(crate) trait RangeKind: Copy + From<DestinationError> {
    fn range(start: usize, end: usize) -> Self;
}

/// Returns the front of a destination that has room for exactly the values of a range.
#[inline]
pub(crate) fn front_for<T, K: RangeKind>(
    destination: &mut [Slot],
    range: Range<usize>,
) -> Result<&mut [Slot], Error<K>> {
    let Range { start, end } = range;
    let Some(count) = end.checked_sub(start) else {
        return Err(Error::nowhere(K::range(start, end)));
    };
    Ok(front(destination, count.saturating_mul(size_of::<T>()))?)
}

/// Errors of codecs that accept all bytes and reject only lengths. These codecs check everything
/// before they write the first byte.
pub type LengthError = Error<LengthErrorKind>;

/// Kind of length error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum LengthErrorKind {
    /// The destination is too short.
    Destination(DestinationError),
    /// The input is not a whole number of values.
    Indivisible {
        /// Length of the input in bytes.
        bytes: usize,
        /// Number of bytes per value.
        width: usize,
    },
    /// The range begins after its end, or extends past the last value.
    Range {
        /// First value of the range.
        start: usize,
        /// The value after the last one of the range.
        end: usize,
        /// Number of values in the input.
        values: usize,
    },
}

impl From<DestinationError> for LengthErrorKind {
    fn from(error: DestinationError) -> Self {
        Self::Destination(error)
    }
}

impl fmt::Display for LengthErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Destination(error) => error.fmt(f),
            Self::Indivisible { bytes, width } => write!(
                f,
                "{bytes} bytes is not a multiple of the value size, {width} bytes"
            ),
            Self::Range { start, end, values } => {
                write!(f, "the range {start}..{end} is not within {values} values")
            }
        }
    }
}

/// Returns the number of values in `bytes` bytes.
#[inline]
pub(crate) fn check_divisible(bytes: usize, width: usize) -> Result<usize, LengthError> {
    match bytes % width {
        0 => Ok(bytes / width),
        _ => Err(Error::nowhere(LengthErrorKind::Indivisible {
            bytes,
            width,
        })),
    }
}

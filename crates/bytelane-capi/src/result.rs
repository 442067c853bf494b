//! Result of a call.

use bytelane::{DestinationError, Error, LengthErrorKind};

/// Status of a call.
///
/// Statuses below 10 are errors of the caller; unless the function says otherwise, nothing has been
/// written then. Statuses from 10 on mean that the input is malformed; the contents of the
/// destination are then unspecified, within its length. Later versions may add statuses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub enum bytelane_status {
    /// The call succeeded.
    BYTELANE_OK = 0,
    /// A pointer is null, but its length is not 0.
    BYTELANE_NULL = 1,
    /// A buffer would have more than `PTRDIFF_MAX` bytes.
    BYTELANE_LENGTH = 2,
    /// The buffers overlap.
    BYTELANE_OVERLAP = 3,
    /// A pointer to values is not aligned to their size.
    BYTELANE_MISALIGNED = 4,
    /// A width, variant, flag or name does not exist.
    BYTELANE_ARGUMENT = 5,
    /// The destination is too short; `count` is the required length.
    BYTELANE_DESTINATION = 6,
    /// The length of the input is not a multiple of the width.
    BYTELANE_INDIVISIBLE = 7,
    /// A range is not within the values.
    BYTELANE_RANGE = 8,
    /// This CPU lacks the backend.
    BYTELANE_UNAVAILABLE = 9,
    /// The input is malformed in a way for which this version of the header has no status.
    BYTELANE_MALFORMED = 10,
    /// The input ends too early.
    BYTELANE_TRUNCATED = 11,
    /// A varint has more bytes than its type allows.
    BYTELANE_OVERLONG = 12,
    /// The value of a varint does not fit its type.
    BYTELANE_OVERFLOW = 13,
    /// A byte is not in the base64 alphabet.
    BYTELANE_INVALID_BYTE = 14,
    /// The padding of a base64 text is missing or not allowed.
    BYTELANE_INVALID_PADDING = 15,
    /// The last character of a base64 text has bits beyond the last byte.
    BYTELANE_INVALID_LAST_SYMBOL = 16,
    /// Bytes are not UTF-8.
    BYTELANE_INVALID_UTF8 = 17,
    /// A JSON string without quotes around it contains an unescaped quote.
    BYTELANE_UNEXPECTED_QUOTE = 18,
    /// A JSON string contains an unescaped control character.
    BYTELANE_CONTROL_CHARACTER = 19,
    /// A JSON string contains an unknown escape.
    BYTELANE_INVALID_ESCAPE = 20,
    /// A JSON string contains `\u` without four hexadecimal digits.
    BYTELANE_INVALID_HEX = 21,
    /// A JSON string contains one half of a surrogate pair without the other.
    BYTELANE_LONE_SURROGATE = 22,
    /// A value does not fit the width.
    BYTELANE_INVALID_VALUE = 23,
    /// An encoded string contains a code without a symbol.
    BYTELANE_UNKNOWN_CODE = 24,
}
pub use bytelane_status::*;

/// The `offset` of a failure without a position in the input. It is also in `cbindgen.toml`,
/// because cbindgen does not know `usize::MAX`.
pub const BYTELANE_NOWHERE: usize = usize::MAX;

/// Result of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
#[must_use]
pub struct bytelane_result {
    /// Status of the call.
    pub status: bytelane_status,
    /// On success, the number of elements of the input that were read: bytes or values. On failure,
    /// the offset of the malformed byte, or `BYTELANE_NOWHERE`.
    pub offset: usize,
    /// On success, the number of elements of the destination that were written: bytes or values.
    /// With `BYTELANE_DESTINATION`, the number that the destination needs. Otherwise 0.
    pub count: usize,
}

impl bytelane_result {
    /// Returns success.
    #[inline]
    pub(crate) const fn ok(read: usize, written: usize) -> Self {
        Self {
            status: BYTELANE_OK,
            offset: read,
            count: written,
        }
    }

    /// Returns a failure without a position in the input.
    #[inline]
    pub(crate) const fn refused(status: bytelane_status) -> Self {
        Self::malformed(status, BYTELANE_NOWHERE)
    }

    /// Returns a failure at a byte of the input.
    #[inline]
    pub(crate) const fn malformed(status: bytelane_status, offset: usize) -> Self {
        Self {
            status,
            offset,
            count: 0,
        }
    }

    /// Returns the failure of a destination that needs `needed` elements.
    #[inline]
    pub(crate) const fn too_short(needed: usize) -> Self {
        Self {
            status: BYTELANE_DESTINATION,
            offset: BYTELANE_NOWHERE,
            count: needed,
        }
    }

    /// Converts the failure for a destination of values: the core counts its required size in
    /// bytes.
    #[inline]
    pub(crate) const fn in_values<T>(mut self) -> Self {
        self.count /= size_of::<T>();
        self
    }
}

/// Kinds of errors of a codec, converted to statuses.
pub(crate) trait Kind: Copy {
    /// Returns the status, or the required length of a destination that is too short.
    fn status(self) -> Result<bytelane_status, DestinationError>;
}

impl<K: Kind> From<Error<K>> for bytelane_result {
    #[cold]
    fn from(error: Error<K>) -> Self {
        match error.kind().status() {
            Ok(status) => Self::malformed(status, error.offset().unwrap_or(BYTELANE_NOWHERE)),
            Err(error) => Self::from(error),
        }
    }
}

impl From<DestinationError> for bytelane_result {
    #[cold]
    fn from(error: DestinationError) -> Self {
        Self::too_short(error.needed())
    }
}

impl From<bytelane_status> for bytelane_result {
    #[inline]
    fn from(status: bytelane_status) -> Self {
        Self::refused(status)
    }
}

impl Kind for LengthErrorKind {
    fn status(self) -> Result<bytelane_status, DestinationError> {
        match self {
            Self::Destination(error) => Err(error),
            Self::Indivisible { .. } => Ok(BYTELANE_INDIVISIBLE),
            Self::Range { .. } => Ok(BYTELANE_RANGE),
            _ => Ok(BYTELANE_MALFORMED),
        }
    }
}

/// Result of a call whose failures are results as well.
pub(crate) type Answer = Result<bytelane_result, bytelane_result>;

/// Runs a call.
#[inline(always)]
pub(crate) fn catching(call: impl FnOnce() -> Answer) -> bytelane_result {
    match call() {
        Ok(result) | Err(result) => result,
    }
}

/// Fails for a destination that is too short, which the core would detect only after writing. Counts
/// the required length only if there is less room than for the maximum.
#[inline(always)]
pub(crate) fn check_room(
    room: usize,
    most: usize,
    needed: impl FnOnce() -> usize,
) -> Result<(), bytelane_result> {
    if room < most {
        let needed = needed();
        if room < needed {
            return Err(bytelane_result::too_short(needed));
        }
    }
    Ok(())
}

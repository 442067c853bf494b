//! Result of a call.

use bytelane::{DestinationError, Error, LengthErrorKind};

/// Outcome of a call.
///
/// Statuses below 10 are mistakes of the caller; unless the function says otherwise, nothing has
/// been written then. Statuses from 10 on say that the input is malformed; the destination may hold
/// anything then, within its length. Later versions may add statuses.
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
    /// A width, a variant, a flag or a name that does not exist.
    BYTELANE_ARGUMENT = 5,
    /// The destination is too short; `count` is what it needs.
    BYTELANE_DESTINATION = 6,
    /// The length of the input is not a multiple of the width.
    BYTELANE_INDIVISIBLE = 7,
    /// A range that is not within the values.
    BYTELANE_RANGE = 8,
    /// This CPU lacks the backend.
    BYTELANE_UNAVAILABLE = 9,
    /// Malformed in a way that this version of the header has no name for.
    BYTELANE_MALFORMED = 10,
    /// The input ends too early.
    BYTELANE_TRUNCATED = 11,
    /// A varint has more bytes than its type allows.
    BYTELANE_OVERLONG = 12,
    /// The value of a varint does not fit its type.
    BYTELANE_OVERFLOW = 13,
    /// A byte that is not in the base64 alphabet.
    BYTELANE_INVALID_BYTE = 14,
    /// The padding of a base64 text is missing or not allowed.
    BYTELANE_INVALID_PADDING = 15,
    /// The last character of a base64 text has bits beyond the last byte.
    BYTELANE_INVALID_LAST_SYMBOL = 16,
    /// Bytes that are not UTF-8.
    BYTELANE_INVALID_UTF8 = 17,
    /// An unescaped quote in a JSON string without quotes around it.
    BYTELANE_UNEXPECTED_QUOTE = 18,
    /// An unescaped control character in a JSON string.
    BYTELANE_CONTROL_CHARACTER = 19,
    /// An unknown escape in a JSON string.
    BYTELANE_INVALID_ESCAPE = 20,
    /// `\u` without four hexadecimal digits in a JSON string.
    BYTELANE_INVALID_HEX = 21,
    /// One half of a surrogate pair without the other in a JSON string.
    BYTELANE_LONE_SURROGATE = 22,
    /// A value that does not fit the width of bit packing.
    BYTELANE_INVALID_VALUE = 23,
}
pub use bytelane_status::*;

/// The `offset` of a failure that is in no byte of the input; `cbindgen.toml` has it too, because
/// cbindgen does not know `usize::MAX`.
pub const BYTELANE_NOWHERE: usize = usize::MAX;

/// The result of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
#[must_use]
pub struct bytelane_result {
    /// Outcome of the call.
    pub status: bytelane_status,
    /// On success, how much of the input was read, in elements of the input: bytes or values. On
    /// failure, the offset of the malformed byte, or `BYTELANE_NOWHERE`.
    pub offset: usize,
    /// On success, how much was written, in elements of the destination: bytes or values. With
    /// `BYTELANE_DESTINATION`, how many the destination needs. Otherwise 0.
    pub count: usize,
}

impl bytelane_result {
    /// Success.
    #[inline]
    pub(crate) const fn ok(read: usize, written: usize) -> Self {
        Self {
            status: BYTELANE_OK,
            offset: read,
            count: written,
        }
    }

    /// A failure that is in no byte of the input.
    #[inline]
    pub(crate) const fn refused(status: bytelane_status) -> Self {
        Self::malformed(status, BYTELANE_NOWHERE)
    }

    /// A failure that is in a byte of the input.
    #[inline]
    pub(crate) const fn malformed(status: bytelane_status, offset: usize) -> Self {
        Self {
            status,
            offset,
            count: 0,
        }
    }

    /// The destination needs this many elements.
    #[inline]
    pub(crate) const fn too_short(needed: usize) -> Self {
        Self {
            status: BYTELANE_DESTINATION,
            offset: BYTELANE_NOWHERE,
            count: needed,
        }
    }

    /// The same failure for a destination of values: the core counts what it needs in bytes.
    #[inline]
    pub(crate) const fn in_values<T>(mut self) -> Self {
        self.count /= size_of::<T>();
        self
    }
}

/// The kinds of errors of a codec, as statuses.
pub(crate) trait Kind: Copy {
    /// The status; or what a destination that is too short needs.
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

/// Runs a call whose failures are results too.
#[inline(always)]
pub(crate) fn catching(
    call: impl FnOnce() -> Result<bytelane_result, bytelane_result>,
) -> bytelane_result {
    match call() {
        Ok(result) | Err(result) => result,
    }
}

/// Refuses a destination that is too short.
#[inline]
pub(crate) fn check_room(room: usize, needed: usize) -> Result<(), bytelane_result> {
    if room < needed {
        Err(bytelane_result::too_short(needed))
    } else {
        Ok(())
    }
}

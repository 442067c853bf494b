//! Format without its type. The code below the public functions is compiled for it, in this crate
//! and not in the caller's.
#![forbid(unsafe_code)]

use crate::Detected;
use crate::memory::Slot;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Variant {
    V1234,
    V0124,
    V1248,
}

impl Variant {
    /// Returns the lengths in bytes of the four codes.
    pub(super) const fn lengths(self) -> [usize; 4] {
        match self {
            Variant::V1234 => [1, 2, 3, 4],
            Variant::V0124 => [0, 1, 2, 4],
            Variant::V1248 => [1, 2, 4, 8],
        }
    }

    /// Returns the number of bytes in a value.
    #[inline]
    pub(super) const fn width(self) -> usize {
        match self {
            Variant::V1234 | Variant::V0124 => 4,
            Variant::V1248 => 8,
        }
    }
}

/// Transform of values before they are stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Transform {
    None,
    Delta,
    Zigzag,
    DeltaZigzag,
}

impl Transform {
    pub(super) const fn of(delta: bool, zigzag: bool) -> Self {
        match (delta, zigzag) {
            (false, false) => Transform::None,
            (true, false) => Transform::Delta,
            (false, true) => Transform::Zigzag,
            (true, true) => Transform::DeltaZigzag,
        }
    }

    /// Returns whether each value is stored as its difference from the previous one.
    #[inline(always)]
    pub(super) const fn delta(self) -> bool {
        matches!(self, Transform::Delta | Transform::DeltaZigzag)
    }

    /// Returns whether zigzag moves the sign to the lowest bit.
    #[inline(always)]
    pub(super) const fn zigzag(self) -> bool {
        matches!(self, Transform::Zigzag | Transform::DeltaZigzag)
    }
}

/// A [`Format`](super::Format) without its type, and without its start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Coding {
    pub(super) variant: Variant,
    pub(super) transform: Transform,
}

impl Coding {
    /// Returns the number of bytes in a value.
    #[inline]
    pub(super) const fn width(self) -> usize {
        self.variant.width()
    }
}

/// Decodes values until the destination is full, starting at a whole control byte; the stream must
/// have enough control bytes. Returns the offset after their data, or `None` if the data are
/// incomplete. The value before the position becomes the last value of whole blocks.
pub(super) type Run = fn(&mut Decode<'_>, &mut [Slot]) -> Option<usize>;

/// Values of a stream, from a certain position on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decode<'a> {
    pub(super) coding: Coding,
    /// Function for this coding.
    pub(super) run: Run,
    pub(super) backend: Detected,
    /// Stream, and any bytes after it.
    pub(super) src: &'a [u8],
    /// Number of values before the position.
    pub(super) index: usize,
    /// Offset of the data of the next value, counted from the start of `src`.
    pub(super) offset: usize,
    /// Value before the position.
    pub(super) previous: u64,
}

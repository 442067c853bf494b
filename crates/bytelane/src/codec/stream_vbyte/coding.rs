//! Format without its type. The code below the public functions is compiled for it, in this crate
//! and not in the caller's.
#![forbid(unsafe_code)]

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

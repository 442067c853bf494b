//! Values to be encoded, and decisions about them.
#![forbid(unsafe_code)]

/// Values to be encoded.
pub(crate) trait Source {
    /// Returns the number of values.
    fn len(&self) -> usize;

    /// Returns a bit for each of 64 values, from number `64 * word` on, set if the value equals the
    /// next one. Bits from the last value on are not set.
    fn equal(&self, word: usize) -> u64;

    /// Returns whether a value equals the next one. There must be a next one.
    fn is_equal(&self, value: usize) -> bool;
}

/// Returns the length in bytes of the header of a run with `count` values or groups.
#[inline(always)]
pub(crate) fn header_len(count: usize) -> usize {
    match count {
        0..64 => 1,
        64..8192 => 2,
        8192..0x10_0000 => 3,
        0x10_0000..0x800_0000 => 4,
        _ => 5,
    }
}

/// Decided runs: packed values up to `repeated`, and then values that are repeated up to `end`.
#[derive(Clone, Copy)]
pub(super) struct Decision {
    pub(super) repeated: usize,
    /// Start of the last repetition. Those before it are of other values.
    pub(super) last: usize,
    pub(super) end: usize,
}

impl Decision {
    /// Repeats one value.
    pub(super) fn repeat(start: usize, end: usize) -> Self {
        Self {
            repeated: start,
            last: start,
            end,
        }
    }
}

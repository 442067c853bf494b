//! Choosing runs: decides which values are repeated and which are packed.
#![forbid(unsafe_code)]

mod greedy;
mod search;

/// Values to be encoded.
pub(super) trait Source {
    /// Returns the number of values.
    fn len(&self) -> usize;

    /// Returns a bit for each of 64 values, from number `64 * word` on, set if the value equals the
    /// next one. Bits from the last value on are not set.
    fn equal(&self, word: usize) -> u64;

    /// Returns whether a value equals the next one. There must be a next one.
    fn is_equal(&self, value: usize) -> bool;
}

/// Consumer of the chosen runs.
pub(super) trait Sink {
    /// Packs values. Only the last run may have an incomplete group.
    fn packed(&mut self, start: usize, end: usize);

    /// Repeats values that are all the same.
    fn repeated(&mut self, start: usize, end: usize);
}

/// Effort that the encoder spends on the choice between repeating and packing values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Effort {
    /// Searches for the shortest runs. Compared with [`Fast`](Self::Fast), values that are repeated
    /// up to 16 times in a row take half as many bytes and four times as long; random values take
    /// the same number of bytes and 1.2 to 1.5 times as long (10 bits).
    #[default]
    Small,
    /// Repeats a value wherever a group of eight has only this value, and packs everything else, as
    /// other encoders do.
    Fast,
}

/// Returns the length in bytes of the header of a run with `count` values or groups.
#[inline(always)]
pub(super) fn header_len(count: usize) -> usize {
    match count {
        0..64 => 1,
        64..8192 => 2,
        8192..0x10_0000 => 3,
        0x10_0000..0x800_0000 => 4,
        _ => 5,
    }
}

/// Chooses runs for values of a width of at least 1.
#[inline(always)]
pub(super) fn plan(effort: Effort, width: usize, source: &impl Source, sink: &mut impl Sink) {
    match effort {
        Effort::Small => search::plan(width, source, sink),
        Effort::Fast => greedy::plan(source, sink),
    }
}

//! Choosing runs without a search: [`Effort::Fast`](super::Effort::Fast).
//!
//! # Policy
//!
//! A repetition begins only where a group of a packed run would begin, and only if it fills this
//! group. Packed runs therefore have whole groups, and nothing before a repetition depends on it.
//! The crate `parquet` and Arrow C++ choose the same runs, but end packed runs after 63 groups.
//!
//! ```text
//! at = packed = 0
//! while values are left
//!     find the first group of eight equal values among the 64 values from `at` on
//!     none: at += 64
//!     else: pack everything from `packed` on, repeat, at = packed = the end of the repetition
//! pack the rest, or repeat it if it has a single value
//! ```
//!
//! # Measurements
//!
//! See `docs/lab-notes/rle-hybrid.md`, "The encoder".
#![forbid(unsafe_code)]

use super::source::{Decision, Source};

/// Bit 0 of each byte.
const ONES: u64 = 0x0101_0101_0101_0101;

/// State of the choice.
pub(super) struct Greedy<'a, S> {
    source: &'a S,
    /// Next word of the source.
    word: usize,
    /// The two words before it: a bit for each value, set if the value equals the next one.
    equal: [u64; 2],
    /// End of the last repetition.
    packed: usize,
    /// Next value to look at.
    at: usize,
    /// Start of a repetition whose end has not been found.
    start: Option<usize>,
}

impl<'a, S: Source> Greedy<'a, S> {
    #[inline(always)]
    pub(super) fn new(source: &'a S) -> Self {
        Self {
            source,
            word: 0,
            equal: [0; 2],
            packed: 0,
            at: 0,
            start: None,
        }
    }

    /// Returns the next repetition; everything before it is packed.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<Decision> {
        let count = self.source.len();
        while self.at < count {
            // One place that reads ahead, so that it is compiled once.
            let equal = self.ahead();
            let Some(start) = self.start else {
                // Bit 7 of each byte whose lower seven bits are set.
                let filled = ((equal & (0x7f * ONES)) + ONES) & (0x80 * ONES);
                if filled == 0 {
                    self.at += 64;
                } else {
                    self.at += filled.trailing_zeros() as usize / 8 * 8;
                    self.start = Some(self.at);
                }
                continue;
            };
            let ones = equal.trailing_ones() as usize;
            self.at += ones;
            if ones < 64 {
                self.at += 1;
                self.packed = self.at;
                self.start = None;
                return Some(Decision::repeat(start, self.at));
            }
        }
        let start = core::mem::replace(&mut self.packed, count);
        let is_rest = start < count && count - start < 8;
        let is_single = is_rest && (start..count - 1).all(|value| self.source.is_equal(value));
        is_single.then(|| Decision::repeat(start, count))
    }

    /// Returns the bits from the next value on.
    #[inline(always)]
    fn ahead(&mut self) -> u64 {
        while self.word <= self.at / 64 + 1 {
            let is_there = 64 * self.word < self.source.len();
            let next = if is_there {
                self.source.equal(self.word)
            } else {
                0
            };
            self.equal = [self.equal[1], next];
            self.word += 1;
        }
        let [these, next] = self.equal;
        match self.at % 64 {
            0 => these,
            shift => these >> shift | next << (64 - shift),
        }
    }
}

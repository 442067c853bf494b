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

use super::{Sink, Source};

/// Bit 0 of each byte.
const ONES: u64 = 0x0101_0101_0101_0101;

/// The next values: a bit for each of 64, set if the value equals the one after it.
struct Ahead<'a, S> {
    source: &'a S,
    word: usize,
    equal: [u64; 2],
}

impl<'a, S: Source> Ahead<'a, S> {
    #[inline(always)]
    fn new(source: &'a S) -> Self {
        let mut ahead = Self {
            source,
            word: 0,
            equal: [0; 2],
        };
        ahead.equal = [ahead.read(0), ahead.read(1)];
        ahead
    }

    #[inline(always)]
    fn read(&self, word: usize) -> u64 {
        if 64 * word < self.source.len() {
            self.source.equal(word)
        } else {
            0
        }
    }

    /// Returns the bits from a value on. The value must not be before that of the last call.
    #[inline(always)]
    fn from(&mut self, value: usize) -> u64 {
        while self.word < value / 64 {
            self.word += 1;
            self.equal = [self.equal[1], self.read(self.word + 1)];
        }
        let [these, next] = self.equal;
        match value % 64 {
            0 => these,
            shift => these >> shift | next << (64 - shift),
        }
    }

    /// Returns the end of the values that equal the one at `start`.
    #[inline(always)]
    fn end(&mut self, start: usize) -> usize {
        let mut at = start;
        loop {
            let ones = self.from(at).trailing_ones() as usize;
            at += ones;
            if ones < 64 {
                return at + 1;
            }
        }
    }
}

/// Chooses runs.
#[inline(always)]
pub(super) fn plan(source: &impl Source, sink: &mut impl Sink) {
    let count = source.len();
    let mut ahead = Ahead::new(source);
    let (mut packed, mut at) = (0, 0);
    while at < count {
        // Bit 7 of each byte whose lower seven bits are set.
        let filled = ((ahead.from(at) & (0x7f * ONES)) + ONES) & (0x80 * ONES);
        if filled == 0 {
            at += 64;
            continue;
        }
        let start = at + filled.trailing_zeros() as usize / 8 * 8;
        let end = ahead.end(start);
        if packed < start {
            sink.packed(packed, start);
        }
        sink.repeated(start, end);
        (packed, at) = (end, end);
    }
    if packed == count {
        return;
    }
    if count - packed < 8 && ahead.end(packed) == count {
        sink.repeated(packed, count);
    } else {
        sink.packed(packed, count);
    }
}

//! Choosing exponents and factors.
//!
//! All pairs are compared on samples of some vectors, as in section 3.1.2 of the paper. What is
//! compared is bytes: those of the packed integers and those of the exceptions. The pairs that won
//! most often are then compared on all values of each vector.
#![forbid(unsafe_code)]

use super::page::{POSITION, vector_header};
use super::pair::most;
use super::{Pair, Steps};
use crate::codec::bit_packing::Layout;
use crate::simd::window;

/// Vectors of a page that are sampled.
pub(super) const SAMPLED_VECTORS: usize = 8;

/// Values of a sample.
const SAMPLE: usize = 64;

/// Pairs that are compared on all values of a vector.
const CANDIDATES: usize = 5;

/// What a pair makes of values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub(super) pair: Pair,
    pub(super) exceptions: usize,
    /// The least integer.
    pub(super) least: i64,
    /// The greatest integer.
    pub(super) greatest: i64,
    /// Bytes of the packed integers and the exceptions.
    pub(super) bytes: usize,
}

impl Choice {
    /// All values as exceptions.
    fn none<const K: usize>(count: usize) -> Self {
        Self {
            pair: Pair {
                exponent: 0,
                factor: 0,
            },
            exceptions: count,
            least: 0,
            greatest: 0,
            bytes: (POSITION + K) * count,
        }
    }

    /// How the integers are packed.
    #[inline(always)]
    pub(super) fn layout<const K: usize>(&self) -> Layout {
        let range = self.greatest.wrapping_sub(self.least).cast_unsigned();
        Layout {
            width: 64 - range.leading_zeros() as usize,
            reference: self.least.cast_unsigned(),
            zigzag: false,
        }
    }

    /// Bytes of the vector.
    pub(super) fn vector_bytes<const K: usize>(&self) -> usize {
        vector_header::<K>() + self.bytes
    }

    /// Whether it is better: shorter or, which is likely to have fewer exceptions among values that
    /// were not looked at, of a greater exponent.
    fn is_better(&self, than: &Self) -> bool {
        let rank = |choice: &Self| (choice.bytes, core::cmp::Reverse(choice.pair.exponent));
        rank(self) < rank(than)
    }
}

/// Weighs a pair for values of `K` bytes, of which there is at least one.
#[inline(always)]
fn weigh<const K: usize, S: Steps<K>>(steps: S, pair: Pair, values: &[u8]) -> Choice {
    let powers = steps.powers(pair.powers::<K>());
    let mut range = steps.range();
    let mut exceptions = 0;
    let (blocks, rest) = values.as_chunks::<64>();
    for block in blocks {
        exceptions += steps.weigh(&powers, block, &mut range).count_ones();
    }
    if !rest.is_empty() {
        let found = steps.weigh(&powers, &padded::<K>(rest), &mut range);
        exceptions += (found & !(u32::MAX << (rest.len() / K))).count_ones();
    }
    let [least, greatest] = steps.ends(range);
    let count = values.len() / K;
    if least > greatest {
        return Choice::none::<K>(count);
    }
    let mut choice = Choice {
        pair,
        exceptions: exceptions as usize,
        least,
        greatest,
        bytes: 0,
    };
    let packed = choice.layout::<K>().bytes(count).unwrap_or(usize::MAX);
    choice.bytes = packed.saturating_add((POSITION + K) * choice.exceptions);
    choice
}

/// A block of values, the last of them several times.
#[inline(always)]
pub(super) fn padded<const K: usize>(values: &[u8]) -> [u8; 64] {
    let mut block = [0; 64];
    block[..values.len()].copy_from_slice(values);
    let last = *window::<K, _>(values, values.len() - K);
    for i in values.len() / K..64 / K {
        block[K * i..K * (i + 1)].copy_from_slice(&last);
    }
    block
}

/// Up to [`SAMPLE`] values, evenly spread, and how many they are. Returns the bytes of the rest
/// unchanged.
#[inline(always)]
fn sample<const K: usize>(values: &[u8], to: &mut [u8; 8 * SAMPLE]) -> usize {
    let values = values.as_chunks::<K>().0;
    let step = values.len().div_ceil(SAMPLE).max(1);
    let mut count = 0;
    for (value, to) in values.iter().step_by(step).zip(to.as_chunks_mut().0) {
        *to = *value;
        count += 1;
    }
    K * count
}

/// The best pairs for values: the best, and the second best that makes other integers of them.
#[inline(always)]
fn search<const K: usize, S: Steps<K>>(steps: S, values: &[u8]) -> Choice {
    let mut best = Choice::none::<K>(values.len() / K);
    for exponent in 0..=most::<K>() {
        for factor in 0..=exponent {
            let choice = weigh(steps, Pair { exponent, factor }, values);
            if choice.is_better(&best) {
                best = choice;
            }
        }
    }
    best
}

/// The pairs that are compared for each vector.
pub(super) struct Candidates {
    pairs: [(Pair, u8); SAMPLED_VECTORS],
    count: usize,
}

impl Candidates {
    /// Searches samples of some vectors of `length` values.
    #[inline(always)]
    pub(super) fn of<const K: usize, S: Steps<K>>(steps: S, values: &[u8], length: usize) -> Self {
        let none = Choice::none::<K>(0).pair;
        let mut candidates = Self {
            pairs: [(none, 0); SAMPLED_VECTORS],
            count: 0,
        };
        let vectors = values.len().div_ceil(K * length);
        let step = vectors.div_ceil(SAMPLED_VECTORS).max(1);
        for vector in values.chunks(K * length).step_by(step) {
            let mut some = [0; 8 * SAMPLE];
            let bytes = sample::<K>(vector, &mut some);
            let best = search::<K, S>(steps, &some[..bytes]);
            candidates.add(best.pair);
        }
        // The most frequent ones first.
        candidates.pairs[..candidates.count].sort_unstable_by_key(|(pair, times)| {
            core::cmp::Reverse((*times, pair.exponent, pair.factor))
        });
        candidates.count = usize::min(candidates.count, CANDIDATES);
        candidates
    }

    fn add(&mut self, pair: Pair) {
        let known = self.pairs[..self.count].iter_mut();
        match known.into_iter().find(|(known, _)| *known == pair) {
            Some((_, times)) => *times += 1,
            None => {
                self.pairs[self.count] = (pair, 1);
                self.count += 1;
            }
        }
    }

    /// The best pair for a vector.
    #[inline(always)]
    pub(super) fn best<const K: usize, S: Steps<K>>(&self, steps: S, values: &[u8]) -> Choice {
        let count = values.len() / K;
        let mut best = Choice::none::<K>(count);
        for &(pair, _) in &self.pairs[..self.count] {
            let choice = weigh(steps, pair, values);
            if choice.bytes < best.bytes {
                best = choice;
            }
        }
        if best.exceptions > count / 8 {
            let mut some = [0; 8 * SAMPLE];
            let bytes = sample::<K>(values, &mut some);
            let own = search::<K, S>(steps, &some[..bytes]);
            let choice = weigh(steps, own.pair, values);
            if choice.bytes < best.bytes {
                best = choice;
            }
        }
        best
    }
}

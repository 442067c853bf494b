//! Choosing exponents and factors: which power of ten makes integers of the values of a vector.
//!
//! # Policy
//!
//! The cost is bytes: those of the packed integers and those of the exceptions. Exponents and factors
//! are searched on samples of some vectors, as in section 3.1.2 of the paper; the pairs that won most
//! often are then weighed on all values of each vector.
//!
//! ```text
//! Candidates::of, once per page
//!     for 8 vectors, evenly spread: search a sample of 512 bytes
//!         for digits = exponent - factor, from 0 on           more digits make wider integers
//!             for exponents, smallest error of 10^-exponent first
//!                 weigh; stop the group after `in_vain` failures
//!             stop if the sample has no exceptions
//!         note the best pair, and the one before it if it is within an eighth
//!     keep the 5 most frequent pairs
//! best, for each vector
//!     weigh each candidate on all values
//!     more than 1/8 exceptions: search the vector itself, unless earlier ones were in vain
//!     so too, or more than 8 bits: weigh again with limits (`narrower`), outside of which integers
//!     become exceptions
//! ```
//!
//! A pair is left as soon as it has more exceptions than the best one has bytes for.
//!
//! # Invariants
//!
//! - A [`Choice`] describes all values of the vector: what is written from it takes exactly `bytes`.
//! - No choice is worse than all values as exceptions ([`Choice::none`]), so a vector never takes more
//!   than `K + 2` bytes per value.
//! - All instruction sets weigh alike, so that all of them write the same bytes.
//!
//! # What decided
//!
//! Comparing all 190 pairs took more than half of the time to encode; in the order of errors, encoding
//! `f64` is twice as fast. Against the crate `parquet`, pages of seven real columns have
//! 0.935 of the size (geometric mean); limits, searches for single vectors and irregular samples made
//! the difference, each named with its share in `docs/lab-notes/alp.md`. Where no share is named below, a
//! constant was not measured apart from the whole.
#![forbid(unsafe_code)]

use crate::codec::alp::page::{POSITION, vector_header};
use crate::codec::alp::pair::{by_error, most};
use crate::codec::alp::{Pair, Powers, Steps, widest};
use crate::codec::bit_packing::Layout;
use crate::simd::window;

/// Number of vectors of a page that are sampled, as in the paper.
pub(super) const SAMPLED_VECTORS: usize = 8;

/// Bytes of a sample: 64 `f64` or 128 `f32` of a vector.
const SAMPLE: usize = 512;

/// Number of exponents that are tried without success before those with more digits are. Numbers of
/// 4 bytes have so few digits that all exponents have similar numbers of exceptions: all 11 are tried.
/// For 8 bytes, three: with the order of errors, this doubled the speed of encoding `f64`.
const fn in_vain<const K: usize>() -> usize {
    match K {
        4 => 11,
        _ => 3,
    }
}

/// Number of blocks between checks of whether a pair has too many exceptions.
const STRIDE: usize = 4;

/// Greatest number of vectors without a search of their own after searches in vain. A search takes as
/// long as encoding ten vectors; with up to 16 skipped, columns of `f32` with many exceptions take half
/// of the time, and sizes change by less than 0.1%.
const MOST_SKIPPED: u8 = 16;

/// Number of pairs that are compared on all values of a vector, as in the paper.
const CANDIDATES: usize = 5;

/// Outcome of encoding values with a pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub(super) pair: Pair,
    /// The least and the greatest integer that a value may have; others are exceptions.
    pub(super) limits: [i64; 2],
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
                is_double: false,
            },
            limits: widest::<K>(),
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
}

/// Weighs a pair for at least one value of `K` bytes. `None` if it takes `limit` bytes or more, or nothing but
/// exceptions.
#[inline(always)]
fn weigh<const K: usize, S: Steps<K>>(
    steps: S,
    (pair, limits): (Pair, [i64; 2]),
    values: &[u8],
    limit: usize,
) -> Option<Choice> {
    // The most exceptions that may be worth while.
    let most = limit.checked_sub(1)? / (POSITION + K);
    let within = steps.limits(limits);
    let powers = pair.powers::<K>().in_steps::<K, S>(steps);
    let mut range = steps.range();
    let (blocks, rest) = values.as_chunks();
    let mut exceptions = steps.weigh_blocks(&powers, &within, blocks, most, &mut range)?;
    if !rest.is_empty() {
        let found = steps.weigh(&powers, &within, &padded::<K>(rest), &mut range);
        exceptions += (found & !(u32::MAX << (rest.len() / K))).count_ones() as usize;
    }
    let [least, greatest] = steps.ends(range);
    let mut choice = Choice {
        pair,
        limits,
        exceptions,
        least,
        greatest,
        bytes: 0,
    };
    let packed = choice.layout::<K>().bytes(values.len() / K);
    choice.bytes = packed
        .unwrap_or(usize::MAX)
        .saturating_add((POSITION + K) * exceptions);
    (choice.bytes < limit && least <= greatest).then_some(choice)
}

/// As [`Steps::weigh`], for blocks. Returns how many exceptions there are, if there are `most` or fewer.
#[inline(always)]
pub(in crate::codec::alp) fn weigh_blocks<const K: usize, S: Steps<K>>(
    steps: S,
    powers: &Powers<S::Number>,
    limits: &S::Limits,
    blocks: &[[u8; 64]],
    most: usize,
    range: &mut S::Range,
) -> Option<usize> {
    let (mut exceptions, mut so_far) = (0, *range);
    for some in blocks.chunks(STRIDE) {
        for block in some {
            let found = steps.weigh(powers, limits, block, &mut so_far);
            exceptions += found.count_ones() as usize;
        }
        if exceptions > most {
            return None;
        }
    }
    *range = so_far;
    Some(exceptions)
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

/// Values from everywhere, but not at regular places, which could all be alike. Returns how many bytes
/// they have.
#[inline(always)]
fn sample<const K: usize>(values: &[u8], to: &mut [u8; SAMPLE]) -> usize {
    let values = values.as_chunks::<K>().0;
    let step = values.len().div_ceil(SAMPLE / K).max(1);
    let mut count = 0;
    for (i, some) in values.chunks(step).enumerate() {
        if let Some(value) = irregular(some, i) {
            to[K * i..K * (i + 1)].copy_from_slice(value);
            count += 1;
        }
    }
    K * count
}

/// Four samples from all over at least 64 values.
#[inline(always)]
fn parts<const K: usize>(values: &[u8]) -> Option<[[[u8; K]; 16]; 4]> {
    let values = values.as_chunks::<K>().0;
    let mut parts = [[[0; K]; 16]; 4];
    for i in 0..64 {
        let [from, to] = [i, i + 1].map(|i| i * values.len() / 64);
        parts[i % 4][i / 4] = *irregular(values.get(from..to)?, i)?;
    }
    Some(parts)
}

/// One of some values, in another place for each number.
#[inline(always)]
fn irregular<T>(values: &[T], number: usize) -> Option<&T> {
    // Multiples of the golden ratio, here 2^32 divided by it, are spread over all fractions.
    let fraction = u64::from((number as u32).wrapping_mul(0x9e37_79b9));
    values.get(((fraction * values.len() as u64) >> 32) as usize)
}

/// The best pair for a sample, and the one that was the best before it.
///
/// Pairs are grouped by the digits after the point that they keep, which is the difference of exponent
/// and factor. Those of a group make about the same integers of values, and differ in how often they
/// give the values back. The search ends when they all do: more digits would only take more bits.
#[inline(always)]
fn search<const K: usize, S: Steps<K>>(steps: S, values: &[u8]) -> [Choice; 2] {
    let mut found = [Choice::none::<K>(values.len() / K); 2];
    for digits in 0..=most::<K>() {
        found = search_group::<K, S>(steps, digits, values, found);
        if found[0].exceptions == 0 {
            break;
        }
    }
    found
}

/// As [`search`], for the pairs that keep `digits` digits, if one of them is better than the best so far.
#[inline(always)]
fn search_group<const K: usize, S: Steps<K>>(
    steps: S,
    digits: u8,
    values: &[u8],
    [mut best, mut before]: [Choice; 2],
) -> [Choice; 2] {
    let mut failures = 0;
    let exponents = by_error::<K>().iter();
    for &exponent in exponents.filter(|&&exponent| exponent >= digits) {
        failures += 1;
        // Only numbers of 4 bytes have other integers that are better.
        for is_double in [false, true].into_iter().take(if K == 4 { 2 } else { 1 }) {
            let pair = Pair {
                exponent,
                factor: exponent - digits,
                is_double,
            };
            if let Some(choice) = weigh(steps, (pair, widest::<K>()), values, best.bytes) {
                (best, before, failures) = (choice, best, 0);
            }
        }
        if best.exceptions == 0 || failures == in_vain::<K>() {
            break;
        }
    }
    [best, before]
}

/// The pairs that are compared for each vector.
pub(super) struct Candidates {
    pairs: [(Pair, u8); 2 * SAMPLED_VECTORS],
    count: usize,
    /// Searches for single vectors that have found nothing better, since the last one that did.
    in_vain: u8,
    /// Vectors for which none is searched next.
    skipped: u8,
}

impl Candidates {
    /// Searches samples of some vectors of `length` values.
    #[inline(always)]
    pub(super) fn of<const K: usize, S: Steps<K>>(steps: S, values: &[u8], length: usize) -> Self {
        let none = Choice::none::<K>(0).pair;
        let mut candidates = Self {
            pairs: [(none, 0); 2 * SAMPLED_VECTORS],
            count: 0,
            in_vain: 0,
            skipped: 0,
        };
        let vectors = values.len().div_ceil(K * length);
        let step = vectors.div_ceil(SAMPLED_VECTORS).max(1);
        for vector in values.chunks(K * length).step_by(step) {
            let mut some = [0; SAMPLE];
            let bytes = sample::<K>(vector, &mut some);
            let [best, before] = search::<K, S>(steps, &some[..bytes]);
            candidates.add(best.pair);
            // On all values, it may be better.
            if before.bytes < best.bytes + best.bytes / 8 {
                candidates.add(before.pair);
            }
        }
        // The most frequent ones first.
        candidates.pairs[..candidates.count].sort_unstable_by_key(|(pair, times)| {
            core::cmp::Reverse((*times, pair.exponent, pair.factor, pair.is_double))
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

    /// A choice, or that of a search for a vector alone. A search takes as long as encoding many vectors
    /// does, so the more of them have been in vain, the fewer are made.
    #[inline(always)]
    fn searched<const K: usize, S: Steps<K>>(
        &mut self,
        steps: S,
        values: &[u8],
        best: Choice,
    ) -> Choice {
        if self.skipped > 0 {
            self.skipped -= 1;
            return best;
        }
        let mut some = [0; SAMPLE];
        let bytes = sample::<K>(values, &mut some);
        let [own, _] = search::<K, S>(steps, &some[..bytes]);
        let found = better(steps, (own.pair, own.limits), values, best);
        self.in_vain = if found.bytes < best.bytes {
            0
        } else {
            u8::min(self.in_vain + 1, MOST_SKIPPED)
        };
        self.skipped = self.in_vain;
        found
    }

    /// The best pair for the next vector.
    #[inline(always)]
    pub(super) fn best<const K: usize, S: Steps<K>>(&mut self, steps: S, values: &[u8]) -> Choice {
        let count = values.len() / K;
        let mut best = Choice::none::<K>(count);
        for &(pair, _) in &self.pairs[..self.count] {
            best = better(steps, (pair, widest::<K>()), values, best);
        }
        let is_poor = best.exceptions > count / 8;
        let is_wide = best.layout::<K>().width > 8;
        if is_poor {
            best = self.searched(steps, values, best);
        }
        if (is_poor || is_wide)
            && let Some(limits) = narrower::<K, S>(steps, &best, values)
        {
            best = better(steps, (best.pair, limits), values, best);
        }
        best
    }
}

/// The better one of a choice and another one.
#[inline(always)]
fn better<const K: usize, S: Steps<K>>(
    steps: S,
    other: (Pair, [i64; 2]),
    values: &[u8],
    best: Choice,
) -> Choice {
    weigh(steps, other, values, best.bytes).unwrap_or(best)
}

/// Limits for integers of which a few are far from all others, so that they may be better off as exceptions.
/// They are judged by the fourth part of a sample that has the smallest range, with as much room on each
/// side. `None` if that hardly saves anything, or there are too few values.
#[inline(always)]
fn narrower<const K: usize, S: Steps<K>>(
    steps: S,
    choice: &Choice,
    values: &[u8],
) -> Option<[i64; 2]> {
    let parts = parts::<K>(values)?;
    let mut best: Option<Choice> = None;
    for part in &parts {
        let limit = best.map_or(usize::MAX, |best| best.bytes);
        let part = weigh(
            steps,
            (choice.pair, choice.limits),
            part.as_flattened(),
            limit,
        );
        best = part.or(best);
    }
    let Choice {
        least, greatest, ..
    } = best?;
    // Twice as much room on either side still has 51 bits and a sign, which all steps can convert.
    const LARGE: i64 = 1 << 50;
    if least < -LARGE || greatest > LARGE {
        return None;
    }
    let room = greatest - least;
    let limits = [least - room, greatest + room].map(|limit| limit.clamp(-2 * LARGE, 2 * LARGE));
    let [least, greatest] = [
        i64::max(limits[0], choice.least),
        i64::min(limits[1], choice.greatest),
    ];
    let width = Choice {
        least,
        greatest,
        ..*choice
    }
    .layout::<K>()
    .width;
    (width < choice.layout::<K>().width).then_some([least, greatest])
}

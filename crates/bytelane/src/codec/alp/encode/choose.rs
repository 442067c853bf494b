//! Choosing exponents and factors: finds the power of ten that turns the values of a vector into
//! integers.
//!
//! # Policy
//!
//! The cost is the size in bytes of the packed integers and the exceptions. Exponents and factors
//! are searched on samples of some vectors, as in section 3.1.2 of the paper; the pairs that won
//! most often are then weighed on all values of each vector.
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
//!     more than 1/8 exceptions: search the vector itself, unless that is the search above, or
//!         earlier searches were in vain
//!     still so, or more than 8 bits: weigh again with limits (`narrower`); integers outside become
//!     exceptions
//! ```
//!
//! A group of pairs with the same digits looks only at the values of the sample that need not be exceptions of all of
//! them ([`Steps::likely`]). A pair is dropped as soon as its exceptions so far, and the range of its first integers,
//! take as many bytes as the best pair.
//!
//! # Invariants
//!
//! - A [`Choice`] describes all values of the vector: writing it takes exactly `bytes`.
//! - No choice is worse than storing all values as exceptions ([`Choice::none`]), so a vector never
//!   takes more than `K + 2` bytes per value.
//! - All instruction sets compute the same costs, so they write the same bytes.
//!
//! # Measurements
//!
//! Comparing all 190 pairs took more than half of the encoding time; trying exponents in the order
//! of their errors makes encoding `f64` twice as fast. With the values that need not be exceptions, and the range of the
//! first integers, pages of 1,024 `f32` take half the time with AVX2 and SSE4.1. Pages of seven real columns are 6.5% smaller
//! (geometric mean) than those of the crate `parquet`. Limits, searches for single vectors and
//! irregular samples made the difference; the share of each is in `docs/lab-notes/alp.md`.
//! Constants below without a measurement were not measured on their own.
#![forbid(unsafe_code)]

use super::choice::Choice;
use super::weigh::{Costs, weigh};
use crate::codec::alp::pair::{by_error, most, up};
use crate::codec::alp::{Pair, Steps, widest};
use crate::memory::Each;
use crate::simd::window;

/// Number of sampled vectors per page, as in the paper.
pub(super) const SAMPLED_VECTORS: usize = 8;

/// Size of a sample, in bytes: 64 `f64` or 128 `f32` of a vector.
const SAMPLE: usize = 512;

/// Number of exponents to try without success before moving on to more digits. 4-byte numbers have
/// so few digits that all exponents have similar numbers of exceptions: all 11 are tried. For 8
/// bytes, three are tried: in the order of errors, this doubled the speed of encoding `f64`.
const fn in_vain<const K: usize>() -> usize {
    match K {
        4 => 11,
        _ => 3,
    }
}

/// Maximum number of vectors to skip after unsuccessful searches. A search takes as long as
/// encoding ten vectors; skipping up to 16 halves the time for columns of `f32` with many
/// exceptions, and sizes change by less than 0.1%.
const MOST_SKIPPED: u8 = 16;

/// Number of pairs to compare on all values of a vector, as in the paper.
const CANDIDATES: usize = 5;

/// Some values of a vector, followed by NaN.
struct Sample {
    blocks: [[u8; 64]; SAMPLE / 64],
    count: usize,
}

impl Sample {
    /// Returns no values.
    fn none() -> Self {
        Self {
            blocks: [[0xff; 64]; SAMPLE / 64],
            count: 0,
        }
    }

    /// Samples values from all over the vector, at irregular positions, since values at regular
    /// positions could all be alike.
    #[inline(always)]
    fn of<const K: usize>(values: &[u8]) -> Self {
        let values = values.as_chunks::<K>().0;
        let step = values.len().div_ceil(SAMPLE / K).max(1);
        let mut sample = Self::none();
        let places = sample.blocks.as_flattened_mut().as_chunks_mut().0;
        for (i, (some, to)) in values.chunks(step).zip(places).enumerate() {
            if let Some(value) = irregular(some, i) {
                *to = *value;
                sample.count += 1;
            }
        }
        sample
    }

    /// Returns the blocks with values.
    #[inline(always)]
    fn blocks<const K: usize>(&self) -> &[[u8; 64]] {
        &self.blocks[..(K * self.count).div_ceil(64)]
    }
}

/// Takes four samples from all over at least 64 values.
#[inline(always)]
fn parts<const K: usize>(values: &[u8]) -> Option<[[[u8; K]; 16]; 4]> {
    let values = values.as_chunks::<K>().0;
    let mut parts = [[[0; K]; 16]; 4];
    for i in 0..64 {
        let [from, to] = [i, i + 1].each(|i| i * values.len() / 64);
        parts[i % 4][i / 4] = *irregular(values.get(from..to)?, i)?;
    }
    Some(parts)
}

/// Returns one of some values, at a different position for each number.
#[inline(always)]
fn irregular<T>(values: &[T], number: usize) -> Option<&T> {
    // Multiples of the golden ratio, here 2^32 divided by it, spread evenly over all fractions.
    let fraction = u64::from((number as u32).wrapping_mul(0x9e37_79b9));
    values.get(((fraction * values.len() as u64) >> 32) as usize)
}

/// Returns the best pair for a sample, and the best pair before it.
///
/// Pairs are grouped by the number of digits that they keep after the point, which is the exponent
/// minus the factor. Pairs of a group produce about the same integers, and differ in how many
/// values convert back exactly. The search ends when all values do: more digits would only take
/// more bits.
#[inline(always)]
fn search<const K: usize, S: Steps<K>>(steps: S, sample: &Sample) -> [Choice; 2] {
    let mut found = [Choice::none::<K>(sample.count); 2];
    let mut some = Sample::none();
    for digits in 0..=most::<K>() {
        let power = up::<K>(digits);
        let (mut masks, mut count) = ([0; SAMPLE / 64], 0);
        for (mask, block) in masks.iter_mut().zip(&sample.blocks) {
            *mask = steps.likely(power, block);
            count += mask.count_ones() as usize;
        }
        let costs = Costs {
            values: sample.count,
            weighed: count,
            limit: found[0].bytes,
        };
        if costs.have_hope::<K>(0, 0, 0) {
            let these = if 4 * costs.weighed > 3 * costs.values {
                sample
            } else {
                select::<K>(sample, &masks, costs.weighed, &mut some);
                &some
            };
            found = search_group::<K, S>(steps, digits, these, costs, found);
        }
        if found[0].exceptions == 0 {
            break;
        }
    }
    found
}

/// Selects some values of a sample, by one bit each.
#[inline(always)]
fn select<const K: usize>(
    from: &Sample,
    masks: &[u32; SAMPLE / 64],
    count: usize,
    to: &mut Sample,
) {
    to.count = count;
    // The values need not fill the last block.
    if let Some(last) = to.blocks.get_mut(K * count / 64) {
        *last = [0xff; 64];
    }
    let mut places = to
        .blocks
        .as_flattened_mut()
        .as_chunks_mut::<K>()
        .0
        .iter_mut();
    for (&mask, block) in masks.iter().zip(&from.blocks) {
        let mut mask = mask;
        while mask != 0 {
            let value = window(block, K * mask.trailing_zeros() as usize);
            mask &= mask - 1;
            if let Some(place) = places.next() {
                *place = *value;
            }
        }
    }
}

/// Same as [`search`], for the pairs that keep `digits` digits, if one of them is better than the
/// best so far. All other values are exceptions of all these pairs.
#[inline(always)]
fn search_group<const K: usize, S: Steps<K>>(
    steps: S,
    digits: u8,
    sample: &Sample,
    costs: Costs,
    [mut best, mut before]: [Choice; 2],
) -> [Choice; 2] {
    let values = sample.blocks::<K>().as_flattened();
    let mut failures = 0;
    let exponents = by_error::<K>().iter();
    for &exponent in exponents.filter(|&&exponent| exponent >= digits) {
        failures += 1;
        // Only 4-byte numbers have other integers that are better, and only if the second power is
        // not 1.
        let is_alone = K != 4 || exponent == digits;
        for is_double in [false, true].into_iter().take(if is_alone { 1 } else { 2 }) {
            let pair = Pair {
                exponent,
                factor: exponent - digits,
                is_double,
            };
            let costs = Costs {
                weighed: sample.count,
                limit: best.bytes,
                ..costs
            };
            if let Some(choice) = weigh(steps, (pair, widest::<K>()), values, costs) {
                (best, before, failures) = (choice, best, 0);
            }
        }
        if best.exceptions == 0 || failures == in_vain::<K>() {
            break;
        }
    }
    [best, before]
}

/// Pairs to compare for each vector.
pub(super) struct Candidates {
    pairs: [(Pair, u8); 2 * SAMPLED_VECTORS],
    count: usize,
    /// Consecutive unsuccessful searches for single vectors.
    in_vain: u8,
    /// Number of vectors to skip before the next search.
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
            let [best, before] = search::<K, S>(steps, &Sample::of::<K>(vector));
            candidates.add(best.pair);
            // It may be better on all values.
            if before.bytes < best.bytes + best.bytes / 8 {
                candidates.add(before.pair);
            }
        }
        // Most frequent first.
        candidates.pairs[..candidates.count].sort_unstable_by_key(|(pair, times)| {
            core::cmp::Reverse((*times, pair.exponent, pair.factor, pair.is_double))
        });
        // Where each vector was sampled and its best pair kept, a search would find nothing else.
        if step == 1 && candidates.count <= CANDIDATES {
            candidates.skipped = SAMPLED_VECTORS as u8;
        }
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

    /// Returns the given choice, or a better one from a search for this vector alone. A search
    /// takes as long as encoding many vectors, so the more of them were unsuccessful, the fewer are
    /// made.
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
        let [own, _] = search::<K, S>(steps, &Sample::of::<K>(values));
        let found = better(steps, (own.pair, own.limits), values, best);
        self.in_vain = if found.bytes < best.bytes {
            0
        } else {
            u8::min(self.in_vain + 1, MOST_SKIPPED)
        };
        self.skipped = self.in_vain;
        found
    }

    /// Returns the best pair for the next vector.
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

/// Returns the better of a choice and that of another pair.
#[inline(always)]
fn better<const K: usize, S: Steps<K>>(
    steps: S,
    other: (Pair, [i64; 2]),
    values: &[u8],
    best: Choice,
) -> Choice {
    let costs = Costs {
        values: values.len() / K,
        weighed: values.len() / K,
        limit: best.bytes,
    };
    weigh(steps, other, values, costs).unwrap_or(best)
}

/// Returns narrower limits for integers, if a few that lie far from all others may be cheaper as
/// exceptions. The quarter of a sample with the smallest range decides, with as much room on each
/// side. `None` if that hardly saves anything, or if there are too few values.
#[inline(always)]
fn narrower<const K: usize, S: Steps<K>>(
    steps: S,
    choice: &Choice,
    values: &[u8],
) -> Option<[i64; 2]> {
    let parts = parts::<K>(values)?;
    let mut best: Option<Choice> = None;
    for part in &parts {
        let costs = Costs {
            values: part.len(),
            weighed: part.len(),
            limit: best.map_or(usize::MAX, |best| best.bytes),
        };
        let values = part.as_flattened();
        let part = weigh(steps, (choice.pair, choice.limits), values, costs);
        best = part.or(best);
    }
    let Choice {
        least, greatest, ..
    } = best?;
    // With twice as much room on either side, integers still have at most 51 bits and a sign, which
    // all steps can convert.
    const LARGE: i64 = 1 << 50;
    if least < -LARGE || greatest > LARGE {
        return None;
    }
    let room = greatest - least;
    let limits = [least - room, greatest + room].each(|limit| limit.clamp(-2 * LARGE, 2 * LARGE));
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

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
//! of their errors makes encoding `f64` twice as fast. Pages of seven real columns are 6.5% smaller
//! (geometric mean) than those of the crate `parquet`. Limits, searches for single vectors and
//! irregular samples made the difference; the share of each is in `docs/lab-notes/alp.md`.
//! Constants below without a measurement were not measured on their own.
#![forbid(unsafe_code)]

use crate::codec::alp::page::{POSITION, vector_header};
use crate::codec::alp::pair::{by_error, most, up};
use crate::codec::alp::{Pair, Powers, Steps, widest};
use crate::codec::bit_packing::Layout;
use crate::simd::{window, window_mut};

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

/// Number of blocks between checks whether the costs are still below the limit. The first check is
/// after the first block.
const STRIDE: usize = 2;

/// Maximum number of vectors to skip after unsuccessful searches. A search takes as long as
/// encoding ten vectors; skipping up to 16 halves the time for columns of `f32` with many
/// exceptions, and sizes change by less than 0.1%.
const MOST_SKIPPED: u8 = 16;

/// Number of pairs to compare on all values of a vector, as in the paper.
const CANDIDATES: usize = 5;

/// Result of encoding values with a pair.
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
    /// Size of the packed integers and the exceptions, in bytes.
    pub(super) bytes: usize,
}

impl Choice {
    /// Stores all values as exceptions.
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

    /// Returns the layout of the packed integers.
    #[inline(always)]
    pub(super) fn layout<const K: usize>(&self) -> Layout {
        Layout {
            width: width([self.least, self.greatest]),
            reference: self.least.cast_unsigned(),
            zigzag: false,
        }
    }

    /// Returns the size of the vector in bytes.
    pub(super) fn vector_bytes<const K: usize>(&self) -> usize {
        vector_header::<K>() + self.bytes
    }
}

/// Returns the number of bits of the distances from the least integer; 0 if there are no integers.
#[inline(always)]
fn width([least, greatest]: [i64; 2]) -> usize {
    if least > greatest {
        return 0;
    }
    64 - greatest.wrapping_sub(least).leading_zeros() as usize
}

/// Figures of a pair that are known before its integers are.
#[derive(Clone, Copy)]
pub(crate) struct Costs {
    /// The number of all values.
    values: usize,
    /// The number of exceptions among the values that are not looked at.
    exceptions: usize,
    /// The number of bytes from which on the pair is of no use.
    limit: usize,
}

impl Costs {
    /// Returns the size for a width and a number of exceptions among the values that are looked at.
    #[inline(always)]
    fn bytes<const K: usize>(self, width: usize, exceptions: usize) -> usize {
        // Vectors have at most 2^15 values.
        (width * self.values).div_ceil(8) + (POSITION + K) * (self.exceptions + exceptions)
    }
}

/// Computes the cost of a pair for values of `K` bytes. `None` if it takes too many bytes, or if
/// all values are exceptions.
#[inline(always)]
fn weigh<const K: usize, S: Steps<K>>(
    steps: S,
    (pair, limits): (Pair, [i64; 2]),
    values: &[u8],
    costs: Costs,
) -> Option<Choice> {
    if costs.bytes::<K>(0, 0) >= costs.limit {
        return None;
    }
    let within = steps.limits(limits);
    let powers = pair.powers::<K>().in_steps::<K, S>(steps);
    let mut found = steps.nothing();
    let (blocks, rest) = values.as_chunks();
    if !steps.weigh_blocks(&powers, &within, blocks, costs, &mut found) {
        return None;
    }
    if !rest.is_empty() {
        steps.weigh(&powers, &within, &padded(rest), &mut found);
    }
    let exceptions = values.len() / K - steps.count(found);
    let [least, greatest] = steps.ends(found);
    let choice = Choice {
        pair,
        limits,
        exceptions: costs.exceptions + exceptions,
        least,
        greatest,
        bytes: costs.bytes::<K>(width([least, greatest]), exceptions),
    };
    (choice.bytes < costs.limit && least <= greatest).then_some(choice)
}

/// Same as [`Steps::weigh`], for blocks, while they may cost less than the limit. More values make
/// the range of the integers wider, or exceptions more.
#[inline(always)]
pub(in crate::codec::alp) fn weigh_blocks<const K: usize, S: Steps<K>>(
    steps: S,
    powers: &Powers<S::Number>,
    limits: &S::Limits,
    blocks: &[[u8; 64]],
    costs: Costs,
    found: &mut S::Found,
) -> bool {
    let (mut so_far, mut least_width) = (*found, 0);
    for (i, block) in blocks.iter().enumerate() {
        steps.weigh(powers, limits, block, &mut so_far);
        if i % STRIDE == 0 {
            if i == 0 {
                least_width = width(steps.ends(so_far));
            }
            let exceptions = 64 / K * (i + 1) - steps.count(so_far);
            if costs.bytes::<K>(least_width, exceptions) >= costs.limit {
                return false;
            }
        }
    }
    *found = so_far;
    true
}

/// Pads a block with values that are exceptions of all pairs: the bits of NaN.
#[inline(always)]
pub(super) fn padded(values: &[u8]) -> [u8; 64] {
    let mut block = [0xff; 64];
    block[..values.len()].copy_from_slice(values);
    block
}

/// Samples values from all over the vector, at irregular positions, since values at regular
/// positions could all be alike. Returns the number of bytes.
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

/// Takes four samples from all over at least 64 values.
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
fn search<const K: usize, S: Steps<K>>(steps: S, values: &[u8]) -> [Choice; 2] {
    let mut found = [Choice::none::<K>(values.len() / K); 2];
    let mut some = [0; SAMPLE];
    for digits in 0..=most::<K>() {
        // So many exceptions would take as many bytes as the best pair.
        let most = found[0].bytes.div_ceil(POSITION + K);
        if let Some(these) = likely::<K, S>(steps, digits, values, most, &mut some) {
            let others = (values.len() - these.len()) / K;
            found = search_group::<K, S>(steps, digits, (these, others), found);
        }
        if found[0].exceptions == 0 {
            break;
        }
    }
    found
}

/// Returns the values that need not be exceptions with `digits` digits, or all if most need not.
/// `None` if `most` or more must be.
#[inline(always)]
fn likely<'a, const K: usize, S: Steps<K>>(
    steps: S,
    digits: u8,
    values: &'a [u8],
    most: usize,
    to: &'a mut [u8; SAMPLE],
) -> Option<&'a [u8]> {
    let power = up::<K>(digits);
    let mut masks = [0; SAMPLE / 64];
    for (mask, block) in masks.iter_mut().zip(values.chunks(64)) {
        *mask = match block.as_array() {
            Some(block) => steps.likely(power, block),
            None => steps.likely(power, &padded(block)),
        };
    }
    let count: u32 = masks.iter().map(|mask| mask.count_ones()).sum();
    let count = count as usize;
    if values.len() / K - count >= most {
        return None;
    }
    if 4 * K * count > 3 * values.len() {
        return Some(values);
    }
    let mut end = 0;
    for (mut mask, block) in masks.into_iter().zip(values.chunks(64)) {
        while mask != 0 {
            let i = mask.trailing_zeros() as usize;
            mask &= mask - 1;
            *window_mut::<K, _>(to, end) = *window(block, K * i);
            end += K;
        }
    }
    Some(&to[..end])
}

/// Same as [`search`], for the pairs that keep `digits` digits, if one of them is better than the
/// best so far. All but the given values are exceptions of all these pairs.
#[inline(always)]
fn search_group<const K: usize, S: Steps<K>>(
    steps: S,
    digits: u8,
    (values, others): (&[u8], usize),
    [mut best, mut before]: [Choice; 2],
) -> [Choice; 2] {
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
                values: values.len() / K + others,
                exceptions: others,
                limit: best.bytes,
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
            let mut some = [0; SAMPLE];
            let bytes = sample::<K>(vector, &mut some);
            let [best, before] = search::<K, S>(steps, &some[..bytes]);
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
        exceptions: 0,
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
            exceptions: 0,
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

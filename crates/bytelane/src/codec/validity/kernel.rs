//! Control flow, shared by all instruction sets: a step for each word of 64 bits of a bitmap.
//!
//! # Policy
//!
//! Columns have no nulls, only nulls, or scattered nulls. Words whose bits are all the same are
//! frequent, so runs of them are copied with `memcpy` and zeroed with `memset`. For other words,
//! kernels move the 64 values of a step by its bits, without a branch on any of them. Where a step
//! takes longer than to find a few nulls, and these are no more, the runs of values between them are
//! copied, across words.
//!
//! ```text
//! encode    64 levels: compare with the maximum, write the word, keep the greatest level
//! decode    64 bits to levels
//! spread    words of zeros: zeros; words of few zeros or none: copy runs of ones; else expand values
//!           by the bits
//! compact   words of few zeros or none: copy runs of ones; else compress values by the bits
//! ```
//!
//! # Invariants
//!
//! - A step at the end is padded, and its bits above the last value are zeros.
//! - `spread` reads one value per set bit, and fails if there are fewer or more.
//! - Levels above the maximum are detected with one comparison at the end, so that the loop has no
//!   branch.
//!
//! # Measurements
//!
//! Comparing words of a run one by one took 8% of the time of copying, so eight are compared at a
//! time. With the last step in the same function as the loop, the compiler kept variables in
//! memory. See `docs/lab-notes/validity.md`.
#![forbid(unsafe_code)]

use super::{Error, Levels, Move, STEP, scalar};
use crate::codec::bit_packing::low_bits;
use crate::memory::{Lines, Slot, copy, flat, flat_mut, pair, write};
use core::ops::Range;

/// Returns the number of set bits below a position.
#[inline(always)]
pub(super) fn rank(bits: u64, place: usize) -> usize {
    (bits & low_bits(place)).count_ones() as usize
}

/// Returns the bits of the last values, fewer than 64, from the bytes of a bitmap that they take.
#[inline(always)]
fn last_word(bitmap: &[u8], count: usize) -> u64 {
    pair(bitmap)[0] & low_bits(count)
}

/// Returns the first values of a step, padded with zeros.
#[cold]
pub(super) fn padded<const V: usize>(values: &[[u8; V]]) -> Lines<[[u8; V]; STEP]> {
    let mut step = Lines([[0; V]; STEP]);
    let length = usize::min(values.len(), STEP);
    step.0[..length].copy_from_slice(&values[..length]);
    step
}

#[inline(always)]
pub(super) fn encode<const K: usize, S: Levels<K>>(
    simd: S,
    levels: &[u8],
    max: u16,
    to: &mut [Slot],
) -> Result<usize, Error> {
    let (steps, rest) = levels.as_chunks::<K>().0.as_chunks::<STEP>();
    let (words, last) = to.split_at_mut(8 * steps.len());
    let words = words.as_chunks_mut::<8>().0;
    let level = simd.splat(max);
    let mut greatest = simd.splat(0);
    let mut valid = 0;
    for i in 0..steps.len() {
        let bits = simd.at_least(&steps[i], level);
        greatest = simd.greatest(greatest, &steps[i]);
        write(&mut words[i], bits.to_le_bytes());
        valid += bits.count_ones() as usize;
    }
    if !rest.is_empty() {
        // The zeros after the levels do not exceed the maximum.
        let step = &padded(rest).0;
        let bits = simd.at_least(step, level);
        greatest = simd.greatest(greatest, step);
        copy(last, &bits.to_le_bytes()[..last.len()]);
        valid += bits.count_ones() as usize;
    }
    if simd.is_within(greatest, level) {
        Ok(valid)
    } else {
        Err(scalar::beyond::<K>(levels, max))
    }
}

#[inline(always)]
pub(super) fn decode<const K: usize, S: Levels<K>>(
    simd: S,
    bitmap: &[u8],
    max: u16,
    to: &mut [Slot],
) {
    let null = simd.splat(max - 1);
    let (steps, rest) = to.as_chunks_mut::<K>().0.as_chunks_mut::<STEP>();
    let (words, last) = bitmap.split_at(8 * steps.len());
    let words = words.as_chunks::<8>().0;
    for i in 0..steps.len() {
        simd.levels(u64::from_le_bytes(words[i]), null, &mut steps[i]);
    }
    if !rest.is_empty() {
        let Lines(step) = &mut Lines([[Slot::new(0); K]; STEP]);
        simd.levels(last_word(last, rest.len()), null, step);
        rest.copy_from_slice(&step[..rest.len()]);
    }
}

/// Returns the number of words from `i` on that are equal to word `i`.
#[inline(always)]
fn run(words: &[[u8; 8]], i: usize) -> usize {
    let first = u64::from_ne_bytes(words[i]);
    let mut end = i + 1;
    while let Some(eight) = words[end..].first_chunk::<8>() {
        let mut other = 0;
        for word in eight {
            other |= u64::from_ne_bytes(*word) ^ first;
        }
        if other != 0 {
            break;
        }
        end += 8;
    }
    while end < words.len() && words[end] == words[i] {
        end += 1;
    }
    end - i
}

/// Calls `copy` for each run of set bits in the words from the first on of which up to `few` bits are not set:
/// the bits between two that are not set, which may be none. Returns the number of words, or `None` if `copy` does.
#[inline(always)]
fn for_runs(
    words: &[[u8; 8]],
    few: u32,
    mut copy: impl FnMut(Range<usize>) -> Option<()>,
) -> Option<usize> {
    let mut i = if words[0] == [!0; 8] {
        run(words, 0)
    } else {
        0
    };
    let mut start = 0;
    while few > 0 && i < words.len() {
        let mut nulls = !u64::from_le_bytes(words[i]);
        if nulls.count_ones() > few {
            break;
        }
        while nulls != 0 {
            let null = STEP * i + nulls.trailing_zeros() as usize;
            copy(start..null)?;
            start = null + 1;
            nulls &= nulls - 1;
        }
        i += 1;
    }
    copy(start..STEP * i)?;
    Some(i)
}

/// Writes the values of all words from the first on that have few nulls. Returns the number of words, and the
/// dense values left, or `None` if there were too few.
#[inline(always)]
fn spread_runs<'a, const V: usize, S: Move<V>>(
    mut dense: &'a [[u8; V]],
    words: &[[u8; 8]],
    to: &mut [[[Slot; V]; STEP]],
) -> Option<(usize, &'a [[u8; V]])> {
    let to = to.as_flattened_mut();
    let done = for_runs(words, S::FEW, |places| {
        if let Some(null) = places.start.checked_sub(1) {
            to[null] = [Slot::new(0); V];
        }
        let (run, rest) = dense.split_at_checked(places.len())?;
        copy(flat_mut(&mut to[places]), flat(run));
        dense = rest;
        Some(())
    })?;
    Some((done, dense))
}

/// Writes the values that are not null of all words from the first on that have few nulls: the reverse of
/// [`spread_runs`]. Returns the number of words and of values, or `None` if these do not fit.
#[inline(always)]
fn compact_runs<const V: usize, S: Move<V>>(
    steps: &[[[u8; V]; STEP]],
    words: &[[u8; 8]],
    to: &mut [[Slot; V]],
) -> Option<(usize, usize)> {
    let values = steps.as_flattened();
    let mut count = 0;
    let done = for_runs(words, S::FEW, |places| {
        let to = to.get_mut(count..count + places.len())?;
        count += to.len();
        copy(flat_mut(to), flat(&values[places]));
        Some(())
    })?;
    Some((done, count))
}

/// Writes a value for each position of the destination. `None` if the number of values differs from
/// the number of set bits.
#[inline(always)]
pub(super) fn spread<const V: usize, S: Move<V>>(
    simd: S,
    dense: &[u8],
    bitmap: &[u8],
    to: &mut [Slot],
) -> Option<()> {
    let mut dense = dense.as_chunks::<V>().0;
    let (steps, rest) = to.as_chunks_mut::<V>().0.as_chunks_mut::<STEP>();
    let (words, last) = bitmap.split_at(8 * steps.len());
    let words = words.as_chunks::<8>().0;
    let mut i = 0;
    while i < steps.len() {
        let bits = u64::from_le_bytes(words[i]);
        if bits == 0 {
            let run = run(words, i);
            flat_mut(steps[i..i + run].as_flattened_mut()).fill(Slot::new(0));
            i += run;
            continue;
        }
        if bits.count_zeros() <= S::FEW {
            let copied = spread_runs::<V, S>(dense, &words[i..], &mut steps[i..])?;
            (i, dense) = (i + copied.0, copied.1);
            continue;
        }
        let values;
        let from = match dense.first_chunk() {
            Some(from) => from,
            None => {
                values = padded(dense);
                &values.0
            }
        };
        simd.spread(bits, from, &mut steps[i]);
        dense = dense.get(bits.count_ones() as usize..)?;
        i += 1;
    }
    if !rest.is_empty() {
        let bits = last_word(last, rest.len());
        spread_last(simd, bits, dense, rest);
        dense = dense.get(bits.count_ones() as usize..)?;
    }
    dense.is_empty().then_some(())
}

/// Writes the last step, which is not whole.
#[inline(never)]
fn spread_last<const V: usize, S: Move<V>>(
    simd: S,
    bits: u64,
    dense: &[[u8; V]],
    to: &mut [[Slot; V]],
) {
    let Lines(step) = &mut Lines([[Slot::new(0); V]; STEP]);
    simd.spread(bits, &padded(dense).0, step);
    to.copy_from_slice(&step[..to.len()]);
}

/// Writes the values whose bits are set. Returns their number, or `None` if they do not fit.
#[inline(always)]
pub(super) fn compact<const V: usize, S: Move<V>>(
    simd: S,
    values: &[u8],
    bitmap: &[u8],
    to: &mut [Slot],
) -> Option<usize> {
    let (steps, rest) = values.as_chunks::<V>().0.as_chunks::<STEP>();
    let (words, last) = bitmap.split_at(8 * steps.len());
    let words = words.as_chunks::<8>().0;
    let to = to.as_chunks_mut::<V>().0;
    let (mut i, mut done) = (0, 0);
    while i < steps.len() {
        let bits = u64::from_le_bytes(words[i]);
        if bits.count_zeros() <= S::FEW {
            let copied = compact_runs::<V, S>(&steps[i..], &words[i..], &mut to[done..])?;
            (i, done) = (i + copied.0, done + copied.1);
            continue;
        }
        match to[done..].first_chunk_mut() {
            Some(to) => simd.compact(bits, &steps[i], to),
            None => compact_last(simd, bits, &steps[i], &mut to[done..])?,
        }
        (i, done) = (i + 1, done + bits.count_ones() as usize);
    }
    if !rest.is_empty() {
        let bits = last_word(last, rest.len());
        compact_last(simd, bits, &padded(rest).0, &mut to[done..])?;
        done += bits.count_ones() as usize;
    }
    Some(done)
}

/// Writes a step at the end of the destination. `None` if it does not fit.
#[inline(never)]
fn compact_last<const V: usize, S: Move<V>>(
    simd: S,
    bits: u64,
    from: &[[u8; V]; STEP],
    to: &mut [[Slot; V]],
) -> Option<()> {
    let Lines(step) = &mut Lines([[Slot::new(0); V]; STEP]);
    simd.compact(bits, from, step);
    let set = bits.count_ones() as usize;
    to.get_mut(..set)?.copy_from_slice(&step[..set]);
    Some(())
}

/// Implements [`MoveBits`](super::MoveBits) in six steps, each of which moves bits by a power of
/// two: Warren, Hacker's Delight, second edition, figure 7-10, "compress".
#[inline(always)]
pub(super) fn select_in_steps(bits: u64, places: u64) -> u64 {
    let (mut bits, mut places) = (bits & places, places);
    // The positions below each one that are not set; only the lowest bit of their number counts.
    let mut unset = !places << 1;
    for step in 0..6 {
        let mut parity = unset;
        for shift in 0..6 {
            parity ^= parity << (1 << shift);
        }
        let moving = parity & places;
        places = places ^ moving | moving >> (1 << step);
        let moved = bits & moving;
        bits = bits ^ moved | moved >> (1 << step);
        unset &= !parity;
    }
    bits
}

//! Control flow, shared by all instruction sets: a step for each word of 64 bits of a bitmap.
#![forbid(unsafe_code)]

use super::{Error, Levels, Move, STEP, scalar};
use crate::codec::bit_packing::low_bits;
use crate::memory::{Slot, copy, flat, flat_mut, write};

/// The number of bits that are set below a place.
#[inline(always)]
pub(super) fn rank(bits: u64, place: usize) -> usize {
    (bits & low_bits(place)).count_ones() as usize
}

/// Word `i` of a bitmap for `count` values. Bits after the last value are zeros.
#[inline(always)]
pub(super) fn word(bitmap: &[u8], i: usize, count: usize) -> u64 {
    let from = &bitmap[8 * i..];
    match from.first_chunk() {
        Some(word) if STEP * (i + 1) <= count => u64::from_le_bytes(*word),
        _ => last_word(from) & low_bits(count - STEP * i),
    }
}

/// The first bytes of a bitmap, up to eight.
#[cold]
fn last_word(bitmap: &[u8]) -> u64 {
    let mut word = [0; 8];
    let length = usize::min(bitmap.len(), 8);
    word[..length].copy_from_slice(&bitmap[..length]);
    u64::from_le_bytes(word)
}

/// The first values of a step, and zeros after them.
#[cold]
pub(super) fn padded<const V: usize>(values: &[[u8; V]]) -> [[u8; V]; STEP] {
    let mut step = [[0; V]; STEP];
    let length = usize::min(values.len(), STEP);
    step[..length].copy_from_slice(&values[..length]);
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
        // The zeros after the levels are below the maximum.
        let step = padded(rest);
        let bits = simd.at_least(&step, level);
        greatest = simd.greatest(greatest, &step);
        copy(last, &bits.to_le_bytes()[..last.len()]);
        valid += bits.count_ones() as usize;
    }
    match simd.is_within(greatest, level) {
        true => Ok(valid),
        false => Err(scalar::beyond::<K>(levels, max)),
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
    let count = to.len() / K;
    let (steps, rest) = to.as_chunks_mut::<K>().0.as_chunks_mut::<STEP>();
    let words = bitmap.as_chunks::<8>().0;
    for i in 0..steps.len() {
        simd.levels(u64::from_le_bytes(words[i]), null, &mut steps[i]);
    }
    if !rest.is_empty() {
        let mut step = [[Slot::new(0); K]; STEP];
        simd.levels(word(bitmap, steps.len(), count), null, &mut step);
        rest.copy_from_slice(&step[..rest.len()]);
    }
}

/// How many words from `i` on are equal to word `i`.
#[inline(always)]
fn run(words: &[[u8; 8]], i: usize) -> usize {
    let mut end = i + 1;
    while end < words.len() && words[end] == words[i] {
        end += 1;
    }
    end - i
}

/// Writes a value for each place of the destination. `None` if there are not as many values as set
/// bits.
#[inline(always)]
pub(super) fn spread<const V: usize, S: Move<V>>(
    simd: S,
    dense: &[u8],
    bitmap: &[u8],
    to: &mut [Slot],
) -> Option<()> {
    let mut dense = dense.as_chunks::<V>().0;
    let to = to.as_chunks_mut::<V>().0;
    let count = to.len();
    let words = &bitmap.as_chunks::<8>().0[..count / STEP];
    let mut i = 0;
    while i < count.div_ceil(STEP) {
        let bits = word(bitmap, i, count);
        // `word` has made zeros of the bits after the last value, so `i` is within `words`, unless the
        // last values are nulls.
        if (bits == 0 || bits == !0) && i < words.len() {
            let run = run(words, i);
            let to = &mut to[STEP * i..][..STEP * run];
            match bits {
                0 => flat_mut(to).fill(Slot::new(0)),
                _ => {
                    let (values, rest) = dense.split_at_checked(STEP * run)?;
                    copy(flat_mut(to), flat(values));
                    dense = rest;
                }
            }
            i += run;
            continue;
        }
        let values;
        let from = match dense.first_chunk() {
            Some(from) => from,
            None => {
                values = padded(dense);
                &values
            }
        };
        match to[STEP * i..].first_chunk_mut() {
            Some(to) => simd.spread(bits, from, to),
            None => spread_last(simd, bits, from, &mut to[STEP * i..]),
        }
        dense = dense.get(bits.count_ones() as usize..)?;
        i += 1;
    }
    dense.is_empty().then_some(())
}

/// The last step, which is not whole.
#[inline(always)]
fn spread_last<const V: usize, S: Move<V>>(
    simd: S,
    bits: u64,
    from: &[[u8; V]; STEP],
    to: &mut [[Slot; V]],
) {
    let mut step = [[Slot::new(0); V]; STEP];
    simd.spread(bits, from, &mut step);
    to.copy_from_slice(&step[..to.len()]);
}

/// Writes the values whose bits are set. Returns how many they are, or `None` if they do not fit.
#[inline(always)]
pub(super) fn compact<const V: usize, S: Move<V>>(
    simd: S,
    values: &[u8],
    bitmap: &[u8],
    to: &mut [Slot],
) -> Option<usize> {
    let values = values.as_chunks::<V>().0;
    let to = to.as_chunks_mut::<V>().0;
    let count = values.len();
    let words = &bitmap.as_chunks::<8>().0[..count / STEP];
    let (mut i, mut done) = (0, 0);
    while i < count.div_ceil(STEP) {
        let bits = word(bitmap, i, count);
        if bits == !0 {
            let run = run(words, i);
            let values = &values[STEP * i..][..STEP * run];
            let to = to.get_mut(done..done + values.len())?;
            copy(flat_mut(to), flat(values));
            (i, done) = (i + run, done + values.len());
            continue;
        }
        let step;
        let from = match values[STEP * i..].first_chunk() {
            Some(from) => from,
            None => {
                step = padded(&values[STEP * i..]);
                &step
            }
        };
        let set = bits.count_ones() as usize;
        match to[done..].first_chunk_mut() {
            Some(to) => simd.compact(bits, from, to),
            None => {
                let mut step = [[Slot::new(0); V]; STEP];
                simd.compact(bits, from, &mut step);
                to.get_mut(done..done + set)?.copy_from_slice(&step[..set]);
            }
        }
        (i, done) = (i + 1, done + set);
    }
    Some(done)
}

/// [`MoveBits`](super::MoveBits) in six steps, each of which moves bits by a power of two: Warren,
/// Hacker's Delight, second edition, figure 7-10, "compress".
#[inline(always)]
pub(super) fn select_in_steps(bits: u64, places: u64) -> u64 {
    let (mut bits, mut places) = (bits & places, places);
    // The places below each one that are not set, of which the lowest bit of the number counts.
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

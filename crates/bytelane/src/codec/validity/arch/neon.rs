//! NEON: tables of byte shuffles, for eight small values or 16 bytes at a time.

use crate::backend::Neon;
use crate::codec::validity::kernel::{rank, select_in_steps};
use crate::codec::validity::tables::{COMPACT, COMPACT_BYTES, SPREAD, SPREAD_BYTES, parts};
use crate::codec::validity::{Levels, Move, MoveBits, STEP};
use crate::memory::{Byte, Slot, flat, flat_mut};
use crate::simd::neon::{BIT, bits as bits_of, load, load_low, store, store_low};
use crate::simd::{implement, window, window_mut};
use core::arch::aarch64::*;

implement! {
    impl<const K: usize> Levels<K> for Neon {
        type Levels = uint8x16_t;
        fn splat(level: u16) -> uint8x16_t = splat::<K>;
        fn at_least(from: &[[u8; K]; STEP], level: uint8x16_t) -> u64 = at_least::<K>;
        fn greatest(so_far: uint8x16_t, from: &[[u8; K]; STEP]) -> uint8x16_t = greatest::<K>;
        fn is_within(greatest: uint8x16_t, level: uint8x16_t) -> bool = is_within::<K>;
        fn levels(bits: u64, level: uint8x16_t, to: &mut [[Slot; K]; STEP]) = levels::<K>;
    }
}

implement! {
    impl<const V: usize> Move<V> for Neon {
        fn spread(bits: u64, from: &[[u8; V]; STEP], to: &mut [[Slot; V]; STEP]) = spread::<V>;
        fn compact<B: Byte>(bits: u64, from: &[[u8; V]; STEP], to: &mut [[B; V]; STEP]) = compact::<V, B>;
    }
}

implement! {
    impl MoveBits for Neon {
        fn select(bits: u64, places: u64) -> u64 = select_in_steps;
    }
}

#[target_feature(enable = "neon")]
#[inline]
fn splat<const K: usize>(level: u16) -> uint8x16_t {
    match K {
        1 => vdupq_n_u8(level as u8),
        _ => vreinterpretq_u8_u16(vdupq_n_u16(level)),
    }
}

#[target_feature(enable = "neon")]
#[inline]
fn max<const K: usize>(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
    match K {
        1 => vmaxq_u8(a, b),
        _ => vreinterpretq_u8_u16(vmaxq_u16(vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b))),
    }
}

/// Returns ones in the levels that are at least `level`.
#[target_feature(enable = "neon")]
#[inline]
fn compare<const K: usize>(levels: uint8x16_t, level: uint8x16_t) -> uint8x16_t {
    match K {
        1 => vcgeq_u8(levels, level),
        _ => {
            let [levels, level] = [vreinterpretq_u16_u8(levels), vreinterpretq_u16_u8(level)];
            vreinterpretq_u8_u16(vcgeq_u16(levels, level))
        }
    }
}

/// Same as [`compare`], with a byte for each of 16 levels.
#[target_feature(enable = "neon")]
#[inline]
fn are_at_least<const K: usize>(from: &[u8], quarter: usize, level: uint8x16_t) -> uint8x16_t {
    let at = 16 * K * quarter;
    let low = compare::<K>(load(window(from, at)), level);
    match K {
        1 => low,
        _ => vuzp1q_u8(low, compare::<K>(load(window(from, at + 16)), level)),
    }
}

#[target_feature(enable = "neon")]
#[inline]
fn at_least<const K: usize>(from: &[[u8; K]; STEP], level: uint8x16_t) -> u64 {
    let from = flat(from);
    bits_of([
        are_at_least::<K>(from, 0, level),
        are_at_least::<K>(from, 1, level),
        are_at_least::<K>(from, 2, level),
        are_at_least::<K>(from, 3, level),
    ])
}

#[target_feature(enable = "neon")]
#[inline]
fn greatest<const K: usize>(so_far: uint8x16_t, from: &[[u8; K]; STEP]) -> uint8x16_t {
    let from = flat(from);
    let mut greatest = so_far;
    for i in 0..4 * K {
        greatest = max::<K>(greatest, load(window(from, 16 * i)));
    }
    greatest
}

#[target_feature(enable = "neon")]
#[inline]
fn is_within<const K: usize>(greatest: uint8x16_t, level: uint8x16_t) -> bool {
    vminvq_u8(compare::<K>(level, greatest)) != 0
}

#[target_feature(enable = "neon")]
#[inline]
fn levels<const K: usize>(bits: u64, level: uint8x16_t, to: &mut [[Slot; K]; STEP]) {
    let to = flat_mut(to);
    for i in 0..4 * K {
        let bits = bits >> (16 / K * i);
        // All ones, which is -1, where a bit is set.
        let levels = match K {
            1 => {
                let (low, high) = (vdup_n_u8(bits as u8), vdup_n_u8((bits >> 8) as u8));
                vsubq_u8(level, vtstq_u8(vcombine_u8(low, high), load(&BIT)))
            }
            _ => {
                let bit = vmovl_u8(load_low(window(&BIT, 0)));
                let is_set = vtstq_u16(vdupq_n_u16(bits as u16), bit);
                vreinterpretq_u8_u16(vsubq_u16(vreinterpretq_u16_u8(level), is_set))
            }
        };
        store(window_mut(to, 16 * i), levels);
    }
}

/// Returns the bytes of eight two-byte values, given their numbers:
///
/// ```text
/// numbers    1         3         none
/// twice      1    1    3    3    none none
/// result     2    3    6    7    none none
/// ```
///
/// The sums saturate, so that `NONE` remains.
#[target_feature(enable = "neon")]
#[inline]
fn bytes_of_pairs(numbers: &[u8; 8]) -> uint8x16_t {
    let numbers = load_low(numbers);
    let twice = vcombine_u8(vzip1_u8(numbers, numbers), vzip2_u8(numbers, numbers));
    let second = vreinterpretq_u8_u16(vdupq_n_u16(0x0100));
    vqaddq_u8(vqaddq_u8(twice, twice), second)
}

/// Returns the bits of group `i` of eight values.
#[inline(always)]
fn eight(bits: u64, i: usize) -> usize {
    (bits >> (8 * i) & 0xff) as usize
}

/// Returns the 4-byte parts of vector `i` whose bits are set.
#[inline(always)]
fn four(parts: &[u64; 4], i: usize) -> usize {
    (parts[i / 16] >> (4 * (i % 16)) & 0xf) as usize
}

/// Shuffles eight bytes. Indices without a byte give zeros.
#[target_feature(enable = "neon")]
#[inline]
fn shuffle_eight(values: &[u8; 8], places: &[u8; 8]) -> uint8x16_t {
    let shuffled = vtbl1_u8(load_low(values), load_low(places));
    vcombine_u8(shuffled, shuffled)
}

/// ```text
/// values  a b c d e f g h
/// set     1 0 0 1 1 0 1 0
/// ranks   0 - - 1 2 - 3 -
/// result  a 0 0 b c 0 d 0
/// ```
#[target_feature(enable = "neon")]
#[inline]
fn spread<const V: usize>(bits: u64, from: &[[u8; V]; STEP], to: &mut [[Slot; V]; STEP]) {
    let (from, to) = (flat(from), flat_mut(to));
    match V {
        1 => {
            for i in 0..8 {
                let values = window(from, rank(bits, 8 * i));
                let spread = shuffle_eight(values, &SPREAD[eight(bits, i)]);
                store_low(window_mut(to, 8 * i), spread);
            }
        }
        2 => {
            for i in 0..8 {
                let values = load(window(from, 2 * rank(bits, 8 * i)));
                let ranks = bytes_of_pairs(&SPREAD[eight(bits, i)]);
                store(window_mut(to, 16 * i), vqtbl1q_u8(values, ranks));
            }
        }
        _ => {
            let parts = parts::<V>(bits);
            for i in 0..4 * V {
                let values = load(window(from, V * rank(bits, 16 / V * i)));
                let ranks = load(&SPREAD_BYTES[four(&parts, i)]);
                store(window_mut(to, 16 * i), vqtbl1q_u8(values, ranks));
            }
        }
    }
}

#[target_feature(enable = "neon")]
#[inline]
fn compact<const V: usize, B: Byte>(bits: u64, from: &[[u8; V]; STEP], to: &mut [[B; V]; STEP]) {
    let (from, to) = (flat(from), flat_mut(to));
    match V {
        1 => {
            for i in 0..8 {
                let values = window(from, 8 * i);
                let compacted = shuffle_eight(values, &COMPACT[eight(bits, i)]);
                store_low(window_mut(to, rank(bits, 8 * i)), compacted);
            }
        }
        2 => {
            for i in 0..8 {
                let values = load(window(from, 16 * i));
                let places = bytes_of_pairs(&COMPACT[eight(bits, i)]);
                let compacted = vqtbl1q_u8(values, places);
                store(window_mut(to, 2 * rank(bits, 8 * i)), compacted);
            }
        }
        _ => {
            let parts = parts::<V>(bits);
            for i in 0..4 * V {
                let values = load(window(from, 16 * i));
                let places = load(&COMPACT_BYTES[four(&parts, i)]);
                let compacted = vqtbl1q_u8(values, places);
                store(window_mut(to, V * rank(bits, 16 / V * i)), compacted);
            }
        }
    }
}

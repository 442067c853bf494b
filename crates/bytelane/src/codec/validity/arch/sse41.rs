//! SSE4.1: tables of byte shuffles, for eight small values or 16 bytes at a time.

use crate::backend::Sse41;
use crate::codec::validity::kernel::{rank, select_in_steps};
use crate::codec::validity::tables::{
    COMPACT, COMPACT_BYTES, COMPACTING, SPREAD, SPREAD_BYTES, SPREADING,
};
use crate::codec::validity::{Levels, Move, MoveBits, STEP};
use crate::memory::{Byte, Slot, flat, flat_mut};
use crate::simd::sse41::{load, load_low, store, store_low};
use crate::simd::{Shuffle, Strides, StridesMut, implement, window, window_mut};
use core::arch::x86_64::*;

implement! {
    impl<const K: usize> Levels<K> for Sse41 {
        type Levels = __m128i;
        fn splat(level: u16) -> __m128i = splat::<K>;
        fn at_least(from: &[[u8; K]; STEP], level: __m128i) -> u64 = at_least::<K>;
        fn greatest(so_far: __m128i, from: &[[u8; K]; STEP]) -> __m128i = greatest::<K>;
        fn is_within(greatest: __m128i, level: __m128i) -> bool = is_within::<K>;
        fn levels(bits: u64, level: __m128i, to: &mut [[Slot; K]; STEP]) = levels::<K>;
    }
}

implement! {
    impl<const V: usize> Move<V> for Sse41 {
        const FEW: u32 = if V < 8 { 0 } else { 3 };
        fn spread(bits: u64, from: &[[u8; V]; STEP], to: &mut [[Slot; V]; STEP]) = spread::<V>;
        fn compact<B: Byte>(bits: u64, from: &[[u8; V]; STEP], to: &mut [[B; V]; STEP]) = compact::<V, B>;
    }
}

implement! {
    impl MoveBits for Sse41 {
        fn select(bits: u64, places: u64) -> u64 = select_in_steps;
    }
}

#[target_feature(enable = "sse4.1")]
#[inline]
fn splat<const K: usize>(level: u16) -> __m128i {
    match K {
        1 => _mm_set1_epi8(level as i8),
        _ => _mm_set1_epi16(level as i16),
    }
}

#[target_feature(enable = "sse4.1")]
#[inline]
fn max<const K: usize>(a: __m128i, b: __m128i) -> __m128i {
    match K {
        1 => _mm_max_epu8(a, b),
        _ => _mm_max_epu16(a, b),
    }
}

/// Returns bytes that are all ones where a level is at least `level`.
#[target_feature(enable = "sse4.1")]
#[inline]
fn are_at_least<const K: usize>(from: &[u8], quarter: usize, level: __m128i) -> __m128i {
    if K == 1 {
        let levels = load(window(from, 16 * quarter));
        return _mm_cmpeq_epi8(max::<1>(levels, level), levels);
    }
    let low = load(window(from, 32 * quarter));
    let high = load(window(from, 32 * quarter + 16));
    let low = _mm_cmpeq_epi16(max::<2>(low, level), low);
    let high = _mm_cmpeq_epi16(max::<2>(high, level), high);
    _mm_packs_epi16(low, high)
}

#[target_feature(enable = "sse4.1")]
#[inline]
fn at_least<const K: usize>(from: &[[u8; K]; STEP], level: __m128i) -> u64 {
    let from = flat(from);
    let mut bits = 0;
    for quarter in 0..4 {
        let sixteen = _mm_movemask_epi8(are_at_least::<K>(from, quarter, level));
        bits |= (sixteen as u64) << (16 * quarter);
    }
    bits
}

#[target_feature(enable = "sse4.1")]
#[inline]
fn greatest<const K: usize>(so_far: __m128i, from: &[[u8; K]; STEP]) -> __m128i {
    let from = flat(from);
    let mut greatest = so_far;
    for i in 0..4 * K {
        greatest = max::<K>(greatest, load(window(from, 16 * i)));
    }
    greatest
}

#[target_feature(enable = "sse4.1")]
#[inline]
fn is_within<const K: usize>(greatest: __m128i, level: __m128i) -> bool {
    let equal = _mm_cmpeq_epi8(max::<K>(greatest, level), level);
    _mm_movemask_epi8(equal) == 0xffff
}

/// Expands each bit to a byte of all ones, which is -1, or zeros.
#[target_feature(enable = "sse4.1")]
#[inline]
fn to_bytes(bits: u16) -> __m128i {
    let places = _mm_set_epi64x(0x0101_0101_0101_0101, 0);
    let bits = _mm_shuffle_epi8(_mm_set1_epi16(bits as i16), places);
    let bit = _mm_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
    _mm_cmpeq_epi8(_mm_and_si128(bits, bit), bit)
}

/// Same as [`to_bytes`], for eight two-byte values.
#[target_feature(enable = "sse4.1")]
#[inline]
fn to_pairs(bits: u8) -> __m128i {
    let bit = _mm_setr_epi16(1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80);
    let bits = _mm_set1_epi16(bits.into());
    _mm_cmpeq_epi16(_mm_and_si128(bits, bit), bit)
}

#[target_feature(enable = "sse4.1")]
#[inline]
fn levels<const K: usize>(bits: u64, level: __m128i, to: &mut [[Slot; K]; STEP]) {
    let to = flat_mut(to);
    for i in 0..4 * K {
        let bits = bits >> (16 / K * i);
        let levels = match K {
            1 => _mm_sub_epi8(level, to_bytes(bits as u16)),
            _ => _mm_sub_epi16(level, to_pairs(bits as u8)),
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
#[target_feature(enable = "sse4.1")]
#[inline]
fn bytes_of_pairs(numbers: &[u8; 8]) -> __m128i {
    let numbers = load_low(numbers);
    let twice = _mm_unpacklo_epi8(numbers, numbers);
    _mm_adds_epu8(_mm_adds_epu8(twice, twice), _mm_set1_epi16(0x0100))
}

/// Returns the bits of group `i` of eight values.
#[inline(always)]
fn eight(bits: u64, i: usize) -> usize {
    (bits >> (8 * i) & 0xff) as usize
}

/// Returns the bits of vector `i`, of four values.
#[inline(always)]
fn four(bits: u64, i: usize) -> usize {
    (bits >> (4 * i) & 0xf) as usize
}

/// Returns the shuffles for two vectors, number `i` of such pairs, of values of `V` bytes, 8 or 16.
#[inline(always)]
fn shuffles<const V: usize>(
    tables: &'static [[[Shuffle; 2]; 16]; 2],
    bits: u64,
    i: usize,
) -> &'static [Shuffle; 2] {
    let set = bits >> (32 / V * i) & ((1 << (32 / V)) - 1);
    &tables[V / 16][set as usize]
}

/// Spreads values of 8 or 16 bytes, `N` bytes in total: each vector takes as many bytes as its shuffle says.
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn spread_vectors<const V: usize, const N: usize>(bits: u64, from: &[u8], to: &mut [Slot]) {
    let mut values = Strides::<16, N>::new(window(from, 0));
    let to: &mut [Slot; N] = window_mut(to, 0);
    for i in 0..N / 32 {
        let shuffles = shuffles::<V>(&SPREADING, bits, i);
        for j in 0..2 {
            let spread = _mm_shuffle_epi8(load(values.here()), load(&shuffles[j].places));
            store(window_mut(to, 32 * i + 16 * j), spread);
            values.pass(shuffles[j].length);
        }
    }
}

/// Same as [`spread_vectors`], to compact values.
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn compact_vectors<const V: usize, const N: usize, B: Byte>(bits: u64, from: &[u8], to: &mut [B]) {
    let values: &[u8; N] = window(from, 0);
    let mut to = StridesMut::<B, 16, N>::new(window_mut(to, 0));
    for i in 0..N / 32 {
        let shuffles = shuffles::<V>(&COMPACTING, bits, i);
        for j in 0..2 {
            let values = load(window(values, 32 * i + 16 * j));
            store(
                to.here(),
                _mm_shuffle_epi8(values, load(&shuffles[j].places)),
            );
            to.pass(shuffles[j].length);
        }
    }
}

/// ```text
/// values  a b c d e f g h
/// set     1 0 0 1 1 0 1 0
/// ranks   0 - - 1 2 - 3 -
/// result  a 0 0 b c 0 d 0
/// ```
#[target_feature(enable = "sse4.1,ssse3,popcnt")]
#[inline]
pub(super) fn spread<const V: usize>(
    bits: u64,
    from: &[[u8; V]; STEP],
    to: &mut [[Slot; V]; STEP],
) {
    let (from, to) = (flat(from), flat_mut(to));
    match V {
        1 => {
            for i in 0..8 {
                let values = load_low(window(from, rank(bits, 8 * i)));
                let ranks = load_low(&SPREAD[eight(bits, i)]);
                let spread = _mm_shuffle_epi8(values, ranks);
                store_low(window_mut(to, 8 * i), spread);
            }
        }
        2 => {
            for i in 0..8 {
                let values = load(window(from, 2 * rank(bits, 8 * i)));
                let ranks = bytes_of_pairs(&SPREAD[eight(bits, i)]);
                let spread = _mm_shuffle_epi8(values, ranks);
                store(window_mut(to, 16 * i), spread);
            }
        }
        4 => {
            for i in 0..16 {
                let values = load(window(from, 4 * rank(bits, 4 * i)));
                let ranks = load(&SPREAD_BYTES[four(bits, i)]);
                let spread = _mm_shuffle_epi8(values, ranks);
                store(window_mut(to, 16 * i), spread);
            }
        }
        8 => spread_vectors::<V, 512>(bits, from, to),
        _ => spread_vectors::<V, 1024>(bits, from, to),
    }
}

#[target_feature(enable = "sse4.1,ssse3,popcnt")]
#[inline]
pub(super) fn compact<const V: usize, B: Byte>(
    bits: u64,
    from: &[[u8; V]; STEP],
    to: &mut [[B; V]; STEP],
) {
    let (from, to) = (flat(from), flat_mut(to));
    match V {
        1 => {
            for i in 0..8 {
                let places = load_low(&COMPACT[eight(bits, i)]);
                let compacted = _mm_shuffle_epi8(load_low(window(from, 8 * i)), places);
                store_low(window_mut(to, rank(bits, 8 * i)), compacted);
            }
        }
        2 => {
            for i in 0..8 {
                let places = bytes_of_pairs(&COMPACT[eight(bits, i)]);
                let compacted = _mm_shuffle_epi8(load(window(from, 16 * i)), places);
                store(window_mut(to, 2 * rank(bits, 8 * i)), compacted);
            }
        }
        4 => {
            for i in 0..16 {
                let places = load(&COMPACT_BYTES[four(bits, i)]);
                let compacted = _mm_shuffle_epi8(load(window(from, 16 * i)), places);
                store(window_mut(to, 4 * rank(bits, 4 * i)), compacted);
            }
        }
        8 => compact_vectors::<V, 512, B>(bits, from, to),
        _ => compact_vectors::<V, 1024, B>(bits, from, to),
    }
}

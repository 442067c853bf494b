//! AVX2: values of at least 4 bytes are moved by `vpermd`, eight parts of 4 bytes at a time;
//! smaller ones as in SSE4.1.

use super::sse41;
use crate::backend::Avx2;
use crate::codec::validity::kernel::{rank, select_in_steps};
use crate::codec::validity::tables::{
    COMPACT, COMPACTING_WIDE, Permutation, SPREAD, SPREADING_WIDE,
};
use crate::codec::validity::{Levels, Move, MoveBits, STEP};
use crate::memory::{Byte, Slot, flat, flat_mut};
use crate::simd::avx2::{load, store};
use crate::simd::sse41::load_low;
use crate::simd::{Strides, StridesMut, implement, window, window_mut};
use core::arch::x86_64::*;

implement! {
    impl<const K: usize> Levels<K> for Avx2 {
        type Levels = __m256i;
        fn splat(level: u16) -> __m256i = splat::<K>;
        fn at_least(from: &[[u8; K]; STEP], level: __m256i) -> u64 = at_least::<K>;
        fn greatest(so_far: __m256i, from: &[[u8; K]; STEP]) -> __m256i = greatest::<K>;
        fn is_within(greatest: __m256i, level: __m256i) -> bool = is_within::<K>;
        fn levels(bits: u64, level: __m256i, to: &mut [[Slot; K]; STEP]) = levels::<K>;
    }
}

implement! {
    impl<const V: usize> Move<V> for Avx2 {
        fn spread(bits: u64, from: &[[u8; V]; STEP], to: &mut [[Slot; V]; STEP]) = spread::<V>;
        fn compact<B: Byte>(bits: u64, from: &[[u8; V]; STEP], to: &mut [[B; V]; STEP]) = compact::<V, B>;
    }
}

// `pext` is microcoded on Zen 1 and 2, where it takes longer the more bits the mask has.
implement! {
    impl MoveBits for Avx2 {
        fn select(bits: u64, places: u64) -> u64 = select_in_steps;
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn splat<const K: usize>(level: u16) -> __m256i {
    match K {
        1 => _mm256_set1_epi8(level as i8),
        _ => _mm256_set1_epi16(level as i16),
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn max<const K: usize>(a: __m256i, b: __m256i) -> __m256i {
    match K {
        1 => _mm256_max_epu8(a, b),
        _ => _mm256_max_epu16(a, b),
    }
}

/// Returns bytes that are all ones where a level is at least `level`.
#[target_feature(enable = "avx2")]
#[inline]
fn are_at_least<const K: usize>(from: &[u8], half: usize, level: __m256i) -> __m256i {
    if K == 1 {
        let levels = load(window(from, 32 * half));
        return _mm256_cmpeq_epi8(max::<1>(levels, level), levels);
    }
    let low = load(window(from, 64 * half));
    let high = load(window(from, 64 * half + 32));
    let low = _mm256_cmpeq_epi16(max::<2>(low, level), low);
    let high = _mm256_cmpeq_epi16(max::<2>(high, level), high);
    // Each lane holds eight of the lower ones and eight of the higher ones.
    _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi16(low, high))
}

#[target_feature(enable = "avx2")]
#[inline]
fn at_least<const K: usize>(from: &[[u8; K]; STEP], level: __m256i) -> u64 {
    let from = flat(from);
    let low = _mm256_movemask_epi8(are_at_least::<K>(from, 0, level));
    let high = _mm256_movemask_epi8(are_at_least::<K>(from, 1, level));
    u64::from(high as u32) << 32 | u64::from(low as u32)
}

#[target_feature(enable = "avx2")]
#[inline]
fn greatest<const K: usize>(so_far: __m256i, from: &[[u8; K]; STEP]) -> __m256i {
    let from = flat(from);
    let mut greatest = so_far;
    for i in 0..2 * K {
        greatest = max::<K>(greatest, load(window(from, 32 * i)));
    }
    greatest
}

#[target_feature(enable = "avx2")]
#[inline]
fn is_within<const K: usize>(greatest: __m256i, level: __m256i) -> bool {
    let equal = _mm256_cmpeq_epi8(max::<K>(greatest, level), level);
    _mm256_movemask_epi8(equal) == -1
}

/// Expands each bit to a byte of all ones, which is -1, or zeros.
#[target_feature(enable = "avx2")]
#[inline]
fn to_bytes(bits: u32) -> __m256i {
    let (low, high) = (0x0101_0101_0101_0101, 0x0303_0303_0303_0303);
    let places = _mm256_setr_epi64x(0, low, low << 1, high);
    let bits = _mm256_shuffle_epi8(_mm256_set1_epi32(bits as i32), places);
    let bit = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
    _mm256_cmpeq_epi8(_mm256_and_si256(bits, bit), bit)
}

/// Same as [`to_bytes`], for 16 two-byte values.
#[target_feature(enable = "avx2")]
#[inline]
fn to_pairs(bits: u16) -> __m256i {
    let bit = _mm256_setr_epi16(
        1,
        2,
        4,
        8,
        0x10,
        0x20,
        0x40,
        0x80,
        0x100,
        0x200,
        0x400,
        0x800,
        0x1000,
        0x2000,
        0x4000,
        i16::MIN,
    );
    let bits = _mm256_set1_epi16(bits as i16);
    _mm256_cmpeq_epi16(_mm256_and_si256(bits, bit), bit)
}

#[target_feature(enable = "avx2")]
#[inline]
fn levels<const K: usize>(bits: u64, level: __m256i, to: &mut [[Slot; K]; STEP]) {
    let to = flat_mut(to);
    for i in 0..2 * K {
        let bits = bits >> (32 / K * i);
        let levels = match K {
            1 => _mm256_sub_epi8(level, to_bytes(bits as u32)),
            _ => _mm256_sub_epi16(level, to_pairs(bits as u16)),
        };
        store(window_mut(to, 32 * i), levels);
    }
}

/// Returns the bits of vector `i`, of eight values of 4 bytes.
#[inline(always)]
fn set(bits: u64, i: usize) -> usize {
    (bits >> (8 * i) & 0xff) as usize
}

/// Returns the permutation for vector `i`, of values of `V` bytes, 8 or 16.
#[inline(always)]
fn permutation<const V: usize>(
    tables: &'static [[Permutation; 16]; 2],
    bits: u64,
    i: usize,
) -> &'static Permutation {
    let set = bits >> (32 / V * i) & ((1 << (32 / V)) - 1);
    &tables[V / 16][set as usize]
}

/// ```text
/// values  a b c d e f g h
/// set     1 0 0 1 1 0 1 0
/// ranks   0 - - 1 2 - 3 -
/// result  a 0 0 b c 0 d 0
/// ```
#[target_feature(enable = "avx2,popcnt")]
#[inline]
fn spread<const V: usize>(bits: u64, from: &[[u8; V]; STEP], to: &mut [[Slot; V]; STEP]) {
    let (values, spread) = (flat(from), flat_mut(to));
    match V {
        4 => {
            for i in 0..8 {
                let values = load(window(values, 4 * rank(bits, 8 * i)));
                let ranks = _mm256_cvtepi8_epi32(load_low(&SPREAD[set(bits, i)]));
                store(window_mut(spread, 32 * i), permuted(values, ranks));
            }
        }
        8 => spread_vectors::<V, 512>(bits, values, spread),
        16 => spread_vectors::<V, 1024>(bits, values, spread),
        _ => sse41::spread::<V>(bits, from, to),
    }
}

/// Permutes parts of 4 bytes. Those whose number is negative become zeros.
#[target_feature(enable = "avx2")]
#[inline]
fn permuted(values: __m256i, parts: __m256i) -> __m256i {
    let is_null = _mm256_srai_epi32::<31>(parts);
    _mm256_andnot_si256(is_null, _mm256_permutevar8x32_epi32(values, parts))
}

/// Spreads values of 8 or 16 bytes, `N` bytes in total: each vector takes as many bytes as its permutation says.
#[target_feature(enable = "avx2")]
#[inline]
fn spread_vectors<const V: usize, const N: usize>(bits: u64, from: &[u8], to: &mut [Slot]) {
    let mut values = Strides::<32, N>::new(window(from, 0));
    let to: &mut [Slot; N] = window_mut(to, 0);
    for i in 0..N / 32 {
        let permutation = permutation::<V>(&SPREADING_WIDE, bits, i);
        let spread = permuted(load(values.here()), load(&permutation.parts));
        store(window_mut(to, 32 * i), spread);
        values.pass(permutation.length);
    }
}

#[target_feature(enable = "avx2,popcnt")]
#[inline]
fn compact<const V: usize, B: Byte>(bits: u64, from: &[[u8; V]; STEP], to: &mut [[B; V]; STEP]) {
    let (values, compacted) = (flat(from), flat_mut(to));
    match V {
        4 => {
            for i in 0..8 {
                let places = _mm256_cvtepu8_epi32(load_low(&COMPACT[set(bits, i)]));
                let values = load(window(values, 32 * i));
                let values = _mm256_permutevar8x32_epi32(values, places);
                store(window_mut(compacted, 4 * rank(bits, 8 * i)), values);
            }
        }
        8 => compact_vectors::<V, 512, B>(bits, values, compacted),
        16 => compact_vectors::<V, 1024, B>(bits, values, compacted),
        _ => sse41::compact::<V, B>(bits, from, to),
    }
}

/// Same as [`spread_vectors`], to compact values.
#[target_feature(enable = "avx2")]
#[inline]
fn compact_vectors<const V: usize, const N: usize, B: Byte>(bits: u64, from: &[u8], to: &mut [B]) {
    let values: &[u8; N] = window(from, 0);
    let mut to = StridesMut::<B, 32, N>::new(window_mut(to, 0));
    for i in 0..N / 32 {
        let permutation = permutation::<V>(&COMPACTING_WIDE, bits, i);
        let values = load(window(values, 32 * i));
        store(
            to.here(),
            _mm256_permutevar8x32_epi32(values, load(&permutation.parts)),
        );
        to.pass(permutation.length);
    }
}

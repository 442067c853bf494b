//! AVX-512: 64 values are K vectors of 64 bytes, transposed in log2 K levels.
//!
//! One `vpermb` moves the bytes of each vector to where the levels need them; a level combines
//! vectors whose numbers differ in one bit. On Intel CPUs, only one port moves bytes across a
//! 64-byte vector, so both directions use it as little as possible: blends and funnel shifts use
//! other ports. Splitting 16 planes uses it more often, with orders that stay in registers.

use super::sse41::{join16, split16};
use crate::backend::Avx512;
use crate::codec::byte_stream_split::{Planes, Writes};
use crate::memory::{Slot, flat, flat_mut};
use crate::simd::avx512::{load, opaque, opaque_mask, put};
use crate::simd::sse41::ahead;
use crate::simd::{implement, window, window_mut};
use core::arch::x86_64::*;

implement! {
    impl<const K: usize> Planes<K> for Avx512 {
        fn split<W: Writes>(values: &[[u8; K]; 64], planes: &mut [&mut [[Slot; 64]]; K], at: usize) = split::<K, W>;
        fn split16(values: &[[u8; K]; 16]) -> [[u8; 16]; K] = split16::<K>;
        fn join<W: Writes>(planes: &[&[[u8; 64]]; K], at: usize, values: &mut [[Slot; K]; 64]) = join::<K, W>;
        fn join16(planes: &[[u8; 16]; K]) -> [[u8; K]; 16] = join16::<K>;
    }
}

/// Tables of shuffles for `K`-byte values; a vector holds U = 64 / K of them.
struct Tables<const K: usize>;

impl<const K: usize> Tables<K> {
    /// For vector `v` of values: moves the bytes of plane `b ^ v` to block `b` of U bytes.
    const SPLIT: [[u8; 64]; K] = {
        let mut tables = [[0; 64]; K];
        let mut i = 0;
        while i < 64 * K {
            let (v, block, value) = (i / 64, i % 64 / (64 / K), i % (64 / K));
            tables[v][i % 64] = (value * K + (block ^ v)) as u8;
            i += 1;
        }
        tables
    };

    /// For plane `k`, from vectors `k % (K / 2)` and `k % (K / 2) + K / 2` before the last level of
    /// `to_planes`: block `a` is their block `a ^ k`. Indices are of 4-byte numbers; those of the
    /// second vector begin at 16.
    const IN_ORDER: [[u8; 64]; K] = {
        let mut tables = [[0; 64]; K];
        let mut i = 0;
        while i < 16 * K {
            let (k, block, number) = (i / 16, i % 16 / (16 / K), i % (16 / K));
            let second = block / (K / 2);
            tables[k][i % 16 * 4] = (second * 16 + (block ^ k) * (16 / K) + number) as u8;
            i += 1;
        }
        tables
    };

    /// For planes `4 l + r` of 16, from the vectors that hold lanes `l` and `l ^ 1` of two groups each:
    /// the lanes of plane `4 l + r`, whose blocks are in order `c ^ r`. The first index is `l % 2`.
    const IN_LANES: [[[u8; 64]; 4]; 2] = {
        let mut tables = [[[0; 64]; 4]; 2];
        let mut i = 0;
        while i < 128 {
            let (odd, r, group, block) = (i / 64, i / 16 % 4, i / 4 % 4, i % 4);
            let number = group / 2 * 16 + group % 2 * 8 + odd * 4 + (block ^ r);
            tables[odd][r][i % 16 * 4] = number as u8;
            i += 1;
        }
        tables
    };

    /// For plane `v`: moves the byte of value `(b ^ v) U + u` to slot `b` of unit `u`.
    const JOIN: [[u8; 64]; K] = {
        let mut tables = [[0; 64]; K];
        let mut i = 0;
        while i < 64 * K {
            let (v, unit, slot) = (i / 64, i % 64 / K, i % K);
            tables[v][i % 64] = ((slot ^ v) * (64 / K) + unit) as u8;
            i += 1;
        }
        tables
    };
}

/// Performs the butterfly of the level whose slots are `DISTANCE` bytes apart.
#[target_feature(enable = "avx512bw,avx512vbmi2")]
#[inline]
fn butterfly<const DISTANCE: usize>(x: __m512i, y: __m512i) -> [__m512i; 2] {
    match DISTANCE {
        1 => {
            let odd = opaque_mask(0xaaaa_aaaa_aaaa_aaaa);
            [
                _mm512_mask_blend_epi8(odd, x, y),
                _mm512_shrdi_epi16::<8>(x, y),
            ]
        }
        2 => {
            let odd = opaque_mask(0xaaaa_aaaa) as __mmask32;
            [
                _mm512_mask_blend_epi16(odd, x, y),
                _mm512_shrdi_epi32::<16>(x, y),
            ]
        }
        4 => {
            let odd = opaque_mask(0xaaaa) as __mmask16;
            [
                _mm512_mask_blend_epi32(odd, x, y),
                _mm512_shrdi_epi64::<32>(x, y),
            ]
        }
        _ => {
            let odd = opaque_mask(0xaa) as __mmask8;
            [
                _mm512_mask_blend_epi64(odd, x, y),
                _mm512_alignr_epi8::<8>(y, x),
            ]
        }
    }
}

#[target_feature(enable = "avx512bw,avx512vbmi2")]
#[inline]
fn level<const K: usize, const DISTANCE: usize>(vectors: &mut [__m512i; K]) {
    if DISTANCE < K {
        for v in 0..K {
            if v & DISTANCE == 0 {
                [vectors[v], vectors[v | DISTANCE]] =
                    butterfly::<DISTANCE>(vectors[v], vectors[v | DISTANCE]);
            }
        }
    }
}

#[target_feature(enable = "avx512bw,avx512vbmi2")]
#[inline]
fn network<const K: usize>(vectors: &mut [__m512i; K]) {
    level::<K, 1>(vectors);
    level::<K, 2>(vectors);
    level::<K, 4>(vectors);
    level::<K, 8>(vectors);
}

/// Converts vectors of values to the vectors of their planes, in blocks of 64 / K bytes of one
/// plane. Each level but the last consists of blends: it moves block `b` of vector `v` to vector
/// `v ^ b`, one bit of `b` at a time. The last one also puts the blocks in order. K = 4, letters
/// for blocks of 16 values:
///
/// ```text
///           vector 0      vector 1      vector 2      vector 3
/// vpermb    A0 A1 A2 A3   B1 B0 B3 B2   C2 C3 C0 C1   D3 D2 D1 D0
/// blends    A0 B0 A2 B2   B1 A1 B3 A3   C2 D2 C0 D0   D3 C3 D1 C1
/// last      A0 B0 C0 D0   A1 B1 C1 D1   A2 B2 C2 D2   A3 B3 C3 D3
/// ```
#[target_feature(enable = "avx512bw,avx512vbmi")]
#[inline]
fn to_planes<const K: usize>(vectors: &mut [__m512i; K]) {
    for v in 0..K {
        vectors[v] = _mm512_permutexvar_epi8(opaque(&const { Tables::<K>::SPLIT }[v]), vectors[v]);
    }
    blend_level::<K, 1>(vectors);
    blend_level::<K, 2>(vectors);
    blend_level::<K, 4>(vectors);
    let before = *vectors;
    let upper = opaque_mask(0xff00) as __mmask16;
    vectors[0] = _mm512_mask_blend_epi32(upper, before[0], before[K / 2]);
    for k in 1..K {
        let order = opaque(&const { Tables::<K>::IN_ORDER }[k]);
        let [x, y] = [before[k % (K / 2)], before[k % (K / 2) + K / 2]];
        vectors[k] = _mm512_permutex2var_epi32(x, order, y);
    }
}

/// Same as [`to_planes`], for 16 planes: their orders would be 31 constants, which do not stay in
/// registers. Here they are 12: blocks of 4 bytes change places within lanes only, and the lanes
/// follow in two levels.
///
/// ```text
/// blended   vector 4 g + r: blocks of planes r | 4 + r | 8 + r | 12 + r, one lane each, of group g
/// paired    lanes 0 and 1, or 2 and 3, of groups 0 and 1, or 2 and 3
/// result    a lane of each of the four groups, with its blocks in order
/// ```
#[target_feature(enable = "avx512bw,avx512vbmi")]
#[inline]
fn to_16_planes<const K: usize>(vectors: &mut [__m512i; K]) {
    let mut orders = [_mm512_setzero_si512(); 4];
    for r in 0..4 {
        orders[r] = opaque(&const { Tables::<K>::SPLIT }[r]);
    }
    for v in 0..K {
        vectors[v] = _mm512_permutexvar_epi8(orders[v % 4], vectors[v]);
    }
    blend_level::<K, 1>(vectors);
    blend_level::<K, 2>(vectors);
    for r in 0..4 {
        let [a, b, c, d] = [vectors[r], vectors[4 + r], vectors[8 + r], vectors[12 + r]];
        let lower = [
            _mm512_shuffle_i64x2::<0b01_00_01_00>(a, b),
            _mm512_shuffle_i64x2::<0b01_00_01_00>(c, d),
        ];
        let upper = [
            _mm512_shuffle_i64x2::<0b11_10_11_10>(a, b),
            _mm512_shuffle_i64x2::<0b11_10_11_10>(c, d),
        ];
        for odd in 0..2 {
            let order = opaque(&const { Tables::<K>::IN_LANES }[odd][r]);
            vectors[4 * odd + r] = _mm512_permutex2var_epi32(lower[0], order, lower[1]);
            vectors[8 + 4 * odd + r] = _mm512_permutex2var_epi32(upper[0], order, upper[1]);
        }
    }
}

/// Exchanges the blocks whose number has the bit `BIT` between vectors that differ in the same bit.
#[target_feature(enable = "avx512f")]
#[inline]
fn blend_level<const K: usize, const BIT: usize>(vectors: &mut [__m512i; K]) {
    if BIT < K / 2 {
        // Mask of the upper half of every 2 * BIT blocks, one bit for each 4 bytes.
        let half = 16 / K * BIT;
        let odd = opaque_mask((0xffff / ((1 << half) + 1)) << half) as __mmask16;
        let before = *vectors;
        for v in 0..K {
            vectors[v] = _mm512_mask_blend_epi32(odd, before[v], before[v ^ BIT]);
        }
    }
}

/// Converts vectors of planes to the vectors of their values.
#[target_feature(enable = "avx512bw,avx512vbmi,avx512vbmi2")]
#[inline]
fn to_values<const K: usize>(vectors: &mut [__m512i; K]) {
    for v in 0..K {
        vectors[v] = _mm512_permutexvar_epi8(opaque(&const { Tables::<K>::JOIN }[v]), vectors[v]);
    }
    network(vectors);
}

#[target_feature(enable = "avx512bw,avx512vbmi,avx512vbmi2")]
#[inline]
fn split<const K: usize, W: Writes>(
    values: &[[u8; K]; 64],
    planes: &mut [&mut [[Slot; 64]]; K],
    at: usize,
) {
    let mut vectors = [_mm512_setzero_si512(); K];
    for k in 0..K {
        vectors[k] = load(window(flat(values), 64 * k));
    }
    match K {
        16 => to_16_planes(&mut vectors),
        _ => to_planes(&mut vectors),
    }
    for k in 0..K {
        put::<W, _>(&mut planes[k][at], vectors[k]);
    }
    for k in 0..K {
        ahead::<W, _>(&planes[k][at], 256);
    }
}

#[target_feature(enable = "avx512bw,avx512vbmi,avx512vbmi2")]
#[inline]
fn join<const K: usize, W: Writes>(
    planes: &[&[[u8; 64]]; K],
    at: usize,
    values: &mut [[Slot; K]; 64],
) {
    let bytes = flat_mut(values);
    let mut vectors = [_mm512_setzero_si512(); K];
    for k in 0..K {
        vectors[k] = load(&planes[k][at]);
    }
    to_values(&mut vectors);
    for k in 0..K {
        ahead::<W, _>(window::<64, _>(bytes, 64 * k), 1024);
        put::<W, _>(window_mut(bytes, 64 * k), vectors[k]);
    }
}

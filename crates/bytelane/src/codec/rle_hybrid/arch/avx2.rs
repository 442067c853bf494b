//! AVX2: sixteen indices in two registers. They permute a dictionary of 64 bytes, which is two
//! registers.

use crate::backend::Avx2;
use crate::codec::bit_packing::arch::avx2::{Unpacker, splat};
use crate::codec::bit_packing::{Case, WINDOW, from_ne_bytes};
use crate::codec::rle_hybrid::{Entries, LookUp, Neighbours, ONES, STEP, Splat};
use crate::memory::{Lines, Slot, flat, flat_mut};
use crate::simd::avx2::{load, store};
use crate::simd::{implement, sse41, window, window_mut};
use core::arch::x86_64::*;

implement! {
    impl<const V: usize> Splat<V> for Avx2 {
        type Block = __m256i;
        fn splat(value: [u8; V]) -> __m256i = splat_value::<V>;
        fn store(block: __m256i, to: &mut [Slot; 64]) = store_block;
    }
}

implement! {
    impl<const K: usize> Neighbours<K> for Avx2 {
        fn equal(values: &[[u8; K]; 65]) -> u64 = equal::<K>;
        fn equal_up_to(values: &[[u8; K]]) -> u64 = equal_up_to::<K>;
    }
}

implement! {
    impl<const V: usize> LookUp<V> for Avx2 {
        type Table = [__m256i; 2];
        type Indices = [__m256i; 2];
        type Greatest = __m256i;
        fn table(entries: Entries<'_, V>) -> [__m256i; 2] = table::<V>;
        fn indices<C: Case>(plan: &Unpacker<4>, from: &[u8; WINDOW]) -> [__m256i; 2] = indices::<C>;
        fn permute(table: &[__m256i; 2], indices: [__m256i; 2], to: &mut [[Slot; V]; STEP]) = permute::<V>;
        fn put(indices: [__m256i; 2], to: &mut [u8; 4 * STEP]) = put;
        fn none() -> __m256i = _mm256_setzero_si256;
        fn greatest(so_far: __m256i, indices: [__m256i; 2], wanted: usize) -> __m256i = greatest;
        fn is_within(greatest: __m256i, last: u32) -> bool = is_within;
    }
}

/// Compares 32 values at a time. Packing works in each lane, so that the results of 64 bits, or of 32, are
/// then put in order:
///
/// ```text
/// two vectors    a0 b0 | a1 b1                  ->  a0 a1 b0 b1
/// four vectors   a0 b0 c0 d0 | a1 b1 c1 d1      ->  a0 a1 b0 b1 c0 c1 d0 d1
/// ```
#[target_feature(enable = "avx2")]
#[inline]
fn equal<const K: usize>(values: &[[u8; K]; 65]) -> u64 {
    let values = flat(values);
    let mut bits = 0;
    for part in 0..2 {
        let mut equal = [_mm256_setzero_si256(); 4];
        for i in 0..K {
            let at = 32 * (K * part + i);
            equal[i] = compare::<K>(load(window(values, at)), load(window(values, at + K)));
        }
        bits |= u64::from(bits_of::<K>(equal)) << (32 * part);
    }
    bits
}

/// Moves the next values to their places in registers: loads of a copy, one value further on, would wait
/// for its stores.
#[target_feature(enable = "avx2")]
#[inline]
fn equal_up_to<const K: usize>(values: &[[u8; K]]) -> u64 {
    let Lines(padded) = &mut Lines([[0; K]; 65 + 32]);
    padded[..values.len()].copy_from_slice(values);
    let padded = flat(padded);
    let mut bits = 0;
    let mut these = load(window(padded, 0));
    for part in 0..2 {
        let mut equal = [_mm256_setzero_si256(); 4];
        for i in 0..K {
            let after = load(window(padded, 32 * (K * part + i + 1)));
            let halves = _mm256_permute2x128_si256::<0x21>(these, after);
            let next = match K {
                1 => _mm256_alignr_epi8::<1>(halves, these),
                2 => _mm256_alignr_epi8::<2>(halves, these),
                _ => _mm256_alignr_epi8::<4>(halves, these),
            };
            equal[i] = compare::<K>(these, next);
            these = after;
        }
        bits |= u64::from(bits_of::<K>(equal)) << (32 * part);
    }
    bits
}

/// Compares values.
#[target_feature(enable = "avx2")]
#[inline]
fn compare<const K: usize>(a: __m256i, b: __m256i) -> __m256i {
    match K {
        1 => _mm256_cmpeq_epi8(a, b),
        2 => _mm256_cmpeq_epi16(a, b),
        _ => _mm256_cmpeq_epi32(a, b),
    }
}

/// Returns a bit for each of the results of 32 values, in `K` vectors.
#[target_feature(enable = "avx2")]
#[inline]
fn bits_of<const K: usize>([a, b, c, d]: [__m256i; 4]) -> u32 {
    let equal = match K {
        1 => a,
        2 => _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi16(a, b)),
        _ => _mm256_permutevar8x32_epi32(
            _mm256_packs_epi16(_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d)),
            _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7),
        ),
    };
    _mm256_movemask_epi8(equal).cast_unsigned()
}

/// For each 32 bytes of the entries of eight values: the value to which each 4-byte number belongs,
/// and the position in its entry of each of the first numbers.
struct Parts<const V: usize>;

impl<const V: usize> Parts<V> {
    const VALUE: [[u8; 8]; 4] = {
        let mut table = [[0; 8]; 4];
        let mut i = 0;
        while i < 2 * V {
            table[i / 8][i % 8] = (i / (V / 4)) as u8;
            i += 1;
        }
        table
    };

    const NUMBER: [u8; 8] = {
        let mut table = [0; 8];
        let mut i = 0;
        while i < 8 {
            table[i] = (i % (V / 4)) as u8;
            i += 1;
        }
        table
    };
}

#[target_feature(enable = "avx2")]
#[inline]
fn splat_value<const V: usize>(value: [u8; V]) -> __m256i {
    match V {
        16 => _mm256_broadcastsi128_si256(sse41::load(window(&value, 0))),
        _ => splat::<V>(from_ne_bytes(value)),
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn store_block(block: __m256i, to: &mut [Slot; 64]) {
    for i in 0..2 {
        store(window_mut(to, 32 * i), block);
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn table<const V: usize>(entries: Entries<'_, V>) -> [__m256i; 2] {
    let front = entries.front();
    [load(window(front, 0)), load(window(front, 32))]
}

#[target_feature(enable = "avx2")]
#[inline]
fn indices<C: Case>(plan: &Unpacker<4>, from: &[u8; WINDOW]) -> [__m256i; 2] {
    [plan.unpacked::<C>(from, 0), plan.unpacked::<C>(from, 1)]
}

/// Permutes entries. Two 8-byte entries, indices i and j, are the numbers 2 i, 2 i + 1, 2 j and 2 j
/// + 1 of the dictionary. Bit 3 of a number selects its register.
#[target_feature(enable = "avx2")]
#[inline]
fn permute<const V: usize>(
    table: &[__m256i; 2],
    indices: [__m256i; 2],
    to: &mut [[Slot; V]; STEP],
) {
    let to = flat_mut(to);
    let number = _mm256_cvtepu8_epi32(sse41::load_low(const { &Parts::<V>::NUMBER }));
    for half in 0..2 {
        let first = match V {
            4 => indices[half],
            8 => _mm256_slli_epi32::<1>(indices[half]),
            _ => _mm256_slli_epi32::<2>(indices[half]),
        };
        for part in 0..V / 4 {
            let value = sse41::load_low(&const { &Parts::<V>::VALUE }[part]);
            let numbers = match V {
                4 => first,
                _ => {
                    let first = _mm256_permutevar8x32_epi32(first, _mm256_cvtepu8_epi32(value));
                    _mm256_or_si256(first, number)
                }
            };
            let low = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(table[0], numbers));
            let high = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(table[1], numbers));
            let is_high = _mm256_castsi256_ps(_mm256_slli_epi32::<28>(numbers));
            let entries = _mm256_castps_si256(_mm256_blendv_ps(low, high, is_high));
            store(window_mut(to, 8 * V * half + 32 * part), entries);
        }
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn put(indices: [__m256i; 2], to: &mut [u8; 4 * STEP]) {
    store(window_mut(to, 0), indices[0]);
    store(window_mut(to, 32), indices[1]);
}

#[target_feature(enable = "avx2")]
#[inline]
fn greatest(so_far: __m256i, indices: [__m256i; 2], wanted: usize) -> __m256i {
    // A start is at most 64; the mask tells the compiler that both loads are within the table.
    let start = (64 - 4 * wanted) & 63;
    let low = _mm256_and_si256(indices[0], load(window(&ONES, start)));
    let high = _mm256_and_si256(indices[1], load(window(&ONES, start + 32)));
    _mm256_max_epu32(so_far, _mm256_max_epu32(low, high))
}

#[target_feature(enable = "avx2")]
#[inline]
fn is_within(greatest: __m256i, last: u32) -> bool {
    let last = splat::<4>(u64::from(last));
    let equal = _mm256_cmpeq_epi32(_mm256_max_epu32(greatest, last), last);
    _mm256_movemask_epi8(equal) == -1
}

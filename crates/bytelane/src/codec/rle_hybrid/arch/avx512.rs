//! AVX-512: sixteen indices in a register. They permute a dictionary of 64 bytes, which is a
//! register.

use crate::backend::Avx512;
use crate::codec::bit_packing::arch::avx512::{Unpacker, splat};
use crate::codec::bit_packing::{Case, WINDOW, from_ne_bytes};
use crate::codec::rle_hybrid::{Entries, LookUp, Neighbours, STEP, Splat};
use crate::memory::{Slot, flat, flat_mut};
use crate::simd::avx512::{first_bits, load, load_up_to, store, store_up_to};
use crate::simd::{implement, sse41, window, window_mut};
use core::arch::x86_64::*;

implement! {
    impl<const V: usize> Splat<V> for Avx512 {
        type Block = __m512i;
        fn splat(value: [u8; V]) -> __m512i = splat_value::<V>;
        fn store(block: __m512i, to: &mut [Slot; 64]) = store_block;
        fn store_up_to(block: __m512i, to: &mut [Slot]) = store_part;
    }
}

implement! {
    impl<const K: usize> Neighbours<K> for Avx512 {
        fn equal(values: &[[u8; K]; 65]) -> u64 = equal::<K>;
        fn equal_up_to(values: &[[u8; K]]) -> u64 = equal_up_to::<K>;
    }
}

implement! {
    impl<const V: usize> LookUp<V> for Avx512 {
        type Table = __m512i;
        type Indices = __m512i;
        type Greatest = __m512i;
        fn table(entries: Entries<'_, V>) -> __m512i = table::<V>;
        fn indices<C: Case>(plan: &Unpacker<4>, from: &[u8; WINDOW]) -> __m512i = indices::<C>;
        fn permute(table: &__m512i, indices: __m512i, to: &mut [[Slot; V]; STEP]) = permute::<V>;
        fn put(indices: __m512i, to: &mut [u8; 4 * STEP]) = put;
        fn none() -> __m512i = _mm512_setzero_si512;
        fn greatest(so_far: __m512i, indices: __m512i, wanted: usize) -> __m512i = greatest;
        fn is_within(greatest: __m512i, last: u32) -> bool = is_within;
    }
}

#[target_feature(enable = "avx512bw")]
#[inline]
fn equal<const K: usize>(values: &[[u8; K]; 65]) -> u64 {
    let values = flat(values);
    let mut bits = 0;
    for part in 0..K {
        let at = 64 * part;
        let (these, next) = (load(window(values, at)), load(window(values, at + K)));
        bits |= compare::<K>(these, next) << (at / K);
    }
    bits
}

/// Loads what there is with masks: a copy would be loaded again before its stores are done.
#[target_feature(enable = "avx512bw,bmi2")]
#[inline]
fn equal_up_to<const K: usize>(values: &[[u8; K]]) -> u64 {
    let values = flat(values);
    let mut bits = 0;
    for part in 0..K {
        let at = 64 * part;
        // An empty slice begins at the end of the values: a masked load of nothing from elsewhere is slow.
        let these = load_up_to(&values[usize::min(at, values.len())..]);
        let next = load_up_to(&values[usize::min(at + K, values.len())..]);
        bits |= compare::<K>(these, next) << (at / K);
    }
    bits
}

/// Compares the values of two vectors. Returns a bit for each value.
#[target_feature(enable = "avx512bw")]
#[inline]
fn compare<const K: usize>(a: __m512i, b: __m512i) -> u64 {
    match K {
        1 => _mm512_cmpeq_epi8_mask(a, b),
        2 => u64::from(_mm512_cmpeq_epi16_mask(a, b)),
        _ => u64::from(_mm512_cmpeq_epi32_mask(a, b)),
    }
}

/// For each 64 bytes of entries: the one of sixteen values to which each 4-byte number belongs, and
/// the position in its entry of each of the first numbers.
struct Parts<const V: usize>;

impl<const V: usize> Parts<V> {
    const VALUE: [[u8; 16]; 4] = {
        let mut table = [[0; 16]; 4];
        let mut i = 0;
        while i < 4 * V {
            table[i / 16][i % 16] = (i / (V / 4)) as u8;
            i += 1;
        }
        table
    };

    const NUMBER: [u8; 16] = {
        let mut table = [0; 16];
        let mut i = 0;
        while i < 16 {
            table[i] = (i % (V / 4)) as u8;
            i += 1;
        }
        table
    };
}

#[target_feature(enable = "avx512bw")]
#[inline]
fn splat_value<const V: usize>(value: [u8; V]) -> __m512i {
    match V {
        16 => _mm512_broadcast_i32x4(sse41::load(window(&value, 0))),
        _ => splat::<V>(from_ne_bytes(value)),
    }
}

#[target_feature(enable = "avx512bw")]
#[inline]
fn store_block(block: __m512i, to: &mut [Slot; 64]) {
    store(to, block);
}

#[target_feature(enable = "avx512bw,bmi2")]
#[inline]
fn store_part(block: __m512i, to: &mut [Slot]) {
    store_up_to(to, block);
}

#[target_feature(enable = "avx512f")]
#[inline]
fn table<const V: usize>(entries: Entries<'_, V>) -> __m512i {
    load(entries.front())
}

#[target_feature(enable = "avx512bw,avx512vbmi")]
#[inline]
fn indices<C: Case>(plan: &Unpacker<4>, from: &[u8; WINDOW]) -> __m512i {
    plan.unpacked::<C>(load(window(from, 0)))
}

/// Permutes entries. Two 8-byte entries, indices i and j, are the numbers 2 i, 2 i + 1, 2 j and 2 j
/// + 1 of the dictionary.
#[target_feature(enable = "avx512bw")]
#[inline]
fn permute<const V: usize>(table: &__m512i, indices: __m512i, to: &mut [[Slot; V]; STEP]) {
    let to = flat_mut(to);
    if V == 4 {
        return store(window_mut(to, 0), _mm512_permutexvar_epi32(indices, *table));
    }
    let first = match V {
        8 => _mm512_slli_epi32::<1>(indices),
        _ => _mm512_slli_epi32::<2>(indices),
    };
    let number = _mm512_cvtepu8_epi32(sse41::load(const { &Parts::<V>::NUMBER }));
    for part in 0..V / 4 {
        let value = _mm512_cvtepu8_epi32(sse41::load(&const { &Parts::<V>::VALUE }[part]));
        let first = _mm512_permutexvar_epi32(value, first);
        let numbers = _mm512_or_si512(first, number);
        let entries = _mm512_permutexvar_epi32(numbers, *table);
        store(window_mut(to, 64 * part), entries);
    }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn put(indices: __m512i, to: &mut [u8; 4 * STEP]) {
    store(to, indices);
}

#[target_feature(enable = "avx512f,bmi2")]
#[inline]
fn greatest(so_far: __m512i, indices: __m512i, wanted: usize) -> __m512i {
    _mm512_mask_max_epu32(so_far, first_bits(wanted) as u16, so_far, indices)
}

#[target_feature(enable = "avx512bw")]
#[inline]
fn is_within(greatest: __m512i, last: u32) -> bool {
    _mm512_cmpgt_epu32_mask(greatest, splat::<4>(u64::from(last))) == 0
}

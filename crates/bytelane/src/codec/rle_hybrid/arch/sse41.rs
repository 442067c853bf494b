//! SSE4.1: sixteen indices in four registers. Entries are loaded one by one, even from small
//! dictionaries.

use crate::backend::Sse41;
use crate::codec::bit_packing::arch::sse41::{Unpacker, splat};
use crate::codec::bit_packing::{Case, WINDOW, from_ne_bytes};
use crate::codec::rle_hybrid::{Entries, LookUp, Neighbours, ONES, STEP, Splat};
use crate::memory::{Lines, Slot, flat, write};
use crate::simd::sse41::{load, store};
use crate::simd::{implement, window, window_mut};
use core::arch::x86_64::*;

implement! {
    impl<const V: usize> Splat<V> for Sse41 {
        type Block = __m128i;
        fn splat(value: [u8; V]) -> __m128i = splat_value::<V>;
        fn store(block: __m128i, to: &mut [Slot; 64]) = store_block;
    }
}

implement! {
    impl<const K: usize> Neighbours<K> for Sse41 {
        fn equal(values: &[[u8; K]; 65]) -> u64 = equal::<K>;
        fn equal_up_to(values: &[[u8; K]]) -> u64 = equal_up_to::<K>;
    }
}

implement! {
    impl<const V: usize> LookUp<V> for Sse41 {
        type Table = [u8; 64];
        type Indices = [__m128i; 4];
        type Greatest = __m128i;
        fn table(entries: Entries<'_, V>) -> [u8; 64] = table::<V>;
        fn indices<C: Case>(plan: &Unpacker<4>, from: &[u8; WINDOW]) -> [__m128i; 4] = indices::<C>;
        fn permute(table: &[u8; 64], indices: [__m128i; 4], to: &mut [[Slot; V]; STEP]) = permute::<V>;
        fn put(indices: [__m128i; 4], to: &mut [u8; 4 * STEP]) = put;
        fn none() -> __m128i = _mm_setzero_si128;
        fn greatest(so_far: __m128i, indices: [__m128i; 4], wanted: usize) -> __m128i = greatest;
        fn is_within(greatest: __m128i, last: u32) -> bool = is_within;
    }
}

#[target_feature(enable = "sse4.1")]
#[inline]
fn splat_value<const V: usize>(value: [u8; V]) -> __m128i {
    match V {
        16 => load(window(&value, 0)),
        _ => splat::<V>(from_ne_bytes(value)),
    }
}

#[target_feature(enable = "sse4.1")]
#[inline]
fn store_block(block: __m128i, to: &mut [Slot; 64]) {
    for i in 0..4 {
        store(window_mut(to, 16 * i), block);
    }
}

/// Compares 16 values at a time. Packing with saturation keeps ones and zeros.
#[target_feature(enable = "sse4.1")]
#[inline]
fn equal<const K: usize>(values: &[[u8; K]; 65]) -> u64 {
    let values = flat(values);
    let mut bits = 0;
    for part in 0..4 {
        let mut equal = [_mm_setzero_si128(); 4];
        for i in 0..K {
            let at = 16 * (K * part + i);
            equal[i] = compare::<K>(load(window(values, at)), load(window(values, at + K)));
        }
        bits |= u64::from(bits_of::<K>(equal)) << (16 * part);
    }
    bits
}

/// Moves the next values to their places in registers: loads of a copy, one value further on, would wait
/// for its stores.
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn equal_up_to<const K: usize>(values: &[[u8; K]]) -> u64 {
    let Lines(padded) = &mut Lines([[0; K]; 65 + 16]);
    padded[..values.len()].copy_from_slice(values);
    let padded = flat(padded);
    let mut bits = 0;
    let mut these = load(window(padded, 0));
    for part in 0..4 {
        let mut equal = [_mm_setzero_si128(); 4];
        for i in 0..K {
            let after = load(window(padded, 16 * (K * part + i + 1)));
            let next = match K {
                1 => _mm_alignr_epi8::<1>(after, these),
                2 => _mm_alignr_epi8::<2>(after, these),
                _ => _mm_alignr_epi8::<4>(after, these),
            };
            equal[i] = compare::<K>(these, next);
            these = after;
        }
        bits |= u64::from(bits_of::<K>(equal)) << (16 * part);
    }
    bits
}

/// Compares values.
#[target_feature(enable = "sse4.1")]
#[inline]
fn compare<const K: usize>(a: __m128i, b: __m128i) -> __m128i {
    match K {
        1 => _mm_cmpeq_epi8(a, b),
        2 => _mm_cmpeq_epi16(a, b),
        _ => _mm_cmpeq_epi32(a, b),
    }
}

/// Returns a bit for each of the results of 16 values, in `K` vectors.
#[target_feature(enable = "sse4.1")]
#[inline]
fn bits_of<const K: usize>([a, b, c, d]: [__m128i; 4]) -> u16 {
    let equal = match K {
        1 => a,
        2 => _mm_packs_epi16(a, b),
        _ => _mm_packs_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d)),
    };
    _mm_movemask_epi8(equal) as u16
}

#[inline]
fn table<const V: usize>(entries: Entries<'_, V>) -> [u8; 64] {
    *entries.front()
}

#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn indices<C: Case>(plan: &Unpacker<4>, from: &[u8; WINDOW]) -> [__m128i; 4] {
    let mut indices = [_mm_setzero_si128(); 4];
    for piece in 0..4 {
        indices[piece] = plan.unpacked::<C>(from, piece);
    }
    indices
}

#[target_feature(enable = "sse4.1")]
#[inline]
fn permute<const V: usize>(table: &[u8; 64], indices: [__m128i; 4], to: &mut [[Slot; V]; STEP]) {
    let Lines(numbers) = &mut Lines([0; 4 * STEP]);
    put(indices, numbers);
    for i in 0..STEP {
        let index = u32::from_le_bytes(*window(numbers, 4 * i)) as usize;
        write(&mut to[i], table.as_chunks::<V>().0[index & (64 / V - 1)]);
    }
}

#[target_feature(enable = "sse4.1")]
#[inline]
fn put(indices: [__m128i; 4], to: &mut [u8; 4 * STEP]) {
    for piece in 0..4 {
        store(window_mut(to, 16 * piece), indices[piece]);
    }
}

#[target_feature(enable = "sse4.1")]
#[inline]
fn greatest(mut so_far: __m128i, indices: [__m128i; 4], wanted: usize) -> __m128i {
    // The mask tells the compiler that all loads are within the table.
    let start = (64 - 4 * wanted) & 63;
    for piece in 0..4 {
        let there = load(window(&ONES, start + 16 * piece));
        so_far = _mm_max_epu32(so_far, _mm_and_si128(indices[piece], there));
    }
    so_far
}

#[target_feature(enable = "sse4.1")]
#[inline]
fn is_within(greatest: __m128i, last: u32) -> bool {
    let last = splat::<4>(u64::from(last));
    let equal = _mm_cmpeq_epi32(_mm_max_epu32(greatest, last), last);
    _mm_movemask_epi8(equal) == 0xffff
}

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
            let (these, next) = (load(window(values, at)), load(window(values, at + K)));
            equal[i] = match K {
                1 => _mm_cmpeq_epi8(these, next),
                2 => _mm_cmpeq_epi16(these, next),
                _ => _mm_cmpeq_epi32(these, next),
            };
        }
        let [a, b, c, d] = equal;
        let equal = match K {
            1 => a,
            2 => _mm_packs_epi16(a, b),
            _ => _mm_packs_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d)),
        };
        bits |= u64::from(_mm_movemask_epi8(equal) as u16) << (16 * part);
    }
    bits
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

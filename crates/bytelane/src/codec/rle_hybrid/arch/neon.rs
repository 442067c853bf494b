//! NEON: sixteen indices in four registers. A dictionary of 64 bytes is a table of four registers.

use crate::backend::Neon;
use crate::codec::bit_packing::arch::neon::{Unpacker, splat};
use crate::codec::bit_packing::{Case, WINDOW, from_ne_bytes};
use crate::codec::rle_hybrid::encode::equal_in_loop;
use crate::codec::rle_hybrid::{Entries, LookUp, Neighbours, ONES, STEP, Splat};
use crate::memory::{Slot, flat_mut};
use crate::simd::neon::{load, store};
use crate::simd::{implement, window, window_mut};
use core::arch::aarch64::*;

implement! {
    impl<const V: usize> Splat<V> for Neon {
        type Block = uint8x16_t;
        fn splat(value: [u8; V]) -> uint8x16_t = splat_value::<V>;
        fn store(block: uint8x16_t, to: &mut [Slot; 64]) = store_block;
    }
}

implement! {
    impl<const K: usize> Neighbours<K> for Neon {
        fn equal(values: &[[u8; K]; 65]) -> u64 = equal::<K>;
    }
}

implement! {
    impl<const V: usize> LookUp<V> for Neon {
        type Table = uint8x16x4_t;
        type Indices = [uint8x16_t; 4];
        type Greatest = uint32x4_t;
        fn table(entries: Entries<'_, V>) -> uint8x16x4_t = table::<V>;
        fn indices<C: Case>(plan: &Unpacker<4>, from: &[u8; WINDOW]) -> [uint8x16_t; 4] = indices::<C>;
        fn permute(table: &uint8x16x4_t, indices: [uint8x16_t; 4], to: &mut [[Slot; V]; STEP]) = permute::<V>;
        fn put(indices: [uint8x16_t; 4], to: &mut [u8; 4 * STEP]) = put;
        fn none() -> uint32x4_t = none;
        fn greatest(so_far: uint32x4_t, indices: [uint8x16_t; 4], wanted: usize) -> uint32x4_t = greatest;
        fn is_within(greatest: uint32x4_t, last: u32) -> bool = is_within;
    }
}

#[inline]
fn equal<const K: usize>(values: &[[u8; K]; 65]) -> u64 {
    equal_in_loop(values)
}

/// For each 16 bytes of the entries of four values: the lowest byte of the index of each byte, and
/// its position in its entry.
struct Parts<const V: usize>;

impl<const V: usize> Parts<V> {
    const INDEX: [[u8; 16]; 4] = {
        let mut table = [[0; 16]; 4];
        let mut i = 0;
        while i < 4 * V {
            table[i / 16][i % 16] = (i / V * 4) as u8;
            i += 1;
        }
        table
    };

    const BYTE: [u8; 16] = {
        let mut table = [0; 16];
        let mut i = 0;
        while i < 16 {
            table[i] = (i % V) as u8;
            i += 1;
        }
        table
    };
}

#[target_feature(enable = "neon")]
#[inline]
fn splat_value<const V: usize>(value: [u8; V]) -> uint8x16_t {
    match V {
        16 => load(window(&value, 0)),
        _ => splat::<V>(from_ne_bytes(value)),
    }
}

#[target_feature(enable = "neon")]
#[inline]
fn store_block(block: uint8x16_t, to: &mut [Slot; 64]) {
    for i in 0..4 {
        store(window_mut(to, 16 * i), block);
    }
}

#[target_feature(enable = "neon")]
#[inline]
fn table<const V: usize>(entries: Entries<'_, V>) -> uint8x16x4_t {
    let front = entries.front();
    uint8x16x4_t(
        load(window(front, 0)),
        load(window(front, 16)),
        load(window(front, 32)),
        load(window(front, 48)),
    )
}

#[target_feature(enable = "neon")]
#[inline]
fn indices<C: Case>(plan: &Unpacker<4>, from: &[u8; WINDOW]) -> [uint8x16_t; 4] {
    let mut indices = [vdupq_n_u8(0); 4];
    for piece in 0..4 {
        indices[piece] = plan.unpacked::<C>(from, piece);
    }
    indices
}

/// Permutes entries. The entry of index i consists of the bytes V i, V i + 1, .. of the dictionary.
#[target_feature(enable = "neon")]
#[inline]
fn permute<const V: usize>(
    table: &uint8x16x4_t,
    indices: [uint8x16_t; 4],
    to: &mut [[Slot; V]; STEP],
) {
    let to = flat_mut(to);
    let byte = load(const { &Parts::<V>::BYTE });
    for piece in 0..4 {
        for part in 0..V / 4 {
            let place = load(&const { &Parts::<V>::INDEX }[part]);
            let index = vqtbl1q_u8(indices[piece], place);
            let first = match V {
                4 => vshlq_n_u8::<2>(index),
                8 => vshlq_n_u8::<3>(index),
                _ => vshlq_n_u8::<4>(index),
            };
            let entries = vqtbl4q_u8(*table, vorrq_u8(first, byte));
            store(window_mut(to, 4 * V * piece + 16 * part), entries);
        }
    }
}

#[target_feature(enable = "neon")]
#[inline]
fn put(indices: [uint8x16_t; 4], to: &mut [u8; 4 * STEP]) {
    for piece in 0..4 {
        store(window_mut(to, 16 * piece), indices[piece]);
    }
}

#[target_feature(enable = "neon")]
#[inline]
fn none() -> uint32x4_t {
    vdupq_n_u32(0)
}

#[target_feature(enable = "neon")]
#[inline]
fn greatest(mut so_far: uint32x4_t, indices: [uint8x16_t; 4], wanted: usize) -> uint32x4_t {
    // The mask tells the compiler that all loads are within the table.
    let start = (64 - 4 * wanted) & 63;
    for piece in 0..4 {
        let there = load(window(&ONES, start + 16 * piece));
        let wanted = vreinterpretq_u32_u8(vandq_u8(indices[piece], there));
        so_far = vmaxq_u32(so_far, wanted);
    }
    so_far
}

#[target_feature(enable = "neon")]
#[inline]
fn is_within(greatest: uint32x4_t, last: u32) -> bool {
    vmaxvq_u32(greatest) <= last
}

//! NEON: 16 values are K vectors of 16 bytes, transposed by zipping and unzipping.

use crate::backend::Neon;
use crate::codec::byte_stream_split::{Planes, Writes};
use crate::memory::{Slot, flat, flat_mut};
use crate::simd::neon::{load, store};
use crate::simd::{implement, interleave, window, window_mut};
use core::arch::aarch64::*;

implement! {
    impl<const K: usize> Planes<K> for Neon {
        fn split<W: Writes>(values: &[[u8; K]; 64], planes: &mut [&mut [[Slot; 64]]; K], at: usize) = split::<K, W>;
        fn split16(values: &[[u8; K]; 16]) -> [[u8; 16]; K] = split16::<K>;
        fn join<W: Writes>(planes: &[&[[u8; 64]]; K], at: usize, values: &mut [[Slot; K]; 64]) = join::<K, W>;
        fn join16(planes: &[[u8; 16]; K]) -> [[u8; K]; 16] = join16::<K>;
    }
}

/// Performs log2 K rounds of unzipping: each sends the bytes at even positions of a pair of
/// neighbours to the first half of the vectors, and those at odd positions to the second. K = 4:
///
/// ```text
///           vector 0               vector 1      vector 2      vector 3
/// values    a0 a1 a2 a3 b0 b1 ..   e0 ..         i0 ..         m0 ..
/// round 1   a0 a2 b0 b2 .. h2      i0 i2 ..      a1 a3 b1 ..   i1 i3 ..
/// round 2   a0 b0 c0 .. p0         a1 b1 ..      a2 b2 ..      a3 b3 ..
/// ```
#[target_feature(enable = "neon")]
#[inline]
fn to_planes<const K: usize>(values: &[[u8; K]; 16]) -> [uint8x16_t; K] {
    let mut vectors = [vdupq_n_u8(0); K];
    for k in 0..K {
        vectors[k] = load(window(flat(values), 16 * k));
    }
    for _ in 0..K.ilog2() {
        let before = vectors;
        for i in 0..K / 2 {
            vectors[i] = vuzp1q_u8(before[2 * i], before[2 * i + 1]);
            vectors[K / 2 + i] = vuzp2q_u8(before[2 * i], before[2 * i + 1]);
        }
    }
    vectors
}

/// Performs the reverse: log2 K rounds of zipping vectors that are K / 2 apart.
#[target_feature(enable = "neon")]
#[inline]
fn to_values<const K: usize>(mut vectors: [uint8x16_t; K]) -> [uint8x16_t; K] {
    interleave!(vectors, vzip1q_u8, vzip2q_u8);
    vectors
}

#[target_feature(enable = "neon")]
#[inline]
fn split<const K: usize, W: Writes>(
    values: &[[u8; K]; 64],
    planes: &mut [&mut [[Slot; 64]]; K],
    at: usize,
) {
    for i in 0..4 {
        let vectors = to_planes(window(values, 16 * i));
        for k in 0..K {
            store(window_mut(&mut planes[k][at], 16 * i), vectors[k]);
        }
    }
}

#[target_feature(enable = "neon")]
#[inline]
fn split16<const K: usize>(values: &[[u8; K]; 16]) -> [[u8; 16]; K] {
    let vectors = to_planes(values);
    let mut planes = [[0; 16]; K];
    for k in 0..K {
        store(&mut planes[k], vectors[k]);
    }
    planes
}

#[target_feature(enable = "neon")]
#[inline]
fn join<const K: usize, W: Writes>(
    planes: &[&[[u8; 64]]; K],
    at: usize,
    values: &mut [[Slot; K]; 64],
) {
    let bytes = flat_mut(values);
    for i in 0..4 {
        let mut vectors = [vdupq_n_u8(0); K];
        for k in 0..K {
            vectors[k] = load(window(&planes[k][at], 16 * i));
        }
        let vectors = to_values(vectors);
        for k in 0..K {
            store(window_mut(bytes, 16 * (K * i + k)), vectors[k]);
        }
    }
}

#[target_feature(enable = "neon")]
#[inline]
fn join16<const K: usize>(planes: &[[u8; 16]; K]) -> [[u8; K]; 16] {
    let mut vectors = [vdupq_n_u8(0); K];
    for k in 0..K {
        vectors[k] = load(&planes[k]);
    }
    let vectors = to_values(vectors);
    let mut values = [[0; K]; 16];
    for k in 0..K {
        store(window_mut(flat_mut(&mut values), 16 * k), vectors[k]);
    }
    values
}

//! AVX2: 32 values as two lanes of 16, each lane as SSE4.1 does it.

use super::sse41::{by_plane, join16, split16};
use super::{Planes, Writes};
use crate::backend::{Avx2, avx2};
use crate::simd::avx2::{interleave_high, interleave_low, load, load_lanes, put};
use crate::simd::sse41::{self, ahead};
use crate::simd::{interleave, window, window_mut};
use core::arch::x86_64::*;

avx2! {
    impl<const K: usize> Planes<K> for Avx2 {
        fn split<W: Writes>(values: &[[u8; K]; 64], planes: &mut [&mut [[u8; 64]]; K], at: usize) = split::<K, W>;
        fn split16(values: &[[u8; K]; 16]) -> [[u8; 16]; K] = split16::<K>;
        fn join<W: Writes>(planes: &[&[[u8; 64]]; K], at: usize, values: &mut [[u8; K]; 64]) = join::<K, W>;
        fn join16(planes: &[[u8; 16]; K]) -> [[u8; K]; 16] = join16::<K>;
    }
}

/// 32 values at a time. Lane 0 holds the first 16 and lane 1 the second 16 of them:
///
/// ```text
/// vector k   values 16 k / K ..  | values 16 + 16 k / K ..     (loaded from two places)
/// result k   plane k, 0..16      | plane k, 16..32
/// ```
#[target_feature(enable = "avx2")]
#[inline]
fn split<const K: usize, W: Writes>(
    values: &[[u8; K]; 64],
    planes: &mut [&mut [[u8; 64]]; K],
    at: usize,
) {
    for k in 0..K {
        ahead::<W, _>(&planes[k][at], 256);
    }
    let order = _mm256_broadcastsi128_si256(sse41::load(&const { by_plane::<K>() }));
    for half in 0..2 {
        let bytes = window::<32, _>(values, 32 * half).as_flattened();
        let mut vectors = [_mm256_setzero_si256(); K];
        for k in 0..K {
            vectors[k] = load_lanes(window(bytes, 16 * k), window(bytes, 16 * (K + k)));
            if K < 16 {
                vectors[k] = _mm256_shuffle_epi8(vectors[k], order);
            }
        }
        match K {
            2 => interleave!(vectors, interleave_low::<8>, interleave_high::<8>),
            4 => interleave!(vectors, interleave_low::<4>, interleave_high::<4>),
            8 => interleave!(vectors, interleave_low::<2>, interleave_high::<2>),
            _ => interleave!(vectors, interleave_low::<1>, interleave_high::<1>),
        }
        for k in 0..K {
            put::<W, _>(window_mut(&mut planes[k][at], 32 * half), vectors[k]);
        }
    }
}

/// 32 values at a time. After the rounds each vector has 16 bytes of the first 16 values in
/// lane 0 and the same of the second 16 in lane 1; pairs of lanes that belong together are stored.
#[target_feature(enable = "avx2")]
#[inline]
fn join<const K: usize, W: Writes>(
    planes: &[&[[u8; 64]]; K],
    at: usize,
    values: &mut [[u8; K]; 64],
) {
    let bytes = values.as_flattened_mut();
    for k in 0..K {
        ahead::<W, _>(window::<64, _>(bytes, 64 * k), 1024);
    }
    for half in 0..2 {
        let mut vectors = [_mm256_setzero_si256(); K];
        for k in 0..K {
            vectors[k] = load(window(&planes[k][at], 32 * half));
        }
        interleave!(vectors, interleave_low::<1>, interleave_high::<1>);
        for i in 0..K / 2 {
            let [a, b] = [vectors[2 * i], vectors[2 * i + 1]];
            let [low, high] = [32 * (K * half + i), 32 * (K * half + K / 2 + i)];
            put::<W, _>(
                window_mut(bytes, low),
                _mm256_permute2x128_si256(a, b, 0x20),
            );
            put::<W, _>(
                window_mut(bytes, high),
                _mm256_permute2x128_si256(a, b, 0x31),
            );
        }
    }
}

//! SSE4.1: 16 values are K vectors of 16 bytes, transposed by interleaving.

use crate::backend::Sse41;
use crate::codec::byte_stream_split::{Planes, Writes};
use crate::memory::{Slot, flat, flat_mut};
use crate::simd::sse41::{ahead, interleave_high, interleave_low, load, opaque, put, store};
use crate::simd::{implement, interleave, window, window_mut};
use core::arch::x86_64::*;

implement! {
    impl<const K: usize> Planes<K> for Sse41 {
        fn split<W: Writes>(values: &[[u8; K]; 64], planes: &mut [&mut [[Slot; 64]]; K], at: usize) = split::<K, W>;
        fn split16(values: &[[u8; K]; 16]) -> [[u8; 16]; K] = split16::<K>;
        fn join<W: Writes>(planes: &[&[[u8; 64]]; K], at: usize, values: &mut [[Slot; K]; 64]) = join::<K, W>;
        fn join16(planes: &[[u8; 16]; K]) -> [[u8; K]; 16] = join16::<K>;
    }
}

/// Order of the bytes in each vector of 16 / K values, by plane. K = 4:
///
/// ```text
/// a0 a1 a2 a3 b0 b1 b2 b3 c0 c1 c2 c3 d0 d1 d2 d3   values a, b, c, d
/// a0 b0 c0 d0 a1 b1 c1 d1 a2 b2 c2 d2 a3 b3 c3 d3   units of 16 / K bytes, one per plane
/// ```
pub(super) const fn by_plane<const K: usize>() -> [u8; 16] {
    let mut order = [0; 16];
    let mut i = 0;
    while i < 16 {
        let unit = 16 / K;
        order[i] = (i % unit * K + i / unit) as u8;
        i += 1;
    }
    order
}

/// Collects the bytes of each plane. Units are 16 / K bytes, one per plane, from K vectors; log2 K
/// rounds of interleaving vectors that are K / 2 apart bring the units of each plane together. K =
/// 4, capital letters for units:
///
/// ```text
///           vector 0      vector 1      vector 2      vector 3
/// values    A0 A1 A2 A3   B0 B1 B2 B3   C0 C1 C2 C3   D0 D1 D2 D3
/// round 1   A0 C0 A1 C1   A2 C2 A3 C3   B0 D0 B1 D1   B2 D2 B3 D3
/// round 2   A0 B0 C0 D0   A1 B1 C1 D1   A2 B2 C2 D2   A3 B3 C3 D3
/// ```
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn to_planes<const K: usize>(values: &[[u8; K]; 16]) -> [__m128i; K] {
    let order = opaque(load(&const { by_plane::<K>() }));
    let mut vectors = [_mm_setzero_si128(); K];
    for k in 0..K {
        vectors[k] = load(window(flat(values), 16 * k));
        if K < 16 {
            vectors[k] = _mm_shuffle_epi8(vectors[k], order);
        }
    }
    match K {
        2 => interleave!(vectors, interleave_low::<8>, interleave_high::<8>),
        4 => interleave!(vectors, interleave_low::<4>, interleave_high::<4>),
        8 => interleave!(vectors, interleave_low::<2>, interleave_high::<2>),
        _ => interleave!(vectors, interleave_low::<1>, interleave_high::<1>),
    }
    vectors
}

/// Interleaves 16 bytes of each plane, byte by byte with the plane K / 2 after it, then by pairs,
/// and so on: the last of log2 K rounds yields the bytes of each value together, in order.
#[target_feature(enable = "sse4.1")]
#[inline]
fn to_values<const K: usize>(mut vectors: [__m128i; K]) -> [__m128i; K] {
    interleave!(vectors, interleave_low::<1>, interleave_high::<1>);
    vectors
}

#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn split<const K: usize, W: Writes>(
    values: &[[u8; K]; 64],
    planes: &mut [&mut [[Slot; 64]]; K],
    at: usize,
) {
    if K == 16 {
        split_half::<K, 0, W>(values, planes, at);
        split_half::<K, 8, W>(values, planes, at);
    } else {
        split_all::<K, W>(values, planes, at);
    }
    // This must come last: the constants are not hoisted out of a loop if inline assembly precedes
    // them.
    for k in 0..K {
        ahead::<W, _>(&planes[k][at], 256);
    }
}

#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn split_all<const K: usize, W: Writes>(
    values: &[[u8; K]; 64],
    planes: &mut [&mut [[Slot; 64]]; K],
    at: usize,
) {
    for i in 0..4 {
        let vectors = to_planes(window(values, 16 * i));
        for k in 0..K {
            put::<W, _>(window_mut(&mut planes[k][at], 16 * i), vectors[k]);
        }
    }
}

/// Splits 8 of 16 planes: the cache lines of all 16 would not stay in the first-level cache if the
/// planes are a power of two apart, and the vectors would not stay in the registers.
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn split_half<const K: usize, const FROM: usize, W: Writes>(
    values: &[[u8; K]; 64],
    planes: &mut [&mut [[Slot; 64]]; K],
    at: usize,
) {
    for i in 0..4 {
        let bytes = flat(window::<16, _>(values, 16 * i));
        let mut vectors = [_mm_setzero_si128(); 8];
        for j in 0..8 {
            let [a, b] = [
                load(window(bytes, 16 * j)),
                load(window(bytes, 16 * j + 128)),
            ];
            vectors[j] = match FROM {
                0 => interleave_low::<1>(a, b),
                _ => interleave_high::<1>(a, b),
            };
        }
        interleave!(vectors, interleave_low::<1>, interleave_high::<1>);
        for j in 0..8 {
            put::<W, _>(window_mut(&mut planes[FROM + j][at], 16 * i), vectors[j]);
        }
    }
}

#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
pub(super) fn split16<const K: usize>(values: &[[u8; K]; 16]) -> [[u8; 16]; K] {
    let vectors = to_planes(values);
    let mut planes = [[0; 16]; K];
    for k in 0..K {
        store(&mut planes[k], vectors[k]);
    }
    planes
}

#[target_feature(enable = "sse4.1")]
#[inline]
fn join<const K: usize, W: Writes>(
    planes: &[&[[u8; 64]]; K],
    at: usize,
    values: &mut [[Slot; K]; 64],
) {
    let bytes = flat_mut(values);
    for k in 0..K {
        ahead::<W, _>(window::<64, _>(bytes, 64 * k), 1024);
    }
    for i in 0..4 {
        let mut vectors = [_mm_setzero_si128(); K];
        for k in 0..K {
            vectors[k] = load(window(&planes[k][at], 16 * i));
        }
        let vectors = to_values(vectors);
        for k in 0..K {
            put::<W, _>(window_mut(bytes, 16 * (K * i + k)), vectors[k]);
        }
    }
}

#[target_feature(enable = "sse4.1")]
#[inline]
pub(super) fn join16<const K: usize>(planes: &[[u8; 16]; K]) -> [[u8; K]; 16] {
    let mut vectors = [_mm_setzero_si128(); K];
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

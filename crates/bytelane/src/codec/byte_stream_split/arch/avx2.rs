//! AVX2: 32 values form two lanes of 16; each lane works as in SSE4.1.

use super::sse41::{by_plane, join16, split16};
use crate::backend::Avx2;
use crate::codec::byte_stream_split::{Planes, Writes};
use crate::memory::{Slot, flat, flat_mut};
use crate::simd::avx2::{interleave_high, interleave_low, load, load_lanes, opaque, put, shuffle};
use crate::simd::sse41::{self, ahead};
use crate::simd::{implement, interleave, window, window_mut};
use core::arch::x86_64::*;

implement! {
    impl<const K: usize> Planes<K> for Avx2 {
        fn split<W: Writes>(values: &[[u8; K]; 64], planes: &mut [&mut [[Slot; 64]]; K], at: usize) = split::<K, W>;
        fn split16(values: &[[u8; K]; 16]) -> [[u8; 16]; K] = split16::<K>;
        fn join<W: Writes>(planes: &[&[[u8; 64]]; K], at: usize, values: &mut [[Slot; K]; 64]) = join::<K, W>;
        fn join16(planes: &[[u8; 16]; K]) -> [[u8; K]; 16] = join16::<K>;
    }
}

/// Order of [`by_plane`] for each of the four vectors that [`transpose`] uses: quarter `b` of the
/// lane holds quarter `b ^ turn` of that order, or of its half if planes have 2 bytes.
const fn turned<const K: usize>() -> [[u8; 16]; 4] {
    let plain = by_plane::<K>();
    let mut orders = [plain; 4];
    let mut i = 0;
    while i < 64 {
        let (turn, place) = (i / 16, i % 16);
        orders[turn][place] = plain[place ^ ((16 / K * turn) % 16)];
        i += 1;
    }
    orders
}

/// Collects the bytes of a quad of planes from four vectors that hold 4 values each, in numbers of
/// 4 bytes, one per plane. Capital letters are values, four of them; K = 4:
///
/// ```text
/// taken     A0 A1 A2 A3   B1 B0 B3 B2   C2 C3 C0 C1   D3 D2 D1 D0
/// blended   A0 B0 A2 B2   B1 A1 B3 A3   C2 D2 C0 D0   D3 C3 D1 C1
/// result    A0 B0 C0 D0   A1 B1 C1 D1   A2 B2 C2 D2   A3 B3 C3 D3
/// ```
///
/// Five of eight steps are blends, which can use one more port than shuffles.
#[target_feature(enable = "avx2")]
#[inline]
fn transpose([a, b, c, d]: [__m256i; 4]) -> [__m256i; 4] {
    let [p, q] = [
        _mm256_blend_epi32(a, b, 0xaa),
        _mm256_blend_epi32(b, a, 0xaa),
    ];
    let [r, s] = [
        _mm256_blend_epi32(c, d, 0xaa),
        _mm256_blend_epi32(d, c, 0xaa),
    ];
    [
        _mm256_blend_epi32(p, r, 0xcc),
        shuffle::<0b10_11_00_01>(q, s),
        shuffle::<0b01_00_11_10>(p, r),
        shuffle::<0b00_01_10_11>(q, s),
    ]
}

/// Splits planes in Q quads of four, in H halves of a block at once. Lane 0 of all vectors is for
/// the first 16 of 32 values, lane 1 for the others. Each lane first collects 4 bytes of a plane,
/// then 16:
///
/// ```text
/// loaded       values 4 j .. 4 j + 3 in Q vectors
/// interleaved  4 bytes each of the planes of quad 0 | of quad 1     for j = 0, 1, 2, 3
/// transposed   16 bytes of plane 4 q | 4 q + 1 | 4 q + 2 | 4 q + 3   for each quad q
/// ```
///
/// If both halves are handled at once, the two halves of a cache line are stored one after the
/// other: they merge in the store buffer, and the line need not stay in the cache. With two quads
/// some vectors wait on the stack for that, which pays where planes compete for the cache.
#[target_feature(enable = "avx2")]
#[inline]
fn split_quads<const K: usize, const Q: usize, const H: usize, W: Writes>(
    orders: &[__m256i; 4],
    values: &[[u8; K]; 64],
    planes: &mut [&mut [[Slot; 64]]; K],
    at: usize,
) {
    for first in (0..2).step_by(H) {
        let mut quads = [[[_mm256_setzero_si256(); 4]; H]; Q];
        for half in 0..H {
            let bytes = flat(window::<32, _>(values, 32 * (first + half)));
            for j in 0..4 {
                let mut vectors = [_mm256_setzero_si256(); Q];
                for i in 0..Q {
                    let at = 16 * (Q * j + i);
                    let lanes = load_lanes(window(bytes, at), window(bytes, 16 * K + at));
                    vectors[i] = _mm256_shuffle_epi8(lanes, orders[j]);
                }
                interleave!(vectors, interleave_low::<2>, interleave_high::<2>);
                for q in 0..Q {
                    quads[q][half][j] = vectors[q];
                }
            }
        }
        for q in 0..Q {
            for half in 0..H {
                quads[q][half] = transpose(quads[q][half]);
            }
            for i in 0..4 {
                for half in 0..H {
                    let plane = &mut planes[4 * q + i][at];
                    let place = 32 * (first + half);
                    put::<W, _>(window_mut(plane, place), quads[q][half][i]);
                }
            }
        }
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn split<const K: usize, W: Writes>(
    values: &[[u8; K]; 64],
    planes: &mut [&mut [[Slot; 64]]; K],
    at: usize,
) {
    let mut orders = [_mm256_setzero_si256(); 4];
    for turn in 0..4 {
        let order = sse41::load(&const { turned::<K>() }[turn]);
        orders[turn] = opaque(_mm256_broadcastsi128_si256(order));
    }
    // This must come after the constants: they are not hoisted out of a loop if inline assembly
    // precedes them.
    for k in 0..K {
        ahead::<W, _>(&planes[k][at], 256);
    }
    match K {
        2 => split_pair::<K, W>(orders[0], values, planes, at),
        4 => split_quads::<K, 1, 2, W>(&orders, values, planes, at),
        8 if W::OUTER => split_quads::<K, 2, 2, W>(&orders, values, planes, at),
        8 => split_quads::<K, 2, 1, W>(&orders, values, planes, at),
        _ if !W::OUTER => split_all::<K, W>(values, planes, at),
        _ => {
            split_half::<K, 0, W>(values, planes, at);
            split_half::<K, 8, W>(values, planes, at);
        }
    }
}

/// Splits all 16 planes, of 32 values at a time, so that each value is loaded once.
#[target_feature(enable = "avx2")]
#[inline]
fn split_all<const K: usize, W: Writes>(
    values: &[[u8; K]; 64],
    planes: &mut [&mut [[Slot; 64]]; K],
    at: usize,
) {
    for half in 0..2 {
        let [low, high] = interleaved(window::<32, _>(values, 32 * half));
        put_eight::<K, 0, W>(low, planes, at, half);
        put_eight::<K, 8, W>(high, planes, at, half);
    }
}

/// Splits 8 of 16 planes, for destinations beyond the first-level cache: it could not hold the lines of
/// all 16 until their second half if the planes are a power of two apart.
#[target_feature(enable = "avx2")]
#[inline]
fn split_half<const K: usize, const FROM: usize, W: Writes>(
    values: &[[u8; K]; 64],
    planes: &mut [&mut [[Slot; 64]]; K],
    at: usize,
) {
    for half in 0..2 {
        let halves = interleaved(window::<32, _>(values, 32 * half));
        put_eight::<K, FROM, W>(halves[FROM / 8], planes, at, half);
    }
}

/// Interleaves each of 8 values with the one 8 values after it, for 16 values in each lane. Returns the
/// bytes of the lower 8 planes, and of the upper ones.
#[target_feature(enable = "avx2")]
#[inline]
fn interleaved<const K: usize>(values: &[[u8; K]; 32]) -> [[__m256i; 8]; 2] {
    let bytes = flat(values);
    let mut halves = [[_mm256_setzero_si256(); 8]; 2];
    for i in 0..8 {
        let [low, high] = [16 * i, 16 * (K + i)];
        let a = load_lanes(window(bytes, low), window(bytes, high));
        let b = load_lanes(window(bytes, low + 128), window(bytes, high + 128));
        halves[0][i] = interleave_low::<1>(a, b);
        halves[1][i] = interleave_high::<1>(a, b);
    }
    halves
}

/// Stores half a cache line of 8 planes, after the three rounds that remain.
#[target_feature(enable = "avx2")]
#[inline]
fn put_eight<const K: usize, const FROM: usize, W: Writes>(
    mut vectors: [__m256i; 8],
    planes: &mut [&mut [[Slot; 64]]; K],
    at: usize,
    half: usize,
) {
    interleave!(vectors, interleave_low::<1>, interleave_high::<1>);
    for i in 0..8 {
        let plane = &mut planes[FROM + i][at];
        put::<W, _>(window_mut(plane, 32 * half), vectors[i]);
    }
}

/// Splits two planes.
#[target_feature(enable = "avx2")]
#[inline]
fn split_pair<const K: usize, W: Writes>(
    order: __m256i,
    values: &[[u8; K]; 64],
    planes: &mut [&mut [[Slot; 64]]; K],
    at: usize,
) {
    for half in 0..2 {
        let bytes = flat(window::<32, _>(values, 32 * half));
        let mut vectors = [_mm256_setzero_si256(); 2];
        for i in 0..2 {
            let lanes = load_lanes(window(bytes, 16 * i), window(bytes, 32 + 16 * i));
            vectors[i] = _mm256_shuffle_epi8(lanes, order);
        }
        interleave!(vectors, interleave_low::<8>, interleave_high::<8>);
        for i in 0..2 {
            put::<W, _>(window_mut(&mut planes[i][at], 32 * half), vectors[i]);
        }
    }
}

/// Joins 32 values at a time. After the rounds, each vector has 16 bytes of the first 16 values in
/// lane 0 and the same of the second 16 in lane 1; pairs of lanes that belong together are stored.
#[target_feature(enable = "avx2")]
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

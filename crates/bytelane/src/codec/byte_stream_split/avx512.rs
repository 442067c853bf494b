//! AVX-512: 64 values are K vectors of 64 bytes, transposed by butterflies.
//!
//! Think of each vector as *units* of K *slots* of one byte. A network of log2 K levels moves the
//! byte in slot `b` of vector `v` to slot `v` of vector `b ^ v`, in every unit. One `vpermb`
//! before it puts each byte into the slot that sends it to the right vector.
//!
//! A level has butterflies between vectors whose numbers differ in one bit; slots are even or odd
//! by the same bit of theirs:
//!
//! ```text
//! x      x0 x1 x2 x3    a mask blend keeps slots    x0 y1 x2 y3
//! y      y0 y1 y2 y3    a funnel shift swaps them   x1 y0 x3 y2
//! ```
//!
//! Neither of the two needs the one port of Intel's CPUs that moves bytes across a vector.

use super::sse41::{join16, split16};
use super::{Planes, Writes};
use crate::backend::{Avx512, avx512};
use crate::simd::avx512::{load, load_up_to, opaque, opaque_mask, put, store_up_to};
use crate::simd::sse41::ahead;
use crate::simd::{Near, window, window_mut};
use core::arch::x86_64::*;

avx512! {
    impl<const K: usize> Planes<K> for Avx512 {
        fn split<W: Writes>(values: &[[u8; K]; 64], planes: &mut [&mut [u8]; K], at: usize) = split::<K, W>;
        fn split16(values: &[[u8; K]; 16], planes: &mut [&mut [u8]; K], at: usize) = split16::<K, Near>;
        fn split_short(values: &[[u8; K]], planes: &mut [&mut [u8]; K]) = split_short::<K>;
        fn join<W: Writes>(planes: &[&[u8]; K], at: usize, values: &mut [[u8; K]; 64]) = join::<K, W>;
        fn join16(planes: &[&[u8]; K], at: usize, values: &mut [[u8; K]; 16]) = join16::<K, Near>;
        fn join_short(planes: &[&[u8]; K], values: &mut [[u8; K]]) = join_short::<K>;
    }
}

/// The tables of `vpermb` for values of K bytes, U = 64 / K of them in a vector.
struct Tables<const K: usize>;

impl<const K: usize> Tables<K> {
    /// Vector `v` of values: the byte for plane `b ^ v` of each value to slot `b`.
    const SPLIT: [[u8; 64]; K] = {
        let mut tables = [[0; 64]; K];
        let mut i = 0;
        while i < 64 * K {
            let (v, unit, slot) = (i / 64, i % 64 / K, i % K);
            tables[v][i % 64] = (unit * K + (slot ^ v)) as u8;
            i += 1;
        }
        tables
    };

    /// After the network, slot `v` of unit `u` holds value `v U + u`: to their order.
    const IN_ORDER: [u8; 64] = {
        let mut table = [0; 64];
        let mut i = 0;
        while i < 64 {
            let units = 64 / K;
            table[i] = (i % units * K + i / units) as u8;
            i += 1;
        }
        table
    };

    /// Plane `v`: the byte of value `(b ^ v) U + u` to slot `b` of unit `u`.
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

/// The butterfly of the level whose slots lie `DISTANCE` bytes apart.
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

/// Vectors of values to the vectors of their planes.
#[target_feature(enable = "avx512bw,avx512vbmi,avx512vbmi2")]
#[inline]
fn to_planes<const K: usize>(vectors: &mut [__m512i; K]) {
    for v in 0..K {
        vectors[v] = _mm512_permutexvar_epi8(opaque(&const { Tables::<K>::SPLIT }[v]), vectors[v]);
    }
    network(vectors);
    for k in 0..K {
        vectors[k] = _mm512_permutexvar_epi8(opaque(&const { Tables::<K>::IN_ORDER }), vectors[k]);
    }
}

/// Vectors of planes to the vectors of their values.
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
    planes: &mut [&mut [u8]; K],
    at: usize,
) {
    for plane in planes.iter() {
        ahead::<W, _>(&plane[at..], 256);
    }
    let mut vectors = [_mm512_setzero_si512(); K];
    for k in 0..K {
        vectors[k] = load(window(values.as_flattened(), 64 * k));
    }
    to_planes(&mut vectors);
    for k in 0..K {
        put::<W, _>(window_mut(planes[k], at), vectors[k]);
    }
}

#[target_feature(enable = "avx512bw,avx512vbmi,avx512vbmi2,bmi2")]
#[inline]
fn split_short<const K: usize>(values: &[[u8; K]], planes: &mut [&mut [u8]; K]) {
    let mut vectors = [_mm512_setzero_si512(); K];
    for (k, bytes) in values.as_flattened().chunks(64).enumerate() {
        vectors[k] = load_up_to(bytes);
    }
    to_planes(&mut vectors);
    for k in 0..K {
        store_up_to(planes[k], vectors[k]);
    }
}

#[target_feature(enable = "avx512bw,avx512vbmi,avx512vbmi2")]
#[inline]
fn join<const K: usize, W: Writes>(planes: &[&[u8]; K], at: usize, values: &mut [[u8; K]; 64]) {
    for line in values.as_flattened().chunks(64) {
        ahead::<W, _>(line, 1024);
    }
    let mut vectors = [_mm512_setzero_si512(); K];
    for k in 0..K {
        vectors[k] = load(window(planes[k], at));
    }
    to_values(&mut vectors);
    for k in 0..K {
        put::<W, _>(window_mut(values.as_flattened_mut(), 64 * k), vectors[k]);
    }
}

#[target_feature(enable = "avx512bw,avx512vbmi,avx512vbmi2,bmi2")]
#[inline]
fn join_short<const K: usize>(planes: &[&[u8]; K], values: &mut [[u8; K]]) {
    let mut vectors = [_mm512_setzero_si512(); K];
    for k in 0..K {
        vectors[k] = load_up_to(planes[k]);
    }
    to_values(&mut vectors);
    for (k, bytes) in values.as_flattened_mut().chunks_mut(64).enumerate() {
        store_up_to(bytes, vectors[k]);
    }
}

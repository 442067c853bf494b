//! SSE4.1: 16 bytes at a time, with one shuffle.

use crate::backend::Sse41;
use crate::codec::big_endian::{Swap, Writes};
use crate::memory::Slot;
use crate::simd::sse41::{ahead, load, put};
use crate::simd::{implement, window, window_mut};
use core::arch::x86_64::*;

implement! {
    impl<const K: usize> Swap<K> for Sse41 {
        fn swap64<W: Writes>(from: &[u8; 64], to: &mut [Slot; 64]) = swap64::<K, W>;
    }
}

/// Source position of each byte of the result. K = 4:
///
/// ```text
/// a0 a1 a2 a3 b0 b1 b2 b3 ..   values a, b, ..
///  3  2  1  0  7  6  5  4 ..   order
/// a3 a2 a1 a0 b3 b2 b1 b0 ..
/// ```
pub(super) const fn order<const K: usize>() -> [u8; 16] {
    let mut order = [0; 16];
    let mut i = 0;
    while i < 16 {
        order[i] = (i / K * K + (K - 1 - i % K)) as u8;
        i += 1;
    }
    order
}

#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn swap64<const K: usize, W: Writes>(from: &[u8; 64], to: &mut [Slot; 64]) {
    ahead::<W, _>(to, 1024);
    let order = load(&const { order::<K>() });
    for i in 0..4 {
        let vector = load(window(from, 16 * i));
        put::<W, _>(window_mut(to, 16 * i), _mm_shuffle_epi8(vector, order));
    }
}

//! AVX2: 32 bytes at a time, with one shuffle in both lanes.

use super::sse41::order;
use crate::backend::Avx2;
use crate::codec::big_endian::{Swap, Writes};
use crate::memory::Slot;
use crate::simd::avx2::{load, put};
use crate::simd::sse41::{self, ahead};
use crate::simd::{implement, window, window_mut};
use core::arch::x86_64::*;

implement! {
    impl<const K: usize> Swap<K> for Avx2 {
        fn swap64<W: Writes>(from: &[u8; 64], to: &mut [Slot; 64]) = swap64::<K, W>;
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn swap64<const K: usize, W: Writes>(from: &[u8; 64], to: &mut [Slot; 64]) {
    ahead::<W, _>(to, 1024);
    let order = _mm256_broadcastsi128_si256(sse41::load(&const { order::<K>() }));
    for i in 0..2 {
        let vector = load(window(from, 32 * i));
        put::<W, _>(window_mut(to, 32 * i), _mm256_shuffle_epi8(vector, order));
    }
}

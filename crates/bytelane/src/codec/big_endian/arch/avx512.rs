//! AVX-512: 64 bytes at a time, with one shuffle in all lanes.

use super::sse41::order;
use crate::backend::Avx512;
use crate::codec::big_endian::{Swap, Writes};
use crate::memory::Slot;
use crate::simd::avx512::{load, put};
use crate::simd::implement;
use crate::simd::sse41::{self, ahead};
use core::arch::x86_64::*;

implement! {
    impl<const K: usize> Swap<K> for Avx512 {
        fn swap64<W: Writes>(from: &[u8; 64], to: &mut [Slot; 64]) = swap64::<K, W>;
    }
}

#[target_feature(enable = "avx512bw")]
#[inline]
fn swap64<const K: usize, W: Writes>(from: &[u8; 64], to: &mut [Slot; 64]) {
    ahead::<W, _>(to, 1024);
    let order = _mm512_broadcast_i32x4(sse41::load(&const { order::<K>() }));
    put::<W, _>(to, _mm512_shuffle_epi8(load(from), order));
}

//! AVX-512: 64 bytes at a time, by one shuffle in all lanes, and fewer under a mask.

use super::sse41::{order, swap16};
use super::{Swap, Writes};
use crate::backend::{Avx512, avx512};
use crate::memory::Slot;
use crate::simd::Near;
use crate::simd::avx512::{load, load_up_to, put, store_up_to};
use crate::simd::sse41::{self, ahead};
use core::arch::x86_64::*;

avx512! {
    impl<const K: usize> Swap<K> for Avx512 {
        fn swap64<W: Writes>(from: &[u8; 64], to: &mut [Slot; 64]) = swap64::<K, W>;
        fn swap16(from: &[u8; 16], to: &mut [Slot; 16]) = swap16::<K, Near>;
        fn swap_short(from: &[u8], to: &mut [Slot]) = swap_short::<K>;
    }
}

#[target_feature(enable = "avx512bw")]
#[inline]
fn reverse<const K: usize>(vector: __m512i) -> __m512i {
    _mm512_shuffle_epi8(
        vector,
        _mm512_broadcast_i32x4(sse41::load(&const { order::<K>() })),
    )
}

#[target_feature(enable = "avx512bw")]
#[inline]
fn swap64<const K: usize, W: Writes>(from: &[u8; 64], to: &mut [Slot; 64]) {
    ahead::<W, _>(to, 1024);
    put::<W, _>(to, reverse::<K>(load(from)));
}

#[target_feature(enable = "avx512bw,bmi2")]
#[inline]
fn swap_short<const K: usize>(from: &[u8], to: &mut [Slot]) {
    store_up_to(to, reverse::<K>(load_up_to(from)));
}

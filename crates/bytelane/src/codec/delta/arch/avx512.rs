//! AVX-512: prefix sums in a register, by adding it to itself shifted by 1, 2, 4 and 8 values. The
//! sum before it is broadcast to a register, so that only one addition waits for it.

use crate::backend::Avx512;
use crate::codec::bit_packing::arch::avx512::{Unpacker, add, splat};
use crate::codec::bit_packing::{Case, WINDOW};
use crate::codec::delta::Sums;
use crate::memory::Slot;
use crate::simd::avx512::{load, store};
use crate::simd::{implement, window};
use core::arch::x86_64::*;

implement! {
    impl<const K: usize> Sums<K> for Avx512 {
        type Carry = __m512i;
        type Sums = Block;
        fn carry(value: u64) -> __m512i = splat::<K>;
        fn sums<C: Case>(plan: &Unpacker<K>, from: &[u8; WINDOW]) -> Block = sums::<K, C>;
        fn put(sums: Block, carry: __m512i, to: &mut [Slot; 64]) -> __m512i = put::<K>;
    }
}

/// Sums of a block, and the last of them broadcast.
type Block = [__m512i; 2];

#[target_feature(enable = "avx512bw,avx512vbmi")]
#[inline]
fn sums<const K: usize, C: Case>(plan: &Unpacker<K>, from: &[u8; WINDOW]) -> Block {
    let zero = _mm512_setzero_si512();
    let mut sums = plan.unpacked::<C>(load(window(from, 0)));
    if K == 4 {
        sums = add::<K>(sums, _mm512_alignr_epi32::<15>(sums, zero));
        sums = add::<K>(sums, _mm512_alignr_epi32::<14>(sums, zero));
        sums = add::<K>(sums, _mm512_alignr_epi32::<12>(sums, zero));
        sums = add::<K>(sums, _mm512_alignr_epi32::<8>(sums, zero));
        [sums, _mm512_permutexvar_epi32(splat::<K>(15), sums)]
    } else {
        sums = add::<K>(sums, _mm512_alignr_epi64::<7>(sums, zero));
        sums = add::<K>(sums, _mm512_alignr_epi64::<6>(sums, zero));
        sums = add::<K>(sums, _mm512_alignr_epi64::<4>(sums, zero));
        [sums, _mm512_permutexvar_epi64(splat::<K>(7), sums)]
    }
}

#[target_feature(enable = "avx512bw")]
#[inline]
fn put<const K: usize>([sums, last]: Block, carry: __m512i, to: &mut [Slot; 64]) -> __m512i {
    store(to, add::<K>(sums, carry));
    add::<K>(last, carry)
}

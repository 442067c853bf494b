//! AVX-512: prefix sums in a register, by adding it to itself shifted by 1, 2, 4 and 8 values. The
//! sum before it is broadcast to a register, so that only one addition waits for it.

use crate::backend::Avx512;
use crate::codec::bit_packing::arch::avx512::{Unpacker, add, splat};
use crate::codec::bit_packing::{Case, WINDOW, Wide};
use crate::codec::delta::Sums;
use crate::memory::Slot;
use crate::simd::avx512::{load, load_up_to, store, store_up_to};
use crate::simd::{implement, window};
use core::arch::x86_64::*;

implement! {
    impl<const K: usize> Sums<K> for Avx512 {
        type Carry = __m512i;
        type Sums = Block;
        fn carry(value: u64) -> __m512i = splat::<K>;
        fn sums<C: Case>(plan: &Unpacker<K>, from: &[u8; WINDOW]) -> Block = sums::<K, C>;
        fn equal_sums(difference: u64) -> Block = equal_sums::<K>;
        fn put(sums: Block, carry: __m512i, to: &mut [Slot; 64]) -> __m512i = put::<K>;
        fn put_up_to(sums: Block, carry: __m512i, to: &mut [Slot]) -> __m512i = put_up_to::<K>;
        fn sum_rest(plan: &Unpacker<K>, stride: usize, src: &[u8], carry: __m512i, dst: &mut [Slot]) -> __m512i = sum_rest::<K>;
    }
}

/// Sums of a block, and the last of them broadcast.
type Block = [__m512i; 2];

#[target_feature(enable = "avx512bw,avx512vbmi")]
#[inline]
fn sums<const K: usize, C: Case>(plan: &Unpacker<K>, from: &[u8; WINDOW]) -> Block {
    prefix_sums::<K>(plan.unpacked::<C>(load(window(from, 0))))
}

/// Multiplies, which takes less time than adding step by step.
#[target_feature(enable = "avx512bw,avx512dq")]
#[inline]
fn equal_sums<const K: usize>(difference: u64) -> Block {
    let all = splat::<K>(difference);
    let sums = match K {
        4 => {
            let numbers = _mm512_setr_epi32(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
            _mm512_mullo_epi32(all, numbers)
        }
        _ => _mm512_mullo_epi64(all, _mm512_setr_epi64(1, 2, 3, 4, 5, 6, 7, 8)),
    };
    [sums, splat::<K>(difference.wrapping_mul(64 / K as u64))]
}

#[target_feature(enable = "avx512bw")]
#[inline]
fn prefix_sums<const K: usize>(mut sums: __m512i) -> Block {
    let zero = _mm512_setzero_si512();
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

#[target_feature(enable = "avx512bw,bmi2")]
#[inline]
fn put_up_to<const K: usize>([sums, last]: Block, carry: __m512i, to: &mut [Slot]) -> __m512i {
    store_up_to(to, add::<K>(sums, carry));
    add::<K>(last, carry)
}

#[target_feature(enable = "avx512bw,avx512vbmi,bmi2")]
#[inline]
fn sum_rest<const K: usize>(
    plan: &Unpacker<K>,
    stride: usize,
    mut src: &[u8],
    mut carry: __m512i,
    dst: &mut [Slot],
) -> __m512i {
    for to in dst.chunks_mut(64) {
        let sums = prefix_sums::<K>(plan.unpacked::<Wide>(load_up_to(src)));
        carry = put_up_to::<K>(sums, carry, to);
        src = &src[usize::min(stride, src.len())..];
    }
    carry
}

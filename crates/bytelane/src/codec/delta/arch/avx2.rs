//! AVX2: prefix sums in each lane, then the last sum of the lower lane is added to the upper one.

use crate::backend::Avx2;
use crate::codec::bit_packing::arch::avx2::{Unpacker, add, splat};
use crate::codec::bit_packing::{Case, WINDOW};
use crate::codec::delta::Sums;
use crate::memory::Slot;
use crate::simd::avx2::store;
use crate::simd::{implement, window_mut};
use core::arch::x86_64::*;

implement! {
    impl<const K: usize> Sums<K> for Avx2 {
        type Carry = __m256i;
        type Sums = Block;
        fn carry(value: u64) -> __m256i = splat::<K>;
        fn sums<C: Case>(plan: &Unpacker<K>, from: &[u8; WINDOW]) -> Block = sums::<K, C>;
        fn equal_sums(difference: u64) -> Block = equal_sums::<K>;
        fn put(sums: Block, carry: __m256i, to: &mut [Slot; 64]) -> __m256i = put::<K>;
    }
}

/// Sums of each half of a block, and the last of them broadcast.
type Block = [[__m256i; 2]; 2];

#[target_feature(enable = "avx2")]
#[inline]
fn sums<const K: usize, C: Case>(plan: &Unpacker<K>, from: &[u8; WINDOW]) -> Block {
    let mut block = [[_mm256_setzero_si256(); 2]; 2];
    for pair in 0..2 {
        block[pair] = prefix_sums::<K>(plan.unpacked::<C>(from, pair));
    }
    block
}

/// Multiplies, which takes less time than adding step by step.
#[target_feature(enable = "avx2")]
#[inline]
fn equal_sums<const K: usize>(difference: u64) -> Block {
    let all = splat::<K>(difference);
    let sums = match K {
        4 => _mm256_mullo_epi32(all, _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 8)),
        _ => {
            let twice = add::<K>(all, all);
            let first = _mm256_blend_epi32::<0b1100_1100>(all, twice);
            add::<K>(
                first,
                _mm256_blend_epi32::<0xf0>(_mm256_setzero_si256(), twice),
            )
        }
    };
    [[sums, splat::<K>(difference.wrapping_mul(32 / K as u64))]; 2]
}

/// Returns the prefix sums of 32 bytes of values, and the last of them broadcast.
#[target_feature(enable = "avx2")]
#[inline]
fn prefix_sums<const K: usize>(mut sums: __m256i) -> [__m256i; 2] {
    if K == 4 {
        sums = add::<K>(sums, _mm256_slli_si256::<4>(sums));
    }
    sums = add::<K>(sums, _mm256_slli_si256::<8>(sums));
    // Broadcasts the last value of the lower lane, then clears it in the lower lane.
    let low = match K {
        4 => _mm256_permutevar8x32_epi32(sums, _mm256_set1_epi32(3)),
        _ => _mm256_permute4x64_epi64::<0b01_01_01_01>(sums),
    };
    let low = _mm256_blend_epi32::<0xf0>(_mm256_setzero_si256(), low);
    sums = add::<K>(sums, low);
    let last = match K {
        4 => _mm256_permutevar8x32_epi32(sums, _mm256_set1_epi32(7)),
        _ => _mm256_permute4x64_epi64::<0b11_11_11_11>(sums),
    };
    [sums, last]
}

#[target_feature(enable = "avx2")]
#[inline]
fn put<const K: usize>(block: Block, mut carry: __m256i, to: &mut [Slot; 64]) -> __m256i {
    for half in 0..2 {
        let [sums, last] = block[half];
        store(window_mut(to, 32 * half), add::<K>(sums, carry));
        carry = add::<K>(carry, last);
    }
    carry
}

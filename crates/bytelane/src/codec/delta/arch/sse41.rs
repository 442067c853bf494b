//! SSE4.1: prefix sums in a 16-byte register.

use crate::backend::Sse41;
use crate::codec::bit_packing::arch::sse41::{Unpacker, add, splat};
use crate::codec::bit_packing::{Case, WINDOW};
use crate::codec::delta::Sums;
use crate::memory::Slot;
use crate::simd::sse41::store;
use crate::simd::{implement, window_mut};
use core::arch::x86_64::*;

implement! {
    impl<const K: usize> Sums<K> for Sse41 {
        const FINDS_LEAST: bool = K == 4;
        type Carry = __m128i;
        type Sums = Block;
        fn carry(value: u64) -> __m128i = splat::<K>;
        fn sums<C: Case>(plan: &Unpacker<K>, from: &[u8; WINDOW]) -> Block = sums::<K, C>;
        fn equal_sums(difference: u64) -> Block = equal_sums::<K>;
        fn put(sums: Block, carry: __m128i, to: &mut [Slot; 64]) -> __m128i = put::<K>;
    }
}

/// Sums of each 16 bytes of a block, and the last of them broadcast.
type Block = [[__m128i; 2]; 4];

#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn sums<const K: usize, C: Case>(plan: &Unpacker<K>, from: &[u8; WINDOW]) -> Block {
    let mut block = [[_mm_setzero_si128(); 2]; 4];
    for piece in 0..4 {
        block[piece] = prefix_sums::<K>(plan.unpacked::<C>(from, piece));
    }
    block
}

#[target_feature(enable = "sse4.1")]
#[inline]
fn equal_sums<const K: usize>(difference: u64) -> Block {
    [prefix_sums::<K>(splat::<K>(difference)); 4]
}

/// Returns the prefix sums of 16 bytes of values, and the last of them broadcast.
#[target_feature(enable = "sse4.1")]
#[inline]
fn prefix_sums<const K: usize>(mut sums: __m128i) -> [__m128i; 2] {
    if K == 4 {
        sums = add::<K>(sums, _mm_slli_si128::<4>(sums));
    }
    sums = add::<K>(sums, _mm_slli_si128::<8>(sums));
    let last = match K {
        4 => _mm_shuffle_epi32::<0b11_11_11_11>(sums),
        _ => _mm_shuffle_epi32::<0b11_10_11_10>(sums),
    };
    [sums, last]
}

#[target_feature(enable = "sse4.1")]
#[inline]
fn put<const K: usize>(block: Block, mut carry: __m128i, to: &mut [Slot; 64]) -> __m128i {
    for piece in 0..4 {
        let [sums, last] = block[piece];
        store(window_mut(to, 16 * piece), add::<K>(sums, carry));
        carry = add::<K>(carry, last);
    }
    carry
}

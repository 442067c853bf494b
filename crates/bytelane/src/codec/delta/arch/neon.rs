//! NEON: prefix sums in a 16-byte register.

use crate::backend::Neon;
use crate::codec::bit_packing::arch::neon::{Unpacker, add, splat};
use crate::codec::bit_packing::{Case, WINDOW};
use crate::codec::delta::Sums;
use crate::memory::Slot;
use crate::simd::neon::store;
use crate::simd::{implement, window_mut};
use core::arch::aarch64::*;

implement! {
    impl<const K: usize> Sums<K> for Neon {
        type Carry = uint8x16_t;
        type Sums = Block;
        fn carry(value: u64) -> uint8x16_t = splat::<K>;
        fn sums<C: Case>(plan: &Unpacker<K>, from: &[u8; WINDOW]) -> Block = sums::<K, C>;
        fn equal_sums(difference: u64) -> Block = equal_sums::<K>;
        fn put(sums: Block, carry: uint8x16_t, to: &mut [Slot; 64]) -> uint8x16_t = put::<K>;
    }
}

/// Sums of each 16 bytes of a block, and the last of them broadcast.
type Block = [[uint8x16_t; 2]; 4];

#[target_feature(enable = "neon")]
#[inline]
fn sums<const K: usize, C: Case>(plan: &Unpacker<K>, from: &[u8; WINDOW]) -> Block {
    let mut block = [[vdupq_n_u8(0); 2]; 4];
    for piece in 0..4 {
        block[piece] = prefix_sums::<K>(plan.unpacked::<C>(from, piece));
    }
    block
}

#[target_feature(enable = "neon")]
#[inline]
fn equal_sums<const K: usize>(difference: u64) -> Block {
    [prefix_sums::<K>(splat::<K>(difference)); 4]
}

/// Returns the prefix sums of 16 bytes of values, and the last of them broadcast.
#[target_feature(enable = "neon")]
#[inline]
fn prefix_sums<const K: usize>(mut sums: uint8x16_t) -> [uint8x16_t; 2] {
    let zero = vdupq_n_u8(0);
    if K == 4 {
        sums = add::<K>(sums, vextq_u8::<12>(zero, sums));
    }
    sums = add::<K>(sums, vextq_u8::<8>(zero, sums));
    let last = match K {
        4 => vreinterpretq_u8_u32(vdupq_laneq_u32::<3>(vreinterpretq_u32_u8(sums))),
        _ => vreinterpretq_u8_u64(vdupq_laneq_u64::<1>(vreinterpretq_u64_u8(sums))),
    };
    [sums, last]
}

#[target_feature(enable = "neon")]
#[inline]
fn put<const K: usize>(block: Block, mut carry: uint8x16_t, to: &mut [Slot; 64]) -> uint8x16_t {
    for piece in 0..4 {
        let [sums, last] = block[piece];
        store(window_mut(to, 16 * piece), add::<K>(sums, carry));
        carry = add::<K>(carry, last);
    }
    carry
}

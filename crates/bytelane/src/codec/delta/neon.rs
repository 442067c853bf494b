//! NEON: prefix sums in a register of 16 bytes.

use super::Sums;
use crate::backend::Neon;
use crate::codec::bit_packing::neon::{Unpacker, add, splat};
use crate::codec::bit_packing::{Case, WINDOW};
use crate::memory::Slot;
use crate::simd::neon::store;
use crate::simd::{implement, window_mut};
use core::arch::aarch64::*;

implement! {
    impl<const K: usize> Sums<K> for Neon {
        type Carry = uint8x16_t;
        fn carry(value: u64) -> uint8x16_t = splat::<K>;
        fn sum<C: Case>(plan: &Unpacker<K>, from: &[u8; WINDOW], carry: uint8x16_t, to: &mut [Slot; 64]) -> uint8x16_t = sum::<K, C>;
    }
}

#[target_feature(enable = "neon")]
#[inline]
fn sum<const K: usize, C: Case>(
    plan: &Unpacker<K>,
    from: &[u8; WINDOW],
    mut carry: uint8x16_t,
    to: &mut [Slot; 64],
) -> uint8x16_t {
    let zero = vdupq_n_u8(0);
    for piece in 0..4 {
        let mut sums = plan.unpacked::<C>(from, piece);
        if K == 4 {
            sums = add::<K>(sums, vextq_u8::<12>(zero, sums));
        }
        sums = add::<K>(sums, vextq_u8::<8>(zero, sums));
        store(window_mut(to, 16 * piece), add::<K>(sums, carry));
        let last = match K {
            4 => vreinterpretq_u8_u32(vdupq_laneq_u32::<3>(vreinterpretq_u32_u8(sums))),
            _ => vreinterpretq_u8_u64(vdupq_laneq_u64::<1>(vreinterpretq_u64_u8(sums))),
        };
        carry = add::<K>(carry, last);
    }
    carry
}

//! NEON: for each width, one instruction reverses the values of 16 bytes.

use crate::backend::Neon;
use crate::codec::big_endian::{Swap, Writes};
use crate::memory::Slot;
use crate::simd::neon::{load, store};
use crate::simd::{implement, window, window_mut};
use core::arch::aarch64::*;

implement! {
    impl<const K: usize> Swap<K> for Neon {
        fn swap64<W: Writes>(from: &[u8; 64], to: &mut [Slot; 64]) = swap64::<K, W>;
    }
}

#[target_feature(enable = "neon")]
#[inline]
fn swap64<const K: usize, W: Writes>(from: &[u8; 64], to: &mut [Slot; 64]) {
    for i in 0..4 {
        let vector = load(window(from, 16 * i));
        let reversed = match K {
            2 => vrev16q_u8(vector),
            4 => vrev32q_u8(vector),
            _ => vrev64q_u8(vector),
        };
        store(window_mut(to, 16 * i), reversed);
    }
}

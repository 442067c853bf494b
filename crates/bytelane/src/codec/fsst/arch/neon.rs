//! NEON: comparisons of 16 codes; symbols are looked up one by one.

use crate::backend::Neon;
use crate::codec::fsst::kernel::Steps;
use crate::simd::neon::{bits, load};
use crate::simd::{implement, window};
use core::arch::aarch64::*;

implement! {
    impl Steps for Neon {
        fn at_least(limit: u8, block: &[u8; 64]) -> u64 = at_least;
    }
}

#[target_feature(enable = "neon")]
#[inline]
fn at_least(limit: u8, block: &[u8; 64]) -> u64 {
    let limit = vdupq_n_u8(limit);
    let mut found = [limit; 4];
    for i in 0..4 {
        found[i] = vcgeq_u8(load(window(block, 16 * i)), limit);
    }
    bits(found)
}

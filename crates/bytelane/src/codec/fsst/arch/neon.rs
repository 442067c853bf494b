//! NEON: comparisons of 16 codes; symbols are looked up one by one.

use crate::backend::Neon;
use crate::codec::fsst::kernel::{Steps, decode64, each_place, place};
use crate::codec::fsst::table::Table;
use crate::memory::Slot;
use crate::simd::neon::{bits, load};
use crate::simd::{Stride, implement, window};
use core::arch::aarch64::*;

implement! {
    impl Steps for Neon {
        type Places = [[u16; 8]; 8];
        fn places() -> [[u16; 8]; 8] = each_place;
        fn place(places: &[[u16; 8]; 8], code: usize) -> usize = place;
        fn decode64_with_places(table: &Table, codes: &[u8; 64], literals: u64, to: &mut [Slot; 512], places: &mut [[u16; 8]; 8]) -> Stride<512> = decode64::<true>;
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

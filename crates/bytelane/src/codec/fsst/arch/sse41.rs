//! SSE4.1: comparisons of 16 codes; symbols are looked up one by one.

use crate::backend::Sse41;
use crate::codec::fsst::kernel::{Steps, decode64, each_place, place};
use crate::codec::fsst::table::Table;
use crate::memory::Slot;
use crate::simd::sse41::load;
use crate::simd::{Stride, implement, window};
use core::arch::x86_64::*;

implement! {
    impl Steps for Sse41 {
        type Places = [[u16; 8]; 8];
        fn places() -> [[u16; 8]; 8] = each_place;
        fn place(places: &[[u16; 8]; 8], code: usize) -> usize = place;
        fn decode64_with_places(table: &Table, codes: &[u8; 64], literals: u64, to: &mut [Slot; 512], places: &mut [[u16; 8]; 8]) -> Stride<512> = decode64::<true>;
        fn at_least(limit: u8, block: &[u8; 64]) -> u64 = at_least;
    }
}

#[target_feature(enable = "sse4.1")]
#[inline]
fn at_least(limit: u8, block: &[u8; 64]) -> u64 {
    let limit = _mm_set1_epi8(limit.cast_signed());
    let mut bits = 0;
    for i in 0..4 {
        let codes = load(window(block, 16 * i));
        let found = _mm_cmpeq_epi8(_mm_max_epu8(codes, limit), codes);
        bits |= u64::from(_mm_movemask_epi8(found).cast_unsigned()) << (16 * i);
    }
    bits
}

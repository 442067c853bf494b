//! SSE4.1: comparisons of 16 codes; symbols are looked up one by one.

use crate::backend::Sse41;
use crate::codec::fsst::kernel::Steps;
use crate::simd::sse41::load;
use crate::simd::{implement, window};
use core::arch::x86_64::*;

implement! {
    impl Steps for Sse41 {
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

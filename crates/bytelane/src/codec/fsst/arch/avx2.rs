//! AVX2: comparisons of 32 codes; symbols are looked up one by one.

use crate::backend::Avx2;
use crate::codec::fsst::kernel::Steps;
use crate::simd::avx2::load;
use crate::simd::{implement, window};
use core::arch::x86_64::*;

implement! {
    impl Steps for Avx2 {
        fn at_least(limit: u8, block: &[u8; 64]) -> u64 = at_least;
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn at_least(limit: u8, block: &[u8; 64]) -> u64 {
    let limit = _mm256_set1_epi8(limit.cast_signed());
    let mut bits = 0;
    for i in 0..2 {
        let codes = load(window(block, 32 * i));
        let found = _mm256_cmpeq_epi8(_mm256_max_epu8(codes, limit), codes);
        bits |= u64::from(_mm256_movemask_epi8(found).cast_unsigned()) << (32 * i);
    }
    bits
}

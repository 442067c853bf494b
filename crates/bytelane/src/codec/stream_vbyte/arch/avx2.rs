//! AVX2: groups as in SSE4.1, with codes computed four groups at a time.

use super::sse41::{
    Ahead, codes as codes_of_pairs, decode, decode_end, decode_within, encode, last_value,
    previous, stored_ahead, stretched, widen,
};
use crate::backend::Avx2;
use crate::codec::stream_vbyte::Blocks;
use crate::codec::stream_vbyte::plan::{Compress, Expand, Plan};
use crate::memory::Slot;
use crate::simd::sse41::opaque;
use crate::simd::x86::opaque_mask;
use crate::simd::{Stride, implement};
use core::arch::x86_64::*;

implement! {
    impl Blocks for Avx2 {
        type Previous = __m128i;
        type Ahead = Ahead;
        fn previous<P: Plan>(value: u64) -> __m128i = previous::<P>;
        fn last<P: Plan>(previous: __m128i) -> u64 = last_value;
        fn decode<P: Expand>(plan: P, codes: u32, data: &[u8; 64], values: &mut [Slot; 64], previous: &mut __m128i) -> Stride<64> = decode::<P>;
        fn decode_within<P: Expand>(plan: P, codes: u32, data: &[u8], values: &mut [Slot; 64], previous: &mut __m128i) -> Option<usize> = decode_within::<P>;
        fn decode_end<P: Expand>(plan: P, codes: u32, left: (&[u8], usize), values: &mut [Slot; 64], previous: &mut __m128i) -> usize = decode_end::<P>;
        fn widen<P: Expand>(plan: P, data: &[u8; 16], values: &mut [Slot; 64], previous: &mut __m128i) = widen::<P>;
        fn ahead<P: Compress>(plan: P, values: &[u8; 64], previous: &mut __m128i) -> Ahead = ahead::<P>;
        fn encode<P: Compress>(plan: P, values: &[u8; 64], ahead: Ahead, data: &mut [Slot; 64]) -> (u32, Stride<64>) = encode::<P>;
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn ahead<P: Compress>(plan: P, values: &[u8; 64], previous: &mut __m128i) -> Ahead {
    let groups = stored_ahead(plan, values, previous);
    let codes = codes(plan, groups);
    (groups, opaque_mask(codes.into()) as u32)
}

/// Computes the codes of a block.
#[target_feature(enable = "avx2")]
#[inline]
fn codes<P: Compress>(plan: P, groups: [__m128i; 4]) -> u32 {
    if P::WIDTH == 8 {
        return codes_of_pairs(plan, groups);
    }
    let [a, b, c, d] = stretched(plan, groups);
    codes_1234(_mm256_set_m128i(c, a), _mm256_set_m128i(d, b))
}

/// Returns the codes of 16 numbers in 1, 2, 3 or 4 bytes, computed in each lane as in SSE4.1. The
/// first and second groups give the lower half, the third and fourth the upper half.
#[target_feature(enable = "avx2")]
#[inline]
fn codes_1234(first_and_third: __m256i, second_and_fourth: __m256i) -> u32 {
    let one = _mm256_broadcastsi128_si256(opaque(_mm_set1_epi8(1)));
    let [a, b] = [first_and_third, second_and_fourth];
    let used = _mm256_packus_epi16(_mm256_min_epu8(a, one), _mm256_min_epu8(b, one));
    let bits = _mm256_adds_epu16(_mm256_min_epi16(used, one), _mm256_set1_epi16(0x7f00));
    _mm256_movemask_epi8(bits) as u32
}

//! AVX2: 8-byte integers are converted by additions, since there is no instruction for it.

use super::x86::without_masks;
use crate::backend::Avx2;
use crate::codec::alp::{
    Conversion, Costs, Decimal, MAGIC, Powers, Steps, encode, kernel, tolerance,
};
use crate::codec::bit_packing::arch::avx2::{Unpacker, add, splat};
use crate::codec::bit_packing::{WINDOW, from_ne_bytes};
use crate::memory::{Each, Slot};
use crate::simd::avx2::{load, store};
use crate::simd::{Windows, implement, window, window_mut};
use core::arch::x86_64::{
    __m256, __m256d, __m256i, _CMP_LE_OQ, _MM_FROUND_NO_EXC, _MM_FROUND_TO_NEAREST_INT,
    _mm256_add_pd as add_pd, _mm256_and_si256 as and, _mm256_andnot_si256 as andnot,
    _mm256_blend_epi16 as blend_epi16, _mm256_blendv_epi8 as blendv_epi8,
    _mm256_castpd_si256 as of_pd, _mm256_castps_si256 as of_ps, _mm256_castsi256_pd as to_pd,
    _mm256_castsi256_ps as to_ps, _mm256_cmp_pd, _mm256_cmp_ps, _mm256_cmpeq_epi32 as cmpeq_epi32,
    _mm256_cmpeq_epi64 as cmpeq_epi64, _mm256_cmpgt_epi32 as cmpgt_epi32,
    _mm256_cvtepi32_ps as cvtepi32_ps, _mm256_cvtps_epi32 as cvtps_epi32, _mm256_max_pd as max_pd,
    _mm256_max_ps as max_ps, _mm256_min_pd as min_pd, _mm256_min_ps as min_ps,
    _mm256_movemask_pd as movemask_pd, _mm256_movemask_ps as movemask_ps, _mm256_mul_pd as mul_pd,
    _mm256_mul_ps as mul_ps, _mm256_or_si256 as or, _mm256_permute2x128_si256,
    _mm256_round_pd as round_pd, _mm256_round_ps as round_ps,
    _mm256_shuffle_epi32 as shuffle_epi32, _mm256_srli_epi64 as srli_epi64,
    _mm256_sub_pd as sub_pd, _mm256_sub_ps as sub_ps, _mm256_xor_si256 as xor,
};

#[target_feature(enable = "avx2")]
#[inline]
fn swap_halves(lanes: __m256i) -> __m256i {
    _mm256_permute2x128_si256::<1>(lanes, lanes)
}

without_masks! { Avx2 "avx2" __m256i 32 }

#[target_feature(enable = "avx2")]
#[inline]
fn cmple_pd(a: __m256d, b: __m256d) -> __m256d {
    _mm256_cmp_pd::<_CMP_LE_OQ>(a, b)
}

#[target_feature(enable = "avx2")]
#[inline]
fn cmple_ps(a: __m256, b: __m256) -> __m256 {
    _mm256_cmp_ps::<_CMP_LE_OQ>(a, b)
}

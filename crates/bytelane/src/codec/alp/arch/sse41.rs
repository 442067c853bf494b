//! SSE4.1: the same as AVX2, with registers of half the length.

use super::x86::without_masks;
use crate::backend::Sse41;
use crate::codec::alp::{
    Conversion, Costs, Decimal, MAGIC, Powers, Steps, encode, kernel, tolerance,
};
use crate::codec::bit_packing::arch::sse41::{Unpacker, add, splat};
use crate::codec::bit_packing::{WINDOW, from_ne_bytes};
use crate::memory::{Each, Slot};
use crate::simd::sse41::{load, store};
use crate::simd::{Windows, implement, window, window_mut};
use core::arch::x86_64::{
    __m128i, _MM_FROUND_NO_EXC, _MM_FROUND_TO_NEAREST_INT, _mm_add_pd as add_pd,
    _mm_and_si128 as and, _mm_andnot_si128 as andnot, _mm_blend_epi16 as blend_epi16,
    _mm_blendv_epi8 as blendv_epi8, _mm_castpd_si128 as of_pd, _mm_castps_si128 as of_ps,
    _mm_castsi128_pd as to_pd, _mm_castsi128_ps as to_ps, _mm_cmpeq_epi32 as cmpeq_epi32,
    _mm_cmpeq_epi64 as cmpeq_epi64, _mm_cmpgt_epi32 as cmpgt_epi32, _mm_cmple_pd as cmple_pd,
    _mm_cmple_ps as cmple_ps, _mm_cvtepi32_ps as cvtepi32_ps, _mm_cvtps_epi32 as cvtps_epi32,
    _mm_max_pd as max_pd, _mm_max_ps as max_ps, _mm_min_pd as min_pd, _mm_min_ps as min_ps,
    _mm_movemask_pd as movemask_pd, _mm_movemask_ps as movemask_ps, _mm_mul_pd as mul_pd,
    _mm_mul_ps as mul_ps, _mm_or_si128 as or, _mm_round_pd as round_pd, _mm_round_ps as round_ps,
    _mm_shuffle_epi32 as shuffle_epi32, _mm_srli_epi64 as srli_epi64, _mm_sub_pd as sub_pd,
    _mm_sub_ps as sub_ps, _mm_xor_si128 as xor,
};

/// Returns the lanes as they are: a register has no halves.
#[inline(always)]
fn swap_halves(lanes: __m128i) -> __m128i {
    lanes
}

without_masks! { Sse41 "sse4.1,ssse3" __m128i 16 }

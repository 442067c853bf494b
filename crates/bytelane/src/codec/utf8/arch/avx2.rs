//! AVX2: a block is two vectors of 32 bytes.

use super::sse41::vectors_of_16;
use crate::backend::Avx2;
use crate::codec::utf8::tables::{
    FIRST_LOWER, FIRST_UPPER, LEAD_OF_FOUR, LEAD_OF_THREE, SECOND_UPPER,
};
use crate::codec::utf8::{Caller, GROUP, Steps, Validation, scalar};
use crate::memory::Each;
use crate::simd::avx2::{load, load_lanes};
use crate::simd::{implement, sse41, window};
use core::arch::x86_64::*;

implement! {
    impl Steps for Avx2 {
        fn is_ascii(blocks: &[[u8; 64]]) -> bool = is_ascii;
        fn is_valid_group<C: Caller>(window: &[u8; 3 + GROUP]) -> bool = is_valid::<C, _>;
        fn is_valid_block(window: &[u8; 3 + 64]) -> bool = is_valid::<Validation, _>;
        fn is_valid_first(block: &[u8; 64]) -> bool = is_valid_first;
        fn are_valid_blocks(src: &[u8], at: usize) -> bool = are_valid_blocks;
        fn is_valid16(before: u32, vector: [u64; 2]) -> bool = super::sse41::is_valid16;
        fn is_valid_vector(window: &[u8; 3 + 16]) -> bool = super::sse41::is_valid::<Validation, _>;
        fn is_text64(from: &[u8]) -> bool = is_text64;
        fn errors(before: u32, block: &[u8; 64]) -> u64 = errors;
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn is_ascii(blocks: &[[u8; 64]]) -> bool {
    let mut any = _mm256_setzero_si256();
    for i in 0..blocks.len() {
        for j in 0..2 {
            any = _mm256_or_si256(any, load(window(&blocks[i], 32 * j)));
        }
    }
    _mm256_movemask_epi8(any) == 0
}

#[target_feature(enable = "avx2")]
#[inline]
fn is_valid<C: Caller, const N: usize>(from: &[u8; N]) -> bool {
    is_zero(errors_in::<C, _>(from))
}

#[target_feature(enable = "avx2")]
#[inline]
fn is_zero(errors: __m256i) -> bool {
    _mm256_testz_si256(errors, errors) != 0
}

/// Returns nonzero bytes where there are errors in bytes that follow three others.
#[target_feature(enable = "avx2")]
#[inline]
fn errors_in<C: Caller, const N: usize>(from: &[u8; N]) -> __m256i {
    let mut errors = _mm256_setzero_si256();
    for i in 0..N / 32 {
        // A vector, and the bytes one, two and three before each of its bytes.
        let [three, two, one, vector] = [0, 1, 2, 3].each(|j| load(window(from, 32 * i + j)));
        errors = _mm256_or_si256(errors, errors32(vector, one, two, three));
    }
    errors
}

/// Checks blocks, and tests for errors once.
#[target_feature(enable = "avx2")]
#[inline]
fn are_valid_blocks(src: &[u8], at: usize) -> bool {
    let (mut errors, mut rest) = (_mm256_setzero_si256(), &src[at - 3..]);
    while let Some(window) = rest.first_chunk::<67>() {
        errors = _mm256_or_si256(errors, errors_in::<Validation, _>(window));
        rest = &rest[64..];
    }
    if rest.len() > 19 {
        let last = errors_in::<Validation, 67>(window(src, src.len() - 67));
        errors = _mm256_or_si256(errors, last);
    } else if rest.len() > 3 {
        let last = super::sse41::errors_in::<Validation, 19>(window(src, src.len() - 19));
        errors = _mm256_or_si256(errors, _mm256_zextsi128_si256(last));
    }
    is_zero(errors)
}

/// Checks two vectors. The only branch on the length is for 64 bytes: all others take 1.2 times as
/// long in lanes, but a branch that is hard to predict costs more.
#[target_feature(enable = "avx2")]
#[inline]
fn is_text64(from: &[u8]) -> bool {
    let Ok(block) = <&[u8; 64]>::try_from(from) else {
        return is_text63(from);
    };
    let first = load(window(block, 0));
    let [three, two, one, last] = [29, 30, 31, 32].each(|at| load(window(block, at)));
    if _mm256_movemask_epi8(_mm256_or_si256(first, last)) == 0 {
        return true;
    }
    let errors = _mm256_or_si256(
        errors_after(_mm256_setzero_si256(), first),
        errors32(last, one, two, three),
    );
    is_text_to_the_end(errors, last)
}

/// Checks 19 to 63 bytes: two vectors of two lanes each, the first 16 bytes and three others.
#[target_feature(enable = "avx2")]
#[inline]
fn is_text63(from: &[u8]) -> bool {
    let Some((front, [second, third, fourth])) = vectors_of_16(from) else {
        return scalar::is_text_cold(from);
    };
    let front = sse41::load(front);
    let first = lanes(front, sse41::load(window(second, 3)));
    let [three, two, one, last] =
        [0, 1, 2, 3].each(|j| load_lanes(window(third, j), window(fourth, j)));
    if _mm256_movemask_epi8(_mm256_or_si256(first, last)) == 0 {
        return true;
    }
    let before = [
        lanes(_mm_slli_si128(front, 1), sse41::load(window(second, 2))),
        lanes(_mm_slli_si128(front, 2), sse41::load(window(second, 1))),
        lanes(_mm_slli_si128(front, 3), sse41::load(window(second, 0))),
    ];
    let errors = _mm256_or_si256(
        errors32(first, before[0], before[1], before[2]),
        errors32(last, one, two, three),
    );
    is_text_to_the_end(errors, last)
}

/// Returns whether there are no errors, nor an incomplete character at the end of the last vector.
#[target_feature(enable = "avx2")]
#[inline]
fn is_text_to_the_end(errors: __m256i, last: __m256i) -> bool {
    let unfinished = _mm256_subs_epu8(last, load(&LARGEST_AT_END));
    let errors = _mm256_or_si256(errors, unfinished);
    _mm256_testz_si256(errors, errors) != 0
}

#[target_feature(enable = "avx2")]
#[inline]
fn lanes(low: __m128i, high: __m128i) -> __m256i {
    _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), high)
}

/// Largest bytes that a text can end with: the first byte of a character of two to four bytes
/// cannot come last, that of three or four cannot be second to last, and that of four cannot be
/// third to last.
const LARGEST_AT_END: [u8; 32] = {
    let mut bytes = [0xff; 32];
    bytes[29] = 0xef;
    bytes[30] = 0xdf;
    bytes[31] = 0xbf;
    bytes
};

#[target_feature(enable = "avx2")]
#[inline]
fn is_valid_first(block: &[u8; 64]) -> bool {
    let [mut errors, mut previous] = [_mm256_setzero_si256(); 2];
    for i in 0..2 {
        let vector = load(window(block, 32 * i));
        errors = _mm256_or_si256(errors, errors_after(previous, vector));
        previous = vector;
    }
    is_zero(errors)
}

#[target_feature(enable = "avx2")]
#[inline]
fn errors(before: u32, block: &[u8; 64]) -> u64 {
    let mut previous = _mm256_insert_epi32(_mm256_setzero_si256(), before.cast_signed(), 7);
    let mut valid = 0;
    for i in 0..2 {
        let vector = load(window(block, 32 * i));
        let errors = errors_after(previous, vector);
        let zero = _mm256_cmpeq_epi8(errors, _mm256_setzero_si256());
        valid |= u64::from(_mm256_movemask_epi8(zero) as u32) << (32 * i);
        previous = vector;
    }
    !valid
}

#[target_feature(enable = "avx2")]
#[inline]
fn errors_after(previous: __m256i, vector: __m256i) -> __m256i {
    // For each lane, the previous one: the upper lane of `previous`, the lower lane of `vector`.
    let lanes = _mm256_permute2x128_si256(previous, vector, 0x21);
    errors32(
        vector,
        _mm256_alignr_epi8(vector, lanes, 15),
        _mm256_alignr_epi8(vector, lanes, 14),
        _mm256_alignr_epi8(vector, lanes, 13),
    )
}

/// Broadcasts a table to both lanes.
#[target_feature(enable = "avx2")]
#[inline]
fn table(table: &[u8; 16]) -> __m256i {
    _mm256_broadcastsi128_si256(sse41::load(table))
}

/// Returns nonzero bytes where a byte cannot follow the previous one, or where the lead bytes two
/// and three before do not require it: see [`tables`](crate::codec::utf8::tables).
#[target_feature(enable = "avx2")]
#[inline]
fn errors32(vector: __m256i, one: __m256i, two: __m256i, three: __m256i) -> __m256i {
    let lower = |vector| _mm256_and_si256(vector, _mm256_set1_epi8(15));
    let upper = |vector| lower(_mm256_srli_epi16(vector, 4));
    let pairs = _mm256_and_si256(
        _mm256_shuffle_epi8(table(&FIRST_UPPER), upper(one)),
        _mm256_and_si256(
            _mm256_shuffle_epi8(table(&FIRST_LOWER), lower(one)),
            _mm256_shuffle_epi8(table(&SECOND_UPPER), upper(vector)),
        ),
    );
    let third = _mm256_subs_epu8(two, _mm256_set1_epi8(LEAD_OF_THREE as i8));
    let fourth = _mm256_subs_epu8(three, _mm256_set1_epi8(LEAD_OF_FOUR as i8));
    let expected = _mm256_and_si256(
        _mm256_or_si256(third, fourth),
        _mm256_set1_epi8(0x80_u8 as i8),
    );
    _mm256_xor_si256(pairs, expected)
}

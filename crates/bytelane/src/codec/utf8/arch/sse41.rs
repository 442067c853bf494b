//! SSE4.1: a block is four vectors of 16 bytes.

use crate::backend::Sse41;
use crate::codec::utf8::tables::{
    FIRST_LOWER, FIRST_UPPER, LEAD_OF_FOUR, LEAD_OF_THREE, SECOND_UPPER,
};
use crate::codec::utf8::{Caller, GROUP, Steps, Validation, scalar};
use crate::memory::Each;
use crate::simd::sse41::load;
use crate::simd::{implement, window};
use core::arch::x86_64::*;

implement! {
    impl Steps for Sse41 {
        fn is_ascii(blocks: &[[u8; 64]]) -> bool = is_ascii;
        fn is_valid_group<C: Caller>(window: &[u8; 3 + GROUP]) -> bool = is_valid::<C, _>;
        fn is_valid_block(window: &[u8; 3 + 64]) -> bool = is_valid::<Validation, _>;
        fn is_valid_first(block: &[u8; 64]) -> bool = is_valid_first;
        fn are_valid_blocks(src: &[u8], at: usize) -> bool = are_valid_blocks;
        fn is_valid16(before: u32, vector: [u64; 2]) -> bool = is_valid16;
        fn is_valid_vector(window: &[u8; 3 + 16]) -> bool = is_valid::<Validation, _>;
        fn is_text64(from: &[u8]) -> bool = is_text64;
        fn errors(before: u32, block: &[u8; 64]) -> u64 = errors;
    }
}

#[target_feature(enable = "sse4.1")]
#[inline]
fn is_ascii(blocks: &[[u8; 64]]) -> bool {
    let mut any = _mm_setzero_si128();
    for i in 0..blocks.len() {
        for j in 0..4 {
            any = _mm_or_si128(any, load(window(&blocks[i], 16 * j)));
        }
    }
    _mm_movemask_epi8(any) == 0
}

#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
pub(super) fn is_valid<C: Caller, const N: usize>(from: &[u8; N]) -> bool {
    is_zero(errors_in::<C, _>(from))
}

#[target_feature(enable = "sse4.1")]
#[inline]
fn is_zero(errors: __m128i) -> bool {
    _mm_testz_si128(errors, errors) != 0
}

/// Returns nonzero bytes where there are errors in bytes that follow three others.
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
pub(super) fn errors_in<C: Caller, const N: usize>(from: &[u8; N]) -> __m128i {
    let mut errors = _mm_setzero_si128();
    for i in 0..N / 16 {
        // A vector, and the bytes one, two and three before each of its bytes.
        let [three, two, one, vector] = [0, 1, 2, 3].each(|j| load(window(from, 16 * i + j)));
        errors = _mm_or_si128(errors, errors16(vector, one, two, three));
    }
    errors
}

/// Checks blocks, and tests for errors once.
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn are_valid_blocks(src: &[u8], at: usize) -> bool {
    let (mut errors, mut rest) = (_mm_setzero_si128(), &src[at - 3..]);
    while let Some(window) = rest.first_chunk::<67>() {
        errors = _mm_or_si128(errors, errors_in::<Validation, _>(window));
        rest = &rest[64..];
    }
    if rest.len() > 19 {
        let last = errors_in::<Validation, 67>(window(src, src.len() - 67));
        errors = _mm_or_si128(errors, last);
    } else if rest.len() > 3 {
        let last = errors_in::<Validation, 19>(window(src, src.len() - 19));
        errors = _mm_or_si128(errors, last);
    }
    is_zero(errors)
}

#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
pub(super) fn is_valid16(before: u32, [low, high]: [u64; 2]) -> bool {
    let vector = _mm_set_epi64x(high.cast_signed(), low.cast_signed());
    let errors = errors_after(previous(before), vector);
    _mm_testz_si128(errors, errors) != 0
}

/// Returns 16 bytes at the start of 19 to 64, and three vectors of 16, each with the three bytes
/// before it, which cover all others. They overlap, to handle any length without a branch on it.
#[inline(always)]
pub(super) fn vectors_of_16(from: &[u8]) -> Option<(&[u8; 16], [&[u8; 19]; 3])> {
    let last = from.len().checked_sub(19)?;
    let places = [usize::min(13, last), last - usize::min(16, last), last];
    Some((window(from, 0), places.each(|at| window(from, at))))
}

/// Checks four vectors.
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn is_text64(from: &[u8]) -> bool {
    let Some((front, others)) = vectors_of_16(from) else {
        return scalar::is_text_cold(from);
    };
    let first = load(front);
    let [second, third, last] = others.each(|other| load(window(other, 3)));
    let any = _mm_or_si128(_mm_or_si128(first, second), _mm_or_si128(third, last));
    if _mm_movemask_epi8(any) == 0 {
        return true;
    }
    // Nonzero if the last character is incomplete.
    let mut errors = _mm_subs_epu8(last, load(&LARGEST_AT_END));
    errors = _mm_or_si128(errors, errors_after(_mm_setzero_si128(), first));
    for i in 0..3 {
        let [three, two, one, vector] = [0, 1, 2, 3].each(|j| load(window(others[i], j)));
        errors = _mm_or_si128(errors, errors16(vector, one, two, three));
    }
    _mm_testz_si128(errors, errors) != 0
}

/// Largest bytes that a text can end with: the first byte of a character of two to four bytes
/// cannot come last, that of three or four cannot be second to last, and that of four cannot be
/// third to last.
const LARGEST_AT_END: [u8; 16] = {
    let mut bytes = [0xff; 16];
    bytes[13] = 0xef;
    bytes[14] = 0xdf;
    bytes[15] = 0xbf;
    bytes
};

#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn is_valid_first(block: &[u8; 64]) -> bool {
    let errors = errors_after(_mm_setzero_si128(), load(window(block, 0)));
    let others = errors_in::<Validation, 51>(window(block, 13));
    is_zero(_mm_or_si128(errors, others))
}

#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn errors(before: u32, block: &[u8; 64]) -> u64 {
    let mut previous = previous(before);
    let mut valid = 0;
    for i in 0..4 {
        let vector = load(window(block, 16 * i));
        let errors = errors_after(previous, vector);
        let zero = _mm_cmpeq_epi8(errors, _mm_setzero_si128());
        valid |= u64::from(_mm_movemask_epi8(zero) as u16) << (16 * i);
        previous = vector;
    }
    !valid
}

/// Returns a vector that ends with these four bytes.
#[target_feature(enable = "sse4.1")]
#[inline]
fn previous(before: u32) -> __m128i {
    _mm_insert_epi32(_mm_setzero_si128(), before.cast_signed(), 3)
}

#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn errors_after(previous: __m128i, vector: __m128i) -> __m128i {
    errors16(
        vector,
        _mm_alignr_epi8(vector, previous, 15),
        _mm_alignr_epi8(vector, previous, 14),
        _mm_alignr_epi8(vector, previous, 13),
    )
}

/// Returns nonzero bytes where a byte cannot follow the previous one, or where the lead bytes two
/// and three before do not require it: see [`tables`](crate::codec::utf8::tables).
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn errors16(vector: __m128i, one: __m128i, two: __m128i, three: __m128i) -> __m128i {
    let lower = |vector| _mm_and_si128(vector, _mm_set1_epi8(15));
    let upper = |vector| lower(_mm_srli_epi16(vector, 4));
    let pairs = _mm_and_si128(
        _mm_shuffle_epi8(load(&FIRST_UPPER), upper(one)),
        _mm_and_si128(
            _mm_shuffle_epi8(load(&FIRST_LOWER), lower(one)),
            _mm_shuffle_epi8(load(&SECOND_UPPER), upper(vector)),
        ),
    );
    let third = _mm_subs_epu8(two, _mm_set1_epi8(LEAD_OF_THREE as i8));
    let fourth = _mm_subs_epu8(three, _mm_set1_epi8(LEAD_OF_FOUR as i8));
    let expected = _mm_and_si128(_mm_or_si128(third, fourth), _mm_set1_epi8(0x80_u8 as i8));
    _mm_xor_si128(pairs, expected)
}

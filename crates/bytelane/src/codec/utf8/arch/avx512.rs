//! AVX-512: a block is one vector of 64 bytes.

use crate::backend::Avx512;
use crate::codec::utf8::tables::{
    FIRST_LOWER, FIRST_UPPER, LEAD_OF_FOUR, LEAD_OF_THREE, SECOND_UPPER,
};
use crate::codec::utf8::{Caller, GROUP, Steps, Validation};
use crate::memory::Each;
use crate::simd::avx512::{load, load_up_to};
use crate::simd::{implement, sse41, window};
use core::arch::x86_64::*;

implement! {
    impl Steps for Avx512 {
        fn is_ascii(blocks: &[[u8; 64]]) -> bool = is_ascii;
        fn is_valid_group<C: Caller>(window: &[u8; 3 + GROUP]) -> bool = is_valid::<C, _>;
        fn is_valid_block(window: &[u8; 3 + 64]) -> bool = is_valid::<Validation, _>;
        fn is_valid16(before: u32, vector: [u64; 2]) -> bool = super::sse41::is_valid16;
        fn is_valid_vector(window: &[u8; 3 + 16]) -> bool = super::sse41::is_valid::<Validation, _>;
        fn is_text18(from: &[u8]) -> bool = is_text;
        fn is_text64(from: &[u8]) -> bool = is_text;
        fn errors(before: u32, block: &[u8; 64]) -> u64 = errors;
    }
}

#[target_feature(enable = "avx512bw")]
#[inline]
fn is_ascii(blocks: &[[u8; 64]]) -> bool {
    let mut any = _mm512_setzero_si512();
    for i in 0..blocks.len() {
        any = _mm512_or_si512(any, load(&blocks[i]));
    }
    _mm512_movepi8_mask(any) == 0
}

#[target_feature(enable = "avx512bw,avx512vbmi")]
#[inline]
fn is_valid<C: Caller, const N: usize>(from: &[u8; N]) -> bool {
    let (mut errors, mut previous) = (_mm512_setzero_si512(), _mm512_setzero_si512());
    for i in 0..N / 64 {
        let vector = load(window(from, 64 * i + 3));
        let here = if C::COPIES && i > 0 {
            errors_after(previous, vector)
        } else {
            // The bytes one, two and three before each byte.
            let [three, two, one] = [0, 1, 2].each(|j| load(window(from, 64 * i + j)));
            errors64(vector, one, two, three)
        };
        errors = _mm512_or_si512(errors, here);
        previous = vector;
    }
    _mm512_test_epi8_mask(errors, errors) == 0
}

/// Checks a block, padded with zeros, which end the last character, except at the end of a whole
/// block.
#[target_feature(enable = "avx512bw,avx512vbmi,bmi2")]
#[inline]
fn is_text(from: &[u8]) -> bool {
    let vector = load_up_to(from);
    if _mm512_movepi8_mask(vector) == 0 {
        return true;
    }
    // Nonzero if the last character is incomplete.
    let unfinished = _mm512_subs_epu8(vector, load(&LARGEST_AT_END));
    let errors = errors_after(_mm512_setzero_si512(), vector);
    let errors = _mm512_or_si512(errors, unfinished);
    _mm512_test_epi8_mask(errors, errors) == 0
}

/// Largest bytes that a text can end with: the first byte of a character of two to four bytes
/// cannot come last, that of three or four cannot be second to last, and that of four cannot be
/// third to last.
const LARGEST_AT_END: [u8; 64] = {
    let mut bytes = [0xff; 64];
    bytes[61] = 0xef;
    bytes[62] = 0xdf;
    bytes[63] = 0xbf;
    bytes
};

#[target_feature(enable = "avx512bw,avx512vbmi")]
#[inline]
fn errors(before: u32, block: &[u8; 64]) -> u64 {
    let previous = _mm512_maskz_set1_epi32(1 << 15, before.cast_signed());
    let errors = errors_after(previous, load(block));
    _mm512_test_epi8_mask(errors, errors)
}

#[target_feature(enable = "avx512bw,avx512vbmi")]
#[inline]
fn errors_after(previous: __m512i, vector: __m512i) -> __m512i {
    // For each lane of 16 bytes, the previous one.
    let lanes = _mm512_alignr_epi64(vector, previous, 6);
    errors64(
        vector,
        _mm512_alignr_epi8(vector, lanes, 15),
        _mm512_alignr_epi8(vector, lanes, 14),
        _mm512_alignr_epi8(vector, lanes, 13),
    )
}

/// Looks up the lowest four bits of each byte. The shuffle ignores the two highest bits, and the
/// table is repeated for the two bits in between.
#[target_feature(enable = "avx512f,avx512vbmi")]
#[inline]
fn look_up(table: &[u8; 16], index: __m512i) -> __m512i {
    _mm512_permutexvar_epi8(index, _mm512_broadcast_i32x4(sse41::load(table)))
}

/// Returns nonzero bytes where a byte cannot follow the previous one, or where the lead bytes two
/// and three before do not require it: see [`tables`](crate::codec::utf8::tables).
#[target_feature(enable = "avx512bw,avx512vbmi")]
#[inline]
fn errors64(vector: __m512i, one: __m512i, two: __m512i, three: __m512i) -> __m512i {
    let pairs = _mm512_ternarylogic_epi64::<0x80>(
        look_up(&FIRST_UPPER, _mm512_srli_epi16(one, 4)),
        look_up(&FIRST_LOWER, one),
        look_up(&SECOND_UPPER, _mm512_srli_epi16(vector, 4)),
    );
    let third = _mm512_subs_epu8(two, _mm512_set1_epi8(LEAD_OF_THREE as i8));
    let fourth = _mm512_subs_epu8(three, _mm512_set1_epi8(LEAD_OF_FOUR as i8));
    // Bits of `third | fourth` that are also the highest bit of a byte.
    let expected =
        _mm512_ternarylogic_epi64::<0xe0>(_mm512_set1_epi8(0x80_u8 as i8), third, fourth);
    _mm512_xor_si512(pairs, expected)
}

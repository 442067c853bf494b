//! SSE4.1: 12 bytes correspond to 16 characters in a vector.
//!
//! The method is that of Wojciech Muła and Daniel Lemire, "Faster Base64 Encoding and Decoding
//! Using AVX2 Instructions" (2018), with tables computed for either alphabet.

use crate::backend::Sse41;
use crate::codec::base64::Quads;
use crate::codec::base64::tables::{Halves, PAD, ROWS, Tables, TextBlock, ZERO};
use crate::memory::{Slot, write};
use crate::simd::sse41::{load, opaque, opaque_in_place, store};
use crate::simd::{implement, window, window_mut};
use core::arch::x86_64::*;

implement! {
    impl Quads for Sse41 {
        type Decoding = __m128i;
        fn encode192(tables: &Tables, bytes: &[u8; 192], text: &mut [Slot; 256]) = encode192;
        fn encode24(tables: &Tables, bytes: &[u8; 24], text: &mut [Slot; 32]) = encode24;
        fn encode12(tables: &Tables, bytes: [u64; 2]) -> [u64; 2] = encode12;
        fn encode_end(tables: &Tables, bytes: &[u8; 16], extra: usize) -> [u64; 2] = encode_end;
        fn decoding(tables: &Tables) -> __m128i = decoding;
        fn is_good(decoding: __m128i) -> bool = is_zero;
        fn decode256(tables: &Tables, text: &[u8; 256], bytes: &mut [Slot; 208], decoding: __m128i) -> __m128i = decode256;
        fn decode32(tables: &Tables, text: &[u8; 32], bytes: &mut [Slot; 24]) -> bool = decode32;
        fn decode16(tables: &Tables, text: [u64; 2], block: &TextBlock) -> ([u64; 2], bool) = decode16;
    }
}

/// Moves four groups of three bytes, the first of them at byte `SKIP`, to where their bits can be
/// shifted in units of 16: both units of a group hold its middle byte.
///
/// ```text
/// a0 a1 a2 b0 b1 b2 c0 c1 c2 d0 d1 d2 .. .. .. ..
/// a1 a0 a2 a1 b1 b0 b2 b1 c1 c0 c2 c1 d1 d0 d2 d1
/// ```
pub(super) const fn spread<const SKIP: u8>() -> [u8; 16] {
    let mut order = [0; 16];
    let mut i = 0;
    while i < 4 {
        let group = SKIP + 3 * i as u8;
        order[4 * i] = group + 1;
        order[4 * i + 1] = group;
        order[4 * i + 2] = group + 2;
        order[4 * i + 3] = group + 1;
        i += 1;
    }
    // Zeros in the place of bytes after the last one.
    let mut i = 0;
    while i < 16 {
        if order[i] >= 16 {
            order[i] = 0x80;
        }
        i += 1;
    }
    order
}

/// Orders of the last groups of 16 bytes and the differences to their padding, by the number of bytes in the last
/// group.
static ENDS: [[[u8; 16]; 2]; 3] = [
    [spread::<4>(), padding(0)],
    [spread::<6>(), padding(2)],
    [spread::<5>(), padding(1)],
];

/// Returns what to add to the characters of zeros, the last ones of 16, to get padding.
const fn padding(missing: usize) -> [u8; 16] {
    let mut differences = [0; 16];
    let mut i = 16 - missing;
    while i < 16 {
        differences[i] = PAD.wrapping_sub(ZERO);
        i += 1;
    }
    differences
}

/// Computes the characters of four groups in the order of [`spread`]. The four values of a group,
/// called 0 to 3 below, are shifted by multiplication: to the right in the upper half of the
/// product, to the left in the lower half.
///
/// ```text
/// units        000000111111....      ....222222333333
/// upper        ..........000000 >> 10 ..........222222 >> 6
/// lower        ..111111........ << 4  ..333333........ << 8
/// ```
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn characters(tables: &Tables, units: __m128i, [right, left]: [__m128i; 2]) -> __m128i {
    let even = _mm_and_si128(units, _mm_set1_epi32(0x0fc0_fc00));
    let odd = _mm_and_si128(units, _mm_set1_epi32(0x003f_03f0));
    let (even, odd) = (_mm_mulhi_epu16(even, right), _mm_mullo_epi16(odd, left));
    let values = _mm_or_si128(even, odd);
    // The class is 0 up to 51, then 1 to 12; plus one from 26 on.
    let class = _mm_sub_epi8(
        _mm_subs_epu8(values, _mm_set1_epi8(51)),
        _mm_cmpgt_epi8(values, _mm_set1_epi8(25)),
    );
    _mm_add_epi8(
        values,
        _mm_shuffle_epi8(load(&tables.halves.from_value), class),
    )
}

/// Factors that shift the even values of the two units of a group to the right, and the odd ones to
/// the left.
#[target_feature(enable = "sse4.1")]
#[inline]
fn factors() -> [__m128i; 2] {
    [
        opaque_in_place(_mm_set1_epi32(0x0400_0040)),
        opaque(_mm_set1_epi32(0x0100_0010)),
    ]
}

#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
pub(super) fn encode12(tables: &Tables, bytes: [u64; 2]) -> [u64; 2] {
    let units = _mm_shuffle_epi8(vector(bytes), load(&const { spread::<0>() }));
    numbers(characters(tables, units, factors()))
}

#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
pub(super) fn encode_end(tables: &Tables, bytes: &[u8; 16], extra: usize) -> [u64; 2] {
    let [order, padding] = &ENDS[extra];
    let units = _mm_shuffle_epi8(load(bytes), load(order));
    let text = characters(tables, units, factors());
    numbers(_mm_add_epi8(text, load(padding)))
}

#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn encode24(tables: &Tables, bytes: &[u8; 24], text: &mut [Slot; 32]) {
    encode_pair(tables, bytes, text, factors());
}

#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn encode_pair(tables: &Tables, bytes: &[u8; 24], text: &mut [Slot; 32], factors: [__m128i; 2]) {
    let first = _mm_shuffle_epi8(load(window(bytes, 0)), load(&const { spread::<0>() }));
    let second = _mm_shuffle_epi8(load(window(bytes, 8)), load(&const { spread::<4>() }));
    store(window_mut(text, 0), characters(tables, first, factors));
    store(window_mut(text, 16), characters(tables, second, factors));
}

#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn encode192(tables: &Tables, bytes: &[u8; 192], text: &mut [Slot; 256]) {
    let factors = factors();
    for i in 0..8 {
        encode_pair(
            tables,
            window(bytes, 24 * i),
            window_mut(text, 32 * i),
            factors,
        );
    }
}

/// Order of the three bytes of each group in its 24-bit little-endian number.
pub(super) const IN_ORDER: [u8; 16] = [
    2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, 0x80, 0x80, 0x80, 0x80,
];

/// Decodes 16 characters to four groups, little-endian numbers of 24 bits. Also returns a vector with
/// a bit where a character is outside the alphabet. A shuffle by a byte that is not ASCII finds no rows.
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn groups(tables: &Halves, text: __m128i) -> (__m128i, __m128i) {
    let upper = _mm_and_si128(_mm_srli_epi16(text, 4), _mm_set1_epi8(15));
    let row = _mm_shuffle_epi8(load(&ROWS), upper);
    let rows = _mm_shuffle_epi8(load(&tables.columns), text);
    let is_last = _mm_cmpeq_epi8(text, load(&tables.last));
    let place = _mm_andnot_si128(is_last, upper);
    let values = _mm_add_epi8(text, _mm_shuffle_epi8(load(&tables.from_character), place));
    // Combines 6-bit values to pairs of 12 bits, and these to groups of 24.
    let pairs = _mm_maddubs_epi16(values, _mm_set1_epi32(0x0140_0140));
    let groups = _mm_madd_epi16(pairs, _mm_set1_epi32(0x0001_1000));
    (groups, _mm_andnot_si128(rows, row))
}

/// Same as [`groups`], but returns 12 bytes and four zeros.
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn bytes(tables: &Halves, text: __m128i) -> (__m128i, __m128i) {
    let (groups, bad) = groups(tables, text);
    (_mm_shuffle_epi8(groups, load(&IN_ORDER)), bad)
}

#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
pub(super) fn decode16(tables: &Tables, text: [u64; 2], block: &TextBlock) -> ([u64; 2], bool) {
    let text = _mm_shuffle_epi8(vector(text), load(&block.order));
    let (groups, bad) = groups(&tables.halves, _mm_or_si128(text, load(&block.filling)));
    let bytes = _mm_shuffle_epi8(groups, load(&block.bytes));
    (numbers(bytes), is_zero(bad))
}

#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn decode32(tables: &Tables, text: &[u8; 32], to: &mut [Slot; 24]) -> bool {
    let (first, bad_first) = bytes(&tables.halves, load(window(text, 0)));
    let (second, bad_second) = bytes(&tables.halves, load(window(text, 16)));
    store(
        window_mut(to, 0),
        _mm_or_si128(first, _mm_slli_si128(second, 12)),
    );
    write(
        window_mut(to, 16),
        numbers(_mm_srli_si128(second, 4))[0].to_le_bytes(),
    );
    is_zero(_mm_or_si128(bad_first, bad_second))
}

/// The zeros that each vector writes are overwritten by the next vector.
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn decode256(tables: &Tables, text: &[u8; 256], to: &mut [Slot; 208], mut bad: __m128i) -> __m128i {
    for i in 0..16 {
        let (bytes, bad_here) = bytes(&tables.halves, load(window(text, 16 * i)));
        store(window_mut(to, 12 * i), bytes);
        bad = opaque(_mm_or_si128(bad, bad_here));
    }
    bad
}

/// Returns a vector without bits for characters outside the alphabet.
#[target_feature(enable = "sse4.1")]
#[inline]
fn decoding(_tables: &Tables) -> __m128i {
    _mm_setzero_si128()
}

/// Returns whether a vector has no bits.
#[target_feature(enable = "sse4.1")]
#[inline]
fn is_zero(vector: __m128i) -> bool {
    _mm_testz_si128(vector, vector) == 1
}

/// Joins two numbers to a vector.
#[target_feature(enable = "sse4.1")]
#[inline]
fn vector([low, high]: [u64; 2]) -> __m128i {
    _mm_set_epi64x(high as i64, low as i64)
}

/// Splits a vector into two numbers.
#[target_feature(enable = "sse4.1")]
#[inline]
fn numbers(vector: __m128i) -> [u64; 2] {
    [
        _mm_cvtsi128_si64(vector) as u64,
        _mm_extract_epi64(vector, 1) as u64,
    ]
}

//! SSE4.1: 12 bytes against 16 characters in a vector.
//!
//! The method is that of Wojciech Muła and Daniel Lemire, "Faster Base64 Encoding and Decoding
//! Using AVX2 Instructions" (2018), with tables computed for either alphabet.

use super::Quads;
use super::tables::Tables;
use crate::backend::{Sse41, sse41};
use crate::memory::{Slot, write};
use crate::simd::sse41::{load, opaque, store};
use crate::simd::{window, window_mut};
use core::arch::x86_64::*;

/// An alphabet in tables of 16 bytes: a character is looked up by either half of its bits.
pub(super) struct Halves {
    /// What to add to a value to make it its character, by *class*: 0 for the capital letters, 1
    /// for the small ones, 2 to 11 for the digits, 12 and 13 for the values 62 and 63.
    pub(super) from_value: [u8; 16],
    /// What to add to a character to make it its value, by the upper half; at 0, where no character
    /// is, what to add to [`last`](Self::last).
    pub(super) from_character: [u8; 16],
    /// By the lower half: the rows (see [`ROWS`]) in which no character has it.
    pub(super) not_in_row: [u8; 16],
    /// The character of the value 63. It shares its upper half with characters that differ from
    /// their values by another amount.
    pub(super) last: u8,
}

/// By the upper half of a character: its row, as a bit. The characters of both alphabets are in the
/// rows 2 to 7; everything else belongs to no row, which is a bit of its own.
pub(super) const ROWS: [u8; 16] = {
    let mut rows = [1 << 6; 16];
    let mut upper = 2;
    while upper < 8 {
        rows[upper] = 1 << (upper - 2);
        upper += 1;
    }
    rows
};

impl Halves {
    pub(super) const fn new(characters: &[u8; 64]) -> Self {
        let mut from_value = [0; 16];
        let mut from_character = [0; 16];
        let mut not_in_row = [0x7f; 16];
        let mut value = 0;
        while value < 64 {
            let character = characters[value];
            let class = match value {
                0..26 => 0,
                26..52 => 1,
                _ => value - 50,
            };
            from_value[class] = character.wrapping_sub(value as u8);
            let upper = if value == 63 {
                0
            } else {
                character as usize >> 4
            };
            from_character[upper] = (value as u8).wrapping_sub(character);
            not_in_row[character as usize & 15] &= !ROWS[character as usize >> 4];
            value += 1;
        }
        Self {
            from_value,
            from_character,
            not_in_row,
            last: characters[63],
        }
    }
}

sse41! {
    impl Quads for Sse41 {
        fn encode192(tables: &Tables, bytes: &[u8; 192], text: &mut [Slot; 256]) = encode192;
        fn encode24(tables: &Tables, bytes: &[u8; 24], text: &mut [Slot; 32]) = encode24;
        fn encode12(tables: &Tables, bytes: [u64; 2]) -> [u64; 2] = encode12;
        fn decode256(tables: &Tables, text: &[u8; 256], bytes: &mut [Slot; 192]) -> bool = decode256;
        fn decode32(tables: &Tables, text: &[u8; 32], bytes: &mut [Slot; 24]) -> bool = decode32;
        fn decode16(tables: &Tables, text: [u64; 2]) -> ([u64; 2], bool) = decode16;
    }
}

/// Four groups of three bytes, the first of them at byte `SKIP`, to where their bits can be
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
    order
}

/// The characters of four groups as [`spread`] leaves them. The four values of a group, 0 to 3 for
/// their bits, are shifted by multiplying: to the right in the upper half of the product, to the
/// left in the lower.
///
/// ```text
/// units        000000111111....      ....222222333333
/// upper        ..........000000 >> 10 ..........222222 >> 6
/// lower        ..111111........ << 4  ..333333........ << 8
/// ```
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn characters(tables: &Tables, units: __m128i) -> __m128i {
    let even = _mm_mulhi_epu16(
        _mm_and_si128(units, _mm_set1_epi32(0x0fc0_fc00)),
        opaque(_mm_set1_epi32(0x0400_0040)),
    );
    let odd = _mm_mullo_epi16(
        _mm_and_si128(units, _mm_set1_epi32(0x003f_03f0)),
        opaque(_mm_set1_epi32(0x0100_0010)),
    );
    let values = _mm_or_si128(even, odd);
    // The class: 0 up to 51, then 1 to 12; and one more from 26 on.
    let class = _mm_sub_epi8(
        _mm_subs_epu8(values, _mm_set1_epi8(51)),
        _mm_cmpgt_epi8(values, _mm_set1_epi8(25)),
    );
    _mm_add_epi8(
        values,
        _mm_shuffle_epi8(load(&tables.halves.from_value), class),
    )
}

#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
pub(super) fn encode12(tables: &Tables, [low, high]: [u64; 2]) -> [u64; 2] {
    let bytes = _mm_set_epi64x(high as i64, low as i64);
    let units = _mm_shuffle_epi8(bytes, load(&const { spread::<0>() }));
    numbers(characters(tables, units))
}

#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn encode24(tables: &Tables, bytes: &[u8; 24], text: &mut [Slot; 32]) {
    let first = _mm_shuffle_epi8(load(window(bytes, 0)), load(&const { spread::<0>() }));
    let second = _mm_shuffle_epi8(load(window(bytes, 8)), load(&const { spread::<4>() }));
    store(window_mut(text, 0), characters(tables, first));
    store(window_mut(text, 16), characters(tables, second));
}

#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn encode192(tables: &Tables, bytes: &[u8; 192], text: &mut [Slot; 256]) {
    for i in 0..8 {
        encode24(tables, window(bytes, 24 * i), window_mut(text, 32 * i));
    }
}

/// The three bytes of each group, from its 24 bits as a little-endian number.
pub(super) const IN_ORDER: [u8; 16] = [
    2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, 0x80, 0x80, 0x80, 0x80,
];

/// 16 characters to 12 bytes and four zeros, and a vector in which a byte is not zero where a
/// character is outside the alphabet.
///
/// That is where the upper four bits name a row whose bit the lower four bits have as well. In a
/// shuffle's index only bit 7 and the lower four count, so `last`, 0x2f or 0x5f, will do as the mask.
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn bytes(tables: &Tables, text: __m128i) -> (__m128i, __m128i) {
    let last = _mm_set1_epi8(tables.halves.last as i8);
    let upper = _mm_and_si128(_mm_srli_epi32(text, 4), last);
    let row = _mm_shuffle_epi8(load(&ROWS), upper);
    let not_in_row = _mm_shuffle_epi8(load(&tables.halves.not_in_row), _mm_and_si128(text, last));
    let index = _mm_andnot_si128(_mm_cmpeq_epi8(text, last), upper);
    let values = _mm_add_epi8(
        text,
        _mm_shuffle_epi8(load(&tables.halves.from_character), index),
    );
    // Values of 6 bits to pairs of 12 bits, and these to groups of 24.
    let pairs = _mm_maddubs_epi16(values, _mm_set1_epi32(0x0140_0140));
    let groups = _mm_madd_epi16(pairs, _mm_set1_epi32(0x0001_1000));
    (
        _mm_shuffle_epi8(groups, load(&IN_ORDER)),
        _mm_and_si128(row, not_in_row),
    )
}

#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
pub(super) fn decode16(tables: &Tables, [low, high]: [u64; 2]) -> ([u64; 2], bool) {
    let (bytes, bad) = bytes(tables, _mm_set_epi64x(high as i64, low as i64));
    (numbers(bytes), _mm_testz_si128(bad, bad) != 0)
}

#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn decode32(tables: &Tables, text: &[u8; 32], to: &mut [Slot; 24]) -> bool {
    let (first, bad_first) = bytes(tables, load(window(text, 0)));
    let (second, bad_second) = bytes(tables, load(window(text, 16)));
    store(
        window_mut(to, 0),
        _mm_or_si128(first, _mm_slli_si128(second, 12)),
    );
    write(
        window_mut(to, 16),
        numbers(_mm_srli_si128(second, 4))[0].to_le_bytes(),
    );
    let bad = _mm_or_si128(bad_first, bad_second);
    _mm_testz_si128(bad, bad) != 0
}

/// Each vector but the last writes its zeros to where the next one writes its bytes.
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn decode256(tables: &Tables, text: &[u8; 256], to: &mut [Slot; 192]) -> bool {
    let mut bad = _mm_setzero_si128();
    for i in 0..14 {
        let (bytes, bad_here) = bytes(tables, load(window(text, 16 * i)));
        store(window_mut(to, 12 * i), bytes);
        bad = _mm_or_si128(bad, bad_here);
    }
    let good = decode32(tables, window(text, 224), window_mut(to, 168));
    good && _mm_testz_si128(bad, bad) != 0
}

/// A vector as two numbers.
#[target_feature(enable = "sse4.1")]
#[inline]
fn numbers(vector: __m128i) -> [u64; 2] {
    [
        _mm_cvtsi128_si64(vector) as u64,
        _mm_extract_epi64(vector, 1) as u64,
    ]
}

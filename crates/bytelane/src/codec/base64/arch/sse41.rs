//! SSE4.1: 12 bytes correspond to 16 characters in a vector.
//!
//! The method is that of Wojciech Muła and Daniel Lemire, "Faster Base64 Encoding and Decoding
//! Using AVX2 Instructions" (2018), with tables computed for either alphabet.

use crate::backend::Sse41;
use crate::codec::base64::Quads;
use crate::codec::base64::tables::{ByteBlock, Tables, TextBlock};
use crate::memory::{Slot, write};
use crate::simd::sse41::{load, opaque, opaque_in_place, store};
use crate::simd::{implement, window, window_mut};
use core::arch::x86_64::*;

/// An alphabet in tables of 16 bytes, for shuffles.
///
/// To be looked up in 16 bytes, a 7-bit character gets a *place*: its upper half, plus a move that
/// a first table lists for its lower half. The moves are chosen so that all characters at the same
/// place share their entry in the second table; otherwise [`new`](Self::new) does not compile.
pub(in crate::codec::base64) struct Halves {
    /// The difference between a character and its value, by *class*: 0 for the capital letters, 1
    /// for the small ones, 2 to 11 for the digits, 12 and 13 for the values 62 and 63.
    pub(in crate::codec::base64) from_value: [u8; 16],
    /// Moves, as [`moves`] computes them, to the places of `from_character`.
    pub(in crate::codec::base64) value_moves: [u8; 16],
    /// The number to add to a character to get its value.
    pub(in crate::codec::base64) from_character: [u8; 16],
    /// Moves to the places of `minus_least`.
    pub(in crate::codec::base64) least_moves: [u8; 16],
    /// The least character of the alphabet at a place, as a number to add: a smaller character is
    /// not in the alphabet. 128 if there is none.
    pub(in crate::codec::base64) minus_least: [u8; 16],
}

/// Moves by lower half. In both alphabets, only the last character differs from its value by a
/// different amount than the other characters with the same upper half.
const TO_VALUE: [u8; 16] = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 7];

/// Found by search: these are the first moves that work for both alphabets.
const TO_LEAST: [u8; 16] = [4, 0, 0, 0, 0, 0, 0, 0, 2, 2, 1, 3, 5, 5, 7, 3];

impl Halves {
    pub(in crate::codec::base64) const fn new(characters: &[u8; 64]) -> Self {
        let mut values = [None; 128];
        let mut from_value = [0; 16];
        let mut value = 0;
        while value < 64 {
            let class = match value {
                0..26 => 0,
                26..52 => 1,
                _ => value - 50,
            };
            from_value[class] = characters[value].wrapping_sub(value as u8);
            values[characters[value] as usize] = Some(value as u8);
            value += 1;
        }

        let mut from_character = [None; 16];
        let [mut least, mut others] = [[128; 16], [0; 16]];
        let mut character = 0;
        while character < 128 {
            let [upper, lower] = [character / 16, character % 16];
            let place = (upper + TO_LEAST[lower] as usize) % 16;
            if let Some(value) = values[character] {
                let difference = value.wrapping_sub(character as u8);
                let entry = &mut from_character[(upper + TO_VALUE[lower] as usize) % 16];
                assert!(entry.is_none() || entry.unwrap() == difference);
                *entry = Some(difference);
                least[place] = if least[place] < character {
                    least[place]
                } else {
                    character
                };
            } else {
                others[place] = character;
            }
            character += 1;
        }

        let [mut differences, mut minus_least] = [[0; 16]; 2];
        let mut place = 0;
        while place < 16 {
            assert!(others[place] < least[place]);
            minus_least[place] = (least[place] as u8).wrapping_neg();
            if let Some(difference) = from_character[place] {
                differences[place] = difference;
            }
            place += 1;
        }
        Self {
            from_value,
            value_moves: moves(TO_VALUE),
            from_character: differences,
            least_moves: moves(TO_LEAST),
            minus_least,
        }
    }
}

/// Computes the table of moves that [`places`] uses. `places` averages an entry with the upper half
/// and the highest bit of the lower half, which form a 5-bit number, and rounds up:
///
/// ```text
/// (2 upper + high bit + entry + 1) / 2 = upper + move
/// ```
const fn moves(by: [u8; 16]) -> [u8; 16] {
    let mut entries = [0; 16];
    let mut lower = 0;
    while lower < 16 {
        assert!(by[lower] <= 8);
        entries[lower] = (2 * by[lower]).saturating_sub(1 + lower as u8 / 8);
        lower += 1;
    }
    entries
}

implement! {
    impl Quads for Sse41 {
        fn encode192(tables: &Tables, bytes: &[u8; 192], text: &mut [Slot; 256]) = encode192;
        fn encode24(tables: &Tables, bytes: &[u8; 24], text: &mut [Slot; 32]) = encode24;
        fn encode12(tables: &Tables, bytes: [u64; 2], block: &ByteBlock) -> [u64; 2] = encode12;
        fn decode256(tables: &Tables, text: &[u8; 256], bytes: &mut [Slot; 208]) -> bool = decode256;
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
    order
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
pub(super) fn encode12(tables: &Tables, bytes: [u64; 2], block: &ByteBlock) -> [u64; 2] {
    let bytes = _mm_shuffle_epi8(vector(bytes), load(&block.order));
    let units = _mm_shuffle_epi8(bytes, load(&const { spread::<0>() }));
    let text = characters(tables, units, factors());
    numbers(_mm_add_epi8(text, load(&block.padding)))
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

/// Computes the places of characters in one of the tables of [`Halves`].
///
/// There is no shift of single bytes: the upper three bits come from the next byte. A shuffle uses
/// the lower four bits of an index, and bit 7 must not be set: 0xef, the largest result for ASCII,
/// plus 15 and 1 still fits in a byte.
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn places(moves: &[u8; 16], text: __m128i) -> __m128i {
    _mm_avg_epu8(_mm_shuffle_epi8(load(moves), text), _mm_srli_epi32(text, 3))
}

/// Decodes 16 characters to four groups, little-endian numbers of 24 bits. Also returns a vector in
/// which bit 7 is set where a character is outside the alphabet. Characters that are not ASCII have
/// it set already, and the subtraction keeps it set, whatever the tables give.
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn groups(tables: &Halves, text: __m128i) -> (__m128i, __m128i) {
    let difference = _mm_shuffle_epi8(
        load(&tables.from_character),
        places(&tables.value_moves, text),
    );
    let minus_least =
        _mm_shuffle_epi8(load(&tables.minus_least), places(&tables.least_moves, text));
    let values = _mm_add_epi8(text, difference);
    // Combines 6-bit values to pairs of 12 bits, and these to groups of 24.
    let pairs = _mm_maddubs_epi16(values, _mm_set1_epi32(0x0140_0140));
    let groups = _mm_madd_epi16(pairs, _mm_set1_epi32(0x0001_1000));
    (groups, _mm_adds_epi8(text, minus_least))
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
    (numbers(bytes), _mm_movemask_epi8(bad) == 0)
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
    _mm_movemask_epi8(_mm_or_si128(bad_first, bad_second)) == 0
}

/// The zeros that each vector writes are overwritten by the next vector.
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn decode256(tables: &Tables, text: &[u8; 256], to: &mut [Slot; 208]) -> bool {
    let mut bad = _mm_setzero_si128();
    for i in 0..16 {
        let (bytes, bad_here) = bytes(&tables.halves, load(window(text, 16 * i)));
        store(window_mut(to, 12 * i), bytes);
        bad = opaque(_mm_or_si128(bad, bad_here));
    }
    _mm_movemask_epi8(bad) == 0
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

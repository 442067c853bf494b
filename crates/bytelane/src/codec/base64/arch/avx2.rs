//! AVX2: 24 bytes correspond to 32 characters in a vector; each lane works as in SSE4.1.

use super::sse41::{IN_ORDER, decode16, encode_end, encode12, spread};
use crate::backend::Avx2;
use crate::codec::base64::Quads;
use crate::codec::base64::tables::{Halves, ROWS, Tables, TextBlock};
use crate::memory::{Slot, write};
use crate::simd::avx2::{load, load_lanes, opaque, opaque_in_place, store};
use crate::simd::sse41;
use crate::simd::{Windows, implement, window, window_mut};
use core::arch::x86_64::*;

implement! {
    impl Quads for Avx2 {
        type Decoding = __m256i;
        fn encode_blocks(tables: &Tables, src: &[u8], dst: &mut [Slot]) -> usize = encode_blocks;
        fn encode24(tables: &Tables, bytes: &[u8; 24], text: &mut [Slot; 32]) = encode24;
        fn encode12(tables: &Tables, bytes: [u64; 2]) -> [u64; 2] = encode12;
        fn encode_end(tables: &Tables, bytes: &[u8; 16], extra: usize) -> [u64; 2] = encode_end;
        fn decoding(tables: &Tables) -> __m256i = decoding;
        fn is_good(decoding: __m256i) -> bool = is_zero;
        fn decode256(tables: &Tables, text: &[u8; 256], bytes: &mut [Slot; 208], decoding: __m256i) -> __m256i = decode256;
        fn decode32(tables: &Tables, text: &[u8; 32], bytes: &mut [Slot; 24]) -> bool = decode32;
        fn decode16(tables: &Tables, text: [u64; 2], block: &TextBlock) -> ([u64; 2], bool) = decode16;
    }
}

/// Broadcasts 16 bytes to both lanes.
#[target_feature(enable = "avx2")]
#[inline]
fn both(table: &[u8; 16]) -> __m256i {
    _mm256_broadcastsi128_si256(sse41::load(table))
}

/// Computes the characters of eight groups, spread as in `sse41`, where the steps are explained.
#[target_feature(enable = "avx2")]
#[inline]
fn characters(tables: &Tables, units: __m256i, [right, left]: [__m256i; 2]) -> __m256i {
    let even = _mm256_and_si256(units, _mm256_set1_epi32(0x0fc0_fc00));
    let odd = _mm256_and_si256(units, _mm256_set1_epi32(0x003f_03f0));
    let (even, odd) = (
        _mm256_mulhi_epu16(even, right),
        _mm256_mullo_epi16(odd, left),
    );
    let values = _mm256_or_si256(even, odd);
    let above = _mm256_subs_epu8(values, _mm256_set1_epi8(51));
    let class = _mm256_sub_epi8(above, _mm256_cmpgt_epi8(values, _mm256_set1_epi8(25)));
    _mm256_add_epi8(
        values,
        _mm256_shuffle_epi8(both(&tables.halves.from_value), class),
    )
}

/// Factors that shift the even values of the two units of a group to the right, and the odd ones to
/// the left.
#[target_feature(enable = "avx2")]
#[inline]
fn factors() -> [__m256i; 2] {
    [
        opaque_in_place(_mm256_set1_epi32(0x0400_0040)),
        opaque(_mm256_set1_epi32(0x0100_0010)),
    ]
}

/// Lane 0 takes bytes 0 to 15 and uses the first twelve, lane 1 bytes 8 to 23 and uses the last.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn encode24(tables: &Tables, bytes: &[u8; 24], text: &mut [Slot; 32]) {
    let lanes = load_lanes(window(bytes, 0), window(bytes, 8));
    let order = load_lanes(&const { spread::<0>() }, &const { spread::<4>() });
    let units = _mm256_shuffle_epi8(lanes, order);
    store(text, characters(tables, units, factors()));
}

/// Encodes 24 bytes, and large blocks after them.
#[target_feature(enable = "avx2")]
#[inline]
fn encode_blocks(tables: &Tables, src: &[u8], dst: &mut [Slot]) -> usize {
    let (first, texts) = dst.split_at_mut(32);
    encode24(tables, window(src, 0), window_mut(first, 0));
    let blocks = Windows::new(&src[20..], 96, src.len() / 96);
    let (texts, _) = texts.as_chunks_mut::<128>();
    let texts = &mut texts[..blocks.count()];
    for i in 0..blocks.count() {
        encode96(tables, blocks.at(i), &mut texts[i]);
    }
    24 + 96 * blocks.count()
}

/// Encodes the middle 96 bytes of 104. With four readable bytes before and after, one load covers both lanes: the
/// last twelve bytes of lane 0, the first twelve of lane 1.
#[target_feature(enable = "avx2")]
#[inline]
fn encode96(tables: &Tables, bytes: &[u8; 104], text: &mut [Slot; 128]) {
    let factors = factors();
    let order = load_lanes(&const { spread::<4>() }, &const { spread::<0>() });
    for i in 0..4 {
        let units = _mm256_shuffle_epi8(load(window(bytes, 24 * i)), order);
        store(window_mut(text, 32 * i), characters(tables, units, factors));
    }
}

/// Decodes 32 characters to 12 bytes and four zeros in each lane. Also returns a vector with a bit
/// where a character is outside the alphabet: see `sse41`.
#[target_feature(enable = "avx2")]
#[inline]
fn bytes(tables: &Halves, text: __m256i) -> (__m256i, __m256i) {
    let upper = _mm256_and_si256(_mm256_srli_epi16(text, 4), _mm256_set1_epi8(15));
    let row = _mm256_shuffle_epi8(both(&ROWS), upper);
    let rows = _mm256_shuffle_epi8(both(&tables.columns), text);
    let is_last = _mm256_cmpeq_epi8(text, both(&tables.last));
    let place = _mm256_andnot_si256(is_last, upper);
    let difference = _mm256_shuffle_epi8(both(&tables.from_character), place);
    let values = _mm256_add_epi8(text, difference);
    let pairs = _mm256_maddubs_epi16(values, _mm256_set1_epi32(0x0140_0140));
    let groups = _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x0001_1000));
    let lanes = _mm256_shuffle_epi8(groups, opaque(both(&IN_ORDER)));
    (lanes, _mm256_andnot_si256(rows, row))
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn decode32(tables: &Tables, text: &[u8; 32], to: &mut [Slot; 24]) -> bool {
    let (lanes, bad) = bytes(&tables.halves, load(text));
    // Three units of 4 bytes from each lane, then the unused units.
    let bytes = _mm256_permutevar8x32_epi32(lanes, _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 3, 7));
    sse41::store(window_mut(to, 0), _mm256_castsi256_si128(bytes));
    let upper = _mm_cvtsi128_si64(_mm256_extracti128_si256(bytes, 1));
    write(window_mut(to, 16), upper.to_le_bytes());
    is_zero(bad)
}

/// Returns a vector without bits for characters outside the alphabet.
#[target_feature(enable = "avx2")]
#[inline]
fn decoding(_tables: &Tables) -> __m256i {
    _mm256_setzero_si256()
}

/// Returns whether a vector has no bits.
#[target_feature(enable = "avx2")]
#[inline]
fn is_zero(vector: __m256i) -> bool {
    _mm256_testz_si256(vector, vector) == 1
}

/// The zeros that each lane writes are overwritten by the next lane: a store for each lane takes less time than
/// moving the bytes of both together.
#[target_feature(enable = "avx2")]
#[inline]
fn decode256(tables: &Tables, text: &[u8; 256], to: &mut [Slot; 208], mut bad: __m256i) -> __m256i {
    for i in 0..8 {
        let (lanes, bad_here) = bytes(&tables.halves, load(window(text, 32 * i)));
        let upper = _mm256_extracti128_si256(lanes, 1);
        sse41::store(window_mut(to, 24 * i), _mm256_castsi256_si128(lanes));
        sse41::store(window_mut(to, 24 * i + 12), upper);
        bad = opaque(_mm256_or_si256(bad, bad_here));
    }
    bad
}

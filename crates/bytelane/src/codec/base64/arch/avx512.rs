//! AVX-512: 48 bytes correspond to 64 characters in a vector; shorter blocks use masks.

use super::avx2;
use super::sse41::{decode16, encode12};
use crate::backend::Avx512;
use crate::codec::base64::tables::{PAD, Tables, TextBlock, ZERO};
use crate::codec::base64::{Engine, Quads, Writes, encoded_len_of, kernel};
use crate::memory::{Each, Slot};
use crate::simd::avx512::{first_bits, load, load_up_to, opaque, put, store, store_up_to};
use crate::simd::{Near, implement, window, window_mut};
use core::arch::x86_64::*;

implement! {
    impl Quads for Avx512 {
        const HAS_WHOLE_LINES: bool = true;
        type Decoding = Decoding;
        fn encode192(tables: &Tables, bytes: &[u8; 192], text: &mut [Slot; 256]) = encode192;
        fn encode24(tables: &Tables, bytes: &[u8; 24], text: &mut [Slot; 32]) = avx2::encode24;
        fn encode12(tables: &Tables, bytes: [u64; 2]) -> [u64; 2] = encode12;
        fn encode192_in_fewer_shifts<W: Writes>(tables: &Tables, bytes: &[u8; 192], text: &mut [Slot; 256]) = encode192_in_fewer_shifts::<W>;
        fn encode_many(engine: Engine, src: &[u8], dst: &mut [Slot]) => kernel::encode_many;
        fn encode_rest(tables: &Tables, src: &[u8], at: usize, dst: &mut [Slot]) = encode_rest;
        fn decoding(tables: &Tables) -> Decoding = decoding;
        fn is_good(decoding: Decoding) -> bool = is_good;
        fn decode256(tables: &Tables, text: &[u8; 256], bytes: &mut [Slot; 208], decoding: Decoding) -> Decoding = decode256;
        fn decode256_in_fewer_stores<W: Writes>(tables: &Tables, text: &[u8; 256], bytes: &mut [Slot; 208], decoding: Decoding) -> Decoding = decode256_in_fewer_stores::<W>;
        fn decode32(tables: &Tables, text: &[u8; 32], bytes: &mut [Slot; 24]) -> bool = avx2::decode32;
        fn decode16(tables: &Tables, text: [u64; 2], block: &TextBlock) -> ([u64; 2], bool) = decode16;
        fn decode_past_cache(engine: Engine, text: &[u8], dst: &mut [Slot]) -> bool => kernel::decode_past_cache;
        fn decode_rest(tables: &Tables, text: &[u8], at: usize, dst: &mut [Slot], canonical: bool) -> bool = decode_rest;
    }
}

/// Groups of three bytes from byte `first` on, with the middle byte twice: `a1 a0 a2 a1`.
const fn spread(first: u8) -> [u8; 64] {
    let mut order = [0; 64];
    let mut i = 0;
    while i < 16 {
        let group = first + 3 * i as u8;
        order[4 * i] = group + 1;
        order[4 * i + 1] = group;
        order[4 * i + 2] = group + 2;
        order[4 * i + 3] = group + 1;
        i += 1;
    }
    order
}

/// Order of the three bytes of each group in its 24-bit little-endian number. The result is 48
/// bytes; the bytes after them are ignored.
const IN_ORDER: [u8; 64] = {
    let mut order = [0; 64];
    let mut i = 0;
    while i < 48 {
        order[i] = (i / 3 * 4 + 2 - i % 3) as u8;
        i += 1;
    }
    order
};

/// Order of bytes 64 i to 64 i + 63 of the result of four vectors of groups, from vectors i and
/// i + 1.
const fn packed() -> [[u8; 64]; 3] {
    let mut orders = [[0; 64]; 3];
    let mut at = 0;
    while at < 192 {
        let (store, vector, byte) = (at / 64, at / 48, at % 48);
        let place = (byte / 3 * 4 + 2 - byte % 3) as u8;
        orders[store][at % 64] = place + 64 * (vector - store) as u8;
        at += 1;
    }
    orders
}

/// Computes the characters of 48 bytes, spread to units `000000111111.... ....222222333333` as in
/// `sse41`. For each four units, one instruction extracts eight fields of 8 bits; the lookup
/// ignores the upper two bits of each.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
#[inline]
fn characters(tables: &Tables, units: __m512i) -> __m512i {
    let values = _mm512_multishift_epi64_epi8(_mm512_set1_epi64(0x3036_242a_1016_040a), units);
    _mm512_permutexvar_epi8(values, load(&tables.characters))
}

/// Computes the same by shifting 16-bit units to the right for the even values and to the left for
/// the odd ones. This takes more instructions, but on Intel CPUs it keeps free the port that the
/// lookups use.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
#[inline]
fn characters_by_shifts(tables: &Tables, units: __m512i) -> __m512i {
    let even = _mm512_srlv_epi16(units, _mm512_set1_epi32(0x0006_000a));
    let odd = _mm512_sllv_epi16(units, _mm512_set1_epi32(0x0008_0004));
    const WHERE_SET_FIRST_ELSE_SECOND: i32 = 0xca;
    let low_bytes = _mm512_set1_epi16(0xff);
    let values = _mm512_ternarylogic_epi32::<WHERE_SET_FIRST_ELSE_SECOND>(low_bytes, even, odd);
    _mm512_permutexvar_epi8(values, load(&tables.characters))
}

/// Three of four vectors use shifts, which keeps both ports busy. The last vector is loaded with 16
/// bytes before its own, since there are none after.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
#[inline]
fn encode192(tables: &Tables, bytes: &[u8; 192], text: &mut [Slot; 256]) {
    let order = opaque(&const { spread(0) });
    for i in 0..3 {
        let units = _mm512_permutexvar_epi8(order, load(window(bytes, 48 * i)));
        let text = window_mut(text, 64 * i);
        store(text, characters_by_shifts(tables, units));
    }
    encode_last_48::<Near>(tables, bytes, text);
}

/// All vectors use fields.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
#[inline]
fn encode192_in_fewer_shifts<W: Writes>(
    tables: &Tables,
    bytes: &[u8; 192],
    text: &mut [Slot; 256],
) {
    let order = opaque(&const { spread(0) });
    for i in 0..3 {
        let units = _mm512_permutexvar_epi8(order, load(window(bytes, 48 * i)));
        put::<W, _>(window_mut(text, 64 * i), characters(tables, units));
    }
    encode_last_48::<W>(tables, bytes, text);
}

/// Encodes the last 48 bytes of 192.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
#[inline]
fn encode_last_48<W: Writes>(tables: &Tables, bytes: &[u8; 192], text: &mut [Slot; 256]) {
    let order = opaque(&const { spread(16) });
    let units = _mm512_permutexvar_epi8(order, load(window(bytes, 128)));
    put::<W, _>(window_mut(text, 192), characters(tables, units));
}

/// Computes the characters of up to 48 bytes.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,bmi2")]
#[inline]
fn characters_up_to(tables: &Tables, bytes: &[u8]) -> __m512i {
    let units = _mm512_permutexvar_epi8(opaque(&const { spread(0) }), load_up_to(bytes));
    characters(tables, units)
}

/// Encodes up to 48 bytes at a time; padding fills the rest of `dst`.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,bmi2")]
#[inline]
fn encode_rest(tables: &Tables, src: &[u8], at: usize, dst: &mut [Slot]) {
    let (mut src, mut dst) = (&src[at..], &mut dst[at / 3 * 4..]);
    while src.len() > 48 {
        let (bytes, more) = src.split_at(48);
        let (text, more_text) = dst.split_at_mut(64);
        store(window_mut(text, 0), characters_up_to(tables, bytes));
        (src, dst) = (more, more_text);
    }
    let text = first_bits(encoded_len_of(src, false));
    let padding = _mm512_set1_epi8(PAD as i8);
    store_up_to(
        dst,
        _mm512_mask_mov_epi8(padding, text, characters_up_to(tables, src)),
    );
}

/// Values of the characters, in two registers, and a vector in which bit 7 is set where a character is outside
/// the alphabet: bit 7 of the character if it is not ASCII, or of its table entry.
#[derive(Clone, Copy)]
pub(crate) struct Decoding {
    values: [__m512i; 2],
    bad: __m512i,
}

#[target_feature(enable = "avx512f")]
#[inline]
fn decoding(tables: &Tables) -> Decoding {
    Decoding {
        values: [0, 64].each(|at| load(window(&tables.values, at))),
        bad: _mm512_setzero_si512(),
    }
}

#[target_feature(enable = "avx512bw")]
#[inline]
fn is_good(decoding: Decoding) -> bool {
    _mm512_movepi8_mask(decoding.bad) == 0
}

/// Decodes 64 characters to groups, and marks those outside the alphabet.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
#[inline]
fn groups(decoding: &mut Decoding, text: __m512i) -> __m512i {
    let [low, high] = decoding.values;
    let values = _mm512_permutex2var_epi8(low, text, high);
    // Combines 6-bit values to pairs of 12 bits, and these to groups of 24.
    let pairs = _mm512_maddubs_epi16(values, _mm512_set1_epi32(0x0140_0140));
    const ANY: i32 = 0xfe;
    decoding.bad = _mm512_ternarylogic_epi32::<ANY>(decoding.bad, text, values);
    _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x0001_1000))
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
#[inline]
fn decode256(
    _tables: &Tables,
    text: &[u8; 256],
    to: &mut [Slot; 208],
    mut decoding: Decoding,
) -> Decoding {
    for i in 0..4 {
        let groups = groups(&mut decoding, load(window(text, 64 * i)));
        let bytes = _mm512_permutexvar_epi8(opaque(&IN_ORDER), groups);
        store(window_mut(to, 48 * i), bytes);
    }
    decoding
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
#[inline]
fn decode256_in_fewer_stores<W: Writes>(
    _tables: &Tables,
    text: &[u8; 256],
    to: &mut [Slot; 208],
    mut decoding: Decoding,
) -> Decoding {
    let mut vectors = [_mm512_setzero_si512(); 4];
    for i in 0..4 {
        vectors[i] = groups(&mut decoding, load(window(text, 64 * i)));
    }
    for i in 0..3 {
        let order = opaque(&const { packed() }[i]);
        let packed = _mm512_permutex2var_epi8(vectors[i], order, vectors[i + 1]);
        put::<W, _>(window_mut(to, 64 * i), packed);
    }
    decoding
}

/// Decodes up to 64 characters at a time. The last ones are padded with zeros, so that the bytes
/// that are not stored contain exactly the bits after the last byte.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,bmi2")]
#[inline]
fn decode_rest(tables: &Tables, text: &[u8], at: usize, dst: &mut [Slot], canonical: bool) -> bool {
    let (mut text, mut dst) = (&text[at..], &mut dst[at / 4 * 3..]);
    let mut decoding = decoding(tables);
    while text.len() > 64 {
        let (characters, more) = text.split_at(64);
        let (bytes, more_bytes) = dst.split_at_mut(48);
        let vector = groups(&mut decoding, load(window(characters, 0)));
        store_up_to(bytes, _mm512_permutexvar_epi8(opaque(&IN_ORDER), vector));
        (text, dst) = (more, more_bytes);
    }
    let zeros = _mm512_set1_epi8(ZERO as i8);
    let filled = _mm512_mask_mov_epi8(zeros, first_bits(text.len()), load_up_to(text));
    let vector = groups(&mut decoding, filled);
    let bytes = _mm512_permutexvar_epi8(opaque(&IN_ORDER), vector);
    store_up_to(dst, bytes);
    let stray_bits = _mm512_test_epi8_mask(bytes, bytes) & first_bits(48) & !first_bits(dst.len());
    is_good(decoding) && !(canonical && stray_bits != 0)
}

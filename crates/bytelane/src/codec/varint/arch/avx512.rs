//! AVX-512: sixteen 32-bit varints or eight 64-bit varints at a time. To decode, `vpermb` picks
//! bytes from the window; to encode, `vpcompressb` drops the bytes that a varint does not use.

use super::sse41::encode_words;
use crate::backend::Avx512;
use crate::codec::varint::mapping::Mapping;
use crate::codec::varint::{ENCODE_ROOM, Longest, Varints, WINDOW};
use crate::memory::{Slot, flat, flat_mut};
use crate::simd::avx2::load as load_half;
use crate::simd::avx512::{load, store};
use crate::simd::sse41::load as load_quarter;
use crate::simd::sse41::store as store_quarter;
use crate::simd::{implement, window, window_mut};
use core::arch::x86_64::*;

implement! {
    impl<const K: usize> Varints<K> for Avx512 {
        fn ends(bytes: &[u8; 64]) -> u64 = ends;
        fn widen<M: Mapping>(bytes: &[u8; 64], values: &mut [[Slot; K]; 64]) = widen::<K, M>;
        fn narrow<M: Mapping>(values: &[[u8; K]; 64], bytes: &mut [Slot; 64]) -> bool = narrow::<K, M>;
        fn decode<M: Mapping>(window: &[u8; WINDOW], begins: u64, longest: Longest, values: &mut [[Slot; K]]) -> bool = decode::<K, M>;
        fn encode<M: Mapping>(values: &[[u8; K]; 8], to: &mut [Slot; ENCODE_ROOM]) -> usize = encode::<K, M>;
    }
}

#[target_feature(enable = "avx512bw")]
#[inline]
fn ends(bytes: &[u8; 64]) -> u64 {
    !_mm512_movepi8_mask(load(bytes))
}

/// Maps values of `K` bytes to the numbers stored for them.
#[target_feature(enable = "avx512f")]
#[inline]
fn to_wire<const K: usize, M: Mapping>(values: __m512i) -> __m512i {
    match (M::ZIGZAG, K) {
        (false, _) => values,
        (true, 4) => {
            let signs = _mm512_srai_epi32::<31>(values);
            _mm512_xor_si512(_mm512_add_epi32(values, values), signs)
        }
        (true, _) => {
            let signs = _mm512_srai_epi64::<63>(values);
            _mm512_xor_si512(_mm512_add_epi64(values, values), signs)
        }
    }
}

/// Maps stored numbers to values of `K` bytes.
#[target_feature(enable = "avx512f")]
#[inline]
fn from_wire<const K: usize, M: Mapping>(numbers: __m512i) -> __m512i {
    let zero = _mm512_setzero_si512();
    match (M::ZIGZAG, K) {
        (false, _) => numbers,
        (true, 4) => {
            let signs = _mm512_sub_epi32(zero, _mm512_and_si512(numbers, _mm512_set1_epi32(1)));
            _mm512_xor_si512(_mm512_srli_epi32::<1>(numbers), signs)
        }
        (true, _) => {
            let signs = _mm512_sub_epi64(zero, _mm512_and_si512(numbers, _mm512_set1_epi64(1)));
            _mm512_xor_si512(_mm512_srli_epi64::<1>(numbers), signs)
        }
    }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn widen<const K: usize, M: Mapping>(bytes: &[u8; 64], values: &mut [[Slot; K]; 64]) {
    let values = flat_mut(values);
    for i in 0..K {
        let bytes = window::<16, _>(bytes, 16 * (4 * i / K));
        let mut some = load_quarter(bytes);
        if K == 8 && i % 2 == 1 {
            some = _mm_srli_si128::<8>(some);
        }
        let numbers = match K {
            4 => _mm512_cvtepu8_epi32(some),
            _ => _mm512_cvtepu8_epi64(some),
        };
        store(window_mut(values, 64 * i), from_wire::<K, M>(numbers));
    }
}

#[target_feature(enable = "avx512bw,avx512vl")]
#[inline]
fn narrow<const K: usize, M: Mapping>(values: &[[u8; K]; 64], bytes: &mut [Slot; 64]) -> bool {
    let values = flat(values);
    let mut numbers = [_mm512_setzero_si512(); K];
    let mut all = _mm512_setzero_si512();
    for i in 0..K {
        numbers[i] = to_wire::<K, M>(load(window(values, 64 * i)));
        all = _mm512_or_si512(all, numbers[i]);
    }
    let beyond = match K {
        4 => _mm512_set1_epi32(!0x7f),
        _ => _mm512_set1_epi64(!0x7f),
    };
    if _mm512_test_epi32_mask(all, beyond) != 0 {
        return false;
    }
    for i in 0..4 {
        let sixteen = match K {
            4 => _mm512_cvtepi32_epi8(numbers[i]),
            _ => _mm_unpacklo_epi64(
                _mm512_cvtepi64_epi8(numbers[2 * i]),
                _mm512_cvtepi64_epi8(numbers[2 * i + 1]),
            ),
        };
        store_quarter(window_mut(bytes, 16 * i), sixteen);
    }
    true
}

/// Number of each byte of a vector.
const PLACES: [u8; 64] = {
    let mut places = [0; 64];
    let mut i = 0;
    while i < 64 {
        places[i] = i as u8;
        i += 1;
    }
    places
};

/// Returns, for each vector of values of `K` bytes, the index of the number that goes to each byte.
const fn repeated<const K: usize>() -> [[u8; 64]; K] {
    let mut table = [[0; 64]; K];
    let mut i = 0;
    while i < 64 * K {
        table[i / 64][i % 64] = (i / K) as u8;
        i += 1;
    }
    table
}

#[target_feature(enable = "avx512bw,avx512vbmi,avx512vbmi2,popcnt")]
#[inline]
fn decode<const K: usize, M: Mapping>(
    bytes: &[u8; WINDOW],
    begins: u64,
    longest: Longest,
    values: &mut [[Slot; K]],
) -> bool {
    let values = flat_mut(values);
    match (K, longest) {
        (4, _) => decode_short::<M>(bytes, begins, values),
        (_, Longest::Ten) => decode_wide::<M, true>(bytes, begins, values),
        _ => decode_wide::<M, false>(bytes, begins, values),
    }
}

/// Reduces each lane to the bytes of its varint, without the bytes that follow it and without high
/// bits; also returns the high bits that are clear.
///
/// ```text
/// bytes      ac 02 05 80 ..      lane of a two-byte varint and the bytes after it
/// ends       00 80 80 00 ..      high bits that are clear
/// below      ff ff 00 00 ..      everything up to the lowest of them: x ^ (x - 1)
/// groups     2c 02 00 00 ..      seven bits per byte
/// ```
#[target_feature(enable = "avx512f")]
#[inline]
fn groups<const K: usize>(bytes: __m512i) -> (__m512i, __m512i) {
    let ends = _mm512_andnot_si512(bytes, _mm512_set1_epi8(i8::MIN));
    let before = match K {
        4 => _mm512_add_epi32(ends, _mm512_set1_epi32(-1)),
        _ => _mm512_add_epi64(ends, _mm512_set1_epi64(-1)),
    };
    // (ends ^ before) & bytes
    let whole = _mm512_ternarylogic_epi32::<0x28>(ends, before, bytes);
    (_mm512_and_si512(whole, _mm512_set1_epi8(0x7f)), ends)
}

/// Joins four groups of seven bits in each unit of 32 to 28 bits: 7 and 7, then 14 and 14.
#[target_feature(enable = "avx512bw")]
#[inline]
fn join(groups: __m512i) -> __m512i {
    let one_and_128 = _mm512_set1_epi16(i16::from_le_bytes([1, 0x80]));
    let pairs = _mm512_maddubs_epi16(one_and_128, groups);
    _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x4000_0001))
}

/// Decodes sixteen varints at a time: the first four bytes of each go to its lane, the fifth to a
/// second vector. Unused lanes repeat the start of the window.
#[target_feature(enable = "avx512bw,avx512vbmi,avx512vbmi2,popcnt")]
#[inline]
fn decode_short<M: Mapping>(bytes: &[u8; WINDOW], begins: u64, values: &mut [Slot]) -> bool {
    let bytes = load(window(bytes, 0));
    let places = _mm512_maskz_compress_epi8(begins, load(&PLACES));
    let count = begins.count_ones() as usize;
    let mut beyond = _mm512_setzero_si512();
    for i in 0..4 {
        if 16 * i >= count {
            break;
        }
        let first = _mm512_permutexvar_epi8(load(&const { repeated::<4>() }[i]), places);
        let four = _mm512_add_epi8(first, _mm512_set1_epi32(0x0302_0100));
        let fifth = _mm512_add_epi8(first, _mm512_set1_epi8(4));
        let (groups, ends) = groups::<4>(_mm512_permutexvar_epi8(four, bytes));
        let numbers = join(groups);
        let long = _mm512_testn_epi32_mask(ends, ends);
        let fifth = _mm512_maskz_mov_epi32(long, _mm512_permutexvar_epi8(fifth, bytes));
        beyond = _mm512_or_si512(beyond, fifth);
        let numbers = _mm512_or_si512(numbers, _mm512_slli_epi32::<28>(fifth));
        store(window_mut(values, 64 * i), from_wire::<4, M>(numbers));
    }
    _mm512_test_epi32_mask(beyond, _mm512_set1_epi32(0xf0)) == 0
}

/// Decodes eight varints at a time; `LONG` if some may have a ninth and a tenth byte.
#[target_feature(enable = "avx512bw,avx512vbmi,avx512vbmi2,popcnt")]
#[inline]
fn decode_wide<M: Mapping, const LONG: bool>(
    bytes: &[u8; WINDOW],
    begins: u64,
    values: &mut [Slot],
) -> bool {
    let bytes = load(window(bytes, 0));
    let places = _mm512_maskz_compress_epi8(begins, load(&PLACES));
    let count = begins.count_ones() as usize;
    let mut beyond = _mm512_setzero_si512();
    for i in 0..8 {
        if 8 * i >= count {
            break;
        }
        let first = _mm512_permutexvar_epi8(load(&const { repeated::<8>() }[i]), places);
        let eight = _mm512_add_epi8(first, _mm512_set1_epi64(0x0706_0504_0302_0100));
        let (groups, ends) = groups::<8>(_mm512_permutexvar_epi8(eight, bytes));
        let halves = join(groups);
        // 28 bits of each half: low & mask | high & !mask
        let low_bits = _mm512_set1_epi64(0xfff_ffff);
        let shifted = _mm512_srli_epi64::<4>(halves);
        let mut numbers = _mm512_ternarylogic_epi32::<0xca>(low_bits, halves, shifted);
        if LONG {
            let long = _mm512_testn_epi64_mask(ends, ends);
            let last = _mm512_add_epi8(first, _mm512_set1_epi64(0x0908));
            let last = _mm512_maskz_permutexvar_epi8(0x0303_0303_0303_0303, last, bytes);
            let last = _mm512_maskz_mov_epi64(long, last);
            // The tenth byte, if there is one after the ninth.
            let followed = _mm512_test_epi64_mask(last, _mm512_set1_epi64(0x80));
            let tenth = _mm512_maskz_srli_epi64::<8>(followed, last);
            beyond = _mm512_or_si512(beyond, tenth);
            let ninth = _mm512_srli_epi64::<1>(_mm512_slli_epi64::<57>(last));
            let tenth = _mm512_slli_epi64::<63>(tenth);
            // ninth | tenth | numbers
            numbers = _mm512_ternarylogic_epi32::<0xfe>(ninth, tenth, numbers);
        }
        store(window_mut(values, 64 * i), from_wire::<8, M>(numbers));
    }
    _mm512_test_epi64_mask(beyond, _mm512_set1_epi64(0xfe)) == 0
}

#[target_feature(enable = "avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,popcnt")]
#[inline]
fn encode<const K: usize, M: Mapping>(
    values: &[[u8; K]; 8],
    to: &mut [Slot; ENCODE_ROOM],
) -> usize {
    let values = flat(values);
    if K == 4 {
        let values = _mm512_castsi256_si512(load_half(window(values, 0)));
        let numbers = _mm512_castsi512_si256(to_wire::<4, M>(values));
        return match _mm256_test_epi32_mask(numbers, _mm256_set1_epi32(!0x3fff)) {
            0 => encode_words(_mm256_cvtepi32_epi16(numbers), to),
            _ => spread(_mm512_cvtepu32_epi64(numbers), to, 0),
        };
    }
    let numbers = to_wire::<8, M>(load(window(values, 0)));
    if _mm512_test_epi64_mask(numbers, _mm512_set1_epi64(!0x3fff)) == 0 {
        return encode_words(_mm512_cvtepi64_epi16(numbers), to);
    }
    match _mm512_test_epi64_mask(numbers, _mm512_set1_epi64(0xff << 56)) {
        0 => spread(numbers, to, 0),
        _ => spread_long(numbers, to),
    }
}

/// Stores the varints of eight numbers of up to 56 bits at an offset. Returns the offset after
/// them.
///
/// ```text
/// number      groups of seven bits, picked by their positions: 8 bits from bit 0, 7, 14 ..
/// groups      .aaaaaaa .bbbbbbb .ccccccc 00000000 ..
/// kept        11111111 11111111 11111111 00000000 ..   whole bytes down from the highest bit
/// continued   1        1        0        0             kept, one byte down
/// ```
#[target_feature(enable = "avx512bw,avx512cd,avx512vbmi,avx512vbmi2,popcnt")]
#[inline]
fn spread(numbers: __m512i, to: &mut [Slot; ENCODE_ROOM], at: usize) -> usize {
    let places = _mm512_set1_epi64(i64::from_le_bytes([0, 7, 14, 21, 28, 35, 42, 49]));
    let groups = _mm512_multishift_epi64_epi8(places, numbers);
    let groups = _mm512_and_si512(groups, _mm512_set1_epi8(0x7f));
    let highest = _mm512_lzcnt_epi64(_mm512_or_si512(groups, _mm512_set1_epi64(1)));
    let unused = _mm512_and_si512(highest, _mm512_set1_epi64(0x38));
    let kept = _mm512_srlv_epi64(_mm512_set1_epi8(-1), unused);
    store_kept(groups, kept, _mm512_srli_epi64::<8>(kept), to, at)
}

/// Does the same for numbers of up to 64 bits, four of them at a time: the lower 64-bit lane of
/// each pair gets eight bytes, the upper one gets the ninth and the tenth, if any.
#[target_feature(enable = "avx512bw,avx512cd,avx512vbmi,avx512vbmi2,popcnt")]
#[inline]
fn spread_long(numbers: __m512i, to: &mut [Slot; ENCODE_ROOM]) -> usize {
    let pairs = _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7);
    let numbers = _mm512_permutexvar_epi64(pairs, numbers);
    let tops = _mm512_srli_epi64::<56>(numbers);
    let mut at = 0;
    for lanes in [
        _mm512_unpacklo_epi64(numbers, tops),
        _mm512_unpackhi_epi64(numbers, tops),
    ] {
        let low = i64::from_le_bytes([0, 7, 14, 21, 28, 35, 42, 49]);
        // Eight zeros are at bit 16 of a top.
        let high = i64::from_le_bytes([0, 7, 16, 16, 16, 16, 16, 16]);
        let places = _mm512_setr_epi64(low, high, low, high, low, high, low, high);
        let groups = _mm512_multishift_epi64_epi8(places, lanes);
        let groups = _mm512_and_si512(groups, _mm512_set1_epi8(0x7f));
        // A number with a top keeps all its lower bytes, and one without a top keeps none of the
        // upper ones: groups | lanes & mask, where the mask has the highest byte.
        let top_byte = _mm512_set1_epi64(0xff << 56);
        let used = _mm512_ternarylogic_epi32::<0xf8>(groups, lanes, top_byte);
        let at_least = _mm512_setr_epi64(1, 0, 1, 0, 1, 0, 1, 0);
        let highest = _mm512_lzcnt_epi64(_mm512_or_si512(used, at_least));
        let unused = _mm512_and_si512(highest, _mm512_set1_epi64(0x78));
        let kept = _mm512_srlv_epi64(_mm512_set1_epi8(-1), unused);
        at = store_kept(groups, kept, _mm512_bsrli_epi128::<1>(kept), to, at);
    }
    at
}

/// Stores the kept bytes, with the high bit set if another byte follows. Returns the offset after
/// them.
#[target_feature(enable = "avx512bw,avx512vbmi2,popcnt")]
#[inline]
fn store_kept(
    groups: __m512i,
    kept: __m512i,
    followed: __m512i,
    to: &mut [Slot; ENCODE_ROOM],
    at: usize,
) -> usize {
    // groups | followed & 0x80
    let high_bits = _mm512_set1_epi8(i8::MIN);
    let varints = _mm512_ternarylogic_epi32::<0xf8>(groups, followed, high_bits);
    let kept = _mm512_movepi8_mask(kept);
    let varints = _mm512_maskz_compress_epi8(kept, varints);
    store(window_mut(to, at), varints);
    at + kept.count_ones() as usize
}

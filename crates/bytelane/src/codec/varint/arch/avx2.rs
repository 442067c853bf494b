//! AVX2: a vector has two parts of four varints each. Most shuffles do not cross between the parts.

use super::sse41::{self, encode_words, values_of_two};
use crate::backend::Avx2;
use crate::codec::varint::lanes::Lanes;
use crate::codec::varint::mapping::Mapping;
use crate::codec::varint::{ENCODE_ROOM, WINDOW};
use crate::memory::Slot;
use crate::simd::avx2::{load, load_four, shuffle, store};
use crate::simd::{implement, window, window_mut};
use core::arch::x86_64::*;

type V = __m256i;

implement! {
    impl Lanes for Avx2 {
        const PARTS: usize = 2;
        type Vector = V;
        fn low_bytes(bytes: &[u8; 64]) -> u64 = low_bytes;
        fn load(from: &[u8], at: usize) -> V = |from, at| load(window(from, at));
        fn store(to: &mut [Slot], at: usize, vector: V) = |to, at, vector| store(window_mut(to, at), vector);
        fn gather(window: &[u8; WINDOW], places: [[usize; 2]; 2]) -> V = gather;
        fn scatter(to: &mut [Slot; ENCODE_ROOM], place: usize, from: V, lane: usize) = |to, place, from, lane| sse41::scatter(to, place, part(from, lane / 2), lane % 2);
        fn splat(lane: u64) -> V = |lane: u64| _mm256_set1_epi64x(lane.cast_signed());
        fn and(a: V, b: V) -> V = _mm256_and_si256;
        fn and_not(a: V, b: V) -> V = _mm256_andnot_si256;
        fn or(a: V, b: V) -> V = _mm256_or_si256;
        fn xor(a: V, b: V) -> V = _mm256_xor_si256;
        fn any(vector: V, mask: u64) -> bool = |vector, mask: u64| _mm256_testz_si256(vector, _mm256_set1_epi64x(mask.cast_signed())) == 0;
        fn add64(a: V, b: V) -> V = _mm256_add_epi64;
        fn shl32(vector: V, bits: i32) -> V = |vector, bits| _mm256_sll_epi32(vector, _mm_cvtsi32_si128(bits));
        fn shl64(vector: V, bits: i32) -> V = |vector, bits| _mm256_sll_epi64(vector, _mm_cvtsi32_si128(bits));
        fn shr32(vector: V, bits: i32) -> V = |vector, bits| _mm256_srl_epi32(vector, _mm_cvtsi32_si128(bits));
        fn shr64(vector: V, bits: i32) -> V = |vector, bits| _mm256_srl_epi64(vector, _mm_cvtsi32_si128(bits));
        fn negative32(vector: V) -> V = _mm256_srai_epi32::<31>;
        fn negative64(vector: V) -> V = |vector| _mm256_cmpgt_epi64(_mm256_setzero_si256(), vector);
        fn odd32(vector: V) -> V = |vector| _mm256_sub_epi32(_mm256_setzero_si256(), _mm256_and_si256(vector, _mm256_set1_epi32(1)));
        fn odd64(vector: V) -> V = |vector| _mm256_sub_epi64(_mm256_setzero_si256(), _mm256_and_si256(vector, _mm256_set1_epi64x(1)));
        fn zero64(vector: V) -> V = |vector| _mm256_cmpeq_epi64(vector, _mm256_setzero_si256());
        fn one8(vector: V) -> V = |vector| _mm256_min_epu8(vector, _mm256_set1_epi8(1));
        fn sub8(a: V, b: V) -> V = _mm256_sub_epi8;
        fn greater8(a: V, b: V) -> V = _mm256_cmpgt_epi8;
        fn at_least32(a: V, b: V) -> V = |a, b| _mm256_cmpeq_epi32(_mm256_max_epu32(a, b), a);
        fn repeat(vector: V, part: usize) -> V = repeat;
        fn shuffle8(vector: V, order: V) -> V = _mm256_shuffle_epi8;
        fn alternate16(even: V, odd: V) -> V = _mm256_blend_epi16::<0b1010_1010>;
        fn alternate32(even: V, odd: V) -> V = _mm256_blend_epi32::<0b1010_1010>;
        fn unzip32(a: V, b: V) -> [V; 2] = |a, b| [shuffle::<0b10_00_10_00>(a, b), shuffle::<0b11_01_11_01>(a, b)];
        fn zip32(a: V, b: V) -> [V; 2] = |a, b| [_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b)];
        fn even32(a: V, b: V) -> V = |a, b| _mm256_permute4x64_epi64::<0b11_01_10_00>(shuffle::<0b10_00_10_00>(a, b));
        fn join32(groups: V) -> V = join32;
        fn bytes32(units: [V; 2]) -> u64 = |units: [V; 2]| sse41::bytes32([part(units[0], 0), part(units[0], 1)]);
        fn sums64(bytes: [V; 4]) -> u64 = sums64;
        fn narrow(numbers: [V; 4]) -> V = narrow;
        fn encode_two(numbers: [V; 2], to: &mut [Slot; ENCODE_ROOM]) -> usize = encode_two;
        fn decode_two<M: Mapping>(bytes: &[u8; 16], begins: u8, width: usize, to: &mut [Slot]) = decode_two::<M>;
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn low_bytes(bytes: &[u8; 64]) -> u64 {
    let low = _mm256_movemask_epi8(load(window(bytes, 0))).cast_unsigned();
    let high = _mm256_movemask_epi8(load(window(bytes, 32))).cast_unsigned();
    !(u64::from(high) << 32 | u64::from(low))
}

#[target_feature(enable = "avx2")]
#[inline]
fn gather(from: &[u8; WINDOW], places: [[usize; 2]; 2]) -> __m256i {
    let [[a, b], [c, d]] = places;
    load_four(
        window(from, a),
        window(from, b),
        window(from, c),
        window(from, d),
    )
}

#[target_feature(enable = "avx2")]
#[inline]
fn part(vector: __m256i, part: usize) -> __m128i {
    match part {
        0 => _mm256_castsi256_si128(vector),
        _ => _mm256_extracti128_si256::<1>(vector),
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn repeat(vector: __m256i, part: usize) -> __m256i {
    match part {
        0 => _mm256_permute4x64_epi64::<0b01_00_01_00>(vector),
        _ => _mm256_permute4x64_epi64::<0b11_10_11_10>(vector),
    }
}

/// Joins groups by multiplying and adding neighbours: 7 and 7 bits, then 14 and 14.
#[target_feature(enable = "avx2")]
#[inline]
fn join32(groups: __m256i) -> __m256i {
    let pairs = _mm256_maddubs_epi16(_mm256_set1_epi16(i16::from_le_bytes([1, 0x80])), groups);
    _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x4000_0001))
}

/// ```text
/// by parts   0 . . . 4 . . . 1 . . . 5 . . .  |  2 . . . 6 . . . 3 . . . 7 . . .
/// shuffled   0 1 . . 4 5 . . . . . . . . . .  |  . . 2 3 . . 6 7 . . . . . . . .
/// ```
#[target_feature(enable = "avx2")]
#[inline]
fn sums64(bytes: [__m256i; 4]) -> u64 {
    let zero = _mm256_setzero_si256();
    let low = _mm256_sad_epu8(bytes[0], zero);
    let high = _mm256_sad_epu8(bytes[1], zero);
    let both = _mm256_or_si256(low, _mm256_slli_epi64::<32>(high));
    let order = _mm256_setr_epi8(
        0, 8, -1, -1, 4, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, //
        -1, -1, 0, 8, -1, -1, 4, 12, -1, -1, -1, -1, -1, -1, -1, -1,
    );
    let sums = _mm256_shuffle_epi8(both, order);
    let sums = _mm_or_si128(part(sums, 0), part(sums, 1));
    _mm_cvtsi128_si64(sums).cast_unsigned()
}

/// Narrows by parts; the final step restores the order of the bytes, once each four are together.
#[target_feature(enable = "avx2")]
#[inline]
fn narrow(numbers: [__m256i; 4]) -> __m256i {
    let [a, b, c, d] = numbers;
    let mixed = _mm256_packus_epi16(_mm256_packus_epi32(a, b), _mm256_packus_epi32(c, d));
    _mm256_permutevar8x32_epi32(mixed, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7))
}

#[target_feature(enable = "avx2,popcnt")]
#[inline]
fn encode_two(numbers: [__m256i; 2], to: &mut [Slot; ENCODE_ROOM]) -> usize {
    let [all, _] = numbers;
    encode_words(_mm_packus_epi32(part(all, 0), part(all, 1)), to)
}

#[target_feature(enable = "avx2")]
#[inline]
fn decode_two<M: Mapping>(bytes: &[u8; 16], begins: u8, width: usize, to: &mut [Slot]) {
    let values = values_of_two::<M>(bytes, begins);
    if width == 4 {
        store(window_mut(to, 0), _mm256_cvtepi16_epi32(values));
    } else {
        let high = _mm_srli_si128::<8>(values);
        store(window_mut(to, 0), _mm256_cvtepi16_epi64(values));
        store(window_mut(to, 32), _mm256_cvtepi16_epi64(high));
    }
}

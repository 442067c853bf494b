//! SSE4.1: a vector is one part, of two varints.

use crate::backend::Sse41;
use crate::codec::varint::lanes::Lanes;
use crate::codec::varint::mapping::Mapping;
use crate::codec::varint::tables::{ONE_OR_TWO, TWO_FROM_EACH};
use crate::codec::varint::{ENCODE_ROOM, WINDOW};
use crate::memory::Slot;
use crate::simd::sse41::{load, load_pair, store, store_high, store_low};
use crate::simd::{implement, window, window_mut};
use core::arch::x86_64::*;

type V = __m128i;

implement! {
    impl Lanes for Sse41 {
        const PARTS: usize = 1;
        type Vector = V;
        fn low_bytes(bytes: &[u8; 64]) -> u64 = low_bytes;
        fn load(from: &[u8], at: usize) -> V = |from, at| load(window(from, at));
        fn store(to: &mut [Slot], at: usize, vector: V) = |to, at, vector| store(window_mut(to, at), vector);
        fn gather(window: &[u8; WINDOW], places: [[usize; 2]; 2]) -> V = gather;
        fn scatter(to: &mut [Slot; ENCODE_ROOM], place: usize, from: V, lane: usize) = scatter;
        fn splat(lane: u64) -> V = |lane: u64| _mm_set1_epi64x(lane.cast_signed());
        fn and(a: V, b: V) -> V = _mm_and_si128;
        fn and_not(a: V, b: V) -> V = _mm_andnot_si128;
        fn or(a: V, b: V) -> V = _mm_or_si128;
        fn xor(a: V, b: V) -> V = _mm_xor_si128;
        fn any(vector: V, mask: u64) -> bool = |vector, mask: u64| _mm_testz_si128(vector, _mm_set1_epi64x(mask.cast_signed())) == 0;
        fn add64(a: V, b: V) -> V = _mm_add_epi64;
        fn shl32(vector: V, bits: i32) -> V = |vector, bits| _mm_sll_epi32(vector, _mm_cvtsi32_si128(bits));
        fn shl64(vector: V, bits: i32) -> V = |vector, bits| _mm_sll_epi64(vector, _mm_cvtsi32_si128(bits));
        fn shr32(vector: V, bits: i32) -> V = |vector, bits| _mm_srl_epi32(vector, _mm_cvtsi32_si128(bits));
        fn shr64(vector: V, bits: i32) -> V = |vector, bits| _mm_srl_epi64(vector, _mm_cvtsi32_si128(bits));
        fn negative32(vector: V) -> V = _mm_srai_epi32::<31>;
        fn negative64(vector: V) -> V = |vector| _mm_shuffle_epi32::<0b11_11_01_01>(_mm_srai_epi32::<31>(vector));
        fn odd32(vector: V) -> V = |vector| _mm_sub_epi32(_mm_setzero_si128(), _mm_and_si128(vector, _mm_set1_epi32(1)));
        fn odd64(vector: V) -> V = |vector| _mm_sub_epi64(_mm_setzero_si128(), _mm_and_si128(vector, _mm_set1_epi64x(1)));
        fn zero64(vector: V) -> V = |vector| _mm_cmpeq_epi64(vector, _mm_setzero_si128());
        fn one8(vector: V) -> V = |vector| _mm_min_epu8(vector, _mm_set1_epi8(1));
        fn sub8(a: V, b: V) -> V = _mm_sub_epi8;
        fn greater8(a: V, b: V) -> V = _mm_cmpgt_epi8;
        fn at_least32(a: V, b: V) -> V = |a, b| _mm_cmpeq_epi32(_mm_max_epu32(a, b), a);
        fn repeat(vector: V, part: usize) -> V = |vector, _| vector;
        fn shuffle8(vector: V, order: V) -> V = _mm_shuffle_epi8;
        fn alternate16(even: V, odd: V) -> V = _mm_blend_epi16::<0b1010_1010>;
        fn alternate32(even: V, odd: V) -> V = _mm_blend_epi16::<0b1100_1100>;
        fn unzip32(a: V, b: V) -> [V; 2] = |a, b| [shuffle::<0b10_00_10_00>(a, b), shuffle::<0b11_01_11_01>(a, b)];
        fn zip32(a: V, b: V) -> [V; 2] = |a, b| [_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b)];
        fn even32(a: V, b: V) -> V = shuffle::<0b10_00_10_00>;
        fn join32(groups: V) -> V = join32;
        fn bytes32(units: [V; 2]) -> u64 = bytes32;
        fn sums64(bytes: [V; 4]) -> u64 = sums64;
        fn narrow(numbers: [V; 4]) -> V = narrow;
        fn encode_two(numbers: [V; 2], to: &mut [Slot; ENCODE_ROOM]) -> usize = encode_two;
        fn decode_two<M: Mapping>(bytes: &[u8; 16], begins: u8, width: usize, to: &mut [Slot]) = decode_two::<M>;
    }
}

#[target_feature(enable = "sse4.1")]
#[inline]
fn low_bytes(bytes: &[u8; 64]) -> u64 {
    let mut high = 0;
    for i in 0..4 {
        let high_bits = _mm_movemask_epi8(load(window(bytes, 16 * i))).cast_unsigned();
        high |= u64::from(high_bits) << (16 * i);
    }
    !high
}

#[target_feature(enable = "sse4.1")]
#[inline]
fn gather(from: &[u8; WINDOW], places: [[usize; 2]; 2]) -> __m128i {
    let [low, high] = places[0];
    load_pair(window(from, low), window(from, high))
}

#[target_feature(enable = "sse4.1")]
#[inline]
pub(super) fn scatter(to: &mut [Slot; ENCODE_ROOM], place: usize, from: __m128i, lane: usize) {
    match lane {
        0 => store_low(window_mut(to, place), from),
        _ => store_high(window_mut(to, place), from),
    }
}

/// Picks two 4-byte numbers of `low`, then two of `high`: `PICK` has two bits for each number,
/// lowest bits first.
#[target_feature(enable = "sse4.1")]
#[inline]
fn shuffle<const PICK: i32>(low: __m128i, high: __m128i) -> __m128i {
    let [low, high] = [_mm_castsi128_ps(low), _mm_castsi128_ps(high)];
    _mm_castps_si128(_mm_shuffle_ps::<PICK>(low, high))
}

/// Joins groups by multiplying and adding neighbours: 7 and 7 bits, then 14 and 14.
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn join32(groups: __m128i) -> __m128i {
    let pairs = _mm_maddubs_epi16(_mm_set1_epi16(i16::from_le_bytes([1, 0x80])), groups);
    _mm_madd_epi16(pairs, _mm_set1_epi32(0x4000_0001))
}

/// ```text
/// a          0 0 0 0 1 1 1 1 ..
/// b          4 4 4 4 5 5 5 5 ..
/// both       0 0 4 4 1 1 5 5 ..
/// ```
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
pub(super) fn bytes32([a, b]: [__m128i; 2]) -> u64 {
    let both = _mm_blend_epi16::<0b1010_1010>(a, b);
    let order = _mm_setr_epi8(0, 4, 8, 12, 2, 6, 10, 14, -1, -1, -1, -1, -1, -1, -1, -1);
    _mm_cvtsi128_si64(_mm_shuffle_epi8(both, order)).cast_unsigned()
}

#[target_feature(enable = "sse4.1")]
#[inline]
fn sums64(bytes: [__m128i; 4]) -> u64 {
    let mut sums = bytes;
    for sum in &mut sums {
        *sum = _mm_sad_epu8(*sum, _mm_setzero_si128());
    }
    let [a, b, c, d] = sums;
    let sums = _mm_packus_epi32(_mm_packus_epi32(a, b), _mm_packus_epi32(c, d));
    _mm_cvtsi128_si64(_mm_packus_epi16(sums, sums)).cast_unsigned()
}

#[target_feature(enable = "sse4.1")]
#[inline]
fn narrow(numbers: [__m128i; 4]) -> __m128i {
    let [a, b, c, d] = numbers;
    _mm_packus_epi16(_mm_packus_epi32(a, b), _mm_packus_epi32(c, d))
}

#[target_feature(enable = "sse4.1,ssse3,popcnt")]
#[inline]
fn encode_two(numbers: [__m128i; 2], to: &mut [Slot; ENCODE_ROOM]) -> usize {
    encode_words(_mm_packus_epi32(numbers[0], numbers[1]), to)
}

/// Encodes eight numbers of 14 bits, in units of 16, to varints. Returns their length.
#[target_feature(enable = "sse4.1,ssse3,popcnt")]
#[inline]
pub(super) fn encode_words(numbers: __m128i, to: &mut [Slot; ENCODE_ROOM]) -> usize {
    let long = _mm_cmpgt_epi16(numbers, _mm_set1_epi16(0x7f));
    // Adding the upper seven bits once more moves them up by a bit.
    let groups = _mm_add_epi16(numbers, _mm_and_si128(numbers, _mm_set1_epi16(0x3f80)));
    let continued = _mm_and_si128(long, _mm_set1_epi16(0x80));
    let varints = _mm_or_si128(groups, continued);
    let long = _mm_movemask_epi8(_mm_packs_epi16(long, long)) as u8;
    let order = load(&ONE_OR_TWO[usize::from(long & 0x7f)]);
    store(window_mut(to, 0), _mm_shuffle_epi8(varints, order));
    8 + long.count_ones() as usize
}

#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn decode_two<M: Mapping>(bytes: &[u8; 16], begins: u8, width: usize, to: &mut [Slot]) {
    let mut values = values_of_two::<M>(bytes, begins);
    for i in 0..width / 2 {
        let wide = match width {
            4 => _mm_cvtepi16_epi32(values),
            _ => _mm_cvtepi16_epi64(values),
        };
        store(window_mut(to, 16 * i), wide);
        values = match width {
            4 => _mm_srli_si128::<8>(values),
            _ => _mm_srli_si128::<4>(values),
        };
    }
}

/// Returns the values of the varints of one or two bytes that begin in the first 8 bytes. Numbers
/// of 14 bits are treated as signed 16-bit values; widening keeps their signs.
///
/// ```text
/// unit       1bbbbbbb .aaaaaaa or 0bbbbbbb ........, the low byte first
/// followed   high bit of the low byte: the high byte follows
/// number     ..aaaaaaabbbbbbb or .........bbbbbbb
/// ```
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
pub(super) fn values_of_two<M: Mapping>(bytes: &[u8; 16], begins: u8) -> __m128i {
    let order = load(&TWO_FROM_EACH[usize::from(begins & 0x7f)]);
    let units = _mm_shuffle_epi8(load(bytes), order);
    let followed = _mm_srai_epi16::<15>(_mm_slli_epi16::<8>(units));
    let low = _mm_and_si128(units, _mm_set1_epi16(0x7f));
    let high = _mm_and_si128(_mm_srli_epi16::<1>(units), _mm_set1_epi16(0x3f80));
    let numbers = _mm_or_si128(low, _mm_and_si128(high, followed));
    if !M::ZIGZAG {
        return numbers;
    }
    let odd = _mm_and_si128(numbers, _mm_set1_epi16(1));
    let signs = _mm_sub_epi16(_mm_setzero_si128(), odd);
    _mm_xor_si128(_mm_srli_epi16::<1>(numbers), signs)
}

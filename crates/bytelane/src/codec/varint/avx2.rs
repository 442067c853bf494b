//! AVX2: four varints at a time, each in a lane of 64 bits.

use super::kernel::{end, next_eight, running_sum};
use super::sse41::{encode_two, from_wire as from_wire_128, join_two, store_two};
use super::{ENCODE_ROOM, Longest, Mapping, Varints, WINDOW};
use crate::backend::{Avx2, avx2};
use crate::memory::{Slot, flat, flat_mut};
use crate::simd::avx2::{load, load_four, shuffle, store};
use crate::simd::sse41::{load as load_half, store_high, store_low};
use crate::simd::{window, window_mut};
use core::arch::x86_64::*;

avx2! {
    impl<const K: usize> Varints<K> for Avx2 {
        fn ends(bytes: &[u8; 64]) -> u64 = ends;
        fn widen<M: Mapping>(bytes: &[u8; 64], values: &mut [[Slot; K]; 64]) = widen::<K, M>;
        fn narrow<M: Mapping>(values: &[[u8; K]; 64], bytes: &mut [Slot; 64]) -> bool = narrow::<K, M>;
        fn decode<M: Mapping>(window: &[u8; WINDOW], begins: u64, longest: Longest, values: &mut [[Slot; K]]) -> bool = decode::<K, M>;
        fn encode<M: Mapping>(values: &[[u8; K]; 8], to: &mut [Slot; ENCODE_ROOM]) -> usize = encode::<K, M>;
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn ends(bytes: &[u8; 64]) -> u64 {
    let low = _mm256_movemask_epi8(load(window(bytes, 0))).cast_unsigned();
    let high = _mm256_movemask_epi8(load(window(bytes, 32))).cast_unsigned();
    !(u64::from(high) << 32 | u64::from(low))
}

/// Values of `K` bytes to the numbers that are written.
#[target_feature(enable = "avx2")]
#[inline]
fn to_wire<const K: usize, M: Mapping>(values: __m256i) -> __m256i {
    match (M::ZIGZAG, K) {
        (false, _) => values,
        (true, 4) => {
            let signs = _mm256_srai_epi32::<31>(values);
            _mm256_xor_si256(_mm256_add_epi32(values, values), signs)
        }
        (true, _) => {
            let signs = _mm256_cmpgt_epi64(_mm256_setzero_si256(), values);
            _mm256_xor_si256(_mm256_add_epi64(values, values), signs)
        }
    }
}

/// Numbers that were written to values of `K` bytes.
#[target_feature(enable = "avx2")]
#[inline]
fn from_wire<const K: usize, M: Mapping>(numbers: __m256i) -> __m256i {
    let zero = _mm256_setzero_si256();
    match (M::ZIGZAG, K) {
        (false, _) => numbers,
        (true, 4) => {
            let signs = _mm256_sub_epi32(zero, _mm256_and_si256(numbers, _mm256_set1_epi32(1)));
            _mm256_xor_si256(_mm256_srli_epi32::<1>(numbers), signs)
        }
        (true, _) => {
            let signs = _mm256_sub_epi64(zero, _mm256_and_si256(numbers, _mm256_set1_epi64x(1)));
            _mm256_xor_si256(_mm256_srli_epi64::<1>(numbers), signs)
        }
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn widen<const K: usize, M: Mapping>(bytes: &[u8; 64], values: &mut [[Slot; K]; 64]) {
    let values = flat_mut(values);
    for i in 0..4 {
        let mut sixteen = load_half(window(bytes, 16 * i));
        for j in 0..K / 2 {
            let numbers = match K {
                4 => _mm256_cvtepu8_epi32(sixteen),
                _ => _mm256_cvtepu8_epi64(sixteen),
            };
            let to = window_mut(values, 32 * (K / 2 * i + j));
            store(to, from_wire::<K, M>(numbers));
            sixteen = match K {
                4 => _mm_srli_si128::<8>(sixteen),
                _ => _mm_srli_si128::<4>(sixteen),
            };
        }
    }
}

/// Packing works by lanes of 16 bytes: the order of the values is mended in the end, where each
/// unit of four bytes has four neighbours.
#[target_feature(enable = "avx2")]
#[inline]
fn narrow<const K: usize, M: Mapping>(values: &[[u8; K]; 64], bytes: &mut [Slot; 64]) -> bool {
    let values = flat(values);
    let mut all = _mm256_setzero_si256();
    let mut packed = [_mm256_setzero_si256(); 2];
    for i in 0..2 {
        let mut numbers = [_mm256_setzero_si256(); K];
        for j in 0..K {
            numbers[j] = to_wire::<K, M>(load(window(values, 32 * (K * i + j))));
            all = _mm256_or_si256(all, numbers[j]);
        }
        let mut four = [_mm256_setzero_si256(); 4];
        for j in 0..4 {
            four[j] = match K {
                4 => numbers[j],
                // Back in order at once: by pairs.
                _ => _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi32(
                    numbers[2 * j],
                    numbers[2 * j + 1],
                )),
            };
        }
        let words = [
            _mm256_packus_epi32(four[0], four[1]),
            _mm256_packus_epi32(four[2], four[3]),
        ];
        let mixed = _mm256_packus_epi16(words[0], words[1]);
        let order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
        packed[i] = _mm256_permutevar8x32_epi32(mixed, order);
    }
    let beyond = match K {
        4 => _mm256_set1_epi32(!0x7f),
        _ => _mm256_set1_epi64x(!0x7f),
    };
    if _mm256_testz_si256(all, beyond) == 0 {
        return false;
    }
    store(window_mut(bytes, 0), packed[0]);
    store(window_mut(bytes, 32), packed[1]);
    true
}

/// The bytes of four varints joined to 28 bits in each half of their lanes, and where they end:
/// as SSE4.1 does it with two.
#[target_feature(enable = "avx2")]
#[inline]
fn join(bytes: __m256i) -> (__m256i, __m256i) {
    let ends = _mm256_andnot_si256(bytes, _mm256_set1_epi8(i8::MIN));
    let below = _mm256_xor_si256(ends, _mm256_add_epi64(ends, _mm256_set1_epi64x(-1)));
    let groups = _mm256_and_si256(_mm256_and_si256(bytes, _mm256_set1_epi8(0x7f)), below);
    let pairs = _mm256_maddubs_epi16(_mm256_set1_epi16(i16::from_le_bytes([1, 0x80])), groups);
    (
        _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x4000_0001)),
        ends,
    )
}

/// Loads 8 bytes from each of four places.
#[target_feature(enable = "avx2")]
#[inline]
fn four(window_: &[u8; WINDOW], at: [usize; 4]) -> __m256i {
    load_four(
        window(window_, at[0]),
        window(window_, at[1]),
        window(window_, at[2]),
        window(window_, at[3]),
    )
}

#[target_feature(enable = "avx2,bmi1,popcnt")]
#[inline]
fn decode<const K: usize, M: Mapping>(
    window: &[u8; WINDOW],
    mut begins: u64,
    longest: Longest,
    values: &mut [[Slot; K]],
) -> bool {
    if longest == Longest::Two {
        decode_two::<K, M>(window, begins, values);
        return true;
    }
    let mut beyond = _mm256_setzero_si256();
    for eight in values.as_chunks_mut::<8>().0 {
        if begins == 0 {
            break;
        }
        let [a, b, c, d, e, f, g, h] = next_eight(&mut begins);
        let to = flat_mut(eight);
        if K == 4 {
            // In the order in which the halves of two vectors come together by lanes.
            let (first, _) = join(four(window, [a, b, e, f]));
            let (second, _) = join(four(window, [c, d, g, h]));
            let numbers = fifth_byte(first, second, &mut beyond);
            store(window_mut(to, 0), from_wire::<K, M>(numbers));
            continue;
        }
        for (i, at) in [[a, b, c, d], [e, f, g, h]].into_iter().enumerate() {
            let (halves, ends) = join(four(window, at));
            let numbers = match longest {
                Longest::Two | Longest::Four => halves,
                Longest::Eight => join_halves(halves),
                Longest::Ten => {
                    let last = four(window, [at[0] + 8, at[1] + 8, at[2] + 8, at[3] + 8]);
                    let last = last_bytes(ends, last, &mut beyond);
                    _mm256_or_si256(join_halves(halves), last)
                }
            };
            store(window_mut(to, 32 * i), from_wire::<K, M>(numbers));
        }
    }
    _mm256_testz_si256(beyond, _mm256_set1_epi8(-1)) != 0
}

/// Varints of one or two bytes, by those that begin within 8 bytes.
#[target_feature(enable = "avx2,popcnt")]
#[inline]
fn decode_two<const K: usize, M: Mapping>(
    bytes: &[u8; WINDOW],
    all: u64,
    values: &mut [[Slot; K]],
) {
    let mut done = 0;
    for i in 0..8 {
        if all >> (8 * i) == 0 {
            break;
        }
        let begins = (all >> (8 * i)) as u8;
        let numbers = join_two(load_half(window(bytes, 8 * i)), begins);
        let to = flat_mut(window_mut::<8, _>(values, done));
        // Numbers of 14 bits are values of 16, whose signs widening keeps.
        let eight = from_wire_128::<2, M>(numbers);
        if K == 4 {
            store(window_mut(to, 0), _mm256_cvtepi16_epi32(eight));
        } else {
            let high = _mm_srli_si128::<8>(eight);
            store(window_mut(to, 0), _mm256_cvtepi16_epi64(eight));
            store(window_mut(to, 32), _mm256_cvtepi16_epi64(high));
        }
        done += begins.count_ones() as usize;
    }
}

/// Numbers of up to 32 bits from 28 bits in the lower half of each lane and what is left in the
/// upper one; bits that are too many go to `beyond`.
#[target_feature(enable = "avx2")]
#[inline]
fn fifth_byte(first: __m256i, second: __m256i, beyond: &mut __m256i) -> __m256i {
    let [first, second] = [_mm256_castsi256_ps(first), _mm256_castsi256_ps(second)];
    let low = _mm256_castps_si256(_mm256_shuffle_ps::<0b10_00_10_00>(first, second));
    let high = _mm256_castps_si256(_mm256_shuffle_ps::<0b11_01_11_01>(first, second));
    *beyond = _mm256_or_si256(*beyond, _mm256_srli_epi32::<4>(high));
    _mm256_or_si256(low, _mm256_slli_epi32::<28>(high))
}

/// Numbers of up to 56 bits from halves of 28.
#[target_feature(enable = "avx2")]
#[inline]
fn join_halves(halves: __m256i) -> __m256i {
    let low_bits = _mm256_set1_epi64x(0xfff_ffff);
    let low = _mm256_and_si256(halves, low_bits);
    let high = _mm256_andnot_si256(low_bits, _mm256_srli_epi64::<4>(halves));
    _mm256_or_si256(low, high)
}

/// The upper 8 bits of numbers from the ninth and tenth byte of their varints: as SSE4.1 does it.
#[target_feature(enable = "avx2")]
#[inline]
fn last_bytes(ends: __m256i, bytes: __m256i, beyond: &mut __m256i) -> __m256i {
    let is_long = _mm256_cmpeq_epi64(ends, _mm256_setzero_si256());
    let bytes = _mm256_and_si256(bytes, is_long);
    // All ones if the ninth byte is followed by a tenth: its high bit as a sign.
    let sign = _mm256_slli_epi64::<56>(bytes);
    let followed = _mm256_cmpgt_epi64(_mm256_setzero_si256(), sign);
    let tenth = _mm256_and_si256(_mm256_srli_epi64::<8>(bytes), _mm256_set1_epi64x(0xff));
    let tenth = _mm256_and_si256(tenth, followed);
    *beyond = _mm256_or_si256(*beyond, _mm256_srli_epi64::<1>(tenth));
    let ninth = _mm256_srli_epi64::<1>(_mm256_slli_epi64::<57>(bytes));
    _mm256_or_si256(ninth, _mm256_slli_epi64::<63>(tenth))
}

#[target_feature(enable = "avx2,popcnt")]
#[inline]
fn encode<const K: usize, M: Mapping>(
    values: &[[u8; K]; 8],
    to: &mut [Slot; ENCODE_ROOM],
) -> usize {
    let values = flat(values);
    if K == 4 {
        return encode_short(to_wire::<4, M>(load(window(values, 0))), to);
    }
    let numbers = [
        to_wire::<8, M>(load(window(values, 0))),
        to_wire::<8, M>(load(window(values, 32))),
    ];
    let all = _mm256_or_si256(numbers[0], numbers[1]);
    if _mm256_testz_si256(all, _mm256_set1_epi64x(!0xffff_ffff)) != 0 {
        let low = shuffle::<0b10_00_10_00>(numbers[0], numbers[1]);
        let low = _mm256_permute4x64_epi64::<0b11_01_10_00>(low);
        return encode_short(low, to);
    }
    match _mm256_testz_si256(all, _mm256_set1_epi64x(0xff << 56)) {
        0 => encode_wide::<true>(numbers, to),
        _ => encode_wide::<false>(numbers, to),
    }
}

/// Eight numbers of 32 bits, in two steps from 28 to 14 to 7 bits a unit: as SSE4.1 does it with
/// four. The fifth byte goes to the upper half of the varint's lane.
#[target_feature(enable = "avx2,popcnt")]
#[inline]
fn encode_short(numbers: __m256i, to: &mut [Slot; ENCODE_ROOM]) -> usize {
    if _mm256_testz_si256(numbers, _mm256_set1_epi32(!0x3fff)) != 0 {
        let units = _mm_packus_epi32(half(numbers, 0), half(numbers, 1));
        return encode_two(units, to);
    }
    let by_14 = _mm256_blend_epi16::<0b1010_1010>(numbers, _mm256_slli_epi32::<2>(numbers));
    let groups = by_sevens(by_14);
    // Signed comparisons do once numbers of five bytes are made equal.
    let clamped = _mm256_min_epu32(numbers, _mm256_set1_epi32(0x1000_0000));
    let mut more = _mm256_setzero_si256();
    for i in 1..5 {
        let longer = _mm256_cmpgt_epi32(clamped, _mm256_set1_epi32((1 << (7 * i)) - 1));
        more = _mm256_sub_epi32(more, longer);
    }
    // The high bits of as many bytes as follow; a shift by 32 leaves none out.
    let last = _mm256_sllv_epi32(_mm256_set1_epi32(-1), _mm256_slli_epi32::<3>(more));
    let continued = _mm256_andnot_si256(last, _mm256_set1_epi8(i8::MIN));
    let low = _mm256_or_si256(groups, continued);
    let high = _mm256_srli_epi32::<28>(numbers);
    // By lanes: values 0, 1 and 4, 5; values 2, 3 and 6, 7.
    let varints = [
        _mm256_unpacklo_epi32(low, high),
        _mm256_unpackhi_epi32(low, high),
    ];
    let more = _mm_packs_epi32(
        _mm256_castsi256_si128(more),
        _mm256_extracti128_si256::<1>(more),
    );
    let lengths = _mm_add_epi8(_mm_packs_epi16(more, more), _mm_set1_epi8(1));
    let ends = running_sum(_mm_cvtsi128_si64(lengths).cast_unsigned());
    for lane in 0..2 {
        for pair in 0..2 {
            let i = 4 * lane + 2 * pair;
            let first = if i == 0 { 0 } else { end(ends, i - 1) };
            let lanes = half(varints[pair as usize], lane as usize);
            store_two(to, lanes, [first, end(ends, i)]);
        }
    }
    end(ends, 7)
}

/// Eight numbers of 64 bits; `LONG` if some have more than 56, and so more than 8 bytes: as SSE4.1
/// does it.
#[target_feature(enable = "avx2")]
#[inline]
fn encode_wide<const LONG: bool>(numbers: [__m256i; 2], to: &mut [Slot; ENCODE_ROOM]) -> usize {
    let zero = _mm256_setzero_si256();
    let [mut varints, mut lengths, mut last] = [[zero; 2]; 3];
    for i in 0..2 {
        let mut groups = spread(numbers[i]);
        let mut kept = _mm256_or_si256(groups, _mm256_set1_epi64x(1));
        let mut more = zero;
        if LONG {
            // The 8 bits of the ninth byte and the tenth; the ninth keeps the bit that continues.
            let top = _mm256_srli_epi64::<56>(numbers[i]);
            let tenth = _mm256_srli_epi64::<7>(top);
            last[i] = _mm256_or_si256(top, _mm256_slli_epi64::<8>(tenth));
            let short = _mm256_cmpeq_epi64(top, zero);
            let continued = _mm256_andnot_si256(short, _mm256_set1_epi64x(i64::MIN));
            groups = _mm256_or_si256(groups, continued);
            kept = _mm256_or_si256(kept, continued);
            more = _mm256_add_epi64(tenth, _mm256_srli_epi64::<63>(continued));
        }
        // A byte is kept if it or one above it is not zero: smear, then 1 for each byte kept.
        kept = _mm256_or_si256(kept, _mm256_srli_epi64::<8>(kept));
        kept = _mm256_or_si256(kept, _mm256_srli_epi64::<16>(kept));
        kept = _mm256_or_si256(kept, _mm256_srli_epi64::<32>(kept));
        let kept = _mm256_min_epu8(kept, _mm256_set1_epi8(1));
        lengths[i] = _mm256_add_epi64(_mm256_sad_epu8(kept, zero), more);
        // From the lowest bit of each byte to the highest of the one before it.
        varints[i] = _mm256_or_si256(groups, _mm256_srli_epi64::<1>(kept));
    }
    let ends = running_sum(eight_bytes(lengths));
    let mut at = 0;
    for i in 0..4 {
        let [varints, last] = [half(varints[i / 2], i % 2), half(last[i / 2], i % 2)];
        let middle = end(ends, 2 * i as u32);
        store_low(window_mut(to, at), varints);
        if LONG {
            store_low(window_mut(to, at + 8), last);
        }
        store_high(window_mut(to, middle), varints);
        if LONG {
            store_high(window_mut(to, middle + 8), last);
        }
        at = end(ends, 2 * i as u32 + 1);
    }
    at
}

/// One lane of 16 bytes.
#[target_feature(enable = "avx2")]
#[inline]
fn half(vector: __m256i, lane: usize) -> __m128i {
    match lane {
        0 => _mm256_castsi256_si128(vector),
        _ => _mm256_extracti128_si256::<1>(vector),
    }
}

/// Eight lengths in lanes of 64 bits to one byte each.
///
/// ```text
/// by lanes   0 . . . 4 . . . 1 . . . 5 . . .  |  2 . . . 6 . . . 3 . . . 7 . . .
/// shuffled   0 1 . . 4 5 . . . . . . . . . .  |  . . 2 3 . . 6 7 . . . . . . . .
/// ```
#[target_feature(enable = "avx2")]
#[inline]
fn eight_bytes(lengths: [__m256i; 2]) -> u64 {
    let both = _mm256_or_si256(lengths[0], _mm256_slli_epi64::<32>(lengths[1]));
    let order = _mm256_setr_epi8(
        0, 8, -1, -1, 4, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, //
        -1, -1, 0, 8, -1, -1, 4, 12, -1, -1, -1, -1, -1, -1, -1, -1,
    );
    let bytes = _mm256_shuffle_epi8(both, order);
    let high = _mm256_extracti128_si256::<1>(bytes);
    let bytes = _mm_or_si128(_mm256_castsi256_si128(bytes), high);
    _mm_cvtsi128_si64(bytes).cast_unsigned()
}

/// Spreads the lowest eight groups of seven bits of four numbers to bytes: in halves of 28, quarters
/// of 14, eighths of 7 bits. What a unit has beyond them is cut off at last.
#[target_feature(enable = "avx2")]
#[inline]
fn spread(numbers: __m256i) -> __m256i {
    let by_28 = _mm256_blend_epi32::<0b1010_1010>(numbers, _mm256_slli_epi64::<4>(numbers));
    let by_14 = _mm256_blend_epi16::<0b1010_1010>(by_28, _mm256_slli_epi32::<2>(by_28));
    by_sevens(by_14)
}

/// The last of the steps: units of 14 bits to bytes of 7.
#[target_feature(enable = "avx2")]
#[inline]
fn by_sevens(by_14: __m256i) -> __m256i {
    let even = _mm256_and_si256(by_14, _mm256_set1_epi16(0x007f));
    let odd = _mm256_and_si256(_mm256_add_epi16(by_14, by_14), _mm256_set1_epi16(0x7f00));
    _mm256_or_si256(even, odd)
}

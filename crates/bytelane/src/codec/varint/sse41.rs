//! SSE4.1: two varints at a time, each in a lane of 64 bits.

use super::kernel::{end, next_eight, running_sum};
use super::tables::{ONE_OR_TWO, TWO_FROM_EACH};
use super::{ENCODE_ROOM, Longest, Mapping, Varints, WINDOW};
use crate::backend::{Sse41, sse41};
use crate::memory::{Slot, flat, flat_mut};
use crate::simd::sse41::{load, load_pair, store, store_high, store_low};
use crate::simd::{window, window_mut};
use core::arch::x86_64::*;

sse41! {
    impl<const K: usize> Varints<K> for Sse41 {
        fn ends(bytes: &[u8; 64]) -> u64 = ends;
        fn widen<M: Mapping>(bytes: &[u8; 64], values: &mut [[Slot; K]; 64]) = widen::<K, M>;
        fn narrow<M: Mapping>(values: &[[u8; K]; 64], bytes: &mut [Slot; 64]) -> bool = narrow::<K, M>;
        fn decode<M: Mapping>(window: &[u8; WINDOW], begins: u64, longest: Longest, values: &mut [[Slot; K]]) -> bool = decode::<K, M>;
        fn encode<M: Mapping>(values: &[[u8; K]; 8], to: &mut [Slot; ENCODE_ROOM]) -> usize = encode::<K, M>;
    }
}

#[target_feature(enable = "sse4.1")]
#[inline]
fn ends(bytes: &[u8; 64]) -> u64 {
    let mut continued = 0;
    for i in 0..4 {
        let high_bits = _mm_movemask_epi8(load(window(bytes, 16 * i))).cast_unsigned();
        continued |= u64::from(high_bits) << (16 * i);
    }
    !continued
}

/// Values of `K` bytes to the numbers that are written.
#[target_feature(enable = "sse4.1")]
#[inline]
pub(super) fn to_wire<const K: usize, M: Mapping>(values: __m128i) -> __m128i {
    match (M::ZIGZAG, K) {
        (false, _) => values,
        (true, 4) => _mm_xor_si128(_mm_add_epi32(values, values), _mm_srai_epi32::<31>(values)),
        (true, _) => {
            let signs = _mm_shuffle_epi32::<0b11_11_01_01>(_mm_srai_epi32::<31>(values));
            _mm_xor_si128(_mm_add_epi64(values, values), signs)
        }
    }
}

/// Numbers that were written to values of `K` bytes.
#[target_feature(enable = "sse4.1")]
#[inline]
pub(super) fn from_wire<const K: usize, M: Mapping>(numbers: __m128i) -> __m128i {
    let zero = _mm_setzero_si128();
    match (M::ZIGZAG, K) {
        (false, _) => numbers,
        (true, 2) => {
            let signs = _mm_sub_epi16(zero, _mm_and_si128(numbers, _mm_set1_epi16(1)));
            _mm_xor_si128(_mm_srli_epi16::<1>(numbers), signs)
        }
        (true, 4) => {
            let signs = _mm_sub_epi32(zero, _mm_and_si128(numbers, _mm_set1_epi32(1)));
            _mm_xor_si128(_mm_srli_epi32::<1>(numbers), signs)
        }
        (true, _) => {
            let signs = _mm_sub_epi64(zero, _mm_and_si128(numbers, _mm_set1_epi64x(1)));
            _mm_xor_si128(_mm_srli_epi64::<1>(numbers), signs)
        }
    }
}

#[target_feature(enable = "sse4.1")]
#[inline]
fn widen<const K: usize, M: Mapping>(bytes: &[u8; 64], values: &mut [[Slot; K]; 64]) {
    let values = flat_mut(values);
    for i in 0..4 {
        let mut sixteen = load(window(bytes, 16 * i));
        for j in 0..K {
            let numbers = match K {
                4 => _mm_cvtepu8_epi32(sixteen),
                _ => _mm_cvtepu8_epi64(sixteen),
            };
            store(
                window_mut(values, 16 * (K * i + j)),
                from_wire::<K, M>(numbers),
            );
            sixteen = match K {
                4 => _mm_srli_si128::<4>(sixteen),
                _ => _mm_srli_si128::<2>(sixteen),
            };
        }
    }
}

#[target_feature(enable = "sse4.1")]
#[inline]
fn narrow<const K: usize, M: Mapping>(values: &[[u8; K]; 64], bytes: &mut [Slot; 64]) -> bool {
    let values = flat(values);
    let mut all = _mm_setzero_si128();
    let mut sixteen = [_mm_setzero_si128(); 4];
    for i in 0..4 {
        let mut numbers = [_mm_setzero_si128(); K];
        for j in 0..K {
            numbers[j] = to_wire::<K, M>(load(window(values, 16 * (K * i + j))));
            all = _mm_or_si128(all, numbers[j]);
        }
        // Numbers of one byte lose their zeros as halves of units of twice the size.
        let mut four = [_mm_setzero_si128(); 4];
        for j in 0..4 {
            four[j] = match K {
                4 => numbers[j],
                _ => _mm_packus_epi32(numbers[2 * j], numbers[2 * j + 1]),
            };
        }
        let words = [
            _mm_packus_epi32(four[0], four[1]),
            _mm_packus_epi32(four[2], four[3]),
        ];
        sixteen[i] = _mm_packus_epi16(words[0], words[1]);
    }
    let beyond = match K {
        4 => _mm_set1_epi32(!0x7f),
        _ => _mm_set1_epi64x(!0x7f),
    };
    if _mm_testz_si128(all, beyond) == 0 {
        return false;
    }
    for i in 0..4 {
        store(window_mut(bytes, 16 * i), sixteen[i]);
    }
    true
}

/// The bytes of two varints joined, each in its lane of 64 bits; what follows a varint in its lane
/// is ignored. The lane gets 28 bits in each of its halves. Also returns, for each varint, whether
/// it ends within the lane, in the high bit of the byte that ends it.
///
/// ```text
/// bytes      ac 02 05 80 80 01 ..      lane of a varint of two bytes and what follows
/// ends       00 80 80 00 00 80 ..      high bits that are clear
/// below      ff ff 00 00 00 00 ..      everything up to the lowest of them: x ^ (x - 1)
/// groups     2c 02 00 00 00 00 ..      seven bits a byte
/// ```
///
/// Multiplying and adding neighbours joins the groups: 7 and 7 bits, then 14 and 14.
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn join(bytes: __m128i) -> (__m128i, __m128i) {
    let ends = _mm_andnot_si128(bytes, _mm_set1_epi8(i8::MIN));
    let below = _mm_xor_si128(ends, _mm_add_epi64(ends, _mm_set1_epi64x(-1)));
    let groups = _mm_and_si128(_mm_and_si128(bytes, _mm_set1_epi8(0x7f)), below);
    let pairs = _mm_maddubs_epi16(_mm_set1_epi16(i16::from_le_bytes([1, 0x80])), groups);
    (_mm_madd_epi16(pairs, _mm_set1_epi32(0x4000_0001)), ends)
}

/// Loads the first of the bytes at two places of the window.
#[target_feature(enable = "sse4.1")]
#[inline]
fn pair(window_: &[u8; WINDOW], first: usize, second: usize) -> __m128i {
    load_pair(window(window_, first), window(window_, second))
}

#[target_feature(enable = "sse4.1,ssse3,popcnt")]
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
    let mut beyond = _mm_setzero_si128();
    for eight in values.as_chunks_mut::<8>().0 {
        if begins == 0 {
            break;
        }
        let at = next_eight(&mut begins);
        let to = flat_mut(eight);
        for i in 0..K / 2 {
            let numbers = match K {
                4 => {
                    let (first, _) = join(pair(window, at[4 * i], at[4 * i + 1]));
                    let (second, _) = join(pair(window, at[4 * i + 2], at[4 * i + 3]));
                    fifth_byte(first, second, &mut beyond)
                }
                _ => {
                    let [a, b] = [at[2 * i], at[2 * i + 1]];
                    let (halves, ends) = join(pair(window, a, b));
                    match longest {
                        Longest::Two | Longest::Four => halves,
                        Longest::Eight => join_halves(halves),
                        Longest::Ten => {
                            let last = pair(window, a + 8, b + 8);
                            let last = last_bytes(ends, last, &mut beyond);
                            _mm_or_si128(join_halves(halves), last)
                        }
                    }
                }
            };
            store(window_mut(to, 16 * i), from_wire::<K, M>(numbers));
        }
    }
    let all = _mm_set1_epi8(-1);
    _mm_testz_si128(beyond, all) != 0
}

/// Varints of one or two bytes, by those that begin within 8 bytes.
#[target_feature(enable = "sse4.1,ssse3,popcnt")]
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
        let numbers = join_two(load(window(bytes, 8 * i)), begins);
        // Numbers of 14 bits are values of 16, whose signs widening keeps.
        let mut some = from_wire::<2, M>(numbers);
        let to = flat_mut(window_mut::<8, _>(values, done));
        for j in 0..K / 2 {
            let wide = match K {
                4 => _mm_cvtepi16_epi32(some),
                _ => _mm_cvtepi16_epi64(some),
            };
            store(window_mut(to, 16 * j), wide);
            some = match K {
                4 => _mm_srli_si128::<8>(some),
                _ => _mm_srli_si128::<4>(some),
            };
        }
        done += begins.count_ones() as usize;
    }
}

/// The numbers of the varints of one or two bytes that begin in the first 8 bytes.
///
/// ```text
/// unit       1bbbbbbb .aaaaaaa or 0bbbbbbb ........, the low byte first
/// mask       whether the high bit of the low byte tells that the high one follows
/// number     ..aaaaaaabbbbbbb or .........bbbbbbb
/// ```
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
pub(super) fn join_two(bytes: __m128i, begins: u8) -> __m128i {
    let units = _mm_shuffle_epi8(bytes, load(&TWO_FROM_EACH[usize::from(begins)]));
    let followed = _mm_srai_epi16::<15>(_mm_slli_epi16::<8>(units));
    let low = _mm_and_si128(units, _mm_set1_epi16(0x7f));
    let high = _mm_and_si128(_mm_srli_epi16::<1>(units), _mm_set1_epi16(0x3f80));
    _mm_or_si128(low, _mm_and_si128(high, followed))
}

/// Four numbers of up to 32 bits from 28 bits in the lower half of each lane and what is left in
/// the upper one; bits that are too many go to `beyond`.
#[target_feature(enable = "sse4.1")]
#[inline]
fn fifth_byte(first: __m128i, second: __m128i, beyond: &mut __m128i) -> __m128i {
    let [first, second] = [_mm_castsi128_ps(first), _mm_castsi128_ps(second)];
    let low = _mm_castps_si128(_mm_shuffle_ps::<0b10_00_10_00>(first, second));
    let high = _mm_castps_si128(_mm_shuffle_ps::<0b11_01_11_01>(first, second));
    *beyond = _mm_or_si128(*beyond, _mm_srli_epi32::<4>(high));
    _mm_or_si128(low, _mm_slli_epi32::<28>(high))
}

/// Two numbers of up to 56 bits from halves of 28.
#[target_feature(enable = "sse4.1")]
#[inline]
fn join_halves(halves: __m128i) -> __m128i {
    let low = _mm_and_si128(halves, _mm_set1_epi64x(0xfff_ffff));
    let high = _mm_andnot_si128(_mm_set1_epi64x(0xfff_ffff), _mm_srli_epi64::<4>(halves));
    _mm_or_si128(low, high)
}

/// The upper 8 bits of two numbers from the ninth and tenth byte of their varints, which are the
/// first ones of the lanes: nothing if the first 8 bytes have an end. Bits that are too many go to
/// `beyond`.
#[target_feature(enable = "sse4.1")]
#[inline]
fn last_bytes(ends: __m128i, bytes: __m128i, beyond: &mut __m128i) -> __m128i {
    let is_long = _mm_cmpeq_epi64(ends, _mm_setzero_si128());
    let bytes = _mm_and_si128(bytes, is_long);
    // All ones if the ninth byte is followed by a tenth.
    let followed =
        _mm_shuffle_epi32::<0b10_10_00_00>(_mm_srai_epi32::<31>(_mm_slli_epi64::<24>(bytes)));
    let tenth = _mm_and_si128(
        _mm_srli_epi64::<8>(bytes),
        _mm_and_si128(followed, _mm_set1_epi64x(0xff)),
    );
    *beyond = _mm_or_si128(*beyond, _mm_srli_epi64::<1>(tenth));
    let ninth = _mm_srli_epi64::<1>(_mm_slli_epi64::<57>(bytes));
    _mm_or_si128(ninth, _mm_slli_epi64::<63>(tenth))
}

#[target_feature(enable = "sse4.1,ssse3,popcnt")]
#[inline]
fn encode<const K: usize, M: Mapping>(
    values: &[[u8; K]; 8],
    to: &mut [Slot; ENCODE_ROOM],
) -> usize {
    let values = flat(values);
    if K == 4 {
        let first = to_wire::<4, M>(load(window(values, 0)));
        let second = to_wire::<4, M>(load(window(values, 16)));
        return encode_short(first, second, to);
    }
    let mut numbers = [_mm_setzero_si128(); 4];
    let mut all = _mm_setzero_si128();
    for i in 0..4 {
        numbers[i] = to_wire::<8, M>(load(window(values, 16 * i)));
        all = _mm_or_si128(all, numbers[i]);
    }
    if _mm_testz_si128(all, _mm_set1_epi64x(!0xffff_ffff)) != 0 {
        let mut low = [_mm_setzero_ps(); 4];
        for i in 0..4 {
            low[i] = _mm_castsi128_ps(numbers[i]);
        }
        let first = _mm_shuffle_ps::<0b10_00_10_00>(low[0], low[1]);
        let second = _mm_shuffle_ps::<0b10_00_10_00>(low[2], low[3]);
        return encode_short(_mm_castps_si128(first), _mm_castps_si128(second), to);
    }
    match _mm_testz_si128(all, _mm_set1_epi64x(0xff << 56)) {
        0 => encode_wide::<true>(&numbers, to),
        _ => encode_wide::<false>(&numbers, to),
    }
}

/// Eight numbers of 32 bits.
#[target_feature(enable = "sse4.1,ssse3,popcnt")]
#[inline]
fn encode_short(first: __m128i, second: __m128i, to: &mut [Slot; ENCODE_ROOM]) -> usize {
    let all = _mm_or_si128(first, second);
    if _mm_testz_si128(all, _mm_set1_epi32(!0x3fff)) != 0 {
        return encode_two(_mm_packus_epi32(first, second), to);
    }
    let [a, b] = [spread_short(first), spread_short(second)];
    let more = _mm_packs_epi32(a.more, b.more);
    let lengths = _mm_sub_epi8(_mm_set1_epi8(1), _mm_packs_epi16(more, more));
    let ends = running_sum(_mm_cvtsi128_si64(lengths).cast_unsigned());
    store_two(to, a.varints[0], [0, end(ends, 0)]);
    store_two(to, a.varints[1], [end(ends, 1), end(ends, 2)]);
    store_two(to, b.varints[0], [end(ends, 3), end(ends, 4)]);
    store_two(to, b.varints[1], [end(ends, 5), end(ends, 6)]);
    end(ends, 7)
}

/// Eight numbers of 14 bits in units of 16: one or two bytes each.
#[target_feature(enable = "sse4.1,ssse3,popcnt")]
#[inline]
pub(super) fn encode_two(numbers: __m128i, to: &mut [Slot; ENCODE_ROOM]) -> usize {
    let long = _mm_cmpgt_epi16(numbers, _mm_set1_epi16(0x7f));
    let groups = by_sevens(numbers);
    let varints = _mm_or_si128(groups, _mm_and_si128(long, _mm_set1_epi16(0x80)));
    let long = _mm_movemask_epi8(_mm_packs_epi16(long, long)) as u8;
    let order = load(&ONE_OR_TWO[usize::from(long)]);
    store(window_mut(to, 0), _mm_shuffle_epi8(varints, order));
    8 + long.count_ones() as usize
}

/// Stores the lanes of 64 bits at two places.
#[target_feature(enable = "sse4.1")]
#[inline]
pub(super) fn store_two(to: &mut [Slot; ENCODE_ROOM], lanes: __m128i, places: [usize; 2]) {
    store_low(window_mut(to, places[0]), lanes);
    store_high(window_mut(to, places[1]), lanes);
}

/// Four varints of up to 5 bytes, two a vector, and the negative of the number of bytes that each
/// has beyond the first.
struct Short {
    varints: [__m128i; 2],
    more: __m128i,
}

/// Spreads the groups of seven bits of four numbers of 32 bits to bytes. The fifth byte goes to
/// the upper half of the varint's lane.
///
/// ```text
/// number     ....dddddddcccccccbbbbbbbaaaaaaa
/// by 14      ..dddddddccccccc ..bbbbbbbaaaaaaa
/// by 7       .ddddddd .ccccccc .bbbbbbb .aaaaaaa
/// ```
#[target_feature(enable = "sse4.1")]
#[inline]
fn spread_short(numbers: __m128i) -> Short {
    let by_14 = _mm_blend_epi16::<0b1010_1010>(numbers, _mm_slli_epi32::<2>(numbers));
    let groups = by_sevens(by_14);
    // Signed comparisons do once numbers of five bytes are made equal.
    let clamped = _mm_min_epu32(numbers, _mm_set1_epi32(0x1000_0000));
    let mut continued = _mm_setzero_si128();
    let mut more = _mm_setzero_si128();
    for i in 1..5 {
        let longer = _mm_cmpgt_epi32(clamped, _mm_set1_epi32((1 << (7 * i)) - 1));
        let bit = _mm_set1_epi32(0x80 << (8 * (i - 1)));
        continued = _mm_or_si128(continued, _mm_and_si128(longer, bit));
        more = _mm_add_epi32(more, longer);
    }
    let low = _mm_or_si128(groups, continued);
    let high = _mm_srli_epi32::<28>(numbers);
    Short {
        varints: [_mm_unpacklo_epi32(low, high), _mm_unpackhi_epi32(low, high)],
        more,
    }
}

/// Eight numbers of 64 bits; `LONG` if some have more than 56, and so more than 8 bytes.
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn encode_wide<const LONG: bool>(numbers: &[__m128i; 4], to: &mut [Slot; ENCODE_ROOM]) -> usize {
    let zero = _mm_setzero_si128();
    let [mut varints, mut lengths, mut last] = [[zero; 4]; 3];
    for i in 0..4 {
        let mut groups = spread(numbers[i]);
        let mut kept = _mm_or_si128(groups, _mm_set1_epi64x(1));
        let mut more = zero;
        if LONG {
            // The 8 bits of the ninth byte and the tenth; the ninth keeps the bit that continues.
            let top = _mm_srli_epi64::<56>(numbers[i]);
            let tenth = _mm_srli_epi64::<7>(top);
            last[i] = _mm_or_si128(top, _mm_slli_epi64::<8>(tenth));
            let short = _mm_cmpeq_epi64(top, zero);
            let continued = _mm_andnot_si128(short, _mm_set1_epi64x(i64::MIN));
            groups = _mm_or_si128(groups, continued);
            kept = _mm_or_si128(kept, continued);
            more = _mm_add_epi64(tenth, _mm_srli_epi64::<63>(continued));
        }
        // A byte is kept if it or one above it is not zero: smear, then 1 for each byte kept.
        kept = _mm_or_si128(kept, _mm_srli_epi64::<8>(kept));
        kept = _mm_or_si128(kept, _mm_srli_epi64::<16>(kept));
        kept = _mm_or_si128(kept, _mm_srli_epi64::<32>(kept));
        let kept = _mm_min_epu8(kept, _mm_set1_epi8(1));
        lengths[i] = _mm_add_epi64(_mm_sad_epu8(kept, zero), more);
        // From the lowest bit of each byte to the highest of the one before it.
        varints[i] = _mm_or_si128(groups, _mm_srli_epi64::<1>(kept));
    }
    let words = [
        _mm_packus_epi32(lengths[0], lengths[1]),
        _mm_packus_epi32(lengths[2], lengths[3]),
    ];
    let words = _mm_packus_epi32(words[0], words[1]);
    let bytes = _mm_packus_epi16(words, words);
    let ends = running_sum(_mm_cvtsi128_si64(bytes).cast_unsigned());
    let mut at = 0;
    for i in 0..4 {
        let middle = end(ends, 2 * i as u32);
        store_low(window_mut(to, at), varints[i]);
        if LONG {
            store_low(window_mut(to, at + 8), last[i]);
        }
        store_high(window_mut(to, middle), varints[i]);
        if LONG {
            store_high(window_mut(to, middle + 8), last[i]);
        }
        at = end(ends, 2 * i as u32 + 1);
    }
    at
}

/// Spreads the lowest eight groups of seven bits of two numbers to bytes: in halves of 28, quarters
/// of 14, eighths of 7 bits. What a unit has beyond them is cut off at last.
#[target_feature(enable = "sse4.1")]
#[inline]
fn spread(numbers: __m128i) -> __m128i {
    let by_28 = _mm_blend_epi16::<0b1100_1100>(numbers, _mm_slli_epi64::<4>(numbers));
    let by_14 = _mm_blend_epi16::<0b1010_1010>(by_28, _mm_slli_epi32::<2>(by_28));
    by_sevens(by_14)
}

/// The last of the steps: units of 14 bits to bytes of 7.
#[target_feature(enable = "sse4.1")]
#[inline]
fn by_sevens(by_14: __m128i) -> __m128i {
    let even = _mm_and_si128(by_14, _mm_set1_epi16(0x007f));
    let odd = _mm_and_si128(_mm_add_epi16(by_14, by_14), _mm_set1_epi16(0x7f00));
    _mm_or_si128(even, odd)
}

//! NEON: two varints at a time, each in a lane of 64 bits.

use super::kernel::{end, next_eight, running_sum};
use super::tables::{ONE_OR_TWO, TWO_FROM_EACH};
use super::{ENCODE_ROOM, Longest, Mapping, Varints, WINDOW};
use crate::backend::{Neon, neon};
use crate::memory::{Slot, flat, flat_mut};
use crate::simd::neon::{load, load_pair, store, store_high, store_low};
use crate::simd::{window, window_mut};
use core::arch::aarch64::*;

neon! {
    impl<const K: usize> Varints<K> for Neon {
        fn ends(bytes: &[u8; 64]) -> u64 = ends;
        fn widen<M: Mapping>(bytes: &[u8; 64], values: &mut [[Slot; K]; 64]) = widen::<K, M>;
        fn narrow<M: Mapping>(values: &[[u8; K]; 64], bytes: &mut [Slot; 64]) -> bool = narrow::<K, M>;
        fn decode<M: Mapping>(window: &[u8; WINDOW], begins: u64, longest: Longest, values: &mut [[Slot; K]]) -> bool = decode::<K, M>;
        fn encode<M: Mapping>(values: &[[u8; K]; 8], to: &mut [Slot; ENCODE_ROOM]) -> usize = encode::<K, M>;
    }
}

/// One bit a byte: bytes without a high bit keep a bit of their own, and three rounds of adding
/// neighbours put eight of them into one byte.
#[target_feature(enable = "neon")]
#[inline]
fn ends(bytes: &[u8; 64]) -> u64 {
    let bit = vreinterpretq_u8_u64(vdupq_n_u64(0x8040_2010_0804_0201));
    let mut bits = [vdupq_n_u8(0); 4];
    for i in 0..4 {
        let bytes = vreinterpretq_s8_u8(load(window(bytes, 16 * i)));
        bits[i] = vandq_u8(vcgezq_s8(bytes), bit);
    }
    let bits = vpaddq_u8(vpaddq_u8(bits[0], bits[1]), vpaddq_u8(bits[2], bits[3]));
    vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(bits, bits)))
}

/// Values of `K` bytes to the numbers that are written.
#[target_feature(enable = "neon")]
#[inline]
fn to_wire<const K: usize, M: Mapping>(values: uint8x16_t) -> uint8x16_t {
    match (M::ZIGZAG, K) {
        (false, _) => values,
        (true, 4) => {
            let values = vreinterpretq_s32_u8(values);
            let numbers = veorq_s32(vshlq_n_s32::<1>(values), vshrq_n_s32::<31>(values));
            vreinterpretq_u8_s32(numbers)
        }
        (true, _) => {
            let values = vreinterpretq_s64_u8(values);
            let numbers = veorq_s64(vshlq_n_s64::<1>(values), vshrq_n_s64::<63>(values));
            vreinterpretq_u8_s64(numbers)
        }
    }
}

/// Numbers that were written to values of `K` bytes.
#[target_feature(enable = "neon")]
#[inline]
fn from_wire<const K: usize, M: Mapping>(numbers: uint8x16_t) -> uint8x16_t {
    match (M::ZIGZAG, K) {
        (false, _) => numbers,
        (true, 2) => {
            let numbers = vreinterpretq_u16_u8(numbers);
            let signs = vtstq_u16(numbers, vdupq_n_u16(1));
            vreinterpretq_u8_u16(veorq_u16(vshrq_n_u16::<1>(numbers), signs))
        }
        (true, 4) => {
            let numbers = vreinterpretq_u32_u8(numbers);
            // All ones for odd numbers.
            let signs = vtstq_u32(numbers, vdupq_n_u32(1));
            vreinterpretq_u8_u32(veorq_u32(vshrq_n_u32::<1>(numbers), signs))
        }
        (true, _) => {
            let numbers = vreinterpretq_u64_u8(numbers);
            let signs = vtstq_u64(numbers, vdupq_n_u64(1));
            vreinterpretq_u8_u64(veorq_u64(vshrq_n_u64::<1>(numbers), signs))
        }
    }
}

#[target_feature(enable = "neon")]
#[inline]
fn widen<const K: usize, M: Mapping>(bytes: &[u8; 64], values: &mut [[Slot; K]; 64]) {
    let values = flat_mut(values);
    for i in 0..4 {
        let bytes = load(window(bytes, 16 * i));
        let halves = [vmovl_u8(vget_low_u8(bytes)), vmovl_high_u8(bytes)];
        for j in 0..4 {
            let half = halves[j / 2];
            let four = match j % 2 {
                0 => vmovl_u16(vget_low_u16(half)),
                _ => vmovl_high_u16(half),
            };
            let at = 4 * K * (4 * i + j);
            if K == 4 {
                let numbers = vreinterpretq_u8_u32(four);
                store(window_mut(values, at), from_wire::<K, M>(numbers));
            } else {
                let low = vreinterpretq_u8_u64(vmovl_u32(vget_low_u32(four)));
                let high = vreinterpretq_u8_u64(vmovl_high_u32(four));
                store(window_mut(values, at), from_wire::<K, M>(low));
                store(window_mut(values, at + 16), from_wire::<K, M>(high));
            }
        }
    }
}

/// The even units of 32, 16 and 8 bits, in turn, are what numbers of one byte have beside zeros.
#[target_feature(enable = "neon")]
#[inline]
fn narrow<const K: usize, M: Mapping>(values: &[[u8; K]; 64], bytes: &mut [Slot; 64]) -> bool {
    let values = flat(values);
    let mut all = vdupq_n_u8(0);
    let mut sixteen = [vdupq_n_u8(0); 4];
    for i in 0..4 {
        let mut numbers = [vdupq_n_u8(0); K];
        for j in 0..K {
            numbers[j] = to_wire::<K, M>(load(window(values, 16 * (K * i + j))));
            all = vorrq_u8(all, numbers[j]);
        }
        let mut four = [vdupq_n_u16(0); 4];
        for j in 0..4 {
            let units = match K {
                4 => numbers[j],
                _ => vreinterpretq_u8_u32(vuzp1q_u32(
                    vreinterpretq_u32_u8(numbers[2 * j]),
                    vreinterpretq_u32_u8(numbers[2 * j + 1]),
                )),
            };
            four[j] = vreinterpretq_u16_u8(units);
        }
        let low = vreinterpretq_u8_u16(vuzp1q_u16(four[0], four[1]));
        let high = vreinterpretq_u8_u16(vuzp1q_u16(four[2], four[3]));
        sixteen[i] = vuzp1q_u8(low, high);
    }
    let beyond = match K {
        4 => vreinterpretq_u8_u32(vdupq_n_u32(!0x7f)),
        _ => vreinterpretq_u8_u64(vdupq_n_u64(!0x7f)),
    };
    if any(vandq_u8(all, beyond)) {
        return false;
    }
    for i in 0..4 {
        store(window_mut(bytes, 16 * i), sixteen[i]);
    }
    true
}

/// Whether any bit is set.
#[target_feature(enable = "neon")]
#[inline]
fn any(bits: uint8x16_t) -> bool {
    vmaxvq_u32(vreinterpretq_u32_u8(bits)) != 0
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
/// Shifting down and selecting joins the groups: 7 and 7 bits, then 14 and 14.
#[target_feature(enable = "neon")]
#[inline]
fn join(bytes: uint8x16_t) -> (uint64x2_t, uint64x2_t) {
    let ends = vreinterpretq_u64_u8(vbicq_u8(vdupq_n_u8(0x80), bytes));
    let below = veorq_u64(ends, vsubq_u64(ends, vdupq_n_u64(1)));
    let groups = vandq_u8(
        vandq_u8(bytes, vdupq_n_u8(0x7f)),
        vreinterpretq_u8_u64(below),
    );
    let groups = vreinterpretq_u16_u8(groups);
    let pairs = vbslq_u16(vdupq_n_u16(0x7f), groups, vshrq_n_u16::<1>(groups));
    let pairs = vreinterpretq_u32_u16(pairs);
    let halves = vbslq_u32(vdupq_n_u32(0x3fff), pairs, vshrq_n_u32::<2>(pairs));
    (vreinterpretq_u64_u32(halves), ends)
}

/// Loads 8 bytes from each of two places of the window.
#[target_feature(enable = "neon")]
#[inline]
fn pair(window_: &[u8; WINDOW], first: usize, second: usize) -> uint8x16_t {
    load_pair(window(window_, first), window(window_, second))
}

#[target_feature(enable = "neon")]
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
    let mut beyond = vdupq_n_u64(0);
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
                    let low_bits = vdupq_n_u64(0xfff_ffff);
                    let numbers = vbslq_u64(low_bits, halves, vshrq_n_u64::<4>(halves));
                    let numbers = match longest {
                        Longest::Two | Longest::Four | Longest::Eight => numbers,
                        Longest::Ten => {
                            let last = pair(window, a + 8, b + 8);
                            vorrq_u64(numbers, last_bytes(ends, last, &mut beyond))
                        }
                    };
                    vreinterpretq_u8_u64(numbers)
                }
            };
            store(window_mut(to, 16 * i), from_wire::<K, M>(numbers));
        }
    }
    !any(vreinterpretq_u8_u64(beyond))
}

/// Varints of one or two bytes, by those that begin within 8 bytes.
#[target_feature(enable = "neon")]
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
        let to = flat_mut(window_mut::<8, _>(values, done));
        // Numbers of 14 bits are values of 16, whose signs widening keeps.
        let eight = from_wire::<2, M>(vreinterpretq_u8_u16(numbers));
        let eight = vreinterpretq_s16_u8(eight);
        let fours = [vmovl_s16(vget_low_s16(eight)), vmovl_high_s16(eight)];
        for j in 0..2 {
            if K == 4 {
                store(window_mut(to, 16 * j), vreinterpretq_u8_s32(fours[j]));
            } else {
                let low = vmovl_s32(vget_low_s32(fours[j]));
                let high = vmovl_high_s32(fours[j]);
                store(window_mut(to, 32 * j), vreinterpretq_u8_s64(low));
                store(window_mut(to, 32 * j + 16), vreinterpretq_u8_s64(high));
            }
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
#[target_feature(enable = "neon")]
#[inline]
fn join_two(bytes: uint8x16_t, begins: u8) -> uint16x8_t {
    let order = load(&TWO_FROM_EACH[usize::from(begins)]);
    let units = vreinterpretq_u16_u8(vqtbl1q_u8(bytes, order));
    let followed = vtstq_u16(units, vdupq_n_u16(0x80));
    let low = vandq_u16(units, vdupq_n_u16(0x7f));
    let high = vandq_u16(vshrq_n_u16::<1>(units), vdupq_n_u16(0x3f80));
    vorrq_u16(low, vandq_u16(high, followed))
}

/// Four numbers of up to 32 bits from 28 bits in the lower half of each lane and what is left in
/// the upper one; bits that are too many go to `beyond`.
#[target_feature(enable = "neon")]
#[inline]
fn fifth_byte(first: uint64x2_t, second: uint64x2_t, beyond: &mut uint64x2_t) -> uint8x16_t {
    let [first, second] = [vreinterpretq_u32_u64(first), vreinterpretq_u32_u64(second)];
    let low = vuzp1q_u32(first, second);
    let high = vuzp2q_u32(first, second);
    *beyond = vorrq_u64(*beyond, vreinterpretq_u64_u32(vshrq_n_u32::<4>(high)));
    vreinterpretq_u8_u32(vsliq_n_u32::<28>(low, high))
}

/// The upper 8 bits of two numbers from the ninth and tenth byte of their varints, which are the
/// first ones of the lanes: nothing if the first 8 bytes have an end. Bits that are too many go to
/// `beyond`.
#[target_feature(enable = "neon")]
#[inline]
fn last_bytes(ends: uint64x2_t, bytes: uint8x16_t, beyond: &mut uint64x2_t) -> uint64x2_t {
    let bytes = vandq_u64(vreinterpretq_u64_u8(bytes), vceqzq_u64(ends));
    // All ones if the ninth byte is followed by a tenth.
    let followed = vtstq_u64(bytes, vdupq_n_u64(0x80));
    let tenth = vandq_u64(vshrq_n_u64::<8>(bytes), vdupq_n_u64(0xff));
    let tenth = vandq_u64(tenth, followed);
    *beyond = vorrq_u64(*beyond, vshrq_n_u64::<1>(tenth));
    let ninth = vshrq_n_u64::<1>(vshlq_n_u64::<57>(bytes));
    vsliq_n_u64::<63>(ninth, tenth)
}

#[target_feature(enable = "neon")]
#[inline]
fn encode<const K: usize, M: Mapping>(
    values: &[[u8; K]; 8],
    to: &mut [Slot; ENCODE_ROOM],
) -> usize {
    let values = flat(values);
    if K == 4 {
        let first = to_wire::<4, M>(load(window(values, 0)));
        let second = to_wire::<4, M>(load(window(values, 16)));
        return encode_short(
            vreinterpretq_u32_u8(first),
            vreinterpretq_u32_u8(second),
            to,
        );
    }
    let mut numbers = [vdupq_n_u64(0); 4];
    let mut all = vdupq_n_u64(0);
    for i in 0..4 {
        let eight = to_wire::<8, M>(load(window(values, 16 * i)));
        numbers[i] = vreinterpretq_u64_u8(eight);
        all = vorrq_u64(all, numbers[i]);
    }
    if !any(vreinterpretq_u8_u64(vshrq_n_u64::<32>(all))) {
        let mut low = [vdupq_n_u32(0); 4];
        for i in 0..4 {
            low[i] = vreinterpretq_u32_u64(numbers[i]);
        }
        let [first, second] = [vuzp1q_u32(low[0], low[1]), vuzp1q_u32(low[2], low[3])];
        return encode_short(first, second, to);
    }
    match any(vreinterpretq_u8_u64(vshrq_n_u64::<56>(all))) {
        true => encode_wide::<true>(&numbers, to),
        false => encode_wide::<false>(&numbers, to),
    }
}

/// Eight numbers of 32 bits.
#[target_feature(enable = "neon")]
#[inline]
fn encode_short(first: uint32x4_t, second: uint32x4_t, to: &mut [Slot; ENCODE_ROOM]) -> usize {
    let all = vshrq_n_u32::<14>(vorrq_u32(first, second));
    if !any(vreinterpretq_u8_u32(all)) {
        let units = vuzp1q_u16(vreinterpretq_u16_u32(first), vreinterpretq_u16_u32(second));
        return encode_two(units, to);
    }
    let [a, b] = [spread_short(first), spread_short(second)];
    let more = vuzp1q_u16(vreinterpretq_u16_u32(a.more), vreinterpretq_u16_u32(b.more));
    let lengths = vadd_u8(vmovn_u16(more), vdup_n_u8(1));
    let ends = running_sum(vget_lane_u64::<0>(vreinterpret_u64_u8(lengths)));
    store_two(to, a.varints[0], [0, end(ends, 0)]);
    store_two(to, a.varints[1], [end(ends, 1), end(ends, 2)]);
    store_two(to, b.varints[0], [end(ends, 3), end(ends, 4)]);
    store_two(to, b.varints[1], [end(ends, 5), end(ends, 6)]);
    end(ends, 7)
}

/// Eight numbers of 14 bits in units of 16: one or two bytes each.
#[target_feature(enable = "neon")]
#[inline]
fn encode_two(numbers: uint16x8_t, to: &mut [Slot; ENCODE_ROOM]) -> usize {
    let long = vcgtq_u16(numbers, vdupq_n_u16(0x7f));
    let continued = vreinterpretq_u8_u16(vandq_u16(long, vdupq_n_u16(0x80)));
    let varints = vorrq_u8(by_sevens(numbers), continued);
    let bit = vcombine_u16(
        vcreate_u16(0x0008_0004_0002_0001),
        vcreate_u16(0x0080_0040_0020_0010),
    );
    let long = vaddvq_u16(vandq_u16(long, bit)) as u8;
    let order = load(&ONE_OR_TWO[usize::from(long)]);
    store(window_mut(to, 0), vqtbl1q_u8(varints, order));
    8 + long.count_ones() as usize
}

/// Stores the lanes of 64 bits at two places.
#[target_feature(enable = "neon")]
#[inline]
fn store_two(to: &mut [Slot; ENCODE_ROOM], lanes: uint8x16_t, places: [usize; 2]) {
    store_low(window_mut(to, places[0]), lanes);
    store_high(window_mut(to, places[1]), lanes);
}

/// Four varints of up to 5 bytes, two a vector, and the number of bytes that each has beyond the
/// first.
struct Short {
    varints: [uint8x16_t; 2],
    more: uint32x4_t,
}

/// Spreads the groups of seven bits of four numbers of 32 bits to bytes. The fifth byte goes to
/// the upper half of the varint's lane.
///
/// ```text
/// number     ....dddddddcccccccbbbbbbbaaaaaaa
/// by 14      ..dddddddccccccc ..bbbbbbbaaaaaaa
/// by 7       .ddddddd .ccccccc .bbbbbbb .aaaaaaa
/// ```
#[target_feature(enable = "neon")]
#[inline]
fn spread_short(numbers: uint32x4_t) -> Short {
    let by_14 = vbslq_u32(vdupq_n_u32(0xffff), numbers, vshlq_n_u32::<2>(numbers));
    let groups = by_sevens(vreinterpretq_u16_u32(by_14));
    let mut more = vdupq_n_u32(0);
    for i in 1..5 {
        let longer = vcgtq_u32(numbers, vdupq_n_u32((1 << (7 * i)) - 1));
        more = vsubq_u32(more, longer);
    }
    // The high bits of as many bytes as follow; a shift by 32 leaves none out.
    let bits = vreinterpretq_s32_u32(vshlq_n_u32::<3>(more));
    let last = vreinterpretq_u8_u32(vshlq_u32(vdupq_n_u32(!0), bits));
    let low = vorrq_u8(groups, vbicq_u8(vdupq_n_u8(0x80), last));
    let high = vshrq_n_u32::<28>(numbers);
    let low = vreinterpretq_u32_u8(low);
    Short {
        varints: [
            vreinterpretq_u8_u32(vzip1q_u32(low, high)),
            vreinterpretq_u8_u32(vzip2q_u32(low, high)),
        ],
        more,
    }
}

/// The last of the steps that spread groups: units of 14 bits to bytes of 7.
#[target_feature(enable = "neon")]
#[inline]
fn by_sevens(by_14: uint16x8_t) -> uint8x16_t {
    let groups = vbslq_u16(vdupq_n_u16(0xff), by_14, vshlq_n_u16::<1>(by_14));
    vandq_u8(vreinterpretq_u8_u16(groups), vdupq_n_u8(0x7f))
}

/// Eight numbers of 64 bits; `LONG` if some have more than 56, and so more than 8 bytes.
#[target_feature(enable = "neon")]
#[inline]
fn encode_wide<const LONG: bool>(numbers: &[uint64x2_t; 4], to: &mut [Slot; ENCODE_ROOM]) -> usize {
    let [mut varints, mut lengths, mut last] = [[vdupq_n_u8(0); 4]; 3];
    for i in 0..4 {
        let mut groups = spread(numbers[i]);
        let mut kept = vorrq_u64(groups, vdupq_n_u64(1));
        let mut more = vdupq_n_u64(0);
        if LONG {
            // The 8 bits of the ninth byte and the tenth; the ninth keeps the bit that continues.
            let top = vshrq_n_u64::<56>(numbers[i]);
            let tenth = vshrq_n_u64::<7>(top);
            last[i] = vreinterpretq_u8_u64(vorrq_u64(top, vshlq_n_u64::<8>(tenth)));
            let continued = vbicq_u64(vdupq_n_u64(1 << 63), vceqzq_u64(top));
            groups = vorrq_u64(groups, continued);
            kept = vorrq_u64(kept, continued);
            more = vsraq_n_u64::<63>(tenth, continued);
        }
        // A byte is kept if it or one above it is not zero: smear, then 1 for each byte kept.
        kept = vorrq_u64(kept, vshrq_n_u64::<8>(kept));
        kept = vorrq_u64(kept, vshrq_n_u64::<16>(kept));
        kept = vorrq_u64(kept, vshrq_n_u64::<32>(kept));
        let kept = vminq_u8(vreinterpretq_u8_u64(kept), vdupq_n_u8(1));
        lengths[i] = vaddq_u8(kept, vreinterpretq_u8_u64(more));
        // From the lowest bit of each byte to the highest of the one before it.
        let followed = vshrq_n_u64::<1>(vreinterpretq_u64_u8(kept));
        varints[i] = vreinterpretq_u8_u64(vorrq_u64(groups, followed));
    }
    // The sums of eight bytes each.
    let quarters = [
        vpaddq_u8(lengths[0], lengths[1]),
        vpaddq_u8(lengths[2], lengths[3]),
    ];
    let halves = vpaddq_u8(quarters[0], quarters[1]);
    let sums = vreinterpretq_u64_u8(vpaddq_u8(halves, halves));
    let ends = running_sum(vgetq_lane_u64::<0>(sums));
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
#[target_feature(enable = "neon")]
#[inline]
fn spread(numbers: uint64x2_t) -> uint64x2_t {
    let low = vdupq_n_u64(0xffff_ffff);
    let by_28 = vbslq_u64(low, numbers, vshlq_n_u64::<4>(numbers));
    let by_28 = vreinterpretq_u32_u64(by_28);
    let by_14 = vbslq_u32(vdupq_n_u32(0xffff), by_28, vshlq_n_u32::<2>(by_28));
    vreinterpretq_u64_u8(by_sevens(vreinterpretq_u16_u32(by_14)))
}

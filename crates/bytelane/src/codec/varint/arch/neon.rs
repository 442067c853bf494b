//! NEON: a vector is one part, of two varints.

use crate::backend::Neon;
use crate::codec::varint::lanes::Lanes;
use crate::codec::varint::mapping::Mapping;
use crate::codec::varint::tables::{ONE_OR_TWO, TWO_FROM_EACH};
use crate::codec::varint::{ENCODE_ROOM, WINDOW};
use crate::memory::Slot;
use crate::simd::neon::{load, load_pair, store, store_high, store_low};
use crate::simd::{implement, window, window_mut};
use core::arch::aarch64::*;

type V = uint64x2_t;

implement! {
    impl Lanes for Neon {
        const PARTS: usize = 1;
        type Vector = V;
        fn low_bytes(bytes: &[u8; 64]) -> u64 = low_bytes;
        fn load(from: &[u8], at: usize) -> V = |from, at| vreinterpretq_u64_u8(load(window(from, at)));
        fn store(to: &mut [Slot], at: usize, vector: V) = |to, at, vector| store(window_mut(to, at), vreinterpretq_u8_u64(vector));
        fn gather(window: &[u8; WINDOW], places: [[usize; 2]; 2]) -> V = gather;
        fn scatter(to: &mut [Slot; ENCODE_ROOM], place: usize, from: V, lane: usize) = scatter;
        fn splat(lane: u64) -> V = vdupq_n_u64;
        fn and(a: V, b: V) -> V = vandq_u64;
        fn and_not(a: V, b: V) -> V = |a, b| vbicq_u64(b, a);
        fn or(a: V, b: V) -> V = vorrq_u64;
        fn xor(a: V, b: V) -> V = veorq_u64;
        fn any(vector: V, mask: u64) -> bool = |vector, mask| vmaxvq_u32(vreinterpretq_u32_u64(vandq_u64(vector, vdupq_n_u64(mask)))) != 0;
        fn add64(a: V, b: V) -> V = vaddq_u64;
        fn shl32(vector: V, bits: i32) -> V = shift32;
        fn shl64(vector: V, bits: i32) -> V = shift64;
        fn shr32(vector: V, bits: i32) -> V = |vector, bits: i32| shift32(vector, -bits);
        fn shr64(vector: V, bits: i32) -> V = |vector, bits: i32| shift64(vector, -bits);
        fn negative32(vector: V) -> V = |vector| vreinterpretq_u64_s32(vshrq_n_s32::<31>(vreinterpretq_s32_u64(vector)));
        fn negative64(vector: V) -> V = |vector| vreinterpretq_u64_s64(vshrq_n_s64::<63>(vreinterpretq_s64_u64(vector)));
        fn odd32(vector: V) -> V = |vector| vreinterpretq_u64_u32(vtstq_u32(vreinterpretq_u32_u64(vector), vdupq_n_u32(1)));
        fn odd64(vector: V) -> V = |vector| vtstq_u64(vector, vdupq_n_u64(1));
        fn zero64(vector: V) -> V = vceqzq_u64;
        fn one8(vector: V) -> V = |vector| vreinterpretq_u64_u8(vminq_u8(vreinterpretq_u8_u64(vector), vdupq_n_u8(1)));
        fn sub8(a: V, b: V) -> V = |a, b| vreinterpretq_u64_u8(vsubq_u8(vreinterpretq_u8_u64(a), vreinterpretq_u8_u64(b)));
        fn greater8(a: V, b: V) -> V = |a, b| vreinterpretq_u64_u8(vcgtq_s8(vreinterpretq_s8_u64(a), vreinterpretq_s8_u64(b)));
        fn at_least32(a: V, b: V) -> V = |a, b| vreinterpretq_u64_u32(vcgeq_u32(vreinterpretq_u32_u64(a), vreinterpretq_u32_u64(b)));
        fn repeat(vector: V, part: usize) -> V = |vector, _| vector;
        fn shuffle8(vector: V, order: V) -> V = |vector, order| vreinterpretq_u64_u8(vqtbl1q_u8(vreinterpretq_u8_u64(vector), vreinterpretq_u8_u64(order)));
        fn alternate16(even: V, odd: V) -> V = |even, odd| vbslq_u64(vdupq_n_u64(0x0000_ffff_0000_ffff), even, odd);
        fn alternate32(even: V, odd: V) -> V = |even, odd| vbslq_u64(vdupq_n_u64(0xffff_ffff), even, odd);
        fn unzip32(a: V, b: V) -> [V; 2] = unzip32;
        fn zip32(a: V, b: V) -> [V; 2] = zip32;
        fn even32(a: V, b: V) -> V = |a, b| unzip32(a, b)[0];
        fn join32(groups: V) -> V = join32;
        fn bytes32(units: [V; 2]) -> u64 = bytes32;
        fn sums64(bytes: [V; 4]) -> u64 = |[a, b, c, d]: [V; 4]| sums16(pairs(pairs(a, b), pairs(c, d)));
        fn narrow(numbers: [V; 4]) -> V = narrow;
        fn encode_two(numbers: [V; 2], to: &mut [Slot; ENCODE_ROOM]) -> usize = encode_two;
        fn decode_two<M: Mapping>(bytes: &[u8; 16], begins: u8, width: usize, to: &mut [Slot]) = decode_two::<M>;
    }
}

/// Finds bytes without a high bit. Each of them keeps the bit of its position, and three rounds of
/// adding neighbours put eight of these bits into one byte.
#[target_feature(enable = "neon")]
#[inline]
fn low_bytes(bytes: &[u8; 64]) -> u64 {
    let bit = vreinterpretq_u8_u64(vdupq_n_u64(0x8040_2010_0804_0201));
    let mut bits = [vdupq_n_u64(0); 4];
    for i in 0..4 {
        let bytes = vreinterpretq_s8_u8(load(window(bytes, 16 * i)));
        bits[i] = vreinterpretq_u64_u8(vandq_u8(vcgezq_s8(bytes), bit));
    }
    let [a, b, c, d] = bits;
    sums16(pairs(pairs(a, b), pairs(c, d)))
}

/// Adds neighbouring bytes of two vectors.
#[target_feature(enable = "neon")]
#[inline]
fn pairs(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
    let sums = vpaddq_u8(vreinterpretq_u8_u64(a), vreinterpretq_u8_u64(b));
    vreinterpretq_u64_u8(sums)
}

/// Adds neighbouring bytes of one vector.
#[target_feature(enable = "neon")]
#[inline]
fn sums16(bytes: uint64x2_t) -> u64 {
    vgetq_lane_u64::<0>(pairs(bytes, bytes))
}

#[target_feature(enable = "neon")]
#[inline]
fn gather(from: &[u8; WINDOW], places: [[usize; 2]; 2]) -> uint64x2_t {
    let [low, high] = places[0];
    vreinterpretq_u64_u8(load_pair(window(from, low), window(from, high)))
}

#[target_feature(enable = "neon")]
#[inline]
fn scatter(to: &mut [Slot; ENCODE_ROOM], place: usize, from: uint64x2_t, lane: usize) {
    let from = vreinterpretq_u8_u64(from);
    match lane {
        0 => store_low(window_mut(to, place), from),
        _ => store_high(window_mut(to, place), from),
    }
}

/// Shifts up, or down if the count is negative.
#[target_feature(enable = "neon")]
#[inline]
fn shift32(vector: uint64x2_t, bits: i32) -> uint64x2_t {
    vreinterpretq_u64_u32(vshlq_u32(vreinterpretq_u32_u64(vector), vdupq_n_s32(bits)))
}

#[target_feature(enable = "neon")]
#[inline]
fn shift64(vector: uint64x2_t, bits: i32) -> uint64x2_t {
    vshlq_u64(vector, vdupq_n_s64(bits.into()))
}

#[target_feature(enable = "neon")]
#[inline]
fn even16(a: uint64x2_t, b: uint64x2_t) -> uint16x8_t {
    vuzp1q_u16(vreinterpretq_u16_u64(a), vreinterpretq_u16_u64(b))
}

#[target_feature(enable = "neon")]
#[inline]
fn unzip32(a: uint64x2_t, b: uint64x2_t) -> [uint64x2_t; 2] {
    let [a, b] = [vreinterpretq_u32_u64(a), vreinterpretq_u32_u64(b)];
    let (even, odd) = (vuzp1q_u32(a, b), vuzp2q_u32(a, b));
    [vreinterpretq_u64_u32(even), vreinterpretq_u64_u32(odd)]
}

#[target_feature(enable = "neon")]
#[inline]
fn zip32(a: uint64x2_t, b: uint64x2_t) -> [uint64x2_t; 2] {
    let [a, b] = [vreinterpretq_u32_u64(a), vreinterpretq_u32_u64(b)];
    let (lower, upper) = (vzip1q_u32(a, b), vzip2q_u32(a, b));
    [vreinterpretq_u64_u32(lower), vreinterpretq_u64_u32(upper)]
}

#[target_feature(enable = "neon")]
#[inline]
fn bytes32([a, b]: [uint64x2_t; 2]) -> u64 {
    vget_lane_u64::<0>(vreinterpret_u64_u8(vmovn_u16(even16(a, b))))
}

/// Joins groups by shifting down and selecting: 7 and 7 bits, then 14 and 14.
#[target_feature(enable = "neon")]
#[inline]
fn join32(groups: uint64x2_t) -> uint64x2_t {
    let groups = vreinterpretq_u16_u64(groups);
    let pairs = vbslq_u16(vdupq_n_u16(0x7f), groups, vshrq_n_u16::<1>(groups));
    let pairs = vreinterpretq_u32_u16(pairs);
    let fours = vbslq_u32(vdupq_n_u32(0x3fff), pairs, vshrq_n_u32::<2>(pairs));
    vreinterpretq_u64_u32(fours)
}

/// Narrows one-byte numbers. Only the even units of 16 bits, and then of 8 bits, are not zero.
#[target_feature(enable = "neon")]
#[inline]
fn narrow([a, b, c, d]: [uint64x2_t; 4]) -> uint64x2_t {
    let low = vreinterpretq_u8_u16(even16(a, b));
    let high = vreinterpretq_u8_u16(even16(c, d));
    vreinterpretq_u64_u8(vuzp1q_u8(low, high))
}

/// Encodes numbers to one or two bytes each.
#[target_feature(enable = "neon")]
#[inline]
fn encode_two([a, b]: [uint64x2_t; 2], to: &mut [Slot; ENCODE_ROOM]) -> usize {
    let numbers = even16(a, b);
    let long = vcgtq_u16(numbers, vdupq_n_u16(0x7f));
    let continued = vandq_u16(long, vdupq_n_u16(0x80));
    // Adding the upper seven bits once more moves them up by a bit.
    let groups = vaddq_u16(numbers, vandq_u16(numbers, vdupq_n_u16(0x3f80)));
    let varints = vreinterpretq_u8_u16(vorrq_u16(groups, continued));
    let bit = vcombine_u16(
        vcreate_u16(0x0008_0004_0002_0001),
        vcreate_u16(0x0080_0040_0020_0010),
    );
    let long = vaddvq_u16(vandq_u16(long, bit)) as u8;
    let order = load(&ONE_OR_TWO[usize::from(long & 0x7f)]);
    store(window_mut(to, 0), vqtbl1q_u8(varints, order));
    8 + long.count_ones() as usize
}

/// Decodes varints of one or two bytes. Numbers of 14 bits are treated as signed 16-bit values;
/// widening keeps their signs.
///
/// ```text
/// unit       1bbbbbbb .aaaaaaa or 0bbbbbbb ........, the low byte first
/// followed   high bit of the low byte: the high byte follows
/// number     ..aaaaaaabbbbbbb or .........bbbbbbb
/// ```
#[target_feature(enable = "neon")]
#[inline]
fn decode_two<M: Mapping>(bytes: &[u8; 16], begins: u8, width: usize, to: &mut [Slot]) {
    let order = load(&TWO_FROM_EACH[usize::from(begins & 0x7f)]);
    let units = vreinterpretq_u16_u8(vqtbl1q_u8(load(bytes), order));
    let followed = vtstq_u16(units, vdupq_n_u16(0x80));
    let low = vandq_u16(units, vdupq_n_u16(0x7f));
    let high = vandq_u16(vshrq_n_u16::<1>(units), vdupq_n_u16(0x3f80));
    let numbers = vorrq_u16(low, vandq_u16(high, followed));
    let values = vreinterpretq_s16_u16(if M::ZIGZAG {
        veorq_u16(
            vshrq_n_u16::<1>(numbers),
            vtstq_u16(numbers, vdupq_n_u16(1)),
        )
    } else {
        numbers
    });
    let fours = [vmovl_s16(vget_low_s16(values)), vmovl_high_s16(values)];
    for i in 0..2 {
        if width == 4 {
            store(window_mut(to, 16 * i), vreinterpretq_u8_s32(fours[i]));
        } else {
            let low = vmovl_s32(vget_low_s32(fours[i]));
            let high = vmovl_high_s32(fours[i]);
            store(window_mut(to, 32 * i), vreinterpretq_u8_s64(low));
            store(window_mut(to, 32 * i + 16), vreinterpretq_u8_s64(high));
        }
    }
}

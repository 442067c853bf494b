//! NEON: a group of 16 bytes is one table lookup, whose indices come from a table.

use super::{Blocks, Plan};
use crate::backend::{Neon, neon};
use crate::memory::Slot;
use crate::simd::neon::{load, store};
use crate::simd::{window, window_mut};
use core::arch::aarch64::*;

neon! {
    impl Blocks for Neon {
        type Previous = uint8x16_t;
        fn previous<P: Plan>(value: u64) -> uint8x16_t = previous::<P>;
        fn decode<P: Plan>(codes: u32, data: &[u8; 80], values: &mut [Slot; 64], previous: &mut uint8x16_t) -> usize = decode::<P>;
        fn widen<P: Plan>(data: &[u8; 16], values: &mut [Slot; 64], previous: &mut uint8x16_t) = widen::<P>;
        fn encode<P: Plan>(values: &[u8; 64], before: &[u8; 64], data: &mut [Slot; 80]) -> (u32, usize) = encode::<P>;
    }
}

/// A value in all lanes.
#[target_feature(enable = "neon")]
#[inline]
fn previous<P: Plan>(value: u64) -> uint8x16_t {
    match P::WIDTH {
        4 => vreinterpretq_u8_u32(vdupq_n_u32(value as u32)),
        _ => vreinterpretq_u8_u64(vdupq_n_u64(value)),
    }
}

#[target_feature(enable = "neon")]
#[inline]
fn decode<P: Plan>(
    codes: u32,
    data: &[u8; 80],
    values: &mut [Slot; 64],
    previous: &mut uint8x16_t,
) -> usize {
    let mut at = 0;
    for i in 0..4 {
        let group = P::group(codes, i);
        // No more than 48 before the last group; the compiler sees 63.
        let stored = vqtbl1q_u8(load(window(data, at & 63)), load(&P::EXPAND[group]));
        let values_here = match P::WIDTH {
            4 => restore32::<P>(stored, previous),
            _ => restore64::<P>(stored, previous),
        };
        store(window_mut(values, 16 * i), values_here);
        at += usize::from(P::GROUP_LENGTHS[group]);
    }
    at
}

/// Sums of eight bytes fit 16 bits: one scan for eight values, and then they are widened.
#[target_feature(enable = "neon")]
#[inline]
fn widen<P: Plan>(data: &[u8; 16], values: &mut [Slot; 64], previous: &mut uint8x16_t) {
    let data = load(data);
    for i in 0..P::VALUES / 8 {
        let eight = if i == 0 {
            vget_low_u8(data)
        } else {
            vget_high_u8(data)
        };
        let mut words = vmovl_u8(eight);
        if P::ZIGZAG {
            let sign = vnegq_s16(vreinterpretq_s16_u16(vandq_u16(words, vdupq_n_u16(1))));
            words = veorq_u16(vshrq_n_u16::<1>(words), vreinterpretq_u16_s16(sign));
        }
        if P::DELTA {
            let zero = vdupq_n_u16(0);
            words = vaddq_u16(words, vextq_u16::<7>(zero, words));
            words = vaddq_u16(words, vextq_u16::<6>(zero, words));
            words = vaddq_u16(words, vextq_u16::<4>(zero, words));
        }
        let halves = [vget_low_u16(words), vget_high_u16(words)];
        let before = *previous;
        for k in 0..2 {
            let four = match P::ZIGZAG {
                true => vreinterpretq_u32_s32(vmovl_s16(vreinterpret_s16_u16(halves[k]))),
                false => vmovl_u16(halves[k]),
            };
            if P::WIDTH == 4 {
                let sums = vaddq_u32(four, vreinterpretq_u32_u8(before));
                let group = if P::DELTA { sums } else { four };
                store(
                    window_mut(values, 32 * i + 16 * k),
                    vreinterpretq_u8_u32(group),
                );
                *previous = vreinterpretq_u8_u32(vdupq_laneq_u32::<3>(sums));
                continue;
            }
            let pairs = [vget_low_u32(four), vget_high_u32(four)];
            for m in 0..2 {
                let two = match P::ZIGZAG {
                    true => vreinterpretq_u64_s64(vmovl_s32(vreinterpret_s32_u32(pairs[m]))),
                    false => vmovl_u32(pairs[m]),
                };
                let sums = vaddq_u64(two, vreinterpretq_u64_u8(before));
                let group = if P::DELTA { sums } else { two };
                store(
                    window_mut(values, 32 * k + 16 * m),
                    vreinterpretq_u8_u64(group),
                );
                *previous = vreinterpretq_u8_u64(vdupq_laneq_u64::<1>(sums));
            }
        }
    }
}

/// What is stored to the values: the lowest bit back to the sign, and each difference with those
/// before it added.
///
/// ```text
/// differences   a    b      c        d
/// one left      a    a+b    b+c      c+d
/// two left      a    a+b    a+b+c    a+b+c+d
/// ```
#[target_feature(enable = "neon")]
#[inline]
fn restore32<P: Plan>(stored: uint8x16_t, previous: &mut uint8x16_t) -> uint8x16_t {
    let mut values = vreinterpretq_u32_u8(stored);
    if P::ZIGZAG {
        let lowest = vreinterpretq_s32_u32(vandq_u32(values, vdupq_n_u32(1)));
        let sign = vreinterpretq_u32_s32(vnegq_s32(lowest));
        values = veorq_u32(vshrq_n_u32::<1>(values), sign);
    }
    if P::DELTA {
        let (zero, before) = (vdupq_n_u32(0), vreinterpretq_u32_u8(*previous));
        values = vaddq_u32(values, vextq_u32::<3>(zero, values));
        values = vaddq_u32(values, vextq_u32::<2>(zero, values));
        let last = vdupq_laneq_u32::<3>(values);
        values = vaddq_u32(values, before);
        *previous = vreinterpretq_u8_u32(vaddq_u32(before, last));
    }
    vreinterpretq_u8_u32(values)
}

/// As [`restore32`], two values.
#[target_feature(enable = "neon")]
#[inline]
fn restore64<P: Plan>(stored: uint8x16_t, previous: &mut uint8x16_t) -> uint8x16_t {
    let mut values = vreinterpretq_u64_u8(stored);
    if P::ZIGZAG {
        let lowest = vreinterpretq_s64_u64(vandq_u64(values, vdupq_n_u64(1)));
        let sign = vreinterpretq_u64_s64(vnegq_s64(lowest));
        values = veorq_u64(vshrq_n_u64::<1>(values), sign);
    }
    if P::DELTA {
        let before = vreinterpretq_u64_u8(*previous);
        values = vaddq_u64(values, vextq_u64::<1>(vdupq_n_u64(0), values));
        let last = vdupq_laneq_u64::<1>(values);
        values = vaddq_u64(values, before);
        *previous = vreinterpretq_u8_u64(vaddq_u64(before, last));
    }
    vreinterpretq_u8_u64(values)
}

#[target_feature(enable = "neon")]
#[inline]
fn encode<P: Plan>(values: &[u8; 64], before: &[u8; 64], data: &mut [Slot; 80]) -> (u32, usize) {
    let mut groups = [vdupq_n_u8(0); 4];
    for i in 0..4 {
        let (values, before) = (load(window(values, 16 * i)), load(window(before, 16 * i)));
        groups[i] = match P::WIDTH {
            4 => difference32::<P>(values, before),
            _ => difference64::<P>(values, before),
        };
    }
    let codes = codes::<P>(&groups);
    let mut at = 0;
    for i in 0..4 {
        let entry = &P::COMPRESS[P::group(codes, i)];
        let shuffle = load(window(entry, 0));
        store(window_mut(data, at & 63), vqtbl1q_u8(groups[i], shuffle));
        at += usize::from(entry[16]);
    }
    (codes, at)
}

/// The values to what is stored: differences, and the sign to the lowest bit.
#[target_feature(enable = "neon")]
#[inline]
fn difference32<P: Plan>(values: uint8x16_t, before: uint8x16_t) -> uint8x16_t {
    let mut stored = vreinterpretq_u32_u8(values);
    if P::DELTA {
        stored = vsubq_u32(stored, vreinterpretq_u32_u8(before));
    }
    if P::ZIGZAG {
        let signs = vshrq_n_s32::<31>(vreinterpretq_s32_u32(stored));
        stored = veorq_u32(vshlq_n_u32::<1>(stored), vreinterpretq_u32_s32(signs));
    }
    vreinterpretq_u8_u32(stored)
}

/// As [`difference32`], two values.
#[target_feature(enable = "neon")]
#[inline]
fn difference64<P: Plan>(values: uint8x16_t, before: uint8x16_t) -> uint8x16_t {
    let mut stored = vreinterpretq_u64_u8(values);
    if P::DELTA {
        stored = vsubq_u64(stored, vreinterpretq_u64_u8(before));
    }
    if P::ZIGZAG {
        let signs = vshrq_n_s64::<63>(vreinterpretq_s64_u64(stored));
        stored = veorq_u64(vshlq_n_u64::<1>(stored), vreinterpretq_u64_s64(signs));
    }
    vreinterpretq_u8_u64(stored)
}

/// The codes of a block, from the empty bytes that each number has before its highest one.
///
/// ```text
/// empty bytes         0   1   2   3   4
/// 1, 2, 3, 4 bytes    3   2   1   0   0    3 - empty, no less than 0
/// 0, 1, 2, 4 bytes    3   3   2   1   0    4 - empty, where 0 counts as 1
/// ```
#[target_feature(enable = "neon")]
#[inline]
fn codes<P: Plan>(groups: &[uint8x16_t; 4]) -> u32 {
    let mut numbers = [vdupq_n_u32(0); 4];
    for i in 0..4 {
        numbers[i] = match P::WIDTH {
            4 => vreinterpretq_u32_u8(groups[i]),
            _ => narrow(groups[2 * i & 2], groups[2 * i & 2 | 1]),
        };
        numbers[i] = vclzq_u32(numbers[i]);
    }
    let half = |a, b| {
        vreinterpretq_u8_u16(vuzp1q_u16(
            vreinterpretq_u16_u32(a),
            vreinterpretq_u16_u32(b),
        ))
    };
    let [a, b, c, d] = numbers;
    let empty = vshrq_n_u8::<3>(vuzp1q_u8(half(a, b), half(c, d)));
    let codes = match P::LENGTHS[0] {
        0 => vqsubq_u8(vdupq_n_u8(4), vmaxq_u8(empty, vdupq_n_u8(1))),
        _ => vqsubq_u8(vdupq_n_u8(3), empty),
    };
    // Each code to its two bits, and four of them to a byte.
    let places = vreinterpretq_u8_u32(vdupq_n_u32(0x4010_0401));
    let codes = vmulq_u8(codes, places);
    let codes = vpaddq_u8(codes, codes);
    let codes = vreinterpretq_u32_u8(vpaddq_u8(codes, codes));
    match P::WIDTH {
        4 => vgetq_lane_u32::<0>(codes),
        _ => vgetq_lane_u32::<0>(codes) & 0xffff,
    }
}

/// Of four numbers of 64 bits, numbers that have in 1, 2, 3 or 4 bytes the code that those have in
/// 1, 2, 4 or 8: the lower halves, what has three bytes or more to three, and four bytes if the
/// upper half is not zero.
#[target_feature(enable = "neon")]
#[inline]
fn narrow(a: uint8x16_t, b: uint8x16_t) -> uint32x4_t {
    let (a, b) = (vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b));
    let low = vminq_u32(vuzp1q_u32(a, b), vdupq_n_u32(0x1_0000));
    let high = vuzp2q_u32(a, b);
    vorrq_u32(
        low,
        vandq_u32(vtstq_u32(high, high), vdupq_n_u32(0x100_0000)),
    )
}

//! NEON: a group of 16 bytes is one table lookup, with indices from a table.

use crate::backend::Neon;
use crate::codec::stream_vbyte::Blocks;
use crate::codec::stream_vbyte::plan::{Compress, Expand, Plan};
use crate::memory::Slot;
use crate::simd::neon::{load, store};
use crate::simd::{Stride, Strides, StridesMut, implement, window, window_mut};
use core::arch::aarch64::*;

implement! {
    impl Blocks for Neon {
        type Previous = uint8x16_t;
        type Ahead = ([uint8x16_t; 4], u32);
        fn previous<P: Plan>(value: u64) -> uint8x16_t = previous::<P>;
        fn last<P: Plan>(previous: uint8x16_t) -> u64 = last_value;
        fn decode<P: Expand>(plan: P, codes: u32, data: &[u8; 64], values: &mut [Slot; 64], previous: &mut uint8x16_t) -> Stride<64> = decode::<P>;
        fn widen<P: Expand>(plan: P, data: &[u8; 16], values: &mut [Slot; 64], previous: &mut uint8x16_t) = widen::<P>;
        fn ahead<P: Compress>(plan: P, values: &[u8; 64], previous: &mut uint8x16_t) -> ([uint8x16_t; 4], u32) = ahead::<P>;
        fn encode<P: Compress>(plan: P, values: &[u8; 64], ahead: ([uint8x16_t; 4], u32), data: &mut [Slot; 64]) -> (u32, Stride<64>) = encode::<P>;
    }
}

/// Broadcasts a value to all lanes.
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
fn last_value(previous: uint8x16_t) -> u64 {
    vgetq_lane_u64::<0>(vreinterpretq_u64_u8(previous))
}

#[target_feature(enable = "neon")]
#[inline]
fn decode<P: Expand>(
    plan: P,
    codes: u32,
    data: &[u8; 64],
    values: &mut [Slot; 64],
    previous: &mut uint8x16_t,
) -> Stride<64> {
    let mut data = Strides::new(data);
    let mut groups = [vdupq_n_u8(0); 4];
    for i in 0..4 {
        let entry = plan.expand(P::group(codes, i));
        groups[i] = vqtbl1q_u8(load(data.here()), load(&entry.places));
        data.pass(entry.length);
    }
    if plan.zigzag() {
        for i in 0..4 {
            groups[i] = unzigzag::<P>(groups[i]);
        }
    }
    if plan.delta() {
        for i in 0..4 {
            groups[i] = match P::WIDTH {
                4 => sums32(groups[i], previous),
                _ => sums64(groups[i], previous),
            };
        }
    }
    for i in 0..4 {
        store(window_mut(values, 16 * i), groups[i]);
    }
    data.passed()
}

/// Sums of eight bytes fit in 16 bits: one scan for eight values, which are then widened.
#[target_feature(enable = "neon")]
#[inline]
fn widen<P: Expand>(plan: P, data: &[u8; 16], values: &mut [Slot; 64], previous: &mut uint8x16_t) {
    let data = load(data);
    for i in 0..P::VALUES / 8 {
        let eight = if i == 0 {
            vget_low_u8(data)
        } else {
            vget_high_u8(data)
        };
        let mut words = vmovl_u8(eight);
        if plan.zigzag() {
            let sign = vnegq_s16(vreinterpretq_s16_u16(vandq_u16(words, vdupq_n_u16(1))));
            words = veorq_u16(vshrq_n_u16::<1>(words), vreinterpretq_u16_s16(sign));
        }
        if plan.delta() {
            let zero = vdupq_n_u16(0);
            words = vaddq_u16(words, vextq_u16::<7>(zero, words));
            words = vaddq_u16(words, vextq_u16::<6>(zero, words));
            words = vaddq_u16(words, vextq_u16::<4>(zero, words));
        }
        // Unsigned words are small enough to be treated as signed ones.
        let words = vreinterpretq_s16_u16(words);
        let halves = [vget_low_s16(words), vget_high_s16(words)];
        let before = *previous;
        for k in 0..2 {
            let four = vmovl_s16(halves[k]);
            if P::WIDTH == 4 {
                let mut group = vreinterpretq_u32_s32(four);
                if plan.delta() {
                    group = vaddq_u32(group, vreinterpretq_u32_u8(before));
                    *previous = vreinterpretq_u8_u32(vdupq_laneq_u32::<3>(group));
                }
                let to = window_mut(values, 32 * i + 16 * k);
                store(to, vreinterpretq_u8_u32(group));
                continue;
            }
            let pairs = [vget_low_s32(four), vget_high_s32(four)];
            for m in 0..2 {
                let mut group = vreinterpretq_u64_s64(vmovl_s32(pairs[m]));
                if plan.delta() {
                    group = vaddq_u64(group, vreinterpretq_u64_u8(before));
                    *previous = vreinterpretq_u8_u64(vdupq_laneq_u64::<1>(group));
                }
                let to = window_mut(values, 32 * k + 16 * m);
                store(to, vreinterpretq_u8_u64(group));
            }
        }
    }
}

/// Moves the lowest bit back to the sign.
#[target_feature(enable = "neon")]
#[inline]
fn unzigzag<P: Plan>(stored: uint8x16_t) -> uint8x16_t {
    if P::WIDTH == 4 {
        let stored = vreinterpretq_u32_u8(stored);
        let lowest = vreinterpretq_s32_u32(vandq_u32(stored, vdupq_n_u32(1)));
        let sign = vreinterpretq_u32_s32(vnegq_s32(lowest));
        return vreinterpretq_u8_u32(veorq_u32(vshrq_n_u32::<1>(stored), sign));
    }
    let stored = vreinterpretq_u64_u8(stored);
    let lowest = vreinterpretq_s64_u64(vandq_u64(stored, vdupq_n_u64(1)));
    let sign = vreinterpretq_u64_s64(vnegq_s64(lowest));
    vreinterpretq_u8_u64(veorq_u64(vshrq_n_u64::<1>(stored), sign))
}

/// Computes running sums of the differences, plus the value before all of them.
///
/// ```text
/// differences   a    b      c        d
/// one left      a    a+b    b+c      c+d
/// two left      a    a+b    a+b+c    a+b+c+d
/// ```
#[target_feature(enable = "neon")]
#[inline]
fn sums32(differences: uint8x16_t, previous: &mut uint8x16_t) -> uint8x16_t {
    let (zero, before) = (vdupq_n_u32(0), vreinterpretq_u32_u8(*previous));
    let mut sums = vreinterpretq_u32_u8(differences);
    sums = vaddq_u32(sums, vextq_u32::<3>(zero, sums));
    sums = vaddq_u32(sums, vextq_u32::<2>(zero, sums));
    *previous = vreinterpretq_u8_u32(vaddq_u32(before, vdupq_laneq_u32::<3>(sums)));
    vreinterpretq_u8_u32(vaddq_u32(sums, before))
}

/// Same as [`sums32`], for two values.
#[target_feature(enable = "neon")]
#[inline]
fn sums64(differences: uint8x16_t, previous: &mut uint8x16_t) -> uint8x16_t {
    let before = vreinterpretq_u64_u8(*previous);
    let mut sums = vreinterpretq_u64_u8(differences);
    sums = vaddq_u64(sums, vextq_u64::<1>(vdupq_n_u64(0), sums));
    *previous = vreinterpretq_u8_u64(vaddq_u64(before, vdupq_laneq_u64::<1>(sums)));
    vreinterpretq_u8_u64(vaddq_u64(sums, before))
}

#[target_feature(enable = "neon")]
#[inline]
fn ahead<P: Compress>(
    plan: P,
    values: &[u8; 64],
    previous: &mut uint8x16_t,
) -> ([uint8x16_t; 4], u32) {
    let mut groups = [vdupq_n_u8(0); 4];
    for i in 0..4 {
        groups[i] = load(window(values, 16 * i));
    }
    if plan.delta() {
        for i in 0..4 {
            let values = groups[i];
            // The last value of the previous group, and all but the last of this one.
            let before = match P::WIDTH {
                4 => vextq_u8::<12>(*previous, values),
                _ => vextq_u8::<8>(*previous, values),
            };
            groups[i] = difference::<P>(values, before);
            *previous = values;
        }
    }
    if plan.zigzag() {
        for i in 0..4 {
            groups[i] = zigzag::<P>(groups[i]);
        }
    }
    (groups, codes(plan, &groups))
}

#[target_feature(enable = "neon")]
#[inline]
fn encode<P: Compress>(
    plan: P,
    _values: &[u8; 64],
    (groups, codes): ([uint8x16_t; 4], u32),
    data: &mut [Slot; 64],
) -> (u32, Stride<64>) {
    let mut data = StridesMut::new(data);
    for i in 0..4 {
        let entry = plan.compress(P::group(codes, i));
        store(data.here(), vqtbl1q_u8(groups[i], load(&entry.places)));
        data.pass(entry.length);
    }
    (codes, data.passed())
}

#[target_feature(enable = "neon")]
#[inline]
fn difference<P: Plan>(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
    match P::WIDTH {
        4 => vreinterpretq_u8_u32(vsubq_u32(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b))),
        _ => vreinterpretq_u8_u64(vsubq_u64(vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b))),
    }
}

/// Moves the sign to the lowest bit.
#[target_feature(enable = "neon")]
#[inline]
fn zigzag<P: Plan>(values: uint8x16_t) -> uint8x16_t {
    if P::WIDTH == 4 {
        let signs = vshrq_n_s32::<31>(vreinterpretq_s32_u8(values));
        let doubled = vshlq_n_u32::<1>(vreinterpretq_u32_u8(values));
        return vreinterpretq_u8_u32(veorq_u32(doubled, vreinterpretq_u32_s32(signs)));
    }
    let signs = vshrq_n_s64::<63>(vreinterpretq_s64_u8(values));
    let doubled = vshlq_n_u64::<1>(vreinterpretq_u64_u8(values));
    vreinterpretq_u8_u64(veorq_u64(doubled, vreinterpretq_u64_s64(signs)))
}

/// Computes the codes of a block from the number of empty bytes above the highest used byte of each
/// number.
///
/// ```text
/// empty bytes         0   1   2   3   4
/// 1, 2, 3, 4 bytes    3   2   1   0   0    3 - empty, no less than 0
/// 0, 1, 2, 4 bytes    3   3   2   1   0    4 - empty, where 0 counts as 1
/// ```
#[target_feature(enable = "neon")]
#[inline]
fn codes<P: Plan>(plan: P, groups: &[uint8x16_t; 4]) -> u32 {
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
    // The empty bytes of the lowest code, and how many empty bytes are ignored.
    let (most, few) = if plan.zeros() { (4, 1) } else { (3, 0) };
    let codes = vqsubq_u8(vdupq_n_u8(most), vmaxq_u8(empty, vdupq_n_u8(few)));
    // Reduces each code to its two bits, and joins four codes to a byte.
    let places = vreinterpretq_u8_u32(vdupq_n_u32(0x4010_0401));
    let codes = vmulq_u8(codes, places);
    let codes = vpaddq_u8(codes, codes);
    let codes = vreinterpretq_u32_u8(vpaddq_u8(codes, codes));
    match P::WIDTH {
        4 => vgetq_lane_u32::<0>(codes),
        _ => vgetq_lane_u32::<0>(codes) & 0xffff,
    }
}

/// Replaces four 64-bit numbers with numbers whose code for 1, 2, 3 or 4 bytes is the given
/// number's code for 1, 2, 4 or 8: the lower halves, with three bytes or more cut to three, and
/// four bytes if the upper half is not zero.
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

//! NEON: all conversions exist. Conversions to integers saturate.

use crate::backend::Neon;
use crate::codec::alp::{Conversion, Costs, Decimal, Powers, Steps, encode, kernel, tolerance};
use crate::codec::bit_packing::arch::neon::{Unpacker, splat};
use crate::codec::bit_packing::{WINDOW, from_ne_bytes};
use crate::memory::{Each, Slot};
use crate::simd::neon::{load, store};
use crate::simd::{Windows, implement, window, window_mut};
use core::arch::aarch64::*;

implement! {
    impl<const K: usize> Steps<K> for Neon {
        const BIAS: u64 = 0;
        type Number = uint8x16_t;
        type Found = ([uint8x16_t; 2], usize);
        type Limits = [uint8x16_t; 2];
        fn numbers(numbers: [u64; 2]) -> [uint8x16_t; 2] = splat_numbers::<K>;
        fn limits(limits: [i64; 2]) -> [uint8x16_t; 2] = splat_limits::<K>;
        fn nothing() -> ([uint8x16_t; 2], usize) = nothing::<K>;
        fn weigh(powers: &Powers<uint8x16_t>, limits: &[uint8x16_t; 2], from: &[u8; 64], found: &mut ([uint8x16_t; 2], usize)) = weigh::<K>;
        fn weigh_blocks(powers: &Powers<uint8x16_t>, limits: &[uint8x16_t; 2], from: &[[u8; 64]], costs: Costs, found: &mut ([uint8x16_t; 2], usize)) -> bool => encode::weigh_blocks::<K, _>;
        fn count(found: ([uint8x16_t; 2], usize)) -> usize = count;
        fn ends(found: ([uint8x16_t; 2], usize)) -> [i64; 2] = ends::<K>;
        fn likely(power: u64, from: &[u8; 64]) -> u32 = likely::<K>;
        fn integers(powers: &Powers<uint8x16_t>, limits: &[uint8x16_t; 2], other: u64, from: &[u8; 64], to: &mut [u8; 64]) -> u32 = integers::<K>;
        fn integer_blocks(powers: &Powers<uint8x16_t>, limits: &[uint8x16_t; 2], other: u64, from: &[[u8; 64]], to: &mut [[u8; 64]], exceptions: &mut [u32]) => encode::integer_blocks::<K, _>;
    }
}

implement! {
    impl<const K: usize> Decimal<K> for Neon {
        fn floats<C: Conversion>(plan: &Unpacker<K>, powers: &[uint8x16_t; 2], from: &[u8; WINDOW], to: &mut [Slot; 64]) = floats::<K, C>;
        fn blocks<C: Conversion>(plan: &Unpacker<K>, powers: &[uint8x16_t; 2], windows: &Windows<'_, WINDOW>, to: &mut [[Slot; 64]]) => kernel::blocks::<K, _, C>;
    }
}

/// Broadcasts `K`-byte numbers to all lanes.
#[target_feature(enable = "neon")]
#[inline]
fn splat_numbers<const K: usize>(numbers: [u64; 2]) -> [uint8x16_t; 2] {
    numbers.each(|number| splat::<K>(number))
}

/// Multiplies `K`-byte numbers.
#[target_feature(enable = "neon")]
#[inline]
fn multiply<const K: usize>(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
    match K {
        4 => {
            let product = vmulq_f32(vreinterpretq_f32_u8(a), vreinterpretq_f32_u8(b));
            vreinterpretq_u8_f32(product)
        }
        _ => {
            let product = vmulq_f64(vreinterpretq_f64_u8(a), vreinterpretq_f64_u8(b));
            vreinterpretq_u8_f64(product)
        }
    }
}

/// Converts integers back to values.
#[target_feature(enable = "neon")]
#[inline]
fn values<const K: usize>(powers: &[uint8x16_t; 2], integers: uint8x16_t) -> uint8x16_t {
    product::<K>(powers, converted::<K>(integers))
}

/// Multiplies numbers by two powers.
#[target_feature(enable = "neon")]
#[inline]
fn product<const K: usize>([first, second]: &[uint8x16_t; 2], number: uint8x16_t) -> uint8x16_t {
    multiply::<K>(multiply::<K>(number, *first), *second)
}

/// Converts integers to floating-point numbers.
#[target_feature(enable = "neon")]
#[inline]
fn converted<const K: usize>(integers: uint8x16_t) -> uint8x16_t {
    match K {
        4 => vreinterpretq_u8_f32(vcvtq_f32_s32(vreinterpretq_s32_u8(integers))),
        _ => vreinterpretq_u8_f64(vcvtq_f64_s64(vreinterpretq_s64_u8(integers))),
    }
}

#[target_feature(enable = "neon")]
#[inline]
fn floats<const K: usize, C: Conversion>(
    plan: &Unpacker<K>,
    powers: &[uint8x16_t; 2],
    from: &[u8; WINDOW],
    to: &mut [Slot; 64],
) {
    for i in 0..4 {
        let integers = plan.unpacked::<C>(from, i);
        store(window_mut(to, 16 * i), values::<K>(powers, integers));
    }
}

#[target_feature(enable = "neon")]
#[inline]
fn splat_limits<const K: usize>(limits: [i64; 2]) -> [uint8x16_t; 2] {
    limits.each(|limit| splat::<K>(limit.cast_unsigned()))
}

/// Converts values to integers. Returns them, and ones in the lanes that are within limits and
/// convert back to the same value.
#[target_feature(enable = "neon")]
#[inline]
fn found<const K: usize>(
    powers: &Powers<uint8x16_t>,
    [least, greatest]: &[uint8x16_t; 2],
    values: uint8x16_t,
) -> [uint8x16_t; 2] {
    // For 8-byte numbers, the other power is 1.
    let numbers = match K {
        4 => product::<K>(&powers.to_integer, values),
        _ => multiply::<K>(values, powers.to_integer[0]),
    };
    // Numbers out of range saturate.
    let integers = match K {
        4 => vreinterpretq_u8_s32(vcvtnq_s32_f32(vreinterpretq_f32_u8(numbers))),
        _ => vreinterpretq_u8_s64(vcvtnq_s64_f64(vreinterpretq_f64_u8(numbers))),
    };
    let again = self::values::<K>(&powers.to_value, integers);
    let beyond = vorrq_u8(less::<K>(integers, *least), less::<K>(*greatest, integers));
    [integers, vbicq_u8(equal::<K>(again, values), beyond)]
}

/// Returns ones in the lanes where `K`-byte values are equal.
#[target_feature(enable = "neon")]
#[inline]
fn equal<const K: usize>(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
    match K {
        4 => {
            let [a, b] = [a, b].each(|values| vreinterpretq_u32_u8(values));
            vreinterpretq_u8_u32(vceqq_u32(a, b))
        }
        _ => {
            let [a, b] = [a, b].each(|values| vreinterpretq_u64_u8(values));
            vreinterpretq_u8_u64(vceqq_u64(a, b))
        }
    }
}

#[target_feature(enable = "neon")]
#[inline]
fn nothing<const K: usize>() -> ([uint8x16_t; 2], usize) {
    let ends = match K {
        4 => [splat::<4>(0x7fff_ffff), splat::<4>(0x8000_0000)],
        _ => [splat::<8>(!0 >> 1), splat::<8>(1 << 63)],
    };
    (ends, 0)
}

#[target_feature(enable = "neon")]
#[inline]
fn weigh<const K: usize>(
    powers: &Powers<uint8x16_t>,
    limits: &[uint8x16_t; 2],
    from: &[u8; 64],
    (ends, count): &mut ([uint8x16_t; 2], usize),
) {
    let mut exceptions = 0;
    for i in 0..4 {
        let [integers, same] = found::<K>(powers, limits, load(window(from, 16 * i)));
        let [least, greatest] = *ends;
        *ends = [
            vbslq_u8(vandq_u8(same, less::<K>(integers, least)), integers, least),
            vbslq_u8(
                vandq_u8(same, less::<K>(greatest, integers)),
                integers,
                greatest,
            ),
        ];
        exceptions |= exceptions_of::<K>(same) << (16 / K * i);
    }
    *count += 64 / K - exceptions.count_ones() as usize;
}

#[inline(always)]
fn count((_, count): ([uint8x16_t; 2], usize)) -> usize {
    count
}

/// Returns ones in the lanes where `K`-byte integers of `a` are less than those of `b`.
#[target_feature(enable = "neon")]
#[inline]
fn less<const K: usize>(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
    match K {
        4 => {
            let [a, b] = [a, b].each(|values| vreinterpretq_s32_u8(values));
            vreinterpretq_u8_u32(vcltq_s32(a, b))
        }
        _ => {
            let [a, b] = [a, b].each(|values| vreinterpretq_s64_u8(values));
            vreinterpretq_u8_u64(vcltq_s64(a, b))
        }
    }
}

/// Returns one bit per value, set for exceptions.
#[target_feature(enable = "neon")]
#[inline]
fn exceptions_of<const K: usize>(same: uint8x16_t) -> u32 {
    match K {
        4 => {
            let places =
                vreinterpretq_u32_u8(load(&[1, 0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0, 8, 0, 0, 0]));
            vaddvq_u32(vbicq_u32(places, vreinterpretq_u32_u8(same)))
        }
        _ => {
            let same = vreinterpretq_u64_u8(same);
            let [low, high] = [vgetq_lane_u64::<0>(same), vgetq_lane_u64::<1>(same)];
            (!low & 1 | (!high & 1) << 1) as u32
        }
    }
}

#[target_feature(enable = "neon")]
#[inline]
fn ends<const K: usize>(([least, greatest], _): ([uint8x16_t; 2], usize)) -> [i64; 2] {
    let mut ends = [[0; 16]; 2];
    store(&mut ends[0], least);
    store(&mut ends[1], greatest);
    let number = |&number: &[u8; K]| match K {
        4 => i64::from(from_ne_bytes(number) as i32),
        _ => from_ne_bytes(number).cast_signed(),
    };
    let [least, greatest] = ends
        .each_ref()
        .map(|end| end.as_chunks().0.iter().map(number));
    [
        least.fold(i64::MAX, i64::min),
        greatest.fold(i64::MIN, i64::max),
    ]
}

#[target_feature(enable = "neon")]
#[inline]
fn likely<const K: usize>(power: u64, from: &[u8; 64]) -> u32 {
    let [share, greatest] = tolerance::<K>().each(|bits| splat::<K>(bits));
    let power = splat::<K>(power);
    let mut others = 0;
    for i in 0..4 {
        let product = multiply::<K>(load(window(from, 16 * i)), power);
        let tolerance = multiply::<K>(product, share);
        // These comparisons are of absolute values.
        let likely = match K {
            4 => {
                let product = vreinterpretq_f32_u8(product);
                let distance = vsubq_f32(product, vrndnq_f32(product));
                let near = vcaleq_f32(distance, vreinterpretq_f32_u8(tolerance));
                let within = vcaleq_f32(product, vreinterpretq_f32_u8(greatest));
                vreinterpretq_u8_u32(vandq_u32(near, within))
            }
            _ => {
                let product = vreinterpretq_f64_u8(product);
                let distance = vsubq_f64(product, vrndnq_f64(product));
                let near = vcaleq_f64(distance, vreinterpretq_f64_u8(tolerance));
                let within = vcaleq_f64(product, vreinterpretq_f64_u8(greatest));
                vreinterpretq_u8_u64(vandq_u64(near, within))
            }
        };
        others |= exceptions_of::<K>(likely) << (16 / K * i);
    }
    !others & u32::MAX >> (32 - 64 / K)
}

#[target_feature(enable = "neon")]
#[inline]
fn integers<const K: usize>(
    powers: &Powers<uint8x16_t>,
    limits: &[uint8x16_t; 2],
    other: u64,
    from: &[u8; 64],
    to: &mut [u8; 64],
) -> u32 {
    let mut exceptions = 0;
    for i in 0..4 {
        let [integers, same] = found::<K>(powers, limits, load(window(from, 16 * i)));
        store(
            window_mut(to, 16 * i),
            vbslq_u8(same, integers, splat::<K>(other)),
        );
        exceptions |= exceptions_of::<K>(same) << (16 / K * i);
    }
    exceptions
}

//! AVX-512: all conversions exist, and comparisons give masks.

use crate::backend::Avx512;
use crate::codec::alp::{Conversion, Decimal, Powers, Steps, encode, kernel};
use crate::codec::bit_packing::WINDOW;
use crate::codec::bit_packing::arch::avx512::{Unpacker, splat, sub};
use crate::memory::Slot;
use crate::simd::avx512::{load, load_up_to, store, store_up_to};
use crate::simd::{Windows, implement, window};
use core::arch::x86_64::*;

implement! {
    impl<const K: usize> Steps<K> for Avx512 {
        const BIAS: u64 = 0;
        type Number = __m512i;
        type Range = [__m512i; 2];
        type Limits = [__m512i; 2];
        fn numbers(numbers: [u64; 2]) -> [__m512i; 2] = splat_numbers::<K>;
        fn limits(limits: [i64; 2]) -> [__m512i; 2] = splat_limits::<K>;
        fn range() -> [__m512i; 2] = no_range::<K>;
        fn weigh(powers: &Powers<__m512i>, limits: &[__m512i; 2], from: &[u8; 64], range: &mut [__m512i; 2]) -> u32 = weigh::<K>;
        fn weigh_blocks(powers: &Powers<__m512i>, limits: &[__m512i; 2], from: &[[u8; 64]], most: usize, range: &mut [__m512i; 2]) -> Option<usize> => encode::weigh_blocks::<K, _>;
        fn ends(range: [__m512i; 2]) -> [i64; 2] = ends::<K>;
        fn integers(powers: &Powers<__m512i>, limits: &[__m512i; 2], other: u64, from: &[u8; 64], to: &mut [u8; 64]) -> u32 = integers::<K>;
        fn integer_blocks(powers: &Powers<__m512i>, limits: &[__m512i; 2], other: u64, from: &[[u8; 64]], to: &mut [[u8; 64]], exceptions: &mut [u32]) => encode::integer_blocks::<K, _>;
    }
}

implement! {
    impl<const K: usize> Decimal<K> for Avx512 {
        fn floats<C: Conversion>(plan: &Unpacker<K>, powers: &[__m512i; 2], from: &[u8; WINDOW], to: &mut [Slot; 64]) = floats::<K, C>;
        fn blocks<C: Conversion>(plan: &Unpacker<K>, powers: &[__m512i; 2], windows: &Windows<'_, WINDOW>, to: &mut [[Slot; 64]]) => kernel::blocks::<K, _, C>;
        fn rest<C: Conversion>(plan: &Unpacker<K>, powers: &[__m512i; 2], stride: usize, src: &[u8], dst: &mut [Slot]) => rest::<K, C>;
    }
}

/// Broadcasts `K`-byte numbers to all lanes.
#[target_feature(enable = "avx512bw")]
#[inline]
fn splat_numbers<const K: usize>(numbers: [u64; 2]) -> [__m512i; 2] {
    numbers.map(|number| splat::<K>(number))
}

/// Multiplies `K`-byte numbers.
#[target_feature(enable = "avx512f")]
#[inline]
fn multiply<const K: usize>(a: __m512i, b: __m512i) -> __m512i {
    match K {
        4 => {
            let product = _mm512_mul_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b));
            _mm512_castps_si512(product)
        }
        _ => {
            let product = _mm512_mul_pd(_mm512_castsi512_pd(a), _mm512_castsi512_pd(b));
            _mm512_castpd_si512(product)
        }
    }
}

/// Converts integers back to values.
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
fn values<const K: usize>(powers: &[__m512i; 2], integers: __m512i) -> __m512i {
    product::<K>(powers, converted::<K>(integers))
}

/// Multiplies numbers by two powers.
#[target_feature(enable = "avx512f")]
#[inline]
fn product<const K: usize>([first, second]: &[__m512i; 2], number: __m512i) -> __m512i {
    multiply::<K>(multiply::<K>(number, *first), *second)
}

/// Converts integers to floating-point numbers.
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
fn converted<const K: usize>(integers: __m512i) -> __m512i {
    match K {
        4 => _mm512_castps_si512(_mm512_cvtepi32_ps(integers)),
        _ => _mm512_castpd_si512(_mm512_cvtepi64_pd(integers)),
    }
}

/// Rounds to the nearest integers, ties to even. Numbers out of range become the least integer.
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
fn nearest<const K: usize>(numbers: __m512i) -> __m512i {
    match K {
        4 => _mm512_cvtps_epi32(_mm512_castsi512_ps(numbers)),
        _ => _mm512_cvtpd_epi64(_mm512_castsi512_pd(numbers)),
    }
}

#[target_feature(enable = "avx512bw,avx512vbmi,avx512dq")]
#[inline]
fn floats<const K: usize, C: Conversion>(
    plan: &Unpacker<K>,
    powers: &[__m512i; 2],
    from: &[u8; WINDOW],
    to: &mut [Slot; 64],
) {
    let integers = plan.unpacked::<C>(load(window(from, 0)));
    store(to, values::<K>(powers, integers));
}

#[target_feature(enable = "avx512bw,avx512vbmi,avx512dq,bmi2")]
#[inline]
fn rest<const K: usize, C: Conversion>(
    _: Avx512,
    plan: &Unpacker<K>,
    powers: &[__m512i; 2],
    stride: usize,
    mut src: &[u8],
    dst: &mut [Slot],
) {
    for block in dst.chunks_mut(64) {
        let integers = plan.unpacked::<C>(load_up_to(src));
        store_up_to(block, values::<K>(powers, integers));
        src = src.get(stride..).unwrap_or_default();
    }
}

/// Broadcasts the least integer, and the distance from it to the greatest one.
#[target_feature(enable = "avx512bw")]
#[inline]
fn splat_limits<const K: usize>([least, greatest]: [i64; 2]) -> [__m512i; 2] {
    let range = greatest.wrapping_sub(least);
    [least, range].map(|limit| splat::<K>(limit.cast_unsigned()))
}

/// Converts values to integers. Returns a mask of those that are within limits and convert back to
/// the same value.
#[target_feature(enable = "avx512bw,avx512dq")]
#[inline]
fn found<const K: usize>(
    powers: &Powers<__m512i>,
    [least, range]: &[__m512i; 2],
    values: __m512i,
) -> (__m512i, u16) {
    let integers = nearest::<K>(product::<K>(&powers.to_integer, values));
    let again = self::values::<K>(&powers.to_value, integers);
    let distances = sub::<K>(integers, *least);
    let same = match K {
        4 => {
            let same = _mm512_cmpeq_epi32_mask(again, values);
            _mm512_mask_cmple_epu32_mask(same, distances, *range)
        }
        _ => {
            let same = _mm512_cmpeq_epi64_mask(again, values);
            u16::from(_mm512_mask_cmple_epu64_mask(same, distances, *range))
        }
    };
    (integers, same)
}

#[target_feature(enable = "avx512f")]
#[inline]
fn no_range<const K: usize>() -> [__m512i; 2] {
    match K {
        4 => [_mm512_set1_epi32(i32::MAX), _mm512_set1_epi32(i32::MIN)],
        _ => [_mm512_set1_epi64(i64::MAX), _mm512_set1_epi64(i64::MIN)],
    }
}

#[target_feature(enable = "avx512bw,avx512dq")]
#[inline]
fn weigh<const K: usize>(
    powers: &Powers<__m512i>,
    limits: &[__m512i; 2],
    from: &[u8; 64],
    range: &mut [__m512i; 2],
) -> u32 {
    let (integers, same) = found::<K>(powers, limits, load(from));
    let [least, greatest] = *range;
    *range = match K {
        4 => [
            _mm512_mask_min_epi32(least, same, least, integers),
            _mm512_mask_max_epi32(greatest, same, greatest, integers),
        ],
        _ => [
            _mm512_mask_min_epi64(least, same as u8, least, integers),
            _mm512_mask_max_epi64(greatest, same as u8, greatest, integers),
        ],
    };
    exceptions::<K>(same)
}

/// Returns one bit per value, set for exceptions.
#[inline(always)]
fn exceptions<const K: usize>(same: u16) -> u32 {
    match K {
        4 => u32::from(!same),
        _ => u32::from(!same as u8),
    }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn ends<const K: usize>([least, greatest]: [__m512i; 2]) -> [i64; 2] {
    match K {
        4 => [
            i64::from(_mm512_reduce_min_epi32(least)),
            i64::from(_mm512_reduce_max_epi32(greatest)),
        ],
        _ => [
            _mm512_reduce_min_epi64(least),
            _mm512_reduce_max_epi64(greatest),
        ],
    }
}

#[target_feature(enable = "avx512bw,avx512dq")]
#[inline]
fn integers<const K: usize>(
    powers: &Powers<__m512i>,
    limits: &[__m512i; 2],
    other: u64,
    from: &[u8; 64],
    to: &mut [u8; 64],
) -> u32 {
    let (integers, same) = found::<K>(powers, limits, load(from));
    let other = splat::<K>(other);
    let integers = match K {
        4 => _mm512_mask_mov_epi32(other, same, integers),
        _ => _mm512_mask_mov_epi64(other, same as u8, integers),
    };
    store(to, integers);
    exceptions::<K>(same)
}

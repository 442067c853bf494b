//! AVX-512: all conversions exist, and comparisons give masks.

use super::{Conversion, Decimal, Powers, Steps};
use crate::backend::Avx512;
use crate::codec::bit_packing::WINDOW;
use crate::codec::bit_packing::avx512::{Unpacker, splat, sub};
use crate::memory::Slot;
use crate::simd::avx512::{load, store};
use crate::simd::{implement, window};
use core::arch::x86_64::*;

implement! {
    impl<const K: usize> Steps<K> for Avx512 {
        const BIAS: u64 = 0;
        type Powers = [__m512i; 4];
        type Range = [__m512i; 2];
        type Limits = [__m512i; 2];
        fn powers(powers: Powers) -> [__m512i; 4] = splat_powers::<K>;
        fn limits(limits: [i64; 2]) -> [__m512i; 2] = splat_limits::<K>;
        fn range() -> [__m512i; 2] = no_range::<K>;
        fn weigh(powers: &[__m512i; 4], limits: &[__m512i; 2], from: &[u8; 64], range: &mut [__m512i; 2]) -> u32 = weigh::<K>;
        fn ends(range: [__m512i; 2]) -> [i64; 2] = ends::<K>;
        fn integers(powers: &[__m512i; 4], limits: &[__m512i; 2], other: u64, from: &[u8; 64], to: &mut [u8; 64]) -> u32 = integers::<K>;
    }
}

implement! {
    impl<const K: usize> Decimal<K> for Avx512 {
        fn floats<C: Conversion>(plan: &Unpacker<K>, powers: &[__m512i; 4], from: &[u8; WINDOW], to: &mut [Slot; 64]) = floats::<K, C>;
    }
}

/// Those to the integer, and those to the value.
#[target_feature(enable = "avx512bw")]
#[inline]
fn splat_powers<const K: usize>(powers: Powers) -> [__m512i; 4] {
    let ([first, second], [factor, exponent]) = (powers.to_integer, powers.to_value);
    [first, second, factor, exponent].map(|power| splat::<K>(power))
}

/// Products of numbers of K bytes.
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

/// The values of integers.
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
fn values<const K: usize>([.., factor, exponent]: &[__m512i; 4], integers: __m512i) -> __m512i {
    let product = multiply::<K>(converted::<K>(integers), *factor);
    multiply::<K>(product, *exponent)
}

/// Integers as floating-point numbers.
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
fn converted<const K: usize>(integers: __m512i) -> __m512i {
    match K {
        4 => _mm512_castps_si512(_mm512_cvtepi32_ps(integers)),
        _ => _mm512_castpd_si512(_mm512_cvtepi64_pd(integers)),
    }
}

/// The nearest integers, ties to even. What no integer is near to becomes the least one.
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
    powers: &[__m512i; 4],
    from: &[u8; WINDOW],
    to: &mut [Slot; 64],
) {
    let integers = plan.unpacked::<C>(load(window(from, 0)));
    store(to, values::<K>(powers, integers));
}

/// The least integer, and how far the greatest one is from it.
#[target_feature(enable = "avx512bw")]
#[inline]
fn splat_limits<const K: usize>([least, greatest]: [i64; 2]) -> [__m512i; 2] {
    let range = greatest.wrapping_sub(least);
    [least, range].map(|limit| splat::<K>(limit.cast_unsigned()))
}

/// The integers of values, and which of them are within limits and stand for their values.
#[target_feature(enable = "avx512bw,avx512dq")]
#[inline]
fn found<const K: usize>(
    powers: &[__m512i; 4],
    [least, range]: &[__m512i; 2],
    values: __m512i,
) -> (__m512i, u16) {
    let integers = nearest::<K>(multiply::<K>(multiply::<K>(values, powers[0]), powers[1]));
    let again = self::values::<K>(powers, integers);
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
    powers: &[__m512i; 4],
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

/// A bit for each value that has none.
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
    powers: &[__m512i; 4],
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

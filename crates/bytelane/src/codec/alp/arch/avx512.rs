//! AVX-512: all conversions exist, and comparisons give masks.

use crate::backend::Avx512;
use crate::codec::alp::{Conversion, Costs, Decimal, Powers, Steps, encode, kernel, tolerance};
use crate::codec::bit_packing::WINDOW;
use crate::codec::bit_packing::arch::avx512::{Unpacker, splat, sub};
use crate::memory::{Each, Slot};
use crate::simd::avx512::{load, load_up_to, store, store_up_to};
use crate::simd::{Windows, implement, window};
use core::arch::x86_64::*;

implement! {
    impl<const K: usize> Steps<K> for Avx512 {
        const BIAS: u64 = 0;
        type Number = __m512i;
        type Found = ([__m512i; 2], usize);
        type Limits = [__m512i; 2];
        fn numbers(numbers: [u64; 2]) -> [__m512i; 2] = splat_numbers::<K>;
        fn limits(limits: [i64; 2]) -> [__m512i; 2] = splat_limits::<K>;
        fn nothing() -> ([__m512i; 2], usize) = nothing::<K>;
        fn weigh(powers: &Powers<__m512i>, limits: &[__m512i; 2], from: &[u8; 64], found: &mut ([__m512i; 2], usize)) = weigh::<K>;
        fn weigh_blocks(powers: &Powers<__m512i>, limits: &[__m512i; 2], from: &[[u8; 64]], costs: Costs, found: &mut ([__m512i; 2], usize)) -> bool => encode::weigh_blocks::<K, _>;
        fn count(found: ([__m512i; 2], usize)) -> usize = count;
        fn ends(found: ([__m512i; 2], usize)) -> [i64; 2] = ends::<K>;
        fn likely(power: u64, from: &[u8; 64]) -> u32 = likely::<K>;
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
    numbers.each(|number| splat::<K>(number))
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
    [least, range].each(|limit| splat::<K>(limit.cast_unsigned()))
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
    // For 8-byte numbers, the other power is 1.
    let numbers = match K {
        4 => product::<K>(&powers.to_integer, values),
        _ => multiply::<K>(values, powers.to_integer[0]),
    };
    let integers = nearest::<K>(numbers);
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
fn nothing<const K: usize>() -> ([__m512i; 2], usize) {
    let ends = match K {
        4 => [_mm512_set1_epi32(i32::MAX), _mm512_set1_epi32(i32::MIN)],
        _ => [_mm512_set1_epi64(i64::MAX), _mm512_set1_epi64(i64::MIN)],
    };
    (ends, 0)
}

#[target_feature(enable = "avx512bw,avx512dq")]
#[inline]
fn weigh<const K: usize>(
    powers: &Powers<__m512i>,
    limits: &[__m512i; 2],
    from: &[u8; 64],
    (ends, count): &mut ([__m512i; 2], usize),
) {
    let (integers, same) = found::<K>(powers, limits, load(from));
    *count += same.count_ones() as usize;
    let [least, greatest] = *ends;
    *ends = match K {
        4 => [
            _mm512_mask_min_epi32(least, same, least, integers),
            _mm512_mask_max_epi32(greatest, same, greatest, integers),
        ],
        _ => [
            _mm512_mask_min_epi64(least, same as u8, least, integers),
            _mm512_mask_max_epi64(greatest, same as u8, greatest, integers),
        ],
    };
}

#[inline(always)]
fn count((_, count): ([__m512i; 2], usize)) -> usize {
    count
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
fn ends<const K: usize>(([least, greatest], _): ([__m512i; 2], usize)) -> [i64; 2] {
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
fn likely<const K: usize>(power: u64, from: &[u8; 64]) -> u32 {
    /// To the nearest integer, ties to even, without raising exceptions.
    const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
    let [share, greatest] = tolerance::<K>().each(|bits| splat::<K>(bits));
    let product = multiply::<K>(load(from), splat::<K>(power));
    let product = _mm512_and_si512(product, splat::<K>(!(1 << (8 * K - 1))));
    let tolerance = multiply::<K>(product, share);
    match K {
        4 => {
            let [product, tolerance, greatest] =
                [product, tolerance, greatest].each(|lanes| _mm512_castsi512_ps(lanes));
            let whole = _mm512_roundscale_ps::<NEAREST>(product);
            let distance = _mm512_abs_ps(_mm512_sub_ps(product, whole));
            let near = _mm512_cmp_ps_mask::<_CMP_LE_OQ>(distance, tolerance);
            u32::from(_mm512_mask_cmp_ps_mask::<_CMP_LE_OQ>(
                near, product, greatest,
            ))
        }
        _ => {
            let [product, tolerance, greatest] =
                [product, tolerance, greatest].each(|lanes| _mm512_castsi512_pd(lanes));
            let whole = _mm512_roundscale_pd::<NEAREST>(product);
            let distance = _mm512_abs_pd(_mm512_sub_pd(product, whole));
            let near = _mm512_cmp_pd_mask::<_CMP_LE_OQ>(distance, tolerance);
            u32::from(_mm512_mask_cmp_pd_mask::<_CMP_LE_OQ>(
                near, product, greatest,
            ))
        }
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

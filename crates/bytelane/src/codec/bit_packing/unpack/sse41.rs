//! SSE4.1: no instruction shifts each value by a number of bits of its own, but products do.

use super::{Means, Places, UnpackGroups, Width, groups};
use crate::backend::Sse41;
use crate::codec::bit_packing::arch::sse41::splat;
use crate::codec::bit_packing::layout::low_bits;
use crate::memory::{Each, Slot, pair};
use crate::simd::sse41::{load, opaque, opaque_in_place, store, store_low};
use crate::simd::{implement, window, window_mut};
use core::arch::x86_64::*;

implement! {
    impl<const K: usize> UnpackGroups<K> for Sse41 {
        const VECTOR: usize = 16;
        fn unpack_unit<W: Width>(from: &[u8], to: &mut [Slot]) = unpack_unit::<K, W>;
        fn unpack_group<W: Width>(from: &[u8], to: &mut [Slot]) = unpack::<K, 1, W>;
    }
}

#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn unpack_unit<const K: usize, W: Width>(from: &[u8], to: &mut [Slot]) {
    match const { groups(K, W::BITS, 16) } {
        1 => unpack::<K, 1, W>(from, to),
        2 => unpack::<K, 2, W>(from, to),
        _ => unpack::<K, 4, W>(from, to),
    }
}

/// Unpacks groups of eight values.
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
pub(super) fn unpack<const K: usize, const GROUPS: usize, W: Width>(from: &[u8], to: &mut [Slot]) {
    if K == 1 && GROUPS == 1 {
        let words = piece::<K, GROUPS, W>(from, 0);
        store_low(window_mut(to, 0), _mm_packus_epi16(words, words));
        return;
    }
    for i in 0..GROUPS * K / 2 {
        let values = match K {
            1 => {
                let low = piece::<K, GROUPS, W>(from, 2 * i);
                _mm_packus_epi16(low, piece::<K, GROUPS, W>(from, 2 * i + 1))
            }
            _ => piece::<K, GROUPS, W>(from, i),
        };
        store(window_mut(to, 16 * i), values);
    }
}

/// Returns all bytes of a unit of less than 16.
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
pub(super) fn short<const K: usize, const GROUPS: usize, W: Width>(from: &[u8]) -> __m128i {
    let unit = &from[..const { Places::<K, GROUPS, W>::LENGTH }];
    let [low, high] = pair(unit).each(u64::cast_signed);
    _mm_set_epi64x(high, low)
}

/// Returns 16 bytes of a unit, or all of it.
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn sixteen<const K: usize, const GROUPS: usize, W: Width>(from: &[u8], start: usize) -> __m128i {
    if const { Places::<K, GROUPS, W>::LENGTH < 16 } {
        short::<K, GROUPS, W>(from)
    } else {
        load(window(from, start))
    }
}

/// Returns a number of bits for a shift.
#[target_feature(enable = "sse4.1")]
#[inline]
pub(super) fn bits(count: usize) -> __m128i {
    _mm_cvtsi64_si128(count as i64)
}

/// Unpacks 16 bytes of values.
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn piece<const K: usize, const GROUPS: usize, W: Width>(from: &[u8], number: usize) -> __m128i {
    let place = &const { &Places::<K, GROUPS, W>::PIECES }[number];
    let mask = splat::<K>(const { low_bits(W::BITS) });
    let bytes = _mm_shuffle_epi8(
        sixteen::<K, GROUPS, W>(from, place.start),
        load(&place.bytes),
    );
    // LLVM would replace products by several shifts.
    match const { Places::<K, GROUPS, W>::MEANS } {
        Means::Bytes => bytes,
        Means::Product => {
            let tops = _mm_mullo_epi16(bytes, opaque(load(&place.factors)));
            _mm_srl_epi16(tops, bits(const { 16_usize.wrapping_sub(W::BITS) }))
        }
        Means::Sum => {
            let sums = _mm_madd_epi16(bytes, load(&place.factors));
            _mm_and_si128(_mm_srli_epi32::<7>(sums), mask)
        }
        Means::Shift => {
            let [even, odd] = [0, K % 16].each(|at| usize::from(place.shifts[at]));
            let [even, odd] = [bits(even), bits(odd)];
            let values = if K == 4 {
                let odd = _mm_srl_epi32(bytes, odd);
                _mm_blend_epi16::<0b1100_1100>(_mm_srl_epi32(bytes, even), odd)
            } else {
                let odd = _mm_srl_epi64(bytes, odd);
                _mm_blend_epi16::<0b1111_0000>(_mm_srl_epi64(bytes, even), odd)
            };
            _mm_and_si128(values, mask)
        }
        Means::Words => {
            let factors = load(&place.factors);
            let low = _mm_mulhi_epu16(bytes, opaque_in_place(factors));
            let next = _mm_shuffle_epi8(
                sixteen::<K, GROUPS, W>(from, place.next_start),
                load(&place.next),
            );
            let upper = _mm_mullo_epi16(next, opaque(factors));
            _mm_and_si128(_mm_or_si128(low, upper), mask)
        }
    }
}

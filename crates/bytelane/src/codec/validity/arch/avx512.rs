//! AVX-512: masks are bits of bitmaps, and instructions expand and compress vectors by them.
//!
//! Both work from register to register: Zen 4 and Zen 5 compress to memory only a few bytes at a
//! time.

use crate::backend::Avx512;
use crate::codec::bit_packing::low_bits;
use crate::codec::validity::kernel::rank;
use crate::codec::validity::tables::twice;
use crate::codec::validity::{Levels, Move, MoveBits, STEP};
use crate::memory::{Byte, Slot, flat, flat_mut};
use crate::simd::avx512::{in_register, load, store};
use crate::simd::{implement, window, window_mut};
use core::arch::x86_64::*;

implement! {
    impl<const K: usize> Levels<K> for Avx512 {
        type Levels = __m512i;
        fn splat(level: u16) -> __m512i = splat::<K>;
        fn at_least(from: &[[u8; K]; STEP], level: __m512i) -> u64 = at_least::<K>;
        fn greatest(so_far: __m512i, from: &[[u8; K]; STEP]) -> __m512i = greatest::<K>;
        fn is_within(greatest: __m512i, level: __m512i) -> bool = is_within::<K>;
        fn levels(bits: u64, level: __m512i, to: &mut [[Slot; K]; STEP]) = levels::<K>;
    }
}

implement! {
    impl<const V: usize> Move<V> for Avx512 {
        fn spread(bits: u64, from: &[[u8; V]; STEP], to: &mut [[Slot; V]; STEP]) = spread::<V>;
        fn compact<B: Byte>(bits: u64, from: &[[u8; V]; STEP], to: &mut [[B; V]; STEP]) = compact::<V, B>;
    }
}

implement! {
    impl MoveBits for Avx512 {
        fn select(bits: u64, places: u64) -> u64 = _pext_u64;
    }
}

#[target_feature(enable = "avx512bw")]
#[inline]
fn splat<const K: usize>(level: u16) -> __m512i {
    match K {
        1 => _mm512_set1_epi8(level as i8),
        _ => _mm512_set1_epi16(level as i16),
    }
}

#[target_feature(enable = "avx512bw")]
#[inline]
fn at_least<const K: usize>(from: &[[u8; K]; STEP], level: __m512i) -> u64 {
    let from = flat(from);
    if K == 1 {
        return _mm512_cmpge_epu8_mask(load(window(from, 0)), level);
    }
    let low = _mm512_cmpge_epu16_mask(load(window(from, 0)), level);
    let high = _mm512_cmpge_epu16_mask(load(window(from, 64)), level);
    u64::from(high) << 32 | u64::from(low)
}

#[target_feature(enable = "avx512bw")]
#[inline]
fn greatest<const K: usize>(so_far: __m512i, from: &[[u8; K]; STEP]) -> __m512i {
    let from = flat(from);
    if K == 1 {
        return _mm512_max_epu8(so_far, load(window(from, 0)));
    }
    let both = _mm512_max_epu16(load(window(from, 0)), load(window(from, 64)));
    _mm512_max_epu16(so_far, both)
}

#[target_feature(enable = "avx512bw")]
#[inline]
fn is_within<const K: usize>(greatest: __m512i, level: __m512i) -> bool {
    match K {
        1 => _mm512_cmpgt_epu8_mask(greatest, level) == 0,
        _ => _mm512_cmpgt_epu16_mask(greatest, level) == 0,
    }
}

#[target_feature(enable = "avx512bw")]
#[inline]
fn levels<const K: usize>(bits: u64, level: __m512i, to: &mut [[Slot; K]; STEP]) {
    let to = flat_mut(to);
    for i in 0..K {
        // All ones, which is -1, where a bit is set.
        let levels = match K {
            1 => _mm512_sub_epi8(level, _mm512_movm_epi8(bits)),
            _ => _mm512_sub_epi16(level, _mm512_movm_epi16((bits >> (32 * i)) as u32)),
        };
        store(window_mut(to, 64 * i), levels);
    }
}

/// Returns the bits for the values of vector `i`.
#[inline(always)]
fn set<const V: usize>(bits: u64, i: usize) -> u64 {
    bits >> (64 / V * i) & low_bits(64 / V)
}

/// ```text
/// values  a b c d e f g h
/// set     1 0 0 1 1 0 1 0
/// result  a - - b c - d -
/// ```
#[target_feature(enable = "avx512f,avx512vbmi2")]
#[inline]
fn expand<const V: usize>(set: u64, values: __m512i) -> __m512i {
    match V {
        1 => _mm512_maskz_expand_epi8(set, values),
        2 => _mm512_maskz_expand_epi16(set as u32, values),
        4 => _mm512_maskz_expand_epi32(set as u16, values),
        8 => _mm512_maskz_expand_epi64(set as u8, values),
        _ => _mm512_maskz_expand_epi64(twice(set) as u8, values),
    }
}

/// Reverses [`expand`].
#[target_feature(enable = "avx512f,avx512vbmi2")]
#[inline]
fn compress<const V: usize>(set: u64, values: __m512i) -> __m512i {
    match V {
        1 => _mm512_maskz_compress_epi8(set, values),
        2 => _mm512_maskz_compress_epi16(set as u32, values),
        4 => _mm512_maskz_compress_epi32(set as u16, values),
        8 => _mm512_maskz_compress_epi64(set as u8, values),
        _ => _mm512_maskz_compress_epi64(twice(set) as u8, values),
    }
}

#[target_feature(enable = "avx512f,avx512vbmi2,popcnt")]
#[inline]
fn spread<const V: usize>(bits: u64, from: &[[u8; V]; STEP], to: &mut [[Slot; V]; STEP]) {
    let (from, to) = (flat(from), flat_mut(to));
    for i in 0..V {
        let values = load(window(from, V * rank(bits, 64 / V * i)));
        // The compiler would expand from memory, which takes longer.
        let spread = expand::<V>(set::<V>(bits, i), in_register(values));
        store(window_mut(to, 64 * i), spread);
    }
}

#[target_feature(enable = "avx512f,avx512vbmi2,popcnt")]
#[inline]
fn compact<const V: usize, B: Byte>(bits: u64, from: &[[u8; V]; STEP], to: &mut [[B; V]; STEP]) {
    let (from, to) = (flat(from), flat_mut(to));
    for i in 0..V {
        let compacted = compress::<V>(set::<V>(bits, i), load(window(from, 64 * i)));
        store(window_mut(to, V * rank(bits, 64 / V * i)), compacted);
    }
}

//! AVX2: two pieces at a time, one in each lane. Values of 4 and 8 bytes are shifted by their own
//! numbers of bits, without a shuffle if one number holds all of them.

use super::places::Piece;
use super::sse41::{self as lane, bits};
use super::{Means, Places, UnpackGroups, Width, groups};
use crate::backend::Avx2;
use crate::codec::bit_packing::arch::avx2::splat;
use crate::codec::bit_packing::layout::{from_ne_bytes, low_bits};
use crate::memory::{Each, Slot, pair};
use crate::simd::avx2::{load, load_lanes, load_twice, opaque, opaque_in_place, store};
use crate::simd::{implement, window, window_mut};
use core::arch::x86_64::*;

implement! {
    impl<const K: usize> UnpackGroups<K> for Avx2 {
        const VECTOR: usize = 32;
        fn unpack_unit<W: Width>(from: &[u8], to: &mut [Slot]) = unpack_unit::<K, W>;
        fn unpack_group<W: Width>(from: &[u8], to: &mut [Slot]) = unpack_group::<K, W>;
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn unpack_unit<const K: usize, W: Width>(from: &[u8], to: &mut [Slot]) {
    match const { groups(K, W::BITS, 32) } {
        1 => unpack::<K, 1, W>(from, to),
        2 => unpack::<K, 2, W>(from, to),
        _ => unpack::<K, 4, W>(from, to),
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn unpack_group<const K: usize, W: Width>(from: &[u8], to: &mut [Slot]) {
    match K {
        1 | 2 => lane::unpack::<K, 1, W>(from, to),
        _ => unpack::<K, 1, W>(from, to),
    }
}

/// Unpacks groups of eight values.
#[target_feature(enable = "avx2")]
#[inline]
fn unpack<const K: usize, const GROUPS: usize, W: Width>(from: &[u8], to: &mut [Slot]) {
    for i in 0..GROUPS * K / 4 {
        let values = match K {
            // Packing works in each lane.
            1 => {
                let low = words::<K, GROUPS, W>(from, [0, 2]);
                _mm256_packus_epi16(low, words::<K, GROUPS, W>(from, [1, 3]))
            }
            2 => words::<K, GROUPS, W>(from, [2 * i, 2 * i + 1]),
            _ if const { Places::<K, GROUPS, W>::IS_NUMBER } => number::<K, GROUPS, W>(from, i),
            8 if const { Places::<K, GROUPS, W>::SPILLS } => crossing::<K, GROUPS, W>(from, i),
            _ => shifted::<K, GROUPS, W>(from, i),
        };
        store(window_mut(to, 32 * i), values);
    }
}

/// Unpacks 32 bytes of values from one number.
#[target_feature(enable = "avx2")]
#[inline]
fn number<const K: usize, const GROUPS: usize, W: Width>(from: &[u8], number: usize) -> __m256i {
    let place = &const { &Places::<K, GROUPS, W>::NUMBERS }[number];
    let number = if const { Places::<K, GROUPS, W>::LENGTH < K } {
        pair(&from[..const { Places::<K, GROUPS, W>::LENGTH }])[0]
    } else {
        from_ne_bytes::<K>(*window(from, place.start))
    };
    let values = shift_right::<K>(splat::<K>(number), load(&place.shifts));
    _mm256_and_si256(values, splat::<K>(const { low_bits(W::BITS) }))
}

/// Shifts each value by its own number of bits.
#[target_feature(enable = "avx2")]
#[inline]
fn shift_right<const K: usize>(values: __m256i, shifts: __m256i) -> __m256i {
    match K {
        4 => _mm256_srlv_epi32(values, shifts),
        _ => _mm256_srlv_epi64(values, shifts),
    }
}

/// Same as [`shift_right`], to the left.
#[target_feature(enable = "avx2")]
#[inline]
fn shift_left<const K: usize>(values: __m256i, shifts: __m256i) -> __m256i {
    match K {
        4 => _mm256_sllv_epi32(values, shifts),
        _ => _mm256_sllv_epi64(values, shifts),
    }
}

/// Loads a lane from each of two places in a unit.
#[target_feature(enable = "avx2")]
#[inline]
fn lanes<const K: usize, const GROUPS: usize, W: Width>(
    from: &[u8],
    [low, high]: [usize; 2],
) -> __m256i {
    if const { Places::<K, GROUPS, W>::LENGTH < 16 } {
        _mm256_broadcastsi128_si256(lane::short::<K, GROUPS, W>(from))
    } else if low == high {
        load_twice(window(from, low))
    } else {
        load_lanes(window(from, low), window(from, high))
    }
}

/// Collects the bytes of two pieces of values.
#[target_feature(enable = "avx2")]
#[inline]
fn first_bytes<const K: usize, const GROUPS: usize, W: Width>(
    from: &[u8],
    [low, high]: [&Piece; 2],
) -> __m256i {
    let lanes = lanes::<K, GROUPS, W>(from, [low.start, high.start]);
    _mm256_shuffle_epi8(lanes, load_lanes(&low.bytes, &high.bytes))
}

/// Same as [`first_bytes`], for the second shuffle.
#[target_feature(enable = "avx2")]
#[inline]
fn next_bytes<const K: usize, const GROUPS: usize, W: Width>(
    from: &[u8],
    [low, high]: [&Piece; 2],
) -> __m256i {
    let lanes = lanes::<K, GROUPS, W>(from, [low.next_start, high.next_start]);
    _mm256_shuffle_epi8(lanes, load_lanes(&low.next, &high.next))
}

/// Unpacks two pieces of 4-byte or 8-byte values.
#[target_feature(enable = "avx2")]
#[inline]
fn shifted<const K: usize, const GROUPS: usize, W: Width>(from: &[u8], pair: usize) -> __m256i {
    let places = const { &Places::<K, GROUPS, W>::SHIFTED };
    let pieces = [&places[2 * pair], &places[2 * pair + 1]];
    let bytes = first_bytes::<K, GROUPS, W>(from, pieces);
    if const { W::BITS.is_multiple_of(8) } {
        return bytes;
    }
    let shifts = load_lanes(&pieces[0].shifts, &pieces[1].shifts);
    let mut values = shift_right::<K>(bytes, shifts);
    if const { Places::<K, GROUPS, W>::SPILLS } {
        // Counted from the second byte, everything is eight bits further up.
        let shifts = _mm256_sub_epi8(splat::<K>(8), shifts);
        let last = shift_left::<K>(next_bytes::<K, GROUPS, W>(from, pieces), shifts);
        values = _mm256_or_si256(values, last);
    }
    _mm256_and_si256(values, splat::<K>(const { low_bits(W::BITS) }))
}

/// Unpacks four 8-byte values from the two words in which each of them lies: one load instead of
/// four.
#[target_feature(enable = "avx2")]
#[inline]
fn crossing<const K: usize, const GROUPS: usize, W: Width>(from: &[u8], number: usize) -> __m256i {
    let place = const { &Places::<K, GROUPS, W>::CROSSINGS };
    let place = &place[number % 4];
    let words = load(window(from, place.start));
    let low = _mm256_permutevar8x32_epi32(words, load(&place.words));
    let high = _mm256_permutevar8x32_epi32(words, load(&place.next));
    let shifts = load(&place.shifts);
    let left = _mm256_sub_epi64(splat::<K>(64), shifts);
    let values = _mm256_or_si256(shift_right::<K>(low, shifts), shift_left::<K>(high, left));
    _mm256_and_si256(values, splat::<K>(const { low_bits(W::BITS) }))
}

/// Unpacks two pieces of words.
#[target_feature(enable = "avx2")]
#[inline]
fn words<const K: usize, const GROUPS: usize, W: Width>(
    from: &[u8],
    pieces: [usize; 2],
) -> __m256i {
    let pieces = pieces.each(|piece| &const { &Places::<K, GROUPS, W>::PIECES }[piece]);
    let bytes = first_bytes::<K, GROUPS, W>(from, pieces);
    let factors = load_lanes(&pieces[0].factors, &pieces[1].factors);
    match const { Places::<K, GROUPS, W>::MEANS } {
        Means::Bytes => bytes,
        Means::Product => {
            let tops = _mm256_mullo_epi16(bytes, opaque(factors));
            _mm256_srl_epi16(tops, bits(const { 16_usize.wrapping_sub(W::BITS) }))
        }
        _ => {
            let low = _mm256_mulhi_epu16(bytes, opaque_in_place(factors));
            let upper =
                _mm256_mullo_epi16(next_bytes::<K, GROUPS, W>(from, pieces), opaque(factors));
            let mask = splat::<K>(const { low_bits(W::BITS) });
            _mm256_and_si256(_mm256_or_si256(low, upper), mask)
        }
    }
}

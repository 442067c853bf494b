//! AVX2: numbers are joined and shifted to their bits at the same time. Each lane is a piece.

use super::kernel;
use super::positions::{Positions, bit};
use super::sse41::store_pieces;
use crate::backend::Avx2;
use crate::codec::bit_packing::Width;
use crate::codec::bit_packing::arch::avx2::{add, splat};
use crate::codec::bit_packing::{Layout, PackAt, Packs, low_bits};
use crate::memory::{Each, Slot, write};
use crate::simd::avx2::{load, load_lanes, shuffle, store};
use crate::simd::{implement, window, window_mut};
use core::arch::x86_64::*;

implement! {
    impl<const K: usize> PackAt<K> for Avx2 {
        type Bits = Bits;
        fn bits(reference: u64) -> Bits = bits::<K>;
        fn pack<W: Width>(bits: &mut Bits, from: &[u8], to: &mut [Slot]) = pack::<K, W>;
        fn all_fit<W: Width>(bits: &Bits) -> bool = all_fit::<K, W>;
        fn zigzag(from: &[u8; 64], to: &mut [u8; 64]) = zigzag::<K>;
        fn pack_zigzag(layout: Layout, src: &[u8], dst: &mut [Slot]) -> bool => kernel::pack_zigzag::<K, _>;
        fn pack_with_rest(layout: Layout, src: &[u8], dst: &mut [Slot]) -> bool => kernel::pack_with_rest::<K, _>;
        fn pack_at<W: Width>(reference: u64, src: &[u8], dst: &mut [Slot]) -> bool => kernel::pack_at::<K, _, W>;
    }
}

impl<const K: usize> Packs<K> for Avx2 {
    #[inline(always)]
    fn pack(self, layout: Layout, src: &[u8], dst: &mut [Slot]) -> bool {
        kernel::pack::<K, Self>(self, layout, src, dst)
    }
}

/// Mapping of values to bits, and the bits seen so far.
#[derive(Clone, Copy)]
pub(crate) struct Bits {
    /// To be added.
    reference: __m256i,
    seen: __m256i,
}

#[target_feature(enable = "avx2")]
#[inline]
fn bits<const K: usize>(reference: u64) -> Bits {
    Bits {
        reference: splat::<K>(reference.wrapping_neg()),
        seen: _mm256_setzero_si256(),
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn zigzag<const K: usize>(from: &[u8; 64], to: &mut [u8; 64]) {
    for i in 0..2 {
        let values = load(window(from, 32 * i));
        let sign = match K {
            4 => _mm256_srai_epi32::<31>(values),
            _ => _mm256_cmpgt_epi64(_mm256_setzero_si256(), values),
        };
        let bits = _mm256_xor_si256(add::<K>(values, values), sign);
        store(window_mut(to, 32 * i), bits);
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn all_fit<const K: usize, W: Positions>(bits: &Bits) -> bool {
    _mm256_testc_si256(splat::<K>(low_bits(W::BITS)), bits.seen) != 0
}

#[target_feature(enable = "avx2")]
#[inline]
fn pack<const K: usize, W: Positions>(bits: &mut Bits, from: &[u8], to: &mut [Slot]) {
    let size = from.len() / W::PIECES * 2;
    let mut pieces = [_mm_setzero_si128(); 4];
    let mut before = _mm256_setzero_si256();
    for pair in 0..W::PIECES / 2 {
        let values = narrowed::<K, W>(bits, &from[size * pair..][..size]);
        if W::BITS == 1 {
            let lowest = _mm256_movemask_epi8(_mm256_slli_epi16::<7>(values));
            return write(window_mut(to, 0), lowest.to_le_bytes());
        }
        if W::BITS == 8 {
            return store(window_mut(to, 0), values);
        }
        let [shifted, last] = shifted::<W>(joined::<W>(values), pair);
        let both = shuffled::<W>(shifted, last, before, pair);
        pieces[2 * pair] = _mm256_castsi256_si128(both);
        pieces[2 * pair + 1] = _mm256_extracti128_si256::<1>(both);
        before = last;
    }
    store_pieces::<W>(pieces, to);
}

/// Loads the values of two pieces, and narrows them.
#[target_feature(enable = "avx2")]
#[inline]
fn narrowed<const K: usize, W: Positions>(bits: &mut Bits, from: &[u8]) -> __m256i {
    let ratio = K / W::BYTES;
    let mut vectors = [_mm256_setzero_si256(); 8];
    for i in 0..ratio {
        vectors[i] = add::<K>(load(window(from, 32 * i)), bits.reference);
        bits.seen = _mm256_or_si256(bits.seen, vectors[i]);
    }
    let (mut count, mut bytes) = (ratio, K);
    while bytes > W::BYTES {
        count /= 2;
        for i in 0..count {
            let [low, high] = [vectors[2 * i], vectors[2 * i + 1]];
            vectors[i] = match bytes {
                8 => shuffle::<0b10_00_10_00>(low, high),
                4 => _mm256_packus_epi32(low, high),
                _ => _mm256_packus_epi16(low, high),
            };
        }
        bytes /= 2;
    }
    in_order(vectors[0], ratio)
}

/// Restores the order of parts of vectors after `ratio` of them have been narrowed in their lanes:
///
/// ```text
/// lanes     a c | b d     each vector has two parts, such as a b
/// result    a b | c d
/// ```
#[target_feature(enable = "avx2")]
#[inline]
fn in_order(vector: __m256i, ratio: usize) -> __m256i {
    match ratio {
        1 => vector,
        2 => _mm256_permute4x64_epi64::<0b11_01_10_00>(vector),
        4 => {
            let order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
            _mm256_permutevar8x32_epi32(vector, order)
        }
        _ => {
            let lanes = _mm256_permute4x64_epi64::<0b11_01_10_00>(vector);
            let order = _mm_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15);
            _mm256_shuffle_epi8(lanes, _mm256_broadcastsi128_si256(order))
        }
    }
}

/// Joins the values of each 8 bytes to a number, with `EXCESS` zeros below it.
#[target_feature(enable = "avx2")]
#[inline]
fn joined<W: Positions>(values: __m256i) -> __m256i {
    if W::IS_WHOLE {
        return values;
    }
    let doubles = match W::BYTES {
        1 => {
            let factors = _mm256_set1_epi16((1_u16 << W::BITS << 8 | 1).cast_signed());
            let words = _mm256_maddubs_epi16(factors, values);
            _mm256_madd_epi16(words, _mm256_set1_epi32(1 << (2 * W::BITS) << 16 | 1))
        }
        // Words are signed.
        2 if W::BITS < 15 => _mm256_madd_epi16(values, _mm256_set1_epi32(1 << W::BITS << 16 | 1)),
        2 => {
            let first = _mm256_add_epi16(values, values);
            let touching = _mm256_blend_epi16::<0b1010_1010>(first, values);
            _mm256_srli_epi32::<1>(touching)
        }
        4 => values,
        _ => return values,
    };
    _mm256_sllv_epi32(doubles, _mm256_set1_epi64x(W::EXCESS as i64))
}

/// Returns the numbers of two pieces, shifted to their bits, and the same numbers as `EARLIER`
/// needs them.
#[target_feature(enable = "avx2")]
#[inline]
fn shifted<W: Positions>(numbers: __m256i, pair: usize) -> [__m256i; 2] {
    let [a, b, c, d] = [0, 1, 2, 3].each(|number| bit::<W>(4 * pair + number) as i64);
    let bits = _mm256_setr_epi64x(a, b, c, d);
    let excess = _mm256_set1_epi64x(W::EXCESS as i64);
    let most = i64::max(i64::max(a, b), i64::max(c, d));
    let shifted = if most <= W::EXCESS as i64 {
        _mm256_srlv_epi64(numbers, _mm256_sub_epi64(excess, bits))
    } else {
        _mm256_sllv_epi64(_mm256_srlv_epi64(numbers, excess), bits)
    };
    if W::SPILLS {
        let back = _mm256_sub_epi64(_mm256_set1_epi64x(W::EXCESS as i64 + 8), bits);
        return [shifted, _mm256_srlv_epi64(numbers, back)];
    }
    [shifted; 2]
}

/// Shuffles two pieces from the bytes of their numbers, those that `EARLIER` needs, and these of the
/// two pieces before.
#[target_feature(enable = "avx2")]
#[inline]
fn shuffled<W: Positions>(
    shifted: __m256i,
    last: __m256i,
    before: __m256i,
    pair: usize,
) -> __m256i {
    let [low, high] = [2 * pair, 2 * pair + 1];
    let later = load_lanes(&W::LATER[low], &W::LATER[high]);
    let earlier = load_lanes(&W::EARLIER[low], &W::EARLIER[high]);
    let sources = match (bit::<W>(2 * low), bit::<W>(2 * high)) {
        (0, 0) => last,
        _ => {
            // The piece before the first one is the upper lane of those before.
            let before = _mm256_permute2x128_si256::<0x21>(before, last);
            _mm256_blend_epi32::<0b1100_1100>(last, before)
        }
    };
    _mm256_or_si256(
        _mm256_shuffle_epi8(shifted, later),
        _mm256_shuffle_epi8(sources, earlier),
    )
}

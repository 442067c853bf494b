//! SSE4.1: no instruction shifts the parts of a register by different numbers of bits, so both
//! numbers of a piece are shifted in registers of their own and blended.

use super::kernel;
use super::positions::{Positions, bit};
use crate::backend::Sse41;
use crate::codec::bit_packing::Width;
use crate::codec::bit_packing::arch::sse41::{add, splat};
use crate::codec::bit_packing::{Layout, PackAt, Packs, low_bits};
use crate::memory::{Each, Slot, write};
use crate::simd::sse41::{load, store, store_high, store_low};
use crate::simd::{implement, window, window_mut};
use core::arch::x86_64::*;

implement! {
    impl<const K: usize> PackAt<K> for Sse41 {
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

impl<const K: usize> Packs<K> for Sse41 {
    #[inline(always)]
    fn pack(self, layout: Layout, src: &[u8], dst: &mut [Slot]) -> bool {
        kernel::pack::<K, Self>(self, layout, src, dst)
    }
}

/// Mapping of values to bits, and the bits seen so far.
#[derive(Clone, Copy)]
pub(crate) struct Bits {
    /// To be added.
    reference: __m128i,
    seen: __m128i,
}

#[target_feature(enable = "sse4.1")]
#[inline]
fn bits<const K: usize>(reference: u64) -> Bits {
    Bits {
        reference: splat::<K>(reference.wrapping_neg()),
        seen: _mm_setzero_si128(),
    }
}

#[target_feature(enable = "sse4.1")]
#[inline]
fn zigzag<const K: usize>(from: &[u8; 64], to: &mut [u8; 64]) {
    for i in 0..4 {
        let values = load(window(from, 16 * i));
        let sign = _mm_srai_epi32::<31>(values);
        let sign = match K {
            4 => sign,
            _ => _mm_shuffle_epi32::<0b11_11_01_01>(sign),
        };
        let bits = _mm_xor_si128(add::<K>(values, values), sign);
        store(window_mut(to, 16 * i), bits);
    }
}

#[target_feature(enable = "sse4.1")]
#[inline]
fn all_fit<const K: usize, W: Positions>(bits: &Bits) -> bool {
    _mm_testc_si128(splat::<K>(low_bits(W::BITS)), bits.seen) != 0
}

#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn pack<const K: usize, W: Positions>(bits: &mut Bits, from: &[u8], to: &mut [Slot]) {
    let size = from.len() / W::PIECES;
    let mut pieces = [_mm_setzero_si128(); 4];
    for piece in 0..W::PIECES {
        pieces[piece] = narrowed::<K, W>(bits, &from[size * piece..][..size]);
    }
    if W::BITS == 1 {
        let lowest = lowest_bits(pieces[0]) | lowest_bits(pieces[1]) << 16;
        return write(window_mut(to, 0), lowest.to_le_bytes());
    }
    let mut before = _mm_setzero_si128();
    for piece in 0..W::PIECES {
        let [shifted, last] = shifted::<W>(joined::<W>(pieces[piece]), piece);
        let sources = match bit::<W>(2 * piece) {
            0 => last,
            _ => _mm_blend_epi16::<0xf0>(last, before),
        };
        pieces[piece] = _mm_or_si128(
            _mm_shuffle_epi8(shifted, load(&W::LATER[piece])),
            _mm_shuffle_epi8(sources, load(&W::EARLIER[piece])),
        );
        before = last;
    }
    store_pieces::<W>(pieces, to);
}

/// Collects the lowest bit of each byte.
#[target_feature(enable = "sse4.1")]
#[inline]
fn lowest_bits(bytes: __m128i) -> u32 {
    _mm_movemask_epi8(_mm_slli_epi16::<7>(bytes)) as u32
}

/// Stores the pieces of a block, and nothing after them.
#[target_feature(enable = "sse4.1")]
#[inline]
pub(super) fn store_pieces<W: Positions>(pieces: [__m128i; 4], to: &mut [Slot]) {
    if W::IS_SHORT {
        return store_short::<W>(_mm_or_si128(pieces[0], pieces[1]), to);
    }
    let last = W::PIECES - 1;
    for piece in 0..last {
        store(window_mut(to, W::start(piece)), pieces[piece]);
    }
    if W::LAST == 16 {
        store(window_mut(to, W::start(last)), pieces[last]);
    } else {
        store_low(window_mut(to, W::start(last)), pieces[last]);
        store_high(window_mut(to, W::STRIDE - 8), pieces[last]);
    }
}

/// Stores a block of 8, 12 or 16 bytes.
#[target_feature(enable = "sse4.1")]
#[inline]
fn store_short<W: Positions>(block: __m128i, to: &mut [Slot]) {
    if W::STRIDE == 16 {
        return store(window_mut(to, 0), block);
    }
    store_low(window_mut(to, 0), block);
    if W::STRIDE == 12 {
        let rest = _mm_extract_epi32::<2>(block);
        write(window_mut(to, 8), rest.to_le_bytes());
    }
}

/// Loads the values of a piece, and narrows them.
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn narrowed<const K: usize, W: Positions>(bits: &mut Bits, from: &[u8]) -> __m128i {
    let mut count = K / W::BYTES;
    let mut vectors = [_mm_setzero_si128(); 8];
    for i in 0..count {
        vectors[i] = add::<K>(load(window(from, 16 * i)), bits.reference);
        bits.seen = _mm_or_si128(bits.seen, vectors[i]);
    }
    let mut bytes = K;
    while bytes > W::BYTES {
        count /= 2;
        for i in 0..count {
            let [low, high] = [vectors[2 * i], vectors[2 * i + 1]];
            vectors[i] = match bytes {
                8 => even_doubles(low, high),
                4 => _mm_packus_epi32(low, high),
                _ => _mm_packus_epi16(low, high),
            };
        }
        bytes /= 2;
    }
    vectors[0]
}

/// Collects the 4-byte numbers at even positions, those of `high` last.
#[target_feature(enable = "sse4.1")]
#[inline]
fn even_doubles(low: __m128i, high: __m128i) -> __m128i {
    let [low, high] = [_mm_castsi128_ps(low), _mm_castsi128_ps(high)];
    _mm_castps_si128(_mm_shuffle_ps::<0b10_00_10_00>(low, high))
}

/// Joins the values of each 8 bytes to a number, with `EXCESS` zeros below it.
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn joined<W: Positions>(values: __m128i) -> __m128i {
    if W::IS_WHOLE {
        return values;
    }
    let doubles = match W::BYTES {
        1 => {
            let factors = _mm_set1_epi16((1_u16 << W::BITS << 8 | 1).cast_signed());
            let words = _mm_maddubs_epi16(factors, values);
            _mm_madd_epi16(words, _mm_set1_epi32(1 << (2 * W::BITS) << 16 | 1))
        }
        // Words are signed.
        2 if W::BITS < 15 => _mm_madd_epi16(values, _mm_set1_epi32(1 << W::BITS << 16 | 1)),
        2 => {
            let first = _mm_add_epi16(values, values);
            let touching = _mm_blend_epi16::<0b1010_1010>(first, values);
            _mm_srli_epi32::<1>(touching)
        }
        4 => values,
        _ => return values,
    };
    let first = _mm_sll_epi32(doubles, _mm_cvtsi32_si128(W::EXCESS as i32));
    _mm_blend_epi16::<0b1100_1100>(first, doubles)
}

/// Returns the two numbers of a piece, shifted to their bits, and the same numbers as `EARLIER`
/// needs them.
#[target_feature(enable = "sse4.1")]
#[inline]
fn shifted<W: Positions>(numbers: __m128i, piece: usize) -> [__m128i; 2] {
    let [first, second] = [2 * piece, 2 * piece + 1].each(|number| bit::<W>(number) as i32);
    let excess = W::EXCESS as i32;
    let shifted = moved(numbers, excess - first, excess - second);
    if W::SPILLS {
        let last = moved(numbers, excess + 8 - first, excess + 8 - second);
        return [shifted, last];
    }
    [shifted; 2]
}

/// Shifts both numbers, to the right, or to the left if the shift is negative.
#[target_feature(enable = "sse4.1")]
#[inline]
fn moved(numbers: __m128i, first: i32, second: i32) -> __m128i {
    let low = shift(numbers, first);
    if first == second {
        return low;
    }
    _mm_blend_epi16::<0xf0>(low, shift(numbers, second))
}

#[target_feature(enable = "sse4.1")]
#[inline]
fn shift(numbers: __m128i, right: i32) -> __m128i {
    match right {
        0.. => _mm_srl_epi64(numbers, _mm_cvtsi32_si128(right)),
        _ => _mm_sll_epi64(numbers, _mm_cvtsi32_si128(-right)),
    }
}

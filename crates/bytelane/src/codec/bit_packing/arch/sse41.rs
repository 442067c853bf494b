//! SSE4.1: values are built from 16-bit words, each taken from two positions: the three bytes in
//! which a word lies are shifted by multiplication.

use crate::backend::Sse41;
use crate::codec::bit_packing::layout::{Layout, spills};
use crate::codec::bit_packing::unpack::unpack_width;
use crate::codec::bit_packing::{Case, Unpack, WINDOW, Width, kernel};
use crate::memory::Slot;
use crate::simd::sse41::{load, store};
use crate::simd::{implement, window, window_mut};
use core::arch::x86_64::*;

implement! {
    impl<const K: usize> Unpack<K> for Sse41 {
        const FEW: usize = 16;
        const BY_WIDTH: bool = true;
        type Plan = Unpacker<K>;
        fn unpack_plan(layout: Layout) -> Unpacker<K> = Unpacker::<K>::new;
        fn is_usual(plan: &Unpacker<K>) -> bool = Unpacker::is_usual;
        fn unpack<C: Case>(plan: &Unpacker<K>, from: &[u8; WINDOW], to: &mut [Slot; 64]) = unpack::<K, C>;
        fn unpack_planned(layout: Layout, src: &[u8], dst: &mut [Slot]) => kernel::unpack_planned::<K, _>;
        fn unpack_width<W: Width>(layout: Layout, src: &[u8], dst: &mut [Slot]) => unpack_width::<K, _, W>;
    }
}

/// Tables with an entry for each byte of a piece, which is 16 bytes of `K`-byte values: index
/// `i % 64` for byte `i` of a block.
pub(super) struct Pieces<const K: usize>;

impl<const K: usize> Pieces<K> {
    /// Value to which its word belongs, modulo eight: an index into `PLACES`. If values are bytes,
    /// each takes a word of its own at first.
    pub(super) const VALUE: [u8; 64] = {
        let mut table = [0; 64];
        let mut i = 0;
        while i < 64 {
            table[i] = match K {
                1 => (i / 2 % 8) as u8,
                _ => (i / K % 8) as u8,
            };
            i += 1;
        }
        table
    };

    /// Position of its word in the value.
    const WORD: [u8; 64] = {
        let mut table = [0; 64];
        let mut i = 0;
        while i < 64 {
            table[i] = (i % K / 2 * 2) as u8;
            i += 1;
        }
        table
    };
}

/// `256 >> bit` for each bit of a byte: lower bytes, then upper bytes.
pub(super) const FACTORS: [u8; 16] = [0, 128, 64, 32, 16, 8, 4, 2, 1, 0, 0, 0, 0, 0, 0, 0];

#[derive(Clone, Copy)]
pub(crate) struct Unpacker<const K: usize> {
    width: usize,
    /// Start of each piece.
    start: [usize; 4],
    /// For each word, indices of the byte in which it begins and the next one.
    bytes: [__m128i; 4],
    /// Factors that shift a word left, by 8 minus the bit in which it begins.
    factors: [__m128i; 4],
    /// True if each value has two bytes and lies within two packed bytes: factors shift it to the
    /// highest bits of its word instead.
    within: bool,
    /// Right shift of words after that.
    excess: __m128i,
    mask: __m128i,
    reference: __m128i,
    zigzag: bool,
}

/// Broadcasts a number to all `K`-byte values.
#[target_feature(enable = "sse4.1")]
#[inline]
pub(crate) fn splat<const K: usize>(number: u64) -> __m128i {
    match K {
        1 => _mm_set1_epi8(number as i8),
        2 => _mm_set1_epi16(number as i16),
        4 => _mm_set1_epi32(number as i32),
        _ => _mm_set1_epi64x(number as i64),
    }
}

/// Adds `K`-byte values.
#[target_feature(enable = "sse4.1")]
#[inline]
pub(crate) fn add<const K: usize>(a: __m128i, b: __m128i) -> __m128i {
    match K {
        1 => _mm_add_epi8(a, b),
        2 => _mm_add_epi16(a, b),
        4 => _mm_add_epi32(a, b),
        _ => _mm_add_epi64(a, b),
    }
}

/// Returns the factors that shift values of a width to the highest bits of their words, from those
/// that shift their words to the upper byte.
#[target_feature(enable = "sse4.1")]
#[inline]
fn to_top(factors: __m128i, width: usize) -> __m128i {
    let left = _mm_cvtsi64_si128(8_usize.saturating_sub(width) as i64);
    let right = _mm_cvtsi64_si128(width.saturating_sub(8) as i64);
    _mm_srl_epi16(_mm_sll_epi16(factors, left), right)
}

impl<const K: usize> Unpacker<K> {
    #[inline(always)]
    fn is_usual(&self) -> bool {
        !self.zigzag && (K != 2 || self.within)
    }

    #[target_feature(enable = "sse4.1,ssse3")]
    #[inline]
    pub(crate) fn new(layout: Layout) -> Self {
        let places = load(layout.places());
        let zero = [_mm_setzero_si128(); 4];
        let (mut start, mut bytes, mut factors) = ([0; 4], zero, zero);
        for piece in 0..4 {
            start[piece] = layout.start(piece * 16 / K);
            let values = load(window(const { &Pieces::<K>::VALUE }, 16 * piece));
            let first = _mm_shuffle_epi8(places, values);
            let base = _mm_shuffle_epi8(first, _mm_setzero_si128());
            let word = load(window(const { &Pieces::<K>::WORD }, 16 * piece));
            let byte = _mm_add_epi8(_mm_sub_epi8(first, base), word);
            bytes[piece] = _mm_add_epi8(byte, _mm_set1_epi16(0x100));
            let bit = _mm_shuffle_epi8(places, _mm_add_epi8(values, _mm_set1_epi8(8)));
            let bit = _mm_add_epi8(bit, _mm_set1_epi16(0x800));
            factors[piece] = _mm_shuffle_epi8(load(&FACTORS), bit);
        }
        let within = K == 2 && !spills(layout.width, 16);
        if within {
            for piece in 0..4 {
                factors[piece] = to_top(factors[piece], layout.width);
            }
        }
        Self {
            width: layout.width,
            start,
            bytes,
            factors,
            within,
            excess: _mm_cvtsi64_si128(16_i64.wrapping_sub(layout.width as i64)),
            mask: splat::<K>(layout.mask()),
            reference: splat::<K>(layout.reference),
            zigzag: layout.zigzag,
        }
    }

    /// Unpacks the values of one piece.
    #[target_feature(enable = "sse4.1,ssse3")]
    #[inline]
    pub(crate) fn unpacked<C: Case>(&self, from: &[u8; WINDOW], piece: usize) -> __m128i {
        // A start is at most 48; the masks tell the compiler that all loads are within the window.
        let start = self.start[piece] & 63;
        let [bytes, factors] = [self.bytes[piece], self.factors[piece]];
        let bits = if K == 1 {
            let half = |start| {
                let words = _mm_shuffle_epi8(load(window(from, start)), bytes);
                _mm_srli_epi16::<8>(_mm_mullo_epi16(words, factors))
            };
            _mm_packus_epi16(half(start), half((start + self.width) & 63))
        } else if K == 2 && (!C::WIDE || self.within) {
            let words = _mm_shuffle_epi8(load(window(from, start)), bytes);
            _mm_srl_epi16(_mm_mullo_epi16(words, factors), self.excess)
        } else {
            // `first` holds the first byte of each word as the upper byte of another word, with
            // zeros below; `next` holds the two bytes after it.
            let first = _mm_shuffle_epi8(load(window(from, start)), bytes);
            let next = _mm_shuffle_epi8(load(window(from, start + 1)), bytes);
            let low = _mm_mulhi_epu16(_mm_slli_epi16::<8>(first), factors);
            _mm_or_si128(low, _mm_mullo_epi16(next, factors))
        };
        let bits = _mm_and_si128(bits, self.mask);
        if C::ZIGZAG && K >= 4 && self.zigzag {
            let sign = _mm_and_si128(bits, splat::<K>(1));
            let zero = _mm_setzero_si128();
            return match K {
                4 => _mm_xor_si128(_mm_srli_epi32::<1>(bits), _mm_sub_epi32(zero, sign)),
                _ => _mm_xor_si128(_mm_srli_epi64::<1>(bits), _mm_sub_epi64(zero, sign)),
            };
        }
        add::<K>(bits, self.reference)
    }
}

#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn unpack<const K: usize, C: Case>(plan: &Unpacker<K>, from: &[u8; WINDOW], to: &mut [Slot; 64]) {
    for piece in 0..4 {
        store(window_mut(to, 16 * piece), plan.unpacked::<C>(from, piece));
    }
}

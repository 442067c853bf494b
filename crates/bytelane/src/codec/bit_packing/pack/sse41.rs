//! SSE4.1: no instruction shifts the parts of a register by different numbers of bits, so both
//! numbers of a piece are shifted in registers of their own and blended.

use super::{Numbers, needs_before};
use crate::backend::Sse41;
use crate::codec::bit_packing::arch::sse41::{add, splat};
use crate::codec::bit_packing::layout::Layout;
use crate::codec::bit_packing::{Any, Case, Pack};
use crate::memory::Slot;
use crate::simd::sse41::{load, store};
use crate::simd::{implement, window, window_mut};
use core::arch::x86_64::*;

implement! {
    impl<const K: usize> Pack<K> for Sse41 {
        const FEW: usize = 32;
        const HALVES: bool = true;
        type Plan = Packer<K>;
        fn pack_plan(layout: Layout) -> Packer<K> = Packer::<K>::new;
        fn packs_usual(plan: &Packer<K>) -> bool = Packer::is_usual;
        fn pack<C: Case>(plan: &mut Packer<K>, from: &[u8; 64], to: &mut [Slot; 64]) = pack::<K, C>;
        fn narrow(plan: &mut Packer<K>, from: &[[u8; 64]; K], to: &mut [u8; 64]) = narrow::<K>;
        fn halve(plan: &mut Packer<K>, from: &[u8; 128], to: &mut [u8; 64]) = halve::<K>;
        fn all_fit(plan: &Packer<K>) -> bool = Packer::all_fit;
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Packer<const K: usize> {
    starts: [usize; 4],
    joins: Joins<K>,
    /// Shifts of the two numbers of each piece.
    bits: [[__m128i; 2]; 4],
    /// Right shifts that leave all bytes one position lower.
    back: [[__m128i; 2]; 4],
    /// Byte indices of each piece.
    later: [__m128i; 4],
    /// Byte indices that are added to these, from the first number of the piece and the second one
    /// of the piece before.
    earlier: [__m128i; 4],
    spills: bool,
    values: Values<K>,
}

impl<const K: usize> Packer<K> {
    /// Always uses one loop: a second one would be large and not much faster.
    #[inline(always)]
    fn is_usual(&self) -> bool {
        false
    }

    #[target_feature(enable = "sse4.1")]
    #[inline]
    fn new(layout: Layout) -> Self {
        let numbers = Numbers::new::<K>(layout);
        let zero = [_mm_setzero_si128(); 4];
        let (mut bits, mut back) = ([[_mm_setzero_si128(); 2]; 4], [[_mm_setzero_si128(); 2]; 4]);
        let (mut later, mut earlier_bytes) = (zero, zero);
        for piece in 0..4 {
            for of in 0..2 {
                let bit = numbers.bit(2 * piece + of) as i32;
                bits[piece][of] = _mm_cvtsi32_si128(bit);
                back[piece][of] = _mm_cvtsi32_si128(8 - bit);
            }
            later[piece] = load(numbers.later(piece));
            earlier_bytes[piece] = earlier(numbers, piece);
            if numbers.spill() {
                earlier_bytes[piece] = _mm_sub_epi8(earlier_bytes[piece], _mm_set1_epi8(1));
            }
        }
        Self {
            starts: numbers.starts(),
            joins: Joins::new(layout),
            bits,
            back,
            later,
            earlier: earlier_bytes,
            spills: numbers.spill(),
            values: Values::new(layout),
        }
    }

    #[target_feature(enable = "sse4.1")]
    #[inline]
    fn all_fit(&self) -> bool {
        self.values.all_fit()
    }

    /// Returns the two numbers of a piece, shifted to their bits, and the same numbers as `earlier`
    /// needs them.
    #[target_feature(enable = "sse4.1,ssse3")]
    #[inline]
    fn shifted<C: Case>(&self, numbers: __m128i, piece: usize) -> [__m128i; 2] {
        let [first, second] = self.bits[piece];
        let [first, second] = [
            _mm_sll_epi64(numbers, first),
            _mm_sll_epi64(numbers, second),
        ];
        let shifted = _mm_blend_epi16::<0xf0>(first, second);
        if C::WIDE && self.spills {
            let [first, second] = self.back[piece];
            let [first, second] = [
                _mm_srl_epi64(numbers, first),
                _mm_srl_epi64(numbers, second),
            ];
            return [shifted, _mm_blend_epi16::<0xf0>(first, second)];
        }
        [shifted; 2]
    }
}

/// Returns the shuffle that adds the last bytes of numbers to a piece.
#[target_feature(enable = "sse4.1")]
#[inline]
pub(super) fn earlier(numbers: Numbers, piece: usize) -> __m128i {
    let bytes = load(numbers.earlier(piece));
    match piece {
        0 => bytes,
        _ => _mm_insert_epi8::<0>(bytes, numbers.before(piece).into()),
    }
}

/// Joins the values of 8 bytes to one number.
#[derive(Clone, Copy)]
struct Joins<const K: usize> {
    /// For one-byte values: factors that join them to words, and factors that join these to double
    /// words. For two-byte values, only the first one: the factor that shifts the first of two
    /// values so that it touches the second.
    factors: [__m128i; 2],
    /// Right shift of the joined words.
    excess: __m128i,
    /// The same for double words.
    double_factor: __m128i,
    double_excess: __m128i,
}

impl<const K: usize> Joins<K> {
    #[target_feature(enable = "sse4.1")]
    #[inline]
    fn new(layout: Layout) -> Self {
        let width = layout.width;
        let factors = match K {
            1 => [1 << (width % 8) << 8 | 1, 1 << (2 * width % 16) << 16 | 1],
            2 => [1 << 16 | 1 << (16 - usize::min(width, 16)), 0],
            _ => [0; 2],
        };
        let double = usize::min(32, 4 / usize::min(K, 4) * width);
        Self {
            factors: [
                match K {
                    1 => _mm_set1_epi16(factors[0] as i16),
                    _ => _mm_set1_epi32(factors[0]),
                },
                _mm_set1_epi32(factors[1]),
            ],
            excess: _mm_cvtsi32_si128(16_i32.saturating_sub(width as i32)),
            double_factor: _mm_set1_epi64x((1_u64 << (32 - double)).cast_signed()),
            double_excess: _mm_cvtsi32_si128((32 - double) as i32),
        }
    }

    #[target_feature(enable = "sse4.1,ssse3")]
    #[inline]
    fn join(&self, bits: __m128i) -> __m128i {
        let doubles = match K {
            1 => {
                let words = _mm_maddubs_epi16(self.factors[0], bits);
                _mm_madd_epi16(words, self.factors[1])
            }
            2 => _mm_srl_epi32(_mm_mullo_epi16(bits, self.factors[0]), self.excess),
            4 => bits,
            _ => return bits,
        };
        let first = _mm_mul_epu32(doubles, self.double_factor);
        let touching = _mm_blend_epi16::<0b1100_1100>(first, doubles);
        _mm_srl_epi64(touching, self.double_excess)
    }
}

/// Mapping of values to bits, and the bits seen so far.
#[derive(Clone, Copy)]
struct Values<const K: usize> {
    mask: __m128i,
    reference: __m128i,
    zigzag: bool,
    seen: __m128i,
}

impl<const K: usize> Values<K> {
    #[target_feature(enable = "sse4.1")]
    #[inline]
    fn new(layout: Layout) -> Self {
        Self {
            mask: splat::<K>(layout.mask()),
            reference: splat::<K>(layout.reference.wrapping_neg()),
            zigzag: layout.zigzag,
            seen: _mm_setzero_si128(),
        }
    }

    #[target_feature(enable = "sse4.1")]
    #[inline]
    fn bits<C: Case>(&mut self, values: __m128i) -> __m128i {
        let bits = if C::ZIGZAG && K >= 4 && self.zigzag {
            let sign = _mm_srai_epi32::<31>(values);
            let sign = match K {
                4 => sign,
                _ => _mm_shuffle_epi32::<0b11_11_01_01>(sign),
            };
            _mm_xor_si128(add::<K>(values, values), sign)
        } else {
            add::<K>(values, self.reference)
        };
        self.seen = _mm_or_si128(self.seen, bits);
        bits
    }

    #[target_feature(enable = "sse4.1")]
    #[inline]
    fn all_fit(&self) -> bool {
        _mm_testc_si128(self.mask, self.seen) != 0
    }
}

#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn pack<const K: usize, C: Case>(plan: &mut Packer<K>, from: &[u8; 64], to: &mut [Slot; 64]) {
    let mut before = _mm_setzero_si128();
    for piece in 0..4 {
        let bits = plan.values.bits::<C>(load(window(from, 16 * piece)));
        let [shifted, last] = plan.shifted::<C>(plan.joins.join(bits), piece);
        let mut bytes = _mm_shuffle_epi8(shifted, plan.later[piece]);
        if K > 1 {
            let sources = if needs_before::<K>(piece) {
                _mm_blend_epi16::<0xf0>(last, before)
            } else {
                last
            };
            let earlier = _mm_shuffle_epi8(sources, plan.earlier[piece]);
            bytes = _mm_or_si128(bytes, earlier);
        }
        // A start is at most 48; the minimum tells the compiler that the store is within the
        // window.
        store(window_mut(to, usize::min(plan.starts[piece], 48)), bytes);
        before = last;
    }
}

#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn narrow<const K: usize>(plan: &mut Packer<K>, from: &[[u8; 64]; K], to: &mut [u8; 64]) {
    for i in 0..4 {
        let mut vectors = [_mm_setzero_si128(); K];
        for j in 0..K {
            let at = 16 * (K * i + j);
            let values = load(window(&from[at / 64], at % 64));
            vectors[j] = plan.values.bits::<Any>(values);
        }
        store(window_mut(to, 16 * i), narrowed(vectors));
    }
}

#[target_feature(enable = "sse4.1")]
#[inline]
fn halve<const K: usize>(plan: &mut Packer<K>, from: &[u8; 128], to: &mut [u8; 64]) {
    for i in 0..4 {
        let mut vectors = [_mm_setzero_si128(); 2];
        for j in 0..2 {
            let values = load(window(from, 32 * i + 16 * j));
            vectors[j] = plan.values.bits::<Any>(values);
        }
        let [low, high] = vectors;
        store(window_mut(to, 16 * i), even_doubles(low, high));
    }
}

/// Keeps the lowest byte of each value; the others must be zeros.
#[target_feature(enable = "sse4.1")]
#[inline]
fn narrowed<const K: usize>(mut vectors: [__m128i; K]) -> __m128i {
    if K == 8 {
        for i in 0..K / 2 {
            vectors[i] = even_doubles(vectors[2 * i], vectors[2 * i + 1]);
        }
    }
    if K >= 4 {
        for i in 0..2 {
            vectors[i] = _mm_packus_epi32(vectors[2 * i], vectors[2 * i + 1]);
        }
    }
    match K {
        1 => vectors[0],
        _ => _mm_packus_epi16(vectors[0], vectors[1]),
    }
}

/// Collects the 4-byte numbers at even positions, those of `high` last.
#[target_feature(enable = "sse4.1")]
#[inline]
fn even_doubles(low: __m128i, high: __m128i) -> __m128i {
    let [low, high] = [_mm_castsi128_ps(low), _mm_castsi128_ps(high)];
    _mm_castps_si128(_mm_shuffle_ps::<0b10_00_10_00>(low, high))
}

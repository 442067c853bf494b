//! AVX2: numbers are joined and shifted to their bits at the same time. Each lane is a piece: the
//! first and the third one together, then the second and the fourth.

use super::sse41::earlier as earlier_bytes;
use super::{Numbers, needs_before};
use crate::backend::Avx2;
use crate::codec::bit_packing::arch::avx2::{add, splat};
use crate::codec::bit_packing::layout::{Layout, spills};
use crate::codec::bit_packing::{Any, Case, Pack};
use crate::memory::Slot;
use crate::simd::avx2::{load_lanes, shuffle, store};
use crate::simd::{implement, sse41, window, window_mut};
use core::arch::x86_64::*;

implement! {
    impl<const K: usize> Pack<K> for Avx2 {
        const FEW: usize = 24;
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
    joins: Joins,
    /// Shift of each number from where joining leaves it to the bit in which it begins: right, but
    /// left for 8-byte values or tight numbers.
    bits: [__m256i; 2],
    /// True if a number must be shifted left after joining, or then has more than 8 bytes.
    is_tight: bool,
    /// Right shifts of tight numbers that leave all their bytes one position lower.
    back: [__m256i; 2],
    /// Byte indices of each piece.
    later: [__m256i; 2],
    /// Byte indices that are added to these, from the first number of the piece and the second one
    /// of the piece before.
    earlier: [__m256i; 2],
    mask: __m256i,
    reference: __m256i,
    zigzag: bool,
    /// Bits that occur in any value so far.
    seen: __m256i,
}

/// Joins the values of 8 bytes to one number.
#[derive(Clone, Copy)]
struct Joins {
    /// For one-byte values: factors that join them to words, and factors that join these to double
    /// words. For two-byte values, only the first one: the factor that shifts the first of two
    /// values so that it touches the second.
    factors: [__m256i; 2],
    /// Right shift of the joined words.
    excess: __m128i,
    /// Shift of the first of two double words so that it touches the second.
    double: __m256i,
    /// Right shift of the joined double words.
    double_excess: __m128i,
}

impl Joins {
    #[target_feature(enable = "avx2")]
    #[inline]
    fn new<const K: usize>(layout: Layout) -> Self {
        let width = layout.width;
        let unused = 16 - usize::min(width, 16);
        let factors = match K {
            1 => [
                _mm256_set1_epi16((1 << (width % 8) << 8 | 1) as i16),
                _mm256_set1_epi32(1 << (2 * width % 16) << 16 | 1),
            ],
            _ => [_mm256_set1_epi32(1 << 16 | 1 << unused); 2],
        };
        let excess = excess::<K>(layout);
        Self {
            factors,
            excess: _mm_cvtsi32_si128(unused as i32),
            double: _mm256_set1_epi64x(excess as i64),
            double_excess: _mm_cvtsi32_si128(excess as i32),
        }
    }

    /// Joins values to numbers, each preceded by `excess` zeros.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn touching<const K: usize>(&self, bits: __m256i) -> __m256i {
        let doubles = match K {
            1 => {
                let words = _mm256_maddubs_epi16(self.factors[0], bits);
                _mm256_madd_epi16(words, self.factors[1])
            }
            2 => _mm256_srl_epi32(_mm256_mullo_epi16(bits, self.factors[0]), self.excess),
            4 => bits,
            _ => return bits,
        };
        _mm256_sllv_epi32(doubles, self.double)
    }
}

/// Combines the rows of two pieces. The rows are the same unless a number is one value.
#[target_feature(enable = "avx2")]
#[inline]
fn lanes<const K: usize>(piece: usize, row: impl Fn(usize) -> __m128i) -> __m256i {
    match K {
        8 => _mm256_set_m128i(row(piece + 2), row(piece)),
        _ => _mm256_broadcastsi128_si256(row(piece)),
    }
}

/// Returns the number of unused bits of a double word after joining.
#[inline(always)]
fn excess<const K: usize>(layout: Layout) -> usize {
    match K {
        8 => 0,
        _ => 32 - usize::min(32, 4 / K * layout.width),
    }
}

impl<const K: usize> Packer<K> {
    #[inline(always)]
    fn is_usual(&self) -> bool {
        !self.zigzag && !self.is_tight
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn new(layout: Layout) -> Self {
        let numbers = Numbers::new::<K>(layout);
        let excess = excess::<K>(layout);
        let is_tight = match K {
            8 => numbers.spill(),
            _ => spills(numbers.bits, numbers.bits + excess),
        };
        let zero = [_mm256_setzero_si256(); 2];
        let (mut bits, mut back, mut later, mut earlier) = (zero, zero, zero, zero);
        let each = _mm256_set1_epi64x(numbers.bits as i64);
        let order = [
            _mm256_setr_epi64x(0, 1, 4, 5),
            _mm256_setr_epi64x(2, 3, 6, 7),
        ];
        for of in 0..2 {
            later[of] = lanes::<K>(of, |piece| sse41::load(numbers.later(piece)));
            earlier[of] = lanes::<K>(of, |piece| earlier_bytes(numbers, piece));
            let bit = _mm256_mul_epu32(order[of], each);
            let bit = _mm256_and_si256(bit, _mm256_set1_epi64x(7));
            back[of] = _mm256_sub_epi64(_mm256_set1_epi64x(8), bit);
            bits[of] = if K < 8 && !is_tight {
                _mm256_sub_epi64(_mm256_set1_epi64x(excess as i64), bit)
            } else {
                bit
            };
            if is_tight {
                earlier[of] = _mm256_sub_epi8(earlier[of], _mm256_set1_epi8(1));
            }
        }
        Self {
            starts: numbers.starts(),
            joins: Joins::new::<K>(layout),
            bits,
            is_tight,
            back,
            later,
            earlier,
            mask: splat::<K>(layout.mask()),
            reference: splat::<K>(layout.reference.wrapping_neg()),
            zigzag: layout.zigzag,
            seen: _mm256_setzero_si256(),
        }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn all_fit(&self) -> bool {
        _mm256_testc_si256(self.mask, self.seen) != 0
    }

    /// Maps values to the bits to be packed.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn mapped<C: Case>(&mut self, values: __m256i) -> __m256i {
        let bits = if C::ZIGZAG && K >= 4 && self.zigzag {
            let sign = match K {
                4 => _mm256_srai_epi32::<31>(values),
                _ => _mm256_cmpgt_epi64(_mm256_setzero_si256(), values),
            };
            _mm256_xor_si256(add::<K>(values, values), sign)
        } else {
            add::<K>(values, self.reference)
        };
        self.seen = _mm256_or_si256(self.seen, bits);
        bits
    }

    /// Returns the numbers of two pieces, shifted to their bits, and the same numbers as `earlier`
    /// needs them.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn shifted<C: Case>(&self, bits: __m256i, of: usize) -> [__m256i; 2] {
        let touching = self.joins.touching::<K>(bits);
        if C::WIDE && self.is_tight {
            let numbers = _mm256_srl_epi64(touching, self.joins.double_excess);
            let shifted = _mm256_sllv_epi64(numbers, self.bits[of]);
            return [shifted, _mm256_srlv_epi64(numbers, self.back[of])];
        }
        let shifted = match K {
            8 => _mm256_sllv_epi64(touching, self.bits[of]),
            _ => _mm256_srlv_epi64(touching, self.bits[of]),
        };
        [shifted; 2]
    }

    /// Shuffles pieces from the bytes of `numbers` and the last ones of those before.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn pieces(&self, numbers: [__m256i; 2], before: __m256i, of: usize) -> __m256i {
        let [shifted, last] = numbers;
        let bytes = _mm256_shuffle_epi8(shifted, self.later[of]);
        if K == 1 {
            return bytes;
        }
        let sources = if needs_before::<K>(of + 2) {
            _mm256_blend_epi32::<0b1100_1100>(last, before)
        } else {
            last
        };
        _mm256_or_si256(bytes, _mm256_shuffle_epi8(sources, self.earlier[of]))
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn pack<const K: usize, C: Case>(plan: &mut Packer<K>, from: &[u8; 64], to: &mut [Slot; 64]) {
    let mut numbers = [[_mm256_setzero_si256(); 2]; 2];
    for of in 0..2 {
        let values = load_lanes(window(from, 16 * of), window(from, 16 * of + 32));
        let bits = plan.mapped::<C>(values);
        numbers[of] = plan.shifted::<C>(bits, of);
    }
    let [[_, first], [_, second]] = numbers;
    // The third piece begins at a byte boundary unless a number is one value.
    let before = match K {
        8 => _mm256_permute2x128_si256::<0x08>(second, second),
        _ => first,
    };
    let pieces = [
        plan.pieces(numbers[0], before, 0),
        plan.pieces(numbers[1], first, 1),
    ];
    // A start is at most 48; the minimum tells the compiler that all stores are within the window.
    let [a, b, c, d] = plan.starts.map(|start| usize::min(start, 48));
    sse41::store(window_mut(to, a), _mm256_castsi256_si128(pieces[0]));
    sse41::store(window_mut(to, b), _mm256_castsi256_si128(pieces[1]));
    sse41::store(window_mut(to, c), _mm256_extracti128_si256::<1>(pieces[0]));
    sse41::store(window_mut(to, d), _mm256_extracti128_si256::<1>(pieces[1]));
}

/// Narrows values. The lower lanes take the first half of each 32 bytes of the result, the upper
/// ones the second half, since no instruction moves bytes from lane to lane.
#[target_feature(enable = "avx2")]
#[inline]
fn narrow<const K: usize>(plan: &mut Packer<K>, from: &[[u8; 64]; K], to: &mut [u8; 64]) {
    let at = |at: usize| window(&from[at / 64], at % 64);
    for i in 0..2 {
        let mut vectors = [_mm256_setzero_si256(); K];
        for j in 0..K {
            let low = 16 * (2 * K * i + j);
            vectors[j] = plan.mapped::<Any>(load_lanes(at(low), at(low + 16 * K)));
        }
        store(window_mut(to, 32 * i), narrowed(vectors));
    }
}

/// Halves values. As in [`narrow`], the lower lanes take the first half of each 32 bytes of the
/// result.
#[target_feature(enable = "avx2")]
#[inline]
fn halve<const K: usize>(plan: &mut Packer<K>, from: &[u8; 128], to: &mut [u8; 64]) {
    for i in 0..2 {
        let mut vectors = [_mm256_setzero_si256(); 2];
        for j in 0..2 {
            let low = 64 * i + 16 * j;
            let values = load_lanes(window(from, low), window(from, low + 32));
            vectors[j] = plan.mapped::<Any>(values);
        }
        let [low, high] = vectors;
        store(window_mut(to, 32 * i), shuffle::<0b10_00_10_00>(low, high));
    }
}

/// Keeps the lowest byte of each value; the others must be zeros.
#[target_feature(enable = "avx2")]
#[inline]
fn narrowed<const K: usize>(mut vectors: [__m256i; K]) -> __m256i {
    if K == 8 {
        for i in 0..K / 2 {
            vectors[i] = shuffle::<0b10_00_10_00>(vectors[2 * i], vectors[2 * i + 1]);
        }
    }
    if K >= 4 {
        for i in 0..2 {
            vectors[i] = _mm256_packus_epi32(vectors[2 * i], vectors[2 * i + 1]);
        }
    }
    match K {
        1 => vectors[0],
        _ => _mm256_packus_epi16(vectors[0], vectors[1]),
    }
}

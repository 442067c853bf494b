//! AVX2: 4-byte and 8-byte values are shifted by their own numbers of bits; bytes and 16-bit words
//! are multiplied as in [`super::sse41`]. Each lane is a piece of 16 bytes of values, loaded from
//! where it begins.

use super::sse41::{FACTORS, Pieces};
use crate::backend::Avx2;
use crate::codec::bit_packing::layout::{Layout, spills};
use crate::codec::bit_packing::unpack::unpack_width;
use crate::codec::bit_packing::{Case, Unpack, WINDOW, Width, kernel};
use crate::memory::{Each, Slot};
use crate::simd::avx2::{load, load_lanes, load_twice, opaque_in_place, store};
use crate::simd::{implement, sse41, window, window_mut};
use core::arch::x86_64::*;

implement! {
    impl<const K: usize> Unpack<K> for Avx2 {
        const FEW: usize = 16;
        const BY_WIDTH: bool = true;
        type Plan = Unpacker<K>;
        fn unpack_plan(layout: Layout) -> Unpacker<K> = Unpacker::<K>::new;
        fn is_usual(plan: &Unpacker<K>) -> bool = Unpacker::is_usual;
        fn is_near(plan: &Unpacker<K>) -> bool = Unpacker::is_near;
        fn unpack<C: Case>(plan: &Unpacker<K>, from: &[u8; WINDOW], to: &mut [Slot; 64]) = unpack::<K, C>;
        fn unpack_planned(layout: Layout, src: &[u8], dst: &mut [Slot]) => kernel::unpack_planned::<K, _>;
        fn unpack_width<W: Width>(layout: Layout, src: &[u8], dst: &mut [Slot]) => unpack_width::<K, _, W>;
    }
}

/// Tables with an entry for each byte of a block of `K`-byte values.
struct Tables<const K: usize>;

impl<const K: usize> Tables<K> {
    /// Its position in the value, or in the word of a one-byte value.
    const BYTE: [u8; 64] = {
        let mut table = [0; 64];
        let mut i = 0;
        while i < 64 {
            table[i] = match K {
                1 => (i % 2) as u8,
                _ => (i % K) as u8,
            };
            i += 1;
        }
        table
    };
}

#[derive(Clone, Copy)]
pub(crate) struct Unpacker<const K: usize> {
    width: usize,
    /// Start of each piece.
    start: [usize; 4],
    /// True if both pieces of a pair are loaded from the same position.
    near: bool,
    /// Byte indices of each value, or of each word.
    bytes: [__m256i; 2],
    /// For 4 and 8 bytes, the shift of each value; else the factors that shift words.
    bits: [__m256i; 2],
    /// True if some values lie in one byte more than their type has.
    spills: bool,
    /// For 2 bytes, if no value spills: the right shift of words after the factors have moved the
    /// values to their highest bits.
    excess: __m128i,
    /// For 4 bytes, if values spill: the byte indices of the odd values, and their shifts.
    odd: [[__m256i; 2]; 2],
    mask: __m256i,
    reference: __m256i,
    zigzag: bool,
}

/// Broadcasts a number to all `K`-byte values.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn splat<const K: usize>(number: u64) -> __m256i {
    match K {
        1 => _mm256_set1_epi8(number as i8),
        2 => _mm256_set1_epi16(number as i16),
        4 => _mm256_set1_epi32(number as i32),
        _ => _mm256_set1_epi64x(number as i64),
    }
}

/// Adds `K`-byte values.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn add<const K: usize>(a: __m256i, b: __m256i) -> __m256i {
    match K {
        1 => _mm256_add_epi8(a, b),
        2 => _mm256_add_epi16(a, b),
        4 => _mm256_add_epi32(a, b),
        _ => _mm256_add_epi64(a, b),
    }
}

/// Returns the byte indices and shifts of the even 4-byte values, each in 8 bytes.
#[target_feature(enable = "avx2")]
#[inline]
fn even_values(bytes: __m256i, bits: __m256i) -> [__m256i; 2] {
    let bytes = _mm256_shuffle_epi32::<0b10_10_00_00>(bytes);
    // The second four bytes follow the first ones.
    let bytes = _mm256_add_epi8(bytes, _mm256_set1_epi64x(0x0404_0404_0000_0000));
    [bytes, _mm256_and_si256(bits, _mm256_set1_epi64x(0xff))]
}

/// Returns the shifts of the odd values. These begin in the last bit of the fourth byte or before,
/// so they are shifted left to the fifth one.
#[target_feature(enable = "avx2")]
#[inline]
fn odd_values(bytes: __m256i, bits: __m256i) -> [__m256i; 2] {
    let bytes = _mm256_shuffle_epi32::<0b11_11_01_01>(bytes);
    let three_less = _mm256_set1_epi64x(0x0101_0101_fdfd_fdfd_u64.cast_signed());
    let bits = _mm256_sub_epi64(_mm256_set1_epi64x(8), _mm256_srli_epi64::<32>(bits));
    [_mm256_add_epi8(bytes, three_less), bits]
}

/// Returns the factors that shift values of a width to the highest bits of their words, from those
/// that shift their words to the upper byte.
#[target_feature(enable = "avx2")]
#[inline]
fn to_top(factors: __m256i, width: usize) -> __m256i {
    let left = _mm_cvtsi64_si128(8_usize.saturating_sub(width) as i64);
    let right = _mm_cvtsi64_si128(width.saturating_sub(8) as i64);
    _mm256_srl_epi16(_mm256_sll_epi16(factors, left), right)
}

impl<const K: usize> Unpacker<K> {
    #[inline(always)]
    fn is_usual(&self) -> bool {
        !self.zigzag && (K == 1 || !self.spills)
    }

    #[inline(always)]
    fn is_near(&self) -> bool {
        self.near && self.is_usual()
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    pub(crate) fn new(layout: Layout) -> Self {
        // The values of a pair lie within 16 bytes from its start.
        let near = K >= 4 && !spills(32 / K * layout.width, 128);
        let places = _mm256_broadcastsi128_si256(sse41::load(layout.places()));
        let zero = [_mm256_setzero_si256(); 2];
        let (mut start, mut bytes, mut bits) = ([0; 4], zero, zero);
        for piece in 0..4 {
            let piece_or_pair = if near { piece & 2 } else { piece };
            start[piece] = layout.start(piece_or_pair * 16 / K);
        }
        for pair in 0..2 {
            let values = load(window(const { &Pieces::<K>::VALUE }, 32 * pair));
            let first = _mm256_shuffle_epi8(places, values);
            let loaded = if near {
                _mm256_permute4x64_epi64::<0>(first)
            } else {
                first
            };
            let base = _mm256_shuffle_epi8(loaded, _mm256_setzero_si256());
            let byte = load(window(const { &Tables::<K>::BYTE }, 32 * pair));
            bytes[pair] = _mm256_add_epi8(_mm256_sub_epi8(first, base), byte);
            let bit = _mm256_shuffle_epi8(places, _mm256_add_epi8(values, _mm256_set1_epi8(8)));
            bits[pair] = if K >= 4 {
                _mm256_and_si256(bit, splat::<K>(0xff))
            } else {
                let factors = _mm256_broadcastsi128_si256(sse41::load(&FACTORS));
                _mm256_shuffle_epi8(factors, _mm256_add_epi8(bit, _mm256_set1_epi16(0x800)))
            };
        }
        let spills = spills(layout.width, 8 * K);
        if K == 2 && !spills {
            for pair in 0..2 {
                bits[pair] = to_top(bits[pair], layout.width);
            }
        }
        let mut odd = [zero; 2];
        if K == 4 && spills {
            for pair in 0..2 {
                odd[pair] = odd_values(bytes[pair], bits[pair]);
                [bytes[pair], bits[pair]] = even_values(bytes[pair], bits[pair]);
            }
        }
        Self {
            width: layout.width,
            start,
            near,
            bytes,
            bits,
            spills,
            excess: _mm_cvtsi64_si128(16_i64.wrapping_sub(layout.width as i64)),
            odd,
            mask: splat::<K>(layout.mask()),
            reference: splat::<K>(layout.reference),
            zigzag: layout.zigzag,
        }
    }

    /// Unpacks the 4-byte values of a pair of pieces in which some values spread over five bytes:
    /// even and odd ones each in 8 bytes of their own.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn wide_values(&self, from: &[u8; WINDOW], pair: usize) -> __m256i {
        let lanes = self.lanes(from, pair, 0);
        let even = _mm256_shuffle_epi8(lanes, self.bytes[pair]);
        let [bytes, bits] = self.odd[pair];
        let odd = _mm256_shuffle_epi8(lanes, bytes);
        let even = _mm256_srlv_epi64(even, self.bits[pair]);
        _mm256_blend_epi32::<0b1010_1010>(even, _mm256_sllv_epi64(odd, bits))
    }

    /// Loads the bytes of two pieces, from `distance` bytes after their starts on.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn lanes(&self, from: &[u8; WINDOW], pair: usize, distance: usize) -> __m256i {
        // A start is at most 56; the masks tell the compiler that both loads are within the window.
        let [low, high] = [self.start[2 * pair], self.start[2 * pair + 1]];
        let [low, high] = [low, high].each(|start| (start + distance) & 63);
        load_lanes(window(from, low), window(from, high))
    }

    /// Loads the bytes of the values, or of their words.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn load<C: Case>(&self, from: &[u8; WINDOW], pair: usize, distance: usize) -> __m256i {
        let lanes = if C::NEAR {
            load_twice(window(from, self.start[2 * pair] & 63))
        } else {
            self.lanes(from, pair, distance)
        };
        _mm256_shuffle_epi8(lanes, self.bytes[pair])
    }

    /// Returns the values of a pair of pieces, with other bits above them.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn values<C: Case>(&self, from: &[u8; WINDOW], pair: usize) -> __m256i {
        let (first, bits) = (self.load::<C>(from, pair, 0), self.bits[pair]);
        match K {
            1 => {
                let next = self.load::<C>(from, pair, self.width);
                let half = |words| _mm256_srli_epi16::<8>(_mm256_mullo_epi16(words, bits));
                _mm256_packus_epi16(half(first), half(next))
            }
            2 if !(C::WIDE && self.spills) => {
                _mm256_srl_epi16(_mm256_mullo_epi16(first, bits), self.excess)
            }
            2 => {
                // `first` becomes the upper byte of another word; `next` holds the two bytes after
                // it.
                let upper = _mm256_slli_epi16::<8>(first);
                let low = _mm256_mulhi_epu16(upper, opaque_in_place(bits));
                let next = self.load::<C>(from, pair, 1);
                _mm256_or_si256(low, _mm256_mullo_epi16(next, bits))
            }
            4 => _mm256_srlv_epi32(first, bits),
            _ => _mm256_srlv_epi64(first, bits),
        }
    }

    /// Unpacks the values of a pair of pieces.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(crate) fn unpacked<C: Case>(&self, from: &[u8; WINDOW], pair: usize) -> __m256i {
        let found = if !(C::WIDE && K >= 4 && self.spills) {
            self.values::<C>(from, pair)
        } else if K == 4 {
            self.wide_values(from, pair)
        } else {
            // Counted from the second byte, everything is eight bits further up.
            let up = _mm256_sub_epi8(splat::<K>(8), self.bits[pair]);
            let next = _mm256_sllv_epi64(self.load::<C>(from, pair, 1), up);
            _mm256_or_si256(self.values::<C>(from, pair), next)
        };
        let found = _mm256_and_si256(found, self.mask);
        if C::ZIGZAG && K >= 4 && self.zigzag {
            let sign = _mm256_and_si256(found, splat::<K>(1));
            let zero = _mm256_setzero_si256();
            return match K {
                4 => _mm256_xor_si256(_mm256_srli_epi32::<1>(found), _mm256_sub_epi32(zero, sign)),
                _ => _mm256_xor_si256(_mm256_srli_epi64::<1>(found), _mm256_sub_epi64(zero, sign)),
            };
        }
        add::<K>(found, self.reference)
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn unpack<const K: usize, C: Case>(plan: &Unpacker<K>, from: &[u8; WINDOW], to: &mut [Slot; 64]) {
    for pair in 0..2 {
        store(window_mut(to, 32 * pair), plan.unpacked::<C>(from, pair));
    }
}

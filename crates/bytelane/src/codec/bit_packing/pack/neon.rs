//! NEON: one instruction shifts each value by its own number of bits, to the left or to the right.

use super::{Numbers, needs_before};
use crate::backend::Neon;
use crate::codec::bit_packing::arch::neon::{add, shift, splat};
use crate::codec::bit_packing::layout::Layout;
use crate::codec::bit_packing::{Any, Case, Pack, Packs, kernel};
use crate::memory::Slot;
use crate::simd::neon::{load, store};
use crate::simd::{implement, window, window_mut};
use core::arch::aarch64::*;

implement! {
    impl<const K: usize> Pack<K> for Neon {
        const FEW: usize = 24;
        type Plan = Packer<K>;
        fn pack_plan(layout: Layout) -> Packer<K> = Packer::<K>::new;
        fn packs_usual(plan: &Packer<K>) -> bool = Packer::is_usual;
        fn pack<C: Case>(plan: &mut Packer<K>, from: &[u8; 64], to: &mut [Slot; 64]) = pack::<K, C>;
        fn narrow(plan: &mut Packer<K>, from: &[[u8; 64]; K], to: &mut [u8; 64]) = narrow::<K>;
        fn all_fit(plan: &Packer<K>) -> bool = Packer::all_fit;
    }
}

impl<const K: usize> Packs<K> for Neon {
    #[inline(always)]
    fn pack(self, layout: Layout, src: &[u8], dst: &mut [Slot]) -> bool {
        kernel::pack::<K, Self>(self, layout, src, dst)
    }

    #[inline(always)]
    fn pack_whole(self, layout: Layout, src: &[u8], dst: &mut [Slot]) {
        kernel::pack_whole::<K, Self>(self, layout, src, dst);
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Packer<const K: usize> {
    starts: [usize; 4],
    /// Shifts that make the values of each 2 bytes touch, then of each 4, then of 8: the first
    /// value left, and the second one right if zeros precede it.
    joins: [uint8x16_t; 3],
    /// Shift of each number from there to the bit in which it begins.
    bits: [uint8x16_t; 4],
    /// Shifts that leave all bytes one position lower.
    back: [uint8x16_t; 4],
    /// Byte indices of each piece.
    later: [uint8x16_t; 4],
    /// Byte indices that are added to these, from the first number of the piece and the second one
    /// of the piece before.
    earlier: [uint8x16_t; 4],
    spills: bool,
    mask: uint8x16_t,
    reference: uint8x16_t,
    zigzag: bool,
    /// Bits that occur in any value so far.
    seen: uint8x16_t,
}

/// Combines two 8-byte numbers.
#[target_feature(enable = "neon")]
#[inline]
fn two(low: i64, high: i64) -> uint8x16_t {
    let low = vcreate_u8(low.cast_unsigned());
    vcombine_u8(low, vcreate_u8(high.cast_unsigned()))
}

/// Joins the values of each two times `HALF` bytes: the first one left, the second one right.
#[target_feature(enable = "neon")]
#[inline]
fn join<const HALF: usize>(left: usize, right: usize) -> uint8x16_t {
    // Only the lowest byte of a shift counts.
    let right = right.wrapping_neg() & 0xff;
    let both = (right as u64) << (8 * HALF) | left as u64;
    match HALF {
        1 => vreinterpretq_u8_u16(vdupq_n_u16(both as u16)),
        2 => vreinterpretq_u8_u32(vdupq_n_u32(both as u32)),
        _ => vreinterpretq_u8_u64(vdupq_n_u64(both)),
    }
}

/// Returns the shifts that join values, each pair of them in the middle of its bytes, and the
/// number of zeros that finally precede an 8-byte number.
#[target_feature(enable = "neon")]
#[inline]
fn joins<const K: usize>(layout: Layout) -> ([uint8x16_t; 3], i64) {
    // Number of unused bits in `half` bytes of joined values.
    let excess = |half: usize| (8 * half).saturating_sub(half / K * layout.width);
    // Half of the unused bits precede values that have been joined already.
    let shifts = |half: usize| {
        if half == K {
            (excess(half), 0)
        } else {
            (excess(half) / 2, excess(half) / 2)
        }
    };
    let [one, two, four] = [shifts(1), shifts(2), shifts(4)];
    let joins = [
        join::<1>(one.0, one.1),
        join::<2>(two.0, two.1),
        join::<4>(four.0, four.1),
    ];
    match K {
        8 => (joins, 0),
        _ => (joins, excess(4) as i64),
    }
}

/// Returns the shuffle that adds the last bytes of numbers to a piece.
#[target_feature(enable = "neon")]
#[inline]
fn earlier_bytes<const K: usize>(numbers: Numbers, piece: usize) -> uint8x16_t {
    let mut bytes = load(numbers.earlier(piece));
    if needs_before::<K>(piece) {
        bytes = vsetq_lane_u8::<0>(numbers.before(piece), bytes);
    }
    if numbers.spill() {
        bytes = vsubq_u8(bytes, vdupq_n_u8(1));
    }
    // If there are two sources, the second one comes first.
    if needs_before::<K>(piece) {
        veorq_u8(bytes, vdupq_n_u8(8))
    } else {
        bytes
    }
}

impl<const K: usize> Packer<K> {
    #[inline(always)]
    fn is_usual(&self) -> bool {
        !self.zigzag && !self.spills
    }

    #[target_feature(enable = "neon")]
    #[inline]
    fn new(layout: Layout) -> Self {
        let numbers = Numbers::new::<K>(layout);
        let (joins, zeros) = joins::<K>(layout);
        let zero = [vdupq_n_u8(0); 4];
        let (mut bits, mut back, mut later, mut earlier) = (zero, zero, zero, zero);
        for piece in 0..4 {
            let [first, second] = [2 * piece, 2 * piece + 1];
            let bit = |number| numbers.bit(number) as i64 - zeros;
            bits[piece] = two(bit(first), bit(second));
            back[piece] = two(bit(first) - 8, bit(second) - 8);
            later[piece] = load(numbers.later(piece));
            earlier[piece] = earlier_bytes::<K>(numbers, piece);
        }
        Self {
            starts: numbers.starts(),
            joins,
            bits,
            back,
            later,
            earlier,
            spills: numbers.spill(),
            mask: splat::<K>(layout.mask()),
            reference: splat::<K>(layout.reference.wrapping_neg()),
            zigzag: layout.zigzag,
            seen: vdupq_n_u8(0),
        }
    }

    #[target_feature(enable = "neon")]
    #[inline]
    fn all_fit(&self) -> bool {
        vmaxvq_u8(vbicq_u8(self.seen, self.mask)) == 0
    }

    /// Maps values to the bits to be packed.
    #[target_feature(enable = "neon")]
    #[inline]
    fn mapped<C: Case>(&mut self, values: uint8x16_t) -> uint8x16_t {
        let bits = if C::ZIGZAG && K >= 4 && self.zigzag {
            veorq_u8(add::<K>(values, values), sign::<K>(values))
        } else {
            add::<K>(values, self.reference)
        };
        self.seen = vorrq_u8(self.seen, bits);
        bits
    }

    /// Returns the two numbers of a piece, shifted to their bits, and the same numbers as `earlier`
    /// needs them.
    #[target_feature(enable = "neon")]
    #[inline]
    fn shifted<C: Case>(&self, bits: uint8x16_t, piece: usize) -> [uint8x16_t; 2] {
        let [one, two, four] = self.joins;
        let joined = match K {
            1 => shift::<4>(shift::<2>(shift::<1>(bits, one), two), four),
            2 => shift::<4>(shift::<2>(bits, two), four),
            4 => shift::<4>(bits, four),
            _ => bits,
        };
        let shifted = shift::<8>(joined, self.bits[piece]);
        if C::WIDE && self.spills {
            return [shifted, shift::<8>(joined, self.back[piece])];
        }
        [shifted; 2]
    }
}

/// Returns ones for negative 4-byte or 8-byte values, zeros for others.
#[target_feature(enable = "neon")]
#[inline]
fn sign<const K: usize>(values: uint8x16_t) -> uint8x16_t {
    match K {
        4 => vreinterpretq_u8_s32(vshrq_n_s32::<31>(vreinterpretq_s32_u8(values))),
        _ => vreinterpretq_u8_s64(vshrq_n_s64::<63>(vreinterpretq_s64_u8(values))),
    }
}

#[target_feature(enable = "neon")]
#[inline]
fn pack<const K: usize, C: Case>(plan: &mut Packer<K>, from: &[u8; 64], to: &mut [Slot; 64]) {
    let mut before = vdupq_n_u8(0);
    for piece in 0..4 {
        let bits = plan.mapped::<C>(load(window(from, 16 * piece)));
        let [shifted, last] = plan.shifted::<C>(bits, piece);
        let mut bytes = vqtbl1q_u8(shifted, plan.later[piece]);
        if K > 1 {
            let sources = if needs_before::<K>(piece) {
                vextq_u8::<8>(before, last)
            } else {
                last
            };
            bytes = vorrq_u8(bytes, vqtbl1q_u8(sources, plan.earlier[piece]));
        }
        // A start is at most 48; the minimum tells the compiler that the store is within the
        // window.
        store(window_mut(to, usize::min(plan.starts[piece], 48)), bytes);
        before = last;
    }
}

#[target_feature(enable = "neon")]
#[inline]
fn narrow<const K: usize>(plan: &mut Packer<K>, from: &[[u8; 64]; K], to: &mut [u8; 64]) {
    for i in 0..4 {
        let mut vectors = [vdupq_n_u8(0); K];
        for j in 0..K {
            let at = 16 * (K * i + j);
            let values = load(window(&from[at / 64], at % 64));
            vectors[j] = plan.mapped::<Any>(values);
        }
        store(window_mut(to, 16 * i), narrowed(vectors));
    }
}

/// Keeps the lowest byte of each value.
#[target_feature(enable = "neon")]
#[inline]
fn narrowed<const K: usize>(mut vectors: [uint8x16_t; K]) -> uint8x16_t {
    if K == 8 {
        for i in 0..K / 2 {
            let low = vreinterpretq_u32_u8(vectors[2 * i]);
            let high = vreinterpretq_u32_u8(vectors[2 * i + 1]);
            vectors[i] = vreinterpretq_u8_u32(vuzp1q_u32(low, high));
        }
    }
    if K >= 4 {
        for i in 0..2 {
            let low = vreinterpretq_u16_u8(vectors[2 * i]);
            let high = vreinterpretq_u16_u8(vectors[2 * i + 1]);
            vectors[i] = vreinterpretq_u8_u16(vuzp1q_u16(low, high));
        }
    }
    match K {
        1 => vectors[0],
        _ => vuzp1q_u8(vectors[0], vectors[1]),
    }
}

//! NEON: for each piece of 16 bytes of values, `tbl` collects the bytes in which they begin, and a
//! shift moves each value by its own number of bits.

use crate::backend::Neon;
use crate::codec::bit_packing::layout::{Layout, spills};
use crate::codec::bit_packing::{Case, Unpack, WINDOW};
use crate::memory::Slot;
use crate::simd::neon::{load, store};
use crate::simd::{implement, window, window_mut};
use core::arch::aarch64::*;

implement! {
    impl<const K: usize> Unpack<K> for Neon {
        const FEW: usize = 16;
        type Plan = Unpacker<K>;
        fn unpack_plan(layout: Layout) -> Unpacker<K> = Unpacker::<K>::new;
        fn is_usual(plan: &Unpacker<K>) -> bool = Unpacker::is_usual;
        fn unpack<C: Case>(plan: &Unpacker<K>, from: &[u8; WINDOW], to: &mut [Slot; 64]) = unpack::<K, C>;
    }
}

/// Tables with an entry for each byte of a block of `K`-byte values.
struct Tables<const K: usize>;

impl<const K: usize> Tables<K> {
    /// Value to which it belongs, modulo eight: an index into `PLACES`.
    const VALUE: [u8; 64] = {
        let mut table = [0; 64];
        let mut i = 0;
        while i < 64 {
            table[i] = (i / K % 8) as u8;
            i += 1;
        }
        table
    };

    /// Group of eight values in its piece.
    const GROUP: [u8; 64] = {
        let mut table = [0; 64];
        let mut i = 0;
        while i < 64 {
            table[i] = (i % 16 / (8 * K)) as u8;
            i += 1;
        }
        table
    };

    /// Its position in the value.
    const BYTE: [u8; 64] = {
        let mut table = [0; 64];
        let mut i = 0;
        while i < 64 {
            table[i] = (i % K) as u8;
            i += 1;
        }
        table
    };
}

#[derive(Clone, Copy)]
pub(crate) struct Unpacker<const K: usize> {
    /// Start of each piece.
    start: [usize; 4],
    /// Byte indices of each value.
    bytes: [uint8x16_t; 4],
    /// Shift of each value, to the left: zero or a negative number.
    bits: [uint8x16_t; 4],
    spills: bool,
    mask: uint8x16_t,
    reference: uint8x16_t,
    zigzag: bool,
}

/// Broadcasts a number to all `K`-byte values.
#[target_feature(enable = "neon")]
#[inline]
pub(crate) fn splat<const K: usize>(number: u64) -> uint8x16_t {
    match K {
        1 => vdupq_n_u8(number as u8),
        2 => vreinterpretq_u8_u16(vdupq_n_u16(number as u16)),
        4 => vreinterpretq_u8_u32(vdupq_n_u32(number as u32)),
        _ => vreinterpretq_u8_u64(vdupq_n_u64(number)),
    }
}

/// Adds `K`-byte values.
#[target_feature(enable = "neon")]
#[inline]
pub(crate) fn add<const K: usize>(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
    match K {
        1 => vaddq_u8(a, b),
        2 => {
            let [a, b] = [vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b)];
            vreinterpretq_u8_u16(vaddq_u16(a, b))
        }
        4 => {
            let [a, b] = [vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b)];
            vreinterpretq_u8_u32(vaddq_u32(a, b))
        }
        _ => {
            let [a, b] = [vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b)];
            vreinterpretq_u8_u64(vaddq_u64(a, b))
        }
    }
}

/// Shifts each `K`-byte value left, or right if its number of bits is negative.
#[target_feature(enable = "neon")]
#[inline]
pub(in crate::codec::bit_packing) fn shift<const K: usize>(
    values: uint8x16_t,
    bits: uint8x16_t,
) -> uint8x16_t {
    match K {
        1 => vshlq_u8(values, vreinterpretq_s8_u8(bits)),
        2 => {
            let (values, bits) = (vreinterpretq_u16_u8(values), vreinterpretq_s16_u8(bits));
            vreinterpretq_u8_u16(vshlq_u16(values, bits))
        }
        4 => {
            let (values, bits) = (vreinterpretq_u32_u8(values), vreinterpretq_s32_u8(bits));
            vreinterpretq_u8_u32(vshlq_u32(values, bits))
        }
        _ => {
            let (values, bits) = (vreinterpretq_u64_u8(values), vreinterpretq_s64_u8(bits));
            vreinterpretq_u8_u64(vshlq_u64(values, bits))
        }
    }
}

impl<const K: usize> Unpacker<K> {
    #[inline(always)]
    fn is_usual(&self) -> bool {
        !self.zigzag && !self.spills
    }

    #[target_feature(enable = "neon")]
    #[inline]
    pub(crate) fn new(layout: Layout) -> Self {
        let places = load(layout.places());
        let zero = [vdupq_n_u8(0); 4];
        let (mut start, mut bytes, mut bits) = ([0; 4], zero, zero);
        for piece in 0..4 {
            start[piece] = layout.start(piece * 16 / K);
            let values = load(window(const { &Tables::<K>::VALUE }, 16 * piece));
            let first = vqtbl1q_u8(places, values);
            let base = vdupq_laneq_u8::<0>(first);
            let group = load(window(const { &Tables::<K>::GROUP }, 16 * piece));
            let group = vmulq_u8(group, vdupq_n_u8(layout.width as u8));
            let byte = load(window(const { &Tables::<K>::BYTE }, 16 * piece));
            bytes[piece] = vaddq_u8(vsubq_u8(first, base), vaddq_u8(group, byte));
            // Only the lowest byte of a shift counts: it holds the negative number.
            let bit = vqtbl1q_u8(places, vaddq_u8(values, vdupq_n_u8(8)));
            bits[piece] = vandq_u8(negated(bit), splat::<K>(0xff));
        }
        Self {
            start,
            bytes,
            bits,
            spills: spills(layout.width, 8 * K),
            mask: splat::<K>(layout.mask()),
            reference: splat::<K>(layout.reference),
            zigzag: layout.zigzag,
        }
    }

    /// Unpacks the values of one piece.
    #[target_feature(enable = "neon")]
    #[inline]
    pub(crate) fn unpacked<C: Case>(&self, from: &[u8; WINDOW], piece: usize) -> uint8x16_t {
        // A start is at most 48; the mask tells the compiler that all loads are within the window.
        let start = self.start[piece] & 63;
        let bits = self.bits[piece];
        let first = vqtbl1q_u8(load(window(from, start)), self.bytes[piece]);
        let mut found = shift::<K>(first, bits);
        if C::WIDE && self.spills {
            // Counted from the second byte, everything is eight bits further up.
            let next = vqtbl1q_u8(load(window(from, start + 1)), self.bytes[piece]);
            found = vorrq_u8(found, shift::<K>(next, vaddq_u8(bits, splat::<K>(8))));
        }
        let found = vandq_u8(found, self.mask);
        if C::ZIGZAG && K >= 4 && self.zigzag {
            let sign = vandq_u8(found, splat::<K>(1));
            return veorq_u8(half::<K>(found), negative::<K>(sign));
        }
        add::<K>(found, self.reference)
    }
}

/// Negates each byte.
#[target_feature(enable = "neon")]
#[inline]
fn negated(bytes: uint8x16_t) -> uint8x16_t {
    vsubq_u8(vdupq_n_u8(0), bytes)
}

/// Halves 4-byte or 8-byte values.
#[target_feature(enable = "neon")]
#[inline]
fn half<const K: usize>(values: uint8x16_t) -> uint8x16_t {
    match K {
        4 => vreinterpretq_u8_u32(vshrq_n_u32::<1>(vreinterpretq_u32_u8(values))),
        _ => vreinterpretq_u8_u64(vshrq_n_u64::<1>(vreinterpretq_u64_u8(values))),
    }
}

/// Negates 4-byte or 8-byte values.
#[target_feature(enable = "neon")]
#[inline]
fn negative<const K: usize>(values: uint8x16_t) -> uint8x16_t {
    match K {
        4 => vreinterpretq_u8_s32(vnegq_s32(vreinterpretq_s32_u8(values))),
        _ => vreinterpretq_u8_s64(vnegq_s64(vreinterpretq_s64_u8(values))),
    }
}

#[target_feature(enable = "neon")]
#[inline]
fn unpack<const K: usize, C: Case>(plan: &Unpacker<K>, from: &[u8; WINDOW], to: &mut [Slot; 64]) {
    for piece in 0..4 {
        store(window_mut(to, 16 * piece), plan.unpacked::<C>(from, piece));
    }
}

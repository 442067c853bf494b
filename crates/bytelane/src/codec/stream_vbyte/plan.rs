//! What a kernel is told: a layout with its tables, and what is done to the values.
#![forbid(unsafe_code)]

use super::coding::{Coding, Transform, Variant};
use crate::simd::window;

/// What a kernel is told.
///
/// They go by *blocks* of 64 bytes of values, 16 or 8 of them, whose codes are one number; a block
/// is four *groups* of 16 bytes, the reach of a table shuffle.
pub(crate) trait Plan: Copy {
    /// Bytes in a value.
    const WIDTH: usize;

    /// Values in a block.
    const VALUES: usize = 64 / Self::WIDTH;
    /// Control bytes of a block.
    const CONTROLS: usize = 16 / Self::WIDTH;
    /// Bits of the codes of a group.
    const GROUP_BITS: usize = 32 / Self::WIDTH;

    /// All of this in short.
    fn coding(self) -> Coding;
    /// What is done to the values.
    fn transform(self) -> Transform;
    /// Whether a zero has no data.
    /// Whether a zero has no data.
    fn zeros(self) -> bool;

    /// For the codes of a group: the shuffle from its data to its values.
    fn expand(self, codes: usize) -> &'static [u8; 16];
    /// For the codes of a group: the shuffle from its values to its data, and behind it how many
    /// bytes these are. One place to look both up makes encoding a fifth faster.
    fn compress(self, codes: usize) -> &'static [u8; 32];
    /// For the codes of a group: how many bytes of data they say.
    fn length(self, codes: usize) -> usize;
    /// A bit for each byte of values that is stored: for the codes of two values of four bytes, for
    /// that of one of eight, whatever is in the two bits above it.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        allow(dead_code, reason = "NEON shuffles instead")
    )]
    fn kept(self) -> &'static [u8; 16];

    /// Whether each value is stored as its difference from the one before.
    #[inline(always)]
    fn delta(self) -> bool {
        self.transform().delta()
    }

    /// Whether the sign goes to the lowest bit.
    #[inline(always)]
    fn zigzag(self) -> bool {
        self.transform().zigzag()
    }

    /// Bytes that the data of a zero has.
    #[inline(always)]
    fn shortest(self) -> usize {
        usize::from(!self.zeros())
    }

    /// The codes of group `i` out of those of its block.
    #[inline(always)]
    fn group(codes: u32, i: usize) -> usize {
        codes as usize >> (i * Self::GROUP_BITS) & ((1 << Self::GROUP_BITS) - 1)
    }

    /// Whether the values of all these control bytes, those of four blocks or several times as many,
    /// have one byte each.
    #[inline(always)]
    fn all_ones(self, controls: &[u8]) -> bool {
        let ones = if self.zeros() { u64::MAX / 3 } else { 0 };
        let mut others = 0;
        for eight in controls.as_chunks::<8>().0 {
            others |= u64::from_ne_bytes(*eight) ^ ones;
        }
        others == 0
    }

    /// The codes of block `at` out of the control bytes.
    #[inline(always)]
    fn codes(controls: &[u8], at: usize) -> u32 {
        match Self::CONTROLS {
            4 => u32::from_le_bytes(*window(controls, 4 * at)),
            _ => u32::from(u16::from_le_bytes(*window(controls, 2 * at))),
        }
    }
}

/// The layout of a variant, with tables that have a place for each of the `CODES` codes of a group.
/// They begin on a line of the cache, and no entry crosses one.
#[repr(C, align(64))]
pub(super) struct Layout<const WIDTH: usize, const CODES: usize> {
    compress: [[u8; 32]; CODES],
    expand: [[u8; 16]; CODES],
    lengths: [u8; CODES],
    kept: [u8; 16],
    variant: Variant,
}

pub(super) static V1234: Layout<4, 256> = Layout::of(Variant::V1234);
pub(super) static V0124: Layout<4, 256> = Layout::of(Variant::V0124);
pub(super) static V1248: Layout<8, 16> = Layout::of(Variant::V1248);

/// The layout of values of 32 bits.
#[inline]
pub(super) fn narrow(variant: Variant) -> &'static Layout<4, 256> {
    match variant {
        Variant::V0124 => &V0124,
        _ => &V1234,
    }
}

/// For any transform: the kernel asks for it when it runs.
pub(super) const ANY: u8 = u8::MAX;

/// The plan of a layout, for the transform of the number `FOR` or for any.
#[derive(Clone, Copy)]
pub(super) struct Planned<const WIDTH: usize, const CODES: usize, const FOR: u8> {
    pub(super) layout: &'static Layout<WIDTH, CODES>,
    pub(super) transform: Transform,
}

impl<const WIDTH: usize, const CODES: usize, const FOR: u8> Plan for Planned<WIDTH, CODES, FOR> {
    const WIDTH: usize = WIDTH;

    #[inline(always)]
    fn coding(self) -> Coding {
        Coding {
            variant: self.layout.variant,
            transform: self.transform,
        }
    }

    #[inline(always)]
    fn transform(self) -> Transform {
        const KNOWN: [Transform; 4] = [
            Transform::None,
            Transform::Delta,
            Transform::Zigzag,
            Transform::DeltaZigzag,
        ];
        match FOR {
            ANY => self.transform,
            known => KNOWN[usize::from(known)],
        }
    }

    #[inline(always)]
    fn zeros(self) -> bool {
        WIDTH == 4 && self.layout.variant == Variant::V0124
    }

    #[inline(always)]
    fn expand(self, codes: usize) -> &'static [u8; 16] {
        &self.layout.expand[codes]
    }

    #[inline(always)]
    fn compress(self, codes: usize) -> &'static [u8; 32] {
        &self.layout.compress[codes]
    }

    #[inline(always)]
    fn length(self, codes: usize) -> usize {
        usize::from(self.layout.lengths[codes])
    }

    #[inline(always)]
    fn kept(self) -> &'static [u8; 16] {
        &self.layout.kept
    }
}

/// Runs a piece of code with `$plan`, a [`Plan`] that is compiled for a transform.
macro_rules! with_transform {
    ($transform:ident, $layout:ident, $plan:ident => $run:expr) => {
        match $transform {
            Transform::None => with_transform!(@for None, $layout, $plan => $run),
            Transform::Delta => with_transform!(@for Delta, $layout, $plan => $run),
            Transform::Zigzag => with_transform!(@for Zigzag, $layout, $plan => $run),
            Transform::DeltaZigzag => with_transform!(@for DeltaZigzag, $layout, $plan => $run),
        }
    };
    (@for $For:ident, $layout:ident, $plan:ident => $run:expr) => {{
        let $plan = Planned::<WIDTH, CODES, { Transform::$For as u8 }> {
            layout: $layout,
            transform: Transform::$For,
        };
        $run
    }};
}
pub(super) use with_transform;

impl<const WIDTH: usize, const CODES: usize> Layout<WIDTH, CODES> {
    const fn of(variant: Variant) -> Self {
        let lengths = variant.lengths();
        Self {
            compress: compress(WIDTH, lengths),
            expand: expand(WIDTH, lengths),
            lengths: group_lengths(WIDTH, lengths),
            kept: kept(WIDTH, lengths),
            variant,
        }
    }
}

/// 0x80 and what the shuffle instructions of all machines take for "no byte, zero".
const NONE: u8 = 0xff;

/// Byte `b` of value `v` comes from byte `b` of the value's data, which begins where that of the
/// values before it ends.
const fn expand<const N: usize>(width: usize, lengths: [usize; 4]) -> [[u8; 16]; N] {
    let mut table = [[NONE; 16]; N];
    let mut codes = 0;
    while codes < N {
        let (mut value, mut from) = (0, 0);
        while value < 16 / width {
            let mut byte = 0;
            while byte < lengths[codes >> (2 * value) & 3] {
                table[codes][value * width + byte] = from;
                from += 1;
                byte += 1;
            }
            value += 1;
        }
        codes += 1;
    }
    table
}

/// The same shuffle backwards.
const fn compress<const N: usize>(width: usize, lengths: [usize; 4]) -> [[u8; 32]; N] {
    let mut table = [[NONE; 32]; N];
    let mut codes = 0;
    while codes < N {
        let (mut value, mut to) = (0, 0);
        while value < 16 / width {
            let mut byte = 0;
            while byte < lengths[codes >> (2 * value) & 3] {
                table[codes][to] = (value * width + byte) as u8;
                to += 1;
                byte += 1;
            }
            value += 1;
        }
        table[codes][16] = to as u8;
        codes += 1;
    }
    table
}

const fn group_lengths<const N: usize>(width: usize, lengths: [usize; 4]) -> [u8; N] {
    let mut table = [0; N];
    let mut codes = 0;
    while codes < N {
        let mut value = 0;
        while value < 16 / width {
            table[codes] += lengths[codes >> (2 * value) & 3] as u8;
            value += 1;
        }
        codes += 1;
    }
    table
}

const fn kept(width: usize, lengths: [usize; 4]) -> [u8; 16] {
    let mut table = [0; 16];
    let mut codes = 0;
    while codes < 16 {
        let first = (1u32 << lengths[codes & 3]) - 1;
        let second = (1u32 << lengths[codes >> 2]) - 1;
        table[codes] = match width {
            4 => (first | second << 4) as u8,
            _ => first as u8,
        };
        codes += 1;
    }
    table
}

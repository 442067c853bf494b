//! What a kernel is compiled for: a variant fused with a transform, and the tables that follow.
#![forbid(unsafe_code)]

use core::marker::PhantomData;

/// One of the format's variants.
pub(super) trait Layout: Copy {
    /// Bytes in a value.
    const WIDTH: usize;
    /// Bytes that each of the four codes stands for.
    const LENGTHS: [usize; 4];
}

/// 32 bits in 1, 2, 3 or 4 bytes.
#[derive(Clone, Copy)]
pub(super) struct Layout1234;
impl Layout for Layout1234 {
    const WIDTH: usize = 4;
    const LENGTHS: [usize; 4] = [1, 2, 3, 4];
}

/// 32 bits in 0, 1, 2 or 4 bytes.
#[derive(Clone, Copy)]
pub(super) struct Layout0124;
impl Layout for Layout0124 {
    const WIDTH: usize = 4;
    const LENGTHS: [usize; 4] = [0, 1, 2, 4];
}

/// 64 bits in 1, 2, 4 or 8 bytes.
#[derive(Clone, Copy)]
pub(super) struct Layout1248;
impl Layout for Layout1248 {
    const WIDTH: usize = 8;
    const LENGTHS: [usize; 4] = [1, 2, 4, 8];
}

/// A layout with its transform. Kernels take one as a type; every question asked of it is answered
/// when they are compiled.
///
/// They go by *blocks* of 64 bytes of values, 16 or 8 of them, whose codes are one number; a block
/// is four *groups* of 16 bytes, the reach of a table shuffle.
pub(crate) trait Plan: Copy {
    /// Bytes in a value.
    const WIDTH: usize;
    /// Bytes that each of the four codes stands for.
    const LENGTHS: [usize; 4];
    /// Each value is stored as its difference from the one before.
    const DELTA: bool;
    /// The sign goes to the lowest bit.
    const ZIGZAG: bool;

    /// Values in a block.
    const VALUES: usize = 64 / Self::WIDTH;
    /// Control bytes of a block.
    const CONTROLS: usize = 16 / Self::WIDTH;
    /// Bits of the codes of a group.
    const GROUP_BITS: usize = 32 / Self::WIDTH;

    /// For the codes of a group: the shuffle from its data to its values.
    const EXPAND: &'static [[u8; 16]];
    /// For the codes of a group: the shuffle from its values to its data, and behind it how many
    /// bytes these are. One place to look both up makes encoding a fifth faster.
    const COMPRESS: &'static [[u8; 32]];
    /// For the codes of a group: how many bytes of data they say.
    const GROUP_LENGTHS: &'static [u8];

    /// The control byte of four values of one byte each.
    const ONES: u8 = if Self::LENGTHS[0] == 1 { 0 } else { 0x55 };

    /// The codes of group `i` out of those of its block.
    #[inline(always)]
    fn group(codes: u32, i: usize) -> usize {
        codes as usize >> (i * Self::GROUP_BITS) & ((1 << Self::GROUP_BITS) - 1)
    }

    /// Whether the values of all these control bytes, those of four blocks or several times as many,
    /// have one byte each.
    #[inline(always)]
    fn all_ones(controls: &[u8]) -> bool {
        let mut others = 0;
        for eight in controls.as_chunks::<8>().0 {
            others |= u64::from_ne_bytes(*eight) ^ u64::from_ne_bytes([Self::ONES; 8]);
        }
        others == 0
    }

    /// The codes of a block out of its control bytes, of which there may be fewer.
    #[inline(always)]
    fn codes(controls: &[u8]) -> u32 {
        match controls {
            &[a, b, c, d] if Self::CONTROLS == 4 => u32::from_le_bytes([a, b, c, d]),
            &[a, b] if Self::CONTROLS == 2 => u32::from_le_bytes([a, b, 0, 0]),
            few => few
                .iter()
                .rev()
                .fold(0, |codes, &byte| codes << 8 | u32::from(byte)),
        }
    }
}

/// The plan of a layout and a transform.
#[derive(Clone, Copy)]
pub(super) struct Fused<L, const DELTA: bool, const ZIGZAG: bool>(pub(super) PhantomData<L>);

impl<L: Layout, const DELTA: bool, const ZIGZAG: bool> Plan for Fused<L, DELTA, ZIGZAG> {
    const WIDTH: usize = L::WIDTH;
    const LENGTHS: [usize; 4] = L::LENGTHS;
    const DELTA: bool = DELTA;
    const ZIGZAG: bool = ZIGZAG;
    const EXPAND: &'static [[u8; 16]] = Tables::<L>::EXPAND;
    const COMPRESS: &'static [[u8; 32]] = Tables::<L>::COMPRESS;
    const GROUP_LENGTHS: &'static [u8] = Tables::<L>::GROUP_LENGTHS;
}

/// The tables of a layout, computed when the crate is compiled.
struct Tables<L>(PhantomData<L>);

/// Tables begin on a line of the cache, and no entry crosses one.
#[repr(align(64))]
struct Aligned<T>(T);

impl<L: Layout> Tables<L> {
    const EXPAND: &'static [[u8; 16]] = match L::WIDTH {
        4 => &const { expand::<256>(L::WIDTH, L::LENGTHS) }.0,
        _ => &const { expand::<16>(L::WIDTH, L::LENGTHS) }.0,
    };

    const COMPRESS: &'static [[u8; 32]] = match L::WIDTH {
        4 => &const { compress::<256>(L::WIDTH, L::LENGTHS) }.0,
        _ => &const { compress::<16>(L::WIDTH, L::LENGTHS) }.0,
    };

    const GROUP_LENGTHS: &'static [u8] = match L::WIDTH {
        4 => &const { group_lengths::<256>(L::WIDTH, L::LENGTHS) }.0,
        _ => &const { group_lengths::<16>(L::WIDTH, L::LENGTHS) }.0,
    };
}

/// 0x80 and what the shuffle instructions of all machines take for "no byte, zero".
const NONE: u8 = 0xff;

/// Byte `b` of value `v` comes from byte `b` of the value's data, which begins where that of the
/// values before it ends.
const fn expand<const N: usize>(width: usize, lengths: [usize; 4]) -> Aligned<[[u8; 16]; N]> {
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
    Aligned(table)
}

/// The same shuffle backwards.
const fn compress<const N: usize>(width: usize, lengths: [usize; 4]) -> Aligned<[[u8; 32]; N]> {
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
    Aligned(table)
}

const fn group_lengths<const N: usize>(width: usize, lengths: [usize; 4]) -> Aligned<[u8; N]> {
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
    Aligned(table)
}

//! Tables of shuffles, for instruction sets that cannot expand and compress.
#![forbid(unsafe_code)]

use crate::simd::{Shuffle, Stride};

/// Index without a byte: a byte shuffle turns it into zero.
pub(super) const NONE: u8 = 0xff;

/// For each set of eight values, the source of the value at each position when values are spread:
/// the number of set bits below the position, or `NONE` if its bit is not set.
pub(super) static SPREAD: [[u8; 8]; 256] = ranks();

/// For each set of eight values, the positions in the set, followed by `NONE`.
pub(super) static COMPACT: [[u8; 8]; 256] = places();

/// Same as [`SPREAD`], byte by byte for four values of four bytes.
pub(super) static SPREAD_BYTES: [[u8; 16]; 16] = of_bytes(&ranks());

/// Same as [`COMPACT`], byte by byte for four values of four bytes.
pub(super) static COMPACT_BYTES: [[u8; 16]; 16] = of_bytes(&places());

/// Shuffles that spread twice 16 bytes of values, for each set of them, and the numbers of bytes that they take.
/// Values of 8 and 16 bytes; a set has one bit for each. Two at a time, a set is extracted half as often.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "for SSE4.1"))]
pub(super) static SPREADING: [[[Shuffle; 2]; 16]; 2] =
    [two_shuffles::<8>(&ranks()), two_shuffles::<16>(&ranks())];

/// Same as [`SPREADING`], to compact values: the number of bytes is that of the result.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "for SSE4.1"))]
pub(super) static COMPACTING: [[[Shuffle; 2]; 16]; 2] =
    [two_shuffles::<8>(&places()), two_shuffles::<16>(&places())];

/// Numbers of 4-byte parts in 32 bytes of values, for a permutation, and a number of bytes.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Permutation {
    pub(super) parts: [u8; 32],
    pub(super) length: Stride<32>,
}

/// Same as [`SPREADING`], for 32 bytes of values.
#[cfg_attr(
    not(all(target_arch = "x86_64", feature = "avx2")),
    allow(dead_code, reason = "for AVX2")
)]
pub(super) static SPREADING_WIDE: [[Permutation; 16]; 2] =
    [permutations::<8>(&ranks()), permutations::<16>(&ranks())];

/// Same as [`COMPACTING`], for 32 bytes of values.
#[cfg_attr(
    not(all(target_arch = "x86_64", feature = "avx2")),
    allow(dead_code, reason = "for AVX2")
)]
pub(super) static COMPACTING_WIDE: [[Permutation; 16]; 2] =
    [permutations::<8>(&places()), permutations::<16>(&places())];

/// Returns the [`shuffles`] for the two halves of each set. Other rows are empty.
const fn two_shuffles<const V: usize>(table: &[[u8; 8]; 256]) -> [[Shuffle; 2]; 16] {
    let halves = shuffles::<V>(table);
    let half = 16 / V;
    let mut two = [[halves[0]; 2]; 16];
    let mut set = 0;
    while set < 1 << (2 * half) {
        two[set] = [halves[set & ((1 << half) - 1)], halves[set >> half]];
        set += 1;
    }
    two
}

/// Expands the numbers of the rows for sets of 16 bytes of values to bytes. Other rows are empty.
const fn shuffles<const V: usize>(table: &[[u8; 8]; 256]) -> [Shuffle; 4] {
    let empty = Shuffle {
        places: [NONE; 16],
        length: Stride::new(0),
    };
    let mut shuffles = [empty; 4];
    let mut set = 0;
    while set < 1 << (16 / V) {
        let mut i = 0;
        while i < 16 {
            let number = table[set][i / V];
            if number != NONE {
                shuffles[set].places[i] = number * V as u8 + (i % V) as u8;
            }
            i += 1;
        }
        shuffles[set].length = Stride::new(V * set.count_ones() as usize);
        set += 1;
    }
    shuffles
}

/// Same as [`shuffles`], for parts of 4 bytes in 32 bytes of values. A part without a source has all bits set.
const fn permutations<const V: usize>(table: &[[u8; 8]; 256]) -> [Permutation; 16] {
    let empty = Permutation {
        parts: [NONE; 32],
        length: Stride::new(0),
    };
    let mut permutations = [empty; 16];
    let mut set = 0;
    while set < 1 << (32 / V) {
        let mut i = 0;
        while i < 32 {
            let number = table[set][i / V];
            if number != NONE {
                let part = number * (V / 4) as u8 + (i % V / 4) as u8;
                permutations[set].parts[i] = if i % 4 == 0 { part } else { 0 };
            }
            i += 1;
        }
        permutations[set].length = Stride::new(V * set.count_ones() as usize);
        set += 1;
    }
    permutations
}

const fn ranks() -> [[u8; 8]; 256] {
    let mut table = [[NONE; 8]; 256];
    let mut set = 0;
    while set < 256 {
        let (mut place, mut rank) = (0, 0);
        while place < 8 {
            if set >> place & 1 != 0 {
                table[set][place] = rank;
                rank += 1;
            }
            place += 1;
        }
        set += 1;
    }
    table
}

const fn places() -> [[u8; 8]; 256] {
    let mut table = [[NONE; 8]; 256];
    let mut set = 0;
    while set < 256 {
        let (mut place, mut rank) = (0, 0);
        while place < 8 {
            if set >> place & 1 != 0 {
                table[set][rank] = place;
                rank += 1;
            }
            place += 1;
        }
        set += 1;
    }
    table
}

/// Expands the numbers of the first sixteen rows to four bytes each.
const fn of_bytes(table: &[[u8; 8]; 256]) -> [[u8; 16]; 16] {
    let mut bytes = [[NONE; 16]; 16];
    let mut set = 0;
    while set < 16 {
        let mut i = 0;
        while i < 16 {
            let number = table[set][i / 4];
            if number != NONE {
                bytes[set][i] = 4 * number + i as u8 % 4;
            }
            i += 1;
        }
        set += 1;
    }
    bytes
}

/// Returns the bits of the 4-byte parts of values of `V` bytes, 4, 8 or 16: each bit once, twice or
/// four times. Only the first `V / 4` words matter.
#[cfg_attr(target_arch = "x86_64", allow(dead_code, reason = "for NEON"))]
#[inline(always)]
pub(super) fn parts<const V: usize>(bits: u64) -> [u64; 4] {
    match V {
        8 => [twice(bits), twice(bits >> 32), 0, 0],
        16 => [
            twice(twice(bits)),
            twice(twice(bits >> 16)),
            twice(twice(bits >> 32)),
            twice(twice(bits >> 48)),
        ],
        _ => [bits, 0, 0, 0],
    }
}

/// Doubles each of the lower 32 bits: each step moves the upper half of each piece by its length.
///
/// ```text
/// 0000abcd
/// 00ab00cd
/// 0a0b0c0d
/// aabbccdd
/// ```
#[inline(always)]
pub(super) fn twice(bits: u64) -> u64 {
    let mut bits = bits & 0xffff_ffff;
    bits = (bits | bits << 16) & 0x0000_ffff_0000_ffff;
    bits = (bits | bits << 8) & 0x00ff_00ff_00ff_00ff;
    bits = (bits | bits << 4) & 0x0f0f_0f0f_0f0f_0f0f;
    bits = (bits | bits << 2) & 0x3333_3333_3333_3333;
    bits = (bits | bits << 1) & 0x5555_5555_5555_5555;
    3 * bits
}

//! Positions of packed values of one width, as constants.
#![forbid(unsafe_code)]

use crate::codec::bit_packing::layout::spills;
use crate::codec::bit_packing::width::Width;

/// Constants of the code for a width: positions of packed values.
pub(crate) trait Positions: Width {
    /// Size of the smallest type for them: values are narrowed to it first.
    const BYTES: usize = match Self::BITS {
        0..=8 => 1,
        9..=16 => 2,
        17..=32 => 4,
        _ => 8,
    };

    /// Number of values in a block.
    const VALUES: usize = values(Self::BITS);

    /// Number of pieces in a block.
    const PIECES: usize = Self::VALUES * Self::BYTES / 16;

    /// Number of bytes that the values of a block take.
    const STRIDE: usize = Self::VALUES * Self::BITS / 8;

    /// Number of bits of a number, the values of 8 bytes.
    const NUMBER: usize = 8 / Self::BYTES * Self::BITS;

    /// Number of zeros below a number when its two halves touch.
    const EXCESS: usize = if Self::BYTES == 8 {
        0
    } else {
        32 - Self::NUMBER / 2
    };

    /// True if a number shifted to its bit may have more than 8 bytes.
    const SPILLS: bool = spills(Self::NUMBER, 64);

    /// True if values fill their type, so that nothing is to be joined.
    const IS_WHOLE: bool = Self::BITS == 8 * Self::BYTES;

    /// True if the pieces of a block, which are two then, have at most 16 bytes together.
    const IS_SHORT: bool = Self::STRIDE <= 16;

    /// Number of bytes of the last piece.
    const LAST: usize = Self::STRIDE - byte(Self::NUMBER, 2 * (Self::PIECES - 1));

    /// For each piece, and each byte of it, its source among the bytes of the two numbers; the
    /// second number as soon as it begins.
    const LATER: [[u8; 16]; 4] = rows(Self::NUMBER, Self::PIECES, false);

    /// The same for the bytes that are added to these: the last one of the first number, where the
    /// second one begins, and the last one of the second number of the piece before.
    const EARLIER: [[u8; 16]; 4] = rows(Self::NUMBER, Self::PIECES, true);

    /// Returns the byte in which a piece begins.
    #[inline(always)]
    fn start(piece: usize) -> usize {
        byte(Self::NUMBER, 2 * piece)
    }
}

impl<W: Width> Positions for W {}

/// Returns the number of values in a block of a width. A block ends at a byte boundary.
#[inline(always)]
pub(super) const fn values(width: usize) -> usize {
    match width {
        0..=8 => 32,
        9..=32 => 16,
        _ => 8,
    }
}

/// Returns the number of bits before a number in the byte in which it begins.
#[inline(always)]
pub(super) const fn bit<W: Positions>(number: usize) -> usize {
    number * W::NUMBER % 8
}

/// Returns the byte in which a number of `bits` bits begins.
#[inline(always)]
const fn byte(bits: usize, number: usize) -> usize {
    number * bits / 8
}

/// Index for which a shuffle gives zero, as it does for the index before it.
const NOTHING: u8 = 0xf0;

/// Returns the rows of `EARLIER` or `LATER`, for `count` pieces.
///
/// The upper half of the last row has the last 8 bytes of the piece, so that two stores of 8 bytes
/// write exactly the piece. If all pieces fit a register, each has its place in it.
const fn rows(bits: usize, count: usize, is_earlier: bool) -> [[u8; 16]; 4] {
    let mut rows = [[NOTHING; 16]; 4];
    let mut piece = 0;
    while piece < count {
        let start = byte(bits, 2 * piece);
        let end = byte(bits, 2 * piece + 2);
        let is_last = piece + 1 == count;
        let mut at: usize = 0;
        while at < 16 {
            let from = if byte(bits, 2 * count) <= 16 {
                at.wrapping_sub(start)
            } else if is_last && at >= 8 {
                at + (end - start) - 16
            } else {
                at
            };
            if from < 16 {
                rows[piece][at] = source(bits, piece, from, is_earlier);
            }
            at += 1;
        }
        piece += 1;
    }
    rows
}

/// Returns the index of the byte at `at` in a piece.
const fn source(bits: usize, piece: usize, at: usize, is_earlier: bool) -> u8 {
    if is_earlier {
        earlier(bits, piece, at)
    } else {
        later(bits, piece, at)
    }
}

/// Does what [`source`] does for `LATER`.
const fn later(bits: usize, piece: usize, at: usize) -> u8 {
    let second = byte(bits, 2 * piece + 1) - byte(bits, 2 * piece);
    if at < second {
        at as u8
    } else if 8 + at - second < 16 {
        (8 + at - second) as u8
    } else {
        NOTHING
    }
}

/// Does what [`source`] does for `EARLIER`.
const fn earlier(bits: usize, piece: usize, at: usize) -> u8 {
    let number = 2 * piece;
    let start = byte(bits, number);
    let second = byte(bits, number + 1) - start;
    let [first_bit, second_bit] = [number * bits % 8, (number + 1) * bits % 8];
    let index = if at == 0 && first_bit > 0 {
        8 + start - byte(bits, number - 1)
    } else if at == second && second_bit > 0 {
        second
    } else {
        return NOTHING;
    };
    // These numbers are shifted by one byte less.
    (index - spills(bits, 64) as usize) as u8
}

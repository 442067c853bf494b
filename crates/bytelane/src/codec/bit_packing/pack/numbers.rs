//! Positions of the numbers that values are joined to.
#![forbid(unsafe_code)]

use crate::codec::bit_packing::layout::{Layout, spills};
use crate::memory::Each;

/// Numbers of `bits` bits each, one directly after the other, the first one at a byte boundary.
#[derive(Clone, Copy)]
pub(super) struct Numbers {
    pub(super) bits: usize,
}

impl Numbers {
    /// Returns the positions of the numbers that values of `K` bytes are joined to.
    #[inline(always)]
    pub(super) fn new<const K: usize>(layout: Layout) -> Self {
        let bits = 8 / K * layout.width;
        Self { bits }
    }

    /// Returns the byte in which a number begins.
    #[inline(always)]
    pub(super) fn byte(self, number: usize) -> usize {
        number * self.bits / 8
    }

    /// Returns the number of bits of that byte that belong to the number before.
    #[inline(always)]
    pub(super) fn bit(self, number: usize) -> usize {
        number * self.bits % 8
    }

    /// Returns the start of each piece.
    #[inline(always)]
    pub(super) fn starts(self) -> [usize; 4] {
        [0, 2, 4, 6].each(|number| self.byte(number))
    }

    /// Returns whether a number shifted to its bit may have more than 8 bytes.
    #[inline(always)]
    pub(super) fn spill(self) -> bool {
        spills(self.bits, 64)
    }

    /// Returns the position in a piece of the byte in which the second number begins.
    #[inline(always)]
    fn second(self, piece: usize) -> usize {
        self.byte(2 * piece + 1) - self.byte(2 * piece)
    }

    /// Returns, for each byte of a piece, its source among the bytes of the two numbers; the second
    /// number as soon as it begins.
    #[inline(always)]
    pub(super) fn later(self, piece: usize) -> &'static [u8; 16] {
        &LATER[self.second(piece)]
    }

    /// Returns the shuffle that moves the last byte of the first number to the byte in which the
    /// second number begins, to be added there. Nothing is added if the first number has ended
    /// before.
    #[inline(always)]
    pub(super) fn earlier(self, piece: usize) -> &'static [u8; 16] {
        match self.bit(2 * piece + 1) {
            0 => &EARLIER[0],
            _ => &EARLIER[self.second(piece)],
        }
    }

    /// Returns the index of the byte to add to the first byte of a piece: the last byte of the
    /// second number of the piece before.
    #[inline(always)]
    pub(super) fn before(self, piece: usize) -> u8 {
        match self.bit(2 * piece) {
            0 => NOTHING,
            _ => (8 + self.byte(2 * piece) - self.byte(2 * piece - 1)) as u8,
        }
    }
}

/// Returns whether a piece of values of `K` bytes may begin within a byte.
#[inline(always)]
pub(super) const fn needs_before<const K: usize>(piece: usize) -> bool {
    match K {
        8 => piece > 0,
        4 => piece % 2 == 1,
        _ => false,
    }
}

/// Index for which a shuffle gives zero, as it does for the index before it.
const NOTHING: u8 = 0xf0;

/// One row for each position at which the second number of a piece may begin.
static LATER: [[u8; 16]; 9] = {
    let mut rows = [[0; 16]; 9];
    let mut second = 0;
    while second < 9 {
        let mut at = 0;
        while at < 16 {
            let place = if at < second { at } else { 8 + at - second };
            rows[second][at] = if place < 16 { place as u8 } else { NOTHING };
            at += 1;
        }
        second += 1;
    }
    rows
};

/// One row for each position at which the first number of a piece may share a byte with the second
/// one.
static EARLIER: [[u8; 16]; 9] = {
    let mut rows = [[NOTHING; 16]; 9];
    let mut second = 1;
    while second < 9 {
        rows[second][second] = second as u8;
        second += 1;
    }
    rows
};

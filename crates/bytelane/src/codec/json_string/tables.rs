//! Tables for the instruction sets that move bytes by 16-byte shuffles.
#![forbid(unsafe_code)]

use super::scalar::{letter, meaning};

/// Letter of the escape of each byte below 16, zero if it has none.
pub(super) const LETTERS: [u8; 16] = {
    let mut table = [0; 16];
    let mut byte = 0;
    while byte < 16 {
        if let Some(letter) = letter(byte as u8) {
            table[byte] = letter;
        }
        byte += 1;
    }
    table
};

/// Maps each of the eight letters that may follow a backslash to a different position in 16.
const fn place(letter: u8) -> usize {
    (letter >> 1 & 15 ^ letter >> 6 & 1) as usize
}

/// Letter at each position, and its meaning. An empty position has a zero, which maps to another
/// position and so matches nothing.
pub(super) const KNOWN: [u8; 16] = by_place(false);
pub(super) const MEANINGS: [u8; 16] = by_place(true);

const fn by_place(meanings: bool) -> [u8; 16] {
    let mut table = [0; 16];
    let mut byte = 0;
    while byte < 128 {
        if let Some(meaning) = meaning(byte) {
            assert!(place(byte) != place(0) || table[place(byte)] == 0);
            table[place(byte)] = if meanings { meaning } else { byte };
        }
        byte += 1;
    }
    table
}

/// Positions of the bytes of each set of 8 bytes, in order.
pub(super) static KEEP: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut set = 0;
    while set < 256 {
        let (mut from, mut to) = (0, 0);
        while from < 8 {
            if set >> from & 1 == 1 {
                table[set][to] = from as u8;
                to += 1;
            }
            from += 1;
        }
        set += 1;
    }
    table
};

/// For each set of 8 bytes: all positions in order, with an 8 before each that is in the set.
pub(super) static EXPAND: [[u8; 16]; 256] = {
    let mut table = [[8; 16]; 256];
    let mut set = 0;
    while set < 256 {
        let (mut from, mut to) = (0, 0);
        while from < 8 {
            to += set >> from & 1;
            table[set][to] = from as u8;
            to += 1;
            from += 1;
        }
        set += 1;
    }
    table
};

/// Returns whether a set contains only the first positions, or none.
#[inline(always)]
pub(super) const fn first_ones(set: u64) -> bool {
    set & set.wrapping_add(1) == 0
}

//! Differences between the two alphabets, as tables for the kernels. All are computed from the
//! alphabet at compile time.
#![forbid(unsafe_code)]

use super::PAD;
#[cfg(all(target_arch = "x86_64", feature = "sse41"))]
use super::arch::sse41::Halves;

/// An alphabet and all data derived from it, each table within a cache line.
#[repr(C, align(64))]
pub(crate) struct Tables {
    /// Character of each value.
    pub(super) characters: [u8; 64],
    /// Value of each ASCII character, [`INVALID`] for those outside the alphabet.
    pub(super) values: [u8; 128],
    /// The same, for shuffles with 16 entries.
    #[cfg(all(target_arch = "x86_64", feature = "sse41"))]
    pub(super) halves: Halves,
}

/// Marks a character outside the alphabet: the one bit that no value and no ASCII character has.
const INVALID: u8 = 0x80;

/// Character of the value 0 in both alphabets.
pub(super) const ZERO: u8 = b'A';

/// Differences between [`ZERO`] and the padding, after 16 zeros. Those from byte 16 - `n` on pad `n` characters.
pub(super) static PADDING: [u8; 32] = {
    let mut differences = [0; 32];
    let mut at = 16;
    while at < 32 {
        differences[at] = ZERO - PAD;
        at += 1;
    }
    differences
};

/// The tables of each [`Alphabet`](super::Alphabet), in their order.
pub(super) static TABLES: [Tables; 2] = [
    Tables::new(*b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"),
    Tables::new(*b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
];

impl Tables {
    const fn new(characters: [u8; 64]) -> Self {
        let mut values = [INVALID; 128];
        let mut value = 0;
        while value < 64 {
            values[characters[value] as usize] = value as u8;
            value += 1;
        }
        Self {
            #[cfg(all(target_arch = "x86_64", feature = "sse41"))]
            halves: Halves::new(&characters),
            characters,
            values,
        }
    }

    /// Returns the value of a character, [`INVALID`] outside the alphabet.
    #[inline]
    pub(super) const fn value(&self, character: u8) -> u8 {
        if character < 128 {
            self.values[character as usize]
        } else {
            INVALID
        }
    }
}

/// How to decode 11 to 16 characters, of which a vector holds the first 8 and the last 8.
pub(crate) struct TextBlock {
    /// Places of the characters in the vector. Others become zeros.
    pub(super) order: [u8; 16],
    /// Characters of the value 0 after the text.
    pub(super) filling: [u8; 16],
    /// Places of the first 8 bytes and of the last 8 in the little-endian numbers of 24 bits.
    pub(super) bytes: [u8; 16],
}

/// Blocks by their number of characters minus 11.
pub(super) static TEXT_BLOCKS: [TextBlock; 6] = {
    let mut blocks = [const {
        TextBlock {
            order: [0; 16],
            filling: [0; 16],
            bytes: [0; 16],
        }
    }; 6];
    let mut i = 0;
    while i < 6 {
        let len = 11 + i;
        blocks[i].order = from_ends(len);
        let mut at = 0;
        while at < 16 {
            if at >= len {
                blocks[i].filling[at] = ZERO;
            }
            let byte = if at < 8 {
                at
            } else {
                len / 4 * 3 + (len % 4).saturating_sub(1) + at - 16
            };
            blocks[i].bytes[at] = (byte / 3 * 4 + 2 - byte % 3) as u8;
            at += 1;
        }
        i += 1;
    }
    blocks
};

/// Returns the places of `len` bytes in a vector of their first 8 and their last 8.
const fn from_ends(len: usize) -> [u8; 16] {
    let mut order = [0xff; 16];
    let mut i = 0;
    while i < len {
        order[i] = if i < 8 { i } else { 16 - len + i } as u8;
        i += 1;
    }
    order
}

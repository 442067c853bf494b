//! Differences between the two alphabets, as tables for the kernels. All are computed from the
//! alphabet at compile time.
#![forbid(unsafe_code)]

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

pub(super) static STANDARD: Tables =
    Tables::new(*b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
pub(super) static URL_SAFE: Tables =
    Tables::new(*b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_");

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

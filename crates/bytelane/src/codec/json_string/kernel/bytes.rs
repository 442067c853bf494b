//! Single bytes as they appear in a string.
#![forbid(unsafe_code)]

use super::super::scalar;
use crate::memory::{Slot, write};
use crate::simd::window_mut;

/// Size of a block of 64 bytes whose escapes are all `\u00xx`, with room for one whole store after
/// it.
pub(in super::super) const LONGEST: usize = 64 * 6 + 8;

/// Escape of each byte, or the byte itself, in up to six bytes; the last of the eight bytes is
/// their number.
static ESCAPED: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (text, length) = scalar::escaped(byte as u8);
        table[byte] = u64::from_le_bytes(text) | (length as u64 - 1) << 56;
        byte += 1;
    }
    table
};

/// Returns a byte as it appears in a string: eight bytes to write, and the number of those that
/// count.
#[inline(always)]
pub(super) fn escaped(byte: u8) -> ([u8; 8], usize) {
    let text = ESCAPED[usize::from(byte)];
    (text.to_le_bytes(), 1 + (text >> 56 & 7) as usize)
}

/// Escapes byte by byte. Each byte is written as eight bytes; the next one overwrites the excess.
/// Returns the length of the result.
#[inline(never)]
pub(super) fn escape_bytes(bytes: &[u8], dst: &mut [Slot; LONGEST]) -> usize {
    let mut to = 0;
    for &byte in bytes {
        let (text, length) = escaped(byte);
        write(window_mut(dst, to), text);
        to += length;
    }
    to
}

//! The most frequent texts, handled as numbers: this takes less time than calling a kernel, and is
//! inlined at the call.
#![forbid(unsafe_code)]

use crate::memory::pair;

/// The bits that no ASCII byte has.
pub(super) const BEYOND_ASCII: u64 = 0x8080_8080_8080_8080;

/// Returns whether up to 32 bytes are ASCII: the first and the last 16, which may overlap.
#[inline(always)]
pub(super) fn is_ascii(src: &[u8]) -> bool {
    let [mut low, mut high] = pair(src);
    if let Some(last) = src.last_chunk::<16>() {
        let last = pair(last);
        low |= last[0];
        high |= last[1];
    }
    (low | high) & BEYOND_ASCII == 0
}

/// Returns whether up to eight bytes, not all of them ASCII, are ASCII except for one character of
/// three or four bytes.
#[inline(always)]
pub(super) fn has_one_character(src: &[u8]) -> bool {
    let [bytes, _] = pair(src);
    // Drops the ASCII before the character.
    let bytes = bytes >> ((bytes & BEYOND_ASCII).trailing_zeros() & 0x38);
    // Tests the highest bits of each byte, and the bits of the value that have limits: the lower
    // bits of the first byte, and the upper ones of the second.
    if bytes & 0x10 == 0 {
        let upper = (bytes & 0x0f) << 1 | bytes >> 13 & 1;
        // Neither overlong, U+0000 to U+07FF, nor a surrogate, U+D800 to U+DFFF.
        bytes & (BEYOND_ASCII << 24 | 0xc0_c0f0) == 0x80_80e0 && upper != 0 && upper != 0x1b
    } else {
        let upper = (bytes & 0x07) << 2 | bytes >> 12 & 3;
        // From U+10000 to U+10FFFF.
        bytes & (BEYOND_ASCII << 32 | 0xc0c0_c0f8) == 0x8080_80f0 && (1..=0x10).contains(&upper)
    }
}

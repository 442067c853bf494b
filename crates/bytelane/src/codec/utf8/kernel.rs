//! The algorithms, shared by all instruction sets: a block of 64 bytes, and then groups of 256; a
//! short input consists of blocks. The rest after the groups consists of blocks, too, of which the
//! last one ends with the input, and may overlap the one before it.
//!
//! A kernel only determines which part contains the first error. The scalar code finds its offset.
//!
//! # Policy
//!
//! Most text is ASCII, at least at its front, so ASCII has a loop of its own, without the constants
//! of the validation. Text beyond ASCII usually has such characters in its first block, so that this
//! loop is not tried. From there on, groups are tested once for ASCII and once for errors, since a
//! branch per block is unpredictable in text with a few other characters.
//!
//! ```text
//! up to 64 bytes    one or several overlapping vectors, one answer
//! block             the first 64 bytes: there is nothing before them to load
//! ascii             if they are ASCII: groups of 256 bytes at the front; done if the last group is
//!                   ASCII, too
//! groups            ASCII after ASCII, or each byte compared with the three before it
//! blocks            fewer than 256 bytes, tested for errors once; 16 bytes or fewer at the end are
//!                   one vector of 16. Not if the group before and the last 256 bytes are ASCII
//! at the end        no character may be incomplete
//! ```
//!
//! The lengths of short texts are hard to predict. With masks, one vector is loaded for all lengths up
//! to 64; the others branch on the length.
//!
//! # Invariants
//!
//! - Everything before `at` is text, except that a character may continue after it.
//! - The vectors of the bytes one, two and three positions earlier are loaded from memory, not
//!   shuffled.
//!
//! # Measurements
//!
//! Loads are 1.13 (AVX-512) and 1.35 times (AVX2) as fast as shuffles. Two branches instead of the
//! one on "ASCII after ASCII" took 2,000 ns instead of 1,200 for 64 KiB. On a Zen 4, 8 to 64 bytes of
//! unpredictable length take 12 ns with one load for all lengths and 20 with branches (AVX-512), and
//! 256 bytes beyond ASCII 21.5 ns without and 24.4 with the loop for ASCII before (AVX2). See
//! `docs/lab-notes/utf8.md`.
#![forbid(unsafe_code)]

use super::short::{self, BEYOND_ASCII};
use super::{GROUP, Steps, Validation, scalar};
use crate::memory::pair;
use crate::simd::window;

/// Returns the four bytes before an offset, as a little-endian number; zeros before the start. The
/// input has at least four bytes, unless the offset is 0.
#[inline(always)]
fn before(src: &[u8], at: usize) -> u32 {
    match at {
        0 => 0,
        1..4 => u32::from_le_bytes(*window(src, 0)) << (8 * (4 - at)),
        _ => u32::from_le_bytes(*window(src, at - 4)),
    }
}

/// Returns whether a character continues after these bytes: they end with the first byte of two to
/// four, or with the first two of three or four, or with the first three of four.
#[inline(always)]
fn is_unfinished(last: u32) -> bool {
    let [_, third, second, first] = last.to_le_bytes();
    (first >= 0xc0) | (second >= 0xe0) | (third >= 0xf0)
}

/// Returns the length of the ASCII groups from an offset on.
#[inline(always)]
fn ascii(simd: impl Steps, src: &[u8]) -> usize {
    let (groups, _) = src.as_chunks::<GROUP>();
    let mut count = 0;
    while count < groups.len() && simd.is_ascii(groups[count].as_chunks().0) {
        count += 1;
    }
    count * GROUP
}

/// Returns the length of the longest text at the front of an input of at least 64 bytes.
#[inline(always)]
pub(super) fn valid_up_to(simd: impl Steps, src: &[u8]) -> usize {
    match fault(simd, src) {
        None => src.len(),
        Some(at) => scalar::valid_from(src, beginning(src, at)),
    }
}

/// Returns the start of the character that contains the byte before an offset. Everything before
/// that character is text.
#[inline(always)]
pub(crate) fn beginning(src: &[u8], at: usize) -> usize {
    let mut places = (at.saturating_sub(3)..at).rev();
    let first = places.find(|&place| !matches!(src[place], 0x80..=0xbf));
    first.unwrap_or(at)
}

/// Returns the start of the first part with an error, in an input of more than 64 bytes. The error
/// may be in a character that begins before it.
#[inline(always)]
fn fault(simd: impl Steps, src: &[u8]) -> Option<usize> {
    let len = src.len();
    let first = window(src, 0);
    // Groups begin after the first block: they need the bytes before them.
    let mut at = 64;
    if simd.is_ascii(&[*first]) {
        let groups = ascii(simd, src);
        if groups == len || len - groups < GROUP && is_ascii_end(simd, src) {
            return None;
        }
        at = usize::max(at, groups);
    } else if !simd.is_valid_first(first) {
        return Some(0);
    }
    let mut plain = false;
    while len - at >= GROUP {
        let (blocks, _) = window::<GROUP, _>(src, at).as_chunks();
        // One branch on both: mixed text is hardly ever ASCII, but the byte before it often is.
        if simd.is_ascii(blocks) & (src[at - 1] < 0x80) {
            plain = true;
        } else if simd.is_valid_group::<Validation>(window(src, at - 3)) {
            plain = false;
        } else {
            return Some(at);
        }
        at += GROUP;
    }
    if at < len && !(plain && is_ascii_end(simd, src)) && !simd.are_valid_blocks(src, at) {
        return Some(at);
    }
    is_unfinished(before(src, len)).then_some(len)
}

/// Returns whether UTF-8 allows all bytes from an offset on, which is at least 64. The last
/// character may be incomplete.
#[inline(always)]
pub(super) fn are_valid_blocks(simd: impl Steps, src: &[u8], mut at: usize) -> bool {
    let len = src.len();
    let mut valid = true;
    while len - at > 16 {
        at = usize::min(at, len - 64);
        valid &= simd.is_valid_block(window(src, at - 3));
        at += 64;
        if at == len {
            return valid;
        }
    }
    valid & simd.is_valid_vector(window(src, len - 19))
}

/// Returns whether the last group is ASCII, or all blocks of a shorter input of at least 64 bytes.
#[inline(always)]
fn is_ascii_end(simd: impl Steps, src: &[u8]) -> bool {
    if let Some(group) = src.last_chunk::<GROUP>() {
        return simd.is_ascii(group.as_chunks().0);
    }
    let (blocks, _) = src.as_chunks();
    simd.is_ascii(blocks) & simd.is_ascii(&[*window(src, src.len() - 64)])
}

/// Returns whether up to 18 bytes are text.
#[inline(always)]
pub(super) fn is_text18(simd: impl Steps, src: &[u8]) -> bool {
    match src.len() {
        0..16 => simd.is_valid16(0, pair(src)),
        _ => {
            let first = pair(&src[..16]);
            simd.is_valid16(0, first) & simd.is_valid16((first[1] >> 32) as u32, pair(&src[16..]))
        }
    }
}

/// Returns whether 19 to 64 bytes are text.
#[inline(always)]
pub(super) fn is_text64(simd: impl Steps, src: &[u8]) -> bool {
    let len = src.len();
    // Vectors of 16 cover the input. They overlap, to handle any length without a branch on it.
    let third = usize::max(len.saturating_sub(32), 3);
    let places = [usize::min(16, len - 16), third, len - 16];
    let first = pair(&src[..16]);
    let mut any = first[0] | first[1];
    for at in places {
        let [low, high] = pair(&src[at..at + 16]);
        any |= low | high;
    }
    if any & BEYOND_ASCII == 0 {
        return true;
    }
    let mut valid = simd.is_valid16(0, first) & !is_unfinished(before(src, src.len()));
    for at in places {
        valid &= simd.is_valid_vector(window(src, at - 3));
    }
    valid
}

/// Returns whether all bytes are ASCII.
#[inline(always)]
pub(super) fn is_ascii(simd: impl Steps, src: &[u8]) -> bool {
    match src.len() {
        0..64 => src.chunks(32).all(short::is_ascii),
        len => len - ascii(simd, src) < GROUP && is_ascii_end(simd, src),
    }
}

/// Returns the number of characters of a text: of bytes that do not continue one. The compiler
/// vectorises the loops.
#[inline(always)]
pub(super) fn count_chars(_: impl Steps, src: &[u8]) -> usize {
    #[inline(always)]
    fn begins(byte: u8) -> u8 {
        u8::from(byte.cast_signed() >= -0x40)
    }
    // One-byte sums can each hold those of 255 blocks.
    let (blocks, rest) = src.as_chunks::<64>();
    let mut count = rest.iter().map(|&byte| usize::from(begins(byte))).sum();
    for blocks in blocks.chunks(255) {
        let mut sums = [0_u8; 64];
        for block in blocks {
            for i in 0..64 {
                sums[i] += begins(block[i]);
            }
        }
        count += sums.iter().map(|&sum| usize::from(sum)).sum::<usize>();
    }
    count
}

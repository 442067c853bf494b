//! The algorithms, shared by all instruction sets: groups of 256 bytes, and blocks of 64 for what
//! is left. The last group or block ends with the input, and may overlap the one before it.
//!
//! A kernel only finds out in which part the first fault is. The scalar code finds its place.
#![forbid(unsafe_code)]

use super::short::{self, BEYOND_ASCII};
use super::{GROUP, Steps, scalar};
use crate::memory::pair;
use crate::simd::window;

/// The four bytes before a place, as a little-endian number; zeros before the start. The input has
/// at least four bytes, unless the place is its start.
#[inline(always)]
pub(crate) fn before(src: &[u8], at: usize) -> u32 {
    match at {
        0 => 0,
        1..4 => u32::from_le_bytes(*window(src, 0)) << (8 * (4 - at)),
        _ => u32::from_le_bytes(*window(src, at - 4)),
    }
}

/// Whether a character continues after these bytes: they end with the first byte of two to four, or
/// with the first two of three or four, or with the first three of four.
#[inline(always)]
fn is_unfinished(last: u32) -> bool {
    let [_, third, second, first] = last.to_le_bytes();
    (first >= 0xc0) | (second >= 0xe0) | (third >= 0xf0)
}

/// Whether a group continues the text before it.
#[inline(always)]
pub(crate) fn is_valid_group(simd: impl Steps, src: &[u8], at: usize) -> bool {
    if let Some(start) = at.checked_sub(3) {
        return simd.is_valid_group(window(src, start));
    }
    let mut errors = 0;
    for i in 0..GROUP / 64 {
        let at = at + 64 * i;
        errors |= simd.errors(before(src, at), window(src, at));
    }
    errors == 0
}

/// Whether a block continues the text before it.
#[inline(always)]
fn is_valid_block(simd: impl Steps, src: &[u8], at: usize) -> bool {
    match at.checked_sub(3) {
        Some(start) => simd.is_valid_block(window(src, start)),
        None => simd.errors(before(src, at), window(src, at)) == 0,
    }
}

/// Whether the `N` bytes from a place on are ASCII, and no character continues into them.
#[inline(always)]
fn is_plain<const N: usize>(simd: impl Steps, src: &[u8], at: usize) -> bool {
    let (blocks, _) = window::<N, _>(src, at).as_chunks();
    (at == 0 || src[at - 1] < 0x80) && simd.is_ascii(blocks)
}

/// The length of the longest text at the front of an input of at least 64 bytes.
#[inline(always)]
pub(super) fn valid_up_to(simd: impl Steps, src: &[u8]) -> usize {
    match fault(simd, src) {
        None => src.len(),
        Some(at) => scalar::valid_from(src, beginning(src, at)),
    }
}

/// Where the character begins that contains the byte before a place. Everything before that
/// character is text.
#[inline(always)]
fn beginning(src: &[u8], at: usize) -> usize {
    let mut places = (at.saturating_sub(3)..at).rev();
    let first = places.find(|&place| !matches!(src[place], 0x80..=0xbf));
    first.unwrap_or(at)
}

/// The start of the first part with a fault, in an input of more than 64 bytes. A character that
/// begins before it may be at fault too.
#[inline(always)]
fn fault(simd: impl Steps, src: &[u8]) -> Option<usize> {
    let len = src.len();
    if len < GROUP {
        return (!is_text_in_blocks(simd, src)).then_some(0);
    }
    let mut at = 0;
    while at + GROUP <= len {
        if !group(simd, src, at) {
            return Some(at);
        }
        at += GROUP;
    }
    let (start, valid) = match len - at {
        0 => (len, true),
        1..=64 => (len - 64, block(simd, src, len - 64)),
        _ => (len - GROUP, group(simd, src, len - GROUP)),
    };
    (!valid || is_unfinished(before(src, len))).then_some(start)
}

#[inline(always)]
fn group(simd: impl Steps, src: &[u8], at: usize) -> bool {
    is_plain::<GROUP>(simd, src, at) || is_valid_group(simd, src, at)
}

#[inline(always)]
fn block(simd: impl Steps, src: &[u8], at: usize) -> bool {
    is_plain::<64>(simd, src, at) || is_valid_block(simd, src, at)
}

/// Whether more than 64 bytes, but less than a group, are text.
#[inline(always)]
fn is_text_in_blocks(simd: impl Steps, src: &[u8]) -> bool {
    if is_ascii(simd, src) {
        return true;
    }
    let last = src.len() - 64;
    let mut valid = is_valid_block(simd, src, 0) & !is_unfinished(before(src, src.len()));
    for at in [64, 128] {
        if at < last {
            valid &= simd.is_valid_block(window(src, at - 3));
        }
    }
    valid & is_valid_block(simd, src, last)
}

/// Whether up to 34 bytes are text.
#[inline(always)]
pub(super) fn is_text34(simd: impl Steps, src: &[u8]) -> bool {
    match src.len() {
        0..16 => simd.is_valid16(0, pair(src)),
        16..19 => {
            let first = pair(&src[..16]);
            simd.is_valid16(0, first) & simd.is_valid16((first[1] >> 32) as u32, pair(&src[16..]))
        }
        _ => is_text_in_vectors(simd, src),
    }
}

/// Whether 19 to 64 bytes are text, in four vectors of 16. They overlap, to handle any length
/// without a branch on it.
#[inline(always)]
pub(super) fn is_text_in_vectors(simd: impl Steps, src: &[u8]) -> bool {
    let len = src.len();
    let places = [16, 32, 48].map(|at| usize::min(at, len - 16));
    let first = pair(&src[..16]);
    let mut any = first[0] | first[1];
    for at in places {
        let [low, high] = pair(&src[at..at + 16]);
        any |= low | high;
    }
    if any & BEYOND_ASCII == 0 {
        return true;
    }
    let mut valid = simd.is_valid16(0, first) & !is_unfinished(before(src, len));
    for at in places {
        valid &= simd.is_valid_vector(window(src, at - 3));
    }
    valid
}

/// Whether all bytes are ASCII.
#[inline(always)]
pub(super) fn is_ascii(simd: impl Steps, src: &[u8]) -> bool {
    let (groups, rest) = src.as_chunks::<GROUP>();
    for i in 0..groups.len() {
        let (blocks, _) = groups[i].as_chunks();
        if !simd.is_ascii(blocks) {
            return false;
        }
    }
    let (blocks, short) = rest.as_chunks();
    match src.last_chunk() {
        Some(last) => simd.is_ascii(blocks) && simd.is_ascii(&[*last]),
        None => short.chunks(32).all(short::is_ascii),
    }
}

/// The number of characters of a text: of bytes that do not continue one. The compiler turns the
/// loops into vectors.
#[inline(always)]
pub(super) fn count_chars(_: impl Steps, src: &[u8]) -> usize {
    #[inline(always)]
    fn begins(byte: u8) -> u8 {
        u8::from(byte.cast_signed() >= -0x40)
    }
    // Sums of one byte each hold those of 255 blocks.
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

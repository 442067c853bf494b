//! The front of a text, with the quotes: up to 64 bytes as a whole, or else the blocks without
//! special bytes.
//!
//! Most calls do no more than this, and most texts are short and have no special bytes. Everything
//! else is in functions of its own, which are called last, so that this one saves no registers.
//!
//! Without masks, two blocks of a fixed size, which may overlap, copy a text of any length. If there
//! are special bytes in it, eight bytes at a time are escaped. Each eight know their place in the
//! result, so that none waits for those before:
//!
//! ```text
//! text      a b c " d e f g h i \ k          specials { 3, 10 }
//! bytes     |---- 0 ------|                  to place 0
//!                 |---- 4 -------|           to place 4 + 1
//! ```
#![forbid(unsafe_code)]

use super::super::{Blocks, Consumed, Quotes, scalar};
use super::escape::{LONGEST, copy_run, escape_bytes};
use crate::memory::{Slot, pair, write};
use crate::simd::{window, window_mut};

/// Escapes the front of a text as far as that takes no decisions, with the quotes around it. The
/// destination has room for the text and the quotes. Returns the bytes read, which are whole
/// characters, and written with the quotes: the closing one comes after all of the text.
#[inline(always)]
pub(in super::super) fn escape_front(
    simd: impl Blocks,
    src: &[u8],
    dst: &mut [Slot],
    quotes: Quotes,
) -> Consumed {
    if src.len() > 64 {
        unlikely();
        return simd.escape_front_long(src, dst, quotes);
    }
    let start = quotes.open(dst);
    let specials = simd.copy_short(src, &mut dst[start..][..src.len()]);
    if specials != 0 {
        unlikely();
        return simd.escape_front_specials(src, dst, quotes, specials);
    }
    finish(src, dst, quotes, start + src.len())
}

/// Marks a branch that the compiler puts behind the others.
#[cold]
#[inline]
fn unlikely() {}

/// Escapes a longer text, or the part of it that fits.
#[inline(always)]
pub(in super::super) fn escape_front_long(
    simd: impl Blocks,
    src: &[u8],
    dst: &mut [Slot],
    quotes: Quotes,
) -> Consumed {
    let start = quotes.open(dst);
    let read = copy_run(simd, src, &mut dst[start..]);
    let written = start + read;
    if read == src.len() {
        return finish(src, dst, quotes, written);
    }
    let room = dst.len() - quotes.closing();
    let done = simd.escape_from(src, &mut dst[..room], Consumed { read, written });
    if done.read < src.len() {
        return scalar::in_whole_characters(src, done);
    }
    finish(src, dst, quotes, done.written)
}

/// Escapes a text of up to 64 bytes, with special bytes, after the opening quote.
#[inline(always)]
pub(in super::super) fn escape_front_specials(
    simd: impl Blocks,
    src: &[u8],
    dst: &mut [Slot],
    quotes: Quotes,
    specials: u64,
) -> Consumed {
    let start = quotes.opening();
    let is_done = match dst[start..].first_chunk_mut() {
        Some(inside) => simd.escape_short(src, specials, inside),
        None => false,
    };
    if !is_done {
        return escape_front_in_bytes(src, dst, quotes);
    }
    let written = start + src.len() + specials.count_ones() as usize;
    finish(src, dst, quotes, written)
}

/// Does the same byte by byte: for a text with long bytes, or where there is little room.
#[inline(never)]
fn escape_front_in_bytes(src: &[u8], dst: &mut [Slot], quotes: Quotes) -> Consumed {
    let start = quotes.opening();
    let inside = &mut dst[start..];
    if let Some(inside) = inside.first_chunk_mut() {
        let written = start + escape_bytes(src, inside);
        return finish(src, dst, quotes, written);
    }
    let mut result = [Slot::new(0); LONGEST];
    let length = escape_bytes(src, &mut result);
    if let Some(to) = inside.get_mut(..length) {
        to.copy_from_slice(&result[..length]);
        return finish(src, dst, quotes, start + length);
    }
    Consumed {
        read: 0,
        written: start,
    }
}

/// Writes the closing quote after all of the text. If it does not fit, nothing counts as read.
#[inline(always)]
fn finish(src: &[u8], dst: &mut [Slot], quotes: Quotes, written: usize) -> Consumed {
    match quotes.close(dst, written) {
        Some(written) => Consumed {
            read: src.len(),
            written,
        },
        None => Consumed {
            read: 0,
            written: quotes.opening(),
        },
    }
}

/// Copies up to 64 bytes, as two blocks that may overlap. Returns the set of special bytes.
#[inline(always)]
pub(in super::super) fn copy_short(simd: impl Blocks, src: &[u8], dst: &mut [Slot]) -> u64 {
    let n = src.len();
    // If a block were stored before it is examined, it would be loaded twice.
    if n > 32 {
        let [first, last] = [window(src, 0), window(src, n - 32)];
        let specials =
            u64::from(simd.specials32(first)) | u64::from(simd.specials32(last)) << (n - 32);
        copy_ends::<32>(src, dst);
        return specials;
    }
    if n >= 16 {
        let [first, last] = [window(src, 0), window(src, n - 16)];
        let specials =
            u64::from(simd.specials16(first)) | u64::from(simd.specials16(last)) << (n - 16);
        copy_ends::<16>(src, dst);
        return specials;
    }
    // Both ends in one vector, of which the other bytes do not count.
    let (first, last, size) = match n {
        8.. => {
            let [first, last] = copy_ends(src, dst);
            (u64::from_le_bytes(first), u64::from_le_bytes(last), 8)
        }
        4.. => {
            let [first, last] = copy_ends(src, dst);
            let [first, last] = [u32::from_le_bytes(first), u32::from_le_bytes(last)];
            (u64::from(first), u64::from(last), 4)
        }
        2.. => {
            let [first, last] = copy_ends(src, dst);
            let [first, last] = [u16::from_le_bytes(first), u16::from_le_bytes(last)];
            (u64::from(first), u64::from(last), 2)
        }
        1 => {
            let [[byte], _] = copy_ends(src, dst);
            (u64::from(byte), u64::from(byte), 1)
        }
        0 => return 0,
    };
    let block = u128::from(last) << 64 | u128::from(first);
    let [first, last] = simd.specials16(&block.to_le_bytes()).to_le_bytes();
    let of_last = u64::from(last) << (n - size) & ((1 << n) - 1);
    u64::from(first) & ((1 << size) - 1) | of_last
}

/// Copies the first and the last `N` bytes, and returns them.
#[inline(always)]
fn copy_ends<const N: usize>(src: &[u8], dst: &mut [Slot]) -> [[u8; N]; 2] {
    let last = src.len() - N;
    let ends = [*window(src, 0), *window(src, last)];
    write(window_mut(dst, 0), ends[0]);
    write(window_mut(dst, last), ends[1]);
    ends
}

/// Escapes up to 64 bytes, eight at a time; false if a byte is long.
#[inline(always)]
pub(in super::super) fn escape_short(
    simd: impl Blocks,
    src: &[u8],
    specials: u64,
    dst: &mut [Slot; 128],
) -> bool {
    let n = src.len();
    if n < 8 {
        let spaces = u64::from_le_bytes([b' '; 8]) << (8 * n);
        let [bytes, _] = pair(src);
        return !simd.escape8(bytes | spaces, specials as u8, window_mut(dst, 0));
    }
    let (mut at, mut any_long) = (0, false);
    while at < n {
        at = usize::min(at, n - 8);
        let bytes = u64::from_le_bytes(*window(src, at));
        let before = (specials & ((1 << at) - 1)).count_ones() as usize;
        let to = window_mut(dst, at + before);
        any_long |= simd.escape8(bytes, (specials >> at) as u8, to);
        at += 8;
    }
    !any_long
}

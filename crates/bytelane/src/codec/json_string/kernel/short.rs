//! The front of a text, with the quotes: up to 64 bytes as a whole, or else the blocks without
//! special bytes.
//!
//! Short texts without special bytes do not come here: see [`short`](super::super::short). What other texts need after their
//! front is in a function of its own, which is called last: then a text without special bytes saves one register.
//! The same holds for the code for little room: a `Vec` that is used again for texts of different lengths often has
//! little more than the longest one needs, and byte by byte, texts of 8 to 64 bytes with 1% of escapes took 1.2 times as long.
//!
//! Without masks, a text is escaped 16 or eight bytes at a time, the last of which may overlap those
//! before. Each know their place in the result, so that none waits for the others. To copy the text, and its rest after each
//! escape, takes 1.2 to 1.9 times as long for paths with backslashes:
//!
//! ```text
//! text      a b c " d e f g h i \ k          specials { 3, 10 }
//! bytes     |---- 0 ------|                  to place 0
//!                 |---- 4 -------|           to place 4 + 1
//! ```
//!
//! The special bytes of a text are found in blocks that overlap, also where there are masks: on Zen 4, a masked load
//! made reading a string of 8 to 64 bytes take 1.2 to 1.5 times as long.
#![forbid(unsafe_code)]

use super::super::{Blocks, Consumed, Quotes};
use super::bytes::{LONGEST, escape_bytes, escaped};
use super::{clean, copy_groups, finish, put_front};
use crate::memory::{Slot, pair, write};
use crate::simd::{window, window_mut};

/// Room for a text of up to 64 bytes in which some are long.
const ROOM: usize = 192;

/// Escapes the front of a text of up to 64 bytes: all of it, or nothing.
#[inline(always)]
pub(in super::super) fn escape_front_short(
    simd: impl Blocks,
    src: &[u8],
    dst: &mut [Slot],
    quotes: Quotes,
) -> Consumed {
    let start = quotes.open(dst);
    let inside = &mut dst[start..];
    if inside.len() < ROOM {
        return escape_front_in_little_room(simd, src, dst, quotes);
    }
    match escape_short_text(simd, src, inside) {
        Some(length) => finish(src, dst, quotes, start + length),
        None => escape_front_in_bytes(src, dst, quotes),
    }
}

/// Does the same where there is little room: copies the result from a place with enough.
#[inline(never)]
fn escape_front_in_little_room(
    simd: impl Blocks,
    src: &[u8],
    dst: &mut [Slot],
    quotes: Quotes,
) -> Consumed {
    let mut result = [Slot::new(0); ROOM];
    let done = simd.escape_front_short(src, &mut result, Quotes::NONE);
    let start = quotes.opening();
    match dst[start..].get_mut(..done.written) {
        Some(to) if done.read == src.len() && to.len() <= 128 => {
            put_front(&result, to);
            finish(src, dst, quotes, start + done.written)
        }
        _ => escape_front_in_bytes(src, dst, quotes),
    }
}

/// Escapes the front of a longer text, or all of it.
#[inline(always)]
pub(in super::super) fn escape_front_long(
    simd: impl Blocks,
    src: &[u8],
    dst: &mut [Slot],
    quotes: Quotes,
) -> Consumed {
    let start = quotes.open(dst);
    let run = copy_groups(simd, src, &mut dst[start..][..src.len()]);
    if run < src.len() {
        let done = Consumed {
            read: run,
            written: start + run,
        };
        return simd.escape_after(src, dst, done, quotes);
    }
    finish(src, dst, quotes, start + run)
}

/// Escapes a text of up to 64 bytes. Returns the length of the result; `None` if there is little room.
///
/// A long byte is written over the short escape that stands for it, and the text after it again.
#[inline(always)]
fn escape_short_text(simd: impl Blocks, mut src: &[u8], dst: &mut [Slot]) -> Option<usize> {
    let mut to = 0;
    let mut specials = simd.specials_short(src);
    loop {
        let room: &mut [Slot; 128 + 8] = dst.get_mut(to..)?.first_chunk_mut()?;
        let long = simd.escape_short(src, specials, window_mut(room, 0));
        if long == 0 {
            return Some(to + src.len() + specials.count_ones() as usize);
        }
        let place = long.trailing_zeros() as usize;
        let before = (specials & ((1 << place) - 1)).count_ones() as usize;
        let (text, length) = escaped(src[place]);
        write(window_mut(room, place + before), text);
        to += place + before + length;
        src = &src[place + 1..];
        // Two shifts, since a single shift by all 64 bits would overflow.
        specials = specials >> place >> 1;
    }
}

/// Escapes a text of up to 64 bytes byte by byte, where there is little room.
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

/// Returns the special bytes of up to 64 bytes, found in two blocks that may overlap.
#[inline(always)]
pub(in super::super) fn specials_short(simd: impl Blocks, src: &[u8]) -> u64 {
    let n = src.len();
    match n {
        33.. => {
            let [first, last] = [window(src, 0), window(src, n - 32)];
            u64::from(simd.specials32(first)) | u64::from(simd.specials32(last)) << (n - 32)
        }
        16.. => {
            let [first, last] = [window(src, 0), window(src, n - 16)];
            u64::from(simd.specials16(first)) | u64::from(simd.specials16(last)) << (n - 16)
        }
        _ => {
            let mut block = [0; 16];
            let [low, high] = pair(src);
            *window_mut(&mut block, 0) = low.to_le_bytes();
            *window_mut(&mut block, 8) = high.to_le_bytes();
            u64::from(simd.specials16(&block)) & ((1 << n) - 1)
        }
    }
}

/// Returns the place of the first special byte, or the number of bytes.
#[cfg(feature = "alloc")]
#[inline(always)]
pub(in super::super) fn first_special(simd: impl Blocks, src: &[u8]) -> usize {
    let mut at = clean(simd, src);
    while let Some(block) = src[at..].first_chunk() {
        match simd.specials(block) {
            0 => at += 64,
            specials => return at + specials.trailing_zeros() as usize,
        }
    }
    let rest = &src[at..];
    let specials = simd.specials_short(rest);
    at + usize::min(specials.trailing_zeros() as usize, rest.len())
}

/// Escapes up to 64 bytes, 16 or eight at a time. Returns the set of long bytes; the result is right up to the first
/// one.
#[inline(always)]
pub(in super::super) fn escape_short(
    simd: impl Blocks,
    src: &[u8],
    specials: u64,
    dst: &mut [Slot; 128],
) -> u64 {
    let n = src.len();
    if n <= 8 {
        let spaces = u64::from_le_bytes([b' '; 8]);
        let spaces = spaces.checked_shl(8 * n as u32).unwrap_or(0);
        let [bytes, _] = pair(src);
        let long = simd.escape8(bytes | spaces, specials as u8, window_mut(dst, 0));
        return u64::from(long);
    }
    let (mut at, mut long) = (0, 0);
    if n < 16 {
        for at in [0, n - 8] {
            let bytes = u64::from_le_bytes(*window(src, at));
            let before = (specials & ((1 << at) - 1)).count_ones() as usize;
            let to = window_mut(dst, at + before);
            long |= u64::from(simd.escape8(bytes, (specials >> at) as u8, to)) << at;
        }
        return long;
    }
    while at < n {
        at = usize::min(at, n - 16);
        let before = (specials & ((1 << at) - 1)).count_ones() as usize;
        let to = window_mut(dst, at + before);
        long |= u64::from(simd.escape16(window(src, at), (specials >> at) as u16, to)) << at;
        at += 16;
    }
    long
}

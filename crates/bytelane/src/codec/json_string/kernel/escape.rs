//! Escapes texts: a backslash before `"`, `\` and the five control characters that have a letter,
//! `\u00xx` for the other control characters.
//!
//! A byte is *special* if it needs an escape, and *long* if the escape has six characters. Blocks
//! have 64 bytes.
//!
//! # Policy
//!
//! Most texts have no special bytes, or scattered ones, or many in one place. The kernel chooses by the blocks that
//! it has just seen:
//!
//! | text ahead | method |
//! |---|---|
//! | nothing special | `copy_groups`: examines 256 bytes and stores them |
//! | up to [`FEW`] special bytes per block | `escape_sparse`: copies a block, and its rest again after each escape |
//! | more | `escape_dense`: shuffles, or copies as above if a byte is long; or byte by byte |
//! | up to 64 bytes | `escape_front_short`: smaller shuffles |
//!
//! ```text
//! copy_groups, in `escape_front_long`
//! while input is left
//!     escape_sparse    until a block has more special bytes, or CALM blocks in a row have none
//!     if calm          copy_groups
//!     else             escape_dense, until CALM blocks in a row have few
//! ```
//!
//! `escape_sparse` has no branch on whether a block has a special byte, unless the two blocks before have none. If 1% of the bytes are special, this
//! is true for every second block, and a misprediction takes as long as escaping the block. If there are none, the last byte
//! counts as its own escape. There is a branch on whether there is a second one. The next block of the input does not depend on the escapes,
//! and the table of escapes makes no difference between short and long ones.
//!
//! With AVX-512, a block with up to three short escapes is spread in one vector instead (`Blocks::escape_few`), without a
//! branch on their number.
//!
//! The last block of both loops is a whole one, so that no copy reads past the end: the step before it has 1 to 64 bytes.
//!
//! # Invariants
//!
//! - The front of the destination holds the result of the bytes that are done. Stores may go past it, but never past the
//!   destination; the next store overwrites the excess.
//! - The kernel stops only between two steps, if the result of the next one may not fit.
//!
//! # Measurements
//!
//! Every method and threshold is worth at least 10% of a mix of texts that JSON has: `docs/lab-notes/json-string.md`.
//! `Blocks::copy_if_clean` decides if a group is stored before or after it is examined: on Zen 4, vectors of 32 or 64 bytes that cross
//! a line are expensive to store, so that storing first took 1.2 times as long for 256 bytes with 1% of escapes; 16 bytes are not, and saved
//! 6 to 12% of the time without escapes.
//! Searching and storing in one pass is 1.2 to 2.5 times as fast as searching 4 KiB and
//! then copying them, and a separate call for the front is 1.3 to 2.4 times as fast if nothing
//! needs an escape (Zen 5; up to 1 KiB).
#![forbid(unsafe_code)]

use super::super::{Blocks, Consumed, Quotes, scalar};
use super::bytes::{LONGEST, escape_bytes, escaped};
use super::{CALM, clean, copy_groups, finish};
use crate::memory::{Slot, write};
use crate::simd::{window, window_mut};

/// Maximum number of special bytes in a block that are escaped one by one. The block is copied once
/// more for each, so with more of them, shuffles are cheaper.
const FEW: u32 = 5;

/// The same for a block with long bytes, which shuffles cannot escape.
const MOST: u32 = 8;

/// Room for a step: a block, the escapes of [`MOST`] bytes, and the 64 bytes that are copied after the last one.
const ROOM: usize = 192;

/// Escapes the part of a text that fits, from `done` on, in whole characters, and writes the closing quote after all of it.
#[inline(always)]
pub(in super::super) fn escape(
    simd: impl Blocks,
    src: &[u8],
    dst: &mut [Slot],
    mut done: Consumed,
    quotes: Quotes,
) -> Consumed {
    let room = dst.len() - quotes.closing();
    let inside = &mut dst[..room];
    while done.read < src.len() {
        let before = done.read;
        if escape_sparse(simd, src, inside, &mut done) {
            let run = copy_groups(simd, &src[done.read..], &mut inside[done.written..]);
            done.read += run;
            done.written += run;
        } else if done.read < src.len() {
            done = simd.escape_dense(src, inside, done);
        }
        if done.read == before {
            return scalar::in_whole_characters(src, done);
        }
    }
    finish(src, dst, quotes, done.written)
}

/// Escapes the part of a text that fits, from `done` on, without a quote after it.
#[inline(always)]
pub(in super::super) fn escape_inside(
    simd: impl Blocks,
    src: &[u8],
    dst: &mut [Slot],
    done: Consumed,
) -> Consumed {
    let (rest, to) = (&src[done.read..], &mut dst[done.written..]);
    let more = simd.escape_after(rest, to, Consumed::default(), Quotes::NONE);
    Consumed {
        read: done.read + more.read,
        written: done.written + more.written,
    }
}

/// Escapes blocks from `done` on, until one has more than [`FEW`] special bytes, [`CALM`] in a row have none, or the next one may
/// not fit. Returns whether the last ones have none.
#[inline(always)]
fn escape_sparse(simd: impl Blocks, src: &[u8], dst: &mut [Slot], done: &mut Consumed) -> bool {
    const { assert!(CALM == u8::BITS as usize) };
    let end = dst.len();
    let (mut rest, mut to) = (&src[done.read..], &mut dst[done.written..]);
    // A bit for each of the last blocks: whether a byte is special.
    let mut seen = 1u8;
    while seen != 0
        && let Some(block) = rest.first_chunk::<128>()
        && let Some(room) = to.first_chunk_mut()
    {
        let specials = simd.specials(window(block, 0));
        let Some(length) = escape_few(simd, block, specials, 64, seen & 3 == 0, room) else {
            break;
        };
        to = &mut to[length..];
        rest = &rest[64..];
        seen = seen << 1 | u8::from(specials != 0);
    }
    if let 65..128 = rest.len()
        && let Some(room) = to.first_chunk_mut()
    {
        let given = rest.len() - 64;
        let specials = simd.specials(window(rest, 0)) & ((1 << given) - 1);
        if let Some(length) = escape_few(simd, rest, specials, given, false, room) {
            to = &mut to[length..];
            rest = &rest[given..];
        }
    }
    if rest.len() == 64
        && let Some(room) = to.first_chunk_mut()
    {
        let mut padded = [0; 128];
        let block = window(rest, 0);
        *window_mut(&mut padded, 0) = *block;
        if let Some(length) = escape_few(simd, &padded, simd.specials(block), 64, false, room) {
            to = &mut to[length..];
            rest = &[];
        }
    }
    done.read = src.len() - rest.len();
    done.written = end - to.len();
    seen == 0
}

/// Escapes a text from `done` on, with many special bytes at first, until [`CALM`] blocks in a row have few, or the part of it that fits.
#[inline(always)]
pub(in super::super) fn escape_dense(
    simd: impl Blocks,
    src: &[u8],
    dst: &mut [Slot],
    done: Consumed,
) -> Consumed {
    let end = dst.len();
    let (mut rest, mut to) = (&src[done.read..], &mut dst[done.written..]);
    // The first step makes the rest a multiple of 64 bytes.
    let mut given = (rest.len() - 1) % 64 + 1;
    // A bit for each of the last blocks: whether it has many.
    let mut seen = 1u8;
    while seen != 0 && rest.len() > 64 {
        let specials = simd.specials(window(rest, 0)) & (!0 >> (64 - given));
        let Some(length) = escape_many(simd, rest, specials, given, to) else {
            break;
        };
        to = &mut to[length..];
        rest = &rest[given..];
        seen = seen << 1 | u8::from(specials.count_ones() > FEW);
        given = 64;
    }
    if rest.len() <= 64 {
        let done = simd.escape_front_short(rest, to, Quotes::NONE);
        if done.read == rest.len() {
            to = &mut to[done.written..];
            rest = &[];
        }
    }
    Consumed {
        read: src.len() - rest.len(),
        written: end - to.len(),
    }
}

/// Escapes the first `given` bytes of a source with at least 64 more. Their special bytes are `set`. Returns the length of the result;
/// `None` if it does not fit.
#[inline(always)]
fn escape_many(
    simd: impl Blocks,
    src: &[u8],
    set: u64,
    given: usize,
    dst: &mut [Slot],
) -> Option<usize> {
    let mut little = None;
    let room = match dst.first_chunk_mut() {
        Some(room) => room,
        None => little.insert([Slot::new(0); ROOM]),
    };
    let block = window(src, 0);
    let length = if simd.long(block, set) == 0 {
        simd.escape(block, set, window_mut(room, 0));
        given + set.count_ones() as usize
    } else {
        simd.copy(block, window_mut(room, 0));
        match escape_copied(simd, src, set, given, MOST, room) {
            Some(length) => length,
            None => return escape_bytes_up_to(&block[..given], dst),
        }
    };
    if let Some(little) = little {
        dst.get_mut(..length)?.copy_from_slice(&little[..length]);
    }
    Some(length)
}

/// Same as [`escape_bytes`], but needs no more slots than the result; `None` if there are fewer.
#[inline(never)]
fn escape_bytes_up_to(bytes: &[u8], dst: &mut [Slot]) -> Option<usize> {
    let mut result = [Slot::new(0); LONGEST];
    let length = escape_bytes(bytes, &mut result);
    dst.get_mut(..length)?.copy_from_slice(&result[..length]);
    Some(length)
}

/// Escapes the first `given` bytes of a source with at least 64 more. Their special bytes are `set`; `is_clean` if probably none is. Returns the
/// length of the result; `None` if there are more than [`FEW`].
///
/// ```text
/// block    a  b  \n  c  d  "  e
/// copied   a  b  \n  c  d  "  e
/// escape         \  n
/// copied              c  d  "  e
/// escape                    \  "
/// copied                          e
/// ```
#[inline(always)]
fn escape_few(
    simd: impl Blocks,
    src: &[u8],
    set: u64,
    given: usize,
    is_clean: bool,
    dst: &mut [Slot; ROOM],
) -> Option<usize> {
    let block = window(src, 0);
    if let Some(more) = simd.escape_few(block, set, window_mut(dst, 0)) {
        return Some(given + more);
    }
    simd.copy(block, window_mut(dst, 0));
    if is_clean && set == 0 {
        return Some(given);
    }
    escape_copied(simd, src, set, given, FEW, dst)
}

/// Does the same after the bytes are copied; `None` if more than `most` are special.
#[inline(always)]
fn escape_copied(
    simd: impl Blocks,
    src: &[u8],
    set: u64,
    given: usize,
    most: u32,
    dst: &mut [Slot; ROOM],
) -> Option<usize> {
    let first = (set | 1 << (given - 1)).trailing_zeros() as usize;
    let mut more = escape_one(simd, src, first, window_mut(dst, first));
    let mut others = set & set.wrapping_sub(1);
    if others != 0 {
        if others.count_ones() >= most {
            return None;
        }
        while others != 0 {
            let place = others.trailing_zeros() as usize;
            more += escape_one(simd, src, place, window_mut(dst, place + more));
            others &= others - 1;
        }
    }
    Some(given + more)
}

/// Escapes one byte, and copies 64 bytes after it. Returns by how many bytes the escape is longer.
#[inline(always)]
fn escape_one(simd: impl Blocks, src: &[u8], place: usize, dst: &mut [Slot; 72]) -> usize {
    let (text, length) = escaped(src[place]);
    write(window_mut(dst, 0), text);
    simd.copy(window(src, place + 1), window_mut(dst, length));
    length - 1
}

/// Returns the length of a text when escaped.
#[inline(always)]
pub(in super::super) fn escaped_len(simd: impl Blocks, src: &[u8]) -> usize {
    let (mut at, mut more) = (0, 0usize);
    loop {
        at += clean(simd, &src[at..]);
        for _ in 0..4 {
            let rest = &src[at..];
            let block = match rest.first_chunk() {
                Some(block) => *block,
                None => simd.pad(rest, b' '),
            };
            let specials = simd.specials(&block);
            let long = simd.long(&block, specials);
            more = more.saturating_add((specials.count_ones() + 4 * long.count_ones()) as usize);
            if rest.len() <= 64 {
                return src.len().saturating_add(more);
            }
            at += 64;
        }
    }
}

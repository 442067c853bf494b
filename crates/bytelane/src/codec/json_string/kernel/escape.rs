//! Escapes texts: a backslash before `"`, `\` and the five control characters that have a letter,
//! `\u00xx` for the other control characters.
//!
//! A byte is *special* if it needs an escape, and *long* if the escape has six characters. Blocks
//! have 64 bytes.
//!
//! # Policy
//!
//! Most texts have no special bytes, or scattered short escapes, or many in one place. A different
//! method is fastest for each. The kernel chooses by the bytes that it has just seen:
//!
//! | text ahead | method | bytes per step |
//! |---|---|---|
//! | nothing special | `copy_run`: examine the bytes and store them | 256; 32 from 8 MiB on |
//! | up to three special bytes per block, in a text of up to 512 bytes | `rare`: as `escape_sparse`, with a branch for each | 64 |
//! | up to four special bytes per block | `escape_sparse`: copy the rest of the block after each, or spread it in one vector | 64 |
//! | special bytes anywhere, up to four of them long | `escape_four`: no branch on the number of short ones | 256 |
//! | up to 64 bytes at the end | `escape_short_text` | up to 64 |
//! | anything, or little room | `escape_block`: up to the first long byte; byte by byte if there are more than two | up to 64 |
//!
//! ```text
//! escape_front_short: a text of up to 64 bytes as a whole
//! escape_front_long: `copy_groups`, unless the text is `FAR`, then `escape_rare` if the text has up to 512 bytes; most calls end here
//! while input is left                             escape
//!     escape_sparse, but not first in a text of up to 512 bytes, or, if shuffles are cheap, where many of 256 bytes are special
//!     escape_dense:
//!     calm = 0, or CALM after sparse              clean blocks in a row
//!     in_blocks = false                           blocks are escaped one by one, not four at once
//!     while calm < CALM and input is left
//!         if up to 64 bytes of input are left, and the result fits: escape_short_text, done
//!         if not in_blocks, and there are 256 bytes of input and 512 slots
//!             escape_four, unless many bytes are long
//!             calm += 4, or 0 if the result is longer than 256 bytes
//!         else
//!             calm += 1, or 0 if a byte of the block is special
//!             escape_block
//!             in_blocks = a byte is long
//!         if up to 16 of 256 bytes, or, if shuffles are dear, 4 of 64, were special: on with escape_sparse
//!     copy_run
//! ```
//!
//! `calm` is multiplied by 0 or 1 instead of using an `if`: where it matters, the CPU cannot
//! predict whether a block has a special byte, and a misprediction costs as much as escaping the
//! block.
//!
//! # Invariants
//!
//! - `at` bytes of the input are done, and the first `to` slots hold the result. Stores may go past
//!   `to`, but never past the destination; the next store overwrites the excess.
//! - `escape_four` needs 512 slots: each of its four stores has 128, and each begins at most 128 after
//!   the one before. With long bytes, of which each adds four more, it needs 16 + 3 * 128 for the first
//!   three blocks, and up to 126 + 18 + 128 for the last one and the store after its last long byte.
//! - The kernel stops only between two steps, if the result of the next one may not fit.
//!
//! # Measurements
//!
//! If 1% of the bytes need an escape, every second block has one. In this case, `escape_four` is
//! 1.7 to 2.4 times as fast as a branch per block (AVX-512). For `escape_sparse`, see [`sparse`](super::sparse).
//! `Blocks::copy_if_clean` decides if a group is stored before or after it is examined: on Zen 4, vectors of 32 or 64 bytes that cross
//! a line are expensive to store, so that storing first took 1.2 times as long for 256 bytes with 1% of escapes; 16 bytes are not, and saved
//! 6 to 12% of the time without escapes.
//! Vectors of 16 and 32 bytes are stored from a cache line on: 64 KiB to 1 MiB take 0.86 to 0.94 of the time (Zen 4). Vectors of 64 bytes
//! are not: then all loads would cross a line, for which Zen 5 takes longer.
//! Searching and storing in one pass is 1.2 to 2.5 times as fast as searching 4 KiB and
//! then copying them, and a separate call for the front is 1.3 to 2.4 times as fast if nothing
//! needs an escape (Zen 5; up to 1 KiB). See `docs/lab-notes/json-string.md`, "What was tried". The
//! thresholds [`FEW`] and [`CALM`] were not measured on their own.
#![forbid(unsafe_code)]

use super::super::{Blocks, Consumed, Quotes, Survey, scalar};
use super::bytes::{LONGEST, escape_bytes, escaped};
use super::sparse::escape_sparse;
use super::{
    CALM, FAR, FEW, clean, copy_blocks, copy_groups, finish, put_front, rare, to_next_line,
};
use crate::codec::utf8::Copying;
use crate::memory::{Lines, Slot, write};
use crate::simd::{window, window_mut};

/// Room for the result of [`escape_four_long`] and whole stores.
pub(in super::super) const WIDEST: usize = 672;

/// Maximum number of long bytes in four blocks for [`escape_four`]. Each costs about as much as a
/// block.
const FEW_LONG: u32 = 4;

/// Writes the front of an escaped block, through a buffer that holds all of it.
#[inline(always)]
pub(in super::super) fn escape_up_to(
    simd: impl Blocks,
    block: &[u8; 64],
    specials: u64,
    dst: &mut [Slot],
) {
    let mut result = [Slot::new(0); 128];
    simd.escape(block, specials, &mut result);
    put_front(&result, dst);
}

/// Escapes the part of a text that fits, from `done` on, in whole characters, and writes the closing quote after all of it.
#[inline(always)]
pub(in super::super) fn escape<S: Blocks>(
    simd: S,
    src: &[u8],
    dst: &mut [Slot],
    mut done: Consumed,
    quotes: Quotes,
) -> Consumed {
    let room = dst.len() - quotes.closing();
    let inside = &mut dst[..room];
    // Shorter texts come here after the first block with many special bytes.
    let mut is_sparse = src.len() > rare::LONGEST && has_few(simd, &src[done.read..]);
    loop {
        let is_calm = is_sparse && escape_sparse(simd, src, inside, &mut done);
        let before = done.read;
        if before < src.len() {
            done = if S::SHUFFLES_ARE_DEAR {
                simd.escape_dense(src, inside, done, is_calm)
            } else {
                escape_dense(simd, src, inside, done, is_calm)
            };
        }
        if done.read == before {
            break;
        }
        is_sparse = true;
    }
    if done.read < src.len() {
        return scalar::in_whole_characters(src, done);
    }
    finish(src, dst, quotes, done.written)
}

/// Returns whether few of the first 256 bytes are special. If shuffles are expensive, `escape_sparse` finds out itself.
#[inline(always)]
fn has_few<S: Blocks>(simd: S, src: &[u8]) -> bool {
    let specials = |blocks: &[u8; 256]| -> u32 {
        let block = |i: usize| simd.specials(window(blocks, 64 * i)).count_ones();
        (0..4).map(block).sum()
    };
    S::SHUFFLES_ARE_DEAR
        || src
            .first_chunk()
            .is_some_and(|blocks| specials(blocks) <= 4 * FEW)
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

/// Escapes a text from `done` on, with many special bytes at first, until there are few, or the part of it that fits.
#[inline(always)]
pub(in super::super) fn escape_dense<S: Blocks>(
    simd: S,
    src: &[u8],
    dst: &mut [Slot],
    done: Consumed,
    is_calm: bool,
) -> Consumed {
    let (mut at, mut to) = (done.read, done.written);
    let mut calm = if is_calm { CALM } else { 0 };
    while at < src.len() {
        let mut in_blocks = false;
        while calm < CALM && at < src.len() {
            let rest = &src[at..];
            if rest.len() <= 64 {
                let done = simd.escape_front_short(rest, &mut dst[to..], Quotes::NONE);
                if done.read == rest.len() {
                    return Consumed {
                        read: src.len(),
                        written: to + done.written,
                    };
                }
            }
            let has_room = dst.len() - to >= 512;
            let is_few;
            if let (false, true, Some(blocks)) = (in_blocks, has_room, rest.first_chunk())
                && let Some(written) = escape_four(simd, blocks, &mut dst[to..])
            {
                (at, to) = (at + 256, to + written);
                calm = (calm + 4) * usize::from(written == 256);
                is_few = written <= 256 + 4 * FEW as usize;
            } else {
                let padded;
                let (block, given) = match rest.first_chunk() {
                    Some(block) => (block, 64),
                    None => {
                        padded = simd.pad(rest, b' ');
                        (&padded, rest.len())
                    }
                };
                let specials = simd.specials(block);
                calm = (calm + 1) * usize::from(specials == 0);
                in_blocks = simd.long(block, specials) != 0;
                match escape_block(simd, block, specials, given, &mut dst[to..]) {
                    Some((read, written)) => (at, to) = (at + read, to + written),
                    None => {
                        return Consumed {
                            read: at,
                            written: to,
                        };
                    }
                }
                is_few = S::SHUFFLES_ARE_DEAR && specials.count_ones() <= FEW;
            }
            if is_few {
                return Consumed {
                    read: at,
                    written: to,
                };
            }
        }
        let run = copy_run(simd, &src[at..], &mut dst[to..]);
        (at, to) = (at + run, to + run);
        calm = 0;
    }
    Consumed {
        read: at,
        written: to,
    }
}

/// Copies from the front as long as nothing needs an escape: as [`copy_groups`] does, but 32 bytes at once if the text
/// is [`FAR`]. Returns the length.
#[inline(always)]
fn copy_run(simd: impl Blocks, src: &[u8], dst: &mut [Slot]) -> usize {
    let most = usize::min(src.len(), dst.len());
    let mut run = 0;
    while run + 32 <= most && most >= FAR {
        let block = window(src, run);
        if simd.specials32(block) != 0 {
            return run;
        }
        write(window_mut(dst, run), *block);
        run += 32;
    }
    run + copy_groups(simd, &src[run..], &mut dst[run..])
}

/// Copies 256 bytes if none is special. Returns the number of bytes copied.
///
/// The copy follows the survey. If it came before, each block would be loaded twice, and
/// texts larger than the second-level cache would take 1.5 times as long (Zen 5).
#[inline(always)]
pub(in super::super) fn copy_if_clean(
    simd: impl Blocks,
    blocks: &[u8; 256],
    to: &mut [Slot; 256],
) -> usize {
    if !simd.survey(blocks).clean {
        return 0;
    }
    copy_blocks(simd, blocks, to);
    256
}

/// Copies the 256-byte blocks from an offset on in which no byte needs an escape, and which
/// continue the text before them, for as long as they fit. Returns their length. Their last
/// character may be incomplete, so at least one byte is left.
#[inline(always)]
pub(in super::super) fn copy_clean(
    simd: impl Blocks,
    src: &[u8],
    at: usize,
    dst: &mut [Slot],
) -> usize {
    let rest = (src.len() - at).saturating_sub(1);
    let most = usize::min(rest, dst.len());
    let (mut run, mut step) = (0, to_next_line(&src[at..]));
    while run + 256 <= most {
        let from = at + run;
        let block = window(src, from);
        let Survey { clean, ascii } = simd.survey(block);
        let plain = ascii & (src[from - 1] < 0x80);
        if !clean || !plain && !simd.is_valid_group::<Copying>(window(src, from - 3)) {
            break;
        }
        copy_blocks(simd, block, window_mut(dst, run));
        (run, step) = (run + step, 256);
    }
    run
}

/// Returns the special bytes of four blocks, found block by block; `None` if there are long ones
/// among them.
#[inline(always)]
pub(in super::super) fn short_specials(simd: impl Blocks, blocks: &[u8; 256]) -> Option<[u64; 4]> {
    let mut specials = [0; 4];
    let mut long = 0;
    for i in 0..4 {
        let block = window(blocks, 64 * i);
        specials[i] = simd.specials(block);
        long |= simd.long(block, specials[i]);
    }
    (long == 0).then_some(specials)
}

/// Escapes four blocks. Returns the length of the result; `None` if there are more than
/// [`FEW_LONG`] long bytes, or if there is no room for these.
#[inline(always)]
fn escape_four(simd: impl Blocks, blocks: &[u8; 256], dst: &mut [Slot]) -> Option<usize> {
    let room = dst.first_chunk_mut::<512>()?;
    let Some(specials) = simd.short_specials(blocks) else {
        return escape_four_long(simd, blocks, dst.first_chunk_mut()?);
    };
    let mut written = 0;
    for i in 0..4 {
        let to = window_mut(room, written);
        simd.escape(window(blocks, 64 * i), specials[i], to);
        written += 64 + specials[i].count_ones() as usize;
    }
    Some(written)
}

/// Escapes four blocks with long bytes, as if each were a short one, and then writes it and the
/// rest of its block again. Vectors that are stored across two cache lines and loaded again would make it take 1.7 times
/// as long.
#[inline(always)]
fn escape_four_long(
    simd: impl Blocks,
    blocks: &[u8; 256],
    dst: &mut [Slot; WIDEST],
) -> Option<usize> {
    let (mut specials, mut longs) = ([0; 4], [0; 4]);
    for i in 0..4 {
        let block = window(blocks, 64 * i);
        specials[i] = simd.specials(block);
        longs[i] = simd.long(block, specials[i]);
    }
    if longs.iter().map(|set| set.count_ones()).sum::<u32>() > FEW_LONG {
        return None;
    }
    let mut written = 0;
    for i in 0..4 {
        let (mut specials, mut long, mut from) = (specials[i], longs[i], 0);
        let mut lines = Lines([b' '; 128]);
        let padded = &mut lines.0;
        *window_mut(padded, 0) = *window::<64, _>(blocks, 64 * i);
        loop {
            simd.escape(window(padded, from), specials, window_mut(dst, written));
            if long == 0 {
                written += 64 - from + specials.count_ones() as usize;
                break;
            }
            let place = long.trailing_zeros();
            let before = specials & ((1 << place) - 1);
            written += place as usize + before.count_ones() as usize;
            from += place as usize;
            let (text, length) = escaped(padded[from]);
            write(window_mut(dst, written), text);
            written += length;
            from += 1;
            // Two shifts, since a single shift by all 64 bits would overflow.
            specials = specials >> place >> 1;
            long = long >> place >> 1;
        }
    }
    Some(written)
}

/// Escapes a block that starts with `given` bytes of the input, or the front of it. Returns the
/// bytes read and written; `None` if the result does not fit.
#[inline(always)]
fn escape_block(
    simd: impl Blocks,
    block: &[u8; 64],
    specials: u64,
    given: usize,
    dst: &mut [Slot],
) -> Option<(usize, usize)> {
    let whole = given + specials.count_ones() as usize;
    // Room for whole stores, and for the store of a long byte after them.
    let is_wide = dst.len() >= 128 + 8;
    if specials == 0 && !is_wide {
        simd.put(block, dst.get_mut(..given)?);
        return Some((given, given));
    }
    let long = simd.long(block, specials);
    if long.count_ones() > if is_wide { FEW } else { 0 } {
        let written = match dst.first_chunk_mut() {
            Some(dst) => escape_bytes(&block[..given], dst),
            None => escape_bytes_up_to(&block[..given], dst)?,
        };
        return Some((given, written));
    }
    if !is_wide {
        simd.escape_up_to(block, specials, dst.get_mut(..whole)?);
        return Some((given, whole));
    }
    simd.escape(block, specials, window_mut(dst, 0));
    match long {
        0 => Some((given, whole)),
        _ => Some(escape_first(block, specials, long, dst)),
    }
}

/// Same as [`escape_bytes`], but needs no more slots than the result; `None` if there are fewer.
#[inline(never)]
fn escape_bytes_up_to(bytes: &[u8], dst: &mut [Slot]) -> Option<usize> {
    let mut result = [Slot::new(0); LONGEST];
    let written = escape_bytes(bytes, &mut result);
    dst.get_mut(..written)?.copy_from_slice(&result[..written]);
    Some(written)
}

/// Writes the first byte of a nonempty set. The bytes before it are already written. Returns the
/// number of bytes read and written, up to and including this one.
#[inline(always)]
fn escape_first(block: &[u8; 64], specials: u64, set: u64, dst: &mut [Slot]) -> (usize, usize) {
    let place = set.trailing_zeros() as usize;
    let before = (specials & (set - 1) & !set).count_ones() as usize;
    let (text, length) = escaped(block[place]);
    write(window_mut(dst, place + before), text);
    (place + 1, place + before + length)
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

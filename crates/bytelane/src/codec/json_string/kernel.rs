//! The algorithms, once for all instruction sets: runs of up to 4 KiB that need nothing are looked
//! through and copied whole; 64 bytes at a time where there is something to do.
//!
//! A kernel stops where it can go no further, between two characters: at the end, where the
//! destination is full, or before something that is wrong. The scalar code takes it from there: it
//! finds out which it was, fills the destination to the last byte, and names the error.
#![forbid(unsafe_code)]

use super::{Blocks, Consumed, Error, scalar};
use crate::memory::{Slot, write};
use crate::simd::{window, window_mut};

/// Bytes that are looked through before they are copied: they are in the first-level cache then.
const RUN: usize = 4096;

/// A block of 64 bytes escaped, none of them shorter than \u00xx; and room for one whole store
/// behind it.
const LONGEST: usize = 64 * 6 + 8;

/// How many blocks in a row need nothing before the kernel returns to whole runs.
const CALM: usize = 4;

/// The first 256-byte blocks of `src` in which nothing needs an escape: their bytes.
#[inline(always)]
fn clean(simd: impl Blocks, src: &[u8]) -> usize {
    let mut run = 0;
    while run + 256 <= src.len() && simd.survey(window(src, run)).clean {
        run += 256;
    }
    run
}

/// Escapes as much of a text as fits.
#[inline(always)]
pub(super) fn escape(simd: impl Blocks, src: &[u8], dst: &mut [Slot]) -> Result<Consumed, Error> {
    let (mut at, mut to) = (0, 0);
    let mut calm = CALM;
    while src.len() - at >= 64 {
        let most = usize::min(usize::min(src.len() - at, dst.len() - to), RUN) / 256 * 256;
        if calm >= CALM && most > 0 {
            let run = clean(simd, &src[at..at + most]);
            dst[to..to + run].write_copy_of_slice(&src[at..at + run]);
            (at, to) = (at + run, to + run);
            if run < most {
                calm = 0;
            }
            continue;
        }
        let block = window(src, at);
        let specials = simd.specials(block);
        if specials == 0 && calm >= CALM && dst.len() - to >= 64 {
            write(window_mut(dst, to), *block);
            (at, to) = (at + 64, to + 64);
            continue;
        }
        calm = if specials == 0 { calm + 1 } else { 0 };
        match escape_block(simd, block, specials, 0, dst, to) {
            Some(length) => (at, to) = (at + 64, to + length),
            None => {
                return Ok(Consumed {
                    read: at,
                    written: to,
                });
            }
        }
    }
    let (rest, stop) = (
        &src[at..],
        Consumed {
            read: at,
            written: to,
        },
    );
    if rest.is_empty() || dst.len() - to < rest.len() {
        return Ok(stop);
    }
    let specials = simd.copy_short(rest, &mut dst[to..to + rest.len()]);
    if specials == 0 {
        return Ok(Consumed {
            read: src.len(),
            written: to + rest.len(),
        });
    }
    let block = simd.pad(rest, b' ');
    match escape_block(simd, &block, specials, 64 - rest.len(), dst, to) {
        Some(length) => Ok(Consumed {
            read: src.len(),
            written: to + length,
        }),
        None => Ok(stop),
    }
}

/// Escapes all of a block but its last `padding` bytes, which need no escape. Returns the length
/// of the result, or none if it does not fit.
///
/// There is no branch on whether the block needs anything at all: where every second one does, a
/// guess that fails costs more than the work.
#[inline(always)]
fn escape_block(
    simd: impl Blocks,
    block: &[u8; 64],
    specials: u64,
    padding: usize,
    dst: &mut [Slot],
    to: usize,
) -> Option<usize> {
    let short = simd.long(block, specials) == 0;
    let length = 64 - padding + specials.count_ones() as usize;
    if short && dst.len() - to >= 128 {
        simd.escape(block, specials, window_mut(dst, to));
        return Some(length);
    }
    let mut result = [Slot::uninit(); LONGEST];
    let length = if short {
        simd.escape(block, specials, window_mut(&mut result, 0));
        length
    } else {
        escape_bytes(block, &mut result) - padding
    };
    dst[to..]
        .get_mut(..length)?
        .copy_from_slice(&result[..length]);
    Some(length)
}

/// Byte by byte, each written as eight of which the next byte overwrites what does not count.
#[inline(never)]
fn escape_bytes(block: &[u8; 64], dst: &mut [Slot; LONGEST]) -> usize {
    static ESCAPED: [([u8; 8], usize); 256] = {
        let mut table = [([0; 8], 0); 256];
        let mut byte = 0;
        while byte < 256 {
            table[byte] = scalar::escaped(byte as u8);
            byte += 1;
        }
        table
    };
    let mut to = 0;
    for &byte in block {
        let (text, length) = ESCAPED[usize::from(byte)];
        write(window_mut(dst, to), text);
        to += length;
    }
    to
}

/// The length of a text when escaped.
#[inline(always)]
pub(super) fn escaped_len(simd: impl Blocks, src: &[u8]) -> Result<usize, Error> {
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
                return Ok(src.len().saturating_add(more));
            }
            at += 64;
        }
    }
}

/// Which bytes of a block are the backslashes that begin an escape, and which those behind them.
/// `carry` tells, as its lowest bit, that the first byte is one behind; and returns it for the next
/// block.
///
/// Runs of backslashes are pairs from their first on, so adding a run's start to the run, with the
/// bits of one parity set, makes the carries run up to its end: the method of simdjson
/// (Langdale and Lemire, "Parsing Gigabytes of JSON per Second", section 3.1.1).
#[inline(always)]
fn escapes(backslashes: u64, carry: &mut u64) -> [u64; 2] {
    const ODD: u64 = 0xaaaa_aaaa_aaaa_aaaa;
    let begin = backslashes & !*carry;
    let runs = ((begin << 1 | ODD).wrapping_sub(begin)) ^ ODD;
    let behind = runs ^ (backslashes | *carry);
    let begin = runs & backslashes;
    *carry = begin >> 63;
    [begin, behind]
}

/// The four bytes before a block, to see whether a character reaches into it; zeros at the start.
#[inline(always)]
fn before(src: &[u8], at: usize) -> [u8; 4] {
    if at < 4 { [0; 4] } else { *window(src, at - 4) }
}

/// The first 256-byte blocks of `src` from `at` on, up to `most` bytes, that stand for themselves
/// and are valid UTF-8 as far as can be seen in them: their bytes.
#[inline(always)]
fn valid(simd: impl Blocks, src: &[u8], at: usize, most: usize) -> usize {
    let mut run = 0;
    while run + 256 <= most {
        let from = at + run;
        let survey = simd.survey(window(src, from));
        if !survey.clean {
            break;
        }
        if !survey.ascii || before(src, from)[3] >= 0x80 {
            let mut errors = 0;
            for i in 0..4 {
                let from = from + 64 * i;
                errors |= simd.utf8_errors(before(src, from), window(src, from));
            }
            if errors != 0 {
                break;
            }
        }
        run += 256;
    }
    run
}

/// Where a block begins that the kernel has not finished, moved back to the start of the character or
/// escape that reaches into it.
#[cold]
fn between(src: &[u8], at: usize, to: usize, carry: u64) -> Consumed {
    if carry != 0 {
        return Consumed {
            read: at - 1,
            written: to,
        };
    }
    for back in 1..=usize::min(3, at) {
        // All before the block is valid, so a lead byte tells the length of its character.
        match src[at - back] {
            0x80..0xc0 => {}
            lead @ 0xc0.. if lead.leading_ones() as usize > back => {
                return Consumed {
                    read: at - back,
                    written: to - back,
                };
            }
            _ => break,
        }
    }
    Consumed {
        read: at,
        written: to,
    }
}

/// A block at a place of a string and what its bytes mean there.
struct Piece {
    /// Backslashes that begin an escape.
    begin: u64,
    /// Bytes behind them.
    behind: u64,
    /// Bytes before the closing quote.
    inside: u64,
    /// Whether that quote is in the block.
    closed: bool,
}

/// Looks at a block of which the first `bytes` bytes are the input's, and quotes are behind; none if
/// something is wrong with it.
#[inline(always)]
fn piece(
    simd: impl Blocks,
    block: &[u8; 64],
    before: [u8; 4],
    bytes: usize,
    carry: &mut u64,
) -> Option<Piece> {
    let classes = simd.classes(block);
    let [begin, behind] = escapes(classes.backslashes, carry);
    let quotes = classes.quotes & !behind;
    let inside = quotes.wrapping_sub(1) & !quotes;
    if classes.controls & inside != 0 || inside.count_ones() as usize > bytes {
        return None;
    }
    // The quote as well: a character that it cuts off shows there.
    if (!classes.ascii || before[3] >= 0x80)
        && simd.utf8_errors(before, block) & (inside << 1 | 1) != 0
    {
        return None;
    }
    Some(Piece {
        begin,
        behind,
        inside,
        closed: quotes != 0,
    })
}

/// Decodes up to the closing quote, and tells whether it got there.
#[inline(always)]
pub(super) fn unescape(
    simd: impl Blocks,
    src: &[u8],
    dst: &mut [Slot],
) -> Result<(Consumed, bool), Error> {
    let (mut at, mut to, mut carry) = (0, 0, 0);
    // The first block by itself: most strings end in it.
    let mut calm = CALM - 1;
    loop {
        let most = usize::min(usize::min(src.len() - at, dst.len() - to), RUN) / 256 * 256;
        if calm >= CALM && most > 0 {
            let run = valid(simd, src, at, most);
            dst[to..to + run].write_copy_of_slice(&src[at..at + run]);
            (at, to) = (at + run, to + run);
            if run < most {
                calm = 0;
            }
            continue;
        }
        let carried = carry;
        let stop = move || Ok((between(src, at, to, carried), false));
        let rest = &src[at..];
        let block = match rest.first_chunk() {
            Some(block) => *block,
            None => simd.pad(rest, b'"'),
        };
        let Some(piece) = piece(simd, &block, before(src, at), rest.len(), &mut carry) else {
            return stop();
        };
        let room = dst.len() - to;
        let mut scratch = [Slot::uninit(); 64];
        let target = if room >= 64 {
            window_mut(dst, to)
        } else {
            &mut scratch
        };
        let (mut keep, mut resume) = (piece.inside & !piece.begin, None);
        if piece.begin | carried == 0 {
            write(target, block);
            calm += 1;
        } else {
            let unknown = simd.unescape(&block, piece.behind & piece.inside, keep, target);
            calm = 0;
            if unknown != 0 {
                let place = unknown.trailing_zeros() as usize;
                if block[place] != b'u' {
                    return stop();
                }
                // Up to its backslash, which is in the block before if the letter is the first here.
                keep &= ((1 << place) - 1) >> 1;
                resume = Some(at + place - 1);
            }
        }
        let length = keep.count_ones() as usize;
        if room < 64 {
            let Some(to) = dst[to..].get_mut(..length) else {
                return stop();
            };
            to.copy_from_slice(&scratch[..length]);
        }
        to += length;
        if let Some(backslash) = resume {
            (at, carry) = (backslash, 0);
            if !unicode(src, &mut at, dst, &mut to) {
                return Ok((
                    Consumed {
                        read: at,
                        written: to,
                    },
                    false,
                ));
            }
        } else if piece.closed {
            let read = at + piece.inside.count_ones() as usize;
            return Ok((Consumed { read, written: to }, read < src.len()));
        } else {
            at += 64;
        }
    }
}

/// Decodes the `\u` at `at` and those that follow without a gap; false if one is wrong or does
/// not fit.
#[inline(always)]
fn unicode(src: &[u8], at: &mut usize, dst: &mut [Slot], to: &mut usize) -> bool {
    while let [b'\\', b'u', ..] = src[*at..] {
        let Ok((character, length)) = scalar::unicode(&src[*at..]) else {
            return false;
        };
        let mut utf8 = [0; 4];
        let utf8 = character.encode_utf8(&mut utf8).as_bytes();
        let Some(slots) = dst[*to..].get_mut(..utf8.len()) else {
            return false;
        };
        slots.write_copy_of_slice(utf8);
        *at += length;
        *to += utf8.len();
    }
    true
}

/// The place of the closing quote and whether there is an escape before it; none if something is
/// wrong before.
#[inline(always)]
pub(super) fn scan(simd: impl Blocks, src: &[u8]) -> Result<Option<(usize, bool)>, Error> {
    let (mut at, mut carry, mut escaped) = (0, 0, 0);
    let mut calm = CALM - 1;
    loop {
        let most = (src.len() - at) / 256 * 256;
        if calm >= CALM && most > 0 {
            let run = valid(simd, src, at, most);
            at += run;
            if run < most {
                calm = 0;
            }
            continue;
        }
        let rest = &src[at..];
        let block = match rest.first_chunk() {
            Some(block) => *block,
            None => simd.pad(rest, b'"'),
        };
        let Some(piece) = piece(simd, &block, before(src, at), rest.len(), &mut carry) else {
            return Ok(None);
        };
        escaped |= piece.begin & piece.inside;
        if piece.closed {
            let end = at + piece.inside.count_ones() as usize;
            return Ok((end < src.len()).then_some((end, escaped != 0)));
        }
        calm = if piece.begin | carry == 0 {
            calm + 1
        } else {
            0
        };
        at += 64;
    }
}

/// Copies fewer than 64 bytes and returns which need an escape.
#[inline(always)]
pub(super) fn copy_short(simd: impl Blocks, src: &[u8], dst: &mut [Slot]) -> u64 {
    let n = src.len();
    match n {
        16.. => {
            let last = n - 16;
            let (mut at, mut specials) = (0, 0);
            loop {
                let block = window(src, at);
                write(window_mut(dst, at), *block);
                specials |= u64::from(simd.specials16(block)) << at;
                if at == last {
                    return specials;
                }
                at = usize::min(at + 16, last);
            }
        }
        8.. => copy_halves::<8>(simd, src, dst),
        4.. => copy_halves::<4>(simd, src, dst),
        _ => {
            let mut specials = 0;
            for i in 0..n {
                dst[i].write(src[i]);
                specials |= u64::from(scalar::escaped(src[i]).1 > 1) << i;
            }
            specials
        }
    }
}

/// `H` to `2 H` bytes: the first `H` and the last `H` of them make one block of at most 16.
#[inline(always)]
fn copy_halves<const H: usize>(simd: impl Blocks, src: &[u8], dst: &mut [Slot]) -> u64 {
    let last = src.len() - H;
    let (low, high) = (*window::<H, _>(src, 0), *window::<H, _>(src, last));
    let mut block = [b' '; 16];
    block[..H].copy_from_slice(&low);
    block[H..2 * H].copy_from_slice(&high);
    write(window_mut(dst, 0), low);
    write(window_mut(dst, last), high);
    let specials = u64::from(simd.specials16(&block));
    specials & ((1 << H) - 1) | specials >> H << last
}

/// Up to 64 bytes and others behind them.
#[inline(always)]
pub(super) fn pad(src: &[u8], with: u8) -> [u8; 64] {
    let mut block = [with; 64];
    block[..src.len()].copy_from_slice(src);
    block
}

//! Decodes strings: removes escapes, finds the closing quote, and validates UTF-8 on the way.
//!
//! # Policy
//!
//! As in [`escape`](super::escape), runs that need no change are searched and copied, and other
//! parts are handled in blocks of 64 bytes. Most strings are short, so the first block comes before
//! any run. No branch depends on whether a block contains an escape, except for `\uXXXX`, which is
//! rare; where shuffles are expensive, blocks with few escapes are those of
//! [`unescape_sparse`](super::unescape_sparse).
//!
//! ```text
//! loop
//!     if the last CALM blocks had no escape: copy groups of 256 bytes that are clean, valid UTF-8
//!     classes    sets of quotes, backslashes, control characters, and bytes beyond ASCII
//!     escapes    backslashes that begin an escape, and the bytes after them
//!     piece      stop if a control character, or a byte that UTF-8 does not allow, is before the quote
//!     unescape   keep all bytes but the backslashes, replace those after them
//!     unicode    if some of those are not simple escapes: write the characters of `\uXXXX` over
//!                their digits in a copy of the block, and unescape that instead
//!     stop at the quote, or when the result does not fit
//!     if shuffles are dear and up to two escapes were in the block: on with unescape_sparse
//! the scalar code continues from there: it finds the error, or fills the destination to its end
//! ```
//!
//! # Invariants
//!
//! - `at` bytes are read and `to` written. All bytes before `at` are valid UTF-8, except that a
//!   character may continue into the next block; if the kernel stops there, `between` moves back
//!   before it.
//! - `carry` indicates that the byte before `at` is a backslash that begins an escape.
//! - An address never depends on a choice between two values: `at` grows by 64, or by less in a branch.
//!
//! # Measurements
//!
//! Writing characters over their digits takes a half to a third of the time of leaving the block
//! and resuming after them, which was a chain of 40 cycles per escape. A conditional move between
//! "64" and "up to here" made the kernel three times as slow. See `docs/lab-notes/json-string.md`.
#![forbid(unsafe_code)]

use super::super::scalar::{self, Stop};
use super::super::{Blocks, Consumed, Error};
use super::{CALM, RUN, put_front, to_next_line};
use crate::codec::utf8::Unescaping;
use crate::memory::{Each, Slot, copy};
use crate::simd::{window, window_mut};

/// Number of escapes in a block up to which the next ones are decoded by `unescape_sparse`.
pub(super) const FEW: u32 = 2;

/// Returns two sets of bytes of a block: the backslashes that begin an escape, and the bytes
/// directly after them. The lowest bit of `carry` is set if the first byte comes after such a
/// backslash; it is updated for the next block.
///
/// The backslashes of a run form pairs, counted from its start. So adding a run's start to the run,
/// with the bits of one parity set, moves the carries to its end: the method of simdjson (Langdale
/// and Lemire, "Parsing Gigabytes of JSON per Second", section 3.1.1).
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

/// Returns the four bytes before a block, which show whether a character continues into it; zeros
/// at the start, where at most an escape comes before.
#[inline(always)]
pub(super) fn before(src: &[u8], at: usize) -> u32 {
    match at {
        0..4 => 0,
        _ => u32::from_le_bytes(*window(src, at - 4)),
    }
}

/// Returns whether the last of the four bytes is ASCII, so that no character continues after it.
#[inline(always)]
fn ends_plain(before: u32) -> bool {
    before >> 31 == 0
}

/// Returns the length of the blocks of `src` from `at` on, of up to `most` bytes, that need no change
/// and are valid UTF-8 as far as these blocks alone can show, and true if another one follows that
/// is not. Most blocks have 256 bytes; the first one may have up to 63 fewer.
#[inline(always)]
fn valid(simd: impl Blocks, src: &[u8], at: usize, most: usize) -> (usize, bool) {
    let (mut run, mut step) = (0, to_next_line(&src[at..]));
    while run + 256 <= most {
        let from = at + run;
        let survey = simd.survey(window(src, from));
        if !survey.clean {
            return (run, true);
        }
        let plain = survey.ascii && ends_plain(before(src, from));
        // At the start of the input, single blocks are as good.
        let valid = |start| simd.is_valid_group::<Unescaping>(window(src, start));
        if !plain && !from.checked_sub(3).is_some_and(valid) {
            return (run, true);
        }
        (run, step) = (run + step, 256);
    }
    (run, false)
}

/// Returns the start of a block that the kernel has not finished, moved back to the start of the
/// character or escape that continues into it.
#[cold]
fn between(src: &[u8], at: usize, to: usize, carry: u64) -> Consumed {
    if carry != 0 {
        return Consumed {
            read: at - 1,
            written: to,
        };
    }
    for back in 1..=usize::min(3, at) {
        // Everything before the block is valid, so a lead byte gives the length of its character.
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

/// A block of a string and the roles of its bytes.
pub(super) struct Piece {
    /// Backslashes that begin an escape.
    pub(super) begin: u64,
    /// Bytes directly after them.
    behind: u64,
    /// Bytes before the closing quote.
    inside: u64,
    /// True if that quote is in the block.
    pub(super) closed: bool,
}

/// Examines a block that starts with `bytes` bytes of the input and is padded with quotes; `None`
/// if the block is malformed.
#[inline(always)]
pub(super) fn piece(
    simd: impl Blocks,
    block: &[u8; 64],
    before: u32,
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
    // This includes the quote: if it cuts off a character, the error is detected there.
    let plain = classes.ascii && ends_plain(before);
    if !plain && simd.errors(before, block) & (inside << 1 | 1) != 0 {
        return None;
    }
    Some(Piece {
        begin,
        behind,
        inside,
        closed: quotes != 0,
    })
}

/// Writes a decoded block, or the part of it that fits. Returns the set of bytes after a backslash
/// that have no meaning.
#[inline(always)]
fn put(simd: impl Blocks, block: &[u8; 64], behind: u64, keep: u64, dst: &mut [Slot]) -> u64 {
    match dst.first_chunk_mut() {
        Some(dst) => simd.unescape(block, behind, keep, dst),
        None => unescape_up_to(simd, block, behind, keep, dst),
    }
}

/// Writes the front of a decoded block, through a buffer that holds all of it.
#[inline(always)]
fn unescape_up_to(
    simd: impl Blocks,
    block: &[u8; 64],
    behind: u64,
    keep: u64,
    dst: &mut [Slot],
) -> u64 {
    let mut result = [Slot::new(0); 64];
    let unknown = simd.unescape(block, behind, keep, &mut result);
    put_front(&result, dst);
    unknown
}

/// Decodes up to the closing quote, to the end, or until the destination is full.
#[inline(always)]
pub(in super::super) fn unescape<S: Blocks>(
    simd: S,
    src: &[u8],
    dst: &mut [Slot],
) -> Result<(Consumed, Stop), Error> {
    let (mut at, mut to, mut carry) = (0, 0, 0);
    // The first block on its own: most strings end in it.
    let mut calm = CALM - 1;
    let done = loop {
        let most = usize::min(usize::min(src.len() - at, dst.len() - to), RUN);
        if calm >= CALM && most >= 256 {
            let (run, ends) = valid(simd, src, at, most);
            if run > 0 {
                copy(&mut dst[to..to + run], &src[at..at + run]);
                (at, to) = (at + run, to + run);
            }
            if ends {
                calm = 0;
            }
            continue;
        }
        let carried = carry;
        let rest = &src[at..];
        let padded;
        let block = match rest.first_chunk() {
            Some(block) => block,
            None => {
                padded = simd.pad(rest, b'"');
                &padded
            }
        };
        let Some(piece) = piece(simd, block, before(src, at), rest.len(), &mut carry) else {
            break between(src, at, to, carried);
        };
        calm = (calm + 1) * usize::from(piece.begin | carried == 0);
        let to_write = &mut dst[to..];
        let (mut keep, mut bytes) = (piece.inside & !piece.begin, 64);
        let behind = piece.behind & piece.inside;
        let unknown = put(simd, block, behind, keep, to_write);
        if unknown != 0 {
            let Some(decoded) = unicode(block, unknown, keep) else {
                break between(src, at, to, carried);
            };
            put(
                simd,
                &decoded.block,
                behind & !unknown,
                decoded.keep,
                to_write,
            );
            (keep, bytes) = (decoded.keep, decoded.bytes);
        }
        let length = keep.count_ones() as usize;
        if length > to_write.len() {
            break between(src, at, to, carried);
        }
        to += length;
        if bytes < 64 {
            carry = 0;
        } else if piece.closed {
            let read = at + piece.inside.count_ones() as usize;
            // The quote may be part of the padding.
            let stop = if read < src.len() {
                Stop::Quote
            } else {
                Stop::End
            };
            return Ok((Consumed { read, written: to }, stop));
        }
        at += bytes;
        if S::SHUFFLES_ARE_DEAR && most >= 256 && carry == 0 && piece.begin.count_ones() <= FEW {
            let mut done = Consumed {
                read: at,
                written: to,
            };
            let is_calm = simd.unescape_sparse(src, dst, &mut done);
            calm = if is_calm { CALM } else { 0 };
            (at, to) = (done.read, done.written);
        }
    };
    scalar::unescape_from(src, dst, done)
}

/// A block in which every `\uXXXX` has been replaced with a character.
struct Decoded {
    block: [u8; 64],
    /// Bytes that belong to the text.
    keep: u64,
    /// Number of bytes read: less than 64 if an escape continues past them.
    bytes: usize,
}

/// Writes the characters of the given escapes (a set of their letters) over the ends of their
/// digits:
///
/// ```text
/// block   a  \  u  2  0  a  c  b     a  .  .  .  e2 82 ac b     € has three bytes
/// keep    1  0  1  1  1  1  1  1     1  0  0  0  1  1  1  1
/// ```
///
/// `None` if a letter is not `u`, a digit is not hexadecimal, or half of a pair is missing.
#[inline(never)]
fn unicode(block: &[u8; 64], mut letters: u64, keep: u64) -> Option<Decoded> {
    let mut decoded = Decoded {
        block: *block,
        keep,
        bytes: 64,
    };
    while letters != 0 {
        let place = letters.trailing_zeros() as usize;
        letters &= letters - 1;
        // The backslash may be in the previous block.
        let backslash = place.saturating_sub(1);
        if block[place] != b'u' {
            return None;
        }
        let mut last = place + 4;
        let mut code = None;
        if last < 64 {
            let number = four_digits(window(block, place + 1))?;
            code = char::from_u32(number);
            if code.is_none() {
                last = place + 10;
                if number < 0xdc00 && last < 64 {
                    if letters.trailing_zeros() as usize != place + 6 || block[place + 6] != b'u' {
                        return None;
                    }
                    letters &= letters - 1;
                    let low = four_digits(window(block, place + 7))?.wrapping_sub(0xdc00);
                    if low >= 0x400 {
                        return None;
                    }
                    code = char::from_u32(0x1_0000 + ((number - 0xd800) << 10) + low);
                } else if number >= 0xdc00 {
                    return None;
                }
            }
        }
        let Some(code) = code else {
            decoded.keep &= (1 << backslash) - 1;
            decoded.bytes = backslash;
            break;
        };
        let mut utf8 = [0; 4];
        let length = code.encode_utf8(&mut utf8).len();
        *window_mut(&mut decoded.block, last - 3) =
            (u32::from_be_bytes(utf8) >> (32 - 8 * length)).to_be_bytes();
        let end = 2_u64 << last;
        let all = end.wrapping_sub(1 << backslash);
        let ends = end.wrapping_sub(2 << (last - length));
        decoded.keep = decoded.keep & !all | ends;
    }
    Some(decoded)
}

/// Returns the value of four hexadecimal digits.
#[inline(always)]
fn four_digits(digits: &[u8; 4]) -> Option<u32> {
    /// Value of a digit, with a bit above the lowest four if it is not a digit.
    static VALUES: [u8; 256] = {
        let mut table = [0x10; 256];
        let mut byte = 0;
        while byte < 256 {
            if let Some(value) = (byte as u8 as char).to_digit(16) {
                table[byte] = value as u8;
            }
            byte += 1;
        }
        table
    };
    let [a, b, c, d] = digits.each(|digit| u32::from(VALUES[usize::from(digit)]));
    ((a | b | c | d) < 0x10).then_some(a << 12 | b << 8 | c << 4 | d)
}

/// Returns the offset of the closing quote, and whether there is an escape before it.
#[inline(always)]
pub(in super::super) fn scan(simd: impl Blocks, src: &[u8]) -> Result<(usize, bool), Error> {
    let (mut at, mut carry, mut escaped) = (0, 0, 0);
    let mut calm = CALM - 1;
    loop {
        let most = src.len() - at;
        if calm >= CALM && most >= 256 {
            let (run, ends) = valid(simd, src, at, most);
            at += run;
            if ends {
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
            return scalar::scan(src);
        };
        escaped |= piece.begin & piece.inside;
        if piece.closed {
            let end = at + piece.inside.count_ones() as usize;
            if end == src.len() {
                return scalar::scan(src);
            }
            return Ok((end, escaped != 0));
        }
        calm = if piece.begin | carry == 0 {
            calm + 1
        } else {
            0
        };
        at += 64;
    }
}

/// Returns the offset of the closing quote, ignoring any errors before it; the length if whole
/// blocks do not contain it.
#[cfg(feature = "alloc")]
#[inline(always)]
pub(in super::super) fn closing(simd: impl Blocks, src: &[u8]) -> usize {
    let (mut at, mut carry) = (0, 0);
    while let Some(block) = src[at..].first_chunk() {
        let classes = simd.classes(block);
        let [_, behind] = escapes(classes.backslashes, &mut carry);
        let quotes = classes.quotes & !behind;
        if quotes != 0 {
            return at + quotes.trailing_zeros() as usize;
        }
        at += 64;
    }
    src.len()
}

//! Decodes blocks with few escapes, where shuffles are expensive.
//!
//! # Policy
//!
//! As in [`escape`](super::escape), a block is copied unchanged, and after each escape the rest of it is copied again:
//!
//! ```text
//! block      a  b  \  n  c  d  \  "  e
//! copied     a  b  \  n  c  d  \  "  e
//! meaning          LF
//! copied              c  d  \  "  e
//! meaning                   "
//! copied                       e
//! ```
//!
//! This is done once also if there is no escape: then what is written goes behind the block, where the next one
//! replaces it. So there is no branch on whether there is an escape, but one on whether there is a second one.
//!
//! # Invariants
//!
//! - The letter of an escape may be in the next block. Its meaning is written with the escape, and kept when that block is copied.
//! - The place of a block in the input does not depend on the escapes.
//!
//! # Measurements
//!
//! Without this loop, prose and Markdown take 1.1 to 1.2 times as long, and source code takes 0.8 of the time (Zen 3, AVX2 and SSE4.1). See
//! `docs/lab-notes/json-string.md`.
#![forbid(unsafe_code)]

use super::super::{Blocks, Consumed, scalar};
use super::CALM;
use super::unescape::{before, piece};
use crate::memory::Slot;
use crate::simd::{window, window_mut};

/// Largest number of escapes in a block. More than [`FEW`](super::unescape::FEW), so that the two ways do not alternate.
const MOST: u32 = 4;

/// Number of bytes that a step may read, and those that it may write: two blocks, and an escape between them.
const AHEAD: usize = 64 + 2 + 64;

/// Meaning of each letter after a backslash, zero if it has none or is the one of `\uXXXX`.
static MEANINGS: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        if let Some(meaning) = scalar::meaning(byte as u8) {
            table[byte] = meaning;
        }
        byte += 1;
    }
    table
};

/// Decodes blocks from `done` on, which is not within an escape, until one has the closing quote, an error, an escape that is
/// not simple or more than [`MOST`] escapes, [`CALM`] in a row have none, or the next one may not fit. Returns whether the last
/// ones have none.
#[inline(always)]
pub(in super::super) fn unescape_sparse(
    simd: impl Blocks,
    src: &[u8],
    dst: &mut [Slot],
    done: &mut Consumed,
) -> bool {
    let (mut at, mut to) = (done.read, done.written);
    let (mut carry, mut calm) = (0, 0);
    while let Some(from) = src[at..].first_chunk::<AHEAD>()
        && let Some(room) = dst[to..].first_chunk_mut()
    {
        let mut carried = carry;
        let Some(piece) = piece(simd, window(from, 0), before(src, at), 64, &mut carried) else {
            break;
        };
        let count = piece.begin.count_ones();
        if piece.closed || count > MOST || !put(simd, from, piece.begin, carry, room) {
            break;
        }
        carry = carried;
        (at, to) = (at + 64, to + 64 - count as usize);
        calm = (calm + 1) * usize::from(count == 0);
        if calm == CALM {
            break;
        }
    }
    // Back to the start of an escape whose letter is in the next block.
    done.read = at - (carry & 1) as usize;
    done.written = to;
    calm == CALM
}

/// Decodes a block, given the backslashes of its escapes, and whether the first byte is a letter whose meaning is written
/// already. Returns false if an escape is not a simple one.
#[inline(always)]
fn put(
    simd: impl Blocks,
    src: &[u8; AHEAD],
    mut begin: u64,
    carry: u64,
    dst: &mut [Slot; AHEAD],
) -> bool {
    let first = (carry & 1) as usize;
    simd.copy(window(src, first), window_mut(dst, first));
    let (mut removed, mut known) = (0, true);
    loop {
        // The lowest place, or 64. `trailing_zeros` is a branch where the CPU's scan has no result for zero.
        let up_to = (begin ^ begin.wrapping_sub(1)).count_ones();
        let place = up_to as usize - usize::from(begin != 0);
        let meaning = MEANINGS[usize::from(src[place + 1])];
        known &= (meaning != 0) | (begin == 0);
        let to: &mut [Slot; 65] = window_mut(dst, place - removed);
        to[0] = Slot::new(meaning);
        simd.copy(window(src, place + 2), window_mut(to, 1));
        removed += 1;
        begin &= begin.wrapping_sub(1);
        if begin == 0 {
            return known;
        }
    }
}

//! Texts of 65 to 512 bytes with few special bytes.
//!
//! # Policy
//!
//! A block is copied unchanged, and after each escape the rest of it is copied again. There is a branch on whether there is
//! a special byte, and one after each: in a short text, the branch predictor may have learned them, and if not, there are few.
//! The first step is short, so that all others have 64 bytes and end where the text does; only in the last one, copies must stop
//! before the end. A block with more than three special bytes ends this loop.
//!
//! ```text
//! text     | given | 64 bytes | 64 bytes |
//! ```
//!
//! It is inlined after the search for the first special byte: a function of its own takes 1.05 times as long, and one with all
//! methods, 1.1 to 1.2 times.
//!
//! # Measurements
//!
//! Zen 4, 1% of escapes, time as a multiple of that of the other methods (AVX-512, AVX2, SSE4.1). 256 texts that repeat:
//! 256 bytes 0.81, 0.87 and 0.83, 65 to 200 bytes 0.76 to 0.94, 1 KiB 0.76, 0.83 and 0.86. 4,096 texts, whose branches are
//! not learned: 256 bytes 1.08 to 1.15, 1 KiB 1.58, 1.26 and 1.22. Texts of users seldom repeat, so the limit is where the loss
//! is as small as the gain. Texts with 10% or 50% of escapes, which leave at their first block, take 0.95 to 1.1.
//!
//! A last block that is first copied to a place with room after it, as in [`sparse`](super::sparse), took 1.25 times as long for 256 bytes with
//! AVX-512 and SSE4.1: the copies after an escape load what two stores have just written, and wait for both.
#![forbid(unsafe_code)]

use super::super::{Blocks, Consumed, Quotes};
use super::bytes::escaped;
use super::finish;
use super::sparse::{ROOM, escape_one};
use crate::memory::{Slot, write};
use crate::simd::{window, window_mut};

/// Length of the longest text.
pub(super) const LONGEST: usize = 512;

/// Maximum number of special bytes in a block.
const FEW: u32 = 3;

/// Escapes the part of a text that fits, in whole characters, and writes the closing quote after all of it. The first `read`
/// bytes are already copied, after the opening quote.
#[inline(always)]
pub(in super::super) fn escape_rare(
    simd: impl Blocks,
    src: &[u8],
    dst: &mut [Slot],
    read: usize,
    quotes: Quotes,
) -> Consumed {
    let mut done = Consumed {
        read,
        written: quotes.opening() + read,
    };
    if let 65..=LONGEST = src.len() {
        let end = dst.len();
        let start = usize::min(read, src.len() - 64);
        let (mut rest, mut to) = (&src[start..], &mut dst[start + quotes.opening()..]);
        // The first step makes the rest a multiple of 64 bytes.
        let mut given = (rest.len() - 1) % 64 + 1;
        while let (65.., Some(room)) = (rest.len(), to.first_chunk_mut::<ROOM>()) {
            let block = window(rest, 0);
            let mut set = simd.specials(block) & (!0 >> (64 - given));
            simd.copy(block, window_mut(room, 0));
            let mut more = 0;
            if set != 0 {
                if set.count_ones() > FEW {
                    break;
                }
                while set != 0 {
                    let place = set.trailing_zeros() as usize;
                    more += escape_one(simd, rest, place, window_mut(room, place + more));
                    set &= set - 1;
                }
            }
            rest = &rest[given..];
            to = &mut to[given + more..];
            given = 64;
        }
        if let (64, Some(block), Some(room)) =
            (rest.len(), rest.first_chunk(), to.first_chunk_mut())
            && let Some(length) = escape_last(simd, block, room)
        {
            let written = end - to.len() + length;
            return finish(src, dst, quotes, written);
        }
        done = Consumed {
            read: src.len() - rest.len(),
            written: end - to.len(),
        };
    }
    simd.escape_after(src, dst, done, quotes)
}

/// Escapes the last block. Returns the length of the result; `None` if there are more than [`FEW`].
#[inline(always)]
fn escape_last(simd: impl Blocks, block: &[u8; 64], dst: &mut [Slot; ROOM]) -> Option<usize> {
    let mut set = simd.specials(block);
    simd.copy(block, window_mut(dst, 0));
    let mut more = 0;
    if set != 0 {
        if set.count_ones() > FEW {
            return None;
        }
        while set != 0 {
            let place = set.trailing_zeros() as usize;
            let to: &mut [Slot; 72] = window_mut(dst, place + more);
            let (text, length) = escaped(block[place]);
            write(window_mut(to, 0), text);
            simd.copy_up_to(&block[place + 1..], window_mut(to, length));
            more += length - 1;
            set &= set - 1;
        }
    }
    Some(64 + more)
}

//! The algorithms, shared by all instruction sets: runs that need no change are copied 256 bytes or
//! more at a time; other parts are handled in blocks of 64 bytes.
//!
//! A kernel stops where it cannot continue, between two characters: at the end, when the
//! destination is full, or before an error. The scalar code continues from there: it determines
//! which case it is, fills the destination to the last byte, and reports the error.
#![forbid(unsafe_code)]

mod bytes;
mod escape;
mod rare;
mod short;
mod sparse;
mod unescape;
mod unescape_sparse;

#[cfg(feature = "alloc")]
pub(super) use bytes::LONGEST;
#[cfg(feature = "alloc")]
pub(super) use escape::WIDEST;
pub(super) use escape::{
    copy_clean, copy_if_clean, escape, escape_dense, escape_inside, escape_up_to, escaped_len,
    short_specials,
};
pub(super) use rare::escape_rare;
#[cfg(feature = "alloc")]
pub(super) use short::first_special;
pub(super) use short::{escape_front_long, escape_front_short, escape_short, specials_short};
#[cfg(feature = "alloc")]
pub(super) use unescape::closing;
pub(super) use unescape::{scan, unescape, unescape_up_to};
pub(super) use unescape_sparse::unescape_sparse;

use super::{Blocks, Consumed, Quotes};
use crate::memory::{Slot, write};
use crate::simd::{window, window_mut};

/// Number of bytes that unescaping searches before copying them: they are in the first-level cache
/// by then. Runs of 1 KiB are as fast.
const RUN: usize = 4096;

/// Number of consecutive blocks without a change after which the kernel returns to whole runs. They
/// make two steps of 256 bytes, so that a single calm stretch between two escapes does not count.
/// The value was not measured on its own.
const CALM: usize = 8;

/// Maximum number of special bytes in a block that are escaped one by one. The block is copied once
/// more for each, so with more of them, shuffles are cheaper.
const FEW: u32 = 4;

/// Length of a text from which it pays to copy a few bytes twice, so that the stores begin with a cache line.
const MANY: usize = 4096;

/// Length of a text that is copied by 32 bytes, since it comes from memory. Groups of 256 bytes take so few
/// instructions that loads run far ahead of the stores, and 16 MiB take up to 1.2 times as long (Zen 4).
const FAR: usize = 8 << 20;

/// Returns the length of the 256-byte blocks at the front of `src` in which no byte needs an
/// escape.
#[inline(always)]
fn clean(simd: impl Blocks, src: &[u8]) -> usize {
    let mut run = 0;
    while run + 256 <= src.len() && simd.survey(window(src, run)).clean {
        run += 256;
    }
    run
}

/// Returns the length of a first step of up to 256 bytes, after which groups of 256 bytes begin with a
/// cache line, and overlap the first one. Vectors of 64 bytes that begin elsewhere wait for two lines
/// each: texts of 16 MiB take 1.3 times as long.
#[inline(always)]
fn to_next_line<T>(from: &[T]) -> usize {
    256 - from.as_ptr().addr() % 64
}

/// Writes up to 64 bytes from the front of a block.
#[inline(always)]
pub(super) fn put(block: &[u8; 64], dst: &mut [Slot]) {
    let mut slots = [Slot::new(0); 64];
    write(&mut slots, *block);
    put_front(&slots, dst);
}

/// Copies the front to up to 128 slots, as two overlapping windows.
#[inline(always)]
fn put_front(from: &[Slot], to: &mut [Slot]) {
    #[inline(always)]
    fn put<const N: usize>(from: &[Slot], to: &mut [Slot]) {
        for at in [0, to.len() - N] {
            *window_mut::<N, _>(to, at) = *window(from, at);
        }
    }
    match to.len() {
        0 => {}
        1 => put::<1>(from, to),
        2..4 => put::<2>(from, to),
        4..8 => put::<4>(from, to),
        8..16 => put::<8>(from, to),
        16..32 => put::<16>(from, to),
        32..64 => put::<32>(from, to),
        _ => put::<64>(from, to),
    }
}

/// Copies up to 64 bytes, as two overlapping windows.
#[inline(always)]
pub(super) fn copy_up_to(from: &[u8], to: &mut [Slot; 64]) {
    #[inline(always)]
    fn copy<const N: usize>(from: &[u8], to: &mut [Slot; 64]) {
        for at in [0, from.len() - N] {
            write(window_mut(to, at), *window::<N, _>(from, at));
        }
    }
    match from.len() {
        0 => {}
        1 => copy::<1>(from, to),
        2..4 => copy::<2>(from, to),
        4..8 => copy::<4>(from, to),
        8..16 => copy::<8>(from, to),
        16..32 => copy::<16>(from, to),
        _ => copy::<32>(from, to),
    }
}

/// Copies 256 bytes.
#[inline(always)]
fn copy_blocks(simd: impl Blocks, blocks: &[u8; 256], dst: &mut [Slot; 256]) {
    for i in 0..4 {
        simd.copy(window(blocks, 64 * i), window_mut(dst, 64 * i));
    }
}

/// Pads up to 64 bytes with another byte.
#[inline(always)]
pub(super) fn pad(src: &[u8], with: u8) -> [u8; 64] {
    let mut block = [with; 64];
    block[..src.len()].copy_from_slice(src);
    block
}

/// Copies from the front as long as nothing needs an escape: 256 bytes at once, and 64 if fewer are left. The last block overlaps
/// the one before. Returns the length.
#[inline(always)]
fn copy_groups<S: Blocks>(simd: S, src: &[u8], dst: &mut [Slot]) -> usize {
    let most = usize::min(src.len(), dst.len());
    let (src, dst) = (&src[..most], &mut dst[..most]);
    let (mut run, mut step) = (0, 256);
    if S::STORES_TO_LINES && most >= MANY {
        step = to_next_line(dst);
    }
    while run + 256 <= most {
        let clean = simd.copy_if_clean(window(src, run), window_mut(dst, run));
        if clean < 256 {
            return run + clean;
        }
        (run, step) = (run + step, 256);
    }
    if run == most || most < 64 {
        return run;
    }
    while run < most {
        let at = usize::min(run, most - 64);
        let block = window(src, at);
        if simd.specials(block) != 0 {
            return run;
        }
        simd.copy(block, window_mut(dst, at));
        run = at + 64;
    }
    run
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

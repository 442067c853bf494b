//! The algorithms, once for all instruction sets: runs of up to 4 KiB that need nothing are looked
//! through and copied whole; 64 bytes at a time where there is something to do.
//!
//! A kernel stops where it can go no further, between two characters: at the end, where the
//! destination is full, or before something that is wrong. The scalar code takes it from there: it
//! finds out which it was, fills the destination to the last byte, and names the error.
#![forbid(unsafe_code)]

mod escape;
mod unescape;

#[cfg(feature = "alloc")]
pub(super) use escape::LONGEST;
pub(super) use escape::{escape, escape_short, escaped_len};
#[cfg(feature = "alloc")]
pub(super) use unescape::closing;
pub(super) use unescape::{scan, unescape};

use super::Blocks;
use crate::memory::{Slot, copy, pair, put_pair, write};
use crate::simd::{window, window_mut};

/// Bytes that are looked through before they are copied: they are in the first-level cache then.
const RUN: usize = 4096;

/// How many blocks in a row need nothing before the kernel returns to whole runs.
const CALM: usize = 8;

/// The first 256-byte blocks of `src` in which nothing needs an escape: their bytes.
#[inline(always)]
fn clean(simd: impl Blocks, src: &[u8]) -> usize {
    let mut run = 0;
    while run + 256 <= src.len() && simd.survey(window(src, run)).clean {
        run += 256;
    }
    run
}

/// Copies up to 64 bytes and returns which need an escape. Four blocks of 16 that overlap do
/// for any length from there on, without a branch on it.
#[inline(always)]
pub(super) fn copy_short(simd: impl Blocks, src: &[u8], dst: &mut [Slot]) -> u64 {
    let n = src.len();
    if n < 16 {
        let [low, high] = pair(src);
        put_pair(dst, [low, high]);
        let block = u128::from(high) << 64 | u128::from(low);
        return u64::from(simd.specials16(&block.to_le_bytes())) & ((1 << n) - 1);
    }
    let mut specials = 0;
    for i in 0..4 {
        let at = usize::min(16 * i, n - 16);
        let block = window(src, at);
        write(window_mut(dst, at), *block);
        specials |= u64::from(simd.specials16(block)) << at;
    }
    specials
}

/// Copies fewer than 64 bytes from the front of a block.
#[inline(always)]
pub(super) fn put(block: &[u8; 64], dst: &mut [Slot]) {
    copy(dst, &block[..dst.len()]);
}

/// Up to 64 bytes and others behind them.
#[inline(always)]
pub(super) fn pad(src: &[u8], with: u8) -> [u8; 64] {
    let mut block = [with; 64];
    block[..src.len()].copy_from_slice(src);
    block
}

//! The algorithm, once for all instruction sets: blocks of 64 bytes, which are whole values.
//!
//! ```text
//! destination  |--- 12 ---|------ 64 ------|------ 64 ------|----- 43 -----|
//!              |       lines of the cache: |                |
//! blocks       |------ first ---|
//!                         |----- second ---|----- third ----|
//!                                                    |------ last ---------|
//! ```
//!
//! The first block lies where the destination does, the next ones fill whole lines of the cache if
//! the values allow it, and the last one ends where the destination does: what two blocks overlap in
//! is written twice, with the same result.
#![forbid(unsafe_code)]

use super::Swap;
use crate::Error;
use crate::memory::{self, Slot};
use crate::simd::{Near, Writes, window, window_mut, with_writes};

/// The bytes of each value of `K` bytes in reverse order. Both slices are as long.
#[inline(always)]
pub(super) fn swap<const K: usize, S: Swap<K>>(
    simd: S,
    src: &[u8],
    dst: &mut [Slot],
) -> Result<(), Error> {
    match src.len() {
        0..16 => swap_words::<K>(src, dst),
        16..64 => simd.swap_short(src, dst),
        _ => with_writes!(src.len(), false, W => swap_blocks::<K, S, W>(simd, src, dst)),
    }
    Ok(())
}

#[inline(always)]
fn swap_blocks<const K: usize, S: Swap<K>, W: Writes>(simd: S, src: &[u8], dst: &mut [Slot]) {
    let last = src.len() - 64;
    simd.swap64::<Near>(window(src, 0), window_mut(dst, 0));
    let to_line = 64 - dst.as_ptr().addr() % 64;
    let second = if to_line.is_multiple_of(K) {
        to_line
    } else {
        64
    };
    let (from, _) = src[second..].as_chunks();
    let (to, _) = dst[second..].as_chunks_mut();
    for i in 0..usize::min(from.len(), to.len()) {
        simd.swap64::<W>(&from[i], &mut to[i]);
    }
    simd.swap64::<Near>(window(src, last), window_mut(dst, last));
}

/// 16 to 63 bytes, in overlapping blocks of 16.
#[inline(always)]
pub(super) fn swap_short<const K: usize>(simd: impl Swap<K>, src: &[u8], dst: &mut [Slot]) {
    let last = src.len() - 16;
    for at in (0..last).step_by(16) {
        simd.swap16(window(src, at), window_mut(dst, at));
    }
    simd.swap16(window(src, last), window_mut(dst, last));
}

/// Fewer than 16 bytes: as two overlapping words of 8, or value by value.
#[inline(always)]
pub(super) fn swap_words<const K: usize>(src: &[u8], dst: &mut [Slot]) {
    let mut swap8 = |at| {
        memory::write(
            window_mut(dst, at),
            swap_word::<K>(u64::from_le_bytes(*window(src, at))).to_le_bytes(),
        )
    };
    if src.len() >= 8 {
        swap8(0);
        swap8(src.len() - 8);
        return;
    }
    for at in (0..src.len()).step_by(K) {
        let mut value = *window::<K, _>(src, at);
        value.reverse();
        memory::write(window_mut(dst, at), value);
    }
}

/// The bytes of each value of a word of 8 bytes in reverse order.
#[inline(always)]
fn swap_word<const K: usize>(word: u64) -> u64 {
    match K {
        2 => (word & 0x00ff_00ff_00ff_00ff) << 8 | word >> 8 & 0x00ff_00ff_00ff_00ff,
        4 => word.swap_bytes().rotate_left(32),
        _ => word.swap_bytes(),
    }
}

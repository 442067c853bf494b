//! The algorithm, shared by all instruction sets: blocks of 64 bytes, which are whole values.
//!
//! ```text
//! destination  |--- 12 ---|------ 64 ------|------ 64 ------|----- 43 -----|
//!              |        cache lines:       |                |
//! blocks       |------ first ---|
//!                                                    |------ last ---------|
//!                         |----- third ----|----- fourth ---|
//! ```
//!
//! The first block begins where the destination does, the last one ends where the destination does,
//! and the others fill whole cache lines if the size of the values allows it. Where two blocks
//! overlap, bytes are written twice, with the same result; the blocks in the middle come last,
//! since they may be streamed past the cache.
//!
//! Up to 64 bytes use the instructions of the target's baseline, in two halves: for so few bytes,
//! entering AVX2 or AVX-512 costs more than it gains (16 4-byte numbers: 6.5 ns instead of 5.0).
//! See `docs/lab-notes/big-endian.md`.
#![forbid(unsafe_code)]

use super::Swap;
use crate::memory::{self, Slot};
use crate::simd::{Near, Writes, window, window_mut};

/// Reverses the bytes of each value of `K` bytes. Both slices have the same length.
#[inline(always)]
pub(super) fn swap<const K: usize, S: Swap<K>, W: Writes>(simd: S, src: &[u8], dst: &mut [Slot]) {
    let Some(last) = src.len().checked_sub(64) else {
        return swap_few::<K>(src, dst);
    };
    simd.swap64::<Near>(window(src, 0), window_mut(dst, 0));
    simd.swap64::<Near>(window(src, last), window_mut(dst, last));
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
}

/// Reverses at most 64 bytes: value by value, or as a first and a last half, which overlap. The
/// length of a half is known at compile time, so the compiler picks instructions of the target's
/// baseline for it.
#[inline(never)]
pub(super) fn swap_few<const K: usize>(src: &[u8], dst: &mut [Slot]) {
    match src.len() {
        0..8 => swap_values::<K>(src, dst),
        8..=16 => swap_halves::<K, 8>(src, dst),
        17..=32 => swap_halves::<K, 16>(src, dst),
        _ => swap_halves::<K, 32>(src, dst),
    }
}

/// Reverses `H` to `2 H` bytes.
#[inline(always)]
fn swap_halves<const K: usize, const H: usize>(src: &[u8], dst: &mut [Slot]) {
    for half in [0, src.len() - H] {
        swap_values::<K>(window::<H, _>(src, half), window_mut::<H, _>(dst, half));
    }
}

/// Reverses value by value.
#[inline(always)]
fn swap_values<const K: usize>(src: &[u8], dst: &mut [Slot]) {
    for at in (0..src.len()).step_by(K) {
        let mut value = *window::<K, _>(src, at);
        value.reverse();
        memory::write(window_mut(dst, at), value);
    }
}

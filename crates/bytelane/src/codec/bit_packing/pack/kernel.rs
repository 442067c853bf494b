//! Packing with AVX2 and SSE4.1: blocks of values, which pack into a whole number of bytes.
//!
//! # Policy
//!
//! The kernel is compiled once for each width, so shuffles, shifts and offsets are constants, and no
//! registers are filled at the start. The algorithm is still written once: the width is a type.
//!
//! ```text
//! pack      less than a block: by portable code, which all instruction sets share
//!           zigzag: map up to 2 kB at a time, then pack them without a mapping
//!           whole blocks: continue in the function of the width
//!           else call it for all whole blocks, then again for the last block that ends with a
//!           group of eight values, and pack the last values one by one
//! block     narrow the values to the smallest type that holds the width
//!           join the values of each 8 bytes to a number, shift it to its bit
//!           shuffle two numbers at a time to a piece, as the module describes
//! ```
//!
//! # Invariants
//!
//! - A block has 32 values of up to 8 bits, 16 of up to 32 bits, or 8. It is a power of two, and a
//!   multiple of a group of eight values, which takes `width` bytes.
//! - Each block is written exactly: pieces in their order, each of which may overwrite what follows
//!   within the block, and the last one by two stores of 8 bytes.
//! - Blocks that overlap write the same bytes.
//! - Values that do not fit are reported. The bytes of the result are anything then.
//!
//! # Measurements
//!
//! Zen 4, against a plan for each call that fills about 20 registers: 32 values of 9 bits in `u32`
//! take 0.50 of the time with AVX2 and 0.32 with SSE4.1, 2,048 values 0.66 and 0.50. Over all types
//! and widths and 8 to 32,768 values, it is 1.7 and 2.1 times as fast. Jumps to the function of a width and
//! to that for a few values, so without a frame, made 32 values 1.15 to 1.3 times as fast. Blocks read from a padded copy
//! instead of packed again made 8 to 24 values slower than one by one. A function for one width has
//! 320 bytes and up to 256 of constants. See `docs/lab-notes/bit-packing.md`.
#![forbid(unsafe_code)]

use super::positions::{Positions, values};
use crate::codec::bit_packing::few::pack_few;
use crate::codec::bit_packing::width::with_width;
use crate::codec::bit_packing::{Layout, PackAt, to_ne_bytes};
use crate::memory::{Lines, Slot, array};

/// Function for blocks of one width.
type Pack<S> = fn(S, u64, &[u8], &mut [Slot]) -> bool;

/// Packs values of `K` bytes. Returns whether all values fit.
#[inline(always)]
pub(crate) fn pack<const K: usize, S: PackAt<K>>(
    simd: S,
    layout: Layout,
    src: &[u8],
    dst: &mut [Slot],
) -> bool {
    if src.len() < K * values(layout.width) {
        pack_few::<K>(layout, src, dst)
    } else if layout.zigzag {
        simd.pack_zigzag(layout, src, dst)
    } else {
        pack_blocks::<K, S>(simd, layout, src, dst)
    }
}

/// Packs at least one block of values.
#[inline(always)]
fn pack_blocks<const K: usize, S: PackAt<K>>(
    simd: S,
    layout: Layout,
    src: &[u8],
    dst: &mut [Slot],
) -> bool {
    let Layout {
        width, reference, ..
    } = layout;
    // A group of eight values takes `width` bytes. Both sizes are powers of two.
    let (block, group) = (K * values(width), K * 8);
    if src.len().is_multiple_of(block) {
        let pack = at::<K, S>(width);
        pack(simd, reference, src, &mut dst[..src.len() / group * width])
    } else {
        simd.pack_with_rest(layout, src, dst)
    }
}

/// Packs at least one block of values, and values after the last block.
#[inline(always)]
pub(super) fn pack_with_rest<const K: usize, S: PackAt<K>>(
    simd: S,
    layout: Layout,
    src: &[u8],
    dst: &mut [Slot],
) -> bool {
    let Layout {
        width, reference, ..
    } = layout;
    let pack = at::<K, S>(width);
    let (block, group) = (K * values(width), K * 8);
    let (whole, groups) = (
        src.len() & block.wrapping_neg(),
        src.len() & group.wrapping_neg(),
    );
    let mut fit = pack(
        simd,
        reference,
        &src[..whole],
        &mut dst[..whole / group * width],
    );
    let (src, rest) = src.split_at(groups);
    let (dst, room) = dst.split_at_mut(groups / group * width);
    if whole < groups {
        // Some groups before them are packed again.
        let from = groups - block;
        fit &= pack(
            simd,
            reference,
            &src[from..],
            &mut dst[from / group * width..],
        );
    }
    if !rest.is_empty() {
        fit &= pack_few::<K>(layout, rest, room);
    }
    fit
}

/// Returns the function of a width.
#[inline(always)]
fn at<const K: usize, S: PackAt<K>>(width: usize) -> Pack<S> {
    with_width!(K, width, W => return S::pack_at::<W>);
    are_equal::<K, S>
}

/// Returns whether the values of whole blocks fit a width of 0.
#[inline(never)]
fn are_equal<const K: usize, S>(_: S, reference: u64, src: &[u8], _: &mut [Slot]) -> bool {
    let reference: [u8; K] = to_ne_bytes(reference);
    let all = u64::from_ne_bytes(array(|i| reference[i % K]));
    let mut different = 0;
    for eight in src.as_chunks().0 {
        different |= u64::from_ne_bytes(*eight) ^ all;
    }
    different == 0
}

/// Packs blocks of values of one width.
#[inline(always)]
pub(super) fn pack_at<const K: usize, S: PackAt<K>, W: Positions>(
    simd: S,
    reference: u64,
    src: &[u8],
    dst: &mut [Slot],
) -> bool {
    let mut bits = simd.bits(reference);
    let blocks = src.chunks_exact(K * W::VALUES);
    for (block, to) in blocks.zip(dst.chunks_exact_mut(W::STRIDE)) {
        simd.pack::<W>(&mut bits, block, to);
    }
    simd.all_fit::<W>(&bits)
}

/// Packs values by zigzag, which are mapped first.
#[inline(always)]
pub(super) fn pack_zigzag<const K: usize, S: PackAt<K>>(
    simd: S,
    layout: Layout,
    src: &[u8],
    dst: &mut [Slot],
) -> bool {
    // The larger buffer takes longer to clear.
    if src.len() <= 8 * 64 {
        pack_mapped::<K, S, 8>(simd, layout, src, dst)
    } else {
        pack_mapped::<K, S, 32>(simd, layout, src, dst)
    }
}

/// Maps values by zigzag, `N` blocks at a time, and packs them.
#[inline(always)]
fn pack_mapped<const K: usize, S: PackAt<K>, const N: usize>(
    simd: S,
    layout: Layout,
    src: &[u8],
    dst: &mut [Slot],
) -> bool {
    let Lines(mapped) = &mut Lines([[0; 64]; N]);
    let (mut fit, mut to) = (true, 0);
    for values in src.chunks(64 * N) {
        let (blocks, rest) = values.as_chunks();
        for i in 0..blocks.len() {
            simd.zigzag(&blocks[i], &mut mapped[i]);
        }
        if !rest.is_empty() {
            let mut last = [0; 64];
            last[..rest.len()].copy_from_slice(rest);
            simd.zigzag(&last, &mut mapped[blocks.len()]);
        }
        let bits = &mapped.as_flattened()[..values.len()];
        let length = layout.bytes(values.len() / K).unwrap_or(usize::MAX);
        fit &= pack::<K, S>(simd, layout.of_bits(), bits, &mut dst[to..to + length]);
        to += length;
    }
    fit
}

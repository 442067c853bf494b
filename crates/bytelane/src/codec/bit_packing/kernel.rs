//! The algorithm, shared by all instruction sets: blocks of 64 bytes of values, which pack into a
//! whole number of bytes, `8 * width / K`.
//!
//! For every width, a step reads a window of the packed bytes, or writes 64 of them; the next block
//! begins at the first byte after those of the block. So the loop does not depend on the width. If
//! the packed bytes end before the window does, the rest of them is first copied to a larger
//! buffer, or loaded with a mask.
//!
//! # Policy
//!
//! One loop serves all 65 widths: a *plan*, built once per call from a row of a table, contains the
//! shuffles and shifts of a width. Rare cases have loops of their own, chosen in advance, since a
//! branch within a block costs AVX2 a third of its speed.
//!
//! AVX2 and SSE4.1 unpack bits without a mapping with code for each width instead, which needs no
//! plan and fewer instructions: see `unpack/mod.rs`. AVX-512 would gain nothing from that.
//!
//! ```text
//! unpack    eight values or more without a mapping, where there is code for each width: by that
//!           fewer than FEW values: one by one, from 8 bytes at a time
//!           blocks whose windows are within the input, in the loop of the case:
//!               Usual   each value lies within the bits shifted at once
//!               Wide    some reach past it: a second shuffle
//!               Any     zigzag as well
//!           the rest: from a copy of the last bytes, or with a mask
//! pack      up to 8 bits: narrow 64 values to bytes, then pack the bytes
//!           else blocks, and the rest through a buffer
//! ```
//!
//! AVX2 and SSE4.1 pack by code for each width: see `pack/kernel.rs`.
//!
//! # Invariants
//!
//! - Eight values take `width` bytes, so a block of 64 bytes begins and ends at a byte boundary on
//!   both sides.
//! - A window has [`WINDOW`] = 64 + 16 bytes: the last piece of 64 bytes of values begins within
//!   its first 64 bytes, and a load takes 16 bytes from there.
//! - Stores past the bytes of a block are overwritten by the next block; the last stores are exact.
//! - Packing reports whether all values fit (`all_fit`), and masks those that do not.
//!
//! # Measurements
//!
//! With AVX2, a window and a mask of 63 on each offset raised the speed from 7 to 12 values per
//! nanosecond, and a loop without rare cases to 17. See `docs/lab-notes/bit-packing.md`.
#![forbid(unsafe_code)]

use super::few::{pack_few, unpack_few};
use super::layout::{Layout, to_ne_bytes};
use super::width::with_width;
use super::{Any, Case, Pack, Unpack, Usual, WINDOW, Wide};
use crate::memory::{Lines, Slot, copy, copy_front};
use crate::simd::{window, window_mut};

/// Unpacks values of `K` bytes.
#[inline(always)]
pub(super) fn unpack<const K: usize, S: Unpack<K>>(
    simd: S,
    layout: Layout,
    src: &[u8],
    dst: &mut [Slot],
) {
    if S::BY_WIDTH && dst.len() >= 8 * K && layout == layout.of_bits() {
        with_width!(K, layout.width, W => return simd.unpack_width::<W>(layout, src, dst));
    }
    simd.unpack_planned(layout, src, dst);
}

/// Unpacks values with a plan, or one by one.
#[inline(always)]
pub(super) fn unpack_planned<const K: usize, S: Unpack<K>>(
    simd: S,
    layout: Layout,
    src: &[u8],
    dst: &mut [Slot],
) {
    if dst.len() < S::FEW * K {
        return unpack_few::<K>(layout, src, dst);
    }
    let plan = simd.unpack_plan(layout);
    let (from, to) = match (simd.is_usual(&plan), layout.zigzag) {
        (true, _) => unpack_blocks::<K, S, Usual>(simd, &plan, layout, src, dst),
        (false, false) => unpack_blocks::<K, S, Wide>(simd, &plan, layout, src, dst),
        (false, true) => unpack_blocks::<K, S, Any>(simd, &plan, layout, src, dst),
    };
    if to < dst.len() {
        simd.unpack_rest(&plan, layout, &src[from..], &mut dst[to..]);
    }
}

/// Unpacks the blocks whose windows lie within the packed bytes. Returns where they end on both
/// sides.
#[inline(always)]
pub(crate) fn unpack_blocks<const K: usize, S: Unpack<K>, C: Case>(
    simd: S,
    plan: &S::Plan,
    layout: Layout,
    src: &[u8],
    dst: &mut [Slot],
) -> (usize, usize) {
    let stride = 8 * layout.width / K;
    let (mut from, mut to) = (0, 0);
    while to + 64 <= dst.len() && from + WINDOW <= src.len() {
        simd.unpack::<C>(plan, window(src, from), window_mut(dst, to));
        (from, to) = (from + stride, to + 64);
    }
    (from, to)
}

/// Unpacks the values after the last block whose window lies within the packed bytes, or an
/// incomplete block.
#[inline(always)]
pub(crate) fn unpack_rest<const K: usize, S: Unpack<K>>(
    simd: S,
    plan: &S::Plan,
    layout: Layout,
    src: &[u8],
    dst: &mut [Slot],
) {
    let stride = 8 * layout.width / K;
    let Lines(padded) = &mut Lines([0; 2 * WINDOW]);
    let there = usize::min(src.len(), WINDOW);
    padded[..there].copy_from_slice(&src[..there]);
    let mut from = 0;
    for block in dst.chunks_mut(64) {
        if block.len() < S::FEW * K && block.len() < 64 {
            return unpack_few::<K>(layout, &padded[from..], block);
        }
        // One call serves both kinds of blocks, so that it is compiled once.
        let Lines(aside) = &mut Lines([Slot::new(0); 64]);
        let is_whole = block.len() == 64;
        let to = if is_whole {
            window_mut(block, 0)
        } else {
            &mut *aside
        };
        simd.unpack::<Any>(plan, window(padded, from), to);
        if !is_whole {
            copy_front(block, aside);
        }
        from += stride;
    }
}

/// Packs values of `K` bytes. Returns whether all values fit.
#[inline(always)]
pub(crate) fn pack<const K: usize, S: Pack<K> + Pack<1>>(
    simd: S,
    layout: Layout,
    src: &[u8],
    dst: &mut [Slot],
) -> bool {
    let is_narrow = is_narrow::<K>(layout);
    // Narrow values need two plans, even where loads and stores have masks, so instruction sets
    // with masks also pack up to 16 values one by one.
    let few = usize::max(<S as Pack<K>>::FEW, if is_narrow { 16 } else { 0 });
    if src.len() < few * K {
        pack_few::<K>(layout, src, dst)
    } else if is_narrow {
        pack_narrow::<K, S>(simd, layout, src, dst)
    } else {
        pack_wide::<K, S>(simd, layout, src, dst)
    }
}

/// Same as [`pack`], for whole blocks of values that fit, and a destination with at least 64 bytes
/// more than they take. It makes no calls for a rest, so the plan stays in registers.
#[inline(always)]
pub(crate) fn pack_whole<const K: usize, S: Pack<K> + Pack<1>>(
    simd: S,
    layout: Layout,
    src: &[u8],
    dst: &mut [Slot],
) {
    if is_narrow::<K>(layout) {
        pack_narrow::<K, S>(simd, layout, src, dst);
        return;
    }
    let mut plan = Pack::<K>::pack_plan(simd, layout);
    if Pack::<K>::packs_usual(simd, &plan) {
        pack_blocks::<K, S, Usual>(simd, &mut plan, layout, src, dst)
    } else {
        pack_blocks::<K, S, Any>(simd, &mut plan, layout, src, dst)
    };
}

/// Returns whether more than two values may share a byte when they are packed.
#[inline(always)]
pub(super) fn is_narrow<const K: usize>(layout: Layout) -> bool {
    layout.width == 8 || K > 1 && layout.width < 8
}

/// Packs values of more than 8 bits, or one-byte values of fewer bits.
#[inline(always)]
fn pack_wide<const K: usize, S: Pack<K> + Pack<1>>(
    simd: S,
    layout: Layout,
    src: &[u8],
    dst: &mut [Slot],
) -> bool {
    let mut plan = Pack::<K>::pack_plan(simd, layout);
    if Pack::<K>::packs_usual(simd, &plan) {
        pack_blocks_and_rest::<K, S, Usual>(simd, &mut plan, layout, src, dst)
    } else {
        pack_blocks_and_rest::<K, S, Any>(simd, &mut plan, layout, src, dst)
    }
    Pack::<K>::all_fit(simd, &plan)
}

#[inline(always)]
fn pack_blocks_and_rest<const K: usize, S: Pack<K>, C: Case>(
    simd: S,
    plan: &mut S::Plan,
    layout: Layout,
    src: &[u8],
    dst: &mut [Slot],
) {
    let (from, to) = pack_blocks::<K, S, C>(simd, plan, layout, src, dst);
    if from < src.len() {
        simd.pack_rest(plan, layout, &src[from..], &mut dst[to..]);
    }
}

/// Packs the blocks for which the destination has 64 bytes. Returns where they end on both sides.
#[inline(always)]
fn pack_blocks<const K: usize, S: Pack<K>, C: Case>(
    simd: S,
    plan: &mut S::Plan,
    layout: Layout,
    src: &[u8],
    dst: &mut [Slot],
) -> (usize, usize) {
    let stride = 8 * layout.width / K;
    let (mut from, mut to) = (0, 0);
    while from + 64 <= src.len() && to + 64 <= dst.len() {
        simd.pack::<C>(plan, window(src, from), window_mut(dst, to));
        (from, to) = (from + 64, to + stride);
    }
    (from, to)
}

/// Packs the last blocks, for which the destination does not have 64 bytes each, and an incomplete
/// one.
#[inline(always)]
pub(crate) fn pack_rest<const K: usize, S: Pack<K>>(
    simd: S,
    plan: &mut S::Plan,
    layout: Layout,
    src: &[u8],
    dst: &mut [Slot],
) {
    let stride = 8 * layout.width / K;
    let Lines(aside) = &mut Lines([Slot::new(0); 2 * 64]);
    let mut to = 0;
    for values in src.chunks(64) {
        // A copy of a whole block would be loaded again before its stores are done.
        let mut padded;
        let block = match values.first_chunk() {
            Some(block) => block,
            None => {
                padded = Lines([[0; 64]]);
                pad::<K, 1>(layout, values, &mut padded.0);
                &padded.0[0]
            }
        };
        simd.pack::<Any>(plan, block, window_mut(aside, to));
        to += stride;
    }
    let length = usize::min(to, dst.len());
    dst[..length].copy_from_slice(&aside[..length]);
}

/// Puts values at the front of blocks of zeros. The others become zeros when they are packed.
#[inline(always)]
pub(super) fn pad<const K: usize, const N: usize>(
    layout: Layout,
    values: &[u8],
    blocks: &mut [[u8; 64]; N],
) {
    let (front, rest) = blocks.as_flattened_mut().split_at_mut(values.len());
    front.copy_from_slice(values);
    if layout.reference != 0 {
        let padding = to_ne_bytes(layout.reference);
        rest.as_chunks_mut::<K>().0.fill(padding);
    }
}

/// Packs values of at most 8 bits. They become bytes first, 64 of them at a time: more than two of
/// them may share a byte, which only the steps for bytes can handle.
#[inline(always)]
fn pack_narrow<const K: usize, S: Pack<K> + Pack<1>>(
    simd: S,
    layout: Layout,
    src: &[u8],
    dst: &mut [Slot],
) -> bool {
    if <S as Pack<K>>::FEW == 0 {
        return pack_narrow_masked::<K, S>(simd, layout, src, dst);
    }
    let mut narrow = Pack::<K>::pack_plan(simd, layout);
    let mut pack = Pack::<1>::pack_plan(simd, layout.of_bits());
    let mut to = 0;
    for values in src.chunks(64 * K) {
        let mut last;
        let blocks = match values.as_chunks::<64>().0.first_chunk::<K>() {
            Some(blocks) => blocks,
            None => {
                last = Lines([[0; 64]; K]);
                pad::<K, K>(layout, values, &mut last.0);
                &last.0
            }
        };
        let Lines(bytes) = &mut Lines([0; 64]);
        Pack::<K>::narrow(simd, &mut narrow, blocks, bytes);
        // One call serves both kinds of destinations, so that it is compiled once.
        let room = &mut dst[to..];
        let length = usize::min(8 * layout.width, room.len());
        let Lines(aside) = &mut Lines([Slot::new(0); 64]);
        let is_roomy = room.len() >= 64;
        let target = if is_roomy {
            window_mut(room, 0)
        } else {
            &mut *aside
        };
        match layout.width {
            8 => copy(target, bytes),
            _ => Pack::<1>::pack::<Usual>(simd, &mut pack, bytes, target),
        }
        if !is_roomy {
            room[..length].copy_from_slice(&aside[..length]);
        }
        to += length;
    }
    Pack::<K>::all_fit(simd, &narrow)
}

/// Same as [`pack_narrow`], for instruction sets with masks: the rest has a step of its own. The loop
/// over the blocks for which the destination has 64 bytes makes no call, so the plans stay in
/// registers.
#[inline(always)]
fn pack_narrow_masked<const K: usize, S: Pack<K> + Pack<1>>(
    simd: S,
    layout: Layout,
    src: &[u8],
    dst: &mut [Slot],
) -> bool {
    let mut narrow = Pack::<K>::pack_plan(simd, layout);
    let mut pack = Pack::<1>::pack_plan(simd, layout.of_bits());
    let (mut from, mut to) = (0, 0);
    while from + 64 * K <= src.len() && to + 64 <= dst.len() {
        let (blocks, _) = src[from..].as_chunks::<64>();
        let Lines(bytes) = &mut Lines([0; 64]);
        Pack::<K>::narrow(simd, &mut narrow, window(blocks, 0), bytes);
        let target = window_mut(dst, to);
        match layout.width {
            8 => copy(target, bytes),
            _ => Pack::<1>::pack::<Usual>(simd, &mut pack, bytes, target),
        }
        (from, to) = (from + 64 * K, to + 8 * layout.width);
    }
    for values in src[from..].chunks(64 * K) {
        let Lines(bytes) = &mut Lines([0; 64]);
        Pack::<K>::narrow_up_to(simd, &mut narrow, layout, values, bytes);
        let count = values.len() / K;
        let length = (count * layout.width).div_ceil(8);
        let target = &mut dst[to..to + length];
        // Zeros follow the bytes. A whole block need not go through memory.
        match layout.width {
            8 => copy(target, &bytes[..count]),
            _ => Pack::<1>::pack_rest(simd, &mut pack, layout.of_bits(), bytes, target),
        }
        to += length;
    }
    Pack::<K>::all_fit(simd, &narrow)
}

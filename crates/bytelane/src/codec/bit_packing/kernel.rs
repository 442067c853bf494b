//! The algorithm, shared by all instruction sets: blocks of 64 bytes of values, which take `8 *
//! width / K` whole bytes when they are packed.
//!
//! A step reads a window of the packed bytes, or writes 64 of them, whatever the width is; the next
//! block begins with the byte after those that belong to the block. So the loop does not depend on
//! the width. Where the packed bytes end before the window does, the rest of them is copied to a
//! larger buffer first, or loaded with a mask.
#![forbid(unsafe_code)]

use super::layout::Layout;
use super::words::{pack_few, unpack_few};
use super::{Any, Case, Pack, Unpack, Usual, WINDOW};
use crate::memory::Slot;
use crate::simd::{window, window_mut};

/// Values of `K` bytes from their packed bytes.
#[inline(always)]
pub(super) fn unpack<const K: usize, S: Unpack<K>>(
    simd: S,
    layout: Layout,
    src: &[u8],
    dst: &mut [Slot],
) {
    if dst.len() < S::FEW * K {
        return unpack_few::<K>(layout, src, dst);
    }
    let plan = simd.unpack_plan(layout);
    let (from, to) = match simd.is_usual(&plan) {
        true => unpack_blocks::<K, S, Usual>(simd, &plan, layout, src, dst),
        false => unpack_blocks::<K, S, Any>(simd, &plan, layout, src, dst),
    };
    if to < dst.len() {
        simd.unpack_rest(&plan, layout, &src[from..], &mut dst[to..]);
    }
}

/// The blocks whose windows are within the packed bytes. Returns where they end on both sides.
#[inline(always)]
fn unpack_blocks<const K: usize, S: Unpack<K>, C: Case>(
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

/// The values after the last block whose window is within the packed bytes; or an incomplete block.
#[inline(always)]
pub(crate) fn unpack_rest<const K: usize, S: Unpack<K>>(
    simd: S,
    plan: &S::Plan,
    layout: Layout,
    src: &[u8],
    dst: &mut [Slot],
) {
    let stride = 8 * layout.width / K;
    let mut padded = [0; 2 * WINDOW];
    let there = usize::min(src.len(), WINDOW);
    padded[..there].copy_from_slice(&src[..there]);
    let (blocks, rest) = dst.as_chunks_mut::<64>();
    let mut from = 0;
    for block in blocks {
        simd.unpack::<Any>(plan, window(&padded, from), block);
        from += stride;
    }
    if rest.len() >= S::FEW * K {
        let mut block = [Slot::new(0); 64];
        simd.unpack::<Any>(plan, window(&padded, from), &mut block);
        rest.copy_from_slice(&block[..rest.len()]);
    } else {
        unpack_few::<K>(layout, &padded[from..], rest);
    }
}

/// Values of `K` bytes to their packed bytes. Returns whether all values fit.
#[inline(always)]
pub(crate) fn pack<const K: usize, S: Unpack<K> + Pack<K> + Pack<1>>(
    simd: S,
    layout: Layout,
    src: &[u8],
    dst: &mut [Slot],
) -> bool {
    if src.len() < <S as Unpack<K>>::FEW * K {
        pack_few::<K>(layout, src, dst)
    } else if K > 1 && layout.width <= 8 {
        pack_narrow::<K, S>(simd, layout, src, dst)
    } else {
        pack_wide::<K, S>(simd, layout, src, dst)
    }
}

/// Values of more than 8 bits, or of one byte.
#[inline(always)]
fn pack_wide<const K: usize, S: Pack<K>>(
    simd: S,
    layout: Layout,
    src: &[u8],
    dst: &mut [Slot],
) -> bool {
    let mut plan = simd.pack_plan(layout);
    let stride = 8 * layout.width / K;
    let (mut from, mut to) = (0, 0);
    while from + 64 <= src.len() && (!S::MASKS || to + 64 <= dst.len()) {
        pack_block(simd, &mut plan, stride, window(src, from), &mut dst[to..]);
        (from, to) = (from + 64, to + stride);
    }
    let rest_fits = simd.pack_rest(&mut plan, layout, &src[from..], &mut dst[to..]);
    simd.all_fit(&plan) && rest_fits
}

/// Packs a block to the front of a destination, which may have room for no more.
#[inline(always)]
fn pack_block<const K: usize, S: Pack<K>>(
    simd: S,
    plan: &mut S::Plan,
    stride: usize,
    from: &[u8; 64],
    dst: &mut [Slot],
) {
    let mut aside = [Slot::new(0); 64];
    let has_room = dst.len() >= 64;
    let to = match has_room {
        true => window_mut(dst, 0),
        false => &mut aside,
    };
    simd.pack(plan, from, to);
    if !has_room {
        dst[..stride].copy_from_slice(&aside[..stride]);
    }
}

/// Values of at most 8 bits become bytes first, 64 of them at a time: more than two of them may
/// share a byte, which only the steps for bytes can handle.
#[inline(always)]
fn pack_narrow<const K: usize, S: Pack<K> + Pack<1>>(
    simd: S,
    layout: Layout,
    src: &[u8],
    dst: &mut [Slot],
) -> bool {
    let bytes = Layout {
        reference: 0,
        zigzag: false,
        ..layout
    };
    let mut narrow = Pack::<K>::pack_plan(simd, layout);
    let mut pack = Pack::<1>::pack_plan(simd, bytes);
    let (stride, mut from, mut to) = (8 * layout.width, 0, 0);
    while from + 64 * K <= src.len() {
        let mut block = [0; 64];
        for (i, to) in block.chunks_exact_mut(64 / K).enumerate() {
            Pack::<K>::narrow(simd, &mut narrow, window(src, from + 64 * i), to);
        }
        pack_block::<1, S>(simd, &mut pack, stride, &block, &mut dst[to..]);
        (from, to) = (from + 64 * K, to + stride);
    }
    let rest_fits = pack_few::<K>(layout, &src[from..], &mut dst[to..]);
    Pack::<K>::all_fit(simd, &narrow) && rest_fits
}

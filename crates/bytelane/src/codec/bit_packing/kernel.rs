//! The algorithm, shared by all instruction sets: blocks of 64 bytes of values, which take `8 *
//! width / K` whole bytes when they are packed.
//!
//! A step reads a window of the packed bytes, or writes 64 of them, whatever the width is; the next
//! block begins with the byte after those that belong to the block. So the loop does not depend on
//! the width. Where the packed bytes end before the window does, the rest of them is copied to a
//! larger buffer first, or loaded with a mask.
#![forbid(unsafe_code)]

use super::layout::Layout;
use super::{Pack, Unpack, WINDOW};
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
    let plan = simd.unpack_plan(layout);
    let stride = 8 * layout.width / K;
    let (mut from, mut to) = (0, 0);
    while to + 64 <= dst.len() && from + WINDOW <= src.len() {
        simd.unpack(&plan, window(src, from), window_mut(dst, to));
        (from, to) = (from + stride, to + 64);
    }
    if to < dst.len() {
        simd.unpack_rest(&plan, stride, &src[from..], &mut dst[to..]);
    }
}

/// The values after the last block whose window is within the packed bytes; or an incomplete block.
#[inline(always)]
pub(crate) fn unpack_rest<const K: usize, S: Unpack<K>>(
    simd: S,
    plan: &S::Plan,
    stride: usize,
    src: &[u8],
    dst: &mut [Slot],
) {
    let mut padded = [0; 2 * WINDOW];
    let there = usize::min(src.len(), WINDOW);
    padded[..there].copy_from_slice(&src[..there]);
    let (blocks, rest) = dst.as_chunks_mut::<64>();
    let mut from = 0;
    for block in blocks {
        simd.unpack(plan, window(&padded, from), block);
        from += stride;
    }
    if !rest.is_empty() {
        let mut block = [Slot::new(0); 64];
        simd.unpack(plan, window(&padded, from), &mut block);
        rest.copy_from_slice(&block[..rest.len()]);
    }
}

/// Values of `K` bytes to their packed bytes. Returns whether all values fit.
#[inline(always)]
pub(super) fn pack<const K: usize, S: Pack<K> + Pack<1>>(
    simd: S,
    layout: Layout,
    src: &[u8],
    dst: &mut [Slot],
) -> bool {
    match K > 1 && layout.width <= 8 {
        true => pack_narrow::<K, S>(simd, layout, src, dst),
        false => pack_wide::<K, S>(simd, layout, src, dst),
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
    while from + 64 <= src.len() && to + 64 <= dst.len() {
        simd.pack(&mut plan, window(src, from), window_mut(dst, to));
        (from, to) = (from + 64, to + stride);
    }
    simd.pack_rest(&mut plan, layout, &src[from..], &mut dst[to..]);
    simd.all_fit(&plan)
}

/// The values after the last block for which the destination has 64 bytes; or an incomplete block.
#[inline(always)]
pub(super) fn pack_rest<const K: usize, S: Pack<K>>(
    simd: S,
    plan: &mut S::Plan,
    layout: Layout,
    src: &[u8],
    dst: &mut [Slot],
) {
    let stride = 8 * layout.width / K;
    let mut to = 0;
    for values in src.chunks(64) {
        // What is not a value is packed as zeros.
        let mut block = [0; 64];
        for value in block.as_chunks_mut::<K>().0 {
            *value = layout.from_bits(0);
        }
        block[..values.len()].copy_from_slice(values);
        let mut packed = [Slot::new(0); 64];
        simd.pack(plan, &block, &mut packed);
        let end = usize::min(to + stride, dst.len());
        dst[to..end].copy_from_slice(&packed[..end - to]);
        to = end;
    }
}

/// Values of at most 8 bits become bytes first, 64 of them at a time: more than two of them may
/// share a byte, which only the steps for bytes can handle.
#[inline(always)]
fn pack_narrow<const K: usize, S: Pack<1>>(
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
    let mut plan = simd.pack_plan(bytes);
    let (stride, mut to, mut seen) = (8 * layout.width, 0, 0);
    for values in src.as_chunks::<K>().0.chunks(64) {
        let mut block = [0; 64];
        match values.as_array::<64>() {
            Some(values) => seen |= narrow(layout, values, &mut block),
            None => seen |= narrow(layout, values, &mut block),
        }
        match dst.get_mut(to..to + 64) {
            Some(room) if values.len() == 64 => {
                simd.pack(&mut plan, &block, window_mut(room, 0));
            }
            _ => simd.pack_rest(&mut plan, bytes, &block[..values.len()], &mut dst[to..]),
        }
        to += stride;
    }
    seen & !layout.mask() == 0
}

/// The lower bytes of the bits of values. Returns which bits occur in any of them.
#[inline(always)]
fn narrow<const K: usize>(layout: Layout, values: &[[u8; K]], bytes: &mut [u8; 64]) -> u64 {
    let mut seen = 0;
    for i in 0..usize::min(values.len(), 64) {
        let bits = layout.to_bits(values[i]);
        bytes[i] = bits as u8;
        seen |= bits;
    }
    seen
}

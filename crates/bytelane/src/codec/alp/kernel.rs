//! Decoding, shared by all instruction sets: each block of 64 bytes of integers is unpacked and
//! multiplied in registers. Then exceptions are put in place.
#![forbid(unsafe_code)]

use super::page::{Page, Vector};
use super::{Conversion, Decimal, Error};
use super::{LargeWide, SmallUsual, SmallWide, Steps, scalar};
use crate::codec::bit_packing::WINDOW;
use crate::memory::Slot;
use crate::simd::window;

/// Decodes the values from number `start` on, as many as there is room for. Returns the offset after
/// the last vector that was read.
#[inline(always)]
pub(super) fn decode<const K: usize, S: Decimal<K>>(
    simd: S,
    src: &[u8],
    start: usize,
    mut dst: &mut [Slot],
) -> Result<usize, Error> {
    let page = Page::<K>::read(src)?;
    page.check(start, dst.len() / K)?;
    let (mut at, mut end) = (start, page.start());
    while dst.len() >= K {
        let vector = page.vector(at / page.vector_len())?;
        let first = at % page.vector_len();
        let count = usize::min(vector.count - first, dst.len() / K);
        let (these, rest) = dst.split_at_mut(K * count);
        decode_vector::<K, S>(simd, &vector, src, first, these);
        vector.patch::<K>(src, first, these)?;
        (at, end, dst) = (at + count, vector.end, rest);
    }
    Ok(end)
}

/// The values of a vector from number `first` on, without its exceptions.
#[inline(always)]
fn decode_vector<const K: usize, S: Decimal<K>>(
    simd: S,
    vector: &Vector,
    src: &[u8],
    first: usize,
    to: &mut [Slot],
) {
    // Blocks begin where a group of eight values does.
    let few = usize::min((8 - first % 8) % 8, to.len() / K);
    let (group, to) = to.split_at_mut(K * few);
    scalar::decode_vector::<K>(vector, src, first, group);
    let mut layout = vector.layout;
    let packed = &src[vector.packed + (first + few) / 8 * layout.width..];
    let is_small = is_small(layout.reference, layout.mask());
    if is_small {
        layout.reference = layout.reference.wrapping_add(S::BIAS);
    }
    let plan = simd.unpack_plan(layout);
    let powers = simd.powers(vector.pair.powers::<K>());
    let stride = 8 * layout.width / K;
    match (is_small || S::BIAS == 0, simd.is_usual(&plan)) {
        (true, true) => blocks::<K, S, SmallUsual>(simd, &plan, &powers, stride, packed, to),
        (true, false) if S::BIAS != 0 => {
            blocks::<K, S, SmallWide>(simd, &plan, &powers, stride, packed, to);
        }
        _ => blocks::<K, S, LargeWide>(simd, &plan, &powers, stride, packed, to),
    }
}

/// Whether all integers from `frame` to `frame + range` are within 51 bits and a sign.
#[inline(always)]
fn is_small(frame: u64, range: u64) -> bool {
    const LIMIT: i64 = 1 << 51;
    let frame = frame.cast_signed();
    range < LIMIT.cast_unsigned()
        && (-LIMIT..LIMIT).contains(&frame)
        && frame + range.cast_signed() < LIMIT
}

/// Values from the front of packed integers, which the input may go on after.
#[inline(always)]
fn blocks<const K: usize, S: Decimal<K>, C: Conversion>(
    simd: S,
    plan: &S::Plan,
    powers: &<S as Steps<K>>::Powers,
    stride: usize,
    src: &[u8],
    dst: &mut [Slot],
) {
    // As many as have their windows within the input.
    let last = src.len().checked_sub(WINDOW);
    let windows = last.map_or(0, |last| last / usize::max(stride, 1) + 1);
    let count = usize::min(dst.len() / 64, windows);
    let (mut from, to) = (0, 64 * count);
    for to in dst.as_chunks_mut::<64>().0[..count].iter_mut() {
        simd.floats::<C>(plan, powers, window(src, from), to);
        from += stride;
    }
    if to < dst.len() {
        let (src, dst) = (&src[from..], &mut dst[to..]);
        rest::<K, S, C>(simd, plan, powers, stride, src, dst);
    }
}

/// The values after the last block whose window is within the input; or an incomplete block.
#[inline(always)]
fn rest<const K: usize, S: Decimal<K>, C: Conversion>(
    simd: S,
    plan: &S::Plan,
    powers: &<S as Steps<K>>::Powers,
    stride: usize,
    src: &[u8],
    dst: &mut [Slot],
) {
    let mut padded = [0; 2 * WINDOW];
    let there = usize::min(src.len(), WINDOW);
    padded[..there].copy_from_slice(&src[..there]);
    let mut from = 0;
    for to in dst.chunks_mut(64) {
        let mut block = [Slot::new(0); 64];
        simd.floats::<C>(plan, powers, window(&padded, from), &mut block);
        to.copy_from_slice(&block[..to.len()]);
        from += stride;
    }
}

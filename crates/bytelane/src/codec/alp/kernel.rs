//! Decoding, shared by all instruction sets: each 64-byte block of integers is unpacked and
//! multiplied in registers. Exceptions are patched in afterwards.
//!
//! ```text
//! for each vector that has wanted values
//!     copy those of a vector that has only exceptions, in order; otherwise:
//!     up to 7 values one by one, to the start of a group of eight
//!     blocks whose windows of 80 bytes are within the input      one loop per kind of integers
//!     the other blocks, from a copy of the last bytes
//!     patch: the exceptions of the wanted values
//! ```
//!
//! The loop is chosen once per vector. *Small* integers have at most 51 bits and a sign: adding
//! [`MAGIC`](super::MAGIC) converts them to floats without a conversion instruction. *Near* ones
//! lie within 16 bytes for each 32 bytes of values, so that one load serves both lanes.
//!
//! [`Windows`] checks the last window once per vector: a check per block took 0.6 of 3 cycles. When
//! one function contained all loops, AVX2 reloaded its constants: 2.3 ns per block instead of 1.3.
//! See `docs/lab-notes/alp.md`, "Speed".
#![forbid(unsafe_code)]

use super::page::{Page, Vector};
use super::{Conversion, Decimal, Error};
use super::{LargeWide, SmallNear, SmallUsual, SmallWide, scalar};
use crate::codec::bit_packing::WINDOW;
use crate::memory::{self, Lines, Slot};
use crate::simd::{Windows, window};

/// Decodes the values from number `start` on, until the destination is full. Returns the offset
/// after the last vector read.
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
        let (number, first) = (at / page.vector_len(), at % page.vector_len());
        let vector = page.vector(number)?;
        let count = usize::min(vector.count - first, dst.len() / K);
        let (these, rest) = dst.split_at_mut(K * count);
        if let Some(values) = vector.plain::<K>(src) {
            memory::copy(these, &values[K * first..K * (first + count)]);
            (at, end, dst) = (at + count, vector.end, rest);
            continue;
        }
        // Blocks begin at groups of eight values.
        let few = usize::min(first.wrapping_neg() % 8, count);
        let (group, blocks) = these.split_at_mut(K * few);
        if few > 0 {
            scalar::decode_some::<K>(&page, number, first, group)?;
        }
        decode_vector::<K, S>(simd, &vector, src, first + few, blocks);
        vector.patch::<K>(src, first, these)?;
        (at, end, dst) = (at + count, vector.end, rest);
    }
    Ok(end)
}

/// Decodes the values of a vector from number `first` on, a multiple of eight, without its
/// exceptions.
#[inline(always)]
fn decode_vector<const K: usize, S: Decimal<K>>(
    simd: S,
    vector: &Vector,
    src: &[u8],
    first: usize,
    to: &mut [Slot],
) {
    let mut layout = vector.layout;
    let packed = &src[vector.packed + first / 8 * layout.width..];
    let is_small = is_small(layout.reference, layout.mask());
    if is_small {
        layout.reference = layout.reference.wrapping_add(S::BIAS);
    }
    let plan = simd.unpack_plan(layout);
    let powers = simd.numbers(vector.pair.powers::<K>().to_value);
    let stride = 8 * layout.width / K;
    let is_small = is_small || S::BIAS == 0;
    // If the input continues after the packed integers, most blocks have their windows there.
    let windows = Windows::new(packed, stride, to.len() / 64);
    let whole = to.as_chunks_mut().0;
    match (is_small, simd.is_usual(&plan)) {
        (true, true) if simd.is_near(&plan) => {
            simd.blocks::<SmallNear>(&plan, &powers, &windows, whole);
        }
        (true, true) => simd.blocks::<SmallUsual>(&plan, &powers, &windows, whole),
        (true, false) if S::BIAS != 0 => simd.blocks::<SmallWide>(&plan, &powers, &windows, whole),
        _ => simd.blocks::<LargeWide>(&plan, &powers, &windows, whole),
    }
    let (read, written) = (stride * windows.count(), 64 * windows.count());
    if written < to.len() {
        let (packed, to) = (&packed[read..], &mut to[written..]);
        if is_small && S::BIAS != 0 {
            simd.rest::<SmallWide>(&plan, &powers, stride, packed, to)
        } else {
            simd.rest::<LargeWide>(&plan, &powers, stride, packed, to)
        }
    }
}

/// Returns whether all integers from `frame` to `frame + range` are within 51 bits and a sign.
#[inline(always)]
fn is_small(frame: u64, range: u64) -> bool {
    const LIMIT: i64 = 1 << 51;
    let frame = frame.cast_signed();
    range < LIMIT.cast_unsigned()
        && (-LIMIT..LIMIT).contains(&frame)
        && frame + range.cast_signed() < LIMIT
}

/// Decodes a block of values from each window; there is room for all blocks.
#[inline(always)]
pub(super) fn blocks<const K: usize, S: Decimal<K>, C: Conversion>(
    simd: S,
    plan: &S::Plan,
    powers: &[S::Number; 2],
    windows: &Windows<'_, WINDOW>,
    to: &mut [[Slot; 64]],
) {
    let to = &mut to[..windows.count()];
    for (i, to) in to.iter_mut().enumerate() {
        simd.floats::<C>(plan, powers, windows.at(i), to);
    }
}

/// Decodes the values after the last block whose window is within the input, or an incomplete
/// block.
#[inline(always)]
pub(super) fn rest<const K: usize, S: Decimal<K>, C: Conversion>(
    simd: S,
    plan: &S::Plan,
    powers: &[S::Number; 2],
    stride: usize,
    src: &[u8],
    dst: &mut [Slot],
) {
    let Lines(padded) = &mut Lines([0; 2 * WINDOW]);
    let there = usize::min(src.len(), WINDOW);
    padded[..there].copy_from_slice(&src[..there]);
    let mut from = 0;
    for to in dst.chunks_mut(64) {
        let Lines(block) = &mut Lines([Slot::new(0); 64]);
        simd.floats::<C>(plan, powers, window(padded, from), block);
        to.copy_from_slice(&block[..to.len()]);
        from += stride;
    }
}

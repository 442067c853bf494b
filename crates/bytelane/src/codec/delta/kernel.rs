//! Decoding, shared by all instruction sets: each 64-byte block of differences is unpacked and
//! summed in registers.
//!
//! ```text
//! for each run of miniblocks of one width
//!     before the first wanted value: batches of 32 to a buffer, whose end is copied
//!     width 0: compute the sums of a block once, then only add the value before and store
//!     else: unpack a window, prefix sums in registers, add the value before, store
//!     the last blocks from a copy of the input, whose windows would reach past it
//! ```
//!
//! The sum before a block is broadcast to a register (`carry`), so that only one addition per block
//! waits for the block before. The reference of the layout is the smallest difference, which
//! unpacking adds. Runs and separate sums for width 0 raised the decoding speed from 3.5 to 4.7
//! times that of the crate `parquet` for `i64` timestamps, and from 2.0 to 4.3 times for constant
//! steps (AVX-512). See `docs/lab-notes/delta.md`.
#![forbid(unsafe_code)]

use super::blocks::{Header, Miniblocks};
use super::{Error, ErrorKind, Sums};
use crate::codec::bit_packing::{Case, Layout, Usual, WINDOW, Wide};
use crate::memory::{Lines, Slot, copy};
use crate::simd::{window, window_mut};

/// Number of differences to sum at a time where only some of the values are wanted. A batch takes a
/// whole number of bytes.
const BATCH: usize = 32;

/// Decodes the values from number `start` on, until the destination is full. Returns the offset
/// after the last miniblock read.
#[inline(always)]
pub(super) fn decode<const K: usize, S: Sums<K>>(
    simd: S,
    src: &[u8],
    mut start: usize,
    mut dst: &mut [Slot],
) -> Result<usize, Error> {
    let header = Header::read(src)?;
    let count = (start as u64).saturating_add((dst.len() / K) as u64);
    if count > header.values {
        let values = header.values;
        return Err(Error::nowhere(ErrorKind::Count { values }));
    }
    let mut miniblocks = Miniblocks::<K>::new(src, header);
    let mut carry = simd.carry(header.first);
    let Lines(aside) = &mut Lines([Slot::uninit(); 8 * BATCH]);
    match start.checked_sub(1) {
        Some(less) => start = less,
        None if dst.is_empty() => {}
        None => {
            let (first, rest) = dst.split_at_mut(K);
            copy(first, &header.first.to_le_bytes()[..K]);
            dst = rest;
        }
    }
    while !dst.is_empty() {
        let run = miniblocks.next((start as u64).saturating_add((dst.len() / K) as u64))?;
        let (layout, mut left) = (run.layout, run.count);
        let mut packed = &src[run.at..];
        while left > 0 && !dst.is_empty() {
            // Up to the first wanted value, batches are decoded to a separate buffer.
            let is_aside = start > 0;
            let count = if is_aside {
                usize::min(left, BATCH)
            } else {
                usize::min(left, dst.len() / K)
            };
            let to = if is_aside {
                &mut aside[..K * count]
            } else {
                &mut dst[..K * count]
            };
            carry = sum(simd, layout, packed, carry, to);
            let (skipped, mut written) = (usize::min(start, count), count);
            if is_aside {
                let wanted = &aside[K * skipped..K * count];
                let length = usize::min(wanted.len(), dst.len());
                dst[..length].copy_from_slice(&wanted[..length]);
                packed = &packed[BATCH / 8 * layout.width..];
                written = length / K;
            }
            dst = &mut dst[K * written..];
            (start, left) = (start - skipped, left - count);
        }
    }
    Ok(miniblocks.at())
}

/// Sums differences of one layout.
#[inline(always)]
fn sum<const K: usize, S: Sums<K>>(
    simd: S,
    layout: Layout,
    src: &[u8],
    carry: S::Carry,
    dst: &mut [Slot],
) -> S::Carry {
    if layout.width == 0 {
        return sum_equal::<K, S>(simd, layout.reference, carry, dst);
    }
    let plan = simd.unpack_plan(layout);
    if simd.is_usual(&plan) {
        sum_blocks::<K, S, Usual>(simd, &plan, layout, src, carry, dst)
    } else {
        sum_blocks::<K, S, Wide>(simd, &plan, layout, src, carry, dst)
    }
}

/// Sums differences of width 0, which are all the same: so are the sums of all blocks, and no plan is
/// needed.
#[inline(always)]
fn sum_equal<const K: usize, S: Sums<K>>(
    simd: S,
    difference: u64,
    mut carry: S::Carry,
    dst: &mut [Slot],
) -> S::Carry {
    let sums = simd.equal_sums(difference);
    let (blocks, rest) = dst.as_chunks_mut();
    for to in blocks {
        carry = simd.put(sums, carry, to);
    }
    if rest.is_empty() {
        return carry;
    }
    simd.put_up_to(sums, carry, rest)
}

#[inline(always)]
fn sum_blocks<const K: usize, S: Sums<K>, C: Case>(
    simd: S,
    plan: &S::Plan,
    layout: Layout,
    src: &[u8],
    mut carry: S::Carry,
    dst: &mut [Slot],
) -> S::Carry {
    let stride = 8 * layout.width / K;
    let (mut from, mut to) = (0, 0);
    while to + 64 <= dst.len() && from + WINDOW <= src.len() {
        let window = window(src, from);
        let sums = simd.sums::<C>(plan, window);
        carry = simd.put(sums, carry, window_mut(dst, to));
        (from, to) = (from + stride, to + 64);
    }
    if to < dst.len() {
        let (src, dst) = (&src[from..], &mut dst[to..]);
        carry = simd.sum_rest(plan, stride, src, carry, dst);
    }
    carry
}

/// Sums the differences after the last block whose window is within the input, or an incomplete
/// block.
#[inline(always)]
pub(super) fn sum_rest<const K: usize, S: Sums<K>>(
    simd: S,
    plan: &S::Plan,
    stride: usize,
    src: &[u8],
    mut carry: S::Carry,
    dst: &mut [Slot],
) -> S::Carry {
    let Lines(padded) = &mut Lines([0; 2 * WINDOW]);
    let there = usize::min(src.len(), WINDOW);
    padded[..there].copy_from_slice(&src[..there]);
    let mut from = 0;
    for to in dst.chunks_mut(64) {
        let sums = simd.sums::<Wide>(plan, window(padded, from));
        carry = simd.put_up_to(sums, carry, to);
        from += stride;
    }
    carry
}

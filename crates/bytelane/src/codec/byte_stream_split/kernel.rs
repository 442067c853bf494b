//! The algorithm, shared by all instruction sets: runs of blocks of 64 values.
//!
//! ```text
//! values   |- 20 -|----- 64 -----|----- 64 -----|--- 37 ---|
//! blocks   |------ first -----|
//!                                          |----- last ----|
//!                 |-- third -----|--- fourth ---|
//! ```
//!
//! The blocks between the first and the last begin at a cache line of the destination; up to 128
//! values need none. Where two blocks overlap, values are handled twice, with the same result; the
//! blocks in the middle come last, since they may be streamed past the cache.
//!
//! Each instruction set implements [`Planes`], which converts between a block of values and K
//! *planes*, the slices of the K streams. Fewer than 64 values are handled in blocks of 16, the
//! last one overlapping, and fewer than 16 as two overlapping halves of one block.
//!
//! # Policy
//!
//! A block of 64 values fills a cache line of each stream, so stores are whole lines. Tails do not
//! use masks: redoing values costs less. Destinations beyond the first-level cache go through
//! [`driver`](super::driver), which chooses another kind of store for the blocks in the middle.
//!
//! # Invariants
//!
//! - The first, the last and the middle blocks cover all values, and the planes all streams.
//! - All slices of a run have the same number of blocks, so that bounds checks are hoisted out of
//!   the loop.
//!
//! # Measurements
//!
//! Masks for up to 63 values were slower than blocks of 16: 19 ns instead of 10 for 8 values of 8
//! bytes. A single loop for all three kinds of blocks took up to 2.2 times as long for 30 values; 16
//! streams have one, without which their code was not inlined: splitting 100 takes 0.6 to 0.8 of the time.
//! See `docs/lab-notes/byte-stream-split.md`.
#![forbid(unsafe_code)]

use super::Planes;
use crate::memory::{Lines, Slot, array, empty_slices, write, write_arrays};
use crate::simd::{Near, Writes, window, window_mut};

/// Splits values of `K` bytes into their streams, in a destination that is in the first-level
/// cache.
#[inline(always)]
pub(super) fn split<const K: usize>(
    simd: impl Planes<K>,
    src: &[u8],
    dst: &mut [Slot],
    stride: usize,
) {
    let (values, _) = src.as_chunks::<K>();
    let Some(last) = values.len().checked_sub(64) else {
        return split_short(simd, values, &mut planes_of(dst, stride, values.len()));
    };
    let head = to_line(dst);
    let mut planes = planes_of(dst, stride, values.len());
    if K == 16 {
        let (start, blocks) = between(head, last);
        // The code for a block is large: the compiler copies it here only if it occurs once.
        for at in starts(last, start, blocks) {
            split_run::<K, _, Near>(simd, values, &mut planes, at, 1);
        }
        return;
    }
    for start in [0, last] {
        split_run::<K, _, Near>(simd, values, &mut planes, start, 1);
    }
    if last <= 64 {
        return;
    }
    let (start, blocks) = between(head, last);
    split_run::<K, _, Near>(simd, values, &mut planes, start, blocks);
}

/// Splits whole blocks of values into their streams.
#[inline(always)]
pub(super) fn split_blocks<const K: usize, S: Planes<K>, W: Writes>(
    simd: S,
    src: &[u8],
    dst: &mut [Slot],
    stride: usize,
) {
    let (values, _) = src.as_chunks::<K>();
    let mut planes = planes_of(dst, stride, values.len());
    split_run::<K, S, W>(simd, values, &mut planes, 0, values.len() / 64);
}

/// Joins values from their streams: the reverse of [`split`].
#[inline(always)]
pub(super) fn join<const K: usize>(
    simd: impl Planes<K>,
    src: &[u8],
    stride: usize,
    dst: &mut [Slot],
) {
    let (values, _) = dst.as_chunks_mut::<K>();
    let planes = array(|k| &src[k * stride..][..values.len()]);
    let Some(last) = values.len().checked_sub(64) else {
        return join_short(simd, &planes, values);
    };
    if K == 16 {
        let (start, blocks) = between(values_to_line(values), last);
        for at in starts(last, start, blocks) {
            join_run::<K, _, Near>(simd, &planes, values, at, 1);
        }
        return;
    }
    for start in [0, last] {
        join_run::<K, _, Near>(simd, &planes, values, start, 1);
    }
    if last <= 64 {
        return;
    }
    let (start, blocks) = between(values_to_line(values), last);
    join_run::<K, _, Near>(simd, &planes, values, start, blocks);
}

/// Joins whole blocks of values from their streams: the reverse of [`split_blocks`].
#[inline(always)]
pub(super) fn join_blocks<const K: usize, S: Planes<K>, W: Writes>(
    simd: S,
    src: &[u8],
    stride: usize,
    dst: &mut [Slot],
) {
    let (values, _) = dst.as_chunks_mut::<K>();
    let planes = array(|k| &src[k * stride..][..values.len()]);
    join_run::<K, S, W>(simd, &planes, values, 0, values.len() / 64);
}

/// Returns the start and the number of the blocks between the first 64 values and those from `last` on.
/// A cache line begins with value `head`.
#[inline(always)]
fn between(head: usize, last: usize) -> (usize, usize) {
    // If a line begins with value 0, the next one begins where the first block ends.
    let start = if head == 0 { 64 } else { head };
    match last {
        // The first block and the last one meet or overlap.
        ..=64 => (start, 0),
        // The compiler sees that there is one at least, and checks no bounds in the loop over them.
        _ => (start, (last - start - 1) / 64 + 1),
    }
}

/// Returns the starts of all blocks: the first, the last, and those in between.
#[inline(always)]
fn starts(last: usize, start: usize, blocks: usize) -> impl Iterator<Item = usize> {
    (0..blocks + 1 + usize::from(last > 0)).map(move |i| match i {
        0 => 0,
        1 => last,
        _ => start + 64 * (i - 2),
    })
}

/// Returns the number of bytes up to a cache line.
#[inline(always)]
pub(super) fn to_line<T>(from: &[T]) -> usize {
    from.as_ptr().addr().wrapping_neg() % 64
}

/// Returns the number of values up to a cache line; 0 if no value begins there.
#[inline(always)]
pub(super) fn values_to_line<const K: usize>(values: &[[Slot; K]]) -> usize {
    match to_line(values) {
        bytes if bytes.is_multiple_of(K) => bytes / K,
        _ => 0,
    }
}

/// Splits a run of blocks.
#[inline(always)]
fn split_run<const K: usize, S: Planes<K>, W: Writes>(
    simd: S,
    values: &[[u8; K]],
    planes: &mut [&mut [Slot]; K],
    start: usize,
    blocks: usize,
) {
    let values = &values[start..].as_chunks().0[..blocks];
    let mut run = empty_slices::<[Slot; 64], K>();
    for (k, plane) in planes.iter_mut().enumerate() {
        run[k] = &mut plane[start..].as_chunks_mut().0[..blocks];
    }
    for (at, block) in values.iter().enumerate() {
        simd.split::<W>(block, &mut run, at);
    }
}

/// Joins a run of blocks: the reverse of [`split_run`].
#[inline(always)]
fn join_run<const K: usize, S: Planes<K>, W: Writes>(
    simd: S,
    planes: &[&[u8]; K],
    values: &mut [[Slot; K]],
    start: usize,
    blocks: usize,
) {
    let values = &mut values[start..].as_chunks_mut().0[..blocks];
    let mut run = [&[] as &[[u8; 64]]; K];
    for k in 0..K {
        run[k] = &planes[k][start..].as_chunks().0[..blocks];
    }
    for at in 0..blocks {
        simd.join::<W>(&run, at, &mut values[at]);
    }
}

/// Returns the first `count` bytes of K streams that begin `stride` bytes apart.
#[inline(always)]
fn planes_of<const K: usize>(
    streams: &mut [Slot],
    stride: usize,
    count: usize,
) -> [&mut [Slot]; K] {
    let mut planes = empty_slices();
    let mut rest = streams;
    for k in 0..K {
        let (stream, after) = match k {
            _ if k == K - 1 => (rest, Default::default()),
            _ => rest.split_at_mut(stride),
        };
        planes[k] = &mut stream[..count];
        rest = after;
    }
    planes
}

/// Splits fewer than 64 values.
#[inline(always)]
fn split_short<const K: usize>(
    simd: impl Planes<K>,
    values: &[[u8; K]],
    planes: &mut [&mut [Slot]; K],
) {
    match values.len() {
        16.. => {
            let last = values.len() - 16;
            let mut at = 0;
            loop {
                let streams = simd.split16(window(values, at));
                for k in 0..K {
                    write(window_mut(planes[k], at), streams[k]);
                }
                if at == last {
                    return;
                }
                at = usize::min(at + 16, last);
            }
        }
        8.. => split_halves::<K, 8>(simd, values, planes),
        4.. => split_halves::<K, 4>(simd, values, planes),
        _ => {
            for (i, value) in values.iter().enumerate() {
                for k in 0..K {
                    planes[k][i].write(value[k]);
                }
            }
        }
    }
}

/// Splits `H` to `2 H` values: the first `H` and the last `H` of them make one block of at most 16.
#[inline(always)]
fn split_halves<const K: usize, const H: usize>(
    simd: impl Planes<K>,
    values: &[[u8; K]],
    planes: &mut [&mut [Slot]; K],
) {
    let last = values.len() - H;
    let Lines(block) = &mut Lines([[0; K]; 16]);
    *window_mut::<H, _>(block, 0) = *window(values, 0);
    *window_mut::<H, _>(block, H) = *window(values, last);
    let streams = simd.split16(block);
    for k in 0..K {
        write::<H>(window_mut(planes[k], 0), *window(&streams[k], 0));
        write::<H>(window_mut(planes[k], last), *window(&streams[k], H));
    }
}

/// Joins fewer than 64 values.
#[inline(always)]
fn join_short<const K: usize>(simd: impl Planes<K>, planes: &[&[u8]; K], values: &mut [[Slot; K]]) {
    match values.len() {
        16.. => {
            let last = values.len() - 16;
            let mut at = 0;
            loop {
                let Lines(streams) = &mut Lines([[0; 16]; K]);
                for k in 0..K {
                    streams[k] = *window(planes[k], at);
                }
                put::<K, 16>(values, at, &simd.join16(streams));
                if at == last {
                    return;
                }
                at = usize::min(at + 16, last);
            }
        }
        8.. => join_halves::<K, 8>(simd, planes, values),
        4.. => join_halves::<K, 4>(simd, planes, values),
        _ => {
            for (i, value) in values.iter_mut().enumerate() {
                for k in 0..K {
                    value[k].write(planes[k][i]);
                }
            }
        }
    }
}

/// Stores `N` values from number `at` on.
#[inline(always)]
fn put<const K: usize, const N: usize>(values: &mut [[Slot; K]], at: usize, from: &[[u8; K]; N]) {
    write_arrays(window_mut(values, at), from);
}

/// Joins `H` to `2 H` values: the reverse of [`split_halves`].
#[inline(always)]
fn join_halves<const K: usize, const H: usize>(
    simd: impl Planes<K>,
    planes: &[&[u8]; K],
    values: &mut [[Slot; K]],
) {
    let last = values.len() - H;
    let Lines(streams) = &mut Lines([[0; 16]; K]);
    for k in 0..K {
        *window_mut::<H, _>(&mut streams[k], 0) = *window(planes[k], 0);
        *window_mut::<H, _>(&mut streams[k], H) = *window(planes[k], last);
    }
    let block = simd.join16(streams);
    put::<K, H>(values, 0, window(&block, 0));
    put::<K, H>(values, last, window(&block, H));
}

//! The algorithm, shared by all instruction sets: runs of blocks of 64 values.
//!
//! ```text
//! values   |- 20 -|----- 64 -----|----- 64 -----|--- 37 ---|
//! blocks   |------ first -----|
//!                                          |----- last ----|
//!                 |-- third -----|--- fourth ---|
//! ```
//!
//! The blocks between the first and the last begin where the destination meets a cache line. Where
//! two blocks overlap, values are handled twice, with the same result; the blocks in the middle
//! come last, since they may be streamed past the cache.
//!
//! Each instruction set implements [`Planes`]: a block of values against K *planes*, the slices of
//! the K streams. Fewer than 64 values are handled in blocks of 16, the last one overlapping, and
//! fewer than 16 as two overlapping halves of one block.
#![forbid(unsafe_code)]

use super::Planes;
use crate::memory::{Slot, copy, flat, flat_mut, write};
use crate::simd::{Near, Writes, window, window_mut};
use core::ops::Range;

/// Values of `K` bytes to their streams.
#[inline(always)]
pub(super) fn encode<const K: usize, S: Planes<K>, W: Writes>(
    simd: S,
    src: &[u8],
    dst: &mut [Slot],
) {
    let (values, _) = src.as_chunks::<K>();
    let mut planes = planes_of(dst, values.len(), 0..values.len());
    split::<K, S, W>(simd, values, &mut planes);
}

/// The values of a range back from their streams.
#[inline(always)]
pub(super) fn decode<const K: usize, S: Planes<K>, W: Writes>(
    simd: S,
    src: &[u8],
    range: Range<usize>,
    dst: &mut [Slot],
) {
    let stride = src.len() / K;
    let (values, _) = dst.as_chunks_mut::<K>();
    let mut planes = [&[] as &[u8]; K];
    for k in 0..K {
        planes[k] = &src[k * stride + range.start..][..values.len()];
    }
    join::<K, S, W>(simd, &planes, values);
}

/// Values to their planes, of the same total length.
#[inline(always)]
fn split<const K: usize, S: Planes<K>, W: Writes>(
    simd: S,
    values: &[[u8; K]],
    planes: &mut [&mut [Slot]; K],
) {
    let Some(last) = values.len().checked_sub(64) else {
        return split_short(simd, values, planes);
    };
    let head = planes[0].as_ptr().addr().wrapping_neg() % 64;
    for start in [0, last] {
        split_run::<K, S, Near>(simd, values, planes, start, 1);
    }
    split_run::<K, S, W>(simd, values, planes, head, (values.len() - head) / 64);
}

/// A run of blocks.
#[inline(always)]
fn split_run<const K: usize, S: Planes<K>, W: Writes>(
    simd: S,
    values: &[[u8; K]],
    planes: &mut [&mut [Slot]; K],
    start: usize,
    blocks: usize,
) {
    let values = &values[start..].as_chunks().0[..blocks];
    let mut run = empty::<K, [Slot; 64]>();
    for (k, plane) in planes.iter_mut().enumerate() {
        run[k] = &mut plane[start..].as_chunks_mut().0[..blocks];
    }
    for at in 0..blocks {
        simd.split::<W>(&values[at], &mut run, at);
    }
}

/// Values from their planes, of the same total length.
#[inline(always)]
fn join<const K: usize, S: Planes<K>, W: Writes>(
    simd: S,
    planes: &[&[u8]; K],
    values: &mut [[Slot; K]],
) {
    let Some(last) = values.len().checked_sub(64) else {
        return join_short(simd, planes, values);
    };
    let to_line = values.as_ptr().addr().wrapping_neg() % 64;
    let head = if to_line.is_multiple_of(K) {
        to_line / K
    } else {
        0
    };
    for start in [0, last] {
        join_run::<K, S, Near>(simd, planes, values, start, 1);
    }
    let blocks = (values.len() - head) / 64;
    join_run::<K, S, W>(simd, planes, values, head, blocks);
}

/// As [`split_run`].
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

/// A range of each of the first K streams of `count` bytes.
#[inline(always)]
fn planes_of<const K: usize>(
    streams: &mut [Slot],
    count: usize,
    range: Range<usize>,
) -> [&mut [Slot]; K] {
    let mut planes = empty();
    let mut rest = streams;
    for plane in &mut planes {
        let (stream, after) = rest.split_at_mut(count);
        *plane = &mut stream[range.clone()];
        rest = after;
    }
    planes
}

/// Empty slices, to be replaced.
#[inline(always)]
fn empty<'a, const K: usize, T>() -> [&'a mut [T]; K] {
    core::array::from_fn(|_| Default::default())
}

/// Fewer than 64 values.
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

/// `H` to `2 H` values: the first `H` and the last `H` of them make one block of at most 16.
#[inline(always)]
fn split_halves<const K: usize, const H: usize>(
    simd: impl Planes<K>,
    values: &[[u8; K]],
    planes: &mut [&mut [Slot]; K],
) {
    let last = values.len() - H;
    let mut block = [[0; K]; 16];
    *window_mut::<H, _>(&mut block, 0) = *window(values, 0);
    *window_mut::<H, _>(&mut block, H) = *window(values, last);
    let streams = simd.split16(&block);
    for k in 0..K {
        write::<H>(window_mut(planes[k], 0), *window(&streams[k], 0));
        write::<H>(window_mut(planes[k], last), *window(&streams[k], H));
    }
}

/// Fewer than 64 values.
#[inline(always)]
fn join_short<const K: usize>(simd: impl Planes<K>, planes: &[&[u8]; K], values: &mut [[Slot; K]]) {
    match values.len() {
        16.. => {
            let last = values.len() - 16;
            let mut at = 0;
            loop {
                let mut streams = [[0; 16]; K];
                for k in 0..K {
                    streams[k] = *window(planes[k], at);
                }
                put::<K, 16>(values, at, &simd.join16(&streams));
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

/// `N` values from number `at` on.
#[inline(always)]
fn put<const K: usize, const N: usize>(values: &mut [[Slot; K]], at: usize, from: &[[u8; K]; N]) {
    copy(flat_mut(window_mut::<N, _>(values, at)), flat(from));
}

/// As [`split_halves`].
#[inline(always)]
fn join_halves<const K: usize, const H: usize>(
    simd: impl Planes<K>,
    planes: &[&[u8]; K],
    values: &mut [[Slot; K]],
) {
    let last = values.len() - H;
    let mut streams = [[0; 16]; K];
    for k in 0..K {
        *window_mut::<H, _>(&mut streams[k], 0) = *window(planes[k], 0);
        *window_mut::<H, _>(&mut streams[k], H) = *window(planes[k], last);
    }
    let block = simd.join16(&streams);
    put::<K, H>(values, 0, window(&block, 0));
    put::<K, H>(values, last, window(&block, H));
}

/// Values of any width from `G` up: `G` bytes of each of a batch of values are gathered and split
/// like values of width `G`. The last group of bytes overlaps the previous one.
#[inline(always)]
pub(super) fn encode_any<const G: usize, S: Planes<G>>(
    simd: S,
    src: &[u8],
    width: usize,
    dst: &mut [Slot],
) {
    let count = src.len() / width;
    let mut gathered = [[0; G]; BATCH];
    for range in batches(count) {
        let batch = &src[range.start * width..range.end * width];
        let gathered = &mut gathered[..range.len()];
        for byte in groups(width, G) {
            for (value, to) in batch.chunks_exact(width).zip(&mut *gathered) {
                *to = *window(value, byte);
            }
            let mut planes = planes_of(&mut dst[byte * count..], count, range.clone());
            split::<G, S, Near>(simd, gathered, &mut planes);
        }
    }
}

/// As [`encode_any`].
#[inline(always)]
pub(super) fn decode_any<const G: usize, S: Planes<G>>(
    simd: S,
    src: &[u8],
    width: usize,
    range: Range<usize>,
    dst: &mut [Slot],
) {
    let stride = src.len() / width;
    let streams = &src[range.start..];
    let mut joined = [[Slot::new(0); G]; BATCH];
    for range in batches(dst.len() / width) {
        let batch = &mut dst[range.start * width..range.end * width];
        let joined = &mut joined[..range.len()];
        for byte in groups(width, G) {
            let mut planes = [&[] as &[u8]; G];
            for k in 0..G {
                planes[k] = &streams[(byte + k) * stride..][range.clone()];
            }
            join::<G, S, Near>(simd, &planes, joined);
            for (value, from) in batch.chunks_exact_mut(width).zip(&*joined) {
                *window_mut(value, byte) = *from;
            }
        }
    }
}

/// The number of values that are gathered before they are split: enough that the first ones have
/// reached the cache when they are loaded again, in vectors wider than they were stored.
const BATCH: usize = 256;

/// Ranges that cover `count` values: [`BATCH`] each unless there are fewer in all, the last one
/// overlapping.
#[inline(always)]
fn batches(count: usize) -> impl Iterator<Item = Range<usize>> {
    let size = usize::min(count, BATCH);
    let starts = (0..count).step_by(BATCH);
    starts.map(move |start| {
        let start = usize::min(start, count - size);
        start..start + size
    })
}

/// The first bytes of groups of `size` bytes that cover all bytes of a value, the last overlapping.
#[inline(always)]
fn groups(width: usize, size: usize) -> impl Iterator<Item = usize> {
    let starts = (0..width).step_by(size);
    starts.map(move |byte| usize::min(byte, width - size))
}

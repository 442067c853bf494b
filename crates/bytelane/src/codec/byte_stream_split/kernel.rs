//! The algorithm, once for all instruction sets: runs of blocks of 64 values.
//!
//! ```text
//! values   |- 20 -|----- 64 -----|----- 64 -----|--- 37 ---|
//! blocks   |------ first -----|
//!                 |-- second ----|--- third ----|
//!                                          |----- last ----|
//! ```
//!
//! The blocks between the first and the last begin where the destination meets a line of the cache.
//! What two blocks overlap in is done twice, with the same result.
//!
//! What instruction sets differ in is [`Planes`]: a block of values against K *planes*, the
//! slices of the K streams. Fewer than 64 values go in blocks of 16, the last one overlapping,
//! and fewer than 16 as two overlapping halves of one.
#![forbid(unsafe_code)]

use super::Planes;
use crate::Error;
use crate::simd::{Near, Writes, window, window_mut};
use core::ops::Range;

/// Values of `K` bytes to their streams.
#[inline(always)]
pub(super) fn encode<const K: usize, S: Planes<K>, W: Writes>(
    simd: S,
    src: &[u8],
    dst: &mut [u8],
) -> Result<(), Error> {
    let (values, _) = src.as_chunks::<K>();
    split::<K, S, W>(simd, values, dst);
    Ok(())
}

/// Values to the streams that are the first `K * values.len()` bytes of `dst`.
#[inline(always)]
fn split<const K: usize, S: Planes<K>, W: Writes>(simd: S, values: &[[u8; K]], dst: &mut [u8]) {
    let count = values.len();
    let to_line = dst.as_ptr().addr().wrapping_neg() % 64;
    let mut planes = empty::<K, u8>();
    let mut rest = dst;
    for plane in &mut planes {
        (*plane, rest) = rest.split_at_mut(count);
    }
    if count < 64 {
        simd.split_short(values, &mut planes);
        return;
    }
    for (start, blocks) in runs(count, to_line) {
        let values = &values[start..].as_chunks().0[..blocks];
        let mut run = empty::<K, [u8; 64]>();
        for (k, plane) in planes.iter_mut().enumerate() {
            run[k] = &mut plane[start..].as_chunks_mut().0[..blocks];
        }
        for at in 0..blocks {
            simd.split::<W>(&values[at], &mut run, at);
        }
    }
}

/// The values of a range back from their streams.
#[inline(always)]
pub(super) fn decode<const K: usize, S: Planes<K>, W: Writes>(
    simd: S,
    src: &[u8],
    range: Range<usize>,
    dst: &mut [u8],
) -> Result<(), Error> {
    let stride = src.len() / K;
    let (values, _) = dst.as_chunks_mut::<K>();
    let count = values.len();
    let mut planes = [&[] as &[u8]; K];
    for k in 0..K {
        planes[k] = &src[k * stride + range.start..][..count];
    }
    if count < 64 {
        simd.join_short(&planes, values);
        return Ok(());
    }
    let to_line = values.as_ptr().addr().wrapping_neg() % 64;
    let head = if to_line.is_multiple_of(K) {
        to_line / K
    } else {
        0
    };
    for (start, blocks) in runs(count, head) {
        let values = &mut values[start..].as_chunks_mut().0[..blocks];
        let mut run = [&[] as &[[u8; 64]]; K];
        for k in 0..K {
            run[k] = &planes[k][start..].as_chunks().0[..blocks];
        }
        for at in 0..blocks {
            simd.join::<W>(&run, at, &mut values[at]);
        }
    }
    Ok(())
}

/// Slices to be replaced.
#[inline(always)]
fn empty<'a, const K: usize, T>() -> [&'a mut [T]; K] {
    core::array::from_fn(|_| Default::default())
}

/// Runs of blocks that together cover `count` values, at least 64: the first value and the number
/// of blocks of each. The second run begins at `head`, which is less than 64.
#[inline(always)]
fn runs(count: usize, head: usize) -> [(usize, usize); 3] {
    let blocks = (count - head) / 64;
    let end = head + 64 * blocks;
    let first = usize::from(head > 0);
    let last = usize::from(end < count);
    [(0, first), (head, blocks), (count - 64, last)]
}

/// Fewer than 64 values.
#[inline(always)]
pub(super) fn split_short<const K: usize>(
    simd: impl Planes<K>,
    values: &[[u8; K]],
    planes: &mut [&mut [u8]; K],
) {
    match values.len() {
        16.. => {
            let last = values.len() - 16;
            let mut at = 0;
            loop {
                let streams = simd.split16(window(values, at));
                for k in 0..K {
                    *window_mut(planes[k], at) = streams[k];
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
                    planes[k][i] = value[k];
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
    planes: &mut [&mut [u8]; K],
) {
    let last = values.len() - H;
    let mut block = [[0; K]; 16];
    block[..H].copy_from_slice(window::<H, _>(values, 0));
    block[H..2 * H].copy_from_slice(window::<H, _>(values, last));
    let streams = simd.split16(&block);
    for k in 0..K {
        planes[k][..H].copy_from_slice(&streams[k][..H]);
        planes[k][last..].copy_from_slice(&streams[k][H..2 * H]);
    }
}

/// Fewer than 64 values.
#[inline(always)]
pub(super) fn join_short<const K: usize>(
    simd: impl Planes<K>,
    planes: &[&[u8]; K],
    values: &mut [[u8; K]],
) {
    match values.len() {
        16.. => {
            let last = values.len() - 16;
            let mut at = 0;
            loop {
                let mut streams = [[0; 16]; K];
                for k in 0..K {
                    streams[k] = *window(planes[k], at);
                }
                *window_mut(values, at) = simd.join16(&streams);
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
                    value[k] = planes[k][i];
                }
            }
        }
    }
}

/// As [`split_halves`].
#[inline(always)]
fn join_halves<const K: usize, const H: usize>(
    simd: impl Planes<K>,
    planes: &[&[u8]; K],
    values: &mut [[u8; K]],
) {
    let last = values.len() - H;
    let mut streams = [[0; 16]; K];
    for k in 0..K {
        streams[k][..H].copy_from_slice(window::<H, _>(planes[k], 0));
        streams[k][H..2 * H].copy_from_slice(window::<H, _>(planes[k], last));
    }
    let block = simd.join16(&streams);
    values[..H].copy_from_slice(&block[..H]);
    values[last..].copy_from_slice(&block[H..2 * H]);
}

/// Values of any width from `G` up: `G` bytes of each of 64 values at a time are gathered and split
/// like values of width `G`. The last group of bytes overlaps the one before.
#[inline(always)]
pub(super) fn encode_any<const G: usize, S: Planes<G>>(
    simd: S,
    src: &[u8],
    width: usize,
    dst: &mut [u8],
) -> Result<(), Error> {
    let count = src.len() / width;
    for (start, values) in blocks(count) {
        let block = &src[start * width..][..values * width];
        for byte in groups(width, G) {
            let mut gathered = [[0; G]; 64];
            for (value, to) in block.chunks_exact(width).zip(&mut gathered) {
                *to = *window(value, byte);
            }
            let mut planes = empty::<G, u8>();
            for (k, stream) in dst[byte * count..]
                .chunks_exact_mut(count)
                .take(G)
                .enumerate()
            {
                planes[k] = &mut stream[start..][..values];
            }
            if values < 64 {
                simd.split_short(&gathered[..values], &mut planes);
                continue;
            }
            let mut run = empty::<G, [u8; 64]>();
            for (k, plane) in planes.into_iter().enumerate() {
                run[k] = plane.as_chunks_mut().0;
            }
            simd.split::<Near>(&gathered, &mut run, 0);
        }
    }
    Ok(())
}

/// As [`encode_any`].
#[inline(always)]
pub(super) fn decode_any<const G: usize, S: Planes<G>>(
    simd: S,
    src: &[u8],
    width: usize,
    range: Range<usize>,
    dst: &mut [u8],
) -> Result<(), Error> {
    let stride = src.len() / width;
    for (start, values) in blocks(dst.len() / width) {
        let block = &mut dst[start * width..][..values * width];
        for byte in groups(width, G) {
            let mut planes = [&[] as &[u8]; G];
            for k in 0..G {
                planes[k] = &src[(byte + k) * stride + range.start + start..][..values];
            }
            let mut joined = [[0; G]; 64];
            if values < 64 {
                simd.join_short(&planes, &mut joined[..values]);
            } else {
                let run = planes.map(|plane| plane.as_chunks().0);
                simd.join::<Near>(&run, 0, &mut joined);
            }
            for (value, from) in block.chunks_exact_mut(width).zip(&joined) {
                *window_mut(value, byte) = *from;
            }
        }
    }
    Ok(())
}

/// The first value and the number of values of blocks that cover all: 64 a block unless there are
/// fewer at all, the last block overlapping.
#[inline(always)]
fn blocks(count: usize) -> impl Iterator<Item = (usize, usize)> {
    let values = usize::min(count, 64);
    let starts = (0..count).step_by(64);
    starts.map(move |start| (usize::min(start, count - values), values))
}

/// The first bytes of groups of `size` bytes that cover all bytes of a value, the last overlapping.
#[inline(always)]
fn groups(width: usize, size: usize) -> impl Iterator<Item = usize> {
    (0..width)
        .step_by(size)
        .map(move |byte| usize::min(byte, width - size))
}

//! The algorithm, once for all instruction sets: blocks of 64 values, the last one overlapping.
//!
//! ```text
//! values   |----- 64 -----|----- 64 -----|--- 37 ---|
//! blocks   |------ 1 -----|------ 2 -----|
//!                                   |------ 3 ------|   27 values twice, with the same result
//! ```
//!
//! What instruction sets differ in is [`Planes`]: a block of values against K *planes*, the
//! slices of the K streams. Fewer than 64 values go in blocks of 16 in the same way, and fewer
//! than 16 as two overlapping halves of one.
#![forbid(unsafe_code)]

use super::Planes;
use crate::Error;
use crate::simd::{Near, Writes, window, window_mut, with_writes};
use core::ops::Range;

/// Values of `K` bytes to their streams.
#[inline(always)]
pub(super) fn encode<const K: usize, S: Planes<K>>(
    simd: S,
    src: &[u8],
    dst: &mut [u8],
    stream: bool,
) -> Result<(), Error> {
    let (values, _) = src.as_chunks::<K>();
    let mut planes: [&mut [u8]; K] = core::array::from_fn(|_| Default::default());
    let mut rest = dst;
    for plane in &mut planes {
        (*plane, rest) = rest.split_at_mut(values.len());
    }
    if values.len() < 64 {
        simd.split_short(values, &mut planes);
    } else {
        with_writes!(src.len(), stream, W => split_blocks::<K, S, W>(simd, values, &mut planes));
    }
    Ok(())
}

/// The values of a range back from their streams.
#[inline(always)]
pub(super) fn decode<const K: usize, S: Planes<K>>(
    simd: S,
    src: &[u8],
    range: Range<usize>,
    dst: &mut [u8],
    stream: bool,
) -> Result<(), Error> {
    let count = src.len() / K;
    let (values, _) = dst.as_chunks_mut::<K>();
    let mut planes = [&[] as &[u8]; K];
    let mut rest = src;
    for plane in &mut planes {
        let all;
        (all, rest) = rest.split_at(count);
        *plane = &all[range.clone()][..values.len()];
    }
    if values.len() < 64 {
        simd.join_short(&planes, values);
    } else {
        with_writes!(values.len() * K, stream, W => join_blocks::<K, S, W>(simd, &planes, values));
    }
    Ok(())
}

#[inline(always)]
fn split_blocks<const K: usize, S: Planes<K>, W: Writes>(
    simd: S,
    values: &[[u8; K]],
    planes: &mut [&mut [u8]; K],
) {
    let last = values.len() - 64;
    let mut at = 0;
    loop {
        simd.split::<W>(window(values, at), planes, at);
        if at == last {
            return;
        }
        at = usize::min(at + 64, last);
    }
}

#[inline(always)]
fn join_blocks<const K: usize, S: Planes<K>, W: Writes>(
    simd: S,
    planes: &[&[u8]; K],
    values: &mut [[u8; K]],
) {
    let last = values.len() - 64;
    let mut at = 0;
    loop {
        simd.join::<W>(planes, at, window_mut(values, at));
        if at == last {
            return;
        }
        at = usize::min(at + 64, last);
    }
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
                simd.split16(window(values, at), planes, at);
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
    let mut streams = [[0; 16]; K];
    simd.split16(
        &block,
        &mut streams.each_mut().map(|stream| &mut stream[..]),
        0,
    );
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
                simd.join16(planes, at, window_mut(values, at));
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
    let mut block = [[0; K]; 16];
    simd.join16(&streams.each_ref().map(|stream| &stream[..]), 0, &mut block);
    values[..H].copy_from_slice(&block[..H]);
    values[last..].copy_from_slice(&block[H..2 * H]);
}

/// Values of any width: `G` bytes of each of 64 values at a time are gathered and split like values
/// of width `G`. The bytes that the last group has beyond the value's end are split and dropped.
#[inline(always)]
pub(super) fn encode_any<const G: usize>(
    simd: impl Planes<G>,
    src: &[u8],
    width: usize,
    dst: &mut [u8],
) -> Result<(), Error> {
    let count = src.len() / width;
    for at in (0..count).step_by(64) {
        let here = usize::min(64, count - at);
        for byte in (0..width).step_by(G) {
            let mut values = [[0; G]; 64];
            let from = &src[at * width + byte..];
            for (i, value) in values[..here].iter_mut().enumerate() {
                match from[i * width..].first_chunk() {
                    Some(bytes) => *value = *bytes,
                    None => value[..from.len() - i * width].copy_from_slice(&from[i * width..]),
                }
            }
            let mut streams = [[0; 64]; G];
            simd.split::<Near>(
                &values,
                &mut streams.each_mut().map(|stream| &mut stream[..]),
                0,
            );
            for (k, stream) in (byte..width).zip(&streams) {
                let to = &mut dst[k * count + at..];
                match to.first_chunk_mut() {
                    Some(to) if here == 64 => *to = *stream,
                    _ => to[..here].copy_from_slice(&stream[..here]),
                }
            }
        }
    }
    Ok(())
}

/// As [`encode_any`]. A group that reaches beyond its value's end writes to the next value's
/// first bytes, which are written after it; the last value's groups are cut.
#[inline(always)]
pub(super) fn decode_any<const G: usize>(
    simd: impl Planes<G>,
    src: &[u8],
    width: usize,
    range: Range<usize>,
    dst: &mut [u8],
) -> Result<(), Error> {
    let stride = src.len() / width;
    let count = dst.len() / width;
    for at in (0..count).step_by(64) {
        let here = usize::min(64, count - at);
        for byte in (0..width).step_by(G) {
            let mut streams = [[0; 64]; G];
            for (k, stream) in (byte..width).zip(&mut streams) {
                let from = &src[k * stride + range.start + at..];
                match from.first_chunk() {
                    Some(from) if here == 64 => *stream = *from,
                    _ => stream[..here].copy_from_slice(&from[..here]),
                }
            }
            let mut values = [[0; G]; 64];
            simd.join::<Near>(
                &streams.each_ref().map(|stream| &stream[..]),
                0,
                &mut values,
            );
            let end = usize::min(byte + G, width);
            for (i, value) in values[..here].iter().enumerate() {
                let to = &mut dst[(at + i) * width + byte..];
                if end - byte == G {
                    to[..G].copy_from_slice(value);
                } else {
                    to[..end - byte].copy_from_slice(&value[..end - byte]);
                }
            }
        }
    }
    Ok(())
}

//! Code between the public functions and the kernels: destinations beyond the first-level cache,
//! and widths without kernels of their own.

use super::kernel::{self, to_line, values_to_line};
use super::scalar;
use crate::backend::dispatch;
use crate::backend::tuning::{self, NEAR_BYTES, for_two_bytes, tuning};
use crate::memory::{Lines, Slot, flat, flat_mut};
use crate::simd::{
    Far, Outer, Writes, are_beyond_cache, is_near, out_of_line, streamed_if, window, window_mut,
};
use crate::{Backend, Detected};
use core::ops::Range;

dispatch! {
    also on 32-bit ARM;
    fn split<const K: usize>(src: &[u8], dst: &mut [Slot], stride: usize)
        = kernel::split::<K>, or scalar::split_fixed::<K>;
    fn split_blocks<const K: usize, W: Writes>(src: &[u8], dst: &mut [Slot], stride: usize)
        = kernel::split_blocks::<K, _, W>, or scalar::split_fixed::<K>;
    fn join<const K: usize>(src: &[u8], stride: usize, dst: &mut [Slot])
        = kernel::join::<K>, or scalar::join_fixed::<K>;
    fn join_blocks<const K: usize, W: Writes>(src: &[u8], stride: usize, dst: &mut [Slot])
        = kernel::join_blocks::<K, _, W>, or scalar::join_fixed::<K>;
}

/// Splits values of `K` bytes into their streams.
///
/// A short call is a jump to the kernel, without a frame. The backend of many values may depend on the CPU.
/// Beyond the first-level cache, special kernels store the blocks in the middle, if there are many
/// streams or the CPU needs lines requested ahead. They come after the first and the last block, which
/// they may overlap: see [`Streamed`](crate::simd::Streamed).
#[inline]
pub(super) fn encode<const K: usize>(
    src: &[u8],
    stream: bool,
    dst: &mut [Slot],
    backend: Detected,
) {
    let count = src.len() / K;
    if dst.len() <= NEAR_BYTES {
        return match K {
            16 if dst.len() >= MANY => split_by_cpu::<K>(src, dst, count, backend),
            _ => split::<K>(src, dst, count, backend),
        };
    }
    out_of_line(move || {
        let backend = backend_to_split::<K>(backend);
        let stream = stream || are_streams_aligned::<K>(count) && are_beyond_cache(2 * dst.len());
        let near = !stream && is_near(dst.len());
        if near && K <= 4 {
            return split::<K>(src, dst, count, backend);
        }
        for start in [0, count - 64] {
            split::<K>(
                &src[K * start..][..K * 64],
                &mut dst[start..],
                count,
                backend,
            );
        }
        let head = to_line(dst);
        let blocks = (count - head) / 64;
        let (src, to) = (&src[K * head..][..K * 64 * blocks], &mut dst[head..]);
        if near {
            return split_blocks::<K, Outer>(src, to, count, backend);
        }
        streamed_if!(stream, W or Far => split_blocks::<K, W>(src, to, count, backend));
    });
}

/// Joins values from streams that begin `stride` bytes apart. Otherwise the same as [`encode`].
#[inline]
pub(super) fn decode<const K: usize>(
    src: &[u8],
    stride: usize,
    stream: bool,
    dst: &mut [Slot],
    backend: Detected,
) {
    if dst.len() <= NEAR_BYTES {
        return match K {
            2 if dst.len() >= tuning::MANY => join_by_cpu::<K>(src, stride, dst, backend),
            _ => join::<K>(src, stride, dst, backend),
        };
    }
    out_of_line(move || {
        let backend = backend_to_join::<K>(backend, dst.len());
        let stream = stream || are_beyond_cache(2 * dst.len());
        let near = !stream && is_near(dst.len());
        if near && (K < 16 || dst.len() < LARGE) {
            return join::<K>(src, stride, dst, backend);
        }
        let count = dst.len() / K;
        for start in [0, count - 64] {
            let to = &mut dst[K * start..][..K * 64];
            join::<K>(&src[start..], stride, to, backend);
        }
        let head = values_to_line(dst.as_chunks::<K>().0);
        let blocks = (count - head) / 64;
        let (src, to) = (&src[head..], &mut dst[K * head..][..K * 64 * blocks]);
        if near {
            return join_blocks::<K, Outer>(src, stride, to, backend);
        }
        streamed_if!(stream, W or Far => join_blocks::<K, W>(src, stride, to, backend));
    });
}

/// Size in bytes of values of 16 bytes from which the backend that splits them depends on the CPU.
const MANY: usize = 512 * 16;

/// Size in bytes, beyond the second-level cache, from which values of 16 bytes are joined in one run of blocks. There, it takes
/// 0.91 to 0.98 of the time on Zen 4, and below 1.0 to 1.04.
const LARGE: usize = 2 << 20;

/// Returns whether all streams are aligned if the first is, to lines if there are many of them.
///
/// A CPU collects the lines that it stores past the cache in a few buffers. Lines of 8 or 16 streams that
/// are not stored as a whole lose their buffers before, and reach memory in parts: splitting took up to four times
/// as long, and with whole lines half as long as through the cache.
fn are_streams_aligned<const K: usize>(stride: usize) -> bool {
    stride.is_multiple_of(if K <= 4 { 32 } else { 64 })
}

/// Returns the backend to split many values.
fn backend_to_split<const K: usize>(backend: Detected) -> Detected {
    match K {
        16 => backend.at_most(tuning().split16),
        _ => backend,
    }
}

/// Returns the backend to join many values.
fn backend_to_join<const K: usize>(backend: Detected, bytes: usize) -> Detected {
    match K {
        2 => for_two_bytes(backend, bytes),
        _ => backend,
    }
}

/// Same as [`split`], on the backend of the CPU. Asking for it takes a frame, which shorter calls go without.
#[inline(never)]
fn split_by_cpu<const K: usize>(src: &[u8], dst: &mut [Slot], stride: usize, backend: Detected) {
    split::<K>(src, dst, stride, backend_to_split::<K>(backend));
}

/// Same as [`join`], on the backend of the CPU.
#[inline(never)]
fn join_by_cpu<const K: usize>(src: &[u8], stride: usize, dst: &mut [Slot], backend: Detected) {
    let backend = backend_to_join::<K>(backend, dst.len());
    join::<K>(src, stride, dst, backend);
}

/// Splits values of any width from `G` up: `G` bytes of each of a batch of values are gathered and
/// split like values of width `G`. The last group of bytes overlaps the previous one.
pub(super) fn encode_any<const G: usize>(
    src: &[u8],
    width: usize,
    dst: &mut [Slot],
    backend: Detected,
) {
    let count = src.len() / width;
    if *backend == Backend::Scalar {
        return scalar::split(src, width, dst, count);
    }
    let Lines(gathered) = &mut Lines([[0; G]; BATCH]);
    for range in batches(count) {
        let batch = &src[range.start * width..range.end * width];
        let gathered = &mut gathered[..range.len()];
        for byte in groups(width, G) {
            for (value, to) in batch.chunks_exact(width).zip(&mut *gathered) {
                *to = *window(value, byte);
            }
            let streams = &mut dst[byte * count + range.start..];
            split::<G>(flat(gathered), streams, count, backend);
        }
    }
}

/// Joins values of any width from `G` up: see [`encode_any`].
pub(super) fn decode_any<const G: usize>(
    src: &[u8],
    stride: usize,
    width: usize,
    dst: &mut [Slot],
    backend: Detected,
) {
    if *backend == Backend::Scalar {
        return scalar::join(src, stride, width, dst);
    }
    let Lines(joined) = &mut Lines([[Slot::new(0); G]; BATCH]);
    for range in batches(dst.len() / width) {
        let batch = &mut dst[range.start * width..range.end * width];
        let joined = &mut joined[..range.len()];
        for byte in groups(width, G) {
            let streams = &src[byte * stride + range.start..];
            join::<G>(streams, stride, flat_mut(joined), backend);
            for (value, from) in batch.chunks_exact_mut(width).zip(&*joined) {
                *window_mut(value, byte) = *from;
            }
        }
    }
}

/// Number of values that are gathered before they are split. It is large enough that the first ones
/// have reached the cache when they are loaded again, in vectors wider than they were stored. At
/// least 1.5 times as fast as 64.
const BATCH: usize = 256;

/// Returns ranges that cover `count` values: [`BATCH`] each unless there are fewer in all, with the
/// last one overlapping.
fn batches(count: usize) -> impl Iterator<Item = Range<usize>> {
    let size = usize::min(count, BATCH);
    let starts = (0..count).step_by(BATCH);
    starts.map(move |start| {
        let start = usize::min(start, count - size);
        start..start + size
    })
}

/// Returns the first bytes of groups of `size` bytes that cover all bytes of a value, with the last
/// one overlapping.
fn groups(width: usize, size: usize) -> impl Iterator<Item = usize> {
    let starts = (0..width).step_by(size);
    starts.map(move |byte| usize::min(byte, width - size))
}

//! The specification as code: parquet-format, `Encodings.md`, "Byte Stream Split".
//!
//! > This encoding creates K byte-streams of length N, where K is the size in bytes of the data
//! > type and N is the number of elements. The bytes of each value are scattered to the
//! > corresponding streams; the streams are concatenated.
#![forbid(unsafe_code)]

use crate::memory::Slot;

/// Moves byte `k` of value `i` to position `i` of stream `k`. Streams begin `stride` positions
/// apart.
#[inline(never)]
pub(super) fn split(src: &[u8], width: usize, dst: &mut [Slot], stride: usize) {
    for i in 0..src.len() / width {
        for k in 0..width {
            dst[k * stride + i].write(src[i * width + k]);
        }
    }
}

/// Reverses [`split`].
#[inline(never)]
pub(super) fn join(src: &[u8], stride: usize, width: usize, dst: &mut [Slot]) {
    for i in 0..dst.len() / width {
        for k in 0..width {
            dst[i * width + k].write(src[k * stride + i]);
        }
    }
}

/// Calls [`split`] for values of `K` bytes.
pub(super) fn split_fixed<const K: usize>(src: &[u8], dst: &mut [Slot], stride: usize) {
    split(src, K, dst, stride);
}

/// Calls [`join`] for values of `K` bytes.
pub(super) fn join_fixed<const K: usize>(src: &[u8], stride: usize, dst: &mut [Slot]) {
    join(src, stride, K, dst);
}

//! The specification as code: parquet-format, `Encodings.md`, "Byte Stream Split".
//!
//! > This encoding creates K byte-streams of length N, where K is the size in bytes of the data
//! > type and N is the number of elements. The bytes of each value are scattered to the
//! > corresponding streams; the streams are concatenated.
#![forbid(unsafe_code)]

use crate::memory::Slot;
use core::ops::Range;

/// Byte `k` of value `i` goes to place `i` of stream `k`.
#[inline(never)]
pub(super) fn encode(src: &[u8], width: usize, dst: &mut [Slot]) {
    let count = src.len() / width;
    for i in 0..count {
        for k in 0..width {
            dst[k * count + i].write(src[i * width + k]);
        }
    }
}

/// The values of a range, of `count` values in all.
#[inline(never)]
pub(super) fn decode(src: &[u8], width: usize, range: Range<usize>, dst: &mut [Slot]) {
    let count = src.len() / width;
    for (to, i) in range.enumerate() {
        for k in 0..width {
            dst[to * width + k].write(src[k * count + i]);
        }
    }
}

/// [`encode`] of values of `K` bytes.
pub(super) fn encode_fixed<const K: usize>(src: &[u8], dst: &mut [Slot]) {
    encode(src, K, dst);
}

/// [`decode`] of values of `K` bytes.
pub(super) fn decode_fixed<const K: usize>(src: &[u8], range: Range<usize>, dst: &mut [Slot]) {
    decode(src, K, range, dst);
}

//! The specification as code: Thrift's Binary protocol, "Integer encoding".
//!
//! > Integers are encoded as fixed-width values in network byte order: the most significant byte
//! > first.
//!
//! So on a little-endian machine, the bytes of each value are reversed.
#![forbid(unsafe_code)]

use crate::memory::Slot;

/// Moves byte `k` of each value of `width` bytes to position `width - 1 - k` of the same value.
#[inline(never)]
fn swap(src: &[u8], width: usize, dst: &mut [Slot]) {
    for i in 0..src.len() / width {
        for k in 0..width {
            dst[i * width + width - 1 - k].write(src[i * width + k]);
        }
    }
}

/// Calls [`swap`] for values of `K` bytes.
pub(super) fn swap_fixed<const K: usize>(src: &[u8], dst: &mut [Slot]) {
    swap(src, K, dst);
}

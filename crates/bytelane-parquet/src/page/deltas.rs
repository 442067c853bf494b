//! Appends numbers in DELTA_BINARY_PACKED.

use bytelane::{Detected, delta};

pub(in crate::page) fn append_deltas<T: delta::Integer>(
    numbers: &[T],
    backend: Detected,
    to: &mut Vec<u8>,
) {
    let start = to.len();
    to.resize(start + delta::max_encoded_len::<T>(numbers.len()), 0);
    let written = delta::encode_with(backend, numbers, &mut to[start..]);
    let end = start + written.expect("there is room").len();
    to.truncate(end);
}

//! Proofs that the operations of this codec write what they claim. A change of the code that a
//! comment names needs another look at the comment. The oracle sweep tests each claim with
//! destinations of different contents, and Miri tests it with uninitialised destinations.
#![allow(unsafe_code)] // Only `unsafe impl`.

use super::{Decode, Encode, Integer};
use crate::memory::Faithful;

// SAFETY: `encode::encode_with` returns the last `at`, and all bytes before it are written: `put`
// copies each varint up to `at`; the widths of a block are all written as zeros before they are
// replaced; and the bytes of miniblocks, from `at` up to `at + length`, are written by
// `Packing::pack`, of which exactly `written` bytes count, as for `bit_packing::Packing`, and as
// padding from there on.
unsafe impl<T: Integer> Faithful for Encode<'_, T> {}

// SAFETY: `fill` cuts the destination to the values of the range. `kernel::decode` returns `Ok` only
// when nothing of it is left, and goes on by the values that it has written: the first one by a copy;
// those of a batch that is not wanted as a whole by a copy from `aside`, which `sum` has filled; and
// `count` values by `sum`, whose loops write whole blocks of 64 bytes by `Sums::put`, and the last one
// by a copy from a block that begins as zeros. The scalar code writes each value of the range.
unsafe impl<T: Integer> Faithful for Decode<'_, T> {}

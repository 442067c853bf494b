//! Proofs that the operations of this codec write what they claim. When you change code that a
//! comment names, check the comment again. The oracle sweep tests each claim with destinations of
//! different contents, and Miri tests it with uninitialised destinations.
#![allow(unsafe_code)] // Only `unsafe impl`.

use super::{Decode, Encode, Integer};
use crate::memory::Faithful;

// SAFETY: `encode::encode_with` returns the last `at`, and all bytes before it are written: `put`
// copies each varint up to `at`; the widths of a block are all written as zeros before they are
// replaced; and the bytes of miniblocks, from `at` up to `at + length`, are written by
// `Packing::pack`, which writes exactly `written` bytes as for `bit_packing::Packing`, and as
// padding from there on.
unsafe impl<T: Integer> Faithful for Encode<'_, T> {}

// SAFETY: `Part::fill` cuts the destination to the range. `kernel::decode` returns `Ok`
// only when the destination is full, and advances by the number of values that it has written: the
// first value by a copy; those of a batch that is not wanted as a whole by a copy from `aside`,
// which `sum` has filled; and `count` values by `sum`, whose loops write whole blocks of 64 bytes
// by `Sums::put`, and the last one by `Sums::put_up_to`: by a store with a mask, or by a copy from a
// block that `Sums::put` has filled. The scalar code
// writes each value of the range.
unsafe impl<T: Integer> Faithful for Decode<'_, T> {}

//! Proofs that the operations of this codec write what they claim. When you change code that a
//! comment names, check the comment again. The oracle sweep tests each claim with destinations of
//! different contents, and Miri tests it with uninitialised destinations.
#![allow(unsafe_code)] // Only `unsafe impl`.

use super::{Join, Split};
use crate::memory::Faithful;

// SAFETY: `fill` cuts the destination to the length of the source, which is K planes of `count`
// bytes. From 64 values on, `kernel::split` and `driver::encode` write the block of the first 64
// values, that of the last 64, and blocks that follow each other from at most value 64 on: in
// `kernel::between` until the last one begins, in `driver` for as long as they fit. `split_short` writes steps of 16 values, the last of which ends with the last
// value, or two halves that meet or overlap, or single values. `Planes::split` and `split16` write
// a whole block of each of the K planes. For other widths, the ranges of `driver::batches` cover
// all values, and those of `driver::groups` all bytes of a value.
unsafe impl Faithful for Split<'_> {}

// SAFETY: `fill` cuts the destination to the length of the range. `kernel::join`, `driver::decode`
// and `join_short` cover them with the same blocks as for `Split`, and `Planes::join` and `join16`
// write whole values. For other widths, `driver::decode_any` copies from the array `joined`, which
// begins as zeros.
unsafe impl Faithful for Join<'_> {}

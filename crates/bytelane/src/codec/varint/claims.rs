//! Proofs that the operations of this codec write what they claim. When you change code that a
//! comment names, check the comment again. The oracle sweep tests each claim with destinations of
//! different contents, and Miri tests it with uninitialised destinations.
#![allow(unsafe_code)] // Only `unsafe impl`.

use super::{Decode, Encode, Integer};
use crate::memory::Faithful;

// SAFETY: encoders store only initialised bytes, one varint after the other. In `kernel::encode`,
// each step writes from `at` on, and `at` grows by what it wrote: 64 bytes for 64 values by
// `Varints::narrow`, the length that `Varints::encode` reports for the varints that it stored
// there, or, in `encode_rest`, the bytes copied from `varints`, to which it stored them in the same
// way. The run of 64 at the end of the destination begins at or before `at`. `scalar::encode` writes byte by byte.
// The result is the last `at`.
unsafe impl<T: Integer> Faithful for Encode<'_, T> {}

// SAFETY: decoders store only initialised bytes. In `kernel::decode`, `done` grows by the number of
// values written from there on: at most the 64 by `Varints::widen`; `count` that `Varints::decode` stored
// there; `count` copied from `aside`, which begins as zeros; or `count` read one by one by
// `scalar::decode_from`. It also reads the remaining values at the end. Only then is the result
// `Ok`, with the number of whole values that the destination has room for.
unsafe impl<T: Integer> Faithful for Decode<'_, T> {}

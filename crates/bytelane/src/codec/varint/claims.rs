//! Proofs that the operations of this codec write what they claim. A change of the code that a
//! comment names needs another look at the comment. The oracle sweep tests each claim with
//! destinations of different contents, and Miri tests it with uninitialised destinations.
#![allow(unsafe_code)] // Only `unsafe impl`.

use super::{Decode, Encode, Integer};
use crate::memory::Faithful;

// SAFETY: encoders store initialised bytes only, one varint after the other. In `kernel::encode`,
// each step writes from `at` on, and `at` grows by what it wrote: 64 bytes for 64 values by
// `Varints::narrow`, the length that `Varints::encode` reports for the varints that it stored there,
// or, in `encode_rest`, the bytes copied from `varints`, which begins as zeros. The run of 64 at the
// end of the destination begins at or before `at`. `scalar::encode` writes byte by byte. The result
// is the last `at`.
unsafe impl<T: Integer> Faithful for Encode<'_, T> {}

// SAFETY: decoders store initialised bytes only. In `kernel::decode`, `done` grows by the number of
// values written from there on: 64 by `Varints::widen`; `count` that `Varints::decode` stored there;
// `count` copied from `aside`, which begins as zeros; or `count` read one by one by
// `scalar::decode_from`. That also reads the values that are left at the end. Only then is there an
// `Ok`, and it reports the whole values that the destination has room for.
unsafe impl<T: Integer> Faithful for Decode<'_, T> {}

//! Proofs that the operations of this codec write what they claim. A change of the code that a
//! comment names needs another look at the comment. The oracle sweep tests each claim with
//! destinations of different contents, and Miri tests it with uninitialised destinations.
#![allow(unsafe_code)] // Only `unsafe impl`.

use super::{Decode, Encode};
use crate::memory::Faithful;

// SAFETY: `fill` splits the destination into control bytes and data. There is an `Ok` only after
// all blocks and the values after them: `kernel::put_codes` writes the control bytes of each block,
// and `encode_tail` the remaining ones. In `encode_run`, data are counted by what a block reports:
// `Blocks::encode` stores these bytes directly after the data before them, or they are copied from
// `buffer`, which begins as zeros, as in `encode_tail`. The scalar code copies value by value.
unsafe impl Faithful for Encode<'_> {}

// SAFETY: `fill` returns the length of the destination, after each of its parts has been written:
// the values up to a whole control byte one by one; in `kernel::decode_run`, blocks of 64 bytes,
// whole, by `Blocks::decode` or `Blocks::widen`; and then in `decode_tail` the rest, copied from a
// block that begins as zeros.
unsafe impl Faithful for Decode<'_> {}

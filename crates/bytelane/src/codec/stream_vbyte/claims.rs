//! Proofs that the operations of this codec write what they claim. When you change code that a
//! comment names, check the comment again. The oracle sweep tests each claim with destinations of
//! different contents, and Miri tests it with uninitialised destinations.
#![allow(unsafe_code)] // Only `unsafe impl`.

use super::{Decode, Encode};
use crate::memory::Faithful;

// SAFETY: `fill` splits the destination into control bytes and data. It returns `Ok` only after all
// blocks and the values after them have been written: `kernel::put_codes` writes the control bytes
// of each block (on 32-bit ARM, the loop of `Blocks::encode_four` stores those of its four blocks),
// and `encode_tail` the remaining ones. In `encode_run`, a block reports the length of its data:
// `Blocks::encode` and `encode_four` store these bytes directly after the data before them, or they
// are copied from `buffer`, which begins as zeros, as in `encode_last`, or stored by a mask of as
// many bytes. The scalar code copies value by value.
unsafe impl Faithful for Encode<'_> {}

// SAFETY: `fill` returns the length of the destination, after each of its parts has been written:
// the values up to a whole control byte, one by one; in `kernel::decode_run`, whole blocks of 64
// bytes, by `Blocks::decode`, `decode_four` or `widen`; and in `decode_last`, the rest, copied from a
// block that begins as zeros, or stored by a mask of as many bytes. For long lists,
// `kernel::decode_past_cache` comes first: `Blocks::decode_many` writes as many blocks as it reports, by the
// same functions, and `Decode::decode_long` leaves all others to `decode_run`. The stores past the cache are
// fenced by `Publish` before that.
unsafe impl Faithful for Decode<'_> {}

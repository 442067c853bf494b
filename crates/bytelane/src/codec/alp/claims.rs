//! Proofs that the operations of this codec write what they claim. When you change code that a
//! comment names, check the comment again. The oracle sweep tests each claim with destinations of
//! different contents, and Miri tests it with uninitialised destinations.
#![allow(unsafe_code)] // Only `unsafe impl`.

use super::{Decode, Encode, Float};
use crate::memory::Faithful;

// SAFETY: `encode::encode_with` returns the last `at`. `put_header` has written the header of the
// page up to the offsets, and the loop writes an offset with each vector. `put_vector` gets exactly
// the bytes of a vector and writes all of them: its header by `put_vector_header`; packed integers,
// batch by batch to exactly their bytes, as for `bit_packing::Packing`; and positions and
// exceptions, one after the other, by `Exceptions::add`, with zeros from `Exceptions::finish` in
// the remaining room.
unsafe impl<T: Float> Faithful for Encode<'_, T> {}

// SAFETY: `Part::fill` cuts the destination to the range. `kernel::decode` returns `Ok`
// only after vectors have filled it, each of which writes the next values. The scalar code writes
// all values one by one by `scalar::decode_some`. The kernel writes the values before a group of
// eight by `scalar::decode_some` as well, then whole blocks of 64 bytes by `Decimal::blocks`, one
// for each window, and the others by `Decimal::rest`, which copies blocks that begin as zeros.
// Exceptions replace values.
unsafe impl<T: Float> Faithful for Decode<'_, T> {}

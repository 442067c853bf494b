//! Proofs that the operations of this codec write what they claim. When you change code that a
//! comment names, check the comment again. The oracle sweep tests each claim with destinations of
//! different contents, and Miri tests it with uninitialised destinations.
#![allow(unsafe_code)] // Only `unsafe impl`.

use super::{Decode, Encode, Integer, bits};
#[cfg(feature = "alloc")]
use super::{Entry, LookingUp};
use crate::memory::Faithful;

// SAFETY: `Writer::finish` returns the last `at`, if the destination has that many bytes. Then
// `Writer::run` had room for each run, and each was written from there on: the header by `run`, and
// the contents by `Writer::repeated`, which copies the value, or by `ListWriter::packed`: packed
// values to exactly `length` bytes, as for `bit_packing::Packing`, and zeros up to the end of the
// last group.
unsafe impl<T: Integer> Faithful for Encode<'_, T> {}

// SAFETY: `fill` cuts the destination to the length of the range. `kernel::decode_to` returns `Ok`
// only when the destination is full. It advances by `length`, that of a run or of the remaining
// destination, which has then been written: by `kernel::fill`, in blocks of 64 bytes from the front
// on while there is room, and then by a copy of exactly the remaining bytes; one by one up to a
// whole group; or by `Target::packed`, in whole blocks of 64 bytes and then as for
// `bit_packing::Unpacking`. The scalar code writes each value.
unsafe impl<T: Integer> Faithful for Decode<'_, T> {}

// SAFETY: as for `Decode`, but `Target::packed` writes entries: `in_memory` writes each of `length`
// bytes by `Entries::copy`, and `in_registers` writes steps of 16 by `LookUp::permute`, the last by
// a copy from `aside`, which begins as zeros.
#[cfg(feature = "alloc")]
unsafe impl<T: Entry> Faithful for LookingUp<'_, T> {}

// SAFETY: as for `Encode`, but `BitRuns::packed` has all bytes of the groups written: by
// `BitWriter`, word by word, and the last ones with zeros above, or by `OneByOne`, byte by byte.
unsafe impl Faithful for bits::Encode<'_> {}

// SAFETY: `fill` cuts the destination to the bytes that the bits take. `bits::decode_words` returns
// `Ok` only after `count` bits have been appended to a `BitWriter`: it writes words one after the
// other as they become full, and `finish` writes the bytes that the last bits take, which are the
// rest of the destination. The scalar code writes each byte.
unsafe impl Faithful for bits::Decode<'_> {}

//! Proofs that the operations of this codec write what they claim. When you change code that a
//! comment names, check the comment again. The oracle sweep tests each claim with destinations of
//! different contents, and Miri tests it with uninitialised destinations.
#![allow(unsafe_code)] // Only `unsafe impl`.

use super::decode::{Decode, DecodeStrings};
#[cfg(feature = "alloc")]
use super::encoder::{EncodePart, EncodeStrings};
use super::strings::Offset;
use crate::memory::Faithful;

// SAFETY: `scalar::decode` counts the bytes of symbols that it has copied whole. `kernel::string` counts, from the front on, the bytes that
// a step returns: `kernel::decode8` has stored eight bytes for each code, from the end of the symbol before it on, and passes up to
// eight of them; `put8` of AVX-512 has stored 64 bytes, and passes up to 64. In `kernel::put`, they are either stored to the
// destination, or to an array, of which only as many bytes as the step returns are copied.
unsafe impl Faithful for Decode<'_> {}

// SAFETY: as for `Decode`: `scalar::decode_strings` decodes string by string, each from the end of the one before; `kernel::decode_strings`
// counts the bytes that the steps for blocks return, from the front on.
unsafe impl<O: Offset> Faithful for DecodeStrings<'_, O> {}

// SAFETY: `scalar::encode` counts the codes that it has copied. `encode::encode` counts one or two bytes for each entry, of which `put` has
// stored two; at the end, as many as it copies from an array that begins as zeros.
#[cfg(feature = "alloc")]
unsafe impl Faithful for EncodePart<'_> {}

// SAFETY: as for `EncodePart`, string by string, each from the end of the one before; one that does not fit is not counted. In
// `encode::lanes`, each lane has done so from its start on, and `finish` moves what it has written to the end of the lane before.
#[cfg(feature = "alloc")]
unsafe impl<O: Offset> Faithful for EncodeStrings<'_, O> {}

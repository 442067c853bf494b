//! Proofs that the operations of this codec write what they claim. When you change code that a
//! comment names, check the comment again. The oracle sweep tests each claim with destinations of
//! different contents, and Miri tests it with uninitialised destinations.
#![allow(unsafe_code)] // Only `unsafe impl`.

use super::Reverse;
use crate::memory::Faithful;

// SAFETY: `fill` cuts the destination to the length of the source. Every byte of it is then written
// by one of these: `scalar::swap`, value by value; `memory::copy`; `kernel::swap_few`, in two
// halves that meet or overlap; or `kernel::swap`. The first block of `swap` covers bytes 0 to 63,
// the last block covers the last 64 bytes, and the others follow each other from some byte up to 64
// on, for as long as they fit. `Swap::swap64` writes all 64 bytes of a block.
unsafe impl Faithful for Reverse<'_> {}

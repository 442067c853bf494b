//! Proofs that the operations of this codec write what they claim. When you change code that a
//! comment names, check the comment again. The oracle sweep tests each claim with destinations of
//! different contents, and Miri tests it with uninitialised destinations.
#![allow(unsafe_code)] // Only `unsafe impl`.

use super::{Integer, Packing, Unpacking};
use crate::memory::Faithful;

// SAFETY: `fill` cuts the destination to the bytes that the values take. `scalar::pack` writes them in
// order. `pack_few` does so as well: what it writes beyond a group or number, it overwrites next.
//
// `kernel::pack_blocks` and `pack_narrow` write blocks of 64 bytes for as long as 64 bytes fit, each
// `stride` bytes after the one before; `stride` is at most 64. `Pack::pack_rest` writes the bytes of
// the remaining values. It packs them to `aside`, which begins as zeros. It copies, or stores with a
// mask, the bytes of each block up to the next one, and of the last block up to the end of the
// destination. `pack_narrow` does so by its own `aside`.
//
// `pack::kernel::pack_at` passes each `STRIDE` bytes of whole blocks to `PackAt::pack`, which stores
// 16 bytes from the start of each piece but the last one on, and then all bytes of the last one; a
// block of up to 16 bytes is stored at once. `pack_blocks` there calls it for whole blocks;
// `pack_with_rest` as well, and for a block that ends with the last group; `pack_few` writes the values after that.
unsafe impl<T: Integer> Faithful for Packing<'_, T> {}

// SAFETY: `fill` cuts the destination to the length of the range. The values before the first group
// of eight are written one by one; `unpack_few` and the scalar code write all values so.
//
// `unpack::unpack_width` writes units, then groups, one directly after the other, each in whole
// vectors: `unpack` of an instruction set stores all of them. What is left, because `dst` or `src` is
// too short for a group, goes to `unpack_few`. `kernel::unpack_blocks` writes blocks of 64 bytes one
// after the other, and `Unpack::unpack_rest` writes the rest, either with a mask or by copying a block
// that begins as zeros.
unsafe impl<T: Integer> Faithful for Unpacking<'_, T> {}

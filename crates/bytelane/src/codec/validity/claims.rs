//! Proofs that the operations of this codec write what they claim. When you change code that a
//! comment names, check the comment again. The oracle sweep tests each claim with destinations of
//! different contents, and Miri tests it with uninitialised destinations.
#![allow(unsafe_code)] // Only `unsafe impl`.

use super::lists::{BitsOf, Offset, OffsetsOf};
use super::values::{Compact, Spread};
use super::{Decode, Element, Encode, Level};
use crate::memory::Faithful;

// SAFETY: `fill` cuts the destination to the bytes that the levels take, a bit for each.
// `kernel::encode` writes a whole word of 8 bytes for each 64 levels, and the remaining bytes, up
// to 8, of the word of the last levels. The scalar code writes a byte for each 8 levels.
unsafe impl<T: Level> Faithful for Encode<'_, T> {}

// SAFETY: `fill` cuts the destination to the wanted levels. `kernel::decode` writes whole steps of
// 64 levels, and then the rest by a copy of a step that begins as zeros. The scalar code writes
// each level.
unsafe impl<T: Level> Faithful for Decode<'_, T> {}

// SAFETY: `fill` cuts the destination to the wanted positions. `kernel::spread` returns `Some` only
// after the last of them: steps of 64 positions follow each other, and each is written whole, by
// `Move::spread`, by a copy or as zeros; `spread_last` copies the last one from a step that begins
// as zeros. The scalar code writes each position.
unsafe impl<T: Element> Faithful for Spread<'_, T> {}

// SAFETY: in `kernel::compact`, `done` grows by the number of values that have been written from
// there on: those of whole steps by a copy; those of a step whose bits are set, which
// `Move::compact` stores at its front, or which are copied from there. The scalar code counts the
// values that it writes.
unsafe impl<T: Element> Faithful for Compact<'_, T> {}

// SAFETY: the result is `Ok` only if the destination has room for all offsets. Each has then been
// written, since `lists::kernel::Offsets::put` leaves out only those without room: sixteen at a
// time while there is room for sixteen, and otherwise one by one by `put_last`, from the first one
// on. The scalar code writes one by one.
unsafe impl<T: Level, O: Offset> Faithful for OffsetsOf<'_, T, O> {}

// SAFETY: the result is `Ok` only if the destination has room for the bytes that the bits take.
// `lists::kernel::Bitmap::push` writes words one after the other as they become full, and
// `lists::kernel::bits` the last one, each as far as there is room for it. The scalar code writes a
// byte with each bit.
unsafe impl<T: Level> Faithful for BitsOf<'_, T> {}

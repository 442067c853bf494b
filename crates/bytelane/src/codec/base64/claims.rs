//! Proofs that the operations of this codec write what they claim. When you change code that a
//! comment names, check the comment again. The oracle sweep tests each claim with destinations of
//! different contents, and Miri tests it with uninitialised destinations.
#![allow(unsafe_code)] // Only `unsafe impl`.

use super::{Decode, Encode};
use crate::memory::Faithful;
#[cfg(feature = "alloc")]
use crate::memory::Text;

// SAFETY: `fill` cuts the destination to the length of the text. `scalar::encode` writes each slot
// of it. `Quads::encode_blocks` writes blocks from the front on, of 256 characters for each 192
// bytes, or one of 32 and blocks of 128, and returns the number of bytes that these characters stand
// for. `Quads::encode_rest` writes the rest in one of two ways. `kernel::encode_past_cache` cuts the
// destination in two, at a group, and writes the first part as a rest, the second one by blocks and
// a rest. With masks: blocks of 64
// characters, and the remaining characters, up to 64, by one masked store. Without masks,
// `kernel::encode_rest`: blocks of 32 characters, the last of which ends with the last whole group;
// or two of 16, one at the front and one that ends there; and the up to 4 characters after them by
// `encode_last`, whose `put_pair` fills its slots. Fewer than 12 bytes become up to 16 characters,
// all written by one `put_pair`.
unsafe impl Faithful for Encode<'_> {}

// SAFETY: each byte written is `=` or a character of an alphabet, which is ASCII: an entry of
// `Tables::characters`, or computed as the value plus the `Halves::from_value` of its class, which
// is the difference between the two. The value has 6 bits, whatever the input.
#[cfg(feature = "alloc")]
unsafe impl Text for Encode<'_> {}

// SAFETY: `fill` cuts the destination to the length of the result, three quarters of the length of
// the text; `takes_padding` has ensured that the last group of the text is not a single character.
// `fill` returns `Ok` where a kernel, or `scalar::decode`, returns true. The latter writes each
// slot. `kernel::decode_long` returns true only at its end. It has then written blocks of 192 bytes
// from the front on, each with up to 16 more after it that are overwritten;
// `kernel::decode_past_cache` also a rest before them, up to where it cuts the destination in two.
// `Quads::decode_rest` has
// written the rest. With masks: in blocks of 48 bytes, and the remaining ones by a masked store. Without,
// `kernel::decode_rest`: up to 7 bytes by one `put_pair`; else blocks of 24 bytes from the front, or one of 12
// at the front, up to where the last block begins or further; and the last one by `decode_block`, whose two writes of
// 8 bytes fill its 8 to 12 slots.
unsafe impl Faithful for Decode<'_> {}

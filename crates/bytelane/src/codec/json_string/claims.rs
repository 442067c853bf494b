//! Proofs that the operations of this codec write what they claim. When you change code that a
//! comment names, check the comment again. The oracle sweep tests each claim with destinations of
//! different contents, and Miri tests it with uninitialised destinations.
#![allow(unsafe_code)] // Only `unsafe impl`.

use super::{Escape, EscapeBytes, Scan, Unescape};
#[cfg(feature = "alloc")]
use super::{EscapeFront, EscapeRest, Plain, PlainFront};
use crate::memory::{Faithful, Text, Validated};

// SAFETY: `kernel::escape` and the scalar code count as written only bytes that they have stored,
// from the front on: runs copied whole by `copy_groups`, of which `Blocks::copy_if_clean` counts only parts that it has stored; for a
// block that `Blocks::escape` or `Blocks::escape_few` has escaped, one byte for each of its bytes and one more for each special byte, and
// these store at least that many; for a byte in `escape_bytes` and `escape_one`, the length of its escape, of which eight bytes
// are stored; and in `escape_copied`, for the bytes between these, as many as `Blocks::copy` has copied after the one before, and before
// the first one the block. `escape_many` counts what it has copied from `little`, which begins as zeros.
// In a text of up to 64 bytes, `short::write_plain` has copied all, if none is special; or else
// `Blocks::escape_short` has stored pieces of 8, 16 or 32 bytes, each followed by the next one or,
// at the end, by nothing that counts; up to a long byte, whose escape and the rest follow. If a
// result may not fit as a whole, it is copied from a `result` array that begins as zeros. `Quotes`
// counts only quotes that it has written. `escape` continues where `escape_front` has stopped, in the
// same destination.
unsafe impl Faithful for Escape<'_> {}

// SAFETY: in the text, which is UTF-8, ASCII bytes are replaced with ASCII, and all others are
// copied. The result covers all of the text, or `scalar::in_whole_characters` removes the written part of a
// character that was cut in two.
unsafe impl Text for Escape<'_> {}

// SAFETY: as for `Escape`, of which these are the first part and the second, which begins where the first ends.
#[cfg(feature = "alloc")]
unsafe impl Faithful for EscapeFront<'_> {}
// SAFETY: the same.
#[cfg(feature = "alloc")]
unsafe impl Faithful for EscapeRest<'_> {}
// SAFETY: the same.
#[cfg(feature = "alloc")]
unsafe impl Text for EscapeFront<'_> {}
// SAFETY: the same.
#[cfg(feature = "alloc")]
unsafe impl Text for EscapeRest<'_> {}

// SAFETY: `short::write_plain` returns a number of bytes only if `copy_plain` has copied all bytes of the text, as
// two blocks that cover it, and `Quotes` has written the quotes around them.
#[cfg(feature = "alloc")]
unsafe impl Faithful for Plain<'_> {}
// SAFETY: it copies all of a text, and the quotes are ASCII.
#[cfg(feature = "alloc")]
unsafe impl Text for Plain<'_> {}

// SAFETY: as for `Escape`, piece by piece, each starting at the end of the one before;
// `kernel::copy_clean` counts the blocks that it has copied whole. The quotes are written around
// them.
unsafe impl Faithful for EscapeBytes<'_> {}

// SAFETY: ASCII bytes of the source are replaced with ASCII, and all others are copied; and the
// result is `Ok` only if the source is text. Each piece is text: from its beginning or, if blocks
// were copied before it, from a character at most three bytes before it. `copy_clean` has compared
// each byte of these blocks with the three before, unless it is ASCII after ASCII. Another piece,
// up to the end of the source, follows them.
unsafe impl Text for EscapeBytes<'_> {}

// SAFETY: `kernel::unescape` counts as written the runs that it has copied whole; and for a block,
// as many bytes as the set `keep` has, which `Blocks::unescape` and `unescape_up_to` store, unless
// the destination has fewer: then it returns before it counts them. The scalar code counts
// characters that it has copied whole. The array `result` begins as zeros.
unsafe impl Faithful for Unescape<'_> {}

// SAFETY: `kernel::unescape` copies only bytes that `valid` or `piece` has checked to be UTF-8,
// together with the byte after them, so that no escape, quote or end cuts a character in two.
// Escapes are replaced with ASCII or with the result of `char::encode_utf8`. If the kernel stops
// within a character, `between` moves back to its beginning; the scalar code works in whole
// characters.
unsafe impl Text for Unescape<'_> {}

// SAFETY: `kernel::scan` returns an offset only after `valid` and `piece` have checked all bytes
// before the closing quote, together with the quote, as for `Unescape`. Otherwise, `scalar::scan`
// has checked character by character.
unsafe impl Validated for Scan {}

// SAFETY: `validate` counts bytes only after `utf8::valid_up_to_with` has found them to be text.
#[cfg(feature = "alloc")]
unsafe impl Validated for PlainFront {}

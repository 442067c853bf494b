//! The claims about the codecs' operations, and why they hold. The oracle sweep tests each claim
//! with destinations of different contents, and Miri with uninitialised destinations.

use super::{Faithful, Text, Validated};
use crate::codec::alp;
use crate::codec::base64;
use crate::codec::big_endian::Reverse;
use crate::codec::bit_packing;
use crate::codec::byte_stream_split::{Join, Split};
use crate::codec::delta;
use crate::codec::json_string;
use crate::codec::rle_hybrid;
use crate::codec::stream_vbyte;
use crate::codec::utf8;
use crate::codec::validity;
use crate::codec::varint;

// SAFETY: `fill` cuts the destination to the length of the source. It then copies the source, or
// works value by value, or in blocks of 64 bytes: one at the front, one at the end, and between
// them one every 64 bytes from at most the 64th on, for as long as they fit. Each block is written
// whole.
unsafe impl Faithful for Reverse<'_> {}

// SAFETY: `fill` cuts the destination to the length of the source. Fewer than 64 values are handled
// in blocks or halves: the first begins with the first value, each begins at or before the end of
// the previous one, and the last ends with the last value. For more values, one block is the first
// 64 values, one the last 64, and between them blocks follow each other from at most value 63 on,
// for as long as they fit. Each block is written to all streams, which together are the
// destination. Other widths are handled in batches that cover all values, and each batch in groups
// that cover all bytes of a value.
unsafe impl Faithful for Split<'_> {}

// SAFETY: as for `Split`, in the other direction: blocks that cover all values of the range are
// written whole. Where values are joined in a buffer, they are copied from an array that starts as
// zeros.
unsafe impl Faithful for Join<'_> {}

// SAFETY: `fill` cuts the destination to the length of the text. `scalar::encode` writes each slot
// of it. The kernels write blocks of 256 characters from the front on, one for each 192 bytes, and
// the rest in one of two ways. With masks: blocks of 64 characters, and the remaining characters,
// up to 64, by one masked store. Without masks: blocks of 32 characters, the last of which ends
// with the last whole group; or two of 16, one at the front and one that ends there; and the up to
// 4 characters after them by `put_pair`, which fills its slots. Fewer than 12 bytes become up to 16
// characters, all written by one `put_pair`.
unsafe impl Faithful for base64::Encode<'_> {}

// SAFETY: each byte written is `=` or a character of an alphabet, which is ASCII: an entry of
// `Tables::characters`, or computed as the value plus the `Halves::from_value` of its class, which
// is the difference between the two. The value has 6 bits, whatever the input.
#[cfg(feature = "alloc")]
unsafe impl Text for base64::Encode<'_> {}

// SAFETY: `fill` cuts the destination to the length of the result, three quarters of the length of
// the text; `takes_padding` has ensured that the last group of the text is not a single character.
// It returns `Ok` where a kernel, or `scalar::decode`, returns true. The latter writes each slot.
// Kernels return true only at their end: they have written blocks of 192 bytes from the front on,
// each with 16 more after it that are overwritten, and the rest as `Encode` does, in blocks of 24
// or 12 bytes, or 48 with masks. The last characters decode to exactly as many bytes as there are
// slots after the blocks.
unsafe impl Faithful for base64::Decode<'_> {}

// SAFETY: encoders store initialised bytes only, one varint after the other. Each step writes from
// `at` on, and `at` grows by what it wrote: a byte for a byte, 64 bytes for 64 values, the length
// that an instruction set reports for the varints that it stored there, or the bytes copied there.
// A run of 64 at the end of the destination begins at or before `at`. The result is the last `at`.
unsafe impl<T: varint::Integer> Faithful for varint::Encode<'_, T> {}

// SAFETY: decoders store initialised bytes only. `done` grows by the number of values written from
// there on: 64 that are widened; `count` that an instruction set decoded there; `count` copied from
// `aside`, all of which has been filled with zeros before; or `count` read one by one. The values
// that are left at the end are read one by one. Only then is there an `Ok`, and it reports the
// whole values that the destination has room for.
unsafe impl<T: varint::Integer> Faithful for varint::Decode<'_, T> {}

// SAFETY: the kernels and the scalar code count as written what they have stored from the front on:
// runs and blocks copied whole; for an escaped block, one byte for each of its bytes and one more
// for each special byte, and the instruction sets store at least that many; for a byte escaped one
// by one, the length of its escape, which is stored as eight bytes or exactly. Scratch arrays begin
// as zeros.
unsafe impl Faithful for json_string::Escape<'_> {}

// SAFETY: in the text, which is UTF-8, ASCII bytes are replaced by ASCII, and all others are
// copied. The result covers all of the text, or `fill` takes back the written part of a character
// cut in two.
unsafe impl Text for json_string::Escape<'_> {}

// SAFETY: as for `Escape`, piece by piece, each from the end of the one before on; `copy_clean`
// counts the blocks that it has copied whole. The quotes are written around them.
unsafe impl Faithful for json_string::EscapeBytes<'_> {}

// SAFETY: ASCII bytes of the source are replaced by ASCII, and all others are copied; and there is
// an `Ok` only if the source is text. Each piece is text: from its beginning or, if blocks were
// copied before it, from a character at most three bytes before it. These blocks follow a piece,
// and each of their bytes has been compared with the three before, unless it is ASCII after ASCII.
// Another piece, up to the end of the source, follows them.
unsafe impl Text for json_string::EscapeBytes<'_> {}

// SAFETY: the kernel counts as written the runs that it has copied whole; and for a block, as many
// bytes as the set to keep has, which instruction sets store, unless that is more than the
// destination has. The scalar code counts characters that it has copied whole. Scratch arrays begin
// as zeros.
unsafe impl Faithful for json_string::Unescape<'_> {}

// SAFETY: bytes that are copied have been checked to be UTF-8, together with the byte after them,
// so that no escape, quote or end cuts a character in two. Escapes are replaced by ASCII or by the
// result of `char::encode_utf8`. Where the kernel stops within a character, `between` takes its
// beginning back; the scalar code works in whole characters.
unsafe impl Text for json_string::Unescape<'_> {}

// SAFETY: the bytes before the closing quote have been checked to be UTF-8 together with the quote,
// by the same code as for `Unescape`, or character by character.
unsafe impl Validated for json_string::Scan {}

// SAFETY: up to 32 bytes without a set bit 7 are text, and so are three to five bytes that
// are so but for one character of three or four bytes. For others, the scalar code counts the bytes of whole characters, from the start or
// from a place that a kernel has checked up to. A kernel reports all of the input only if it has
// checked parts that cover it: each is ASCII, at the start or after a byte of ASCII, or each of its
// bytes has been compared with the three before; and only if no character is unfinished at the end.
unsafe impl Validated for utf8::Front {}

// SAFETY: `fill` splits the destination into control bytes and data. There is an `Ok` only after
// all blocks and the values after them: each block writes its control bytes, the tail writes the
// remaining ones. Data are counted by what a block reports: an instruction set stores these bytes
// directly after the data before them, or they are copied from a buffer that starts as zeros. The
// scalar code copies value by value.
unsafe impl Faithful for stream_vbyte::Encode<'_> {}

// SAFETY: `fill` returns the length of the destination, after each of its parts has been written:
// the values up to a whole control byte one by one, blocks of 64 bytes whole, and then a tail,
// copied from a block that starts as zeros.
unsafe impl Faithful for stream_vbyte::Decode<'_> {}

// SAFETY: `fill` cuts the destination to the bytes that the values take. The scalar code writes
// them in order. The kernels write blocks of 64 bytes, each from the first byte after those of the
// block before on, which is at most 64 bytes after its beginning, for as long as they fit. The
// remaining values are packed to a block that starts as zeros and copied, or stored with a mask:
// the bytes of each block up to the next one, and the last up to the end of the destination.
unsafe impl<T: bit_packing::Integer> Faithful for bit_packing::Packing<'_, T> {}

// SAFETY: `fill` cuts the destination to the values of the range. Those before the first group of
// eight are written one by one, as the scalar code writes all. The kernels write blocks of 64 bytes
// one after the other, and the rest by a copy of a block or with a mask.
unsafe impl<T: bit_packing::Integer> Faithful for bit_packing::Unpacking<'_, T> {}

// SAFETY: the result is the last `at`. Each varint is copied up to `at`; the widths of a block are
// all written as zeros before they are replaced; and `end` of a miniblock becomes `at` after each
// batch has been packed to exactly its bytes, as for `bit_packing::Packing`, and the room after the
// last batch has been filled.
unsafe impl<T: delta::Integer> Faithful for delta::Encode<'_, T> {}

// SAFETY: `fill` cuts the destination to the values of the range. There is an `Ok` only after the
// miniblocks have filled it: as long as the stream has that many values, which is checked before,
// each miniblock writes the next values, whole blocks of 64 bytes directly and others by a copy of
// a block. The scalar code writes each value of the range.
unsafe impl<T: delta::Integer> Faithful for delta::Decode<'_, T> {}

// SAFETY: the result is the last `at`, if the destination has that many bytes. Each run has been
// written from there on where it had room: its header, and then the repeated value, or packed values
// to exactly their bytes, as for `bit_packing::Packing`, and zeros up to the end of the last group.
unsafe impl<T: rle_hybrid::Integer> Faithful for rle_hybrid::Encode<'_, T> {}

// SAFETY: `fill` cuts the destination to the values of the range. There is an `Ok` only after runs
// have filled it: each writes the next values, of which there are no more than are left, either one
// by one, as the scalar code does for all, or in whole blocks of 64 bytes while there is room for
// them and then by a copy of exactly what is left, as for `bit_packing::Unpacking`.
unsafe impl<T: rle_hybrid::Integer> Faithful for rle_hybrid::Decode<'_, T> {}

// SAFETY: as for `rle_hybrid::Decode`, with steps of 16 entries, each of which is copied from the
// table or made of registers, instead of blocks. What is left is copied from a step that begins as
// zeros.
#[cfg(feature = "alloc")]
unsafe impl<T: rle_hybrid::Entry> Faithful for rle_hybrid::LookingUp<'_, T> {}

// SAFETY: as for `rle_hybrid::Encode`. Packed bits are written to all bytes of their groups: word by
// word, and the last ones with zeros above.
unsafe impl Faithful for rle_hybrid::bits::Encode<'_> {}

// SAFETY: `fill` cuts the destination to the bytes that the bits take. There is an `Ok` only after all
// bits have been appended: words are written one after the other as they become full, and then the
// bytes that the last bits take, which are the rest of the destination.
unsafe impl Faithful for rle_hybrid::bits::Decode<'_> {}

// SAFETY: the result is the last `at`. The header and the offsets are written before the vectors, an
// offset with each. Each vector is cut to its bytes: its header; packed integers, batch by batch to
// exactly their bytes, as for `bit_packing::Packing`; and positions and exceptions, one after the other,
// with zeros in what room is left.
unsafe impl<T: alp::Float> Faithful for alp::Encode<'_, T> {}

// SAFETY: `fill` cuts the destination to the values of the range. There is an `Ok` only after vectors
// have filled it: each writes the next values, those before a group of eight one by one, as the scalar
// code does for all, then whole blocks of 64 bytes, and the rest by a copy of a block. Exceptions
// replace values.
unsafe impl<T: alp::Float> Faithful for alp::Decode<'_, T> {}

// SAFETY: `fill` cuts the destination to the bytes that the levels take, a bit for each. The kernels
// write a whole word of 8 bytes for each 64 levels, and the remaining bytes, up to 8, of the word of
// the last levels. The scalar code writes a byte for each 8 levels.
unsafe impl<T: validity::Level> Faithful for validity::Encode<'_, T> {}

// SAFETY: `fill` cuts the destination to the levels that are wanted. The kernels write whole steps of
// 64 levels, and then the rest by a copy of a step. The scalar code writes each level.
unsafe impl<T: validity::Level> Faithful for validity::Decode<'_, T> {}

// SAFETY: `fill` cuts the destination to the places that are wanted. There is an `Ok` only after the
// last of them: steps of 64 places follow each other, and each is written whole, by an instruction
// set, by a copy or as zeros; the last one is copied from a step that begins as zeros. The scalar
// code writes each place.
unsafe impl<T: validity::Element> Faithful for validity::values::Spread<'_, T> {}

// SAFETY: `done` grows by as many values as have been written from there on: those of whole steps by a
// copy; those of a step whose bits are set, which instruction sets store at its front, or which are
// copied from there. The scalar code counts the values that it writes.
unsafe impl<T: validity::Element> Faithful for validity::values::Compact<'_, T> {}

// SAFETY: there is an `Ok` only if the destination has room for as many offsets as there are. Each has
// then been written, since the steps leave out only those without room: sixteen at a time while there
// is room for sixteen, and otherwise one by one, from the first one on. The scalar code writes one by
// one.
unsafe impl<T: validity::Level, O: validity::lists::Offset> Faithful
    for validity::lists::OffsetsOf<'_, T, O>
{
}

// SAFETY: there is an `Ok` only if the destination has room for the bytes that the bits take. Words are
// written one after the other as they become full, and then the last one, each as far as there is
// room. The scalar code writes a byte with each bit.
unsafe impl<T: validity::Level> Faithful for validity::lists::BitsOf<'_, T> {}

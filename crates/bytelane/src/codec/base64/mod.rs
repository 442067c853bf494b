//! Base64: bytes as text, six bits per character.
//!
//! Three bytes become four characters of an alphabet of 64. One or two bytes at the end become two
//! or three characters, padded to four with `=` if padding is used.
//!
//! ```
//! use bytelane::base64::STANDARD;
//!
//! assert_eq!(STANDARD.encode_to_string("bytes"), "Ynl0ZXM=");
//! assert_eq!(STANDARD.decode_to_vec("Ynl0ZXM=")?, b"bytes");
//! # Ok::<(), bytelane::base64::Error>(())
//! ```
//!
//! An [`Engine`] is a variant of base64: an alphabet and its padding. There are constants for the
//! four usual variants. Decoding is strict unless an engine says otherwise: anything that no
//! encoder writes, including whitespace, is an error with its offset.
//!
//! All functions take time linear in the length. Functions on slices do not allocate; functions
//! that append to a `Vec` or `String` allocate room for the result. With `std`, `Encoder` and
//! `Decoder` do the same for streams.
//!
//! # Coming from the crate `base64`
//!
//! You do not need to import a trait. Here, `encode` and `decode` write to slices:
//!
//! | crate `base64` | here |
//! |---|---|
//! | `prelude::BASE64_STANDARD`, `engine::general_purpose::STANDARD`, and similarly `URL_SAFE`, `.._NO_PAD` | [`STANDARD`], [`STANDARD_NO_PAD`], [`URL_SAFE`], [`URL_SAFE_NO_PAD`] |
//! | `general_purpose::STANDARD_PAD_INDIFFERENT` and similar engines | [`STANDARD`]`.`[`with_decode_padding`](Engine::with_decode_padding)`(`[`DecodePadding::Either`]`)` |
//! | `GeneralPurpose::new(&alphabet, config)`, `Simd::new(..)` | [`Engine::new`]`(`[`Alphabet`]`)`; no alphabets besides the two |
//! | `config.with_encode_padding(..)` | [`Engine::with_encode_padding`] |
//! | `config.with_decode_padding_mode(DecodePaddingMode::..)`: `RequireCanonical`, `RequireNone`, `Indifferent` | [`Engine::with_decode_padding`]`(`[`DecodePadding`]`::..)`: `Required`, `None`, `Either` |
//! | `config.with_decode_allow_trailing_bits(..)` | [`Engine::with_decode_allow_trailing_bits`] |
//! | `engine.encode(src)` | `Engine::encode_to_string` |
//! | `engine.encode_string(src, &mut string)` | `Engine::encode_append` |
//! | `engine.encode_slice(src, &mut slice)` | [`Engine::encode`] |
//! | `engine.decode(src)` | `Engine::decode_to_vec` |
//! | `engine.decode_vec(src, &mut vec)` | `Engine::decode_append`, which returns the number of bytes |
//! | `engine.decode_slice(src, &mut slice)` | [`Engine::decode`] |
//! | `encoded_len(bytes, padding)` | [`Engine::encoded_len`] |
//! | `decoded_len_estimate(len)` | [`decoded_len_estimate`], or [`decoded_len`] of the text, which is exact |
//! | `EncodeSliceError` | [`DestinationError`] |
//! | `DecodeError`, `DecodeSliceError` | [`Error`]: the variants are those of [`ErrorKind`], positions are its `offset()` |
//! | `write::EncoderWriter::new(writer, &engine)` | `Encoder::new(writer, engine)` |
//! | `read::DecoderReader::new(reader, &engine)` | `Decoder::new(reader, engine)` |
//! | `display::Base64Display` | `Engine::encode_to_string` |
//!
//! Source: [RFC 4648](https://www.rfc-editor.org/rfc/rfc4648), sections 3 to 5.

mod arch;
mod claims;
mod engine;
mod error;
mod kernel;
mod scalar;
#[cfg(feature = "std")]
mod stream;
mod tables;
#[cfg(test)]
mod tests;

pub use engine::{
    Alphabet, DecodePadding, Engine, STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD,
};
pub use error::{Error, ErrorKind};
#[cfg(feature = "std")]
pub use stream::{Decoder, Encoder, FinishError};

use crate::backend::dispatch;
use crate::error::front;
use crate::memory::{Fill, Slot};
use crate::simd::{Writes, window, window_mut};
use crate::{DestinationError, Detected};
use tables::{PAD, Tables, TextBlock};

/// Operations that each instruction set provides: encode a given number of bytes to characters, and
/// decode them. Decoding returns whether all characters are in the alphabet; if not, its output is
/// unspecified.
pub(crate) trait Quads: Copy {
    /// State that decoding passes from block to block: marks of characters outside the alphabet, and tables that stay in
    /// registers.
    type Decoding: Copy;

    /// True if a vector is a whole cache line, and there are permutations of two vectors.
    const HAS_WHOLE_LINES: bool = false;

    /// Encodes 192 bytes.
    #[inline(always)]
    fn encode192(self, tables: &Tables, bytes: &[u8; 192], text: &mut [Slot; 256]) {
        for i in 0..8 {
            self.encode24(tables, window(bytes, 24 * i), window_mut(text, 32 * i));
        }
    }

    /// Encodes large blocks at the front of `src`, of at least 192 bytes. Returns the number of bytes encoded, a
    /// multiple of 3. A shortcut for blocks that are loaded with the bytes around them.
    #[inline(always)]
    fn encode_blocks(self, tables: &Tables, src: &[u8], dst: &mut [Slot]) -> usize {
        let (blocks, _) = src.as_chunks::<192>();
        let (texts, _) = dst.as_chunks_mut::<256>();
        let texts = &mut texts[..blocks.len()];
        for i in 0..blocks.len() {
            self.encode192(tables, &blocks[i], &mut texts[i]);
        }
        192 * blocks.len()
    }

    /// Encodes 24 bytes.
    fn encode24(self, tables: &Tables, bytes: &[u8; 24], text: &mut [Slot; 32]);

    /// Encodes 12 bytes, given as 16 bytes in two little-endian numbers.
    fn encode12(self, tables: &Tables, bytes: [u64; 2]) -> [u64; 2];

    /// Encodes the last groups of a text that ends with the 16 bytes, and pads them: 12 bytes, or 9 and the `extra` one or
    /// two after them. A shortcut for shuffles.
    #[inline(always)]
    fn encode_end(self, tables: &Tables, bytes: &[u8; 16], extra: usize) -> [u64; 2] {
        kernel::encode_end(self, tables, bytes, extra)
    }

    /// Same as [`encode192`](Self::encode192), in the fewest instructions: see
    /// [`fewer_shifts`](crate::tuning::Tuning::fewer_shifts). Called if
    /// [`HAS_WHOLE_LINES`](Self::HAS_WHOLE_LINES).
    #[inline(always)]
    fn encode192_in_fewer_shifts<W: Writes>(
        self,
        tables: &Tables,
        bytes: &[u8; 192],
        text: &mut [Slot; 256],
    ) {
        self.encode192(tables, bytes, text);
    }

    /// Runs [`kernel::encode_many`] out of line. Called if [`HAS_WHOLE_LINES`](Self::HAS_WHOLE_LINES).
    #[inline(always)]
    fn encode_many(self, engine: Engine, src: &[u8], dst: &mut [Slot]) {
        self.encode_rest(engine.tables(), src, 0, dst);
    }

    /// Runs [`kernel::decode_past_cache`] out of line. Called if [`HAS_WHOLE_LINES`](Self::HAS_WHOLE_LINES).
    #[inline(always)]
    fn decode_past_cache(self, engine: Engine, text: &[u8], dst: &mut [Slot]) -> bool {
        let tables = engine.tables_by_address();
        self.decode_rest(tables, text, 0, dst, !engine.trailing_bits)
    }

    /// Encodes all bytes from `at`, a multiple of 3, on, and pads up to the end of `dst`, which has
    /// room for the whole text. A shortcut for cheap masks.
    #[inline(always)]
    fn encode_rest(self, tables: &Tables, src: &[u8], at: usize, dst: &mut [Slot]) {
        kernel::encode_rest(self, tables, src, at, dst);
    }

    /// Begins to decode, without marks.
    fn decoding(self, tables: &Tables) -> Self::Decoding;

    /// Returns whether there are no marks.
    fn is_good(self, decoding: Self::Decoding) -> bool;

    /// Decodes 256 characters to 192 bytes, and adds their marks. The 16 bytes after them are overwritten with
    /// unspecified data.
    fn decode256(
        self,
        tables: &Tables,
        text: &[u8; 256],
        bytes: &mut [Slot; 208],
        decoding: Self::Decoding,
    ) -> Self::Decoding;

    /// Same as [`decode256`](Self::decode256), in whole lines that do not overlap, and nothing after them: for
    /// non-temporal stores, and for CPUs on which permutations of two vectors are cheap. Called if
    /// [`HAS_WHOLE_LINES`](Self::HAS_WHOLE_LINES).
    #[inline(always)]
    fn decode256_in_fewer_stores<W: Writes>(
        self,
        tables: &Tables,
        text: &[u8; 256],
        bytes: &mut [Slot; 208],
        decoding: Self::Decoding,
    ) -> Self::Decoding {
        self.decode256(tables, text, bytes, decoding)
    }

    /// Decodes 32 characters.
    fn decode32(self, tables: &Tables, text: &[u8; 32], bytes: &mut [Slot; 24]) -> bool;

    /// Decodes 11 to 16 characters, given as two little-endian numbers, to the first 8 and the last 8 of their
    /// bytes.
    fn decode16(self, tables: &Tables, text: [u64; 2], block: &TextBlock) -> ([u64; 2], bool);

    /// Decodes all characters, without padding, from `at`, a multiple of 4, on; `dst` has room for
    /// all bytes. Returns false also for nonzero bits after the last byte if the text must be
    /// `canonical`. A shortcut for cheap masks.
    #[inline(always)]
    fn decode_rest(
        self,
        tables: &Tables,
        text: &[u8],
        at: usize,
        dst: &mut [Slot],
        canonical: bool,
    ) -> bool {
        kernel::decode_rest(self, tables, text, at, dst, canonical)
    }
}

/// Length in bytes below which a buffer is short: it has no large block. Short buffers are
/// frequent; the functions for them make no decisions and save no registers.
const SHORT: usize = 192;

dispatch! {
    fn encode_short(engine: Engine, src: &[u8], dst: &mut [Slot]) = kernel::encode_short, or scalar::encode;
    fn encode_long(engine: Engine, src: &[u8], dst: &mut [Slot]) = kernel::encode_long, or scalar::encode;
    fn decode_short(engine: Engine, text: &[u8], dst: &mut [Slot]) -> bool = kernel::decode_short, or scalar::decode;
    fn decode_long(engine: Engine, text: &[u8], dst: &mut [Slot]) -> bool = kernel::decode_long, or scalar::decode;
}

/// Encodes bytes to text.
pub(crate) struct Encode<'a>(Engine, &'a [u8], Detected);

impl Fill for Encode<'_> {
    type Done = ();
    type Error = DestinationError;

    #[inline]
    fn fill(self, to: &mut [Slot]) -> Result<(usize, ()), DestinationError> {
        let Self(engine, src, backend) = self;
        let needed = encoded_len_of(src, engine.encode_padding);
        let dst = front(to, needed)?;
        if src.len() < SHORT {
            encode_short(engine, src, dst, backend);
        } else {
            encode_long(engine, src, dst, backend);
        }
        Ok((needed, ()))
    }
}

/// Decodes a text, with its padding, to bytes.
pub(crate) struct Decode<'a>(Engine, &'a [u8], Detected);

impl Fill for Decode<'_> {
    type Done = ();
    type Error = Error;

    #[inline]
    fn fill(self, to: &mut [Slot]) -> Result<(usize, ()), Error> {
        let Self(engine, src, backend) = self;
        let padding = padding_len(src);
        let text = &src[..src.len() - padding];
        let needed = decoded_len_estimate(text.len());
        let dst = front(to, needed)?;
        let good = engine.takes_padding(text.len(), padding)
            && if needed < SHORT {
                decode_short(engine, text, dst, backend)
            } else {
                decode_long(engine, text, dst, backend)
            };
        if good {
            Ok((needed, ()))
        } else {
            Err(scalar::fault(engine, src))
        }
    }
}

/// Returns the number of `=` at the end, at most two: a third one takes the place of a character.
///
/// Computed without a branch, since the end of a short text cannot be predicted.
#[inline]
const fn padding_len(src: &[u8]) -> usize {
    match src {
        [.., last_but_one, last] => {
            let one = *last == PAD;
            one as usize + (one & (*last_but_one == PAD)) as usize
        }
        [last] => (*last == PAD) as usize,
        [] => 0,
    }
}

/// Returns [`Engine::encoded_len`] for a slice, which has at most `isize::MAX` bytes: four thirds
/// of that fit in a `usize`.
#[inline]
const fn encoded_len_of(src: &[u8], padding: bool) -> usize {
    // `div_ceil` without its steps for lengths that no slice has.
    let groups = src.len().wrapping_add(2) / 3;
    if padding {
        4 * groups
    } else {
        src.len() + groups
    }
}

/// Returns the maximum number of bytes that a text of `len` characters can encode.
#[must_use]
#[inline]
pub const fn decoded_len_estimate(len: usize) -> usize {
    len - len.div_ceil(4)
}

/// Returns the number of bytes that a text encodes, if it is valid. Checks only its length and the
/// padding at its end, in constant time.
#[must_use]
#[inline]
pub const fn decoded_len(text: &[u8]) -> usize {
    decoded_len_estimate(text.len() - padding_len(text))
}

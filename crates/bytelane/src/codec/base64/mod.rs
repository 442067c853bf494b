//! Base64: bytes as text, six bits a character.
//!
//! Three bytes are four characters of an alphabet of 64; one or two bytes at the end are two or
//! three characters, filled up with `=` to four where padding is used.
//!
//! ```
//! use bytelane::base64::STANDARD;
//!
//! assert_eq!(STANDARD.encode(b"bytes"), "Ynl0ZXM=");
//! assert_eq!(STANDARD.decode("Ynl0ZXM=")?, b"bytes");
//! # Ok::<(), bytelane::base64::DecodeError>(())
//! ```
//!
//! An [`Engine`] is a variant of base64: which alphabet, which padding. There are constants for the
//! usual four, and the functions of this module are those of [`STANDARD`] for callers who want
//! nothing else. Decoding is strict unless an engine says otherwise: what no encoder writes is an
//! error that names its place, white space too.
//!
//! All functions take time linear in the length. Those on slices allocate nothing; those that
//! append to a `Vec` or `String` allocate what the result takes. `Encoder` and `Decoder` do the same
//! for streams, with `std`.
//!
//! # Coming from the crate `base64`
//!
//! Methods have the same names, and no trait needs to be in scope:
//!
//! | crate `base64` | here |
//! |---|---|
//! | `prelude::BASE64_STANDARD`, `engine::general_purpose::STANDARD`, and the like for `URL_SAFE`, `.._NO_PAD` | [`STANDARD`], [`STANDARD_NO_PAD`], [`URL_SAFE`], [`URL_SAFE_NO_PAD`] |
//! | `GeneralPurpose::new(&alphabet, config)`, `Simd::new(..)` | [`Engine::new`]`(`[`Alphabet`]`)`; no alphabets besides the two |
//! | `config.with_encode_padding(..)` | [`Engine::with_encode_padding`] |
//! | `config.with_decode_padding_mode(DecodePaddingMode::..)`: `RequireCanonical`, `RequireNone`, `Indifferent` | [`Engine::with_decode_padding`]`(`[`DecodePadding`]`::..)`: `Required`, `None`, `Either` |
//! | `config.with_decode_allow_trailing_bits(..)` | [`Engine::with_decode_allow_trailing_bits`] |
//! | `engine.encode`, `encode_string`, `encode_slice` | the same |
//! | `engine.decode`, `decode_vec`, `decode_slice` | the same; `decode_vec` returns the number of bytes |
//! | `encoded_len(bytes, padding)` | [`encoded_len`] |
//! | `decoded_len_estimate(len)` | [`decoded_len_estimate`], or [`decoded_len`] of the text, which is exact |
//! | `DecodeError`, `DecodeSliceError`, `EncodeSliceError` | [`DecodeError`] for both, [`Error::Destination`] |
//! | `write::EncoderWriter::new(writer, &engine)` | `Encoder::new(writer, engine)` |
//! | `read::DecoderReader::new(reader, &engine)` | `Decoder::new(reader, engine)` |
//! | `display::Base64Display` | `engine.encode(..)` |
//!
//! Source: [RFC 4648](https://www.rfc-editor.org/rfc/rfc4648), sections 3 to 5.

#[cfg(all(target_arch = "x86_64", target_endian = "little"))]
mod avx2;
#[cfg(all(target_arch = "x86_64", target_endian = "little"))]
mod avx512;
mod engine;
mod error;
mod kernel;
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
mod neon;
mod scalar;
#[cfg(all(target_arch = "x86_64", target_endian = "little"))]
mod sse41;
#[cfg(feature = "std")]
mod stream;
mod tables;
#[cfg(test)]
mod tests;

pub use engine::{
    Alphabet, DecodePadding, Engine, STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD,
};
pub use error::DecodeError;
#[cfg(feature = "std")]
pub use stream::{Decoder, Encoder};

use crate::backend::dispatch;
use crate::memory::Slot;
use crate::{Backend, Error, Unavailable};
#[cfg(feature = "alloc")]
use alloc::{string::String, vec::Vec};
use tables::Tables;

/// The padding character.
const PAD: u8 = b'=';

/// What instruction sets differ in: so many bytes to characters, and back. Decoding returns whether
/// all characters are in the alphabet; what it writes otherwise is of no use.
pub(crate) trait Quads: Copy {
    /// 192 bytes to their characters.
    fn encode192(self, tables: &Tables, bytes: &[u8; 192], text: &mut [Slot; 256]);

    /// 24 bytes to their characters.
    fn encode24(self, tables: &Tables, bytes: &[u8; 24], text: &mut [Slot; 32]);

    /// 12 bytes, of 16 in two little-endian numbers, to their characters.
    fn encode12(self, tables: &Tables, bytes: [u64; 2]) -> [u64; 2];

    /// All bytes from `at`, a multiple of 3, on, and padding up to the end of `dst`, the place for
    /// the whole text. A shortcut where masks are cheap.
    #[inline(always)]
    fn encode_rest(self, tables: &Tables, src: &[u8], at: usize, dst: &mut [Slot]) {
        kernel::encode_rest(self, tables, src, at, dst);
    }

    /// 256 characters to their 192 bytes. What is written to the 16 behind them is of no use.
    fn decode256(self, tables: &Tables, text: &[u8; 256], bytes: &mut [Slot; 208]) -> bool;

    /// 32 characters to their bytes.
    fn decode32(self, tables: &Tables, text: &[u8; 32], bytes: &mut [Slot; 24]) -> bool;

    /// 16 characters, in two little-endian numbers, to their 12 bytes and four zeros.
    fn decode16(self, tables: &Tables, text: [u64; 2]) -> ([u64; 2], bool);

    /// All characters, without padding, from `at`, a multiple of 4, on; `dst` is the place for all
    /// the bytes. False also for bits behind the last byte if the text must be `canonical`. A
    /// shortcut where masks are cheap.
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

/// What a short buffer is, in bytes: no large block. Short buffers are many; the functions for them
/// have nothing to decide and no registers to save.
const SHORT: usize = 192;

dispatch! {
    fn encode_short(engine: Engine, src: &[u8], dst: &mut [Slot]) -> Result<(), Unavailable> = kernel::encode_short;
    fn encode_long(engine: Engine, src: &[u8], dst: &mut [Slot]) -> Result<(), Unavailable> = kernel::encode_long;
    fn decode_short(engine: Engine, text: &[u8], dst: &mut [Slot]) -> Result<bool, Unavailable> = kernel::decode_short;
    fn decode_long(engine: Engine, text: &[u8], dst: &mut [Slot]) -> Result<bool, Unavailable> = kernel::decode_long;
}

#[inline(always)]
fn encode_slots(
    backend: Backend,
    engine: Engine,
    src: &[u8],
    dst: &mut [Slot],
) -> Result<usize, Error> {
    let needed = encoded_len_of(src, engine.encode_padding);
    let given = dst.len();
    let dst = dst
        .get_mut(..needed)
        .ok_or(Error::Destination { needed, given })?;
    match backend {
        Backend::Scalar => scalar::encode(engine, src, dst),
        _ if src.len() < SHORT => encode_short(backend, engine, src, dst)?,
        _ => encode_long(backend, engine, src, dst)?,
    }
    Ok(needed)
}

#[inline(always)]
fn decode_slots(
    backend: Backend,
    engine: Engine,
    src: &[u8],
    dst: &mut [Slot],
) -> Result<usize, DecodeError> {
    let padding = padding_len(src);
    let text = &src[..src.len() - padding];
    let needed = decoded_len_estimate(text.len());
    let given = dst.len();
    let dst = dst
        .get_mut(..needed)
        .ok_or(DecodeError::Destination { needed, given })?;
    let good = match backend {
        _ if !engine.takes_padding(text.len(), padding) => false,
        Backend::Scalar => false,
        _ if needed < SHORT => decode_short(backend, engine, text, dst)?,
        _ => decode_long(backend, engine, text, dst)?,
    };
    // The specification knows what is wrong.
    if good {
        Ok(needed)
    } else {
        scalar::decode(engine, src, dst)
    }
}

/// The `=` at the end, two at most: a third one stands where a character must be.
///
/// Without a branch, since nobody foresees what a short text ends in.
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

/// Length of the text for `bytes` bytes, with padding or without. `None` if no `usize` holds it,
/// which happens to no slice's length.
#[must_use]
#[inline]
pub const fn encoded_len(bytes: usize, padding: bool) -> Option<usize> {
    let Some(whole) = (bytes / 3).checked_mul(4) else {
        return None;
    };
    whole.checked_add(match bytes % 3 {
        0 => 0,
        _ if padding => 4,
        rest => rest + 1,
    })
}

/// [`encoded_len`] of a slice: it has at most `isize::MAX` bytes, and four thirds of that are a `usize`.
#[inline]
const fn encoded_len_of(src: &[u8], padding: bool) -> usize {
    // `div_ceil`, without the steps that it takes for lengths that no slice has.
    let groups = src.len().wrapping_add(2) / 3;
    if padding {
        4 * groups
    } else {
        src.len() + groups
    }
}

/// The most bytes that a text of `len` characters can have.
#[must_use]
#[inline]
pub const fn decoded_len_estimate(len: usize) -> usize {
    len - len.div_ceil(4)
}

/// The number of bytes of a text, if there is nothing wrong with it: looks at its length and at the
/// padding at its end, in constant time.
#[must_use]
#[inline]
pub const fn decoded_len(text: &[u8]) -> usize {
    decoded_len_estimate(text.len() - padding_len(text))
}

/// Encodes into the beginning of a slice and returns the length of the text:
/// [`Engine::encode_slice`] of [`STANDARD`].
///
/// # Errors
///
/// [`Error::Destination`] if the slice is shorter than the text; nothing is written then.
///
/// ```
/// let mut text = [0; 8];
/// assert_eq!(bytelane::base64::encode(b"bytes", &mut text)?, 8);
/// assert_eq!(&text, b"Ynl0ZXM=");
/// # Ok::<(), bytelane::Error>(())
/// ```
#[inline(always)]
pub fn encode(src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
    STANDARD.encode_slice(src, dst)
}

/// [`encode`] on a backend of the caller's choice.
///
/// # Errors
///
/// Those of [`encode`], and [`Error::Unavailable`].
#[inline(always)]
pub fn encode_with(backend: Backend, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
    STANDARD.encode_slice_with(backend, src, dst)
}

/// Decodes into the beginning of a slice and returns the number of bytes: [`Engine::decode_slice`]
/// of [`STANDARD`].
///
/// # Errors
///
/// [`DecodeError`]. If the text is at fault, the bytes of the slice that the result would have
/// taken may hold anything.
///
/// ```
/// let mut bytes = [0; 5];
/// assert_eq!(bytelane::base64::decode(b"Ynl0ZXM=", &mut bytes)?, 5);
/// assert_eq!(&bytes, b"bytes");
/// # Ok::<(), bytelane::base64::DecodeError>(())
/// ```
#[inline(always)]
pub fn decode(src: &[u8], dst: &mut [u8]) -> Result<usize, DecodeError> {
    STANDARD.decode_slice(src, dst)
}

/// [`decode`] on a backend of the caller's choice.
///
/// # Errors
///
/// Those of [`decode`], and [`DecodeError::Unavailable`].
#[inline(always)]
pub fn decode_with(backend: Backend, src: &[u8], dst: &mut [u8]) -> Result<usize, DecodeError> {
    STANDARD.decode_slice_with(backend, src, dst)
}

/// Encodes into a new `String`: [`Engine::encode`] of [`STANDARD`].
#[cfg(feature = "alloc")]
#[must_use]
pub fn encode_to_string(src: &[u8]) -> String {
    STANDARD.encode(src)
}

/// Decodes into a new `Vec`: [`Engine::decode`] of [`STANDARD`].
///
/// # Errors
///
/// [`DecodeError`].
#[cfg(feature = "alloc")]
pub fn decode_to_vec(src: &[u8]) -> Result<Vec<u8>, DecodeError> {
    STANDARD.decode(src)
}

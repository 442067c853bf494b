//! Alphabets, padding rules, and all operations with them.
#![forbid(unsafe_code)]

use super::tables::{TABLES, Tables};
use super::{Decode, Encode, Error};
#[cfg(feature = "alloc")]
use super::{decoded_len, encoded_len_of};
#[cfg(feature = "alloc")]
use crate::memory::Buffer;
use crate::memory::forms;
use crate::{DestinationError, Detected};
#[cfg(feature = "alloc")]
use alloc::string::String;

/// Characters for the values 62 and 63.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Alphabet {
    /// `+` and `/`: RFC 4648, section 4.
    Standard,
    /// `-` and `_`, safe in URLs and file names: RFC 4648, section 5.
    UrlSafe,
}

/// Padding that a decoder accepts after a text whose length is not a multiple of four characters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DecodePadding {
    /// `=` must complete the last group; no more and no fewer are accepted.
    Required,
    /// No `=`.
    None,
    /// With or without `=`, even too few; too many are an error.
    Either,
}

/// A variant of base64: alphabet, padding and strictness.
///
/// The constants [`STANDARD`], [`STANDARD_NO_PAD`], [`URL_SAFE`] and [`URL_SAFE_NO_PAD`] are the
/// usual variants; derive others from them:
///
/// ```
/// use bytelane::base64::{DecodePadding, Engine, STANDARD_NO_PAD};
///
/// // Thrift's JSON: written without padding, read with or without.
/// const THRIFT: Engine = STANDARD_NO_PAD.with_decode_padding(DecodePadding::Either);
/// assert_eq!(THRIFT.encode_to_string("a"), "YQ");
/// assert_eq!(THRIFT.decode_to_vec("YQ")?, b"a");
/// assert_eq!(THRIFT.decode_to_vec("YQ==")?, b"a");
/// # Ok::<(), bytelane::base64::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Engine {
    pub(super) alphabet: Alphabet,
    pub(super) encode_padding: bool,
    pub(super) decode_padding: DecodePadding,
    pub(super) trailing_bits: bool,
}

/// Standard alphabet with padding, written and required.
pub const STANDARD: Engine = Engine::new(Alphabet::Standard);

/// Standard alphabet without padding, neither written nor read.
pub const STANDARD_NO_PAD: Engine = STANDARD
    .with_encode_padding(false)
    .with_decode_padding(DecodePadding::None);

/// URL-safe alphabet with padding, written and required.
pub const URL_SAFE: Engine = Engine::new(Alphabet::UrlSafe);

/// URL-safe alphabet without padding, neither written nor read.
pub const URL_SAFE_NO_PAD: Engine = URL_SAFE
    .with_encode_padding(false)
    .with_decode_padding(DecodePadding::None);

impl Engine {
    /// Uses an alphabet with padding, written and required. Trailing bits are not allowed.
    #[must_use]
    pub const fn new(alphabet: Alphabet) -> Self {
        Self {
            alphabet,
            encode_padding: true,
            decode_padding: DecodePadding::Required,
            trailing_bits: false,
        }
    }

    /// Sets whether to write `=`.
    #[must_use]
    pub const fn with_encode_padding(mut self, padding: bool) -> Self {
        self.encode_padding = padding;
        self
    }

    /// Sets the padding to accept when decoding.
    #[must_use]
    pub const fn with_decode_padding(mut self, padding: DecodePadding) -> Self {
        self.decode_padding = padding;
        self
    }

    /// Sets whether to accept a last character with nonzero bits after the last byte, as in `QR==`.
    /// No encoder writes them; if you accept them, several texts decode to the same bytes.
    #[must_use]
    pub const fn with_decode_allow_trailing_bits(mut self, allow: bool) -> Self {
        self.trailing_bits = allow;
        self
    }

    /// Returns the tables as one of two constants, whose entries the compiler knows: best for short buffers to
    /// encode, which use few.
    #[inline]
    pub(super) const fn tables(self) -> &'static Tables {
        match self.alphabet {
            Alphabet::Standard => &TABLES[0],
            Alphabet::UrlSafe => &TABLES[1],
        }
    }

    /// Returns the tables at an address that is computed without a branch. Best for the many entries that
    /// decoding uses, each of which the compiler would otherwise choose by a branch, and for long buffers, for
    /// which it would otherwise write two loops.
    #[inline]
    pub(super) const fn tables_by_address(self) -> &'static Tables {
        &TABLES[self.alphabet as usize]
    }

    /// Returns whether a text of `text` characters may be followed by `padding` `=`, counted up to
    /// two. If not, `scalar::fault` reports the error.
    #[inline]
    pub(super) const fn takes_padding(self, text: usize, padding: usize) -> bool {
        let missing = text.wrapping_neg() % 4;
        match self.decode_padding {
            DecodePadding::Required => (text + padding).is_multiple_of(4),
            DecodePadding::None => missing < 3 && padding == 0,
            DecodePadding::Either => missing < 3 && padding <= missing,
        }
    }

    /// Returns the length of the text for `bytes` bytes. `None` if it does not fit in a `usize`,
    /// which cannot happen for the length of a slice.
    #[must_use]
    #[inline]
    pub const fn encoded_len(self, bytes: usize) -> Option<usize> {
        let Some(whole) = (bytes / 3).checked_mul(4) else {
            return None;
        };
        whole.checked_add(match bytes % 3 {
            0 => 0,
            _ if self.encode_padding => 4,
            rest => rest + 1,
        })
    }

    forms! {
        /// Encodes bytes to the front of `dst`. Returns the length of the text,
        /// [`encoded_len`](Self::encoded_len).
        ///
        /// # Errors
        ///
        /// [`DestinationError`] if `dst` is shorter than that; nothing is written then.
        ///
        /// ```
        /// use bytelane::base64::URL_SAFE_NO_PAD;
        /// let mut text = [0; 16];
        /// let len = URL_SAFE_NO_PAD.encode([0xfb, 0xff], &mut text)?;
        /// assert_eq!(&text[..len], b"-_8");
        /// # Ok::<(), bytelane::DestinationError>(())
        /// ```
        encode[](self, src: impl AsRef<[u8]>) -> dst: [u8], DestinationError;
        encode_with: |backend| Encode(self, src.as_ref(), backend);
    }

    forms! {
        /// Decodes text to the front of `dst`. Returns the number of bytes, which is
        /// [`decoded_len`](super::decoded_len).
        ///
        /// # Errors
        ///
        /// [`Error`]. If the text is malformed, the bytes of `dst` reserved for the result are
        /// unspecified; if `dst` is too short, nothing is written.
        ///
        /// ```
        /// use bytelane::base64::{ErrorKind, STANDARD};
        /// let mut bytes = [0; 16];
        /// let len = STANDARD.decode("aGVsbG8=", &mut bytes)?;
        /// assert_eq!(&bytes[..len], b"hello");
        /// let error = STANDARD.decode("aGV bG8=", &mut bytes).unwrap_err();
        /// assert_eq!((error.kind(), error.offset()), (ErrorKind::InvalidByte(b' '), Some(3)));
        /// # Ok::<(), bytelane::base64::Error>(())
        /// ```
        decode[](self, src: impl AsRef<[u8]>) -> dst: [u8], Error;
        decode_with: |backend| Decode(self, src.as_ref(), backend);
        ///
        /// # Errors
        ///
        /// [`Error`]; the `Vec` is unchanged then.
        decode_append: decoded_len(src.as_ref());
        decode_to_vec;
    }
}

/// Operations that allocate.
#[cfg(feature = "alloc")]
impl Engine {
    /// Same as [`encode`](Self::encode), but appends to a `String` or to a `Vec<u8>`. Returns the
    /// length of the text.
    ///
    /// ```
    /// let mut text = String::from("data:text/plain;base64,");
    /// bytelane::base64::STANDARD.encode_append("bytes", &mut text);
    /// assert_eq!(text, "data:text/plain;base64,Ynl0ZXM=");
    /// ```
    #[inline]
    pub fn encode_append(self, src: impl AsRef<[u8]>, to: &mut impl Buffer) -> usize {
        let src = src.as_ref();
        let len = encoded_len_of(src, self.encode_padding);
        let appended = to
            .appender()
            .append(Encode(self, src, Detected::active()), len);
        appended.expect("there is room");
        len
    }

    /// Same as [`encode`](Self::encode), but returns a new `String`.
    #[must_use]
    pub fn encode_to_string(self, src: impl AsRef<[u8]>) -> String {
        let mut text = String::new();
        self.encode_append(src, &mut text);
        text
    }
}

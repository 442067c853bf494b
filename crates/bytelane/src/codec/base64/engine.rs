//! An alphabet and rules for its padding, and everything that can be done with them.
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
use super::encoded_len_of;
use super::tables::{self, Tables};
use super::{DecodeError, decode_slots, encode_slots};
use crate::memory;
use crate::{Backend, Error};
#[cfg(feature = "alloc")]
use alloc::{string::String, vec::Vec};

/// Which characters stand for the values 62 and 63.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Alphabet {
    /// `+` and `/`: RFC 4648, section 4.
    Standard,
    /// `-` and `_`, safe in URLs and file names: RFC 4648, section 5.
    UrlSafe,
}

/// What a decoder wants behind a text whose length is not a multiple of four characters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DecodePadding {
    /// As many `=` as make it one.
    Required,
    /// No `=`.
    None,
    /// Either, or fewer `=` than would be needed; more are an error.
    Either,
}

/// A variant of base64: alphabet, padding and strictness.
///
/// The constants [`STANDARD`], [`STANDARD_NO_PAD`], [`URL_SAFE`] and [`URL_SAFE_NO_PAD`] are the
/// usual ones, and what others start from:
///
/// ```
/// use bytelane::base64::{DecodePadding, Engine, STANDARD_NO_PAD};
///
/// // Thrift's JSON: written without padding, read with or without.
/// const THRIFT: Engine = STANDARD_NO_PAD.with_decode_padding(DecodePadding::Either);
/// assert_eq!(THRIFT.encode(b"a"), "YQ");
/// assert_eq!(THRIFT.decode("YQ")?, b"a");
/// assert_eq!(THRIFT.decode("YQ==")?, b"a");
/// # Ok::<(), bytelane::base64::DecodeError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Engine {
    pub(super) alphabet: Alphabet,
    pub(super) encode_padding: bool,
    pub(super) decode_padding: DecodePadding,
    pub(super) trailing_bits: bool,
}

/// The standard alphabet with padding, written and required.
pub const STANDARD: Engine = Engine::new(Alphabet::Standard);

/// The standard alphabet without padding, neither written nor read.
pub const STANDARD_NO_PAD: Engine = STANDARD
    .with_encode_padding(false)
    .with_decode_padding(DecodePadding::None);

/// The URL-safe alphabet with padding, written and required.
pub const URL_SAFE: Engine = Engine::new(Alphabet::UrlSafe);

/// The URL-safe alphabet without padding, neither written nor read.
pub const URL_SAFE_NO_PAD: Engine = URL_SAFE
    .with_encode_padding(false)
    .with_decode_padding(DecodePadding::None);

impl Engine {
    /// An alphabet with padding, written and required, and no stray bits.
    #[must_use]
    pub const fn new(alphabet: Alphabet) -> Self {
        Self {
            alphabet,
            encode_padding: true,
            decode_padding: DecodePadding::Required,
            trailing_bits: false,
        }
    }

    /// Whether to write `=`.
    #[must_use]
    pub const fn with_encode_padding(mut self, padding: bool) -> Self {
        self.encode_padding = padding;
        self
    }

    /// What padding to read.
    #[must_use]
    pub const fn with_decode_padding(mut self, padding: DecodePadding) -> Self {
        self.decode_padding = padding;
        self
    }

    /// Whether to accept a last character with bits behind the last byte that are not zero, as in
    /// `QR==`. No encoder writes them, and with them several texts stand for the same bytes.
    #[must_use]
    pub const fn with_decode_allow_trailing_bits(mut self, allow: bool) -> Self {
        self.trailing_bits = allow;
        self
    }

    #[inline]
    pub(super) const fn tables(self) -> &'static Tables {
        match self.alphabet {
            Alphabet::Standard => &tables::STANDARD,
            Alphabet::UrlSafe => &tables::URL_SAFE,
        }
    }

    /// Whether a text of so many characters may be followed by so many `=`, of two at most, as
    /// `scalar::decode` checks it.
    #[inline]
    pub(super) const fn takes_padding(self, text: usize, padding: usize) -> bool {
        let missing = text.wrapping_neg() % 4;
        match self.decode_padding {
            DecodePadding::Required => (text + padding).is_multiple_of(4),
            DecodePadding::None => missing < 3 && padding == 0,
            DecodePadding::Either => missing < 3 && padding <= missing,
        }
    }

    /// Length of the text for `bytes` bytes. `None` if no `usize` holds it, which happens to no
    /// slice's length.
    #[must_use]
    pub const fn encoded_len(self, bytes: usize) -> Option<usize> {
        super::encoded_len(bytes, self.encode_padding)
    }

    /// Encodes into the beginning of a slice and returns the length of the text. What is behind it
    /// stays as it was.
    ///
    /// # Errors
    ///
    /// [`Error::Destination`] if the slice is shorter than the text; nothing is written then.
    ///
    /// ```
    /// use bytelane::base64::URL_SAFE_NO_PAD;
    /// let mut text = [0; 16];
    /// let len = URL_SAFE_NO_PAD.encode_slice([0xfb, 0xff], &mut text)?;
    /// assert_eq!(&text[..len], b"-_8");
    /// # Ok::<(), bytelane::Error>(())
    /// ```
    #[inline(always)]
    pub fn encode_slice(self, src: impl AsRef<[u8]>, dst: &mut [u8]) -> Result<usize, Error> {
        self.encode_slice_with(Backend::active(), src, dst)
    }

    /// [`encode_slice`](Self::encode_slice) on a backend of the caller's choice.
    ///
    /// # Errors
    ///
    /// Those of `encode_slice`, and [`Error::Unavailable`].
    #[inline(always)]
    pub fn encode_slice_with(
        self,
        backend: Backend,
        src: impl AsRef<[u8]>,
        dst: &mut [u8],
    ) -> Result<usize, Error> {
        encode_slots(backend, self, src.as_ref(), memory::slots(dst))
    }

    /// Decodes into the beginning of a slice and returns the number of bytes. What is behind them
    /// stays as it was.
    ///
    /// A slice of [`decoded_len`](super::decoded_len) bytes is long enough.
    ///
    /// # Errors
    ///
    /// [`DecodeError`]. If the text is at fault, the bytes of the slice that the result would have
    /// taken may hold anything.
    ///
    /// ```
    /// use bytelane::base64::{DecodeError, STANDARD};
    /// let mut bytes = [0; 16];
    /// let len = STANDARD.decode_slice("aGVsbG8=", &mut bytes)?;
    /// assert_eq!(&bytes[..len], b"hello");
    /// let error = STANDARD.decode_slice("aGV bG8=", &mut bytes);
    /// assert_eq!(error, Err(DecodeError::InvalidByte { offset: 3, byte: b' ' }));
    /// # Ok::<(), DecodeError>(())
    /// ```
    #[inline(always)]
    pub fn decode_slice(self, src: impl AsRef<[u8]>, dst: &mut [u8]) -> Result<usize, DecodeError> {
        self.decode_slice_with(Backend::active(), src, dst)
    }

    /// [`decode_slice`](Self::decode_slice) on a backend of the caller's choice.
    ///
    /// # Errors
    ///
    /// Those of `decode_slice`, and [`DecodeError::Unavailable`].
    #[inline(always)]
    pub fn decode_slice_with(
        self,
        backend: Backend,
        src: impl AsRef<[u8]>,
        dst: &mut [u8],
    ) -> Result<usize, DecodeError> {
        decode_slots(backend, self, src.as_ref(), memory::slots(dst))
    }
}

/// With memory of their own.
#[cfg(feature = "alloc")]
impl Engine {
    /// Encodes into a new `String`.
    #[must_use]
    pub fn encode(self, src: impl AsRef<[u8]>) -> String {
        let mut text = String::new();
        self.encode_string(src, &mut text);
        text
    }

    /// Appends the text to a `String`, without writing to the memory before.
    pub fn encode_string(self, src: impl AsRef<[u8]>, text: &mut String) {
        // The active backend is always available.
        let _ = self.encode_string_with(Backend::active(), src, text);
    }

    /// [`encode_string`](Self::encode_string) on a backend of the caller's choice.
    ///
    /// # Errors
    ///
    /// [`Error::Unavailable`]; the `String` is as before then.
    pub fn encode_string_with(
        self,
        backend: Backend,
        src: impl AsRef<[u8]>,
        text: &mut String,
    ) -> Result<(), Error> {
        let src = src.as_ref();
        let most = encoded_len_of(src, self.encode_padding);
        memory::append_ascii(text, most, |slots| encode_slots(backend, self, src, slots))
    }

    /// Appends the text to a `Vec`, without writing to the memory before.
    pub fn encode_vec(self, src: impl AsRef<[u8]>, text: &mut Vec<u8>) {
        // The active backend is always available.
        let _ = self.encode_vec_with(Backend::active(), src, text);
    }

    /// [`encode_vec`](Self::encode_vec) on a backend of the caller's choice.
    ///
    /// # Errors
    ///
    /// [`Error::Unavailable`]; the `Vec` is as before then.
    pub fn encode_vec_with(
        self,
        backend: Backend,
        src: impl AsRef<[u8]>,
        text: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let src = src.as_ref();
        let most = encoded_len_of(src, self.encode_padding);
        memory::append(text, most, |slots| encode_slots(backend, self, src, slots)).map(drop)
    }

    /// Decodes into a new `Vec`.
    ///
    /// # Errors
    ///
    /// [`DecodeError`].
    pub fn decode(self, src: impl AsRef<[u8]>) -> Result<Vec<u8>, DecodeError> {
        let mut bytes = Vec::new();
        self.decode_vec(src, &mut bytes)?;
        Ok(bytes)
    }

    /// Appends the decoded bytes to a `Vec`, without writing to the memory before, and returns how
    /// many there are.
    ///
    /// # Errors
    ///
    /// [`DecodeError`]; the `Vec` is as before then.
    pub fn decode_vec(
        self,
        src: impl AsRef<[u8]>,
        bytes: &mut Vec<u8>,
    ) -> Result<usize, DecodeError> {
        self.decode_vec_with(Backend::active(), src, bytes)
    }

    /// [`decode_vec`](Self::decode_vec) on a backend of the caller's choice.
    ///
    /// # Errors
    ///
    /// Those of `decode_vec`, and [`DecodeError::Unavailable`].
    pub fn decode_vec_with(
        self,
        backend: Backend,
        src: impl AsRef<[u8]>,
        bytes: &mut Vec<u8>,
    ) -> Result<usize, DecodeError> {
        let src = src.as_ref();
        memory::append(bytes, super::decoded_len(src), |slots| {
            decode_slots(backend, self, src, slots)
        })
    }
}

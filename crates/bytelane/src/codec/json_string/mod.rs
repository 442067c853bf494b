//! JSON strings: text in quotes, with escapes for what may not stand for itself.
//!
//! [`escape_into`] writes a text as JSON has it; [`unescape_into`] reads one from behind its
//! opening quote up to the closing one, and validates UTF-8 in the same pass; [`scan`] finds that
//! quote, so that a string without escapes can be borrowed.
//!
//! ```
//! use bytelane::json_string;
//!
//! let mut json = Vec::new();
//! json_string::escape_into("say \"hi\"\n", &mut json);
//! assert_eq!(json, br#""say \"hi\"\n""#);
//!
//! let mut text = Vec::new();
//! let consumed = json_string::unescape_into(&json[1..], &mut text)?;
//! assert_eq!(text, b"say \"hi\"\n");
//! assert_eq!(1 + consumed.read, json.len());
//!
//! let scanned = json_string::scan(br#"plain", 17]"#)?;
//! assert_eq!((scanned.text, scanned.escaped), ("plain", false));
//! # Ok::<(), json_string::Error>(())
//! ```
//!
//! **Written**: `"` and `\` behind a backslash; of the characters below U+0020 five as `\b \t \n \f
//! \r` and the others as `\u00xx`, in lower case; all else as it is, so also `/`, DEL and what is
//! not ASCII. **Read**: these, `\/`, `\uXXXX` in either case and surrogate pairs. Control
//! characters as they are, lone surrogates, unknown escapes and bytes that are not UTF-8 are
//! errors; each names its kind and place. serde_json writes the same bytes and accepts the same.
//!
//! The functions in [`bare`] do the same without quotes; those called `_with` take the backend and
//! [`Quotes`]; [`Escaper`] and [`Unescaper`] take a text in pieces. All take time linear in the
//! input.
//!
//! Source: [RFC 8259](https://www.rfc-editor.org/rfc/rfc8259#section-7), section 7;
//! [RFC 3629](https://www.rfc-editor.org/rfc/rfc3629#section-4), section 4.

#[cfg(all(target_arch = "x86_64", target_endian = "little"))]
mod avx2;
#[cfg(all(target_arch = "x86_64", target_endian = "little"))]
mod avx512;
pub mod bare;
mod driver;
mod error;
mod kernel;
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
mod neon;
mod scalar;
#[cfg(all(target_arch = "x86_64", target_endian = "little"))]
mod sse41;
#[cfg(feature = "alloc")]
mod stream;
#[cfg(all(
    any(target_arch = "x86_64", target_arch = "aarch64"),
    target_endian = "little"
))]
mod tables;

#[cfg(all(
    any(target_arch = "x86_64", target_arch = "aarch64"),
    target_endian = "little"
))]
mod utf8;

pub use error::{Error, ErrorKind};
#[cfg(feature = "alloc")]
pub use stream::{Escaper, Unescaper};

use crate::Backend;
use crate::memory::Slot;
#[cfg(feature = "alloc")]
use alloc::{string::String, vec::Vec};

/// Whether a text has quotes around it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Quotes {
    /// Written: both quotes. Read: the input starts behind the opening quote, and reading stops at
    /// the closing one.
    Around,
    /// Written: none. Read: all of the input is the text, and a quote in it must be escaped.
    Without,
}

/// How far a call came.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Consumed {
    /// Bytes of the input, the closing quote included.
    pub read: usize,
    /// Bytes of the result.
    pub written: usize,
}

/// A string as it stands in the input: see [`scan`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scanned<'a> {
    /// What is between the quotes. The closing quote is at `text.len()`.
    pub text: &'a str,
    /// Whether there is an escape in it; if not, `text` is the string itself.
    pub escaped: bool,
}

/// What [`Blocks::survey`] finds out about 256 bytes.
#[derive(Clone, Copy)]
pub(crate) struct Survey {
    /// No byte is special.
    clean: bool,
    /// No byte is above 0x7f.
    ascii: bool,
}

/// Sets of the bytes of a block, one bit each.
#[derive(Clone, Copy)]
pub(crate) struct Classes {
    quotes: u64,
    backslashes: u64,
    controls: u64,
    /// No byte is above 0x7f.
    ascii: bool,
}

/// What instruction sets differ in. A byte is *special* if it cannot stand for itself: `"`, `\` and
/// control characters; it is *long* if its escape has six characters instead of two.
pub(crate) trait Blocks: Copy {
    /// Whether [`escape`](Self::escape) costs more than copying the block once for each special
    /// byte.
    const SHUFFLES_ARE_DEAR: bool = true;

    /// Looks at 256 bytes at once.
    fn survey(self, blocks: &[u8; 256]) -> Survey;

    /// The special bytes of a block.
    fn specials(self, block: &[u8; 64]) -> u64;

    /// The special bytes of 16.
    fn specials16(self, block: &[u8; 16]) -> u16;

    /// Copies up to 64 bytes to as many slots, and returns which are special.
    #[inline(always)]
    fn copy_short(self, from: &[u8], to: &mut [Slot]) -> u64 {
        kernel::copy_short(self, from, to)
    }

    /// Up to 64 bytes, and others behind them.
    #[inline(always)]
    fn pad(self, from: &[u8], with: u8) -> [u8; 64] {
        kernel::pad(from, with)
    }

    /// Writes the front of a block to fewer than 64 slots.
    #[inline(always)]
    fn put(self, block: &[u8; 64], to: &mut [Slot]) {
        kernel::put(block, to);
    }

    /// The long ones of a block's special bytes.
    fn long(self, block: &[u8; 64], specials: u64) -> u64;

    /// Writes a block without long bytes, a backslash before each special one. The rest of the
    /// destination is overwritten.
    fn escape(self, block: &[u8; 64], specials: u64, to: &mut [Slot; 128]);

    /// What matters for reading a string.
    fn classes(self, block: &[u8; 64]) -> Classes;

    /// Writes the bytes of `keep` one after the other, those `behind` a backslash as what they mean
    /// there; the rest of the destination is overwritten. Returns which of the latter mean nothing.
    fn unescape(self, block: &[u8; 64], behind: u64, keep: u64, to: &mut [Slot; 64]) -> u64;

    /// The bytes of a block that UTF-8 does not allow behind those before them, given the four
    /// before the block.
    fn utf8_errors(self, before: [u8; 4], block: &[u8; 64]) -> u64;
}

/// The length in bytes of a text when escaped, both quotes included. (`usize::MAX` for a length
/// beyond that.)
///
/// ```
/// assert_eq!(bytelane::json_string::escaped_len("a\tb"), 6);
/// ```
#[must_use]
pub fn escaped_len(text: &str) -> usize {
    driver::measure(Backend::active(), Quotes::Around, text)
}

/// [`escaped_len`] on a backend of the caller's choice, with quotes or without.
///
/// # Errors
///
/// [`Error::Unavailable`].
pub fn escaped_len_with(backend: Backend, quotes: Quotes, text: &str) -> Result<usize, Error> {
    Ok(driver::measure(driver::available(backend)?, quotes, text))
}

/// Writes a text with its quotes to the start of a slice that has at least [`escaped_len`] bytes,
/// and returns how many they are. Not a byte more than that is needed; what is behind may be
/// overwritten.
///
/// # Errors
///
/// [`Error::Destination`]; the slice holds a part of the result then.
///
/// ```
/// let mut json = [0; 6];
/// assert_eq!(bytelane::json_string::escape_to_slice("a\tb", &mut json)?, 6);
/// assert_eq!(&json, br#""a\tb""#);
/// # Ok::<(), bytelane::json_string::Error>(())
/// ```
#[inline]
pub fn escape_to_slice(text: &str, dst: &mut [u8]) -> Result<usize, Error> {
    driver::write_to_slice(Backend::active(), Quotes::Around, text, dst)
}

/// [`escape_to_slice`] on a backend of the caller's choice, with quotes or without.
///
/// # Errors
///
/// Those of [`escape_to_slice`], and [`Error::Unavailable`].
#[inline]
pub fn escape_to_slice_with(
    backend: Backend,
    quotes: Quotes,
    text: &str,
    dst: &mut [u8],
) -> Result<usize, Error> {
    driver::write_to_slice(driver::available(backend)?, quotes, text, dst)
}

/// Appends a text with its quotes. The text may be larger by up to a factor of six then; memory is
/// reserved for as much of that as there is.
///
/// ```
/// let mut json = b"{\"path\":".to_vec();
/// bytelane::json_string::escape_into(r"C:\temp", &mut json);
/// assert_eq!(json, br#"{"path":"C:\\temp""#);
/// ```
#[cfg(feature = "alloc")]
#[inline]
pub fn escape_into(text: &str, to: &mut Vec<u8>) {
    driver::write_into(Backend::active(), Quotes::Around, text, to);
}

/// [`escape_into`] on a backend of the caller's choice, with quotes or without.
///
/// # Errors
///
/// [`Error::Unavailable`]; nothing has been appended then.
#[cfg(feature = "alloc")]
#[inline]
pub fn escape_into_with(
    backend: Backend,
    quotes: Quotes,
    text: &str,
    to: &mut Vec<u8>,
) -> Result<(), Error> {
    driver::write_into(driver::available(backend)?, quotes, text, to);
    Ok(())
}

/// Reads a string from behind its opening quote to the start of a slice, up to the closing quote.
/// The slice need not be longer than the text is then; what is behind it may be overwritten.
///
/// # Errors
///
/// [`Error::Malformed`] for what is wrong with the string, and where; [`Error::Destination`] if
/// there is nothing wrong but the slice is too short. The slice holds a part of the text then.
///
/// ```
/// let mut text = [0; 4];
/// let consumed = bytelane::json_string::unescape_to_slice(br#"\u00e9\n\/", 17]"#, &mut text)?;
/// assert_eq!((consumed.read, consumed.written), (11, 4));
/// assert_eq!(&text, "é\n/".as_bytes());
/// # Ok::<(), bytelane::json_string::Error>(())
/// ```
#[inline]
pub fn unescape_to_slice(src: &[u8], dst: &mut [u8]) -> Result<Consumed, Error> {
    driver::read_to_slice(Backend::active(), Quotes::Around, src, dst)
}

/// [`unescape_to_slice`] on a backend of the caller's choice, with quotes or without.
///
/// # Errors
///
/// Those of [`unescape_to_slice`], and [`Error::Unavailable`].
#[inline]
pub fn unescape_to_slice_with(
    backend: Backend,
    quotes: Quotes,
    src: &[u8],
    dst: &mut [u8],
) -> Result<Consumed, Error> {
    driver::read_to_slice(driver::available(backend)?, quotes, src, dst)
}

/// Reads a string from behind its opening quote, up to the closing one, and appends the text: valid
/// UTF-8.
///
/// Memory is reserved for as many bytes as the string has in the input.
///
/// # Errors
///
/// [`Error::Malformed`]; nothing has been appended then.
///
/// ```
/// use bytelane::json_string::{self, Error, ErrorKind};
///
/// let mut text = Vec::new();
/// json_string::unescape_into(br#"\ud83d\ude00""#, &mut text)?;
/// assert_eq!(text, "😀".as_bytes());
///
/// let error = json_string::unescape_into(br#"ab\ud83d""#, &mut text).unwrap_err();
/// assert_eq!(error, Error::Malformed { kind: ErrorKind::LoneSurrogate, offset: 2 });
/// # Ok::<(), Error>(())
/// ```
#[cfg(feature = "alloc")]
#[inline]
pub fn unescape_into(src: &[u8], to: &mut Vec<u8>) -> Result<Consumed, Error> {
    driver::read_into(Backend::active(), Quotes::Around, src, to)
}

/// [`unescape_into`] a `String`: the text has been validated, once.
///
/// # Errors
///
/// Those of [`unescape_into`].
///
/// ```
/// use bytelane::json_string;
///
/// let mut text = String::from("one ");
/// json_string::unescape_into_string(br#"t\u0077o", "three"#, &mut text)?;
/// assert_eq!(text, "one two");
/// # Ok::<(), json_string::Error>(())
/// ```
#[cfg(feature = "alloc")]
#[inline]
pub fn unescape_into_string(src: &[u8], to: &mut String) -> Result<Consumed, Error> {
    crate::memory::append_text(to, |bytes| unescape_into(src, bytes))
}

/// [`unescape_into`] on a backend of the caller's choice, with quotes or without.
///
/// # Errors
///
/// Those of [`unescape_into`], and [`Error::Unavailable`].
#[cfg(feature = "alloc")]
#[inline]
pub fn unescape_into_with(
    backend: Backend,
    quotes: Quotes,
    src: &[u8],
    to: &mut Vec<u8>,
) -> Result<Consumed, Error> {
    driver::read_into(driver::available(backend)?, quotes, src, to)
}

/// Finds the closing quote of a string from behind its opening one, and validates UTF-8 on the
/// way. Escapes are not looked into: [`unescape_into`] tells whether they are right.
///
/// # Errors
///
/// [`Error::Malformed`], of any kind but those of escapes.
///
/// ```
/// use bytelane::json_string::scan;
///
/// let scanned = scan(br#"a\"b", "c"]"#)?;
/// assert_eq!((scanned.text, scanned.escaped), (r#"a\"b"#, true));
/// # Ok::<(), bytelane::json_string::Error>(())
/// ```
#[inline]
pub fn scan(src: &[u8]) -> Result<Scanned<'_>, Error> {
    driver::find_end(Backend::active(), src)
}

/// [`scan`] on a backend of the caller's choice.
///
/// # Errors
///
/// Those of [`scan`], and [`Error::Unavailable`].
#[inline]
pub fn scan_with(backend: Backend, src: &[u8]) -> Result<Scanned<'_>, Error> {
    driver::find_end(driver::available(backend)?, src)
}

//! JSON strings: text in quotes, with escapes for the characters that need one.
//!
//! [`QUOTED`] is a string as it appears in JSON, [`BARE`] is only the text between the quotes. Both
//! are [`Format`]s: [`escape`](Format::escape) and its variants write a text,
//! [`unescape`](Format::unescape) and its variants read one and validate UTF-8 in the same pass.
//! [`escape_bytes`](Format::escape_bytes) writes bytes that need not be text, and [`scan`] finds
//! the closing quote, so that you can borrow a string without escapes.
//!
//! ```
//! use bytelane::json_string::{self, QUOTED};
//!
//! let json = QUOTED.escape_to_string("say \"hi\"\n");
//! assert_eq!(json, r#""say \"hi\"\n""#);
//!
//! // Reading starts after the opening quote and stops after the closing one.
//! let (text, read) = QUOTED.unescape_to_string(&json.as_bytes()[1..])?;
//! assert_eq!(text, "say \"hi\"\n");
//! assert_eq!(1 + read, json.len());
//!
//! let scanned = json_string::scan(br#"plain", 17]"#)?;
//! assert_eq!((scanned.text, scanned.escaped), ("plain", false));
//! # Ok::<(), json_string::Error>(())
//! ```
//!
//! **Written**: `"` and `\` after a backslash; five of the characters below U+0020 as
//! `\b \t \n \f \r` and the others as `\u00xx`, in lowercase; everything else unchanged, including
//! `/`, DEL and characters outside ASCII. **Read**: all of these, `\/`, `\uXXXX` in either case and
//! surrogate pairs. Unescaped control characters, lone surrogates, unknown escapes and bytes that
//! are not UTF-8 are errors that report a kind and an offset. serde_json writes the same bytes and
//! accepts the same input.
//!
//! With the feature `alloc`, `Escaper` and `Unescaper` handle a text in pieces. All functions take
//! time linear in the input.
//!
//! Source: [RFC 8259](https://www.rfc-editor.org/rfc/rfc8259#section-7), section 7;
//! [RFC 3629](https://www.rfc-editor.org/rfc/rfc3629#section-4), section 4.

mod arch;
mod claims;
mod driver;
mod error;
mod kernel;
mod scalar;
mod short;
#[cfg(feature = "alloc")]
mod stream;
mod tables;
#[cfg(test)]
mod tests;

pub use error::{Error, ErrorKind};
#[cfg(feature = "alloc")]
pub use stream::{Escaper, Unescaper};

#[cfg(feature = "alloc")]
use crate::Buffer;
use crate::codec::utf8;
use crate::memory::{self, Each, Slot};
use crate::simd::{window, window_mut};
use crate::{Destination, DestinationError, Detected};
#[cfg(feature = "alloc")]
use alloc::string::String;
pub(crate) use driver::{Escape, EscapeBytes, Scan, Unescape};
#[cfg(feature = "alloc")]
pub(crate) use driver::{EscapeFront, EscapeRest, Plain, PlainFront};

/// Format of a text: [`QUOTED`] or [`BARE`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Format {
    quotes: bool,
}

/// Text in quotes. Writing adds both quotes; reading starts after the opening quote and stops after
/// the closing one.
pub const QUOTED: Format = Format { quotes: true };

/// Text without quotes around it. Reading consumes all of the input, and a quote in it must be
/// escaped.
pub const BARE: Format = Format { quotes: false };

/// Numbers of bytes that a call has read and written.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Consumed {
    /// Number of bytes of the input, including the closing quote.
    pub read: usize,
    /// Number of bytes of the result.
    pub written: usize,
}

/// String as it appears in the input: see [`scan`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scanned<'a> {
    /// The input between the quotes. The closing quote is at `text.len()`.
    pub text: &'a str,
    /// True if `text` contains an escape. If not, `text` is the decoded string.
    pub escaped: bool,
}

/// Quotes that a piece of a string begins and ends with: one number, which takes one register.
#[derive(Clone, Copy)]
pub(crate) struct Quotes(u8);

impl Quotes {
    const NONE: Self = Self(0);

    #[inline(always)]
    fn new(opening: bool, closing: bool) -> Self {
        Self(u8::from(opening) | u8::from(closing) << 1)
    }

    /// Returns the number of opening quotes.
    #[inline(always)]
    fn opening(self) -> usize {
        usize::from(self.0 & 1)
    }

    /// Returns the number of closing quotes.
    #[inline(always)]
    fn closing(self) -> usize {
        usize::from(self.0 >> 1)
    }

    /// Returns the number of quotes.
    #[inline(always)]
    fn count(self) -> usize {
        self.opening() + self.closing()
    }

    /// Writes the opening quote. Returns its length.
    #[inline(always)]
    fn open(self, to: &mut [Slot]) -> usize {
        if self.opening() > 0 {
            to[0] = Slot::new(b'"');
        }
        self.opening()
    }

    /// Writes the closing quote. Returns where it ends; `None` if it does not fit.
    #[inline(always)]
    fn close(self, to: &mut [Slot], at: usize) -> Option<usize> {
        if self.closing() > 0 {
            *to.get_mut(at)? = Slot::new(b'"');
        }
        Some(at + self.closing())
    }
}

/// Result of [`Blocks::survey`] for 256 bytes.
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

/// Operation for short texts, which instructions provide that every CPU has. A byte is *special* if it
/// needs an escape: `"`, `\` and control characters.
pub(crate) trait Short: Copy {
    /// Returns whether no byte is special.
    fn is_plain(self, blocks: &[[u8; 16]]) -> bool;
}

/// Operations that each instruction set provides. A special byte is *long* if its escape has six
/// characters instead of two.
pub(crate) trait Blocks: utf8::Steps {
    /// True if [`unescape`](Self::unescape) costs more than copying the block once for each escape.
    const SHUFFLES_ARE_DEAR: bool = true;

    /// True if long runs without special bytes are stored from a cache line on. Otherwise, loads and stores begin where
    /// the text and its place do.
    const STORES_TO_LINES: bool = false;

    /// Examines 256 bytes at once.
    fn survey(self, blocks: &[u8; 256]) -> Survey;

    /// Copies 256 bytes if none is special, or else a part from the front in which none is. Returns its length.
    #[inline(always)]
    fn copy_if_clean(self, blocks: &[u8; 256], to: &mut [Slot; 256]) -> usize {
        kernel::copy_if_clean(self, blocks, to)
    }

    /// Returns the special bytes of a block.
    fn specials(self, block: &[u8; 64]) -> u64;

    /// Returns the special bytes of a 16-byte block.
    fn specials16(self, block: &[u8; 16]) -> u16;

    /// Returns the special bytes of a 32-byte block.
    #[inline(always)]
    fn specials32(self, block: &[u8; 32]) -> u32 {
        let [low, high] = [0, 16].each(|at| u32::from(self.specials16(window(block, at))));
        low | high << 16
    }

    /// Escapes a text of up to 64 bytes: see [`kernel::escape_front_short`].
    fn escape_front_short(self, src: &[u8], dst: &mut [Slot], quotes: Quotes) -> Consumed;

    /// Escapes the part of a text that fits, from `done` on: see [`kernel::escape`].
    fn escape_after(self, src: &[u8], dst: &mut [Slot], done: Consumed, quotes: Quotes)
    -> Consumed;

    /// Escapes a part with many special bytes: see [`kernel::escape_dense`].
    fn escape_dense(self, src: &[u8], dst: &mut [Slot], done: Consumed) -> Consumed;

    /// Returns the special bytes of up to 64 bytes.
    #[inline(always)]
    fn specials_short(self, from: &[u8]) -> u64 {
        kernel::specials_short(self, from)
    }

    /// Pads up to 64 bytes with another byte.
    #[inline(always)]
    fn pad(self, from: &[u8], with: u8) -> [u8; 64] {
        kernel::pad(from, with)
    }

    /// Copies a block.
    fn copy(self, block: &[u8; 64], to: &mut [Slot; 64]);

    /// Returns the subset of a block's special bytes that are long.
    fn long(self, block: &[u8; 64], specials: u64) -> u64;

    /// Writes a block without long bytes, with a backslash before each special one. Overwrites the
    /// rest of the destination.
    fn escape(self, block: &[u8; 64], specials: u64, to: &mut [Slot; 128]);

    /// Does the same for a block with few special bytes, and returns their number; `None` if these are too many or too late
    /// in the block, one is long, or there is no faster way than to copy what follows each one again.
    #[inline(always)]
    fn escape_few(self, _block: &[u8; 64], _specials: u64, _to: &mut [Slot; 128]) -> Option<usize> {
        None
    }

    /// Writes eight bytes with a backslash before each special one, and returns the set of long ones. Overwrites
    /// the rest of the destination.
    fn escape8(self, bytes: u64, specials: u8, to: &mut [Slot; 16]) -> u8;

    /// Does the same for 16 bytes.
    #[inline(always)]
    fn escape16(self, block: &[u8; 16], specials: u16, to: &mut [Slot; 32]) -> u16 {
        let [low, high] = memory::pair(block);
        let [first, second] = specials.to_le_bytes();
        let at = 8 + first.count_ones() as usize;
        let long = [
            self.escape8(low, first, window_mut(to, 0)),
            self.escape8(high, second, window_mut(to, at)),
        ];
        u16::from_le_bytes(long)
    }

    /// Does the same as [`escape`](Self::escape) for a text of up to 64 bytes, and returns the set of long ones.
    /// The result is right up to the first of them.
    #[inline(always)]
    fn escape_short(self, src: &[u8], specials: u64, to: &mut [Slot; 128]) -> u64 {
        kernel::escape_short(self, src, specials, to)
    }

    /// Returns the classes of bytes that matter for reading a string.
    fn classes(self, block: &[u8; 64]) -> Classes;

    /// Writes the bytes of `keep` one after the other, and replaces those after a backslash
    /// (`behind`) with their meaning. Overwrites the rest of the destination. Returns the set of
    /// bytes after a backslash that have no meaning.
    fn unescape(self, block: &[u8; 64], behind: u64, keep: u64, to: &mut [Slot; 64]) -> u64;

    /// Decodes blocks with few escapes, and returns whether the last ones have none: see
    /// [`kernel::unescape_sparse`]. Only called if [`SHUFFLES_ARE_DEAR`](Self::SHUFFLES_ARE_DEAR).
    fn unescape_sparse(self, _src: &[u8], _dst: &mut [Slot], _done: &mut Consumed) -> bool {
        false
    }
}

impl Format {
    /// Returns the length in bytes of a text when escaped, including quotes; `usize::MAX` if it
    /// does not fit in a `usize`.
    ///
    /// ```
    /// use bytelane::json_string::{BARE, QUOTED};
    ///
    /// assert_eq!(QUOTED.escaped_len("a\tb"), 6);
    /// assert_eq!(BARE.escaped_len("a\tb"), 4);
    /// ```
    #[must_use]
    pub fn escaped_len(self, text: &str) -> usize {
        driver::escaped_len(text, self.quotes(), Detected::active())
    }

    /// Writes a text to the front of `dst`. Returns the number of bytes,
    /// [`escaped_len`](Self::escaped_len). Bytes after the result may be overwritten.
    ///
    /// # Errors
    ///
    /// [`DestinationError`] if `dst` is shorter than that.
    ///
    /// ```
    /// let mut json = [0; 6];
    /// assert_eq!(bytelane::json_string::QUOTED.escape("a\tb", &mut json)?, 6);
    /// assert_eq!(&json, br#""a\tb""#);
    /// # Ok::<(), bytelane::DestinationError>(())
    /// ```
    #[inline]
    pub fn escape(self, text: &str, dst: &mut [u8]) -> Result<usize, DestinationError> {
        let written = self.escape_with(Detected::active(), text, dst)?;
        Ok(written.len())
    }

    /// Same as [`escape`](Self::escape), on a backend of the caller's choice, into memory that need
    /// not be initialised. Returns the text written.
    ///
    /// # Errors
    ///
    /// The same as [`escape`](Self::escape).
    #[inline]
    pub fn escape_with<'a>(
        self,
        backend: Detected,
        text: &str,
        dst: impl Into<Destination<'a, u8>>,
    ) -> Result<&'a mut str, DestinationError> {
        driver::escape(self, text, dst.into(), backend)
    }

    /// Same as [`escape`](Self::escape), for bytes that need not be text. Takes less time than
    /// validating them first.
    ///
    /// # Errors
    ///
    /// [`Error`] of the kind [`ErrorKind::UnexpectedEnd`] if the bytes end within a character, or
    /// [`ErrorKind::InvalidUtf8`] for other bytes that are not UTF-8; or if the bytes are UTF-8 and
    /// `dst` is too short.
    ///
    /// ```
    /// use bytelane::json_string::{ErrorKind, QUOTED};
    ///
    /// let mut json = [0; 8];
    /// assert_eq!(QUOTED.escape_bytes(b"caf\xc3\xa9", &mut json)?, 7);
    /// assert_eq!(&json[..7], "\"café\"".as_bytes());
    ///
    /// let error = QUOTED.escape_bytes(b"caf\xe9!", &mut json).unwrap_err();
    /// assert_eq!((error.kind(), error.offset()), (ErrorKind::InvalidUtf8, Some(3)));
    /// # Ok::<(), bytelane::json_string::Error>(())
    /// ```
    #[inline]
    pub fn escape_bytes(self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        let written = self.escape_bytes_with(Detected::active(), src, dst)?;
        Ok(written.len())
    }

    /// Same as [`escape_bytes`](Self::escape_bytes), on a backend of the caller's choice, into
    /// memory that may be uninitialised. Returns the text written.
    ///
    /// # Errors
    ///
    /// The same as [`escape_bytes`](Self::escape_bytes).
    #[inline]
    pub fn escape_bytes_with<'a>(
        self,
        backend: Detected,
        src: &[u8],
        dst: impl Into<Destination<'a, u8>>,
    ) -> Result<&'a mut str, Error> {
        driver::escape_bytes(self, src, dst.into(), backend)
    }

    /// Same as [`escape`](Self::escape), but appends to a `String` or a `Vec<u8>`. Returns the
    /// length of the result.
    ///
    /// Reserves the length of the text, and more only when escapes make the result longer.
    ///
    /// ```
    /// let mut json = b"{\"path\":".to_vec();
    /// assert_eq!(bytelane::json_string::QUOTED.escape_append(r"C:\temp", &mut json), 10);
    /// assert_eq!(json, br#"{"path":"C:\\temp""#);
    /// ```
    #[cfg(feature = "alloc")]
    #[inline]
    pub fn escape_append(self, text: &str, to: &mut impl Buffer) -> usize {
        if self.quotes {
            return driver::escape_append_quoted(text, to.appender());
        }
        driver::escape_append(text, self.quotes(), to.appender(), Detected::active())
    }

    /// Same as [`escape`](Self::escape), but returns a new `String`.
    ///
    /// ```
    /// assert_eq!(bytelane::json_string::BARE.escape_to_string("a\tb"), r"a\tb");
    /// ```
    #[cfg(feature = "alloc")]
    #[must_use]
    #[inline]
    pub fn escape_to_string(self, text: &str) -> String {
        let mut json = String::new();
        self.escape_append(text, &mut json);
        json
    }

    /// Reads a text to the front of `dst`, which need not be longer than the text. Bytes after the
    /// text may be overwritten. [`QUOTED`] starts after the opening quote of a string and stops
    /// after the closing one; [`BARE`] consumes all of `src`.
    ///
    /// # Errors
    ///
    /// [`Error`] for the first malformed part of the string; or if `dst` is shorter than the text
    /// and the string is well formed.
    ///
    /// ```
    /// use bytelane::json_string::QUOTED;
    ///
    /// let mut text = [0; 4];
    /// let consumed = QUOTED.unescape(br#"\u00e9\n\/", 17]"#, &mut text)?;
    /// assert_eq!((consumed.read, consumed.written), (11, 4));
    /// assert_eq!(&text, "é\n/".as_bytes());
    /// # Ok::<(), bytelane::json_string::Error>(())
    /// ```
    #[inline]
    pub fn unescape(self, src: &[u8], dst: &mut [u8]) -> Result<Consumed, Error> {
        let (text, read) = self.unescape_with(Detected::active(), src, dst)?;
        let written = text.len();
        Ok(Consumed { read, written })
    }

    /// Same as [`unescape`](Self::unescape), on a backend of the caller's choice, into memory that
    /// need not be initialised. Returns the text and the number of bytes read.
    ///
    /// # Errors
    ///
    /// The same as [`unescape`](Self::unescape).
    #[inline]
    pub fn unescape_with<'a>(
        self,
        backend: Detected,
        src: &[u8],
        dst: impl Into<Destination<'a, u8>>,
    ) -> Result<(&'a mut str, usize), Error> {
        driver::unescape(self, src, dst.into(), backend)
    }

    /// Same as [`unescape`](Self::unescape), but appends to a `String` or a `Vec<u8>`.
    ///
    /// Reserves about as much memory as the string takes in the input.
    ///
    /// # Errors
    ///
    /// [`Error`] if the string is malformed; nothing is appended then.
    ///
    /// ```
    /// use bytelane::json_string::{ErrorKind, QUOTED};
    ///
    /// let mut text = String::from("one ");
    /// QUOTED.unescape_append(br#"\ud83d\ude00", "two"#, &mut text)?;
    /// assert_eq!(text, "one 😀");
    ///
    /// let error = QUOTED.unescape_append(br#"ab\ud83d""#, &mut text).unwrap_err();
    /// assert_eq!((error.kind(), error.offset()), (ErrorKind::LoneSurrogate, Some(2)));
    /// # Ok::<(), bytelane::json_string::Error>(())
    /// ```
    #[cfg(feature = "alloc")]
    #[inline]
    pub fn unescape_append(self, src: &[u8], to: &mut impl Buffer) -> Result<Consumed, Error> {
        driver::unescape_append(self, src, to.appender(), Detected::active())
    }

    /// Same as [`unescape`](Self::unescape), but returns a new `String`. Returns it and the number
    /// of bytes read.
    ///
    /// # Errors
    ///
    /// [`Error`] if the string is malformed.
    ///
    /// ```
    /// use bytelane::json_string::BARE;
    ///
    /// assert_eq!(BARE.unescape_to_string(br"a\tb")?, ("a\tb".to_string(), 4));
    /// # Ok::<(), bytelane::json_string::Error>(())
    /// ```
    #[cfg(feature = "alloc")]
    #[inline]
    pub fn unescape_to_string(self, src: &[u8]) -> Result<(String, usize), Error> {
        driver::unescape_to_string(self, src, Detected::active())
    }

    /// Returns the quotes around a whole text.
    #[inline]
    fn quotes(self) -> Quotes {
        Quotes::new(self.quotes, self.quotes)
    }
}

/// Finds the closing quote of a string, and validates UTF-8 on the way. `src` starts after the
/// opening quote. Escapes are not checked: [`unescape`](Format::unescape) does that.
///
/// # Errors
///
/// [`Error`] of any kind that does not concern escapes.
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
    scan_with(Detected::active(), src)
}

#[inline]
fn scan_with(backend: Detected, src: &[u8]) -> Result<Scanned<'_>, Error> {
    let (text, escaped) = memory::prefix(Scan { backend }, src)?;
    Ok(Scanned { text, escaped })
}

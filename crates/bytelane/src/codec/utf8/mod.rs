//! UTF-8 validation: checks that bytes are text, and finds where they stop being text.
//!
//! [`validate`] does what [`core::str::from_utf8`] does, and reports the same errors.
//! [`Validator`] does it for an input in pieces.
//!
//! ```
//! use bytelane::utf8;
//!
//! assert_eq!(utf8::validate(b"caf\xc3\xa9")?, "café");
//!
//! let error = utf8::validate(b"caf\xe9!").unwrap_err();
//! assert_eq!((error.valid_up_to(), error.error_len()), (3, Some(1)));
//! # Ok::<(), utf8::Error>(())
//! ```
//!
//! All functions take time linear in the input.
//!
//! Source: [RFC 3629](https://www.rfc-editor.org/rfc/rfc3629#section-4), section 4.

mod arch;
mod claims;
mod error;
mod kernel;
pub(crate) mod scalar;
mod short;
mod stream;
mod tables;
#[cfg(test)]
mod tests;

pub use error::{Error, ErrorKind};
pub(crate) use kernel::beginning;
pub use stream::Validator;

use crate::Detected;
use crate::backend::dispatch;
use crate::memory::{self, Validate};
use core::convert::Infallible;

/// Number of bytes to validate at once. Testing each block of 64 would cost a misprediction in text
/// with few non-ASCII characters.
pub(crate) const GROUP: usize = 256;

/// Caller that validates groups: each has a copy of the step. An inlined step takes 4% less time.
/// The compiler inlines it only if there is a single call, and which calls it sees together depends
/// on everything else in the crate.
pub(crate) trait Caller {
    /// True if the bytes are also written elsewhere. Then vectors of 64 bytes load the bytes one,
    /// two and three positions earlier for the first block of a group only, and shuffle them for the
    /// others: each such load crosses a cache line, and waits for two of them in large inputs.
    #[cfg_attr(
        not(all(target_arch = "x86_64", feature = "avx512")),
        allow(dead_code, reason = "only these vectors are as long as a cache line")
    )]
    const COPIES: bool;
}

/// [`validate`], and all callers that are not one of the others.
pub(crate) struct Validation;
impl Caller for Validation {
    const COPIES: bool = false;
}

/// Reading of JSON strings.
pub(crate) struct Unescaping;
impl Caller for Unescaping {
    const COPIES: bool = true;
}

/// Writing of JSON strings.
pub(crate) struct Copying;
impl Caller for Copying {
    const COPIES: bool = true;
}

/// Operations that each instruction set provides.
pub(crate) trait Steps: Copy {
    /// Returns whether all bytes are ASCII.
    fn is_ascii(self, blocks: &[[u8; 64]]) -> bool;

    /// Returns whether UTF-8 allows the bytes of a group after the three bytes before it. The last
    /// character may be incomplete.
    fn is_valid_group<C: Caller>(self, window: &[u8; 3 + GROUP]) -> bool;

    /// The same for a block.
    fn is_valid_block(self, window: &[u8; 3 + 64]) -> bool;

    /// The same for a block at the start.
    #[inline(always)]
    fn is_valid_first(self, block: &[u8; 64]) -> bool {
        self.errors(0, block) == 0
    }

    /// The same for all bytes from an offset on, which is at least 64.
    #[inline(always)]
    fn are_valid_blocks(self, src: &[u8], at: usize) -> bool {
        kernel::are_valid_blocks(self, src, at)
    }

    /// The same for a vector of 16.
    fn is_valid_vector(self, window: &[u8; 3 + 16]) -> bool;

    /// The same for a vector that is not in memory, given the four bytes before it.
    fn is_valid16(self, before: u32, vector: [u64; 2]) -> bool;

    /// Returns whether up to 18 bytes are text.
    #[inline(always)]
    fn is_text18(self, from: &[u8]) -> bool {
        kernel::is_text18(self, from)
    }

    /// Returns whether 19 to 64 bytes are text.
    #[inline(always)]
    fn is_text64(self, from: &[u8]) -> bool {
        kernel::is_text64(self, from)
    }

    /// Returns the bytes of a block that UTF-8 does not allow after the bytes before them, given
    /// the four bytes before the block.
    fn errors(self, before: u32, block: &[u8; 64]) -> u64;
}

dispatch! {
    fn is_text18(src: &[u8]) -> bool = Steps::is_text18, or scalar::is_text;
    fn is_text64(src: &[u8]) -> bool = Steps::is_text64, or scalar::is_text;
    fn text_up_to_long(src: &[u8]) -> usize = kernel::valid_up_to, or scalar::valid_up_to;
    fn is_ascii_blocks(src: &[u8]) -> bool = kernel::is_ascii, or scalar::is_ascii;
    fn count(src: &[u8]) -> usize = kernel::count_chars, or scalar::count_chars;
}

/// Returns the bytes as text.
///
/// # Errors
///
/// [`Error`] if they are not UTF-8, with the offset and the length of the first error.
///
/// ```
/// use bytelane::utf8::{self, ErrorKind};
///
/// assert_eq!(utf8::validate("größer".as_bytes())?, "größer");
/// let error = utf8::validate(b"ab\xe2\x82").unwrap_err();
/// assert_eq!((error.kind(), error.valid_up_to()), (ErrorKind::UnexpectedEnd, 2));
/// # Ok::<(), utf8::Error>(())
/// ```
#[inline(always)]
pub fn validate(src: &[u8]) -> Result<&str, Error> {
    validate_with(Detected::active(), src)
}

/// Same as [`validate`], on a backend of the caller's choice.
///
/// # Errors
///
/// The same as [`validate`].
#[inline(always)]
pub fn validate_with(backend: Detected, src: &[u8]) -> Result<&str, Error> {
    let Ok((text, ())) = memory::prefix(Front { backend }, src);
    if text.len() == src.len() {
        Ok(text)
    } else {
        Err(fault(src, text.len()))
    }
}

/// Returns the length of the longest text at the front, in bytes.
///
/// ```
/// assert_eq!(bytelane::utf8::valid_up_to(b"caf\xc3\xa9\xff!"), 5);
/// ```
#[must_use]
#[inline(always)]
pub fn valid_up_to(src: &[u8]) -> usize {
    valid_up_to_with(Detected::active(), src)
}

/// Same as [`valid_up_to`], on a backend of the caller's choice.
#[must_use]
#[inline(always)]
pub fn valid_up_to_with(backend: Detected, src: &[u8]) -> usize {
    match src.len() {
        // A kernel with masks needs no branch on the length, which is hard to predict.
        _ if backend.masks_bytes() => text_up_to(src, backend),
        0..=16 if short::is_ascii(src) => src.len(),
        3..=5 if short::has_one_character(src) => src.len(),
        _ => text_up_to(src, backend),
    }
}

/// Same as [`valid_up_to_with`], without the shortcuts.
#[inline(always)]
fn text_up_to(src: &[u8], backend: Detected) -> usize {
    let is_text = match src.len() {
        0..=18 if !backend.masks_bytes() => is_text18(src, backend),
        0..=64 => is_text64(src, backend),
        _ => return text_up_to_long(src, backend),
    };
    if is_text {
        src.len()
    } else {
        scalar::valid_up_to(src)
    }
}

/// Returns whether all bytes are ASCII.
///
/// ```
/// assert!(bytelane::utf8::is_ascii(b"small string"));
/// assert!(!bytelane::utf8::is_ascii("größer".as_bytes()));
/// ```
#[must_use]
#[inline]
pub fn is_ascii(src: &[u8]) -> bool {
    is_ascii_with(Detected::active(), src)
}

/// Same as [`is_ascii`], on a backend of the caller's choice.
#[must_use]
#[inline]
pub fn is_ascii_with(backend: Detected, src: &[u8]) -> bool {
    if src.len() <= 32 {
        short::is_ascii(src)
    } else {
        is_ascii_blocks(src, backend)
    }
}

/// Returns the number of characters of a text: the same as `text.chars().count()`.
///
/// ```
/// assert_eq!(bytelane::utf8::count_chars("größer"), 6);
/// ```
#[must_use]
#[inline]
pub fn count_chars(text: &str) -> usize {
    count_chars_with(Detected::active(), text)
}

/// Same as [`count_chars`], on a backend of the caller's choice.
#[must_use]
#[inline]
pub fn count_chars_with(backend: Detected, text: &str) -> usize {
    count(text.as_bytes(), backend)
}

/// Returns the error for an input whose longest text is `at` bytes long.
#[cold]
pub(crate) fn fault(src: &[u8], at: usize) -> Error {
    let kind = scalar::next(&src[at..]).err();
    Error::at(at, kind.unwrap_or(ErrorKind::UnexpectedEnd))
}

/// Finds the longest text at the front of an input.
pub(crate) struct Front {
    pub(crate) backend: Detected,
}

impl Validate for Front {
    type Done = ();
    type Error = Infallible;

    #[inline(always)]
    fn validate(self, src: &[u8]) -> Result<(usize, ()), Infallible> {
        Ok((valid_up_to_with(self.backend, src), ()))
    }
}

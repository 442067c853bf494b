//! The same without quotes: for a text that stands by itself.

use super::{Consumed, Error, Quotes, driver};
use crate::Backend;
#[cfg(feature = "alloc")]
use alloc::vec::Vec;

/// The length in bytes of a text when escaped, without quotes.
///
/// ```
/// assert_eq!(bytelane::json_string::bare::escaped_len("a\tb"), 4);
/// ```
#[must_use]
pub fn escaped_len(text: &str) -> usize {
    driver::measure(Backend::active(), Quotes::Without, text)
}

/// [`escape_to_slice`](super::escape_to_slice) without quotes.
///
/// # Errors
///
/// [`Error::Destination`]; the slice holds a part of the result then.
///
/// ```
/// let mut json = [0; 4];
/// assert_eq!(bytelane::json_string::bare::escape_to_slice("a\tb", &mut json)?, 4);
/// assert_eq!(&json, br"a\tb");
/// # Ok::<(), bytelane::json_string::Error>(())
/// ```
#[inline]
pub fn escape_to_slice(text: &str, dst: &mut [u8]) -> Result<usize, Error> {
    driver::write_to_slice(Backend::active(), Quotes::Without, text, dst)
}

/// [`escape_into`](super::escape_into) without quotes.
///
/// ```
/// let mut json = Vec::new();
/// bytelane::json_string::bare::escape_into(r"C:\temp", &mut json);
/// assert_eq!(json, br"C:\\temp");
/// ```
#[cfg(feature = "alloc")]
#[inline]
pub fn escape_into(text: &str, to: &mut Vec<u8>) {
    driver::write_into(Backend::active(), Quotes::Without, text, to);
}

/// [`unescape_to_slice`](super::unescape_to_slice) of an input that is all text.
///
/// # Errors
///
/// [`Error::Malformed`], also for a quote that is not escaped; [`Error::Destination`].
///
/// ```
/// let mut text = [0; 3];
/// bytelane::json_string::bare::unescape_to_slice(br"a\tb", &mut text)?;
/// assert_eq!(&text, b"a\tb");
/// # Ok::<(), bytelane::json_string::Error>(())
/// ```
#[inline]
pub fn unescape_to_slice(src: &[u8], dst: &mut [u8]) -> Result<Consumed, Error> {
    driver::read_to_slice(Backend::active(), Quotes::Without, src, dst)
}

/// [`unescape_into`](super::unescape_into) of an input that is all text.
///
/// # Errors
///
/// [`Error::Malformed`], also for a quote that is not escaped; nothing has been appended then.
///
/// ```
/// let mut text = Vec::new();
/// bytelane::json_string::bare::unescape_into(br"a\tb", &mut text)?;
/// assert_eq!(text, b"a\tb");
/// # Ok::<(), bytelane::json_string::Error>(())
/// ```
#[cfg(feature = "alloc")]
#[inline]
pub fn unescape_into(src: &[u8], to: &mut Vec<u8>) -> Result<Consumed, Error> {
    driver::read_into(Backend::active(), Quotes::Without, src, to)
}

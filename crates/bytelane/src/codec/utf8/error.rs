//! Errors in text: offset and cause.

use core::fmt;

/// Error for bytes that are not UTF-8, or for an incomplete character at the end.
///
/// [`valid_up_to`](Error::valid_up_to) and [`error_len`](Error::error_len) return the same as in
/// [`core::str::Utf8Error`]. For both kinds, the offset is that of the first byte after the valid
/// text.
pub type Error = crate::Error<ErrorKind>;

/// Kind of error: a violation of RFC 3629.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input ends within a character.
    UnexpectedEnd,
    /// Bytes that no character begins with: an overlong form, a surrogate, a value above U+10FFFF,
    /// a misplaced byte, or a character cut off by the next one.
    InvalidUtf8 {
        /// Number of such bytes before the next possible start of a character: 1 to 3.
        length: u8,
    },
}

impl crate::Error<ErrorKind> {
    /// Returns the length of the valid text before the error, in bytes.
    ///
    /// ```
    /// let error = bytelane::utf8::validate(b"caf\xc3\xff").unwrap_err();
    /// assert_eq!((error.valid_up_to(), error.error_len()), (3, Some(1)));
    /// ```
    #[must_use]
    #[inline]
    pub fn valid_up_to(&self) -> usize {
        // Each error of this codec has an offset.
        self.offset().unwrap_or(usize::MAX)
    }

    /// Returns the number of bytes to skip before the next character may begin: 1 to 3. `None` if
    /// the input ends within a character, so that more input could complete it.
    #[must_use]
    #[inline]
    pub fn error_len(&self) -> Option<usize> {
        match self.kind() {
            ErrorKind::UnexpectedEnd => None,
            ErrorKind::InvalidUtf8 { length } => Some(usize::from(length)),
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnexpectedEnd => "the input ends within a character",
            Self::InvalidUtf8 { .. } => "invalid UTF-8",
        })
    }
}

//! Texts in pieces, which may be split anywhere, even within a character.

use super::{Error, ErrorKind, fault, scalar, valid_up_to_with};
use crate::Detected;

/// Validates a text that arrives in pieces. Between them, it keeps at most an incomplete character.
///
/// After its first error it returns that error from every call.
///
/// ```
/// use bytelane::utf8::Validator;
///
/// let mut validator = Validator::new();
/// validator.push(b"caf\xc3")?;
/// validator.push(b"\xa9")?;
/// validator.finish()?;
///
/// let mut validator = Validator::new();
/// validator.push(b"caf\xc3")?;
/// let error = validator.push(b"!").unwrap_err();
/// assert_eq!((error.valid_up_to(), error.error_len()), (3, Some(1)));
/// # Ok::<(), bytelane::utf8::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Validator {
    backend: Detected,
    /// Beginning of a character, and its length.
    held: [u8; 4],
    length: usize,
    /// Length of the text before it; `usize::MAX` if it is longer.
    pub(super) valid: usize,
    /// First error, which all later calls return.
    so_far: Result<(), Error>,
}

impl Validator {
    /// Starts a text.
    #[must_use]
    pub fn new() -> Self {
        Self::new_with(Detected::active())
    }

    /// Same as [`new`](Self::new), on a backend of the caller's choice.
    #[must_use]
    pub fn new_with(backend: Detected) -> Self {
        Self {
            backend,
            held: [0; 4],
            length: 0,
            valid: 0,
            so_far: Ok(()),
        }
    }

    /// Validates the next piece. Takes time linear in its length.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidUtf8`], with the offset from the start of the text, or the error of an
    /// earlier call. A character that continues in the next piece is not an error.
    pub fn push(&mut self, piece: &[u8]) -> Result<(), Error> {
        self.so_far?;
        self.so_far = self.check(piece);
        self.so_far
    }

    fn check(&mut self, mut piece: &[u8]) -> Result<(), Error> {
        while self.length > 0
            && let Some((&byte, rest)) = piece.split_first()
        {
            self.held[self.length] = byte;
            self.length += 1;
            piece = rest;
            match scalar::next(&self.held[..self.length]) {
                Ok(_) => {
                    self.valid = self.valid.saturating_add(self.length);
                    self.length = 0;
                }
                Err(ErrorKind::UnexpectedEnd) => {}
                Err(kind) => return Err(Error::at(0, kind).behind(self.valid)),
            }
        }
        let text = valid_up_to_with(self.backend, piece);
        let unfinished = &piece[text..];
        if !unfinished.is_empty() {
            let error = fault(piece, text);
            if error.kind() != ErrorKind::UnexpectedEnd {
                return Err(error.behind(self.valid));
            }
            self.length = unfinished.len();
            self.held[..self.length].copy_from_slice(unfinished);
        }
        self.valid = self.valid.saturating_add(text);
        Ok(())
    }

    /// Returns the length of the text so far, in bytes, without an incomplete character at its end.
    #[must_use]
    pub fn valid_up_to(&self) -> usize {
        match self.so_far {
            Ok(()) => self.valid,
            Err(error) => error.valid_up_to(),
        }
    }

    /// Ends the text.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::UnexpectedEnd`] if a character is incomplete, or the error of an earlier call.
    pub fn finish(self) -> Result<(), Error> {
        self.so_far?;
        match self.length {
            0 => Ok(()),
            _ => Err(Error::at(0, ErrorKind::UnexpectedEnd).behind(self.valid)),
        }
    }
}

impl Default for Validator {
    fn default() -> Self {
        Self::new()
    }
}

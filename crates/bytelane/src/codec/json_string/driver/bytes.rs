//! Escapes bytes that are not known to be text.
//!
//! The bytes are validated and escaped in pieces that stay in the first-level cache, and in a
//! single pass where nothing needs an escape.

use super::super::{Consumed, Error, ErrorKind, Format, kernel, scalar};
use super::{Escape, escape_blocks};
use crate::backend::dispatch;
use crate::codec::utf8;
use crate::memory::{self, Fill, Slot};
use crate::simd::window_mut;
use crate::{Destination, Detected};

dispatch! {
    fn copy_clean(src: &[u8], at: usize, dst: &mut [Slot]) -> usize = kernel::copy_clean, or scalar::copy_none;
}

/// Length of the pieces. Inputs of up to one piece are validated as a whole.
const PIECE: usize = 4096;

/// Writes bytes as a string, if they are valid text.
pub(crate) struct EscapeBytes<'a> {
    format: Format,
    src: &'a [u8],
    backend: Detected,
}

#[inline]
pub(in super::super) fn escape<'a>(
    format: Format,
    src: &[u8],
    dst: Destination<'a, u8>,
    backend: Detected,
) -> Result<&'a mut str, Error> {
    let (json, ()) = dst.fill_text(EscapeBytes {
        format,
        src,
        backend,
    })?;
    Ok(json)
}

impl Fill for EscapeBytes<'_> {
    type Done = ();
    type Error = Error;

    #[inline]
    fn fill(self, to: &mut [Slot]) -> Result<(usize, ()), Error> {
        let written = match self.src.len() {
            0..=PIECE => None,
            _ => self.fill_in_pieces(to),
        };
        match written {
            Some(written) => Ok((written, ())),
            None => self.fill_after_validation(to),
        }
    }
}

impl EscapeBytes<'_> {
    /// Returns the length of the string; `None` if the bytes are not text or the string does not
    /// fit.
    fn fill_in_pieces(&self, to: &mut [Slot]) -> Option<usize> {
        let quote = usize::from(self.format.quotes);
        let room = to.len().checked_sub(2 * quote)?;
        let written = self.escape_pieces(&mut to[quote..][..room])?;
        if self.format.quotes {
            memory::write(window_mut(to, 0), *b"\"");
            memory::write(window_mut(to, 1 + written), *b"\"");
        }
        Some(written + 2 * quote)
    }

    fn escape_pieces(&self, to: &mut [Slot]) -> Option<usize> {
        let (src, backend) = (self.src, self.backend);
        let mut done = Consumed::default();
        while done.read < src.len() {
            let at = done.read;
            // The single pass may have stopped within a character.
            let from = utf8::beginning(src, at);
            let end = match at + PIECE {
                end if end < src.len() => utf8::beginning(src, end),
                _ => src.len(),
            };
            if utf8::valid_up_to_with(backend, &src[from..end]) < end - from {
                return None;
            }
            let piece = escape_blocks(
                &src[at..end],
                &mut to[done.written..],
                Consumed::default(),
                backend,
            );
            done.read += piece.read;
            done.written += piece.written;
            if done.read < end {
                done = scalar::escape_from(&src[..end], to, done);
            }
            if done.read < end {
                return None;
            }
            let clean = copy_clean(src, end, &mut to[done.written..], backend);
            done.read += clean;
            done.written += clean;
        }
        Some(done.written)
    }

    /// Validates, then escapes, in two passes. Finds all errors.
    fn fill_after_validation(&self, to: &mut [Slot]) -> Result<(usize, ()), Error> {
        let text =
            utf8::validate_with(self.backend, self.src).map_err(|error| match error.kind() {
                utf8::ErrorKind::UnexpectedEnd => {
                    Error::at(self.src.len(), ErrorKind::UnexpectedEnd)
                }
                utf8::ErrorKind::InvalidUtf8 { .. } => {
                    Error::at(error.valid_up_to(), ErrorKind::InvalidUtf8)
                }
            })?;
        let (written, _) = Escape::whole(self.format, text, self.backend).fill(to)?;
        Ok((written, ()))
    }
}

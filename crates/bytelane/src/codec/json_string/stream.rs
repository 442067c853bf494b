//! Texts in pieces, which may be split anywhere, even within an escape or a character.

use super::driver::{append_text, escape_append};
use super::scalar::{self, Stop};
use super::{Error, ErrorKind, Format, Quotes};
use crate::codec::utf8;
use crate::memory::{Appender, prefix};
use crate::{Buffer, Detected};

/// Escapes a text that arrives in pieces. Between them, it keeps at most an incomplete character.
///
/// After its first error it returns that error from every call and appends nothing more.
///
/// ```
/// use bytelane::json_string::{Escaper, QUOTED};
///
/// let mut json = String::new();
/// let mut escaper = Escaper::new(QUOTED);
/// escaper.push(b"caf\xc3", &mut json)?;
/// escaper.push(b"\xa9\n", &mut json)?;
/// escaper.finish(&mut json)?;
/// assert_eq!(json, "\"café\\n\"");
/// # Ok::<(), bytelane::json_string::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Escaper {
    backend: Detected,
    format: Format,
    opened: bool,
    /// Beginning of a character.
    held: Held<4>,
    /// Number of bytes read so far, including those held; `usize::MAX` if there are more.
    offset: usize,
    /// First error, which all later calls return.
    so_far: Result<(), Error>,
}

impl Escaper {
    /// Starts a text.
    #[must_use]
    pub fn new(format: Format) -> Self {
        Self::new_with(Detected::active(), format)
    }

    /// Same as [`new`](Self::new), on a backend of the caller's choice.
    #[must_use]
    pub fn new_with(backend: Detected, format: Format) -> Self {
        Self {
            backend,
            format,
            opened: false,
            held: Held::default(),
            offset: 0,
            so_far: Ok(()),
        }
    }

    /// Appends a piece, escaped. Takes time linear in its length.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidUtf8`], with the offset from the start of the text. The call that finds
    /// it has appended everything before it.
    pub fn push(&mut self, piece: &[u8], to: &mut impl Buffer) -> Result<(), Error> {
        self.so_far?;
        self.so_far = self.append(piece, &mut to.appender());
        self.so_far
    }

    fn append(&mut self, mut piece: &[u8], to: &mut Appender<'_>) -> Result<(), Error> {
        while !self.held.is_empty()
            && let Some((&byte, rest)) = piece.split_first()
        {
            self.held.extend(&[byte]);
            self.offset = self.offset.saturating_add(1);
            piece = rest;
            let held = core::mem::take(&mut self.held);
            match utf8::validate_with(self.backend, held.bytes()) {
                Ok(character) => self.write(character, false, to),
                Err(error) if error.error_len().is_some() => return Err(self.invalid(held.len)),
                Err(_) => self.held = held,
            }
        }
        let backend = self.backend;
        let Ok((text, ())) = prefix(utf8::Front { backend }, piece);
        self.write(text, false, to);
        self.offset = self.offset.saturating_add(piece.len());
        let rest = &piece[text.len()..];
        if !rest.is_empty() && utf8::fault(rest, 0).error_len().is_some() {
            return Err(self.invalid(rest.len()));
        }
        self.held.extend(rest);
        Ok(())
    }

    /// Ends the text.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::UnexpectedEnd`] if a character is incomplete, or the error of an earlier call.
    /// Nothing is appended then.
    pub fn finish(mut self, to: &mut impl Buffer) -> Result<(), Error> {
        self.so_far?;
        if !self.held.is_empty() {
            return Err(Error::at(0, ErrorKind::UnexpectedEnd).behind(self.offset));
        }
        self.write("", self.format.quotes, &mut to.appender());
        Ok(())
    }

    /// Appends characters, preceded by the opening quote if it has not been written yet.
    fn write(&mut self, text: &str, closing: bool, to: &mut Appender<'_>) {
        let opening = self.format.quotes && !self.opened;
        self.opened = true;
        escape_append(
            text,
            Quotes::new(opening, closing),
            to.again(),
            self.backend,
        );
    }

    /// Returns the error for invalid UTF-8 that began `back` bytes ago.
    fn invalid(&self, back: usize) -> Error {
        Error::at(0, ErrorKind::InvalidUtf8).behind(self.offset - back)
    }
}

/// Decodes a string that arrives in pieces. Between them, it keeps at most an incomplete escape or
/// character.
///
/// After its first error it returns that error from every call and appends nothing more.
///
/// ```
/// use bytelane::json_string::{QUOTED, Unescaper};
///
/// let mut text = String::new();
/// let mut unescaper = Unescaper::new(QUOTED);
/// assert_eq!(unescaper.push(br"caf\u00", &mut text)?, 7);
/// assert_eq!(unescaper.push(br#"e9", 17"#, &mut text)?, 3);
/// unescaper.finish()?;
/// assert_eq!(text, "café");
/// # Ok::<(), bytelane::json_string::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Unescaper {
    backend: Detected,
    format: Format,
    closed: bool,
    /// Beginning of an escape or a character.
    held: Held<LONGEST>,
    /// Number of bytes read so far, including those held; `usize::MAX` if there are more.
    offset: usize,
    /// First error, which all later calls return.
    so_far: Result<(), Error>,
}

/// Length of two escapes, for a surrogate pair.
const LONGEST: usize = 12;

impl Unescaper {
    /// Starts a string: after its opening quote, if it is [`QUOTED`](super::QUOTED).
    #[must_use]
    pub fn new(format: Format) -> Self {
        Self::new_with(Detected::active(), format)
    }

    /// Same as [`new`](Self::new), on a backend of the caller's choice.
    #[must_use]
    pub fn new_with(backend: Detected, format: Format) -> Self {
        Self {
            backend,
            format,
            closed: false,
            held: Held::default(),
            offset: 0,
            so_far: Ok(()),
        }
    }

    /// Returns whether the closing quote has been read.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Appends the text of a piece. Returns the number of its bytes that belong to the string: all
    /// of them, unless the piece contains the closing quote. Takes time linear in the length of the
    /// piece.
    ///
    /// # Errors
    ///
    /// [`Error`] if the string is malformed, with the offset from its start. The call that finds
    /// the error may have appended a part of the text before it, in whole characters.
    pub fn push(&mut self, piece: &[u8], to: &mut impl Buffer) -> Result<usize, Error> {
        self.so_far?;
        let used = self.append(piece, &mut to.appender());
        self.so_far = used.map(|_| ());
        used
    }

    fn append(&mut self, piece: &[u8], to: &mut Appender<'_>) -> Result<usize, Error> {
        if self.closed {
            return Ok(0);
        }
        let mut used = 0;
        if !self.held.is_empty() {
            let mut seam = Held::<{ 2 * LONGEST }>::default();
            seam.extend(self.held.bytes());
            seam.extend(&piece[..usize::min(LONGEST, piece.len())]);
            match scalar::next(seam.bytes()) {
                Ok(Some((_, length))) => {
                    append_text(self.format, &seam.bytes()[..length], to, self.backend)?;
                    used = length - self.held.len;
                    self.held = Held::default();
                }
                // This consumes the whole piece: no incomplete escape or character is longer than
                // `LONGEST`.
                Err(ErrorKind::UnexpectedEnd) => {
                    self.held.extend(piece);
                    self.offset = self.offset.saturating_add(piece.len());
                    return Ok(piece.len());
                }
                Ok(None) => return Err(self.wrong(ErrorKind::UnexpectedQuote)),
                Err(kind) => return Err(self.wrong(kind)),
            }
        }
        self.offset = self.offset.saturating_add(used);
        let rest = &piece[used..];
        let (read, stop) = append_text(self.format, rest, to, self.backend)
            .map_err(|error| error.behind(self.offset))?;
        self.offset = self.offset.saturating_add(read);
        match stop {
            Stop::Quote if self.format.quotes => {
                self.closed = true;
                self.offset = self.offset.saturating_add(1);
                Ok(used + read + 1)
            }
            Stop::Quote => Err(self.wrong(ErrorKind::UnexpectedQuote)),
            _ => {
                self.held.extend(&rest[read..]);
                self.offset = self.offset.saturating_add(rest.len() - read);
                Ok(piece.len())
            }
        }
    }

    /// Ends the string.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::UnexpectedEnd`] if the closing quote is missing, or an escape or a character is
    /// incomplete; or the error of an earlier call.
    pub fn finish(self) -> Result<(), Error> {
        self.so_far?;
        let ended = if self.format.quotes {
            self.closed
        } else {
            self.held.is_empty()
        };
        if ended {
            Ok(())
        } else {
            Err(Error::at(0, ErrorKind::UnexpectedEnd).behind(self.offset))
        }
    }

    /// Returns the error for malformed bytes among those held, or directly after them.
    fn wrong(&self, kind: ErrorKind) -> Error {
        Error::at(0, kind).behind(self.offset - self.held.len)
    }
}

/// Buffer of up to `N` bytes.
#[derive(Clone, Debug)]
struct Held<const N: usize> {
    array: [u8; N],
    len: usize,
}

impl<const N: usize> Default for Held<N> {
    fn default() -> Self {
        Self {
            array: [0; N],
            len: 0,
        }
    }
}

impl<const N: usize> Held<N> {
    fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn bytes(&self) -> &[u8] {
        &self.array[..self.len]
    }

    fn extend(&mut self, bytes: &[u8]) {
        self.array[self.len..self.len + bytes.len()].copy_from_slice(bytes);
        self.len += bytes.len();
    }
}

#[cfg(test)]
mod tests {
    use super::super::{BARE, QUOTED};
    use super::*;
    use std::vec::Vec;

    /// Simulates a stream with more bytes than a `usize` can count: the offset in the error is then
    /// not exact.
    #[test]
    fn places_beyond_the_largest_number_do_not_overflow() {
        for near in [usize::MAX - 3, usize::MAX] {
            let (mut escaper, mut to) = (Escaper::new(BARE), Vec::new());
            escaper.offset = near;
            escaper.push(b"abcd\xc3", &mut to).unwrap();
            escaper.push(b"\xa9abcd", &mut to).unwrap();
            let error = escaper.push(b"\xff", &mut to).unwrap_err();
            assert!(error.offset() >= Some(near - 1));

            for ending in [&b"ab\""[..], b"ab\xff", b"ab\\x"] {
                let mut unescaper = Unescaper::new(BARE);
                unescaper.offset = near;
                unescaper.push(b"abcd\\", &mut to).unwrap();
                unescaper.push(b"nabcd\xc3", &mut to).unwrap();
                unescaper.push(b"\xa9abcd", &mut to).unwrap();
                let error = unescaper.push(ending, &mut to).unwrap_err();
                assert!(error.offset() >= Some(near - 1));
            }
            let mut unescaper = Unescaper::new(QUOTED);
            unescaper.offset = near;
            assert_eq!(unescaper.push(b"abcd\"", &mut to), Ok(5));
            assert_eq!(unescaper.finish(), Ok(()));
        }
    }
}

//! Texts in pieces that may be cut anywhere, within an escape or a character too.

use super::driver::{append_escaped, append_text, available};
use super::scalar::{self, Stop};
use super::{Error, ErrorKind, Quotes};
use crate::Backend;
use alloc::vec::Vec;

/// Escapes a text that comes in pieces. Keeps no more than an unfinished character between them.
///
/// ```
/// use bytelane::json_string::{Escaper, Quotes};
///
/// let mut json = Vec::new();
/// let mut escaper = Escaper::new(Quotes::Around);
/// escaper.push(b"caf\xc3", &mut json)?;
/// escaper.push(b"\xa9\n", &mut json)?;
/// escaper.finish(&mut json)?;
/// assert_eq!(json, "\"café\\n\"".as_bytes());
/// # Ok::<(), bytelane::json_string::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Escaper {
    backend: Backend,
    quotes: Quotes,
    opened: bool,
    /// The beginning of a character.
    held: Held<4>,
    /// Bytes taken so far, those held included.
    offset: usize,
}

impl Escaper {
    /// Starts a text.
    #[must_use]
    pub fn new(quotes: Quotes) -> Self {
        Self {
            backend: Backend::active(),
            quotes,
            opened: false,
            held: Held::default(),
            offset: 0,
        }
    }

    /// Starts a text, on a backend of the caller's choice.
    ///
    /// # Errors
    ///
    /// [`Error::Unavailable`].
    pub fn with_backend(backend: Backend, quotes: Quotes) -> Result<Self, Error> {
        Ok(Self {
            backend: available(backend)?,
            ..Self::new(quotes)
        })
    }

    /// Appends a piece, escaped. Linear in its length.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] where the text is not UTF-8, with the offset from its start; what comes
    /// before has been appended then.
    pub fn push(&mut self, mut piece: &[u8], to: &mut Vec<u8>) -> Result<(), Error> {
        self.open(to);
        while !self.held.is_empty()
            && let Some((&byte, rest)) = piece.split_first()
        {
            self.held.extend(&[byte]);
            self.offset += 1;
            piece = rest;
            match core::str::from_utf8(self.held.bytes()) {
                Ok(character) => {
                    append_escaped(self.backend, character.as_bytes(), to);
                    self.held = Held::default();
                }
                Err(error) if error.error_len().is_some() => {
                    return Err(self.invalid(self.held.len));
                }
                Err(_) => {}
            }
        }
        let (valid, rest, invalid) = match core::str::from_utf8(piece) {
            Ok(text) => (text.as_bytes(), &[] as &[u8], false),
            Err(error) => {
                let (valid, rest) = piece.split_at(error.valid_up_to());
                (valid, rest, error.error_len().is_some())
            }
        };
        append_escaped(self.backend, valid, to);
        self.offset += piece.len();
        if invalid {
            return Err(self.invalid(rest.len()));
        }
        self.held.extend(rest);
        Ok(())
    }

    /// Ends the text.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] if a character is unfinished.
    pub fn finish(mut self, to: &mut Vec<u8>) -> Result<(), Error> {
        self.open(to);
        if !self.held.is_empty() {
            return Err(Error::Malformed {
                kind: ErrorKind::UnexpectedEnd,
                offset: self.offset,
            });
        }
        if self.quotes == Quotes::Around {
            to.push(b'"');
        }
        Ok(())
    }

    fn open(&mut self, to: &mut Vec<u8>) {
        if !self.opened && self.quotes == Quotes::Around {
            to.push(b'"');
        }
        self.opened = true;
    }

    /// Invalid UTF-8 some bytes back.
    fn invalid(&self, back: usize) -> Error {
        Error::Malformed {
            kind: ErrorKind::InvalidUtf8,
            offset: self.offset - back,
        }
    }
}

/// Decodes a string that comes in pieces. Keeps no more than an unfinished escape or character
/// between them.
///
/// ```
/// use bytelane::json_string::{Quotes, Unescaper};
///
/// let mut text = Vec::new();
/// let mut unescaper = Unescaper::new(Quotes::Around);
/// assert_eq!(unescaper.push(br"caf\u00", &mut text)?, 7);
/// assert_eq!(unescaper.push(br#"e9", 17"#, &mut text)?, 3);
/// unescaper.finish()?;
/// assert_eq!(text, "café".as_bytes());
/// # Ok::<(), bytelane::json_string::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Unescaper {
    backend: Backend,
    quotes: Quotes,
    closed: bool,
    /// The beginning of an escape or a character.
    held: Held<LONGEST>,
    /// Bytes taken so far, those held included.
    offset: usize,
}

/// Two escapes for a surrogate pair.
const LONGEST: usize = 12;

impl Unescaper {
    /// Starts a string: behind its opening quote, if it has [`Quotes::Around`].
    #[must_use]
    pub fn new(quotes: Quotes) -> Self {
        Self {
            backend: Backend::active(),
            quotes,
            closed: false,
            held: Held::default(),
            offset: 0,
        }
    }

    /// Starts a string, on a backend of the caller's choice.
    ///
    /// # Errors
    ///
    /// [`Error::Unavailable`].
    pub fn with_backend(backend: Backend, quotes: Quotes) -> Result<Self, Error> {
        Ok(Self {
            backend: available(backend)?,
            ..Self::new(quotes)
        })
    }

    /// Whether the closing quote has been read.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Appends what a piece holds of the text, valid UTF-8, and returns how many of its bytes
    /// belong to the string: all, unless the closing quote is among them. Linear in its length.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`], with the offset from the start of the string; what is appended by a
    /// call that fails is not specified.
    pub fn push(&mut self, piece: &[u8], to: &mut Vec<u8>) -> Result<usize, Error> {
        if self.closed {
            return Ok(0);
        }
        let mut used = 0;
        if !self.held.is_empty() {
            let mut seam = Held::<{ 2 * LONGEST }>::default();
            seam.extend(self.held.bytes());
            seam.extend(&piece[..usize::min(LONGEST, piece.len())]);
            match scalar::next(seam.bytes()) {
                Ok(Some((character, length))) => {
                    let mut utf8 = [0; 4];
                    to.extend_from_slice(character.encode_utf8(&mut utf8).as_bytes());
                    used = length - self.held.len;
                    self.held = Held::default();
                }
                // All of the piece then: nothing unfinished is longer than `LONGEST`.
                Err(ErrorKind::UnexpectedEnd) => {
                    self.held.extend(piece);
                    self.offset += piece.len();
                    return Ok(piece.len());
                }
                Ok(None) => return Err(self.wrong(ErrorKind::UnexpectedQuote)),
                Err(kind) => return Err(self.wrong(kind)),
            }
        }
        self.offset += used;
        let rest = &piece[used..];
        let (read, stop) =
            append_text(self.backend, rest, to, self.quotes).map_err(|e| e.behind(self.offset))?;
        self.offset += read;
        match (stop, self.quotes) {
            (Stop::Quote, Quotes::Without) => Err(self.wrong(ErrorKind::UnexpectedQuote)),
            (Stop::Quote, Quotes::Around) => {
                self.closed = true;
                self.offset += 1;
                Ok(used + read + 1)
            }
            _ => {
                self.held.extend(&rest[read..]);
                self.offset += rest.len() - read;
                Ok(piece.len())
            }
        }
    }

    /// Ends the string.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] if the closing quote has not come, or an escape or a character is
    /// unfinished.
    pub fn finish(self) -> Result<(), Error> {
        let ended = match self.quotes {
            Quotes::Around => self.closed,
            Quotes::Without => self.held.is_empty(),
        };
        if ended {
            Ok(())
        } else {
            Err(Error::Malformed {
                kind: ErrorKind::UnexpectedEnd,
                offset: self.offset,
            })
        }
    }

    /// What is wrong with what is held, or comes after it.
    fn wrong(&self, kind: ErrorKind) -> Error {
        Error::Malformed {
            kind,
            offset: self.offset - self.held.len,
        }
    }
}

/// Up to `N` bytes.
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

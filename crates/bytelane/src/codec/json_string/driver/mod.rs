//! Code between the public functions and the kernels: quotes, memory, and the parts that a kernel
//! leaves to the scalar code.

mod bytes;

use super::scalar::{self, Stop};
use super::{Blocks, Consumed, Error, ErrorKind, Format, Quotes, kernel, short};
use crate::backend::dispatch;
#[cfg(feature = "alloc")]
use crate::codec::utf8;
#[cfg(feature = "alloc")]
use crate::memory::{self, Append, Appender};
use crate::memory::{Fill, Slot, Validate};
use crate::{Destination, DestinationError, Detected};
#[cfg(feature = "alloc")]
use alloc::string::String;
pub(crate) use bytes::EscapeBytes;
pub(super) use bytes::escape as escape_bytes;
#[cfg(feature = "alloc")]
use core::convert::Infallible;

dispatch! {
    #[inline(always)]
    fn escape_front_short(src: &[u8], dst: &mut [Slot], quotes: Quotes) -> Consumed = Blocks::escape_front_short, or scalar::escape_front;
    #[inline(always)]
    fn escape_front_long(src: &[u8], dst: &mut [Slot], quotes: Quotes) -> Consumed = kernel::escape_front_long, or scalar::escape_front;
    fn escape_blocks(src: &[u8], dst: &mut [Slot], done: Consumed) -> Consumed = kernel::escape_inside, or scalar::escape_from;
    fn escaped_len_blocks(src: &[u8]) -> usize = kernel::escaped_len, or scalar::escaped_len;
    fn unescape_blocks(src: &[u8], dst: &mut [Slot]) -> Result<(Consumed, Stop), Error> = kernel::unescape, or scalar::unescape;
    #[cfg(feature = "alloc")]
    fn closing(src: &[u8]) -> usize = kernel::closing, or scalar::closing;
    #[cfg(feature = "alloc")]
    fn first_special(src: &[u8]) -> usize = kernel::first_special, or scalar::first_special;
    fn scan(src: &[u8]) -> Result<(usize, bool), Error> = kernel::scan, or scalar::scan;
}

pub(super) fn escaped_len(text: &str, quotes: Quotes, backend: Detected) -> usize {
    escaped_len_blocks(text.as_bytes(), backend).saturating_add(quotes.count())
}

/// Escapes the front of a text as far as that takes no decisions, with the quotes around it. The
/// destination has room for the text and the quotes. Returns the bytes read, which are whole
/// characters, and written with the quotes: the closing one comes after all of the text.
#[inline(always)]
fn escape_front(src: &[u8], dst: &mut [Slot], quotes: Quotes, backend: Detected) -> Consumed {
    if src.len() <= short::LONGEST {
        escape_front_short(src, dst, quotes, backend)
    } else {
        escape_front_long(src, dst, quotes, backend)
    }
}

/// Writes a text, or the part of it that fits. Reports the number of bytes read.
pub(crate) struct Escape<'a> {
    text: &'a str,
    /// The closing one is written once all of the text is.
    quotes: Quotes,
    /// True if it is an error for the text not to fit.
    whole: bool,
    backend: Detected,
}

impl Fill for Escape<'_> {
    type Done = usize;
    type Error = DestinationError;

    #[inline(always)]
    fn fill(self, to: &mut [Slot]) -> Result<(usize, usize), DestinationError> {
        let Self { text, quotes, .. } = self;
        if to.len() < text.len() + quotes.count() {
            return Err(without_room(text, quotes, to.len()));
        }
        if short::write_plain(text.as_bytes(), to, quotes) {
            return Ok((text.len() + quotes.count(), text.len()));
        }
        let done = escape_front(text.as_bytes(), to, quotes, self.backend);
        if done.read == text.len() {
            return Ok((done.written, done.read));
        }
        self.fill_from(done, to)
    }
}

impl<'a> Escape<'a> {
    /// Writes all of a text, or fails.
    #[inline(always)]
    fn whole(format: Format, text: &'a str, backend: Detected) -> Self {
        Self {
            text,
            quotes: format.quotes(),
            whole: true,
            backend,
        }
    }

    /// Writes the rest of a text after `done`, which counts the opening quote.
    #[inline(never)]
    fn fill_from(
        self,
        done: Consumed,
        to: &mut [Slot],
    ) -> Result<(usize, usize), DestinationError> {
        let Self { text, quotes, .. } = self;
        let room = to.len() - quotes.closing();
        let inside = &mut to[..room];
        let mut done = escape_blocks(text.as_bytes(), inside, done, self.backend);
        if self.whole && done.read < text.len() {
            done = scalar::escape_from(text.as_bytes(), inside, done);
        }
        if done.read == text.len() {
            let written = quotes.close(to, done.written);
            return Ok((written.expect("room was left for it"), done.read));
        }
        if self.whole {
            return Err(without_room(text, quotes, to.len()));
        }
        let done = scalar::in_whole_characters(text.as_bytes(), done);
        Ok((done.written, done.read))
    }
}

/// Returns the error for a destination of `given` bytes. Counting uses the portable code: programs
/// that never ask for a length need no kernels for it.
#[cold]
#[inline(never)]
fn without_room(text: &str, quotes: Quotes, given: usize) -> DestinationError {
    let needed = scalar::escaped_len(text.as_bytes());
    DestinationError::new(needed.saturating_add(quotes.count()), given)
}

/// Writes the front of a text, as far as that takes no decisions. Reports the number of bytes read.
#[cfg(feature = "alloc")]
pub(crate) struct EscapeFront<'a> {
    text: &'a str,
    quotes: Quotes,
    /// True if it is known not to be a short text without special bytes.
    is_other: bool,
    backend: Detected,
}

#[cfg(feature = "alloc")]
impl Fill for EscapeFront<'_> {
    type Done = usize;
    type Error = Infallible;

    #[inline(always)]
    fn fill(self, to: &mut [Slot]) -> Result<(usize, usize), Infallible> {
        let (text, quotes) = (self.text.as_bytes(), self.quotes);
        if !self.is_other && short::write_plain(text, to, quotes) {
            return Ok((text.len() + quotes.count(), text.len()));
        }
        let done = escape_front(text, to, quotes, self.backend);
        Ok((done.written, done.read))
    }
}

/// Writes a text or the part of it that fits, without looking for a front. Reports the number of
/// bytes read.
#[cfg(feature = "alloc")]
pub(crate) struct EscapeRest<'a>(Escape<'a>);

#[cfg(feature = "alloc")]
impl Fill for EscapeRest<'_> {
    type Done = usize;
    type Error = DestinationError;

    #[inline(always)]
    fn fill(self, to: &mut [Slot]) -> Result<(usize, usize), DestinationError> {
        self.0.fill_from(Consumed::default(), to)
    }
}

#[inline]
pub(super) fn escape<'a>(
    format: Format,
    text: &str,
    dst: Destination<'a, u8>,
    backend: Detected,
) -> Result<&'a mut str, DestinationError> {
    let (json, _) = dst.fill_text(Escape::whole(format, text, backend))?;
    Ok(json)
}

/// Writes a short text without special bytes, in quotes: see [`short`].
#[cfg(feature = "alloc")]
pub(crate) struct Plain<'a>(&'a str);

#[cfg(feature = "alloc")]
impl Fill for Plain<'_> {
    type Done = ();
    /// The text is another one, or there is no room for it.
    type Error = ();

    #[inline(always)]
    fn fill(self, to: &mut [Slot]) -> Result<(usize, ()), ()> {
        let text = self.0.as_bytes();
        if text.len() > short::LONGEST {
            return Err(());
        }
        let to = to.get_mut(..text.len() + 2).ok_or(())?;
        let [opening, inside @ .., closing] = to else {
            return Err(());
        };
        if !short::copy_plain(text, inside) {
            return Err(());
        }
        (*opening, *closing) = (Slot::new(b'"'), Slot::new(b'"'));
        Ok((text.len() + 2, ()))
    }
}

/// Appends a text in quotes. Returns the number of bytes.
///
/// This function only handles the most frequent texts. Everything else is called last, so that it
/// saves few registers.
#[cfg(feature = "alloc")]
pub(super) fn escape_append_quoted(text: &str, mut to: Appender<'_>) -> usize {
    if to.append_to_room(Plain(text)).is_ok() {
        return text.len() + 2;
    }
    escape_append_after_plain(text, to)
}

/// Appends a text in quotes that is longer, or has special bytes, or for which there is no room.
#[cfg(feature = "alloc")]
#[inline(never)]
fn escape_append_after_plain(text: &str, to: Appender<'_>) -> usize {
    if to.room() < text.len() + 2 {
        return escape_append_after_reserving(text, to);
    }
    // Found first: what is loaded before its call would be kept twice.
    let backend = Detected::active();
    // Nothing has been appended yet: the start is known, and needs no register.
    let mut to = to.restarted();
    let Ok(read) = to.append_to_room(EscapeFront {
        text,
        quotes: Quotes::new(true, true),
        is_other: true,
        backend,
    });
    if read < text.len() {
        return escape_append_rest(text, read, to);
    }
    to.appended()
}

/// Appends the rest of a text in quotes from an offset on, after the opening quote.
#[cfg(feature = "alloc")]
#[inline(never)]
fn escape_append_rest(text: &str, read: usize, mut to: Appender<'_>) -> usize {
    let quotes = Quotes::new(true, true);
    escape_rest(text, read, quotes, to.again(), Detected::active());
    to.appended()
}

#[cfg(feature = "alloc")]
#[cold]
#[inline(never)]
fn escape_append_after_reserving(text: &str, mut to: Appender<'_>) -> usize {
    to.reserve(text.len() + 2);
    escape_append_quoted(text, to)
}

/// Appends a text. Returns the number of bytes.
#[cfg(feature = "alloc")]
#[inline(never)]
pub(super) fn escape_append(
    text: &str,
    quotes: Quotes,
    mut to: Appender<'_>,
    backend: Detected,
) -> usize {
    let length = text.len() + quotes.count();
    if to.room() < length {
        to.reserve(length);
    }
    let front = EscapeFront {
        text,
        quotes,
        is_other: false,
        backend,
    };
    append_to_room(front, to)
}

/// Appends a text to a buffer that has room for it and its quotes, and makes more room only if it
/// needs escapes. Returns the number of bytes.
#[cfg(feature = "alloc")]
#[inline(always)]
fn append_to_room(front: EscapeFront<'_>, mut to: Appender<'_>) -> usize {
    let EscapeFront {
        text,
        quotes,
        backend,
        ..
    } = front;
    let Ok(read) = to.append_to_room(front);
    if read < text.len() {
        escape_rest(text, read, quotes, to.again(), backend);
    }
    to.appended()
}

/// Appends the rest of a text from an offset on, after the opening quote.
#[cfg(feature = "alloc")]
#[inline(never)]
fn escape_rest(text: &str, read: usize, quotes: Quotes, mut to: Appender<'_>, backend: Detected) {
    // Room for the longest block guarantees progress in each round.
    let spare = kernel::LONGEST;
    let mut text = &text[read..];
    let quotes = Quotes::new(false, quotes.closing() > 0);
    if to.room() < text.len() + quotes.count() {
        to.reserve(text.len() + text.len() / 8 + spare + 1);
    }
    loop {
        let rest = EscapeRest(Escape {
            text,
            quotes,
            whole: false,
            backend,
        });
        let read = to.append_to_room(rest).expect("there is room");
        text = &text[read..];
        if text.is_empty() {
            return;
        }
        to.reserve(text.len() + text.len() / 8 + spare + 1);
    }
}

/// Decodes the whole characters of a text that fit. Reports the number of bytes of the input read,
/// and the reason for stopping.
pub(crate) struct Unescape<'a> {
    src: &'a [u8],
    backend: Detected,
}

impl Fill for Unescape<'_> {
    type Done = (usize, Stop);
    type Error = Error;

    #[inline]
    fn fill(self, to: &mut [Slot]) -> Result<(usize, (usize, Stop)), Error> {
        let (done, stop) = unescape_blocks(self.src, to, self.backend)?;
        Ok((done.written, (done.read, stop)))
    }
}

#[inline]
pub(super) fn unescape<'a>(
    format: Format,
    src: &[u8],
    dst: Destination<'a, u8>,
    backend: Detected,
) -> Result<(&'a mut str, usize), Error> {
    let given = dst.len();
    let (text, (read, stop)) = dst.fill_text(Unescape { src, backend })?;
    if stop == Stop::Room {
        return Err(too_short(format, src, read, text.len(), given));
    }
    let read = finish(format, src, read, stop)?;
    Ok((text, read))
}

/// Returns the error for a full destination: the first error in the rest of the string, or else the
/// length of the destination.
#[cold]
fn too_short(format: Format, src: &[u8], read: usize, written: usize, given: usize) -> Error {
    let measured = scalar::measure(src, Consumed { read, written });
    let needed = measured.and_then(|(done, stop)| {
        finish(format, src, done.read, stop)?;
        Ok(done.written)
    });
    match needed {
        Ok(needed) => DestinationError::new(needed, given).into(),
        Err(error) => error,
    }
}

/// Returns the number of bytes that a complete text takes in the input, if it may end where reading
/// stopped.
#[inline]
fn finish(format: Format, src: &[u8], read: usize, stop: Stop) -> Result<usize, Error> {
    match stop {
        Stop::Quote if format.quotes => Ok(read + 1),
        Stop::Quote => Err(Error::at(read, ErrorKind::UnexpectedQuote)),
        _ if !format.quotes && read == src.len() => Ok(read),
        _ => Err(Error::at(src.len(), ErrorKind::UnexpectedEnd)),
    }
}

/// Finds a string without escapes, up to its closing quote, and validates it. To validate and to copy such a string as
/// a whole takes less time than to do both in blocks.
#[cfg(feature = "alloc")]
pub(crate) struct PlainFront {
    backend: Detected,
}

#[cfg(feature = "alloc")]
impl Validate for PlainFront {
    type Done = ();
    /// It is another string.
    type Error = ();

    #[inline(always)]
    fn validate(self, src: &[u8]) -> Result<(usize, ()), ()> {
        let length = first_special(src, self.backend);
        let text = &src[..length];
        let is_whole = src.get(length) == Some(&b'"');
        if is_whole && utf8::valid_up_to_with(self.backend, text) == length {
            Ok((length, ()))
        } else {
            Err(())
        }
    }
}

/// Reads a string to a new one. Returns it and the number of bytes read.
#[cfg(feature = "alloc")]
pub(super) fn unescape_to_string(
    format: Format,
    src: &[u8],
    backend: Detected,
) -> Result<(String, usize), Error> {
    if format.quotes
        && let Ok((text, ())) = memory::prefix(PlainFront { backend }, src)
    {
        return Ok((text.into(), text.len() + 1));
    }
    let mut text = String::new();
    let consumed = append_unescaped(format, src, text.appender(), backend)?;
    Ok((text, consumed.read))
}

#[cfg(feature = "alloc")]
pub(super) fn unescape_append(
    format: Format,
    src: &[u8],
    mut to: Appender<'_>,
    backend: Detected,
) -> Result<Consumed, Error> {
    if format.quotes
        && let Ok((text, ())) = memory::prefix(PlainFront { backend }, src)
    {
        to.push(text);
        return Ok(Consumed {
            read: text.len() + 1,
            written: text.len(),
        });
    }
    append_unescaped(format, src, to, backend)
}

/// Appends a string, or nothing.
#[cfg(feature = "alloc")]
#[inline(never)]
fn append_unescaped(
    format: Format,
    src: &[u8],
    mut to: Appender<'_>,
    backend: Detected,
) -> Result<Consumed, Error> {
    let done = append_text(format, src, &mut to, backend);
    match done.and_then(|(read, stop)| finish(format, src, read, stop)) {
        Ok(read) => Ok(Consumed {
            read,
            written: to.appended(),
        }),
        Err(error) => {
            to.undo();
            Err(error)
        }
    }
}

/// Appends all text that can be decoded. Returns the number of bytes of the input read, and the
/// reason for stopping.
#[cfg(feature = "alloc")]
#[inline]
pub(super) fn append_text(
    format: Format,
    src: &[u8],
    to: &mut Appender<'_>,
    backend: Detected,
) -> Result<(usize, Stop), Error> {
    /// Enough room for most strings. With this room, decoding begins before the end is known.
    const ENOUGH: usize = 64;
    let mut read = 0;
    let mut most = if !format.quotes {
        src.len()
    } else if to.room() >= ENOUGH {
        usize::min(src.len(), ENOUGH)
    } else {
        closing(src, backend)
    };
    loop {
        let rest = &src[read..];
        let room = usize::max(most, to.room());
        let piece = to.append(Unescape { src: rest, backend }, room);
        let (more, stop) = piece.map_err(|error| error.behind(read))?;
        read += more;
        if stop != Stop::Room {
            return Ok((read, stop));
        }
        // The string is longer, so finding its end pays off.
        most = closing(&src[read..], backend);
    }
}

/// Finds the closing quote. Reports whether there is an escape before it.
pub(crate) struct Scan {
    pub(super) backend: Detected,
}

impl Validate for Scan {
    type Done = bool;
    type Error = Error;

    #[inline]
    fn validate(self, src: &[u8]) -> Result<(usize, bool), Error> {
        scan(src, self.backend)
    }
}

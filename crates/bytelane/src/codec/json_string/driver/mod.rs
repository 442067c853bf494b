//! Code between the public functions and the kernels: quotes, memory, and the parts that a kernel
//! leaves to the scalar code.

mod bytes;

use super::scalar::{self, Stop};
use super::{Consumed, Error, ErrorKind, Format, kernel};
use crate::backend::dispatch;
#[cfg(feature = "alloc")]
use crate::memory::Appender;
use crate::memory::{self, Fill, Slot, Validate};
use crate::simd::window_mut;
use crate::{Destination, DestinationError, Detected};
pub(crate) use bytes::EscapeBytes;
pub(super) use bytes::escape as escape_bytes;

dispatch! {
    #[inline(always)]
    fn escape_front(src: &[u8], dst: &mut [Slot]) -> Consumed = kernel::escape_front, or scalar::escape;
    fn escape_blocks(src: &[u8], dst: &mut [Slot], done: Consumed) -> Consumed = kernel::escape, or scalar::escape_from;
    fn escaped_len_blocks(src: &[u8]) -> usize = kernel::escaped_len, or scalar::escaped_len;
    fn unescape_blocks(src: &[u8], dst: &mut [Slot]) -> Result<(Consumed, Stop), Error> = kernel::unescape, or scalar::unescape;
    #[cfg(feature = "alloc")]
    fn closing(src: &[u8]) -> usize = kernel::closing, or scalar::closing;
    fn scan(src: &[u8]) -> Result<(usize, bool), Error> = kernel::scan, or scalar::scan;
}

pub(super) fn escaped_len(text: &str, quotes: usize, backend: Detected) -> usize {
    escaped_len_blocks(text.as_bytes(), backend).saturating_add(quotes)
}

/// Writes a text, or the part of it that fits. Reports the number of bytes read.
pub(crate) struct Escape<'a> {
    text: &'a str,
    opening: bool,
    /// True to write a quote once all of the text is written.
    closing: bool,
    /// True if it is an error for the text not to fit.
    whole: bool,
    backend: Detected,
}

impl Fill for Escape<'_> {
    type Done = usize;
    type Error = DestinationError;

    #[inline(always)]
    fn fill(self, to: &mut [Slot]) -> Result<(usize, usize), DestinationError> {
        let mut done = Consumed::default();
        if let Some(inside) = self.inside(to) {
            done = escape_front(self.text.as_bytes(), inside, self.backend);
            if done.read == self.text.len() {
                return Ok((self.quote(to, done), done.read));
            }
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
            opening: format.quotes,
            closing: format.quotes,
            whole: true,
            backend,
        }
    }

    /// Writes the rest of a text to a destination of any length.
    #[inline(never)]
    fn fill_from(
        self,
        done: Consumed,
        to: &mut [Slot],
    ) -> Result<(usize, usize), DestinationError> {
        let src = self.text.as_bytes();
        let given = to.len();
        let done = self.inside(to).map(|inside| {
            let mut done = escape_blocks(src, inside, done, self.backend);
            if self.whole && done.read < src.len() {
                done = scalar::escape_from(src, inside, done);
            }
            // The kernel may stop within a character, but no byte of such a character needs an
            // escape.
            while !self.text.is_char_boundary(done.read) {
                done.read -= 1;
                done.written -= 1;
            }
            done
        });
        match done {
            Some(done) if done.read == src.len() || !self.whole => {
                Ok((self.quote(to, done), done.read))
            }
            _ => {
                // Counting uses the portable code: programs that never ask for a length need no
                // kernels for it.
                let quotes = usize::from(self.opening) + usize::from(self.closing);
                let needed = scalar::escaped_len(src).saturating_add(quotes);
                Err(DestinationError::new(needed, given))
            }
        }
    }

    /// Returns the destination of the text, between the quotes, if the text without escapes fits.
    #[inline(always)]
    fn inside<'b>(&self, to: &'b mut [Slot]) -> Option<&'b mut [Slot]> {
        let [before, after] = [usize::from(self.opening), usize::from(self.closing)];
        let room = to.len().checked_sub(self.text.len() + before + after)?;
        Some(&mut to[before..][..self.text.len() + room])
    }

    /// Writes the quotes around the finished part of the text. Returns the total length.
    #[inline(always)]
    fn quote(&self, to: &mut [Slot], done: Consumed) -> usize {
        let mut end = usize::from(self.opening) + done.written;
        if self.opening {
            memory::write(window_mut(to, 0), *b"\"");
        }
        if self.closing && done.read == self.text.len() {
            memory::write(window_mut(to, end), *b"\"");
            end += 1;
        }
        end
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

/// Reserves the length of the text without escapes, and more only when needed. Returns the number
/// of bytes appended.
#[cfg(feature = "alloc")]
#[inline]
pub(super) fn escape_append(
    text: &str,
    opening: bool,
    closing: bool,
    mut to: Appender<'_>,
    backend: Detected,
) -> usize {
    let most = text.len() + usize::from(opening) + usize::from(closing);
    if to.room() < most {
        to.reserve(most);
    }
    let operation = Escape {
        text,
        opening,
        closing,
        whole: false,
        backend,
    };
    let read = to.append_to_room(operation).expect("there is room");
    if read < text.len() {
        escape_rest(&text[read..], closing, &mut to, backend);
    }
    to.appended()
}

#[cfg(feature = "alloc")]
#[inline(never)]
fn escape_rest(mut text: &str, closing: bool, to: &mut Appender<'_>, backend: Detected) {
    while !text.is_empty() {
        let operation = Escape {
            text,
            opening: false,
            closing,
            whole: false,
            backend,
        };
        // Room for the longest block guarantees progress in each round.
        let most = text.len() + text.len() / 8 + kernel::LONGEST + 1;
        let room = usize::max(most, to.room());
        let read = to.append(operation, room).expect("there is room");
        text = &text[read..];
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

#[cfg(feature = "alloc")]
pub(super) fn unescape_append(
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

//! Between the public functions and the kernels: quotes, memory, and what a kernel leaves to the
//! scalar code.

use super::scalar::{self, Stop};
use super::{Consumed, Error, ErrorKind, Quotes, Scanned, kernel};
use crate::backend::dispatch;
use crate::memory::{self, Slot};
use crate::simd::window_mut;
use crate::{Backend, Unavailable};
#[cfg(feature = "alloc")]
use alloc::vec::Vec;
#[cfg(feature = "alloc")]
use core::convert::Infallible;

dispatch! {
    fn escape_short(src: &[u8], dst: &mut [Slot]) -> Result<Option<usize>, Unavailable> = kernel::escape_short;
    fn escape_blocks(src: &[u8], dst: &mut [Slot]) -> Result<Consumed, Error> = kernel::escape;
    fn escaped_len_blocks(src: &[u8]) -> Result<usize, Error> = kernel::escaped_len;
    fn unescape_blocks(src: &[u8], dst: &mut [Slot]) -> Result<(Consumed, bool), Error> = kernel::unescape;
    #[cfg(feature = "alloc")]
    fn closing_blocks(src: &[u8]) -> Result<Option<usize>, Error> = kernel::closing;
    fn scan_blocks(src: &[u8]) -> Result<Option<(usize, bool)>, Error> = kernel::scan;
}

/// The backend asked for, if this machine has it.
#[inline]
pub(super) fn available(backend: Backend) -> Result<Backend, Error> {
    if backend.is_available() {
        Ok(backend)
    } else {
        Err(Unavailable(backend).into())
    }
}

/// Escapes as much of a text as fits. Where there is no kernel the scalar code does all of it.
#[inline]
fn escape(backend: Backend, src: &[u8], dst: &mut [Slot]) -> Consumed {
    let read = src.len();
    if read <= 64
        && read <= dst.len()
        && let Ok(Some(written)) = escape_short(backend, src, dst)
    {
        return Consumed { read, written };
    }
    let done = escape_blocks(backend, src, dst).unwrap_or_default();
    if done.read == read {
        done
    } else {
        scalar::escape(src, dst, done)
    }
}

/// Decodes as much of a text as there is, and as fits.
#[inline]
fn unescape(backend: Backend, src: &[u8], dst: &mut [Slot]) -> Result<(Consumed, Stop), Error> {
    match unescape_blocks(backend, src, dst).unwrap_or_default() {
        (done, true) => Ok((done, Stop::Quote)),
        (done, false) => scalar::unescape(src, dst, done),
    }
}

/// What reading a whole text comes to where it stopped for another reason than the destination.
#[inline]
pub(super) fn finish(
    quotes: Quotes,
    src: &[u8],
    done: Consumed,
    stop: Stop,
) -> Result<Consumed, Error> {
    match (quotes, stop) {
        (Quotes::Around, Stop::Quote) => Ok(Consumed {
            read: done.read + 1,
            ..done
        }),
        (Quotes::Without, Stop::End) if done.read == src.len() => Ok(done),
        (Quotes::Without, Stop::Quote) => Err(Error::Malformed {
            kind: ErrorKind::UnexpectedQuote,
            offset: done.read,
        }),
        _ => Err(Error::Malformed {
            kind: ErrorKind::UnexpectedEnd,
            offset: src.len(),
        }),
    }
}

pub(super) fn measure(backend: Backend, quotes: Quotes, text: &str) -> usize {
    let text = text.as_bytes();
    let length = escaped_len_blocks(backend, text).unwrap_or_else(|_| scalar::escaped_len(text));
    length.saturating_add(if quotes == Quotes::Around { 2 } else { 0 })
}

#[inline]
pub(super) fn write_to_slice(
    backend: Backend,
    quotes: Quotes,
    text: &str,
    dst: &mut [u8],
) -> Result<usize, Error> {
    let given = dst.len();
    let around = usize::from(quotes == Quotes::Around);
    let slots = memory::slots(dst);
    let too_short = || Error::Destination {
        needed: measure(backend, quotes, text),
        given,
    };
    if given < text.len() + 2 * around {
        return Err(too_short());
    }
    let done = escape(backend, text.as_bytes(), &mut slots[around..given - around]);
    if done.read < text.len() {
        return Err(too_short());
    }
    if around == 1 {
        memory::write(window_mut(slots, 0), *b"\"");
        memory::write(window_mut(slots, 1 + done.written), *b"\"");
    }
    Ok(done.written + 2 * around)
}

#[cfg(feature = "alloc")]
pub(super) fn write_into(backend: Backend, quotes: Quotes, text: &str, to: &mut Vec<u8>) {
    let src = text.as_bytes();
    let around = usize::from(quotes == Quotes::Around);
    // Most texts are short and need little.
    let room = usize::max(src.len() + 2 * around, to.capacity() - to.len());
    let Ok(written) = memory::append(to, room, |slots| {
        if src.len() > 64 {
            return Ok::<_, Infallible>(0);
        }
        let inside = &mut slots[around..room - around];
        let Ok(Some(length)) = escape_short(backend, src, inside) else {
            return Ok(0);
        };
        if around == 1 {
            memory::write(window_mut(slots, 0), *b"\"");
            memory::write(window_mut(slots, 1 + length), *b"\"");
        }
        Ok(length + 2 * around)
    });
    if written > 0 || room == 0 {
        return;
    }
    if around == 1 {
        to.push(b'"');
    }
    append_escaped(backend, src, to);
    if around == 1 {
        to.push(b'"');
    }
}

/// Memory is there for a text that needs no escape; more than that is reserved when it is needed.
#[cfg(feature = "alloc")]
pub(super) fn append_escaped(backend: Backend, text: &[u8], to: &mut Vec<u8>) {
    let (mut read, mut most) = (0, text.len());
    while read < text.len() {
        let rest = &text[read..];
        let room = usize::max(most, to.capacity() - to.len());
        let Ok(_) = memory::append(to, room, |slots| {
            let done = match escape_blocks(backend, rest, slots) {
                Ok(done) => done,
                Err(_) => scalar::escape(rest, slots, Consumed::default()),
            };
            read += done.read;
            Ok::<_, Infallible>(done.written)
        });
        // With the longest block each round comes further.
        most = rest.len() + rest.len() / 8 + kernel::LONGEST;
    }
}

#[inline]
pub(super) fn read_to_slice(
    backend: Backend,
    quotes: Quotes,
    src: &[u8],
    dst: &mut [u8],
) -> Result<Consumed, Error> {
    let given = dst.len();
    match unescape(backend, src, memory::slots(dst))? {
        (done, Stop::Room) => {
            let (done, stop) = scalar::measure(src, done)?;
            finish(quotes, src, done, stop)?;
            Err(Error::Destination {
                needed: done.written,
                given,
            })
        }
        (done, stop) => finish(quotes, src, done, stop),
    }
}

#[cfg(feature = "alloc")]
#[inline]
pub(super) fn read_into(
    backend: Backend,
    quotes: Quotes,
    src: &[u8],
    to: &mut Vec<u8>,
) -> Result<Consumed, Error> {
    let start = to.len();
    let result = append_text(backend, src, to, quotes).and_then(|(read, stop)| {
        let done = Consumed {
            read,
            written: to.len() - start,
        };
        finish(quotes, src, done, stop)
    });
    if result.is_err() {
        to.truncate(start);
    }
    result
}

/// Appends what can be decoded; returns the bytes read and why no more. Errors have their place
/// in `src`.
#[cfg(feature = "alloc")]
#[inline]
pub(super) fn append_text(
    backend: Backend,
    src: &[u8],
    to: &mut Vec<u8>,
    quotes: Quotes,
) -> Result<(usize, Stop), Error> {
    /// Where the end of the string is not known: enough for most strings.
    const FIRST: usize = 64;
    let mut read = 0;
    let mut most = match quotes {
        Quotes::Around => usize::min(src.len(), FIRST),
        Quotes::Without => src.len(),
    };
    loop {
        let rest = &src[read..];
        let room = usize::max(most, to.capacity() - to.len());
        let mut stop = Stop::Room;
        memory::append(to, room, |slots| {
            let (done, why) = unescape(backend, rest, slots).map_err(|error| error.behind(read))?;
            (read, stop) = (read + done.read, why);
            Ok::<_, Error>(done.written)
        })?;
        if stop != Stop::Room {
            return Ok((read, stop));
        }
        // The string is longer: it is worth a look for its end.
        most = match closing_blocks(backend, &src[read..]) {
            Ok(Some(length)) => length,
            _ => src.len() - read,
        };
    }
}

#[inline]
pub(super) fn find_end(backend: Backend, src: &[u8]) -> Result<Scanned<'_>, Error> {
    let (length, escaped) = match scan_blocks(backend, src) {
        Ok(Some(found)) => found,
        _ => scalar::scan(src)?,
    };
    Ok(Scanned {
        text: memory::text(&src[..length]),
        escaped,
    })
}

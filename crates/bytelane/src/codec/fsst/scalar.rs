//! The specification, transliterated: Boncz, Neumann and Leis, "FSST: Fast Random Access String
//! Compression" (VLDB 2020), section 3. Every other backend is tested against it.
#![forbid(unsafe_code)]

use super::table::{ESCAPE, Table};
use super::{Error, ErrorKind, Offset, Strings};
use crate::memory::Slot;

/// Piece of an encoded string: what one code, or an escape code and a byte, stands for.
pub(crate) struct Piece<'a> {
    pub(crate) bytes: &'a [u8],
    /// Number of encoded bytes.
    pub(crate) encoded: usize,
}

/// Returns the piece at the front of an encoded string, which has at least one byte.
pub(crate) fn next<'a>(table: &'a Table, src: &'a [u8]) -> Result<Piece<'a>, ErrorKind> {
    match *src {
        [ESCAPE] => Err(ErrorKind::UnexpectedEnd),
        [ESCAPE, ..] => Ok(Piece {
            bytes: &src[1..2],
            encoded: 2,
        }),
        [code, ..] => match table.symbol(code) {
            Some(bytes) => Ok(Piece { bytes, encoded: 1 }),
            None => Err(ErrorKind::UnknownCode { code: code.into() }),
        },
        [] => Err(ErrorKind::UnexpectedEnd),
    }
}

/// Calls a function with the pieces of an encoded string, until it returns false.
pub(crate) fn pieces(
    table: &Table,
    src: &[u8],
    mut each: impl FnMut(&[u8]) -> bool,
) -> Result<(), Error> {
    let mut at = 0;
    while at < src.len() {
        let piece = next(table, &src[at..]).map_err(|kind| Error::at(at, kind))?;
        if !each(piece.bytes) {
            break;
        }
        at += piece.encoded;
    }
    Ok(())
}

/// Returns the number of bytes that an encoded string stands for.
pub(crate) fn decoded_len(table: &Table, src: &[u8]) -> Result<usize, Error> {
    let (mut length, mut at) = (0usize, 0);
    while let Some(&code) = src.get(at) {
        // Most codes are symbols, and pieces of them are not needed.
        let (bytes, encoded) = if code < table.count {
            (table.lengths[usize::from(code)].get(), 1)
        } else {
            let piece = next(table, &src[at..]).map_err(|kind| Error::at(at, kind))?;
            (piece.bytes.len(), piece.encoded)
        };
        length = length.saturating_add(bytes);
        at += encoded;
    }
    Ok(length)
}

/// Decodes a string to the front of a destination. Returns the number of bytes; `None` if the string is malformed, or if the
/// destination is too short.
pub(crate) fn decode(table: &Table, src: &[u8], to: &mut [Slot]) -> Option<usize> {
    let mut at = 0;
    let mut fits = true;
    let done = pieces(table, src, |bytes| {
        let room = to.get_mut(at..at + bytes.len());
        fits = room.is_some();
        if let Some(room) = room {
            crate::memory::copy(room, bytes);
            at += bytes.len();
        }
        fits
    });
    (done.is_ok() && fits).then_some(at)
}

/// Decodes strings, one after the other. Returns the number of bytes, and writes to `ends` where each string ends, counted from `base`.
pub(crate) fn decode_strings<O: Offset>(
    table: &Table,
    strings: Strings<'_, O>,
    base: usize,
    to: &mut [Slot],
    ends: &mut [O],
) -> Option<usize> {
    let mut at = 0;
    for (text, end) in strings.iter().zip(ends) {
        at += decode(table, text, &mut to[at..])?;
        *end = O::of(base + at);
    }
    Some(at)
}

/// Returns the code of the longest symbol at the front of a text, and its length. Of equal symbols, the first one counts.
pub(crate) fn longest(table: &Table, text: &[u8]) -> Option<(u8, usize)> {
    let mut found: Option<(u8, usize)> = None;
    for (code, symbol) in (0..table.count).zip(table.symbols()) {
        if text.starts_with(symbol) && found.is_none_or(|(_, length)| symbol.len() > length) {
            found = Some((code, symbol.len()));
        }
    }
    found
}

/// Encodes a string to the front of a destination, as far as there is room: the longest symbol at each place. Returns the numbers
/// of bytes read and written.
pub(crate) fn encode(table: &Table, text: &[u8], to: &mut [Slot]) -> (usize, usize) {
    let (mut read, mut at) = (0, 0);
    while read < text.len() {
        let (code, length) = longest(table, &text[read..]).unwrap_or((ESCAPE, 1));
        let codes = [code, text[read]];
        let codes = if code == ESCAPE { &codes } else { &codes[..1] };
        let Some(room) = to.get_mut(at..at + codes.len()) else {
            break;
        };
        crate::memory::copy(room, codes);
        read += length;
        at += codes.len();
    }
    (read, at)
}

//! The specification as code: RFC 8259, section 7 ("Strings"), and the table of well-formed UTF-8
//! in RFC 3629, section 4.
//!
//! > All Unicode characters may be placed within the quotation marks, except for the characters
//! > that MUST be escaped: quotation mark, reverse solidus, and the control characters (U+0000
//! > through U+001F).
#![forbid(unsafe_code)]

use super::{Consumed, Error, ErrorKind, Quotes};
use crate::codec::utf8;
use crate::memory::{Slot, copy};

/// Returns the letter after the backslash, for a character with an escape of two characters.
pub(super) const fn letter(byte: u8) -> Option<u8> {
    Some(match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        0x09 => b't',
        0x0a => b'n',
        0x0c => b'f',
        0x0d => b'r',
        _ => return None,
    })
}

/// Returns the character that a letter after a backslash stands for: the five above, and the
/// solidus.
pub(super) const fn meaning(letter: u8) -> Option<u8> {
    Some(match letter {
        b'"' | b'\\' | b'/' => letter,
        b'b' => 0x08,
        b't' => 0x09,
        b'n' => 0x0a,
        b'f' => 0x0c,
        b'r' => 0x0d,
        _ => return None,
    })
}

/// Returns a byte as it appears in a string: an array and the number of its bytes that count.
pub(super) const fn escaped(byte: u8) -> ([u8; 8], usize) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    match (letter(byte), byte) {
        (Some(letter), _) => ([b'\\', letter, 0, 0, 0, 0, 0, 0], 2),
        (None, 0x00..0x20) => {
            let [high, low] = [HEX[byte as usize >> 4], HEX[byte as usize & 15]];
            ([b'\\', b'u', b'0', b'0', high, low, 0, 0], 6)
        }
        _ => ([byte, 0, 0, 0, 0, 0, 0, 0], 1),
    }
}

/// Returns the length of a text when escaped, without quotes.
pub(super) fn escaped_len(src: &[u8]) -> usize {
    src.iter()
        .fold(0, |sum: usize, &byte| sum.saturating_add(escaped(byte).1))
}

/// Returns the place of the first byte that needs an escape, or the number of bytes.
#[cfg(feature = "alloc")]
pub(super) fn first_special(src: &[u8]) -> usize {
    let is_special = |&byte: &u8| escaped(byte).1 > 1;
    src.iter().position(is_special).unwrap_or(src.len())
}

/// Escapes to the end of the text, or until the destination is full, with the quotes, for which
/// there is room. Returns the bytes read, which are whole characters, and written with the quotes.
#[inline(never)]
pub(super) fn escape_front(src: &[u8], dst: &mut [Slot], quotes: Quotes) -> Consumed {
    let start = Consumed {
        read: 0,
        written: quotes.open(dst),
    };
    let room = dst.len() - quotes.closing();
    let done = escape_from(src, &mut dst[..room], start);
    match quotes.close(dst, done.written) {
        Some(written) if done.read == src.len() => Consumed { written, ..done },
        _ => in_whole_characters(src, done),
    }
}

/// Removes the front of a character within which the code for bytes may have stopped: no byte of it
/// needs an escape. The source itself may begin within one.
pub(super) fn in_whole_characters(src: &[u8], mut done: Consumed) -> Consumed {
    while done.read > 0
        && let Some(0x80..0xc0) = src.get(done.read)
    {
        done.read -= 1;
        done.written -= 1;
    }
    done
}

/// Escapes to the end of the text, or until the destination is full, from `done` on.
#[inline(never)]
pub(super) fn escape_from(src: &[u8], dst: &mut [Slot], mut done: Consumed) -> Consumed {
    for &byte in &src[done.read..] {
        let (text, length) = escaped(byte);
        let Some(to) = dst[done.written..].get_mut(..length) else {
            break;
        };
        copy(to, &text[..length]);
        done = Consumed {
            read: done.read + 1,
            written: done.written + length,
        };
    }
    done
}

/// Copies nothing: there is no faster way than to escape the rest.
pub(super) fn copy_none(_: &[u8], _: usize, _: &mut [Slot]) -> usize {
    0
}

/// Reason why decoding stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stop {
    /// The next byte is a quote.
    Quote,
    /// There is no complete character left.
    End,
    /// The next character does not fit in the destination.
    Room,
}

/// Decodes up to a quote, to the end, or until the destination is full.
pub(super) fn unescape(src: &[u8], dst: &mut [Slot]) -> Result<(Consumed, Stop), Error> {
    unescape_from(src, dst, Consumed::default())
}

/// Same as [`unescape`], continuing from `done`, which must be between characters.
#[inline(never)]
pub(super) fn unescape_from(
    src: &[u8],
    dst: &mut [Slot],
    done: Consumed,
) -> Result<(Consumed, Stop), Error> {
    walk(src, done, |at, utf8| {
        match dst[at..].get_mut(..utf8.len()) {
            Some(to) => {
                copy(to, utf8);
                true
            }
            None => false,
        }
    })
}

/// Returns the result of [`unescape_from`] with a destination that is long enough.
#[cold]
pub(super) fn measure(src: &[u8], done: Consumed) -> Result<(Consumed, Stop), Error> {
    walk(src, done, |_, _| true)
}

/// Decodes character by character; `write` gets each one with its offset in the result, and returns
/// whether it fits.
fn walk(
    src: &[u8],
    mut done: Consumed,
    mut write: impl FnMut(usize, &[u8]) -> bool,
) -> Result<(Consumed, Stop), Error> {
    loop {
        match next(&src[done.read..]) {
            Ok(Some((character, length))) => {
                let mut utf8 = [0; 4];
                let utf8 = character.encode_utf8(&mut utf8).as_bytes();
                if !write(done.written, utf8) {
                    return Ok((done, Stop::Room));
                }
                done = Consumed {
                    read: done.read + length,
                    written: done.written + utf8.len(),
                };
            }
            Ok(None) => return Ok((done, Stop::Quote)),
            Err(ErrorKind::UnexpectedEnd) => return Ok((done, Stop::End)),
            Err(kind) => return Err(Error::at(done.read, kind)),
        }
    }
}

/// Returns the offset of the closing quote, and whether there is a backslash before it. Checks only
/// the rules that do not depend on escapes: no control characters, and UTF-8.
pub(super) fn scan(src: &[u8]) -> Result<(usize, bool), Error> {
    let mut at = 0;
    let mut escaped = false;
    while at < src.len() {
        let here = match src[at] {
            b'"' => return Ok((at, escaped)),
            // Skip an escaped quote, which does not end the string, and an escaped backslash, which
            // does not begin an escape.
            b'\\' => {
                escaped = true;
                let taken = matches!(src.get(at + 1), Some(b'"' | b'\\'));
                Ok(1 + usize::from(taken))
            }
            0x00..0x20 => Err(ErrorKind::ControlCharacter),
            _ => utf8(&src[at..]).map(|(_, length)| length),
        };
        match here {
            Ok(length) => at += length,
            Err(ErrorKind::UnexpectedEnd) => break,
            Err(kind) => return Err(Error::at(at, kind)),
        }
    }
    Err(Error::at(src.len(), ErrorKind::UnexpectedEnd))
}

/// Returns the offset of the closing quote, ignoring any errors before it; the length if there is
/// none.
#[cfg(feature = "alloc")]
pub(super) fn closing(src: &[u8]) -> usize {
    let mut at = 0;
    while let Some(&byte) = src.get(at) {
        match byte {
            b'"' => return at,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    src.len()
}

/// Returns the next character and the length of its encoding; `None` before a quote.
pub(super) fn next(src: &[u8]) -> Result<Option<(char, usize)>, ErrorKind> {
    match src.first() {
        None => Err(ErrorKind::UnexpectedEnd),
        Some(b'"') => Ok(None),
        Some(b'\\') => escape_sequence(src).map(Some),
        Some(0x00..0x20) => Err(ErrorKind::ControlCharacter),
        Some(_) => utf8(src).map(Some),
    }
}

/// Decodes the escape at the start.
fn escape_sequence(src: &[u8]) -> Result<(char, usize), ErrorKind> {
    let &letter = src.get(1).ok_or(ErrorKind::UnexpectedEnd)?;
    match meaning(letter) {
        Some(byte) => Ok((char::from(byte), 2)),
        None if letter == b'u' => unicode(src),
        None => Err(ErrorKind::InvalidEscape),
    }
}

/// Decodes the `\u` at the start, and the second one that a high surrogate requires.
///
/// > To escape an extended character that is not in the Basic Multilingual Plane, the character is
/// > represented as a 12-character sequence, encoding the UTF-16 surrogate pair.
pub(super) fn unicode(src: &[u8]) -> Result<(char, usize), ErrorKind> {
    let high = four_digits(&src[2..])?;
    if let Some(character) = char::from_u32(high) {
        return Ok((character, 6));
    }
    let behind = [src.get(6), src.get(7)];
    match (high, behind) {
        (0xdc00.., _) => return Err(ErrorKind::LoneSurrogate),
        (_, [None, _] | [Some(b'\\'), None]) => return Err(ErrorKind::UnexpectedEnd),
        (_, [Some(b'\\'), Some(b'u')]) => {}
        _ => return Err(ErrorKind::LoneSurrogate),
    }
    match four_digits(&src[8..])? {
        low @ 0xdc00..0xe000 => {
            let code = 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00);
            char::from_u32(code)
                .map(|character| (character, 12))
                .ok_or(ErrorKind::LoneSurrogate)
        }
        _ => Err(ErrorKind::LoneSurrogate),
    }
}

/// Returns the value of four hexadecimal digits, in either case.
fn four_digits(src: &[u8]) -> Result<u32, ErrorKind> {
    let mut number = 0;
    for i in 0..4 {
        let &digit = src.get(i).ok_or(ErrorKind::UnexpectedEnd)?;
        number = number << 4
            | char::from(digit)
                .to_digit(16)
                .ok_or(ErrorKind::InvalidHex)?;
    }
    Ok(number)
}

/// Decodes the character at the start.
fn utf8(src: &[u8]) -> Result<(char, usize), ErrorKind> {
    utf8::scalar::next(src).map_err(|kind| match kind {
        utf8::ErrorKind::UnexpectedEnd => ErrorKind::UnexpectedEnd,
        utf8::ErrorKind::InvalidUtf8 { .. } => ErrorKind::InvalidUtf8,
    })
}

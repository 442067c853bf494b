//! JSON strings, RFC 8259.

use crate::exports::exports;
use crate::result::*;
use bytelane::json_string::{self, BARE, ErrorKind, Format, QUOTED, Scanned};
use bytelane::{DestinationError, Detected, utf8};
use core::mem::MaybeUninit;

/// Flag of the JSON functions: no quotes around the text. Without it, writing adds both quotes, and
/// reading starts after the opening quote and stops after the closing one.
pub const BYTELANE_JSON_STRING_BARE: u32 = 1;

exports! {
    escaped_length(; src: [u8; src_length]; flags: u32 = 0) {
        /// Counts the bytes that `bytelane_json_string_escape` would write: `count` is their number.
        bytelane_json_string_escaped_length;
    }

    escape(; src: [u8; src_length]; flags: u32 = 0; dst: [u8; dst_length]) {
        /// Writes a UTF-8 text as a JSON string. `dst` only needs room for the result; escaping is faster
        /// if it has the maximum, `6 * src_length + 2`. Bytes of `dst` after the result may be overwritten.
        ///
        /// `flags` is 0 or `BYTELANE_JSON_STRING_BARE`. Fails with `BYTELANE_INVALID_UTF8`; nothing is
        /// written then.
        bytelane_json_string_escape;
    }

    unescape(; src: [u8; src_length]; flags: u32 = 0; dst: [u8; dst_length]) {
        /// Decodes a JSON string to UTF-8. `offset` is the number of bytes read; with quotes, `src` may
        /// continue after the closing one. `dst` only needs room for the text, which is never longer than
        /// the string; bytes of `dst` after the text may be overwritten.
        ///
        /// `flags` is 0 or `BYTELANE_JSON_STRING_BARE`. Fails with the statuses of JSON strings and
        /// `BYTELANE_TRUNCATED`.
        bytelane_json_string_unescape;
    }

    scan(; src: [u8; src_length];) {
        /// Finds the closing quote of a string and checks that the bytes before it are UTF-8 without
        /// control characters. `src` starts after the opening quote. `offset` is the length of the string
        /// without the closing quote, and `count` is 1 if it has escapes; if not, these bytes are the text.
        ///
        /// Fails with `BYTELANE_TRUNCATED`, `BYTELANE_CONTROL_CHARACTER` or `BYTELANE_INVALID_UTF8`.
        bytelane_json_string_scan;
    }
}

fn escaped_length(src: &[u8], flags: u32) -> Answer {
    let format = format(flags)?;
    let text = text(src)?;
    Ok(bytelane_result::ok(src.len(), format.escaped_len(text)))
}

fn escape(src: &[u8], flags: u32, dst: &mut [MaybeUninit<u8>]) -> Answer {
    let format = format(flags)?;
    let text = text(src)?;
    let most = src.len().saturating_mul(6).saturating_add(2);
    check_room(dst.len(), most, || format.escaped_len(text))?;
    let written = format.escape_with(Detected::active(), text, dst)?;
    Ok(bytelane_result::ok(src.len(), written.len()))
}

fn unescape(src: &[u8], flags: u32, dst: &mut [MaybeUninit<u8>]) -> Answer {
    let format = format(flags)?;
    // The core would detect this only after writing.
    if dst.len() < src.len()
        && let Some(needed) = more_than(dst.len(), format, src)
    {
        return Err(bytelane_result::too_short(needed));
    }
    let (text, read) = format.unescape_with(Detected::active(), src, dst)?;
    Ok(bytelane_result::ok(read, text.len()))
}

fn scan(src: &[u8]) -> Answer {
    let Scanned { text, escaped } = json_string::scan(src)?;
    Ok(bytelane_result::ok(text.len(), usize::from(escaped)))
}

#[inline(always)]
fn format(flags: u32) -> Result<Format, bytelane_status> {
    match flags {
        0 => Ok(QUOTED),
        BYTELANE_JSON_STRING_BARE => Ok(BARE),
        _ => Err(BYTELANE_ARGUMENT),
    }
}

/// Returns the bytes as text: in C, no type guarantees that they are.
#[inline]
fn text(bytes: &[u8]) -> Result<&str, bytelane_result> {
    utf8::validate(bytes)
        .map_err(|error| bytelane_result::malformed(BYTELANE_INVALID_UTF8, error.valid_up_to()))
}

/// Returns the length of the text of a string, if it is more than `room`; `None` if the string is
/// malformed. Takes long only if the string is longer than `room`.
#[cold]
fn more_than(room: usize, format: Format, src: &[u8]) -> Option<usize> {
    let string = if format == QUOTED {
        json_string::scan(src).ok()?.text
    } else {
        utf8::validate(src).ok()?
    };
    if string.len() <= room {
        return None;
    }
    let (mut at, mut length) = (0, 0);
    while let Some(&byte) = string.as_bytes().get(at) {
        let (read, written) = match byte {
            b'\\' => lengths(&string.as_bytes()[at..])?,
            b'"' | ..0x20 => return None,
            _ => (1, 1),
        };
        at += read;
        length += written;
    }
    (length > room).then_some(length)
}

/// Returns the lengths of an escape, with both halves of a surrogate pair, and of its UTF-8.
fn lengths(string: &[u8]) -> Option<(usize, usize)> {
    match string.get(1)? {
        b'u' => {}
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => return Some((2, 1)),
        _ => return None,
    }
    match unit(string.get(2..6)?)? {
        0..0x80 => Some((6, 1)),
        0x80..0x800 => Some((6, 2)),
        0xd800..0xdc00 => match string.get(6..8)? {
            b"\\u" => match unit(string.get(8..12)?)? {
                0xdc00..0xe000 => Some((12, 4)),
                _ => None,
            },
            _ => None,
        },
        0xdc00..0xe000 => None,
        _ => Some((6, 3)),
    }
}

/// Parses four hexadecimal digits.
fn unit(digits: &[u8]) -> Option<u32> {
    let digit = |unit, &byte: &u8| Some(16 * unit + char::from(byte).to_digit(16)?);
    digits.iter().try_fold(0, digit)
}

impl Kind for ErrorKind {
    fn status(self) -> Result<bytelane_status, DestinationError> {
        Ok(match self {
            Self::Destination(error) => return Err(error),
            Self::UnexpectedEnd => BYTELANE_TRUNCATED,
            Self::UnexpectedQuote => BYTELANE_UNEXPECTED_QUOTE,
            Self::ControlCharacter => BYTELANE_CONTROL_CHARACTER,
            Self::InvalidUtf8 => BYTELANE_INVALID_UTF8,
            Self::InvalidEscape => BYTELANE_INVALID_ESCAPE,
            Self::InvalidHex => BYTELANE_INVALID_HEX,
            Self::LoneSurrogate => BYTELANE_LONE_SURROGATE,
            _ => BYTELANE_MALFORMED,
        })
    }
}

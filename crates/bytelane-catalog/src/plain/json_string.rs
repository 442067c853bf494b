//! Plain loops of `json_string`: quotes and escapes.

use super::{Loops, Plain};
use crate::{Parameters, SpecificationError};
use std::str;

pub(crate) fn open(parameters: &Parameters<'_>) -> Result<Box<dyn Plain>, SpecificationError> {
    let quotes = parameters.get("quotes", |_| true)?;
    Ok(Box::new(JsonString { quotes }))
}

struct JsonString {
    quotes: bool,
}

/// Marks `\u`.
const UNICODE: u8 = b'u';

/// Letter after the backslash for each byte; 0 for bytes without an escape.
static LETTERS: [u8; 256] = {
    let mut letters = [0; 256];
    let mut byte = 0;
    while byte < 0x20 {
        letters[byte] = UNICODE;
        byte += 1;
    }
    letters[0x08] = b'b';
    letters[0x09] = b't';
    letters[0x0a] = b'n';
    letters[0x0c] = b'f';
    letters[0x0d] = b'r';
    letters[b'"' as usize] = b'"';
    letters[b'\\' as usize] = b'\\';
    letters
};

/// Appends bytes. Returns the offset after them.
#[inline(always)]
fn append(to: &mut [u8], at: usize, bytes: &[u8]) -> Option<usize> {
    let end = at + bytes.len();
    to.get_mut(at..end)?.copy_from_slice(bytes);
    Some(end)
}

impl Loops for JsonString {
    /// Copies the text between escapes as a whole.
    #[inline(always)]
    fn encode(&self, values: &[u8], encoded: &mut [u8]) -> Option<usize> {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        let text = str::from_utf8(values).ok()?.as_bytes();
        let quote: &[u8] = if self.quotes { b"\"" } else { b"" };
        let mut at = append(encoded, 0, quote)?;
        let mut copied = 0;
        for (i, &byte) in text.iter().enumerate() {
            let letter = LETTERS[usize::from(byte)];
            if letter == 0 {
                continue;
            }
            at = append(encoded, at, &text[copied..i])?;
            copied = i + 1;
            at = match letter {
                UNICODE => {
                    let [high, low] = [byte >> 4, byte & 15].map(|digit| HEX[usize::from(digit)]);
                    append(encoded, at, &[b'\\', UNICODE, b'0', b'0', high, low])?
                }
                letter => append(encoded, at, &[b'\\', letter])?,
            };
        }
        at = append(encoded, at, &text[copied..])?;
        append(encoded, at, quote)
    }

    #[inline(always)]
    fn decode(&self, encoded: &[u8], values: &mut [u8]) -> Option<usize> {
        let mut text = encoded;
        if self.quotes {
            text = text.trim_ascii();
            text = text.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
        }
        let (mut from, mut at) = (0, 0);
        loop {
            let rest = &text[from..];
            let stops = |byte: &u8| LETTERS[usize::from(*byte)] != 0;
            let length = rest.iter().position(stops).unwrap_or(rest.len());
            at = append(values, at, &rest[..length])?;
            match &rest[length..] {
                [] => break,
                [b'\\', UNICODE, digits @ ..] => {
                    let (character, length_of_escape) = unicode(digits)?;
                    let mut utf8 = [0; 4];
                    at = append(values, at, character.encode_utf8(&mut utf8).as_bytes())?;
                    from += length + 2 + length_of_escape;
                }
                [b'\\', letter, ..] => {
                    at = append(values, at, &[meaning(*letter)?])?;
                    from += length + 2;
                }
                _ => return None,
            }
        }
        // Escapes encode whole characters, and characters between them must be whole.
        str::from_utf8(&values[..at]).ok()?;
        Some(at)
    }
}

/// Returns the character that a letter after a backslash stands for.
#[inline(always)]
fn meaning(letter: u8) -> Option<u8> {
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

/// Returns the character of the digits after `\u`, and of a second escape if it needs one; and its
/// length.
#[inline(always)]
fn unicode(digits: &[u8]) -> Option<(char, usize)> {
    let high = four_digits(digits)?;
    if let Some(character) = char::from_u32(high) {
        return Some((character, 4));
    }
    let low = four_digits(digits[4..].strip_prefix(b"\\u")?)?;
    if high >= 0xdc00 || !(0xdc00..0xe000).contains(&low) {
        return None;
    }
    let character = char::from_u32(0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00))?;
    Some((character, 10))
}

#[inline(always)]
fn four_digits(digits: &[u8]) -> Option<u32> {
    let mut number = 0;
    for &digit in digits.get(..4)? {
        number = number << 4 | char::from(digit).to_digit(16)?;
    }
    Some(number)
}

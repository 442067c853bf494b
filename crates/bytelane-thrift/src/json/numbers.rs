//! Reads JSON numbers.

use super::decimals::read_decimal;
use super::digits::read_integer;
use super::read::JsonReader;
use super::text::{is_number, is_separator};
use crate::protocol::Reader;
use crate::{Error, ErrorKind, Items};
use fast_float2::FastFloat;
use std::str::FromStr;

impl<const SIMPLE: bool> JsonReader<'_, SIMPLE> {
    /// Reads an integer, in quotes if it is a key. It may not fit its type.
    #[inline]
    pub(super) fn integer<T: TryFrom<i64>>(&mut self) -> Result<T, Error> {
        self.text.separate()?;
        self.text.peek()?;
        let start = self.text.input.rest;
        if self.key {
            self.text.expect(b'"', "`\"`")?;
        }
        let value = self.text.integer()?;
        if self.key {
            self.text.expect(b'"', "`\"`")?;
        }
        T::try_from(value).map_err(|_| {
            self.text.input.rest = start;
            self.text.input.error(ErrorKind::NumberOutOfRange)
        })
    }

    /// Reads the remaining elements of a list, and appends them.
    #[inline]
    pub(super) fn integers<T: TryFrom<i64>>(
        &mut self,
        items: Items,
        values: &mut Vec<T>,
    ) -> Result<(), Error> {
        let plain = |text: &[u8]| {
            let (value, len) = read_integer(text)?;
            let value = T::try_from(value).ok()?;
            is_separator(text[len]).then_some((value, len))
        };
        self.list(items, values, plain, Self::integer)
    }

    /// Reads the remaining elements of a list, and appends them.
    // A closure is inlined; the function itself would be called.
    #[allow(clippy::redundant_closure)]
    #[inline]
    pub(super) fn decimals(&mut self, items: Items, values: &mut Vec<f64>) -> Result<(), Error> {
        self.list(items, values, |text| read_decimal(text), Self::double)
    }

    /// Reads the remaining elements of a list, and appends them: `plain` reads those in the usual
    /// form, before a separator, and `other` reads those that need a closer look.
    #[inline]
    fn list<T>(
        &mut self,
        mut items: Items,
        values: &mut Vec<T>,
        plain: impl Fn(&[u8]) -> Option<(T, usize)>,
        other: fn(&mut Self) -> Result<T, Error>,
    ) -> Result<(), Error> {
        items.reserve(values);
        loop {
            // Kept separate from the reader, so that it need not be stored and loaded for each
            // value.
            let mut rest = self.text.input.rest;
            while let [b',', text @ ..] = rest
                && self.text.separator == b','
                && items.left > 0
                && let Some((value, len)) = plain(text)
            {
                if SIMPLE {
                    self.text.input.rest = rest;
                    items.make_room(&mut self.text.input, values)?;
                } else {
                    items.left -= 1;
                }
                values.push(value);
                rest = &text[len..];
            }
            self.text.input.rest = rest;
            if !self.next(&mut items)? {
                return Ok(());
            }
            let value = other(self)?;
            items.make_room(&mut self.text.input, values)?;
            values.push(value);
        }
    }

    /// Reads a double or float; `infinite` returns whether it is too large for its type.
    #[inline]
    pub(super) fn real<T: FromStr + FastFloat>(
        &mut self,
        from: fn(f64) -> T,
        infinite: fn(&T) -> bool,
    ) -> Result<T, Error> {
        let is_quoted = {
            self.text.separate()?;
            self.text.peek()? == b'"'
        };
        let start = self.text.input;
        let digits = if is_quoted {
            self.text.separator = 0;
            let word = self.text.word()?.unwrap_or_default();
            match word {
                b"NaN" | b"-NaN" => return Ok(from(f64::NAN)),
                b"Infinity" => return Ok(from(f64::INFINITY)),
                b"-Infinity" => return Ok(from(f64::NEG_INFINITY)),
                word if self.key => match python_word(&mut &*word) {
                    Some(value) if start.lenient_json => return Ok(from(value)),
                    _ => word,
                },
                _ => {
                    return Err(start.error(ErrorKind::Syntax {
                        expected: "a number",
                    }));
                }
            }
        } else if self.key {
            return Err(self.text.unexpected("`\"`"));
        } else {
            if self.text.input.lenient_json
                && let Some(value) = python_word(&mut self.text.input.rest)
            {
                return Ok(from(value));
            }
            if let Some((value, len)) = read_real(self.text.input.rest)
                && !infinite(&value)
            {
                self.text.input.rest = &self.text.input.rest[len..];
                return Ok(value);
            }
            self.text.number()?
        };
        let value = std::str::from_utf8(digits)
            .ok()
            .filter(|_| is_number(digits))
            .and_then(|text| text.parse().ok());
        match value {
            Some(value) if infinite(&value) => Err(start.error(ErrorKind::NumberOutOfRange)),
            Some(value) => Ok(value),
            None => Err(start.error(ErrorKind::Syntax {
                expected: "a number",
            })),
        }
    }
}

/// Reads a JSON number that a separator follows. Returns its value, and its length in bytes. `None`
/// if it needs a closer look.
#[inline]
fn read_real<T: FastFloat>(text: &[u8]) -> Option<(T, usize)> {
    let (value, len) = fast_float2::parse_partial(text).ok()?;
    if !is_separator(*text.get(len)?) {
        return None;
    }
    // The parser accepts more than JSON allows: a `+`, leading zeros, a point without digits on
    // both sides.
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let whole = digits.iter().position(|byte| !byte.is_ascii_digit())?;
    let is_whole = whole == 1 || whole > 1 && digits[0] != b'0';
    let is_fraction = digits[whole] != b'.' || digits[whole + 1].is_ascii_digit();
    (is_whole && is_fraction).then_some((value, len))
}

/// Reads a double that is not a number, in the form that Python writes, if it is one.
fn python_word(rest: &mut &[u8]) -> Option<f64> {
    let words: [(&[u8], f64); 6] = [
        (b"nan", f64::NAN),
        (b"NaN", f64::NAN),
        (b"inf", f64::INFINITY),
        (b"Infinity", f64::INFINITY),
        (b"-inf", f64::NEG_INFINITY),
        (b"-Infinity", f64::NEG_INFINITY),
    ];
    let (word, value) = words.into_iter().find(|(word, _)| rest.starts_with(word))?;
    *rest = &rest[word.len()..];
    Some(value)
}

//! Tokens of JSON: brackets, strings, numbers.

use super::kind;
use crate::input::Input;
use crate::{Error, ErrorKind, FieldHeader};
use bytelane::json_string::{self, Scanned};
use std::borrow::Cow;

/// Reads tokens.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text<'de> {
    pub input: Input<'de>,
    /// Separator that must come before the next value: `,`, `:`, or 0 for nothing.
    pub separator: u8,
}

impl<'de> Text<'de> {
    /// Skips whitespace. Returns the byte after it, without consuming it.
    #[inline(always)]
    pub fn peek(&mut self) -> Result<u8, Error> {
        loop {
            match self.input.rest.first() {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.input.rest = &self.input.rest[1..],
                Some(&byte) => return Ok(byte),
                None => return Err(self.input.error(ErrorKind::UnexpectedEnd)),
            }
        }
    }

    /// Reads a byte, and any whitespace before it.
    #[inline]
    pub fn expect(&mut self, byte: u8, name: &'static str) -> Result<(), Error> {
        if self.peek()? != byte {
            return Err(self.unexpected(name));
        }
        self.input.rest = &self.input.rest[1..];
        Ok(())
    }

    #[cold]
    pub fn unexpected(&self, expected: &'static str) -> Error {
        self.input.error(ErrorKind::Syntax { expected })
    }

    /// Reads the separator that comes before a value.
    #[inline(always)]
    pub fn separate(&mut self) -> Result<(), Error> {
        match self.separator {
            b',' => self.expect(b',', "`,`")?,
            b':' => self.expect(b':', "`:`")?,
            _ => {}
        }
        self.separator = b',';
        Ok(())
    }

    /// Starts a value that contains others.
    #[inline]
    pub fn open(&mut self, bracket: u8, name: &'static str) -> Result<(), Error> {
        self.separate()?;
        self.expect(bracket, name)?;
        self.separator = 0;
        Ok(())
    }

    /// Ends a value that contains others, if it ends here.
    #[inline]
    pub fn closes(&mut self, bracket: u8) -> Result<bool, Error> {
        if self.peek()? != bracket {
            return Ok(false);
        }
        self.input.rest = &self.input.rest[1..];
        self.separator = b',';
        Ok(true)
    }

    /// Ends a value that contains others.
    #[inline]
    pub fn close(&mut self, bracket: u8, name: &'static str) -> Result<(), Error> {
        if !self.closes(bracket)? {
            return Err(self.unexpected(name));
        }
        Ok(())
    }

    /// Reads a string as a value.
    #[inline]
    pub fn string(&mut self) -> Result<Cow<'de, str>, Error> {
        let start = self.start();
        let scanned = match (self.scan(), start) {
            (Err(error), Some(start)) if self.accepts(&error) => {
                (self.input.rest, self.separator) = start;
                let mut text = String::new();
                return self.lenient_string(&mut text).map(|()| Cow::Owned(text));
            }
            (scanned, _) => scanned?,
        };
        let text = if scanned.escaped {
            let mut text = String::new();
            self.unescape(scanned, &mut text)?;
            Cow::Owned(text)
        } else {
            Cow::Borrowed(scanned.text)
        };
        self.pass(scanned);
        Ok(text)
    }

    /// Reads a string as a value, reusing the memory of another one.
    #[inline]
    pub fn string_into(&mut self, value: &mut String) -> Result<(), Error> {
        let start = self.start();
        let scanned = match (self.scan(), start) {
            (Err(error), Some(start)) if self.accepts(&error) => {
                (self.input.rest, self.separator) = start;
                value.clear();
                return self.lenient_string(value);
            }
            (scanned, _) => scanned?,
        };
        value.clear();
        if scanned.escaped {
            self.unescape(scanned, value)?;
        } else {
            self.input.charge(scanned.text.len())?;
            value.reserve_exact(scanned.text.len());
            bytelane::append_text(value, scanned.text);
        }
        self.pass(scanned);
        Ok(())
    }

    /// Returns the position before a string, if it may have to be read again. Otherwise it is not
    /// kept: it would be loaded in one piece right after it was stored in two, which is slow.
    #[inline]
    fn start(&self) -> Option<(&'de [u8], u8)> {
        let lenient = self.input.lenient_json;
        lenient.then_some((self.input.rest, self.separator))
    }

    /// Finds the end of a string, without consuming its text.
    #[inline]
    fn scan(&mut self) -> Result<Scanned<'de>, Error> {
        self.separate()?;
        self.expect(b'"', "a string")?;
        match json_string::scan(self.input.rest) {
            Ok(scanned) => {
                self.input.check_string(scanned.text.len())?;
                Ok(scanned)
            }
            Err(error) => Err(self.string_error(error)),
        }
    }

    /// Returns whether lenient reading accepts a string with this error.
    #[cold]
    fn accepts(&self, error: &Error) -> bool {
        self.input.lenient_json && error.kind() == ErrorKind::ControlCharacter
    }

    /// Reads a string with control characters. The text between them is read like any string.
    #[cold]
    fn lenient_string(&mut self, to: &mut String) -> Result<(), Error> {
        self.separate()?;
        self.expect(b'"', "a string")?;
        let len = self.text_len()?;
        self.input.check_string(len)?;
        self.input.charge(len)?;
        to.reserve_exact(len);
        let mut at = self.input.offset();
        let text = self.input.take(len)?;
        for part in text.split_inclusive(|&byte| byte < 0x20) {
            let (plain, control) = match part {
                [plain @ .., control @ ..0x20] => (plain, Some(control)),
                plain => (plain, None),
            };
            if let Err(error) = json_string::BARE.unescape_append(plain, to) {
                let kind = match string_error_kind(error) {
                    // An escape that a control character cuts off does not end with the message.
                    ErrorKind::UnexpectedEnd => ErrorKind::InvalidEscape,
                    kind => kind,
                };
                return Err(Error::new(kind, Some(at + error.offset().unwrap_or(0))));
            }
            at += part.len();
            to.extend(control.map(|&control| char::from(control)));
        }
        self.expect(b'"', "`\"`")
    }

    /// Returns the number of bytes before the closing quote.
    fn text_len(&self) -> Result<usize, Error> {
        let mut escaped = false;
        for (i, &byte) in self.input.rest.iter().enumerate() {
            match byte {
                b'"' if !escaped => return Ok(i),
                byte => escaped = byte == b'\\' && !escaped,
            }
        }
        let error = self.input.error(ErrorKind::UnexpectedEnd);
        Err(error.behind(self.input.rest.len()))
    }

    /// Appends a text with escapes.
    fn unescape(&mut self, scanned: Scanned<'de>, to: &mut String) -> Result<(), Error> {
        // Escapes are longer than the text that they encode.
        let most = scanned.text.len();
        self.input.charge(most)?;
        to.reserve_exact(most);
        match json_string::QUOTED.unescape_append(self.input.rest, to) {
            Ok(_) => Ok(()),
            Err(error) => Err(self.string_error(error)),
        }
    }

    /// Consumes a text and its closing quote.
    #[inline]
    fn pass(&mut self, scanned: Scanned<'de>) {
        self.input.rest = &self.input.rest[scanned.text.len() + 1..];
    }

    #[cold]
    fn string_error(&self, error: json_string::Error) -> Error {
        let kind = string_error_kind(error);
        self.input.error(kind).behind(error.offset().unwrap_or(0))
    }

    /// Reads a short string without escapes as a value: a name or number of the protocol.
    #[inline]
    pub fn word(&mut self) -> Result<Option<&'de [u8]>, Error> {
        self.separate()?;
        self.expect(b'"', "a string")?;
        let rest = self.input.rest;
        for i in 0..rest.len() {
            match rest[i] {
                b'"' => {
                    self.input.rest = &rest[i + 1..];
                    return Ok(Some(&rest[..i]));
                }
                // Not such a string: `string` reads it, from the quote on.
                b'\\' | ..0x20 | 0x80.. => return Ok(None),
                _ => {}
            }
        }
        Err(self
            .input
            .error(ErrorKind::UnexpectedEnd)
            .behind(rest.len()))
    }

    /// Returns the text of a number at the start of the rest.
    #[inline]
    pub fn number(&mut self) -> Result<&'de [u8], Error> {
        self.peek()?;
        let rest = self.input.rest;
        let is_part = |byte: u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
        let mut len = 0;
        while len < rest.len() && is_part(rest[len]) {
            len += 1;
        }
        if len == 0 {
            return Err(self.unexpected("a number"));
        }
        self.input.rest = &rest[len..];
        Ok(&rest[..len])
    }

    /// Reads an integer.
    #[inline(always)]
    pub fn integer(&mut self) -> Result<i64, Error> {
        self.peek()?;
        let rest = self.input.rest;
        let (negative, digits) = match rest {
            [b'-', digits @ ..] => (true, digits),
            digits => (false, digits),
        };
        let (mut value, mut len) = (0, 0);
        // Any 18 digits fit.
        while len < usize::min(digits.len(), 18) && digits[len].is_ascii_digit() {
            value = value * 10 + i64::from(digits[len] - b'0');
            len += 1;
        }
        // JSON does not allow leading zeros.
        let is_number = len == 1 || len > 1 && digits[0] != b'0';
        if !is_number || !digits.get(len).is_some_and(|&byte| is_separator(byte)) {
            return self.other_integer();
        }
        self.input.rest = &digits[len..];
        Ok(if negative { -value } else { value })
    }

    /// Reads an integer, or reports the error in it.
    fn other_integer(&mut self) -> Result<i64, Error> {
        let start = self.input;
        let text = self.number()?;
        parse_integer(text).map_err(|kind| start.error(kind))
    }

    /// Reads the header of a field in the usual form, without whitespace: `"1":{"i32"`. `None` if
    /// it has another form.
    #[inline(always)]
    pub fn plain_header(&mut self) -> Option<FieldHeader> {
        let mut rest = self.input.rest;
        if self.separator == b',' {
            rest = rest.strip_prefix(b",")?;
        }
        let [b'"', first @ b'1'..=b'9', tail @ ..] = rest else {
            return None;
        };
        let (mut id, mut rest) = (i16::from(first - b'0'), tail);
        while let [digit @ b'0'..=b'9', tail @ ..] = rest {
            id = id.checked_mul(10)?.checked_add((digit - b'0').into())?;
            rest = tail;
        }
        let rest = rest.strip_prefix(b"\":{\"")?;
        let (name, rest) = rest.split_at_checked(3)?;
        // Two of the names have two letters.
        let (kind, rest) = match name {
            [a, b, b'"'] => (kind(&[*a, *b])?, rest),
            name => (kind(name)?, rest.strip_prefix(b"\"")?),
        };
        self.input.rest = rest;
        self.separator = b':';
        Some(FieldHeader { id, kind })
    }
}

/// Returns whether a number ends before this byte.
#[inline]
pub(super) fn is_separator(byte: u8) -> bool {
    matches!(
        byte,
        b',' | b']' | b'}' | b'"' | b' ' | b'\t' | b'\n' | b'\r'
    )
}

#[inline]
pub(super) fn parse_integer(text: &[u8]) -> Result<i64, ErrorKind> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    // Any 18 digits fit. JSON does not allow leading zeros.
    if digits.is_empty() || digits.len() > 19 || matches!(digits, [b'0', _, ..]) {
        return Err(integer_error(digits));
    }
    let mut value = 0u64;
    for i in 0..digits.len() {
        let digit = digits[i].wrapping_sub(b'0');
        if digit > 9 {
            return Err(integer_error(digits));
        }
        value = value * 10 + u64::from(digit);
    }
    let value = if negative {
        0i64.checked_sub_unsigned(value)
    } else {
        0i64.checked_add_unsigned(value)
    };
    value.ok_or(ErrorKind::NumberOutOfRange)
}

#[cold]
fn integer_error(digits: &[u8]) -> ErrorKind {
    if is_number(digits) && digits.iter().all(u8::is_ascii_digit) {
        return ErrorKind::NumberOutOfRange;
    }
    ErrorKind::Syntax {
        expected: "an integer",
    }
}

/// Returns whether a text is a JSON number: no `+`, no leading zeros, and a digit on both sides of
/// the point.
pub(super) fn is_number(text: &[u8]) -> bool {
    let (whole, mut rest) = split_digits(text.strip_prefix(b"-").unwrap_or(text));
    if whole.is_empty() || matches!(whole, [b'0', _, ..]) {
        return false;
    }
    if let Some(fraction) = rest.strip_prefix(b".") {
        let digits;
        (digits, rest) = split_digits(fraction);
        if digits.is_empty() {
            return false;
        }
    }
    match rest {
        [] => true,
        [b'e' | b'E', b'+' | b'-', exponent @ ..] | [b'e' | b'E', exponent @ ..] => {
            matches!(split_digits(exponent), ([_, ..], []))
        }
        _ => false,
    }
}

/// Splits the digits at the start from the rest.
fn split_digits(text: &[u8]) -> (&[u8], &[u8]) {
    let is_other = |byte: &u8| !byte.is_ascii_digit();
    text.split_at(text.iter().position(is_other).unwrap_or(text.len()))
}

/// Returns the kind of error in messages for an error of a string.
#[cold]
fn string_error_kind(error: json_string::Error) -> ErrorKind {
    match error.kind() {
        json_string::ErrorKind::UnexpectedEnd => ErrorKind::UnexpectedEnd,
        json_string::ErrorKind::InvalidUtf8 => ErrorKind::InvalidUtf8,
        json_string::ErrorKind::ControlCharacter => ErrorKind::ControlCharacter,
        json_string::ErrorKind::LoneSurrogate => ErrorKind::LoneSurrogate,
        _ => ErrorKind::InvalidEscape,
    }
}

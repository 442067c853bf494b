//! Splits a condition into tokens: names, values, operators and symbols.

use super::value::parse_decimal;
use super::{Comparison, Value};
use crate::{Error, Problem};

/// Position in bytes, and the problem there.
pub(super) struct Fault {
    pub(super) at: Option<usize>,
    pub(super) problem: String,
}

impl Fault {
    pub(super) fn into_error(self, text: &str) -> Error {
        let place = match self.at {
            Some(at) => format!("at `{}`", &text[at..]),
            None => "at the end".to_owned(),
        };
        Problem::Option(format!(
            "{} {place} of the condition `{text}`",
            self.problem
        ))
        .into()
    }
}

/// Kind of a token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// Name or keyword, as written.
    Word(String),
    /// Name between quotation marks, including dots.
    Quoted(String),
    Value(Value),
    Operator(Comparison),
    Symbol(char),
}

/// Smallest part of a condition.
pub(super) struct Token {
    pub(super) kind: Kind,
    /// Position in bytes.
    pub(super) at: usize,
}

/// Splits a condition into tokens.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, Fault> {
    let mut tokens = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        let at = text.len() - rest.len();
        let Some(first) = rest.chars().next() else {
            return Ok(tokens);
        };
        let fault = |problem: &str| Fault {
            at: Some(at),
            problem: problem.to_owned(),
        };
        let second = rest[first.len_utf8()..].chars().next();
        let (kind, length) = match first {
            '\'' => {
                let (text, length) =
                    quoted(rest, '\'').ok_or_else(|| fault("missing a closing '"))?;
                (Kind::Value(Value::Text(text)), length)
            }
            '"' => {
                let (name, length) =
                    quoted(rest, '"').ok_or_else(|| fault("missing a closing \""))?;
                (Kind::Quoted(name), length)
            }
            'x' | 'X' if second == Some('\'') => {
                let (digits, length) =
                    quoted(&rest[1..], '\'').ok_or_else(|| fault("missing a closing '"))?;
                let bytes =
                    bytes(&digits).ok_or_else(|| fault("expected pairs of hexadecimal digits"))?;
                (Kind::Value(Value::Binary(bytes)), 1 + length)
            }
            '(' | ')' | ',' | '.' | '[' | ']' | '+' | '-' | '*' | '/' | '%'
                if first != '.' || !second.is_some_and(|it| it.is_ascii_digit()) =>
            {
                (Kind::Symbol(first), 1)
            }
            '=' | '!' | '<' | '>' => operator(rest).ok_or_else(|| fault("unknown operator"))?,
            '0'..='9' | '.' => {
                let length = number_length(rest);
                let value = number(&rest[..length])
                    .ok_or_else(|| fault("expected a number of up to 38 digits"))?;
                (Kind::Value(value), length)
            }
            c if is_name(c) => {
                let length = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
                (Kind::Word(rest[..length].to_owned()), length)
            }
            _ => return Err(fault("unexpected character")),
        };
        tokens.push(Token { kind, at });
        rest = &rest[length..];
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the text between quotation marks, where two marks stand for one, and the length
/// including the marks.
pub(super) fn quoted(text: &str, mark: char) -> Option<(String, usize)> {
    let mut inner = String::new();
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        if c != mark {
            inner.push(c);
        } else if chars.next_if(|(_, next)| *next == mark).is_some() {
            inner.push(mark);
        } else {
            return Some((inner, at + 1));
        }
    }
    None
}

fn bytes(digits: &str) -> Option<Vec<u8>> {
    let pair = |pair: &[u8]| match pair {
        &[high, low] => Some((hex(high)? << 4) | hex(low)?),
        _ => None,
    };
    digits.as_bytes().chunks(2).map(pair).collect()
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit)
        .to_digit(16)
        .and_then(|it| u8::try_from(it).ok())
}

fn operator(text: &str) -> Option<(Kind, usize)> {
    // Longest first.
    let operators = [
        ("==", Comparison::Equal),
        ("!=", Comparison::NotEqual),
        ("<>", Comparison::NotEqual),
        ("<=", Comparison::LessOrEqual),
        (">=", Comparison::GreaterOrEqual),
        ("=", Comparison::Equal),
        ("<", Comparison::Less),
        (">", Comparison::Greater),
    ];
    let found = operators
        .into_iter()
        .find(|(name, _)| text.starts_with(name));
    found.map(|(name, comparison)| (Kind::Operator(comparison), name.len()))
}

fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let belongs = |at: usize| match bytes[at] {
        b'+' | b'-' => at > 0 && matches!(bytes[at - 1], b'e' | b'E'),
        byte => byte.is_ascii_alphanumeric() || byte == b'.',
    };
    (0..bytes.len())
        .find(|at| !belongs(*at))
        .unwrap_or(bytes.len())
}

fn number(text: &str) -> Option<Value> {
    if let Ok(integer) = text.parse() {
        return Some(Value::Integer(integer));
    }
    parse_decimal(text).map(|(digits, scale)| Value::Decimal { digits, scale })
}

//! Converts text to tokens.

use crate::comments;
use crate::idl::source::{Error, Place, SharedSource};

/// A token.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Token {
    /// A word, including dots.
    Word(String),
    /// An integer.
    Integer(i64),
    /// A number with a point or an exponent, in its original form.
    Double(String),
    /// Text between quotes. These are bytes, because escapes can produce invalid UTF-8.
    String(Vec<u8>),
    /// One of `{}()[]<>,;:=&*@`.
    Symbol(char),
    /// End of the file.
    End,
}

impl Token {
    /// Returns its name in messages.
    pub(crate) fn describe(&self) -> String {
        match self {
            Token::Word(word) => format!("`{word}`"),
            Token::Integer(number) => format!("the number {number}"),
            Token::Double(number) => format!("the number {number}"),
            Token::String(text) => format!("the text \"{}\"", String::from_utf8_lossy(text)),
            Token::Symbol(symbol) => format!("`{symbol}`"),
            Token::End => "the end of the file".to_owned(),
        }
    }
}

/// A token, its position, and the documentation directly before it.
#[derive(Clone, Debug)]
pub(crate) struct Lexed {
    pub(crate) token: Token,
    pub(crate) place: Place,
    pub(crate) documentation: Option<String>,
    /// `///< ..` or `/**< .. */`, which documents the preceding item.
    pub(crate) afterword: Option<String>,
}

/// Returns all tokens of a file; the last one is [`Token::End`].
pub(crate) fn lex(source: &SharedSource) -> Result<Vec<Lexed>, Error> {
    let mut lexer = Lexer { source, at: 0 };
    let mut tokens = Vec::new();
    loop {
        let (documentation, afterword) = lexer.skip_blank()?;
        let place = Place(lexer.at);
        let token = lexer.token()?;
        let end = token == Token::End;
        tokens.push(Lexed {
            token,
            place,
            documentation,
            afterword,
        });
        if end {
            return Ok(tokens);
        }
    }
}

/// Returns the number at a position as octal, if it consists of digits with a leading zero.
/// Apache's compiler reads such numbers as decimal, fbthrift's as octal.
pub(crate) fn octal(source: &SharedSource, place: Place) -> Option<i64> {
    let text = &source.text[place.0..];
    let digits = text.trim_start_matches(['+', '-']);
    let sign = &text[..text.len() - digits.len()];
    let digits = digits.strip_prefix('0')?;
    let end = digits.find(|c: char| !c.is_ascii_alphanumeric() && c != '.');
    i64::from_str_radix(
        &format!("{sign}{}", &digits[..end.unwrap_or(digits.len())]),
        8,
    )
    .ok()
}

struct Lexer<'a> {
    source: &'a SharedSource,
    at: usize,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.source.text[self.at..]
    }

    fn error(&self, message: impl Into<String>) -> Error {
        Error::at(self.source, Place(self.at), message)
    }

    /// Skips whitespace and comments. Returns the last comment that documents the next item,
    /// `/** .. */` or lines of `///`, and the one that documents the preceding item: `/**< .. */`
    /// or `///<`.
    fn skip_blank(&mut self) -> Result<(Option<String>, Option<String>), Error> {
        let mut documentation: Option<String> = None;
        let mut afterword: Option<String> = None;
        loop {
            let rest = self.rest();
            let blank = rest.len()
                - rest
                    .trim_start_matches([' ', '\t', '\r', '\n', '\u{feff}'])
                    .len();
            self.at += blank;
            let rest = self.rest();
            if rest.starts_with("//") || rest.starts_with('#') {
                let line = rest.lines().next().unwrap_or("");
                if let Some(text) = line.strip_prefix("///") {
                    let (all, text) = match text.strip_prefix('<') {
                        Some(text) => (&mut afterword, text),
                        None => (&mut documentation, text),
                    };
                    let all = all.get_or_insert_default();
                    if !all.is_empty() {
                        all.push('\n');
                    }
                    all.push_str(&undecorated_line(text));
                }
                self.at += line.len();
            } else if let Some(comment) = rest.strip_prefix("/*") {
                let Some(end) = comment.find("*/") else {
                    return Err(self.error("unterminated comment"));
                };
                let inside = &comment[..end];
                if let Some(text) = inside.strip_prefix("*<") {
                    afterword = Some(undecorated(text));
                } else if let Some(text) = inside.strip_prefix('*') {
                    documentation = Some(undecorated(text));
                }
                self.at += 2 + end + 2;
            } else {
                let said = |text: String| {
                    Some(comments::documentation(&text)).filter(|text| !text.is_empty())
                };
                return Ok((documentation.and_then(said), afterword.and_then(said)));
            }
        }
    }

    fn token(&mut self) -> Result<Token, Error> {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            return Ok(Token::End);
        };
        match first {
            '{' | '}' | '(' | ')' | '[' | ']' | '<' | '>' | ',' | ';' | ':' | '=' | '&' | '*'
            | '@' => {
                self.at += 1;
                Ok(Token::Symbol(first))
            }
            '"' | '\'' => self.string(first),
            '0'..='9' | '+' | '-' | '.' => self.number(),
            _ if first.is_alphabetic() || first == '_' => {
                let word = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '-'));
                let length = rest.find(word).unwrap_or(rest.len());
                let text = rest[..length].to_owned();
                self.at += length;
                Ok(Token::Word(text))
            }
            _ => Err(self.error(format!("`{first}` means nothing here"))),
        }
    }

    /// Reads text between quotes. A backslash escapes as in C; before any other character, it is
    /// literal.
    fn string(&mut self, quote: char) -> Result<Token, Error> {
        let mut text = Vec::new();
        let rest = self.rest();
        let mut at = 1;
        while let Some(character) = rest[at..].chars().next() {
            at += character.len_utf8();
            if character == quote {
                self.at += at;
                return Ok(Token::String(text));
            }
            if character != '\\' {
                text.extend_from_slice(&rest.as_bytes()[at - character.len_utf8()..at]);
                continue;
            }
            let Some(escaped) = rest[at..].chars().next() else {
                break;
            };
            at += escaped.len_utf8();
            match escaped {
                'n' => text.push(b'\n'),
                'r' => text.push(b'\r'),
                't' => text.push(b'\t'),
                '\\' | '"' | '\'' => text.push(escaped as u8),
                'x' | 'u' => {
                    let digits = if escaped == 'x' { 2 } else { 4 };
                    let Some(number) = hexadecimal(&rest[at..], digits) else {
                        return Err(Error::at(
                            self.source,
                            Place(self.at + at - 2),
                            format!("`\\{escaped}` needs {digits} hexadecimal digits"),
                        ));
                    };
                    at += digits;
                    match char::from_u32(number) {
                        _ if escaped == 'x' => text.push(number as u8),
                        Some(character) => text.extend(character.to_string().bytes()),
                        None => {
                            return Err(Error::at(
                                self.source,
                                Place(self.at + at - 6),
                                "half of a surrogate pair is no character",
                            ));
                        }
                    }
                }
                other => {
                    text.push(b'\\');
                    text.extend(other.to_string().bytes());
                }
            }
        }
        Err(self.error("unterminated string"))
    }

    fn number(&mut self) -> Result<Token, Error> {
        let rest = self.rest();
        let sign = usize::from(rest.starts_with(['+', '-']));
        let prefix = rest[sign..].get(..2).unwrap_or("");
        let radix = match prefix {
            "0x" | "0X" => Some(16),
            "0b" | "0B" => Some(2),
            _ => None,
        };
        let mut length = sign;
        let mut exponent = false;
        for (at, c) in rest[sign..].char_indices() {
            let part = match c {
                _ if radix.is_some() => c.is_ascii_alphanumeric(),
                'e' | 'E' => !std::mem::replace(&mut exponent, true),
                '+' | '-' => exponent && rest[..sign + at].ends_with(['e', 'E']),
                _ => c.is_ascii_digit() || c == '.',
            };
            if !part {
                break;
            }
            length = sign + at + 1;
        }
        let text = &rest[..length];
        let token = if let Some(radix) = radix {
            let digits = u64::from_str_radix(&text[sign + 2..], radix).ok();
            digits.and_then(|digits| match text.starts_with('-') {
                true => 0i64.checked_sub_unsigned(digits),
                false => 0i64.checked_add_unsigned(digits),
            })
        } else {
            text.parse().ok()
        };
        let double = || {
            text.parse::<f64>()
                .ok()
                .map(|_| Token::Double(text.to_owned()))
        };
        let token = token.map(Token::Integer).or_else(double);
        let token = token.ok_or_else(|| self.error(format!("`{text}` is not a 64-bit number")))?;
        self.at += length;
        Ok(token)
    }
}

/// Returns the number that the first hexadecimal digits of a text represent.
fn hexadecimal(text: &str, digits: usize) -> Option<u32> {
    let digits = text.get(..digits)?;
    let all = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    u32::from_str_radix(digits, 16).ok().filter(|_| all)
}

/// Returns a comment's text without the asterisks that decorate its lines.
fn undecorated(comment: &str) -> String {
    let lines = lines(comment).map(|line| {
        let line = line.trim();
        line.strip_prefix('*').unwrap_or(line).trim().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// Returns the text after `///`, which has several lines if it contains carriage returns.
fn undecorated_line(text: &str) -> String {
    let lines = lines(text.trim()).map(|line| line.trim().to_owned());
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the lines of a comment, which may end with any kind of line break, without the invisible
/// direction marks that rustc rejects in comments.
fn lines(comment: &str) -> impl Iterator<Item = String> {
    let text = comment.replace("\r\n", "\n");
    let text = text.replace(
        ['\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}', '\u{202e}'],
        "",
    );
    let text = text.replace(['\u{2066}', '\u{2067}', '\u{2068}', '\u{2069}'], "");
    let lines: Vec<_> = text.split(['\n', '\r']).map(str::to_owned).collect();
    lines.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::idl::source::Source;
    use std::sync::Arc;

    fn tokens(text: &str) -> Result<Vec<Token>, String> {
        let source = Arc::new(Source {
            path: "t".into(),
            text: text.to_owned(),
        });
        let lexed = lex(&source).map_err(|error| error.message)?;
        Ok(lexed.into_iter().map(|lexed| lexed.token).collect())
    }

    #[test]
    fn numbers() {
        let read = tokens("1 -2 +3 0x1F -0x10 1.5 -2e3 .25 6.02E+23 -0x8000000000000000").unwrap();
        let double = |text: &str| Token::Double(text.to_owned());
        let expected = [
            Token::Integer(1),
            Token::Integer(-2),
            Token::Integer(3),
            Token::Integer(31),
            Token::Integer(-16),
            double("1.5"),
            double("-2e3"),
            double(".25"),
            double("6.02E+23"),
            Token::Integer(i64::MIN),
            Token::End,
        ];
        assert_eq!(read, expected);
        assert!(
            tokens("99999999999999999999x")
                .unwrap()
                .contains(&double("99999999999999999999"))
        );
        for text in ["0xq", "0xffffffffffffffff", "0x8000000000000000", "0b2"] {
            let message = format!("`{text}` is not a 64-bit number");
            assert_eq!(tokens(text).unwrap_err(), message);
        }
    }

    #[test]
    fn texts_and_comments() {
        let read = tokens("# a\n\"x\\\"y\\q\" /* b */ 'z\\n' // c").unwrap();
        let text = |text: &str| Token::String(text.into());
        assert_eq!(read, [text("x\"y\\q"), text("z\n"), Token::End]);
        assert_eq!(tokens("\"abc").unwrap_err(), "unterminated string");
        assert_eq!(tokens("/* abc").unwrap_err(), "unterminated comment");
        assert_eq!(tokens("a ? b").unwrap_err(), "`?` means nothing here");
    }

    #[test]
    fn documentation_belongs_to_the_next_token() {
        let text = "/** One\n * two */ a /// three\n/// four\nb /* five */ c".to_owned();
        let lexed = lex(&Arc::new(Source {
            path: "t".into(),
            text,
        }))
        .unwrap();
        let documentation: Vec<_> = lexed.iter().map(|l| l.documentation.as_deref()).collect();
        assert_eq!(
            documentation,
            [Some("One\ntwo"), Some("three\nfour"), None, None]
        );
    }
}

//! Text to tokens.

use crate::source::{Error, Place, SharedSource};

/// The smallest piece of meaning.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Token {
    /// A word, dots included.
    Word(String),
    /// A whole number.
    Integer(i64),
    /// A number with a point or an exponent, as it is written.
    Double(String),
    /// Text between quotes.
    String(String),
    /// One of `{}()[]<>,;:=&*`.
    Symbol(char),
    /// After the last token.
    End,
}

impl Token {
    /// How messages name it.
    pub(crate) fn describe(&self) -> String {
        match self {
            Token::Word(word) => format!("`{word}`"),
            Token::Integer(number) => format!("the number {number}"),
            Token::Double(number) => format!("the number {number}"),
            Token::String(text) => format!("the text {text:?}"),
            Token::Symbol(symbol) => format!("`{symbol}`"),
            Token::End => "the end of the file".to_owned(),
        }
    }
}

/// A token, where it begins, and the documentation comment directly before it.
#[derive(Clone, Debug)]
pub(crate) struct Lexed {
    pub(crate) token: Token,
    pub(crate) place: Place,
    pub(crate) documentation: Option<String>,
}

/// All tokens of a file; the last one is [`Token::End`].
pub(crate) fn lex(source: &SharedSource) -> Result<Vec<Lexed>, Error> {
    let mut lexer = Lexer { source, at: 0 };
    let mut tokens = Vec::new();
    loop {
        let documentation = lexer.skip_blank()?;
        let place = Place(lexer.at);
        let token = lexer.token()?;
        let end = token == Token::End;
        tokens.push(Lexed {
            token,
            place,
            documentation,
        });
        if end {
            return Ok(tokens);
        }
    }
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

    /// Skips white space and comments; returns the last comment that documents what follows:
    /// `/** .. */`, or lines of `///`.
    fn skip_blank(&mut self) -> Result<Option<String>, Error> {
        let mut documentation: Option<String> = None;
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
                    let all = documentation.get_or_insert_default();
                    if !all.is_empty() {
                        all.push('\n');
                    }
                    all.push_str(text.trim());
                }
                self.at += line.len();
            } else if let Some(comment) = rest.strip_prefix("/*") {
                let Some(end) = comment.find("*/") else {
                    return Err(self.error("unterminated comment"));
                };
                let inside = &comment[..end];
                if let Some(text) = inside.strip_prefix('*') {
                    documentation = Some(undecorated(text));
                }
                self.at += 2 + end + 2;
            } else {
                return Ok(documentation.filter(|text| !text.is_empty()));
            }
        }
    }

    fn token(&mut self) -> Result<Token, Error> {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            return Ok(Token::End);
        };
        match first {
            '{' | '}' | '(' | ')' | '[' | ']' | '<' | '>' | ',' | ';' | ':' | '=' | '&' | '*' => {
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

    /// Text between quotes. A backslash escapes as in C; before anything else it is itself.
    fn string(&mut self, quote: char) -> Result<Token, Error> {
        let mut text = String::new();
        let mut characters = self.rest().char_indices().skip(1);
        while let Some((at, character)) = characters.next() {
            if character == quote {
                self.at += at + 1;
                return Ok(Token::String(text));
            }
            if character != '\\' {
                text.push(character);
                continue;
            }
            match characters.next().map(|(_, escaped)| escaped) {
                Some('n') => text.push('\n'),
                Some('r') => text.push('\r'),
                Some('t') => text.push('\t'),
                Some(escaped @ ('\\' | '"' | '\'')) => text.push(escaped),
                Some(other) => text.extend(['\\', other]),
                None => break,
            }
        }
        Err(self.error("unterminated string"))
    }

    fn number(&mut self) -> Result<Token, Error> {
        let rest = self.rest();
        let sign = usize::from(rest.starts_with(['+', '-']));
        let hexadecimal = rest[sign..].starts_with("0x") || rest[sign..].starts_with("0X");
        let mut length = sign;
        let mut exponent = false;
        for (at, c) in rest[sign..].char_indices() {
            let part = match c {
                _ if hexadecimal => c.is_ascii_alphanumeric(),
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
        let token = if hexadecimal {
            // As the compiler of Apache does: 64 bits, whatever they mean.
            let digits = u64::from_str_radix(&text[sign + 2..], 16).ok();
            let value = digits.map(|bits| bits as i64);
            value.map(|value| {
                if text.starts_with('-') {
                    value.wrapping_neg()
                } else {
                    value
                }
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

/// A comment's text without the asterisks that decorate its lines.
fn undecorated(comment: &str) -> String {
    let lines = comment.lines().map(|line| {
        let line = line.trim();
        line.strip_prefix('*').unwrap_or(line).trim()
    });
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;
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
        let read = tokens("1 -2 +3 0x1F -0x10 1.5 -2e3 .25 6.02E+23 0xffffffffffffffff").unwrap();
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
            Token::Integer(-1),
            Token::End,
        ];
        assert_eq!(read, expected);
        assert!(
            tokens("99999999999999999999x")
                .unwrap()
                .contains(&double("99999999999999999999"))
        );
        assert_eq!(tokens("0xq").unwrap_err(), "`0xq` is not a 64-bit number");
    }

    #[test]
    fn texts_and_comments() {
        let read = tokens("# a\n\"x\\\"y\\q\" /* b */ 'z\\n' // c").unwrap();
        let text = |text: &str| Token::String(text.to_owned());
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

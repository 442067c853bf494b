//! Parses conditions in SQL syntax.
//!
//! ```text
//! or        = and ("or" and)*
//! and       = not ("and" not)*
//! not       = "not" not | "(" or ")" | test
//! test      = column operator value
//!           | column "is" "not"? "null"
//!           | column "not"? ("in" "(" value ("," value)* ")" | "like" text | "between" value "and" value)
//! operator  = "=" | "==" | "!=" | "<>" | "<" | "<=" | ">" | ">="
//! column    = name ("." name)*      with letters, digits and _, or between double quotation marks
//! value     = number | 'text' | x'bytes' | "true" | "false"
//! ```

use super::tokens::{Fault, Kind, Token, tokens};
use super::{Comparison, Predicate, Value};
use crate::Error;
use std::str::FromStr;

/// Maximum nesting depth of conditions: the parser is recursive.
const DEEPEST: usize = 64;

impl FromStr for Predicate {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let parse = || {
            let mut parser = Parser {
                tokens: tokens(text)?,
                next: 0,
            };
            let predicate = parser.or(0)?;
            match parser.peek() {
                None => Ok(predicate),
                Some(_) => Err(parser.expected("`and`, `or` or the end")),
            }
        };
        parse().map_err(|fault: Fault| fault.into_error(text))
    }
}

struct Parser {
    tokens: Vec<Token>,
    next: usize,
}

impl Parser {
    fn peek(&self) -> Option<&Kind> {
        self.tokens.get(self.next).map(|token| &token.kind)
    }

    fn expected(&self, what: &str) -> Fault {
        self.fault(format!("expected {what}"))
    }

    fn fault(&self, problem: String) -> Fault {
        let at = self.tokens.get(self.next).map(|token| token.at);
        Fault { at, problem }
    }

    fn take(&mut self) -> Option<Kind> {
        let kind = self.peek().cloned();
        self.next += 1;
        kind
    }

    fn accept_word(&mut self, word: &str) -> bool {
        let found =
            matches!(self.peek(), Some(Kind::Word(found)) if found.eq_ignore_ascii_case(word));
        self.next += usize::from(found);
        found
    }

    fn accept_symbol(&mut self, symbol: char) -> bool {
        let found = self.peek() == Some(&Kind::Symbol(symbol));
        self.next += usize::from(found);
        found
    }

    fn expect_symbol(&mut self, symbol: char) -> Result<(), Fault> {
        if self.accept_symbol(symbol) {
            Ok(())
        } else {
            Err(self.expected(&format!("`{symbol}`")))
        }
    }

    fn or(&mut self, depth: usize) -> Result<Predicate, Fault> {
        let mut any = vec![self.and(depth)?];
        while self.accept_word("or") {
            any.push(self.and(depth)?);
        }
        Ok(only(any, Predicate::Or))
    }

    fn and(&mut self, depth: usize) -> Result<Predicate, Fault> {
        let mut all = vec![self.not(depth)?];
        while self.accept_word("and") {
            all.push(self.not(depth)?);
        }
        Ok(only(all, Predicate::And))
    }

    fn not(&mut self, depth: usize) -> Result<Predicate, Fault> {
        if depth > DEEPEST {
            return Err(self.fault(format!("more than {DEEPEST} nested conditions")));
        }
        if self.accept_word("not") {
            return Ok(Predicate::Not(Box::new(self.not(depth + 1)?)));
        }
        if self.accept_symbol('(') {
            let inner = self.or(depth + 1)?;
            self.expect_symbol(')')?;
            return Ok(inner);
        }
        self.test()
    }

    fn test(&mut self) -> Result<Predicate, Fault> {
        let column = self.column()?;
        if let Some(&Kind::Operator(comparison)) = self.peek() {
            self.next += 1;
            let value = self.value()?;
            return Ok(Predicate::Compare {
                column,
                comparison,
                value,
            });
        }
        if self.accept_word("is") {
            let is_negated = self.accept_word("not");
            if !self.accept_word("null") {
                return Err(self.expected("`null`"));
            }
            return Ok(negated(Predicate::IsNull { column }, is_negated));
        }
        let is_negated = self.accept_word("not");
        let test = if self.accept_word("in") {
            self.expect_symbol('(')?;
            let mut values = vec![self.value()?];
            while self.accept_symbol(',') {
                values.push(self.value()?);
            }
            self.expect_symbol(')')?;
            Predicate::In { column, values }
        } else if self.accept_word("like") {
            match self.take() {
                Some(Kind::Value(Value::Text(pattern))) => Predicate::Like { column, pattern },
                _ => {
                    self.next -= 1;
                    return Err(self.expected("a pattern such as 'a%'"));
                }
            }
        } else if self.accept_word("between") {
            let compare = |comparison, value| Predicate::Compare {
                column: column.clone(),
                comparison,
                value,
            };
            let least = compare(Comparison::GreaterOrEqual, self.value()?);
            if !self.accept_word("and") {
                return Err(self.expected("`and`"));
            }
            Predicate::And(vec![least, compare(Comparison::LessOrEqual, self.value()?)])
        } else {
            return Err(self.expected("an operator such as `=`, `in`, `like` or `is null`"));
        };
        Ok(negated(test, is_negated))
    }

    fn column(&mut self) -> Result<String, Fault> {
        let mut path = String::new();
        loop {
            match self.take() {
                Some(Kind::Word(name) | Kind::Quoted(name)) => path += &name,
                _ => {
                    self.next -= 1;
                    return Err(self.expected("the name of a column"));
                }
            }
            if !self.accept_symbol('.') {
                return Ok(path);
            }
            path.push('.');
        }
    }

    fn value(&mut self) -> Result<Value, Fault> {
        let is_null =
            matches!(self.peek(), Some(Kind::Word(word)) if word.eq_ignore_ascii_case("null"));
        if is_null {
            return Err(
                self.fault("nothing equals null; use `is null` or `is not null`:".to_owned())
            );
        }
        for (word, value) in [("true", true), ("false", false)] {
            if self.accept_word(word) {
                return Ok(Value::Boolean(value));
            }
        }
        match self.take() {
            Some(Kind::Value(value)) => Ok(value),
            Some(Kind::Word(_) | Kind::Quoted(_)) => {
                self.next -= 1;
                Err(self
                    .expected("a number, or a text between single quotation marks, such as 'a',"))
            }
            _ => {
                self.next -= 1;
                Err(self.expected("a value"))
            }
        }
    }
}

fn only(mut all: Vec<Predicate>, combine: impl Fn(Vec<Predicate>) -> Predicate) -> Predicate {
    match (all.len(), all.pop()) {
        (1, Some(only)) => only,
        (_, last) => {
            all.extend(last);
            combine(all)
        }
    }
}

fn negated(predicate: Predicate, is_negated: bool) -> Predicate {
    if is_negated {
        Predicate::Not(Box::new(predicate))
    } else {
        predicate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(column: &str, comparison: Comparison, value: Value) -> Predicate {
        Predicate::Compare {
            column: column.to_owned(),
            comparison,
            value,
        }
    }

    fn parsed(text: &str) -> Predicate {
        text.parse().unwrap()
    }

    #[test]
    fn values_and_columns() {
        let equal = |column, value| compare(column, Comparison::Equal, value);
        for (text, expected) in [
            ("a = 1", equal("a", Value::Integer(1))),
            ("a=-1", equal("a", Value::Integer(-1))),
            (
                "a == 1.50",
                equal(
                    "a",
                    Value::Decimal {
                        digits: 150,
                        scale: 2,
                    },
                ),
            ),
            (
                "a = .5e-3",
                equal(
                    "a",
                    Value::Decimal {
                        digits: 5,
                        scale: 4,
                    },
                ),
            ),
            ("a = 'it''s'", equal("a", Value::Text("it's".into()))),
            ("a = x'00fF'", equal("a", Value::Binary(vec![0, 255]))),
            ("a = TRUE", equal("a", Value::Boolean(true))),
            ("größe.x = 1", equal("größe.x", Value::Integer(1))),
            ("\"a b\".\"c\"\"\" = 1", equal("a b.c\"", Value::Integer(1))),
            (
                "\"is\" <> 1",
                compare("is", Comparison::NotEqual, Value::Integer(1)),
            ),
            (
                "a>=1",
                compare("a", Comparison::GreaterOrEqual, Value::Integer(1)),
            ),
        ] {
            assert_eq!(parsed(text), expected, "{text}");
        }
    }

    #[test]
    fn and_binds_more_tightly_than_or_and_not_more_than_and() {
        let a = || Predicate::IsNull { column: "a".into() };
        let not = |inner| Predicate::Not(Box::new(inner));
        let test = "a is null";
        assert_eq!(
            parsed(&format!("{test} or {test} AND not {test}")),
            Predicate::Or(vec![a(), Predicate::And(vec![a(), not(a())])])
        );
        assert_eq!(
            parsed(&format!("({test} or {test}) and a is not null")),
            Predicate::And(vec![Predicate::Or(vec![a(), a()]), not(a())])
        );
        let values = vec![Value::Integer(1), Value::Text("b".into())];
        assert_eq!(
            parsed("a not in (1, 'b')"),
            not(Predicate::In {
                column: "a".into(),
                values
            })
        );
        let pattern = "b%".to_owned();
        assert_eq!(
            parsed("a like 'b%'"),
            Predicate::Like {
                column: "a".into(),
                pattern
            }
        );
        let range = [
            (Comparison::GreaterOrEqual, 1),
            (Comparison::LessOrEqual, 2),
        ];
        let range =
            range.map(|(comparison, value)| compare("a", comparison, Value::Integer(value)));
        assert_eq!(parsed("a between 1 and 2"), Predicate::And(range.to_vec()));
    }

    #[test]
    fn errors_name_the_place() {
        let deep = format!("{}a = 1", "not ".repeat(100));
        for (text, problem) in [
            ("", "expected the name of a column at the end"),
            (
                "a",
                "expected an operator such as `=`, `in`, `like` or `is null` at the end",
            ),
            ("a = b", "such as 'a', at `b` of the condition `a = b`"),
            ("a = 1 b", "expected `and`, `or` or the end at `b`"),
            ("a = 'b", "missing a closing ' at `'b`"),
            ("a = null", "use `is null` or `is not null`: at `null`"),
            ("a in 1", "expected `(` at `1`"),
            ("a in ()", "expected a value at `)`"),
            ("(a = 1", "expected `)` at the end"),
            ("a ! 1", "unknown operator at `! 1`"),
            ("a = 1x", "expected a number of up to 38 digits at `1x`"),
            ("a = x'0'", "expected pairs of hexadecimal digits"),
            ("a ; b", "unexpected character at `; b`"),
            ("1 < a", "expected the name of a column at `1 < a`"),
            (&deep, "more than 64 nested conditions"),
        ] {
            let error = text.parse::<Predicate>().unwrap_err().to_string();
            assert!(error.contains(problem), "{text}: {error}");
        }
    }
}

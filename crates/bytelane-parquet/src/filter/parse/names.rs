//! Names of columns, and patterns.

use super::super::tokens::{Fault, Kind};
use super::super::{Expression, Value};
use super::parser::Parser;

impl Parser {
    pub(super) fn column(&mut self) -> Result<String, Fault> {
        let first = self.next;
        let mut path = self.name()?;
        loop {
            if self.accept_symbol('.') {
                path = format!("{path}.{}", self.name()?);
            } else if self.accept_symbol('[') {
                let element = self.element()?;
                self.expect_symbol(']')?;
                path = format!("{path}[{element}]");
            } else {
                self.columns.push((first..self.next, path.clone()));
                return Ok(path);
            }
        }
    }

    pub(super) fn name(&mut self) -> Result<String, Fault> {
        match self.peek() {
            Some(Kind::Word(name) | Kind::Quoted(name)) => {
                let name = name.clone();
                self.next += 1;
                Ok(name)
            }
            _ => Err(self.expected("the name of a column")),
        }
    }

    /// Parses the number of an element of a list, a star, or the key of a map.
    pub(super) fn element(&mut self) -> Result<String, Fault> {
        if self.accept_symbol('*') {
            return Ok("*".to_owned());
        }
        let sign = if self.accept_symbol('-') { "-" } else { "" };
        match self.peek() {
            Some(Kind::Value(Value::Integer(number))) if i64::try_from(*number).is_ok() => {
                let element = format!("{sign}{number}");
                self.next += 1;
                Ok(element)
            }
            Some(Kind::Value(Value::Text(key))) if sign.is_empty() => {
                let element = format!("'{}'", key.replace('\'', "''"));
                self.next += 1;
                Ok(element)
            }
            _ => Err(self
                .expected("the number of an element, from 1, `*` for any, or a key such as 'a'")),
        }
    }

    /// Returns the column that an expression is. `at` is the place of the test that needs one.
    pub(super) fn column_of(&self, expression: Expression, at: usize) -> Result<String, Fault> {
        match expression {
            Expression::Column(column) => Ok(column),
            _ => Err(Fault {
                at: self.tokens.get(at).map(|token| token.at),
                problem: "expected a column, and no other expression, before the test".to_owned(),
            }),
        }
    }

    pub(super) fn pattern(&mut self) -> Result<String, Fault> {
        match self.peek() {
            Some(Kind::Value(Value::Text(pattern))) => {
                let pattern = pattern.clone();
                self.next += 1;
                Ok(pattern)
            }
            _ => Err(self.expected("a pattern such as 'a%'")),
        }
    }
}

//! Parses conditions in SQL syntax.
//!
//! ```text
//! or         = and ("or" and)*
//! and        = not ("and" not)*
//! not        = "not" not | test
//! test       = "(" or ")"
//!            | sum operator sum
//!            | sum "not"? "between" sum "and" sum
//!            | sum "is" "not"? "null"
//!            | sum "not"? "in" "(" value ("," value)* ")"
//!            | column "not"? ("like" | "ilike") text
//! operator   = "=" | "==" | "!=" | "<>" | "<" | "<=" | ">" | ">="
//! sum        = product (("+" | "-") product)*
//! product    = operand (("*" | "/" | "%") operand)*
//! operand    = "-" operand | "(" sum ")" | column | value
//! column     = name ("." name | "[" number "]" | "[" text "]" | "[*]")*
//! name       = letters, digits and _, or anything between double quotation marks
//! value      = number | 'text' | x'bytes' | "true" | "false"
//!            | ("date" | "time" | "timestamp" | "interval") 'text'
//! ```

use super::tokens::{Fault, Kind, Token, tokens};
use super::value::duration;
use super::{Comparison, Expression, Operator, Predicate, Value};
use crate::Error;
use arrow_schema::{DataType, TimeUnit};
use std::str::FromStr;

/// Maximum nesting depth of conditions: the parser is recursive.
const DEEPEST: usize = 64;

/// Maximum number of arithmetic operations, which may be nested.
const OPERATIONS: usize = 256;

impl FromStr for Predicate {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let parse = || {
            let mut parser = Parser {
                tokens: tokens(text)?,
                next: 0,
                operations: 0,
            };
            let parsed = parser.or(0)?;
            let predicate = parser.predicate(parsed)?;
            match parser.peek() {
                None => Ok(predicate),
                Some(_) => Err(parser.expected("`and`, `or` or the end")),
            }
        };
        parse().map_err(|fault: Fault| fault.into_error(text))
    }
}

/// Condition or expression: after a parenthesis, the parser does not know which one it will be.
enum Parsed {
    Predicate(Predicate),
    Expression(Expression),
}

struct Parser {
    tokens: Vec<Token>,
    next: usize,
    operations: usize,
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

    fn accept_operator(&mut self, operators: &[Operator]) -> Option<Operator> {
        let of = |(symbol, operator): &(char, Operator)| {
            operators.contains(operator) && self.peek() == Some(&Kind::Symbol(*symbol))
        };
        let (_, operator) = Operator::ALL.into_iter().find(|it| of(it))?;
        self.next += 1;
        Some(operator)
    }

    /// Returns a condition, and not an expression, whose test is missing.
    fn predicate(&self, parsed: Parsed) -> Result<Predicate, Fault> {
        match parsed {
            Parsed::Predicate(predicate) => Ok(predicate),
            Parsed::Expression(_) => {
                Err(self.expected("an operator such as `=`, `in`, `like` or `is null`"))
            }
        }
    }

    /// Returns an expression, and not a condition.
    fn expression(&self, parsed: Parsed) -> Result<Expression, Fault> {
        match parsed {
            Parsed::Expression(expression) => Ok(expression),
            Parsed::Predicate(_) => {
                Err(self.fault("a condition has no value to compare or calculate with".to_owned()))
            }
        }
    }

    fn or(&mut self, depth: usize) -> Result<Parsed, Fault> {
        self.all(depth, "or", Self::and, Predicate::Or)
    }

    fn and(&mut self, depth: usize) -> Result<Parsed, Fault> {
        self.all(depth, "and", Self::not, Predicate::And)
    }

    /// Parses conditions between words.
    fn all(
        &mut self,
        depth: usize,
        word: &str,
        next: fn(&mut Self, usize) -> Result<Parsed, Fault>,
        combine: fn(Vec<Predicate>) -> Predicate,
    ) -> Result<Parsed, Fault> {
        let first = next(self, depth)?;
        if !self.accept_word(word) {
            return Ok(first);
        }
        self.next -= 1;
        let mut all = vec![self.predicate(first)?];
        while self.accept_word(word) {
            let other = next(self, depth)?;
            all.push(self.predicate(other)?);
        }
        Ok(Parsed::Predicate(combine(all)))
    }

    fn not(&mut self, depth: usize) -> Result<Parsed, Fault> {
        if !self.accept_word("not") {
            return self.test(depth);
        }
        let inner = self.deeper(depth, Self::not)?;
        let inner = self.predicate(inner)?;
        Ok(Parsed::Predicate(Predicate::Not(Box::new(inner))))
    }

    fn deeper(
        &mut self,
        depth: usize,
        next: fn(&mut Self, usize) -> Result<Parsed, Fault>,
    ) -> Result<Parsed, Fault> {
        if depth >= DEEPEST {
            return Err(self.fault(format!("more than {DEEPEST} nested conditions")));
        }
        next(self, depth + 1)
    }

    fn test(&mut self, depth: usize) -> Result<Parsed, Fault> {
        let left = match self.sum(depth)? {
            Parsed::Expression(left) => left,
            predicate => return Ok(predicate),
        };
        if let Some(&Kind::Operator(comparison)) = self.peek() {
            let at = self.next;
            self.next += 1;
            self.refuse_null()?;
            let right = self.side(depth)?;
            return self
                .compared(left, comparison, right, at)
                .map(Parsed::Predicate);
        }
        let at = self.next;
        if self.accept_word("is") {
            let is_negated = self.accept_word("not");
            if !self.accept_word("null") {
                return Err(self.expected("`null`"));
            }
            let predicate = match left {
                Expression::Column(column) => Predicate::IsNull { column },
                expression => Predicate::ExpressionIsNull { expression },
            };
            return Ok(negated(self.of_columns(predicate, at)?, is_negated));
        }
        let is_negated = self.accept_word("not");
        let test = if self.accept_word("in") {
            self.expect_symbol('(')?;
            let mut values = vec![self.value()?];
            while self.accept_symbol(',') {
                values.push(self.value()?);
            }
            self.expect_symbol(')')?;
            self.among(left, values, at)?
        } else if self.accept_word("like") {
            let (column, pattern) = (self.column_of(left, at)?, self.pattern()?);
            Predicate::Like { column, pattern }
        } else if self.accept_word("ilike") {
            let (column, pattern) = (self.column_of(left, at)?, self.pattern()?);
            Predicate::ILike { column, pattern }
        } else if self.accept_word("between") {
            let least = self.side(depth)?;
            if !self.accept_word("and") {
                return Err(self.expected("`and`"));
            }
            let greatest = self.side(depth)?;
            Predicate::And(vec![
                self.compared(left.clone(), Comparison::GreaterOrEqual, least, at)?,
                self.compared(left, Comparison::LessOrEqual, greatest, at)?,
            ])
        } else if is_negated {
            return Err(self.expected("`in`, `like`, `ilike` or `between`"));
        } else {
            return Ok(Parsed::Expression(left));
        };
        Ok(negated(test, is_negated))
    }

    /// Parses a side of a comparison.
    fn side(&mut self, depth: usize) -> Result<Expression, Fault> {
        let side = self.sum(depth)?;
        self.expression(side)
    }

    /// Returns a comparison, which is simple for a column and a value. `at` is the operator's place.
    fn compared(
        &self,
        left: Expression,
        comparison: Comparison,
        right: Expression,
        at: usize,
    ) -> Result<Predicate, Fault> {
        let simple = |column, comparison, value| Predicate::Compare {
            column,
            comparison,
            value,
        };
        let compared = match (left, right) {
            (Expression::Column(column), Expression::Value(value)) => {
                simple(column, comparison, value)
            }
            (Expression::Value(value), Expression::Column(column)) => {
                simple(column, comparison.flipped(), value)
            }
            (left, right) => Predicate::CompareExpressions {
                left,
                comparison,
                right,
            },
        };
        self.of_columns(compared, at)
    }

    /// Returns a condition that one of the values is equal to. `at` is the place of the test.
    fn among(
        &mut self,
        left: Expression,
        values: Vec<Value>,
        at: usize,
    ) -> Result<Predicate, Fault> {
        if let Expression::Column(column) = left {
            return Ok(Predicate::In { column, values });
        }
        self.operations += values.len();
        if self.operations > OPERATIONS {
            return Err(self.fault(format!("more than {OPERATIONS} operations")));
        }
        let equal = values.into_iter().map(|value| {
            let value = Expression::Value(value);
            self.compared(left.clone(), Comparison::Equal, value, at)
        });
        Ok(Predicate::Or(equal.collect::<Result<_, _>>()?))
    }

    /// Returns a condition if it has a column. `at` is the place of the test.
    fn of_columns(&self, predicate: Predicate, at: usize) -> Result<Predicate, Fault> {
        if !predicate.columns().is_empty() {
            return Ok(predicate);
        }
        Err(Fault {
            at: self.tokens.get(at).map(|token| token.at),
            problem: "expected a column on one side of the operator".to_owned(),
        })
    }

    fn sum(&mut self, depth: usize) -> Result<Parsed, Fault> {
        self.calculated(depth, Self::product, &[Operator::Add, Operator::Subtract])
    }

    fn product(&mut self, depth: usize) -> Result<Parsed, Fault> {
        let operators = [Operator::Multiply, Operator::Divide, Operator::Remainder];
        self.calculated(depth, Self::operand, &operators)
    }

    /// Parses expressions between operators, from left to right.
    fn calculated(
        &mut self,
        depth: usize,
        next: fn(&mut Self, usize) -> Result<Parsed, Fault>,
        operators: &[Operator],
    ) -> Result<Parsed, Fault> {
        let mut parsed = next(self, depth)?;
        while let Some(operator) = self.accept_operator(operators) {
            self.operations += 1;
            if self.operations > OPERATIONS {
                return Err(self.fault(format!("more than {OPERATIONS} operations")));
            }
            let left = Box::new(self.expression(parsed)?);
            let right = next(self, depth)?;
            let right = Box::new(self.expression(right)?);
            parsed = Parsed::Expression(Expression::Arithmetic {
                left,
                operator,
                right,
            });
        }
        Ok(parsed)
    }

    fn operand(&mut self, depth: usize) -> Result<Parsed, Fault> {
        if self.accept_symbol('(') {
            let inner = self.deeper(depth, Self::or)?;
            self.expect_symbol(')')?;
            return Ok(inner);
        }
        if self.accept_operator(&[Operator::Subtract]).is_some() {
            let inner = self.deeper(depth, Self::operand)?;
            let inner = self.expression(inner)?;
            return Ok(Parsed::Expression(match inner {
                Expression::Value(value) if opposite(&value).is_some() => {
                    Expression::Value(opposite(&value).unwrap_or(value))
                }
                inner => Expression::Negative(Box::new(inner)),
            }));
        }
        // A plus sign changes nothing.
        if self.accept_operator(&[Operator::Add]).is_some() {
            return self.deeper(depth, Self::operand);
        }
        Ok(Parsed::Expression(match (self.constant()?, self.peek()) {
            (Some(value), _) => Expression::Value(value),
            (None, Some(Kind::Word(_) | Kind::Quoted(_))) => Expression::Column(self.column()?),
            (None, _) => return Err(self.expected("a column or a value")),
        }))
    }

    fn column(&mut self) -> Result<String, Fault> {
        let mut path = self.name()?;
        loop {
            if self.accept_symbol('.') {
                path = format!("{path}.{}", self.name()?);
            } else if self.accept_symbol('[') {
                let element = self.element()?;
                self.expect_symbol(']')?;
                path = format!("{path}[{element}]");
            } else {
                return Ok(path);
            }
        }
    }

    fn name(&mut self) -> Result<String, Fault> {
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
    fn element(&mut self) -> Result<String, Fault> {
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
    fn column_of(&self, expression: Expression, at: usize) -> Result<String, Fault> {
        match expression {
            Expression::Column(column) => Ok(column),
            _ => Err(Fault {
                at: self.tokens.get(at).map(|token| token.at),
                problem: "expected a column, and no other expression, before the test".to_owned(),
            }),
        }
    }

    fn pattern(&mut self) -> Result<String, Fault> {
        match self.peek() {
            Some(Kind::Value(Value::Text(pattern))) => {
                let pattern = pattern.clone();
                self.next += 1;
                Ok(pattern)
            }
            _ => Err(self.expected("a pattern such as 'a%'")),
        }
    }

    fn refuse_null(&self) -> Result<(), Fault> {
        match self.peek() {
            Some(Kind::Word(word)) if word.eq_ignore_ascii_case("null") => {
                Err(self.fault("nothing equals null; use `is null` or `is not null`:".to_owned()))
            }
            _ => Ok(()),
        }
    }

    /// Parses a value of a list.
    fn value(&mut self) -> Result<Value, Fault> {
        self.refuse_null()?;
        let is_negative = self.accept_symbol('-');
        let at = self.next;
        let value = self.constant()?;
        let value = match value {
            Some(value) if is_negative => opposite(&value),
            value => value,
        };
        value.ok_or_else(|| {
            self.next = at;
            self.expected(match self.peek() {
                Some(Kind::Word(_) | Kind::Quoted(_)) => {
                    "a number, or a text between single quotation marks, such as 'a',"
                }
                _ => "a value",
            })
        })
    }

    /// Parses a constant, if there is one.
    fn constant(&mut self) -> Result<Option<Value>, Fault> {
        if let Some(Kind::Value(value)) = self.peek() {
            let value = value.clone();
            self.next += 1;
            return Ok(Some(value));
        }
        let Some(Kind::Word(word)) = self.peek() else {
            return Ok(None);
        };
        let word = word.to_ascii_lowercase();
        let after = self.tokens.get(self.next + 1).map(|token| &token.kind);
        let value = match (word.as_str(), after) {
            ("true", _) => Value::Boolean(true),
            ("false", _) => Value::Boolean(false),
            (_, Some(Kind::Value(Value::Text(text)))) => {
                let typed = typed(&word, text);
                let known = matches!(&*word, "date" | "time" | "timestamp" | "interval");
                let Some(value) = typed else {
                    if !known {
                        return Ok(None);
                    }
                    let what = if word == "interval" {
                        "duration, such as '1 day 2 hours'"
                    } else {
                        &word
                    };
                    return Err(self.fault(format!("{text:?} is no {what}")));
                };
                self.next += 1;
                value
            }
            _ => return Ok(None),
        };
        self.next += 1;
        Ok(Some(value))
    }
}

/// Returns the value of a text after a word such as `date`.
fn typed(word: &str, text: &str) -> Option<Value> {
    let text = Value::Text(text.to_owned());
    match word {
        "date" => {
            let nanoseconds = text.nanoseconds(&DataType::Date32)?;
            let days = nanoseconds.div_euclid(86_400_000_000_000);
            i32::try_from(days).ok().map(Value::Date)
        }
        "time" => {
            let nanoseconds = text.nanoseconds(&DataType::Time64(TimeUnit::Nanosecond))?;
            i64::try_from(nanoseconds).ok().map(Value::Time)
        }
        "timestamp" => {
            let data_type = DataType::Timestamp(TimeUnit::Nanosecond, None);
            let nanoseconds = text.nanoseconds(&data_type)?;
            Some(Value::Timestamp {
                nanoseconds,
                is_utc: false,
            })
        }
        "interval" => match &text {
            Value::Text(text) => duration(text).map(Value::Duration),
            _ => None,
        },
        _ => None,
    }
}

/// Returns a number or a duration with the opposite sign.
fn opposite(value: &Value) -> Option<Value> {
    Some(match value {
        Value::Integer(value) => Value::Integer(value.checked_neg()?),
        Value::Float(value) => Value::Float(-value),
        Value::Decimal { digits, scale } => Value::Decimal {
            digits: digits.checked_neg()?,
            scale: *scale,
        },
        Value::Duration(value) => Value::Duration(value.checked_neg()?),
        _ => return None,
    })
}

fn negated(predicate: Predicate, is_negated: bool) -> Parsed {
    Parsed::Predicate(if is_negated {
        Predicate::Not(Box::new(predicate))
    } else {
        predicate
    })
}

#[cfg(test)]
mod tests;

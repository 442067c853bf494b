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
//!            | "st_intersects_box" "(" column "," xmin "," ymin "," xmax "," ymax ")"
//! operator   = "=" | "==" | "!=" | "<>" | "<" | "<=" | ">" | ">="
//! sum        = product (("+" | "-") product)*
//! product    = operand (("*" | "/" | "%") operand)*
//! operand    = "-" operand | "(" sum ")" | column | value
//! column     = name ("." name | "[" number "]" | "[" text "]" | "[*]")*
//! name       = letters, digits and _, or anything between double quotation marks
//! value      = number | 'text' | x'bytes' | "true" | "false"
//!            | ("date" | "time" | "timestamp" | "interval") 'text'
//! ```

mod boxes;
mod names;
mod parser;
mod values;

use super::column::{Column, Step};
use super::tokens::{Fault, Kind, tokens};
use super::{Comparison, Expression, Operator, Predicate, Value};
use crate::Error;
use arrow_schema::Schema;
use parser::Parser;
use std::ops::Range;
use std::str::FromStr;
use values::opposite;

/// Maximum nesting depth of conditions: the parser is recursive.
const DEEPEST: usize = 64;

/// Maximum number of arithmetic operations, which may be nested.
const OPERATIONS: usize = 256;

impl FromStr for Predicate {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let parsed = Parser::parse(text);
        let (predicate, _) = parsed.map_err(|fault| fault.into_error(text))?;
        Ok(predicate)
    }
}

/// Column in the text of a condition.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedColumn {
    /// Position in the text, in bytes.
    pub place: Range<usize>,
    /// Steps to the values: `.name`, `[1]`, `[*]` or `['key']`.
    pub steps: Vec<String>,
}

/// Finds the columns in the text of a condition, in their order there. The schema must have all of them.
pub fn columns_in(text: &str, schema: &Schema) -> Result<Vec<NamedColumn>, Error> {
    let parsed = Parser::parse(text);
    let (_, parser) = parsed.map_err(|fault| fault.into_error(text))?;
    let named = parser.columns.iter().map(|(tokens, path)| {
        let found = Column::find(path, schema.fields())?;
        let at = |index: usize| parser.tokens.get(index).map_or(text.len(), |it| it.at);
        let start = at(tokens.start);
        let length = text[start..at(tokens.end)].trim_end().len();
        let names = found.names.into_iter().map(Step::Member);
        let steps = names.chain(found.steps);
        Ok(NamedColumn {
            place: start..start + length,
            steps: steps.map(|it| it.to_string()).collect(),
        })
    });
    named.collect()
}

/// Condition or expression: after a parenthesis, the parser does not know which one it will be.
enum Parsed {
    Predicate(Predicate),
    Expression(Expression),
}

impl Parser {
    /// Parses a text as a whole.
    fn parse(text: &str) -> Result<(Predicate, Self), Fault> {
        let mut parser = Self {
            tokens: tokens(text)?,
            ..Self::default()
        };
        let parsed = parser.or(0)?;
        let predicate = parser.predicate(parsed)?;
        match parser.peek() {
            None => Ok((predicate, parser)),
            Some(_) => Err(parser.expected("`and`, `or` or the end")),
        }
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
        if let Some(test) = self.box_test()? {
            return Ok(Parsed::Predicate(test));
        }
        Ok(Parsed::Expression(match (self.constant()?, self.peek()) {
            (Some(value), _) => Expression::Value(value),
            (None, Some(Kind::Word(_) | Kind::Quoted(_))) => Expression::Column(self.column()?),
            (None, _) => return Err(self.expected("a column or a value")),
        }))
    }
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

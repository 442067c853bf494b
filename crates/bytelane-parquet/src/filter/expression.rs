//! Defines expressions: columns, values and arithmetic.

use super::Value;
use std::fmt;

/// Value that is computed for each row.
///
/// Integers and decimals are computed exactly, with up to 38 digits, and an error where they overflow. As in DuckDB, `/`
/// divides as floats, and so does everything with a float. The remainder of a division by zero is null. Dates, times and
/// timestamps have durations as differences.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Expression {
    /// Column, by its path.
    Column(String),
    /// Constant.
    Value(Value),
    /// Number or duration with the opposite sign.
    Negative(Box<Expression>),
    /// Result of an operation on two expressions.
    Arithmetic {
        /// Left side of the operator.
        left: Box<Expression>,
        /// Operator between both sides.
        operator: Operator,
        /// Right side of the operator.
        right: Box<Expression>,
    },
}

/// Arithmetic operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`, with the sign of the dividend
    Remainder,
}

impl Operator {
    /// All operators, with their symbols.
    pub(super) const ALL: [(char, Self); 5] = [
        ('+', Self::Add),
        ('-', Self::Subtract),
        ('*', Self::Multiply),
        ('/', Self::Divide),
        ('%', Self::Remainder),
    ];
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let symbol = Self::ALL.iter().find(|(_, operator)| operator == self);
        write!(f, "{}", symbol.map_or(' ', |(symbol, _)| *symbol))
    }
}

impl Expression {
    /// Collects the paths of the columns.
    pub(super) fn collect_columns<'a>(&'a self, columns: &mut Vec<&'a str>) {
        match self {
            Self::Column(column) => {
                if !columns.contains(&column.as_str()) {
                    columns.push(column);
                }
            }
            Self::Value(_) => {}
            Self::Negative(inner) => inner.collect_columns(columns),
            Self::Arithmetic { left, right, .. } => {
                left.collect_columns(columns);
                right.collect_columns(columns);
            }
        }
    }
}

//! Computes expressions, and compares the results.
//!
//! Numbers are either exact, as decimals, or floats. Points in time and durations are decimals, too: seconds.

mod values;

use super::Comparison;
use super::column::Column;
use super::expression::{Expression, Operator};
use super::test::{is_null, mismatch};
use super::value::Value;
use crate::Result;
use arrow_arith::numeric;
use arrow_array::{ArrayRef, BooleanArray, RecordBatch, UInt32Array};
use arrow_schema::{DataType, Fields, TimeUnit};
use arrow_select::take::take;
use std::sync::Arc;
use values::{Kind, Values, calculate, compare, compare_columns, decimals, problem};

/// Test of an expression.
#[derive(Clone, Debug)]
pub(super) struct Computed {
    left: Operand,
    /// Comparison and its right side; `None` if the expression is tested for null.
    right: Option<(Comparison, Operand)>,
}

/// Expression whose columns have been found.
#[derive(Clone, Debug)]
enum Operand {
    Column(Column),
    /// Column with the same value in all rows.
    Constant(ArrayRef),
    Value(Value),
    Negative(Box<Operand>),
    Arithmetic(Box<Operand>, Operator, Box<Operand>),
}

impl Computed {
    /// Finds the columns, and checks that the results are comparable.
    pub(super) fn new(
        left: &Expression,
        comparison: Comparison,
        right: &Expression,
        fields: &Fields,
    ) -> Result<Self> {
        let right = Operand::new(right, fields)?;
        Self {
            left: Operand::new(left, fields)?,
            right: Some((comparison, right)),
        }
        .checked(fields)
    }

    /// Finds the columns of an expression that is tested for null.
    pub(super) fn is_null(expression: &Expression, fields: &Fields) -> Result<Self> {
        Self {
            left: Operand::new(expression, fields)?,
            right: None,
        }
        .checked(fields)
    }

    fn checked(self, fields: &Fields) -> Result<Self> {
        let schema = Arc::new(arrow_schema::Schema::new(fields.clone()));
        self.evaluate(&RecordBatch::new_empty(schema))?;
        Ok(self)
    }

    /// Visits the names of all columns.
    pub(super) fn visit<'a>(&'a self, column: &mut impl FnMut(&'a Column)) {
        self.left.visit(column);
        if let Some((_, right)) = &self.right {
            right.visit(column);
        }
    }

    /// Returns whether it compares columns with each other.
    pub(super) fn has_several_columns(&self) -> bool {
        let mut columns = Vec::new();
        self.visit(&mut |column| columns.push(column.path()));
        columns.iter().any(|it| *it != columns[0])
    }

    /// Replaces columns with the same value in all rows by that value.
    pub(super) fn with_constant(self, name: &str, value: &ArrayRef) -> Self {
        Self {
            left: self.left.with_constant(name, value),
            right: self
                .right
                .map(|(comparison, right)| (comparison, right.with_constant(name, value))),
        }
    }

    /// Returns the result for each row.
    pub(super) fn evaluate(&self, batch: &RecordBatch) -> Result<BooleanArray> {
        if let (Operand::Column(left), Some((comparison, Operand::Column(right)))) =
            (&self.left, &self.right)
        {
            let (left, right) = (left.values(batch)?, right.values(batch)?);
            if let Some(results) = compare_columns(&left, *comparison, &right)? {
                return Ok(results);
            }
        }
        let left = self.left.evaluate(batch)?;
        let Some((comparison, operand)) = &self.right else {
            return Ok(is_null(&left.array));
        };
        let right = operand.evaluate(batch)?;
        let left = self.left.as_kind(left, right.kind, batch)?;
        let right = operand.as_kind(right, left.kind, batch)?;
        compare(left, *comparison, right)
    }
}

impl Operand {
    fn new(expression: &Expression, fields: &Fields) -> Result<Self> {
        Ok(match expression {
            Expression::Column(path) => Self::Column(Column::find(path, fields)?),
            Expression::Value(value) => Self::Value(value.clone()),
            Expression::Negative(inner) => Self::Negative(Box::new(Self::new(inner, fields)?)),
            Expression::Arithmetic {
                left,
                operator,
                right,
            } => {
                let [left, right] = [left, right].map(|side| Self::new(side, fields));
                Self::Arithmetic(Box::new(left?), *operator, Box::new(right?))
            }
        })
    }

    fn visit<'a>(&'a self, column: &mut impl FnMut(&'a Column)) {
        match self {
            Self::Column(own) => column(own),
            Self::Constant(_) | Self::Value(_) => {}
            Self::Negative(inner) => inner.visit(column),
            Self::Arithmetic(left, _, right) => {
                left.visit(column);
                right.visit(column);
            }
        }
    }

    fn with_constant(self, name: &str, value: &ArrayRef) -> Self {
        match self {
            Self::Column(column) if column.names == [name] && column.steps.is_empty() => {
                Self::Constant(Arc::clone(value))
            }
            Self::Negative(inner) => Self::Negative(Box::new(inner.with_constant(name, value))),
            Self::Arithmetic(left, operator, right) => {
                let [left, right] = [left, right].map(|it| Box::new(it.with_constant(name, value)));
                Self::Arithmetic(left, operator, right)
            }
            other => other,
        }
    }

    fn evaluate(&self, batch: &RecordBatch) -> Result<Values> {
        let rows = batch.num_rows();
        match self {
            Self::Column(column) => {
                let values = Values::of(&column.values(batch)?);
                values.map_err(|error| error.in_column(column.path()))
            }
            Self::Constant(value) => {
                let first = UInt32Array::from_value(0, rows);
                Values::of(&take(value, &first, None)?)
            }
            Self::Value(value) => Values::constant(value, rows),
            Self::Negative(inner) => {
                let Values { kind, array } = inner.evaluate(batch)?;
                if !matches!(kind, Kind::Number | Kind::Duration | Kind::Null) {
                    return Err(problem(format!("{kind} has no sign")));
                }
                let array = if kind == Kind::Null {
                    array
                } else {
                    numeric::neg(&array)?
                };
                Ok(Values { kind, array })
            }
            Self::Arithmetic(left, operator, right) => {
                calculate(left.evaluate(batch)?, *operator, right.evaluate(batch)?)
            }
        }
    }

    /// Converts a constant text to the kind of values that it is compared with.
    fn as_kind(&self, own: Values, kind: Kind, batch: &RecordBatch) -> Result<Values> {
        let Self::Value(value @ Value::Text(_)) = self else {
            return Ok(own);
        };
        let data_type = match kind {
            Kind::Local => DataType::Timestamp(TimeUnit::Nanosecond, None),
            Kind::Instant => DataType::Timestamp(TimeUnit::Nanosecond, Some("+00:00".into())),
            Kind::Time => DataType::Time64(TimeUnit::Nanosecond),
            Kind::Duration => DataType::Duration(TimeUnit::Nanosecond),
            _ => return Ok(own),
        };
        let nanoseconds = value.nanoseconds(&data_type);
        let nanoseconds = nanoseconds.ok_or_else(|| mismatch(&data_type, value))?;
        let array = decimals(nanoseconds, 9, batch.num_rows())?;
        Ok(Values { kind, array })
    }
}

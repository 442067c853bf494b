//! Values of expressions, and what is calculated with them.

use super::super::Comparison;
use super::super::expression::Operator;
use super::super::value::Value;
use crate::{Error, Problem, Result};
use arrow_arith::numeric;
use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Float64Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Decimal128Array, Float64Array, LargeBinaryArray,
    LargeStringArray, NullArray, new_null_array,
};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_ord::cmp;
use arrow_schema::{DataType, TimeUnit};
use arrow_select::nullif::nullif;
use std::fmt;
use std::sync::Arc;

/// Number of digits of decimals.
const DIGITS: u8 = 38;

/// Number of digits of the widest decimals.
const MOST_DIGITS: u8 = 76;

/// Kind of values, which decides what can be done with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Null,
    Number,
    Duration,
    /// Date or timestamp without a time zone.
    Local,
    /// Timestamp with a time zone.
    Instant,
    Time,
    Boolean,
    Text,
    Binary,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Null => "null",
            Self::Number => "a number",
            Self::Duration => "a duration",
            Self::Local => "a date or a timestamp without a time zone",
            Self::Instant => "a timestamp with a time zone",
            Self::Time => "a time",
            Self::Boolean => "a boolean",
            Self::Text => "a text",
            Self::Binary => "bytes",
        })
    }
}

/// Values of all rows of a batch.
pub(super) struct Values {
    pub(super) kind: Kind,
    pub(super) array: ArrayRef,
}

impl Values {
    /// Converts the values of a column.
    pub(super) fn of(array: &ArrayRef) -> Result<Self> {
        use DataType::*;
        let (kind, to) = match array.data_type() {
            Dictionary(_, values) => return Self::of(&convert(array, values)?),
            Null => (Kind::Null, Null),
            Boolean => (Kind::Boolean, Boolean),
            Utf8 | LargeUtf8 | Utf8View => (Kind::Text, LargeUtf8),
            Binary | LargeBinary | BinaryView | FixedSizeBinary(_) => (Kind::Binary, LargeBinary),
            Float16 | Float32 | Float64 => (Kind::Number, Float64),
            Decimal32(_, scale) | Decimal64(_, scale) | Decimal128(_, scale) => {
                (Kind::Number, Decimal128(DIGITS, (*scale).max(0)))
            }
            Decimal256(_, scale) => (Kind::Number, Decimal256(MOST_DIGITS, (*scale).max(0))),
            Date32 => {
                let days: &arrow_array::PrimitiveArray<Date32Type> = array.as_primitive();
                let seconds: Decimal128Array = days.unary(|days| i128::from(days) * 86_400);
                let array = seconds.with_precision_and_scale(DIGITS, 0)?;
                return Ok(Self {
                    kind: Kind::Local,
                    array: Arc::new(array),
                });
            }
            Date64 => return Self::times(Kind::Local, array, TimeUnit::Millisecond),
            Timestamp(unit, None) => return Self::times(Kind::Local, array, *unit),
            Timestamp(unit, Some(_)) => return Self::times(Kind::Instant, array, *unit),
            Time32(unit) | Time64(unit) => return Self::times(Kind::Time, array, *unit),
            Duration(unit) => return Self::times(Kind::Duration, array, *unit),
            integer if integer.is_integer() => (Kind::Number, Decimal128(DIGITS, 0)),
            other => {
                return Err(problem(format!(
                    "values of the type {other} cannot be compared with others"
                )));
            }
        };
        let array = convert(array, &to)?;
        Ok(Self { kind, array })
    }

    /// Converts times to seconds.
    fn times(kind: Kind, array: &ArrayRef, unit: TimeUnit) -> Result<Self> {
        let digits = match unit {
            TimeUnit::Second => 0,
            TimeUnit::Millisecond => 3,
            TimeUnit::Microsecond => 6,
            TimeUnit::Nanosecond => 9,
        };
        let numbers = convert(array, &DataType::Int64)?;
        let numbers = numbers.as_primitive::<Int64Type>();
        let seconds: Decimal128Array = numbers.unary(i128::from);
        let array = seconds.with_precision_and_scale(DIGITS, digits)?;
        Ok(Self {
            kind,
            array: Arc::new(array),
        })
    }

    /// Repeats a constant.
    pub(super) fn constant(value: &Value, rows: usize) -> Result<Self> {
        let nanoseconds = |kind, nanoseconds| {
            let array = decimals(nanoseconds, 9, rows)?;
            Ok(Self { kind, array })
        };
        let (kind, array): (Kind, ArrayRef) = match value {
            Value::Boolean(value) => {
                let values = if *value {
                    BooleanBuffer::new_set(rows)
                } else {
                    BooleanBuffer::new_unset(rows)
                };
                (Kind::Boolean, Arc::new(BooleanArray::new(values, None)))
            }
            Value::Integer(value) => (Kind::Number, decimals(*value, 0, rows)?),
            Value::Float(value) => (
                Kind::Number,
                Arc::new(Float64Array::from_value(*value, rows)),
            ),
            Value::Decimal { digits, scale } => match u8::try_from(*scale) {
                Ok(scale @ 0..=DIGITS) => (Kind::Number, decimals(*digits, scale as i8, rows)?),
                _ => {
                    let text = format!("{digits}e{}", -i64::from(*scale));
                    let value: f64 = text.parse().unwrap_or(f64::NAN);
                    (
                        Kind::Number,
                        Arc::new(Float64Array::from_value(value, rows)),
                    )
                }
            },
            Value::Text(value) => (
                Kind::Text,
                Arc::new(LargeStringArray::from_iter_values(std::iter::repeat_n(
                    value, rows,
                ))),
            ),
            Value::Binary(value) => (
                Kind::Binary,
                Arc::new(LargeBinaryArray::from_iter_values(std::iter::repeat_n(
                    value, rows,
                ))),
            ),
            Value::Date(days) => (Kind::Local, decimals(i128::from(*days) * 86_400, 0, rows)?),
            Value::Time(time) => return nanoseconds(Kind::Time, i128::from(*time)),
            Value::Timestamp {
                nanoseconds: time,
                is_utc: true,
            } => return nanoseconds(Kind::Instant, *time),
            Value::Timestamp {
                nanoseconds: time,
                is_utc: false,
            } => return nanoseconds(Kind::Local, *time),
            Value::Duration(time) => return nanoseconds(Kind::Duration, *time),
        };
        Ok(Self { kind, array })
    }

    fn is_float(&self) -> bool {
        *self.array.data_type() == DataType::Float64
    }

    /// Converts numbers to floats.
    fn into_float(self) -> Result<Self> {
        let array = convert(&self.array, &DataType::Float64)?;
        Ok(Self { array, ..self })
    }
}

/// Returns equal decimals.
pub(super) fn decimals(value: i128, scale: i8, rows: usize) -> Result<ArrayRef> {
    let array = Decimal128Array::from_value(value, rows);
    Ok(Arc::new(array.with_precision_and_scale(DIGITS, scale)?))
}

/// Converts an array; a value that the type cannot hold is an error.
fn convert(array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    let options = CastOptions {
        safe: false,
        ..CastOptions::default()
    };
    Ok(cast_with_options(array, to, &options)?)
}

pub(super) fn problem(problem: String) -> Error {
    Problem::Option(problem).into()
}

/// Returns the kind of a result; `None` if the operation has none.
pub(super) fn kind_of(left: Kind, operator: Operator, right: Kind) -> Option<Kind> {
    use Kind::{Duration, Instant, Local, Number, Time};
    use Operator::{Add, Divide, Multiply, Remainder, Subtract};
    Some(match (left, operator, right) {
        (Number, _, Number) => Number,
        (Duration, Add | Subtract | Remainder, Duration) => Duration,
        (Duration, Divide, Duration) => Number,
        (Duration, Multiply | Divide, Number) | (Number, Multiply, Duration) => Duration,
        (Local | Instant | Time, Add | Subtract, Duration) => left,
        (Duration, Add, Local | Instant | Time) => right,
        (Local | Instant | Time, Subtract, same) if same == left => Duration,
        _ => return None,
    })
}

/// Applies an operator.
pub(super) fn calculate(left: Values, operator: Operator, right: Values) -> Result<Values> {
    if left.kind == Kind::Null || right.kind == Kind::Null {
        let array: ArrayRef = Arc::new(NullArray::new(left.array.len()));
        return Ok(Values {
            kind: Kind::Null,
            array,
        });
    }
    let kind = kind_of(left.kind, operator, right.kind).ok_or_else(|| {
        problem(format!(
            "{} {operator} {} has no result",
            left.kind, right.kind
        ))
    })?;
    let (left, right) = alike(left, right, operator == Operator::Divide)?;
    let (left, right) = (left.array, right.array);
    let array = match operator {
        Operator::Add => numeric::add(&left, &right),
        Operator::Subtract => numeric::sub(&left, &right),
        Operator::Multiply => numeric::mul(&left, &right),
        Operator::Divide => numeric::div(&left, &right),
        Operator::Remainder if *left.data_type() == DataType::Float64 => {
            numeric::rem(&left, &right)
        }
        Operator::Remainder => {
            let zero = convert(&right, &DataType::Float64)?;
            let is_zero = |value: f64| value == 0.0;
            let is_zero = BooleanArray::from_unary(zero.as_primitive::<Float64Type>(), is_zero);
            numeric::rem(&left, &nullif(&right, &is_zero)?)
        }
    };
    Ok(Values {
        kind,
        array: array?,
    })
}

/// Converts numbers to the same representation: floats if one of them is, or if the operation needs them.
fn alike(left: Values, right: Values, needs_floats: bool) -> Result<(Values, Values)> {
    if needs_floats || left.is_float() || right.is_float() {
        return Ok((left.into_float()?, right.into_float()?));
    }
    let is_wide = |values: &Values| matches!(values.array.data_type(), DataType::Decimal256(..));
    if is_wide(&left) == is_wide(&right) {
        return Ok((left, right));
    }
    let widen = |values: Values| {
        let to = DataType::Decimal256(MOST_DIGITS, scale_of(&values.array));
        let array = convert(&values.array, &to)?;
        Result::Ok(Values { array, ..values })
    };
    Ok((widen(left)?, widen(right)?))
}

fn scale_of(array: &ArrayRef) -> i8 {
    match array.data_type() {
        DataType::Decimal128(_, scale) | DataType::Decimal256(_, scale) => *scale,
        _ => 0,
    }
}

/// Compares two values in each row.
pub(super) fn compare(left: Values, comparison: Comparison, right: Values) -> Result<BooleanArray> {
    let rows = left.array.len();
    if left.kind == Kind::Null || right.kind == Kind::Null {
        return Ok(new_null_array(&DataType::Boolean, rows)
            .as_boolean()
            .clone());
    }
    if left.kind != right.kind {
        return Err(problem(format!(
            "{} cannot be compared with {}",
            left.kind, right.kind
        )));
    }
    if left.is_float() || right.is_float() {
        let (left, right) = (left.into_float()?, right.into_float()?);
        return Ok(compare_floats(&left.array, comparison, &right.array));
    }
    let (mut left, mut right) = (left.array, right.array);
    if left.data_type().is_decimal() {
        let to = match (left.data_type(), right.data_type()) {
            (DataType::Decimal128(_, one), DataType::Decimal128(_, other)) if one == other => {
                DataType::Decimal128(DIGITS, *one)
            }
            // Decimals of 38 digits have up to 76 with another scale.
            _ => DataType::Decimal256(MOST_DIGITS, scale_of(&left).max(scale_of(&right))),
        };
        (left, right) = (convert(&left, &to)?, convert(&right, &to)?);
    }
    in_order(&left, comparison, &right)
}

/// Compares two columns of one type as they are; `None` if their values must be converted.
pub(super) fn compare_columns(
    left: &ArrayRef,
    comparison: Comparison,
    right: &ArrayRef,
) -> Result<Option<BooleanArray>> {
    let values = |array: &ArrayRef| match array.data_type() {
        DataType::Dictionary(_, values) => convert(array, values),
        _ => Ok(Arc::clone(array)),
    };
    let (left, right) = (values(left)?, values(right)?);
    let of = left.data_type();
    let has_order = of.is_integer()
        || of.is_decimal()
        || of.is_string()
        || of.is_binary()
        || matches!(of, DataType::Boolean | DataType::Date32 | DataType::Date64)
        || matches!(of, DataType::Timestamp(..) | DataType::Duration(_))
        || matches!(of, DataType::Time32(_) | DataType::Time64(_));
    if !has_order || of != right.data_type() {
        return Ok(None);
    }
    in_order(&left, comparison, &right).map(Some)
}

fn in_order(left: &ArrayRef, comparison: Comparison, right: &ArrayRef) -> Result<BooleanArray> {
    let compare = match comparison {
        Comparison::Equal => cmp::eq,
        Comparison::NotEqual => cmp::neq,
        Comparison::Less => cmp::lt,
        Comparison::LessOrEqual => cmp::lt_eq,
        Comparison::Greater => cmp::gt,
        Comparison::GreaterOrEqual => cmp::gt_eq,
    };
    Ok(compare(left, right)?)
}

/// Compares floats as IEEE 754 does: Arrow's comparisons have a total order.
fn compare_floats(left: &ArrayRef, comparison: Comparison, right: &ArrayRef) -> BooleanArray {
    let left = left.as_primitive::<Float64Type>();
    let right = right.as_primitive::<Float64Type>();
    let holds = |one: f64, other: f64| match comparison {
        Comparison::Equal => one == other,
        Comparison::NotEqual => one != other,
        Comparison::Less => one < other,
        Comparison::LessOrEqual => one <= other,
        Comparison::Greater => one > other,
        Comparison::GreaterOrEqual => one >= other,
    };
    let results =
        BooleanBuffer::collect_bool(left.len(), |row| holds(left.value(row), right.value(row)));
    BooleanArray::new(results, NullBuffer::union(left.nulls(), right.nulls()))
}

//! Converts literals of pyarrow's expressions to values.
//!
//! A comparison here has the result of pyarrow's for the pairs of types below. pyarrow casts others to a common type, in which
//! different values may become equal, or refuses them.

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Decimal128Type, Decimal256Type, Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef};
use arrow_cast::cast;
use arrow_schema::{DataType, TimeUnit};
use bytelane_parquet::filter::Value;

/// Type of the values of a column.
#[derive(Clone, Copy)]
pub struct ColumnType<'a> {
    data_type: &'a DataType,
    /// Set if files may store the column in another type, which holds fewer values.
    is_united: bool,
}

impl<'a> ColumnType<'a> {
    pub fn new(data_type: &'a DataType, is_united: bool) -> Self {
        let data_type = match data_type {
            DataType::Dictionary(_, values) => values,
            other => other,
        };
        Self {
            data_type,
            is_united,
        }
    }

    /// Returns whether a column stores a value in the same way in all files. Otherwise, it is compared with the nearest float.
    pub fn stores(self, value: &Value) -> bool {
        let nearest = |value: f64| match self.data_type {
            DataType::Float64 if !self.is_united => value,
            DataType::Float32 if !self.is_united => f64::from(value as f32),
            _ => f64::from(half::f16::from_f64(value)),
        };
        match value {
            Value::Float(value) => {
                !self.data_type.is_floating() || nearest(*value) == *value || value.is_nan()
            }
            _ => true,
        }
    }
}

/// Values of `isin`.
pub struct Set {
    pub values: Vec<Value>,
    pub has_null: bool,
    /// Set if the same values of a column equal these as are in pyarrow's set.
    pub is_exact: bool,
}

impl Set {
    /// Converts values to compare those of a column's type with.
    pub fn new(array: &ArrayRef, column: ColumnType<'_>) -> Option<Self> {
        let valid = (0..array.len()).filter(|row| array.is_valid(*row));
        let values = valid.map(|row| value_in(array, row, column));
        let values: Vec<Value> = values.collect::<Option<_>>()?;
        // pyarrow finds NaN in a set, and 0.0 only with its sign.
        if values
            .iter()
            .any(|it| matches!(it, Value::Float(it) if it.is_nan()))
        {
            return None;
        }
        let is_zero = |value: &Value| matches!(value, Value::Float(0.0));
        Some(Self {
            has_null: array.null_count() > 0,
            is_exact: values.iter().all(|value| column.stores(value))
                && !(column.data_type.is_floating() && values.iter().any(is_zero)),
            values,
        })
    }
}

/// Converts the value in a row of an array to compare the values of a column with.
pub fn value_in(array: &ArrayRef, row: usize, column: ColumnType<'_>) -> Option<Value> {
    let column = column.data_type;
    let value = match value(array, row)? {
        Value::Integer(value) if column.is_floating() && value.unsigned_abs() <= 1 << 53 => {
            Value::Float(value as f64)
        }
        value => value,
    };
    let is_comparable = match (&value, array.data_type(), column) {
        (Value::Boolean(_), _, DataType::Boolean) => true,
        (Value::Integer(_), _, column) => column.is_integer() || is_decimal(column),
        (Value::Decimal { .. }, _, column) => column.is_integer() || is_decimal(column),
        // pyarrow may cast integers to 32-bit floats.
        (Value::Float(value), _, column) if column.is_integer() => value.abs() < 8_388_608.0,
        (Value::Float(_), _, column) => column.is_floating(),
        (Value::Text(_), _, column) => column.is_string(),
        (Value::Binary(_), DataType::FixedSizeBinary(_), column) => column == array.data_type(),
        (Value::Binary(_), _, column) => {
            matches!(
                column,
                DataType::Binary | DataType::LargeBinary | DataType::BinaryView
            )
        }
        (Value::Date(_), _, column) => {
            matches!(column, DataType::Date32 | DataType::Timestamp(_, None))
        }
        (Value::Time(_), _, DataType::Time32(_) | DataType::Time64(_)) => true,
        (Value::Duration(_), _, DataType::Duration(_)) => true,
        (Value::Timestamp { is_utc, .. }, _, DataType::Timestamp(_, zone)) => {
            *is_utc == zone.is_some()
        }
        _ => false,
    };
    is_comparable.then_some(value)
}

fn is_decimal(column: &DataType) -> bool {
    use DataType::{Decimal32, Decimal64, Decimal128, Decimal256};
    matches!(
        column,
        Decimal32(..) | Decimal64(..) | Decimal128(..) | Decimal256(..)
    )
}

/// Returns the value in a row; `None` for null, and for types without one.
fn value(array: &ArrayRef, row: usize) -> Option<Value> {
    use DataType::{
        Binary, BinaryView, Boolean, Date32, Decimal32, Decimal64, Decimal128, Decimal256,
        Duration, FixedSizeBinary, LargeBinary, LargeUtf8, Time32, Time64, Timestamp, Utf8,
        Utf8View,
    };
    array.is_valid(row).then_some(())?;
    let array = array.slice(row, 1);
    let as_type = |data_type: &DataType| cast(&array, data_type).ok();
    let integer = |scale| {
        Some(
            as_type(&Decimal128(38, scale))?
                .as_primitive::<Decimal128Type>()
                .value(0),
        )
    };
    let count = || {
        Some(
            as_type(&DataType::Int64)?
                .as_primitive::<Int64Type>()
                .value(0),
        )
    };
    let nanoseconds = |unit: &TimeUnit| Some(i128::from(count()?) * nanoseconds_per(unit));
    Some(match array.data_type() {
        Boolean => Value::Boolean(array.as_boolean().value(0)),
        integers if integers.is_integer() => Value::Integer(integer(0)?),
        floats if floats.is_floating() => {
            let floats = as_type(&DataType::Float64)?;
            Value::Float(floats.as_primitive::<Float64Type>().value(0))
        }
        Decimal32(_, scale) | Decimal64(_, scale) | Decimal128(_, scale) => Value::Decimal {
            digits: integer(*scale)?,
            scale: i32::from(*scale),
        },
        Decimal256(_, scale) => Value::Decimal {
            digits: array.as_primitive::<Decimal256Type>().value(0).to_i128()?,
            scale: i32::from(*scale),
        },
        Utf8 | LargeUtf8 | Utf8View => {
            Value::Text(as_type(&LargeUtf8)?.as_string::<i64>().value(0).to_owned())
        }
        Binary | LargeBinary | BinaryView => Value::Binary(
            as_type(&LargeBinary)?
                .as_binary::<i64>()
                .value(0)
                .to_owned(),
        ),
        FixedSizeBinary(_) => Value::Binary(array.as_fixed_size_binary().value(0).to_owned()),
        Date32 => Value::Date(array.as_primitive::<Date32Type>().value(0)),
        Time32(unit) | Time64(unit) => Value::Time(i64::try_from(nanoseconds(unit)?).ok()?),
        Timestamp(unit, zone) => Value::Timestamp {
            nanoseconds: nanoseconds(unit)?,
            is_utc: zone.is_some(),
        },
        Duration(unit) => Value::Duration(nanoseconds(unit)?),
        _ => return None,
    })
}

fn nanoseconds_per(unit: &TimeUnit) -> i128 {
    match unit {
        TimeUnit::Second => 1_000_000_000,
        TimeUnit::Millisecond => 1_000_000,
        TimeUnit::Microsecond => 1000,
        TimeUnit::Nanosecond => 1,
    }
}

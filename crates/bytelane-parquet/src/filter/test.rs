//! Tests the values of one column.

use super::Comparison;
use super::boxes::Boxed;
use super::like::Pattern;
use super::value::{Place, Value};
use crate::types::extension::is_uuid;
use crate::{Problem, Result};
use arrow_array::cast::AsArray;
use arrow_array::iterator::ArrayIter;
use arrow_array::types::*;
use arrow_array::{
    Array, ArrayAccessor, ArrayRef, ArrowPrimitiveType, BooleanArray, PrimitiveArray,
};
use arrow_buffer::{BooleanBuffer, i256};
use arrow_schema::{DataType, Field, TimeUnit};
use std::cmp::Ordering;

/// Test of a column's values.
#[derive(Clone, Debug)]
pub(super) enum Test {
    IsNull,
    Compare(Comparison, Value),
    In(Vec<Value>),
    Like(Pattern),
    IntersectsBox(Boxed),
}

impl Test {
    /// Converts texts to the values of a field that stores them in another form.
    ///
    /// # Errors
    ///
    /// [`Problem::Option`] if a text is not comparable with the values of the field.
    pub(super) fn of_field(self, field: &Field) -> Result<Self> {
        let data_type = match field.data_type() {
            DataType::Dictionary(_, values) => values,
            other => other,
        };
        if !matches!(data_type, DataType::FixedSizeBinary(_)) {
            return Ok(self);
        }
        let stored = |value| match value {
            Value::Text(text) if is_uuid(field) => uuid(&text),
            Value::Text(_) => Err(mismatch(data_type, &value)),
            other => Ok(other),
        };
        Ok(match self {
            Self::Compare(comparison, value) => Self::Compare(comparison, stored(value)?),
            Self::In(values) => Self::In(values.into_iter().map(stored).collect::<Result<_>>()?),
            other => other,
        })
    }

    /// Returns the result for each value; null for nulls.
    ///
    /// # Errors
    ///
    /// [`Problem::Option`] if values of the array's type are not comparable with those of the test,
    /// even if the array is empty.
    pub(super) fn evaluate(&self, array: &ArrayRef) -> Result<BooleanArray> {
        let data_type = array.data_type();
        macro_rules! integers {
            ($($data_type:pat => $primitive:ty),+ $(,)?) => {
                match data_type {
                    $($data_type => self.integers::<$primitive>(array),)+
                    DataType::Boolean => self.booleans(array.as_boolean(), data_type),
                    DataType::Float16 => self.floats::<Float16Type>(array, |text| {
                        text.parse().ok().map(|it| f64::from(half::f16::from_f64(it)))
                    }),
                    DataType::Float32 => {
                        self.floats::<Float32Type>(array, |text| text.parse::<f32>().ok().map(f64::from))
                    }
                    DataType::Float64 => self.floats::<Float64Type>(array, |text| text.parse().ok()),
                    DataType::Utf8 => self.texts(array.as_string::<i32>(), data_type),
                    DataType::LargeUtf8 => self.texts(array.as_string::<i64>(), data_type),
                    DataType::Utf8View => self.texts(array.as_string_view(), data_type),
                    DataType::Binary => self.apply(array.as_binary::<i32>(), data_type, Value::as_bytes),
                    DataType::LargeBinary => self.apply(array.as_binary::<i64>(), data_type, Value::as_bytes),
                    DataType::BinaryView => self.apply(array.as_binary_view(), data_type, Value::as_bytes),
                    DataType::FixedSizeBinary(_) => {
                        self.apply(array.as_fixed_size_binary(), data_type, Value::as_bytes)
                    }
                    _ => Err(not_comparable(data_type)),
                }
            };
        }
        match (self, data_type) {
            (Self::IsNull, _) => Ok(is_null(array)),
            (_, DataType::Null) => Ok(BooleanArray::new_null(array.len())),
            (Self::IntersectsBox(it), DataType::Binary) => {
                Ok(meeting(it, array.as_binary::<i32>()))
            }
            (Self::IntersectsBox(it), DataType::LargeBinary) => {
                Ok(meeting(it, array.as_binary::<i64>()))
            }
            (Self::IntersectsBox(it), DataType::BinaryView) => {
                Ok(meeting(it, array.as_binary_view()))
            }
            _ => integers! {
                DataType::Int8 => Int8Type,
                DataType::Int16 => Int16Type,
                DataType::Int32 => Int32Type,
                DataType::Int64 => Int64Type,
                DataType::UInt8 => UInt8Type,
                DataType::UInt16 => UInt16Type,
                DataType::UInt32 => UInt32Type,
                DataType::UInt64 => UInt64Type,
                DataType::Decimal32(..) => Decimal32Type,
                DataType::Decimal64(..) => Decimal64Type,
                DataType::Decimal128(..) => Decimal128Type,
                DataType::Decimal256(..) => Decimal256Type,
                DataType::Date32 => Date32Type,
                DataType::Date64 => Date64Type,
                DataType::Time32(TimeUnit::Second) => Time32SecondType,
                DataType::Time32(TimeUnit::Millisecond) => Time32MillisecondType,
                DataType::Time64(TimeUnit::Microsecond) => Time64MicrosecondType,
                DataType::Time64(TimeUnit::Nanosecond) => Time64NanosecondType,
                DataType::Timestamp(TimeUnit::Second, _) => TimestampSecondType,
                DataType::Timestamp(TimeUnit::Millisecond, _) => TimestampMillisecondType,
                DataType::Timestamp(TimeUnit::Microsecond, _) => TimestampMicrosecondType,
                DataType::Timestamp(TimeUnit::Nanosecond, _) => TimestampNanosecondType,
                DataType::Duration(TimeUnit::Second) => DurationSecondType,
                DataType::Duration(TimeUnit::Millisecond) => DurationMillisecondType,
                DataType::Duration(TimeUnit::Microsecond) => DurationMicrosecondType,
                DataType::Duration(TimeUnit::Nanosecond) => DurationNanosecondType,
            },
        }
    }

    /// Tests both values once, and the bits of all values together.
    fn booleans(&self, array: &BooleanArray, data_type: &DataType) -> Result<BooleanArray> {
        let both = BooleanArray::from(vec![false, true]);
        let both = self.apply(&both, data_type, Value::as_boolean)?;
        let values = match (both.value(0), both.value(1)) {
            (false, false) => BooleanBuffer::new_unset(array.len()),
            (false, true) => array.values().clone(),
            (true, false) => !array.values(),
            (true, true) => BooleanBuffer::new_set(array.len()),
        };
        Ok(BooleanArray::new(values, array.nulls().cloned()))
    }

    fn integers<T: ArrowPrimitiveType<Native: Narrow + PartialOrd>>(
        &self,
        array: &ArrayRef,
    ) -> Result<BooleanArray> {
        let data_type = array.data_type();
        let array: &PrimitiveArray<T> = array.as_primitive();
        self.apply(array, data_type, |value| {
            let place = value.among_integers(data_type)?;
            Some(place.narrow(T::Native::narrow))
        })
    }

    fn floats<T: ArrowPrimitiveType<Native: Into<f64>>>(
        &self,
        array: &ArrayRef,
        nearest: impl Fn(&str) -> Option<f64>,
    ) -> Result<BooleanArray> {
        let data_type = array.data_type();
        let array: &PrimitiveArray<T> = array.as_primitive();
        let place = |value| Value::among_floats(value, &nearest);
        Ok(self.resolve(data_type, place)?.mask(array, Into::into))
    }

    fn texts<'a>(
        &self,
        array: impl ArrayAccessor<Item = &'a str>,
        data_type: &DataType,
    ) -> Result<BooleanArray> {
        match self {
            Self::Like(pattern) => Ok(BooleanArray::from_unary(array, |text| {
                pattern.matches(text)
            })),
            _ => Ok(self
                .resolve(data_type, Value::as_text)?
                .mask(array, |text| text)),
        }
    }

    fn apply<'a, A: ArrayAccessor<Item: PartialOrd + Copy>>(
        &'a self,
        array: A,
        data_type: &DataType,
        place: impl Fn(&'a Value) -> Option<Place<A::Item>>,
    ) -> Result<BooleanArray> {
        Ok(self.resolve(data_type, place)?.mask(array, |value| value))
    }

    /// Converts the test's values to the type of the column.
    fn resolve<'a, T: PartialOrd + Copy>(
        &'a self,
        data_type: &DataType,
        place: impl Fn(&'a Value) -> Option<Place<T>>,
    ) -> Result<Resolved<T>> {
        let place = |value: &'a Value| place(value).ok_or_else(|| mismatch(data_type, value));
        match self {
            Self::Compare(comparison, value) => Ok(Resolved::compare(*comparison, place(value)?)),
            Self::In(values) => {
                let places = values.iter().map(place).collect::<Result<Vec<_>>>()?;
                Ok(Resolved::among(places))
            }
            Self::Like(_) => {
                let problem = format!("`like` needs a column of text, but the type is {data_type}");
                Err(Problem::Option(problem).into())
            }
            Self::IntersectsBox(_) => {
                let problem = format!(
                    "`st_intersects_box` needs a column of geometries in WKB, but the type is {data_type}"
                );
                Err(Problem::Option(problem).into())
            }
            Self::IsNull => unreachable!("it does not depend on values"),
        }
    }
}

/// Tests geometries. Those that are no WKB are null.
fn meeting<'a>(wanted: &Boxed, array: impl ArrayAccessor<Item = &'a [u8]>) -> BooleanArray {
    ArrayIter::new(array)
        .map(|value| wanted.meets_geometry(value?))
        .collect()
}

/// Test with values of the column's own type.
enum Resolved<T> {
    Always(bool),
    Compare(Comparison, T),
    /// Values in ascending order.
    In(Vec<T>),
}

impl<T: PartialOrd + Copy> Resolved<T> {
    fn compare(comparison: Comparison, place: Place<T>) -> Self {
        use Comparison::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
        let is_greater = matches!(comparison, Greater | GreaterOrEqual);
        let is_less = matches!(comparison, Less | LessOrEqual);
        match (place, comparison) {
            (Place::At(value), _) => Self::Compare(comparison, value),
            (Place::After(_) | Place::Before(_), Equal | NotEqual) => {
                Self::Always(comparison == NotEqual)
            }
            (Place::Before(value), Less | LessOrEqual) => Self::Compare(Less, value),
            (Place::Before(value), Greater | GreaterOrEqual) => {
                Self::Compare(GreaterOrEqual, value)
            }
            (Place::After(value), Less | LessOrEqual) => Self::Compare(LessOrEqual, value),
            (Place::After(value), Greater | GreaterOrEqual) => Self::Compare(Greater, value),
            (Place::Below, _) => Self::Always(is_greater || comparison == NotEqual),
            (Place::Above, _) => Self::Always(is_less || comparison == NotEqual),
            (Place::Unordered, _) => Self::Always(comparison == NotEqual),
        }
    }

    fn among(places: Vec<Place<T>>) -> Self {
        let exact = places.into_iter().filter_map(|place| match place {
            Place::At(value) => Some(value),
            _ => None,
        });
        let mut values: Vec<T> = exact.collect();
        values.sort_by(ascending);
        Self::In(values)
    }

    /// Tests all values of an array, with a separate loop for each operator.
    fn mask<A: ArrayAccessor>(&self, array: A, convert: impl Fn(A::Item) -> T) -> BooleanArray {
        use Comparison::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
        macro_rules! mask {
            ($value:ident => $result:expr) => {
                BooleanArray::from_unary(array, |value| {
                    let $value = convert(value);
                    $result
                })
            };
        }
        match self {
            Self::Always(always) => BooleanArray::from_unary(array, |_| *always),
            Self::Compare(Equal, other) => mask!(value => value == *other),
            Self::Compare(NotEqual, other) => mask!(value => value != *other),
            Self::Compare(Less, other) => mask!(value => value < *other),
            Self::Compare(LessOrEqual, other) => mask!(value => value <= *other),
            Self::Compare(Greater, other) => mask!(value => value > *other),
            Self::Compare(GreaterOrEqual, other) => mask!(value => value >= *other),
            Self::In(values) => {
                mask!(value => values.binary_search_by(|it| ascending(it, &value)).is_ok())
            }
        }
    }
}

/// Compares values that are not NaN. A search would not find NaN.
fn ascending<T: PartialOrd>(one: &T, other: &T) -> Ordering {
    one.partial_cmp(other).unwrap_or(Ordering::Less)
}

/// Integer type that a column stores.
trait Narrow: Sized {
    /// Returns the number in this type, if it fits.
    fn narrow(value: i256) -> Option<Self>;
}

macro_rules! narrow {
    ($($integer:ty)+) => {
        $(impl Narrow for $integer {
            fn narrow(value: i256) -> Option<Self> {
                value.to_i128()?.try_into().ok()
            }
        })+
    };
}

narrow!(i8 i16 i32 i64 i128 u8 u16 u32 u64);

impl Narrow for i256 {
    fn narrow(value: i256) -> Option<Self> {
        Some(value)
    }
}

pub(super) fn is_null(array: &ArrayRef) -> BooleanArray {
    let nulls = match array.logical_nulls() {
        Some(nulls) => !nulls.inner(),
        None => BooleanBuffer::new_unset(array.len()),
    };
    BooleanArray::new(nulls, None)
}

/// Parses the canonical form of a UUID: 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12.
fn uuid(text: &str) -> Result<Value> {
    let groups: Vec<&str> = text.split('-').collect();
    let is_canonical = groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
        && text.bytes().all(|it| it == b'-' || it.is_ascii_hexdigit());
    let digits = is_canonical.then(|| groups.concat());
    let number = digits.and_then(|digits| u128::from_str_radix(&digits, 16).ok());
    number
        .map(|number| Value::Binary(number.to_be_bytes().to_vec()))
        .ok_or_else(|| {
            let problem =
                format!("{text:?} is not a UUID; write it as 57976607-d3f5-45ce-96aa-834df7f40ef0");
            Problem::Option(problem).into()
        })
}

fn not_comparable(data_type: &DataType) -> crate::Error {
    let problem =
        format!("values of the type {data_type} cannot be compared; only `is null` is supported");
    Problem::Option(problem).into()
}

pub(super) fn mismatch(data_type: &DataType, value: &Value) -> crate::Error {
    let hint = match (value, data_type) {
        (Value::Text(_), DataType::Timestamp(..) | DataType::Date32 | DataType::Date64) => {
            "; write it as 2024-12-31 or 2024-12-31T23:59:59"
        }
        (Value::Text(_), DataType::Time32(_) | DataType::Time64(_)) => "; write it as 23:59:59",
        (Value::Text(_), DataType::Duration(_)) => {
            "; write it as 1 day 2 hours 30 minutes 1.5 seconds"
        }
        (Value::Text(_), DataType::FixedSizeBinary(_)) => {
            "; write the bytes as x'00ff', or b'\\x00\\xff' in Python"
        }
        (Value::Text(text), _) if text.parse::<f64>().is_ok() => {
            "; numbers have no quotation marks"
        }
        (
            Value::Integer(_) | Value::Float(_) | Value::Decimal { .. },
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View,
        ) => "; texts have quotation marks",
        _ => "",
    };
    Problem::Option(format!(
        "the type {data_type} cannot be compared with {value}{hint}"
    ))
    .into()
}

//! Evaluates tests on the bounds of row groups and pages.

use super::super::bind::Leaf;
use super::super::like::Pattern;
use super::super::test::Test;
use super::super::{Comparison, Value};
use crate::Result;
use crate::types::physical;
use arrow_array::{ArrayRef, BinaryArray, BooleanArray, StringArray, new_null_array};
use arrow_buffer::{MutableBuffer, NullBuffer};
use arrow_ord::cmp::lt_eq;
use arrow_schema::{DataType, TimeUnit as ArrowUnit};
use parquet::basic::{ColumnOrder, ConvertedType, LogicalType, SortOrder, TimeUnit, Type};
use parquet::file::statistics::Statistics;
use parquet::schema::types::ColumnDescriptor;
use std::sync::Arc;

/// Bytes of a bound, if known.
pub(super) type Bound<'a> = Option<&'a [u8]>;

/// Bounds of a column's values in row groups or pages.
pub struct Bounds {
    known: Vec<bool>,
    least: ArrayRef,
    greatest: ArrayRef,
}

impl Bounds {
    /// Returns the bounds of the values of a row group.
    pub(super) fn of_statistics(
        data_type: &DataType,
        column: &ColumnDescriptor,
        order: ColumnOrder,
        statistics: &Statistics,
    ) -> Result<Self> {
        // The first readers compared all values as signed integers.
        let is_ordered = if statistics.is_min_max_deprecated() {
            matches!(statistics, Statistics::Int32(_) | Statistics::Int64(_))
                && is_signed(data_type)
        } else {
            is_known(order)
        };
        let (least, greatest) = (statistics.min_bytes_opt(), statistics.max_bytes_opt());
        Self::new(data_type, column, is_ordered, &[least], &[greatest])
    }

    /// Returns the bounds of the values of pages.
    pub(super) fn of_pages(
        leaf: &Leaf,
        column: &ColumnDescriptor,
        order: ColumnOrder,
        least: &[Bound<'_>],
        greatest: &[Bound<'_>],
    ) -> Result<Self> {
        let data_type = leaf.column.field.data_type();
        Self::new(data_type, column, is_known(order), least, greatest)
    }

    fn new(
        data_type: &DataType,
        column: &ColumnDescriptor,
        is_ordered: bool,
        least: &[Bound<'_>],
        greatest: &[Bound<'_>],
    ) -> Result<Self> {
        let data_type = value_type(data_type);
        let least = array_of(column, data_type, least)?;
        let greatest = array_of(column, data_type, greatest)?;
        // Contradictory bounds, and NaN, must be wrong.
        let mut known = is_true_of(&lt_eq(&least, &greatest)?);
        if data_type.is_floating() {
            let is_number = || Test::Compare(Comparison::LessOrEqual, Value::Float(f64::INFINITY));
            known = both(known, &is_true(is_number(), &least)?);
            known = both(known, &is_true(is_number(), &greatest)?);
        }
        known.iter_mut().for_each(|known| *known &= is_ordered);
        Ok(Self {
            known,
            least,
            greatest,
        })
    }

    /// Returns for each row group or page whether the test may have the wanted result.
    pub(super) fn may_be(&self, leaf: &Leaf, wanted: bool) -> Result<Vec<bool>> {
        let is_float = leaf.column.field.data_type().is_floating();
        let may_be = match (&leaf.test, wanted) {
            // NaN is not among the values that bounds are compared with.
            (Test::Compare(_, Value::Float(value)), _) if value.is_nan() => return Ok(self.all()),
            // Bounds say nothing about NaN, which differs from everything.
            (Test::Compare(Comparison::NotEqual, _), true) if is_float => return Ok(self.all()),
            (Test::Compare(..), false) if is_float => return Ok(self.all()),
            (Test::Compare(comparison, value), true) => self.compare(*comparison, value)?,
            (Test::Compare(comparison, value), false) => {
                self.compare(opposite(*comparison), value)?
            }
            (Test::In(values), true) => {
                let none = vec![false; self.known.len()];
                values.iter().try_fold(none, |any, value| {
                    let equal = self.compare(Comparison::Equal, value)?;
                    Result::Ok(
                        any.into_iter()
                            .zip(equal)
                            .map(|(any, equal)| any || equal)
                            .collect(),
                    )
                })?
            }
            (Test::Like(pattern), true) => self.starts_with(&pattern.prefix())?,
            (Test::In(_) | Test::Like(_), false) | (Test::IntersectsBox(_) | Test::IsNull, _) => {
                return Ok(self.all());
            }
        };
        let known = self.known.iter().zip(may_be);
        Ok(known.map(|(known, may_be)| !known || may_be).collect())
    }

    fn all(&self) -> Vec<bool> {
        vec![true; self.known.len()]
    }

    fn compare(&self, comparison: Comparison, value: &Value) -> Result<Vec<bool>> {
        let least = |comparison| is_true(Test::Compare(comparison, value.clone()), &self.least);
        let greatest =
            |comparison| is_true(Test::Compare(comparison, value.clone()), &self.greatest);
        match comparison {
            Comparison::Less | Comparison::LessOrEqual => least(comparison),
            Comparison::Greater | Comparison::GreaterOrEqual => greatest(comparison),
            Comparison::Equal => {
                let greatest = greatest(Comparison::GreaterOrEqual)?;
                Ok(both(least(Comparison::LessOrEqual)?, &greatest))
            }
            Comparison::NotEqual => {
                let greatest = greatest(Comparison::Greater)?.into_iter();
                Ok(greatest
                    .zip(least(Comparison::Less)?)
                    .map(|(one, other)| one || other)
                    .collect())
            }
        }
    }

    fn starts_with(&self, prefix: &str) -> Result<Vec<bool>> {
        let value = Value::Text(prefix.to_owned());
        let before =
            is_true(Test::Compare(Comparison::Less, value.clone()), &self.least)?.into_iter();
        let starts = is_true(Test::Like(Pattern::new(&format!("{prefix}%"))), &self.least)?;
        let least = before
            .zip(starts)
            .map(|(before, starts)| before || starts)
            .collect();
        Ok(both(
            least,
            &is_true(
                Test::Compare(Comparison::GreaterOrEqual, value),
                &self.greatest,
            )?,
        ))
    }
}

/// Returns the least and the greatest value of a chunk in an Arrow type; `None` if the statistics do not tell them, but other bounds or
/// none. Zeros of floats may have another sign.
#[doc(hidden)]
pub fn exact_bounds(
    data_type: &DataType,
    column: &ColumnDescriptor,
    order: ColumnOrder,
    statistics: &Statistics,
) -> Result<Option<[ArrayRef; 2]>> {
    // Only strings are shortened.
    let is_exact = !matches!(statistics, Statistics::ByteArray(_))
        || (statistics.min_is_exact() && statistics.max_is_exact());
    if !is_exact || !are_bounds_of(column, data_type) {
        return Ok(None);
    }
    let bounds = Bounds::of_statistics(data_type, column, order, statistics)?;
    let is_zero = |bound: &ArrayRef| {
        let zero = Test::Compare(Comparison::Equal, Value::Integer(0));
        Result::Ok(data_type.is_floating() && is_true(zero, bound)? == [true])
    };
    let is_known =
        bounds.known == [true] && !is_zero(&bounds.least)? && !is_zero(&bounds.greatest)?;
    Ok(is_known.then_some([bounds.least, bounds.greatest]))
}

fn both(one: Vec<bool>, other: &[bool]) -> Vec<bool> {
    one.into_iter()
        .zip(other)
        .map(|(one, other)| one && *other)
        .collect()
}

fn is_true(test: Test, bounds: &ArrayRef) -> Result<Vec<bool>> {
    Ok(is_true_of(&test.evaluate(bounds)?))
}

fn is_true_of(results: &BooleanArray) -> Vec<bool> {
    results.iter().map(|result| result == Some(true)).collect()
}

/// Returns whether the footer declares a known order for bounds.
fn is_known(order: ColumnOrder) -> bool {
    matches!(
        order,
        ColumnOrder::TYPE_DEFINED_ORDER(_) | ColumnOrder::IEEE_754_TOTAL_ORDER
    )
}

/// Returns whether values are stored as signed integers.
fn is_signed(data_type: &DataType) -> bool {
    data_type.is_signed_integer() || data_type.is_temporal() || data_type.is_decimal()
}

/// Returns the type of the values, for dictionaries as well.
fn value_type(data_type: &DataType) -> &DataType {
    match data_type {
        DataType::Dictionary(_, values) => values,
        other => other,
    }
}

/// Returns an array of bounds. Bounds of the wrong length, and strings that are not UTF-8, are
/// null.
fn array_of(
    column: &ColumnDescriptor,
    data_type: &DataType,
    bounds: &[Bound<'_>],
) -> Result<ArrayRef> {
    use DataType::{Binary, BinaryView, Boolean, LargeBinary, LargeUtf8, Utf8, Utf8View};
    let text = |bound: &Bound<'_>| bound.and_then(|it| str::from_utf8(it).ok().map(str::to_owned));
    Ok(match data_type {
        Utf8 | LargeUtf8 | Utf8View => Arc::new(StringArray::from_iter(bounds.iter().map(text))),
        Binary | LargeBinary | BinaryView => Arc::new(BinaryArray::from_iter(bounds)),
        Boolean => Arc::new(BooleanArray::from_iter(bounds.iter().map(
            |bound| match bound {
                Some([byte @ (0 | 1)]) => Some(*byte == 1),
                _ => None,
            },
        ))),
        _ => {
            let Some(width) = physical::width(column) else {
                return Ok(new_null_array(data_type, bounds.len()));
            };
            let fits = |bound: &Bound<'_>| {
                bound.is_some_and(|it| it.len() == width && is_value_of(data_type, it))
            };
            let nulls = NullBuffer::from_iter(bounds.iter().map(fits));
            let mut values = MutableBuffer::from_len_zeroed(bounds.len() * width);
            for (value, bound) in values.chunks_exact_mut(width).zip(bounds) {
                if let Some(bound) = bound.filter(|it| it.len() == width) {
                    value.copy_from_slice(bound);
                }
            }
            physical::from_physical(data_type, column, values.into(), Some(nulls))?
        }
    })
}

/// Returns whether an integer of 8 or 16 bits, stored as INT32, is in the range of its type. For
/// other integers, readers take the lowest bits.
fn is_value_of(data_type: &DataType, bound: &[u8]) -> bool {
    let Ok(bytes) = bound.try_into() else {
        return true;
    };
    let (signed, unsigned) = (i32::from_le_bytes(bytes), u32::from_le_bytes(bytes));
    match data_type {
        DataType::Int8 => i8::try_from(signed).is_ok(),
        DataType::Int16 => i16::try_from(signed).is_ok(),
        DataType::UInt8 => u8::try_from(unsigned).is_ok(),
        DataType::UInt16 => u16::try_from(unsigned).is_ok(),
        _ => true,
    }
}

fn opposite(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Equal => Comparison::NotEqual,
        Comparison::NotEqual => Comparison::Equal,
        Comparison::Less => Comparison::GreaterOrEqual,
        Comparison::LessOrEqual => Comparison::Greater,
        Comparison::Greater => Comparison::LessOrEqual,
        Comparison::GreaterOrEqual => Comparison::Less,
    }
}

/// Returns whether bounds of a column are also bounds of its values in an Arrow type, which the
/// file's Arrow schema may have chosen.
pub(super) fn are_bounds_of(column: &ColumnDescriptor, data_type: &DataType) -> bool {
    let order = column.sort_order();
    match data_type {
        DataType::Boolean | DataType::Float32 | DataType::Float64 => true,
        DataType::Timestamp(unit, _) => {
            order == SortOrder::SIGNED && unit_of(column) == Some(*unit)
        }
        DataType::Decimal32(_, scale)
        | DataType::Decimal64(_, scale)
        | DataType::Decimal128(_, scale) => {
            // Byte arrays may be too long for the integer.
            let is_integer = match column.physical_type() {
                Type::INT32 => true,
                Type::INT64 => !matches!(data_type, DataType::Decimal32(..)),
                _ => false,
            };
            let is_decimal = column.converted_type() == ConvertedType::DECIMAL
                || matches!(column.logical_type_ref(), Some(LogicalType::Decimal(_)));
            is_decimal
                && is_integer
                && order == SortOrder::SIGNED
                && column.type_scale() == i32::from(*scale)
        }
        DataType::Date32 => order == SortOrder::SIGNED,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => order == SortOrder::UNSIGNED,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => {
            order == SortOrder::UNSIGNED
        }
        DataType::Dictionary(_, values) => !values.is_floating() && are_bounds_of(column, values),
        integer if integer.is_signed_integer() => order == SortOrder::SIGNED,
        integer if integer.is_unsigned_integer() => order == SortOrder::UNSIGNED,
        _ => false,
    }
}

fn unit_of(column: &ColumnDescriptor) -> Option<ArrowUnit> {
    match (column.logical_type_ref(), column.converted_type()) {
        (Some(LogicalType::Timestamp(timestamp)), _) => Some(match timestamp.unit {
            TimeUnit::MILLIS => ArrowUnit::Millisecond,
            TimeUnit::MICROS => ArrowUnit::Microsecond,
            TimeUnit::NANOS => ArrowUnit::Nanosecond,
        }),
        (_, ConvertedType::TIMESTAMP_MILLIS) => Some(ArrowUnit::Millisecond),
        (_, ConvertedType::TIMESTAMP_MICROS) => Some(ArrowUnit::Microsecond),
        _ => None,
    }
}

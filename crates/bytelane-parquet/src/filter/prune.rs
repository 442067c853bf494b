//! Row groups without rows that satisfy a predicate, by statistics.

use super::bind::{Filter, Leaf, Node};
use super::like::Pattern;
use super::test::Test;
use super::{Comparison, Value};
use crate::Result;
use arrow_array::{Array, ArrayRef, BooleanArray};
use arrow_ord::cmp::lt_eq;
use arrow_schema::{DataType, Field, FieldRef, TimeUnit as ArrowUnit};
use parquet::arrow::arrow_reader::statistics::StatisticsConverter;
use parquet::basic::{ColumnOrder, ConvertedType, LogicalType, SortOrder, TimeUnit, Type};
use parquet::file::metadata::ParquetMetaData;
use parquet::file::statistics::Statistics;
use parquet::schema::types::ColumnDescriptor;

impl Filter {
    /// Returns the row groups that may have rows for which the predicate is true, in ascending order. `constants` are columns
    /// that are not in the file, each with its only value.
    ///
    /// Statistics that are missing, in an unknown order, or contradict themselves exclude nothing.
    pub(super) fn row_groups(
        &self,
        metadata: &ParquetMetaData,
        constants: &[(FieldRef, ArrayRef)],
    ) -> Result<Vec<usize>> {
        let footer = Footer {
            metadata,
            constants,
        };
        let may_match = footer.may_be(&self.root, true)?;
        Ok((0..metadata.num_row_groups())
            .filter(|&index| may_match[index])
            .collect())
    }
}

/// Statistics of the row groups of a file.
struct Footer<'a> {
    metadata: &'a ParquetMetaData,
    constants: &'a [(FieldRef, ArrayRef)],
}

impl Footer<'_> {
    /// Returns for each row group whether a row may have the wanted result.
    fn may_be(&self, node: &Node, wanted: bool) -> Result<Vec<bool>> {
        match node {
            Node::Leaf(leaf) => self.leaf(leaf, wanted),
            Node::Not(inner) => self.may_be(inner, !wanted),
            Node::And(all) | Node::Or(all) => {
                let needs_all = matches!(node, Node::And(_)) == wanted;
                let start = vec![needs_all; self.metadata.num_row_groups()];
                all.iter().try_fold(start, |row_groups, node| {
                    let others = self.may_be(node, wanted)?.into_iter();
                    let both = row_groups.into_iter().zip(others);
                    Ok(both
                        .map(|(one, other)| {
                            if needs_all {
                                one && other
                            } else {
                                one || other
                            }
                        })
                        .collect())
                })
            }
        }
    }

    fn leaf(&self, leaf: &Leaf, wanted: bool) -> Result<Vec<bool>> {
        let count = self.metadata.num_row_groups();
        if let [name] = leaf.names.as_slice()
            && let Some((_, constant)) = self
                .constants
                .iter()
                .find(|(field, _)| field.name() == name)
        {
            let result = leaf.test(constant)?;
            return Ok(vec![result.is_valid(0) && result.value(0) == wanted; count]);
        }
        let unknown = Ok(vec![true; count]);
        let columns = self
            .metadata
            .file_metadata()
            .schema_descr()
            .columns()
            .iter();
        // Within lists, values are not rows.
        let mut columns = columns
            .enumerate()
            .filter(|(_, column)| column.max_rep_level() == 0);
        let Some((index, column)) = columns.find(|(_, column)| column.path().parts() == leaf.names)
        else {
            return unknown;
        };
        match leaf.test {
            Test::IsNull => Ok(self.nulls(index, wanted)),
            _ if !are_bounds_of(column, leaf.field.data_type()) => unknown,
            _ => self.bounds(index, leaf)?.may_be(leaf, wanted),
        }
    }

    /// Returns for each row group whether a value may be null, or not null.
    fn nulls(&self, column: usize, wanted: bool) -> Vec<bool> {
        let row_groups = self.metadata.row_groups().iter();
        let of_row_group = row_groups.map(|row_group| {
            let statistics = row_group.column(column).statistics();
            let nulls = statistics.and_then(Statistics::null_count_opt);
            let none = if wanted {
                0
            } else {
                u64::try_from(row_group.num_rows()).unwrap_or(u64::MAX)
            };
            nulls != Some(none)
        });
        of_row_group.collect()
    }

    fn bounds(&self, column: usize, leaf: &Leaf) -> Result<Bounds> {
        let file = self.metadata.file_metadata();
        let row_groups = self.metadata.row_groups();
        let converter =
            StatisticsConverter::from_column_index(column, &leaf.field, file.schema_descr())?;
        let least = converter.row_group_mins(row_groups)?;
        let greatest = converter.row_group_maxes(row_groups)?;
        let order = file.column_order(column);
        let is_ordered = matches!(
            order,
            ColumnOrder::TYPE_DEFINED_ORDER(_) | ColumnOrder::IEEE_754_TOTAL_ORDER
        );
        // Contradictory bounds, and those that are NaN, are known to be wrong.
        let mut known = is_true_of(&lt_eq(&least, &greatest)?);
        if leaf.field.data_type().is_floating() {
            let is_number = || Test::Compare(Comparison::LessOrEqual, Value::Float(f64::INFINITY));
            known = both(known, &is_true(is_number(), &least)?);
            known = both(known, &is_true(is_number(), &greatest)?);
        }
        for (known, row_group) in known.iter_mut().zip(row_groups) {
            let statistics = row_group.column(column).statistics();
            *known &= statistics.is_some_and(|it| match it.is_min_max_deprecated() {
                // They are ordered as signed integers.
                true => {
                    matches!(it, Statistics::Int32(_) | Statistics::Int64(_))
                        && is_signed(&leaf.field)
                }
                false => is_ordered,
            });
        }
        Ok(Bounds {
            known,
            least,
            greatest,
        })
    }
}

/// Bounds of the values of a column in each row group.
struct Bounds {
    known: Vec<bool>,
    least: ArrayRef,
    greatest: ArrayRef,
}

impl Bounds {
    /// Returns for each row group whether the test may have the wanted result.
    fn may_be(&self, leaf: &Leaf, wanted: bool) -> Result<Vec<bool>> {
        let is_float = leaf.field.data_type().is_floating();
        let may_be = match (&leaf.test, wanted) {
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
            (Test::In(_) | Test::Like(_), false) | (Test::IsNull, _) => return Ok(self.all()),
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

/// Returns whether a type is stored as a signed integer.
fn is_signed(field: &Field) -> bool {
    let data_type = field.data_type();
    data_type.is_signed_integer() || data_type.is_temporal() || data_type.is_decimal()
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

/// Returns whether bounds of a column are bounds of the values of an Arrow type, which an Arrow schema in the file may have
/// chosen.
fn are_bounds_of(column: &ColumnDescriptor, data_type: &DataType) -> bool {
    let order = column.sort_order();
    match data_type {
        DataType::Boolean | DataType::Float32 | DataType::Float64 => true,
        DataType::Timestamp(unit, _) => {
            order == SortOrder::SIGNED && unit_of(column) == Some(*unit)
        }
        DataType::Decimal32(_, scale)
        | DataType::Decimal64(_, scale)
        | DataType::Decimal128(_, scale) => {
            // Bytes may be too many.
            let is_integer = matches!(column.physical_type(), Type::INT32 | Type::INT64);
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

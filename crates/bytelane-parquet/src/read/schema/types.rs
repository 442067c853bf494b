//! Corrects Arrow types of columns where those of the crate `parquet` would change values.

use crate::types::fields::{children, with_children};
use arrow_schema::{DataType, Field, FieldRef, IntervalUnit, Schema, SchemaRef};
use parquet::basic::Type;
use parquet::schema::types::ColumnDescPtr;
use std::slice::Iter;
use std::sync::Arc;

/// Returns the types of a file's Arrow schema, except those that change values: decimals with
/// another scale or fewer digits, timestamps in another unit, and text that the column itself does
/// not declare. `own` are the types of the columns without that schema. `None` if nothing needs to
/// change.
pub(crate) fn without_other_values(
    hinted: &Schema,
    own: &Schema,
    columns: &[ColumnDescPtr],
) -> Option<SchemaRef> {
    let mut columns = columns.iter();
    let pairs = hinted.fields().iter().zip(own.fields());
    let fields: Vec<FieldRef> = pairs
        .map(|(hinted, own)| without_other_value(hinted, own, &mut columns))
        .collect();
    changed(hinted, fields)
}

fn without_other_value(
    hinted: &FieldRef,
    own: &FieldRef,
    columns: &mut Iter<'_, ColumnDescPtr>,
) -> FieldRef {
    let within = children(own.data_type());
    if within.is_empty() {
        let column = columns.next();
        if !is_taken(hinted.data_type(), own.data_type(), column) {
            return Arc::clone(own);
        }
        return match as_bytes(hinted.data_type(), own.data_type()) {
            Some(bytes) => Arc::new(Field::clone(hinted).with_data_type(bytes)),
            None => Arc::clone(hinted),
        };
    }
    let mut within = within.into_iter();
    with_children(hinted, &mut |child| match within.next() {
        Some(own) => without_other_value(child, own, columns),
        None => Arc::clone(child),
    })
}

/// Returns whether a column is read as the type that the Arrow schema asks for.
fn is_taken(asked: &DataType, own: &DataType, column: Option<&ColumnDescPtr>) -> bool {
    if let (Some(asked), Some(own)) = (decimal(asked), decimal(own))
        && (asked.0 < own.0 || asked.1 != own.1)
    {
        return false;
    }
    let is = |physical| column.is_some_and(|column| column.physical_type() == physical);
    match (asked, own) {
        (DataType::Dictionary(_, values), own) => {
            // pyarrow and Polars read a dictionary of nulls as nulls as well.
            if values.is_null() {
                return false;
            }
            // The crate `parquet` creates no dictionaries of numbers that are stored as bytes.
            let is_bytes = is(Type::BYTE_ARRAY) || is(Type::FIXED_LEN_BYTE_ARRAY);
            !(is_bytes && values.is_primitive()) && is_taken(values, own, column)
        }
        // INT96 has no unit.
        (DataType::Timestamp(asked, _), DataType::Timestamp(own, _)) => {
            asked == own || is(Type::INT96)
        }
        _ => true,
    }
}

/// Returns the type for bytes where the Arrow schema asks for text, because nothing guarantees that
/// they are UTF-8. As in pyarrow, they have 32-bit offsets.
fn as_bytes(asked: &DataType, own: &DataType) -> Option<DataType> {
    match (asked, own) {
        (DataType::Dictionary(keys, values), _) => {
            let values = as_bytes(values, own)?;
            Some(DataType::Dictionary(keys.clone(), Box::new(values)))
        }
        (asked, DataType::Binary) if asked.is_string() => Some(DataType::Binary),
        _ => None,
    }
}

/// Returns the schema with the time zones that a file's Arrow schema gives instants in another
/// unit: the crate `parquet` ignores these types. `None` if nothing needs to change.
pub(crate) fn with_zones(schema: &Schema, written: &Schema) -> Option<SchemaRef> {
    let pairs = schema.fields().iter().zip(written.fields());
    changed(
        schema,
        pairs.map(|(own, written)| zoned(own, written)).collect(),
    )
}

fn zoned(own: &FieldRef, written: &FieldRef) -> FieldRef {
    if let (DataType::Timestamp(unit, Some(_)), Some(zone)) =
        (own.data_type(), zone(written.data_type()))
    {
        let data_type = DataType::Timestamp(*unit, Some(Arc::clone(zone)));
        return Arc::new(Field::clone(own).with_data_type(data_type));
    }
    let mut within = children(written.data_type()).into_iter();
    with_children(own, &mut |child| match within.next() {
        Some(written) => zoned(child, written),
        None => Arc::clone(child),
    })
}

/// Returns the time zone of a type.
fn zone(data_type: &DataType) -> Option<&Arc<str>> {
    match data_type {
        DataType::Timestamp(_, zone) => zone.as_ref().filter(|zone| !zone.is_empty()),
        DataType::Dictionary(_, values) => zone(values),
        _ => None,
    }
}

/// Returns the number of digits and the scale.
fn decimal(data_type: &DataType) -> Option<(u8, i8)> {
    match data_type {
        DataType::Decimal32(digits, scale)
        | DataType::Decimal64(digits, scale)
        | DataType::Decimal128(digits, scale)
        | DataType::Decimal256(digits, scale) => Some((*digits, *scale)),
        DataType::Dictionary(_, values) => decimal(values),
        _ => None,
    }
}

/// Returns the schema with intervals that hold all parts of a Parquet INTERVAL; `None` if it has no
/// intervals.
pub(crate) fn with_whole_intervals(schema: &Schema) -> Option<SchemaRef> {
    let fields: Vec<FieldRef> = schema.fields().iter().map(whole_intervals).collect();
    changed(schema, fields)
}

fn whole_intervals(field: &FieldRef) -> FieldRef {
    match field.data_type() {
        DataType::Interval(_) => {
            let whole = DataType::Interval(IntervalUnit::MonthDayNano);
            Arc::new(Field::clone(field).with_data_type(whole))
        }
        _ => with_children(field, &mut whole_intervals),
    }
}

fn changed(schema: &Schema, fields: Vec<FieldRef>) -> Option<SchemaRef> {
    let is_same = schema.fields().iter().eq(&fields);
    (!is_same).then(|| Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone())))
}

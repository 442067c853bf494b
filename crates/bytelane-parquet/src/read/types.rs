//! The Arrow types of columns, where those that the crate `parquet` gives them would change values.

use arrow_schema::{DataType, Field, FieldRef, IntervalUnit, Schema, SchemaRef};
use std::sync::Arc;

/// The types that the Arrow schema of a file gives its columns, without those that change values: decimals of another
/// scale, or of fewer digits. `own` are the types of the columns without that schema. None if nothing is to change.
pub(super) fn without_other_decimals(hinted: &Schema, own: &Schema) -> Option<SchemaRef> {
    let pairs = hinted.fields().iter().zip(own.fields());
    let fields: Vec<FieldRef> = pairs
        .map(|(hinted, own)| without_other_decimal(hinted, own))
        .collect();
    changed(hinted, fields)
}

fn without_other_decimal(hinted: &FieldRef, own: &FieldRef) -> FieldRef {
    if let (Some(asked), Some(found)) = (decimal(hinted.data_type()), decimal(own.data_type())) {
        return match asked.0 < found.0 || asked.1 != found.1 {
            true => Arc::clone(own),
            false => Arc::clone(hinted),
        };
    }
    let own = children(own.data_type());
    let mut own = own.into_iter();
    with_children(hinted, &mut |child| match own.next() {
        Some(own) => without_other_decimal(child, own),
        None => Arc::clone(child),
    })
}

/// Digits and scale.
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

/// The same schema with intervals that have all parts of an INTERVAL of Parquet. None if it has no intervals.
pub(super) fn with_whole_intervals(schema: &Schema) -> Option<SchemaRef> {
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

fn children(data_type: &DataType) -> Vec<&FieldRef> {
    match data_type {
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::ListView(field)
        | DataType::LargeListView(field)
        | DataType::FixedSizeList(field, _)
        | DataType::Map(field, _) => vec![field],
        DataType::Struct(fields) => fields.iter().collect(),
        _ => Vec::new(),
    }
}

/// The same field with other children.
fn with_children(field: &FieldRef, child: &mut impl FnMut(&FieldRef) -> FieldRef) -> FieldRef {
    let data_type = match field.data_type() {
        DataType::List(item) => DataType::List(child(item)),
        DataType::LargeList(item) => DataType::LargeList(child(item)),
        DataType::ListView(item) => DataType::ListView(child(item)),
        DataType::LargeListView(item) => DataType::LargeListView(child(item)),
        DataType::FixedSizeList(item, length) => DataType::FixedSizeList(child(item), *length),
        DataType::Map(entries, sorted) => DataType::Map(child(entries), *sorted),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(child).collect()),
        _ => return Arc::clone(field),
    };
    Arc::new(Field::clone(field).with_data_type(data_type))
}

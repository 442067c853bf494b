//! Accesses the fields of Arrow's nested types.

use arrow_schema::{DataType, Field, FieldRef};
use std::sync::Arc;

/// Returns the fields in a type.
pub fn children(data_type: &DataType) -> Vec<&FieldRef> {
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

/// Returns the innermost fields of a field, in the order of their columns.
pub fn leaves(field: &FieldRef) -> Vec<&FieldRef> {
    let mut leaves = Vec::new();
    let mut open = vec![field];
    while let Some(field) = open.pop() {
        let within = children(field.data_type());
        if within.is_empty() {
            leaves.push(field)
        } else {
            open.extend(within.into_iter().rev())
        }
    }
    leaves
}

/// Replaces the fields in a field.
pub fn with_children(field: &FieldRef, child: &mut impl FnMut(&FieldRef) -> FieldRef) -> FieldRef {
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

/// Returns a field with UTC instead of named time zones, which need a database to be shown.
pub fn field_in_utc(field: &FieldRef) -> FieldRef {
    let data_type = type_in_utc(field.data_type());
    Arc::new(Field::clone(field).with_data_type(data_type))
}

/// Returns a type with UTC instead of named time zones.
pub fn type_in_utc(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Timestamp(unit, Some(_)) => DataType::Timestamp(*unit, Some("+00:00".into())),
        DataType::Dictionary(keys, values) => {
            DataType::Dictionary(keys.clone(), Box::new(type_in_utc(values)))
        }
        other => {
            let field = Arc::new(Field::new("", other.clone(), true));
            with_children(&field, &mut field_in_utc).data_type().clone()
        }
    }
}

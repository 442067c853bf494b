//! Columns of a new file.

use crate::types::bare::group_of;
use crate::types::fields::with_children;
use crate::types::physical::in_parquet;
use crate::{Result, WriterOptions};
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};
use parquet::basic::{LogicalType, Type as PhysicalType};
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};
use std::sync::Arc;

/// Returns the columns of a file with these rows.
pub(super) fn declared(stored: &SchemaRef, options: &WriterOptions) -> Result<SchemaDescriptor> {
    let mut fields = stored.fields().to_vec();
    if options.write_time_adjusted_to_utc {
        fields = fields.iter().map(in_utc).collect();
    }
    if options.use_compliant_nested_type {
        fields = fields.iter().map(with_standard_names).collect();
    }
    let metadata = stored.metadata().clone();
    let columns = in_parquet(&Schema::new_with_metadata(fields, metadata))?;
    if !options.use_deprecated_int96_timestamps {
        return Ok(columns);
    }
    Ok(SchemaDescriptor::new(in_int96(&columns.root_schema_ptr())?))
}

/// Returns a field whose times of the day are in UTC: the crate `parquet` looks for this key.
fn in_utc(field: &FieldRef) -> FieldRef {
    match field.data_type() {
        DataType::Time32(_) | DataType::Time64(_) => {
            let mut metadata = field.metadata().clone();
            metadata.insert("adjusted_to_utc".to_owned(), String::new());
            Arc::new(Field::clone(field).with_metadata(metadata))
        }
        _ => with_children(field, &mut in_utc),
    }
}

/// Returns a field with the format's names for the parts of lists and maps.
fn with_standard_names(field: &FieldRef) -> FieldRef {
    let renamed = |field: &FieldRef, name: &str| {
        Arc::new(Field::clone(&with_standard_names(field)).with_name(name))
    };
    let data_type = match field.data_type() {
        DataType::List(item) => DataType::List(renamed(item, "element")),
        DataType::LargeList(item) => DataType::LargeList(renamed(item, "element")),
        DataType::ListView(item) => DataType::ListView(renamed(item, "element")),
        DataType::LargeListView(item) => DataType::LargeListView(renamed(item, "element")),
        DataType::FixedSizeList(item, length) => {
            DataType::FixedSizeList(renamed(item, "element"), *length)
        }
        DataType::Map(entries, sorted) => DataType::Map(renamed(entries, "key_value"), *sorted),
        _ => return with_children(field, &mut with_standard_names),
    };
    Arc::new(Field::clone(field).with_data_type(data_type))
}

/// Returns a column whose timestamps are INT96.
fn in_int96(column: &TypePtr) -> Result<TypePtr> {
    let info = column.get_basic_info();
    match column.as_ref() {
        Type::GroupType { fields, .. } => {
            let fields = fields.iter().map(in_int96);
            group_of(column, fields.collect::<Result<_>>()?)
        }
        Type::PrimitiveType { .. } => match info.logical_type_ref() {
            Some(LogicalType::Timestamp { .. }) => {
                let leaf = Type::primitive_type_builder(info.name(), PhysicalType::INT96)
                    .with_repetition(info.repetition())
                    .with_id(info.has_id().then(|| info.id()));
                Ok(Arc::new(leaf.build()?))
            }
            _ => Ok(Arc::clone(column)),
        },
    }
}

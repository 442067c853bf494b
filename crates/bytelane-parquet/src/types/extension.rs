//! Maps Arrow's extension types `arrow.uuid` and `arrow.json` to logical types in Parquet.
//!
//! As in pyarrow, a column has both or neither, regardless of an Arrow schema in the file.

use crate::Result;
use crate::types::bare::group_of;
use crate::types::fields::{children, leaves, with_children};
use arrow_schema::extension::EXTENSION_TYPE_NAME_KEY;
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};
use parquet::basic::{ConvertedType, LogicalType};
use parquet::schema::types::{ColumnDescPtr, SchemaDescriptor, Type, TypePtr};
use std::slice::Iter;
use std::sync::Arc;

const UUID: &str = "arrow.uuid";
const JSON: &str = "arrow.json";

fn is_text(data_type: &DataType) -> bool {
    matches!(
        data_type,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
    )
}

/// Returns whether a field has UUIDs.
pub(crate) fn is_uuid(field: &Field) -> bool {
    field.extension_type_name() == Some(UUID) && *field.data_type() == DataType::FixedSizeBinary(16)
}

/// Returns the same columns with the logical types of the fields they were made from.
pub(crate) fn with_logical_types(
    columns: SchemaDescriptor,
    schema: &Schema,
) -> Result<SchemaDescriptor> {
    let logical_types = schema.fields().iter().flat_map(leaves);
    let logical_types: Vec<_> = logical_types.map(|field| logical_type(field)).collect();
    let is_any = logical_types.iter().any(Option::is_some);
    if !is_any || logical_types.len() != columns.num_columns() {
        return Ok(columns);
    }
    let root = annotated(&columns.root_schema_ptr(), &mut logical_types.into_iter())?;
    Ok(SchemaDescriptor::new(root))
}

fn logical_type(field: &Field) -> Option<LogicalType> {
    match (field.extension_type_name()?, field.data_type()) {
        (UUID, DataType::FixedSizeBinary(16)) => Some(LogicalType::Uuid),
        (JSON, stored) if is_text(stored) => Some(LogicalType::Json),
        _ => None,
    }
}

fn annotated(
    of: &TypePtr,
    leaves: &mut impl Iterator<Item = Option<LogicalType>>,
) -> Result<TypePtr> {
    let (physical_type, type_length) = match of.as_ref() {
        Type::PrimitiveType {
            physical_type,
            type_length,
            ..
        } => (*physical_type, *type_length),
        Type::GroupType { fields, .. } => {
            let fields = fields.iter().map(|field| annotated(field, leaves));
            return group_of(of, fields.collect::<Result<_>>()?);
        }
    };
    let Some(logical) = leaves.next().flatten() else {
        return Ok(Arc::clone(of));
    };
    let info = of.get_basic_info();
    let leaf = Type::primitive_type_builder(info.name(), physical_type)
        .with_repetition(info.repetition())
        .with_length(type_length)
        .with_logical_type(Some(logical))
        .with_id(info.has_id().then(|| info.id()));
    Ok(Arc::new(leaf.build()?))
}

/// Returns the same schema with the extension types of all columns, or `None` if there are none to add.
pub(crate) fn with_extension_types(
    schema: &Schema,
    columns: &[ColumnDescPtr],
) -> Option<SchemaRef> {
    if !columns.iter().any(|column| name_of(column).is_some()) {
        return None;
    }
    let mut columns = columns.iter();
    let fields = schema.fields().iter();
    let fields: Vec<FieldRef> = fields.map(|field| extended(field, &mut columns)).collect();
    let schema = Schema::new_with_metadata(fields, schema.metadata().clone());
    Some(Arc::new(schema))
}

fn extended(field: &FieldRef, columns: &mut Iter<'_, ColumnDescPtr>) -> FieldRef {
    if !children(field.data_type()).is_empty() {
        return with_children(field, &mut |child| extended(child, columns));
    }
    let name = columns.next().and_then(name_of);
    let fits = |name: &&str| match *name {
        UUID => *field.data_type() == DataType::FixedSizeBinary(16),
        _ => is_text(field.data_type()),
    };
    let Some(name) = name.filter(fits) else {
        return Arc::clone(field);
    };
    let mut metadata = field.metadata().clone();
    metadata.insert(EXTENSION_TYPE_NAME_KEY.to_owned(), name.to_owned());
    Arc::new(Field::clone(field).with_metadata(metadata))
}

fn name_of(column: &ColumnDescPtr) -> Option<&'static str> {
    match (column.logical_type_ref(), column.converted_type()) {
        (Some(LogicalType::Uuid), _) => Some(UUID),
        (_, ConvertedType::JSON) => Some(JSON),
        _ => None,
    }
}

//! Falls back to physical types for columns that Arrow has no type for.
//! The crate `parquet` reads no column of a file if Arrow has no type for one of them. An
//! annotation without such a type is removed, and so are the bounds of the values, whose order
//! depends on the annotation.

use crate::Result;
use crate::catch_panic::catch_panic;
use crate::types::bare::{bare_leaf, group_of};
use crate::types::fields::leaves;
use arrow_schema::{DECIMAL256_MAX_PRECISION, DataType, Fields};
use parquet::arrow::parquet_to_arrow_schema;
use parquet::basic::{ConvertedType, Repetition};
use parquet::file::metadata::{
    FileMetaData, ParquetMetaData, ParquetMetaDataBuilder, RowGroupMetaData,
};
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};
use std::sync::Arc;

/// Returns whether arrays of these types can exist: the crate `parquet` creates decimals with any
/// number of digits.
pub(crate) fn can_exist(fields: &Fields) -> bool {
    let mut leaves = fields.iter().flat_map(leaves);
    leaves.all(|leaf| match leaf.data_type() {
        DataType::Decimal256(digits, _) => *digits <= DECIMAL256_MAX_PRECISION,
        _ => true,
    })
}

/// Returns the metadata of a file whose columns all have types in Arrow.
pub(crate) fn fitted(metadata: &ParquetMetaData) -> Result<ParquetMetaData> {
    let file = metadata.file_metadata();
    let columns = file.schema().get_fields().iter().map(fitted_column);
    let root = group_of(file.schema(), columns.collect::<Result<_>>()?)?;
    let schema = Arc::new(SchemaDescriptor::new(root));
    let orders = file.column_orders().cloned();
    let mut fitted = ParquetMetaDataBuilder::new(FileMetaData::new(
        file.version(),
        file.num_rows(),
        file.created_by().map(str::to_owned),
        file.key_value_metadata().cloned(),
        Arc::clone(&schema),
        orders,
    ));
    for row_group in metadata.row_groups() {
        let chunks = row_group.columns().iter().zip(schema.columns());
        let chunks = chunks.map(|(chunk, column)| {
            if chunk.column_descr().self_type() == column.self_type() {
                Ok(chunk.clone())
            } else {
                chunk.clone().into_builder().clear_statistics().build()
            }
        });
        let chunks = chunks.collect::<std::result::Result<_, _>>()?;
        let row_group = RowGroupMetaData::builder(Arc::clone(&schema))
            .set_num_rows(row_group.num_rows())
            .set_total_byte_size(row_group.total_byte_size())
            .set_sorting_columns(row_group.sorting_columns().cloned())
            .set_column_metadata(chunks);
        fitted = fitted.add_row_group(row_group.build()?);
    }
    Ok(fitted.build())
}

/// Returns a column with only those annotations that Arrow has types for.
fn fitted_column(column: &TypePtr) -> Result<TypePtr> {
    if has_arrow_type(column)? {
        return Ok(Arc::clone(column));
    }
    let leaves = with_leaves(column)?;
    let lists = with_lists_of_maps(&leaves, Parent::Other)?;
    for fitted in [&leaves, &lists] {
        if has_arrow_type(fitted)? {
            return Ok(Arc::clone(fitted));
        }
    }
    without_lists(&leaves)
}

/// Returns whether the crate `parquet` finds an Arrow type for a column.
fn has_arrow_type(column: &TypePtr) -> Result<bool> {
    let root = Type::group_type_builder("schema").with_fields(vec![Arc::clone(column)]);
    let schema = SchemaDescriptor::new(Arc::new(root.build()?));
    let found = catch_panic(|| Ok(parquet_to_arrow_schema(&schema, None)?));
    Ok(found.is_ok_and(|found| can_exist(found.fields())))
}

/// Returns the type without the annotations of leaves that Arrow has no types for.
fn with_leaves(of: &TypePtr) -> Result<TypePtr> {
    match of.as_ref() {
        Type::PrimitiveType { .. } if has_arrow_type(of)? => Ok(Arc::clone(of)),
        Type::PrimitiveType {
            physical_type,
            type_length,
            ..
        } => bare_leaf(of, *physical_type, *type_length),
        Type::GroupType { fields, .. } => {
            let fields = fields.iter().map(with_leaves);
            group_of(of, fields.collect::<Result<_>>()?)
        }
    }
}

/// Group around a type.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parent {
    List,
    Map,
    Other,
}

/// Replaces repeated maps by lists of maps. A required group adds no level, so pages are unchanged:
///
/// ```text
/// repeated group array (MAP)        repeated group list
///   repeated group key_value   ->     required group array (MAP)
///                                       repeated group key_value
/// ```
fn with_lists_of_maps(of: &TypePtr, parent: Parent) -> Result<TypePtr> {
    let Type::GroupType { fields, .. } = of.as_ref() else {
        return Ok(Arc::clone(of));
    };
    let info = of.get_basic_info();
    let own = match info.converted_type() {
        ConvertedType::LIST => Parent::List,
        ConvertedType::MAP | ConvertedType::MAP_KEY_VALUE => Parent::Map,
        _ => Parent::Other,
    };
    let fields = fields.iter().map(|field| with_lists_of_maps(field, own));
    let fields = fields.collect::<Result<Vec<_>>>()?;
    let is_repeated = info.has_repetition() && info.repetition() == Repetition::REPEATED;
    if own != Parent::Map || parent == Parent::Map || !is_repeated {
        return group_of(of, fields);
    }
    let group = |name: &str, repetition, converted, fields| -> Result<TypePtr> {
        let group = Type::group_type_builder(name)
            .with_repetition(repetition)
            .with_converted_type(converted)
            .with_fields(fields);
        Ok(Arc::new(group.build()?))
    };
    let (name, none) = (info.name(), ConvertedType::NONE);
    let map = group(name, Repetition::REQUIRED, ConvertedType::MAP, fields)?;
    let list = group("list", Repetition::REPEATED, none, vec![map])?;
    match parent {
        Parent::List => Ok(list),
        _ => group(name, Repetition::REQUIRED, ConvertedType::LIST, vec![list]),
    }
}

/// Returns the type with structs in place of all lists and maps.
fn without_lists(of: &TypePtr) -> Result<TypePtr> {
    let Type::GroupType { fields, .. } = of.as_ref() else {
        return Ok(Arc::clone(of));
    };
    let info = of.get_basic_info();
    let fields = fields.iter().map(without_lists);
    let group = Type::group_type_builder(info.name())
        .with_repetition(info.repetition())
        .with_fields(fields.collect::<Result<_>>()?)
        .with_id(info.has_id().then(|| info.id()));
    Ok(Arc::new(group.build()?))
}

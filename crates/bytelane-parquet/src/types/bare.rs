//! Strips annotations from types, so that values are read as they are stored.
//!
//! For some annotations, Arrow's types are narrower than Parquet's: an INT32 of 8 bits, an INTERVAL without
//! its months. Values that are only moved are read without annotations, so that none of them can change.

use crate::Result;
use parquet::basic::{ConvertedType, LogicalType, Type as PhysicalType};
use parquet::schema::types::{Type, TypePtr};
use std::sync::Arc;

/// Returns the type with all leaves reduced to their physical type. Groups stay lists and maps. Timestamps
/// keep their annotation: they are the same 64 bits in Arrow, and converted INT96 values are compared with
/// them.
pub fn bare(of: &TypePtr) -> Result<TypePtr> {
    match of.as_ref() {
        Type::PrimitiveType { .. } if is_timestamp(of) => Ok(Arc::clone(of)),
        Type::PrimitiveType {
            physical_type,
            type_length,
            ..
        } => bare_leaf(of, *physical_type, *type_length),
        Type::GroupType { fields, .. } => {
            let fields = fields.iter().map(bare);
            group_of(of, fields.collect::<Result<_>>()?)
        }
    }
}

fn is_timestamp(of: &Type) -> bool {
    let info = of.get_basic_info();
    match info.logical_type_ref() {
        Some(logical) => matches!(logical, LogicalType::Timestamp(_)),
        None => matches!(
            info.converted_type(),
            ConvertedType::TIMESTAMP_MILLIS | ConvertedType::TIMESTAMP_MICROS
        ),
    }
}

/// Returns a leaf without its annotations.
pub fn bare_leaf(of: &Type, physical: PhysicalType, length: i32) -> Result<TypePtr> {
    let info = of.get_basic_info();
    let leaf = Type::primitive_type_builder(info.name(), physical)
        .with_repetition(info.repetition())
        .with_length(length)
        .with_id(info.has_id().then(|| info.id()));
    Ok(Arc::new(leaf.build()?))
}

/// Returns a group with other fields. An annotation that the crate `parquet` does not know, and refuses to
/// write, is omitted.
pub fn group_of(group: &Type, fields: Vec<TypePtr>) -> Result<TypePtr> {
    let info = group.get_basic_info();
    let is_known = |logical: &&LogicalType| !matches!(logical, LogicalType::_Unknown { .. });
    let mut builder = Type::group_type_builder(info.name())
        .with_fields(fields)
        .with_converted_type(info.converted_type())
        .with_logical_type(info.logical_type_ref().filter(is_known).cloned())
        .with_id(info.has_id().then(|| info.id()));
    if info.has_repetition() {
        builder = builder.with_repetition(info.repetition());
    }
    Ok(Arc::new(builder.build()?))
}

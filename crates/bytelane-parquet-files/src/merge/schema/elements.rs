//! Joins the elements of two schemas: physical types, annotations and field ids.

use bytelane_parquet::Result;
use bytelane_parquet::format::{
    ConvertedType, EdgeInterpolationAlgorithm, Encoded, FieldRepetitionType, LogicalType,
    PhysicalType, SchemaElement,
};
use bytelane_parquet::types::geo::is_default_crs;

/// Joins the elements of a column or member in two files; the reason if they are incompatible. A free name may
/// differ, and remains that of the first file.
pub(super) fn join_elements(
    own: &mut SchemaElement,
    other: &SchemaElement,
    is_free: bool,
) -> std::result::Result<(), String> {
    if own.name != other.name && !is_free {
        return Err(format!("has the name {}", text(own)));
    }
    if own.physical_type != other.physical_type || length(own) != length(other) {
        return Err(format!(
            "has the type {}, but {}",
            physical(other),
            physical(own)
        ));
    }
    if own.num_children.unwrap_or(0) != other.num_children.unwrap_or(0) {
        return Err("has other members than".to_owned());
    }
    let is_widened = is_widened(own, other)
        .ok_or_else(|| format!("is {}, but {}", repetition(other), repetition(own)))?;
    join_annotations(own, other)?;
    if is_widened {
        own.repetition_type = Some(FieldRepetitionType::Optional);
    }
    match (own.field_id, other.field_id) {
        (Some(one), Some(two)) if one != two => {
            return Err(format!("has the field id {two}, but {one}"));
        }
        (None, Some(_)) => own.field_id = other.field_id,
        _ => {}
    }
    if own.unknown_fields != other.unknown_fields {
        return Err("has other metadata than".to_owned());
    }
    Ok(())
}

/// Returns true if one of two repetitions is optional and the other required, so that they join to
/// optional, and false if they are the same; `None` if they cannot be joined.
pub(super) fn is_widened(own: &SchemaElement, other: &SchemaElement) -> Option<bool> {
    use FieldRepetitionType::{Optional, Required};
    match (own.repetition_type, other.repetition_type) {
        (one, two) if one == two => Some(false),
        (Some(Optional | Required), Some(Optional | Required)) => Some(true),
        _ => None,
    }
}

/// Joins annotations: old writers have only converted types, which mean the same.
fn join_annotations(
    own: &mut SchemaElement,
    other: &SchemaElement,
) -> std::result::Result<(), String> {
    if is_plain(own) && is_plain(other) {
        return Ok(());
    }
    let same = match (&own.logical_type, &other.logical_type) {
        (Some(own), Some(other)) => same_type(own, other),
        _ => own.converted_type == other.converted_type,
    };
    let decimal = |element: &SchemaElement| (element.scale.unwrap_or(0), element.precision);
    let both_decimals = own.precision.is_some() && other.precision.is_some();
    if !same || (both_decimals && decimal(own) != decimal(other)) {
        return Err("has another logical type than".to_owned());
    }
    if own.logical_type.is_none() && other.logical_type.is_some() {
        own.logical_type.clone_from(&other.logical_type);
    }
    if own.converted_type.is_none() {
        own.converted_type = other.converted_type;
        own.scale = own.scale.or(other.scale);
        own.precision = own.precision.or(other.precision);
    }
    Ok(())
}

/// Returns whether an annotation adds nothing to the physical type: signed integers of its full
/// width.
fn is_plain(element: &SchemaElement) -> bool {
    let (bits, converted) = match element.physical_type {
        Some(PhysicalType::Int32) => (32, ConvertedType::Int32),
        Some(PhysicalType::Int64) => (64, ConvertedType::Int64),
        _ => return false,
    };
    let logical = element.logical_type.as_ref().map(Encoded::decode);
    let is_whole = |logical: Result<LogicalType>| matches!(logical, Ok(LogicalType::Integer(it)) if it.is_signed && it.bit_width == bits);
    element.converted_type.is_none_or(|it| it == converted) && logical.is_none_or(is_whole)
}

fn same_type(own: &Encoded<LogicalType>, other: &Encoded<LogicalType>) -> bool {
    let decoded =
        || Some(without_defaults(own.decode().ok()?) == without_defaults(other.decode().ok()?));
    own == other || decoded() == Some(true)
}

/// Leaves out what a geometry says but need not.
fn without_defaults(mut logical: LogicalType) -> LogicalType {
    let crs = match &mut logical {
        LogicalType::Geometry(it) => &mut it.crs,
        LogicalType::Geography(it) => {
            it.algorithm
                .take_if(|it| *it == EdgeInterpolationAlgorithm::Spherical);
            &mut it.crs
        }
        _ => return logical,
    };
    crs.take_if(|it| str::from_utf8(it).is_ok_and(is_default_crs));
    logical
}

fn physical(element: &SchemaElement) -> String {
    match (element.physical_type, element.type_length) {
        (None, _) => "of a group".to_owned(),
        (Some(PhysicalType::FixedLenByteArray), Some(length)) => {
            format!("FIXED_LEN_BYTE_ARRAY({length})")
        }
        (Some(physical), _) => format!("{physical:?}").to_uppercase(),
    }
}

fn repetition(element: &SchemaElement) -> &'static str {
    match element.repetition_type {
        Some(FieldRepetitionType::Optional) => "optional",
        Some(FieldRepetitionType::Repeated) => "repeated",
        _ => "required",
    }
}

/// Returns whether values of a column are stored with the same physical types and levels in two schemas, except that
/// fields may be optional in one of them.
pub(super) fn have_same_structure(one: &[SchemaElement], other: &[SchemaElement]) -> bool {
    let is_same = |(one, other): (&SchemaElement, &SchemaElement)| {
        one.physical_type == other.physical_type
            && length(one) == length(other)
            && one.num_children.unwrap_or(0) == other.num_children.unwrap_or(0)
            && is_widened(one, other).is_some()
    };
    one.len() == other.len() && one.iter().zip(other).all(is_same)
}

/// Returns the number of bytes of a fixed-width value; 0 for other types.
fn length(element: &SchemaElement) -> i32 {
    match element.physical_type {
        Some(PhysicalType::FixedLenByteArray) => element.type_length.unwrap_or(0),
        _ => 0,
    }
}

pub(super) fn text(element: &SchemaElement) -> String {
    String::from_utf8_lossy(&element.name).into_owned()
}

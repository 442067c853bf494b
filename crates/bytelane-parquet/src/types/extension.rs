//! Maps Arrow's extension types `arrow.uuid`, `arrow.json` and `geoarrow.wkb` to logical types in Parquet.
//!
//! As in pyarrow, a column of UUIDs or JSON has both or neither, regardless of an Arrow schema in the file. Geometries of a file without
//! logical types keep the extension type of its Arrow schema. Coordinate systems have other forms in both formats, see
//! [GeoArrow](https://geoarrow.org/extension-types.html#extension-metadata) and
//! [Parquet](https://github.com/apache/parquet-format/blob/master/Geospatial.md#coordinate-reference-system).

use crate::Result;
use crate::types::bare::group_of;
use crate::types::fields::{children, leaves, with_children};
use crate::types::geo::{DEFAULT_CRS, is_default_crs};
use arrow_schema::extension::{EXTENSION_TYPE_METADATA_KEY, EXTENSION_TYPE_NAME_KEY};
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};
use parquet::basic::{ConvertedType, EdgeInterpolationAlgorithm, LogicalType};
use parquet::schema::types::{ColumnDescPtr, SchemaDescriptor, Type, TypePtr};
use serde_json::{Value, json};
use std::slice::Iter;
use std::sync::Arc;

const UUID: &str = "arrow.uuid";
const JSON: &str = "arrow.json";
const WKB: &str = "geoarrow.wkb";

/// Kinds of edges on a sphere, in the words of GeoArrow.
const EDGES: [(EdgeInterpolationAlgorithm, &str); 5] = [
    (EdgeInterpolationAlgorithm::SPHERICAL, "spherical"),
    (EdgeInterpolationAlgorithm::VINCENTY, "vincenty"),
    (EdgeInterpolationAlgorithm::THOMAS, "thomas"),
    (EdgeInterpolationAlgorithm::ANDOYER, "andoyer"),
    (EdgeInterpolationAlgorithm::KARNEY, "karney"),
];

fn is_binary(data_type: &DataType) -> bool {
    matches!(
        data_type,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView
    )
}

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
        (WKB, stored) if is_binary(stored) => geometries(field.extension_type_metadata()),
        _ => None,
    }
}

/// Returns the logical type of geometries with this metadata of GeoArrow; `None` if Parquet cannot say the same.
fn geometries(metadata: Option<&str>) -> Option<LogicalType> {
    let metadata = metadata.filter(|it| !it.is_empty());
    let metadata = metadata.map_or(Some(Value::Null), |it| serde_json::from_str(it).ok())?;
    let crs = match &metadata["crs"] {
        Value::Null => None,
        Value::String(crs) if metadata["crs_type"] == "srid" => Some(format!("srid:{crs}")),
        Value::String(crs) => Some(crs.clone()),
        // PROJJSON.
        crs => Some(crs.to_string()),
    };
    let crs = crs.filter(|crs| !is_default_crs(crs));
    match metadata["edges"].as_str() {
        None | Some("planar") => Some(LogicalType::geometry(crs)),
        Some(edges) => {
            let (algorithm, _) = EDGES.iter().find(|(_, name)| *name == edges)?;
            Some(LogicalType::geography(crs, Some(*algorithm)))
        }
    }
}

/// Returns GeoArrow's metadata of a field with geometries in the same words for the same meaning; `None` if Parquet cannot say it.
pub(crate) fn usual_metadata(field: &Field) -> Option<String> {
    let is_wkb = field.extension_type_name() == Some(WKB);
    let logical = is_wkb.then(|| geometries(field.extension_type_metadata()))?;
    metadata_of(&logical?)
}

/// Returns GeoArrow's metadata of a logical type, if it is one of geometries.
fn metadata_of(logical: &LogicalType) -> Option<String> {
    match logical {
        LogicalType::Geometry(it) => Some(of_geometries(it.crs.as_deref(), None)),
        LogicalType::Geography(it) => Some(of_geometries(it.crs.as_deref(), it.algorithm())),
        _ => None,
    }
}

fn of_geometries(crs: Option<&str>, edges: Option<EdgeInterpolationAlgorithm>) -> String {
    let mut metadata = match crs.map(|crs| (crs, crs.strip_prefix("srid:"))) {
        None => json!({"crs": DEFAULT_CRS, "crs_type": "authority_code"}),
        Some((_, Some(number))) => json!({"crs": number, "crs_type": "srid"}),
        Some((crs, None)) => {
            let object = serde_json::from_str::<Value>(crs).ok();
            json!({"crs": object.filter(Value::is_object).unwrap_or_else(|| crs.into())})
        }
    };
    let named = edges.and_then(|edges| EDGES.iter().find(|(algorithm, _)| *algorithm == edges));
    if let Some((_, name)) = named {
        metadata["edges"] = (*name).into();
    }
    metadata.to_string()
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
    let column = columns.next();
    let name = column.and_then(name_of);
    let fits = |name: &&str| match *name {
        UUID => *field.data_type() == DataType::FixedSizeBinary(16),
        WKB => is_binary(field.data_type()),
        _ => is_text(field.data_type()),
    };
    let Some(name) = name.filter(fits) else {
        return Arc::clone(field);
    };
    let mut metadata = field.metadata().clone();
    metadata.insert(EXTENSION_TYPE_NAME_KEY.to_owned(), name.to_owned());
    let described = column.and_then(|it| metadata_of(it.logical_type_ref()?));
    let key = EXTENSION_TYPE_METADATA_KEY.to_owned();
    if let Some(described) = described {
        // The same type may be described in other words there.
        let is_same = metadata.get(&key).is_some_and(|own| {
            geometries(Some(own)).as_ref() == column.and_then(|it| it.logical_type_ref())
        });
        if !is_same {
            metadata.insert(key, described);
        }
    }
    Arc::new(Field::clone(field).with_metadata(metadata))
}

fn name_of(column: &ColumnDescPtr) -> Option<&'static str> {
    match (column.logical_type_ref(), column.converted_type()) {
        (Some(LogicalType::Uuid), _) => Some(UUID),
        (_, ConvertedType::JSON) => Some(JSON),
        (Some(LogicalType::Geometry(_) | LogicalType::Geography(_)), _) => Some(WKB),
        _ => None,
    }
}

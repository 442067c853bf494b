//! Reads geometries, and the metadata of GeoParquet: <https://geoparquet.org/releases/v1.1.0/>.

pub mod wkb;

use serde_json::{Map, Value};

/// Key of the metadata.
pub const GEO: &[u8] = b"geo";

/// Returns the metadata, or `None` if it has no columns.
pub fn parse(value: &[u8]) -> Option<Value> {
    let parsed = serde_json::from_slice::<Value>(value).ok();
    parsed.filter(|it| columns(it).is_some())
}

/// Returns the descriptions of the columns.
pub fn columns(geo: &Value) -> Option<&Map<String, Value>> {
    geo.get("columns")?.as_object()
}

/// Returns the smallest coordinates, then the largest ones, of a column's `bbox`, if there are two or three of each.
pub fn corners(column: &Value) -> Option<Vec<f64>> {
    let all = column.get("bbox")?.as_array()?;
    let numbers: Option<Vec<f64>> = all.iter().map(Value::as_f64).collect();
    numbers.filter(|it| matches!(it.len(), 4 | 6))
}

/// Returns the geometry types of a column; an empty list means that they are not known.
pub fn geometry_types(column: &Value) -> Option<Vec<&str>> {
    let types = column.get("geometry_types")?.as_array()?.iter();
    types.map(Value::as_str).collect()
}

//! Reads geometries, and the metadata of GeoParquet: <https://geoparquet.org/releases/v1.1.0/>.

pub mod wkb;

use serde_json::{Map, Value};

/// Coordinate system of geometries in Parquet that name none: longitude and latitude.
pub(crate) const DEFAULT_CRS: &str = "OGC:CRS84";

/// Returns whether a coordinate system has longitude and latitude, in this order in WKB, so that it needs no name. It is a name or
/// PROJJSON.
#[must_use]
pub fn is_default_crs(crs: &str) -> bool {
    let is_default = |name: &str| ["", DEFAULT_CRS, "EPSG:4326"].contains(&name);
    let described = serde_json::from_str::<Value>(crs).ok();
    let id = described.as_ref().and_then(|it| it.get("id"));
    match id.map(|id| (id["authority"].as_str(), &id["code"])) {
        Some((Some(authority), Value::String(code))) => is_default(&format!("{authority}:{code}")),
        Some((Some(authority), code)) => is_default(&format!("{authority}:{code}")),
        _ => is_default(crs),
    }
}

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

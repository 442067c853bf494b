//! Compares geometries with what the file says of them: the metadata of GeoParquet, and geospatial statistics.

use super::outcome::Findings;
use bytelane_parquet::format::{FileMetaData, GeospatialStatistics};
use bytelane_parquet::types::geo::wkb::vertices;
use bytelane_parquet::types::geo::{GEO, columns, corners, geometry_types, parse};
use parquet::basic::Type;
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor};
use serde_json::Value;
use std::collections::HashMap;

/// Geometry types of GeoParquet, in the order of their codes from 1 on.
const TYPES: [&str; 7] = [
    "Point",
    "LineString",
    "Polygon",
    "MultiPoint",
    "MultiLineString",
    "MultiPolygon",
    "GeometryCollection",
];

/// Encodings of GeoParquet that store coordinates in columns of their own.
const NATIVE: [&str; 6] = [
    "point",
    "linestring",
    "polygon",
    "multipoint",
    "multilinestring",
    "multipolygon",
];

/// Smallest and largest coordinate. If the smallest one is larger, the range crosses the antimeridian.
type Range = (f64, f64);

/// Returns whether a range has a coordinate. NaN stands for one that is missing.
fn has((low, high): Range, value: f64) -> bool {
    let (is_above, is_below) = (value >= low, value <= high);
    value.is_nan() || (is_above && is_below) || (low > high && (is_above || is_below))
}

/// Facts about geometries from one source.
#[derive(Clone, Debug)]
struct Claims {
    source: &'static str,
    /// Ranges of x, y, z and m, where they are known.
    ranges: [Option<Range>; 4],
    /// Codes of the types; empty if they are not known.
    codes: Vec<u32>,
}

impl Claims {
    fn of_column(column: &Value) -> Self {
        let corners = corners(column).unwrap_or_default();
        let half = corners.len() / 2;
        let range = |at: usize| (at < half).then(|| (corners[at], corners[at + half]));
        let codes = geometry_types(column).into_iter().flatten().map(code);
        let codes: Vec<u32> = codes.collect::<Option<_>>().unwrap_or_default();
        Self {
            source: "geo metadata",
            ranges: [range(0), range(1), range(2), None],
            // GeoParquet has no names for types with M.
            codes: codes.iter().flat_map(|it| [*it, it + 2000]).collect(),
        }
    }

    fn of_statistics(statistics: &GeospatialStatistics) -> Self {
        let codes = statistics.geospatial_types.iter().flatten();
        let bbox = statistics.bbox.as_ref();
        let ranges = bbox.map(|it| {
            let (x, y) = ((it.xmin, it.xmax), (it.ymin, it.ymax));
            [Some(x), Some(y), it.zmin.zip(it.zmax), it.mmin.zip(it.mmax)]
        });
        Self {
            source: "geospatial metadata of the chunk",
            ranges: ranges.unwrap_or_default(),
            codes: codes.map(|it| it.unsigned_abs()).collect(),
        }
    }

    fn have(&self, vertex: [f64; 4]) -> bool {
        let mut pairs = self.ranges.iter().zip(vertex);
        pairs.all(|(range, value)| range.is_none_or(|range| has(range, value)))
    }
}

/// Returns the code of a type of GeoParquet, which has 1000 for Z.
fn code(name: &str) -> Option<u32> {
    let (name, more) = name.strip_suffix(" Z").map_or((name, 0), |it| (it, 1000));
    let at = TYPES.iter().position(|it| *it == name)?;
    Some(at as u32 + 1 + more)
}

/// Descriptions of columns in the metadata of GeoParquet, by their names.
#[derive(Debug, Default)]
pub(super) struct Described(HashMap<String, Column>);

#[derive(Debug)]
struct Column {
    is_wkb: bool,
    claims: Claims,
}

/// Checks the metadata of GeoParquet against the columns of the file, and returns what it says of the values.
pub(super) fn check(
    footer: &FileMetaData,
    schema: &SchemaDescriptor,
    findings: &mut Findings,
) -> Described {
    let pairs = footer.key_value_metadata.iter().flatten();
    let Some(pair) = pairs.into_iter().find(|pair| pair.key[..] == *GEO) else {
        return Described::default();
    };
    let Some(geo) = parse(pair.value.as_deref().unwrap_or_default()) else {
        findings.warning("the key-value pair geo is not metadata of GeoParquet");
        return Described::default();
    };
    let described = columns(&geo);
    let primary = geo.get("primary_column").and_then(Value::as_str);
    if primary.is_none_or(|name| described.is_none_or(|all| !all.contains_key(name))) {
        findings.error("the primary column of the geo metadata is not one of its columns");
    }
    let mut found = HashMap::new();
    for (name, column) in described.into_iter().flatten() {
        findings.enter_column(name.clone());
        check_column(name, column, schema, findings);
        let encoding = column.get("encoding").and_then(Value::as_str);
        let known = Column {
            is_wkb: encoding == Some("WKB"),
            claims: Claims::of_column(column),
        };
        found.insert(name.clone(), known);
        findings.leave_column();
    }
    Described(found)
}

fn check_column(name: &str, column: &Value, schema: &SchemaDescriptor, findings: &mut Findings) {
    let roots = schema.root_schema().get_fields();
    let Some(root) = roots.iter().find(|it| it.name() == name) else {
        findings.error("the geo metadata describes this column, but the file does not have it");
        return;
    };
    match column.get("encoding").and_then(Value::as_str) {
        Some("WKB") => {
            if !root.is_primitive() || root.get_physical_type() != Type::BYTE_ARRAY {
                findings.error("the geo metadata says WKB, but the column is not a BYTE_ARRAY");
            }
        }
        Some(encoding) if NATIVE.contains(&encoding) => {
            if root.is_primitive() {
                findings.error(format!(
                    "the geo metadata says {encoding}, but the column has no coordinates"
                ));
            }
        }
        _ => findings.warning("the geo metadata does not say a known encoding"),
    }
    let types = geometry_types(column);
    if types.is_none_or(|types| types.into_iter().any(|it| code(it).is_none())) {
        findings.warning("geometry_types of the geo metadata is not a list of geometry types");
    }
    if column.get("bbox").is_some() {
        check_box(column, findings);
    }
    let Some(covering) = column.get("covering").and_then(|it| it.get("bbox")) else {
        return;
    };
    for side in ["xmin", "ymin", "xmax", "ymax"] {
        let path = covering.get(side).and_then(Value::as_array);
        let path: Option<Vec<&str>> = path.and_then(|it| it.iter().map(Value::as_str).collect());
        let is_of = |path: &[&str]| {
            let mut leaves = schema.columns().iter();
            leaves.any(|leaf| leaf.path().parts() == path)
        };
        if !path.is_some_and(|path| is_of(&path)) {
            findings.error(format!(
                "the covering of the geo metadata names no column of the file for {side}"
            ));
        }
    }
}

fn check_box(column: &Value, findings: &mut Findings) {
    let Some(corners) = corners(column) else {
        findings.error("bbox of the geo metadata is not a list of 4 or 6 numbers");
        return;
    };
    let half = corners.len() / 2;
    for (at, axis) in (1..half).zip(["y", "z"]) {
        if corners[at] > corners[at + half] {
            findings.error(format!(
                "the smallest {axis} in the bbox of the geo metadata exceeds the largest one"
            ));
        }
    }
}

/// Geometries of a column chunk, and what is said of them.
#[derive(Debug)]
pub(super) struct Geometries {
    /// Number of the coordinate that the column has; `None` for geometries in WKB.
    axis: Option<usize>,
    claims: Vec<Counted>,
    not_geometries: u64,
}

/// Claims, with the numbers of geometries that contradict them.
#[derive(Debug)]
struct Counted {
    claims: Claims,
    outside: u64,
    others: u64,
}

/// Claims that a value contradicts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Judged {
    is_not_geometry: bool,
    outside: [bool; 2],
    others: [bool; 2],
}

impl Geometries {
    /// Returns the geometries of a leaf, or `None` if nothing is said of them.
    pub(super) fn new(
        described: &Described,
        leaf: &ColumnDescriptor,
        statistics: Option<&GeospatialStatistics>,
    ) -> Option<Self> {
        let path = leaf.path().parts();
        let column = described.0.get(path.first()?);
        let is_bytes = leaf.physical_type() == Type::BYTE_ARRAY;
        let axis = column.and_then(|column| {
            let axes = ["x", "y", "z", "m"];
            let axis = axes
                .iter()
                .position(|it| path.last().is_some_and(|last| last == it));
            axis.filter(|_| {
                !column.is_wkb && path.len() > 1 && leaf.physical_type() == Type::DOUBLE
            })
        });
        let is_described =
            |it: &&Column| axis.is_some() || (it.is_wkb && is_bytes && path.len() == 1);
        let of_file = column.filter(is_described).map(|it| it.claims.clone());
        let of_chunk = statistics.filter(|_| is_bytes).map(Claims::of_statistics);
        let counted = |claims| Counted {
            claims,
            outside: 0,
            others: 0,
        };
        let claims: Vec<Counted> = of_file.into_iter().chain(of_chunk).map(counted).collect();
        (!claims.is_empty()).then_some(Self {
            axis,
            claims,
            not_geometries: 0,
        })
    }

    /// Compares a value with the claims.
    pub(super) fn judge(&self, value: &[u8]) -> Judged {
        let mut judged = Judged::default();
        let mut take = |vertex: [f64; 4]| {
            for (is_outside, it) in judged.outside.iter_mut().zip(&self.claims) {
                *is_outside |= !it.claims.have(vertex);
            }
        };
        if let Some(axis) = self.axis {
            let number = value.first_chunk().map(|it| f64::from_le_bytes(*it));
            let mut vertex = [f64::NAN; 4];
            vertex[axis] = number.unwrap_or(f64::NAN);
            take(vertex);
            return judged;
        }
        match vertices(value, take) {
            Some(code) => {
                for (is_other, it) in judged.others.iter_mut().zip(&self.claims) {
                    let codes = &it.claims.codes;
                    *is_other = !codes.is_empty() && !codes.contains(&code);
                }
                judged
            }
            None => Judged {
                is_not_geometry: true,
                ..Judged::default()
            },
        }
    }

    /// Counts a value.
    pub(super) fn count(&mut self, judged: Judged) {
        self.not_geometries += u64::from(judged.is_not_geometry);
        for (at, it) in self.claims.iter_mut().enumerate() {
            it.outside += u64::from(judged.outside[at]);
            it.others += u64::from(judged.others[at]);
        }
    }

    pub(super) fn finish(&self, findings: &mut Findings) {
        if self.not_geometries > 0 {
            let count = self.not_geometries;
            findings.error(format!("{count} values are not geometries in WKB"));
        }
        let values = if self.axis.is_some() {
            "coordinates"
        } else {
            "geometries"
        };
        for it in &self.claims {
            let (source, outside, others) = (it.claims.source, it.outside, it.others);
            if outside > 0 {
                findings.error(format!(
                    "{outside} {values} are outside the bbox of the {source}"
                ));
            }
            if others > 0 {
                findings.error(format!(
                    "{others} {values} have types that the {source} does not list"
                ));
            }
        }
    }
}

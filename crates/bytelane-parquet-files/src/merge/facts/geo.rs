//! Joins the metadata of GeoParquet.

use crate::edits::Edits;
use bytelane_parquet::types::geo::{columns, corners, geometry_types, parse};
use bytelane_parquet::{Error, Problem, Result};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Members of a column's description that tell how its values are read.
const SAME: [&str; 6] = [
    "encoding",
    "crs",
    "edges",
    "orientation",
    "epoch",
    "covering",
];

/// GeoParquet metadata of the inputs so far.
#[derive(Debug, Default)]
pub(super) struct Geo {
    joined: Option<Value>,
    first: PathBuf,
    /// Set if an input has metadata that cannot be understood.
    is_unknown: bool,
}

impl Geo {
    /// Adds that of a file.
    ///
    /// # Errors
    ///
    /// [`Problem::Input`] if a column has geometries in another coordinate system, or in another encoding.
    pub(super) fn add(&mut self, value: &[u8], path: &Path) -> Result<()> {
        let Some(other) = parse(value) else {
            self.is_unknown = true;
            return Ok(());
        };
        let Some(own) = &mut self.joined else {
            self.joined = Some(other);
            path.clone_into(&mut self.first);
            return Ok(());
        };
        let refused = |column: &str, member: &str| {
            let problem = format!(
                "cannot be merged: the {member} of its geometries is not the one in {}",
                self.first.display()
            );
            Error::new(Problem::Input(problem))
                .in_column(column)
                .in_file(path)
        };
        for (name, column) in columns(&other).into_iter().flatten() {
            let all = own["columns"].as_object_mut();
            match all.and_then(|all| all.get_mut(name)) {
                None => own["columns"][name] = column.clone(),
                Some(own) => {
                    let differs = |member: &&&str| own.get(**member) != column.get(**member);
                    if let Some(member) = SAME.iter().find(differs) {
                        return Err(refused(name, member));
                    }
                    join(own, column);
                }
            }
        }
        if own.get("primary_column") != other.get("primary_column") {
            let name = other["primary_column"].as_str().unwrap_or_default();
            let problem = format!(
                "cannot be merged: its primary column of geometries is not the one in {}",
                self.first.display()
            );
            return Err(Error::new(Problem::Input(problem))
                .in_column(name)
                .in_file(path));
        }
        Ok(())
    }

    /// Returns the joined metadata with changed columns, or the reason why there is none.
    pub(super) fn joined(
        &self,
        some_lack_it: bool,
        edits: &Edits,
    ) -> std::result::Result<String, &'static str> {
        match &self.joined {
            _ if some_lack_it => Err("not all files have it"),
            Some(joined) if !self.is_unknown => edited(joined.clone(), edits),
            _ => Err("it is not metadata of GeoParquet"),
        }
    }
}

/// Returns the metadata with changed columns.
fn edited(mut geo: Value, edits: &Edits) -> std::result::Result<String, &'static str> {
    let is_dropped = |name: &str| edits.drop.iter().any(|it| it == name);
    let Some(columns) = geo["columns"].as_object_mut() else {
        return Ok(geo.to_string());
    };
    let mut kept = Map::new();
    for (name, mut column) in std::mem::take(columns) {
        if is_dropped(&name) {
            continue;
        }
        let paths = column.pointer_mut("/covering/bbox");
        let paths = paths.and_then(Value::as_object_mut).into_iter();
        let paths = paths.flat_map(|it| it.values_mut());
        let mut has_lost = false;
        for first in paths.filter_map(|path| path.get_mut(0)) {
            let name = first.as_str().unwrap_or_default();
            has_lost |= is_dropped(name);
            *first = edits.new_name(name).into();
        }
        if let Some(column) = column.as_object_mut().filter(|_| has_lost) {
            column.remove("covering");
        }
        kept.insert(edits.new_name(&name).to_owned(), column);
    }
    let primary = geo["primary_column"].as_str().unwrap_or_default();
    let primary = match kept.keys().next() {
        None => return Err("no geometries are left"),
        Some(first) if is_dropped(primary) => first.clone(),
        Some(_) => edits.new_name(primary).to_owned(),
    };
    geo["primary_column"] = primary.into();
    geo["columns"] = kept.into();
    Ok(geo.to_string())
}

/// Joins the descriptions of a column: facts about its values that only one has are left out.
fn join(own: &mut Value, other: &Value) {
    let types = match (types(own), types(other)) {
        // An empty list means that they are not known.
        (Some(one), Some(two)) if !one.is_empty() && !two.is_empty() => {
            one.union(&two).cloned().collect()
        }
        _ => Vec::new(),
    };
    let range = range(own, other);
    let Some(own) = own.as_object_mut() else {
        return;
    };
    own.insert("geometry_types".to_owned(), types.into());
    match range {
        Some(range) => own.insert("bbox".to_owned(), range.into()),
        None => own.remove("bbox"),
    };
    own.retain(|key, value| {
        other.get(key) == Some(value) || key == "geometry_types" || key == "bbox"
    });
}

fn types(column: &Value) -> Option<BTreeSet<String>> {
    let types = geometry_types(column)?.into_iter();
    Some(types.map(str::to_owned).collect())
}

/// Returns the box around the boxes of both: the smallest coordinates, then the largest ones.
fn range(one: &Value, other: &Value) -> Option<Vec<Value>> {
    let (one, other) = (numbers(one)?, numbers(other)?);
    let half = one.len() / 2;
    let pairs = one.iter().zip(&other).enumerate();
    let joined = pairs.map(|(at, (one, other))| {
        let is_less = one.as_f64() < other.as_f64();
        if is_less == (at < half) { one } else { other }.clone()
    });
    (one.len() == other.len()).then(|| joined.collect())
}

/// Returns a box that does not cross the antimeridian.
fn numbers(column: &Value) -> Option<Vec<Value>> {
    let numbers = corners(column)?;
    let half = numbers.len() / 2;
    let is_ordered = (0..half).all(|at| numbers[at] <= numbers[at + half]);
    is_ordered.then(|| column["bbox"].as_array().cloned())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(all: &[&str]) -> Result<std::result::Result<String, &'static str>> {
        let mut geo = Geo::default();
        for one in all {
            geo.add(one.as_bytes(), Path::new("x.parquet"))?;
        }
        Ok(geo.joined(false, &Edits::default()))
    }

    fn of(column: &str) -> String {
        format!("{{\"version\":\"1.1.0\",\"primary_column\":\"g\",\"columns\":{{\"g\":{column}}}}}")
    }

    #[test]
    fn boxes_and_types_are_those_of_all_files() {
        let one = of(r#"{"encoding":"WKB","geometry_types":["Point"],"bbox":[0,0,1.5,1]}"#);
        let other = of(r#"{"encoding":"WKB","geometry_types":["Polygon"],"bbox":[-5,0.5,1,7]}"#);
        let both =
            of(r#"{"encoding":"WKB","geometry_types":["Point","Polygon"],"bbox":[-5,0,1.5,7]}"#);
        assert_eq!(joined(&[&one, &other]).unwrap(), Ok(both));
        let bare = of(r#"{"encoding":"WKB","geometry_types":[]}"#);
        assert_eq!(joined(&[&one, &bare]).unwrap(), Ok(bare.clone()));
        let across = of(r#"{"encoding":"WKB","geometry_types":[],"bbox":[170,0,-170,1]}"#);
        assert_eq!(joined(&[&one, &across]).unwrap(), Ok(bare));
    }

    #[test]
    fn other_coordinate_systems_are_refused() {
        let one = of(r#"{"encoding":"WKB","geometry_types":[]}"#);
        let other = of(r#"{"encoding":"WKB","geometry_types":[],"crs":{"id":1}}"#);
        let error = joined(&[&one, &other]).unwrap_err().to_string();
        assert!(error.contains("the crs of its geometries"), "{error}");
        assert!(joined(&["{}"]).unwrap().is_err());
    }

    #[test]
    fn columns_are_changed() {
        let covered =
            r#"{"encoding":"WKB","geometry_types":[],"covering":{"bbox":{"xmin":["box","xmin"]}}}"#;
        let mut geo = Geo::default();
        geo.add(of(covered).as_bytes(), Path::new("x")).unwrap();
        let joined = |edits| geo.joined(false, &edits);
        let renamed = joined(Edits::default().with_rename([("g", "h"), ("box", "b")])).unwrap();
        let wanted = of(covered)
            .replace("\"g\"", "\"h\"")
            .replace("\"box\"", "\"b\"");
        assert_eq!(renamed, wanted);
        let bare = joined(Edits::default().with_drop(["box"])).unwrap();
        assert_eq!(bare, of(r#"{"encoding":"WKB","geometry_types":[]}"#));
        assert!(joined(Edits::default().with_drop(["g"])).is_err());
    }
}

//! Unites the columns of several files, as they are when the files are read as one table.

use super::files::{Column, Columns, by_name};
use super::meaning::{Common, common, is_same, other_type};
use arrow_schema::{DataType, Field};
use bytelane_parquet::unite::{unite, words};
use std::collections::{HashMap, HashSet};
use std::path::{Display, Path};
use std::sync::Arc;

/// Columns of several files, in the order of the first file that has them.
pub(super) struct Side<'a> {
    columns: Columns,
    /// For each column, the first file that has it with this type, or else the first that has it.
    files: Vec<&'a Path>,
    /// One sentence for each column of a file that has no common type with the others.
    pub(super) conflicts: Vec<String>,
}

impl<'a> Side<'a> {
    pub(super) fn new(files: &[(&'a Path, &'a Columns)]) -> Self {
        let mut side = Side {
            columns: Vec::new(),
            files: Vec::new(),
            conflicts: Vec::new(),
        };
        let mut places: HashMap<&str, usize> = HashMap::new();
        for (path, columns) in of_each_kind(files) {
            let mut known = HashSet::new();
            // The first column of a name counts.
            for column in columns.iter().filter(|it| known.insert(&*it.name)) {
                match places.get(&*column.name) {
                    Some(place) => side.unite(*place, column, path),
                    None => {
                        places.insert(&column.name, side.columns.len());
                        side.columns.push(column.clone());
                        side.files.push(path);
                    }
                }
            }
        }
        side
    }

    /// Unites a column with that of another file. The null type has a common one with all others.
    fn unite(&mut self, place: usize, other: &Column, path: &'a Path) {
        let (own, file) = (&mut self.columns[place], &mut self.files[place]);
        if other.data_type == DataType::Null {
            return;
        }
        if own.data_type == DataType::Null {
            (*own, *file) = (other.clone(), path);
            return;
        }
        if matches!(common(own, std::iter::once(other)), Common::None) {
            let (name, found, expected) = (&own.name, words(&other.field), words(&own.field));
            let (path, file) = (path.display(), file.display());
            self.conflicts.push(format!(
                "column {name} is {found} in {path}, but {expected} in {file}"
            ));
            return;
        }
        let Ok(both) = unite(&own.field, &other.field).map(Arc::<Field>::new) else {
            return;
        };
        if !is_same(&both, &own.field) {
            own.field = both;
            if is_same(&own.field, &other.field) {
                *file = path;
            }
        }
    }

    pub(super) fn columns(&self) -> &Columns {
        &self.columns
    }

    /// Returns one sentence for each column that only one of two sides has.
    pub(super) fn other_columns(&self, other: &Self) -> Vec<String> {
        let first = |side: &Self| side.files.first().map(|it| it.display().to_string());
        let (one, two) = (first(self), first(other));
        let (one, two) = (one.unwrap_or_default(), two.unwrap_or_default());
        let lost = self.without(other).into_iter();
        let lost = lost.map(|(name, file)| format!("{two} has no column {name}, but {file} has"));
        let new = other.without(self).into_iter();
        let new = new.map(|(name, file)| format!("{file} has a column {name}, but {one} has none"));
        lost.chain(new).collect()
    }

    /// Returns the names of the columns that another side lacks, and the files that have them.
    fn without(&self, other: &Self) -> Vec<(&str, Display<'a>)> {
        let known = by_name(&other.columns);
        let columns = self.columns.iter().zip(&self.files);
        let missing = columns.filter(|(column, _)| !known.contains_key(&*column.name));
        missing
            .map(|(column, file)| (&*column.name, file.display()))
            .collect()
    }

    /// Returns one sentence for each column whose types on two sides differ in meaning.
    pub(super) fn other_types(&self, other: &Self) -> Vec<String> {
        let columns = other.columns.iter().zip(&other.files);
        let twins: HashMap<&str, _> = columns.map(|it| (&*it.0.name, it)).collect();
        let columns = self.columns.iter().zip(&self.files);
        let types = columns.filter_map(|(own, file)| {
            let (twin, other) = twins.get(&*own.name)?;
            other_type((file, own), (other, twin))
        });
        types.collect()
    }
}

/// Returns the first file with each list of columns. Most files of a side have the same.
pub(super) fn of_each_kind<'a>(files: &[(&'a Path, &'a Columns)]) -> Vec<(&'a Path, &'a Columns)> {
    let mut known = HashSet::new();
    let files = files.iter().copied();
    files
        .filter(|(_, columns)| known.insert(*columns))
        .collect()
}

//! What differs.

use super::files::Files;
use crate::Result;
use serde::Serialize;
use std::path::PathBuf;

/// Outcome of [`diff`](super::diff).
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Difference {
    /// Differences of columns, one sentence each. If there are any, no rows were compared.
    pub columns: Vec<String>,
    /// Number of rows read on the left.
    pub left_rows: u64,
    /// Number of rows read on the right.
    pub right_rows: u64,
    /// Set if there are more different rows than those in `rows`.
    pub more: bool,
    /// The first rows that differ.
    pub rows: Vec<DifferentRow>,
}

impl Difference {
    /// Returns true if both sides have the same rows.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.columns.is_empty() && self.rows.is_empty() && !self.more
    }
}

/// A row that differs, or that only one side has.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DifferentRow {
    /// Place of the row on the left.
    pub left: Option<RowPlace>,
    /// Place of the row on the right.
    pub right: Option<RowPlace>,
    /// The values that differ, or all values of a row that only one side has.
    pub values: Vec<DifferentValue>,
}

impl DifferentRow {
    /// Describes a row that is at these places of the two sides, and its columns that differ.
    pub(super) fn new(
        sides: [&Files<'_>; 2],
        places: [Option<RowPlace>; 2],
        differs: impl Fn(usize) -> bool,
    ) -> Result<Self> {
        let texts = |side: usize| {
            let place = places[side].as_ref();
            place.map(|place| sides[side].texts(place)).transpose()
        };
        let (left, right) = (texts(0)?, texts(1)?);
        let text =
            |texts: &Option<Vec<String>>, column: usize| texts.as_ref()?.get(column).cloned();
        let columns = sides[0].names().iter().enumerate();
        let values = columns.filter(|(column, _)| differs(*column));
        let values = values.map(|(column, name)| DifferentValue {
            column: (*name).to_owned(),
            left: text(&left, column),
            right: text(&right, column),
        });
        let values = values.collect();
        let [left, right] = places;
        Ok(Self {
            left,
            right,
            values,
        })
    }
}

/// A row by its file and number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RowPlace {
    /// Number over all files of the side, counted from 0.
    pub row: u64,
    /// The file.
    pub file: PathBuf,
    /// Number within the file, counted from 0.
    pub row_in_file: u64,
}

/// A value that differs, as text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DifferentValue {
    /// Its column.
    pub column: String,
    /// The value on the left, if there is such a row.
    pub left: Option<String>,
    /// The value on the right, if there is such a row.
    pub right: Option<String>,
}

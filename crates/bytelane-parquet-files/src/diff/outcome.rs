//! Describes differences between rows.

use super::files::{Files, RowPlace};
use bytelane_parquet::Result;
use serde::Serialize;

/// Outcome of [`diff`](super::diff).
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Difference {
    /// Differences between columns, one sentence each. If there are any, no rows were compared.
    pub columns: Vec<String>,
    /// Columns whose Arrow types differ in meaning, one sentence each. Their values were compared in a type that holds those of
    /// both.
    pub types: Vec<String>,
    /// Number of rows read on the left.
    pub left_rows: u64,
    /// Number of rows read on the right.
    pub right_rows: u64,
    /// Set if more rows differ than those in `rows`.
    pub more: bool,
    /// First rows that differ.
    pub rows: Vec<DifferentRow>,
}

impl Difference {
    /// Returns whether both sides have the same rows, with the same types.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.types.is_empty() && self.has_same_values()
    }

    /// Returns whether both sides have the same rows, although types may differ.
    #[must_use]
    pub fn has_same_values(&self) -> bool {
        self.columns.is_empty() && self.rows.is_empty() && !self.more
    }
}

/// Row that differs, or that only one side has.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DifferentRow {
    /// Location of the row on the left.
    pub left: Option<RowPlace>,
    /// Location of the row on the right.
    pub right: Option<RowPlace>,
    /// Values that differ, or all values of a row that only one side has.
    pub values: Vec<DifferentValue>,
}

impl DifferentRow {
    /// Describes a row by its locations on the two sides and its differing columns.
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

/// Value that differs, as text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DifferentValue {
    /// Path of the column.
    pub column: String,
    /// Value on the left, if the row exists there.
    pub left: Option<String>,
    /// Value on the right, if the row exists there.
    pub right: Option<String>,
}

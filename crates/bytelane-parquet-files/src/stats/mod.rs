//! Describes the values of columns: counts, bounds, mean, quantiles, a histogram, and the most frequent values.
//!
//! Memory does not depend on the number of rows. Distinct values are counted exactly up to a limit, and estimated beyond;
//! quantiles and histograms are exact up to a number of rows, and beyond those of a random sample.

mod column;
mod described;
mod distinct;
mod footers;
mod frequent;
mod sample;

pub use described::{ColumnStats, Count, StatsOptions};
pub use footers::{ColumnBounds, Footers};

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::Schema;
use arrow_select::nullif::nullif;
use bytelane_parquet::Result;
use column::Column;

/// Maximum number of values of all columns that are kept to count distinct ones, and of those that are sampled.
const KEPT: usize = 1 << 20;

/// Minimum and maximum number of values of a column that are kept.
const OF_COLUMN: std::ops::RangeInclusive<usize> = 1 << 8..=1 << 16;

/// Columns that are described batch by batch.
///
/// ```
/// use bytelane_parquet::arrow_array::{ArrayRef, Int64Array, RecordBatch};
/// use bytelane_parquet_files::stats::{Stats, StatsOptions};
/// use std::sync::Arc;
///
/// let numbers: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None, Some(4), Some(1)]));
/// let batch = RecordBatch::try_from_iter([("number", numbers)])?;
/// let mut stats = Stats::new(StatsOptions::default());
/// stats.add(&batch)?;
/// let [number] = &stats.finish()?[..] else { panic!() };
/// assert_eq!((number.rows, number.nulls, number.distinct.value), (4, 1, 2));
/// assert_eq!(number.mean, Some(2.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Stats {
    options: StatsOptions,
    columns: Vec<Column>,
}

impl Stats {
    /// Begins without rows.
    #[must_use]
    pub fn new(options: StatsOptions) -> Self {
        Self {
            options,
            columns: Vec::new(),
        }
    }

    /// Adds rows. All batches must have the same columns.
    ///
    /// # Errors
    ///
    /// [`Problem::Unsupported`](bytelane_parquet::Problem::Unsupported) for a type that the other batches did not have.
    pub fn add(&mut self, batch: &RecordBatch) -> Result<()> {
        let mut leaves = Vec::new();
        for (field, array) in fields(batch.schema_ref()).zip(batch.columns()) {
            flatten(field, array, &mut leaves)?;
        }
        if self.columns.is_empty() {
            let kept = (KEPT / leaves.len().max(1)).clamp(*OF_COLUMN.start(), *OF_COLUMN.end());
            let columns = leaves.iter();
            self.columns = columns
                .map(|(path, array)| Column::new(path, array.data_type(), kept))
                .collect();
        }
        for (column, (_, array)) in self.columns.iter_mut().zip(&leaves) {
            let added = column.add(array);
            added.map_err(|error| error.in_column(column.path()))?;
        }
        Ok(())
    }

    /// Returns the description of all columns.
    ///
    /// # Errors
    ///
    /// [`Problem::Arrow`](bytelane_parquet::Problem::Arrow) for values that their type cannot hold.
    pub fn finish(self) -> Result<Vec<ColumnStats>> {
        let columns = self.columns.into_iter();
        columns.map(|column| column.finish(&self.options)).collect()
    }
}

fn fields(schema: &Schema) -> impl Iterator<Item = &str> {
    schema.fields().iter().map(|field| field.name().as_str())
}

/// Adds a column, or the members of structs, with their paths.
fn flatten(path: &str, array: &ArrayRef, leaves: &mut Vec<(String, ArrayRef)>) -> Result<()> {
    let Some(group) = array.as_struct_opt() else {
        leaves.push((path.to_owned(), ArrayRef::clone(array)));
        return Ok(());
    };
    for (field, member) in group.fields().iter().zip(group.columns()) {
        let member = match group.nulls() {
            Some(nulls) => nullif(
                member,
                &arrow_array::BooleanArray::new(!nulls.inner(), None),
            )?,
            None => ArrayRef::clone(member),
        };
        flatten(&format!("{path}.{}", field.name()), &member, leaves)?;
    }
    Ok(())
}

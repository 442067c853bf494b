//! Describes the values of columns: counts, bounds, mean, quantiles, a histogram, and the most frequent values.
//!
//! Memory does not depend on the number of rows. Distinct values are counted exactly up to a limit, and estimated beyond;
//! quantiles and histograms are exact up to a number of rows, and beyond those of a random sample.

mod column;
mod distinct;
mod footers;
mod frequent;
mod sample;

pub use footers::{ColumnBounds, Footers};

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Schema};
use arrow_select::nullif::nullif;
use bytelane_parquet::Result;
use column::Column;
use derive_setters::Setters;
use serde::Deserialize;

/// Maximum number of values of all columns that are kept to count distinct ones, and of those that are sampled.
const KEPT: usize = 1 << 20;

/// Minimum and maximum number of values of a column that are kept.
const OF_COLUMN: std::ops::RangeInclusive<usize> = 1 << 8..=1 << 16;

/// Options for describing columns.
///
/// ```
/// use bytelane_parquet_files::stats::StatsOptions;
///
/// let options = StatsOptions::default().with_top(3);
/// ```
#[derive(Clone, Debug, Deserialize, Setters)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct StatsOptions {
    /// Number of frequent values to list for each column
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = 3))]
    pub top: usize,
    /// Number of bars of each histogram
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=200)))]
    pub bars: u16,
}

impl Default for StatsOptions {
    fn default() -> Self {
        Self { top: 3, bars: 10 }
    }
}

/// Number that is exact or estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// The number.
    pub value: u64,
    /// Set if it is exact.
    pub is_exact: bool,
}

/// Description of a column, or of a member of a struct. Values are arrays with one row.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ColumnStats {
    /// Path of the column.
    pub path: String,
    /// Type of the values.
    pub data_type: DataType,
    /// Number of rows.
    pub rows: u64,
    /// Number of nulls.
    pub nulls: u64,
    /// Number of floats that are not a number. They are neither bounds nor in the mean, quantiles and histogram.
    pub nans: u64,
    /// Number of distinct values that are not null.
    pub distinct: Count,
    /// Least and greatest value, unless there is none, or the type has no order.
    pub bounds: Option<[ArrayRef; 2]>,
    /// Mean of numbers.
    pub mean: Option<f64>,
    /// Values below which are a quarter, half and three quarters of the numbers or times, or equal to these.
    pub quantiles: Option<[ArrayRef; 3]>,
    /// Numbers of values in parts of equal width between the bounds.
    pub histogram: Vec<u64>,
    /// Set if quantiles and histogram are those of all rows, and not of a sample.
    pub is_all: bool,
    /// Most frequent values with their counts.
    pub frequent: Vec<(ArrayRef, Count)>,
}

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

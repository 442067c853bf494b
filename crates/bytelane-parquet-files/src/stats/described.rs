//! Description of a column, and its options.

use arrow_array::ArrayRef;
use arrow_schema::DataType;
use derive_setters::Setters;
use serde::Deserialize;

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

//! Options for comparing files.

use bytelane_parquet::budget::RowLimit;
use bytelane_parquet::{Progress, Result};
use derive_setters::Setters;
use serde::Deserialize;

/// Default number of differing rows to name.
const NAMED: usize = 10;

/// Options for comparing rows.
///
/// In any order, rows are compared by 128-bit hashes, which do not protect against deliberate collisions. An ordered comparison
/// ends after the number of rows to name.
///
/// ```
/// use bytelane_parquet_files::diff::DiffOptions;
///
/// let options = DiffOptions::default().with_any_order(true).with_rows(3);
/// ```
#[derive(Clone, Debug, Deserialize, Setters)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct DiffOptions {
    /// Ignore the order of rows: both sides must have each row the same number of times
    #[cfg_attr(feature = "clap", arg(long))]
    pub any_order: bool,
    /// The number of different rows to name
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = NAMED, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..)))]
    pub rows: usize,
    /// Maximum number of rows of a file to decode; 64 Mi, plus 1 Ki for each byte of the file by default
    #[cfg_attr(feature = "clap", arg(long, value_name = "ROWS"))]
    pub row_limit: Option<u64>,
    /// Set if the files on the right were merged of those on the left: a column that a file lacks is null there, columns with
    /// the null type may have any type in other files, and the types on the right may hold more values, such as those of a finer
    /// unit.
    #[serde(skip)]
    #[cfg_attr(feature = "clap", arg(skip))]
    pub missing_as_null: bool,
    /// Progress callback: rows read so far, and their total according to the footers, which grows if rows that differ have to be looked up.
    #[serde(skip)]
    #[setters(into)]
    #[cfg_attr(feature = "clap", arg(skip))]
    pub progress: Progress,
}

impl Default for DiffOptions {
    fn default() -> Self {
        Self {
            any_order: false,
            rows: NAMED,
            row_limit: None,
            missing_as_null: false,
            progress: Progress::default(),
        }
    }
}

impl DiffOptions {
    /// Returns the number of rows to name.
    pub(super) fn named(&self) -> usize {
        self.rows.max(1)
    }

    pub(super) fn row_limit(&self) -> RowLimit {
        RowLimit(self.row_limit)
    }

    pub(super) fn report(&self, rows: u64, total: u64) -> Result<()> {
        self.progress.report(rows, total)
    }
}

//! Compares the rows of files.
//!
//! Stored values are compared bit for bit, so encodings, compression, row groups, the order of
//! columns and file boundaries are ignored. In order, batches of both sides are compared as arrays.
//! In any order, each row is hashed, and the sums of hashes are compared; if they differ, rows are
//! looked up in a second pass.

mod any_order;
mod files;
mod fingerprint;
mod hash;
mod in_order;
mod normal;
mod outcome;

pub use fingerprint::{Fingerprint, fingerprint};
pub use outcome::{Difference, DifferentRow, DifferentValue, RowPlace};

use crate::budget::RowLimit;
use crate::{Problem, Result};
use files::Files;
use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// Progress callback: rows compared so far.
type Progress = dyn Fn(u64) -> ControlFlow<()> + Send + Sync;

/// Default number of differing rows to name.
const NAMED: usize = 10;

/// Options for comparing rows.
///
/// ```
/// use bytelane_parquet::diff::DiffOptions;
///
/// let options = DiffOptions::default().with_any_order(true).with_named_rows(3);
/// ```
#[derive(Clone)]
pub struct DiffOptions {
    any_order: bool,
    missing_as_null: bool,
    named: usize,
    pub(crate) row_limit: RowLimit,
    progress: Option<Arc<Progress>>,
}

impl Default for DiffOptions {
    fn default() -> Self {
        Self {
            any_order: false,
            missing_as_null: false,
            named: NAMED,
            row_limit: RowLimit::default(),
            progress: None,
        }
    }
}

impl DiffOptions {
    /// Sets whether to ignore the order of rows: both sides must then have each row the same number
    /// of times. Rows are compared by 128-bit hashes, which do not protect against deliberate
    /// collisions.
    #[must_use]
    pub fn with_any_order(mut self, any_order: bool) -> Self {
        self.any_order = any_order;
        self
    }

    /// Sets whether a column that a file lacks is null there, and whether columns with the null
    /// type may have any type in other files.
    #[must_use]
    pub fn with_missing_as_null(mut self, missing_as_null: bool) -> Self {
        self.missing_as_null = missing_as_null;
        self
    }

    /// Sets the maximum number of differing rows to name, 10 by default. An ordered comparison ends
    /// after this many.
    #[must_use]
    pub fn with_named_rows(mut self, rows: usize) -> Self {
        self.named = rows.max(1);
        self
    }

    /// Sets the maximum number of rows of a file to decode. By default, it is 64 Mi plus 1 Ki for each byte of the file;
    /// more are an error.
    #[must_use]
    pub fn with_row_limit(mut self, rows: u64) -> Self {
        self.row_limit = RowLimit(Some(rows));
        self
    }

    /// Sets a progress callback: rows compared so far. Return `Break` to cancel with
    /// [`Problem::Cancelled`].
    #[must_use]
    pub fn with_progress(
        mut self,
        progress: impl Fn(u64) -> ControlFlow<()> + Send + Sync + 'static,
    ) -> Self {
        self.progress = Some(Arc::new(progress));
        self
    }

    fn report(&self, rows: u64) -> Result<()> {
        match &self.progress {
            Some(progress) if progress(rows).is_break() => Err(Problem::Cancelled.into()),
            _ => Ok(()),
        }
    }
}

impl fmt::Debug for DiffOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DiffOptions")
            .field("any_order", &self.any_order)
            .field("missing_as_null", &self.missing_as_null)
            .field("named", &self.named)
            .finish_non_exhaustive()
    }
}

/// Compares the rows of the files on the left with those on the right. The files of each side are
/// read in order.
///
/// Columns are matched by name. Their types must be the same, but they may be required in one file
/// and optional in another. NaN equals NaN with the same bits, and -0.0 does not equal 0.0. One
/// batch of each side is in memory at a time.
///
/// # Errors
///
/// A file cannot be read, is not a Parquet file, is encrypted or damaged; a side has no files.
///
/// # Example
///
/// ```no_run
/// use bytelane_parquet::diff::{DiffOptions, diff};
///
/// let difference = diff(&["a.parquet", "b.parquet"], &["merged.parquet"], &DiffOptions::default())?;
/// assert!(difference.is_none(), "{difference:?}");
/// # Ok::<(), bytelane_parquet::Error>(())
/// ```
pub fn diff(
    left: &[impl AsRef<Path>],
    right: &[impl AsRef<Path>],
    options: &DiffOptions,
) -> Result<Difference> {
    let left: Vec<&Path> = left.iter().map(AsRef::as_ref).collect();
    let right: Vec<&Path> = right.iter().map(AsRef::as_ref).collect();
    let (Some(first), false) = (left.first(), right.is_empty()) else {
        return Err(Problem::Option("name a file on each side to compare".to_owned()).into());
    };
    let mut columns = files::columns(first)?;
    if options.missing_as_null {
        for path in left.iter().chain(&right) {
            files::add_columns(&mut columns, files::columns(path)?);
        }
    }
    let others = files::other_columns(&columns, &left, &right, options.missing_as_null)?;
    let mut difference = Difference {
        columns: others,
        ..Difference::default()
    };
    if difference.columns.is_empty() {
        let [left, right] =
            [left, right].map(|paths| Files::new(paths, &columns, options.row_limit));
        if options.any_order {
            any_order::compare(&left, &right, options, &mut difference)?
        } else {
            in_order::compare(&left, &right, options, &mut difference)?
        }
        // Rows without columns are only counted.
        difference.more |= difference.left_rows != difference.right_rows;
    }
    Ok(difference)
}

//! Comparison of the rows of files.
//!
//! Values are compared as they are stored, bit for bit, so encodings, compressions, row groups, the order of columns and the borders of
//! files do not count. In order, batches of both sides are compared as arrays. Without an order, each row has a hash, and
//! both sides have the same sum of hashes; where they differ, rows are looked up in a second pass.

mod any_order;
mod files;
mod fingerprint;
mod hash;
mod in_order;
mod normal;
mod outcome;

pub use fingerprint::{Fingerprint, fingerprint};
pub use outcome::{Difference, DifferentRow, DifferentValue, RowPlace};

use crate::{Problem, Result};
use files::Files;
use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// Progress callback: rows compared so far.
type Progress = dyn Fn(u64) -> ControlFlow<()> + Send + Sync;

/// Number of different rows that are named by default.
const NAMED: usize = 10;

/// How rows are compared.
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
    progress: Option<Arc<Progress>>,
}

impl Default for DiffOptions {
    fn default() -> Self {
        Self {
            any_order: false,
            missing_as_null: false,
            named: NAMED,
            progress: None,
        }
    }
}

impl DiffOptions {
    /// Sets whether the order of rows does not count: both sides must have each row the same number of times. Rows are
    /// compared by hashes of 128 bits, which protect against accidents, not against somebody who looks for two rows with one hash.
    #[must_use]
    pub fn with_any_order(mut self, any_order: bool) -> Self {
        self.any_order = any_order;
        self
    }

    /// Sets whether a column that a file does not have is null there, and whether columns of the type of nulls may be of any type in
    /// other files.
    #[must_use]
    pub fn with_missing_as_null(mut self, missing_as_null: bool) -> Self {
        self.missing_as_null = missing_as_null;
        self
    }

    /// Maximum number of different rows to name, 10 by default. In order, the comparison ends after so many.
    #[must_use]
    pub fn with_named_rows(mut self, rows: usize) -> Self {
        self.named = rows.max(1);
        self
    }

    /// Progress callback: rows compared so far; return `Break` to cancel with [`Problem::Cancelled`].
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

/// Compares the rows of the files on the left with those on the right; the files of a side are read one after the other.
///
/// Columns are matched by name. Their types must be the same, but they may be required in one file and optional in another one. NaN
/// equals NaN with the same bits, and -0.0 does not equal 0.0. One batch of each side is in memory.
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
        let [left, right] = [left, right].map(|paths| Files::new(paths, &columns));
        if options.any_order {
            any_order::compare(&left, &right, options, &mut difference)?
        } else {
            in_order::compare(&left, &right, options, &mut difference)?
        }
        // Rows without columns are counted only.
        difference.more |= difference.left_rows != difference.right_rows;
    }
    Ok(difference)
}

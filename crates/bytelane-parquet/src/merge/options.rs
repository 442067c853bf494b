//! Defines the options of a merge.

use crate::budget::RowLimit;
use crate::compatibility::Readers;
use crate::progress::Progress;
use crate::{Replace, Result};
use std::fmt;
use std::num::NonZero;
use std::ops::{ControlFlow, Range};

/// Default number of rows per row group.
const ROW_GROUP_ROWS: u64 = 1 << 20;

/// Source of the pages of merged files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum MergePages {
    /// Pages of the inputs, copied where possible.
    #[default]
    Kept,
    /// Re-encoded values: slower, but files are as small as if all rows had been written at once.
    Fresh,
}

/// Parts to add to a repaired file, besides indexes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Repair {
    /// Paths of columns to add a Bloom filter to.
    pub(crate) bloom_filters: Vec<String>,
}

/// Part of the only input that is kept; its other rows are in damaged pages.
#[derive(Clone, Debug, Default)]
pub(crate) struct Salvage {
    /// Row ranges, by row group.
    pub(crate) rows: Vec<(usize, Range<u64>)>,
    /// Paths of columns; `None` for all.
    pub(crate) columns: Option<Vec<String>>,
    /// Row groups that are not sorted as they say.
    pub(crate) unsorted: Vec<usize>,
}

/// Options for merging files.
///
/// ```
/// use bytelane_parquet::merge::MergeOptions;
///
/// let options = MergeOptions::default()
///     .with_row_group_rows(500_000)
///     .with_file_bytes(512 << 20)
///     .with_verification(true);
/// ```
#[derive(Clone)]
pub struct MergeOptions {
    pub(super) row_group_rows: u64,
    /// Number of rows above which row groups of the inputs are split.
    pub(super) split_rows: Option<u64>,
    pub(super) pages: MergePages,
    pub(super) repair: Option<Repair>,
    pub(super) salvage: Option<Salvage>,
    pub(super) file_bytes: Option<NonZero<u64>>,
    pub(super) row_groups_kept: bool,
    pub(super) verification: bool,
    pub(super) replace: Replace,
    pub(super) row_limit: RowLimit,
    pub(super) readers: Readers,
    pub(super) progress: Progress,
}

impl Default for MergeOptions {
    fn default() -> Self {
        Self {
            row_group_rows: ROW_GROUP_ROWS,
            split_rows: None,
            pages: MergePages::default(),
            repair: None,
            salvage: None,
            file_bytes: None,
            row_groups_kept: false,
            verification: false,
            replace: Replace::default(),
            row_limit: RowLimit::default(),
            readers: Readers::default(),
            progress: Progress::default(),
        }
    }
}

impl MergeOptions {
    /// Sets the maximum number of rows per row group. Larger row groups of the inputs are split:
    /// pages across a boundary are cut, other pages are unchanged. By default, row groups are
    /// joined up to 1,048,576 rows, and none is split.
    #[must_use]
    pub fn with_row_group_rows(mut self, rows: u64) -> Self {
        self.row_group_rows = rows.max(1);
        self.split_rows = Some(self.row_group_rows);
        self
    }

    /// Sets the size of each output in bytes. Several files are written: `OUT-00000.parquet` and so
    /// on. Row groups are split when a file is full, so files are within 3% of the size, except for
    /// the last one. Below about 100 kB, files are larger because of the minimum size of a row
    /// group.
    #[must_use]
    pub fn with_file_bytes(mut self, bytes: u64) -> Self {
        self.file_bytes = NonZero::new(bytes);
        self
    }

    /// Sets the source of the outputs' pages.
    #[must_use]
    pub fn with_pages(mut self, pages: MergePages) -> Self {
        self.pages = pages;
        self
    }

    /// Sets whether each row group of the inputs becomes one row group of the outputs.
    #[must_use]
    pub fn with_row_groups_kept(mut self, kept: bool) -> Self {
        self.row_groups_kept = kept;
        self
    }

    /// Sets whether to compare every value of the outputs with the inputs before the outputs appear under their names.
    #[must_use]
    pub fn with_verification(mut self, verification: bool) -> Self {
        self.verification = verification;
        self
    }

    /// Sets the maximum number of rows of a file to split or verify. By default, it is 64 Mi plus 1 Ki for each byte of
    /// the file; more are an error.
    #[must_use]
    pub fn with_row_limit(mut self, rows: u64) -> Self {
        self.row_limit = RowLimit(Some(rows));
        self
    }

    /// Sets whether to replace a file, even a read-only one; without it, existing files are replaced unless they are
    /// read-only.
    #[must_use]
    pub fn with_force(self, force: bool) -> Self {
        self.with_replace(Replace::forced_or(force, Replace::Writable))
    }

    /// Sets which existing files may be replaced.
    #[must_use]
    pub fn with_replace(mut self, replace: Replace) -> Self {
        self.replace = replace;
        self
    }

    /// Sets the programs that must be able to read the outputs: columns that have to be encoded again get an encoding
    /// that all of them read. Pages that are copied keep theirs.
    #[must_use]
    pub fn with_readers(mut self, readers: Readers) -> Self {
        self.readers = readers;
        self
    }

    /// Adds parts that the writer of the input left out, and keeps that writer's name.
    pub(crate) fn with_repair(mut self, repair: Repair) -> Self {
        self.row_groups_kept = true;
        self.repair = Some(repair);
        self
    }

    /// Keeps only a part of the input.
    pub(crate) fn with_salvage(mut self, salvage: Salvage) -> Self {
        self.row_groups_kept = true;
        self.salvage = Some(salvage);
        self
    }

    /// Sets a progress callback: bytes of chunks done and total, called before each column of a row
    /// group. Return `Break` to cancel with [`Problem::Cancelled`](crate::Problem::Cancelled).
    #[must_use]
    pub fn with_progress(
        mut self,
        progress: impl Fn(u64, u64) -> ControlFlow<()> + Send + Sync + 'static,
    ) -> Self {
        self.progress = Progress::new(progress);
        self
    }

    /// Sets the progress callback of the caller's own options.
    pub(crate) fn with_own_progress(mut self, progress: Progress) -> Self {
        self.progress = progress;
        self
    }

    pub(super) fn report(&self, done: u64, total: u64) -> Result<()> {
        self.progress.report(done, total)
    }
}

impl fmt::Debug for MergeOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MergeOptions")
            .field("row_group_rows", &self.row_group_rows)
            .field("pages", &self.pages)
            .field("file_bytes", &self.file_bytes)
            .field("row_groups_kept", &self.row_groups_kept)
            .field("verification", &self.verification)
            .field("replace", &self.replace)
            .field("readers", &self.readers)
            .finish_non_exhaustive()
    }
}

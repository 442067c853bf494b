//! How files are merged.

use crate::Result;
use crate::progress::Progress;
use std::fmt;
use std::num::NonZero;
use std::ops::{ControlFlow, Range};

/// Rows of a row group by default.
const ROW_GROUP_ROWS: u64 = 1 << 20;

/// Where the pages of merged files come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum MergePages {
    /// Pages of the inputs, copied where that is possible.
    #[default]
    Kept,
    /// All values are decoded and encoded again: files are as small as if all rows had been written at once, at the price of time.
    Fresh,
}

/// Parts that a repaired file gets besides indexes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Repair {
    /// Paths of columns that get a Bloom filter.
    pub(crate) bloom_filters: Vec<String>,
}

/// How to merge files.
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
    /// Rows from which on row groups of the inputs are split.
    pub(super) split_rows: Option<u64>,
    pub(super) pages: MergePages,
    pub(super) repair: Option<Repair>,
    /// Rows of row groups of the only input that are kept; damaged pages have the others.
    pub(super) salvage: Option<Vec<(usize, Range<u64>)>>,
    pub(super) file_bytes: Option<NonZero<u64>>,
    pub(super) row_groups_kept: bool,
    pub(super) verification: bool,
    pub(super) force: bool,
    progress: Progress,
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
            force: false,
            progress: Progress::default(),
        }
    }
}

impl MergeOptions {
    /// Maximum number of rows of a row group. Larger row groups of the inputs are split: pages that lie on both sides of a border are cut, the
    /// others stay as they are. By default, row groups are joined up to 1,048,576 rows, and none is split.
    #[must_use]
    pub fn with_row_group_rows(mut self, rows: u64) -> Self {
        self.row_group_rows = rows.max(1);
        self.split_rows = Some(self.row_group_rows);
        self
    }

    /// Size of each output in bytes. Several are written: `OUT-00000.parquet` and so on. Row groups are split where a file is full, so that
    /// files are within 3% of the size, the last one aside; below some 100 kB, the least that a row group takes makes them larger.
    #[must_use]
    pub fn with_file_bytes(mut self, bytes: u64) -> Self {
        self.file_bytes = NonZero::new(bytes);
        self
    }

    /// Sets where the pages of the outputs come from.
    #[must_use]
    pub fn with_pages(mut self, pages: MergePages) -> Self {
        self.pages = pages;
        self
    }

    /// Sets whether each row group of the inputs becomes one of the outputs.
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

    /// Sets whether to replace an output that is read-only.
    #[must_use]
    pub fn with_force(mut self, force: bool) -> Self {
        self.force = force;
        self
    }

    /// Adds what the writer of the input left out, and keeps its name.
    pub(crate) fn with_repair(mut self, repair: Repair) -> Self {
        self.row_groups_kept = true;
        self.repair = Some(repair);
        self
    }

    /// Keeps these rows of row groups only.
    pub(crate) fn with_salvage(mut self, kept: Vec<(usize, Range<u64>)>) -> Self {
        self.row_groups_kept = true;
        self.salvage = Some(kept);
        self
    }

    /// Progress callback: bytes of chunks done and total, called before each column of a row group; return `Break` to cancel with
    /// [`Problem::Cancelled`].
    #[must_use]
    pub fn with_progress(
        mut self,
        progress: impl Fn(u64, u64) -> ControlFlow<()> + Send + Sync + 'static,
    ) -> Self {
        self.progress = Progress::new(progress);
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
            .field("force", &self.force)
            .finish_non_exhaustive()
    }
}

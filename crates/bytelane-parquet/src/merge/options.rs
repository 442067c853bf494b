//! How files are merged.

use crate::{Problem, Result};
use std::fmt;
use std::num::NonZero;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Progress callback: bytes done and total.
type Progress = dyn Fn(u64, u64) -> ControlFlow<()> + Send + Sync;

/// Rows of a row group by default.
const ROW_GROUP_ROWS: u64 = 1 << 20;

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
    pub(super) file_bytes: Option<NonZero<u64>>,
    pub(super) row_groups_kept: bool,
    pub(super) verification: bool,
    pub(super) force: bool,
    progress: Option<Arc<Progress>>,
}

impl Default for MergeOptions {
    fn default() -> Self {
        Self {
            row_group_rows: ROW_GROUP_ROWS,
            file_bytes: None,
            row_groups_kept: false,
            verification: false,
            force: false,
            progress: None,
        }
    }
}

impl MergeOptions {
    /// Maximum number of rows of a row group of several row groups together, 1,048,576 by default. Larger row groups of the inputs stay as
    /// they are.
    #[must_use]
    pub fn with_row_group_rows(mut self, rows: u64) -> Self {
        self.row_group_rows = rows.max(1);
        self
    }

    /// Size of each output in bytes. Several are written: `OUT-00000.parquet` and so on. A row group of the inputs is never split, so a file
    /// is larger if its only row group is.
    #[must_use]
    pub fn with_file_bytes(mut self, bytes: u64) -> Self {
        self.file_bytes = NonZero::new(bytes);
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

    /// Progress callback: bytes of chunks done and total, called before each column of a row group; return `Break` to cancel with
    /// [`Problem::Cancelled`].
    #[must_use]
    pub fn with_progress(
        mut self,
        progress: impl Fn(u64, u64) -> ControlFlow<()> + Send + Sync + 'static,
    ) -> Self {
        self.progress = Some(Arc::new(progress));
        self
    }

    pub(super) fn report(&self, done: u64, total: u64) -> Result<()> {
        match &self.progress {
            Some(progress) if progress(done, total).is_break() => Err(Problem::Cancelled.into()),
            _ => Ok(()),
        }
    }
}

impl fmt::Debug for MergeOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MergeOptions")
            .field("row_group_rows", &self.row_group_rows)
            .field("file_bytes", &self.file_bytes)
            .field("row_groups_kept", &self.row_groups_kept)
            .field("verification", &self.verification)
            .field("force", &self.force)
            .finish_non_exhaustive()
    }
}

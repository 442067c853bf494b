//! Defines the options of plans.

use crate::{Error, Result};
use bytelane_parquet::compatibility::Readers;
use bytelane_parquet::parquet::basic::Compression;
use bytelane_parquet::{Goal, WriterOptions, compression_name, parse_compression};
use bytelane_parquet_files::advise::AdviseOptions;
use bytelane_parquet_files::merge::MergeOptions;
use bytelane_parquet_files::rewrite::RewriteOptions;
use serde::{Deserialize, Serialize};

/// Options for making a plan and for writing its outputs.
///
/// ```
/// use bytelane_dataset::PlanOptions;
///
/// let options = PlanOptions::default()
///     .with_target_bytes(512 << 20)
///     .with_min_saving(0.1)
///     .with_sample(16, 100_000, 42);
/// ```
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PlanOptions {
    pub(super) target_bytes: u64,
    pub(super) row_group_rows: u64,
    pub(super) min_saving: f64,
    pub(super) sample_files: usize,
    pub(super) sample_rows: usize,
    pub(super) seed: u64,
    goal: Goal,
    readers: String,
    compression: Option<String>,
    #[serde(default)]
    pub(super) sort_advice: bool,
}

impl Default for PlanOptions {
    fn default() -> Self {
        Self {
            target_bytes: 256 << 20,
            row_group_rows: 1 << 20,
            min_saving: 0.05,
            sample_files: 8,
            sample_rows: 1 << 16,
            seed: 0,
            goal: Goal::default(),
            readers: Readers::default().to_string(),
            compression: None,
            sort_advice: false,
        }
    }
}

impl PlanOptions {
    /// Sets the target size of files in bytes; 256 MiB by default. Files smaller than a quarter of
    /// it are merged, and files larger than twice of it are split between row groups.
    #[must_use]
    pub fn with_target_bytes(mut self, bytes: u64) -> Self {
        self.target_bytes = bytes.max(1);
        self
    }

    /// Sets the maximum number of rows of a row group joined from several, 1,048,576 by default.
    #[must_use]
    pub fn with_row_group_rows(mut self, rows: u64) -> Self {
        self.row_group_rows = rows.max(1);
        self
    }

    /// Sets the minimum fraction of the bytes that re-encoding must save, 0.05 by default.
    #[must_use]
    pub fn with_min_saving(mut self, share: f64) -> Self {
        self.min_saving = share.clamp(0.0, 1.0);
        self
    }

    /// Sets the sample for the advice: the number of files per schema, the number of rows per file,
    /// and the seed that selects the files; 8 files, 65,536 rows and 0 by default. With 0 files,
    /// nothing is re-encoded.
    #[must_use]
    pub fn with_sample(mut self, files: usize, rows: usize, seed: u64) -> Self {
        (self.sample_files, self.sample_rows, self.seed) = (files, rows.max(1), seed);
        self
    }

    /// Sets the goal of the encodings.
    #[must_use]
    pub fn with_goal(mut self, goal: Goal) -> Self {
        self.goal = goal;
        self
    }

    /// Sets the programs that must be able to read re-encoded columns.
    #[must_use]
    pub fn with_readers(mut self, readers: &Readers) -> Self {
        self.readers = readers.to_string();
        self
    }

    /// Sets the compression of re-encoded files; by default, columns keep theirs.
    #[must_use]
    pub fn with_compression(mut self, compression: Compression) -> Self {
        self.compression = Some(compression_name(compression));
        self
    }

    /// Sets whether to measure on the sample how much a sort order would save, and to check the orders that the sampled
    /// files promise; false by default. Runs do not sort.
    #[must_use]
    pub fn with_sort_advice(mut self, wanted: bool) -> Self {
        self.sort_advice = wanted;
        self
    }

    fn compression(&self) -> Result<Option<Compression>> {
        let name = self.compression.as_deref();
        let wrong = |error| Error::Input(format!("compression of the plan: {error}"));
        name.map(|name| parse_compression(name).map_err(wrong))
            .transpose()
    }

    fn readers(&self) -> Result<Readers> {
        Ok(self.readers.parse()?)
    }

    pub(super) fn advise(&self) -> Result<AdviseOptions> {
        let options = AdviseOptions::default()
            .with_goal(self.goal)
            .with_readers(self.readers()?)
            .with_rows(self.sample_rows);
        Ok(match self.compression()? {
            Some(compression) => options.with_compression(compression),
            None => options,
        })
    }

    /// Returns the options for writing re-encoded rows.
    pub(super) fn writer(&self) -> Result<WriterOptions> {
        let writer = WriterOptions::default()
            .with_goal(self.goal)
            .with_readers(self.readers()?);
        Ok(match self.compression()? {
            Some(compression) => writer.with_compression(compression),
            None => writer,
        })
    }

    /// Returns whether columns keep their compression.
    pub(super) fn keeps_compression(&self) -> bool {
        self.compression.is_none()
    }

    pub(crate) fn rewrite(&self) -> Result<RewriteOptions> {
        let options = RewriteOptions::default()
            .with_goal(self.goal)
            .with_readers(self.readers()?);
        Ok(match self.compression()? {
            Some(compression) => options.with_compression(compression),
            None => options,
        })
    }

    pub(crate) fn merge(&self) -> Result<MergeOptions> {
        Ok(MergeOptions::default()
            .with_row_group_rows(self.row_group_rows)
            .with_readers(self.readers()?))
    }

    /// Returns the size to which files are split.
    pub(crate) fn target_bytes(&self) -> u64 {
        self.target_bytes
    }

    /// Returns the size below which files are merged.
    pub(super) fn small_bytes(&self) -> u64 {
        self.target_bytes / 4
    }

    /// Returns the size above which files are split.
    pub(super) fn large_bytes(&self) -> u64 {
        self.target_bytes.saturating_mul(2)
    }

    /// Returns a text of the options that the outputs of a unit depend on.
    pub(super) fn of_outputs(&self) -> String {
        let compression = self.compression.as_deref().unwrap_or_default();
        format!(
            "{} {} {} {} {compression}",
            self.target_bytes, self.row_group_rows, self.goal, self.readers
        )
    }
}

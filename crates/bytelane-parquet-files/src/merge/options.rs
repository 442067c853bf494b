//! Defines the options of a merge.

use crate::edits::{Edits, KeptRows};
use bytelane_parquet::budget::{MemoryLimit, RowLimit};
use bytelane_parquet::compatibility::Readers;
use bytelane_parquet::options::deserialize_size;
#[cfg(feature = "clap")]
use bytelane_parquet::options::flags::{self, ArgAction};
use bytelane_parquet::parallel::all_cores;
use bytelane_parquet::{Progress, Replace, Result};
use derive_setters::Setters;
use serde::Deserialize;
use std::num::NonZero;
use std::sync::Arc;

/// Default number of rows per row group.
const ROW_GROUP_ROWS: u64 = 1 << 20;

/// Source of the pages of merged files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MergePages {
    /// Pages of the inputs
    ///
    /// They are copied where possible.
    #[default]
    Kept,
    /// New pages
    ///
    /// This takes longer, but files are as small as if all rows had been written at once.
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
    /// Rows that are kept, by row group.
    pub(crate) rows: Vec<Arc<KeptRows>>,
    /// Paths of columns; `None` for all.
    pub(crate) columns: Option<Vec<String>>,
    /// Row groups that are not sorted as they say.
    pub(crate) unsorted: Vec<usize>,
}

/// Options for merging files.
///
/// Where row groups are split, pages across a boundary are cut; other pages are unchanged. With a size of outputs, `OUT.parquet`
/// becomes `OUT-00000.parquet` and so on; files are within 3% of the size, except for the last one, and below about 100 kB, files
/// are larger because of the minimum size of a row group. Pages that are copied keep their encoding, whatever the readers.
///
/// ```
/// use bytelane_parquet_files::merge::MergeOptions;
///
/// let options = MergeOptions::default()
///     .with_row_group_size(500_000)
///     .with_file_size(512 << 20)
///     .with_verify(true);
/// ```
#[derive(Clone, Debug, Default, Deserialize, Setters)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct MergeOptions {
    /// Maximum number of rows of a row group; larger ones are split. Without it, row groups are joined up to 1048576 rows, and larger ones stay
    #[cfg_attr(feature = "clap", arg(long, alias = "row-group-rows", value_name = "N", value_parser = clap::value_parser!(u64).range(1..)))]
    pub row_group_size: Option<u64>,
    /// The size of each output, as in 512MiB; several are written, and row groups are split where a file is full
    #[serde(deserialize_with = "deserialize_size")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "SIZE", value_parser = bytelane_parquet::parse_size))]
    pub file_size: Option<u64>,
    /// Keep pages where possible, or encode all of them again: smaller files, but slower
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "PAGES", default_value = "kept")
    )]
    pub pages: MergePages,
    /// Programs that must be able to read columns that are encoded again, optionally with the oldest version in use; any: no restriction
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "NAME[>=VERSION],..", default_value_t)
    )]
    pub readers: Readers,
    /// Compare every value with those of the inputs before the outputs appear under their names
    #[cfg_attr(feature = "clap", arg(long))]
    pub verify: bool,
    /// Threads that work at the same time; the output is the same for any number [default: all cores]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub threads: Option<NonZero<usize>>,
    /// Maximum memory for a column of a row group that is encoded again, or for a page, as in 4GiB [default: 128MiB and 1024 times its size in the files, else its pages are kept]
    #[serde(deserialize_with = "deserialize_size")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "SIZE", value_parser = bytelane_parquet::parse_size))]
    pub memory_limit: Option<u64>,
    /// Maximum number of rows of a file to split or verify; 64 Mi, plus 1 Ki for each byte of the file by default
    #[cfg_attr(feature = "clap", arg(long, value_name = "ROWS"))]
    pub row_limit: Option<u64>,
    /// Replace existing files, even read-only ones
    #[serde(rename = "force", default = "Replace::unforced")]
    #[cfg_attr(feature = "clap", arg(id = "force", long = "force", action = ArgAction::SetTrue, value_parser = flags::switch::<Replace>()))]
    pub replace: Replace,
    /// Progress callback: bytes of chunks done and total, called for each column of a row group, and repeatedly while one takes long.
    #[serde(skip)]
    #[setters(into)]
    #[cfg_attr(feature = "clap", arg(skip))]
    pub progress: Progress,
    /// Changes of rows and columns.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub edits: Edits,
    #[serde(skip)]
    #[setters(skip)]
    #[cfg_attr(feature = "clap", arg(skip))]
    pub(crate) scope: Scope,
}

/// Part of a merge's work, for other operations that are merges of one input.
#[derive(Clone, Debug, Default)]
pub(crate) enum Scope {
    /// All of it.
    #[default]
    All,
    /// Parts are added that the writer of the input left out, and that writer's name stays.
    Repair(Repair),
    /// Only a part of the input is kept.
    Salvage(Salvage),
    /// Row groups and pages stay as they are, but for the edits.
    Edit,
}

impl MergeOptions {
    pub(super) fn repair(&self) -> Option<&Repair> {
        match &self.scope {
            Scope::Repair(repair) => Some(repair),
            _ => None,
        }
    }

    pub(super) fn salvage(&self) -> Option<&Salvage> {
        match &self.scope {
            Scope::Salvage(salvage) => Some(salvage),
            _ => None,
        }
    }

    /// Returns whether each row group of the inputs becomes one row group of the outputs.
    pub(super) fn keeps_row_groups(&self) -> bool {
        !matches!(self.scope, Scope::All)
    }

    /// Returns whether pages stay as they are, also if new ones would be smaller.
    pub(super) fn keeps_pages(&self) -> bool {
        matches!(self.scope, Scope::Salvage(_) | Scope::Edit)
    }

    /// Returns the number of rows above which row groups of the inputs are split.
    pub(super) fn split_rows(&self) -> Option<u64> {
        self.row_group_size.map(|rows| rows.max(1))
    }

    /// Returns the number of rows up to which row groups are joined.
    pub(super) fn joined_rows(&self) -> u64 {
        self.split_rows().unwrap_or(ROW_GROUP_ROWS)
    }

    pub(super) fn file_size(&self) -> Option<u64> {
        self.file_size.filter(|bytes| *bytes > 0)
    }

    pub(super) fn threads(&self) -> NonZero<usize> {
        self.threads.unwrap_or_else(all_cores)
    }

    pub(super) fn memory(&self) -> MemoryLimit {
        MemoryLimit(self.memory_limit)
    }

    pub(super) fn row_limit(&self) -> RowLimit {
        RowLimit(self.row_limit)
    }

    pub(super) fn report(&self, done: u64, total: u64) -> Result<()> {
        self.progress.report(done, total)
    }
}

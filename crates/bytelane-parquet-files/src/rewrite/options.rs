//! Defines the options of a rewrite.

use super::int96::Int96Unit;
use super::source::{Sizes, Source};
use bytelane::Detected;
use bytelane_parquet::budget::MemoryLimit;
use bytelane_parquet::compatibility::Readers;
#[cfg(feature = "clap")]
use bytelane_parquet::options::flags::{self, ArgAction};
use bytelane_parquet::options::{
    deserialize_by_path, deserialize_compression, deserialize_given_name, deserialize_name,
    deserialize_size,
};
use bytelane_parquet::parallel::{Limits, all_cores, bounded_threads};
use bytelane_parquet::{
    ColumnOptions, DataPageVersion, Encoding, Encodings, Goal, Progress, Replace, Result,
    WriterOptions,
};
use derive_setters::Setters;
use parquet::basic::Compression;
use serde::Deserialize;
use std::num::NonZero;

/// Options for rewriting a file.
///
/// Without a compression, each column keeps its own, at about its level, which is estimated from a page. Columns with pages that exceed the
/// given rows or bytes always get new pages, and with a compression or a page version, all columns do.
///
/// A file is verified by the crate `parquet`, which shares no code with what wrote the new file. Arrow types and the order of the entries of
/// ordered dictionaries are compared, too. Pages that it cannot read are decoded with [`Reader`](bytelane_parquet::Reader). Some writers make
/// dictionary indices with runs of no values. For these, the crate `parquet` returns other values than `Reader`, so such files cannot be
/// verified.
///
/// By default, the values of a column in a row group may take 128 MiB and 1024 times the size of the column chunk; a column that takes more is
/// copied. On top of that, a page may take 64 bytes per value of the chunk; a larger one is
/// [`Problem::PageTooLarge`](bytelane_parquet::Problem::PageTooLarge). A row that is too large for a batch of [`Reader`](bytelane_parquet::Reader) is
/// [`Problem::MemoryLimit`](bytelane_parquet::Problem::MemoryLimit).
///
/// ```
/// use bytelane_parquet_files::rewrite::RewriteOptions;
/// use bytelane_parquet::{Encoding, Goal, parse_compression};
///
/// let options = RewriteOptions::default()
///     .with_goal(Goal::Size)
///     .with_column_encoding("price", Encoding::ByteStreamSplit)
///     .with_compression(parse_compression("zstd:3")?)
///     .with_verify(true);
/// # Ok::<(), bytelane_parquet::Error>(())
/// ```
#[derive(Clone, Debug, Deserialize, Setters)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct RewriteOptions {
    /// Goal to optimise for
    #[serde(deserialize_with = "deserialize_name")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "GOAL", default_value_t, value_parser = flags::names(Goal::ALL, Goal::name)))]
    pub goal: Goal,
    /// Programs that must be able to read the file, optionally with the oldest version in use; any: no restriction
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "NAME[>=VERSION],..", default_value_t)
    )]
    pub readers: Readers,
    /// Encodings to choose from: names, or +alp to add a preview to the usual ones, which --readers must all know
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME,.."))]
    pub encodings: Option<Encodings>,
    /// Encoding of all columns that have none of their own and whose type supports it. Without it, [`Encoding::Auto`] chooses.
    #[serde(skip)]
    #[cfg_attr(feature = "clap", arg(skip))]
    pub encoding: Encoding,
    /// Force this encoding for a column. NAME is the column's path, separated by dots, or that of a group,
    /// for all columns in it
    #[serde(deserialize_with = "deserialize_by_path")]
    #[setters(skip)]
    #[cfg_attr(feature = "clap", arg(long, alias = "column", value_name = "NAME=ENCODING", value_parser = flags::column_encoding))]
    pub column_encoding: Vec<(String, Encoding)>,
    /// Compress all columns with this codec [default: unchanged]: none, snappy, lz4_raw, zstd:LEVEL, gzip:LEVEL,
    /// brotli:LEVEL
    #[serde(deserialize_with = "deserialize_compression")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "CODEC[:LEVEL]", value_parser = bytelane_parquet::parse_compression))]
    pub compression: Option<Compression>,
    /// Convert INT96 columns, an obsolete type for timestamps, to INT64 timestamps in microseconds (us) or nanoseconds
    /// (ns) [default: copy them] [default unit: us]
    #[serde(deserialize_with = "deserialize_given_name")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "UNIT", num_args = 0..=1, require_equals = true, default_missing_value = "us",
        value_parser = flags::names(&Int96Unit::ALL, Int96Unit::name)))]
    pub convert_int96: Option<Int96Unit>,
    /// Maximum number of rows of a page; columns with larger pages get new ones [default: those of the old pages, or with the goal
    /// size what compresses best]
    #[cfg_attr(feature = "clap", arg(long, alias = "page-rows", value_name = "N", value_parser = flags::count))]
    pub max_rows_per_page: Option<usize>,
    /// The most bytes of values of a page, before compression, about; columns with larger pages get new ones
    #[cfg_attr(feature = "clap", arg(long, alias = "page-bytes", value_name = "BYTES", value_parser = flags::count))]
    pub data_page_size: Option<usize>,
    /// The version of the pages of all columns [default: unchanged]
    #[serde(deserialize_with = "deserialize_given_name")]
    #[cfg_attr(feature = "clap", arg(long, alias = "page-version", value_name = "VERSION", value_parser = flags::names(&DataPageVersion::ALL, DataPageVersion::name)))]
    pub data_page_version: Option<DataPageVersion>,
    /// Write nothing, only show what a rewrite would do
    #[cfg_attr(feature = "clap", arg(long, conflicts_with = "verify"))]
    pub dry_run: bool,
    /// Threads that work at the same time; the output is the same for any number [default: all cores]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub threads: Option<NonZero<usize>>,
    /// Maximum memory for a column of a row group, or for a page, as in 4GiB [default: 128MiB and 1024 times its size in the file, else it is copied]
    #[serde(deserialize_with = "deserialize_size")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "SIZE", value_parser = bytelane_parquet::parse_size))]
    pub memory_limit: Option<u64>,
    /// Read both files and compare every value before the new file appears under its name
    #[cfg_attr(feature = "clap", arg(long))]
    pub verify: bool,
    /// Replace existing files, even read-only ones
    #[serde(rename = "force", default = "Replace::unforced")]
    #[cfg_attr(feature = "clap", arg(id = "force", long = "force", action = ArgAction::SetTrue, value_parser = flags::switch::<Replace>()))]
    pub replace: Replace,
    /// Instruction set of the kernels.
    #[serde(skip)]
    #[cfg_attr(feature = "clap", arg(skip = Detected::active()))]
    pub backend: Detected,
    /// Progress callback: bytes of the old file that are done, and the bytes of all columns. It is called before the work continues with
    /// other columns. At the end, and repeatedly while values are compared, both arguments are the bytes of all columns.
    #[serde(skip)]
    #[setters(into)]
    #[cfg_attr(feature = "clap", arg(skip))]
    pub progress: Progress,
}

/// Minimum memory limit for values, in bytes, for files with small row groups.
const LEAST_MEMORY: u64 = 8 << 20;

impl Default for RewriteOptions {
    fn default() -> Self {
        Self {
            goal: Goal::default(),
            readers: Readers::default(),
            encodings: None,
            encoding: Encoding::default(),
            column_encoding: Vec::new(),
            compression: None,
            convert_int96: None,
            max_rows_per_page: None,
            data_page_size: None,
            data_page_version: None,
            dry_run: false,
            threads: None,
            memory_limit: None,
            verify: false,
            replace: Replace::default(),
            backend: Detected::active(),
            progress: Progress::default(),
        }
    }
}

impl RewriteOptions {
    /// Sets the encoding of a column. `path` is the path of a leaf, separated by dots, or of a group, for all leaves below it. The longest
    /// path wins.
    #[must_use]
    pub fn with_column_encoding(mut self, path: impl Into<String>, encoding: Encoding) -> Self {
        self.column_encoding.push((path.into(), encoding));
        self
    }

    /// Returns the options for writing new pages.
    pub(super) fn writer(&self) -> WriterOptions {
        let columns = self.column_encoding.iter().map(|(path, encoding)| {
            let column = ColumnOptions::default().with_encoding(*encoding);
            (path.clone(), column)
        });
        WriterOptions {
            goal: self.goal,
            readers: self.readers.clone(),
            encodings: self.encodings.clone().unwrap_or_default(),
            encoding: self.encoding,
            columns: columns.collect(),
            max_rows_per_page: self.max_rows_per_page,
            data_page_size: self.data_page_size,
            backend: self.backend,
            ..WriterOptions::default()
        }
    }

    /// Returns the number of threads and their memory limit: half of what the largest row group takes,
    /// because encoded pages come on top of values, but enough to keep the threads busy.
    pub(super) fn limits<R>(&self, sizes: &Sizes, source: &Source<R>) -> Limits {
        let half = (sizes.largest_raw / 2).max(LEAST_MEMORY);
        Limits {
            // With one thread, it would be the caller's, which could not cancel a long unit.
            threads: bounded_threads(
                self.threads.unwrap_or_else(all_cores),
                source.units().max(2),
            ),
            weight: half.min(sizes.limit / 2),
            depth: source.file.depth,
        }
    }

    pub(super) fn memory(&self) -> MemoryLimit {
        MemoryLimit(self.memory_limit)
    }

    pub(super) fn report(&self, done: u64, total: u64) -> Result<()> {
        self.progress.report(done, total)
    }
}

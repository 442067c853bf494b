//! Options for rewriting a file.

use super::Int96Unit;
use super::source::{Sizes, Source};
use crate::budget::MemoryLimit;
use crate::parallel::{Limits, all_cores, bounded_threads};
use crate::{DataPageVersion, Progress, Replace, Result, WriterOptions};
use parquet::basic::Compression;
use std::fmt;
use std::num::NonZero;

/// Options for rewriting a file.
///
/// ```
/// use bytelane_parquet::rewrite::RewriteOptions;
/// use bytelane_parquet::{Goal, WriterOptions, parse_compression};
///
/// let options = RewriteOptions::new(WriterOptions::default().with_goal(Goal::Size))
///     .with_compression(parse_compression("zstd:3")?)
///     .with_verify(true);
/// # Ok::<(), bytelane_parquet::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct RewriteOptions {
    pub(super) writer: WriterOptions,
    pub(super) compression: Option<Compression>,
    pub(super) verification: bool,
    pub(super) replace: Replace,
    pub(super) int96: Option<Int96Unit>,
    pub(super) version: Option<DataPageVersion>,
    threads: Option<NonZero<usize>>,
    pub(super) memory: MemoryLimit,
    progress: Progress,
}

/// Minimum memory limit for values, in bytes, for files with small row groups.
const LEAST_MEMORY: u64 = 8 << 20;

impl RewriteOptions {
    /// Encodes columns with the encodings, goal, readers, page sizes and backend of this writer. Its settings
    /// for the compression of the whole file, the page version, statistics, Bloom filters, row groups and the
    /// footer are ignored: these stay as they are in the file. Columns with pages that exceed its
    /// [`with_page_rows`](WriterOptions::with_page_rows) or
    /// [`with_page_bytes`](WriterOptions::with_page_bytes) always get new pages.
    #[must_use]
    pub fn new(writer: WriterOptions) -> Self {
        Self {
            writer,
            ..Self::default()
        }
    }

    /// Compresses all columns with this codec, including those whose encoding is already the best. Otherwise,
    /// each column keeps its compression, at about its level, which is estimated from a page.
    #[must_use]
    pub fn with_compression(mut self, compression: Compression) -> Self {
        self.compression = Some(compression);
        self
    }

    /// Sets whether to read both files and compare every value before the new file appears under its name, and the Arrow types
    /// and the order of the entries of ordered dictionaries.
    /// They are decoded by the crate `parquet`, which shares no code with what wrote the new file. Pages that
    /// it cannot read are decoded with [`Reader`](crate::Reader). Some writers make dictionary indices with
    /// runs of no values. For these, the crate `parquet` returns other values than `Reader`, so such files
    /// cannot be verified.
    #[must_use]
    pub fn with_verify(mut self, verification: bool) -> Self {
        self.verification = verification;
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

    /// Converts INT96 columns, an obsolete type for timestamps, to INT64. A timestamp that the unit cannot
    /// express exactly is an error. By default, INT96 columns are copied.
    #[must_use]
    pub fn with_int96_converted(mut self, unit: Int96Unit) -> Self {
        self.int96 = Some(unit);
        self
    }

    /// Gives all columns pages of this version, including those whose encoding is already the best.
    /// Otherwise, each column keeps the version of its pages.
    #[must_use]
    pub fn with_data_page_version(mut self, version: DataPageVersion) -> Self {
        self.version = Some(version);
        self
    }

    /// Sets the number of threads; by default, the number of cores. The new file does not depend on it.
    #[must_use]
    pub fn with_threads(mut self, threads: NonZero<usize>) -> Self {
        self.threads = Some(threads);
        self
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
            depth: source.depth,
        }
    }

    /// Limits the memory, in bytes, for the values of a column in a row group and for a page. By default, the
    /// values may take 128 MiB and 1024 times the size of the column chunk; a column that takes more is
    /// copied. On top of that, a page may take 64 bytes per value of the chunk; a larger one is
    /// [`Problem::PageTooLarge`](crate::Problem::PageTooLarge). A row that is too large for a batch of [`Reader`](crate::Reader) is
    /// [`Problem::MemoryLimit`](crate::Problem::MemoryLimit).
    #[must_use]
    pub fn with_memory_limit(mut self, bytes: u64) -> Self {
        self.memory = MemoryLimit(Some(bytes));
        self
    }

    /// Sets a progress callback: the bytes of the old file that are done and the bytes of all columns. It is called before the
    /// work continues with other columns. At the end, and repeatedly while values are compared, both arguments are the bytes of
    /// all columns.
    #[must_use]
    pub fn with_progress(mut self, progress: impl Into<Progress>) -> Self {
        self.progress = progress.into();
        self
    }

    /// Reports progress.
    pub(super) fn report(&self, done: u64, total: u64) -> Result<()> {
        self.progress.report(done, total)
    }
}

impl fmt::Debug for RewriteOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RewriteOptions")
            .field("writer", &self.writer)
            .field("compression", &self.compression)
            .field("verification", &self.verification)
            .field("replace", &self.replace)
            .field("int96", &self.int96)
            .field("version", &self.version)
            .field("threads", &self.threads)
            .field("memory", &self.memory)
            .finish_non_exhaustive()
    }
}

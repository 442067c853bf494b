//! How a file is rewritten.

use super::Int96Unit;
use super::source::Sizes;
use crate::budget::MemoryLimit;
use crate::parallel::{Limits, all_cores};
use crate::progress::Progress;
use crate::{DataPageVersion, Result, WriterOptions};
use parquet::basic::Compression;
use std::fmt;
use std::num::NonZero;
use std::ops::ControlFlow;

/// How to rewrite a file.
///
/// ```
/// use bytelane_parquet::rewrite::RewriteOptions;
/// use bytelane_parquet::{Goal, WriterOptions, parse_compression};
///
/// let options = RewriteOptions::new(WriterOptions::default().with_goal(Goal::Size))
///     .with_compression(parse_compression("zstd:3")?)
///     .with_verification(true);
/// # Ok::<(), bytelane_parquet::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct RewriteOptions {
    pub(super) writer: WriterOptions,
    pub(super) compression: Option<Compression>,
    pub(super) verification: bool,
    pub(super) force: bool,
    pub(super) int96: Option<Int96Unit>,
    pub(super) version: Option<DataPageVersion>,
    threads: Option<NonZero<usize>>,
    pub(super) memory: MemoryLimit,
    progress: Progress,
}

/// Bytes of values that may be in memory, however small the row groups are.
const LEAST_MEMORY: u64 = 8 << 20;

impl RewriteOptions {
    /// Columns are encoded as this writer would: its encodings, goal, readers, pages and backend
    /// count. What it says of compression for the whole file, of the version of pages, of statistics, Bloom filters, row
    /// groups and the footer does not: these stay as they are in the file. Columns with pages that exceed its
    /// [`with_page_rows`](WriterOptions::with_page_rows) or [`with_page_bytes`](WriterOptions::with_page_bytes) get new
    /// pages in any case.
    #[must_use]
    pub fn new(writer: WriterOptions) -> Self {
        Self {
            writer,
            ..Self::default()
        }
    }

    /// Compresses all columns with this codec, also those whose encoding is already the best. Otherwise, each column
    /// keeps its compression, at the default level.
    #[must_use]
    pub fn with_compression(mut self, compression: Compression) -> Self {
        self.compression = Some(compression);
        self
    }

    /// Sets whether to read both files and compare every value before the new file appears under its name. The crate `parquet` decodes
    /// them, which shares no code with what wrote the new file; pages that it does not read are decoded as
    /// [`Reader`](crate::Reader) does. It takes other values than `Reader` from indices of dictionaries with runs of no values,
    /// which some writers make: files with these cannot be verified.
    #[must_use]
    pub fn with_verification(mut self, verification: bool) -> Self {
        self.verification = verification;
        self
    }

    /// Sets whether to replace a file that is read-only.
    #[must_use]
    pub fn with_force(mut self, force: bool) -> Self {
        self.force = force;
        self
    }

    /// Converts INT96 columns, an obsolete type for timestamps, to INT64. A file with a timestamp that the unit cannot
    /// express exactly is an error. INT96 columns are copied otherwise.
    #[must_use]
    pub fn with_int96_converted(mut self, unit: Int96Unit) -> Self {
        self.int96 = Some(unit);
        self
    }

    /// Gives all columns pages of this version, also those whose encoding is already the best. Otherwise, each column
    /// keeps the version that its pages have.
    #[must_use]
    pub fn with_data_page_version(mut self, version: DataPageVersion) -> Self {
        self.version = Some(version);
        self
    }

    /// How many threads work at the same time; by default as many as the machine has cores. The new file is the same
    /// for any number.
    #[must_use]
    pub fn with_threads(mut self, threads: NonZero<usize>) -> Self {
        self.threads = Some(threads);
        self
    }

    /// How many threads work, and how much they may have in memory: half of what the largest row group takes, because
    /// encoded pages come on top of values, but enough to keep them busy.
    pub(super) fn limits(&self, sizes: &Sizes, depth: usize) -> Limits {
        let half = (sizes.largest_raw / 2).max(LEAST_MEMORY);
        Limits {
            threads: self.threads.unwrap_or_else(all_cores),
            weight: half.min(sizes.limit / 2),
            depth,
        }
    }

    /// Limits the memory that the values of a column in a row group may take, and a page, in bytes. By default, the values may
    /// take 128 MiB and 1024 times the size of the column chunk; a column that takes more is copied. A page may take 64 bytes
    /// for each value of the chunk on top of that; a larger one is [`Problem::PageTooLarge`]. A row that no
    /// [`Reader`](crate::Reader) would have in a batch is [`Problem::MemoryLimit`].
    #[must_use]
    pub fn with_memory_limit(mut self, bytes: u64) -> Self {
        self.memory = MemoryLimit(Some(bytes));
        self
    }

    /// Calls this repeatedly, and each time before it continues with other columns, with the bytes of the old file that have been dealt with, and
    /// with the bytes of all columns; and, with all of them twice, at the end and repeatedly while values are
    /// compared. Returning `Break` cancels the work with [`Problem::Cancelled`].
    #[must_use]
    pub fn with_progress(
        mut self,
        progress: impl Fn(u64, u64) -> ControlFlow<()> + Send + Sync + 'static,
    ) -> Self {
        self.progress = Progress::new(progress);
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
            .field("force", &self.force)
            .field("int96", &self.int96)
            .field("version", &self.version)
            .field("threads", &self.threads)
            .field("memory", &self.memory)
            .finish_non_exhaustive()
    }
}

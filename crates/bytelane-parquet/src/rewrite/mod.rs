//! Existing files with better encodings.

mod checksums;
mod chunk;
mod encode;
mod index;
mod int96;
pub(crate) mod kinds;
pub(crate) mod measure;
mod output;
pub(crate) mod plan;
pub(crate) mod source;
mod target;
mod verify;
mod work;

use crate::budget::MemoryLimit;
use crate::format;
use crate::input::InputFile;
use crate::metadata::{MAGIC, encode_footer};
use crate::parallel::{Limits, all_cores, in_order};
use crate::stack::with_stack;
use crate::{DataPageVersion, Error, Problem, Result, WriterOptions};
use bytes::Bytes;
use chunk::{Chunk, Finished, Indexes};
pub use int96::Int96Unit;
use int96::convert_schema;
pub use output::NewFile;
use output::{Output, check_stream};
use parquet::basic::Compression;
use plan::Plan;
use serde::Serialize;
use source::{Reopen, RowGroup, Sizes, Source};
use std::cell::Cell;
use std::fmt;
use std::io::{BufWriter, Write};
use std::num::NonZero;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use target::Target;
use verify::verify;
use work::{Moved, Unit, Work, units};

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
    writer: WriterOptions,
    compression: Option<Compression>,
    verification: bool,
    force: bool,
    int96: Option<Int96Unit>,
    version: Option<DataPageVersion>,
    threads: Option<NonZero<usize>>,
    memory: MemoryLimit,
    progress: Option<Arc<Progress>>,
}

/// Bytes of values that may be in memory, however small the row groups are.
const LEAST_MEMORY: u64 = 8 << 20;

/// Is told how many bytes of the old file have been dealt with, and of how many, and can stop it.
type Progress = dyn Fn(u64, u64) -> ControlFlow<()> + Send + Sync;

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

    /// Whether to read both files and compare every value before the new file appears under its name.
    #[must_use]
    pub fn with_verification(mut self, verification: bool) -> Self {
        self.verification = verification;
        self
    }

    /// Whether to replace a file that is read-only.
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
    fn limits(&self, sizes: &Sizes, depth: usize) -> Limits {
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
        self.progress = Some(Arc::new(progress));
        self
    }

    /// Reports progress.
    fn report(&self, done: u64, total: u64) -> Result<()> {
        match &self.progress {
            Some(progress) if progress(done, total).is_break() => Err(Problem::Cancelled.into()),
            _ => Ok(()),
        }
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

/// What [`rewrite`] has done.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Rewritten {
    /// Bytes of the old file.
    pub bytes_before: u64,
    /// Bytes of the new file.
    pub bytes_after: u64,
    /// Whether every value was compared.
    pub verified: bool,
    /// What was done with the columns.
    pub columns: Vec<RewrittenColumn>,
}

/// What was done with a column.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RewrittenColumn {
    /// Its path; the names in it are joined by dots.
    pub path: String,
    /// The number of row groups that contain it.
    pub chunks: usize,
    /// The number of row groups in which it was re-encoded; in the others it was copied.
    pub rewritten: usize,
    /// The old state.
    pub before: ColumnState,
    /// The new state.
    pub after: ColumnState,
    /// Why it could not be re-encoded.
    pub obstacle: Option<String>,
}

impl RewrittenColumn {
    /// Adds what was done with the column in another row group.
    fn add(&mut self, moved: &Moved) {
        self.chunks += 1;
        self.rewritten += usize::from(moved.pages.is_some());
        self.before.add(&moved.before);
        self.after.add(&moved.after);
        if moved.obstacle.is_some() {
            self.obstacle.clone_from(&moved.obstacle);
        }
    }
}

/// How a column is stored, all row groups together.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ColumnState {
    /// Bytes in the file.
    pub bytes: u64,
    /// The encodings of its values.
    pub encodings: Vec<String>,
    /// Its compressions; with a level where it is known, because the pages are new.
    pub compressions: Vec<String>,
}

impl ColumnState {
    fn add(&mut self, chunk: &Self) {
        self.bytes += chunk.bytes;
        for (all, names) in [
            (&mut self.encodings, &chunk.encodings),
            (&mut self.compressions, &chunk.compressions),
        ] {
            for name in names {
                if !all.contains(name) {
                    all.push(name.clone());
                }
            }
        }
    }
}

/// Re-encodes the columns of a file that benefit, and copies the others unchanged.
///
/// Values stay the same bit for bit, and so do the schema with its field ids, row groups, sorting
/// columns, Bloom filters, statistics with the order in which they were made, key-value metadata and
/// whatever else the footer has. Indexes of pages are kept where there are some, and new pages have checksums where the
/// old ones have them. Columns are processed on several threads. The memory that is used depends on the largest row
/// group, not on the file; a column whose values would take more than 128 MiB and 1024 times its bytes is copied, too.
///
/// `output` may be `input`. The new file is written next to it, synced and renamed, so that a crash leaves the old file
/// intact; it gets the permissions of the file in whose place it comes, or of `input`. If `output` is a symbolic link,
/// the file that it points to is replaced. If it is one of several hard links to a file, the others keep the old file.
/// If it is a device or a named pipe, the new file is written to it.
///
/// # Errors
/// The file cannot be read, is not a Parquet file, is encrypted or damaged; there is no such column,
/// or an encoding was asked for that its type does not have; the new file cannot be written, or does
/// not hold the same values. `output` is then as it was, unless it is a device or a pipe. A file that is read-only is
/// not replaced, unless [`with_force`](RewriteOptions::with_force) asks for it.
///
/// # Example
/// ```no_run
/// use bytelane_parquet::rewrite::{RewriteOptions, rewrite};
///
/// let rewritten = rewrite("weather.parquet", "weather.parquet", &RewriteOptions::default())?;
/// println!("{} bytes became {}", rewritten.bytes_before, rewritten.bytes_after);
/// # Ok::<(), bytelane_parquet::Error>(())
/// ```
pub fn rewrite(
    input: impl AsRef<Path>,
    output: impl AsRef<Path>,
    options: &RewriteOptions,
) -> Result<Rewritten> {
    let (input, output) = (input.as_ref(), output.as_ref());
    let in_input = |error: Error| error.in_file(input);
    let in_output = |error: Error| error.in_file(output);
    let file = InputFile::open(input).map_err(in_input)?;
    let permissions = file.permissions().map_err(in_input)?;
    let source = Source::open(file).map_err(in_input)?;

    let new = Output::begin(output, Some(&permissions), options).map_err(in_output)?;
    let mut sink = BufWriter::new(new.file());
    let mut target = Target::new(&mut sink, output);
    let mut rewritten = rewrite_source(&source, &mut target, options).map_err(in_input)?;
    sink.flush().map_err(|error| in_output(error.into()))?;
    drop(sink);
    if let (true, Output::Beside { beside, .. }) = (options.verification, &new) {
        let after = beside.reopen().map_err(Error::from);
        let after = after.and_then(InputFile::new).and_then(Source::open);
        verify(&source, &after.map_err(in_output)?, options).map_err(in_output)?;
        rewritten.verified = true;
    }
    new.finish().map_err(in_output)?;
    Ok(rewritten)
}

/// [`rewrite`] to a stream, such as standard output. If this fails, a part of the new file may have been written.
///
/// # Errors
/// As [`rewrite`], and if `options` ask for verification: what was written cannot be read again.
pub fn rewrite_to(
    input: impl AsRef<Path>,
    output: &mut impl Write,
    options: &RewriteOptions,
) -> Result<Rewritten> {
    let in_input = |error: Error| error.in_file(input.as_ref());
    let in_output = |error: Error| error.in_file(Path::new(STREAM));
    check_stream(options).map_err(in_output)?;
    let file = InputFile::open(input.as_ref()).map_err(in_input)?;
    let source = Source::open(file).map_err(in_input)?;
    let mut sink = BufWriter::new(output);
    let mut target = Target::new(&mut sink, Path::new(STREAM));
    let rewritten = rewrite_source(&source, &mut target, options).map_err(in_input)?;
    sink.flush().map_err(|error| in_output(error.into()))?;
    Ok(rewritten)
}

/// What errors of [`rewrite_to`] call the stream.
pub const STREAM: &str = "output";

/// [`rewrite`] for a file in memory; returns the new one.
///
/// # Errors
/// As [`rewrite`].
pub fn rewrite_bytes(file: Bytes, options: &RewriteOptions) -> Result<(Bytes, Rewritten)> {
    let source = Source::open(file)?;
    let mut bytes = Vec::new();
    let mut target = Target::new(&mut bytes, Path::new("memory"));
    let mut rewritten = rewrite_source(&source, &mut target, options)?;
    let bytes = Bytes::from(bytes);
    if options.verification {
        verify(&source, &Source::open(bytes.clone())?, options)?;
        rewritten.verified = true;
    }
    Ok((bytes, rewritten))
}

fn rewrite_source<R: Reopen>(
    source: &Source<R>,
    target: &mut Target<'_>,
    options: &RewriteOptions,
) -> Result<Rewritten> {
    let plan = with_stack(source.depth, || Plan::new(source.file_metadata(), options))?;
    let sizes = source.sizes(options.memory)?;
    target.write(MAGIC)?;
    let mut new = New {
        source,
        columns: plan.columns(),
        row_groups: Vec::new(),
        chunks: Vec::new(),
        target,
    };
    let work = Work {
        source,
        plan: &plan,
        options,
    };
    let done = Cell::new(0);
    in_order(
        options.limits(&sizes, source.depth),
        units(source),
        |unit| {
            let unit = unit?;
            let moved = work.done(&unit)?;
            Ok((unit, moved))
        },
        |(unit, moved)| {
            options.report(done.get(), sizes.stored)?;
            done.set(done.get() + unit.stored);
            new.add(&unit, moved)
        },
        || options.report(done.get(), sizes.stored),
    )?;
    let columns = new.finish(options)?;
    options.report(sizes.stored, sizes.stored)?;
    Ok(Rewritten {
        bytes_before: source.reader.len(),
        bytes_after: target.position(),
        verified: false,
        columns,
    })
}

/// The new file while it is written.
struct New<'a, 'b, R> {
    source: &'a Source<R>,
    target: &'a mut Target<'b>,
    columns: Vec<RewrittenColumn>,
    /// The row groups that are complete.
    row_groups: Vec<FinishedRowGroup>,
    /// The chunks of the next one.
    chunks: Vec<Chunk>,
}

/// A row group that is in the file but for the indexes of its pages.
struct FinishedRowGroup {
    /// Without its columns.
    described: format::RowGroup,
    chunks: Vec<Finished>,
}

impl<R: Reopen> New<'_, '_, R> {
    /// Writes the next columns.
    fn add(&mut self, unit: &Unit, moved: Vec<Moved>) -> Result<()> {
        let in_group = |error: Error| error.in_row_group(unit.row_group.index);
        for moved in moved {
            self.add_chunk(moved).map_err(in_group)?;
        }
        match unit.roots.end == self.source.roots.len() {
            true => self.end_row_group(&unit.row_group).map_err(in_group),
            false => Ok(()),
        }
    }

    fn add_chunk(&mut self, moved: Moved) -> Result<()> {
        let column = &mut self.columns[moved.leaf];
        column.add(&moved);
        let mut chunk = moved.chunk;
        let written = match &moved.pages {
            Some(bytes) => chunk.write_pages(bytes, self.target),
            None => chunk.write_pages(&self.source.reader, self.target),
        };
        written.map_err(|error| error.in_column(&column.path))?;
        self.chunks.push(chunk);
        Ok(())
    }

    fn end_row_group(&mut self, row_group: &RowGroup) -> Result<()> {
        let mut chunks = std::mem::take(&mut self.chunks);
        for chunk in &mut chunks {
            chunk.write_bloom_filter(&self.source.reader, self.target)?;
        }
        let described = described(&row_group.described, &chunks);
        let chunks = chunks.into_iter().map(Chunk::finish);
        self.row_groups.push(FinishedRowGroup {
            described,
            chunks: chunks.collect::<Result<_>>()?,
        });
        Ok(())
    }

    /// Writes the indexes of pages and the footer.
    fn finish(mut self, options: &RewriteOptions) -> Result<Vec<RewrittenColumn>> {
        let mut indexes: Vec<Indexes> = Vec::new();
        for chunk in self.row_groups.iter_mut().flat_map(|it| &mut it.chunks) {
            indexes.push(chunk.write_column_index(self.target)?);
        }
        let chunks = self.row_groups.iter_mut().flat_map(|it| &mut it.chunks);
        for (chunk, indexes) in chunks.zip(&mut indexes) {
            chunk.write_offset_index(indexes, self.target)?;
        }
        let mut indexes = indexes.into_iter();
        let mut footer = self.source.footer.clone();
        footer.row_groups.clear();
        for row_group in self.row_groups {
            let mut described = row_group.described;
            let chunks = row_group.chunks.iter().zip(indexes.by_ref());
            let chunks = chunks.map(|(chunk, indexes)| chunk.described(indexes));
            described.columns = chunks.collect::<Result<_>>()?;
            footer.row_groups.push(described);
        }
        if let Some(unit) = options.int96 {
            convert_schema(&mut footer, unit)?;
        }
        self.target.write(&encode_footer(&footer)?)?;
        Ok(self.columns)
    }
}

/// What the footer says of a row group whose chunks have been moved, without these.
fn described(row_group: &format::RowGroup, chunks: &[Chunk]) -> format::RowGroup {
    let starts = chunks.iter().map(|chunk| chunk.range().start);
    let start = starts.min().unwrap_or(0) as i64;
    let compressed = chunks.iter().map(Chunk::bytes).sum::<u64>() as i64;
    let uncompressed = chunks.iter().map(Chunk::uncompressed);
    format::RowGroup {
        columns: Vec::new(),
        total_byte_size: uncompressed.fold(0, i64::saturating_add),
        file_offset: row_group.file_offset.map(|_| start),
        total_compressed_size: row_group.total_compressed_size.map(|_| compressed),
        ..row_group.clone()
    }
}

//! Existing files with better encodings.

mod chunk;
mod encode;
pub(crate) mod kinds;
mod output;
pub(crate) mod plan;
mod source;
mod target;
mod verify;

use crate::allowance::{Allowance, TOO_LARGE};
use crate::contained::contained;
use crate::input::open;
use crate::metadata::{Fields, MAGIC, chunk_range, encoding_name};
use crate::{Error, Problem, Result, WriterOptions, compression_name};
use bytes::Bytes;
use chunk::{Chunk, damaged};
use encode::{COLUMNS, Encoded, ROW_GROUPS};
use kinds::PageKinds;
pub use output::NewFile;
use output::{Output, check_stream};
use parquet::basic::Compression;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use plan::{Old, Plan, Wish};
use serde::Serialize;
use source::{Reopen, Source};
use std::fmt;
use std::io::{BufWriter, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use target::Target;
use verify::verify;

/// Fields of `RowGroup` in parquet.thrift, besides its columns.
const TOTAL_BYTE_SIZE: i16 = 2;
const FILE_OFFSET: i16 = 5;
const TOTAL_COMPRESSED_SIZE: i16 = 6;

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
    progress: Option<Arc<Progress>>,
}

/// Is told how many bytes of the old file have been dealt with, and of how many, and can stop it.
type Progress = dyn Fn(u64, u64) -> ControlFlow<()> + Send + Sync;

impl RewriteOptions {
    /// Columns are encoded as this writer would: its encodings, goal, readers, pages and backend
    /// count. What it says of compression for the whole file, of statistics, Bloom filters, row groups
    /// and the footer does not: these stay as they are in the file.
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

    /// Calls this before each column of each row group with the bytes of the old file that have been dealt with, and
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

/// How a column is stored, all row groups together.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ColumnState {
    /// Bytes in the file.
    pub bytes: u64,
    /// The encodings of its values.
    pub encodings: Vec<String>,
    /// Its compressions.
    pub compressions: Vec<String>,
}

impl ColumnState {
    fn add(&mut self, chunk: &ColumnChunkMetaData, kinds: &PageKinds) {
        self.bytes += stored(chunk);
        let compression = compression_name(chunk.compression());
        for name in kinds.encodings.iter().copied().map(encoding_name) {
            if !self.encodings.contains(&name) {
                self.encodings.push(name);
            }
        }
        if !self.compressions.contains(&compression) {
            self.compressions.push(compression);
        }
    }
}

/// Re-encodes the columns of a file that benefit, and copies the others unchanged.
///
/// Values stay the same bit for bit, and so do the schema with its field ids, row groups, sorting
/// columns, Bloom filters, statistics with the order in which they were made, key-value metadata and
/// whatever else the footer has. Indexes of pages are kept where there are some. The memory that is
/// used depends on the largest column of a row group, not on the file; a column whose values would take more than
/// 128 MiB and 1024 times its bytes is copied, too.
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
    let file = open(input).map_err(in_input)?;
    let permissions = file
        .metadata()
        .map_err(|error| in_input(error.into()))?
        .permissions();
    let source = Source::open(file).map_err(in_input)?;

    let new = Output::begin(output, Some(&permissions), options).map_err(in_output)?;
    let mut sink = BufWriter::new(new.file());
    let mut target = Target::new(&mut sink, output);
    let mut rewritten = rewrite_source(&source, &mut target, options).map_err(in_input)?;
    sink.flush().map_err(|error| in_output(error.into()))?;
    drop(sink);
    if let (true, Output::Beside { beside, .. }) = (options.verification, &new) {
        let after = beside.reopen().map_err(Error::from).and_then(Source::open);
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
    let file = open(input.as_ref()).map_err(in_input)?;
    let source = Source::open(file).map_err(in_input)?;
    let mut sink = BufWriter::new(output);
    let mut target = Target::new(&mut sink, Path::new(STREAM));
    let rewritten = rewrite_source(&source, &mut target, options).map_err(in_input)?;
    sink.flush().map_err(|error| in_output(error.into()))?;
    Ok(rewritten)
}

/// What errors call a stream.
const STREAM: &str = "output";

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
    let plan = Plan::new(source.metadata(), options)?;
    let (mut fields, _) = Fields::read(&source.footer.bytes).map_err(damaged)?;
    let row_groups = fields.structures(ROW_GROUPS).map_err(damaged)?;
    let mut work = Work {
        columns: plan.columns(),
        done: 0,
        total: all_stored(source.metadata()),
        source,
        plan,
        options,
    };
    target.write(MAGIC)?;
    let mut moved = Vec::new();
    for (index, row_group) in row_groups.into_iter().enumerate() {
        let chunks = work
            .move_row_group(index, &row_group, target)
            .map_err(|error| error.in_row_group(index))?;
        moved.push((row_group, chunks));
    }
    for chunk in moved.iter_mut().flat_map(|(_, chunks)| chunks) {
        chunk.write_column_index(target)?;
    }
    for chunk in moved.iter_mut().flat_map(|(_, chunks)| chunks) {
        chunk.write_offset_index(target)?;
    }
    let row_groups = moved
        .into_iter()
        .map(|(fields, chunks)| described(fields, chunks));
    let row_groups = row_groups.collect::<Result<Vec<_>>>()?;
    fields
        .set_structures(ROW_GROUPS, &row_groups)
        .map_err(damaged)?;
    write_footer(&fields, target)?;
    options.report(work.total, work.total)?;
    Ok(Rewritten {
        bytes_before: source.reader.len(),
        bytes_after: target.position(),
        verified: false,
        columns: work.columns,
    })
}

/// What the footer says of a row group whose chunks have been moved.
fn described(mut row_group: Fields, chunks: Vec<Chunk>) -> Result<Fields> {
    let start = chunks
        .iter()
        .map(|chunk| chunk.range().start)
        .min()
        .unwrap_or(0);
    let compressed: u64 = chunks.iter().map(Chunk::bytes).sum();
    let uncompressed = chunks
        .iter()
        .map(Chunk::uncompressed)
        .sum::<Result<i64>>()?;
    row_group
        .set(TOTAL_BYTE_SIZE, &uncompressed)
        .map_err(damaged)?;
    for (field, value) in [(FILE_OFFSET, start), (TOTAL_COMPRESSED_SIZE, compressed)] {
        if row_group.has(field) {
            row_group.set(field, &(value as i64)).map_err(damaged)?;
        }
    }
    let chunks = chunks
        .into_iter()
        .map(Chunk::into_fields)
        .collect::<Result<Vec<_>>>()?;
    row_group
        .set_structures(COLUMNS, &chunks)
        .map_err(damaged)?;
    Ok(row_group)
}

fn write_footer(fields: &Fields, target: &mut Target<'_>) -> Result<()> {
    let footer = fields.write().map_err(damaged)?;
    let length = u32::try_from(footer.len())
        .map_err(|_| Error::corrupt("the footer is larger than 4 GiB"))?;
    target.write(&footer)?;
    target.write(&length.to_le_bytes())?;
    target.write(MAGIC)?;
    Ok(())
}

/// A file on its way.
struct Work<'a, R> {
    source: &'a Source<R>,
    plan: Plan<'a>,
    options: &'a RewriteOptions,
    columns: Vec<RewrittenColumn>,
    /// Bytes of the columns that have been dealt with.
    done: u64,
    /// Bytes of all columns.
    total: u64,
}

/// Bytes of a chunk in the file.
fn stored(chunk: &ColumnChunkMetaData) -> u64 {
    u64::try_from(chunk.compressed_size()).unwrap_or(0)
}

/// Bytes of all chunks in the file.
fn all_stored(metadata: &ParquetMetaData) -> u64 {
    let groups = metadata.row_groups().iter();
    groups.flat_map(|group| group.columns()).map(stored).sum()
}

impl<R: Reopen> Work<'_, R> {
    /// Copies the chunks of a row group, or writes better ones in their place.
    fn move_row_group(
        &mut self,
        index: usize,
        row_group: &Fields,
        target: &mut Target<'_>,
    ) -> Result<Vec<Chunk>> {
        let fields = row_group.structures(COLUMNS).map_err(damaged)?;
        let described = self.source.metadata().row_group(index);
        let (described, rows) = (described.columns(), described.num_rows());
        if fields.len() != described.len() {
            return Err(Error::corrupt(
                "the footer describes columns that differ from its schema",
            ));
        }
        let mut fields = fields.into_iter();
        let mut chunks = Vec::new();
        for (root, leaves) in self.plan.roots().into_iter().enumerate() {
            let described = &described[leaves.clone()];
            self.proceed(described)?;
            let olds = described.iter().zip(fields.by_ref()).zip(leaves.clone());
            let olds = olds.map(|((described, fields), leaf)| {
                self.old(described, fields, leaf, rows)
                    .map_err(|error| error.in_column(described.column_path().string()))
            });
            let olds = olds.collect::<Result<Vec<_>>>()?;
            let name = &described[0].column_path().parts()[0];
            let moved = self.move_column(index, root, olds, target);
            chunks.extend(moved.map_err(|error| error.in_column(name))?);
        }
        for chunk in &mut chunks {
            chunk.write_bloom_filter(&self.source.reader, target)?;
        }
        Ok(chunks)
    }

    /// A chunk as it is, and what is wanted for it.
    fn old<'b>(
        &self,
        described: &'b ColumnChunkMetaData,
        fields: Fields,
        leaf: usize,
        rows: i64,
    ) -> Result<Old<'b>> {
        let reader = &self.source.reader;
        let range = chunk_range(described, reader.len())?;
        let kinds = PageKinds::of(reader, described, range.clone())?;
        let (values, flat) = (
            described.num_values(),
            described.column_descr().max_rep_level() == 0,
        );
        if values < 0 || (flat && values != rows) {
            let problem =
                format!("the column has {values} values, but its row group has {rows} rows");
            return Err(Error::corrupt(problem));
        }
        Ok(Old {
            leaf,
            wish: self.plan.wish(described, &kinds),
            kinds,
            described,
            chunk: Chunk::new(fields, range, reader)?,
        })
    }

    /// Copies the chunks of a column in a row group, or writes better ones in their place.
    fn move_column(
        &mut self,
        row_group: usize,
        root: usize,
        mut olds: Vec<Old<'_>>,
        target: &mut Target<'_>,
    ) -> Result<Vec<Chunk>> {
        let rows = self.source.metadata().row_group(row_group).num_rows();
        let rows = usize::try_from(rows).unwrap_or(0);
        let encoded = match self.plan.writer(&olds, rows) {
            Some(options) => match self.encode(row_group, root, &olds, options)? {
                Ok(encoded) => Some(encoded),
                Err(obstacle) => {
                    for old in &mut olds {
                        old.wish = Wish::Cannot(obstacle.to_owned());
                    }
                    None
                }
            },
            None => None,
        };
        let mut chunks = Vec::new();
        for (index, mut old) in olds.into_iter().enumerate() {
            let column = &mut self.columns[old.leaf];
            column.chunks += 1;
            column.before.add(old.described, &old.kinds);
            if let Wish::Cannot(why) = &old.wish {
                column.obstacle = Some(why.clone());
            }
            let new = encoded
                .as_ref()
                .map(|encoded| encoded.new_chunk(index))
                .transpose()?;
            match new.filter(|new| self.plan.takes(&old, new)) {
                Some(new) => {
                    column.rewritten += 1;
                    column.after.add(new.described, &new.kinds);
                    old.chunk.take_pages(new.chunk);
                    old.chunk.write_pages(new.reader, target)?;
                }
                None => {
                    column.after.add(old.described, &old.kinds);
                    old.chunk.write_pages(&self.source.reader, target)?;
                }
            }
            chunks.push(old.chunk);
        }
        Ok(chunks)
    }

    /// The re-encoded chunks of a column in a row group, or why that fails.
    fn encode(
        &self,
        row_group: usize,
        root: usize,
        olds: &[Old<'_>],
        options: WriterOptions,
    ) -> Result<std::result::Result<Encoded, &'static str>> {
        let allowance = Allowance::of(olds.iter().map(|old| old.chunk.bytes()).sum());
        match olds.iter().all(|old| allowance.has_room_for(old.described)) {
            true => contained(|| self.source.encode(row_group, root, allowance, options)),
            false => Ok(Err(TOO_LARGE)),
        }
    }

    /// Reports the progress before it continues with these.
    fn proceed(&mut self, chunks: &[ColumnChunkMetaData]) -> Result<()> {
        self.options.report(self.done, self.total)?;
        self.done += chunks.iter().map(stored).sum::<u64>();
        Ok(())
    }
}

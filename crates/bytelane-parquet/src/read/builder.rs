//! What to read from a file, and how.

use super::Reader;
use super::arrow::{ArrowFooter, in_arrow};
use super::in_flight::InFlight;
use super::input::Input;
use super::kept::{Kept, least_bits};
use super::row_group::Settings;
use super::rows::{Rows, selected};
use super::schema::Plan;
use crate::budget::{MemoryLimit, batch_rows, check_widths};
use crate::catch_panic::catch_panic;
use crate::file::{OpenFooter, RowGroups, open_columns, open_footer};
use crate::input::InputFile;
use crate::options::is_within;
use crate::stack::{depth_of, stack_size, with_stack};
use crate::{Error, Problem, Result};
use arrow_array::RecordBatchReader;
use arrow_schema::SchemaRef;
use bytelane::Detected;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder, RowSelection,
};
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::ChunkReader;
use parquet::schema::types::SchemaDescriptor;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Chooses what a [`Reader`] reads. Its functions are those of the crate `parquet`'s
/// [`ParquetRecordBatchReaderBuilder`], and some more.
pub struct ReaderBuilder<T> {
    input: Arc<T>,
    file: Option<PathBuf>,
    /// Schema of the file. Its row groups may be missing here.
    metadata: ArrowReaderMetadata,
    /// Row groups of the file.
    in_file: RowGroups,
    projection: ProjectionMask,
    row_groups: Option<Vec<usize>>,
    selection: Option<RowSelection>,
    offset: usize,
    limit: Option<usize>,
    batch_size: usize,
    backend: Detected,
    threads: NonZero<usize>,
    memory: MemoryLimit,
    keeps_batches: bool,
}

/// Bytes of batches that may wait for those before them: a few row groups of a million rows.
const AHEAD: u64 = 512 << 20;

/// Bytes of a page, and of a value in an array, that most columns do not exceed.
const USUAL_PAGE: u64 = 2 << 20;
const USUAL_VALUE: u64 = 32;

impl ReaderBuilder<InputFile> {
    /// Opens a file and reads its footer. Errors will name it.
    ///
    /// # Errors
    ///
    /// [`Problem::Io`] if it cannot be opened, [`Problem::Corrupt`] if it is not a Parquet file,
    /// [`Problem::Unsupported`] if it is encrypted.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        InputFile::open(path)
            .and_then(Self::try_new)
            .map(|builder| builder.named(path))
            .map_err(|error| error.in_file(path))
    }

    /// Opens a file of which only these columns are needed:
    /// [`try_new_with_columns`](Self::try_new_with_columns). Errors will name it.
    ///
    /// # Errors
    ///
    /// Those of [`open`](Self::open), and [`Problem::NoSuchColumn`].
    pub fn open_with_columns<'a>(
        path: impl AsRef<Path>,
        columns: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self> {
        let path = path.as_ref();
        InputFile::open(path)
            .and_then(|file| Self::try_new_with_columns(file, columns))
            .map(|builder| builder.named(path))
            .map_err(|error| error.in_file(path))
    }

    fn named(mut self, path: &Path) -> Self {
        self.file = Some(path.to_owned());
        self
    }
}

impl<T: ChunkReader + 'static> ReaderBuilder<T> {
    /// Reads the footer. Columns have the types of the Arrow schema in the file, if there is one that fits them and changes no
    /// values. Otherwise, INTERVAL is an interval of months, days and nanoseconds, so that no part of it is lost. Columns of the
    /// logical types UUID and JSON have the extension types `arrow.uuid` and `arrow.json`, as in pyarrow.
    ///
    /// Where an annotation does not fit a column, or Arrow has no type for it, the physical type takes its place.
    ///
    /// # Errors
    ///
    /// [`Problem::Corrupt`] if it is not a Parquet file, [`Problem::Unsupported`] if it is encrypted.
    pub fn try_new(input: T) -> Result<Self> {
        let footer = open_footer(&input)?;
        Self::of_footer(input, footer)
    }

    /// As [`try_new`](Self::try_new) and [`with_columns`](Self::with_columns), of a file that has many other columns: these are
    /// passed over in the footer, and [`schema`](Self::schema) and [`metadata`](Self::metadata) lack them. A column within a
    /// group stays with all of the group.
    ///
    /// ```
    /// use arrow_array::{ArrayRef, Int32Array, RecordBatch};
    /// use bytelane_parquet::{ReaderBuilder, Writer, WriterOptions};
    /// use bytes::Bytes;
    /// use std::sync::Arc;
    ///
    /// let numbers: ArrayRef = Arc::new(Int32Array::from_iter_values(0..10));
    /// let columns = (0..1000).map(|index| (format!("column_{index}"), Arc::clone(&numbers)));
    /// let batch = RecordBatch::try_from_iter(columns)?;
    /// let mut file = Vec::new();
    /// let mut writer = Writer::try_new(&mut file, batch.schema(), WriterOptions::default())?;
    /// writer.write(&batch)?;
    /// writer.close()?;
    ///
    /// let builder = ReaderBuilder::try_new_with_columns(Bytes::from(file), ["column_7", "column_70"])?;
    /// assert_eq!(builder.metadata().row_group(0).num_columns(), 2);
    /// assert_eq!(builder.build()?.next().transpose()?, Some(batch.project(&[7, 70])?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of both.
    pub fn try_new_with_columns<'a>(
        input: T,
        paths: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self> {
        let paths: Vec<&str> = paths.into_iter().collect();
        let footer = open_columns(&input, &paths)?;
        Self::of_footer(input, footer)?.with_columns(paths)
    }

    fn of_footer(input: T, footer: OpenFooter) -> Result<Self> {
        let (row_groups, metadata) = ArrowFooter::new(footer)?.usual_types()?;
        Self::checked(input, row_groups, metadata)
    }

    /// Reads the footer; the options say which Arrow types the columns get.
    ///
    /// # Errors
    ///
    /// Those of [`try_new`](Self::try_new); [`Problem::Parquet`] if the columns cannot have these types.
    pub fn try_new_with_options(input: T, options: ArrowReaderOptions) -> Result<Self> {
        let ArrowFooter { footer, .. } = ArrowFooter::new(open_footer(&input)?)?;
        let metadata = in_arrow(&footer, options)?;
        Self::checked(input, footer.row_groups, metadata)
    }

    pub(super) fn checked(
        input: T,
        row_groups: RowGroups,
        metadata: ArrowReaderMetadata,
    ) -> Result<Self> {
        check_widths(metadata.parquet_schema().columns().iter(), input.len())?;
        Ok(Self {
            in_file: row_groups,
            ..Self::new_with_metadata(input, metadata)
        })
    }

    /// Reads an input whose footer has been read.
    pub fn new_with_metadata(input: T, metadata: ArrowReaderMetadata) -> Self {
        Self {
            input: Arc::new(input),
            file: None,
            in_file: RowGroups::Decoded(Arc::clone(metadata.metadata())),
            metadata,
            projection: ProjectionMask::all(),
            row_groups: None,
            selection: None,
            offset: 0,
            limit: None,
            batch_size: 65_536,
            backend: Detected::active(),
            threads: NonZero::<usize>::MIN,
            memory: MemoryLimit::default(),
            keeps_batches: false,
        }
    }

    /// The schema of the whole file.
    #[must_use]
    pub fn schema(&self) -> &SchemaRef {
        self.metadata.schema()
    }

    /// Returns the footer. Of most files, this decodes all column chunks when it is called for the first time.
    #[must_use]
    pub fn metadata(&self) -> &Arc<ParquetMetaData> {
        self.in_file.metadata()
    }

    /// The schema of the whole file, as Parquet has it.
    #[must_use]
    pub fn parquet_schema(&self) -> &SchemaDescriptor {
        self.metadata.parquet_schema()
    }

    /// How deep the columns are nested in Arrow, which is at least as deep as they are in the file without groups that
    /// have no leaves.
    fn depth(&self) -> usize {
        2 * depth_of(self.schema().fields().iter().map(AsRef::as_ref))
    }

    /// The maximum number of rows of a batch, 65,536 by default. Batches with values larger than 1 KiB have fewer.
    #[must_use]
    pub fn with_batch_size(mut self, rows: usize) -> Self {
        self.batch_size = rows;
        self
    }

    /// The leaves to read; all by default.
    #[must_use]
    pub fn with_projection(mut self, projection: ProjectionMask) -> Self {
        self.projection = projection;
        self
    }

    /// The columns to read, by the paths of leaves or groups; batches have them in the order of the file.
    ///
    /// # Errors
    ///
    /// [`Problem::NoSuchColumn`].
    pub fn with_columns<'a>(self, paths: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let schema = self.metadata.parquet_schema();
        let mut leaves = Vec::new();
        for path in paths {
            let found = schema.columns().iter().enumerate();
            let found = found.filter(|(_, column)| is_within(column.path(), path));
            let before = leaves.len();
            leaves.extend(found.map(|(index, _)| index));
            if leaves.len() == before {
                return Err(Problem::NoSuchColumn(path.to_owned()).into());
            }
        }
        let projection = ProjectionMask::leaves(schema, leaves);
        Ok(self.with_projection(projection))
    }

    /// The row groups to read, in this order; all by default.
    #[must_use]
    pub fn with_row_groups(mut self, row_groups: Vec<usize>) -> Self {
        self.row_groups = Some(row_groups);
        self
    }

    /// The rows to read of these row groups, counted from the first of them on; all by default. Pages without such rows
    /// are passed over; of files with an offset index, they are not even read.
    ///
    /// ```
    /// use arrow_array::{Int32Array, RecordBatch};
    /// use bytelane_parquet::parquet::arrow::arrow_reader::{RowSelection, RowSelector};
    /// use bytelane_parquet::{Reader, Writer, WriterOptions};
    /// use bytes::Bytes;
    /// use std::sync::Arc;
    ///
    /// let numbers = Int32Array::from_iter_values(0..1000);
    /// let batch = RecordBatch::try_from_iter([("number", Arc::new(numbers) as _)])?;
    /// let mut file = Vec::new();
    /// let mut writer = Writer::try_new(&mut file, batch.schema(), WriterOptions::default())?;
    /// writer.write(&batch)?;
    /// writer.close()?;
    ///
    /// let rows = RowSelection::from(vec![RowSelector::skip(300), RowSelector::select(2)]);
    /// let mut reader = Reader::builder(Bytes::from(file))?.with_row_selection(rows).build()?;
    /// assert_eq!(reader.next().transpose()?, Some(batch.slice(300, 2)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_row_selection(mut self, selection: RowSelection) -> Self {
        self.selection = Some(selection);
        self
    }

    /// Passes over as many of the selected rows; 0 by default.
    #[must_use]
    pub fn with_offset(mut self, rows: usize) -> Self {
        self.offset = rows;
        self
    }

    /// The maximum number of rows to read, of those after the offset; all by default.
    #[must_use]
    pub fn with_limit(mut self, rows: usize) -> Self {
        self.limit = Some(rows);
        self
    }

    /// How many threads decode; one by default, which is that of the caller. Several row groups are decoded at the same time,
    /// and the columns of a batch. Batches come in the same order: up to 512 MiB of them wait for those before them, or half
    /// of what [`with_memory_limit`](Self::with_memory_limit) allows.
    #[must_use]
    pub fn with_threads(mut self, threads: NonZero<usize>) -> Self {
        self.threads = threads;
        self
    }

    /// Limits the memory that is taken at a time, in bytes: by pages, dictionaries, levels, and the arrays of a batch, of all
    /// columns together. Batches whose rows would take more have fewer; a row that takes more is
    /// [`Problem::MemoryLimit`].
    ///
    /// A file is untrusted input: pages, strings that a dictionary repeats, and lists of nulls can be any number of times
    /// larger than their bytes in the file. By default, 2 GiB and 1024 times the size of the file are the limit, but no
    /// more than three quarters of the memory that the process may have; and a page may have 128 MiB, 1024 times the size of
    /// its column chunk, and 64 bytes for each value of that, or is [`Problem::PageTooLarge`].
    #[must_use]
    pub fn with_memory_limit(mut self, bytes: u64) -> Self {
        self.memory = MemoryLimit(Some(bytes));
        self
    }

    /// Sets whether the caller keeps all batches, as where a whole table is read. They may then take as much memory together as
    /// [`with_memory_limit`](Self::with_memory_limit) says; by default, 8 GiB and 1024 times the size of the file, but no more
    /// than three quarters of the memory that the process may have. More is [`Problem::MemoryLimit`], before anything is
    /// read if it is known from the footer.
    ///
    /// ```
    /// use arrow_array::{Int64Array, RecordBatch};
    /// use bytelane_parquet::{Problem, Reader, Writer, WriterOptions};
    /// use bytes::Bytes;
    /// use std::sync::Arc;
    ///
    /// let numbers = Int64Array::from_iter_values(0..100_000);
    /// let batch = RecordBatch::try_from_iter([("number", Arc::new(numbers) as _)])?;
    /// let mut file = Vec::new();
    /// let mut writer = Writer::try_new(&mut file, batch.schema(), WriterOptions::default())?;
    /// writer.write(&batch)?;
    /// writer.close()?;
    ///
    /// let builder = Reader::builder(Bytes::from(file))?.with_batches_kept(true);
    /// let batches = builder.clone().build()?.collect::<Result<Vec<_>, _>>()?;
    /// assert_eq!(batches.len(), 2);
    /// let error = builder.with_memory_limit(500_000).build().unwrap_err();
    /// assert!(matches!(error.problem(), Problem::MemoryLimit { limit: 500_000 }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_batches_kept(mut self, kept: bool) -> Self {
        self.keeps_batches = kept;
        self
    }

    /// The instruction set of the kernels.
    #[must_use]
    pub fn with_backend(mut self, backend: Detected) -> Self {
        self.backend = backend;
        self
    }

    /// Starts reading.
    ///
    /// # Errors
    ///
    /// [`Problem::Option`] for a row group that does not exist, and for batches of 0 rows; [`Problem::Unsupported`] for
    /// columns nested more than 255 levels deep; [`Problem::MemoryLimit`] if all batches are kept, and take more.
    pub fn build(self) -> Result<Reader> {
        with_stack(self.depth(), || self.build_here())
    }

    fn build_here(self) -> Result<Reader> {
        if self.batch_size == 0 {
            return Err(Problem::Option("a batch cannot have 0 rows".to_owned()).into());
        }
        let row_groups = self.row_groups()?;
        let schema = self.projected()?;
        let depth = self.depth();
        let in_file = self.metadata.parquet_schema();
        let plan = Plan::new(in_file, &self.projection, schema.fields())?;
        let leaves = plan.leaves.iter();
        let leaves = leaves.map(|leaf| &in_file.columns()[leaf.column]);
        let limit = self.memory.of_read(self.input.len());
        let batch_size = batch_rows(self.batch_size, leaves, limit);
        let kept = self.kept(&plan, &row_groups)?;
        let width = self.width(&plan, &row_groups, batch_size, limit);
        let in_flight = InFlight::new(row_groups, width);
        let (memory, ahead) = match in_flight.width() {
            1 => (limit, 0),
            width => (limit / 2 / width as u64, AHEAD.min(limit / 2)),
        };
        let settings = Settings {
            input: Input::new(Arc::clone(&self.input)),
            batch_size,
            schema,
            plan,
            backend: self.backend,
            limit: self.memory,
            memory,
            ahead,
            pool: pool(self.threads, depth)?,
            depth,
        };
        Ok(Reader {
            file: self.file,
            row_groups: self.in_file,
            settings: Arc::new(settings),
            in_flight,
            kept,
        })
    }

    /// Returns the limit of batches that are kept; an error if they will take more.
    fn kept(&self, plan: &Plan, row_groups: &[(usize, Rows)]) -> Result<Option<Kept>> {
        if !self.keeps_batches {
            return Ok(None);
        }
        let kept = Kept::new(self.memory.of_table(self.input.len()));
        let rows = row_groups.iter().map(|(_, rows)| rows.wanted() as u64);
        let rows = rows.fold(0, u64::saturating_add);
        // A list may have no slots, however many rows there are.
        let flat = plan.leaves.iter();
        let flat = flat.filter(|leaf| leaf.levels.max_repetition == 0);
        let bits = flat.map(|leaf| least_bits(&leaf.data_type)).sum::<u64>();
        kept.check(rows.saturating_mul(bits) / 8)?;
        Ok(Some(kept))
    }

    /// How many row groups are read at the same time: two for each thread, so that none waits for the last columns of a batch,
    /// if half of the memory is enough for pages and values of usual size.
    fn width(
        &self,
        plan: &Plan,
        row_groups: &[(usize, Rows)],
        batch_size: usize,
        limit: u64,
    ) -> usize {
        let threads = self.threads.get();
        if threads == 1 {
            return 1;
        }
        let leaves = plan.leaves.iter();
        let bytes = row_groups.iter().map(|(row_group, _)| {
            let bytes = leaves.clone().map(|leaf| {
                let size = self.in_file.uncompressed_size(*row_group, leaf.column);
                size.map_or(0, |size| u64::try_from(size).unwrap_or(0))
            });
            let pages = bytes.map(|bytes| bytes.min(USUAL_PAGE)).sum::<u64>();
            let rows = usize::try_from(self.in_file.rows(*row_group)).unwrap_or(0);
            let values = rows.min(batch_size).saturating_mul(plan.leaves.len()) as u64;
            pages.saturating_add(values.saturating_mul(USUAL_VALUE))
        });
        let each = bytes.max().unwrap_or(0).max(1);
        let most = threads.saturating_mul(2);
        usize::try_from(limit / 2 / each).map_or(most, |width| width.clamp(1, most))
    }

    /// The row groups that have wanted rows, and these.
    fn row_groups(&self) -> Result<Vec<(usize, Rows)>> {
        let count = self.in_file.count();
        let row_groups = self.row_groups.clone();
        let row_groups = row_groups.unwrap_or_else(|| (0..count).collect());
        if let Some(beyond) = row_groups.iter().find(|index| **index >= count) {
            let problem = format!("the file has no row group {beyond}, only {count} row groups");
            return Err(Problem::Option(problem).into());
        }
        let lengths = row_groups.iter().map(|index| {
            let rows = usize::try_from(self.in_file.rows(*index));
            let negative = || Error::corrupt("a row group with a negative number of rows");
            rows.map_err(|_| negative().in_row_group(*index))
        });
        let lengths: Vec<usize> = lengths.collect::<Result<_>>()?;
        let limit = self.limit.unwrap_or(usize::MAX);
        let rows = selected(&lengths, self.selection.as_ref(), self.offset, limit);
        let row_groups = row_groups.into_iter().zip(rows);
        Ok(row_groups.filter(|(_, rows)| !rows.is_empty()).collect())
    }

    /// The schema of the projection, nested ones included, which is for the crate `parquet` to tell.
    fn projected(&self) -> Result<SchemaRef> {
        let nothing = ParquetRecordBatchReaderBuilder::new_with_metadata(
            bytes::Bytes::new(),
            self.metadata.clone(),
        );
        let nothing = nothing
            .with_projection(self.projection.clone())
            .with_row_groups(Vec::new());
        catch_panic(|| Ok(nothing.build()?.schema()))
    }
}

/// The threads of a reader, unless it has only the caller's.
fn pool(threads: NonZero<usize>, depth: usize) -> Result<Option<ThreadPool>> {
    if threads.get() == 1 {
        return Ok(None);
    }
    let pool = ThreadPoolBuilder::new().num_threads(threads.get());
    let pool = pool.stack_size(stack_size(depth));
    let pool = pool.thread_name(|number| format!("bytelane-parquet-{number}"));
    let pool = pool.build().map_err(std::io::Error::other)?;
    Ok(Some(pool))
}

/// Another reader of the same input: nothing is opened or read again.
impl<T> Clone for ReaderBuilder<T> {
    fn clone(&self) -> Self {
        Self {
            input: Arc::clone(&self.input),
            file: self.file.clone(),
            metadata: self.metadata.clone(),
            in_file: self.in_file.clone(),
            projection: self.projection.clone(),
            row_groups: self.row_groups.clone(),
            selection: self.selection.clone(),
            offset: self.offset,
            limit: self.limit,
            batch_size: self.batch_size,
            backend: self.backend,
            threads: self.threads,
            memory: self.memory,
            keeps_batches: self.keeps_batches,
        }
    }
}

impl<T> std::fmt::Debug for ReaderBuilder<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReaderBuilder")
            .field("file", &self.file)
            .field("batch_size", &self.batch_size)
            .finish_non_exhaustive()
    }
}

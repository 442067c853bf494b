//! Selects the parts of a file to read, and how to read them.

mod build;
mod dictionaries;
mod footer;
mod given;
mod kept;
mod late;
mod stored;
mod strings;

use super::arrow::{ArrowFooter, in_arrow};
use super::row_group::Conditional;
pub use footer::Footer;
pub use given::{GivenTypes, ListType};
pub(super) use kept::Kept;

use crate::budget::{MemoryLimit, check_widths};
use crate::catch_panic::catch_panic;
use crate::file::{OpenFooter, RowGroups, open_columns, open_footer};
use crate::input::InputFile;
use crate::options::find_leaves;
use crate::remote::RemoteFile;
use crate::stack::depth_of;
use crate::{Error, Problem, Result};
use arrow_schema::SchemaRef;
use bytelane::Detected;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, RowFilter, RowSelection,
};
use parquet::bloom_filter::Sbbf;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::ChunkReader;
use parquet::schema::types::SchemaDescriptor;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Configures a [`Reader`](crate::Reader). Has the methods of the crate `parquet`'s
/// [`ParquetRecordBatchReaderBuilder`](parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder), and some more.
pub struct ReaderBuilder<T> {
    input: Arc<T>,
    file: Option<PathBuf>,
    /// Schema of the file. Its row groups may be missing.
    metadata: ArrowReaderMetadata,
    /// Row groups of the file.
    in_file: RowGroups,
    projection: ProjectionMask,
    row_groups: Option<Vec<usize>>,
    selection: Option<RowSelection>,
    conditions: Vec<Conditional>,
    row_numbers: Option<String>,
    offset: usize,
    limit: Option<usize>,
    batch_size: usize,
    least_gap: Option<usize>,
    progress: Option<Arc<dyn Fn(u64) + Send + Sync>>,
    prunes_by_headers: Option<bool>,
    backend: Detected,
    threads: NonZero<usize>,
    /// Set if all of the threads are used, however little there is to read.
    uses_all_threads: bool,
    memory: MemoryLimit,
    keeps_batches: bool,
    remote: Option<Arc<dyn RemoteFile>>,
}

impl ReaderBuilder<InputFile> {
    /// Opens a file and reads its footer. Errors will name the file.
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

    /// Opens a file to read only these columns; see
    /// [`try_new_with_columns`](Self::try_new_with_columns). Errors will name the file.
    ///
    /// # Errors
    ///
    /// Same errors as [`open`](Self::open), and [`Problem::NoSuchColumn`].
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
    /// Reads the footer. Columns have the types of the file's Arrow schema, if there is one that
    /// fits the columns and changes no values. Otherwise, INTERVAL is read as an interval of
    /// months, days and nanoseconds, so that no part of it is lost. Columns of the logical types
    /// UUID and JSON have the extension types `arrow.uuid` and `arrow.json`, as in pyarrow.
    ///
    /// Where an annotation does not fit a column, or Arrow has no type for it, the column has its
    /// physical type.
    ///
    /// # Errors
    ///
    /// [`Problem::Corrupt`] if it is not a Parquet file, [`Problem::Unsupported`] if it is encrypted.
    pub fn try_new(input: T) -> Result<Self> {
        let footer = open_footer(&input)?;
        Self::of_footer(input, footer)
    }

    /// Combines [`try_new`](Self::try_new) and [`with_columns`](Self::with_columns) for files with
    /// many other columns, which are skipped in the footer: [`schema`](Self::schema) and
    /// [`metadata`](Self::metadata) lack them. If a column is part of a group, the whole group is
    /// kept.
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
    /// Same errors as both.
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

    /// Reads the footer; the options determine the Arrow types of the columns.
    ///
    /// # Errors
    ///
    /// Same errors as [`try_new`](Self::try_new); [`Problem::Parquet`] if the columns cannot have
    /// these types.
    pub fn try_new_with_options(input: T, options: ArrowReaderOptions) -> Result<Self> {
        let ArrowFooter { footer, .. } = ArrowFooter::new(open_footer(&input)?)?;
        let metadata = in_arrow(&footer.schema, footer.depth, options)?;
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

    /// Creates a builder for an input whose footer has been read.
    pub fn new_with_metadata(input: T, metadata: ArrowReaderMetadata) -> Self {
        Self {
            input: Arc::new(input),
            file: None,
            in_file: RowGroups::Decoded(Arc::clone(metadata.metadata())),
            metadata,
            projection: ProjectionMask::all(),
            row_groups: None,
            selection: None,
            conditions: Vec::new(),
            row_numbers: None,
            offset: 0,
            limit: None,
            batch_size: 65_536,
            least_gap: None,
            progress: None,
            prunes_by_headers: None,
            backend: Detected::active(),
            threads: NonZero::<usize>::MIN,
            uses_all_threads: true,
            memory: MemoryLimit::default(),
            keeps_batches: false,
            remote: None,
        }
    }

    pub(super) fn input(&self) -> &T {
        &self.input
    }

    /// Returns the schema of the whole file.
    #[must_use]
    pub fn schema(&self) -> &SchemaRef {
        self.metadata.schema()
    }

    /// Returns the footer. For most files, the first call decodes the metadata of all column
    /// chunks.
    #[must_use]
    pub fn metadata(&self) -> &Arc<ParquetMetaData> {
        self.in_file.metadata()
    }

    /// Returns the size of the file, in bytes.
    #[doc(hidden)]
    pub fn file_bytes(&self) -> u64 {
        self.input.len()
    }

    /// Returns the Parquet schema of the whole file.
    #[must_use]
    pub fn parquet_schema(&self) -> &SchemaDescriptor {
        self.metadata.parquet_schema()
    }

    /// Returns the nesting depth of the columns in Arrow. It is at least their depth in the file,
    /// not counting groups without leaves.
    fn depth(&self) -> usize {
        2 * depth_of(self.schema().fields().iter().map(AsRef::as_ref))
    }

    /// Sets the maximum number of rows per batch, 65,536 by default. Batches with values larger
    /// than 1 KiB have fewer.
    #[must_use]
    pub fn with_batch_size(mut self, rows: usize) -> Self {
        self.batch_size = rows;
        self
    }

    /// Sets the leaves to read; all by default.
    #[must_use]
    pub fn with_projection(mut self, projection: ProjectionMask) -> Self {
        self.projection = projection;
        self
    }

    /// Sets the columns to read, by the paths of leaves or groups. Batches have them in the order
    /// of the file.
    ///
    /// # Errors
    ///
    /// [`Problem::NoSuchColumn`].
    pub fn with_columns<'a>(self, paths: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let schema = self.metadata.parquet_schema();
        let leaves = find_leaves(schema, paths)?;
        let projection = ProjectionMask::leaves(schema, leaves);
        Ok(self.with_projection(projection))
    }

    /// Sets the row groups to read, in this order; all by default.
    #[must_use]
    pub fn with_row_groups(mut self, row_groups: Vec<usize>) -> Self {
        self.row_groups = Some(row_groups);
        self
    }

    /// Sets the rows to read, counted from the start of the first selected row group; all by
    /// default. Pages without selected rows are skipped; if the file has an offset index, they are
    /// not even read.
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

    /// Sets the predicates on rows, in this order. Each is evaluated on its own columns, for the
    /// rows that passed the predicates before it; other columns are read for the remaining rows
    /// only. With [`with_threads`](Self::with_threads), row groups are evaluated in any order, one
    /// at a time for each predicate.
    ///
    /// Predicates of a [`filter::Selection`](crate::filter::Selection) are not opaque, so they also
    /// prune row groups and pages.
    ///
    /// ```
    /// use arrow_array::cast::AsArray;
    /// use arrow_array::types::Int32Type;
    /// use arrow_array::{BooleanArray, Int32Array, RecordBatch};
    /// use bytelane_parquet::parquet::arrow::ProjectionMask;
    /// use bytelane_parquet::parquet::arrow::arrow_reader::{ArrowPredicateFn, RowFilter};
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
    /// let builder = Reader::builder(Bytes::from(file))?;
    /// let projection = ProjectionMask::columns(builder.parquet_schema(), ["number"]);
    /// let is_square = |number: i32| f64::from(number).sqrt().fract() == 0.0;
    /// let predicate = ArrowPredicateFn::new(projection, move |batch: RecordBatch| {
    ///     Ok(BooleanArray::from_unary(batch.column(0).as_primitive::<Int32Type>(), is_square))
    /// });
    /// let mut reader = builder.with_row_filter(RowFilter::new(vec![Box::new(predicate)])).build()?;
    /// assert_eq!(reader.next().transpose()?.map(|batch| batch.num_rows()), Some(32));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_row_filter(self, filter: RowFilter) -> Self {
        let predicates = filter.into_predicates().into_iter();
        self.with_conditions(predicates.map(Conditional::of_predicate).collect())
    }

    /// Appends a column with this name: the number of each row in the file, starting at 0.
    ///
    /// ```
    /// use arrow_array::cast::AsArray;
    /// use arrow_array::types::Int64Type;
    /// use arrow_array::{Int32Array, RecordBatch};
    /// use bytelane_parquet::filter::Selection;
    /// use bytelane_parquet::{Reader, Writer, WriterOptions};
    /// use bytes::Bytes;
    /// use std::sync::Arc;
    ///
    /// let numbers = Int32Array::from_iter_values((0..1000).map(|it| it / 2));
    /// let batch = RecordBatch::try_from_iter([("number", Arc::new(numbers) as _)])?;
    /// let mut file = Vec::new();
    /// let options = WriterOptions::default().with_row_group_size(300);
    /// let mut writer = Writer::try_new(&mut file, batch.schema(), options)?;
    /// writer.write(&batch)?;
    /// writer.close()?;
    ///
    /// let builder = Reader::builder(Bytes::from(file))?.with_row_numbers("row");
    /// let mut reader = Selection::default().with_filter("number = 407".parse()?).choose(builder)?.build()?;
    /// let batch = reader.next().transpose()?.unwrap();
    /// assert_eq!(batch["row"].as_primitive::<Int64Type>().values(), &[814, 815]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_row_numbers(mut self, name: impl Into<String>) -> Self {
        self.row_numbers = Some(name.into());
        self
    }

    /// Reads the Bloom filter of a column chunk, if it has one.
    ///
    /// # Errors
    ///
    /// [`Problem::Parquet`] if it is damaged.
    pub fn get_row_group_column_bloom_filter(
        &self,
        row_group: usize,
        column: usize,
    ) -> Result<Option<Sbbf>> {
        let row_groups = self.metadata().row_groups();
        let chunk = row_groups
            .get(row_group)
            .and_then(|it| it.columns().get(column));
        let chunk = chunk.ok_or_else(|| {
            let problem = format!("the file has no row group {row_group} with a column {column}");
            Error::new(Problem::Option(problem))
        })?;
        catch_panic(|| Ok(Sbbf::read_from_column_chunk(chunk, &*self.input)?))
    }

    /// Sets predicates on the rows, in this order.
    pub(crate) fn with_conditions(mut self, conditions: Vec<Conditional>) -> Self {
        self.conditions = conditions;
        self
    }

    /// Skips this many of the selected rows; 0 by default.
    #[must_use]
    pub fn with_offset(mut self, rows: usize) -> Self {
        self.offset = rows;
        self
    }

    /// Sets the maximum number of rows to read after the offset; all by default.
    #[must_use]
    pub fn with_limit(mut self, rows: usize) -> Self {
        self.limit = Some(rows);
        self
    }

    /// Sets the number of threads that decode; one by default, the caller's. Several row groups are
    /// decoded concurrently, and parts of a row group where there are fewer of them than threads. The
    /// batches and their order do not change: up to 512 MiB of them, or half of the
    /// [memory limit](Self::with_memory_limit), wait for earlier ones; always half of the limit if
    /// [all are kept](Self::with_batches_kept).
    #[must_use]
    pub fn with_threads(mut self, threads: NonZero<usize>) -> Self {
        self.threads = threads;
        self.uses_all_threads = true;
        self
    }

    /// Does the same, but uses only as many of the threads as are worth waking for the pages and values to read: a small file is read by the
    /// caller's thread alone, in half of the time. All are used for a file of a store.
    #[must_use]
    pub fn with_max_threads(mut self, threads: NonZero<usize>) -> Self {
        self.threads = threads;
        self.uses_all_threads = false;
        self
    }

    /// Sets a callback that receives the number of rows considered since its last call, on any thread: rows that were returned,
    /// that a condition dropped, or that statistics excluded.
    #[must_use]
    pub fn with_progress(mut self, callback: impl Fn(u64) + Send + Sync + 'static) -> Self {
        self.progress = Some(Arc::new(callback));
        self
    }

    /// Limits the memory used at a time, in bytes, by pages, dictionaries, levels and the arrays of
    /// a batch, for all columns together. Batches whose rows would use more have fewer rows; a
    /// single row that uses more is [`Problem::MemoryLimit`].
    ///
    /// A file is untrusted input: pages, strings that a dictionary repeats, and lists of nulls can
    /// be arbitrarily larger than their size in the file. The default limit is 2 GiB plus 1024
    /// times the size of the file, but no more than a quarter of the memory available to the
    /// process. A page may take 128 MiB, plus 1024 times the size of its column chunk, plus 64
    /// bytes for each of the chunk's values; larger pages are [`Problem::PageTooLarge`].
    #[must_use]
    pub fn with_memory_limit(mut self, bytes: u64) -> Self {
        self.memory = MemoryLimit(Some(bytes));
        self
    }

    /// Sets whether the caller keeps all batches, for example to read a whole table. The limit of
    /// [`with_memory_limit`](Self::with_memory_limit) then applies to all batches together; its
    /// default is 8 GiB plus 1024 times the size of the file, but no more than half of
    /// the memory available to the process. Exceeding it is [`Problem::MemoryLimit`], reported
    /// before anything is read if the footer shows it.
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

    /// Sets the instruction set of the kernels.
    #[must_use]
    pub fn with_backend(mut self, backend: Detected) -> Self {
        self.backend = backend;
        self
    }
}

/// Clones share the input: nothing is opened or read again.
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
            conditions: self.conditions.clone(),
            row_numbers: self.row_numbers.clone(),
            offset: self.offset,
            limit: self.limit,
            batch_size: self.batch_size,
            least_gap: self.least_gap,
            progress: self.progress.clone(),
            prunes_by_headers: self.prunes_by_headers,
            backend: self.backend,
            threads: self.threads,
            uses_all_threads: self.uses_all_threads,
            memory: self.memory,
            keeps_batches: self.keeps_batches,
            remote: self.remote.clone(),
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

//! Writes record batches to a Parquet file.

mod declared;
mod dictionaries;
mod extent;
mod footer;
mod metadata;

use crate::choice::{Chooser, Learned};
use crate::chunk::{Column, EncodedLeaf, Helpers};
#[cfg(feature = "encryption")]
use crate::encryption::{EncryptionKeys, Sealer};
use crate::file::{FileWriter, Seal, in_parquet as metadata_in_parquet};
use crate::format::FileMetaData;
use crate::parallel::{Limits, bounded_threads, in_order, in_order_on};
use crate::stack::depth_of;
use crate::types::stored::StoredTypes;
use crate::types::written::MetadataBytes;
use crate::{Encoding, Problem, Result, WriterOptions};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::SchemaRef;
use bytes::Bytes;
use declared::declared;
use dictionaries::Dictionaries;
use extent::fitting;
use parquet::arrow::add_encoded_arrow_schema_to_metadata;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::properties::WriterProperties;
use parquet::schema::types::SchemaDescriptor;
use rayon::ThreadPool;
use std::collections::BTreeMap;
use std::io::Write;
use std::num::NonZero;
use std::sync::{Arc, Mutex, PoisonError};

/// Writes record batches to a Parquet file.
///
/// The rows of a row group are kept in memory until it is full; then the kernels of the crate
/// `bytelane` encode them. Each page begins with a new row. If a dictionary would become too large,
/// the whole chunk falls back to PLAIN.
///
/// As in pyarrow, timestamps and times in seconds are stored in milliseconds, dates in milliseconds
/// are stored as days, and the extension types `arrow.uuid` and `arrow.json` become the logical types
/// UUID and JSON. Keys of dictionaries become as wide as the entries of all batches need. Ordered dictionaries keep all
/// entries in their order, so they are always stored as dictionaries.
///
/// ```
/// use arrow_array::{Float64Array, RecordBatch};
/// use bytelane_parquet::{Encoding, Writer, WriterOptions};
/// use std::sync::{Arc, Mutex, PoisonError};
///
/// let prices = Float64Array::from_iter_values((0..1000).map(|i| 100.0 + f64::from(i).sin()));
/// let batch = RecordBatch::try_from_iter([("price", Arc::new(prices) as _)])?;
///
/// let mut file = Vec::new();
/// let options = WriterOptions::default().with_encoding(Encoding::ByteStreamSplit);
/// let mut writer = Writer::try_new(&mut file, batch.schema(), options)?;
/// writer.write(&batch)?;
/// let written = writer.close()?;
///
/// assert_eq!(written.metadata.file_metadata().num_rows(), 1000);
/// assert_eq!(written.encodings, [[Encoding::ByteStreamSplit]]);
/// assert!(file.len() < 8000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Writer<W: Write + Send> {
    file: FileWriter<W>,
    /// Footer without row groups.
    footer: FileMetaData,
    schema: SchemaRef,
    /// Schema of the stored rows.
    stored: SchemaRef,
    dictionaries: Dictionaries,
    options: WriterOptions,
    columns: Vec<BufferedColumn>,
    /// One chooser for each thread that has encoded something.
    choosers: Mutex<Vec<Chooser>>,
    /// Nesting depth of the columns.
    depth: usize,
    buffered_rows: usize,
    buffered_bytes: usize,
    encodings: Vec<Vec<Encoding>>,
    /// Metadata of the schema that is not UTF-8.
    metadata_bytes: Vec<MetadataBytes>,
    /// Threads that encode columns, instead of new ones.
    pool: Option<Arc<ThreadPool>>,
    state: State,
}

/// State of the file: it takes more rows only while it is open.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    Finished,
    /// A row group could not be written, so the file has lost rows.
    Failed,
}

/// Column, and its rows for the next row group.
struct BufferedColumn {
    column: Column,
    arrays: Vec<ArrayRef>,
    learned: Learned,
}

/// Result of a [`Writer`].
#[derive(Debug)]
#[non_exhaustive]
pub struct Written {
    /// Footer of the file.
    pub metadata: ParquetMetaData,
    /// Encoding of each leaf, per row group: PLAIN if a dictionary would have become too large.
    pub encodings: Vec<Vec<Encoding>>,
}

impl<W: Write + Send> Writer<W> {
    /// Starts a file with this schema.
    ///
    /// # Errors
    ///
    /// Returns [`Problem::NoSuchColumn`] or [`Problem::Encoding`] if options do not fit the schema,
    /// [`Problem::Option`] if a size is 0, [`Problem::Parquet`] if Parquet cannot express the
    /// schema, and errors of the sink.
    pub fn try_new(sink: W, schema: SchemaRef, options: WriterOptions) -> Result<Self> {
        Self::sealed(sink, schema, options, |_| Ok(None))
    }

    /// Starts an encrypted file with this schema.
    ///
    /// ```
    /// use arrow_array::{Int32Array, RecordBatch};
    /// use bytelane_parquet::{DecryptedFile, DecryptionKeys, EncryptionKeys, Key, Reader, Writer, WriterOptions};
    /// use std::sync::Arc;
    ///
    /// let key = Key::new(*b"0123456789012345")?;
    /// let numbers = Int32Array::from_iter_values(0..1000);
    /// let batch = RecordBatch::try_from_iter([("number", Arc::new(numbers) as _)])?;
    /// let (options, keys) = (WriterOptions::default(), EncryptionKeys::new(key.clone()));
    /// let mut writer = Writer::try_new_encrypted(Vec::new(), batch.schema(), options, &keys)?;
    /// writer.write(&batch)?;
    /// let file = bytes::Bytes::from(writer.into_inner()?);
    ///
    /// let file = DecryptedFile::open(file, &DecryptionKeys::default().with_footer_key(key))?;
    /// assert_eq!(Reader::builder(file)?.build()?.next().transpose()?, Some(batch));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Same errors as [`try_new`](Self::try_new), and [`Problem::NoSuchColumn`] if a key is that of another column.
    #[cfg(feature = "encryption")]
    pub fn try_new_encrypted(
        sink: W,
        schema: SchemaRef,
        options: WriterOptions,
        keys: &EncryptionKeys,
    ) -> Result<Self> {
        Self::sealed(sink, schema, options, |columns| {
            let paths: Vec<_> = columns.columns().iter().map(|it| it.path()).collect();
            Ok(Some(Box::new(Sealer::new(keys, &paths)?)))
        })
    }

    fn sealed(
        sink: W,
        schema: SchemaRef,
        options: WriterOptions,
        seal: impl FnOnce(&SchemaDescriptor) -> Result<Option<Box<dyn Seal>>>,
    ) -> Result<Self> {
        let stored_types = StoredTypes::from(&options);
        let stored = stored_types.schema(&schema);
        let in_file = declared(&stored, &options)?;
        let leaves = in_file.columns().iter();
        options.check(leaves.map(|leaf| (leaf.path(), leaf.physical_type())))?;

        let key_values = (!options.key_values.is_empty()).then(|| options.key_values.clone());
        let mut properties = WriterProperties::builder()
            .set_created_by(options.created_by.clone())
            .set_key_value_metadata(key_values)
            .set_sorting_columns(options.sorting_columns.clone())
            .build();
        if options.store_schema {
            add_encoded_arrow_schema_to_metadata(&stored, &mut properties);
        }

        let in_file_fields = in_file.root_schema().get_fields();
        let fields = stored.fields().iter().zip(in_file_fields);
        let columns = fields.map(|(field, in_file)| {
            Ok(BufferedColumn {
                column: Column::new(Arc::clone(field), Arc::clone(in_file))?,
                arrays: Vec::new(),
                learned: Learned::default(),
            })
        });
        let columns = columns.collect::<Result<_>>()?;
        Ok(Self {
            file: FileWriter::sealed(sink, None, seal(&in_file)?)?,
            footer: footer::empty(
                in_file.root_schema_ptr(),
                Arc::new(properties),
                options.total_order,
            )?,
            columns,
            depth: 2 * depth_of(schema.fields().iter().map(AsRef::as_ref)),
            dictionaries: Dictionaries::new(&schema),
            stored,
            schema,
            choosers: Mutex::default(),
            options,
            buffered_rows: 0,
            buffered_bytes: 0,
            encodings: Vec::new(),
            metadata_bytes: Vec::new(),
            pool: None,
            state: State::Open,
        })
    }

    /// Encodes the columns of a row group on the threads of this pool and on the caller's, instead of on the new
    /// threads that [`WriterOptions::with_threads`] asks for. Several writers can share a pool, and the caller may be
    /// one of its threads. The file does not depend on it.
    ///
    /// ```
    /// use bytelane_parquet::arrow_array::{Int32Array, RecordBatch};
    /// use bytelane_parquet::rayon::ThreadPoolBuilder;
    /// use bytelane_parquet::{Writer, WriterOptions};
    /// use std::sync::Arc;
    ///
    /// let pool = Arc::new(ThreadPoolBuilder::new().num_threads(2).build()?);
    /// let numbers = Int32Array::from_iter_values(0..1000);
    /// let batch = RecordBatch::try_from_iter([("number", Arc::new(numbers) as _)])?;
    /// let writer = Writer::try_new(Vec::new(), batch.schema(), WriterOptions::default())?;
    /// let mut writer = writer.with_pool(Arc::clone(&pool));
    /// writer.write(&batch)?;
    /// assert!(writer.into_inner()?.ends_with(b"PAR1"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_pool(mut self, pool: Arc<ThreadPool>) -> Self {
        self.pool = Some(pool);
        self
    }

    /// Adds rows. Writes a row group whenever it has enough rows, or their values take enough
    /// memory.
    ///
    /// # Errors
    ///
    /// Returns [`Problem::Input`] if the batch has another schema, if it has nulls in a required
    /// column, if the stored type cannot represent one of its times, if an ordered dictionary has its
    /// entries in another order than earlier rows, or if the file is finished; and
    /// errors of the sink. After an error of a row group or of the sink, the file is incomplete, and
    /// all further calls return an error.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        self.check_open("the file is finished; rows go to a new one")?;
        if !Arc::ptr_eq(&self.schema, batch.schema_ref())
            && !self.schema.contains(batch.schema_ref())
            && self.schema.fields() != batch.schema_ref().fields()
        {
            return Err(Problem::Input(format!(
                "the rows have the columns {}, but the file has {}",
                names(batch.schema_ref()),
                names(&self.schema)
            ))
            .into());
        }
        self.dictionaries.add(&self.schema, batch.columns())?;
        let mut rest = batch.clone();
        while rest.num_rows() > 0 {
            let taken = self.take(&rest)?;
            rest = rest.slice(taken, rest.num_rows() - taken);
        }
        Ok(())
    }

    /// Adds the first rows of a batch, as many as fit into the row group, and writes the row group
    /// if it is full. Returns the number of rows added: none if the row group was already full.
    fn take(&mut self, batch: &RecordBatch) -> Result<usize> {
        let (rows, bytes) = (self.options.row_group_size, self.options.row_group_bytes);
        let most = batch.num_rows().min(rows - self.buffered_rows);
        let room = bytes.saturating_sub(self.buffered_bytes);
        let taken = fitting(batch.columns(), most, room);
        let batch = batch.slice(0, taken);
        let size = extent::all(batch.columns());
        if size > room && self.buffered_rows > 0 {
            self.flush()?;
            return Ok(0);
        }
        let stored_types = StoredTypes::from(&self.options);
        let stored = self.columns.iter().zip(batch.columns());
        let stored = stored.map(|(buffered, array)| {
            let field = buffered.column.field();
            let array = stored_types.array(array, field.data_type());
            array.map_err(|error| error.in_column(field.name()))
        });
        // All columns have the same rows, also after an error.
        let stored: Vec<ArrayRef> = stored.collect::<Result<_>>()?;
        for (buffered, array) in self.columns.iter_mut().zip(stored) {
            buffered.arrays.push(array);
        }
        self.buffered_rows += taken;
        self.buffered_bytes += size;
        let is_full = taken < most || self.buffered_bytes >= bytes;
        if self.buffered_rows == rows || is_full {
            self.flush()?;
        }
        Ok(taken)
    }

    /// Ends the row group; does nothing if it has no rows.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`write`](Self::write).
    pub fn flush(&mut self) -> Result<()> {
        if self.buffered_rows == 0 && self.state != State::Failed {
            return Ok(());
        }
        self.check_open("the file is finished already")?;
        let index = self.file.row_groups();
        self.state = State::Failed;
        self.write_row_group()
            .map_err(|error| error.in_row_group(index))?;
        self.state = State::Open;
        (self.buffered_rows, self.buffered_bytes) = (0, 0);
        Ok(())
    }

    /// Returns an error if the file takes no more rows: this one if it is finished.
    fn check_open(&self, finished: &str) -> Result<()> {
        let problem = match self.state {
            State::Open => return Ok(()),
            State::Finished => finished,
            State::Failed => {
                "an earlier error left the file incomplete; write all rows to a new one"
            }
        };
        Err(Problem::Input(problem.to_owned()).into())
    }

    /// Encodes the columns on several threads. Writes each as soon as all previous ones are
    /// written.
    fn write_row_group(&mut self) -> Result<()> {
        // All chunks are in memory.
        let nothing = Bytes::new();
        let mut encodings = Vec::new();
        let limits = Limits {
            // A thread without a column helps to try encodings of one.
            threads: bounded_threads(
                self.options.threads.unwrap_or(NonZero::<usize>::MIN),
                self.columns.len().saturating_mul(Encoding::ALL.len()),
            ),
            // The rows of all columns are in memory already.
            weight: u64::MAX,
            depth: self.depth,
        };
        let (choosers, options, file) = (&self.choosers, &self.options, &mut self.file);
        let pool = self.pool.as_deref();
        // The caller works, too.
        let threads = pool.map_or(limits.threads.get(), |pool| pool.current_num_threads() + 1);
        let helpers = (threads > 1).then(|| Helpers::new(self.columns.len()));
        let helpers = helpers.as_ref();
        let work = |unit: Option<(usize, &mut BufferedColumn)>| {
            let _unfinished = unit.as_ref().and(helpers).map(Helpers::column);
            let lock = || choosers.lock().unwrap_or_else(PoisonError::into_inner);
            let kept = lock().pop();
            let mut chooser = kept.unwrap_or_else(|| Chooser::new(options));
            let Some((
                index,
                BufferedColumn {
                    column,
                    arrays,
                    learned,
                },
            )) = unit
            else {
                let helped = helpers.map_or(Ok(()), |helpers| chooser.help(helpers));
                lock().push(chooser);
                return helped.map(|()| None);
            };
            let arrays = std::mem::take(arrays);
            let leaves = chooser.encode_learning(column, arrays, learned, helpers);
            lock().push(chooser);
            Ok(Some((index, leaves?)))
        };
        // The largest columns first, so that no thread is left with one of them at the end.
        let mut columns: Vec<_> = self.columns.iter_mut().enumerate().collect();
        if threads > 1 {
            columns.sort_by_key(|(_, buffered)| std::cmp::Reverse(extent::all(&buffered.arrays)));
        }
        let mut waiting = BTreeMap::new();
        let mut next = 0;
        let take = |encoded: Option<(usize, Vec<EncodedLeaf>)>| {
            waiting.extend(encoded);
            // The sink may be memory: write each leaf as soon as those before it are written, so
            // that values, pages and the file are not all in memory at the same time.
            while let Some(leaves) = waiting.remove(&next) {
                for leaf in leaves {
                    file.add_chunk(leaf.chunk, &nothing)?;
                    encodings.push(leaf.encoding);
                }
                next += 1;
            }
            Ok(())
        };
        // Threads that find no column left help the others.
        let helping = (1..threads).map(|_| None);
        let units = columns.into_iter().map(Some).chain(helping);
        match pool {
            Some(pool) => in_order_on(pool, self.depth, units, work, take)?,
            None => in_order(limits, units.map(|unit| (0, unit)), work, take, || Ok(()))?,
        }
        let (rows, index) = (self.buffered_rows, self.file.row_groups());
        let sorted_by = self.options.sorting_columns.as_deref();
        let described = footer::row_group(rows, index, sorted_by);
        self.file.end_row_group(described, &nothing)?;
        self.footer.num_rows += rows as i64;
        self.encodings.push(encodings);
        Ok(())
    }

    /// Returns the number of rows in the current, incomplete row group.
    #[must_use]
    pub fn buffered_rows(&self) -> usize {
        self.buffered_rows
    }

    /// Returns the number of bytes of memory that the values of the current row group take. Arrow
    /// dictionaries are not counted.
    #[must_use]
    pub fn memory_size(&self) -> usize {
        self.buffered_bytes
    }

    /// Returns the number of bytes written to the sink. The bytes of a row group are written when
    /// it ends.
    #[must_use]
    pub fn bytes_written(&self) -> u64 {
        self.file.position()
    }

    /// Returns the number of row groups written to the sink.
    #[must_use]
    pub fn flushed_row_groups(&self) -> usize {
        self.encodings.len()
    }

    /// Ends the row group and the file, and flushes the sink. The writer accepts no more rows, but
    /// [`into_inner`](Self::into_inner) can still be called.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`write`](Self::write), including that the file is already finished.
    pub fn finish(&mut self) -> Result<Written> {
        self.check_open("the file is finished already")?;
        let columns = self.columns.iter_mut();
        columns.for_each(|column| column.learned.expect_last());
        self.flush()?;
        self.state = State::Failed;
        self.widen_keys();
        let footer = self.file.finish(std::mem::take(&mut self.footer))?;
        self.state = State::Finished;
        Ok(Written {
            metadata: metadata_in_parquet(&footer)?,
            encodings: self.encodings.clone(),
        })
    }

    /// Ends the row group and the file, and flushes the sink.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`finish`](Self::finish).
    pub fn close(mut self) -> Result<Written> {
        self.finish()
    }

    /// Finishes the file, unless it is already finished, and returns the sink.
    ///
    /// ```
    /// use arrow_array::{Int32Array, RecordBatch};
    /// use bytelane_parquet::{Writer, WriterOptions};
    /// use std::sync::{Arc, Mutex, PoisonError};
    ///
    /// let numbers = Int32Array::from_iter_values(0..1000);
    /// let batch = RecordBatch::try_from_iter([("number", Arc::new(numbers) as _)])?;
    /// let mut writer = Writer::try_new(Vec::new(), batch.schema(), WriterOptions::default())?;
    /// writer.write(&batch)?;
    /// assert!(writer.memory_size() >= 4000);
    /// writer.flush()?;
    /// assert_eq!((writer.flushed_row_groups(), writer.memory_size()), (1, 0));
    /// let bytes = writer.bytes_written();
    /// let file = writer.into_inner()?;
    /// assert!(file.len() as u64 > bytes && file.ends_with(b"PAR1"));
    /// # Ok::<(), bytelane_parquet::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`finish`](Self::finish).
    pub fn into_inner(mut self) -> Result<W> {
        if self.state != State::Finished {
            self.finish()?;
        }
        Ok(self.file.into_sink())
    }
}

fn names(schema: &SchemaRef) -> String {
    let names: Vec<String> = schema
        .fields()
        .iter()
        .map(|field| format!("{} ({})", field.name(), field.data_type()))
        .collect();
    names.join(", ")
}

impl<W: Write + Send> std::fmt::Debug for Writer<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer")
            .field("schema", &self.schema)
            .field("buffered_rows", &self.buffered_rows)
            .finish_non_exhaustive()
    }
}

//! Reading files.

use super::check_signals;
use super::error::{of_parquet, of_reader};
use super::options::Count;
use super::table::{Schema, Table};
use bytelane_parquet::arrow_array::{RecordBatch, RecordBatchReader};
use bytelane_parquet::arrow_schema::{Schema as ArrowSchema, SchemaRef};
use bytelane_parquet::parquet::file::metadata::ParquetMetaData;
use bytelane_parquet::{InputFile, Reader, ReaderBuilder};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

/// A Parquet file of which parts are read, by any number of threads.
///
/// It is open until `close`, or until the end of a `with` statement.
///
/// >>> import pyarrow as pa
/// >>> from bytelane import parquet
/// >>> table = pa.table({"id": range(1000), "price": [0.25 * i for i in range(1000)]})
/// >>> parquet.write_table(table, "trades.parquet", row_group_size=600)
/// >>> with parquet.ParquetFile("trades.parquet") as file:
/// ...     file.num_rows, file.num_row_groups, file.schema.names
/// ...     [batch.num_rows for batch in file.iter_batches(batch_size=400, columns=["price"])]
/// (1000, 2, ['id', 'price'])
/// [400, 200, 400]
#[pyclass(frozen, module = "bytelane.parquet")]
pub struct ParquetFile {
    path: PathBuf,
    metadata: Arc<ParquetMetaData>,
    schema: SchemaRef,
    /// None once the file is closed.
    reader: Mutex<Option<ReaderBuilder<InputFile>>>,
}

#[pymethods]
impl ParquetFile {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let reader = py.detach(|| ReaderBuilder::open(&path).map_err(of_parquet))?;
        Ok(Self {
            path,
            metadata: Arc::clone(reader.metadata()),
            schema: SchemaRef::clone(reader.schema()),
            reader: Mutex::new(Some(reader)),
        })
    }

    /// The number of rows.
    #[getter]
    fn num_rows(&self) -> i64 {
        self.metadata.file_metadata().num_rows()
    }

    /// The number of row groups.
    #[getter]
    fn num_row_groups(&self) -> usize {
        self.metadata.num_row_groups()
    }

    /// The program that wrote the file, if it left its name.
    #[getter]
    fn created_by(&self) -> Option<&str> {
        self.metadata.file_metadata().created_by()
    }

    /// The columns and their types.
    #[getter]
    fn schema(&self) -> Schema {
        Schema(SchemaRef::clone(&self.schema))
    }

    /// Whether the file is closed.
    #[getter]
    fn closed(&self) -> bool {
        self.opened().is_none()
    }

    /// Closes the file. What its footer says remains known; iterators that have begun can go on, and close
    /// it for themselves.
    fn close(&self) {
        drop(self.opened().take());
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, PyTuple>) {
        self.close();
    }

    /// The rows, batch by batch: of all columns, or of those of these paths; of all row groups, or of those with these
    /// indices. A batch ends where its row group ends.
    ///
    /// As many threads decode as there are cores, unless it is told how many. What is in memory at a time takes no more than
    /// `memory_limit` bytes, by default 2 GiB and 1024 times the size of the file: batches have fewer rows where necessary,
    /// and a row that takes more is an error.
    #[pyo3(
        signature = (batch_size=Count(BATCH_ROWS), columns=None, row_groups=None, *, threads=None, memory_limit=None),
        text_signature = "($self, batch_size=65536, columns=None, row_groups=None, *, threads=None, memory_limit=None)"
    )]
    fn iter_batches(
        &self,
        py: Python<'_>,
        batch_size: Count,
        columns: Option<Vec<String>>,
        row_groups: Option<Vec<Count>>,
        threads: Option<Count>,
        memory_limit: Option<u64>,
    ) -> PyResult<Batches> {
        let limits = Limits::new(threads, memory_limit)?;
        let rows = py.detach(|| self.rows(batch_size.0, columns, row_groups, limits, false))?;
        Ok(Batches(Mutex::new(rows)))
    }

    /// The same rows at once. A table of more than `memory_limit` bytes is an error, by default one of more than 8 GiB and 1024
    /// times the size of the file.
    #[pyo3(signature = (columns=None, row_groups=None, *, threads=None, memory_limit=None))]
    fn read(
        &self,
        py: Python<'_>,
        columns: Option<Vec<String>>,
        row_groups: Option<Vec<Count>>,
        threads: Option<Count>,
        memory_limit: Option<u64>,
    ) -> PyResult<Table> {
        let limits = Limits::new(threads, memory_limit)?;
        py.detach(|| {
            let rows = self.rows(BATCH_ROWS, columns, row_groups, limits, true)?;
            let Rows { mut reader, schema } = rows;
            let mut batches = Vec::new();
            while let Some(batch) = next(&mut reader)? {
                check_signals()?;
                batches.push(batch);
            }
            Ok(Table { schema, batches })
        })
    }

    fn __repr__(&self) -> String {
        let (rows, groups) = (self.num_rows(), self.num_row_groups());
        let path = self.path.to_string_lossy();
        format!("<bytelane.parquet.ParquetFile {path:?}: {rows} rows, {groups} row groups>")
    }
}

/// The rows of a batch where nobody asks for another number.
const BATCH_ROWS: usize = 65_536;

impl ParquetFile {
    fn opened(&self) -> MutexGuard<'_, Option<ReaderBuilder<InputFile>>> {
        // Nobody calls Python, or waits for anything else, while it is locked.
        self.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn rows(
        &self,
        batch_size: usize,
        columns: Option<Vec<String>>,
        row_groups: Option<Vec<Count>>,
        limits: Limits,
        keeps_batches: bool,
    ) -> PyResult<Rows> {
        let Some(reader) = self.opened().clone() else {
            let message = format!("{} is closed", self.path.display());
            return Err(PyValueError::new_err(message));
        };
        let mut reader = reader
            .with_batch_size(batch_size)
            .with_threads(limits.threads)
            .with_batches_kept(keeps_batches);
        if let Some(memory) = limits.memory {
            reader = reader.with_memory_limit(memory);
        }
        if let Some(columns) = columns {
            let columns = columns.iter().map(String::as_str);
            let in_file = |error: bytelane_parquet::Error| of_parquet(error.in_file(&self.path));
            reader = reader.with_columns(columns).map_err(in_file)?;
        }
        if let Some(row_groups) = row_groups {
            let row_groups = row_groups.iter().map(|Count(index)| *index);
            reader = reader.with_row_groups(row_groups.collect());
        }
        let reader = reader.build();
        let reader = reader.map_err(|error| of_parquet(error.in_file(&self.path)))?;
        let columns = reader.schema().fields().clone();
        let metadata = self.schema.metadata().clone();
        Ok(Rows {
            reader,
            schema: Arc::new(ArrowSchema::new_with_metadata(columns, metadata)),
        })
    }
}

/// How many threads read, and how much memory a batch may take.
#[derive(Clone, Copy)]
struct Limits {
    threads: NonZero<usize>,
    memory: Option<u64>,
}

impl Limits {
    fn new(threads: Option<Count>, memory: Option<u64>) -> PyResult<Self> {
        let threads = match threads {
            Some(Count(threads)) => NonZero::new(threads)
                .ok_or_else(|| PyValueError::new_err("threads must be at least 1"))?,
            None => thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN),
        };
        Ok(Self { threads, memory })
    }
}

/// Rows that are yet to be read.
struct Rows {
    reader: Reader,
    /// With the metadata of the file, which batches do not have.
    schema: SchemaRef,
}

/// The batches of a file, each a `Table`.
#[pyclass(frozen, module = "bytelane.parquet")]
pub struct Batches(Mutex<Rows>);

#[pymethods]
impl Batches {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Table>> {
        // The interpreter's lock is free before the other one is waited for.
        py.detach(|| {
            let mut rows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let batch = next(&mut rows.reader)?;
            Ok(batch.map(|batch| Table {
                schema: SchemaRef::clone(&rows.schema),
                batches: vec![batch],
            }))
        })
    }
}

fn next(reader: &mut Reader) -> PyResult<Option<RecordBatch>> {
    reader.next().transpose().map_err(of_reader)
}

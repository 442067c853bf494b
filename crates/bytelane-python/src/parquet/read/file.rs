//! Reads files.

use crate::parquet::error::{in_file, of_parquet, of_reader};
use crate::parquet::filter::Filters;
use crate::parquet::metadata::{FileMetaData, RowGroupMetaData};
use crate::parquet::options::{Columns, Count};
use crate::parquet::read::keys::Decryption;
use crate::parquet::read::metrics::Metrics;
use crate::parquet::read::source::Source;
use crate::parquet::table::rows::Table;
use crate::parquet::table::schema::Schema;
use crate::parquet::watch::check_signals;
use bytelane_parquet::arrow_array::{RecordBatch, RecordBatchReader};
use bytelane_parquet::arrow_schema::{Schema as ArrowSchema, SchemaRef, TimeUnit};
use bytelane_parquet::filter::{SelectedRows, Selection};
use bytelane_parquet::parallel::all_cores;
use bytelane_parquet::table::{Table as Together, TableFile};
use bytelane_parquet::{Footer, GivenTypes, InputFile, ListType, ReaderBuilder, StringType};
use pyo3::Borrowed;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A Parquet file that can be read in parts, by any number of threads.
#[pyclass(frozen, module = "bytelane._native._parquet")]
pub struct ParquetFile {
    /// Path of the file; `None` for bytes and objects.
    path: Option<PathBuf>,
    footer: Footer,
    /// Size of the footer in bytes, if reading it costs little.
    footer_size: Option<u32>,
    schema: SchemaRef,
    /// Reader; `None` once the file is closed.
    reader: Mutex<Option<ReaderBuilder<Source>>>,
}

#[pymethods]
impl ParquetFile {
    #[new]
    pub fn new(source: &Bound<'_, PyAny>, types: Types) -> PyResult<Self> {
        Self::open(source, types, &Selection::default())
    }

    /// Number of rows.
    #[getter]
    fn num_rows(&self) -> i64 {
        self.footer.file_metadata().num_rows()
    }

    /// Number of row groups.
    #[getter]
    fn num_row_groups(&self) -> usize {
        self.footer.num_row_groups()
    }

    /// Program that wrote the file, if known.
    #[getter]
    fn created_by(&self) -> Option<&str> {
        self.footer.file_metadata().created_by()
    }

    /// Columns and their types.
    #[getter]
    pub fn schema(&self) -> Schema {
        Schema(SchemaRef::clone(&self.schema))
    }

    /// Metadata from the footer: row groups, columns, sizes and encodings.
    #[getter]
    fn metadata(&self) -> FileMetaData {
        FileMetaData::new(Arc::clone(self.footer.metadata()), self.footer_size)
    }

    /// Metadata of each row group.
    #[getter]
    fn row_groups(&self) -> Vec<RowGroupMetaData> {
        self.metadata().row_groups()
    }

    /// True if the file is closed.
    #[getter]
    fn closed(&self) -> bool {
        self.opened().is_none()
    }

    /// Closes the file. The contents of its footer remain available; existing iterators can continue, and
    /// close it for themselves.
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

    /// Reads the rows batch by batch: all columns or those with these paths, all row groups or those with these
    /// indices, and only rows for which `filters` are true, as in `read_table`. A batch does not extend past its row
    /// group.
    ///
    /// `threads` sets the number of threads; by default, as many as are worth waking, up to one per core. At most `memory_limit` bytes are in memory at a
    /// time, by default 2 GiB plus 1024 times the size of the file: batches have fewer rows where necessary, and a row that
    /// takes more is an error. `row_limit` is the maximum number of rows that `filters` are tested on, by default 64 Mi
    /// plus 1 Ki for each byte of the file.
    #[expect(clippy::too_many_arguments, reason = "Python's keywords, one each")]
    fn iter_batches(
        &self,
        py: Python<'_>,
        batch_size: Count,
        columns: Option<Columns>,
        row_groups: Option<Vec<Count>>,
        filters: Option<Bound<'_, PyAny>>,
        threads: Option<Count>,
        memory_limit: Option<u64>,
        row_limit: Option<u64>,
        rest: Option<Py<PyAny>>,
    ) -> PyResult<Batches> {
        let limits = Limits::new(threads, memory_limit)?;
        let selection = selection(py, columns, row_groups, filters, row_limit)?;
        let rows = py.detach(|| self.rows(batch_size.0, &selection, limits, false))?;
        Ok(Batches {
            rows: Mutex::new(rows),
            rest,
        })
    }

    /// Reads the same rows as one table. A table of more than `memory_limit` bytes is an error; the default is 8 GiB plus 1024
    /// times the size of the file. `row_limit` is that of `iter_batches`.
    #[expect(clippy::too_many_arguments, reason = "Python's keywords, one each")]
    fn read(
        &self,
        py: Python<'_>,
        columns: Option<Columns>,
        row_groups: Option<Vec<Count>>,
        filters: Option<Bound<'_, PyAny>>,
        threads: Option<Count>,
        memory_limit: Option<u64>,
        row_limit: Option<u64>,
    ) -> PyResult<Table> {
        let limits = Limits::new(threads, memory_limit)?;
        let selection = selection(py, columns, row_groups, filters, row_limit)?;
        py.detach(|| self.table(&selection, limits))
    }

    fn __repr__(&self) -> String {
        let (rows, groups) = (self.num_rows(), self.num_row_groups());
        let path = self
            .path
            .as_ref()
            .map(|path| format!("{:?}", path.to_string_lossy()));
        let path = path.as_deref().unwrap_or("in memory");
        format!("<bytelane.parquet.ParquetFile {path}: {rows} rows, {groups} row groups>")
    }
}

/// Arrow types to read columns as.
#[derive(Clone)]
pub struct Types {
    dictionaries: Option<Columns>,
    string_type: Option<StringType>,
    given: GivenTypes,
    pub keys: Option<Decryption>,
}

impl<'py> FromPyObject<'_, 'py> for Types {
    type Error = PyErr;

    /// Converts the tuple that `reader_types` of `_options.py` returns.
    fn extract(types: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let (dictionaries, string_type, bytes, lists, int96, extensions, keys) = types.extract()?;
        let (dictionaries, string_type): (Bound<'py, PyAny>, Bound<'py, PyAny>) =
            (dictionaries, string_type);
        let keys: Option<Decryption> = keys;
        let named = |name: &'static str| {
            move |error: PyErr| PyTypeError::new_err(format!("argument '{name}': {error}"))
        };
        let string_type = string_type.extract::<Option<String>>();
        let string_type = string_type.map_err(named("string_type"))?;
        let parsed = |name: Option<String>| {
            let parsed = name.map(|name| name.parse::<StringType>());
            parsed.transpose().map_err(of_parquet)
        };
        let lists: Option<String> = lists;
        let int96: Option<String> = int96;
        let extensions: bool = extensions;
        Ok(Self {
            dictionaries: dictionaries.extract().map_err(named("read_dictionary"))?,
            string_type: parsed(string_type)?,
            keys,
            given: GivenTypes {
                bytes: parsed(bytes)?,
                lists: lists.map(|name| match name.as_str() {
                    "large_list" => ListType::LargeList,
                    _ => ListType::List,
                }),
                int96: int96.map(|unit| match unit.as_str() {
                    "s" => TimeUnit::Second,
                    "ms" => TimeUnit::Millisecond,
                    "us" => TimeUnit::Microsecond,
                    _ => TimeUnit::Nanosecond,
                }),
                without_extensions: !extensions,
            },
        })
    }
}

impl Types {
    /// Opens files as one table.
    pub fn open_table(
        &self,
        files: &[TableFile],
        strict: bool,
    ) -> bytelane_parquet::Result<Together> {
        let keys = self.keys.as_ref();
        Together::open_with(files, strict, |path| {
            let file = InputFile::open(path)?;
            keys.map_or(Ok(file.clone()), |Decryption(keys)| file.decrypted(keys))
        })
    }
}

/// Default number of rows per batch.
const BATCH_ROWS: usize = 65_536;

/// Returns the selection of rows and columns to read.
pub fn selection(
    py: Python<'_>,
    columns: Option<Columns>,
    row_groups: Option<Vec<Count>>,
    filters: Option<Bound<'_, PyAny>>,
    row_limit: Option<u64>,
) -> PyResult<Selection> {
    let mut selection = Selection::default();
    if let Some(rows) = row_limit {
        selection = selection.with_row_limit(rows);
    }
    if let Some(columns) = columns {
        selection = selection.with_columns(columns.0);
    }
    if let Some(row_groups) = row_groups {
        selection =
            selection.with_row_groups(row_groups.iter().map(|Count(index)| *index).collect());
    }
    if let Some(filters) = filters {
        let filters = py
            .import("bytelane._filters")?
            .call_method1("native", (filters,))?;
        selection = selection.with_filter(filters.extract::<Filters>()?.predicate(py)?);
    }
    Ok(selection)
}

impl ParquetFile {
    /// Opens a file for a selection: it may lack columns that the selection does not need.
    pub fn open(source: &Bound<'_, PyAny>, types: Types, selection: &Selection) -> PyResult<Self> {
        let py = source.py();
        let (source, path) = Source::open(source)?;
        let source = match &types.keys {
            None => source,
            Some(Decryption(keys)) => {
                let opened = py.detach(|| source.decrypted(keys));
                opened.map_err(|error| of_parquet(in_file(error, path.as_deref())))?
            }
        };
        let remote = source.remote();
        let dictionaries = types.dictionaries;
        let dictionaries = dictionaries.map_or_else(Vec::new, |Columns(names)| names);
        let is_local = source.is_local();
        let footer_size = py.detach(|| remote.is_none().then(|| source.footer_size()).flatten());
        let reader = py.detach(|| {
            // They may be columns that are not read.
            let opened = selection.clone().and_columns(&dictionaries);
            let mut reader = opened.open(source)?.with_header_pruning(is_local);
            if !dictionaries.is_empty() {
                reader = reader.with_dictionaries(dictionaries.iter().map(String::as_str))?;
            }
            if let Some(string_type) = types.string_type {
                reader = reader.with_string_type(string_type)?;
            }
            reader.with_given_types(types.given)
        });
        let reader = reader.map_err(|error| of_parquet(in_file(error, path.as_deref())))?;
        Ok(Self {
            path,
            footer: reader.footer(),
            footer_size,
            schema: SchemaRef::clone(reader.schema()),
            reader: Mutex::new(Some(reader.with_prefetch(remote))),
        })
    }

    fn opened(&self) -> MutexGuard<'_, Option<ReaderBuilder<Source>>> {
        // No code calls Python, or waits for anything else, while holding this lock.
        self.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn rows(
        &self,
        batch_size: usize,
        selection: &Selection,
        limits: Limits,
        keeps_batches: bool,
    ) -> PyResult<Rows> {
        let Some(reader) = self.opened().clone() else {
            let name = self
                .path
                .as_ref()
                .map_or("the file".to_owned(), |path| path.display().to_string());
            return Err(PyValueError::new_err(format!("{name} is closed")));
        };
        let mut reader = reader
            .with_batch_size(batch_size)
            .with_batches_kept(keeps_batches);
        reader = match limits.threads {
            Some(threads) => reader.with_threads(threads),
            None => reader.with_max_threads(all_cores()),
        };
        if let Some(memory) = limits.memory {
            reader = reader.with_memory_limit(memory);
        }
        let rows = selection.read(reader);
        let rows = rows.map_err(|error| of_parquet(in_file(error, self.path.as_deref())))?;
        let columns = rows.schema().fields().clone();
        let metadata = self.schema.metadata().clone();
        Ok(Rows {
            rows,
            schema: Arc::new(ArrowSchema::new_with_metadata(columns, metadata)),
            path: self.path.clone(),
        })
    }

    pub fn table(&self, selection: &Selection, limits: Limits) -> PyResult<Table> {
        let mut rows = self.rows(BATCH_ROWS, selection, limits, true)?;
        let mut batches = Vec::new();
        while let Some(batch) = rows.next()? {
            check_signals()?;
            batches.push(batch);
        }
        Ok(Table {
            schema: rows.schema,
            batches,
        })
    }
}

/// Reads rows of one file. Opens only the columns that they need.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python's keywords, one each")]
pub fn read_file(
    source: &Bound<'_, PyAny>,
    columns: Option<Columns>,
    row_groups: Option<Vec<Count>>,
    filters: Option<Bound<'_, PyAny>>,
    types: Types,
    threads: Option<Count>,
    memory_limit: Option<u64>,
    row_limit: Option<u64>,
) -> PyResult<Table> {
    let py = source.py();
    let limits = Limits::new(threads, memory_limit)?;
    let selection = selection(py, columns, row_groups, filters, row_limit)?;
    let file = ParquetFile::open(source, types, &selection)?;
    py.detach(|| file.table(&selection, limits))
}

/// Number of reading threads, and memory limit of a batch.
#[derive(Clone, Copy)]
pub struct Limits {
    /// `None` for as many as are worth waking, up to one per core.
    threads: Option<NonZero<usize>>,
    memory: Option<u64>,
}

impl Limits {
    pub fn new(threads: Option<Count>, memory: Option<u64>) -> PyResult<Self> {
        let count = |Count(threads)| {
            NonZero::new(threads).ok_or_else(|| PyValueError::new_err("threads must be at least 1"))
        };
        let threads = threads.map(count).transpose()?;
        Ok(Self { threads, memory })
    }
}

/// Rows that have not been read yet.
struct Rows {
    rows: SelectedRows,
    /// Schema with the metadata of the file, which batches do not have.
    schema: SchemaRef,
    path: Option<PathBuf>,
}

impl Rows {
    fn next(&mut self) -> PyResult<Option<RecordBatch>> {
        let batch = self.rows.next().transpose();
        batch.map_err(|error| of_reader(error, self.path.as_deref()))
    }
}

/// Iterator over the batches of a file, each a `Table`.
#[pyclass(frozen, module = "bytelane.parquet")]
pub struct Batches {
    rows: Mutex<Rows>,
    /// Function that chooses rows and columns of a batch.
    rest: Option<Py<PyAny>>,
}

#[pymethods]
impl Batches {
    /// Work done so far.
    #[getter]
    fn metrics(&self, py: Python<'_>) -> Metrics {
        let rows = py.detach(|| {
            let rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
            rows.rows.metrics()
        });
        Metrics(rows)
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Py<Table>>> {
        while let Some(batch) = py.detach(|| self.next())? {
            let batch = Py::new(py, batch)?;
            let Some(rest) = &self.rest else {
                return Ok(Some(batch));
            };
            let chosen: Py<Table> = rest.call1(py, (batch,))?.extract(py)?;
            if chosen.get().num_rows() > 0 {
                return Ok(Some(chosen));
            }
        }
        Ok(None)
    }
}

impl Batches {
    /// Reads the next batch. The GIL must have been released before this waits for the lock.
    fn next(&self) -> PyResult<Option<Table>> {
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        let batch = rows.next()?;
        Ok(batch.map(|batch| Table {
            schema: SchemaRef::clone(&rows.schema),
            batches: vec![batch],
        }))
    }
}

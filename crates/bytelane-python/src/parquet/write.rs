//! `write_table` and `ParquetWriter`.

use super::check_signals;
use super::error::of_parquet;
use super::file::thread_count;
use super::options::{Count, Options};
use super::sink::{Place, Sink};
use crate::arrow;
use bytelane_parquet::arrow_schema::Schema;
use bytelane_parquet::parquet::file::metadata::SortingColumn;
use bytelane_parquet::parquet::file::properties::{BloomFilterProperties, EnabledStatistics};
use bytelane_parquet::{
    ColumnOptions, ContentDefinedPages, Writer, WriterOptions, parse_compression,
};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

/// Writes a table to an object, or to a file, which appears under its name when it is complete.
#[pyfunction]
#[pyo3(signature = (table, sink, options, layout, threads))]
pub fn write_table(
    py: Python<'_>,
    table: &Bound<'_, PyAny>,
    sink: &Bound<'_, PyAny>,
    options: Options,
    layout: Layout,
    threads: Option<Count>,
) -> PyResult<()> {
    let rows = arrow::import(table)?;
    let schema = rows.schema();
    let writer = layout
        .writer(py, options, &schema)?
        .with_threads(thread_count(threads)?);
    let (sink, place) = Sink::open(sink)?;
    py.detach(|| {
        let writer = Writer::try_new(sink, schema, writer);
        let mut writer = writer.map_err(|error| place.exception(error))?;
        writer.append_metadata_bytes(rows.metadata());
        append(&mut writer, rows, layout.row_group_size.0, &place)?;
        writer.close().map_err(|error| place.exception(error))?;
        place.finish()
    })
}

/// Options for writing the parts of a file, in addition to the common options of all functions.
pub struct Layout {
    encoding: String,
    columns: Vec<(String, String)>,
    compressions: Vec<(String, String)>,
    row_group_size: Count,
    row_group_bytes: Count,
    page_rows: Option<Count>,
    page_bytes: Option<Count>,
    page_version: String,
    page_checksums: bool,
    content_defined_pages: Option<(Count, Count)>,
    dictionary_bytes: Option<Count>,
    /// Paths of columns with a Bloom filter, and the share of false positives.
    bloom_filters: Vec<(String, f64)>,
    /// Index of a leaf, whether it is descending, and whether nulls come first.
    sorting_columns: Vec<(i32, bool, bool)>,
    /// Bounds of chunks, and of pages, if they are written.
    statistics: (bool, bool),
    bound_bytes: Count,
    total_order: bool,
}

// The derived implementation hides the types that it expects.
impl<'a, 'py> FromPyObject<'a, 'py> for Layout {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self {
            encoding: object.getattr("encoding")?.extract()?,
            columns: object.getattr("columns")?.extract()?,
            compressions: object.getattr("compressions")?.extract()?,
            row_group_size: object.getattr("row_group_size")?.extract()?,
            row_group_bytes: object.getattr("row_group_bytes")?.extract()?,
            page_rows: object.getattr("page_rows")?.extract()?,
            page_bytes: object.getattr("page_bytes")?.extract()?,
            page_version: object.getattr("page_version")?.extract()?,
            page_checksums: object.getattr("page_checksums")?.extract()?,
            content_defined_pages: object.getattr("content_defined_pages")?.extract()?,
            dictionary_bytes: object.getattr("dictionary_bytes")?.extract()?,
            bloom_filters: object.getattr("bloom_filters")?.extract()?,
            sorting_columns: object.getattr("sorting_columns")?.extract()?,
            statistics: object.getattr("statistics")?.extract()?,
            bound_bytes: object.getattr("bound_bytes")?.extract()?,
            total_order: object.getattr("total_order")?.extract()?,
        })
    }
}

impl Layout {
    /// Returns the options of single columns.
    fn columns(&self) -> PyResult<BTreeMap<&str, ColumnOptions>> {
        let mut columns = BTreeMap::<&str, ColumnOptions>::new();
        for (path, encoding) in &self.columns {
            columns.entry(path).or_default().encoding = Some(encoding.parse().map_err(of_parquet)?);
        }
        for (path, codec) in &self.compressions {
            let codec = parse_compression(codec).map_err(of_parquet)?;
            columns.entry(path).or_default().compression = Some(codec);
        }
        for (path, false_positives) in &self.bloom_filters {
            let filter = BloomFilterProperties::builder().with_fpp(*false_positives);
            let filter = filter.try_build();
            let filter = filter.map_err(|_| {
                let problem = format!(
                    "the share of false positives of the Bloom filter of {path} is {false_positives}; it must be \
                     between 0 and 1, such as 0.01"
                );
                PyValueError::new_err(problem)
            });
            columns.entry(path).or_default().bloom_filter = Some(filter?);
        }
        Ok(columns)
    }

    /// Returns the options of a writer for tables with this schema.
    fn writer(&self, py: Python<'_>, options: Options, schema: &Schema) -> PyResult<WriterOptions> {
        let mut writer = options
            .writer(py, Vec::new())?
            .with_total_order(self.total_order)
            .with_encoding(self.encoding.parse().map_err(of_parquet)?)
            .with_row_group_rows(self.row_group_size.0)
            .with_row_group_bytes(self.row_group_bytes.0)
            .with_data_page_version(self.page_version.parse().map_err(of_parquet)?)
            .with_statistics(match self.statistics {
                (false, _) => EnabledStatistics::None,
                (true, false) => EnabledStatistics::Chunk,
                (true, true) => EnabledStatistics::Page,
            })
            .with_page_checksums(self.page_checksums)
            .with_bound_bytes(self.bound_bytes.0);
        if let Some(rows) = self.page_rows {
            writer = writer.with_page_rows(rows.0);
        }
        if let Some(bytes) = self.page_bytes {
            writer = writer.with_page_bytes(bytes.0);
        }
        if let Some(bytes) = self.dictionary_bytes {
            writer = writer.with_dictionary_page_bytes(bytes.0);
        }
        if let Some((min, max)) = self.content_defined_pages {
            let pages = ContentDefinedPages::new(min.0, max.0).map_err(of_parquet)?;
            writer = writer.with_content_defined_pages(pages);
        }
        for (path, column) in self.columns()? {
            writer = writer.with_column(path, column);
        }
        if !self.sorting_columns.is_empty() {
            let sorted = self.sorting_columns.iter();
            let sorted = sorted.map(|&(column_idx, descending, nulls_first)| SortingColumn {
                column_idx,
                descending,
                nulls_first,
            });
            writer = writer.with_sorting_columns(sorted.collect());
        }
        if let Some(compression) = options.compression()? {
            writer = writer.with_compression(compression);
        }
        for (key, value) in schema.metadata().iter().collect::<BTreeMap<_, _>>() {
            writer = writer.with_key_value(key, value);
        }
        Ok(writer)
    }
}

/// Appends rows row group by row group, so that Ctrl-C ends it soon.
fn append(
    writer: &mut Writer<Sink>,
    rows: arrow::Rows,
    row_group_size: usize,
    place: &Place,
) -> PyResult<()> {
    for batch in rows {
        let batch = batch?;
        for start in (0..batch.num_rows()).step_by(row_group_size) {
            check_signals()?;
            let count = row_group_size.min(batch.num_rows() - start);
            let written = writer.write(&batch.slice(start, count));
            written.map_err(|error| place.exception(error))?;
        }
    }
    Ok(())
}

/// Parquet file to which tables are appended. A file with a path appears under its name when it is
/// closed.
#[pyclass(frozen, module = "bytelane._native._parquet")]
pub struct ParquetWriter {
    row_group_size: usize,
    state: Mutex<State>,
}

struct State {
    /// Open file; `None` once it is closed or discarded.
    open: Option<Open>,
    /// Bytes and row groups of the closed file.
    counts: (u64, usize),
}

struct Open {
    place: Place,
    writer: Writer<Sink>,
}

#[pymethods]
impl ParquetWriter {
    #[new]
    #[pyo3(signature = (sink, schema, options, layout, threads))]
    fn new(
        py: Python<'_>,
        sink: &Bound<'_, PyAny>,
        schema: &Bound<'_, PyAny>,
        options: Options,
        layout: Layout,
        threads: Option<Count>,
    ) -> PyResult<Self> {
        let (schema, metadata) = arrow::import_schema(schema)?;
        let options = layout
            .writer(py, options, &schema)?
            .with_threads(thread_count(threads)?);
        let (sink, place) = Sink::open(sink)?;
        let writer = py.detach(|| Writer::try_new(sink, Arc::new(schema), options));
        let mut writer = writer.map_err(|error| place.exception(error))?;
        writer.append_metadata_bytes(metadata);
        let state = State {
            open: Some(Open { place, writer }),
            counts: (0, 0),
        };
        Ok(Self {
            row_group_size: layout.row_group_size.0,
            state: Mutex::new(state),
        })
    }

    /// Appends the rows of a table.
    fn write_table(&self, py: Python<'_>, table: &Bound<'_, PyAny>) -> PyResult<()> {
        let rows = arrow::import(table)?;
        let mut state = self.lock()?;
        let Open { place, writer } = state.opened()?;
        py.detach(|| append(writer, rows, self.row_group_size, place))
    }

    /// Ends the current row group.
    fn flush(&self, py: Python<'_>) -> PyResult<()> {
        let mut state = self.lock()?;
        let Open { place, writer } = state.opened()?;
        py.detach(|| writer.flush().map_err(|error| place.exception(error)))
    }

    /// Adds pairs to the metadata of the file.
    fn add_key_value_metadata(&self, pairs: Vec<(String, String)>) -> PyResult<()> {
        let mut state = self.lock()?;
        let Open { writer, .. } = state.opened()?;
        for (key, value) in pairs {
            writer.append_key_value(key, value);
        }
        Ok(())
    }

    #[getter]
    fn is_open(&self) -> PyResult<bool> {
        Ok(self.lock()?.open.is_some())
    }

    #[getter]
    fn buffered_rows(&self) -> PyResult<usize> {
        let state = self.lock()?;
        let open = state.open.as_ref();
        Ok(open.map_or(0, |open| open.writer.buffered_rows()))
    }

    #[getter]
    fn memory_size(&self) -> PyResult<usize> {
        let state = self.lock()?;
        let open = state.open.as_ref();
        Ok(open.map_or(0, |open| open.writer.memory_size()))
    }

    #[getter]
    fn bytes_written(&self) -> PyResult<u64> {
        Ok(self.lock()?.counts().0)
    }

    #[getter]
    fn flushed_row_groups(&self) -> PyResult<usize> {
        Ok(self.lock()?.counts().1)
    }

    /// Completes the file, which then appears under its name. Does nothing if the writer is closed.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let mut state = self.lock()?;
        let Some(Open { place, mut writer }) = state.open.take() else {
            return Ok(());
        };
        state.counts = py.detach(|| {
            let finished = writer.finish();
            finished.map_err(|error| place.exception(error))?;
            place.finish()?;
            PyResult::Ok((writer.bytes_written(), writer.flushed_row_groups()))
        })?;
        Ok(())
    }

    /// Closes the writer, and leaves an existing file under that name unchanged.
    fn discard(&self) -> PyResult<()> {
        self.lock()?.open = None;
        Ok(())
    }
}

impl ParquetWriter {
    /// Locks the state. Returns an error if it is locked: the sink, which is called under the lock, could wait for itself.
    fn lock(&self) -> PyResult<MutexGuard<'_, State>> {
        match self.state.try_lock() {
            Ok(state) => Ok(state),
            Err(TryLockError::Poisoned(state)) => Ok(state.into_inner()),
            Err(TryLockError::WouldBlock) => Err(PyRuntimeError::new_err(
                "another thread, or the object with `write`, uses the writer at the same time; hold a lock, or use one \
                 writer per thread",
            )),
        }
    }
}

impl State {
    fn opened(&mut self) -> PyResult<&mut Open> {
        let open = self.open.as_mut();
        open.ok_or_else(|| PyValueError::new_err("the writer is closed"))
    }

    /// Returns the numbers of bytes and of row groups written so far.
    fn counts(&self) -> (u64, usize) {
        match &self.open {
            Some(Open { writer, .. }) => (writer.bytes_written(), writer.flushed_row_groups()),
            None => self.counts,
        }
    }
}

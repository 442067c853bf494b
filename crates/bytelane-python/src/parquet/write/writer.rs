//! `write_table` and `ParquetWriter`.

use crate::arrow;
use crate::parquet::metadata::FileMetaData;
use crate::parquet::options::{parse_map, warn_of_obstacles};
use crate::parquet::watch::check_signals;
use crate::parquet::write::keys::Encryption;
use crate::parquet::write::sink::{Place, Sink};
use bytelane_parquet::arrow_schema::{Schema, SchemaRef};
use bytelane_parquet::options::{deserialize_by_path, deserialize_compression_by_path};
use bytelane_parquet::parallel::all_cores;
use bytelane_parquet::parquet::basic::Compression;
use bytelane_parquet::parquet::file::metadata::ParquetMetaData;
use bytelane_parquet::parquet::file::properties::{BloomFilterProperties, EnabledStatistics};
use bytelane_parquet::{ColumnOptions, Encoding, Writer, WriterOptions};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

/// Writes a table to an object, or to a file, which appears under its name when it is complete.
#[pyfunction]
pub fn write_table(
    py: Python<'_>,
    table: &Bound<'_, PyAny>,
    sink: &Bound<'_, PyAny>,
    options: &str,
    encryption: Option<Encryption>,
) -> PyResult<FileMetaData> {
    let rows = arrow::import(table)?;
    let schema = rows.schema();
    let options = writer_options(py, options, &schema)?;
    let row_group_size = options.row_group_size;
    let (sink, place) = Sink::open(sink)?;
    py.detach(|| {
        let writer = opened(sink, schema, options, encryption);
        let mut writer = writer.map_err(|error| place.exception(error))?;
        writer.append_metadata_bytes(rows.metadata());
        append(&mut writer, rows, row_group_size, &place)?;
        let written = writer.close().map_err(|error| place.exception(error))?;
        place.finish()?;
        Ok(FileMetaData::new(Arc::new(written.metadata), None))
    })
}

/// Starts a file, which may be encrypted.
fn opened(
    sink: Sink,
    schema: SchemaRef,
    options: WriterOptions,
    encryption: Option<Encryption>,
) -> bytelane_parquet::Result<Writer<Sink>> {
    match encryption {
        Some(Encryption(keys)) => Writer::try_new_encrypted(sink, schema, options, &keys),
        None => Writer::try_new(sink, schema, options),
    }
}

/// Keywords of pyarrow for options of single columns, by their paths.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct OfColumns {
    #[serde(deserialize_with = "deserialize_by_path")]
    column_encoding: Vec<(String, Encoding)>,
    /// Codecs of columns, if they do not have that of the file.
    #[serde(deserialize_with = "deserialize_compression_by_path")]
    compression_of: Vec<(String, Compression)>,
    /// Shares of false positives.
    bloom_filter_options: BTreeMap<String, f64>,
    /// Columns with statistics, if not all have them.
    statistics_of: Vec<String>,
}

/// Returns the options of a writer for tables with this schema, of a JSON object of keywords.
fn writer_options(py: Python<'_>, keywords: &str, schema: &Schema) -> PyResult<WriterOptions> {
    let keywords: Map<String, Value> = serde_json::from_str(keywords).unwrap_or_default();
    const OF_COLUMNS: [&str; 4] = [
        "bloom_filter_options",
        "column_encoding",
        "compression_of",
        "statistics_of",
    ];
    let (of_columns, of_file) = keywords
        .into_iter()
        .partition(|(name, _)| OF_COLUMNS.contains(&name.as_str()));
    let mut options: WriterOptions = parse_map(of_file)?;
    warn_of_obstacles(py, &options.encodings, &options.readers)?;
    let statistics = if options.write_page_index {
        EnabledStatistics::Page
    } else {
        EnabledStatistics::Chunk
    };
    for (path, column) in parse_map::<OfColumns>(of_columns)?.options(statistics)? {
        options = options.with_column(path, column);
    }
    for (key, value) in schema.metadata().iter().collect::<BTreeMap<_, _>>() {
        options = options.with_key_value(key, value);
    }
    options.threads.get_or_insert(all_cores());
    Ok(options)
}

impl OfColumns {
    fn options(self, statistics: EnabledStatistics) -> PyResult<BTreeMap<String, ColumnOptions>> {
        let mut columns = BTreeMap::<String, ColumnOptions>::new();
        for (path, encoding) in self.column_encoding {
            columns.entry(path).or_default().encoding = Some(encoding);
        }
        for (path, compression) in self.compression_of {
            columns.entry(path).or_default().compression = Some(compression);
        }
        for path in self.statistics_of {
            columns.entry(path).or_default().statistics = Some(statistics);
        }
        for (path, false_positives) in self.bloom_filter_options {
            let filter = BloomFilterProperties::builder().with_fpp(false_positives);
            let filter = filter.try_build().map_err(|_| {
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
    /// Footer of the closed file.
    footer: Option<Arc<ParquetMetaData>>,
}

struct Open {
    place: Place,
    writer: Writer<Sink>,
}

#[pymethods]
impl ParquetWriter {
    #[new]
    fn new(
        py: Python<'_>,
        sink: &Bound<'_, PyAny>,
        schema: &Bound<'_, PyAny>,
        options: &str,
        encryption: Option<Encryption>,
    ) -> PyResult<Self> {
        let (schema, metadata) = arrow::import_schema(schema)?;
        let options = writer_options(py, options, &schema)?;
        let row_group_size = options.row_group_size;
        let (sink, place) = Sink::open(sink)?;
        let writer = py.detach(|| opened(sink, Arc::new(schema), options, encryption));
        let mut writer = writer.map_err(|error| place.exception(error))?;
        writer.append_metadata_bytes(metadata);
        let state = State {
            open: Some(Open { place, writer }),
            counts: (0, 0),
            footer: None,
        };
        Ok(Self {
            row_group_size,
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

    /// Footer of the closed file.
    #[getter]
    fn metadata(&self) -> PyResult<Option<FileMetaData>> {
        Ok(self
            .lock()?
            .footer
            .clone()
            .map(|footer| FileMetaData::new(footer, None)))
    }

    /// Completes the file, which then appears under its name. Does nothing if the writer is closed.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let mut state = self.lock()?;
        let Some(Open { place, mut writer }) = state.open.take() else {
            return Ok(());
        };
        let (counts, footer) = py.detach(|| {
            let written = writer.finish().map_err(|error| place.exception(error))?;
            place.finish()?;
            let counts = (writer.bytes_written(), writer.flushed_row_groups());
            PyResult::Ok((counts, written.metadata))
        })?;
        (state.counts, state.footer) = (counts, Some(Arc::new(footer)));
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

//! `write_table` and `ParquetWriter`.

use super::check_signals;
use super::error::of_parquet;
use super::file::thread_count;
use super::options::{Count, Options};
use super::sink::{Place, Sink};
use crate::arrow;
use arrow_array::ffi_stream::RecordBatchStreamReader;
use bytelane_parquet::arrow_array::RecordBatchReader;
use bytelane_parquet::arrow_schema::Schema;
use bytelane_parquet::parquet::file::metadata::SortingColumn;
use bytelane_parquet::parquet::file::properties::BloomFilterProperties;
use bytelane_parquet::{ColumnOptions, ContentDefinedPages, Writer, WriterOptions};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

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
        append(&mut writer, rows, layout.row_group_size.0, &place)?;
        writer.close().map_err(|error| place.exception(error))?;
        place.finish()
    })
}

/// Options for writing the parts of a file, in addition to the common options of all functions.
pub struct Layout {
    encoding: String,
    columns: Vec<(String, String)>,
    row_group_size: Count,
    row_group_bytes: Count,
    content_defined_pages: Option<(Count, Count)>,
    /// Paths of columns with a Bloom filter, and the share of false positives.
    bloom_filters: Vec<(String, f64)>,
    /// Index of a leaf, whether it is descending, and whether nulls come first.
    sorting_columns: Vec<(i32, bool, bool)>,
    total_order: bool,
}

// The derived implementation hides the types that it expects.
impl<'a, 'py> FromPyObject<'a, 'py> for Layout {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self {
            encoding: object.getattr("encoding")?.extract()?,
            columns: object.getattr("columns")?.extract()?,
            row_group_size: object.getattr("row_group_size")?.extract()?,
            row_group_bytes: object.getattr("row_group_bytes")?.extract()?,
            content_defined_pages: object.getattr("content_defined_pages")?.extract()?,
            bloom_filters: object.getattr("bloom_filters")?.extract()?,
            sorting_columns: object.getattr("sorting_columns")?.extract()?,
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
            .with_row_group_bytes(self.row_group_bytes.0);
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
    rows: RecordBatchStreamReader,
    row_group_size: usize,
    place: &Place,
) -> PyResult<()> {
    for batch in rows {
        let batch = batch.map_err(arrow::of_stream)?;
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
#[pyclass(module = "bytelane._native._parquet")]
pub struct ParquetWriter {
    row_group_size: usize,
    /// Open file; `None` once it is closed or discarded.
    open: Option<Open>,
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
        let schema = arrow::import_schema(schema)?;
        let options = layout
            .writer(py, options, &schema)?
            .with_threads(thread_count(threads)?);
        let (sink, place) = Sink::open(sink)?;
        let writer = py.detach(|| Writer::try_new(sink, Arc::new(schema), options));
        let writer = writer.map_err(|error| place.exception(error))?;
        Ok(Self {
            open: Some(Open { place, writer }),
            row_group_size: layout.row_group_size.0,
        })
    }

    /// Appends the rows of a table.
    fn write_table(&mut self, py: Python<'_>, table: &Bound<'_, PyAny>) -> PyResult<()> {
        let rows = arrow::import(table)?;
        let row_group_size = self.row_group_size;
        let Some(Open { place, writer }) = &mut self.open else {
            return Err(PyValueError::new_err("the writer is closed"));
        };
        py.detach(|| append(writer, rows, row_group_size, place))
    }

    /// Completes the file, which then appears under its name. Does nothing if the writer is closed.
    fn close(&mut self, py: Python<'_>) -> PyResult<()> {
        let Some(Open { place, writer }) = self.open.take() else {
            return Ok(());
        };
        py.detach(|| {
            writer.close().map_err(|error| place.exception(error))?;
            place.finish()
        })
    }

    /// Closes the writer, and leaves an existing file under that name unchanged.
    fn discard(&mut self) {
        self.open = None;
    }
}

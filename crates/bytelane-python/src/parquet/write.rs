//! `write_table` and `ParquetWriter`.

use super::check_signals;
use super::error::of_parquet;
use super::file::thread_count;
use super::options::{Count, Options};
use crate::arrow;
use arrow_array::ffi_stream::RecordBatchStreamReader;
use bytelane_parquet::arrow_array::RecordBatchReader;
use bytelane_parquet::arrow_schema::Schema;
use bytelane_parquet::{Error, NewFile, Writer, WriterOptions};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Writes a table to a file, which appears when it is complete.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "those of the function in Python")]
#[pyo3(signature = (table, path, options, encoding, columns, row_group_size, threads))]
pub fn write_table(
    py: Python<'_>,
    table: &Bound<'_, PyAny>,
    path: PathBuf,
    options: Options,
    encoding: &str,
    columns: Vec<(String, String)>,
    row_group_size: Count,
    threads: Option<Count>,
) -> PyResult<()> {
    let Count(row_group_size) = row_group_size;
    let rows = arrow::import(table)?;
    let schema = rows.schema();
    let writer = writer_options(py, options, encoding, columns, row_group_size, &schema)?
        .with_threads(thread_count(threads)?);
    py.detach(|| {
        let new = NewFile::create(&path).map_err(of_parquet)?;
        write(rows, new.file(), &path, writer, row_group_size)?;
        new.finish().map_err(of_parquet)
    })
}

/// The options of a writer for tables with this schema.
fn writer_options(
    py: Python<'_>,
    options: Options,
    encoding: &str,
    columns: Vec<(String, String)>,
    row_group_size: usize,
    schema: &Schema,
) -> PyResult<WriterOptions> {
    let mut writer = options
        .writer(py, columns)?
        .with_encoding(encoding.parse().map_err(of_parquet)?)
        .with_row_group_rows(row_group_size);
    if let Some(compression) = options.compression()? {
        writer = writer.with_compression(compression);
    }
    for (key, value) in schema.metadata().iter().collect::<BTreeMap<_, _>>() {
        writer = writer.with_key_value(key, value);
    }
    Ok(writer)
}

fn write(
    rows: RecordBatchStreamReader,
    file: &File,
    path: &Path,
    options: WriterOptions,
    row_group_size: usize,
) -> PyResult<()> {
    let in_file = |error: Error| of_parquet(error.in_file(path));
    let mut writer = Writer::try_new(file, rows.schema(), options).map_err(in_file)?;
    append(&mut writer, rows, row_group_size, in_file)?;
    writer.close().map_err(in_file)?;
    Ok(())
}

/// Row group by row group, so that Ctrl-C ends it soon.
fn append<W: Write + Send>(
    writer: &mut Writer<W>,
    rows: RecordBatchStreamReader,
    row_group_size: usize,
    in_file: impl Fn(Error) -> PyErr,
) -> PyResult<()> {
    for batch in rows {
        let batch = batch.map_err(arrow::of_stream)?;
        for start in (0..batch.num_rows()).step_by(row_group_size) {
            check_signals()?;
            let count = row_group_size.min(batch.num_rows() - start);
            writer.write(&batch.slice(start, count)).map_err(&in_file)?;
        }
    }
    Ok(())
}

/// A Parquet file to which tables are appended. It appears when it is closed.
#[pyclass(module = "bytelane._native._parquet")]
pub struct ParquetWriter {
    path: PathBuf,
    row_group_size: usize,
    /// Nothing once the file is closed or given up.
    open: Option<Open>,
}

struct Open {
    new: NewFile,
    writer: Writer<File>,
}

#[pymethods]
impl ParquetWriter {
    #[new]
    #[pyo3(signature = (path, schema, options, encoding, columns, row_group_size, threads))]
    #[expect(clippy::too_many_arguments, reason = "those of the class in Python")]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        schema: &Bound<'_, PyAny>,
        options: Options,
        encoding: &str,
        columns: Vec<(String, String)>,
        row_group_size: Count,
        threads: Option<Count>,
    ) -> PyResult<Self> {
        let Count(row_group_size) = row_group_size;
        let schema = arrow::import_schema(schema)?;
        let options = writer_options(py, options, encoding, columns, row_group_size, &schema)?
            .with_threads(thread_count(threads)?);
        let in_file = |error: Error| of_parquet(error.in_file(&path));
        let new = NewFile::create(&path).map_err(of_parquet)?;
        let file = new.file().try_clone()?;
        let writer = Writer::try_new(file, Arc::new(schema), options).map_err(in_file)?;
        Ok(Self {
            open: Some(Open { new, writer }),
            path,
            row_group_size,
        })
    }

    /// Appends the rows of a table.
    fn write_table(&mut self, py: Python<'_>, table: &Bound<'_, PyAny>) -> PyResult<()> {
        let rows = arrow::import(table)?;
        let (path, row_group_size) = (&self.path, self.row_group_size);
        let Some(open) = &mut self.open else {
            return Err(PyValueError::new_err("the writer is closed"));
        };
        py.detach(|| {
            let in_file = |error: Error| of_parquet(error.in_file(path));
            append(&mut open.writer, rows, row_group_size, in_file)
        })
    }

    /// Ends the file, which then appears under its name. Does nothing if the writer is closed.
    fn close(&mut self, py: Python<'_>) -> PyResult<()> {
        let Some(open) = self.open.take() else {
            return Ok(());
        };
        let path = &self.path;
        py.detach(|| {
            let written = open.writer.close();
            written.map_err(|error| of_parquet(error.in_file(path)))?;
            open.new.finish().map_err(of_parquet)
        })
    }

    /// Closes the writer, and leaves what there was under the name of the file.
    fn discard(&mut self) {
        self.open = None;
    }
}

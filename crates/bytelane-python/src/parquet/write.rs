//! `write_table`.

use super::check_signals;
use super::error::of_parquet;
use super::options::{Count, Options};
use crate::arrow;
use arrow_array::ffi_stream::RecordBatchStreamReader;
use bytelane_parquet::arrow_array::RecordBatchReader;
use bytelane_parquet::{Error, NewFile, Writer, WriterOptions};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Writes a table to a file, which appears when it is complete.
#[pyfunction]
#[pyo3(signature = (table, path, options, encoding, columns, row_group_size))]
pub fn write_table(
    py: Python<'_>,
    table: &Bound<'_, PyAny>,
    path: PathBuf,
    options: Options,
    encoding: &str,
    columns: Vec<(String, String)>,
    row_group_size: Count,
) -> PyResult<()> {
    let Count(row_group_size) = row_group_size;
    let mut writer = options
        .writer(py, columns)?
        .with_encoding(encoding.parse().map_err(of_parquet)?)
        .with_row_group_rows(row_group_size);
    if let Some(compression) = options.compression()? {
        writer = writer.with_compression(compression);
    }
    let rows = arrow::import(table)?;
    for (key, value) in rows.schema().metadata().iter().collect::<BTreeMap<_, _>>() {
        writer = writer.with_key_value(key, value);
    }
    py.detach(|| {
        let new = NewFile::create(&path).map_err(of_parquet)?;
        write(rows, new.file(), &path, writer, row_group_size)?;
        new.finish().map_err(of_parquet)
    })
}

/// Row group by row group, so that Ctrl-C ends it soon.
fn write(
    rows: RecordBatchStreamReader,
    file: &File,
    path: &Path,
    options: WriterOptions,
    row_group_size: usize,
) -> PyResult<()> {
    let in_file = |error: Error| of_parquet(error.in_file(path));
    let mut writer = Writer::try_new(file, rows.schema(), options).map_err(in_file)?;
    for batch in rows {
        let batch = batch.map_err(arrow::of_stream)?;
        for start in (0..batch.num_rows()).step_by(row_group_size) {
            check_signals()?;
            let count = row_group_size.min(batch.num_rows() - start);
            writer.write(&batch.slice(start, count)).map_err(in_file)?;
        }
    }
    writer.close().map_err(in_file)?;
    Ok(())
}

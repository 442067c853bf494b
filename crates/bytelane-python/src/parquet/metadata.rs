//! Metadata from footers, under the names of pyarrow.

use bytelane_parquet::compression_name;
use bytelane_parquet::parquet::file::metadata::{ColumnChunkMetaData as Chunk, ParquetMetaData};
use bytelane_parquet::parquet::file::statistics::Statistics;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use std::sync::Arc;

/// Metadata of a file, from its footer.
///
/// >>> import pyarrow as pa
/// >>> from bytelane import parquet
/// >>> parquet.write_table(pa.table({"id": range(1000)}), "ids.parquet", "plain", row_group_size=600)
/// >>> metadata = parquet.ParquetFile("ids.parquet").metadata
/// >>> metadata.num_rows, metadata.num_row_groups, metadata.num_columns
/// (1000, 2, 1)
/// >>> chunk = metadata.row_group(0).column(0)
/// >>> chunk.path_in_schema, chunk.physical_type, chunk.num_values
/// ('id', 'INT64', 600)
#[pyclass(frozen, module = "bytelane.parquet")]
pub struct FileMetaData(pub Arc<ParquetMetaData>);

#[pymethods]
impl FileMetaData {
    /// Number of rows.
    #[getter]
    fn num_rows(&self) -> i64 {
        self.0.file_metadata().num_rows()
    }

    /// Number of row groups.
    #[getter]
    fn num_row_groups(&self) -> usize {
        self.0.num_row_groups()
    }

    /// Number of leaf columns: a flat column is one, a group has one for each column in it.
    #[getter]
    fn num_columns(&self) -> usize {
        self.0.file_metadata().schema_descr().num_columns()
    }

    /// Program that wrote the file, if known.
    #[getter]
    fn created_by(&self) -> Option<&str> {
        self.0.file_metadata().created_by()
    }

    /// Row groups.
    #[getter]
    pub fn row_groups(&self) -> Vec<RowGroupMetaData> {
        let all = 0..self.num_row_groups();
        all.map(|index| RowGroupMetaData {
            file: Arc::clone(&self.0),
            index,
        })
        .collect()
    }

    /// Returns the row group with this index.
    fn row_group(&self, index: i64) -> PyResult<RowGroupMetaData> {
        let index = check(index, self.num_row_groups(), "row groups")?;
        Ok(RowGroupMetaData {
            file: Arc::clone(&self.0),
            index,
        })
    }

    fn __repr__(&self) -> String {
        let (rows, groups, columns) = (self.num_rows(), self.num_row_groups(), self.num_columns());
        format!(
            "<bytelane.parquet.FileMetaData: {rows} rows, {groups} row groups, {columns} columns>"
        )
    }
}

/// Metadata of a row group.
#[pyclass(frozen, module = "bytelane.parquet")]
pub struct RowGroupMetaData {
    file: Arc<ParquetMetaData>,
    index: usize,
}

#[pymethods]
impl RowGroupMetaData {
    /// Number of rows.
    #[getter]
    fn num_rows(&self) -> i64 {
        self.file.row_group(self.index).num_rows()
    }

    /// Number of column chunks.
    #[getter]
    fn num_columns(&self) -> usize {
        self.file.row_group(self.index).num_columns()
    }

    /// Uncompressed size of the columns in bytes.
    #[getter]
    fn total_byte_size(&self) -> i64 {
        self.file.row_group(self.index).total_byte_size()
    }

    /// Compressed size of the columns in bytes.
    #[getter]
    fn total_compressed_size(&self) -> i64 {
        self.file.row_group(self.index).compressed_size()
    }

    /// Column chunks.
    #[getter]
    fn columns(&self) -> Vec<ColumnChunkMetaData> {
        (0..self.num_columns())
            .map(|column| self.chunk(column))
            .collect()
    }

    /// Returns the column chunk with this index.
    fn column(&self, index: i64) -> PyResult<ColumnChunkMetaData> {
        let index = check(index, self.num_columns(), "columns")?;
        Ok(self.chunk(index))
    }

    fn __repr__(&self) -> String {
        let (rows, columns) = (self.num_rows(), self.num_columns());
        format!("<bytelane.parquet.RowGroupMetaData: {rows} rows, {columns} columns>")
    }
}

impl RowGroupMetaData {
    fn chunk(&self, column: usize) -> ColumnChunkMetaData {
        ColumnChunkMetaData {
            file: Arc::clone(&self.file),
            row_group: self.index,
            column,
        }
    }
}

/// Metadata of a column in a row group.
#[pyclass(frozen, module = "bytelane.parquet")]
pub struct ColumnChunkMetaData {
    file: Arc<ParquetMetaData>,
    row_group: usize,
    column: usize,
}

#[pymethods]
impl ColumnChunkMetaData {
    /// Path of the column, with names joined by dots.
    #[getter]
    fn path_in_schema(&self) -> String {
        self.chunk().column_path().string()
    }

    /// Physical type of the values.
    #[getter]
    fn physical_type(&self) -> String {
        self.chunk().column_type().to_string()
    }

    /// Number of values, including nulls.
    #[getter]
    fn num_values(&self) -> i64 {
        self.chunk().num_values()
    }

    /// Number of nulls, if the statistics have it.
    #[getter]
    fn null_count(&self) -> Option<u64> {
        self.chunk()
            .statistics()
            .and_then(Statistics::null_count_opt)
    }

    /// Encodings of values, levels and dictionaries.
    #[getter]
    fn encodings(&self) -> Vec<String> {
        self.chunk()
            .encodings()
            .map(|encoding| encoding.to_string())
            .collect()
    }

    /// Compression: `none`, `zstd` and so on. A file does not store the level.
    #[getter]
    fn compression(&self) -> String {
        let name = compression_name(self.chunk().compression());
        name.split(':').next().unwrap_or_default().to_owned()
    }

    /// Compressed size in bytes.
    #[getter]
    fn total_compressed_size(&self) -> i64 {
        self.chunk().compressed_size()
    }

    /// Uncompressed size in bytes.
    #[getter]
    fn total_uncompressed_size(&self) -> i64 {
        self.chunk().uncompressed_size()
    }

    fn __repr__(&self) -> String {
        let (path, encodings) = (self.path_in_schema(), self.encodings().join(", "));
        let (kind, compression) = (self.physical_type(), self.compression());
        format!(
            "<bytelane.parquet.ColumnChunkMetaData {path:?}: {kind}, {encodings}, {compression}>"
        )
    }
}

impl ColumnChunkMetaData {
    fn chunk(&self) -> &Chunk {
        self.file.row_group(self.row_group).column(self.column)
    }
}

/// Returns an index if there is an item with it. Negative ones do not count from the end, as in pyarrow.
fn check(index: i64, count: usize, what: &str) -> PyResult<usize> {
    match usize::try_from(index) {
        Ok(index) if index < count => Ok(index),
        _ => Err(PyIndexError::new_err(format!(
            "index {index} is out of range; number of {what}: {count}"
        ))),
    }
}

//! Metadata of column chunks.

use super::hash;
use super::statistics::Statistics;
use bytelane_parquet::parquet::basic::Compression;
use bytelane_parquet::parquet::file::metadata::{ColumnChunkMetaData as Chunk, ParquetMetaData};
use bytelane_parquet::parquet::file::statistics::Statistics as Stored;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::Arc;

/// Metadata of a column in a row group.
#[pyclass(frozen, module = "bytelane.parquet")]
pub struct ColumnChunkMetaData {
    pub file: Arc<ParquetMetaData>,
    pub row_group: usize,
    pub column: usize,
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
        self.chunk().statistics().and_then(Stored::null_count_opt)
    }

    /// Encodings of values, levels and dictionaries.
    #[getter]
    fn encodings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.encoding_names())
    }

    /// Compression in pyarrow's words: `UNCOMPRESSED`, `SNAPPY`, `ZSTD` and so on. A file does not store the level.
    #[getter]
    fn compression(&self) -> &'static str {
        match self.chunk().compression() {
            Compression::UNCOMPRESSED => "UNCOMPRESSED",
            Compression::SNAPPY => "SNAPPY",
            Compression::GZIP(_) => "GZIP",
            Compression::LZO => "LZO",
            Compression::BROTLI(_) => "BROTLI",
            // As in pyarrow, which writes LZ4_RAW for both.
            Compression::LZ4 | Compression::LZ4_RAW => "LZ4",
            Compression::ZSTD(_) => "ZSTD",
        }
    }

    /// Statistics of the values; `None` if there are none.
    #[getter]
    fn statistics(&self) -> Option<Statistics> {
        let chunk = self.chunk();
        chunk.statistics().map(|_| Statistics(chunk.clone()))
    }

    /// True if there are statistics.
    #[getter]
    fn is_stats_set(&self) -> bool {
        self.chunk().statistics().is_some()
    }

    /// Path of the file with the pages, if it is another one.
    #[getter]
    fn file_path(&self) -> &str {
        self.chunk().file_path().unwrap_or_default()
    }

    /// Position of a copy of this metadata, which no program reads.
    #[getter]
    fn file_offset(&self) -> i64 {
        self.chunk().file_offset()
    }

    /// True if there is a dictionary.
    #[getter]
    fn has_dictionary_page(&self) -> bool {
        self.dictionary_page_offset().is_some()
    }

    /// Position of the dictionary in the file, in bytes; `None` if there is none.
    #[getter]
    fn dictionary_page_offset(&self) -> Option<i64> {
        // Some writers store 0 if there is no dictionary.
        self.chunk().dictionary_page_offset().filter(|it| *it > 0)
    }

    /// Position of the first data page in the file, in bytes.
    #[getter]
    fn data_page_offset(&self) -> i64 {
        self.chunk().data_page_offset()
    }

    /// True if there is an index of the positions of pages.
    #[getter]
    fn has_offset_index(&self) -> bool {
        self.chunk().offset_index_offset().is_some()
    }

    /// True if there is an index of the bounds of pages.
    #[getter]
    fn has_column_index(&self) -> bool {
        self.chunk().column_index_offset().is_some()
    }

    /// Position of the Bloom filter in the file, in bytes; `None` if there is none.
    #[getter]
    fn bloom_filter_offset(&self) -> Option<i64> {
        self.chunk().bloom_filter_offset()
    }

    /// Size of the Bloom filter in bytes; `None` if it is unknown.
    #[getter]
    fn bloom_filter_length(&self) -> Option<i32> {
        self.chunk().bloom_filter_length()
    }

    /// Returns all of these as a dictionary, as in pyarrow.
    pub fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        all.set_item("file_offset", self.file_offset())?;
        all.set_item("file_path", self.file_path())?;
        all.set_item("physical_type", self.physical_type())?;
        all.set_item("num_values", self.num_values())?;
        all.set_item("path_in_schema", self.path_in_schema())?;
        all.set_item("is_stats_set", self.is_stats_set())?;
        let statistics = self.statistics().map(|it| it.to_dict(py)).transpose()?;
        all.set_item("statistics", statistics)?;
        all.set_item("geo_statistics", py.None())?;
        all.set_item("compression", self.compression())?;
        all.set_item("encodings", self.encodings(py)?)?;
        all.set_item("has_dictionary_page", self.has_dictionary_page())?;
        all.set_item("dictionary_page_offset", self.dictionary_page_offset())?;
        all.set_item("data_page_offset", self.data_page_offset())?;
        all.set_item("total_compressed_size", self.total_compressed_size())?;
        all.set_item("total_uncompressed_size", self.total_uncompressed_size())?;
        all.set_item("bloom_filter_offset", self.bloom_filter_offset())?;
        all.set_item("bloom_filter_length", self.bloom_filter_length())?;
        Ok(all)
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

    /// Returns whether another column chunk is the same.
    fn equals(&self, other: &Self) -> bool {
        self.chunk() == other.chunk()
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.equals(other)
    }

    fn __hash__(&self) -> u64 {
        hash(&(self.path_in_schema(), self.num_values()))
    }

    fn __repr__(&self) -> String {
        let (path, encodings) = (self.path_in_schema(), self.encoding_names().join(", "));
        let (kind, compression) = (self.physical_type(), self.compression());
        format!(
            "<bytelane.parquet.ColumnChunkMetaData {path:?}: {kind}, {encodings}, {compression}>"
        )
    }
}

impl ColumnChunkMetaData {
    fn encoding_names(&self) -> Vec<String> {
        let encodings = self.chunk().encodings();
        encodings.map(|encoding| encoding.to_string()).collect()
    }

    fn chunk(&self) -> &Chunk {
        self.file.row_group(self.row_group).column(self.column)
    }
}

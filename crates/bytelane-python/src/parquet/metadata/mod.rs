//! Metadata from footers, under the names of pyarrow.

mod chunk;
mod columns;
mod statistics;

pub use chunk::ColumnChunkMetaData;
pub use columns::{ColumnSchema, ParquetSchema};
pub use statistics::Statistics;

use crate::parquet::error::of_parquet;
use crate::parquet::table::schema::bytes_of;
use crate::parquet::write::sink::Sink;

use bytelane_parquet::parquet::file::metadata::FileMetaData as Footer;
use bytelane_parquet::parquet::file::metadata::{
    KeyValue, ParquetMetaData, ParquetMetaDataWriter, RowGroupMetaData as RowGroup,
};
use pyo3::exceptions::{PyIndexError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::sync::{Arc, PoisonError, RwLock};

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
pub struct FileMetaData {
    metadata: RwLock<Arc<ParquetMetaData>>,
    /// Size of the footer in bytes, if it was read.
    size: Option<u32>,
}

impl FileMetaData {
    pub fn new(metadata: Arc<ParquetMetaData>, size: Option<u32>) -> Self {
        Self {
            metadata: RwLock::new(metadata),
            size,
        }
    }

    fn get(&self) -> Arc<ParquetMetaData> {
        Arc::clone(&self.metadata.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn set(&self, metadata: ParquetMetaData) {
        *self
            .metadata
            .write()
            .unwrap_or_else(PoisonError::into_inner) = Arc::new(metadata);
    }

    /// Returns the bytes of a file that consists of this footer.
    fn file(&self) -> PyResult<Vec<u8>> {
        let mut file = b"PAR1".to_vec();
        let metadata = self.get();
        let written = ParquetMetaDataWriter::new(&mut file, &metadata).finish();
        written.map_err(|error| of_parquet(error.into()))?;
        Ok(file)
    }
}

#[pymethods]
impl FileMetaData {
    /// Number of rows.
    #[getter]
    fn num_rows(&self) -> i64 {
        self.get().file_metadata().num_rows()
    }

    /// Number of row groups.
    #[getter]
    fn num_row_groups(&self) -> usize {
        self.get().num_row_groups()
    }

    /// Number of leaf columns: a flat column is one, a group has one for each column in it.
    #[getter]
    fn num_columns(&self) -> usize {
        self.get().file_metadata().schema_descr().num_columns()
    }

    /// Program that wrote the file, if known.
    #[getter]
    fn created_by(&self) -> Option<String> {
        self.get().file_metadata().created_by().map(str::to_owned)
    }

    /// Version of the format as pyarrow shows it: `1.0`, or `2.6` for all later ones.
    #[getter]
    fn format_version(&self) -> &'static str {
        match self.get().file_metadata().version() {
            ..=1 => "1.0",
            _ => "2.6",
        }
    }

    /// Size of the footer in bytes, or 0 if it was not read from a file, as in pyarrow.
    #[getter]
    fn serialized_size(&self) -> u32 {
        self.size.unwrap_or(0)
    }

    /// Leaf columns, as Parquet describes them.
    #[getter]
    fn schema(&self) -> ParquetSchema {
        ParquetSchema(self.get())
    }

    /// Key-value metadata, as bytes; `None` if there is none.
    #[getter]
    fn metadata<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        fn value(pair: &KeyValue) -> &[u8] {
            pair.value.as_deref().unwrap_or_default().as_bytes()
        }
        let metadata = self.get();
        let pairs = metadata
            .file_metadata()
            .key_value_metadata()
            .into_iter()
            .flatten();
        bytes_of(py, pairs.map(|pair| (pair.key.as_bytes(), value(pair))))
    }

    /// Row groups.
    #[getter]
    pub fn row_groups(&self) -> Vec<RowGroupMetaData> {
        let file = self.get();
        let all = 0..file.num_row_groups();
        all.map(|index| RowGroupMetaData {
            file: Arc::clone(&file),
            index,
        })
        .collect()
    }

    /// Returns the row group with this index.
    fn row_group(&self, index: i64) -> PyResult<RowGroupMetaData> {
        let file = self.get();
        let index = check(index, file.num_row_groups(), "row groups")?;
        Ok(RowGroupMetaData { file, index })
    }

    /// Sets the path of the file with the pages, relative to the one that this footer is written to.
    fn set_file_path(&self, path: &str) -> PyResult<()> {
        let metadata = self.get();
        let row_groups = metadata.row_groups().iter().map(|row_group| {
            let mut builder = row_group.clone().into_builder();
            let chunks = builder.take_columns().into_iter();
            let chunks = chunks.map(|it| it.into_builder().set_file_path(path.to_owned()).build());
            builder
                .set_column_metadata(chunks.collect::<Result<_, _>>()?)
                .build()
        });
        let row_groups = row_groups.collect::<Result<Vec<RowGroup>, _>>();
        let row_groups = row_groups.map_err(|error| of_parquet(error.into()))?;
        let file = metadata.file_metadata().clone();
        self.set(ParquetMetaData::new(file, row_groups));
        Ok(())
    }

    /// Adds the row groups of another file with the same columns.
    fn append_row_groups(&self, other: &Self) -> PyResult<()> {
        let (own, other) = (self.get(), other.get());
        if !ParquetSchema(Arc::clone(&own)).has_columns_of(&ParquetSchema(Arc::clone(&other))) {
            let message = "the other file has other columns, so its row groups cannot be added";
            return Err(PyRuntimeError::new_err(message));
        }
        let (file, more) = (own.file_metadata(), other.file_metadata());
        let file = Footer::new(
            file.version(),
            file.num_rows().saturating_add(more.num_rows()),
            file.created_by().map(str::to_owned),
            file.key_value_metadata().cloned(),
            file.schema_descr_ptr(),
            file.column_orders().cloned(),
        );
        let row_groups = own.row_groups().iter().chain(other.row_groups()).cloned();
        self.set(ParquetMetaData::new(file, row_groups.collect()));
        Ok(())
    }

    /// Writes a file that has only this footer, such as `_metadata`.
    fn write_metadata_file(&self, py: Python<'_>, r#where: &Bound<'_, PyAny>) -> PyResult<()> {
        let file = self.file()?;
        let (mut sink, place) = Sink::open(r#where)?;
        py.detach(|| {
            let written = sink.write_all(&file).and_then(|()| sink.flush());
            written.map_err(|error| place.exception(error.into()))?;
            drop(sink);
            place.finish()
        })
    }

    /// Returns all of these as a dictionary, as in pyarrow.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        all.set_item("created_by", self.created_by())?;
        all.set_item("num_columns", self.num_columns())?;
        all.set_item("num_rows", self.num_rows())?;
        all.set_item("num_row_groups", self.num_row_groups())?;
        let row_groups = self.row_groups();
        let row_groups = row_groups.iter().map(|it| it.to_dict(py));
        all.set_item("row_groups", row_groups.collect::<PyResult<Vec<_>>>()?)?;
        all.set_item("format_version", self.format_version())?;
        all.set_item("serialized_size", self.serialized_size())?;
        Ok(all)
    }

    /// Returns whether another footer is the same.
    fn equals(&self, other: &Self) -> bool {
        self.get() == other.get()
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.equals(other)
    }

    /// Hash of the columns, which never change.
    fn __hash__(&self) -> u64 {
        self.schema().__hash__()
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
        self.group().num_rows()
    }

    /// Number of column chunks.
    #[getter]
    fn num_columns(&self) -> usize {
        self.group().num_columns()
    }

    /// Uncompressed size of the columns in bytes.
    #[getter]
    fn total_byte_size(&self) -> i64 {
        self.group().total_byte_size()
    }

    /// Compressed size of the columns in bytes.
    #[getter]
    fn total_compressed_size(&self) -> i64 {
        self.group().compressed_size()
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

    /// Columns by which the rows are sorted.
    #[getter]
    fn sorting_columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let kind = py.import("bytelane._options")?.getattr("SortingColumn")?;
        let columns = self.group().sorting_columns();
        let columns = columns.into_iter().flatten();
        let columns = columns.map(|it| kind.call1((it.column_idx, it.descending, it.nulls_first)));
        PyTuple::new(py, columns.collect::<PyResult<Vec<_>>>()?)
    }

    /// Returns all of these as a dictionary, as in pyarrow.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        all.set_item("num_columns", self.num_columns())?;
        all.set_item("num_rows", self.num_rows())?;
        all.set_item("total_byte_size", self.total_byte_size())?;
        let columns = self.columns();
        let columns = columns.iter().map(|it| it.to_dict(py));
        all.set_item("columns", columns.collect::<PyResult<Vec<_>>>()?)?;
        let sorted_by = self.sorting_columns(py)?.into_iter();
        let sorted_by = sorted_by.map(|it| it.call_method0("_asdict"));
        all.set_item("sorting_columns", sorted_by.collect::<PyResult<Vec<_>>>()?)?;
        Ok(all)
    }

    /// Returns whether another row group has the same metadata.
    fn equals(&self, other: &Self) -> bool {
        self.group() == other.group()
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.equals(other)
    }

    fn __hash__(&self) -> u64 {
        hash(&(self.num_rows(), self.total_byte_size()))
    }

    fn __repr__(&self) -> String {
        let (rows, columns) = (self.num_rows(), self.num_columns());
        format!("<bytelane.parquet.RowGroupMetaData: {rows} rows, {columns} columns>")
    }
}

impl RowGroupMetaData {
    fn group(&self) -> &RowGroup {
        self.file.row_group(self.index)
    }

    fn chunk(&self, column: usize) -> ColumnChunkMetaData {
        ColumnChunkMetaData {
            file: Arc::clone(&self.file),
            row_group: self.index,
            column,
        }
    }
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
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

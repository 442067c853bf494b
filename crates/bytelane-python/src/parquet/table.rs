//! Rows and schemas for other libraries.

use crate::arrow;
use bytelane_parquet::arrow_array::RecordBatch;
use bytelane_parquet::arrow_schema::SchemaRef;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::fmt::Write;

/// Rows in memory, which other libraries can read without copying.
///
/// >>> import pyarrow as pa
/// >>> from bytelane import parquet
/// >>> parquet.write_table(pa.table({"id": range(3)}), "ids.parquet")
/// >>> table = parquet.read_table("ids.parquet")
/// >>> table
/// bytelane.parquet.Table: 1 columns, 3 rows
/// id: Int64
/// >>> table.to_pyarrow().equals(pa.table(table))
/// True
#[pyclass(frozen, module = "bytelane.parquet")]
pub struct Table {
    pub schema: SchemaRef,
    pub batches: Vec<RecordBatch>,
}

#[pymethods]
impl Table {
    /// Arrow's C stream interface. `requested_schema` is ignored: the types are not converted.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        arrow::export(py, &self.schema, self.batches.clone())
    }

    /// Arrow's C schema interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        arrow::export_schema(py, &self.schema)
    }

    /// Number of rows.
    #[getter]
    fn num_rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// Number of columns.
    #[getter]
    fn num_columns(&self) -> usize {
        self.schema.fields().len()
    }

    /// Names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        names(&self.schema)
    }

    /// Columns and their types.
    #[getter]
    fn schema(&self) -> Schema {
        Schema(SchemaRef::clone(&self.schema))
    }

    /// Returns the same rows as a pyarrow.Table.
    fn to_pyarrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pyarrow")?.call_method1("table", (slf,))
    }

    /// Returns the same rows as a polars.DataFrame.
    fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("polars")?.call_method1("DataFrame", (slf,))
    }

    /// Returns the same rows as a pandas.DataFrame, converted by pyarrow.
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::to_pyarrow(slf)?.call_method0("to_pandas")
    }

    fn __len__(&self) -> usize {
        self.num_rows()
    }

    fn __repr__(&self) -> String {
        let (columns, rows) = (self.num_columns(), self.num_rows());
        let header = format!("bytelane.parquet.Table: {columns} columns, {rows} rows");
        header + &listed(&self.schema)
    }
}

/// Columns of a file and their Arrow types.
#[pyclass(frozen, module = "bytelane.parquet")]
pub struct Schema(pub SchemaRef);

#[pymethods]
impl Schema {
    /// Arrow's C schema interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        arrow::export_schema(py, &self.0)
    }

    /// Names of the columns.
    #[getter]
    fn names(&self) -> Vec<String> {
        names(&self.0)
    }

    /// Returns the same schema as a pyarrow.Schema.
    fn to_pyarrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pyarrow")?.call_method1("schema", (slf,))
    }

    fn __len__(&self) -> usize {
        self.0.fields().len()
    }

    fn __repr__(&self) -> String {
        let header = format!("bytelane.parquet.Schema: {} columns", self.__len__());
        header + &listed(&self.0)
    }
}

fn names(schema: &SchemaRef) -> Vec<String> {
    let fields = schema.fields().iter();
    fields.map(|field| field.name().clone()).collect()
}

/// Lists the columns, one per line. Control characters are escaped, as in Python's `repr`.
fn listed(schema: &SchemaRef) -> String {
    let mut text = String::new();
    for field in schema.fields() {
        let nullable = if field.is_nullable() { "" } else { " not null" };
        let line = format!("{}: {}{nullable}", field.name(), field.data_type());
        text.push('\n');
        for c in line.chars() {
            // Writing to a `String` cannot fail.
            let _ = if c.is_control() {
                write!(text, "{}", c.escape_default())
            } else {
                write!(text, "{c}")
            };
        }
    }
    text
}

//! Schemas and their fields.

use crate::arrow::{self, type_name};
use bytelane_parquet::arrow_schema::{FieldRef, Schema as ArrowSchema, SchemaRef};
use pyo3::exceptions::{PyIndexError, PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyTuple};
use std::fmt::Write;
use std::sync::Arc;

/// Columns of a file and their Arrow types. Iterating over it returns its fields.
///
/// >>> import pyarrow as pa
/// >>> from bytelane import parquet
/// >>> schema = parquet.Table(pa.table({"id": [1], "price": [0.5]})).schema
/// >>> schema.names, schema.field("price").type
/// (['id', 'price'], 'double')
/// >>> [field.name for field in schema]
/// ['id', 'price']
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

    /// Types of the columns, in pyarrow's words.
    #[getter]
    fn types(&self) -> Vec<String> {
        let fields = self.0.fields().iter();
        fields.map(|field| type_name(field)).collect()
    }

    /// Metadata of the schema, as bytes; `None` if there is none.
    #[getter]
    fn metadata<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let pairs = self.0.metadata().iter();
        bytes_of(
            py,
            pairs.map(|(key, value)| (key.as_bytes(), value.as_bytes())),
        )
    }

    /// Returns the field with this name or index.
    fn field(&self, field: &Bound<'_, PyAny>) -> PyResult<Field> {
        let index = index_of(&self.0, field)?;
        Ok(Field(Arc::clone(&self.0.fields()[index])))
    }

    /// Returns the index of the only column with this name, or -1.
    fn get_field_index(&self, name: &str) -> isize {
        let mut fields = self.0.fields().iter().enumerate();
        let mut same = fields.by_ref().filter(|(_, field)| field.name() == name);
        match (same.next(), same.next()) {
            (Some((index, _)), None) => index as isize,
            _ => -1,
        }
    }

    /// Returns whether another schema has the same columns, and with `check_metadata` the same metadata.
    #[pyo3(signature = (other, check_metadata=false))]
    fn equals(&self, other: &Bound<'_, PyAny>, check_metadata: bool) -> PyResult<bool> {
        let (other, _) = arrow::import_schema(other)?;
        Ok(has_same_columns(&self.0, &other) && (!check_metadata || *self.0 == other))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        self.equals(other, false).unwrap_or(false)
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        self.names().hash(&mut hasher);
        hasher.finish()
    }

    /// Returns the same schema as a pyarrow.Schema.
    fn to_pyarrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pyarrow")?.call_method1("schema", (slf,))
    }

    fn __getitem__(&self, field: &Bound<'_, PyAny>) -> PyResult<Field> {
        self.field(field)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let fields = self.0.fields().iter().map(|field| Field(Arc::clone(field)));
        Ok(PyTuple::new(py, fields.collect::<Vec<_>>())?
            .try_iter()?
            .into_any())
    }

    fn __len__(&self) -> usize {
        self.0.fields().len()
    }

    fn __repr__(&self) -> String {
        let header = format!("bytelane.parquet.Schema: {} columns", self.__len__());
        header + &listed(&self.0)
    }
}

/// Returns whether two schemas have the same columns, whatever their metadata.
pub fn has_same_columns(one: &ArrowSchema, other: &ArrowSchema) -> bool {
    let columns = |schema: &ArrowSchema| {
        let fields = schema.fields().iter();
        let column =
            |field: &FieldRef| (field.name().clone(), type_name(field), field.is_nullable());
        fields.map(column).collect::<Vec<_>>()
    };
    columns(one) == columns(other)
}

/// Column of a schema.
#[pyclass(frozen, module = "bytelane.parquet")]
pub struct Field(pub FieldRef);

#[pymethods]
impl Field {
    /// Name of the column.
    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    /// Type of the column, in pyarrow's words.
    #[getter]
    fn r#type(&self) -> String {
        type_name(&self.0)
    }

    /// True if the column may have nulls.
    #[getter]
    fn nullable(&self) -> bool {
        self.0.is_nullable()
    }

    /// Metadata of the column, as bytes; `None` if there is none.
    #[getter]
    fn metadata<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let pairs = self.0.metadata().iter();
        bytes_of(
            py,
            pairs.map(|(key, value)| (key.as_bytes(), value.as_bytes())),
        )
    }

    fn __repr__(&self) -> String {
        format!("<bytelane.parquet.Field {}>", line(&self.0))
    }
}

/// Returns metadata as a dictionary of bytes; `None` if there is none.
pub fn bytes_of<'py, 'a>(
    py: Python<'py>,
    pairs: impl Iterator<Item = (&'a [u8], &'a [u8])>,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let metadata = PyDict::new(py);
    for (key, value) in pairs {
        metadata.set_item(PyBytes::new(py, key), PyBytes::new(py, value))?;
    }
    Ok((!metadata.is_empty()).then_some(metadata))
}

pub fn names(schema: &SchemaRef) -> Vec<String> {
    let fields = schema.fields().iter();
    fields.map(|field| field.name().clone()).collect()
}

/// Returns the index of a column by its name or index.
pub fn index_of(schema: &SchemaRef, column: &Bound<'_, PyAny>) -> PyResult<usize> {
    let count = schema.fields().len();
    if let Ok(name) = column.extract::<String>() {
        let mut fields = schema.fields().iter().enumerate();
        let mut same = fields.by_ref().filter(|(_, field)| *field.name() == name);
        return match (same.next(), same.next()) {
            (Some((index, _)), None) => Ok(index),
            (Some(_), _) => Err(PyKeyError::new_err(format!(
                "several columns have the name {name:?}; take one by its index"
            ))),
            _ => Err(PyKeyError::new_err(format!(
                "there is no column {name:?}; the columns are {}",
                names(schema).join(", ")
            ))),
        };
    }
    let index: isize = column.extract().map_err(|_| {
        PyTypeError::new_err(format!(
            "{column} is neither the name nor the index of a column"
        ))
    })?;
    let from_start = if index < 0 {
        index + count as isize
    } else {
        index
    };
    let index_of = usize::try_from(from_start).ok().filter(|it| *it < count);
    index_of.ok_or_else(|| {
        PyIndexError::new_err(format!(
            "column {index} is out of range; number of columns: {count}"
        ))
    })
}

/// Lists the columns, one per line. Control characters are escaped, as in Python's `repr`.
fn listed(schema: &SchemaRef) -> String {
    let mut text = String::new();
    for field in schema.fields() {
        text.push('\n');
        for c in line(field).chars() {
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

fn line(field: &FieldRef) -> String {
    let required = if field.is_nullable() { "" } else { " not null" };
    format!("{}: {}{required}", field.name(), type_name(field))
}

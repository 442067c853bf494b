//! Columns of tables.

use crate::arrow::{self, objects, type_name};
use crate::parquet::error::of_arrow;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray, new_empty_array};
use arrow_cast::cast;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{DataType, FieldRef};
use arrow_select::concat::concat;
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyList, PySlice};
use std::sync::Arc;

/// Column of a table: its values, as Python objects or for other libraries.
///
/// >>> import pyarrow as pa
/// >>> from bytelane import parquet
/// >>> column = parquet.Table(pa.table({"price": [0.5, None, 1.5]}))["price"]
/// >>> column.name, column.type, len(column), column.null_count
/// ('price', 'double', 3, 1)
/// >>> column[0], column[-1], column.to_pylist()
/// (0.5, 1.5, [0.5, None, 1.5])
#[pyclass(frozen, module = "bytelane.parquet")]
pub struct Column {
    pub field: FieldRef,
    pub arrays: Vec<ArrayRef>,
}

#[pymethods]
impl Column {
    /// Name of the column.
    #[getter]
    fn name(&self) -> &str {
        self.field.name()
    }

    /// Type of the values, in pyarrow's words.
    #[getter]
    fn r#type(&self) -> String {
        type_name(&self.field)
    }

    /// Number of nulls.
    #[getter]
    fn null_count(&self) -> usize {
        self.arrays
            .iter()
            .map(|array| array.logical_null_count())
            .sum()
    }

    /// Returns the values as a list; null is `None`.
    pub fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.objects(py)?)
    }

    /// Returns the values as a NumPy array: one of objects if there is no other type for them. In numbers with nulls, these are
    /// NaN.
    pub fn to_numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let numpy = py.import("bytelane.parquet._numpy")?;
        let array = self.joined()?;
        let Some(numbers) = numbers(&array) else {
            return numpy.call_method1("boxed", (self.to_pylist(py)?,));
        };
        let valid = array.nulls();
        let valid = valid.map(|valid| valid.iter().map(u8::from).collect::<Vec<_>>());
        let valid = valid.map(|valid| PyBytes::new(py, &valid));
        let numbers = PyBytes::new(py, &numbers);
        numpy.call_method1("array", (numbers, self.r#type(), valid))
    }

    /// Returns the same values as a pyarrow.Array.
    fn to_pyarrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pyarrow")?.call_method1("array", (slf,))
    }

    /// Arrow's C array interface: all values as one array, which is a copy if there are several batches.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        drop(requested_schema);
        let (_, array) = arrow::export_array(py, &self.joined()?)?;
        Ok((arrow::export_field(py, &self.field)?, array))
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(slice) = key.cast::<PySlice>() {
            let range = slice.indices(isize::try_from(self.__len__())?)?;
            if range.step != 1 {
                return self.to_pylist(py)?.as_any().get_item(key);
            }
            let part = self.slice(usize::try_from(range.start)?, range.slicelength);
            return Ok(part.to_pylist(py)?.into_any());
        }
        let index: isize = key.extract().map_err(|_| {
            PyTypeError::new_err(format!("{key} is not the index of a row, or a slice"))
        })?;
        let rows = self.__len__();
        let from_start = if index < 0 {
            index + rows as isize
        } else {
            index
        };
        let mut row = usize::try_from(from_start).unwrap_or(rows);
        for array in &self.arrays {
            if row < array.len() {
                let value = objects(py, &array.slice(row, 1), &self.field)?;
                return Ok(value[0].clone());
            }
            row -= array.len();
        }
        let message = format!("row {index} is out of range; number of rows: {rows}");
        Err(PyIndexError::new_err(message))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.to_pylist(py)?.try_iter()?.into_any())
    }

    fn __len__(&self) -> usize {
        self.arrays.iter().map(|array| array.len()).sum()
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let display = slf.py().import("bytelane.parquet._display")?;
        display.call_method1("column", (slf,))?.extract()
    }

    /// Returns the values in a range of rows as texts, for dates and times that Python has no objects for.
    fn _texts(&self, start: usize, length: usize) -> PyResult<Vec<String>> {
        self.slice(start, length).texts()
    }
}

/// Returns the values of a column of numbers, dates, times or Booleans, as NumPy stores them.
fn numbers(array: &ArrayRef) -> Option<Vec<u8>> {
    if let Some(booleans) = array.as_boolean_opt() {
        return Some(booleans.values().iter().map(u8::from).collect());
    }
    let is_number = array.data_type().is_numeric() && !array.data_type().is_decimal();
    let is_time = matches!(
        array.data_type(),
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) | DataType::Duration(_)
    );
    let width = array
        .data_type()
        .primitive_width()
        .filter(|_| is_number || is_time)?;
    let data = array.to_data();
    let bytes = data.buffers().first()?.as_slice();
    let start = data.offset() * width;
    bytes
        .get(start..start + data.len() * width)
        .map(<[u8]>::to_vec)
}

impl Column {
    /// Returns the values as Python objects.
    pub fn objects<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let mut all = Vec::new();
        for array in &self.arrays {
            all.extend(objects(py, array, &self.field)?);
        }
        Ok(all)
    }

    fn slice(&self, start: usize, length: usize) -> Self {
        let mut arrays = Vec::new();
        let mut row = 0;
        for array in &self.arrays {
            let range = row..row + array.len();
            let from = start.clamp(range.start, range.end) - row;
            let to = start.saturating_add(length).clamp(range.start, range.end) - row;
            arrays.push(array.slice(from, to - from));
            row = range.end;
        }
        Self {
            field: Arc::clone(&self.field),
            arrays,
        }
    }

    fn texts(&self) -> PyResult<Vec<String>> {
        let options = FormatOptions::new().with_null("null");
        let mut texts = Vec::new();
        for array in &self.arrays {
            // Names of time zones need a database, which this crate has not.
            let array = match array.data_type() {
                DataType::Timestamp(unit, Some(_)) => {
                    let utc = DataType::Timestamp(*unit, Some("+00:00".into()));
                    cast(array, &utc).map_err(of_arrow)?
                }
                _ => Arc::clone(array),
            };
            let values = ArrayFormatter::try_new(&array, &options).map_err(of_arrow)?;
            texts.extend((0..array.len()).map(|row| values.value(row).to_string()));
        }
        Ok(texts)
    }

    /// Returns the values of a Boolean column; null is false.
    pub fn booleans(&self) -> PyResult<BooleanArray> {
        if *self.field.data_type() != DataType::Boolean {
            let message = format!("a mask is a column of the type bool, not {}", self.r#type());
            return Err(PyTypeError::new_err(message));
        }
        Ok(self.joined()?.as_boolean().clone())
    }

    fn joined(&self) -> PyResult<ArrayRef> {
        match &self.arrays[..] {
            [] => Ok(new_empty_array(self.field.data_type())),
            [only] => Ok(Arc::clone(only)),
            several => {
                let several: Vec<&dyn Array> = several.iter().map(AsRef::as_ref).collect();
                concat(&several).map_err(of_arrow)
            }
        }
    }
}

//! Rows in memory.

use crate::arrow;
use crate::parquet::error::{of_arrow, of_parquet};
use crate::parquet::table::column::Column;
use crate::parquet::table::schema::{Schema, has_same_columns, index_of, names};
use arrow_array::{BooleanArray, StructArray};
use arrow_schema::{Field, Schema as ArrowSchema};
use arrow_select::concat::concat_batches;
use arrow_select::filter::filter_record_batch;
use bytelane_parquet::arrow_array::{RecordBatch, RecordBatchOptions};
use bytelane_parquet::arrow_schema::SchemaRef;
use bytelane_parquet::table::conform;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBool, PyCapsule, PyDict, PyList, PySlice, PyTuple};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Rows in memory, which other libraries can read without copying.
///
/// It is the result of reading; `Table(data)` has the rows of any other table with `__arrow_c_stream__`. `t["price"]` and
/// `t[1]` are columns, `t[2:5]` are rows, and iterating over a table returns its columns, as in pyarrow. Values are those that
/// pyarrow's methods of the same names return.
///
/// >>> import pyarrow as pa
/// >>> from bytelane import parquet
/// >>> parquet.write_table(pa.table({"id": range(3), "price": [0.5, None, 1.5]}), "trades.parquet")
/// >>> table = parquet.read_table("trades.parquet")
/// >>> table
/// bytelane.parquet.Table: 3 rows, 2 columns
///    id   price
/// int64  double
/// -----  ------
///     0     0.5
///     1    null
///     2     1.5
/// >>> table["price"].to_pylist(), table[1:].to_pylist()
/// ([0.5, None, 1.5], [{'id': 1, 'price': None}, {'id': 2, 'price': 1.5}])
/// >>> table.to_pyarrow().equals(pa.table(table))
/// True
#[pyclass(frozen, module = "bytelane.parquet")]
pub struct Table {
    pub schema: SchemaRef,
    pub batches: Vec<RecordBatch>,
}

#[pymethods]
impl Table {
    #[new]
    fn new(data: &Bound<'_, PyAny>) -> PyResult<Self> {
        let rows = arrow::import(data)?;
        let schema = rows.schema();
        let batches = rows.collect::<PyResult<_>>()?;
        Ok(Self { schema, batches })
    }

    /// Returns a table without rows, with the columns of a schema.
    #[staticmethod]
    fn empty(schema: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (schema, _) = arrow::import_schema(schema)?;
        Ok(Self {
            schema: Arc::new(schema),
            batches: Vec::new(),
        })
    }

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

    /// Arrow's C array interface: all rows as one array of structs, which is a copy if there are several batches.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        drop(requested_schema);
        let batch = self.joined()?;
        arrow::export_array(py, &StructArray::from(batch))
    }

    /// Arrow's C schema interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        arrow::export_schema(py, &self.schema)
    }

    /// Number of rows.
    #[getter]
    pub fn num_rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// Number of columns.
    #[getter]
    fn num_columns(&self) -> usize {
        self.schema.fields().len()
    }

    /// Numbers of rows and of columns.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.num_rows(), self.num_columns())
    }

    /// Names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        names(&self.schema)
    }

    /// Columns.
    #[getter]
    fn columns(&self) -> Vec<Column> {
        (0..self.num_columns())
            .map(|index| self.column_at(index))
            .collect()
    }

    /// Columns and their types.
    #[getter]
    fn schema(&self) -> Schema {
        Schema(SchemaRef::clone(&self.schema))
    }

    /// Returns the column with this name or index.
    fn column(&self, column: &Bound<'_, PyAny>) -> PyResult<Column> {
        Ok(self.column_at(index_of(&self.schema, column)?))
    }

    /// Returns these columns, by their names or indices, in this order.
    fn select(&self, columns: Vec<Bound<'_, PyAny>>) -> PyResult<Self> {
        let indices = columns.iter().map(|it| index_of(&self.schema, it));
        let indices = indices.collect::<PyResult<Vec<_>>>()?;
        let project = |batch: &RecordBatch| batch.project(&indices);
        let schema = self.schema.project(&indices).map_err(of_arrow)?;
        let batches = self.batches.iter().map(project).collect::<Result<_, _>>();
        Ok(Self {
            schema: Arc::new(schema),
            batches: batches.map_err(of_arrow)?,
        })
    }

    /// Returns the same columns with these names.
    fn rename_columns(&self, names: Vec<String>) -> PyResult<Self> {
        if names.len() != self.num_columns() {
            return Err(PyValueError::new_err(format!(
                "there are {} names for {} columns",
                names.len(),
                self.num_columns()
            )));
        }
        let fields = self.schema.fields().iter().zip(names);
        let fields = fields.map(|(field, name)| Field::clone(field).with_name(name));
        let metadata = self.schema.metadata().clone();
        let fields = fields.collect::<Vec<_>>();
        self.with_schema(Arc::new(ArrowSchema::new_with_metadata(fields, metadata)))
    }

    /// Returns the same rows with this metadata of the schema.
    fn replace_schema_metadata(
        &self,
        metadata: BTreeMap<PyBackedBytes, PyBackedBytes>,
    ) -> PyResult<Self> {
        let text = |bytes: &PyBackedBytes| bytelane_parquet::metadata_text(bytes);
        let pairs = metadata.iter().map(|(key, value)| (text(key), text(value)));
        let schema =
            ArrowSchema::clone(&self.schema).with_metadata(pairs.collect::<HashMap<_, _>>());
        self.with_schema(Arc::new(schema))
    }

    /// Returns the columns of a schema in its types: those that this table lacks are null.
    fn cast(&self, target_schema: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (schema, _) = arrow::import_schema(target_schema)?;
        let schema = Arc::new(schema);
        let batches = self.batches.iter().map(|batch| conform(batch, &schema));
        let batches = batches.collect::<Result<_, _>>().map_err(of_parquet)?;
        Ok(Self { schema, batches })
    }

    /// Returns up to `length` rows from the one with the index `offset`; all that follow by default.
    #[pyo3(signature = (offset=0, length=None))]
    fn slice(&self, offset: usize, length: Option<usize>) -> Self {
        let (mut skip, mut left) = (offset, length.unwrap_or(usize::MAX));
        let mut batches = Vec::new();
        for batch in &self.batches {
            let skipped = skip.min(batch.num_rows());
            let taken = left.min(batch.num_rows() - skipped);
            (skip, left) = (skip - skipped, left - taken);
            if taken > 0 {
                batches.push(batch.slice(skipped, taken));
            }
        }
        Self {
            schema: SchemaRef::clone(&self.schema),
            batches,
        }
    }

    /// Returns the rows for which a mask is true: a Boolean column, or any iterable of `True`, `False` and `None`.
    fn filter(&self, mask: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mask = mask_of(mask)?;
        let rows = self.num_rows();
        if mask.len() != rows {
            let message = format!("the mask has {} values for {rows} rows", mask.len());
            return Err(PyValueError::new_err(message));
        }
        let mut start = 0;
        let batches = self.batches.iter().map(|batch| {
            let own = mask.slice(start, batch.num_rows());
            start += batch.num_rows();
            filter_record_batch(batch, &own)
        });
        Ok(Self {
            schema: SchemaRef::clone(&self.schema),
            batches: batches.collect::<Result<_, _>>().map_err(of_arrow)?,
        })
    }

    /// Returns the rows as dictionaries.
    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let (names, columns) = (self.column_names(), self.columns());
        let columns = columns.iter().map(|column| column.objects(py));
        let columns = columns.collect::<PyResult<Vec<_>>>()?;
        let rows = (0..self.num_rows()).map(|row| {
            let values = PyDict::new(py);
            for (name, column) in names.iter().zip(&columns) {
                values.set_item(name, &column[row])?;
            }
            Ok(values)
        });
        PyList::new(py, rows.collect::<PyResult<Vec<_>>>()?)
    }

    /// Returns the values of the columns as lists, by the names of the columns.
    fn to_pydict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.by_name(py, |column| Ok(column.to_pylist(py)?.into_any()))
    }

    /// Returns the columns as NumPy arrays, by the names of the columns.
    fn to_numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.by_name(py, |column| column.to_numpy(py))
    }

    /// Returns whether another table has the same columns and values. Metadata does not matter.
    fn equals(&self, other: &Self) -> PyResult<bool> {
        let same = has_same_columns(&self.schema, &other.schema);
        Ok(same && self.joined()?.columns() == other.joined()?.columns())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        match other.cast::<Self>() {
            Ok(other) => self.equals(other.get()),
            Err(_) => Ok(false),
        }
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

    fn __getitem__<'py>(&self, py: Python<'py>, key: &Bound<'py, PyAny>) -> PyResult<Py<PyAny>> {
        let Ok(slice) = key.cast::<PySlice>() else {
            return Ok(Py::new(py, self.column(key)?)?.into_any());
        };
        let rows = self.num_rows();
        let range = slice.indices(isize::try_from(rows)?)?;
        if range.step != 1 {
            let message = "rows are taken in their order, without a step, such as t[2:5]";
            return Err(PyValueError::new_err(message));
        }
        let table = self.slice(usize::try_from(range.start)?, Some(range.slicelength));
        Ok(Py::new(py, table)?.into_any())
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyTuple::new(py, self.columns())?.try_iter()?.into_any())
    }

    fn __len__(&self) -> usize {
        self.num_rows()
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        shown(slf, "text")
    }

    fn _repr_html_(slf: &Bound<'_, Self>) -> PyResult<String> {
        shown(slf, "html")
    }
}

impl Table {
    fn column_at(&self, index: usize) -> Column {
        let arrays = self
            .batches
            .iter()
            .map(|batch| Arc::clone(batch.column(index)));
        Column {
            field: Arc::clone(&self.schema.fields()[index]),
            arrays: arrays.collect(),
        }
    }

    fn with_schema(&self, schema: SchemaRef) -> PyResult<Self> {
        let batches = self.batches.iter().map(|batch| {
            let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
            let columns = batch.columns().to_vec();
            RecordBatch::try_new_with_options(Arc::clone(&schema), columns, &options)
        });
        let batches = batches.collect::<Result<_, _>>().map_err(of_arrow)?;
        Ok(Self { schema, batches })
    }

    /// Returns all rows as one batch.
    fn joined(&self) -> PyResult<RecordBatch> {
        match &self.batches[..] {
            [only] => Ok(only.clone()),
            several => concat_batches(&self.schema, several).map_err(of_arrow),
        }
    }

    fn by_name<'py>(
        &self,
        py: Python<'py>,
        value: impl Fn(&Column) -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let columns = PyDict::new(py);
        for column in self.columns() {
            columns.set_item(column.field.name(), value(&column)?)?;
        }
        Ok(columns)
    }
}

/// Returns the table as `_display.py` shows it.
fn shown(table: &Bound<'_, Table>, how: &str) -> PyResult<String> {
    let display = table.py().import("bytelane.parquet._display")?;
    display.call_method1(how, (table,))?.extract()
}

/// Returns the values of a mask; null is false.
fn mask_of(mask: &Bound<'_, PyAny>) -> PyResult<BooleanArray> {
    if let Ok(column) = mask.cast::<Column>() {
        return column.get().booleans();
    }
    if mask.is_instance_of::<pyo3::types::PyString>() {
        let message = "a mask has True or False for each row; to select rows by a condition, read them with `filters`";
        return Err(PyTypeError::new_err(message));
    }
    let mut values = Vec::new();
    for value in mask.try_iter()? {
        let value = value?;
        let value = if value.hasattr("as_py")? {
            value.call_method0("as_py")?
        } else {
            value
        };
        let is_bool = value.is_instance_of::<PyBool>() || value.hasattr("dtype")?;
        if !value.is_none() && !is_bool {
            let message = format!("a mask has True or False for each row, but this is {value}");
            return Err(PyTypeError::new_err(message));
        }
        values.push(!value.is_none() && value.is_truthy()?);
    }
    Ok(BooleanArray::from(values))
}

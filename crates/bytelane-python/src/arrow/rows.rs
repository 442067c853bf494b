//! Reads the rows of another library's stream.
//!
//! Another library may put bytes into columns of text that are not UTF-8. All text is imported as bytes, and becomes text after
//! it has been validated.

use super::metadata;
use super::text;
use arrow_array::ffi::{FFI_ArrowArray, from_ffi_and_data_type};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchOptions, StructArray};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Fields, SchemaRef};
use bytelane_parquet::MetadataBytes;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::ffi::CStr;
use std::sync::Arc;

/// Rows of a stream, batch by batch.
pub struct Rows {
    stream: FFI_ArrowArrayStream,
    schema: SchemaRef,
    metadata: Vec<MetadataBytes>,
    /// Number of rows read.
    row: usize,
}

impl Rows {
    /// Reads the schema of a stream.
    pub fn new(mut stream: FFI_ArrowArrayStream) -> PyResult<Self> {
        let not_a_table =
            |why: String| PyTypeError::new_err(format!("the stream is not a table: {why}"));
        let Some(get_schema) = stream.get_schema().filter(|_| stream.release().is_some()) else {
            return Err(not_a_table(
                "it is already released: a stream is read once".to_owned(),
            ));
        };
        let mut schema = FFI_ArrowSchema::empty();
        // SAFETY: the stream is alive, and the schema may be overwritten.
        let code = unsafe { get_schema(&raw mut stream, &raw mut schema) };
        if code != 0 {
            return Err(not_a_table(last_error(&mut stream, code)));
        }
        let converted = metadata::convert(&mut schema);
        let (schema, metadata) = converted.map_err(|error| not_a_table(error.to_string()))?;
        Ok(Self {
            stream,
            schema: Arc::new(schema),
            metadata,
            row: 0,
        })
    }

    /// Returns the columns.
    pub fn schema(&self) -> SchemaRef {
        SchemaRef::clone(&self.schema)
    }

    /// Returns the metadata of the schema and its fields that is not UTF-8.
    pub fn metadata(&self) -> Vec<MetadataBytes> {
        self.metadata.clone()
    }

    fn batch(&self, array: FFI_ArrowArray) -> PyResult<RecordBatch> {
        let wanted = DataType::Struct(self.schema.fields().clone());
        let loose = loose(&wanted, &array);
        // SAFETY: the stream promises arrays of its schema; bytes have the layout of text.
        let data = unsafe { from_ffi_and_data_type(array, loose) }.map_err(of_stream)?;
        let (rows, imported) = (data.len(), StructArray::from(data));
        let columns = imported.columns().iter().zip(self.schema.fields());
        let columns = columns.map(|(array, field)| {
            text::with_text(array, field.data_type()).map_err(|fault| {
                let (row, name) = (self.row + fault.row, field.name());
                let message = format!(
                    "column {name}, row {row}: the text is not UTF-8; store other bytes in a column of the type binary"
                );
                PyValueError::new_err(message)
            })
        });
        let columns = columns.collect::<PyResult<_>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(self.schema(), columns, &options).map_err(of_stream)
    }
}

impl Iterator for Rows {
    type Item = PyResult<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut array = FFI_ArrowArray::empty();
        let get_next = self.stream.get_next()?;
        // SAFETY: the stream is alive, and the array may be overwritten.
        let code = unsafe { get_next(&raw mut self.stream, &raw mut array) };
        if code != 0 {
            let why = last_error(&mut self.stream, code);
            return Some(Err(PyValueError::new_err(format!(
                "the table cannot be read: {why}"
            ))));
        }
        // A released array is the end of the stream.
        if array.is_released() {
            return None;
        }
        let batch = self.batch(array);
        self.row += batch.as_ref().map_or(0, RecordBatch::num_rows);
        Some(batch)
    }
}

/// Returns the message for the call that failed last.
fn last_error(stream: &mut FFI_ArrowArrayStream, code: i32) -> String {
    let Some(get) = stream.get_last_error() else {
        return format!("error {code}");
    };
    // SAFETY: the stream is alive, and a call has failed.
    let text = unsafe { get(stream) };
    if text.is_null() {
        return format!("error {code}");
    }
    // SAFETY: the producer guarantees a C string that lives until the next call.
    unsafe { CStr::from_ptr(text.cast()) }
        .to_string_lossy()
        .into_owned()
}

fn of_stream(error: ArrowError) -> PyErr {
    PyValueError::new_err(format!("the table cannot be read: {error}"))
}

/// Returns the type to import an array as: bytes for text, and groups without members for arrays of nulls to which the producer
/// gave a buffer, as Polars does.
fn loose(data_type: &DataType, array: &FFI_ArrowArray) -> DataType {
    let child = |field: &FieldRef, index| -> FieldRef {
        if index >= array.num_children() {
            return Arc::clone(field);
        }
        let data_type = loose(field.data_type(), array.child(index));
        Arc::new(Field::clone(field).with_data_type(data_type))
    };
    match data_type {
        DataType::Utf8 => DataType::Binary,
        DataType::LargeUtf8 => DataType::LargeBinary,
        DataType::Utf8View => DataType::BinaryView,
        DataType::Null if array.num_buffers() == 1 => DataType::Struct(Fields::empty()),
        DataType::List(item) => DataType::List(child(item, 0)),
        DataType::LargeList(item) => DataType::LargeList(child(item, 0)),
        DataType::ListView(item) => DataType::ListView(child(item, 0)),
        DataType::LargeListView(item) => DataType::LargeListView(child(item, 0)),
        DataType::FixedSizeList(item, length) => DataType::FixedSizeList(child(item, 0), *length),
        DataType::Map(entries, sorted) => DataType::Map(child(entries, 0), *sorted),
        DataType::Struct(fields) => {
            let fields = fields.iter().enumerate();
            DataType::Struct(fields.map(|(index, field)| child(field, index)).collect())
        }
        DataType::Dictionary(keys, values) => {
            let values = array
                .dictionary()
                .map_or_else(|| DataType::clone(values), |entries| loose(values, entries));
            DataType::Dictionary(keys.clone(), Box::new(values))
        }
        DataType::RunEndEncoded(ends, values) => {
            DataType::RunEndEncoded(Arc::clone(ends), child(values, 1))
        }
        other => other.clone(),
    }
}

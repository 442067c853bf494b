//! Exchange of tables with other libraries, through Arrow's C stream interface ([PyCapsule
//! interface](https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html)).

mod array;
mod metadata;
mod names;
mod rows;
mod text;
mod values;

pub use array::{element, export_array, import_bytes, text_of};
pub use names::type_name;
pub use rows::Rows;
pub use values::objects;

use crate::parquet::of_parquet;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchIterator};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{Field, Schema, SchemaRef};
use bytelane_parquet::{Error, MetadataBytes, Problem};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyCapsuleMethods};
use std::ffi::CStr;

/// Name of a capsule with a stream.
const STREAM: &CStr = c"arrow_array_stream";

/// Name of a capsule with a schema.
const SCHEMA: &CStr = c"arrow_schema";

/// Method of objects that export a stream.
const METHOD: &str = "__arrow_c_stream__";

/// Returns whether an object exports a stream.
pub fn is_table(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    object.hasattr(METHOD)
}

/// Imports the rows of a table, batch by batch.
pub fn import(object: &Bound<'_, PyAny>) -> PyResult<Rows> {
    if !is_table(object)? {
        let name = object.get_type().name()?;
        let message = format!("expected a table with {METHOD}, but this is of type {name}");
        return Err(PyTypeError::new_err(message));
    }
    let capsule = object.call_method0(METHOD)?;
    let capsule = capsule.cast_into::<PyCapsule>()?;
    let stream = capsule.pointer_checked(Some(STREAM))?;
    // SAFETY: the interface says that a capsule of this name points to a stream, aligned and initialised. The
    // capsule owns it and is alive; this thread holds the GIL, so that nothing else reads or writes it. A
    // released stream is left behind, for which the capsule's destructor does nothing.
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(stream.as_ptr().cast()) };
    Rows::new(stream)
}

/// Imports the schema that an object exports, and its metadata that is not UTF-8.
pub fn import_schema(object: &Bound<'_, PyAny>) -> PyResult<(Schema, Vec<MetadataBytes>)> {
    const METHOD: &str = "__arrow_c_schema__";
    if !object.hasattr(METHOD)? {
        let name = object.get_type().name()?;
        let message = format!("expected a schema with {METHOD}, but this is of type {name}");
        return Err(PyTypeError::new_err(message));
    }
    let capsule = object.call_method0(METHOD)?;
    let capsule = capsule.cast_into::<PyCapsule>()?;
    let schema = capsule.pointer_checked(Some(SCHEMA))?;
    // SAFETY: the interface says that a capsule of this name points to a schema, aligned and initialised. The capsule owns
    // it and is alive; this thread holds the GIL, so that nothing else reads or writes it. A released schema is left
    // behind, for which the capsule's destructor does nothing.
    let mut schema = unsafe { FFI_ArrowSchema::from_raw(schema.as_ptr().cast()) };
    metadata::convert(&mut schema).map_err(|error| {
        PyTypeError::new_err(format!("the schema is not that of a table: {error}"))
    })
}

/// Returns a capsule that owns a stream of these rows until a consumer moves it out.
pub fn export<'py>(
    py: Python<'py>,
    schema: &SchemaRef,
    batches: Vec<RecordBatch>,
) -> PyResult<Bound<'py, PyCapsule>> {
    // Otherwise, only the consumer of the stream would notice a name that C cannot express.
    to_c(schema)?;
    let rows = RecordBatchIterator::new(batches.into_iter().map(Ok), SchemaRef::clone(schema));
    // The capsule's destructor drops the stream, which releases it unless it was moved out.
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(rows)), STREAM)
}

/// Returns a capsule that owns a schema until a consumer moves it out.
pub fn export_schema<'py>(py: Python<'py>, schema: &Schema) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, to_c(schema)?, SCHEMA)
}

/// Returns a capsule that owns the type of a column, with its name and metadata.
pub fn export_field<'py>(py: Python<'py>, field: &Field) -> PyResult<Bound<'py, PyCapsule>> {
    let exported = FFI_ArrowSchema::try_from(field);
    let exported = exported.map_err(|error| of_parquet(Error::new(error)))?;
    PyCapsule::new_with_value(py, exported, SCHEMA)
}

fn to_c(schema: &Schema) -> PyResult<FFI_ArrowSchema> {
    let fields = schema.flattened_fields().into_iter();
    if let Some(field) = fields.into_iter().find(|field| field.name().contains('\0')) {
        let problem = "the name has a NUL character, which Arrow's C interface cannot express; read the other columns, or \
                       rename this one";
        let error = Error::new(Problem::Unsupported(problem.to_owned()));
        return Err(of_parquet(error.in_column(field.name().escape_default())));
    }
    FFI_ArrowSchema::try_from(schema).map_err(|error| of_parquet(Error::new(error)))
}

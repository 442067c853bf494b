//! Exchange of single arrays of strings.

use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, from_ffi_and_data_type, to_ffi};
use arrow_array::{
    Array, ArrayRef, BinaryArray, LargeBinaryArray, LargeStringArray, StringArray, make_array,
};
use arrow_schema::DataType;
use arrow_schema::ffi::FFI_ArrowSchema;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyCapsuleMethods, PyString, PyTuple};
use std::ffi::CStr;
use std::sync::Arc;

/// Name of a capsule with an array.
const ARRAY: &CStr = c"arrow_array";

/// Method of objects that export an array.
const METHOD: &str = "__arrow_c_array__";

/// Strings as bytes: an array of the type `Binary` or `LargeBinary`.
pub struct Bytes {
    pub array: ArrayRef,
    /// True if they were text.
    pub is_text: bool,
}

/// Imports an array of strings or bytes, or a sequence of `str`, `bytes` and `None`.
pub fn import_bytes(object: &Bound<'_, PyAny>) -> PyResult<Bytes> {
    if object.hasattr(METHOD)? {
        return import_array(object);
    }
    if object.hasattr("__arrow_c_stream__")? {
        let message = "this has chunks: pass one array, such as `combine_chunks()` of pyarrow or `to_arrow()` of Polars";
        return Err(PyTypeError::new_err(message));
    }
    if object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>() {
        let message = "expected strings, not a single one: put it in a list";
        return Err(PyTypeError::new_err(message));
    }
    import_sequence(object)
}

fn import_sequence(object: &Bound<'_, PyAny>) -> PyResult<Bytes> {
    let mut items: Vec<Option<Vec<u8>>> = Vec::new();
    let (mut text, mut bytes) = (false, false);
    for item in object.try_iter()? {
        let item = item?;
        items.push(if item.is_none() {
            None
        } else if let Ok(string) = item.cast::<PyString>() {
            text = true;
            Some(string.to_cow()?.into_owned().into_bytes())
        } else if let Ok(string) = item.cast::<PyBytes>() {
            bytes = true;
            Some(string.as_bytes().to_vec())
        } else {
            let name = item.get_type().name()?;
            let message = format!("expected strings of the type str or bytes, not {name}");
            return Err(PyTypeError::new_err(message));
        });
    }
    let total: usize = items.iter().flatten().map(Vec::len).sum();
    let array: ArrayRef = match i32::try_from(total) {
        Ok(_) => Arc::new(items.iter().map(Option::as_deref).collect::<BinaryArray>()),
        Err(_) => Arc::new(
            items
                .iter()
                .map(Option::as_deref)
                .collect::<LargeBinaryArray>(),
        ),
    };
    Ok(Bytes {
        array,
        is_text: text && !bytes,
    })
}

fn import_array(object: &Bound<'_, PyAny>) -> PyResult<Bytes> {
    let capsules = object.call_method0(METHOD)?.cast_into::<PyTuple>()?;
    let schema = capsules.get_item(0)?.cast_into::<PyCapsule>()?;
    let schema = schema.pointer_checked(Some(super::SCHEMA))?;
    // SAFETY: the interface says that a capsule of this name points to a schema, aligned and initialised. The capsule is alive,
    // and this thread holds the GIL.
    let schema: &FFI_ArrowSchema = unsafe { schema.cast().as_ref() };
    let wrong = |kind: &dyn std::fmt::Display| {
        PyTypeError::new_err(format!(
            "expected an array of strings or binary, not of {kind}: convert it first"
        ))
    };
    let found = DataType::try_from(schema).map_err(|error| wrong(&error))?;
    // Text is imported as bytes, which need not be valid.
    let (loose, is_text) = match found {
        DataType::Utf8 => (DataType::Binary, true),
        DataType::LargeUtf8 => (DataType::LargeBinary, true),
        DataType::Utf8View => (DataType::BinaryView, true),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => (found, false),
        _ => return Err(wrong(&found)),
    };
    let capsule = capsules.get_item(1)?.cast_into::<PyCapsule>()?;
    let array = capsule.pointer_checked(Some(ARRAY))?;
    // SAFETY: the interface says that a capsule of this name points to an array, aligned and initialised. The capsule is alive, and
    // this thread holds the GIL. A released array is left behind, for which the capsule's destructor does nothing.
    let array = unsafe { FFI_ArrowArray::from_raw(array.as_ptr().cast()) };
    // SAFETY: the producer promises an array of the schema; bytes have the layout of text.
    let data = unsafe { from_ffi_and_data_type(array, loose) };
    let data = data.map_err(|error| PyValueError::new_err(error.to_string()))?;
    let array = make_array(data);
    let array = match array.data_type() {
        DataType::BinaryView => {
            let views = array.as_binary_view();
            Arc::new(views.iter().collect::<LargeBinaryArray>()) as ArrayRef
        }
        _ => array,
    };
    Ok(Bytes { array, is_text })
}

/// Returns bytes as an array of text. Raises ValueError if one of them is not UTF-8.
pub fn text_of(array: &ArrayRef) -> PyResult<ArrayRef> {
    let wanted = match array.data_type() {
        DataType::LargeBinary => DataType::LargeUtf8,
        _ => DataType::Utf8,
    };
    super::text::with_text(array, &wanted)
        .map_err(|fault| PyValueError::new_err(format!("string {} is not UTF-8", fault.row)))
}

/// Returns capsules of the type and the contents of an array.
pub fn export_array<'py>(
    py: Python<'py>,
    array: &dyn Array,
) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
    let exported = to_ffi(&array.to_data());
    let (array, schema) = exported.map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok((
        PyCapsule::new_with_value(py, schema, super::SCHEMA)?,
        PyCapsule::new_with_value(py, array, ARRAY)?,
    ))
}

/// Returns an element of an array of strings or bytes as `str`, `bytes` or `None`.
pub fn element<'py>(py: Python<'py>, array: &ArrayRef, row: usize) -> Bound<'py, PyAny> {
    if array.is_null(row) {
        return py.None().into_bound(py);
    }
    let any = array.as_any();
    if let Some(array) = any.downcast_ref::<StringArray>() {
        PyString::new(py, array.value(row)).into_any()
    } else if let Some(array) = any.downcast_ref::<LargeStringArray>() {
        PyString::new(py, array.value(row)).into_any()
    } else if let Some(array) = any.downcast_ref::<LargeBinaryArray>() {
        PyBytes::new(py, array.value(row)).into_any()
    } else {
        PyBytes::new(py, array.as_binary::<i32>().value(row)).into_any()
    }
}

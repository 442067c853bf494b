//! Conversion of the codecs' errors to exceptions.

use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyType;
use std::fmt::{Debug, Display};

/// Converts an error of the core to an exception.
pub fn of_codec<K: Copy + Debug + Display>(error: bytelane::Error<K>) -> PyErr {
    let kind = format!("{:?}", error.kind());
    let end = kind.find(|it: char| !it.is_alphanumeric());
    let name = kind[..end.unwrap_or(kind.len())].to_owned();
    let offset = error.offset();
    Python::attach(|py| match class(py, "Error") {
        Ok(class) => PyErr::from_type(class, (error.to_string(), name, offset)),
        Err(missing) => missing,
    })
}

/// Returns a class of `bytelane/_errors.py`: Python 3.11's stable ABI cannot define exceptions with
/// attributes.
pub fn class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyType>> {
    Ok(py.import("bytelane._errors")?.getattr(name)?.cast_into()?)
}

/// Returns the exception for a destination that is too short.
pub fn of_room(error: bytelane::DestinationError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Returns the exception for a result that does not fit in memory.
pub fn too_large(what: &str, count: usize) -> PyErr {
    PyMemoryError::new_err(format!("no memory for {count} {what}"))
}

//! Errors of messages, with the place of the value.

use crate::error::class;
use bytelane_thrift::{Error, Segment};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// Error while a message is read or written: of the message, or an exception of Python.
pub struct Fault {
    /// Error of the message; for an exception, it has the path to the value.
    error: Error,
    exception: Option<Box<PyErr>>,
}

impl From<Error> for Fault {
    #[cold]
    fn from(error: Error) -> Self {
        let exception = None;
        Self { error, exception }
    }
}

impl From<PyErr> for Fault {
    #[cold]
    fn from(exception: PyErr) -> Self {
        Self {
            error: Error::custom(""),
            exception: Some(Box::new(exception)),
        }
    }
}

impl Fault {
    /// Returns the same error, in a part of a value.
    #[cold]
    pub fn within(mut self, segment: Segment) -> Self {
        self.error = self.error.within(segment);
        self
    }

    /// Returns the error of a message, unless it is an exception.
    pub fn of_message(&self) -> Option<&Error> {
        match self.exception {
            None => Some(&self.error),
            Some(_) => None,
        }
    }

    /// Returns the exception to raise.
    pub fn raise(self, py: Python<'_>) -> PyErr {
        let Some(exception) = self.exception else {
            return of_message(py, &self.error);
        };
        // The path is added to exceptions that say what is wrong with a value.
        let kind = exception.get_type(py);
        let kinds = [
            py.get_type::<PyTypeError>(),
            py.get_type::<PyValueError>(),
            py.get_type::<PyOverflowError>(),
        ];
        if !kinds.iter().any(|it| it.is(&kind)) {
            return *exception;
        }
        let message = format!("{}{}", exception.value(py), self.error);
        PyErr::from_type(kind, (message,))
    }
}

/// Returns the exception for an error of a message.
pub fn of_message(py: Python<'_>, error: &Error) -> PyErr {
    let kind = format!("{:?}", error.kind());
    let end = kind.find(|it: char| !it.is_alphanumeric());
    let kind = &kind[..end.unwrap_or(kind.len())];
    let path = error.path().map(|segment| match segment {
        Segment::Field(name) => Ok(name.into_pyobject(py)?.into_any()),
        Segment::Index(index) => Ok(index.into_pyobject(py)?.into_any()),
        _ => Ok(py.None().into_bound(py)),
    });
    let raise = || {
        let path = PyTuple::new(py, path.collect::<PyResult<Vec<_>>>()?)?;
        let arguments = (error.to_string(), kind, error.offset(), path);
        Ok(PyErr::from_type(
            class(py, "ThriftError")?,
            arguments.into_pyobject(py)?.unbind(),
        ))
    };
    raise().unwrap_or_else(|error| error)
}

/// Returns the exception for an error in an IDL.
pub fn of_idl(py: Python<'_>, message: String) -> PyErr {
    let arguments = (message, "Idl");
    match class(py, "ThriftError") {
        Ok(class) => PyErr::from_type(class, arguments),
        Err(missing) => missing,
    }
}

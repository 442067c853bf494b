//! Conversion of errors of files to exceptions.

use bytelane_parquet::arrow_schema::ArrowError;
use bytelane_parquet::{Error, Problem};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use std::error::Error as _;
use std::io;
use std::path::{Path, PathBuf};

/// Error numbers that are the same on all systems: `ENOENT`, `EACCES` and `EEXIST`.
const NOT_FOUND: i32 = 2;
const PERMISSION_DENIED: i32 = 13;
const ALREADY_EXISTS: i32 = 17;

/// Converts an error of the crate to an exception: that of a file object, an `OSError` for an error of the operating
/// system, otherwise a `ParquetError`.
pub fn of_parquet(error: Error) -> PyErr {
    if let Some(raised) = of_python(error.problem()) {
        return raised;
    }
    let file = error.place().file.clone().map(PathBuf::into_os_string);
    match error.problem() {
        Problem::ReadOnly => {
            let message = error.problem().to_string();
            PyOSError::new_err((PERMISSION_DENIED, message, file))
        }
        Problem::Exists => {
            let message = error.problem().to_string();
            PyOSError::new_err((ALREADY_EXISTS, message, file))
        }
        problem => match of_system(problem) {
            Some((number, message)) => PyOSError::new_err((number, message, file)),
            None => parquet_error(&error),
        },
    }
}

/// Converts an error of a reader, which wraps errors in those of Arrow, to an exception.
pub fn of_reader(error: ArrowError, path: Option<&Path>) -> PyErr {
    let error = match error {
        ArrowError::ExternalError(inner) => match inner.downcast::<Error>() {
            Ok(inner) => *inner,
            Err(other) => Error::new(ArrowError::ExternalError(other)),
        },
        other => Error::new(other),
    };
    of_parquet(in_file(error, path))
}

/// Converts an error of Arrow to an exception.
pub fn of_arrow(error: ArrowError) -> PyErr {
    of_parquet(Error::new(error))
}

/// Adds the path of the file to an error, if there is one.
pub fn in_file(error: Error, path: Option<&Path>) -> Error {
    match path {
        Some(path) => error.in_file(path),
        None => error,
    }
}

/// Returns the exception that a file object raised, if any.
fn of_python(problem: &Problem) -> Option<PyErr> {
    let raised = causes(problem).find_map(|cause| cause.downcast_ref::<PyErr>())?;
    Some(Python::attach(|py| raised.clone_ref(py)))
}

/// Returns the operating system's error number and message, if any.
fn of_system(problem: &Problem) -> Option<(i32, String)> {
    causes(problem).find_map(|cause| {
        let io = cause.downcast_ref::<io::Error>()?;
        let number = number(io)?;
        let message = io.to_string();
        // Python shows the number itself.
        let message = message.split(" (os error").next().unwrap_or_default();
        Some((number, message.to_owned()))
    })
}

/// Returns the chain of errors in a problem, starting with the outermost.
fn causes(problem: &Problem) -> impl Iterator<Item = &(dyn std::error::Error + 'static)> {
    let first: Option<&(dyn std::error::Error + 'static)> = match problem {
        Problem::Io(error) => Some(error),
        Problem::Parquet(error) => Some(error),
        other => other.source(),
    };
    std::iter::successors(first, |cause| next_cause(*cause))
}

fn next_cause<'a>(
    error: &'a (dyn std::error::Error + 'static),
) -> Option<&'a (dyn std::error::Error + 'static)> {
    match error.downcast_ref::<io::Error>() {
        // The source of an `io::Error` is the source of the error in it.
        Some(io) => Some(io.get_ref()?),
        None => error.source(),
    }
}

/// Returns the number of an error. Libraries may have replaced it by the kind.
fn number(error: &io::Error) -> Option<i32> {
    error.raw_os_error().or_else(|| match error.kind() {
        io::ErrorKind::NotFound => Some(NOT_FOUND),
        io::ErrorKind::PermissionDenied => Some(PERMISSION_DENIED),
        io::ErrorKind::AlreadyExists => Some(ALREADY_EXISTS),
        _ => None,
    })
}

/// Creates a `ParquetError` of `bytelane/_errors.py` with the message, the name of the problem, and
/// its place.
fn parquet_error(error: &Error) -> PyErr {
    let name = format!("{:?}", error.problem());
    let end = name.find(|it: char| !it.is_alphanumeric());
    let name = name[..end.unwrap_or(name.len())].to_owned();
    let place = error.place().clone();
    let path = place.file.map(PathBuf::into_os_string);
    let place = (path, place.row_group, place.column, place.page);
    let arguments = (error.to_string(), name, place.0, place.1, place.2, place.3);
    Python::attach(|py| match crate::error::class(py, "ParquetError") {
        Ok(class) => PyErr::from_type(class, arguments),
        Err(missing) => missing,
    })
}

//! Errors of files as exceptions.

use bytelane_parquet::arrow_schema::ArrowError;
use bytelane_parquet::{Error, Problem};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use std::error::Error as _;
use std::io;
use std::path::PathBuf;

/// Numbers that all systems have: `ENOENT`, `EACCES` and `EEXIST`.
const NOT_FOUND: i32 = 2;
const PERMISSION_DENIED: i32 = 13;
const ALREADY_EXISTS: i32 = 17;

/// The exception for an error of the crate: an `OSError` for what the system said, and else a `ParquetError`.
pub fn of_parquet(error: Error) -> PyErr {
    let file = error.place().file.clone().map(PathBuf::into_os_string);
    match error.problem() {
        Problem::ReadOnly => {
            let message = error.problem().to_string();
            PyOSError::new_err((PERMISSION_DENIED, message, file))
        }
        problem => match of_system(problem) {
            Some((number, message)) => PyOSError::new_err((number, message, file)),
            None => parquet_error(&error),
        },
    }
}

/// The exception for an error of a reader, which hands errors on as those of Arrow.
pub fn of_reader(error: ArrowError) -> PyErr {
    of_parquet(match error {
        ArrowError::ExternalError(inner) => match inner.downcast::<Error>() {
            Ok(inner) => *inner,
            Err(other) => Error::new(ArrowError::ExternalError(other)),
        },
        other => Error::new(other),
    })
}

/// The system's number of an error, and what it says.
fn of_system(problem: &Problem) -> Option<(i32, String)> {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = match problem {
        Problem::Io(error) => Some(error),
        Problem::Parquet(error) => Some(error),
        other => other.source(),
    };
    while let Some(error) = cause {
        if let Some(io) = error.downcast_ref::<io::Error>()
            && let Some(number) = number(io)
        {
            let message = io.to_string();
            // Python shows the number itself.
            let message = message.split(" (os error").next().unwrap_or_default();
            return Some((number, message.to_owned()));
        }
        cause = error.source();
    }
    None
}

/// The number of an error, which libraries may have replaced by its kind.
fn number(error: &io::Error) -> Option<i32> {
    error.raw_os_error().or_else(|| match error.kind() {
        io::ErrorKind::NotFound => Some(NOT_FOUND),
        io::ErrorKind::PermissionDenied => Some(PERMISSION_DENIED),
        io::ErrorKind::AlreadyExists => Some(ALREADY_EXISTS),
        _ => None,
    })
}

/// `ParquetError` of `bytelane/_errors.py`: the message, the name of the problem, and its place.
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

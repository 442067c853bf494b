//! Errors of files as exceptions.

use bytelane_parquet::arrow_schema::ArrowError;
use bytelane_parquet::{Error, Problem};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use std::error::Error as _;
use std::io;
use std::path::PathBuf;

/// `EACCES` of all systems.
const PERMISSION_DENIED: i32 = 13;

/// The exception for an error of the crate: an `OSError` for what the system said, and else a `ParquetError`.
pub fn of_parquet(error: Error) -> PyErr {
    let file = error.place().file.clone();
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
            && let Some(number) = io.raw_os_error()
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

/// `ParquetError` of `bytelane/_errors.py`: the message, the name of the problem, and its place.
fn parquet_error(error: &Error) -> PyErr {
    let name = format!("{:?}", error.problem());
    let end = name.find(|it: char| !it.is_alphanumeric());
    let name = name[..end.unwrap_or(name.len())].to_owned();
    let place = error.place().clone();
    let path: Option<PathBuf> = place.file;
    let fields = (path, place.row_group, place.column, place.page);
    Python::attach(|py| match crate::error::class(py, "ParquetError") {
        Ok(class) => PyErr::from_type(
            class,
            (
                error.to_string(),
                name,
                fields.0,
                fields.1,
                fields.2,
                fields.3,
            ),
        ),
        Err(missing) => missing,
    })
}

//! Options, with the names that the command uses.

use crate::parquet::error::of_parquet;
use bytelane_parquet::compatibility::Readers;
use bytelane_parquet::{Encodings, Problem};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyUserWarning, PyValueError};
use pyo3::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::ffi::CString;

/// Stack level of warnings: the caller of the functions in `parquet/`.
const CALLER: i32 = 2;

/// Parses options, which are a JSON object of the keywords of a function. An error names the keyword.
pub fn parse<T: DeserializeOwned>(options: &str) -> PyResult<T> {
    parse_map(serde_json::from_str(options).unwrap_or_default())
}

/// Does the same for a part of the keywords.
pub fn parse_map<T: DeserializeOwned>(options: Map<String, Value>) -> PyResult<T> {
    T::deserialize(Value::Object(options.clone())).map_err(|error| {
        let alone = options.into_iter().find_map(|(keyword, value)| {
            let alone = Map::from_iter([(keyword.clone(), value)]);
            let error = T::deserialize(Value::Object(alone)).err()?;
            Some(format!("{keyword}: {error}"))
        });
        let message = alone.unwrap_or_else(|| error.to_string());
        let message = IN_PYTHON
            .iter()
            .fold(message, |text, (from, to)| text.replace(from, to));
        if message.contains("invalid type") {
            PyTypeError::new_err(message)
        } else {
            of_parquet(Problem::Option(message).into())
        }
    })
}

/// Returns a result as JSON.
pub fn to_json(result: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(result).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Parts of messages of serde, and their counterparts for users of Python.
const IN_PYTHON: [(&str, &str); 6] = [
    (
        ": invalid value: integer `0`, expected a nonzero usize",
        " must be at least 1",
    ),
    (
        "expected u64",
        "expected a whole number that is not negative",
    ),
    (
        "expected usize",
        "expected a whole number that is not negative",
    ),
    ("unknown variant", "unknown value"),
    ("expected true, or", "expected True, or"),
    (
        "expected a map",
        "expected a dictionary by the paths of columns",
    ),
];

/// Count or index.
#[derive(Clone, Copy)]
pub struct Count(pub usize);

impl<'a, 'py> FromPyObject<'a, 'py> for Count {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        object.extract().map(Self).map_err(|error: PyErr| {
            if error.is_instance_of::<PyOverflowError>(object.py()) {
                PyValueError::new_err(format!("{} is negative or too large", *object))
            } else {
                error
            }
        })
    }
}

/// Paths of columns. A single text, which Python takes for a list of its letters, is refused.
#[derive(Clone)]
pub struct Columns(pub Vec<String>);

impl<'a, 'py> FromPyObject<'a, 'py> for Columns {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(name) = object.extract::<String>() {
            return Err(PyTypeError::new_err(format!(
                "columns are a list of names, as in [{name:?}], but this is the text {name:?}"
            )));
        }
        object.extract().map(Self).map_err(|_| {
            let of = object.get_type().name();
            let of = of.map_or_else(|_| "another".to_owned(), |name| name.to_string());
            PyTypeError::new_err(format!(
                "columns are a list of names, as in [\"price\"], but this is of type {of}"
            ))
        })
    }
}

/// Warns of requested previews that are never chosen.
pub fn warn_of_obstacles(py: Python<'_>, encodings: &Encodings, readers: &Readers) -> PyResult<()> {
    for (encoding, reader) in encodings.obstacles(readers) {
        let message = format!(
            "{reader} cannot read {encoding}, so it is not chosen; `readers` names the programs that must read the file"
        );
        let category = py.get_type::<PyUserWarning>();
        PyErr::warn(py, &category, &CString::new(message)?, CALLER)?;
    }
    Ok(())
}

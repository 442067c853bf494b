//! Options by the names that the command has for them.

use super::error::of_parquet;
use bytelane_parquet::parquet::basic::Compression;
use bytelane_parquet::readers::Readers;
use bytelane_parquet::{ColumnOptions, Goal, WriterOptions, parse_compression};
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;

/// A number of things, or the index of one.
#[derive(Clone, Copy)]
pub struct Count(pub usize);

impl<'a, 'py> FromPyObject<'a, 'py> for Count {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        object.extract().map(Self).map_err(|error: PyErr| {
            match error.is_instance_of::<PyOverflowError>(object.py()) {
                true => PyValueError::new_err(format!("{} is negative or too large", *object)),
                false => error,
            }
        })
    }
}

/// What all functions accept: the goal, the readers, and the compression with its level.
#[derive(FromPyObject)]
pub struct Options {
    goal: String,
    readers: Option<String>,
    compression: Option<String>,
}

impl Options {
    pub fn goal(&self) -> PyResult<Goal> {
        self.goal.parse().map_err(of_parquet)
    }

    pub fn readers(&self) -> PyResult<Readers> {
        match &self.readers {
            Some(readers) => readers.parse().map_err(of_parquet),
            None => Ok(Readers::default()),
        }
    }

    pub fn compression(&self) -> PyResult<Option<Compression>> {
        let compression = self.compression.as_deref().map(parse_compression);
        compression.transpose().map_err(of_parquet)
    }

    /// How to write columns; some have an encoding of their own.
    pub fn writer(&self, columns: Vec<(String, String)>) -> PyResult<WriterOptions> {
        let mut options = WriterOptions::default()
            .with_goal(self.goal()?)
            .with_readers(self.readers()?);
        for (path, encoding) in columns {
            let encoding = encoding.parse().map_err(of_parquet)?;
            options = options.with_column(path, ColumnOptions::default().with_encoding(encoding));
        }
        Ok(options)
    }
}

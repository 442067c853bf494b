//! Keys of encrypted files.

use crate::parquet::error::of_parquet;
use bytelane_parquet::{DecryptionKeys, Error, Key};
use pyo3::Borrowed;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::collections::HashMap;
use std::io;

const ARGUMENT: &str = "decryption";

/// Argument `decryption`: keys by name, or a function that returns them.
#[derive(Clone)]
pub struct Decryption(pub DecryptionKeys);

impl<'py> FromPyObject<'_, 'py> for Decryption {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if given.is_callable() {
            return Ok(Self(retrieving(DecryptionKeys::default(), &given)));
        }
        let given = given.cast::<PyDict>().map_err(|_| {
            PyTypeError::new_err(
                "decryption is a dict of keys, or a function from the metadata of a key to the key",
            )
        })?;
        let mut keys = DecryptionKeys::default();
        for (name, value) in given.iter() {
            if value.is_none() {
                continue;
            }
            let name: String = name.extract()?;
            keys = match name.as_str() {
                "footer_key" => keys.with_footer_key(key(ARGUMENT, &name, &value)?),
                "column_keys" => {
                    let columns: HashMap<String, Bound<'_, PyAny>> = value.extract()?;
                    columns.iter().try_fold(keys, |keys, (path, value)| {
                        Ok::<_, PyErr>(keys.with_column_key(path, key(ARGUMENT, path, value)?))
                    })?
                }
                "aad_prefix" => keys.with_aad_prefix(bytes(ARGUMENT, &name, &value)?),
                "key_retriever" => retrieving(keys, &value),
                "plain_files" => keys.with_plain_files(value.extract()?),
                _ => {
                    return Err(PyValueError::new_err(format!(
                        "decryption has the entry {name:?}, but only footer_key, column_keys, aad_prefix, \
                         key_retriever and plain_files are known"
                    )));
                }
            };
        }
        Ok(Self(keys))
    }
}

/// Returns the bytes of an entry of an argument.
pub fn bytes(argument: &str, name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    let bytes = value.cast::<PyBytes>().map(|it| it.as_bytes().to_vec());
    bytes.map_err(|_| {
        PyTypeError::new_err(format!("the entry {name:?} of {argument} must be bytes"))
    })
}

/// Returns the key of an entry of an argument.
pub fn key(argument: &str, name: &str, value: &Bound<'_, PyAny>) -> PyResult<Key> {
    Key::new(bytes(argument, name, value)?).map_err(of_parquet)
}

/// Adds a function that returns the key for its metadata, or `None`.
fn retrieving(keys: DecryptionKeys, function: &Bound<'_, PyAny>) -> DecryptionKeys {
    let function = function.clone().unbind();
    keys.with_key_retriever(move |metadata| {
        let found = Python::attach(|py| {
            let found = function.bind(py).call1((PyBytes::new(py, metadata),))?;
            (!found.is_none())
                .then(|| bytes(ARGUMENT, "key_retriever", &found))
                .transpose()
        });
        let found = found.map_err(|error: PyErr| Error::from(io::Error::other(error)))?;
        found.map(Key::new).transpose()
    })
}

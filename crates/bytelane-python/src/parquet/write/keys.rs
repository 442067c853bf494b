//! Keys to encrypt files with.

use crate::parquet::read::keys::{bytes, key};
use bytelane_parquet::{EncryptionAlgorithm, EncryptionKeys};
use pyo3::Borrowed;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::collections::BTreeMap;

/// Argument `encryption`: keys by name, and how to encrypt.
pub struct Encryption(pub EncryptionKeys);

const ARGUMENT: &str = "encryption";

impl<'py> FromPyObject<'_, 'py> for Encryption {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let given = given
            .cast::<PyDict>()
            .map_err(|_| PyTypeError::new_err("encryption is a dict of keys"))?;
        let Some(footer) = given.get_item("footer_key")? else {
            return Err(PyValueError::new_err(
                "encryption needs the entry footer_key",
            ));
        };
        let mut keys = EncryptionKeys::new(key(ARGUMENT, "footer_key", &footer)?);
        let (mut prefix, mut is_stored) = (None, true);
        for (name, value) in given.iter() {
            let name: String = name.extract()?;
            if value.is_none() {
                continue;
            }
            keys = match name.as_str() {
                "footer_key" => keys,
                "footer_key_metadata" => {
                    keys.with_footer_key_metadata(bytes(ARGUMENT, &name, &value)?)
                }
                "column_keys" => with_columns(keys, &value)?,
                "plain_columns" => {
                    let columns: Vec<String> = value.extract()?;
                    columns
                        .into_iter()
                        .fold(keys, EncryptionKeys::with_plain_column)
                }
                "aad_prefix" => {
                    prefix = Some(bytes(ARGUMENT, &name, &value)?);
                    keys
                }
                "store_aad_prefix" => {
                    is_stored = value.extract()?;
                    keys
                }
                "algorithm" => keys.with_algorithm(algorithm(&value.extract::<String>()?)?),
                "plaintext_footer" => keys.with_plaintext_footer(value.extract()?),
                _ => {
                    return Err(PyValueError::new_err(format!(
                        "encryption has the entry {name:?}, but only footer_key, footer_key_metadata, column_keys, \
                         plain_columns, aad_prefix, store_aad_prefix, algorithm and plaintext_footer are known"
                    )));
                }
            };
        }
        Ok(Self(match prefix {
            Some(prefix) => keys.with_aad_prefix(prefix, is_stored),
            None => keys,
        }))
    }
}

/// Adds keys of columns, each alone or with its metadata.
fn with_columns(keys: EncryptionKeys, given: &Bound<'_, PyAny>) -> PyResult<EncryptionKeys> {
    let columns: BTreeMap<String, Bound<'_, PyAny>> = given.extract()?;
    columns.into_iter().try_fold(keys, |keys, (path, value)| {
        if !value.is_instance_of::<PyTuple>() {
            return Ok(keys.with_column_key(&path, key(ARGUMENT, &path, &value)?));
        }
        let (own, metadata): (Bound<'_, PyAny>, Bound<'_, PyAny>) = value.extract()?;
        let (own, metadata) = (
            key(ARGUMENT, &path, &own)?,
            bytes(ARGUMENT, &path, &metadata)?,
        );
        Ok(keys.with_named_column_key(path, own, metadata))
    })
}

fn algorithm(name: &str) -> PyResult<EncryptionAlgorithm> {
    match name {
        "AES_GCM_V1" => Ok(EncryptionAlgorithm::AesGcm),
        "AES_GCM_CTR_V1" => Ok(EncryptionAlgorithm::AesGcmCtr),
        _ => Err(PyValueError::new_err(format!(
            "the algorithm is {name:?}; it must be AES_GCM_V1 or AES_GCM_CTR_V1"
        ))),
    }
}

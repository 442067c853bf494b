//! Sources of a file: a path, bytes, or a Python object with `read` and `seek`.

use bytelane_parquet::parquet::errors::{ParquetError, Result};
use bytelane_parquet::parquet::file::reader::{ChunkReader, Length};
use bytelane_parquet::{DecryptedFile, DecryptionKeys, InputFile, RemoteFile};
use bytes::Bytes;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyByteArray, PyBytes, PyMemoryView};
use std::io::{self, BufReader, Read};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use crate::parquet::error::of_parquet;

/// Bytes to read at a time if the required number is not known.
const BUFFER: usize = 1 << 16;

/// Input of a reader.
pub enum Source {
    File(InputFile),
    Bytes(Bytes),
    Object(FileObject),
}

impl Source {
    /// Opens a path; uses bytes and objects directly. Also returns the path.
    pub fn open(object: &Bound<'_, PyAny>) -> PyResult<(Self, Option<PathBuf>)> {
        if let Ok(bytes) = object.cast::<PyBytes>() {
            let bytes = PyBackedBytes::from(bytes.clone());
            return Ok((Self::Bytes(Bytes::from_owner(bytes)), None));
        }
        if object.is_instance_of::<PyByteArray>() || object.is_instance_of::<PyMemoryView>() {
            // Their bytes may change while they are read.
            let copy = object.py().get_type::<PyBytes>().call1((object,))?;
            return Self::open(&copy);
        }
        if object.hasattr("read")? && object.hasattr("seek")? {
            return Ok((Self::Object(FileObject::new(object)?), None));
        }
        let path: PathBuf = object.extract().map_err(|error| match object.get_type().name() {
            Ok(name) => PyTypeError::new_err(format!(
                "expected a path, bytes, or a binary file with `read` and `seek`, but this is of type {name}"
            )),
            Err(_) => error,
        })?;
        let file = object.py().detach(|| InputFile::open(&path));
        let file = file.map_err(|error| of_parquet(error.in_file(&path)))?;
        Ok((Self::File(file), Some(path)))
    }
}

impl Source {
    /// Returns the file of a store, whose ranges can be fetched ahead.
    pub fn remote(&self) -> Option<Arc<dyn RemoteFile>> {
        match self {
            Self::File(file) => file.remote(),
            Self::Bytes(_) | Self::Object(_) => None,
        }
    }

    /// Decrypts the file.
    pub fn decrypted(self, keys: &DecryptionKeys) -> bytelane_parquet::Result<Self> {
        let view: Arc<dyn RemoteFile> = match self {
            Self::File(file) => return Ok(Self::File(file.decrypted(keys)?)),
            Self::Bytes(bytes) => Arc::new(DecryptedFile::open(bytes, keys)?),
            Self::Object(object) => Arc::new(DecryptedFile::open(Self::Object(object), keys)?),
        };
        Ok(Self::File(view.into()))
    }

    /// Returns the size of the footer in bytes, which precedes the mark at the end of the file.
    pub fn footer_size(&self) -> Option<u32> {
        let bytes = self.get_bytes(Length::len(self).checked_sub(8)?, 4).ok()?;
        Some(u32::from_le_bytes(*bytes.first_chunk()?))
    }

    /// Returns whether small reads cost little.
    pub fn is_local(&self) -> bool {
        match self {
            Self::File(file) => file.is_local(),
            Self::Bytes(_) => true,
            Self::Object(_) => false,
        }
    }
}

impl Length for Source {
    fn len(&self) -> u64 {
        match self {
            Self::File(file) => file.len(),
            Self::Bytes(bytes) => Length::len(bytes),
            Self::Object(object) => object.shared.length,
        }
    }
}

impl ChunkReader for Source {
    type T = Box<dyn Read>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        Ok(match self {
            Self::File(file) => Box::new(file.get_read(start)?),
            Self::Bytes(bytes) => Box::new(bytes.get_read(start)?),
            Self::Object(object) => {
                let from = From {
                    object: object.clone(),
                    position: start,
                };
                Box::new(BufReader::with_capacity(BUFFER, from))
            }
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        match self {
            Self::File(file) => file.get_bytes(start, length),
            Self::Bytes(bytes) => bytes.get_bytes(start, length),
            Self::Object(object) => object.bytes(start, length),
        }
    }
}

/// Python object with `read` and `seek`, shared by several threads.
///
/// A thread does not hold the GIL while it waits for the object; otherwise, two threads could deadlock.
#[derive(Clone)]
pub struct FileObject {
    shared: Arc<Shared>,
}

struct Shared {
    length: u64,
    /// Locked, because the object has a single position.
    object: Mutex<Py<PyAny>>,
}

impl FileObject {
    fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        // From the end.
        object.call_method1("seek", (0, 2))?;
        let length = object.call_method0("tell")?.extract()?;
        let object = Mutex::new(object.clone().unbind());
        Ok(Self {
            shared: Arc::new(Shared { length, object }),
        })
    }

    fn bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        // Do not allocate more than the remaining bytes, however many are requested.
        if start
            .checked_add(length as u64)
            .is_none_or(|end| end > self.shared.length)
        {
            let problem =
                format!("{length} bytes at offset {start} are needed, but the file ends before");
            return Err(ParquetError::EOF(problem));
        }
        let read = || -> PyResult<Vec<u8>> {
            let object = self
                .shared
                .object
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            Python::attach(|py| {
                let object = object.bind(py);
                object.call_method1("seek", (start,))?;
                let mut bytes = Vec::new();
                while bytes.len() < length {
                    let more = object.call_method1("read", (length - bytes.len(),))?;
                    let more = more.cast_into::<PyBytes>()?;
                    let more = more.as_bytes();
                    if more.is_empty() || more.len() > length - bytes.len() {
                        break;
                    }
                    bytes.extend_from_slice(more);
                }
                Ok(bytes)
            })
        };
        let bytes = read().map_err(|error| ParquetError::External(Box::new(error)))?;
        if bytes.len() == length {
            Ok(bytes.into())
        } else {
            let read = bytes.len();
            Err(ParquetError::EOF(format!(
                "`read` returned {read} of {length} bytes at offset {start}"
            )))
        }
    }
}

/// Reader of an object from a position on.
struct From {
    object: FileObject,
    position: u64,
}

impl Read for From {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let left = self.object.shared.length.saturating_sub(self.position);
        let length = to.len().min(usize::try_from(left).unwrap_or(to.len()));
        let bytes = self
            .object
            .bytes(self.position, length)
            .map_err(io::Error::other)?;
        to[..length].copy_from_slice(&bytes);
        self.position += length as u64;
        Ok(length)
    }
}

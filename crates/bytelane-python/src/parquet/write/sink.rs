//! Destinations of a file: a path, or a Python object with `write`.

use crate::parquet::error::{in_file, of_parquet};
use bytelane_parquet::{Error, NewFile};
use pyo3::exceptions::{PyBlockingIOError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;

/// Smallest number of bytes that an object gets at a time.
const BUFFER: usize = 1 << 20;

/// Error number of a file that would have to wait: `EAGAIN` on Linux and Windows.
const WOULD_BLOCK: i32 = 11;

/// Output of a writer.
pub enum Sink {
    File(File),
    Object(FileObject),
}

/// Path under which a file appears when it is complete; `None` for objects.
pub struct Place(Option<(NewFile, PathBuf)>);

impl Sink {
    /// Opens a path, under which the file appears when it is complete; uses objects directly.
    pub fn open(object: &Bound<'_, PyAny>) -> PyResult<(Self, Place)> {
        if object.hasattr("write")? {
            let object = FileObject {
                object: object.clone().unbind(),
                buffer: Vec::new(),
            };
            return Ok((Self::Object(object), Place(None)));
        }
        let path: PathBuf = object
            .extract()
            .map_err(|error| match object.get_type().name() {
                Ok(name) => PyTypeError::new_err(format!(
                    "expected a path, or a binary file with `write`, but this is of type {name}"
                )),
                Err(_) => error,
            })?;
        let new = NewFile::create(&path).map_err(of_parquet)?;
        let file = new.file().try_clone()?;
        Ok((Self::File(file), Place(Some((new, path)))))
    }
}

impl Place {
    /// Converts an error of the writer to an exception.
    pub fn exception(&self, error: Error) -> PyErr {
        let path = self.0.as_ref().map(|(_, path)| path.as_path());
        of_parquet(in_file(error, path))
    }

    /// Publishes the file under its name.
    pub fn finish(self) -> PyResult<()> {
        match self.0 {
            Some((new, _)) => new.finish().map_err(of_parquet),
            None => Ok(()),
        }
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.write(bytes),
            Self::Object(object) => object.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File(file) => file.flush(),
            Self::Object(object) => object.flush(),
        }
    }
}

/// Python object with `write`. The contents of the buffer are dropped unless the writer flushes it.
pub struct FileObject {
    object: Py<PyAny>,
    buffer: Vec<u8>,
}

impl FileObject {
    /// Passes on the contents of the buffer.
    fn empty(&mut self) -> PyResult<()> {
        Python::attach(|py| {
            let object = self.object.bind(py);
            let mut rest = &self.buffer[..];
            while !rest.is_empty() {
                let written = object.call_method1("write", (PyBytes::new(py, rest),))?;
                // Files without a buffer may write less, or nothing if they do not block. Some objects do not return the
                // number of written bytes.
                if written.is_none()
                    && object.is_instance(&py.import("io")?.getattr("RawIOBase")?)?
                {
                    let problem = "the file was not ready, and does not block; `os.set_blocking(file.fileno(), True)` \
                                   makes it wait";
                    return Err(PyBlockingIOError::new_err((WOULD_BLOCK, problem)));
                }
                let count: Option<usize> = written.extract().unwrap_or(None);
                let count = count.unwrap_or(rest.len());
                if count == 0 || count > rest.len() {
                    let problem = format!("`write` returned {count} for {} bytes", rest.len());
                    return Err(PyValueError::new_err(problem));
                }
                rest = &rest[count..];
            }
            PyResult::Ok(())
        })?;
        self.buffer.clear();
        Ok(())
    }
}

impl Write for FileObject {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= BUFFER {
            self.empty().map_err(io::Error::other)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.empty().map_err(io::Error::other)?;
        let flushed = Python::attach(|py| {
            let object = self.object.bind(py);
            if object.hasattr("flush")? {
                object.call_method0("flush")?;
            }
            PyResult::Ok(())
        });
        flushed.map_err(io::Error::other)
    }
}

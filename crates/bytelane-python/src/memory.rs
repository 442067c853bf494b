//! Memory of Python objects as slices.
//!
//! `bytes` never change: they are borrowed, and long ones are processed without the GIL. Another
//! Python thread may write to any other memory while the GIL is released, which must never happen
//! behind a Rust slice. Such memory is processed under the GIL; on free-threaded builds of Python,
//! it is copied first.

use crate::buffer::Buffer;
use crate::dtype::{DType, whole};
use crate::numpy::dtype_of;
use bytelane::Value;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use std::borrow::Cow;
use std::ops::Range;
use std::slice;

/// Smallest input in bytes that is processed without the GIL.
const DETACHED: usize = 64 << 10;

/// Memory of an argument.
pub struct Memory<'py> {
    py: Python<'py>,
    owner: Owner<'py>,
    /// Type of the elements; `None` if they are not numbers.
    dtype: Option<DType>,
    /// Bytes per element.
    pub size: usize,
}

/// Object that keeps the memory alive.
enum Owner<'py> {
    Bytes(Bound<'py, PyBytes>),
    /// UTF-8 that a string caches.
    Text(Bound<'py, PyString>),
    Buffer {
        buffer: Buffer,
        immutable: bool,
    },
}

impl<'py> Memory<'py> {
    /// Returns the memory of an object with the buffer protocol.
    pub fn of(object: &Bound<'py, PyAny>) -> PyResult<Self> {
        let py = object.py();
        if let Ok(bytes) = object.cast_exact::<PyBytes>() {
            return Ok(Self::owned(py, Owner::Bytes(bytes.clone())));
        }
        let buffer = Buffer::of(object).map_err(|error| not_a_buffer(object, error))?;
        buffer.check_contiguous()?;
        let size = buffer.item_size();
        let dtype = DType::of_format(buffer.format(), size);
        if buffer.format().to_bytes().contains(&b'O') {
            let message = "an array of Python objects has no bytes to work on; convert it first";
            return Err(PyTypeError::new_err(message));
        }
        let of_bytes = |it: Bound<'_, PyAny>| it.is_exact_instance_of::<PyBytes>();
        let immutable = buffer.is_read_only() && buffer.owner(py).is_some_and(of_bytes);
        Ok(Self {
            py,
            owner: Owner::Buffer { buffer, immutable },
            dtype,
            size,
        })
    }

    /// Returns the memory of an object, or the UTF-8 of a string.
    pub fn of_text(object: &Bound<'py, PyAny>) -> PyResult<Self> {
        match object.cast::<PyString>() {
            Ok(text) => {
                // Makes the string cache its UTF-8, and rejects lone surrogates.
                text.to_str()?;
                Ok(Self::owned(object.py(), Owner::Text(text.clone())))
            }
            Err(_) => Self::of(object),
        }
    }

    pub fn py(&self) -> Python<'py> {
        self.py
    }

    fn owned(py: Python<'py>, owner: Owner<'py>) -> Self {
        Self {
            py,
            owner,
            dtype: Some(DType::BYTE),
            size: 1,
        }
    }

    /// Returns the type of the numbers; for bytes, the one that the caller states.
    pub fn numbers(&self, stated: Option<&Bound<'_, PyAny>>) -> PyResult<DType> {
        let stated = stated.map(dtype_of).transpose()?;
        match (self.dtype, stated) {
            (Some(found), None) => Ok(found),
            (Some(DType { size: 1, .. }), Some(stated)) => Ok(stated),
            (Some(found), Some(stated)) if found == stated => Ok(found),
            (Some(found), Some(stated)) => Err(PyTypeError::new_err(format!(
                "dtype says {stated}, but the array has {found}"
            ))),
            (None, _) => Err(PyTypeError::new_err(format!(
                "elements of {} bytes are not numbers in this machine's byte order",
                self.size
            ))),
        }
    }

    fn place(&self) -> (*const u8, usize) {
        let of_slice = |bytes: &[u8]| (bytes.as_ptr(), bytes.len());
        match &self.owner {
            Owner::Bytes(bytes) => of_slice(bytes.as_bytes()),
            // The same call has succeeded before.
            Owner::Text(text) => of_slice(text.to_str().unwrap_or_default().as_bytes()),
            Owner::Buffer { buffer, .. } => (buffer.start().cast_const(), buffer.len()),
        }
    }

    /// Returns whether it is one row of bytes, as the standard library requires in places.
    pub fn is_row_of_bytes(&self) -> bool {
        match &self.owner {
            Owner::Bytes(_) | Owner::Text(_) => true,
            Owner::Buffer { buffer, .. } => buffer.is_row_of_bytes(),
        }
    }

    /// Returns the length in bytes.
    pub fn len(&self) -> usize {
        self.place().1
    }

    /// Returns the address range.
    pub fn range(&self) -> Range<usize> {
        let (start, length) = self.place();
        start.addr()..start.addr() + length
    }

    fn is_immutable(&self) -> bool {
        !matches!(
            self.owner,
            Owner::Buffer {
                immutable: false,
                ..
            }
        )
    }

    /// Copies the bytes if they might change between two calls of [`read`](Self::read).
    pub fn frozen(self) -> PyResult<Self> {
        if self.is_immutable() {
            return Ok(self);
        }
        let copy = self.read_attached(|bytes: &[u8]| PyBytes::new(self.py, bytes))?;
        Ok(Self::owned(self.py, Owner::Bytes(copy)))
    }

    /// Returns whether [`read`](Self::read) releases the GIL.
    pub fn detaches(&self) -> bool {
        self.is_immutable() && self.len() >= DETACHED
    }

    /// Calls a function with the values.
    ///
    /// The function must not call Python, which might change them.
    pub fn read<T: Value, R: Send>(&self, work: impl FnOnce(&[T]) -> R + Send) -> PyResult<R> {
        let values = self.values::<T>()?;
        Ok(if self.detaches() {
            self.py.detach(|| work(&values))
        } else {
            work(&values)
        })
    }

    /// Calls a function with the values, and keeps the GIL: the function may write to memory of
    /// other objects.
    pub fn read_attached<T: Value, R>(&self, work: impl FnOnce(&[T]) -> R) -> PyResult<R> {
        Ok(work(&self.values::<T>()?))
    }

    /// Returns the values: a copy if they are not aligned, or might change.
    fn values<T: Value>(&self) -> PyResult<Cow<'_, [T]>> {
        let (start, length) = self.place();
        let count = whole(length, size_of::<T>())?;
        if count == 0 {
            return Ok(Cow::Borrowed(&[]));
        }
        let start = start.cast::<T>();
        if !start.is_aligned() || (cfg!(Py_GIL_DISABLED) && !self.is_immutable()) {
            let mut values = vec![T::default(); count];
            // SAFETY: both have `length` bytes, and the destination is freshly allocated. `T` is a
            // number, so any bytes are valid. If another thread writes at the same time, as it may
            // on free-threaded builds, the bytes are a mixture, as for every reader in C.
            unsafe {
                start
                    .cast::<u8>()
                    .copy_to(values.as_mut_ptr().cast(), length)
            };
            return Ok(Cow::Owned(values));
        }
        // SAFETY: `owner` keeps the memory alive for as long as the slice; any bytes are valid values
        // of `T`, a number, and they are aligned. Nothing writes while the slice exists: the memory
        // is immutable, or this thread holds the GIL and runs no Python code.
        Ok(Cow::Borrowed(unsafe {
            slice::from_raw_parts(start, count)
        }))
    }
}

fn not_a_buffer(object: &Bound<'_, PyAny>, error: PyErr) -> PyErr {
    let name = object.get_type().name();
    let name = name.map_or_else(|_| "object".to_owned(), |name| name.to_string());
    let wanted = "expected bytes, a NumPy array or another object with a buffer";
    let message = if error.is_instance_of::<PyTypeError>(object.py()) {
        format!("{wanted}, but this is of type {name}")
    } else {
        // For example, NumPy does not export buffers of dates.
        format!("{wanted}, but this {name} cannot give one: {error}")
    };
    PyTypeError::new_err(message)
}

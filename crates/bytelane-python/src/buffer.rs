//! Buffers of Python objects.

use pyo3::exceptions::PyValueError;
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;
use std::slice;

/// Memory that an object exports, kept alive until this is dropped.
///
/// PyO3's buffer refuses objects that leave out the strides of contiguous memory, such as arrays of
/// ctypes, and those without dimensions.
pub struct Buffer(
    /// The view has an address of its own, because exporters may store pointers into it.
    Box<ffi::Py_buffer>,
);

impl Buffer {
    /// Returns the buffer of an object. It may be read-only, and have gaps.
    pub fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut view = Box::new(MaybeUninit::<ffi::Py_buffer>::uninit());
        // SAFETY: the object is alive, and the call initialises the view unless it fails.
        let failed = unsafe {
            ffi::PyObject_GetBuffer(object.as_ptr(), view.as_mut_ptr(), ffi::PyBUF_FULL_RO)
        };
        if failed != 0 {
            return Err(PyErr::fetch(object.py()));
        }
        // SAFETY: see above.
        Ok(Self(unsafe { view.assume_init() }))
    }

    /// Returns the start of the memory.
    pub fn start(&self) -> *mut u8 {
        self.0.buf.cast()
    }

    /// Returns the length in bytes.
    pub fn len(&self) -> usize {
        self.0.len.unsigned_abs()
    }

    /// Returns the size of an element in bytes.
    pub fn item_size(&self) -> usize {
        self.0.itemsize.unsigned_abs()
    }

    /// Returns whether the object refuses writes.
    pub fn is_read_only(&self) -> bool {
        self.0.readonly != 0
    }

    /// Returns the format of an element; that of bytes, if the object gives none.
    pub fn format(&self) -> &CStr {
        if self.0.format.is_null() {
            return c"B";
        }
        // SAFETY: the format is a string that lives as long as the view.
        unsafe { CStr::from_ptr(self.0.format) }
    }

    /// Returns whether it is one row of bytes, in a format of one character.
    pub fn is_row_of_bytes(&self) -> bool {
        self.0.ndim == 1 && matches!(self.format().to_bytes(), b"B" | b"b" | b"c")
    }

    /// Returns the object that the memory belongs to.
    pub fn owner<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        // SAFETY: the view owns a reference to the object, or has none.
        unsafe { Bound::from_borrowed_ptr_or_opt(py, self.0.obj) }
    }

    /// Rejects memory with gaps.
    pub fn check_contiguous(&self) -> PyResult<()> {
        // SAFETY: the view is valid. Without strides, memory counts as contiguous.
        if unsafe { ffi::PyBuffer_IsContiguous(&raw const *self.0, b'C' as c_char) } != 0 {
            return Ok(());
        }
        let (shape, strides) = (
            self.of_dimensions(self.0.shape),
            self.of_dimensions(self.0.strides),
        );
        Err(PyValueError::new_err(format!(
            "the array is not contiguous: its shape is {shape:?}, its strides {strides:?}; copy it first"
        )))
    }

    /// Returns a number for each dimension.
    fn of_dimensions(&self, numbers: *const ffi::Py_ssize_t) -> &[ffi::Py_ssize_t] {
        if numbers.is_null() {
            return &[];
        }
        // SAFETY: the view has a number for each dimension.
        unsafe { slice::from_raw_parts(numbers, self.0.ndim.unsigned_abs() as usize) }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // Without an interpreter, the memory is never released.
        let release = |_: Python<'_>| {
            // SAFETY: the view is valid, and is released once.
            unsafe { ffi::PyBuffer_Release(&raw mut *self.0) }
        };
        let _ = Python::try_attach(release);
    }
}

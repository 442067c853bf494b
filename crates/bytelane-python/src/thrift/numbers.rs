//! Lists of numbers as NumPy arrays, without a copy.

use crate::dtype::DType;
use crate::numpy::numpy;
use pyo3::exceptions::PyImportError;
use pyo3::ffi;
use pyo3::prelude::*;
use std::any::Any;
use std::ffi::c_int;

/// Memory of a list of numbers, which an array shares.
#[pyclass(frozen)]
struct Numbers {
    start: *mut u8,
    /// Length in bytes.
    length: usize,
    /// The list, which nothing else accesses until it is dropped.
    _owner: Box<dyn Any + Send + Sync>,
}

// SAFETY: the pointer is to memory that the object owns. Only exported buffers access it, and what
// threads do with one is up to their owners, as for any array.
unsafe impl Send for Numbers {}
// SAFETY: see above.
unsafe impl Sync for Numbers {}

#[pymethods]
impl Numbers {
    fn __len__(&self) -> usize {
        self.length
    }

    /// # Safety
    ///
    /// Python passes a view to be filled.
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        let Self { start, length, .. } = slf.get();
        // SAFETY: the view is writable, and the memory lives as long as the object, to which the call
        // makes it refer.
        let failed = unsafe {
            let (start, length) = (start.cast(), length.cast_signed());
            ffi::PyBuffer_FillInfo(view, slf.as_ptr(), start, length, 0, flags)
        };
        match failed {
            0 => Ok(()),
            _ => Err(PyErr::fetch(slf.py())),
        }
    }
}

/// Returns an array with the memory of a list.
pub fn array<T: Send + Sync + 'static>(
    py: Python<'_>,
    mut values: Vec<T>,
    dtype: DType,
) -> PyResult<Bound<'_, PyAny>> {
    let Some(numpy) = numpy(py) else {
        return Err(PyImportError::new_err("NumPy is not installed"));
    };
    let numbers = Numbers {
        start: values.as_mut_ptr().cast(),
        length: size_of_val(&values[..]),
        _owner: Box::new(values),
    };
    numpy.array(Bound::new(py, numbers)?.into_any(), dtype)
}

//! Results: new objects that are written once, or the caller's memory.

use crate::buffer::Buffer;
use crate::dtype::DType;
use crate::error::too_large;
use crate::memory::Memory;
use crate::numpy::numpy;
use bytelane::Value;
use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::{ptr, slice};

/// Destination of a result.
pub enum Target {
    /// New `bytes`.
    Bytes,
    /// New NumPy array, or new `bytes` without NumPy.
    Numbers(DType),
    /// Memory of the caller; the result is the number of values written.
    Out(Buffer, Option<DType>),
}

/// Size of a result, in values.
#[derive(Clone, Copy)]
pub enum Room {
    Exactly(usize),
    AtMost(usize),
}

/// Result of a function of the core: the values that it has written at the front of the
/// destination, and a further result.
pub type Written<'a, T, R> = (&'a mut [T], R);

impl Target {
    /// Returns the caller's destination, or else new bytes.
    pub fn bytes(out: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        Self::new(out, Self::Bytes, None)
    }

    /// Returns the caller's destination, or else new numbers.
    pub fn numbers(out: Option<&Bound<'_, PyAny>>, dtype: DType) -> PyResult<Self> {
        Self::new(out, Self::Numbers(dtype), Some(dtype))
    }

    fn new(out: Option<&Bound<'_, PyAny>>, fresh: Self, dtype: Option<DType>) -> PyResult<Self> {
        let Some(out) = out else { return Ok(fresh) };
        let buffer = Buffer::of(out)?;
        buffer.check_contiguous()?;
        if buffer.is_read_only() {
            let message = format!("out, of {} bytes, is read-only", buffer.len());
            return Err(PyValueError::new_err(message));
        }
        let found = DType::of_format(buffer.format(), buffer.item_size());
        match (found, dtype) {
            // Memory of bytes, signed or not, takes any result.
            (Some(DType { size: 1, .. }), _) => {}
            (found, Some(wanted)) if found == Some(wanted) => {}
            (found, wanted) => {
                let found = found.map_or("no numbers".to_owned(), |found| found.to_string());
                let wanted = wanted.unwrap_or(DType::BYTE);
                let message = format!("out has {found}, but the result is {wanted}");
                return Err(PyTypeError::new_err(message));
            }
        }
        Ok(Self::Out(buffer, dtype))
    }

    /// Calls a function of the core with the values of `source` and a destination for its result, if it returns only the
    /// values that it has written.
    pub fn write<S: Value, T: Value, E: Send>(
        self,
        source: &Memory<'_>,
        room: Room,
        error: impl FnOnce(E) -> PyErr,
        work: impl for<'a> FnOnce(&[S], &'a mut [MaybeUninit<T>]) -> Result<&'a mut [T], E> + Send,
    ) -> PyResult<Py<PyAny>> {
        let done = self.fill(source, room, error, |values: &[S], to| {
            Ok((work(values, to)?, ()))
        });
        Ok(done?.0)
    }

    /// Same as [`write`](Self::write), if the function also returns something else.
    pub fn fill<S: Value, T: Value, R: Send, E: Send>(
        self,
        source: &Memory<'_>,
        room: Room,
        error: impl FnOnce(E) -> PyErr,
        work: impl for<'a> FnOnce(&[S], &'a mut [MaybeUninit<T>]) -> Result<Written<'a, T, R>, E> + Send,
    ) -> PyResult<(Py<PyAny>, R)> {
        let py = source.py();
        let (object, rest) = match self {
            Self::Out(buffer, dtype) => {
                let (written, rest) = into_memory(&buffer, source, room, work)?.map_err(error)?;
                let values = written * size_of::<T>() / dtype.unwrap_or(DType::BYTE).size;
                (values.into_pyobject(py)?.into_any(), rest)
            }
            Self::Numbers(dtype) if let Some(numpy) = numpy(py) => {
                let fresh = Fresh::byte_array(py, room.of::<T>()?)?;
                let (memory, rest) = fresh.fill(source, room, error, work)?;
                (numpy.array(memory, dtype)?, rest)
            }
            Self::Bytes | Self::Numbers(_) => {
                Fresh::bytes(py, room.of::<T>()?)?.fill(source, room, error, work)?
            }
        };
        Ok((object.unbind(), rest))
    }
}

impl Room {
    /// Returns the maximum number of values.
    fn count(self) -> usize {
        let (Self::Exactly(count) | Self::AtMost(count)) = self;
        count
    }

    /// Returns the maximum number of bytes.
    fn of<T>(self) -> PyResult<usize> {
        let bytes = self.count().checked_mul(size_of::<T>());
        let bytes = bytes.filter(|bytes| *bytes <= isize::MAX as usize);
        bytes.ok_or_else(|| too_large("values", self.count()))
    }
}

/// New object that no other code can access yet.
struct Fresh<'py> {
    object: Bound<'py, PyAny>,
    start: *mut u8,
}

/// Address of a new object.
struct Start(*mut u8);

// SAFETY: only the one thread that is inside `fill` uses it.
unsafe impl Send for Start {}

impl Start {
    /// Returns the address. It is a method so that a closure captures the whole struct.
    fn get(self) -> *mut u8 {
        self.0
    }
}

impl<'py> Fresh<'py> {
    fn bytes(py: Python<'py>, length: usize) -> PyResult<Self> {
        // SAFETY: without a source, the bytes remain uninitialised.
        let object = unsafe { ffi::PyBytes_FromStringAndSize(ptr::null(), length as isize) };
        // SAFETY: a null result means that an error is set; otherwise we own the reference.
        let object = unsafe { Bound::from_owned_ptr_or_err(py, object) }?;
        // SAFETY: the object is `bytes`.
        let start = unsafe { ffi::PyBytes_AsString(object.as_ptr()) }.cast();
        Ok(Self { object, start })
    }

    fn byte_array(py: Python<'py>, length: usize) -> PyResult<Self> {
        // SAFETY: without a source, the bytes remain uninitialised.
        let object = unsafe { ffi::PyByteArray_FromStringAndSize(ptr::null(), length as isize) };
        // SAFETY: a null result means that an error is set; otherwise we own the reference.
        let object = unsafe { Bound::from_owned_ptr_or_err(py, object) }?;
        // SAFETY: the object is a `bytearray`.
        let start = unsafe { ffi::PyByteArray_AsString(object.as_ptr()) }.cast();
        Ok(Self { object, start })
    }

    fn fill<S: Value, T: Value, R: Send, E: Send>(
        self,
        source: &Memory<'py>,
        room: Room,
        error: impl FnOnce(E) -> PyErr,
        work: impl for<'a> FnOnce(&[S], &'a mut [MaybeUninit<T>]) -> Result<Written<'a, T, R>, E> + Send,
    ) -> PyResult<(Bound<'py, PyAny>, R)> {
        let start = Start(self.start);
        let count = room.count();
        // Python aligns memory for any type.
        assert!(count == 0 || self.start.cast::<T>().is_aligned());
        let done = source.read(|values: &[S]| {
            let room = match count {
                0 => &mut [],
                // SAFETY: the object has room for `count` aligned values, which need not be
                // initialised; no other code can access it before `fill` returns.
                _ => unsafe { slice::from_raw_parts_mut(start.get().cast(), count) },
            };
            let (written, rest) = work(values, room)?;
            Ok((written.len(), rest))
        })?;
        let (written, rest) = done.map_err(error)?;
        match room {
            // A shorter result would expose uninitialised memory.
            Room::Exactly(_) => assert_eq!(written, count),
            Room::AtMost(_) => return Ok((self.shrunk(written * size_of::<T>())?, rest)),
        }
        Ok((self.object, rest))
    }

    /// Shortens `bytes` to the length that the core has written. Memory is released, not copied.
    fn shrunk(self, length: usize) -> PyResult<Bound<'py, PyAny>> {
        let py = self.object.py();
        assert!(self.object.is_exact_instance_of::<PyBytes>());
        let mut object = self.object.into_ptr();
        // SAFETY: the object is `bytes` that have not been hashed, and we pass on the only reference.
        // It has at least `length` bytes.
        let failed = unsafe { _PyBytes_Resize(&raw mut object, length as isize) } != 0;
        if failed {
            Err(PyErr::fetch(py))
        } else {
            // SAFETY: we own the reference, to the same object or to another one.
            unsafe { Bound::from_owned_ptr_or_err(py, object) }
        }
    }
}

unsafe extern "C" {
    /// Part of the stable ABI, but missing in PyO3. Consumes a reference, and replaces it by another one, or
    /// by null on failure.
    fn _PyBytes_Resize(bytes: *mut *mut ffi::PyObject, length: isize) -> c_int;
}

/// Writes to the caller's memory, under the GIL.
fn into_memory<S: Value, T: Value, R, E>(
    buffer: &Buffer,
    source: &Memory<'_>,
    room: Room,
    work: impl for<'a> FnOnce(&[S], &'a mut [MaybeUninit<T>]) -> Result<Written<'a, T, R>, E>,
) -> PyResult<Result<(usize, R), E>> {
    let (start, length) = (buffer.start().cast::<T>(), buffer.len());
    let count = match (length / size_of::<T>(), room) {
        (given, Room::Exactly(needed)) if given < needed => {
            let (needed, given) = (needed * size_of::<T>(), length);
            let message = format!("the result needs {needed} bytes, but out has {given}");
            return Err(PyValueError::new_err(message));
        }
        (_, Room::Exactly(needed)) => needed,
        (given, Room::AtMost(_)) => given,
    };
    let own = start.addr()..start.addr() + length;
    let theirs = source.range();
    let shared = own.start < theirs.end && theirs.start < own.end;
    if shared {
        let message = "out overlaps the input";
        return Err(PyValueError::new_err(message));
    }
    if count > 0 && !start.is_aligned() {
        let message = format!("out is not aligned to {} bytes", align_of::<T>());
        return Err(PyBufferError::new_err(message));
    }
    let mut copy = Vec::new();
    source.read_attached(|values: &[S]| {
        if cfg!(Py_GIL_DISABLED) {
            // Another thread may use the buffer at any time, which is not allowed for a slice.
            copy.reserve_exact(count);
            let (written, rest) = work(values, &mut copy.spare_capacity_mut()[..count])?;
            // SAFETY: the caller has checked that the buffer is writable and contiguous; both have
            // room for `count` values, and at most that many were written.
            unsafe { start.copy_from(written.as_ptr(), written.len()) };
            return Ok((written.len(), rest));
        }
        let room = match count {
            0 => &mut [],
            // SAFETY: the buffer is writable, contiguous, aligned, alive, and does not overlap the
            // source. Numbers have no invalid values, so the buffer never holds one. Nothing else
            // accesses it while the slice exists: this thread holds the GIL.
            _ => unsafe { slice::from_raw_parts_mut(start.cast(), count) },
        };
        let (written, rest) = work(values, room)?;
        Ok((written.len(), rest))
    })
}

//! Codecs, one module each.

pub mod alp;
pub mod base64;
pub mod big_endian;
pub mod bit_packing;
pub mod byte_stream_split;
pub mod delta;
pub mod fsst;
pub mod json_string;
pub mod rle_hybrid;
pub mod stream_vbyte;
pub mod utf8;
pub mod validity;
pub mod varint;

use crate::dtype::DType;
use crate::memory::Memory;
use crate::numpy::dtype_of;
use crate::output::Target;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Names that most codecs use.
mod prelude {
    pub use super::{Answer, Object, Optional, PrefixAnswer};
    pub(in crate::codec) use super::{no_width, some_or_all, to_bytes, to_numbers, whole};
    pub use crate::dtype::DType;
    pub(crate) use crate::dtype::{by_size, by_type};
    pub use crate::error::{of_codec, of_room};
    pub use crate::memory::Memory;
    pub use crate::numpy::dtype_of;
    pub use crate::output::{Room, Target};
    pub use bytelane::Detected;
    pub use pyo3::exceptions::{PyTypeError, PyValueError};
    pub use pyo3::prelude::*;
    pub use std::mem::MaybeUninit;
}

/// Python object.
pub type Object<'py> = Bound<'py, PyAny>;

/// Argument that the caller may leave out.
pub type Optional<'a, 'py> = Option<&'a Object<'py>>;

/// Result of a codec, or the number of values that it has written to the caller's memory.
pub type Answer = PyResult<Py<PyAny>>;

/// Same as [`Answer`], and the number of bytes read.
pub type PrefixAnswer = PyResult<(Py<PyAny>, usize)>;

/// Returns the memory of the values to encode, and the destination of the bytes.
fn to_bytes<'py>(values: &Object<'py>, out: Optional) -> PyResult<(Memory<'py>, Target)> {
    Ok((Memory::of(values)?, Target::bytes(out)?))
}

/// Returns the memory of the bytes to decode, and the type and the destination of the values.
fn to_numbers<'py>(
    data: &Object<'py>,
    dtype: &Object,
    out: Optional,
) -> PyResult<(Memory<'py>, DType, Target)> {
    let (source, dtype) = (Memory::of(data)?, dtype_of(dtype)?);
    Ok((source, dtype, Target::numbers(out, dtype)?))
}

/// Returns the exception for packed integers of type `T` that cannot have `width` bits each.
fn no_width<T>(width: u32) -> PyErr {
    let bits = 8 * size_of::<T>();
    PyValueError::new_err(format!(
        "integers of {bits} bits have no width of {width} bits"
    ))
}

/// Decodes `count` values of an input that stores how many there are, or else all of them, after which
/// no bytes may follow.
fn some_or_all(
    source: &Memory,
    count: Option<usize>,
    stored: impl FnOnce() -> PyResult<usize>,
    decode: impl FnOnce(usize) -> PrefixAnswer,
) -> Answer {
    match count {
        Some(count) => Ok(decode(count)?.0),
        None => whole(decode(stored()?)?, source),
    }
}

/// Returns the result of a function that reads all of its input, and rejects bytes after the last
/// value.
fn whole((values, read): (Py<PyAny>, usize), source: &Memory) -> Answer {
    match source.len() - read {
        0 => Ok(values),
        rest => Err(PyValueError::new_err(format!(
            "{rest} bytes follow the last value, at offset {read}; decode_prefix allows that"
        ))),
    }
}

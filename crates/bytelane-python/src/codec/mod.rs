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

use crate::memory::Memory;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Names that most codecs use.
mod prelude {
    pub use super::Object;
    pub(in crate::codec) use super::{some_or_all, whole};
    pub use crate::dtype::DType;
    pub(crate) use crate::dtype::by_type;
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

/// Decodes `count` values of an input that stores how many there are, or else all of them, after which
/// no bytes may follow.
fn some_or_all<'py>(
    source: &Memory<'py>,
    count: Option<usize>,
    stored: impl FnOnce() -> PyResult<usize>,
    decode: impl FnOnce(usize) -> PyResult<(Object<'py>, usize)>,
) -> PyResult<Object<'py>> {
    match count {
        Some(count) => Ok(decode(count)?.0),
        None => whole(decode(stored()?)?, source),
    }
}

/// Returns the result of a function that reads all of its input, and rejects bytes after the last
/// value.
fn whole<'py>((values, read): (Object<'py>, usize), source: &Memory<'py>) -> PyResult<Object<'py>> {
    match source.len() - read {
        0 => Ok(values),
        rest => Err(PyValueError::new_err(format!(
            "{rest} bytes follow the last value, at offset {read}; decode_prefix allows that"
        ))),
    }
}

//! Parquet's BYTE_STREAM_SPLIT.

use pyo3::prelude::*;

/// Parquet's BYTE_STREAM_SPLIT: byte 0 of every value, then byte 1 of every value, and so on. This
/// makes numbers of similar size compress better.
#[pymodule]
pub mod byte_stream_split {
    use crate::codec::prelude::*;
    use ::bytelane::byte_stream_split::Width;

    /// Splits values into streams.
    ///
    /// `values` is a NumPy array or another buffer; `width` is the number of bytes per value in
    /// plain bytes. Returns bytes or, with `out`, the number of bytes written there.
    ///
    /// >>> from bytelane import byte_stream_split
    /// >>> byte_stream_split.encode(b"a1b2c3", width=2)
    /// b'abc123'
    #[pyfunction(signature = (values, *, width=None, out=None))]
    fn encode(values: &Object, width: Option<usize>, out: Optional) -> Answer {
        let (source, target) = to_bytes(values, out)?;
        let width = of(width.unwrap_or(source.size))?;
        let room = Room::Exactly(source.len());
        target.write(&source, room, of_codec, |values: &[u8], to| {
            width.encode_with(Detected::active(), values, to)
        })
    }

    /// Joins streams to values, the inverse of `encode`.
    ///
    /// Returns a NumPy array of `dtype` (bytes without NumPy), or bytes if `width` is given instead.
    /// With `out`, returns the number of values written there.
    ///
    /// Raises bytelane.Error if the length is not a multiple of the width.
    ///
    /// >>> from bytelane import byte_stream_split
    /// >>> byte_stream_split.decode(b"abc123", width=2)
    /// b'a1b2c3'
    /// >>> byte_stream_split.decode(bytes.fromhex("0000803f"), "float32").tolist()
    /// [1.0]
    #[pyfunction(signature = (data, dtype=None, *, width=None, out=None))]
    fn decode(data: &Object, dtype: Optional, width: Option<usize>, out: Optional) -> Answer {
        let source = Memory::of(data)?;
        let (target, size) = match (dtype, width) {
            (Some(dtype), None) => {
                let dtype = dtype_of(dtype)?;
                (Target::numbers(out, dtype)?, dtype.size)
            }
            (None, Some(width)) => (Target::bytes(out)?, width),
            _ => return Err(PyTypeError::new_err("decode needs either dtype or width")),
        };
        let width = of(size)?;
        let room = Room::Exactly(source.len());
        target.write(&source, room, of_codec, |data: &[u8], to| {
            width.decode_with(Detected::active(), data, to)
        })
    }

    fn of(width: usize) -> PyResult<Width> {
        Width::new(width).ok_or_else(|| {
            PyValueError::new_err(format!("width must be 1 byte or more, but is {width}"))
        })
    }
}

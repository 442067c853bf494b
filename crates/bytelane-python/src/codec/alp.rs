//! Parquet's ALP.

use pyo3::prelude::*;

/// Parquet's ALP: floating-point numbers as decimal integers, packed with as few bits as possible. It
/// compresses prices and measurements with few digits well.
#[pymodule]
pub mod alp {
    use crate::codec::prelude::*;
    use ::bytelane::alp::{self, Format};

    /// Encodes numbers of 4 or 8 bytes as a page.
    ///
    /// `values` is a NumPy array or another buffer; `dtype` is the type of numbers in plain bytes.
    /// Vectors have `vector_size` values, a power of two from 8 to 32768. Returns bytes or, with `out`,
    /// the number of bytes written there.
    ///
    /// >>> from array import array
    /// >>> from bytelane import alp
    /// >>> len(alp.encode(array("d", [i / 100 for i in range(1000, 2000)])))
    /// 1274
    #[pyfunction(signature = (values, *, vector_size=1024, dtype=None, out=None))]
    fn encode(values: &Object, vector_size: usize, dtype: Optional, out: Optional) -> Answer {
        let (source, target) = to_bytes(values, out)?;
        let format = format(vector_size)?;
        by_float!(source.numbers(dtype)?, T => {
            let room = format.max_encoded_len::<T>(source.len() / size_of::<T>());
            target.write(&source, Room::AtMost(room), of_codec, |values: &[T], to| {
                format.encode_with(Detected::active(), values, to)
            })
        })
    }

    /// Estimates from a sample how many bytes `encode` would return. If that is more than the size of
    /// the values, store them unencoded.
    ///
    /// >>> from array import array
    /// >>> from bytelane import alp
    /// >>> alp.estimated_len(array("d", [i / 100 for i in range(1000, 2000)]))
    /// 1274
    #[pyfunction(signature = (values, *, vector_size=1024, dtype=None))]
    fn estimated_len(values: &Object, vector_size: usize, dtype: Optional) -> PyResult<usize> {
        let source = Memory::of(values)?;
        let format = format(vector_size)?;
        by_float!(source.numbers(dtype)?, T => {
            source.read(|values: &[T]| format.estimated_len(values))
        })
    }

    /// Decodes all values of a page, or the first `count` of them.
    ///
    /// Returns a NumPy array of `dtype` (bytes without NumPy) or, with `out`, the number of values
    /// written there. Without `count`, the page is checked first. Equal values take hardly any bytes, so
    /// a short page can have very many: pass `count` for untrusted input.
    ///
    /// Raises bytelane.Error if the page is malformed or has fewer values, and ValueError if bytes
    /// follow the page and `count` is not given.
    ///
    /// >>> from array import array
    /// >>> from bytelane import alp
    /// >>> alp.decode(alp.encode(array("d", [0.5, 2.25, 1e9])), "float64").tolist()
    /// [0.5, 2.25, 1000000000.0]
    #[pyfunction(signature = (data, dtype, count=None, *, out=None))]
    fn decode(data: &Object, dtype: &Object, count: Option<usize>, out: Optional) -> Answer {
        let source = Memory::of(data)?;
        let dtype = dtype_of(dtype)?;
        let stored = || Ok(checked(&source, dtype)?.0);
        some_or_all(&source, count, stored, |count| {
            decode_some(&source, dtype, count, out)
        })
    }

    /// Decodes the first `count` values of a page. Returns the same as `decode`, and the number of
    /// bytes read, up to the end of a vector.
    ///
    /// >>> from array import array
    /// >>> from bytelane import alp
    /// >>> page = alp.encode(array("f", [0.5, 2.25])) + b"more"
    /// >>> values, read = alp.decode_prefix(page, "float32", 2)
    /// >>> page[read:]
    /// b'more'
    #[pyfunction(signature = (data, dtype, count, *, out=None))]
    fn decode_prefix(data: &Object, dtype: &Object, count: usize, out: Optional) -> PrefixAnswer {
        decode_some(&Memory::of(data)?, dtype_of(dtype)?, count, out)
    }

    /// Decodes the values from index `start` up to `stop`. Only their vectors are read. Returns the same
    /// as `decode`.
    ///
    /// Raises bytelane.Error if one of these vectors is malformed, the page has fewer values, or the range
    /// begins past its end.
    ///
    /// >>> from array import array
    /// >>> from bytelane import alp
    /// >>> alp.decode_range(alp.encode(array("d", [0.5, 2.25, 4.0])), "float64", 1, 3).tolist()
    /// [2.25, 4.0]
    #[pyfunction(signature = (data, dtype, start, stop, *, out=None))]
    fn decode_range(
        data: &Object,
        dtype: &Object,
        start: usize,
        stop: usize,
        out: Optional,
    ) -> Answer {
        let (source, dtype, target) = to_numbers(data, dtype, out)?;
        let values = source.read(alp::stored)?.map_err(of_codec)?;
        // The core rejects ranges that reach further, so they need no memory.
        let room = Room::Exactly(stop.min(values).saturating_sub(start));
        by_float!(dtype, T => {
            target.write(&source, room, of_codec, |data: &[u8], to: &mut [MaybeUninit<T>]| {
                alp::decode_range_with(Detected::active(), data, start..stop, to)
            })
        })
    }

    /// Returns the number of values according to the header of a page. Nothing else is checked.
    ///
    /// >>> from array import array
    /// >>> from bytelane import alp
    /// >>> alp.stored(alp.encode(array("f", [0.5, 2.25])))
    /// 2
    #[pyfunction]
    fn stored(data: &Object) -> PyResult<usize> {
        Memory::of(data)?.read(alp::stored)?.map_err(of_codec)
    }

    /// Performs all checks of `decode`, without decoding. Returns the number of values, and the
    /// length of the page in bytes; more bytes may follow it.
    ///
    /// >>> from array import array
    /// >>> from bytelane import alp
    /// >>> alp.validate(alp.encode(array("d", [0.5] * 1000)) + b"more", "float64")
    /// (1000, 24)
    #[pyfunction]
    fn validate(data: &Object, dtype: &Object) -> PyResult<(usize, usize)> {
        checked(&Memory::of(data)?, dtype_of(dtype)?)
    }

    fn checked(source: &Memory, dtype: DType) -> PyResult<(usize, usize)> {
        by_float!(dtype, T => source.read(alp::validate::<T>)?.map_err(of_codec))
    }

    fn decode_some(source: &Memory, dtype: DType, count: usize, out: Optional) -> PrefixAnswer {
        let target = Target::numbers(out, dtype)?;
        by_float!(dtype, T => {
            target.fill(source, Room::Exactly(count), of_codec, |data: &[u8], to: &mut [MaybeUninit<T>]| {
                alp::decode_with(Detected::active(), data, to)
            })
        })
    }

    fn format(vector_size: usize) -> PyResult<Format> {
        Format::new(vector_size).ok_or_else(|| {
            PyValueError::new_err(format!(
                "vectors of {vector_size} values do not exist: vector_size is a power of two from 8 to 32768"
            ))
        })
    }

    macro_rules! by_float {
        ($dtype:expr, $T:ident => $call:expr) => {
            by_type!($dtype, "alp", "float32 and float64", [Float 4 f32, Float 8 f64], $T => $call)
        };
    }
    use by_float;
}

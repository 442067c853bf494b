//! Parquet's DELTA_BINARY_PACKED.

use pyo3::prelude::*;

/// Parquet's DELTA_BINARY_PACKED: differences of integers, packed in blocks with as few bits as
/// possible. It compresses sorted numbers and timestamps well.
#[pymodule]
pub mod delta {
    use crate::codec::prelude::*;
    use ::bytelane::delta::{self, Format};

    /// Encodes integers of 32 or 64 bits.
    ///
    /// `values` is a NumPy array or another buffer; `dtype` is the type of numbers in plain bytes. A
    /// block has `block_values` values, a multiple of 128, in `miniblocks` parts. Returns bytes or,
    /// with `out`, the number of bytes written there.
    ///
    /// >>> from array import array
    /// >>> from bytelane import delta
    /// >>> len(delta.encode(array("q", range(1000, 2000))))
    /// 47
    #[pyfunction(signature = (values, *, block_values=128, miniblocks=4, dtype=None, out=None))]
    fn encode(
        values: &Object,
        block_values: u32,
        miniblocks: u32,
        dtype: Optional,
        out: Optional,
    ) -> Answer {
        let (source, target) = to_bytes(values, out)?;
        let format = Format::new(block_values, miniblocks).ok_or_else(|| {
            PyValueError::new_err(format!(
                "a block of {block_values} values in {miniblocks} miniblocks does not exist: \
                 block_values is a multiple of 128, and each miniblock has a multiple of 32 values"
            ))
        })?;
        by_integer!(source.numbers(dtype)?, T => {
            let room = format.max_encoded_len::<T>(source.len() / size_of::<T>());
            target.write(&source, Room::AtMost(room), of_room, |values: &[T], to| {
                format.encode_with(Detected::active(), values, to)
            })
        })
    }

    /// Decodes all values of a stream, or the first `count` of them.
    ///
    /// Returns a NumPy array of `dtype` (bytes without NumPy) or, with `out`, the number of values
    /// written there. Without `count`, the stream is checked first, so a header with too many values
    /// does not cost memory.
    ///
    /// Raises bytelane.Error if the stream is malformed or has fewer values, and ValueError if
    /// bytes follow the stream and `count` is not given.
    ///
    /// >>> from array import array
    /// >>> from bytelane import delta
    /// >>> delta.decode(delta.encode(array("i", [3, 1, 4])), "int32").tolist()
    /// [3, 1, 4]
    #[pyfunction(signature = (data, dtype, count=None, *, out=None))]
    fn decode(data: &Object, dtype: &Object, count: Option<usize>, out: Optional) -> Answer {
        let source = Memory::of(data)?;
        let dtype = dtype_of(dtype)?;
        let stored = || Ok(checked(&source, dtype)?.0);
        some_or_all(&source, count, stored, |count| {
            decode_some(&source, dtype, count, out)
        })
    }

    /// Decodes the first `count` values of a stream. Returns the same as `decode`, and the number of
    /// bytes read.
    ///
    /// >>> from array import array
    /// >>> from bytelane import delta
    /// >>> page = delta.encode(array("i", [3, 1, 4])) + b"more"
    /// >>> values, read = delta.decode_prefix(page, "int32", 3)
    /// >>> page[read:]
    /// b'more'
    #[pyfunction(signature = (data, dtype, count, *, out=None))]
    fn decode_prefix(data: &Object, dtype: &Object, count: usize, out: Optional) -> PrefixAnswer {
        decode_some(&Memory::of(data)?, dtype_of(dtype)?, count, out)
    }

    /// Decodes the values from index `start` up to `stop`. The preceding differences are summed, but
    /// not stored. Returns the same as `decode`.
    ///
    /// Raises bytelane.Error if the stream is malformed, has fewer values, or the range begins past its
    /// end. The stream is checked first, as for `decode`.
    ///
    /// >>> from array import array
    /// >>> from bytelane import delta
    /// >>> delta.decode_range(delta.encode(array("i", [3, 1, 4, 1, 5])), "int32", 2, 4).tolist()
    /// [4, 1]
    #[pyfunction(signature = (data, dtype, start, stop, *, out=None))]
    fn decode_range(
        data: &Object,
        dtype: &Object,
        start: usize,
        stop: usize,
        out: Optional,
    ) -> Answer {
        let (source, dtype, target) = to_numbers(data, dtype, out)?;
        let (values, _) = checked(&source, dtype)?;
        // The core rejects ranges that reach further, so they need no memory.
        let room = Room::Exactly(stop.min(values).saturating_sub(start));
        by_integer!(dtype, T => {
            target.write(&source, room, of_codec, |data: &[u8], to: &mut [MaybeUninit<T>]| {
                delta::decode_range_with(Detected::active(), data, start..stop, to)
            })
        })
    }

    /// Returns the number of values according to the header of a stream. Nothing else is checked.
    ///
    /// >>> from array import array
    /// >>> from bytelane import delta
    /// >>> delta.stored(delta.encode(array("i", [3, 1, 4])))
    /// 3
    #[pyfunction]
    fn stored(data: &Object) -> PyResult<u64> {
        Memory::of(data)?.read(delta::stored)?.map_err(of_codec)
    }

    /// Performs all checks of `decode`, without unpacking. Returns the number of values, and the
    /// length of the stream in bytes; more bytes may follow it.
    ///
    /// >>> from array import array
    /// >>> from bytelane import delta
    /// >>> delta.validate(delta.encode(array("q", range(1000, 2000))) + b"more", "int64")
    /// (1000, 47)
    #[pyfunction]
    fn validate(data: &Object, dtype: &Object) -> PyResult<(usize, usize)> {
        checked(&Memory::of(data)?, dtype_of(dtype)?)
    }

    fn checked(source: &Memory, dtype: DType) -> PyResult<(usize, usize)> {
        by_integer!(dtype, T => {
            let (values, length) = source.read(delta::validate::<T>)?.map_err(of_codec)?;
            Ok((usize::try_from(values).unwrap_or(usize::MAX), length))
        })
    }

    fn decode_some(source: &Memory, dtype: DType, count: usize, out: Optional) -> PrefixAnswer {
        let target = Target::numbers(out, dtype)?;
        by_integer!(dtype, T => {
            target.fill(source, Room::Exactly(count), of_codec, |data: &[u8], to: &mut [MaybeUninit<T>]| {
                delta::decode_with(Detected::active(), data, to)
            })
        })
    }

    macro_rules! by_integer {
        ($dtype:expr, $T:ident => $call:expr) => {
            by_type!($dtype, "delta", "int32 and int64", [Signed 4 i32, Signed 8 i64], $T => $call)
        };
    }
    use by_integer;
}

//! Lists of varints.

use pyo3::prelude::*;

/// Lists of LEB128 varints, as in Thrift's Compact protocol, Protocol Buffers and Parquet's headers.
///
/// Unsigned numbers are stored directly, signed ones in zigzag form, so that small negative numbers
/// are short.
#[pymodule]
pub mod varint {
    use crate::codec::prelude::*;
    use ::bytelane::varint;

    /// Encodes integers of 32 or 64 bits, one after the other.
    ///
    /// `values` is a NumPy array or another buffer; `dtype` is the type of numbers in plain bytes.
    /// Returns bytes or, with `out`, the number of bytes written there.
    ///
    /// >>> from array import array
    /// >>> from bytelane import varint
    /// >>> varint.encode(array("I", [1, 300])).hex()
    /// '01ac02'
    #[pyfunction(signature = (values, *, dtype=None, out=None))]
    fn encode(values: &Object, dtype: Optional, out: Optional) -> Answer {
        let (source, target) = to_bytes(values, out)?;
        by_type!(source.numbers(dtype)?, "varint", "integers of 32 or 64 bits",
        [Unsigned 4 u32, Signed 4 i32, Unsigned 8 u64, Signed 8 i64], T => {
            let room = varint::max_encoded_len::<T>(source.len() / size_of::<T>());
            target.write(&source, Room::AtMost(room), of_room, |values: &[T], to| {
                varint::encode_with(Detected::active(), values, to)
            })
        })
    }

    /// Decodes all varints of an input, or exactly `count` of them.
    ///
    /// Returns a NumPy array of `dtype` (bytes without NumPy) or, with `out`, the number of values
    /// written there.
    ///
    /// Raises bytelane.Error if a varint is malformed, too long for the type or cut off, and
    /// ValueError if bytes follow the last one.
    ///
    /// >>> from bytelane import varint
    /// >>> varint.decode(bytes.fromhex("01ac02"), "uint32").tolist()
    /// [1, 300]
    #[pyfunction(signature = (data, dtype, count=None, *, out=None))]
    fn decode(data: &Object, dtype: &Object, count: Option<usize>, out: Optional) -> Answer {
        let source = Memory::of(data)?;
        let count = match count {
            Some(count) => count,
            None => count_of(&source)?,
        };
        whole(decode_some(&source, dtype, count, out)?, &source)
    }

    /// Decodes the first `count` varints of an input. Returns the same as `decode`, and the number of
    /// bytes read.
    ///
    /// >>> from bytelane import varint
    /// >>> values, read = varint.decode_prefix(bytes.fromhex("01ac02"), "uint32", 1)
    /// >>> values.tolist(), read
    /// ([1], 1)
    #[pyfunction(signature = (data, dtype, count, *, out=None))]
    fn decode_prefix(data: &Object, dtype: &Object, count: usize, out: Optional) -> PrefixAnswer {
        decode_some(&Memory::of(data)?, dtype, count, out)
    }

    /// Returns the number of varints that end in an input.
    ///
    /// >>> from bytelane import varint
    /// >>> varint.count(bytes.fromhex("01ac02"))
    /// 2
    #[pyfunction]
    fn count(data: &Object) -> PyResult<usize> {
        count_of(&Memory::of(data)?)
    }

    fn count_of(source: &Memory) -> PyResult<usize> {
        source.read(|data: &[u8]| varint::count(data))
    }

    fn decode_some(source: &Memory, dtype: &Object, count: usize, out: Optional) -> PrefixAnswer {
        let dtype = dtype_of(dtype)?;
        let target = Target::numbers(out, dtype)?;
        // Each varint has at least one byte, so the input cannot have more, and more need no
        // memory.
        let room = Room::Exactly(count.min(source.len() + 1));
        by_type!(dtype, "varint", "integers of 32 or 64 bits",
        [Unsigned 4 u32, Signed 4 i32, Unsigned 8 u64, Signed 8 i64], T => {
            target.fill(source, room, of_codec, |data: &[u8], to: &mut [MaybeUninit<T>]| {
                varint::decode_with(Detected::active(), data, to)
            })
        })
    }
}

//! Numbers in network byte order.

use pyo3::prelude::*;

/// Numbers in network byte order, as in lists of Thrift's Binary protocol.
#[pymodule]
pub mod big_endian {
    use crate::codec::prelude::*;
    use crate::dtype::whole;
    use ::bytelane::big_endian;

    /// Encodes numbers of 1, 2, 4 or 8 bytes.
    ///
    /// `values` is a NumPy array or another buffer; `dtype` is the type of numbers in plain bytes.
    /// Returns bytes or, with `out`, the number of bytes written there.
    ///
    /// >>> from array import array
    /// >>> from bytelane import big_endian
    /// >>> big_endian.encode(array("H", [1, 2])).hex()
    /// '00010002'
    #[pyfunction(signature = (values, *, dtype=None, out=None))]
    fn encode(values: &Object, dtype: Optional, out: Optional) -> Answer {
        let (source, target) = to_bytes(values, out)?;
        let room = Room::Exactly(source.len());
        by_size!(source.numbers(dtype)?, T => {
            target.write(&source, room, of_room, |values: &[T], to| {
                big_endian::encode_with(Detected::active(), values, to)
            })
        })
    }

    /// Decodes numbers.
    ///
    /// Returns a NumPy array of `dtype` (bytes without NumPy) or, with `out`, the number of values
    /// written there. Raises ValueError if the input ends with a part of a number.
    ///
    /// >>> from bytelane import big_endian
    /// >>> big_endian.decode(bytes.fromhex("00010002"), "uint16").tolist()
    /// [1, 2]
    #[pyfunction(signature = (data, dtype, *, out=None))]
    fn decode(data: &Object, dtype: &Object, out: Optional) -> Answer {
        let (source, dtype, target) = to_numbers(data, dtype, out)?;
        let room = Room::Exactly(whole(source.len(), dtype.size)?);
        by_size!(dtype, T => {
            target.write(&source, room, of_codec, |data: &[u8], to: &mut [MaybeUninit<T>]| {
                big_endian::decode_with(Detected::active(), data, to)
            })
        })
    }
}

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
    #[pyfunction]
    #[pyo3(signature = (values, *, dtype=None, out=None))]
    fn encode<'py>(
        values: &Object<'py>,
        dtype: Option<&Object<'py>>,
        out: Option<&Object<'py>>,
    ) -> PyResult<Object<'py>> {
        let source = Memory::of(values)?;
        let target = Target::bytes(out)?;
        let room = Room::Exactly(source.len());
        macro_rules! encode {
            ($T:ty) => {
                target.write(&source, room, of_room, |values: &[$T], to| {
                    big_endian::encode_with(Detected::active(), values, to)
                })
            };
        }
        match source.numbers(dtype)?.size {
            1 => encode!(u8),
            2 => encode!(u16),
            4 => encode!(u32),
            _ => encode!(u64),
        }
    }

    /// Decodes numbers.
    ///
    /// Returns a NumPy array of `dtype` (bytes without NumPy) or, with `out`, the number of values
    /// written there. Raises ValueError if the input ends with a part of a number.
    ///
    /// >>> from bytelane import big_endian
    /// >>> big_endian.decode(bytes.fromhex("00010002"), "uint16").tolist()
    /// [1, 2]
    #[pyfunction]
    #[pyo3(signature = (data, dtype, *, out=None))]
    fn decode<'py>(
        data: &Object<'py>,
        dtype: &Object<'py>,
        out: Option<&Object<'py>>,
    ) -> PyResult<Object<'py>> {
        let source = Memory::of(data)?;
        let dtype = dtype_of(dtype)?;
        let target = Target::numbers(out, dtype)?;
        let room = Room::Exactly(whole(source.len(), dtype.size)?);
        macro_rules! decode {
            ($T:ty) => {
                target.write(
                    &source,
                    room,
                    of_codec,
                    |data: &[u8], to: &mut [MaybeUninit<$T>]| {
                        big_endian::decode_with(Detected::active(), data, to)
                    },
                )
            };
        }
        match dtype.size {
            1 => decode!(u8),
            2 => decode!(u16),
            4 => decode!(u32),
            _ => decode!(u64),
        }
    }
}

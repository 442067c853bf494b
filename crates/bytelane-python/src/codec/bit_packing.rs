//! Integers of a fixed number of bits.

use pyo3::prelude::*;

/// Integers packed with a fixed number of bits each, least significant bit first, as in Parquet.
#[pymodule]
pub mod bit_packing {
    use crate::codec::whole;
    use crate::dtype::{DType, by_type};
    use crate::error::of_codec;
    use crate::memory::Memory;
    use crate::output::{Room, Target};
    use ::bytelane::Detected;
    use ::bytelane::bit_packing::Format;
    use pyo3::exceptions::PyValueError;
    use pyo3::prelude::*;
    use std::mem::MaybeUninit;

    /// Packs integers with `width` bits each.
    ///
    /// `values` is a NumPy array or another buffer; `dtype` says what plain bytes contain. `reference`
    /// is subtracted from each value first. Returns bytes or, with `out`, the number of bytes written
    /// there.
    ///
    /// Raises bytelane.Error if a value does not fit.
    ///
    /// >>> from array import array
    /// >>> from bytelane import bit_packing
    /// >>> bit_packing.encode(array("I", [1, 2, 3, 4, 5, 6, 7]), width=3).hex()
    /// 'd1581f'
    #[pyfunction]
    #[pyo3(signature = (values, width, *, reference=None, dtype=None, out=None))]
    fn encode<'py>(
        py: Python<'py>,
        values: &Bound<'py, PyAny>,
        width: u32,
        reference: Option<&Bound<'py, PyAny>>,
        dtype: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let source = Memory::of(values)?;
        let target = Target::bytes(out)?;
        let dtype = source.numbers(dtype)?;
        by_type!(dtype, "bit_packing", "uint8 to uint64, int32 and int64",
        [Unsigned 1 u8, Unsigned 2 u16, Unsigned 4 u32, Unsigned 8 u64, Signed 4 i32, Signed 8 i64], T => {
            let format = format_of!(T, dtype, width, reference);
            let room = Room::Exactly(format.encoded_len(source.len() / size_of::<T>()));
            let done = target.fill(&source, py, room, of_codec, |values: &[T], to| {
                Ok((format.encode_uninit_with(Detected::active(), values, to)?, ()))
            });
            Ok(done?.0)
        })
    }

    /// Unpacks `count` integers of `width` bits each.
    ///
    /// `reference` is added to each. Returns a NumPy array of `dtype` (bytes without NumPy) or, with
    /// `out`, the number of values written there.
    ///
    /// Raises bytelane.Error if the input is too short, and ValueError if bytes follow the last value.
    ///
    /// >>> from bytelane import bit_packing
    /// >>> bit_packing.decode(bytes.fromhex("d1581f"), "uint32", 7, width=3).tolist()
    /// [1, 2, 3, 4, 5, 6, 7]
    #[pyfunction]
    #[pyo3(signature = (data, dtype, count, width, *, reference=None, out=None))]
    fn decode<'py>(
        py: Python<'py>,
        data: &Bound<'py, PyAny>,
        dtype: &Bound<'py, PyAny>,
        count: usize,
        width: u32,
        reference: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let source = Memory::of(data)?;
        let target = Target::numbers(out, DType::of_argument(dtype)?)?;
        let dtype = DType::of_argument(dtype)?;
        by_type!(dtype, "bit_packing", "uint8 to uint64, int32 and int64",
        [Unsigned 1 u8, Unsigned 2 u16, Unsigned 4 u32, Unsigned 8 u64, Signed 4 i32, Signed 8 i64], T => {
            let format = format_of!(T, dtype, width, reference);
            let room = Room::Exactly(count);
            let done = target.fill(&source, py, room, of_codec, |data: &[u8], to: &mut [MaybeUninit<T>]| {
                format.decode_uninit_with(Detected::active(), data, to)
            });
            whole(done?, &source)
        })
    }

    /// The format of a type. A macro, since the reference is a number of that type.
    macro_rules! format_of {
        ($T:ty, $dtype:expr, $width:expr, $reference:expr) => {{
            let format = Format::<$T>::new($width).ok_or_else(|| {
                let (width, dtype) = ($width, $dtype);
                PyValueError::new_err(format!("{dtype} has no width of {width} bits"))
            })?;
            match $reference {
                Some(reference) => format.frame(reference.extract()?),
                None => format,
            }
        }};
    }
    use format_of;
}

//! Integers with a fixed number of bits.

use pyo3::prelude::*;

/// Integers packed with a fixed number of bits each, least significant bit first, as in Parquet.
///
/// `reference` is subtracted from each value before it is packed, and added afterwards. With `zigzag`,
/// small negative numbers need few bits: 0, -1, 1, -2 .. become 0, 1, 2, 3 ..
#[pymodule]
pub mod bit_packing {
    use crate::codec::prelude::*;
    use ::bytelane::bit_packing::{Format, Integer};

    /// Packs integers with `width` bits each.
    ///
    /// `values` is a NumPy array or another buffer; `dtype` is the type of numbers in plain bytes.
    /// Returns bytes or, with `out`, the number of bytes written there.
    ///
    /// Raises bytelane.Error if a value does not fit.
    ///
    /// >>> from array import array
    /// >>> from bytelane import bit_packing
    /// >>> bit_packing.encode(array("I", [1, 2, 3, 4, 5, 6, 7]), width=3).hex()
    /// 'd1581f'
    /// >>> len(bit_packing.encode(array("i", [1970, 2026, 2097]), width=7, reference=1970))
    /// 3
    #[pyfunction(signature = (values, width, *, reference=None, zigzag=false, dtype=None, out=None))]
    fn encode(
        values: &Object,
        width: u32,
        reference: Optional,
        zigzag: bool,
        dtype: Optional,
        out: Optional,
    ) -> Answer {
        let (source, target) = to_bytes(values, out)?;
        by_integer!(source.numbers(dtype)?, T => {
            let format = T::format(width, reference, zigzag)?;
            let room = Room::Exactly(format.encoded_len(source.len() / size_of::<T>()));
            target.write(&source, room, of_codec, |values: &[T], to| {
                format.encode_with(Detected::active(), values, to)
            })
        })
    }

    /// Unpacks `count` integers of `width` bits each.
    ///
    /// Returns a NumPy array of `dtype` (bytes without NumPy) or, with `out`, the number of values
    /// written there.
    ///
    /// Raises bytelane.Error if the input is too short, and ValueError if bytes follow the last value.
    ///
    /// >>> from bytelane import bit_packing
    /// >>> bit_packing.decode(bytes.fromhex("d1581f"), "uint32", 7, width=3).tolist()
    /// [1, 2, 3, 4, 5, 6, 7]
    #[pyfunction(signature = (data, dtype, count, width, *, reference=None, zigzag=false, out=None))]
    fn decode(
        data: &Object,
        dtype: &Object,
        count: usize,
        width: u32,
        reference: Optional,
        zigzag: bool,
        out: Optional,
    ) -> Answer {
        let done = decode_prefix(data, dtype, count, width, reference, zigzag, out)?;
        whole(done, &Memory::of(data)?)
    }

    /// Unpacks `count` integers at the front of an input. Returns the same as `decode`, and the number
    /// of bytes read.
    ///
    /// >>> from bytelane import bit_packing
    /// >>> values, read = bit_packing.decode_prefix(b"\xd1\x58\x1fmore", "uint32", 7, width=3)
    /// >>> read
    /// 3
    #[pyfunction(signature = (data, dtype, count, width, *, reference=None, zigzag=false, out=None))]
    fn decode_prefix(
        data: &Object,
        dtype: &Object,
        count: usize,
        width: u32,
        reference: Optional,
        zigzag: bool,
        out: Optional,
    ) -> PrefixAnswer {
        let (source, dtype, target) = to_numbers(data, dtype, out)?;
        by_integer!(dtype, T => {
            let format = T::format(width, reference, zigzag)?;
            let room = Room::Exactly(count);
            target.fill(&source, room, of_codec, |data: &[u8], to: &mut [MaybeUninit<T>]| {
                format.decode_with(Detected::active(), data, to)
            })
        })
    }

    /// Unpacks the values from index `start` up to `stop`, without those before. Returns the same as
    /// `decode`.
    ///
    /// Raises bytelane.Error if the input is too short, or the range begins past its end.
    ///
    /// >>> from bytelane import bit_packing
    /// >>> bit_packing.decode_range(bytes.fromhex("d1581f"), "uint32", 2, 5, width=3).tolist()
    /// [3, 4, 5]
    #[pyfunction(signature = (data, dtype, start, stop, width, *, reference=None, zigzag=false, out=None))]
    #[expect(clippy::too_many_arguments, reason = "most are named and rare")]
    fn decode_range(
        data: &Object,
        dtype: &Object,
        start: usize,
        stop: usize,
        width: u32,
        reference: Optional,
        zigzag: bool,
        out: Optional,
    ) -> Answer {
        let (source, dtype, target) = to_numbers(data, dtype, out)?;
        by_integer!(dtype, T => {
            let format = T::format(width, reference, zigzag)?;
            let room = Room::Exactly(stop.saturating_sub(start));
            target.write(&source, room, of_codec, |data: &[u8], to: &mut [MaybeUninit<T>]| {
                format.decode_range_with(Detected::active(), data, start..stop, to)
            })
        })
    }

    /// Returns the number of bytes that `count` integers of `width` bits take.
    ///
    /// >>> from bytelane import bit_packing
    /// >>> bit_packing.encoded_len(9, width=13)
    /// 15
    #[pyfunction]
    fn encoded_len(count: usize, width: u32) -> PyResult<usize> {
        Ok(u64::format(width, None, false)?.encoded_len(count))
    }

    /// Returns the smallest width for these integers, without a reference or zigzag: 0 if all are
    /// 0.
    ///
    /// >>> from array import array
    /// >>> from bytelane import bit_packing
    /// >>> bit_packing.narrowest(array("H", [0, 5, 9]))
    /// 4
    #[pyfunction(signature = (values, *, dtype=None))]
    fn narrowest(values: &Object, dtype: Optional) -> PyResult<u32> {
        let source = Memory::of(values)?;
        by_integer!(source.numbers(dtype)?, T => {
            source.read(|values: &[T]| Format::narrowest(values).width())
        })
    }

    /// Type of integers, signed or unsigned.
    trait Number: Integer + for<'a, 'py> FromPyObject<'a, 'py, Error = PyErr> {
        /// Returns the format for zigzag values; `None` for unsigned types.
        fn zigzag(format: Format<Self>) -> Option<Format<Self>>;

        fn format(width: u32, reference: Optional, zigzag: bool) -> PyResult<Format<Self>> {
            let format = Format::new(width).ok_or_else(|| no_width::<Self>(width))?;
            match (reference, zigzag) {
                (None, false) => Ok(format),
                (None, true) => Self::zigzag(format)
                    .ok_or_else(|| PyTypeError::new_err("zigzag is for signed integers")),
                (Some(reference), false) => Ok(format.frame(reference.extract()?)),
                (Some(_), true) => {
                    let message = "either reference or zigzag, not both";
                    Err(PyValueError::new_err(message))
                }
            }
        }
    }

    macro_rules! number {
        ($($T:ty: |$format:ident| $zigzag:expr;)*) => { $(
            impl Number for $T {
                fn zigzag($format: Format<Self>) -> Option<Format<Self>> {
                    $zigzag
                }
            }
        )* };
    }
    number! {
        u8: |_format| None;
        u16: |_format| None;
        u32: |_format| None;
        u64: |_format| None;
        i32: |format| Some(format.zigzag());
        i64: |format| Some(format.zigzag());
    }

    macro_rules! by_integer {
        ($dtype:expr, $T:ident => $call:expr) => {
            by_type!($dtype, "bit_packing", "uint8 to uint64, int32 and int64",
            [Unsigned 1 u8, Unsigned 2 u16, Unsigned 4 u32, Unsigned 8 u64, Signed 4 i32, Signed 8 i64], $T => $call)
        };
    }
    use by_integer;
}

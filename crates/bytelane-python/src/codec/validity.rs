//! Definition levels, bitmaps, and values with and without their nulls.

use pyo3::prelude::*;

/// Validity of values: converts definition levels to bitmaps, and values without nulls, as Parquet
/// stores them, to arrays with a slot for each null, as in Arrow.
///
/// Bitmaps are Arrow's: a bit for each value, set if it is valid, least significant bit of each byte
/// first.
#[pymodule]
pub mod validity {
    use crate::codec::prelude::*;
    use ::bytelane::validity::{Format, Level, values};

    /// Converts definition levels to a bitmap: a bit is set where the level is `max_level`.
    ///
    /// `levels` is a NumPy array or another buffer; `dtype` is the type of numbers in plain bytes.
    /// Returns bytes or, with `out`, the number of bytes written there.
    ///
    /// Raises bytelane.Error if a level is greater than `max_level`.
    ///
    /// >>> from array import array
    /// >>> from bytelane import validity
    /// >>> validity.encode(array("H", [2, 0, 2, 1]), max_level=2)
    /// b'\x05'
    #[pyfunction(signature = (levels, max_level, *, dtype=None, out=None))]
    fn encode(levels: &Object, max_level: u16, dtype: Optional, out: Optional) -> Answer {
        let (source, target) = to_bytes(levels, out)?;
        by_level!(source.numbers(dtype)?, T => {
            let format = format::<T>(max_level)?;
            let room = Room::Exactly(format.encoded_len(source.len() / size_of::<T>()));
            let done = target.fill(&source, room, of_codec, |levels: &[T], to| {
                format.encode_with(Detected::active(), levels, to)
            });
            Ok(done?.0)
        })
    }

    /// Converts the first `count` bits of a bitmap to definition levels: `max_level` where a bit is set,
    /// and the level below it elsewhere.
    ///
    /// Returns a NumPy array of `dtype` (bytes without NumPy) or, with `out`, the number of levels written
    /// there.
    ///
    /// Raises ValueError if the bitmap has fewer bits.
    ///
    /// >>> from bytelane import validity
    /// >>> validity.decode(b"\x05", "uint16", 4, max_level=2).tolist()
    /// [2, 1, 2, 1]
    #[pyfunction(signature = (bitmap, dtype, count, max_level, *, out=None))]
    fn decode(
        bitmap: &Object,
        dtype: &Object,
        count: usize,
        max_level: u16,
        out: Optional,
    ) -> Answer {
        let (source, dtype, target) = to_numbers(bitmap, dtype, out)?;
        check_bits(&source, count)?;
        by_level!(dtype, T => {
            let format = format::<T>(max_level)?;
            let room = Room::Exactly(count);
            let done = target.fill(&source, room, of_codec, |bitmap: &[u8], to: &mut [MaybeUninit<T>]| {
                format.decode_with(Detected::active(), bitmap, to)
            });
            Ok(done?.0)
        })
    }

    /// Counts the set bits among the first `count` bits of a bitmap, or in the whole bitmap without
    /// `count`.
    ///
    /// >>> from bytelane import validity
    /// >>> validity.count_valid(b"\xff\x05", 9)
    /// 9
    #[pyfunction(signature = (bitmap, count=None))]
    fn count_valid(bitmap: &Object, count: Option<usize>) -> PyResult<usize> {
        let source = Memory::of(bitmap)?;
        let count = count.unwrap_or(source.len().saturating_mul(8));
        check_bits(&source, count)?;
        let valid = source.read(|bitmap: &[u8]| values::count_valid(bitmap, count))?;
        valid.map_err(of_codec)
    }

    /// Spreads numbers over `count` slots: those whose bit is set get the next number, the others become
    /// zeros.
    ///
    /// `values` is a NumPy array or another buffer; `dtype` is the type of numbers in plain bytes. Returns
    /// a NumPy array of the same type (bytes without NumPy) or, with `out`, the number of slots written
    /// there.
    ///
    /// Raises ValueError if the bitmap has fewer bits, and bytelane.Error if the number of values differs
    /// from the number of set bits.
    ///
    /// >>> from array import array
    /// >>> from bytelane import validity
    /// >>> validity.spread(array("d", [1.5, 2.5]), b"\x05", 4).tolist()
    /// [1.5, 0.0, 2.5, 0.0]
    #[pyfunction(signature = (values, bitmap, count, *, dtype=None, out=None))]
    fn spread(
        values: &Object,
        bitmap: &Object,
        count: usize,
        dtype: Optional,
        out: Optional,
    ) -> Answer {
        let source = Memory::of(values)?;
        let bits = Memory::of(bitmap)?;
        let dtype = source.numbers(dtype)?;
        let target = Target::numbers(out, dtype)?;
        check_bits(&bits, count)?;
        // Copy it, because another thread could write to it.
        let bitmap = bits.read(|bitmap: &[u8]| bitmap[..count.div_ceil(8)].to_vec())?;
        by_value!(dtype, T => {
            let room = Room::Exactly(count);
            target.write(&source, room, of_codec, |dense: &[T], to: &mut [MaybeUninit<T>]| {
                values::spread_with(Detected::active(), dense, &bitmap, to)
            })
        })
    }

    /// Compacts numbers: takes those whose bit is set, the inverse of `spread`.
    ///
    /// `values` is a NumPy array or another buffer; `dtype` is the type of numbers in plain bytes. Returns
    /// a NumPy array of the same type (bytes without NumPy) or, with `out`, the number of values written
    /// there.
    ///
    /// Raises ValueError if the bitmap has fewer bits than there are numbers.
    ///
    /// >>> from array import array
    /// >>> from bytelane import validity
    /// >>> validity.compact(array("d", [1.5, 0.0, 2.5, 0.0]), b"\x05").tolist()
    /// [1.5, 2.5]
    #[pyfunction(signature = (values, bitmap, *, dtype=None, out=None))]
    fn compact(values: &Object, bitmap: &Object, dtype: Optional, out: Optional) -> Answer {
        let source = Memory::of(values)?;
        let bits = Memory::of(bitmap)?;
        let dtype = source.numbers(dtype)?;
        let target = Target::numbers(out, dtype)?;
        let count = source.len() / dtype.size;
        check_bits(&bits, count)?;
        // Copy it, because another thread could write to it.
        let bitmap = bits.read(|bitmap: &[u8]| bitmap[..count.div_ceil(8)].to_vec())?;
        let valid = values::count_valid(&bitmap, count).map_err(of_codec)?;
        by_value!(dtype, T => {
            let room = Room::Exactly(valid);
            target.write(&source, room, of_codec, |values: &[T], to: &mut [MaybeUninit<T>]| {
                values::compact_with(Detected::active(), values, &bitmap, to)
            })
        })
    }

    /// Checks a bitmap before memory is allocated for its values.
    fn check_bits(bitmap: &Memory, count: usize) -> PyResult<()> {
        let (needed, given) = (count.div_ceil(8), bitmap.len());
        if needed <= given {
            Ok(())
        } else {
            Err(PyValueError::new_err(format!(
                "the bitmap needs {needed} bytes, but it has {given}"
            )))
        }
    }

    fn format<T: Level>(max_level: u16) -> PyResult<Format<T>> {
        Format::new(max_level).ok_or_else(|| {
            let bits = 8 * size_of::<T>();
            PyValueError::new_err(format!(
                "levels of {bits} bits have no maximum of {max_level}"
            ))
        })
    }

    macro_rules! by_level {
        ($dtype:expr, $T:ident => $call:expr) => {
            by_type!($dtype, "validity", "levels of uint8 and uint16",
            [Unsigned 1 u8, Unsigned 2 u16], $T => $call)
        };
    }
    use by_level;

    macro_rules! by_value {
        ($dtype:expr, $T:ident => $call:expr) => {
            by_type!($dtype, "validity", "numbers of 1, 2, 4 and 8 bytes",
            [Unsigned 1 u8, Unsigned 2 u16, Unsigned 4 u32, Unsigned 8 u64, Signed 1 i8, Signed 2 i16,
             Signed 4 i32, Signed 8 i64, Float 4 f32, Float 8 f64], $T => $call)
        };
    }
    use by_value;
}

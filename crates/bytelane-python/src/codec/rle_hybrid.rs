//! Parquet's RLE/bit-packing hybrid.

use pyo3::prelude::*;

/// Parquet's RLE/bit-packing hybrid: runs of small integers that repeat, or are packed with a fixed
/// number of bits each. Levels, dictionary indices and booleans are stored this way.
///
/// Neither the number of values nor their width is stored.
#[pymodule]
pub mod rle_hybrid {
    use crate::codec::prelude::*;
    use ::bytelane::rle_hybrid::{Dictionary, Format, Integer, bits};

    /// Encodes integers of `width` bits.
    ///
    /// `values` is a NumPy array or another buffer; `dtype` is the type of numbers in plain bytes.
    /// Returns bytes or, with `out`, the number of bytes written there.
    ///
    /// Raises bytelane.Error if a value does not fit.
    ///
    /// >>> from array import array
    /// >>> from bytelane import rle_hybrid
    /// >>> rle_hybrid.encode(array("I", [300] * 50 + [7] * 50), width=9).hex()
    /// '642c01640700'
    #[pyfunction(signature = (values, width, *, dtype=None, out=None))]
    fn encode(values: &Object, width: u32, dtype: Optional, out: Optional) -> Answer {
        let (source, target) = to_bytes(values, out)?;
        by_integer!(source.numbers(dtype)?, T => {
            let format = format::<T>(width)?;
            let room = format.max_encoded_len(source.len() / size_of::<T>());
            target.write(&source, Room::AtMost(room), of_codec, |values: &[T], to| {
                format.encode_with(Detected::active(), values, to)
            })
        })
    }

    /// Decodes `count` integers of `width` bits.
    ///
    /// Returns a NumPy array of `dtype` (bytes without NumPy) or, with `out`, the number of values
    /// written there.
    ///
    /// Raises bytelane.Error for malformed input, and ValueError if bytes follow the last run.
    ///
    /// >>> from bytelane import rle_hybrid
    /// >>> rle_hybrid.decode(bytes.fromhex("062c01040700"), "uint32", 5, width=9).tolist()
    /// [300, 300, 300, 7, 7]
    #[pyfunction(signature = (data, dtype, count, width, *, out=None))]
    fn decode(data: &Object, dtype: &Object, count: usize, width: u32, out: Optional) -> Answer {
        let done = decode_prefix(data, dtype, count, width, out)?;
        whole(done, &Memory::of(data)?)
    }

    /// Decodes `count` integers at the front of an input. Returns the same as `decode`, and the number
    /// of bytes read.
    ///
    /// >>> from bytelane import rle_hybrid
    /// >>> values, read = rle_hybrid.decode_prefix(b"\x0a\x07more", "uint8", 5, width=3)
    /// >>> read
    /// 2
    #[pyfunction(signature = (data, dtype, count, width, *, out=None))]
    fn decode_prefix(
        data: &Object,
        dtype: &Object,
        count: usize,
        width: u32,
        out: Optional,
    ) -> PrefixAnswer {
        let (source, dtype, target) = to_numbers(data, dtype, out)?;
        by_integer!(dtype, T => {
            let format = format::<T>(width)?;
            check(&source, format, count)?;
            let room = Room::Exactly(count);
            target.fill(&source, room, of_codec, |data: &[u8], to: &mut [MaybeUninit<T>]| {
                format.decode_with(Detected::active(), data, to)
            })
        })
    }

    /// Decodes the values from index `start` up to `stop`. Preceding runs are skipped. Returns the
    /// same as `decode`.
    ///
    /// Raises bytelane.Error for malformed input, or if the range begins past its end.
    ///
    /// >>> from bytelane import rle_hybrid
    /// >>> rle_hybrid.decode_range(bytes.fromhex("062c01040700"), "uint32", 2, 5, width=9).tolist()
    /// [300, 7, 7]
    #[pyfunction(signature = (data, dtype, start, stop, width, *, out=None))]
    fn decode_range(
        data: &Object,
        dtype: &Object,
        start: usize,
        stop: usize,
        width: u32,
        out: Optional,
    ) -> Answer {
        let (source, dtype, target) = to_numbers(data, dtype, out)?;
        by_integer!(dtype, T => {
            let format = format::<T>(width)?;
            check(&source, format, stop)?;
            let room = Room::Exactly(stop.saturating_sub(start));
            target.write(&source, room, of_codec, |data: &[u8], to: &mut [MaybeUninit<T>]| {
                format.decode_range_with(Detected::active(), data, start..stop, to)
            })
        })
    }

    /// Decodes `count` indices of `width` bits and looks up their numbers in a dictionary, in one step.
    ///
    /// `dictionary` is a NumPy array or another buffer, of numbers of 4 or 8 bytes; `dtype` is the type
    /// of numbers in plain bytes. Returns a NumPy array of the same type (bytes without NumPy) or, with
    /// `out`, the number of values written there.
    ///
    /// Raises bytelane.Error for malformed input, or an index that is out of range, and ValueError
    /// if bytes follow the last run.
    ///
    /// >>> from array import array
    /// >>> from bytelane import rle_hybrid
    /// >>> rle_hybrid.look_up(b"\x06\x01\x04\x00", array("d", [0.5, 2.5]), 5, width=1).tolist()
    /// [2.5, 2.5, 2.5, 0.5, 0.5]
    #[pyfunction(signature = (data, dictionary, count, width, *, dtype=None, out=None))]
    fn look_up(
        data: &Object,
        dictionary: &Object,
        count: usize,
        width: u32,
        dtype: Optional,
        out: Optional,
    ) -> Answer {
        let source = Memory::of(data)?;
        let entries = Memory::of(dictionary)?;
        let dtype = entries.numbers(dtype)?;
        let target = Target::numbers(out, dtype)?;
        let format = format::<u32>(width)?;
        check(&source, format, count)?;
        let done = by_entry!(dtype, T => {
            let dictionary = entries.read(|entries: &[T]| Dictionary::new(entries))?;
            let room = Room::Exactly(count);
            target.fill(&source, room, of_codec, |data: &[u8], to: &mut [MaybeUninit<T>]| {
                dictionary.decode_with(Detected::active(), format, data, to)
            })
        });
        whole(done?, &source)
    }

    /// Encodes the first `count` bits of a bitmap, as `encode` does for integers of one bit: least
    /// significant bit of each byte first. Without `count`, encodes all bits.
    ///
    /// Returns bytes or, with `out`, the number of bytes written there.
    ///
    /// >>> from bytelane import rle_hybrid
    /// >>> rle_hybrid.encode_bits(b"\xff" * 5).hex()
    /// '5001'
    #[pyfunction(signature = (bitmap, count=None, *, out=None))]
    fn encode_bits(bitmap: &Object, count: Option<usize>, out: Optional) -> Answer {
        let (source, target) = to_bytes(bitmap, out)?;
        let there = source.len().saturating_mul(8);
        let count = count.unwrap_or(there);
        if count > there {
            let message = format!("the bitmap has {there} bits, not {count}");
            return Err(PyValueError::new_err(message));
        }
        let room = Room::AtMost(bits::max_encoded_len(count));
        target.write(&source, room, of_room, |bitmap: &[u8], to| {
            bits::encode_with(Detected::active(), bitmap, count, to)
        })
    }

    /// Decodes `count` integers of one bit to a bitmap. The unused bits of its last byte are zeros.
    ///
    /// Returns bytes or, with `out`, the number of bytes written there.
    ///
    /// Raises bytelane.Error for malformed input, and ValueError if bytes follow the last run.
    ///
    /// >>> from bytelane import rle_hybrid
    /// >>> rle_hybrid.decode_bits(b"\x50\x01", 36).hex()
    /// 'ffffffff0f'
    #[pyfunction(signature = (data, count, *, out=None))]
    fn decode_bits(data: &Object, count: usize, out: Optional) -> Answer {
        let (source, target) = to_bytes(data, out)?;
        check(&source, format::<u32>(1)?, count)?;
        let room = Room::Exactly(count.div_ceil(8));
        let done = target.fill(
            &source,
            room,
            of_codec,
            |data: &[u8], to: &mut [MaybeUninit<u8>]| {
                bits::decode_with(Detected::active(), data, count, to)
            },
        );
        whole(done?, &source)
    }

    /// Checks the runs of `count` integers of `width` bits. Returns the number of bytes that they take.
    ///
    /// Raises bytelane.Error for malformed input.
    ///
    /// >>> from bytelane import rle_hybrid
    /// >>> rle_hybrid.validate(b"\x0a\x07more", 5, width=3)
    /// 2
    #[pyfunction]
    fn validate(data: &Object, count: usize, width: u32) -> PyResult<usize> {
        let format = format::<u32>(width)?;
        let done = Memory::of(data)?.read(|data: &[u8]| format.validate(data, count))?;
        done.map_err(of_codec)
    }

    /// Checks that the input has `count` values before memory for them is allocated, because `count` comes from the
    /// caller.
    fn check<T: Integer>(source: &Memory, format: Format<T>, count: usize) -> PyResult<()> {
        let done = source.read(|data: &[u8]| format.validate(data, count))?;
        done.map(drop).map_err(of_codec)
    }

    fn format<T: Integer>(width: u32) -> PyResult<Format<T>> {
        Format::new(width).ok_or_else(|| no_width::<T>(width))
    }

    macro_rules! by_integer {
        ($dtype:expr, $T:ident => $call:expr) => {
            by_type!($dtype, "rle_hybrid", "uint8, uint16 and uint32",
            [Unsigned 1 u8, Unsigned 2 u16, Unsigned 4 u32], $T => $call)
        };
    }
    use by_integer;

    macro_rules! by_entry {
        ($dtype:expr, $T:ident => $call:expr) => {
            by_type!($dtype, "rle_hybrid", "dictionaries of numbers of 4 and 8 bytes",
            [Unsigned 4 u32, Unsigned 8 u64, Signed 4 i32, Signed 8 i64, Float 4 f32, Float 8 f64], $T => $call)
        };
    }
    use by_entry;
}

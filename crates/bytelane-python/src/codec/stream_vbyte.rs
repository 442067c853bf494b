//! Stream VByte.

use pyo3::prelude::*;

/// Stream VByte: integers as their significant bytes, with the lengths in a separate stream. For
/// inverted indices and other lists of small numbers.
#[pymodule]
pub mod stream_vbyte {
    use crate::codec::prelude::*;
    use ::bytelane::stream_vbyte::{Checkpoint, Format, Integer};
    use pyo3::types::PyBytes;

    /// Encodes integers of 32 or 64 bits.
    ///
    /// `values` is a NumPy array or another buffer; `dtype` is the type of numbers in plain bytes.
    /// `variant` is "1234" (the default for 32 bits), "0124" or "1248" (64 bits): the possible lengths
    /// of a value in bytes. With `delta`, the number before the first one, differences are stored; with
    /// `zigzag`, small negative numbers or differences are short.
    ///
    /// Returns bytes or, with `out`, the number of bytes written there.
    ///
    /// >>> from array import array
    /// >>> from bytelane import stream_vbyte
    /// >>> stream_vbyte.encode(array("I", [1, 300, 2])).hex()
    /// '04012c0102'
    #[pyfunction(signature = (values, *, variant=None, delta=None, zigzag=false, dtype=None, out=None))]
    fn encode(
        values: &Object,
        variant: Option<&str>,
        delta: Optional,
        zigzag: bool,
        dtype: Optional,
        out: Optional,
    ) -> Answer {
        let (source, target) = to_bytes(values, out)?;
        by_type!(source.numbers(dtype)?, "stream_vbyte", "integers of 32 or 64 bits",
        [Unsigned 4 u32, Signed 4 i32, Unsigned 8 u64, Signed 8 i64], T => {
            let format = T::format(variant, delta, zigzag)?;
            let room = Room::AtMost(format.max_encoded_len(source.len() / size_of::<T>()));
            target.write(&source, room, of_room, |values: &[T], to| {
                format.encode_with(Detected::active(), values, to)
            })
        })
    }

    /// Decodes `count` integers, encoded with the same parameters.
    ///
    /// Returns a NumPy array of `dtype` (bytes without NumPy) or, with `out`, the number of values
    /// written there.
    ///
    /// Raises bytelane.Error if the input is too short, and ValueError if bytes follow the last value.
    ///
    /// >>> from bytelane import stream_vbyte
    /// >>> stream_vbyte.decode(bytes.fromhex("04012c0102"), "uint32", 3).tolist()
    /// [1, 300, 2]
    #[pyfunction(signature = (data, dtype, count, *, variant=None, delta=None, zigzag=false, out=None))]
    fn decode(
        data: &Object,
        dtype: &Object,
        count: usize,
        variant: Option<&str>,
        delta: Optional,
        zigzag: bool,
        out: Optional,
    ) -> Answer {
        let done = decode_prefix(data, dtype, count, variant, delta, zigzag, out)?;
        whole(done, &Memory::of(data)?)
    }

    /// Decodes `count` integers at the front of an input. Returns the same as `decode`, and the number
    /// of bytes read.
    ///
    /// >>> from bytelane import stream_vbyte
    /// >>> values, read = stream_vbyte.decode_prefix(bytes.fromhex("04012c0102ff"), "uint32", 3)
    /// >>> read
    /// 5
    #[pyfunction(signature = (data, dtype, count, *, variant=None, delta=None, zigzag=false, out=None))]
    fn decode_prefix(
        data: &Object,
        dtype: &Object,
        count: usize,
        variant: Option<&str>,
        delta: Optional,
        zigzag: bool,
        out: Optional,
    ) -> PrefixAnswer {
        let (source, dtype, target) = to_numbers(data, dtype, out)?;
        // Each byte holds at most four values, so the input cannot have more, and more need no
        // memory.
        let room = Room::Exactly(count.min(4 * source.len() + 1));
        by_type!(dtype, "stream_vbyte", "integers of 32 or 64 bits",
        [Unsigned 4 u32, Signed 4 i32, Unsigned 8 u64, Signed 8 i64], T => {
            let format = T::format(variant, delta, zigzag)?;
            target.fill(&source, room, of_codec, |data: &[u8], to: &mut [MaybeUninit<T>]| {
                format.decode_with(Detected::active(), data, to)
            })
        })
    }

    /// Reads a stream in pieces, skips values, and searches sorted lists, without decoding the values
    /// in between.
    ///
    /// The parameters are those of `decode`. The cursor keeps a copy of `data` unless it is `bytes`.
    ///
    /// >>> from array import array
    /// >>> from bytelane import stream_vbyte
    /// >>> encoded = stream_vbyte.encode(array("I", range(0, 4000, 4)), delta=0)
    /// >>> cursor = stream_vbyte.Cursor(encoded, "uint32", 1000, delta=0)
    /// >>> cursor.seek_at_least(2001), cursor.index
    /// (2004, 501)
    /// >>> cursor.decode(2).tolist()
    /// [2004, 2008]
    #[pyclass(module = "bytelane.stream_vbyte")]
    struct Cursor {
        data: Py<PyBytes>,
        count: usize,
        dtype: DType,
        place: Place,
    }

    /// Position of a cursor, and the format of its numbers.
    #[derive(Clone, Copy)]
    enum Place {
        U32(Format<u32>, Checkpoint<u32>),
        I32(Format<i32>, Checkpoint<i32>),
        U64(Format<u64>, Checkpoint<u64>),
        I64(Format<i64>, Checkpoint<i64>),
    }

    /// Runs an expression with a cursor of the core, and stores its new position.
    macro_rules! at_place {
        ($self:expr, $py:expr, |$cursor:ident: $T:ident| $call:expr) => {{
            let this = $self;
            let (data, count) = (this.data.as_bytes($py), this.count);
            match &mut this.place {
                Place::U32(format, place) => at_place!(format, place, data, count, |$cursor: $T = u32| $call),
                Place::I32(format, place) => at_place!(format, place, data, count, |$cursor: $T = i32| $call),
                Place::U64(format, place) => at_place!(format, place, data, count, |$cursor: $T = u64| $call),
                Place::I64(format, place) => at_place!(format, place, data, count, |$cursor: $T = i64| $call),
            }
        }};
        ($format:ident, $place:ident, $data:ident, $count:ident, |$cursor:ident: $T:ident = $Type:ty| $call:expr) => {{
            #[allow(dead_code, reason = "not every call names it")]
            type $T = $Type;
            let mut $cursor = $format.cursor($data, $count).map_err(of_codec)?;
            $cursor.resume(*$place).map_err(of_codec)?;
            let result = $call;
            *$place = $cursor.checkpoint();
            result
        }};
    }

    #[pymethods]
    impl Cursor {
        #[new]
        #[pyo3(signature = (data, dtype, count, *, variant=None, delta=None, zigzag=false))]
        fn new(
            data: &Object,
            dtype: &Object,
            count: usize,
            variant: Option<&str>,
            delta: Optional,
            zigzag: bool,
        ) -> PyResult<Self> {
            let dtype = dtype_of(dtype)?;
            let data = match data.cast_exact::<PyBytes>() {
                Ok(bytes) => bytes.clone(),
                Err(_) => {
                    Memory::of(data)?.read_attached(|it: &[u8]| PyBytes::new(data.py(), it))?
                }
            };
            macro_rules! place {
                ($Variant:ident, $T:ty) => {{
                    let format = <$T>::format(variant, delta, zigzag)?;
                    let cursor = format.cursor(data.as_bytes(), count).map_err(of_codec)?;
                    Place::$Variant(format, cursor.checkpoint())
                }};
            }
            let place = match dtype.to_string().as_str() {
                "uint32" => place!(U32, u32),
                "int32" => place!(I32, i32),
                "uint64" => place!(U64, u64),
                "int64" => place!(I64, i64),
                _ => return Err(dtype.unsupported("stream_vbyte", "integers of 32 or 64 bits")),
            };
            Ok(Self {
                data: data.unbind(),
                count,
                dtype,
                place,
            })
        }

        /// Number of values before the cursor.
        #[getter]
        fn index(&mut self, py: Python) -> PyResult<usize> {
            Ok(at_place!(self, py, |cursor: T| cursor.index()))
        }

        /// Number of remaining values.
        #[getter]
        fn remaining(&mut self, py: Python) -> PyResult<usize> {
            Ok(at_place!(self, py, |cursor: T| cursor.remaining()))
        }

        /// Decodes the next `count` values, or all remaining ones if there are fewer.
        #[pyo3(signature = (count, *, out=None))]
        fn decode(&mut self, py: Python, count: usize, out: Optional) -> Answer {
            let target = Target::numbers(out, self.dtype)?;
            let count = count.min(self.remaining(py)?);
            let data = Memory::of(self.data.bind(py).as_any())?;
            at_place!(self, py, |cursor: T| {
                let room = Room::Exactly(count);
                target.write(
                    &data,
                    room,
                    of_codec,
                    |_: &[u8], to: &mut [MaybeUninit<T>]| {
                        to.fill(MaybeUninit::new(0));
                        // SAFETY: the values were just written.
                        let values = unsafe { to.assume_init_mut() };
                        cursor.decode(values).map(|_| values)
                    },
                )
            })
        }

        /// Moves to the value with index `index`, or past the last one.
        fn seek(&mut self, py: Python, index: usize) -> PyResult<()> {
            at_place!(self, py, |cursor: T| cursor.seek(index).map_err(of_codec))
        }

        /// Skips `values` values.
        fn skip(&mut self, py: Python, values: usize) -> PyResult<()> {
            at_place!(self, py, |cursor: T| cursor.skip(values).map_err(of_codec))
        }

        /// Moves forward to the first value of a sorted list that is at least `target`, and returns it;
        /// None if there is none.
        fn seek_at_least<'py>(
            &mut self,
            py: Python<'py>,
            target: &Object<'py>,
        ) -> PyResult<Option<Object<'py>>> {
            at_place!(self, py, |cursor: T| {
                let found = cursor
                    .seek_at_least(target.extract::<T>()?)
                    .map_err(of_codec)?;
                Ok(found
                    .map(|value| value.into_pyobject(py).map(Bound::into_any))
                    .transpose()?)
            })
        }
    }

    /// Type of numbers with its variants of the format.
    trait Number: Integer + for<'a, 'py> FromPyObject<'a, 'py, Error = PyErr> {
        const VARIANTS: &'static [(&'static str, Format<Self>)];

        fn format(variant: Option<&str>, delta: Optional, zigzag: bool) -> PyResult<Format<Self>> {
            let wanted = variant.unwrap_or(Self::VARIANTS[0].0);
            let found = Self::VARIANTS.iter().find(|(name, _)| *name == wanted);
            let mut format = found.map(|(_, format)| *format).ok_or_else(|| {
                let names = Self::VARIANTS.iter().map(|(name, _)| *name);
                let names = names.collect::<Vec<_>>().join(" and ");
                let bits = 8 * size_of::<Self>();
                let message = format!("variant {wanted:?}: integers of {bits} bits have {names}");
                PyValueError::new_err(message)
            })?;
            if let Some(start) = delta {
                format = format.delta(start.extract()?);
            }
            if zigzag {
                format = format.zigzag();
            }
            Ok(format)
        }
    }

    macro_rules! number {
        ($($T:ty: $($name:literal $variant:ident),*;)*) => { $(
            impl Number for $T {
                const VARIANTS: &'static [(&'static str, Format<Self>)] =
                    &[$(($name, Format::<$T>::$variant)),*];
            }
        )* };
    }
    number! {
        u32: "1234" V1234, "0124" V0124;
        i32: "1234" V1234, "0124" V0124;
        u64: "1248" V1248;
        i64: "1248" V1248;
    }
}

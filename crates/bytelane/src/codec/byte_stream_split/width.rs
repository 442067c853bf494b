//! Values of any number of bytes.
#![forbid(unsafe_code)]

use super::driver::{self, decode_any, encode_any};
use crate::error::{check_divisible, front};
use crate::memory::{self, Fill, Slot, forms};
use crate::{DestinationError, Detected, Error, LengthError, LengthErrorKind, Value};
use core::num::NonZeroUsize;
use core::ops::Range;

/// Number of bytes per value, for values handled as bytes, such as Parquet's
/// `FIXED_LEN_BYTE_ARRAY`.
///
/// ```
/// use bytelane::byte_stream_split::Width;
///
/// let width = Width::new(2).expect("not zero");
/// let mut encoded = [0; 6];
/// width.encode(b"a1b2c3", &mut encoded)?;
/// assert_eq!(&encoded, b"abc123");
/// assert_eq!(width.decode_to_vec(&encoded)?, b"a1b2c3");
/// # Ok::<(), bytelane::LengthError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Width {
    bytes: NonZeroUsize,
    /// The only other field, so that a width stays in two registers.
    values: Values,
}

/// Values that a [`Width`] is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Values {
    Bytes,
    /// Bytes that are written past the cache.
    Streamed,
    /// Numbers in this machine's byte order.
    Numbers,
}

impl Width {
    /// Sets the number of bytes per value. `None` for 0.
    #[must_use]
    pub const fn new(bytes: usize) -> Option<Self> {
        match NonZeroUsize::new(bytes) {
            None => None,
            Some(bytes) => Some(Self {
                bytes,
                values: Values::Bytes,
            }),
        }
    }

    /// Returns the width of numbers in this machine's byte order.
    pub(super) const fn of<T: Value>() -> Self {
        Self {
            bytes: NonZeroUsize::new(size_of::<T>()).expect("no number has 0 bytes"),
            values: Values::Numbers,
        }
    }

    /// Returns the number of bytes per value.
    #[must_use]
    pub const fn get(self) -> usize {
        self.bytes.get()
    }

    /// Writes past the cache: for a destination that leaves the cache anyway before it is read.
    /// Without this, results are written that way only if they and their source together fill three quarters
    /// of the last-level cache, and streams only if their places in memory suit the CPU.
    ///
    /// It has an effect only if the destination is aligned to the vector size; 64 bytes always
    /// suffice. When encoding, `dst` must be aligned to 64 bytes, and the number of values must be
    /// a multiple of 64. NEON has no such stores.
    #[must_use]
    pub const fn non_temporal(self) -> Self {
        Self {
            values: Values::Streamed,
            ..self
        }
    }

    forms! {
        /// Splits the values of `src`, stored one after the other, into their streams at the front of
        /// `dst`. Returns the number of bytes, which is the length of `src`.
        ///
        /// # Errors
        ///
        /// [`LengthError`] if the length of `src` is not a multiple of the width, or if `dst` is too
        /// short; nothing is written then.
        encode[](self, src: &[u8]) -> dst: [u8], LengthError;
        encode_with: |backend| {
            self.count(src.len())?;
            self.split(backend, src)
        };
        ///
        /// # Errors
        ///
        /// [`LengthError`] if the length of `src` is not a multiple of the width; the `Vec` is
        /// unchanged then.
        encode_append: src.len();
        encode_to_vec;
    }

    forms! {
        /// Joins the streams in `src`, all of it, to values at the front of `dst`. Returns the number
        /// of bytes, which is the length of `src`.
        ///
        /// # Errors
        ///
        /// The same as [`encode`](Self::encode).
        decode[](self, src: &[u8]) -> dst: [u8], LengthError;
        decode_with: |backend| self.join(backend, src, self.count(src.len())?);
        ///
        /// # Errors
        ///
        /// The same as [`encode_append`](Self::encode_append).
        decode_append: src.len();
        decode_to_vec;
    }

    forms! {
        /// Decodes only the values of `range`, counted in values, from all streams. For readers that
        /// process a page in pieces. Returns the number of bytes.
        ///
        /// # Errors
        ///
        /// The same as [`encode`](Self::encode), and an error if the range is not within the values.
        ///
        /// ```
        /// use bytelane::byte_stream_split::Width;
        ///
        /// let mut decoded = [0; 4];
        /// Width::new(2).unwrap().decode_range(b"abc123", 1..3, &mut decoded)?;
        /// assert_eq!(&decoded, b"b2c3");
        /// # Ok::<(), bytelane::LengthError>(())
        /// ```
        decode_range[](self, src: &[u8], range: Range<usize>) -> dst: [u8], LengthError;
        decode_range_with: |backend| {
            let values = self.count_around(&range, src.len())?;
            Join { range, ..self.join(backend, src, values) }
        };
    }

    /// Checks that a range is within the values of a number of bytes. Returns their number.
    fn count_around(self, range: &Range<usize>, bytes: usize) -> Result<usize, LengthError> {
        let (&Range { start, end }, values) = (range, self.count(bytes)?);
        if start > end || end > values {
            let kind = LengthErrorKind::Range { start, end, values };
            return Err(Error::nowhere(kind));
        }
        Ok(values)
    }

    /// Returns the number of values that a number of bytes has.
    #[inline]
    pub(super) fn count(self, bytes: usize) -> Result<usize, LengthError> {
        let width = self.get();
        // A shift takes a cycle, and a division ten or more.
        if width.is_power_of_two() && bytes & (width - 1) == 0 {
            return Ok(bytes >> width.trailing_zeros());
        }
        check_divisible(bytes, width)
    }

    /// `src` must be a whole number of values.
    #[inline]
    pub(super) fn split(self, backend: Detected, src: &[u8]) -> Split<'_> {
        Split {
            width: self,
            src,
            backend,
        }
    }

    /// `src` must be `count` values. In the place of a `Result` with the operation, the caller counts: the
    /// compiler kept all fields in memory to tell them from those of the error.
    #[inline]
    pub(super) fn join(self, backend: Detected, src: &[u8], count: usize) -> Join<'_> {
        Join {
            width: self,
            src,
            stride: count,
            range: 0..count,
            backend,
        }
    }
}

/// Splits values into their streams. Not generic, so that kernels are compiled in this crate and
/// not in the caller's.
pub(crate) struct Split<'a> {
    width: Width,
    src: &'a [u8],
    backend: Detected,
}

impl Fill for Split<'_> {
    type Done = ();
    type Error = DestinationError;

    /// For numbers, the match is on a constant. As a call of its own, it would take its fields in memory.
    #[inline(always)]
    fn fill(self, to: &mut [Slot]) -> Result<(usize, ()), DestinationError> {
        let Self {
            width,
            src,
            backend,
        } = self;
        let to = front(to, src.len())?;
        match width.get() {
            bytes if width.values == Values::Streamed => encode_other(src, bytes, to, backend),
            1 => memory::copy(to, src),
            2 => encode2(src, to, backend),
            4 => encode4(src, to, backend),
            8 => encode8(src, to, backend),
            16 => encode16(src, to, backend),
            bytes => encode_other(src, bytes, to, backend),
        }
        if cfg!(target_endian = "big") && width.values == Values::Numbers {
            reverse_streams(to, src.len() / width.get());
        }
        Ok((src.len(), ()))
    }
}

/// Calls the functions of the widths with dedicated kernels, with arguments that all stay in
/// registers. Not generic: see [`Split`].
macro_rules! widths {
    ($($encode:ident $decode:ident $K:literal;)*) => { $(
        fn $encode(src: &[u8], to: &mut [Slot], backend: Detected) {
            driver::encode::<$K>(src, false, to, backend);
        }

        fn $decode(src: &[u8], stride: usize, to: &mut [Slot], backend: Detected) {
            driver::decode::<$K>(src, stride, false, to, backend);
        }
    )* };
}
widths! {
    encode2 decode2 2;
    encode4 decode4 4;
    encode8 decode8 8;
    encode16 decode16 16;
}

/// Encodes every other width, in groups of bytes, and past the cache the widths that have kernels.
fn encode_other(src: &[u8], width: usize, to: &mut [Slot], backend: Detected) {
    match width {
        1 => memory::copy(to, src),
        2 => driver::encode::<2>(src, true, to, backend),
        4 => driver::encode::<4>(src, true, to, backend),
        8 => driver::encode::<8>(src, true, to, backend),
        16 => driver::encode::<16>(src, true, to, backend),
        width @ ..4 => encode_any::<2>(src, width, to, backend),
        width @ ..8 => encode_any::<4>(src, width, to, backend),
        width @ ..16 => encode_any::<8>(src, width, to, backend),
        _ => encode_any::<16>(src, width, to, backend),
    }
}

/// Decodes every other width, in groups of bytes, and past the cache the widths that have kernels.
fn decode_other(src: &[u8], stride: usize, width: usize, to: &mut [Slot], backend: Detected) {
    match width {
        1 => memory::copy(to, &src[..to.len()]),
        2 => driver::decode::<2>(src, stride, true, to, backend),
        4 => driver::decode::<4>(src, stride, true, to, backend),
        8 => driver::decode::<8>(src, stride, true, to, backend),
        16 => driver::decode::<16>(src, stride, true, to, backend),
        width @ ..4 => decode_any::<2>(src, stride, width, to, backend),
        width @ ..8 => decode_any::<4>(src, stride, width, to, backend),
        width @ ..16 => decode_any::<8>(src, stride, width, to, backend),
        _ => decode_any::<16>(src, stride, width, to, backend),
    }
}

/// Reverses the order of streams, for big-endian machines: there, the first byte in memory is the
/// last one on the wire.
fn reverse_streams(to: &mut [Slot], count: usize) {
    let mut streams = to.chunks_exact_mut(usize::max(count, 1));
    while let (Some(first), Some(last)) = (streams.next(), streams.next_back()) {
        first.swap_with_slice(last);
    }
}

/// Joins a range of values from their streams. Not generic: see [`Split`].
pub(crate) struct Join<'a> {
    width: Width,
    src: &'a [u8],
    /// Distance of the streams, the number of values that there are.
    stride: usize,
    /// The range, within the existing values.
    range: Range<usize>,
    backend: Detected,
}

impl Fill for Join<'_> {
    type Done = ();
    type Error = DestinationError;

    /// For numbers, the match is on a constant, as in [`Split`].
    #[inline(always)]
    fn fill(self, to: &mut [Slot]) -> Result<(usize, ()), DestinationError> {
        let Self {
            width,
            src,
            stride,
            range,
            backend,
        } = self;
        let needed = range.len() * width.get();
        let to = front(to, needed)?;
        let src = &src[range.start..];
        match width.get() {
            bytes if width.values == Values::Streamed => {
                decode_other(src, stride, bytes, to, backend)
            }
            1 => memory::copy(to, &src[..to.len()]),
            2 => decode2(src, stride, to, backend),
            4 => decode4(src, stride, to, backend),
            8 => decode8(src, stride, to, backend),
            16 => decode16(src, stride, to, backend),
            bytes => decode_other(src, stride, bytes, to, backend),
        }
        if cfg!(target_endian = "big") && width.values == Values::Numbers {
            to.chunks_exact_mut(width.get()).for_each(<[Slot]>::reverse);
        }
        Ok((needed, ()))
    }
}

//! Stream VByte: lists of integers in as few bytes as each needs, their lengths apart from them.
//!
//! Small numbers, and the distances between sorted ones, have mostly zeros in their upper bytes.
//! Stream VByte leaves these out: two bits of a *control byte* say how many bytes of a value are
//! stored, four values to a control byte. All control bytes come first, then the data; how many
//! values there are is not stored.
//!
//! ```
//! use bytelane::stream_vbyte::Format;
//!
//! let ids: [u32; 8] = [0, 100, 200, 300, 400, 500, 600, 700];
//! let format = Format::V1234;
//! let mut encoded = [0; 34];
//! let length = format.encode(&ids, &mut encoded)?;
//! assert_eq!(encoded[..2], [0x40, 0x55]); // lengths: 1 1 1 2, 2 2 2 2
//! assert_eq!(encoded[2..length], [0, 100, 200, 44, 1, 144, 1, 244, 1, 88, 2, 188, 2]);
//!
//! let mut decoded = [0; 8];
//! format.decode(&encoded[..length], &mut decoded)?;
//! assert_eq!(decoded, ids);
//! # Ok::<(), bytelane::stream_vbyte::Error>(())
//! ```
//!
//! A [`Format`] is one of three variants, with or without differences and zigzag:
//!
//! | variant | values | bytes that a value may have | the same bytes as |
//! |---|---|---|---|
//! | [`V1234`](Format::V1234) | 32 bits | 1, 2, 3 or 4 | C library: `streamvbyte_encode` |
//! | [`V0124`](Format::V0124) | 32 bits | 0, 1, 2 or 4 | C library: `streamvbyte_encode_0124` |
//! | [`V1248`](Format::V1248) | 64 bits | 1, 2, 4 or 8 | crate `streamvbyte64`: `Coder1248` |
//!
//! # Sorted lists
//!
//! [`Format::delta`] stores differences, which for sorted ids are small. A search engine encodes
//! its posting lists block after block, each from the last id of the one before; that allocates
//! nothing:
//!
//! ```
//! use bytelane::stream_vbyte::Format;
//!
//! let ids: Vec<u32> = (0..1000).map(|i| i * 7 + i % 3).collect();
//! let mut encoded = Vec::new();
//! let mut previous = 0;
//! for block in ids.chunks(128) {
//!     Format::V1234.delta(previous).encode_vec(block, &mut encoded);
//!     previous = block[block.len() - 1];
//! }
//!
//! let (mut decoded, mut rest) = (Vec::new(), &encoded[..]);
//! while decoded.len() < ids.len() {
//!     let format = Format::V1234.delta(decoded.last().copied().unwrap_or(0));
//!     let count = usize::min(128, ids.len() - decoded.len());
//!     rest = &rest[format.decode_vec(rest, count, &mut decoded)?..];
//! }
//! assert_eq!(decoded, ids);
//! # Ok::<(), bytelane::stream_vbyte::Error>(())
//! ```
//!
//! In one long stream a [`Cursor`] skips, reads ranges, resumes from stored checkpoints and looks
//! for the next id that is large enough.
//!
//! # Guarantees
//!
//! Slices are exact: nothing outside of them is read or written, and no padding is asked for.
//! Malformed input is an [`Error`] that names the place. All functions take time linear in the
//! number of values, and only those that append to a `Vec` allocate.
//!
//! Source: Lemire, Kurz, Rupp, [Stream VByte: Faster Byte-Oriented Integer
//! Compression](https://arxiv.org/abs/1709.08990), 2018.

#[cfg(all(target_arch = "x86_64", target_endian = "little"))]
mod avx2;
#[cfg(all(target_arch = "x86_64", target_endian = "little"))]
mod avx512;
mod cursor;
mod error;
mod integer;
mod kernel;
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
mod neon;
mod plan;
mod scalar;
#[cfg(all(target_arch = "x86_64", target_endian = "little"))]
mod sse41;
#[cfg(test)]
mod tests;

pub use cursor::{Checkpoint, Cursor};
pub use error::Error;
pub use integer::{Integer, Integer32, Integer64};

use crate::Backend;
use crate::backend::dispatch;
use crate::memory::{self, Slot};
use core::marker::PhantomData;
use core::ops::Range;
use plan::{Fused, Layout0124, Layout1234, Layout1248, Plan};

/// What instruction sets differ in: a block of 64 bytes of values against its codes and its data.
pub(crate) trait Blocks: Copy {
    /// The value before a block, in the form that suits the kernel.
    type Previous: Copy;

    /// The form of a value.
    fn previous<P: Plan>(self, value: u64) -> Self::Previous;

    /// A block out of the data at hand. Returns how many bytes of it are the block's, at most 64.
    fn decode<P: Plan>(
        self,
        codes: u32,
        data: &[u8; 80],
        values: &mut [Slot; 64],
        previous: &mut Self::Previous,
    ) -> usize;

    /// A block of values of one byte each, which are the first bytes of the data at hand.
    fn widen<P: Plan>(
        self,
        data: &[u8; 16],
        values: &mut [Slot; 64],
        previous: &mut Self::Previous,
    );

    /// As many blocks as the data have with 80 bytes at hand for each, or fewer: how many, and the
    /// bytes that are theirs. There are control bytes for all blocks.
    #[inline(always)]
    fn decode_run<P: Plan>(
        self,
        controls: &[u8],
        data: &[u8],
        blocks: &mut [[Slot; 64]],
        previous: &mut Self::Previous,
    ) -> (usize, usize) {
        kernel::decode_run::<Self, P>(self, controls, data, blocks, previous)
    }

    /// A block to its codes and its data, of whose length the latter is; `before` are the same
    /// values one place later. What is behind the data may be overwritten.
    fn encode<P: Plan>(
        self,
        values: &[u8; 64],
        before: &[u8; 64],
        data: &mut [Slot; 80],
    ) -> (u32, usize);

    /// As many blocks as there is room with 80 bytes at hand for each, or others: how many, and the
    /// bytes written. `first` is what is before the first block; there is room for all codes.
    #[inline(always)]
    fn encode_run<P: Plan>(
        self,
        values: &[u8],
        first: &[u8; 64],
        controls: &mut [Slot],
        data: &mut [Slot],
    ) -> (usize, usize) {
        kernel::encode_run::<Self, P>(self, values, first, controls, data)
    }
}

dispatch! {
    fn encode_plan(plan: impl Plan, values: &[u8], start: u64, controls: &mut [Slot], data: &mut [Slot])
        -> Result<Option<usize>, Error> = kernel::encode;
    fn decode_plan(plan: impl Plan, controls: &[u8], data: &[u8], start: u64, values: &mut [Slot])
        -> Result<Option<usize>, Error> = kernel::decode;
    fn encoded_data_len_plan(plan: impl Plan, values: &[u8], start: u64)
        -> Result<usize, Error> = kernel::encoded_data_len;
    fn decoded_data_len_plan(plan: impl Plan, controls: &[u8], count: usize)
        -> Result<u64, Error> = kernel::decoded_data_len;
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Variant {
    V1234,
    V0124,
    V1248,
}

impl Variant {
    /// Bytes that each of the four codes stands for.
    const fn lengths(self) -> [usize; 4] {
        match self {
            Variant::V1234 => [1, 2, 3, 4],
            Variant::V0124 => [0, 1, 2, 4],
            Variant::V1248 => [1, 2, 4, 8],
        }
    }
}

/// How values are written: a variant, and what is done to the values before. `T` is `u32` or `i32`
/// for the variants of 32 bits, `u64` or `i64` for that of 64 bits.
///
/// A format is a few words to copy. Both sides must use the same one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Format<T> {
    variant: Variant,
    delta: bool,
    zigzag: bool,
    start: T,
}

impl<T: Integer32> Format<T> {
    /// 1, 2, 3 or 4 bytes a value: the classic.
    pub const V1234: Self = Self::of(Variant::V1234);

    /// 0, 1, 2 or 4 bytes a value: for lists with many zeros.
    pub const V0124: Self = Self::of(Variant::V0124);
}

impl<T: Integer64> Format<T> {
    /// 1, 2, 4 or 8 bytes a value.
    pub const V1248: Self = Self::of(Variant::V1248);
}

/// Runs a piece of code with `$plan`, the value of a [`Plan`], for a format's variant and transform.
macro_rules! with_plan {
    ($format:ident, $plan:ident => $run:expr) => {
        match $format.variant {
            Variant::V1234 => with_plan!(@transform $format, Layout1234, $plan => $run),
            Variant::V0124 => with_plan!(@transform $format, Layout0124, $plan => $run),
            Variant::V1248 => with_plan!(@transform $format, Layout1248, $plan => $run),
        }
    };
    (@layout $variant:expr, $plan:ident => $run:expr) => {
        match $variant {
            Variant::V1234 => with_plan!(@run Layout1234, false, false, $plan => $run),
            Variant::V0124 => with_plan!(@run Layout0124, false, false, $plan => $run),
            Variant::V1248 => with_plan!(@run Layout1248, false, false, $plan => $run),
        }
    };
    (@transform $format:ident, $Layout:ident, $plan:ident => $run:expr) => {
        match ($format.delta, $format.zigzag) {
            (false, false) => with_plan!(@run $Layout, false, false, $plan => $run),
            (false, true) => with_plan!(@run $Layout, false, true, $plan => $run),
            (true, false) => with_plan!(@run $Layout, true, false, $plan => $run),
            (true, true) => with_plan!(@run $Layout, true, true, $plan => $run),
        }
    };
    (@run $Layout:ident, $delta:literal, $zigzag:literal, $plan:ident => $run:expr) => {{
        let $plan = Fused::<$Layout, $delta, $zigzag>(PhantomData);
        $run
    }};
}

impl<T: Integer> Format<T> {
    const fn of(variant: Variant) -> Self {
        Self {
            variant,
            delta: false,
            zigzag: false,
            start: T::ZERO,
        }
    }

    /// The format that stores differences: of each value from the one before, of the first one
    /// from `start`. Differences are taken modulo the range of `T`, so that values in any order
    /// come back; sorted ones become small.
    #[must_use]
    pub const fn delta(self, start: T) -> Self {
        Self {
            delta: true,
            start,
            ..self
        }
    }

    /// The format that stores 0, -1, 1, -2, .. as 0, 1, 2, 3, .., so that small negative values
    /// become small; with [`delta`](Self::delta) small negative differences.
    #[must_use]
    pub const fn zigzag(self) -> Self {
        Self {
            zigzag: true,
            ..self
        }
    }

    /// The most bytes that `count` values can become; `usize::MAX` if that is no length of memory.
    ///
    /// ```
    /// use bytelane::stream_vbyte::Format;
    /// assert_eq!(Format::<u32>::V1234.max_encoded_len(9), 3 + 4 * 9);
    /// ```
    #[must_use]
    pub const fn max_encoded_len(self, count: usize) -> usize {
        let most = count.saturating_mul(self.variant.lengths()[3]);
        most.saturating_add(count.div_ceil(4))
    }

    /// How many bytes these values become, without writing them: several times as fast as
    /// [`encode`](Self::encode).
    ///
    /// ```
    /// use bytelane::stream_vbyte::Format;
    /// assert_eq!(Format::V1234.encoded_len(&[1u32, 1000, 1_000_000]), 1 + 1 + 2 + 3);
    /// ```
    #[must_use]
    pub fn encoded_len(self, values: &[T]) -> usize {
        let backend = Backend::active();
        let data = self.encoded_data_len(backend, values);
        values.len().div_ceil(4) + data.unwrap_or_else(|_| scalar::encoded_data_len(&self, values))
    }

    /// [`encoded_len`](Self::encoded_len) on a backend of the caller's choice.
    ///
    /// # Errors
    ///
    /// [`Error::Unavailable`].
    pub fn encoded_len_with(self, backend: Backend, values: &[T]) -> Result<usize, Error> {
        Ok(values.len().div_ceil(4) + self.encoded_data_len(backend, values)?)
    }

    fn encoded_data_len(self, backend: Backend, values: &[T]) -> Result<usize, Error> {
        if backend == Backend::Scalar {
            return Ok(scalar::encoded_data_len(&self, values));
        }
        let (bytes, start) = (memory::bytes(values), self.start.bits());
        with_plan!(self, plan => encoded_data_len_plan(backend, plan, bytes, start))
    }

    /// Encodes values to the front of `encoded` and returns the length of the result.
    ///
    /// The result, of [`encoded_len`](Self::encoded_len) bytes, is all the room that it needs. With
    /// more, up to [`max_encoded_len`](Self::max_encoded_len), it is a little faster, and the bytes
    /// behind the result are overwritten.
    ///
    /// # Errors
    ///
    /// [`Error::Destination`] if the result is longer than `encoded`, of which some bytes have been
    /// written then.
    #[inline]
    pub fn encode(self, values: &[T], encoded: &mut [u8]) -> Result<usize, Error> {
        self.encode_with(Backend::active(), values, encoded)
    }

    /// [`encode`](Self::encode) on a backend of the caller's choice.
    ///
    /// # Errors
    ///
    /// Those of [`encode`](Self::encode), and [`Error::Unavailable`].
    pub fn encode_with(
        self,
        backend: Backend,
        values: &[T],
        encoded: &mut [u8],
    ) -> Result<usize, Error> {
        self.encode_slots(backend, values, memory::slots(encoded))
    }

    /// Appends the encoded values to a `Vec` and returns how many bytes they are. Room for the
    /// most that they can become is reserved.
    #[cfg(feature = "alloc")]
    pub fn encode_vec(self, values: &[T], encoded: &mut alloc::vec::Vec<u8>) -> usize {
        let most = self.max_encoded_len(values.len());
        let result: Result<usize, Error> = memory::append(encoded, most, |slots| {
            self.encode_slots(Backend::active(), values, slots)
        });
        result.expect("the active backend is available, and there is room for the most")
    }

    fn encode_slots(
        self,
        backend: Backend,
        values: &[T],
        encoded: &mut [Slot],
    ) -> Result<usize, Error> {
        let (count, given) = (values.len().div_ceil(4), encoded.len());
        let written = match encoded.split_at_mut_checked(count) {
            None => None,
            Some((controls, data)) => match backend {
                Backend::Scalar => scalar::encode(&self, values, controls, data),
                _ => {
                    let (bytes, start) = (memory::bytes(values), self.start.bits());
                    with_plan!(self, plan => encode_plan(backend, plan, bytes, start, controls, data))?
                }
            },
        };
        written
            .map(|data| count + data)
            .ok_or_else(|| Error::Destination {
                needed: self.encoded_len(values),
                given,
            })
    }

    /// Decodes as many values as the slice has from the front of `encoded`, and returns how many
    /// bytes of it they are.
    ///
    /// # Errors
    ///
    /// [`Error::Controls`] or [`Error::Data`] if `encoded` is too short for them; some values have
    /// been written in the second case.
    #[inline]
    pub fn decode(self, encoded: &[u8], values: &mut [T]) -> Result<usize, Error> {
        self.decode_with(Backend::active(), encoded, values)
    }

    /// [`decode`](Self::decode) on a backend of the caller's choice.
    ///
    /// # Errors
    ///
    /// Those of [`decode`](Self::decode), and [`Error::Unavailable`].
    pub fn decode_with(
        self,
        backend: Backend,
        encoded: &[u8],
        values: &mut [T],
    ) -> Result<usize, Error> {
        let (controls, data) = self.split(encoded, values.len())?;
        let slots = memory::slots(memory::bytes_mut(values));
        match self.decode_slots(backend, controls, data, slots)? {
            Some(used) => Ok(controls.len() + used),
            None => Err(self.too_short(encoded, 0..values.len(), controls.len())),
        }
    }

    /// Appends the first `count` values of `encoded` to a `Vec`, and returns how many bytes of it
    /// they are. Memory is reserved after the control bytes have been found to be there, so that
    /// it is never more than 16 or 32 times the length of `encoded`.
    ///
    /// # Errors
    ///
    /// Those of [`decode`](Self::decode); the `Vec` is as it was then.
    #[cfg(feature = "alloc")]
    pub fn decode_vec(
        self,
        encoded: &[u8],
        count: usize,
        values: &mut alloc::vec::Vec<T>,
    ) -> Result<usize, Error> {
        let (controls, data) = self.split(encoded, count)?;
        let mut read = controls.len();
        memory::append(values, count, |slots| {
            match self.decode_slots(Backend::active(), controls, data, slots)? {
                Some(used) => read += used,
                None => return Err(self.too_short(encoded, 0..count, controls.len())),
            }
            Ok(count)
        })?;
        Ok(read)
    }

    fn decode_slots(
        self,
        backend: Backend,
        controls: &[u8],
        data: &[u8],
        values: &mut [Slot],
    ) -> Result<Option<usize>, Error> {
        if backend == Backend::Scalar {
            return Ok(scalar::decode(&self, controls, data, values));
        }
        let start = self.start.bits();
        with_plan!(self, plan => decode_plan(backend, plan, controls, data, start, values))
    }

    /// Checks that the first `count` values of `encoded` are all there, without decoding them, and
    /// returns how many bytes they are. Takes about as long as reading the control bytes.
    ///
    /// Any bytes are values, as long as there are enough of them.
    ///
    /// # Errors
    ///
    /// [`Error::Controls`] or [`Error::Data`].
    ///
    /// ```
    /// use bytelane::stream_vbyte::Format;
    /// let format = Format::<u32>::V1234;
    /// assert_eq!(format.validate(&[0b01_00, 7, 0xe8, 3, 99], 2), Ok(4));
    /// let error = format.validate(&[0b01_00, 7, 0xe8], 2).unwrap_err();
    /// assert_eq!(error.to_string(), "offset 2: value 1 has 2 bytes, and 1 are there");
    /// ```
    pub fn validate(self, encoded: &[u8], count: usize) -> Result<usize, Error> {
        self.validate_with(Backend::active(), encoded, count)
    }

    /// [`validate`](Self::validate) on a backend of the caller's choice.
    ///
    /// # Errors
    ///
    /// Those of [`validate`](Self::validate), and [`Error::Unavailable`].
    pub fn validate_with(
        self,
        backend: Backend,
        encoded: &[u8],
        count: usize,
    ) -> Result<usize, Error> {
        let (controls, data) = self.split(encoded, count)?;
        let length = self.decoded_data_len(backend, controls, count)?;
        match length <= data.len() as u64 {
            true => Ok(controls.len() + length as usize),
            false => Err(self.too_short(encoded, 0..count, controls.len())),
        }
    }

    /// How many bytes of data the codes of `count` values say.
    fn decoded_data_len(
        self,
        backend: Backend,
        controls: &[u8],
        count: usize,
    ) -> Result<u64, Error> {
        if backend == Backend::Scalar {
            return Ok(scalar::decoded_data_len(&self, controls, count));
        }
        with_plan!(@layout self.variant, plan => decoded_data_len_plan(backend, plan, controls, count))
    }

    /// The control bytes of `count` values, and all that is behind them.
    #[inline]
    fn split(self, encoded: &[u8], count: usize) -> Result<(&[u8], &[u8]), Error> {
        let needed = count.div_ceil(4);
        encoded.split_at_checked(needed).ok_or(Error::Controls {
            needed,
            given: encoded.len(),
        })
    }

    /// Finds the value at which the data end: one of `values`, whose data begin at `offset`.
    #[cold]
    fn too_short(self, encoded: &[u8], values: Range<usize>, offset: usize) -> Error {
        let (mut value, mut offset, mut needed) = (0, offset, 0);
        for i in values {
            (value, needed) = (i, self.variant.lengths()[scalar::code(encoded, i)]);
            if needed > encoded.len() - offset {
                break;
            }
            offset += needed;
        }
        Error::Data {
            value,
            offset,
            needed,
            given: encoded.len() - offset,
        }
    }

    /// A cursor over the first `count` values of `encoded`.
    ///
    /// # Errors
    ///
    /// [`Error::Controls`]. Whether the data are all there is found out when they are read.
    pub fn cursor(self, encoded: &[u8], count: usize) -> Result<Cursor<'_, T>, Error> {
        self.cursor_with(Backend::active(), encoded, count)
    }

    /// [`cursor`](Self::cursor) that decodes on a backend of the caller's choice.
    ///
    /// # Errors
    ///
    /// Those of [`cursor`](Self::cursor), and [`Error::Unavailable`].
    pub fn cursor_with(
        self,
        backend: Backend,
        encoded: &[u8],
        count: usize,
    ) -> Result<Cursor<'_, T>, Error> {
        Cursor::new(self, backend, encoded, count)
    }
}

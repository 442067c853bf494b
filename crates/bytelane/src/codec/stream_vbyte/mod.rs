//! Stream VByte: lists of integers in as few bytes as each needs, with the lengths stored
//! separately.
//!
//! Small numbers, and the differences between sorted ones, have mostly zeros in their upper bytes.
//! Stream VByte omits these: two bits of a *control byte* give the number of stored bytes of a
//! value, with four values per control byte. All control bytes come first, then the data. The
//! number of values is not stored.
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
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A [`Format`] is one of three variants, with or without differences and zigzag:
//!
//! | variant | values | bytes per value | same format as |
//! |---|---|---|---|
//! | [`V1234`](Format::V1234) | 32 bits | 1, 2, 3 or 4 | C library: `streamvbyte_encode` |
//! | [`V0124`](Format::V0124) | 32 bits | 0, 1, 2 or 4 | C library: `streamvbyte_encode_0124` |
//! | [`V1248`](Format::V1248) | 64 bits | 1, 2, 4 or 8 | crate `streamvbyte64`: `Coder1248` |
//!
//! # Sorted lists
//!
//! [`Format::delta`] stores differences, which are small for sorted ids. A search engine encodes
//! its posting lists block after block, and starts each block's differences from the last id of the
//! previous block. This allocates nothing per block:
//!
//! ```
//! use bytelane::stream_vbyte::Format;
//!
//! let ids: Vec<u32> = (0..1000).map(|i| i * 7 + i % 3).collect();
//! let mut encoded = Vec::new();
//! let mut previous = 0;
//! for block in ids.chunks(128) {
//!     Format::V1234.delta(previous).encode_append(block, &mut encoded);
//!     previous = block[block.len() - 1];
//! }
//!
//! let (mut decoded, mut rest) = (Vec::new(), &encoded[..]);
//! while decoded.len() < ids.len() {
//!     let format = Format::V1234.delta(decoded.last().copied().unwrap_or(0));
//!     let count = usize::min(128, ids.len() - decoded.len());
//!     rest = &rest[format.decode_append(rest, count, &mut decoded)?..];
//! }
//! assert_eq!(decoded, ids);
//! # Ok::<(), bytelane::stream_vbyte::Error>(())
//! ```
//!
//! In one long stream, a [`Cursor`] skips, reads ranges, resumes from stored checkpoints and
//! searches for the next id that is at least a given target.
//!
//! # Guarantees
//!
//! No function reads or writes outside its slices, and none needs padding. Malformed input is an
//! [`Error`] with its offset. All functions take time linear in the number of values, and only
//! those that append to a `Vec` or return one allocate.
//!
//! Source: Lemire, Kurz, Rupp, [Stream VByte: Faster Byte-Oriented Integer
//! Compression](https://arxiv.org/abs/1709.08990), 2018.

mod arch;
mod claims;
mod coding;
mod cursor;
mod decode;
mod encode;
mod error;
mod integer;
mod kernel;
mod plan;
mod scalar;
#[cfg(test)]
mod tests;

pub(crate) use coding::Decode;
pub use cursor::{Checkpoint, Cursor};
pub(crate) use encode::Encode;
pub use error::{Error, ErrorKind};
pub use integer::{Integer, Integer32, Integer64};

use crate::memory::{self, Slot, forms};
use crate::simd::Stride;
use crate::{DestinationError, Detected};
use coding::{Coding, Transform, Variant};
use plan::{Compress, Expand, Plan};

/// Operations that each instruction set provides: conversion between a block of 64 bytes of values
/// and its codes and data.
pub(crate) trait Blocks: Copy {
    /// Value before a block, in the form that the kernel uses: while encoding, the last lane of a vector.
    type Previous: Copy;

    /// Numbers of a block that are computed before the blocks in front of it are stored.
    type Ahead: Copy;

    /// Converts a value to that form.
    fn previous<P: Plan>(self, value: u64) -> Self::Previous;

    /// Converts that form back to a value; bits above the value are unspecified.
    fn last<P: Plan>(self, previous: Self::Previous) -> u64;

    /// Decodes a block from the accessible data. Returns the number of bytes used.
    fn decode<P: Expand>(
        self,
        plan: P,
        codes: u32,
        data: &[u8; 64],
        values: &mut [Slot; 64],
        previous: &mut Self::Previous,
    ) -> Stride<64>;

    /// Decodes four blocks from the accessible data, given their codes, as in
    /// [`Plan::codes_of_four`]. Returns the number of bytes used.
    #[inline(always)]
    fn decode_four<P: Expand>(
        self,
        plan: P,
        codes: [u64; 2],
        data: &[u8; 256],
        blocks: &mut [[Slot; 64]; 4],
        previous: &mut Self::Previous,
    ) -> Stride<256> {
        kernel::decode_four(self, plan, codes, data, blocks, previous)
    }

    /// Decodes a block from the front of the data, if all of its vectors are within these. Returns the number
    /// of bytes used.
    #[inline(always)]
    fn decode_within<P: Expand>(
        self,
        plan: P,
        codes: u32,
        data: &[u8],
        values: &mut [Slot; 64],
        previous: &mut Self::Previous,
    ) -> Option<usize> {
        let here = data.first_chunk()?;
        Some(self.decode(plan, codes, here, values, previous).get())
    }

    /// Decodes a block from the end of the data, of which a number of bytes is left. Returns the number of
    /// bytes used, which may be more than these.
    #[inline(always)]
    fn decode_end<P: Expand>(
        self,
        plan: P,
        codes: u32,
        left: (&[u8], usize),
        values: &mut [Slot; 64],
        previous: &mut Self::Previous,
    ) -> usize {
        kernel::decode_end(self, plan, codes, left, values, previous)
    }

    /// Decodes a block of values of one byte each, the first bytes of the accessible data.
    fn widen<P: Expand>(
        self,
        plan: P,
        data: &[u8; 16],
        values: &mut [Slot; 64],
        previous: &mut Self::Previous,
    );

    /// Decodes whole blocks while there are data around them. Returns the number of blocks, and that of bytes of
    /// data used. There are control bytes for all blocks.
    #[inline(always)]
    fn decode_many<P: Expand>(
        self,
        plan: P,
        controls: &[u8],
        data: &[u8],
        blocks: &mut [[Slot; 64]],
        previous: &mut Self::Previous,
    ) -> (usize, usize) {
        let (done, rest) = kernel::decode_fours(self, plan, controls, data, blocks, previous);
        (done, data.len() - rest.len())
    }

    /// Decodes whole blocks. Returns the number of bytes of data used, or `None` if there were too
    /// few. There are control bytes for all blocks.
    #[inline(always)]
    fn decode_run<P: Expand>(
        self,
        plan: P,
        controls: &[u8],
        data: &[u8],
        blocks: &mut [[Slot; 64]],
        previous: &mut Self::Previous,
    ) -> Option<usize> {
        kernel::decode_run(self, plan, controls, data, blocks, previous)
    }

    /// Decodes fewer values than a block, given their codes and the value before them. Returns the
    /// number of bytes of data used, or `None` if there were too few.
    #[inline(always)]
    fn decode_last<P: Expand>(
        self,
        plan: P,
        codes: u32,
        data: &[u8],
        values: &mut [Slot],
        start: u64,
    ) -> Option<usize> {
        kernel::decode_last(self, plan, codes, data, values, start)
    }

    /// Computes what [`encode`](Self::encode) needs early, and moves `previous` on.
    fn ahead<P: Compress>(
        self,
        plan: P,
        values: &[u8; 64],
        previous: &mut Self::Previous,
    ) -> Self::Ahead;

    /// Encodes a block to its codes and its data. Returns the codes and the length of the data. May
    /// overwrite the bytes after the data.
    fn encode<P: Compress>(
        self,
        plan: P,
        values: &[u8; 64],
        ahead: Self::Ahead,
        data: &mut [Slot; 64],
    ) -> (u32, Stride<64>);

    /// Encodes four blocks to their control bytes and their data. `ahead` belongs to the first two of
    /// them, and then to the `next` two, if there are more. Returns the length of the data. May
    /// overwrite the bytes after the data.
    #[inline(always)]
    fn encode_four<P: Compress>(
        self,
        plan: P,
        (four, next): (&[[u8; 64]; 4], Option<&[[u8; 64]; 2]>),
        state: (&mut [Self::Ahead; 2], &mut Self::Previous),
        controls: &mut [Slot],
        data: &mut [Slot; 256],
    ) -> Stride<256> {
        kernel::encode_four(self, plan, (four, next), state, controls, data)
    }

    /// Encodes whole blocks. Returns the number of bytes of data written, or `None` if there was
    /// not enough room. `start` is the value before the first one; there is room for all codes.
    #[inline(always)]
    fn encode_run<P: Compress>(
        self,
        plan: P,
        values: &[u8],
        start: u64,
        controls: &mut [Slot],
        data: &mut [Slot],
    ) -> Option<usize> {
        kernel::encode_run(self, plan, values, start, controls, data)
    }

    /// Encodes fewer values than a block, given the value before them. Returns their codes and the
    /// number of bytes of data written, or `None` if there was not enough room.
    #[inline(always)]
    fn encode_last<P: Compress>(
        self,
        plan: P,
        values: &[u8],
        start: u64,
        data: &mut [Slot],
    ) -> Option<(u32, usize)> {
        kernel::encode_last(self, plan, values, start, data)
    }
}

/// Format of a stream: a variant, and a transform of the values. `T` is `u32` or `i32` for the
/// 32-bit variants, `u64` or `i64` for the 64-bit variant.
///
/// A format is cheap to copy. Encode and decode with the same format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Format<T> {
    coding: Coding,
    start: T,
}

impl<T: Integer32> Format<T> {
    /// 1, 2, 3 or 4 bytes per value: the original variant.
    pub const V1234: Self = Self::of(Variant::V1234);

    /// 0, 1, 2 or 4 bytes per value: for lists with many zeros.
    pub const V0124: Self = Self::of(Variant::V0124);
}

impl<T: Integer64> Format<T> {
    /// 1, 2, 4 or 8 bytes per value.
    pub const V1248: Self = Self::of(Variant::V1248);
}

impl<T: Integer> Format<T> {
    const fn of(variant: Variant) -> Self {
        Self {
            coding: Coding {
                variant,
                transform: Transform::None,
            },
            start: T::ZERO,
        }
    }

    /// Returns the format that stores differences: of each value from the previous one, and of the
    /// first one from `start`. Differences are modulo the range of `T`, so values in any order
    /// round-trip; sorted ones become small.
    #[must_use]
    pub const fn delta(self, start: T) -> Self {
        Self {
            coding: Coding {
                transform: Transform::of(true, self.coding.transform.zigzag()),
                ..self.coding
            },
            start,
        }
    }

    /// Returns the format that stores 0, -1, 1, -2, .. as 0, 1, 2, 3, .., so that small negative
    /// values become small; with [`delta`](Self::delta), small negative differences do.
    #[must_use]
    pub const fn zigzag(self) -> Self {
        Self {
            coding: Coding {
                transform: Transform::of(self.coding.transform.delta(), true),
                ..self.coding
            },
            ..self
        }
    }

    #[inline]
    fn encoding(self, backend: Detected, values: &[T]) -> Encode<'_> {
        Encode {
            coding: self.coding,
            start: self.start.bits(),
            backend,
            values: memory::bytes(values),
        }
    }

    #[inline]
    fn decoding(self, backend: Detected, src: &[u8], count: usize) -> Result<Decode<'_>, Error> {
        Decode::new((self.coding, self.start.bits()), backend, src, count)
    }

    /// Returns the maximum encoded length of `count` values in bytes; `usize::MAX` if it does not
    /// fit in memory.
    ///
    /// ```
    /// use bytelane::stream_vbyte::Format;
    /// assert_eq!(Format::<u32>::V1234.max_encoded_len(9), 3 + 4 * 9);
    /// ```
    #[must_use]
    pub const fn max_encoded_len(self, count: usize) -> usize {
        let most = count.saturating_mul(self.coding.variant.lengths()[3]);
        most.saturating_add(count.div_ceil(4))
    }

    /// Returns the encoded length of these values in bytes, without encoding them: several times as
    /// fast as [`encode`](Self::encode).
    ///
    /// ```
    /// use bytelane::stream_vbyte::Format;
    /// assert_eq!(Format::V1234.encoded_len(&[1u32, 1000, 1_000_000]), 1 + 1 + 2 + 3);
    /// ```
    #[must_use]
    pub fn encoded_len(self, values: &[T]) -> usize {
        self.encoding(Detected::active(), values).len()
    }

    forms! {
        /// Encodes values to the front of `dst`. Returns the length of the result in bytes.
        ///
        /// `dst` only needs room for the result, which has [`encoded_len`](Self::encoded_len) bytes.
        /// With more room, up to [`max_encoded_len`](Self::max_encoded_len), encoding is a little
        /// faster, and the bytes after the result may be overwritten.
        ///
        /// # Errors
        ///
        /// [`DestinationError`] if the result does not fit in `dst`; parts of `dst` may have been
        /// overwritten then.
        encode[](self, values: &[T]) -> dst: [u8], DestinationError;
        encode_with: |backend| self.encoding(backend, values);
        /// Reserves room for the maximum encoded length.
        encode_append -> usize: self.max_encoded_len(values.len());
        encode_to_vec;
    }

    forms! {
        /// Fills the slice with values from the front of `src`. Returns the number of bytes of `src`
        /// read.
        ///
        /// # Errors
        ///
        /// [`ErrorKind::Controls`] or [`ErrorKind::Data`] if `src` is too short; in the latter case
        /// some values may have been written.
        decode[](self, src: &[u8]) -> values: [T; count] and ("number of bytes read", usize), Error;
        decode_with: |backend| self.decoding(backend, src, count)?;
        ///
        /// Memory is reserved only after checking that `src` has all control bytes, so it is never more
        /// than 16 or 32 times the length of `src`.
        decode_append: count;
        decode_to_vec;
    }

    /// Checks that `src` has all data of its first `count` values, without decoding them. Returns
    /// their length in bytes. Takes about as long as reading the control bytes.
    ///
    /// Any bytes are valid values, as long as there are enough of them.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Controls`] or [`ErrorKind::Data`].
    ///
    /// ```
    /// use bytelane::stream_vbyte::Format;
    /// let format = Format::<u32>::V1234;
    /// assert_eq!(format.validate(&[0b01_00, 7, 0xe8, 3, 99], 2), Ok(4));
    /// let error = format.validate(&[0b01_00, 7, 0xe8], 2).unwrap_err();
    /// let message = "offset 2: value 1 needs 2 bytes, but the input ends after 1";
    /// assert_eq!(error.to_string(), message);
    /// ```
    pub fn validate(self, src: &[u8], count: usize) -> Result<usize, Error> {
        self.validate_with(Detected::active(), src, count)
    }

    fn validate_with(self, backend: Detected, src: &[u8], count: usize) -> Result<usize, Error> {
        self.decoding(backend, src, count)?.end(count)
    }

    /// Returns a cursor over the first `count` values of `src`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Controls`]. Missing data are detected only when they are read.
    #[inline]
    pub fn cursor(self, src: &[u8], count: usize) -> Result<Cursor<'_, T>, Error> {
        self.cursor_with(Detected::active(), src, count)
    }

    /// Same as [`cursor`](Self::cursor), on a backend of the caller's choice.
    ///
    /// # Errors
    ///
    /// The same as [`cursor`](Self::cursor).
    #[inline]
    pub fn cursor_with(
        self,
        backend: Detected,
        src: &[u8],
        count: usize,
    ) -> Result<Cursor<'_, T>, Error> {
        let ahead = self.decoding(backend, src, count)?;
        Ok(Cursor::new(ahead, count))
    }
}

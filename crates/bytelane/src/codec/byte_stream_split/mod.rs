//! BYTE_STREAM_SPLIT: byte 0 of every value, then byte 1 of every value, and so on.
//!
//! Parquet's encoding 9 for fixed-width types. It does not reduce the size itself. It brings
//! similar bytes together (signs and exponents of floats, upper bytes of integers), so that a
//! compressor can compress them better. N values of K bytes become K streams of N bytes,
//! concatenated, without header or padding.
//!
//! ```
//! use bytelane::byte_stream_split;
//!
//! let values = [1.0f32, -2.0, 3.5];
//! let mut encoded = [0; 12];
//! byte_stream_split::encode(&values, &mut encoded)?;
//! assert_eq!(encoded, [0, 0, 0, 0, 0, 0, 0x80, 0, 0x60, 0x3f, 0xc0, 0x40]);
//!
//! let mut decoded = [0.0f32; 3];
//! byte_stream_split::decode(&encoded, &mut decoded)?;
//! assert_eq!(decoded, values);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The functions here work on numbers; [`Width`] has the same functions for values of any number of
//! bytes. There are dedicated kernels for widths of 2, 4, 8 and 16 bytes; every other width uses
//! these kernels on groups of bytes. All functions take time linear in the number of bytes and
//! check all lengths before they write.
//!
//! Source: [parquet-format, Encodings.md](https://github.com/apache/parquet-format/blob/master/Encodings.md#byte-stream-split-byte_stream_split--9),
//! section "Byte Stream Split".

mod arch;
mod claims;
mod driver;
mod kernel;
mod scalar;
#[cfg(test)]
mod tests;
mod width;

pub use width::Width;
pub(crate) use width::{Join, Split};

use crate::memory::{self, Slot, forms};
use crate::simd::Writes;
use crate::{DestinationError, LengthError, Value};

/// Operations that each instruction set provides: conversion between a block of 64 values and block
/// `at` of K *planes*, the streams in blocks of 64 bytes. All planes have the same number of blocks.
pub(crate) trait Planes<const K: usize>: Copy {
    /// Splits 64 values into their planes.
    fn split<W: Writes>(
        self,
        values: &[[u8; K]; 64],
        planes: &mut [&mut [[Slot; 64]]; K],
        at: usize,
    );

    /// Splits 16 values into their planes.
    fn split16(self, values: &[[u8; K]; 16]) -> [[u8; 16]; K];

    /// Joins 64 values from their planes.
    fn join<W: Writes>(self, planes: &[&[[u8; 64]]; K], at: usize, values: &mut [[Slot; K]; 64]);

    /// Joins 16 values from their planes.
    fn join16(self, planes: &[[u8; 16]; K]) -> [[u8; K]; 16];
}

forms! {
    /// Splits numbers into the streams of their little-endian bytes, as Parquet stores them, on
    /// machines of either byte order. Returns the number of bytes, `size_of_val(values)`.
    ///
    /// Pass half-precision numbers as the `u16` of their bits.
    ///
    /// # Errors
    ///
    /// [`DestinationError`] if `dst` is shorter than that; nothing is written then.
    encode[T: Value](values: &[T]) -> dst: [u8], DestinationError;
    encode_with: |backend| Width::of::<T>().split(backend, memory::bytes(values));
    encode_append -> usize: size_of_val(values);
    encode_to_vec;
}

forms! {
    /// Reads numbers from all of `src`, the streams of their little-endian bytes, to the front of
    /// `values`. Returns the number of values.
    ///
    /// # Errors
    ///
    /// [`LengthError`] if the length of `src` is not a multiple of the size of a value, or if `values`
    /// is too short; nothing is written then.
    decode[T: Value](src: &[u8]) -> values: [T], LengthError;
    decode_with: |backend| {
        let width = Width::of::<T>();
        width.join(backend, src, width.count(src.len())?)
    };
    ///
    /// # Errors
    ///
    /// [`LengthError`] if the length of `src` is not a multiple of the size of a value; the `Vec` is
    /// unchanged then.
    decode_append: src.len() / size_of::<T>();
    decode_to_vec;
}

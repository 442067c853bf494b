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

use crate::memory::{self, Slot};
use crate::simd::Writes;
use crate::{Destination, DestinationError, Detected, LengthError, Value};
#[cfg(feature = "alloc")]
use alloc::vec::Vec;

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

/// Splits numbers into the streams of their little-endian bytes, as Parquet stores them, on
/// machines of either byte order. Returns the number of bytes, `size_of_val(values)`.
///
/// Pass half-precision numbers as the `u16` of their bits.
///
/// # Errors
///
/// [`DestinationError`] if `dst` is shorter than that; nothing is written then.
#[inline]
pub fn encode<T: Value>(values: &[T], dst: &mut [u8]) -> Result<usize, DestinationError> {
    encode_with(Detected::active(), values, dst).map(|written| written.len())
}

/// Same as [`encode`], on a backend of the caller's choice, into memory that need not be
/// initialised. Returns the bytes written.
///
/// # Errors
///
/// The same as [`encode`].
#[inline]
pub fn encode_with<'a, T: Value>(
    backend: Detected,
    values: &[T],
    dst: impl Into<Destination<'a, u8>>,
) -> Result<&'a mut [u8], DestinationError> {
    let operation = Width::of::<T>().split(backend, memory::bytes(values));
    let (written, ()) = dst.into().fill(operation)?;
    Ok(written)
}

/// Same as [`encode`], but appends to a `Vec`. Returns the number of bytes.
#[cfg(feature = "alloc")]
#[inline]
pub fn encode_append<T: Value>(values: &[T], to: &mut Vec<u8>) -> usize {
    let operation = Width::of::<T>().split(Detected::active(), memory::bytes(values));
    let appended = memory::append(operation, size_of_val(values), to);
    appended.expect("there is room").0
}

/// Same as [`encode`], but returns a new `Vec`.
#[cfg(feature = "alloc")]
#[must_use]
pub fn encode_to_vec<T: Value>(values: &[T]) -> Vec<u8> {
    let mut encoded = Vec::new();
    encode_append(values, &mut encoded);
    encoded
}

/// Reads numbers from all of `src`, the streams of their little-endian bytes, to the front of
/// `values`. Returns the number of values.
///
/// # Errors
///
/// [`LengthError`] if the length of `src` is not a multiple of the size of a value, or if `values`
/// is too short; nothing is written then.
#[inline]
pub fn decode<T: Value>(src: &[u8], values: &mut [T]) -> Result<usize, LengthError> {
    decode_with(Detected::active(), src, values).map(|written| written.len())
}

/// Same as [`decode`], on a backend of the caller's choice, into memory that need not be
/// initialised. Returns the values written.
///
/// # Errors
///
/// The same as [`decode`].
#[inline]
pub fn decode_with<'a, T: Value>(
    backend: Detected,
    src: &[u8],
    values: impl Into<Destination<'a, T>>,
) -> Result<&'a mut [T], LengthError> {
    let width = Width::of::<T>();
    let operation = width.join(backend, src, width.count(src.len())?);
    let (written, ()) = values.into().fill(operation)?;
    Ok(written)
}

/// Same as [`decode`], but appends to a `Vec`. Returns the number of values.
///
/// # Errors
///
/// [`LengthError`] if the length of `src` is not a multiple of the size of a value; the `Vec` is
/// unchanged then.
#[cfg(feature = "alloc")]
#[inline]
pub fn decode_append<T: Value>(src: &[u8], to: &mut Vec<T>) -> Result<usize, LengthError> {
    let width = Width::of::<T>();
    let count = width.count(src.len())?;
    let operation = width.join(Detected::active(), src, count);
    Ok(memory::append(operation, count, to)?.0)
}

/// Same as [`decode`], but returns a new `Vec`.
///
/// # Errors
///
/// [`LengthError`] if the length of `src` is not a multiple of the size of a value.
#[cfg(feature = "alloc")]
pub fn decode_to_vec<T: Value>(src: &[u8]) -> Result<Vec<T>, LengthError> {
    let mut values = Vec::new();
    decode_append(src, &mut values)?;
    Ok(values)
}

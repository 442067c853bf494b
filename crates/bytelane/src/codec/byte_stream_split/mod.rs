//! BYTE_STREAM_SPLIT: byte 0 of every value, then byte 1 of every value, and so on.
//!
//! Parquet's encoding 9 for fixed-width types. It makes nothing smaller by itself: it brings the
//! bytes that resemble each other together (signs and exponents of floats, upper bytes of
//! integers), so that a compressor after it finds more. N values of K bytes become K streams of N
//! bytes, concatenated, without header or padding.
//!
//! ```
//! use bytelane::byte_stream_split;
//!
//! let values = [1.0f32, -2.0, 3.5];
//! let mut encoded = [0; 12];
//! byte_stream_split::encode_values(&values, &mut encoded)?;
//! assert_eq!(encoded, [0, 0, 0, 0, 0, 0, 0x80, 0, 0x60, 0x3f, 0xc0, 0x40]);
//!
//! let mut decoded = [0.0f32; 3];
//! byte_stream_split::decode_values(&encoded, &mut decoded)?;
//! assert_eq!(decoded, values);
//! # Ok::<(), bytelane::Error>(())
//! ```
//!
//! Widths of 2, 4, 8 and 16 bytes have kernels of their own; every other width goes through them
//! in groups of bytes. All functions take time linear in the number of bytes, allocate nothing and
//! check all lengths before they write.
//!
//! Source: [parquet-format, Encodings.md](https://github.com/apache/parquet-format/blob/master/Encodings.md#byte-stream-split-byte_stream_split--9),
//! section "Byte Stream Split".

#[cfg(all(target_arch = "x86_64", target_endian = "little"))]
mod avx2;
#[cfg(all(target_arch = "x86_64", target_endian = "little"))]
mod avx512;
mod kernel;
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
mod neon;
mod scalar;
#[cfg(all(target_arch = "x86_64", target_endian = "little"))]
mod sse41;
#[cfg(test)]
mod tests;

use crate::backend::dispatch;
use crate::error::{check_destination, check_divisible};
use crate::simd::{Writes, with_writes};
use crate::{Backend, Error, Value, memory};
use core::ops::Range;

/// What instruction sets differ in: a block of 64 values against block `at` of K *planes*, the
/// streams in blocks of 64 bytes. All planes have as many blocks.
pub(crate) trait Planes<const K: usize>: Copy {
    /// 64 values to their planes.
    fn split<W: Writes>(self, values: &[[u8; K]; 64], planes: &mut [&mut [[u8; 64]]; K], at: usize);

    /// 16 values to their planes.
    fn split16(self, values: &[[u8; K]; 16]) -> [[u8; 16]; K];

    /// 64 values from their planes.
    fn join<W: Writes>(self, planes: &[&[[u8; 64]]; K], at: usize, values: &mut [[u8; K]; 64]);

    /// 16 values from their planes.
    fn join16(self, planes: &[[u8; 16]; K]) -> [[u8; K]; 16];
}

dispatch! {
    fn encode_fixed<const K: usize, W: Writes>(src: &[u8], dst: &mut [u8]) -> Result<(), Error> = kernel::encode::<K, _, W>;
    fn decode_fixed<const K: usize, W: Writes>(src: &[u8], range: Range<usize>, dst: &mut [u8]) -> Result<(), Error> = kernel::decode::<K, _, W>;
    fn encode_any<const G: usize>(src: &[u8], width: usize, dst: &mut [u8]) -> Result<(), Error> = kernel::encode_any::<G, _>;
    fn decode_any<const G: usize>(src: &[u8], width: usize, range: Range<usize>, dst: &mut [u8]) -> Result<(), Error> = kernel::decode_any::<G, _>;
}

/// Values of a width with kernels of its own.
#[inline]
fn encode_width<const K: usize>(
    backend: Backend,
    src: &[u8],
    dst: &mut [u8],
    stream: bool,
) -> Result<(), Error> {
    with_writes!(src.len(), stream, W => encode_fixed::<K, W>(backend, src, dst))
}

/// As [`encode_width`].
#[inline]
fn decode_width<const K: usize>(
    backend: Backend,
    src: &[u8],
    range: Range<usize>,
    dst: &mut [u8],
    stream: bool,
) -> Result<(), Error> {
    with_writes!(dst.len(), stream, W => decode_fixed::<K, W>(backend, src, range.clone(), dst))
}

/// Splits values of `width` bytes into their streams.
///
/// `src` holds the values one after the other, `dst` takes the streams; both have the same number
/// of bytes, a multiple of `width`.
///
/// # Errors
///
/// [`Error::ZeroWidth`], [`Error::Indivisible`] or [`Error::Destination`]; nothing is written then.
///
/// ```
/// let mut encoded = [0; 6];
/// bytelane::byte_stream_split::encode(b"a1b2c3", 2, &mut encoded)?;
/// assert_eq!(&encoded, b"abc123");
/// # Ok::<(), bytelane::Error>(())
/// ```
#[inline]
pub fn encode(src: &[u8], width: usize, dst: &mut [u8]) -> Result<(), Error> {
    encode_with(Backend::active(), src, width, dst)
}

/// [`encode`] on a backend of the caller's choice.
///
/// # Errors
///
/// Those of [`encode`], and [`Error::Unavailable`].
#[inline]
pub fn encode_with(
    backend: Backend,
    src: &[u8],
    width: usize,
    dst: &mut [u8],
) -> Result<(), Error> {
    encode_bytes(backend, src, width, dst, false)
}

/// [`encode_with`] past the cache: for a destination that will not be read before it has left
/// the cache anyway. Plain calls do the same with results larger than three quarters of it.
///
/// The streams must be aligned to the vector (64 bytes do for all) for this to have an effect:
/// `dst` at a multiple of 64, and a multiple of 64 values. NEON has no such stores.
///
/// # Errors
///
/// Those of [`encode_with`].
pub fn encode_non_temporal(
    backend: Backend,
    src: &[u8],
    width: usize,
    dst: &mut [u8],
) -> Result<(), Error> {
    encode_bytes(backend, src, width, dst, true)
}

#[inline]
fn encode_bytes(
    backend: Backend,
    src: &[u8],
    width: usize,
    dst: &mut [u8],
    stream: bool,
) -> Result<(), Error> {
    check_divisible(src.len(), width)?;
    check_destination(src.len(), dst.len())?;
    match (backend, width) {
        (_, 1) if backend.is_available() => dst.copy_from_slice(src),
        (Backend::Scalar, _) => scalar::encode(src, width, dst),
        (_, 2) => return encode_width::<2>(backend, src, dst, stream),
        (_, 4) => return encode_width::<4>(backend, src, dst, stream),
        (_, 8) => return encode_width::<8>(backend, src, dst, stream),
        (_, 16) => return encode_width::<16>(backend, src, dst, stream),
        (_, 3) => return encode_any::<2>(backend, src, width, dst),
        (_, 5..8) => return encode_any::<4>(backend, src, width, dst),
        (_, 9..16) => return encode_any::<8>(backend, src, width, dst),
        _ => return encode_any::<16>(backend, src, width, dst),
    }
    Ok(())
}

/// Brings the values of `width` bytes back from their streams.
///
/// `src` holds the streams, `dst` takes the values; both have the same number of bytes, a multiple
/// of `width`.
///
/// # Errors
///
/// [`Error::ZeroWidth`], [`Error::Indivisible`] or [`Error::Destination`]; nothing is written then.
///
/// ```
/// let mut decoded = [0; 6];
/// bytelane::byte_stream_split::decode(b"abc123", 2, &mut decoded)?;
/// assert_eq!(&decoded, b"a1b2c3");
/// # Ok::<(), bytelane::Error>(())
/// ```
#[inline]
pub fn decode(src: &[u8], width: usize, dst: &mut [u8]) -> Result<(), Error> {
    decode_with(Backend::active(), src, width, dst)
}

/// [`decode`] on a backend of the caller's choice.
///
/// # Errors
///
/// Those of [`decode`], and [`Error::Unavailable`].
#[inline]
pub fn decode_with(
    backend: Backend,
    src: &[u8],
    width: usize,
    dst: &mut [u8],
) -> Result<(), Error> {
    let count = check_divisible(src.len(), width)?;
    decode_bytes(backend, src, width, 0..count, dst, false)
}

/// [`decode_with`] past the cache: for values that will not be read before they have left the
/// cache anyway. Plain calls do the same with results larger than three quarters of it.
///
/// `dst` must be aligned to the vector (64 bytes do for all) for this to have an effect. NEON has
/// no such stores.
///
/// # Errors
///
/// Those of [`decode_with`].
pub fn decode_non_temporal(
    backend: Backend,
    src: &[u8],
    width: usize,
    dst: &mut [u8],
) -> Result<(), Error> {
    let count = check_divisible(src.len(), width)?;
    decode_bytes(backend, src, width, 0..count, dst, true)
}

/// Brings back a part of the values: those of `range`, counted in values, out of all the streams.
/// For readers that take a page in pieces.
///
/// `dst` takes `range.len()` values of `width` bytes.
///
/// # Errors
///
/// Those of [`decode`], and [`Error::Range`] if the range does not lie within the values.
///
/// ```
/// let mut decoded = [0; 4];
/// bytelane::byte_stream_split::decode_range(b"abc123", 2, 1..3, &mut decoded)?;
/// assert_eq!(&decoded, b"b2c3");
/// # Ok::<(), bytelane::Error>(())
/// ```
#[inline]
pub fn decode_range(
    src: &[u8],
    width: usize,
    range: Range<usize>,
    dst: &mut [u8],
) -> Result<(), Error> {
    decode_range_with(Backend::active(), src, width, range, dst)
}

/// [`decode_range`] on a backend of the caller's choice.
///
/// # Errors
///
/// Those of [`decode_range`], and [`Error::Unavailable`].
pub fn decode_range_with(
    backend: Backend,
    src: &[u8],
    width: usize,
    range: Range<usize>,
    dst: &mut [u8],
) -> Result<(), Error> {
    let values = check_divisible(src.len(), width)?;
    let Range { start, end } = range;
    if start > end || end > values {
        return Err(Error::Range { start, end, values });
    }
    decode_bytes(backend, src, width, range, dst, false)
}

#[inline]
fn decode_bytes(
    backend: Backend,
    src: &[u8],
    width: usize,
    range: Range<usize>,
    dst: &mut [u8],
    stream: bool,
) -> Result<(), Error> {
    check_destination(range.len() * width, dst.len())?;
    match (backend, width) {
        (_, 1) if backend.is_available() => dst.copy_from_slice(&src[range]),
        (Backend::Scalar, _) => scalar::decode(src, width, range, dst),
        (_, 2) => return decode_width::<2>(backend, src, range, dst, stream),
        (_, 4) => return decode_width::<4>(backend, src, range, dst, stream),
        (_, 8) => return decode_width::<8>(backend, src, range, dst, stream),
        (_, 16) => return decode_width::<16>(backend, src, range, dst, stream),
        (_, 3) => return decode_any::<2>(backend, src, width, range, dst),
        (_, 5..8) => return decode_any::<4>(backend, src, width, range, dst),
        (_, 9..16) => return decode_any::<8>(backend, src, width, range, dst),
        _ => return decode_any::<16>(backend, src, width, range, dst),
    }
    Ok(())
}

/// Splits numbers into the streams of their little-endian bytes, as Parquet stores them, whatever
/// the order of this machine.
///
/// `dst` has `size_of_val(values)` bytes. Half-precision numbers are the `u16` of their bits.
///
/// # Errors
///
/// [`Error::Destination`]; nothing is written then.
#[inline]
pub fn encode_values<T: Value>(values: &[T], dst: &mut [u8]) -> Result<(), Error> {
    encode_values_with(Backend::active(), values, dst)
}

/// [`encode_values`] on a backend of the caller's choice.
///
/// # Errors
///
/// Those of [`encode_values`], and [`Error::Unavailable`].
#[inline]
pub fn encode_values_with<T: Value>(
    backend: Backend,
    values: &[T],
    dst: &mut [u8],
) -> Result<(), Error> {
    encode_with(backend, memory::bytes(values), size_of::<T>(), dst)?;
    if cfg!(target_endian = "big") {
        reverse_streams(dst, values.len());
    }
    Ok(())
}

/// Brings numbers back from the streams of their little-endian bytes.
///
/// `src` has `size_of_val(values)` bytes.
///
/// # Errors
///
/// [`Error::Indivisible`] or [`Error::Destination`]; nothing is written then.
#[inline]
pub fn decode_values<T: Value>(src: &[u8], values: &mut [T]) -> Result<(), Error> {
    decode_values_with(Backend::active(), src, values)
}

/// [`decode_values`] on a backend of the caller's choice.
///
/// # Errors
///
/// Those of [`decode_values`], and [`Error::Unavailable`].
#[inline]
pub fn decode_values_with<T: Value>(
    backend: Backend,
    src: &[u8],
    values: &mut [T],
) -> Result<(), Error> {
    let dst = memory::bytes_mut(values);
    decode_with(backend, src, size_of::<T>(), dst)?;
    if cfg!(target_endian = "big") {
        dst.chunks_exact_mut(size_of::<T>())
            .for_each(<[u8]>::reverse);
    }
    Ok(())
}

/// On a big-endian machine the first byte in memory is the last one on the wire.
fn reverse_streams(dst: &mut [u8], count: usize) {
    let mut streams = dst.chunks_exact_mut(usize::max(count, 1));
    while let (Some(first), Some(last)) = (streams.next(), streams.next_back()) {
        first.swap_with_slice(last);
    }
}

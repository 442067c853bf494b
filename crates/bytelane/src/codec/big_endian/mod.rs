//! Lists of numbers as big-endian bytes, the order of network protocols.
//!
//! The payload of a list in Thrift's Binary protocol, of Java's `DataOutput` and of XDR: each value
//! with its most significant byte first, one after the other, without padding.
//!
//! ```
//! use bytelane::big_endian;
//!
//! let mut encoded = [0; 8];
//! big_endian::encode(&[1i32, -2], &mut encoded)?;
//! assert_eq!(encoded, [0, 0, 0, 1, 0xff, 0xff, 0xff, 0xfe]);
//!
//! let mut decoded = [0; 2];
//! big_endian::decode(&encoded, &mut decoded)?;
//! assert_eq!(decoded, [1i32, -2]);
//! # Ok::<(), bytelane::Error>(())
//! ```
//!
//! Neither the bytes nor the values need any alignment beyond their type's. All functions take time
//! linear in the number of bytes, and check all lengths before they write. Values of one byte are
//! copied; so is everything on a big-endian machine.
//!
//! Source: [Thrift's Binary protocol](https://github.com/apache/thrift/blob/master/doc/specs/thrift-binary-protocol.md),
//! sections "Integer encoding" and "Double encoding".

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
use crate::memory::Slot;
use crate::simd::{Writes, with_writes};
use crate::{Backend, Error, Value, memory};
#[cfg(feature = "alloc")]
use alloc::vec::Vec;

/// What instruction sets differ in: the bytes of values of `K` bytes in reverse order, each value
/// for itself.
pub(crate) trait Swap<const K: usize>: Copy {
    /// The values of 64 bytes.
    fn swap64<W: Writes>(self, from: &[u8; 64], to: &mut [Slot; 64]);
}

dispatch! {
    fn swap_fixed<const K: usize, W: Writes>(src: &[u8], dst: &mut [Slot]) -> Result<(), Error> = kernel::swap::<K, _, W>;
}

/// Writes values as big-endian bytes.
///
/// `dst` has `size_of_val(values)` bytes.
///
/// # Errors
///
/// [`Error::Destination`]; nothing is written then.
///
/// ```
/// let mut encoded = [0; 4];
/// bytelane::big_endian::encode(&[0x0102u16, 3], &mut encoded)?;
/// assert_eq!(encoded, [1, 2, 0, 3]);
/// # Ok::<(), bytelane::Error>(())
/// ```
#[inline]
pub fn encode<T: Value>(values: &[T], dst: &mut [u8]) -> Result<(), Error> {
    encode_with(Backend::active(), values, dst)
}

/// [`encode`] on a backend of the caller's choice.
///
/// # Errors
///
/// Those of [`encode`], and [`Error::Unavailable`].
#[inline]
pub fn encode_with<T: Value>(backend: Backend, values: &[T], dst: &mut [u8]) -> Result<(), Error> {
    let src = memory::bytes(values);
    check_destination(src.len(), dst.len())?;
    swap::<T>(backend, src, memory::slots(dst))
}

/// Writes values as big-endian bytes behind those of a `Vec`, whose new part is written once, not
/// zeroed before.
///
/// ```
/// let mut encoded = vec![7];
/// bytelane::big_endian::encode_into_vec(&[0x0102u16, 3], &mut encoded);
/// assert_eq!(encoded, [7, 1, 2, 0, 3]);
/// ```
#[cfg(feature = "alloc")]
#[inline]
pub fn encode_into_vec<T: Value>(values: &[T], dst: &mut Vec<u8>) {
    // The active backend is always available, and there is room.
    let _ = encode_into_vec_with(Backend::active(), values, dst);
}

/// [`encode_into_vec`] on a backend of the caller's choice.
///
/// # Errors
///
/// [`Error::Unavailable`]; the `Vec` is as it was then.
#[cfg(feature = "alloc")]
#[inline]
pub fn encode_into_vec_with<T: Value>(
    backend: Backend,
    values: &[T],
    dst: &mut Vec<u8>,
) -> Result<(), Error> {
    let src = memory::bytes(values);
    memory::append(dst, src.len(), |dst| {
        swap::<T>(backend, src, dst).map(|()| src.len())
    })?;
    Ok(())
}

/// Reads values from their big-endian bytes.
///
/// `src` has `size_of_val(values)` bytes.
///
/// # Errors
///
/// [`Error::Indivisible`] or [`Error::Destination`]; nothing is written then.
///
/// ```
/// let mut decoded = [0u16; 2];
/// bytelane::big_endian::decode(&[1, 2, 0, 3], &mut decoded)?;
/// assert_eq!(decoded, [0x0102, 3]);
/// # Ok::<(), bytelane::Error>(())
/// ```
#[inline]
pub fn decode<T: Value>(src: &[u8], values: &mut [T]) -> Result<(), Error> {
    decode_with(Backend::active(), src, values)
}

/// [`decode`] on a backend of the caller's choice.
///
/// # Errors
///
/// Those of [`decode`], and [`Error::Unavailable`].
#[inline]
pub fn decode_with<T: Value>(backend: Backend, src: &[u8], values: &mut [T]) -> Result<(), Error> {
    check_divisible(src.len(), size_of::<T>())?;
    let dst = memory::bytes_mut(values);
    check_destination(src.len(), dst.len())?;
    swap::<T>(backend, src, memory::slots(dst))
}

/// Reads values from their big-endian bytes and appends them to a `Vec`, whose new part is written
/// once, not zeroed before.
///
/// # Errors
///
/// [`Error::Indivisible`] if `src` is not a whole number of values; the `Vec` is as it was then.
///
/// ```
/// let mut values = vec![7u16];
/// bytelane::big_endian::decode_into_vec(&[1, 2, 0, 3], &mut values)?;
/// assert_eq!(values, [7, 0x0102, 3]);
/// # Ok::<(), bytelane::Error>(())
/// ```
#[cfg(feature = "alloc")]
#[inline]
pub fn decode_into_vec<T: Value>(src: &[u8], values: &mut Vec<T>) -> Result<(), Error> {
    decode_into_vec_with(Backend::active(), src, values)
}

/// [`decode_into_vec`] on a backend of the caller's choice.
///
/// # Errors
///
/// Those of [`decode_into_vec`], and [`Error::Unavailable`].
#[cfg(feature = "alloc")]
#[inline]
pub fn decode_into_vec_with<T: Value>(
    backend: Backend,
    src: &[u8],
    values: &mut Vec<T>,
) -> Result<(), Error> {
    let count = check_divisible(src.len(), size_of::<T>())?;
    memory::append(values, count, |dst| {
        swap::<T>(backend, src, dst).map(|()| count)
    })?;
    Ok(())
}

/// From the order of this machine to big-endian or back, which is the same.
#[inline]
fn swap<T: Value>(backend: Backend, src: &[u8], dst: &mut [Slot]) -> Result<(), Error> {
    let same_order = cfg!(target_endian = "big") || size_of::<T>() == 1;
    if same_order && backend.is_available() {
        dst.write_copy_of_slice(src);
        return Ok(());
    }
    match size_of::<T>() {
        2 => swap_width::<2>(backend, src, dst),
        4 => swap_width::<4>(backend, src, dst),
        _ => swap_width::<8>(backend, src, dst),
    }
}

/// Values of `K` bytes. A few are sooner done right here than in another instruction set.
#[inline]
fn swap_width<const K: usize>(backend: Backend, src: &[u8], dst: &mut [Slot]) -> Result<(), Error> {
    match backend {
        Backend::Scalar => scalar::swap(src, K, dst),
        _ if src.len() <= 64 && backend.is_found() => kernel::swap_few::<K>(src, dst),
        _ => return with_writes!(src.len(), false, W => swap_fixed::<K, W>(backend, src, dst)),
    }
    Ok(())
}

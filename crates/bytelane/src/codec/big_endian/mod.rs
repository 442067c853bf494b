//! Lists of numbers as big-endian bytes, the order of network protocols.
//!
//! This is the payload of a list in Thrift's Binary protocol, in Java's `DataOutput` and in XDR:
//! each value with its most significant byte first, one after the other, without padding.
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
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Neither the bytes nor the values need any alignment beyond their type's. All functions take time
//! linear in the number of bytes, and check all lengths before they write. One-byte values are
//! copied; on a big-endian machine, so are all others.
//!
//! Source: [Thrift's Binary protocol](https://github.com/apache/thrift/blob/master/doc/specs/thrift-binary-protocol.md),
//! sections "Integer encoding" and "Double encoding".

mod arch;
mod claims;
mod kernel;
mod scalar;
#[cfg(test)]
mod tests;

use crate::backend::dispatch;
use crate::backend::tuning::for_two_bytes;
use crate::error::{check_divisible, front};
use crate::memory::{self, Fill, Slot, forms};
use crate::simd::{Writes, with_writes};
use crate::{Backend, DestinationError, Detected, LengthError, Value};

/// Operations that each instruction set provides: reversing the bytes of each value of `K` bytes.
pub(crate) trait Swap<const K: usize>: Copy {
    /// Reverses the values in 64 bytes.
    fn swap64<W: Writes>(self, from: &[u8; 64], to: &mut [Slot; 64]);
}

dispatch! {
    fn swap_blocks<const K: usize, W: Writes>(src: &[u8], dst: &mut [Slot]) = kernel::swap::<K, _, W>, or scalar::swap_fixed::<K>;
}

forms! {
    /// Writes values as big-endian bytes to the front of `dst`. Returns the number of bytes,
    /// `size_of_val(values)`.
    ///
    /// # Errors
    ///
    /// [`DestinationError`] if `dst` is shorter than that; nothing is written then.
    ///
    /// ```
    /// let mut encoded = [0; 4];
    /// bytelane::big_endian::encode(&[0x0102u16, 3], &mut encoded)?;
    /// assert_eq!(encoded, [1, 2, 0, 3]);
    /// # Ok::<(), bytelane::DestinationError>(())
    /// ```
    encode[T: Value](values: &[T]) -> dst: [u8], DestinationError;
    encode_with: |backend| Reverse::bytes_of(values, backend);
    ///
    /// ```
    /// let mut encoded = vec![7];
    /// bytelane::big_endian::encode_append(&[0x0102u16, 3], &mut encoded);
    /// assert_eq!(encoded, [7, 1, 2, 0, 3]);
    /// ```
    encode_append -> usize: size_of_val(values);
    encode_to_vec;
}

forms! {
    /// Reads values from all of `src`, their big-endian bytes, to the front of `values`. Returns the
    /// number of values.
    ///
    /// # Errors
    ///
    /// [`LengthError`] if the length of `src` is not a multiple of the size of a value, or if `values`
    /// is too short; nothing is written then.
    ///
    /// ```
    /// let mut decoded = [0u16; 2];
    /// assert_eq!(bytelane::big_endian::decode(&[1, 2, 0, 3], &mut decoded)?, 2);
    /// assert_eq!(decoded, [0x0102, 3]);
    /// # Ok::<(), bytelane::LengthError>(())
    /// ```
    decode[T: Value](src: &[u8]) -> values: [T], LengthError;
    decode_with: |backend| Reverse::values_of::<T>(src, backend)?;
    ///
    /// # Errors
    ///
    /// [`LengthError`] if the length of `src` is not a multiple of the size of a value; the `Vec` is
    /// unchanged then.
    ///
    /// ```
    /// let mut values = vec![7u16];
    /// bytelane::big_endian::decode_append(&[1, 2, 0, 3], &mut values)?;
    /// assert_eq!(values, [7, 0x0102, 3]);
    /// # Ok::<(), bytelane::LengthError>(())
    /// ```
    decode_append: src.len() / size_of::<T>();
    decode_to_vec;
}

/// Converts from the byte order of this machine to big-endian or back, which is the same operation.
/// Not generic, so that kernels are compiled in this crate and not in the caller's.
pub(crate) struct Reverse<'a> {
    src: &'a [u8],
    width: usize,
    backend: Detected,
}

impl<'a> Reverse<'a> {
    #[inline]
    fn bytes_of<T: Value>(values: &'a [T], backend: Detected) -> Self {
        Self {
            src: memory::bytes(values),
            width: size_of::<T>(),
            backend,
        }
    }

    #[inline]
    fn values_of<T: Value>(src: &'a [u8], backend: Detected) -> Result<Self, LengthError> {
        let width = size_of::<T>();
        check_divisible(src.len(), width)?;
        Ok(Self {
            src,
            width,
            backend,
        })
    }
}

impl Fill for Reverse<'_> {
    type Done = ();
    type Error = DestinationError;

    #[inline]
    fn fill(self, to: &mut [Slot]) -> Result<(usize, ()), DestinationError> {
        let needed = self.src.len();
        let to = front(to, needed)?;
        match self.width {
            2 => reverse2(self.src, to, for_two_bytes(self.backend, self.src.len())),
            4 => reverse4(self.src, to, self.backend),
            8 => reverse8(self.src, to, self.backend),
            _ => memory::copy(to, self.src),
        }
        Ok((needed, ()))
    }
}

fn reverse2(src: &[u8], dst: &mut [Slot], backend: Detected) {
    reverse::<2>(src, dst, backend);
}

fn reverse4(src: &[u8], dst: &mut [Slot], backend: Detected) {
    reverse::<4>(src, dst, backend);
}

fn reverse8(src: &[u8], dst: &mut [Slot], backend: Detected) {
    reverse::<8>(src, dst, backend);
}

/// Reverses values of `K` bytes. Handles a few values right here, which is faster than calling a
/// kernel.
#[inline(always)]
fn reverse<const K: usize>(src: &[u8], dst: &mut [Slot], backend: Detected) {
    if cfg!(target_endian = "big") {
        memory::copy(dst, src);
    } else if src.len() <= 64 && *backend != Backend::Scalar {
        kernel::swap_few::<K>(src, dst);
    } else {
        with_writes!(src.len(), W => swap_blocks::<K, W>(src, dst, backend));
    }
}

//! Varints: integers in groups of seven bits, least significant group first. The high bit of each
//! byte indicates whether another byte follows. Also known as LEB128; used by Thrift's compact
//! protocol and protobuf's packed fields.
//!
//! ```
//! use bytelane::varint;
//!
//! let mut encoded = [0; 16];
//! let length = varint::encode(&[1u32, 127, 300], &mut encoded)?;
//! assert_eq!(encoded[..length], [0x01, 0x7f, 0xac, 0x02]);
//!
//! let mut decoded = [0u32; 3];
//! assert_eq!(varint::decode(&encoded[..length], &mut decoded)?, 4);
//! assert_eq!(decoded, [1, 127, 300]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `u32` and `u64` are encoded directly, in at most 5 and 10 bytes. `i32` and `i64` are first
//! mapped to them by *zigzag*, so that small negative numbers become short: 0, -1, 1, -2 .. become
//! 0, 1, 2, 3 .. (Thrift's integers, protobuf's `sint32` and `sint64`). Protobuf's `int32` and
//! `int64` do not use zigzag: encode them as the `u64` of the sign-extended number.
//!
//! # Accepted input
//!
//! Encoders write the shortest form. Decoders also accept longer forms whose last groups are zero,
//! such as `80 00` for 0, if they stay within the 5 or 10 bytes of the type: Thrift and protobuf
//! readers accept them, and writers that patch a length in later rely on it. Everything else is an
//! [`Error`] with the offset of the malformed varint. The input may end within the varint, the
//! varint may be longer than 5 or 10 bytes, or its value may not fit the type: the last byte then
//! has more than the remaining 4 bits of a `u32` or 1 bit of a `u64`.
//!
//! All functions take time linear in the number of bytes and values. Functions on slices do not
//! allocate. Lists need no padding, and no function reads or writes outside its slices.
//!
//! Sources: [protobuf, "Encoding", Base 128 Varints](https://protobuf.dev/programming-guides/encoding/#varints);
//! [Thrift compact protocol encoding](https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md#integer-encoding).

mod arch;
mod claims;
mod error;
mod integer;
mod kernel;
mod lanes;
mod mapping;
mod scalar;
mod tables;
#[cfg(test)]
mod tests;

pub use error::{Error, ErrorKind};
pub use integer::Integer;

use crate::backend::dispatch;
use crate::memory::{Fill, Slot, forms};
use crate::{DestinationError, Detected};
#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::marker::PhantomData;
use mapping::Mapping;

/// Number of bytes that an encoder of eight values may write: up to 80 bytes of varints, 8 after
/// the last varint, and enough more that any offset of 7 bits is in range.
pub(crate) const ENCODE_ROOM: usize = 144;

/// Number of bytes that a decoder of the varints that begin in 64 bytes may read: the last varint
/// and the one after it are loaded as 16 bytes.
pub(crate) const WINDOW: usize = 80;

/// Length of the longest varint in a window, limited to the lengths that make a difference.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Longest {
    Two,
    Four,
    Eight,
    Ten,
}

/// Operations that each instruction set provides, for values of `K` bytes, 4 or 8.
pub(crate) trait Varints<const K: usize>: Copy {
    /// Returns one bit per byte, lowest first, set if the byte ends a varint because its high bit
    /// is 0.
    fn ends(self, bytes: &[u8; 64]) -> u64;

    /// Decodes 64 one-byte varints.
    fn widen<M: Mapping>(self, bytes: &[u8; 64], values: &mut [[Slot; K]; 64]);

    /// If the varints of all 64 values have one byte each, writes them and returns true.
    fn narrow<M: Mapping>(self, values: &[[u8; K]; 64], bytes: &mut [Slot; 64]) -> bool;

    /// Decodes the varints that begin where `begins` has a bit, as in [`ends`](Self::ends), at
    /// least one. Each is complete, within the first 64 bytes, and none is longer than `longest`.
    /// There is room for at least 16 more values, which may be overwritten with anything.
    ///
    /// Returns whether all values fit their type. May return false if only the bytes after the
    /// varints would not fit.
    fn decode<M: Mapping>(
        self,
        window: &[u8; WINDOW],
        begins: u64,
        longest: Longest,
        values: &mut [[Slot; K]],
    ) -> bool;

    /// Encodes 8 values. Returns the length of their varints. May overwrite the bytes after them
    /// with anything.
    fn encode<M: Mapping>(self, values: &[[u8; K]; 8], to: &mut [Slot; ENCODE_ROOM]) -> usize;
}

dispatch! {
    fn encode_list<const K: usize, M: Mapping>(values: &[[u8; K]], to: &mut [Slot]) -> Option<usize> = kernel::encode::<K, _, M>, or scalar::encode::<K, M>;
    fn decode_list<const K: usize, M: Mapping>(src: &[u8], values: &mut [[Slot; K]]) -> Result<usize, Error> = kernel::decode::<K, _, M>, or scalar::decode::<K, M>;
    fn length_of_list<const K: usize, M: Mapping>(values: &[[u8; K]]) -> usize = kernel::encoded_len::<K, _, M>, or scalar::encoded_len::<K, M>;
    fn count_ends(src: &[u8]) -> usize = kernel::count, or scalar::count;
}

/// Returns the maximum length in bytes of the varints of `count` values; `usize::MAX` if it does
/// not fit in a `usize`.
///
/// ```
/// assert_eq!(bytelane::varint::max_encoded_len::<i64>(3), 30);
/// ```
#[must_use]
#[inline]
pub const fn max_encoded_len<T: Integer>(count: usize) -> usize {
    count.saturating_mul(T::MAX_ENCODED_LEN)
}

/// Returns the number of bytes that [`encode`] writes.
///
/// ```
/// assert_eq!(bytelane::varint::encoded_len(&[0i32, -64, 64]), 1 + 1 + 2);
/// ```
#[must_use]
#[inline]
pub fn encoded_len<T: Integer>(values: &[T]) -> usize {
    T::list_len(values, Detected::active())
}

forms! {
    /// Writes the varints of a list of values to the front of `dst`. Returns the number of bytes, which
    /// is [`encoded_len`].
    ///
    /// `dst` needs no more room than that. If it is longer, bytes after the result may be overwritten.
    ///
    /// # Errors
    ///
    /// [`DestinationError`] if the result does not fit.
    ///
    /// ```
    /// let mut encoded = [0; 4];
    /// assert_eq!(bytelane::varint::encode(&[-1i64, 1000], &mut encoded)?, 3);
    /// assert_eq!(encoded[..3], [0x01, 0xd0, 0x0f]);
    /// # Ok::<(), bytelane::DestinationError>(())
    /// ```
    encode[T: Integer](values: &[T]) -> dst: [u8], DestinationError;
    encode_with: |backend| Encode { values, backend };
    ///
    /// ```
    /// let mut encoded = b"list".to_vec();
    /// bytelane::varint::encode_append(&[1u64, 128], &mut encoded);
    /// assert_eq!(encoded, b"list\x01\x80\x01");
    /// ```
    encode_append -> usize: encoded_len(values);
    encode_to_vec;
}

/// Returns the number of varints that end within `src`. Use it to find out how many values a packed
/// field of known length has, or how many values you can decode before you need more input.
///
/// It does not check whether the varints are well formed; [`decode`] does.
///
/// ```
/// assert_eq!(bytelane::varint::count(&[0x01, 0xac, 0x02, 0x80]), 2);
/// ```
#[must_use]
#[inline]
pub fn count(src: &[u8]) -> usize {
    count_ends(src, Detected::active())
}

forms! {
    /// Fills `values` with varints from the front of `src`. Returns the number of bytes read.
    ///
    /// # Errors
    ///
    /// [`Error`] for the first malformed varint, with the offset of its first byte. The contents of
    /// `values` are then unspecified.
    ///
    /// ```
    /// use bytelane::varint::{self, ErrorKind};
    ///
    /// let mut values = [0i32; 2];
    /// assert_eq!(varint::decode(&[0x03, 0x80, 0x01, 0x55], &mut values)?, 3);
    /// assert_eq!(values, [-2, 64]);
    ///
    /// let error = varint::decode(&[0x03, 0x80], &mut values).unwrap_err();
    /// assert_eq!((error.kind(), error.offset()), (ErrorKind::Truncated, Some(1)));
    /// # Ok::<(), varint::Error>(())
    /// ```
    decode[T: Integer](src: &[u8]) -> values: [T; count] and ("number of bytes read", usize), Error;
    decode_with: |backend| Decode::<T>::new(src, backend);
    ///
    /// Allocates nothing unless `src` has at least one byte per value: a count from an untrusted
    /// message costs at most `size_of::<T>()` times the length of the message in memory.
    ///
    /// ```
    /// let mut values = vec![7u32];
    /// assert_eq!(bytelane::varint::decode_append(&[0x01, 0xac, 0x02], 2, &mut values)?, 3);
    /// assert_eq!(values, [7, 1, 300]);
    /// # Ok::<(), bytelane::varint::Error>(())
    /// ```
    decode_append: check_count::<T>(src, count)?;
    decode_to_vec;
}

/// Reads one varint from the front of `src`. Returns the value and the number of bytes read.
///
/// # Errors
///
/// The same as [`decode`], with offset 0.
///
/// ```
/// assert_eq!(bytelane::varint::read::<u32>(&[0xac, 0x02, 0xff])?, (300, 2));
/// # Ok::<(), bytelane::varint::Error>(())
/// ```
#[inline]
pub fn read<T: Integer>(src: &[u8]) -> Result<(T, usize), Error> {
    match src.first() {
        Some(&byte) if byte < 0x80 => Ok((T::from_wire(u64::from(byte)), 1)),
        _ => {
            let (number, length) = scalar::read(src, 0, size_of::<T>())?;
            Ok((T::from_wire(number), length))
        }
    }
}

/// Writes one varint to the front of `dst`. Returns the number of bytes written.
///
/// # Errors
///
/// [`DestinationError`] if it does not fit.
///
/// ```
/// let mut encoded = [0; 5];
/// assert_eq!(bytelane::varint::write(300u32, &mut encoded)?, 2);
/// assert_eq!(encoded[..2], [0xac, 0x02]);
/// # Ok::<(), bytelane::DestinationError>(())
/// ```
#[inline]
pub fn write<T: Integer>(value: T, dst: &mut [u8]) -> Result<usize, DestinationError> {
    let (number, given) = (value.to_wire(), dst.len());
    let mut at = 0;
    let written = scalar::write(number, |byte| {
        *dst.get_mut(at)? = byte;
        at += 1;
        Some(())
    });
    match written {
        Some(()) => Ok(at),
        None => Err(DestinationError::new(scalar::length(number), given)),
    }
}

/// Returns the varint of a value as a little-endian number, and its length, if that is at most 7
/// bytes. For callers that write it together with preceding bytes, such as `bytelane-thrift`.
#[doc(hidden)]
#[inline(always)]
pub fn short<T: Integer>(value: T) -> Option<(u64, usize)> {
    // Most have up to three bytes.
    match value.to_wire() {
        number @ ..0x80 => Some((number, 1)),
        number @ ..0x4000 => Some((number & 0x7f | 0x80 | number >> 7 << 8, 2)),
        number @ ..0x20_0000 => {
            let middle = number << 1 & 0x7f00 | number >> 14 << 16;
            Some((number & 0x7f | 0x8080 | middle, 3))
        }
        number if number >> 49 == 0 => Some((scalar::word(number), scalar::length(number))),
        _ => None,
    }
}

/// Appends one varint to a `Vec`. Returns the number of bytes appended.
///
/// ```
/// let mut encoded = vec![];
/// assert_eq!(bytelane::varint::push(-1i32, &mut encoded), 1);
/// assert_eq!(encoded, [0x01]);
/// ```
#[cfg(feature = "alloc")]
#[inline]
pub fn push<T: Integer>(value: T, to: &mut Vec<u8>) -> usize {
    let before = to.len();
    let pushed = scalar::write(value.to_wire(), |byte| {
        to.push(byte);
        Some(())
    });
    pushed.expect("a `Vec` takes all bytes");
    to.len() - before
}

/// Checks that an input has at least one byte for each of `count` varints. Returns `count`.
#[cfg(feature = "alloc")]
fn check_count<T: Integer>(src: &[u8], count: usize) -> Result<usize, Error> {
    if count > src.len() {
        return Err(scalar::first_error(src, size_of::<T>()));
    }
    Ok(count)
}

/// Encodes values to varints.
pub(crate) struct Encode<'a, T> {
    values: &'a [T],
    backend: Detected,
}

impl<T: Integer> Fill for Encode<'_, T> {
    type Done = ();
    type Error = DestinationError;

    #[inline]
    fn fill(self, to: &mut [Slot]) -> Result<(usize, ()), DestinationError> {
        let Self { values, backend } = self;
        match T::encode_list(values, to, backend) {
            Some(length) => Ok((length, ())),
            None => Err(too_short(values, to.len())),
        }
    }
}

/// Counts with portable code: programs that never ask for a length need no kernels for it.
#[cold]
fn too_short<T: Integer>(values: &[T], given: usize) -> DestinationError {
    let lengths = values.iter().map(|value| scalar::length(value.to_wire()));
    DestinationError::new(lengths.sum(), given)
}

/// Decodes varints to values, until the destination is full.
pub(crate) struct Decode<'a, T> {
    src: &'a [u8],
    backend: Detected,
    values: PhantomData<T>,
}

impl<'a, T: Integer> Decode<'a, T> {
    #[inline]
    fn new(src: &'a [u8], backend: Detected) -> Self {
        Self {
            src,
            backend,
            values: PhantomData,
        }
    }
}

impl<T: Integer> Fill for Decode<'_, T> {
    /// Number of bytes read.
    type Done = usize;
    type Error = Error;

    #[inline]
    fn fill(self, to: &mut [Slot]) -> Result<(usize, usize), Error> {
        let read = T::decode_list(self.src, to, self.backend)?;
        Ok((to.len() - to.len() % size_of::<T>(), read))
    }
}

//! Varints: integers in groups of seven bits, least significant group first, the high bit of each
//! byte telling that another one follows. LEB128; what Thrift's compact protocol and protobuf's
//! packed fields are made of.
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
//! # Ok::<(), varint::Error>(())
//! ```
//!
//! `u32` and `u64` are written as they are, in at most 5 and 10 bytes. `i32` and `i64` are mapped
//! to them by *zigzag* first, so that small negative numbers become short: 0, -1, 1, -2 .. become
//! 0, 1, 2, 3 .. (Thrift's integers, protobuf's `sint32` and `sint64`). Protobuf's `int32` and
//! `int64` know no zigzag and are the `u64` of the sign-extended number.
//!
//! # What is accepted
//!
//! Encoders write the shortest form. Decoders also take longer ones whose last groups are zero,
//! such as `80 00` for 0, as long as they stay within the 5 or 10 bytes of the type: the readers of
//! Thrift and protobuf do, and writers that patch a length in later rely on it. Everything else is
//! an [`Error`] that says where the bad varint begins: one that the input cuts off, one of more
//! than 5 or 10 bytes, one that does not fit its type because the last byte that it may have has
//! more than the 4 bits (`u32`) or the 1 bit (`u64`) that are left.
//!
//! All functions take time linear in the number of bytes and values. Those on slices allocate
//! nothing; lists need no padding, and nothing outside the slices is read or written.
//!
//! Sources: [protobuf, "Encoding", Base 128 Varints](https://protobuf.dev/programming-guides/encoding/#varints);
//! [Thrift compact protocol encoding](https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md#integer-encoding).

#[cfg(all(target_arch = "x86_64", target_endian = "little"))]
mod avx2;
#[cfg(all(target_arch = "x86_64", target_endian = "little"))]
mod avx512;
mod error;
mod kernel;
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
mod neon;
mod scalar;
#[cfg(all(target_arch = "x86_64", target_endian = "little"))]
mod sse41;
#[cfg(all(
    any(target_arch = "x86_64", target_arch = "aarch64"),
    target_endian = "little"
))]
mod tables;

pub use error::Error;

use crate::backend::dispatch;
use crate::memory::{self, Slot};
use crate::{Backend, Unavailable, Value};
#[cfg(feature = "alloc")]
use alloc::vec::Vec;

/// An integer that has a form as a varint: `u32`, `u64`, and by zigzag `i32` and `i64`.
pub trait Integer: Value + wire::Wire {
    /// The most bytes that its varint has: 5 or 10.
    const MAX_ENCODED_LEN: usize;
}

mod wire {
    /// The number whose groups of seven bits are written.
    pub trait Wire {
        /// Whether zigzag maps the integer to it.
        const ZIGZAG: bool;

        fn to_wire(self) -> u64;

        /// From a number that has no more bits than the type.
        fn from_wire(number: u64) -> Self;
    }
}

macro_rules! integers {
    ($($Plain:ident $Zigzag:ident $most:literal)*) => { $(
        impl Integer for $Plain {
            const MAX_ENCODED_LEN: usize = $most;
        }
        impl wire::Wire for $Plain {
            const ZIGZAG: bool = false;

            #[inline(always)]
            fn to_wire(self) -> u64 {
                u64::from(self)
            }

            #[inline(always)]
            fn from_wire(number: u64) -> Self {
                number as $Plain
            }
        }
        impl Integer for $Zigzag {
            const MAX_ENCODED_LEN: usize = $most;
        }
        impl wire::Wire for $Zigzag {
            const ZIGZAG: bool = true;

            #[inline(always)]
            fn to_wire(self) -> u64 {
                u64::from((self << 1 ^ self >> ($Zigzag::BITS - 1)).cast_unsigned())
            }

            #[inline(always)]
            fn from_wire(number: u64) -> Self {
                ((number >> 1) ^ (number & 1).wrapping_neg()) as $Zigzag
            }
        }
    )* };
}
integers! { u32 i32 5 u64 i64 10 }

/// How values are mapped to the numbers that are written. A type, so that it is chosen once a list.
pub(crate) trait Mapping: Copy {
    const ZIGZAG: bool;
}

#[derive(Clone, Copy)]
pub(crate) struct Plain;
impl Mapping for Plain {
    const ZIGZAG: bool = false;
}

#[derive(Clone, Copy)]
pub(crate) struct Zigzag;
impl Mapping for Zigzag {
    const ZIGZAG: bool = true;
}

/// Bytes that an encoder of eight values may write: 80 that may be needed, 8 behind the last
/// varint, and what makes 7 bits of offset enough.
pub(crate) const ENCODE_ROOM: usize = 144;

/// Bytes that a decoder of the varints that begin in 64 bytes may look at: the last of them and
/// the one behind it have 16 bytes.
pub(crate) const WINDOW: usize = 80;

/// The most bytes that a window's varints may have, of those numbers that make a difference.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Longest {
    Two,
    Four,
    Eight,
    Ten,
}

/// What instruction sets differ in, for values of `K` bytes, 4 or 8.
pub(crate) trait Varints<const K: usize>: Copy {
    /// One bit a byte, the first the lowest: whether the byte ends a varint, its high bit being 0.
    fn ends(self, bytes: &[u8; 64]) -> u64;

    /// The values of 64 varints of one byte.
    fn widen<M: Mapping>(self, bytes: &[u8; 64], values: &mut [[Slot; K]; 64]);

    /// If each of 64 values has a varint of one byte, writes those and returns true.
    fn narrow<M: Mapping>(self, values: &[[u8; K]; 64], bytes: &mut [Slot; 64]) -> bool;

    /// The values of the varints that begin where `begins` has a bit, as in [`ends`](Self::ends),
    /// at least one. Each is whole, within the first 64 bytes, and none is longer than `longest`.
    /// There are at least 16 values more; writes what it likes to those.
    ///
    /// Returns whether all fit their type. It may be false where bytes behind the varints would not
    /// fit.
    fn decode<M: Mapping>(
        self,
        window: &[u8; WINDOW],
        begins: u64,
        longest: Longest,
        values: &mut [[Slot; K]],
    ) -> bool;

    /// The varints of 8 values; returns their length. Writes what it likes behind them.
    fn encode<M: Mapping>(self, values: &[[u8; K]; 8], to: &mut [Slot; ENCODE_ROOM]) -> usize;
}

dispatch! {
    fn encode_fixed<const K: usize>(values: &[[u8; K]], zigzag: bool, to: &mut [Slot]) -> Result<Option<usize>, Unavailable> = kernel::encode::<K, _>;
    fn decode_fixed<const K: usize>(src: &[u8], zigzag: bool, values: &mut [[Slot; K]]) -> Result<usize, Error> = kernel::decode::<K, _>;
    fn count_fixed(src: &[u8]) -> Result<usize, Unavailable> = kernel::count;
    fn encoded_len_fixed<const K: usize>(values: &[[u8; K]], zigzag: bool) -> Result<usize, Unavailable> = kernel::encoded_len::<K, _>;
}

/// The most bytes that the varints of `count` values of a type have; `usize::MAX` if a `usize`
/// does not hold it.
///
/// ```
/// assert_eq!(bytelane::varint::max_encoded_len::<i64>(3), 30);
/// ```
#[must_use]
#[inline]
pub const fn max_encoded_len<T: Integer>(count: usize) -> usize {
    count.saturating_mul(T::MAX_ENCODED_LEN)
}

/// The number of bytes that [`encode`] writes.
///
/// ```
/// assert_eq!(bytelane::varint::encoded_len(&[0i32, -64, 64]), 1 + 1 + 2);
/// ```
#[must_use]
#[inline]
pub fn encoded_len<T: Integer>(values: &[T]) -> usize {
    let length = encoded_len_with(Backend::active(), values);
    length.unwrap_or_else(|_| scalar::encoded_len(values))
}

/// [`encoded_len`] on a backend of the caller's choice.
///
/// # Errors
///
/// [`Error::Unavailable`].
#[inline]
pub fn encoded_len_with<T: Integer>(backend: Backend, values: &[T]) -> Result<usize, Error> {
    let bytes = memory::bytes(values);
    let length = match (backend, size_of::<T>()) {
        (Backend::Scalar, _) => return Ok(scalar::encoded_len(values)),
        (_, 4) => encoded_len_fixed::<4>(backend, bytes.as_chunks().0, T::ZIGZAG),
        _ => encoded_len_fixed::<8>(backend, bytes.as_chunks().0, T::ZIGZAG),
    };
    Ok(length?)
}

/// Writes the varints of a list of values and returns the number of bytes, which is
/// [`encoded_len`].
///
/// `dst` needs no more room than that; if it has more, bytes behind the result may be overwritten.
///
/// # Errors
///
/// [`Error::Destination`] if the result does not fit; what `dst` holds then is unspecified.
///
/// ```
/// let mut encoded = [0; 4];
/// assert_eq!(bytelane::varint::encode(&[-1i64, 1000], &mut encoded)?, 3);
/// assert_eq!(encoded[..3], [0x01, 0xd0, 0x0f]);
/// # Ok::<(), bytelane::varint::Error>(())
/// ```
#[inline]
pub fn encode<T: Integer>(values: &[T], dst: &mut [u8]) -> Result<usize, Error> {
    encode_with(Backend::active(), values, dst)
}

/// [`encode`] on a backend of the caller's choice.
///
/// # Errors
///
/// Those of [`encode`], and [`Error::Unavailable`].
#[inline]
pub fn encode_with<T: Integer>(
    backend: Backend,
    values: &[T],
    dst: &mut [u8],
) -> Result<usize, Error> {
    encode_slots(backend, values, memory::slots(dst))
}

/// Appends the varints of a list of values to a `Vec`, whose new part is written once, not zeroed
/// before, and returns the number of bytes.
///
/// ```
/// let mut encoded = b"list".to_vec();
/// bytelane::varint::encode_into_vec(&[1u64, 128], &mut encoded);
/// assert_eq!(encoded, b"list\x01\x80\x01");
/// ```
#[cfg(feature = "alloc")]
#[inline]
pub fn encode_into_vec<T: Integer>(values: &[T], dst: &mut Vec<u8>) -> usize {
    let length = encode_into_vec_with(Backend::active(), values, dst);
    length.expect("the active backend is available, and there is room")
}

/// [`encode_into_vec`] on a backend of the caller's choice.
///
/// # Errors
///
/// [`Error::Unavailable`]; the `Vec` is as it was then.
#[cfg(feature = "alloc")]
#[inline]
pub fn encode_into_vec_with<T: Integer>(
    backend: Backend,
    values: &[T],
    dst: &mut Vec<u8>,
) -> Result<usize, Error> {
    let needed = encoded_len_with(backend, values)?;
    memory::append(dst, needed, |to| encode_slots(backend, values, to))
}

#[inline]
fn encode_slots<T: Integer>(
    backend: Backend,
    values: &[T],
    to: &mut [Slot],
) -> Result<usize, Error> {
    let given = to.len();
    let bytes = memory::bytes(values);
    let length = match (backend, size_of::<T>()) {
        (Backend::Scalar, _) => scalar::encode(values, to),
        (_, 4) => encode_fixed::<4>(backend, bytes.as_chunks().0, T::ZIGZAG, to)?,
        _ => encode_fixed::<8>(backend, bytes.as_chunks().0, T::ZIGZAG, to)?,
    };
    length.ok_or_else(|| Error::Destination {
        needed: encoded_len(values),
        given,
    })
}

/// The number of varints that end within `src`: how many values a packed field has whose length
/// in bytes is known, and how many of them a reader can decode before it needs more input.
///
/// Whether they are well formed is [`decode`]'s to find out.
///
/// ```
/// assert_eq!(bytelane::varint::count(&[0x01, 0xac, 0x02, 0x80]), 2);
/// ```
#[must_use]
#[inline]
pub fn count(src: &[u8]) -> usize {
    let count = count_with(Backend::active(), src);
    count.unwrap_or_else(|_| scalar::count(src))
}

/// [`count`] on a backend of the caller's choice.
///
/// # Errors
///
/// [`Error::Unavailable`].
#[inline]
pub fn count_with(backend: Backend, src: &[u8]) -> Result<usize, Error> {
    match backend {
        Backend::Scalar => Ok(scalar::count(src)),
        _ => Ok(count_fixed(backend, src)?),
    }
}

/// Reads as many varints as `values` takes from the front of `src` and returns the number of bytes
/// that they have.
///
/// # Errors
///
/// [`Error::Truncated`], [`Error::Overlong`] or [`Error::Overflow`] for the first varint that is
/// none, with the offset of its first byte. What `values` holds then is unspecified.
///
/// ```
/// use bytelane::varint::{self, Error};
///
/// let mut values = [0i32; 2];
/// assert_eq!(varint::decode(&[0x03, 0x80, 0x01, 0x55], &mut values)?, 3);
/// assert_eq!(values, [-2, 64]);
/// assert_eq!(varint::decode(&[0x03, 0x80], &mut values), Err(Error::Truncated { offset: 1 }));
/// # Ok::<(), Error>(())
/// ```
#[inline]
pub fn decode<T: Integer>(src: &[u8], values: &mut [T]) -> Result<usize, Error> {
    decode_with(Backend::active(), src, values)
}

/// [`decode`] on a backend of the caller's choice.
///
/// # Errors
///
/// Those of [`decode`], and [`Error::Unavailable`].
#[inline]
pub fn decode_with<T: Integer>(
    backend: Backend,
    src: &[u8],
    values: &mut [T],
) -> Result<usize, Error> {
    decode_slots::<T>(backend, src, memory::slots(memory::bytes_mut(values)))
}

/// Appends `count` values, read from the front of `src`, to a `Vec`, whose new part is written
/// once, not zeroed before. Returns the number of bytes read.
///
/// Allocates nothing unless `src` has a byte for each value: a count out of an untrusted message
/// costs no more memory than `size_of::<T>()` times the message.
///
/// # Errors
///
/// Those of [`decode`]; the `Vec` holds what it did then.
///
/// ```
/// let mut values = vec![7u32];
/// assert_eq!(bytelane::varint::decode_into_vec(&[0x01, 0xac, 0x02], 2, &mut values)?, 3);
/// assert_eq!(values, [7, 1, 300]);
/// # Ok::<(), bytelane::varint::Error>(())
/// ```
#[cfg(feature = "alloc")]
#[inline]
pub fn decode_into_vec<T: Integer>(
    src: &[u8],
    count: usize,
    values: &mut Vec<T>,
) -> Result<usize, Error> {
    decode_into_vec_with(Backend::active(), src, count, values)
}

/// [`decode_into_vec`] on a backend of the caller's choice.
///
/// # Errors
///
/// Those of [`decode_into_vec`], and [`Error::Unavailable`].
#[cfg(feature = "alloc")]
pub fn decode_into_vec_with<T: Integer>(
    backend: Backend,
    src: &[u8],
    count: usize,
    values: &mut Vec<T>,
) -> Result<usize, Error> {
    if count > src.len() {
        return Err(scalar::first_error::<T>(src));
    }
    let mut read = 0;
    memory::append(values, count, |to| {
        read = decode_slots::<T>(backend, src, to)?;
        Ok::<_, Error>(count)
    })?;
    Ok(read)
}

#[inline]
fn decode_slots<T: Integer>(backend: Backend, src: &[u8], to: &mut [Slot]) -> Result<usize, Error> {
    match (backend, size_of::<T>()) {
        (Backend::Scalar, 4) => scalar::decode::<T, 4>(src, to.as_chunks_mut().0),
        (Backend::Scalar, _) => scalar::decode::<T, 8>(src, to.as_chunks_mut().0),
        (_, 4) => decode_fixed::<4>(backend, src, T::ZIGZAG, to.as_chunks_mut().0),
        _ => decode_fixed::<8>(backend, src, T::ZIGZAG, to.as_chunks_mut().0),
    }
}

/// Reads one varint from the front of `src`: the value and the number of bytes that it has.
///
/// # Errors
///
/// Those of [`decode`], with offset 0.
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

/// Writes one varint to the front of `dst` and returns the number of bytes that it has.
///
/// # Errors
///
/// [`Error::Destination`] if it does not fit; what `dst` holds then is unspecified.
///
/// ```
/// let mut encoded = [0; 5];
/// assert_eq!(bytelane::varint::write(300u32, &mut encoded)?, 2);
/// assert_eq!(encoded[..2], [0xac, 0x02]);
/// # Ok::<(), bytelane::varint::Error>(())
/// ```
#[inline]
pub fn write<T: Integer>(value: T, dst: &mut [u8]) -> Result<usize, Error> {
    let given = dst.len();
    let length = scalar::write(value.to_wire(), memory::slots(dst), 0);
    length.ok_or_else(|| Error::Destination {
        needed: scalar::length(value.to_wire()),
        given,
    })
}

/// Appends one varint to a `Vec` and returns the number of bytes that it has.
///
/// ```
/// let mut encoded = vec![];
/// assert_eq!(bytelane::varint::push(-1i32, &mut encoded), 1);
/// assert_eq!(encoded, [0x01]);
/// ```
#[cfg(feature = "alloc")]
#[inline]
pub fn push<T: Integer>(value: T, dst: &mut Vec<u8>) -> usize {
    let mut number = value.to_wire();
    let before = dst.len();
    while number > 0x7f {
        dst.push(number as u8 | 0x80);
        number >>= 7;
    }
    dst.push(number as u8);
    dst.len() - before
}

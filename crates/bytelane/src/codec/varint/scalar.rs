//! The specification, written down. Protobuf's encoding guide says:
//!
//! > Each byte in the varint has a continuation bit that indicates if the byte that follows it is
//! > part of the varint. This is the most significant bit (MSB) of the byte. The lower 7 bits are a
//! > payload; the resulting integer is built by appending together the 7-bit payloads of its
//! > constituent bytes. [..] 7-bit payloads are in little-endian order.
#![forbid(unsafe_code)]

use super::{Error, Integer};
use crate::memory::{self, Slot};

/// Writes the varint of one number at `at`; returns where it ends, nothing if it does not fit.
#[inline(always)]
pub(super) fn write(mut number: u64, to: &mut [Slot], mut at: usize) -> Option<usize> {
    while number > 0x7f {
        *to.get_mut(at)? = Slot::new(number as u8 | 0x80);
        number >>= 7;
        at += 1;
    }
    *to.get_mut(at)? = Slot::new(number as u8);
    Some(at + 1)
}

/// Reads the varint of a number of `width` bytes at `offset`: the number, and where it ends.
#[inline(always)]
pub(super) fn read(src: &[u8], offset: usize, width: usize) -> Result<(u64, usize), Error> {
    let bits = 8 * width as u32;
    let mut number = 0;
    let mut at = offset;
    for shift in (0..bits).step_by(7) {
        let Some(&byte) = src.get(at) else {
            return Err(Error::Truncated { offset });
        };
        at += 1;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            if bits - shift < 7 && byte >> (bits - shift) != 0 {
                return Err(Error::Overflow { offset });
            }
            return Ok((number, at));
        }
    }
    Err(Error::Overlong { offset })
}

/// The number of bytes of a number's varint: one for each seven bits begun.
#[inline(always)]
pub(super) fn length(number: u64) -> usize {
    let bits = 64 - (number | 1).leading_zeros();
    bits.div_ceil(7) as usize
}

#[inline(never)]
pub(super) fn encoded_len<T: Integer>(values: &[T]) -> usize {
    values.iter().map(|value| length(value.to_wire())).sum()
}

#[inline(never)]
pub(super) fn encode<T: Integer>(values: &[T], to: &mut [Slot]) -> Option<usize> {
    let mut at = 0;
    for &value in values {
        at = write(value.to_wire(), to, at)?;
    }
    Some(at)
}

#[inline(never)]
pub(super) fn count(src: &[u8]) -> usize {
    src.iter().filter(|&&byte| byte < 0x80).count()
}

/// Reads as many values as there is room for; `K` is the size of `T`.
#[inline(never)]
pub(super) fn decode<T: Integer, const K: usize>(
    src: &[u8],
    values: &mut [[Slot; K]],
) -> Result<usize, Error> {
    let mut at = 0;
    for to in values {
        let (number, end) = read(src, at, K)?;
        let value = [T::from_wire(number)];
        let bytes = memory::bytes(&value).as_array();
        memory::write(to, *bytes.expect("the size of the type"));
        at = end;
    }
    Ok(at)
}

/// The error of reading more values than `src` has bytes.
#[cfg(feature = "alloc")]
#[cold]
pub(super) fn first_error<T: Integer>(src: &[u8]) -> Error {
    let mut at = 0;
    loop {
        match read(src, at, size_of::<T>()) {
            Ok((_, end)) => at = end,
            Err(error) => return error,
        }
    }
}

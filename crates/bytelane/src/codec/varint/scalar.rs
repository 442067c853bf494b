//! The specification as code. Protobuf's encoding guide says:
//!
//! > Each byte in the varint has a continuation bit that indicates if the byte that follows it is
//! > part of the varint. This is the most significant bit (MSB) of the byte. The lower 7 bits are a
//! > payload; the resulting integer is built by appending together the 7-bit payloads of its
//! > constituent bytes. [..] 7-bit payloads are in little-endian order.
#![forbid(unsafe_code)]

use super::mapping::{from_wire, to_wire};
use super::{Error, ErrorKind, Mapping};
use crate::memory::{self, Slot};

/// Passes the bytes of a number's varint to `put`, for as long as it accepts them.
#[inline(always)]
pub(super) fn write(mut number: u64, mut put: impl FnMut(u8) -> Option<()>) -> Option<()> {
    while number > 0x7f {
        put(number as u8 | 0x80)?;
        number >>= 7;
    }
    put(number as u8)
}

/// Returns the varint of a number below 2⁵⁶, as a little-endian number. Not inlined: the compiler
/// would compute it before it knows that the number is large.
#[inline(never)]
pub(super) fn word(number: u64) -> u64 {
    debug_assert!(number >> 56 == 0);
    // Move groups of 28, 14 and 7 bits to the bytes where they belong.
    let halves = number & 0x0fff_ffff | (number & 0x00ff_ffff_f000_0000) << 4;
    let quarters = halves & 0x0000_3fff_0000_3fff | (halves & 0x0fff_c000_0fff_c000) << 2;
    let groups = quarters & 0x007f_007f_007f_007f | (quarters & 0x3f80_3f80_3f80_3f80) << 1;
    // Each byte but the last is followed by another.
    let before_last = (1 << (8 * (length(number) - 1))) - 1;
    groups | 0x8080_8080_8080_8080 & before_last
}

/// Reads the varint of a number of `width` bytes at `offset`. Returns the number, and the offset
/// after it.
#[inline(always)]
pub(super) fn read(src: &[u8], offset: usize, width: usize) -> Result<(u64, usize), Error> {
    let bits = 8 * width as u32;
    let mut number = 0;
    let mut at = offset;
    for shift in (0..bits).step_by(7) {
        let Some(&byte) = src.get(at) else {
            return Err(Error::at(offset, ErrorKind::Truncated));
        };
        at += 1;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            if bits - shift < 7 && byte >> (bits - shift) != 0 {
                return Err(Error::at(offset, ErrorKind::Overflow));
            }
            return Ok((number, at));
        }
    }
    Err(Error::at(offset, ErrorKind::Overlong))
}

/// Returns the length in bytes of a number's varint: one byte for each seven bits, rounded up.
#[inline(always)]
pub(super) fn length(number: u64) -> usize {
    let bits = 64 - (number | 1).leading_zeros();
    bits.div_ceil(7) as usize
}

#[inline(never)]
pub(super) fn encoded_len<const K: usize, M: Mapping>(values: &[[u8; K]]) -> usize {
    let lengths = values.iter().map(|value| length(to_wire::<K, M>(*value)));
    lengths.sum()
}

/// Returns the offset after the last varint, or `None` if there is not enough room.
#[inline(never)]
pub(super) fn encode<const K: usize, M: Mapping>(
    values: &[[u8; K]],
    to: &mut [Slot],
) -> Option<usize> {
    let mut at = 0;
    for value in values {
        write(to_wire::<K, M>(*value), |byte| {
            *to.get_mut(at)? = Slot::new(byte);
            at += 1;
            Some(())
        })?;
    }
    Some(at)
}

#[inline(never)]
pub(super) fn count(src: &[u8]) -> usize {
    src.iter().filter(|&&byte| byte < 0x80).count()
}

/// Reads values until the destination is full. Returns the offset after the last varint.
#[inline(always)]
pub(super) fn decode<const K: usize, M: Mapping>(
    src: &[u8],
    values: &mut [[Slot; K]],
) -> Result<usize, Error> {
    decode_from::<K, M>(src, 0, values)
}

/// Same as [`decode`], starting at `at`.
#[inline(never)]
pub(super) fn decode_from<const K: usize, M: Mapping>(
    src: &[u8],
    mut at: usize,
    values: &mut [[Slot; K]],
) -> Result<usize, Error> {
    for to in values {
        let (number, end) = read(src, at, K)?;
        memory::write(to, from_wire::<K, M>(number));
        at = end;
    }
    Ok(at)
}

/// Returns the error for a request of more values than `src` has bytes.
#[cfg(feature = "alloc")]
#[cold]
pub(super) fn first_error(src: &[u8], width: usize) -> Error {
    let mut at = 0;
    loop {
        match read(src, at, width) {
            Ok((_, end)) => at = end,
            Err(error) => return error,
        }
    }
}

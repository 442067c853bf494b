//! The specification as code. Lemire, Kurz, Rupp, "Stream VByte: Faster Byte-Oriented Integer
//! Compression", section 3; the other lengths, differences and zigzag follow the C library
//! `streamvbyte` and the crate `streamvbyte64`.
//!
//! Two bits of control byte `i / 4` are the code of the length of value `i`, with the lowest bits
//! for the first of four values. The data of the value are its lowest bytes, as many as this
//! length, lowest first, directly after the data of the previous value.
#![forbid(unsafe_code)]

use super::coding::Coding;
use crate::memory::{self, Slot};
use crate::simd::{window, window_mut};

impl Coding {
    /// Converts a number modulo the range of the values to a 64-bit number, signed or unsigned.
    fn signed(self, number: u64) -> i64 {
        let above = 64 - 8 * self.width();
        (number << above) as i64 >> above
    }

    fn unsigned(self, number: u64) -> u64 {
        let above = 64 - 8 * self.width();
        number << above >> above
    }

    /// Returns the number stored for a value: the value, its difference from the previous one, or
    /// zigzag of either.
    pub(super) fn stored(self, value: u64, previous: u64) -> u64 {
        let number = if self.transform.delta() {
            value.wrapping_sub(previous)
        } else {
            value
        };
        if self.transform.zigzag() {
            let number = self.signed(number);
            self.unsigned((number << 1 ^ number >> 63) as u64)
        } else {
            self.unsigned(number)
        }
    }

    /// Returns the value of a stored number.
    fn restored(self, stored: u64, previous: u64) -> u64 {
        let number = if self.transform.zigzag() {
            stored >> 1 ^ (stored & 1).wrapping_neg()
        } else {
            stored
        };
        self.unsigned(if self.transform.delta() {
            number.wrapping_add(previous)
        } else {
            number
        })
    }

    /// Returns the lowest code whose length holds the number.
    pub(super) fn code(self, stored: u64) -> usize {
        let bytes = (u64::BITS - stored.leading_zeros()).div_ceil(8) as usize;
        let fits = |&length: &usize| length >= bytes;
        self.variant.lengths().iter().position(fits).unwrap_or(3)
    }
}

/// Returns the length in bytes of the data of value `i`.
pub(super) fn length(coding: Coding, controls: &[u8], i: usize) -> usize {
    coding.variant.lengths()[usize::from(controls[i / 4] >> (2 * (i % 4)) & 3)]
}

/// Returns the value of these data.
pub(super) fn value(coding: Coding, data: &[u8], previous: u64) -> u64 {
    let mut stored = [0; 8];
    stored[..data.len()].copy_from_slice(data);
    coding.restored(u64::from_le_bytes(stored), previous)
}

/// Reads a value from its 4 or 8 bytes in this machine's byte order.
pub(super) fn get(from: &[u8]) -> u64 {
    match from.len() {
        4 => u64::from(u32::from_ne_bytes(*window(from, 0))),
        _ => u64::from_ne_bytes(*window(from, 0)),
    }
}

/// Writes a value as its 4 or 8 bytes in this machine's byte order.
pub(super) fn put(to: &mut [Slot], value: u64) {
    match to.len() {
        4 => memory::write(window_mut(to, 0), (value as u32).to_ne_bytes()),
        _ => memory::write(window_mut(to, 0), value.to_ne_bytes()),
    }
}

/// Encodes values. Returns the number of bytes of data written, or `None` if there was not enough
/// room.
#[inline(never)]
pub(super) fn encode(
    coding: Coding,
    values: &[u8],
    start: u64,
    controls: &mut [Slot],
    data: &mut [Slot],
) -> Option<usize> {
    let (mut previous, mut at) = (start, 0);
    for (four, control) in values.chunks(4 * coding.width()).zip(controls) {
        let mut codes = 0;
        for (i, value) in four.chunks_exact(coding.width()).map(get).enumerate() {
            let stored = coding.stored(value, previous);
            let code = coding.code(stored);
            let length = coding.variant.lengths()[code];
            memory::copy(
                data.get_mut(at..at + length)?,
                &stored.to_le_bytes()[..length],
            );
            codes |= (code as u8) << (2 * i);
            at += length;
            previous = value;
        }
        control.write(codes);
    }
    Some(at)
}

/// Decodes values. Returns the number of bytes of data used, or `None` if there were too few.
/// `previous` is the value before the first one on entry, and the last value on return.
pub(super) fn decode(
    coding: Coding,
    controls: &[u8],
    data: &[u8],
    values: &mut [Slot],
    previous: &mut u64,
) -> Option<usize> {
    decode_from(coding, (controls, 0), data, values, previous)
}

/// Same as [`decode`], starting at a given code in the control bytes.
#[inline(never)]
pub(super) fn decode_from(
    coding: Coding,
    (controls, first): (&[u8], usize),
    data: &[u8],
    values: &mut [Slot],
    previous: &mut u64,
) -> Option<usize> {
    let mut at = 0;
    for (i, to) in values.chunks_exact_mut(coding.width()).enumerate() {
        let length = length(coding, controls, first + i);
        *previous = value(coding, data.get(at..at + length)?, *previous);
        put(to, *previous);
        at += length;
    }
    Some(at)
}

/// Returns the length in bytes of the data of these values.
#[inline(never)]
pub(super) fn encoded_data_len(coding: Coding, values: &[u8], start: u64) -> usize {
    let (mut previous, mut total) = (start, 0);
    for value in values.chunks_exact(coding.width()).map(get) {
        total += coding.variant.lengths()[coding.code(coding.stored(value, previous))];
        previous = value;
    }
    total
}

/// Returns the length in bytes of the data of `count` values, from their codes.
#[inline(never)]
pub(super) fn decoded_data_len(coding: Coding, controls: &[u8], count: usize) -> u64 {
    (0..count).map(|i| length(coding, controls, i) as u64).sum()
}

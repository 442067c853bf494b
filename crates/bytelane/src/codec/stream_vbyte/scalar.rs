//! The specification, written down. Lemire, Kurz, Rupp, "Stream VByte: Faster Byte-Oriented
//! Integer Compression", section 3; the other lengths, differences and zigzag as the C library
//! `streamvbyte` and the crate `streamvbyte64` have them.
//!
//! Value `i` has two bits of control byte `i / 4`, the lowest for the first of four: the code of
//! its length. Its data are as many of its bytes, the lowest first, right behind those of the
//! value before.
#![forbid(unsafe_code)]

use super::{Format, Integer};
use crate::memory::{self, Slot};

impl<T: Integer> Format<T> {
    /// What is stored for a value: the value, its difference from the one before, zigzag of either.
    fn stored(&self, value: T, previous: T) -> u64 {
        let value = if self.delta {
            value.minus(previous)
        } else {
            value
        };
        if self.zigzag {
            value.zigzag()
        } else {
            value.bits()
        }
    }

    /// The value for what is stored.
    pub(super) fn restored(&self, stored: u64, previous: T) -> T {
        let value = if self.zigzag {
            T::unzigzag(stored)
        } else {
            T::of_bits(stored)
        };
        if self.delta {
            value.plus(previous)
        } else {
            value
        }
    }

    /// The lowest code whose length holds the number.
    fn code(&self, stored: u64) -> usize {
        let bytes = (u64::BITS - stored.leading_zeros()).div_ceil(8) as usize;
        let fits = |&length: &usize| length >= bytes;
        self.variant.lengths().iter().position(fits).unwrap_or(3)
    }
}

/// The code of value `i`.
pub(super) fn code(controls: &[u8], i: usize) -> usize {
    usize::from(controls[i / 4] >> (2 * (i % 4)) & 3)
}

/// Returns the bytes of data written, or nothing if there was too little room.
#[inline(never)]
pub(super) fn encode<T: Integer>(
    format: &Format<T>,
    values: &[T],
    controls: &mut [Slot],
    data: &mut [Slot],
) -> Option<usize> {
    let (mut previous, mut at) = (format.start, 0);
    for (four, control) in values.chunks(4).zip(controls) {
        let mut codes = 0;
        for (i, &value) in four.iter().enumerate() {
            let stored = format.stored(value, previous);
            let code = format.code(stored);
            let length = format.variant.lengths()[code];
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

/// Returns the bytes of data used, or nothing if there were too few.
#[inline(never)]
pub(super) fn decode<T: Integer>(
    format: &Format<T>,
    controls: &[u8],
    data: &[u8],
    values: &mut [Slot],
) -> Option<usize> {
    let (mut previous, mut at) = (format.start, 0);
    for (i, to) in values.chunks_exact_mut(size_of::<T>()).enumerate() {
        let length = format.variant.lengths()[code(controls, i)];
        let mut stored = [0; 8];
        stored[..length].copy_from_slice(data.get(at..at + length)?);
        previous = format.restored(u64::from_le_bytes(stored), previous);
        memory::copy(to, memory::bytes(&[previous]));
        at += length;
    }
    Some(at)
}

/// How many bytes the data of values has.
#[inline(never)]
pub(super) fn encoded_data_len<T: Integer>(format: &Format<T>, values: &[T]) -> usize {
    let (mut previous, mut total) = (format.start, 0);
    for &value in values {
        total += format.variant.lengths()[format.code(format.stored(value, previous))];
        previous = value;
    }
    total
}

/// How many bytes of data the codes of `count` values say.
#[inline(never)]
pub(super) fn decoded_data_len<T: Integer>(
    format: &Format<T>,
    controls: &[u8],
    count: usize,
) -> u64 {
    let length = |i| format.variant.lengths()[code(controls, i)] as u64;
    (0..count).map(length).sum()
}

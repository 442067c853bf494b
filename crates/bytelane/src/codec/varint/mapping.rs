//! Mapping of values to the numbers stored for them.
#![forbid(unsafe_code)]

use crate::simd::window;

/// Mapping of values to the numbers stored for them. It is a type, so that the choice is made once
/// per list.
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

/// Returns the number stored for a value of `K` bytes, 4 or 8, in this machine's byte order.
#[inline(always)]
pub(super) fn to_wire<const K: usize, M: Mapping>(value: [u8; K]) -> u64 {
    let number = match K {
        4 => u64::from(u32::from_ne_bytes(*window(&value, 0))),
        _ => u64::from_ne_bytes(*window(&value, 0)),
    };
    let unused = 64 - 8 * K;
    let sign = ((number << unused).cast_signed() >> 63).cast_unsigned();
    if M::ZIGZAG {
        (number << 1 ^ sign) & (!0 >> unused)
    } else {
        number
    }
}

/// Returns the value of a stored number, which has at most `8 K` bits.
#[inline(always)]
pub(super) fn from_wire<const K: usize, M: Mapping>(number: u64) -> [u8; K] {
    let value = if M::ZIGZAG {
        number >> 1 ^ (number & 1).wrapping_neg()
    } else {
        number
    };
    match K {
        4 => *window(&(value as u32).to_ne_bytes(), 0),
        _ => *window(&value.to_ne_bytes(), 0),
    }
}

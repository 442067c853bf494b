//! Bit positions of values, and the mapping of bits to values.
#![forbid(unsafe_code)]

use crate::simd::window;

/// Layout of packed values, without their type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Layout {
    /// Number of bits per value.
    pub(crate) width: usize,
    /// Number subtracted from values before they are packed, modulo the size of their type.
    pub(crate) reference: u64,
    /// True if values are mapped by zigzag. There is no reference then.
    pub(crate) zigzag: bool,
}

impl Layout {
    /// Returns the same positions for bits without a mapping.
    #[inline(always)]
    pub(crate) fn of_bits(self) -> Self {
        Self {
            width: self.width,
            reference: 0,
            zigzag: false,
        }
    }

    /// Returns a mask of the bits that a packed value may have.
    #[inline(always)]
    pub(crate) fn mask(self) -> u64 {
        low_bits(self.width)
    }

    /// Returns the size of `count` values in bytes; `None` if that is more than a slice can have.
    #[inline(always)]
    pub(crate) fn bytes(self, count: usize) -> Option<usize> {
        // Counts groups of eight values first, since the number of bits may not fit.
        let whole = (count / 8).checked_mul(self.width)?;
        whole.checked_add((count % 8 * self.width).div_ceil(8))
    }

    /// Returns the positions of eight values: see [`PLACES`].
    #[inline(always)]
    pub(crate) fn places(self) -> &'static [u8; 16] {
        &PLACES[self.width]
    }

    /// Returns the byte in which value `value` begins.
    #[inline(always)]
    pub(crate) fn start(self, value: usize) -> usize {
        value / 8 * self.width + usize::from(self.places()[value % 8])
    }

    /// Maps a value of `K` bytes to its packed bits.
    #[inline(always)]
    pub(crate) fn to_bits<const K: usize>(self, value: [u8; K]) -> u64 {
        let (number, unused) = (from_ne_bytes(value), 64 - 8 * K);
        let sign = ((number << unused).cast_signed() >> 63).cast_unsigned();
        let bits = if self.zigzag {
            number << 1 ^ sign
        } else {
            number.wrapping_sub(self.reference)
        };
        bits & (!0 >> unused)
    }

    /// Maps packed bits to their value of `K` bytes.
    #[inline(always)]
    pub(crate) fn value_of<const K: usize>(self, bits: u64) -> [u8; K] {
        to_ne_bytes(if self.zigzag {
            bits >> 1 ^ (bits & 1).wrapping_neg()
        } else {
            bits.wrapping_add(self.reference)
        })
    }
}

/// For each width, the positions of eight values, which end at a byte boundary: the byte in which
/// each begins, and then, for each, the number of bits of that byte that belong to the value
/// before.
pub(crate) static PLACES: [[u8; 16]; 65] = {
    let mut places = [[0; 16]; 65];
    let mut width = 0;
    while width < 65 {
        let mut value = 0;
        while value < 8 {
            places[width][value] = (value * width / 8) as u8;
            places[width][8 + value] = (value * width % 8) as u8;
            value += 1;
        }
        width += 1;
    }
    places
};

/// Returns whether a run of `bits`-bit numbers has one that extends beyond `room` bits from the
/// start of its first byte.
#[inline(always)]
pub(crate) const fn spills(bits: usize, room: usize) -> bool {
    // Bit offsets of numbers are multiples of the greatest power of two in the width, so at most
    // `8 - step` bits precede a number in its first byte.
    let step = 1 << (bits | 8).trailing_zeros();
    8 - step + bits > room
}

/// Returns a number with `count` ones, up to 64, in its lowest bits.
#[inline(always)]
pub(crate) const fn low_bits(count: usize) -> u64 {
    match count {
        0 => 0,
        _ => !0 >> (64 - count),
    }
}

/// Reads a number of `K` bytes: 1, 2, 4 or 8.
#[inline(always)]
pub(crate) fn from_ne_bytes<const K: usize>(value: [u8; K]) -> u64 {
    match K {
        1 => u64::from(value[0]),
        2 => u64::from(u16::from_ne_bytes(*window(&value, 0))),
        4 => u64::from(u32::from_ne_bytes(*window(&value, 0))),
        _ => u64::from_ne_bytes(*window(&value, 0)),
    }
}

/// Returns the lower `K` bytes of a number.
#[inline(always)]
pub(crate) fn to_ne_bytes<const K: usize>(number: u64) -> [u8; K] {
    match K {
        1 => *window(&[number as u8], 0),
        2 => *window(&(number as u16).to_ne_bytes(), 0),
        4 => *window(&(number as u32).to_ne_bytes(), 0),
        _ => *window(&number.to_ne_bytes(), 0),
    }
}

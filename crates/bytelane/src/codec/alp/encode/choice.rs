//! Result of encoding values with a pair.
#![forbid(unsafe_code)]

use crate::codec::alp::page::{POSITION, vector_header};
use crate::codec::alp::{Pair, widest};
use crate::codec::bit_packing::Layout;

/// Result of encoding values with a pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub(super) pair: Pair,
    /// The least and the greatest integer that a value may have; others are exceptions.
    pub(super) limits: [i64; 2],
    pub(super) exceptions: usize,
    /// The least integer.
    pub(super) least: i64,
    /// The greatest integer.
    pub(super) greatest: i64,
    /// Size of the packed integers and the exceptions, in bytes.
    pub(super) bytes: usize,
}

impl Choice {
    /// Stores all values as exceptions.
    pub(super) fn none<const K: usize>(count: usize) -> Self {
        Self {
            pair: Pair {
                exponent: 0,
                factor: 0,
                is_double: false,
            },
            limits: widest::<K>(),
            exceptions: count,
            least: 0,
            greatest: 0,
            bytes: (POSITION + K) * count,
        }
    }

    /// Returns the layout of the packed integers.
    #[inline(always)]
    pub(super) fn layout<const K: usize>(&self) -> Layout {
        Layout {
            width: width([self.least, self.greatest]),
            reference: self.least.cast_unsigned(),
            zigzag: false,
        }
    }

    /// Returns the size of the vector in bytes.
    pub(super) fn vector_bytes<const K: usize>(&self) -> usize {
        vector_header::<K>() + self.bytes
    }
}

/// Returns the number of bits of the distances from the least integer; 0 if there are no integers.
#[inline(always)]
pub(super) fn width([least, greatest]: [i64; 2]) -> usize {
    if least > greatest {
        return 0;
    }
    64 - greatest.wrapping_sub(least).leading_zeros() as usize
}

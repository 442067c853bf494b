//! The integers that have varints, and the numbers that are written for them.
#![forbid(unsafe_code)]

use crate::Value;
use crate::simd::window;
pub(super) use wire::{Type, Wire};

/// An integer that has a form as a varint: `u32`, `u64`, and by zigzag `i32` and `i64`.
pub trait Integer: Value + Wire {
    /// The most bytes that its varint has: 5 or 10.
    const MAX_ENCODED_LEN: usize;
}

mod wire {
    /// Which of the integers.
    #[derive(Clone, Copy)]
    pub enum Type {
        U32,
        U64,
        I32,
        I64,
    }

    /// The number whose groups of seven bits are written.
    pub trait Wire: Sized {
        const TYPE: Type;

        fn to_wire(self) -> u64;

        /// From a number that has no more bits than the type.
        fn from_wire(number: u64) -> Self;
    }
}

impl Type {
    /// Bytes per value.
    #[inline]
    pub(super) const fn width(self) -> usize {
        match self {
            Type::U32 | Type::I32 => 4,
            Type::U64 | Type::I64 => 8,
        }
    }
}

macro_rules! integers {
    ($($T:ident $Type:ident $width:literal $Mapping:ident $most:literal)*) => { $(
        impl Integer for $T {
            const MAX_ENCODED_LEN: usize = $most;
        }
        impl Wire for $T {
            const TYPE: Type = Type::$Type;

            #[inline(always)]
            fn to_wire(self) -> u64 {
                to_wire::<$width, $Mapping>(self.to_ne_bytes())
            }

            #[inline(always)]
            fn from_wire(number: u64) -> Self {
                Self::from_ne_bytes(from_wire::<$width, $Mapping>(number))
            }
        }
    )* };
}
integers! {
    u32 U32 4 Plain 5
    u64 U64 8 Plain 10
    i32 I32 4 Zigzag 5
    i64 I64 8 Zigzag 10
}

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

/// The number that is written for a value of `K` bytes, 4 or 8, in this machine's order.
#[inline(always)]
pub(super) fn to_wire<const K: usize, M: Mapping>(value: [u8; K]) -> u64 {
    let number = match K {
        4 => u64::from(u32::from_ne_bytes(*window(&value, 0))),
        _ => u64::from_ne_bytes(*window(&value, 0)),
    };
    let unused = 64 - 8 * K;
    let sign = ((number << unused).cast_signed() >> 63).cast_unsigned();
    match M::ZIGZAG {
        true => (number << 1 ^ sign) & (!0 >> unused),
        false => number,
    }
}

/// The value of a number that was written, which has no more than `8 K` bits.
#[inline(always)]
pub(super) fn from_wire<const K: usize, M: Mapping>(number: u64) -> [u8; K] {
    let value = match M::ZIGZAG {
        true => number >> 1 ^ (number & 1).wrapping_neg(),
        false => number,
    };
    match K {
        4 => *window(&(value as u32).to_ne_bytes(), 0),
        _ => *window(&value.to_ne_bytes(), 0),
    }
}

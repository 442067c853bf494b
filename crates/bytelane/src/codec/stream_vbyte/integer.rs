//! Number types that a stream can hold.

use crate::Value;

/// Number type that a stream can hold: `u32`, `i32`, `u64` or `i64`.
pub trait Integer: Value + Ord + sealed::Bits {}

/// 32-bit number type, for the variants 1234 and 0124.
pub trait Integer32: Integer {}

/// 64-bit number type, for the variant 1248.
pub trait Integer64: Integer {}

pub(super) mod sealed {
    /// Conversion between a number and its bits. The code below the public functions uses nothing
    /// else of it.
    pub trait Bits {
        /// Zero.
        const ZERO: Self;
        /// Returns the bits of the number; higher bits are zero.
        fn bits(self) -> u64;
        /// Returns the number with the given low bits.
        fn of_bits(bits: u64) -> Self;
    }
}

macro_rules! integers {
    ($($T:ident of the bits $Unsigned:ident in $Width:ident;)*) => { $(
        impl Integer for $T {}
        impl $Width for $T {}
        impl sealed::Bits for $T {
            const ZERO: Self = 0;
            #[inline]
            fn bits(self) -> u64 {
                u64::from(self as $Unsigned)
            }
            #[inline]
            fn of_bits(bits: u64) -> Self {
                bits as Self
            }
        }
    )* };
}
integers! {
    u32 of the bits u32 in Integer32;
    i32 of the bits u32 in Integer32;
    u64 of the bits u64 in Integer64;
    i64 of the bits u64 in Integer64;
}

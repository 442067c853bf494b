//! The numbers that a stream holds.

use crate::Value;

/// A number that a stream can hold: `u32`, `i32`, `u64` or `i64`.
pub trait Integer: Value + Ord + sealed::Arithmetic {}

/// A number of 32 bits, for the variants 1234 and 0124.
pub trait Integer32: Integer {}

/// A number of 64 bits, for the variant 1248.
pub trait Integer64: Integer {}

pub(super) mod sealed {
    /// What the specification does with a number, modulo its range.
    pub trait Arithmetic: Sized {
        /// Zero.
        const ZERO: Self;
        /// The sum.
        fn plus(self, other: Self) -> Self;
        /// The difference.
        fn minus(self, other: Self) -> Self;
        /// Its bits, zeros above them.
        fn bits(self) -> u64;
        /// The number of the low bits.
        fn of_bits(bits: u64) -> Self;
        /// 0, -1, 1, -2, .. to 0, 1, 2, 3, ..
        fn zigzag(self) -> u64;
        /// The other way.
        fn unzigzag(bits: u64) -> Self;
    }
}

macro_rules! integers {
    ($($T:ident as $Signed:ident and $Unsigned:ident in $Width:ident;)*) => { $(
        impl Integer for $T {}
        impl $Width for $T {}
        impl sealed::Arithmetic for $T {
            const ZERO: Self = 0;
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            fn bits(self) -> u64 {
                u64::from(self as $Unsigned)
            }
            fn of_bits(bits: u64) -> Self {
                bits as Self
            }
            fn zigzag(self) -> u64 {
                let signed = self as $Signed;
                (signed << 1 ^ signed >> ($Signed::BITS - 1)).bits()
            }
            fn unzigzag(bits: u64) -> Self {
                let magnitude = (bits >> 1) as $Signed;
                (magnitude ^ -((bits & 1) as $Signed)) as Self
            }
        }
    )* };
}
integers! {
    u32 as i32 and u32 in Integer32;
    i32 as i32 and u32 in Integer32;
    u64 as i64 and u64 in Integer64;
    i64 as i64 and u64 in Integer64;
}

//! Numbers whose differences are computed.
#![forbid(unsafe_code)]

use crate::Value;

/// Arithmetic modulo the size of the type.
pub(crate) trait Number: Value + Ord {
    const GREATEST: Self;

    fn minus(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    /// Returns the number of bits of the unsigned number.
    fn width(self) -> usize;
    fn zigzag(self) -> u64;
    /// Returns the sign-extended number.
    fn bits(self) -> u64;
}

//! Integer types whose differences can be stored.
#![forbid(unsafe_code)]

use super::{Error, Format, Number, decode_list, encode, encode_list};
use crate::memory::Slot;
use crate::{Detected, Value};
pub(super) use lists::Sealed;

/// Integer type whose differences can be stored: `i32` or `i64`. Use them for unsigned numbers of
/// the same size as well, as Parquet does: the arithmetic wraps around.
pub trait Integer: Value + Sealed {}

mod lists {
    use super::{Error, Format};
    use crate::Detected;
    use crate::memory::Slot;

    /// Operations on lists of one type. The functions are compiled in this crate, once for each
    /// type, not in the caller's crate. A program contains only the kernels of the types that it
    /// uses.
    pub trait Sealed: Sized {
        /// Returns the length, or `None` if there is not enough room.
        fn encode(
            format: Format,
            values: &[Self],
            to: &mut [Slot],
            backend: Detected,
        ) -> Option<usize>;

        fn encoded_len(format: Format, values: &[Self]) -> usize;

        /// Decodes the values from number `start` on, until the destination is full. Returns the
        /// offset after the last miniblock read.
        fn decode(
            src: &[u8],
            start: usize,
            to: &mut [Slot],
            backend: Detected,
        ) -> Result<usize, Error>;
    }
}

macro_rules! integers {
    ($($T:ident $width:literal)*) => { $(
        impl Integer for $T {}
        impl Number for $T {
            const GREATEST: Self = Self::MAX;

            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }

            #[inline(always)]
            fn or(self, other: Self) -> Self {
                self | other
            }

            #[inline(always)]
            fn width(self) -> usize {
                (Self::BITS - self.leading_zeros()) as usize
            }

            #[inline(always)]
            fn zigzag(self) -> u64 {
                let wide = i64::from(self);
                (wide << 1 ^ wide >> 63).cast_unsigned()
            }

            #[inline(always)]
            fn bits(self) -> u64 {
                i64::from(self).cast_unsigned()
            }
        }
        impl Sealed for $T {
            fn encode(
                format: Format,
                values: &[Self],
                to: &mut [Slot],
                backend: Detected,
            ) -> Option<usize> {
                encode_list::<$width, $T>(format, values, to, backend)
            }

            fn encoded_len(format: Format, values: &[Self]) -> usize {
                encode::encoded_len(format, values)
            }

            fn decode(
                src: &[u8],
                start: usize,
                to: &mut [Slot],
                backend: Detected,
            ) -> Result<usize, Error> {
                decode_list::<$width>(src, start, to, backend)
            }
        }
    )* };
}
integers! { i32 4 i64 8 }

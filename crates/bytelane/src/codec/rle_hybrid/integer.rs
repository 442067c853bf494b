//! Integer types that runs can have.
#![forbid(unsafe_code)]

use super::{Effort, Error, decode_list, encode_list};
use crate::codec::bit_packing::{self, Layout};
use crate::memory::Slot;
use crate::{Detected, Value};
pub(super) use lists::Sealed;

/// Integer type that runs can have: `u8`, `u16` or `u32`. Parquet's levels are `u16` or, since they
/// are small, `u8`; indices are `u32`.
pub trait Integer: bit_packing::Integer + Sealed {}

/// The same types, for shared code.
pub(crate) trait Number: Value + Eq {
    fn to_u32(self) -> u32;
}

mod lists {
    use super::{Effort, Error, Layout};
    use crate::Detected;
    use crate::memory::Slot;

    /// Operations on lists of one type. The functions are compiled in this crate, once for each
    /// type, not in the caller's crate. A program contains only the kernels of the types that it
    /// uses.
    pub trait Sealed: Sized {
        fn from_u32(value: u32) -> Self;

        fn encode(
            layout: Layout,
            effort: Effort,
            values: &[Self],
            to: &mut [Slot],
            backend: Detected,
        ) -> Result<usize, Error>;

        fn encoded_len(layout: Layout, effort: Effort, values: &[Self]) -> usize;

        /// Decodes the values from number `start` on, until the destination is full. Returns the
        /// offset after the last run read.
        fn decode(
            layout: Layout,
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
            #[inline(always)]
            fn to_u32(self) -> u32 {
                u32::from(self)
            }
        }
        impl Sealed for $T {
            #[inline]
            fn from_u32(value: u32) -> Self {
                value as $T
            }

            fn encode(
                layout: Layout,
                effort: Effort,
                values: &[Self],
                to: &mut [Slot],
                backend: Detected,
            ) -> Result<usize, Error> {
                encode_list::<$width, $T>(layout, effort, values, to, backend)
            }

            fn encoded_len(layout: Layout, effort: Effort, values: &[Self]) -> usize {
                super::encode::encoded_len(layout, effort, values)
            }

            fn decode(
                layout: Layout,
                src: &[u8],
                start: usize,
                to: &mut [Slot],
                backend: Detected,
            ) -> Result<usize, Error> {
                decode_list::<$width>(layout, src, start, to, backend)
            }
        }
    )* };
}
integers! { u8 1 u16 2 u32 4 }

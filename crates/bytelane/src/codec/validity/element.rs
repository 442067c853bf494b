//! Types of values that can be spread and compacted.
#![forbid(unsafe_code)]

use super::{compact_values, spread_values};
use crate::Detected;
use crate::memory::{Plain, Slot, bytes};
pub(super) use sealed::Sealed;

/// Number type of 1, 2, 4, 8 or 16 bytes. For strings, use their views.
pub trait Element: Plain + Sealed {}

mod sealed {
    use crate::Detected;
    use crate::memory::Slot;

    /// Operations on values of one type. The functions are compiled in this crate, once for each
    /// size, not in the caller's crate. A program contains only the kernels of the types that it
    /// uses.
    pub trait Sealed: Sized {
        /// Writes a value for each position of the destination. `None` if the number of values
        /// differs from the number of set bits.
        fn spread(dense: &[Self], bitmap: &[u8], to: &mut [Slot], backend: Detected) -> Option<()>;

        /// Writes the values whose bits are set. Returns their number, or `None` if the destination
        /// is too short.
        fn compact(
            values: &[Self],
            bitmap: &[u8],
            to: &mut [Slot],
            backend: Detected,
        ) -> Option<usize>;
    }
}

macro_rules! elements {
    ($($T:ident $width:literal)*) => { $(
        impl Element for $T {}
        impl Sealed for $T {
            fn spread(
                dense: &[Self],
                bitmap: &[u8],
                to: &mut [Slot],
                backend: Detected,
            ) -> Option<()> {
                spread_values::<$width>(bytes(dense), bitmap, to, backend)
            }

            fn compact(
                values: &[Self],
                bitmap: &[u8],
                to: &mut [Slot],
                backend: Detected,
            ) -> Option<usize> {
                compact_values::<$width>(bytes(values), bitmap, to, backend)
            }
        }
    )* };
}
elements! { i8 1 u8 1 i16 2 u16 2 i32 4 u32 4 f32 4 i64 8 u64 8 f64 8 i128 16 u128 16 }

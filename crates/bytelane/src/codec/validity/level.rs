//! Types of levels.
#![forbid(unsafe_code)]

use super::lists::{Bits, Pairs, Wanted};
use super::{Error, decode_levels, encode_levels, list_bits};
use crate::memory::{Slot, bytes};
use crate::{Detected, Value};
pub(super) use sealed::Sealed;

/// Level type: `u8` or `u16`. The specification limits levels to those of `i16`.
pub trait Level: Value + Sealed {}

mod sealed {
    use super::{Bits, Error, Pairs, Wanted};
    use crate::Detected;
    use crate::memory::Slot;

    /// Operations on levels of one type. The functions are compiled in this crate, once for each
    /// type, not in the caller's crate. A program contains only the kernels of the types that it
    /// uses.
    pub trait Sealed: Sized {
        /// The greatest level.
        const MAX: u16;

        fn to_u16(self) -> u16;

        fn encode(
            levels: &[Self],
            max: u16,
            to: &mut [Slot],
            backend: Detected,
        ) -> Result<usize, Error>;

        fn decode(bitmap: &[u8], max: u16, to: &mut [Slot], backend: Detected);

        /// Writes the bits for which there is room. Returns the total number of bits.
        fn list_bits(
            pairs: Pairs<'_>,
            wanted: Wanted,
            to: &mut [Slot],
            backend: Detected,
        ) -> Result<Bits, Error>;
    }
}

macro_rules! levels {
    ($($T:ident $width:literal $max:expr;)*) => { $(
        impl Level for $T {}
        impl Sealed for $T {
            const MAX: u16 = $max;

            #[inline]
            fn to_u16(self) -> u16 {
                self.into()
            }

            fn encode(
                levels: &[Self],
                max: u16,
                to: &mut [Slot],
                backend: Detected,
            ) -> Result<usize, Error> {
                encode_levels::<$width>(bytes(levels), max, to, backend)
            }

            fn decode(bitmap: &[u8], max: u16, to: &mut [Slot], backend: Detected) {
                decode_levels::<$width>(bitmap, max, to, backend);
            }

            fn list_bits(
                pairs: Pairs<'_>,
                wanted: Wanted,
                to: &mut [Slot],
                backend: Detected,
            ) -> Result<Bits, Error> {
                list_bits::<$width>(pairs, wanted, to, backend)
            }
        }
    )* };
}
levels! {
    u8 1 u8::MAX as u16;
    u16 2 i16::MAX as u16;
}

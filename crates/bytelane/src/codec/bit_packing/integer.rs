//! Integer types that can be packed.
#![forbid(unsafe_code)]

use super::few::pack_few;
use super::kernel::is_narrow;
use super::{Layout, pack, scalar, unpack};
use crate::memory::{self, Slot};
use crate::{Backend, Detected, Value};
pub(super) use lanes::Sealed;

/// Integer type that can be packed: `u8`, `u16`, `u32`, `u64`, `i32` or `i64`.
pub trait Integer: Value + Sealed {}

/// Signed integer type, for which zigzag makes small negative numbers short.
pub trait SignedInteger: Integer {}

impl SignedInteger for i32 {}
impl SignedInteger for i64 {}

mod lanes {
    use super::Layout;
    use crate::Detected;
    use crate::memory::Slot;

    /// Operations on lists of one type. The functions are compiled in this crate, once for each
    /// type, not in the caller's crate. A program contains only the kernels of the types that it
    /// uses.
    pub trait Sealed: Sized {
        fn to_u64(self) -> u64;

        /// Packs values. Returns whether all of them fit.
        fn pack(layout: Layout, values: &[Self], to: &mut [Slot], backend: Detected) -> bool;

        /// Returns the number of the first value that does not fit.
        fn first_beyond(layout: Layout, values: &[Self]) -> Option<usize>;

        fn unpack(layout: Layout, src: &[u8], to: &mut [Slot], backend: Detected);

        /// Unpacks the first values of a run, up to seven, from value `skipped` of a group of eight
        /// in `src` on.
        fn unpack_few(layout: Layout, src: &[u8], skipped: usize, to: &mut [Slot]);
    }
}

macro_rules! integers {
    ($($T:ident $width:literal)*) => { $(
        impl Integer for $T {}
        impl Sealed for $T {
            #[inline(always)]
            fn to_u64(self) -> u64 {
                self as u64
            }

            fn pack(layout: Layout, values: &[Self], to: &mut [Slot], backend: Detected) -> bool {
                let src = memory::bytes(values);
                // All kernels pack so few by this function; to decide it here saves no registers.
                if values.len() < 16 && is_narrow::<$width>(layout) && *backend != Backend::Scalar {
                    return pack_few::<$width>(layout, src, to);
                }
                pack::<$width>(layout, src, to, backend)
            }

            fn first_beyond(layout: Layout, values: &[Self]) -> Option<usize> {
                scalar::first_beyond::<$width>(layout, memory::bytes(values))
            }

            fn unpack(layout: Layout, src: &[u8], to: &mut [Slot], backend: Detected) {
                unpack::<$width>(layout, src, to, backend);
            }

            fn unpack_few(layout: Layout, src: &[u8], skipped: usize, to: &mut [Slot]) {
                scalar::unpack_from::<$width>(layout, src, skipped, to);
            }
        }
    )* };
}
integers! { u8 1 u16 2 u32 4 u64 8 i32 4 i64 8 }

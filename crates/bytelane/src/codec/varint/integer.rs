//! Integer types that can be encoded as varints, and the numbers stored for them.
#![forbid(unsafe_code)]

use super::mapping::{Plain, Zigzag, from_wire, to_wire};
use super::{Error, decode_list, encode_list, length_of_list};
use crate::backend::tuning::tuning;
use crate::memory::{self, Slot};
use crate::{Detected, Value};
pub(super) use wire::Wire;

/// Integer type that can be encoded as a varint: `u32` and `u64` directly, `i32` and `i64` by
/// zigzag.
pub trait Integer: Value + Wire {
    /// Length of the longest varint: 5 or 10 bytes.
    const MAX_ENCODED_LEN: usize;
}

mod wire {
    use crate::Detected;
    use crate::codec::varint::Error;
    use crate::memory::Slot;

    /// Conversion to the number whose groups of seven bits are stored, and operations on lists of
    /// such numbers.
    ///
    /// The functions on lists are compiled in this crate, once for each type, not in the caller's
    /// crate. A program contains only the kernels of the types that it uses.
    pub trait Wire: Sized {
        fn to_wire(self) -> u64;

        /// Converts a number that fits the type.
        fn from_wire(number: u64) -> Self;

        /// Returns the total length of all varints, in bytes.
        fn list_len(values: &[Self], backend: Detected) -> usize;

        /// Returns the offset after the last varint, or `None` if there is not enough room.
        fn encode_list(values: &[Self], to: &mut [Slot], backend: Detected) -> Option<usize>;

        /// Reads values until the destination is full. Returns the offset after the last varint.
        fn decode_list(src: &[u8], to: &mut [Slot], backend: Detected) -> Result<usize, Error>;
    }
}

macro_rules! integers {
    ($($T:ident $width:literal $Mapping:ident $most:literal)*) => { $(
        impl Integer for $T {
            const MAX_ENCODED_LEN: usize = $most;
        }
        impl Wire for $T {
            #[inline(always)]
            fn to_wire(self) -> u64 {
                to_wire::<$width, $Mapping>(self.to_ne_bytes())
            }

            #[inline(always)]
            fn from_wire(number: u64) -> Self {
                Self::from_ne_bytes(from_wire::<$width, $Mapping>(number))
            }

            fn list_len(values: &[Self], backend: Detected) -> usize {
                let values = memory::bytes(values).as_chunks().0;
                length_of_list::<$width, $Mapping>(values, backend)
            }

            fn encode_list(values: &[Self], to: &mut [Slot], backend: Detected) -> Option<usize> {
                let values = memory::bytes(values).as_chunks().0;
                encode_list::<$width, $Mapping>(values, to, backend)
            }

            fn decode_list(src: &[u8], to: &mut [Slot], backend: Detected) -> Result<usize, Error> {
                let backend = match $width {
                    4 => backend.at_most(tuning().decode_varint32),
                    _ => backend,
                };
                decode_list::<$width, $Mapping>(src, to.as_chunks_mut().0, backend)
            }
        }
    )* };
}
integers! {
    u32 4 Plain 5
    u64 8 Plain 10
    i32 4 Zigzag 5
    i64 8 Zigzag 10
}

//! Number types that can be encoded.
#![forbid(unsafe_code)]

use super::{Error, Format, decode_list, encode_list, length_of_list, page};
use crate::memory::{self, Slot};
use crate::{Detected, Value};
pub(super) use lists::Sealed;

/// Number type that can be encoded: `f32` or `f64`.
pub trait Float: Value + Sealed {}

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

        /// Estimates the encoded size of values, from up to `samples` vectors.
        fn length(format: Format, values: &[Self], samples: usize, backend: Detected) -> usize;

        /// Decodes the values from number `start` on, until the destination is full. Returns the
        /// offset after the last vector read.
        fn decode(
            src: &[u8],
            start: usize,
            to: &mut [Slot],
            backend: Detected,
        ) -> Result<usize, Error>;

        /// Checks everything. Returns the number of values and the length of the page.
        fn validate(src: &[u8]) -> Result<(usize, usize), Error>;
    }
}

macro_rules! floats {
    ($($T:ident $width:literal)*) => { $(
        impl Float for $T {}
        impl Sealed for $T {
            fn encode(
                format: Format,
                values: &[Self],
                to: &mut [Slot],
                backend: Detected,
            ) -> Option<usize> {
                encode_list::<$width>(format, memory::bytes(values), to, backend)
            }

            fn length(format: Format, values: &[Self], samples: usize, backend: Detected) -> usize {
                length_of_list::<$width>(format, memory::bytes(values), samples, backend)
            }

            fn decode(
                src: &[u8],
                start: usize,
                to: &mut [Slot],
                backend: Detected,
            ) -> Result<usize, Error> {
                decode_list::<$width>(src, start, to, backend)
            }

            fn validate(src: &[u8]) -> Result<(usize, usize), Error> {
                page::validate::<$width>(src)
            }
        }
    )* };
}
floats! { f32 4 f64 8 }

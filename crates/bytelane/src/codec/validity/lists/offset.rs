//! Types of offsets.
#![forbid(unsafe_code)]

use super::Pairs;
use crate::codec::validity::Error;
use crate::memory::Plain;
pub(super) use sealed::Sealed;

/// Offset type of a list: `i32`, or `i64` for large lists.
pub trait Offset: Plain + Sealed {}

mod sealed {
    use super::{Error, Pairs};
    use crate::Detected;
    use crate::memory::Slot;

    /// Operations on offsets, compiled in this crate, not in the caller's.
    pub trait Sealed: Sized {
        /// Size in bytes.
        const WIDTH: usize;

        /// Writes offsets, each the sum of `entries` and a value of `more`. The destination has
        /// exactly their size.
        fn put<const N: usize>(entries: u64, more: &[u8; N], to: &mut [Slot]);

        /// Checks that an offset can count all entries.
        fn check(entries: u64) -> Result<(), Error>;

        /// Writes the offsets for which there is room. Returns the total number of offsets.
        fn offsets(
            width: usize,
            pairs: Pairs<'_>,
            to: &mut [Slot],
            backend: Detected,
        ) -> Result<usize, Error>;
    }
}

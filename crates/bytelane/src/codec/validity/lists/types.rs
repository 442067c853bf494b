//! Operations on each type of offsets.
#![forbid(unsafe_code)]

use super::Pairs;
use super::offset::{Offset, Sealed};
use crate::Detected;
use crate::codec::validity::{Error, ErrorKind, list_offsets};
use crate::memory::{Slot, bytes, copy};

macro_rules! offsets {
    ($($T:ident)*) => { $(
        impl Offset for $T {}
        impl Sealed for $T {
            const WIDTH: usize = size_of::<$T>();

            #[inline(always)]
            fn put<const N: usize>(entries: u64, more: &[u8; N], to: &mut [Slot]) {
                let mut offsets = [0; N];
                for i in 0..N {
                    offsets[i] = (entries as $T).wrapping_add($T::from(more[i]));
                }
                copy(to, bytes(&offsets));
            }

            fn check(entries: u64) -> Result<(), Error> {
                let bits = $T::BITS;
                match $T::try_from(entries) {
                    Ok(_) => Ok(()),
                    Err(_) => Err(Error::nowhere(ErrorKind::Offsets { bits })),
                }
            }

            fn offsets(
                width: usize,
                pairs: Pairs<'_>,
                to: &mut [Slot],
                backend: Detected,
            ) -> Result<usize, Error> {
                match width {
                    1 => list_offsets::<1, $T>(pairs, to, backend),
                    _ => list_offsets::<2, $T>(pairs, to, backend),
                }
            }
        }
    )* };
}
offsets! { i32 i64 }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_entries_than_an_offset_can_count_are_refused() {
        let most = 0x7fff_ffff;
        assert_eq!(i32::check(most), Ok(()));
        let error = Error::nowhere(ErrorKind::Offsets { bits: 32 });
        assert_eq!(i32::check(most + 1), Err(error));
        assert_eq!(i64::check(most + 1), Ok(()));
    }
}

//! The specification as code: Arrow Columnar Format, "Validity bitmaps", and parquet-format,
//! README.md, "Nested Encoding".
//!
//! > ```text
//! > is_valid[j] -> bitmap[j / 8] & (1 << (j % 8))
//! > ```
//! >
//! > Definition levels specify how many optional fields in the path for the column are defined.
//! >
//! > Nulls are encoded in the definition levels. Values that are null are not encoded in the data.
#![forbid(unsafe_code)]

use super::{Error, ErrorKind};
use crate::codec::bit_packing::{from_ne_bytes, to_ne_bytes};
use crate::memory::{Slot, write};

/// Returns whether a bit of a bitmap is set.
pub(super) fn is_set(bitmap: &[u8], i: usize) -> bool {
    bitmap[i / 8] >> (i % 8) & 1 != 0
}

/// Sets the bit of each level that equals the maximum. Returns the number of set bits.
#[inline(never)]
pub(super) fn encode<const K: usize>(
    levels: &[u8],
    max: u16,
    to: &mut [Slot],
) -> Result<usize, Error> {
    let mut valid = 0;
    for (number, eight) in levels.as_chunks::<K>().0.chunks(8).enumerate() {
        let mut byte = 0;
        for (i, level) in eight.iter().enumerate() {
            let level = from_ne_bytes(*level);
            if level > u64::from(max) {
                return Err(Error::at(K * (8 * number + i), ErrorKind::Level { max }));
            }
            let bit = u8::from(level == u64::from(max));
            byte |= bit << i;
            valid += usize::from(bit);
        }
        to[number].write(byte);
    }
    Ok(valid)
}

/// Returns the error for the first level that is greater than the maximum.
#[cold]
pub(super) fn beyond<const K: usize>(levels: &[u8], max: u16) -> Error {
    let mut levels = levels.as_chunks::<K>().0.iter();
    let first = levels.position(|level| from_ne_bytes(*level) > u64::from(max));
    Error::at(K * first.unwrap_or_default(), ErrorKind::Level { max })
}

/// Writes the maximum for each set bit, and the level below it for the others.
#[inline(never)]
pub(super) fn decode<const K: usize>(bitmap: &[u8], max: u16, to: &mut [Slot]) {
    for (i, to) in to.as_chunks_mut::<K>().0.iter_mut().enumerate() {
        let is_null = u64::from(!is_set(bitmap, i));
        write(to, to_ne_bytes(u64::from(max) - is_null));
    }
}

/// Writes the next value for each set bit, and zeros for the others. `None` if there are too few
/// values.
#[inline(never)]
pub(super) fn spread<const V: usize>(dense: &[u8], bitmap: &[u8], to: &mut [Slot]) -> Option<()> {
    let mut dense = dense.as_chunks::<V>().0.iter();
    for (i, to) in to.as_chunks_mut::<V>().0.iter_mut().enumerate() {
        let value = if is_set(bitmap, i) {
            *dense.next()?
        } else {
            [0; V]
        };
        write(to, value);
    }
    dense.next().is_none().then_some(())
}

/// Writes the values whose bits are set. Returns their number, or `None` if they do not fit.
#[inline(never)]
pub(super) fn compact<const V: usize>(
    values: &[u8],
    bitmap: &[u8],
    to: &mut [Slot],
) -> Option<usize> {
    let to = to.as_chunks_mut::<V>().0;
    let mut count = 0;
    for (i, value) in values.as_chunks::<V>().0.iter().enumerate() {
        if is_set(bitmap, i) {
            write(to.get_mut(count)?, *value);
            count += 1;
        }
    }
    Some(count)
}

//! Values without their nulls, as Parquet stores them, and with a position for each null, as in
//! Arrow.
//!
//! ```
//! use bytelane::validity::values;
//!
//! let bitmap = [0b0010_1101];
//! let mut column = [9; 6];
//! values::spread(&[1, 2, 3, 4], &bitmap, &mut column)?;
//! assert_eq!(column, [1, 0, 2, 3, 0, 4]);
//!
//! let mut dense = [0; 4];
//! assert_eq!(values::compact(&column, &bitmap, &mut dense)?, 4);
//! assert_eq!(dense, [1, 2, 3, 4]);
//! # Ok::<(), bytelane::validity::Error>(())
//! ```
#![forbid(unsafe_code)]

use super::error::bitmap_of;
use super::{Element, Error, ErrorKind};
use crate::codec::bit_packing::low_bits;
#[cfg(feature = "alloc")]
use crate::memory;
use crate::memory::{Fill, Slot, forms};
use crate::{Destination, DestinationError, Detected};
#[cfg(feature = "alloc")]
use alloc::vec::Vec;

/// Returns the number of valid values among the first `count`, which is the number of set bits.
///
/// # Errors
///
/// [`ErrorKind::Bitmap`] if the bitmap is too short.
pub fn count_valid(bitmap: &[u8], count: usize) -> Result<usize, Error> {
    Ok(count_set(bitmap_of(bitmap, count)?, count))
}

/// Returns the number of set bits among the first `count`.
fn count_set(bitmap: &[u8], count: usize) -> usize {
    let (whole, last) = bitmap.split_at(count / 8);
    let (words, bytes) = whole.as_chunks::<8>();
    let words = words
        .iter()
        .map(|word| u64::from_ne_bytes(*word).count_ones() as usize);
    let bytes = bytes.iter().map(|byte| byte.count_ones() as usize);
    let last = last
        .first()
        .map_or(0, |byte| u64::from(*byte) & low_bits(count % 8));
    words.sum::<usize>() + bytes.sum::<usize>() + last.count_ones() as usize
}

/// Spreads values: writes the next value of `dense` for each set bit, and zeros for the others, up
/// to the length of `values`.
///
/// # Errors
///
/// [`ErrorKind::Bitmap`] if the bitmap is too short; [`ErrorKind::Values`] unless `dense` has one
/// value for each set bit. The contents of `values` are then unspecified.
#[inline]
pub fn spread<T: Element>(dense: &[T], bitmap: &[u8], values: &mut [T]) -> Result<(), Error> {
    spread_with(Detected::active(), dense, bitmap, values).map(|_| ())
}

/// Same as [`spread`], on a backend of the caller's choice, into memory that need not be
/// initialised. Returns the values.
///
/// # Errors
///
/// The same as [`spread`].
#[inline]
pub fn spread_with<'a, T: Element>(
    backend: Detected,
    dense: &[T],
    bitmap: &[u8],
    values: impl Into<Destination<'a, T>>,
) -> Result<&'a mut [T], Error> {
    let values = values.into();
    let operation = Spread::new(dense, bitmap, values.len(), backend)?;
    let (written, ()) = values.fill(operation)?;
    Ok(written)
}

/// Same as [`spread`] to `count` positions, but appends to a `Vec`.
///
/// # Errors
///
/// The same as [`spread`]; the `Vec` is then unchanged.
#[cfg(feature = "alloc")]
#[inline]
pub fn spread_append<T: Element>(
    dense: &[T],
    bitmap: &[u8],
    count: usize,
    to: &mut Vec<T>,
) -> Result<(), Error> {
    let operation = Spread::new(dense, bitmap, count, Detected::active())?;
    memory::append(operation, count, to).map(|_| ())
}

/// Same as [`spread`] to `count` positions, but returns a new `Vec`.
///
/// # Errors
///
/// The same as [`spread`].
#[cfg(feature = "alloc")]
pub fn spread_to_vec<T: Element>(
    dense: &[T],
    bitmap: &[u8],
    count: usize,
) -> Result<Vec<T>, Error> {
    let mut values = Vec::new();
    spread_append(dense, bitmap, count, &mut values)?;
    Ok(values)
}

forms! {
    /// Compacts values: writes those whose bits are set to the front of `dense`. Returns their number.
    /// If `dense` is longer, values after the result may be overwritten.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Bitmap`] if the bitmap is too short, [`ErrorKind::Destination`] if `dense` is. The
    /// contents of `dense` are then unspecified.
    compact[T: Element](values: &[T], bitmap: &[u8]) -> dense: [T], Error;
    compact_with: |backend| Compact::new(values, bitmap, backend)?;
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Bitmap`] if the bitmap is too short; the `Vec` is then unchanged.
    compact_append: count_valid(bitmap, values.len())?;
    compact_to_vec;
}

/// Spreads dense values.
pub(crate) struct Spread<'a, T> {
    dense: &'a [T],
    bitmap: &'a [u8],
    count: usize,
    backend: Detected,
}

impl<'a, T> Spread<'a, T> {
    /// Checks the bitmap before memory is allocated for its values.
    #[inline]
    fn new(
        dense: &'a [T],
        bitmap: &'a [u8],
        count: usize,
        backend: Detected,
    ) -> Result<Self, Error> {
        let bitmap = bitmap_of(bitmap, count)?;
        Ok(Self {
            dense,
            bitmap,
            count,
            backend,
        })
    }
}

impl<T: Element> Fill for Spread<'_, T> {
    type Done = ();
    type Error = Error;

    #[inline]
    fn fill(self, to: &mut [Slot]) -> Result<(usize, ()), Error> {
        let bytes = self.count.saturating_mul(size_of::<T>());
        let to = crate::error::front(to, bytes)?;
        match T::spread(self.dense, self.bitmap, to, self.backend) {
            Some(()) => Ok((bytes, ())),
            None => Err(other_number(self.bitmap, self.count, self.dense.len())),
        }
    }
}

/// Returns the error for a number of values that differs from the number of set bits.
#[cold]
fn other_number(bitmap: &[u8], count: usize, given: usize) -> Error {
    let needed = count_set(bitmap, count);
    Error::nowhere(ErrorKind::Values { needed, given })
}

/// Compacts values to dense ones.
pub(crate) struct Compact<'a, T> {
    values: &'a [T],
    bitmap: &'a [u8],
    backend: Detected,
}

impl<'a, T> Compact<'a, T> {
    #[inline]
    fn new(values: &'a [T], bitmap: &'a [u8], backend: Detected) -> Result<Self, Error> {
        let bitmap = bitmap_of(bitmap, values.len())?;
        Ok(Self {
            values,
            bitmap,
            backend,
        })
    }
}

impl<T: Element> Fill for Compact<'_, T> {
    type Done = ();
    type Error = Error;

    #[inline]
    fn fill(self, to: &mut [Slot]) -> Result<(usize, ()), Error> {
        let given = to.len();
        match T::compact(self.values, self.bitmap, to, self.backend) {
            Some(count) => Ok((count * size_of::<T>(), ())),
            None => {
                let count = count_set(self.bitmap, self.values.len());
                Err(DestinationError::new(count * size_of::<T>(), given).into())
            }
        }
    }
}

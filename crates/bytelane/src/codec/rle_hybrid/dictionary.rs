//! Dictionaries, and decoding indices to their entries.
#![forbid(unsafe_code)]

#[cfg(doc)]
use super::ErrorKind;
use super::{Entry, Error, Format};
use crate::Detected;
use crate::codec::bit_packing::Layout;
use crate::error::front_for;
use crate::memory::{Fill, Slot, forms};
use alloc::vec::Vec;
use core::ops::Range;

/// Values that indices refer to.
///
/// The values are copied to a table whose size is a power of two. Any index, modulo that size, is
/// within the table, so indices need no check of their own: comparing the greatest one with the
/// number of values suffices.
///
/// ```
/// use bytelane::rle_hybrid::{Dictionary, Format};
///
/// let cities = Dictionary::new(&[10.5f64, 20.25, 30.0]);
/// let indices = Format::<u32>::new(2).expect("at most 32 bits");
/// let page = indices.encode_to_vec(&[2, 2, 2, 2, 2, 2, 2, 2, 0, 1])?;
/// assert_eq!(page, [8 << 1, 2, 1 << 1 | 1, 0b01_00, 0]);
///
/// let mut values = [0.0; 10];
/// assert_eq!(cities.decode(indices, &page, &mut values)?, 5);
/// assert_eq!(values[6..], [30.0, 30.0, 10.5, 20.25]);
/// # Ok::<(), bytelane::rle_hybrid::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Dictionary<T> {
    /// Values, followed by others up to a power of two, and at least 64 bytes.
    table: Vec<T>,
    count: usize,
}

impl<T: Entry> Dictionary<T> {
    /// Copies values. Takes time and memory linear in their number.
    #[must_use]
    pub fn new(values: &[T]) -> Self {
        Self::from_values(values.len(), values.iter().copied())
    }

    /// Collects values. `count` is their probable number, for which memory is allocated.
    #[must_use]
    pub fn from_values(count: usize, values: impl IntoIterator<Item = T>) -> Self {
        let size = |count: usize| usize::max(count, 64 / size_of::<T>()).next_power_of_two();
        let mut table = Vec::with_capacity(size(count));
        table.extend(values);
        let count = table.len();
        table.resize(size(count), T::default());
        Self { table, count }
    }

    /// Returns the number of values.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns whether there are no values.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the values.
    #[must_use]
    #[inline]
    pub fn values(&self) -> &[T] {
        &self.table[..self.count]
    }

    forms! {
        /// Decodes indices from the front of `src`, up to the length of `values`, to the values that
        /// they refer to. Returns the number of bytes read, as [`Format::decode`] does.
        ///
        /// Dictionaries of up to 64 bytes stay in registers; others are fastest if they fit in the
        /// first-level cache.
        ///
        /// # Errors
        ///
        /// The same as [`Format::decode`]; [`ErrorKind::Index`] for the first index that is not in the
        /// dictionary. The contents of `values` are then unspecified.
        decode[](&self, format: Format<u32>, src: &[u8]) -> values: [T; count] and ("number of bytes read", usize), Error;
        decode_with: |backend| self.operation(backend, format, src, 0..count);
        ///
        /// Memory for `count` values is allocated only after checking that the runs have them. A run of
        /// a few bytes can have up to 2^31 values: limit `count` for untrusted input.
        decode_append: format.validate(src, count).map(|_| count)?;
        decode_to_vec;
    }

    forms! {
        /// Decodes a range of indices to the front of `values`. Returns the number of values. Runs
        /// before the range are skipped.
        ///
        /// # Errors
        ///
        /// The same as [`decode`](Self::decode) for the indices of the range; [`ErrorKind::Range`] if
        /// the range begins after its end, [`ErrorKind::Destination`] if `values` is too short.
        decode_range[](&self, format: Format<u32>, src: &[u8], range: Range<usize>) -> values: [T], Error;
        decode_range_with: |backend| self.operation(backend, format, src, range);
    }

    #[inline]
    fn operation<'a>(
        &'a self,
        backend: Detected,
        format: Format<u32>,
        src: &'a [u8],
        range: Range<usize>,
    ) -> LookingUp<'a, T> {
        LookingUp {
            table: &self.table,
            count: self.count,
            layout: format.layout(),
            src,
            range,
            backend,
        }
    }
}

/// Decodes a range of indices to the values of a dictionary.
pub(crate) struct LookingUp<'a, T> {
    table: &'a [T],
    count: usize,
    layout: Layout,
    src: &'a [u8],
    range: Range<usize>,
    backend: Detected,
}

impl<T: Entry> Fill for LookingUp<'_, T> {
    /// Number of bytes read.
    type Done = usize;
    type Error = Error;

    #[inline]
    fn fill(self, to: &mut [Slot]) -> Result<(usize, usize), Error> {
        let start = self.range.start;
        let to = front_for::<T, _>(to, self.range)?;
        let bytes = to.len();
        let read = T::look_up(
            self.layout,
            self.src,
            start,
            self.table,
            self.count,
            to,
            self.backend,
        )?;
        Ok((bytes, read))
    }
}

//! Content-defined chunking: finds the rows after which the values end a page.
//!
//! A rolling hash runs over the values. Each value shifts the hash by one bit, so that only the
//! last 64 values count, and a page ends where the uppermost bits of the hash are zeros. Pages
//! therefore end after the same values, wherever these are in a column.

use super::extent::{Lists, fitting};
use super::{LeafPath, Unit};
use crate::ContentDefinedPages;
use crate::types::hash::{for_each_hash, mix};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_cast::cast;
use arrow_schema::DataType;

/// Assumed size of a string with its length, in bytes. The actual mean would depend on all rows.
const STRING: usize = 32;
/// Ratio of the range between the page size limits to the mean size above the minimum. One in e^4
/// pages reaches the maximum.
const MEAN: usize = 4;

/// State of the search for the end of a page.
pub(crate) struct Cutter {
    unit: Unit,
    /// Number of bytes until the page reaches the minimum size.
    missing: usize,
    hash: u64,
    /// Number of uppermost bits that are zeros at the end of a page.
    bits: u32,
}

impl Cutter {
    /// Starts a page.
    pub(crate) fn new(pages: ContentDefinedPages, unit: Unit) -> Self {
        let mean = (pages.max_bytes() - pages.min_bytes()) / MEAN;
        let values = match unit {
            Unit::Bits(bits) => mean.saturating_mul(8) / bits,
            Unit::Strings => mean / STRING,
        };
        Self {
            unit,
            missing: pages.min_bytes(),
            hash: u64::MAX,
            bits: values.max(2).ilog2(),
        }
    }

    /// Returns the number of rows of an array after which the page ends, if it ends within the
    /// first `most` rows.
    pub(crate) fn cut(&mut self, array: &ArrayRef, path: &LeafPath, most: usize) -> Option<usize> {
        let (small, bytes) = fitting(array, path, self.unit, most, self.missing);
        self.missing -= bytes.min(self.missing);
        let lists = Lists::new(array, path);
        let (mut index, end) = (lists.start(), lists.end(most));
        let hashes = hashes(&lists.leaf.slice(index, end - index));
        let mut hashes = hashes.into_iter();
        for rows in 1..=most {
            let next = lists.end(rows);
            let mut is_end = false;
            for hash in hashes.by_ref().take(next - index) {
                self.hash = (self.hash << 1).wrapping_add(mix(hash));
                is_end |= self.hash.leading_zeros() >= self.bits;
            }
            index = next;
            if is_end && rows > small {
                return Some(rows);
            }
        }
        None
    }
}

/// Returns the hash of each value, 0 for nulls.
fn hashes(values: &ArrayRef) -> Vec<u64> {
    let unpacked = match values.data_type() {
        DataType::Dictionary(_, entries) => cast(values, entries).ok(),
        DataType::RunEndEncoded(_, entries) => cast(values, entries.data_type()).ok(),
        _ => None,
    };
    let values = unpacked.as_ref().unwrap_or(values);
    let mut hashes = Vec::with_capacity(values.len());
    if let Some(bits) = values.as_boolean_opt() {
        hashes.extend(bits.values().iter().map(u64::from));
    } else if for_each_hash(values, |hash| hashes.push(hash)).is_none() {
        hashes.resize(values.len(), 0);
    }
    if let Some(nulls) = values.logical_nulls() {
        let slots = hashes.iter_mut().zip(nulls.iter());
        slots
            .filter(|(_, is_valid)| !is_valid)
            .for_each(|(hash, _)| *hash = 0);
    }
    hashes
}

//! Finds the statistics of the values that are left where rows are deleted.

use crate::merge::join::dictionary_of;
use crate::merge::join::split;
use crate::merge::leaf::{Leaf, PageBounds};
use bytelane_parquet::Result;
use bytelane_parquet::format::Statistics;
use bytelane_parquet::page::{DenseValues, PageEditor};
use bytelane_parquet::statistics::{Bounds, Compare, Order};
use bytelane_parquet::types::physical;
use bytes::Bytes;
use parquet::schema::types::ColumnDescriptor;
use std::cmp::Ordering;

/// Values of a chunk that are deleted, and those that are left in the pages that have lost some.
pub(super) struct Deleted {
    order: Order,
    /// Size of a value in bytes, if it is the same for all.
    width: Option<usize>,
    dictionary: Vec<Bytes>,
    /// Bounds of the deleted values, and their number of nulls.
    bounds: Bounds,
    nulls: i64,
    /// Bounds of the values that are left in these pages.
    left: Bounds,
}

impl Deleted {
    /// Starts with a chunk of which nothing is deleted.
    pub(super) fn new(
        leaf: &Leaf,
        column: &ColumnDescriptor,
        editor: &mut PageEditor,
    ) -> Result<Self> {
        let width = physical::width(column);
        let dictionary = match leaf.dictionary() {
            None => Vec::new(),
            Some(page) => {
                let (bytes, count) = dictionary_of(page, editor)?;
                split(&bytes, count, width)?
            }
        };
        Ok(Self {
            order: Order::of(column),
            width,
            dictionary,
            bounds: Bounds::default(),
            nulls: 0,
            left: Bounds::default(),
        })
    }

    /// Adds deleted values, and nulls.
    pub(super) fn add(&mut self, values: DenseValues<'_>, nulls: usize) {
        let bounds = self.bounds_of(values);
        self.bounds.merge(&bounds, self.order);
        self.nulls += nulls as i64;
    }

    /// Adds values that are left in a page that has lost others. Returns their bounds.
    pub(super) fn keep(&mut self, values: DenseValues<'_>) -> Bounds {
        let bounds = self.bounds_of(values);
        self.left.merge(&bounds, self.order);
        bounds
    }

    /// Returns the bounds of the values that are left in all pages, given a function that decodes those of the other pages.
    fn bounds_left(
        &self,
        others: impl FnOnce(&mut dyn FnMut(DenseValues<'_>)) -> Result<()>,
    ) -> Result<Bounds> {
        let mut bounds = self.left.clone();
        others(&mut |values| bounds.merge(&self.bounds_of(values), self.order))?;
        Ok(bounds)
    }

    /// Returns the statistics of the values that are left of a chunk with these statistics. A bound that may have been deleted is
    /// found among all values that are left: `others` decodes those of the pages that have lost none.
    pub(super) fn statistics(
        &self,
        chunk: Statistics,
        compare: Compare,
        others: impl FnOnce(&mut dyn FnMut(DenseValues<'_>)) -> Result<()>,
    ) -> Result<Statistics> {
        let mut left = Statistics {
            null_count: chunk
                .null_count
                .map(|nulls| nulls.saturating_sub(self.nulls)),
            nan_count: chunk
                .nan_count
                .map(|nans| nans.saturating_sub(self.bounds.nans as i64)),
            min_value: chunk.min_value,
            max_value: chunk.max_value,
            is_min_value_exact: chunk.is_min_value_exact,
            is_max_value_exact: chunk.is_max_value_exact,
            ..Default::default()
        };
        let is_lost = |bound: Option<&Bytes>, wanted: Ordering, of: usize| {
            let reaches = |bounds: &Bounds| {
                let value = bounds
                    .range()
                    .map(|(least, most)| [least, most][of])
                    .zip(bound);
                value.is_some_and(|(value, bound)| compare.values(value, bound) != wanted)
            };
            reaches(&self.bounds) && !reaches(&self.left)
        };
        let (least, most) = (left.min_value.as_ref(), left.max_value.as_ref());
        if is_lost(least, Ordering::Greater, 0) || is_lost(most, Ordering::Less, 1) {
            let bounds = self.bounds_left(others)?;
            let exact = bounds.range().map(|_| true);
            (left.min_value, left.max_value) = bounds.range().map(copied).unzip();
            (left.is_min_value_exact, left.is_max_value_exact) = (exact, exact);
        }
        Ok(left)
    }

    /// Returns the bounds of values, and their number of NaN.
    fn bounds_of(&self, values: DenseValues<'_>) -> Bounds {
        match values {
            DenseValues::Fixed(bytes, width) => self.order.bounds(bytes, width.max(1)),
            DenseValues::Strings(strings) => self.order.bounds_of_strings(strings.iter().copied()),
            DenseValues::Bits(bits) => {
                let (set, all) = (bits.count_set_bits(), bits.len());
                let of = [(&[0][..], set < all), (&[1][..], set > 0)];
                let of = of.into_iter().filter(|(_, is_there)| *is_there);
                self.order.bounds_of_strings(of.map(|(value, _)| value))
            }
            DenseValues::Indices(indices) => self.bounds_of_indices(indices),
        }
    }

    fn bounds_of_indices(&self, indices: &[u32]) -> Bounds {
        let mut counts = vec![0_u64; self.dictionary.len()];
        for index in indices {
            if let Some(count) = counts.get_mut(*index as usize) {
                *count += 1;
            }
        }
        let used = self.dictionary.iter().zip(&counts);
        let used = used.filter(|(_, count)| **count > 0);
        let Some(width) = self.width else {
            let entries = used.map(|(entry, _)| &entry[..]);
            return self.order.bounds_of_strings(entries);
        };
        let (mut entries, mut nans) = (Vec::new(), 0);
        for (entry, count) in used {
            nans += count * self.order.bounds(entry, width).nans;
            entries.extend_from_slice(entry);
        }
        let mut bounds = self.order.bounds(&entries, width);
        bounds.nans = nans;
        bounds
    }

    /// Returns the length of an entry of the dictionary in bytes.
    pub(super) fn length(&self, index: u32) -> Option<i64> {
        let entry = self.dictionary.get(index as usize)?;
        Some(entry.len() as i64)
    }
}

fn copied((least, most): (&[u8], &[u8])) -> (Bytes, Bytes) {
    (Bytes::copy_from_slice(least), Bytes::copy_from_slice(most))
}

/// Returns the bounds of a page. NaN were counted if `like` says so, the bounds of the page before.
pub(super) fn of_page(bounds: &Bounds, like: Option<&PageBounds>) -> PageBounds {
    PageBounds {
        range: bounds.range().map(copied),
        nulls: None,
        nans: like.and_then(|it| it.nans).map(|_| bounds.nans as i64),
    }
}

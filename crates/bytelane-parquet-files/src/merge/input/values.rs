//! Finds the statistics of the values that are left where rows are deleted.

use crate::merge::join::{Entries, dictionary_of};
use crate::merge::leaf::{Entry, Leaf, PageBounds, StoredPage};
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
    dictionary: Entries,
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
            None => Entries::default(),
            Some(page) => {
                let (bytes, count) = dictionary_of(page, editor)?;
                Entries::new(bytes, count, width)?
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

    /// Extends bounds until one of them, the smallest or the largest value, is that of all values that are left. `pages` have lost none: those
    /// whose bounds reach furthest are decoded first, until those of the next one are not beyond a value that was found.
    fn extend<'a>(
        &self,
        bounds: &mut Bounds,
        (compare, wanted): (Compare, Ordering),
        pages: &[(&'a StoredPage, &'a Entry)],
        decode: &mut dyn FnMut(&StoredPage) -> Result<Bounds>,
    ) -> Result<()> {
        let bound = |range: Option<(&[u8], &[u8])>| match (range?, wanted) {
            ((least, _), Ordering::Less) => Some(least.to_vec()),
            ((_, most), _) => Some(most.to_vec()),
        };
        // Where NaN is a bound, comparisons with it say nothing.
        let known = |entry: &Entry| match &entry.bounds {
            Some(it) if !self.order.is_total() => bound(
                it.range
                    .as_ref()
                    .map(|(least, most)| (&least[..], &most[..])),
            ),
            _ => None,
        };
        let mut pages: Vec<_> = pages
            .iter()
            .map(|(page, entry)| (known(entry), *page))
            .collect();
        pages.sort_by(|(a, _), (b, _)| match (a, b) {
            (Some(a), Some(b)) if wanted == Ordering::Less => compare.values(a, b),
            (Some(a), Some(b)) => compare.values(b, a),
            (a, b) => a.is_some().cmp(&b.is_some()),
        });
        for (known, page) in pages {
            if let (Some(known), Some(found)) = (known, bound(bounds.range()))
                && compare.values(&known, &found) != wanted
            {
                break;
            }
            bounds.merge(&decode(page)?, self.order);
        }
        Ok(())
    }

    /// Returns the statistics of the values that are left of a chunk with these statistics, if all of its pages have lost some.
    pub(super) fn statistics_of_left(&self, chunk: Statistics, nulls: i64) -> Statistics {
        let (least, most) = self.left.range().map(copied).unzip();
        // A chunk without bounds gets none: they may have been too long.
        let min_value = least.filter(|_| chunk.min_value.is_some());
        let max_value = most.filter(|_| chunk.max_value.is_some());
        Statistics {
            null_count: chunk.null_count.map(|_| nulls),
            nan_count: chunk.nan_count.map(|_| self.left.nans as i64),
            is_min_value_exact: min_value.as_ref().map(|_| true),
            is_max_value_exact: max_value.as_ref().map(|_| true),
            min_value,
            max_value,
            ..Default::default()
        }
    }

    /// Returns the statistics of the values that are left of a chunk with these statistics. A bound that may have been deleted is
    /// found among all values that are left, also those of the pages that have lost none.
    pub(super) fn statistics(
        &self,
        chunk: Statistics,
        compare: Compare,
        whole: &[(&StoredPage, &Entry)],
        mut decode: impl FnMut(&StoredPage) -> Result<Bounds>,
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
        let mut bounds = self.left.clone();
        if is_lost(left.min_value.as_ref(), Ordering::Greater, 0) {
            self.extend(&mut bounds, (compare, Ordering::Less), whole, &mut decode)?;
            left.min_value = bounds
                .range()
                .map(|(least, _)| Bytes::copy_from_slice(least));
            left.is_min_value_exact = left.min_value.as_ref().map(|_| true);
        }
        if is_lost(left.max_value.as_ref(), Ordering::Less, 1) {
            self.extend(
                &mut bounds,
                (compare, Ordering::Greater),
                whole,
                &mut decode,
            )?;
            left.max_value = bounds.range().map(|(_, most)| Bytes::copy_from_slice(most));
            left.is_max_value_exact = left.max_value.as_ref().map(|_| true);
        }
        Ok(left)
    }

    /// Returns the bounds of values, and their number of NaN.
    pub(super) fn bounds_of(&self, values: DenseValues<'_>) -> Bounds {
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
        let mut is_used = vec![false; self.dictionary.len()];
        for index in indices {
            if let Some(is_used) = is_used.get_mut(*index as usize) {
                *is_used = true;
            }
        }
        let used = self.dictionary.iter().zip(&is_used);
        let used = used.filter_map(|(entry, is_used)| is_used.then_some(entry));
        let Some(width) = self.width else {
            return self.order.bounds_of_strings(used);
        };
        let mut entries = Vec::new();
        for entry in used {
            entries.extend_from_slice(entry);
        }
        let mut bounds = self.order.bounds(&entries, width);
        if bounds.nans > 0 {
            let values = indices
                .iter()
                .filter_map(|index| self.dictionary.get(*index));
            bounds.nans = values
                .map(|value| self.order.bounds(value, width).nans)
                .sum();
        }
        bounds
    }

    /// Returns the length of an entry of the dictionary in bytes.
    pub(super) fn length(&self, index: u32) -> Option<i64> {
        Some(self.dictionary.get(index)?.len() as i64)
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

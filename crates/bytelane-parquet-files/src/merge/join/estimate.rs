//! Predicts whether a joined dictionary is worth its size.

use super::Join;
use super::bounds;
use crate::merge::leaf::{Leaf, StoredPage};
use bytelane_parquet::{Error, Result};
use bytes::Bytes;
use std::cmp::Ordering;

/// Maximum size of a joined dictionary in bytes, unless that of an input is larger.
const DICTIONARY: usize = 1 << 20;

/// Number of bytes by which the growth of indices may exceed the savings on dictionaries.
const SLACK: u64 = 4096;

/// Sizes of dictionaries and of their indices before they are joined.
#[derive(Default)]
pub(super) struct Sizes {
    dictionaries: u64,
    largest: usize,
    entries: usize,
    /// Number of values and width of their indices in bits, for each input.
    indices: Vec<(u64, u32)>,
}

impl Sizes {
    /// Adds the dictionary page of a chunk.
    pub(super) fn add(&mut self, leaf: &Leaf, page: &StoredPage) -> Result<()> {
        let indices = leaf.data_pages().filter(|page| page.uses_dictionary());
        let values: i64 = indices.map(|page| page.page.values()).sum();
        let header = &page.page.header;
        let entries = header.dictionary_page_header.as_ref();
        let entries = entries.and_then(|it| usize::try_from(it.num_values).ok());
        let bytes = usize::try_from(header.uncompressed_page_size).ok();
        let (Some(entries), Some(bytes)) = (entries, bytes) else {
            return Err(Error::corrupt("a dictionary without its header"));
        };
        self.dictionaries = self.dictionaries.saturating_add(bytes as u64);
        self.largest = self.largest.max(bytes);
        self.entries = self.entries.saturating_add(entries);
        self.indices.push((values.unsigned_abs(), width(entries)));
        Ok(())
    }

    /// Returns the maximum size of a joined dictionary.
    pub(super) fn limit(&self) -> usize {
        DICTIONARY.max(self.largest)
    }

    /// Returns whether indices into `entries` entries grow by more than a dictionary of `bytes`
    /// bytes saves.
    pub(super) fn grow(&self, entries: usize, bytes: usize) -> bool {
        let wider = |(values, old): &(u64, u32)| {
            values.saturating_mul(u64::from(width(entries).saturating_sub(*old))) / 8
        };
        let more = self.indices.iter().map(wider).fold(0, u64::saturating_add);
        more > self.dictionaries.saturating_sub(bytes as u64) + SLACK
    }
}

impl Join<'_> {
    /// Returns whether a joined dictionary would certainly be too large: the bounds of the chunks
    /// show that no two of their dictionaries have a common entry.
    pub(super) fn is_hopeless(&self, sizes: &Sizes) -> Result<bool> {
        let bytes = usize::try_from(sizes.dictionaries).unwrap_or(usize::MAX);
        let is_too_large = bytes > sizes.limit() || sizes.grow(sizes.entries, bytes);
        Ok(is_too_large && self.are_apart()?)
    }

    /// Returns whether the bounds of all chunks are disjoint.
    fn are_apart(&self) -> Result<bool> {
        let Some(compare) = self.compare else {
            return Ok(false);
        };
        let mut ranges: Vec<(Bytes, Bytes)> = Vec::new();
        for leaf in self.leaves() {
            let statistics = bounds::of_chunk(leaf)?;
            let Some(range) = statistics.and_then(|it| it.min_value.zip(it.max_value)) else {
                return Ok(false);
            };
            ranges.push(range);
        }
        ranges.sort_by(|one, other| compare.values(&one.0, &other.0));
        let is_before =
            |pair: &[(Bytes, Bytes)]| compare.values(&pair[0].1, &pair[1].0) == Ordering::Less;
        Ok(ranges.windows(2).all(is_before))
    }
}

/// Returns the number of bits of an index into `entries` entries.
fn width(entries: usize) -> u32 {
    usize::BITS - entries.saturating_sub(1).leading_zeros()
}

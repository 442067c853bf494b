//! Encodes chunks whose values are indices into a dictionary.

use super::super::layout::{Layout, PageSizes};
use super::super::leaf::{LeafValues, Unit};
use super::super::rows::Rows;
use super::bloom::BloomFilter;
use super::dense::with_dense;
use super::statistics::bounds_of;
use super::{Chunk, LeafEncoder};
use crate::Result;
use crate::page::{DenseValues, DictionaryBuilder, ValueEncoding};
use crate::statistics::{Bounds, Order};
use crate::types::physical;
use parquet::file::properties::EnabledStatistics;

/// Assumed width of an index in bits, for page size limits in bytes.
const INDEX_BITS: usize = 16;

impl LeafEncoder<'_> {
    /// Encodes all rows. Returns `None` if the dictionary would reach the size limit of the layout.
    pub(super) fn with_dictionary(
        &mut self,
        mut rows: Rows,
        layout: &Layout,
    ) -> Result<Option<Chunk>> {
        let width = physical::width(self.column);
        let mut dictionary = DictionaryBuilder::new(width, layout.dictionary_bytes);
        let mut pages = self.new_pages();
        let (mut indices, mut used) = (Vec::new(), Used::default());
        let (mut sizes, unit) = (Sizes::new(layout.pages), Unit::Bits(INDEX_BITS));
        while let Some(arrays) = rows.take_page(self.path, unit, sizes.next) {
            let (levels, values) = self.shred(arrays)?;
            indices.clear();
            for part in values {
                if !self.find(part, &mut dictionary, &mut indices)? {
                    return Ok(None);
                }
            }
            sizes.look_at(levels.rows, dictionary.len());
            used.look_at(&indices, &dictionary);
            if width.is_none() {
                pages.add_strings(used.bytes);
            }
            let bounds = match self.statistics {
                EnabledStatistics::None => Bounds::default(),
                _ => used.bounds(&indices, &dictionary, width, self.order),
            };
            let values = DenseValues::Indices(&indices);
            self.append(
                &mut pages,
                &levels,
                values,
                ValueEncoding::Dictionary,
                &bounds,
            )?;
        }
        let mut filter = BloomFilter::new(self.column, self.options);
        dictionary.for_each(|entry| filter.insert(DenseValues::Strings(&[entry])));
        let filter = filter.finish()?;
        pages
            .finish(Some(&dictionary), filter, self.pages, self.options)
            .map(Some)
    }

    /// Appends the dictionary indices of values. Returns false if the dictionary has grown too
    /// large.
    fn find(
        &mut self,
        part: LeafValues,
        dictionary: &mut DictionaryBuilder,
        indices: &mut Vec<u32>,
    ) -> Result<bool> {
        let backend = self.options.backend;
        let Some(entries) = part.dictionary() else {
            return with_dense(
                self.column,
                &[part.unpacked()?],
                backend,
                self.scratch,
                |values| Ok(dictionary.append(values, indices)),
            );
        };
        let mut keys = Vec::new();
        part.keys(&mut keys);
        let parts = [entries.unpacked()?];
        with_dense(self.column, &parts, backend, self.scratch, |entries| {
            // Dictionary entries that no key refers to are ignored.
            let mut found = vec![None; keys.iter().max().map_or(0, |last| last + 1)];
            for key in &keys {
                let index = match found[*key] {
                    Some(index) => Some(index),
                    None => entries.get(*key).and_then(|entry| dictionary.index(entry)),
                };
                let Some(index) = index else {
                    return Ok(false);
                };
                found[*key] = Some(index);
                indices.push(index);
            }
            Ok(true)
        })
    }
}

/// Page sizes: small pages while the indices would become wider within a usual one.
struct Sizes {
    usual: PageSizes,
    next: PageSizes,
    /// Number of entries in the dictionary so far.
    entries: usize,
}

impl Sizes {
    fn new(usual: PageSizes) -> Self {
        let mut sizes = Self {
            usual,
            next: usual,
            entries: 0,
        };
        sizes.choose(true);
        sizes
    }

    /// Updates the sizes after a page: its number of rows, and the number of entries after it.
    fn look_at(&mut self, rows: usize, entries: usize) {
        let new = entries - self.entries;
        let more = new.saturating_mul(self.usual.rows / rows.max(1));
        let expected = entries.saturating_add(more);
        self.entries = entries;
        self.choose(expected > entries.next_power_of_two());
    }

    fn choose(&mut self, is_growing: bool) {
        let early = self.usual.early_rows.filter(|_| is_growing);
        self.next.rows = early.map_or(self.usual.rows, |early| early.min(self.usual.rows));
    }
}

/// Dictionary entries that a page uses.
#[derive(Default)]
struct Used {
    /// Number of the last page that used each entry.
    pages: Vec<u32>,
    page: u32,
    entries: Vec<u32>,
    /// Number of bytes of all values of the page, if they are strings.
    bytes: usize,
}

impl Used {
    fn look_at(&mut self, indices: &[u32], dictionary: &DictionaryBuilder) {
        self.page += 1;
        self.pages.resize(dictionary.len(), 0);
        self.entries.clear();
        self.bytes = 0;
        for &index in indices {
            let page = &mut self.pages[index as usize];
            if *page != self.page {
                *page = self.page;
                self.entries.push(index);
            }
            self.bytes += dictionary.length(index);
        }
    }

    fn bounds(
        &self,
        indices: &[u32],
        dictionary: &DictionaryBuilder,
        width: Option<usize>,
        order: Order,
    ) -> Bounds {
        let entries = self.entries.iter().map(|index| dictionary.entry(*index));
        let Some(width) = width else {
            return order.bounds_of_strings(entries);
        };
        let values: Vec<u8> = entries.flatten().copied().collect();
        let mut bounds = bounds_of(DenseValues::Fixed(&values, width), order);
        if bounds.nans > 0 {
            let nans = |index: u32| order.bounds(dictionary.entry(index), width).nans;
            let mut is_nan = vec![0; dictionary.len()];
            let all = is_nan.iter_mut().zip(0..);
            all.for_each(|(is_nan, index)| *is_nan = nans(index));
            let indices = indices.iter();
            bounds.nans = indices.map(|index| is_nan[*index as usize]).sum();
        }
        bounds
    }
}

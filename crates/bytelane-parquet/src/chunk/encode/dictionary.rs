//! Encodes chunks whose values are indices into a dictionary.

use super::super::layout::{Layout, PageSizes};
use super::super::leaf::{LeafValues, Unit};
use super::super::rows::Rows;
use super::bloom::BloomFilter;
use super::dense::with_dense;
use super::pages::{FirstPage, PagePart, Pages};
use super::statistics::bounds_of;
use super::{EncodedLeaf, LeafEncoder};
use crate::page::{DenseValues, DictionaryBuilder, Pieces, SlotLevels, ValueEncoding};
use crate::statistics::{Bounds, Order};
use crate::types::physical;
use crate::{ColumnOptions, Encoding, Result};
use parquet::file::properties::EnabledStatistics;

/// Assumed width of an index in bits, for page size limits in bytes.
const INDEX_BITS: usize = 16;

impl LeafEncoder<'_> {
    /// Encodes all rows. Returns `None` if the dictionary would reach the size limit of the layout.
    pub(super) fn with_dictionary(
        &mut self,
        mut rows: Rows,
        layout: &Layout,
    ) -> Result<Option<EncodedLeaf>> {
        let width = physical::width(self.column);
        let first = |column: &ColumnOptions| column.entries.clone();
        let first = self.options.own(self.column.path(), first);
        let most = if self.path.is_ordered() || first.is_some() {
            usize::MAX
        } else {
            layout.dictionary_bytes
        };
        let mut dictionary = DictionaryBuilder::new(width, most);
        if let Some((entries, count)) = first {
            add_entries(&mut dictionary, width, &entries, count);
        }
        let (mut pages, mut used) = (self.new_pages(), Used::default());
        let mut page = IndexPage::new(layout.pages);
        loop {
            let room = page.room();
            let Some(arrays) = rows.take_page(self.path, Unit::Bits(INDEX_BITS), room) else {
                break;
            };
            let (levels, values) = self.shred(arrays)?;
            let is_last = levels.rows < room.rows;
            let (entries, held) = (dictionary.len(), page.indices.len());
            let mut bounds = self.first_bounds();
            for part in values {
                if !self.find(part, &mut dictionary, &mut page.indices, &mut bounds)? {
                    return Ok(None);
                }
            }
            if held > 0 && bits(dictionary.len()) > bits(entries) {
                // The indices before these are narrower.
                let next = page.split_off(held);
                self.append_indices(&mut pages, &mut page, &dictionary, &mut used)?;
                page = next;
            }
            page.levels.append(levels);
            page.merge(bounds, self.order);
            if is_last || page.levels.rows == layout.pages.rows {
                self.append_indices(&mut pages, &mut page, &dictionary, &mut used)?;
                page.clear();
            }
        }
        if page.levels.rows > 0 {
            self.append_indices(&mut pages, &mut page, &dictionary, &mut used)?;
        }
        let mut filter = BloomFilter::new(self.column, self.options);
        dictionary.for_each(|entry| filter.insert(DenseValues::Strings(&[entry])));
        let filter = filter.finish()?;
        let entries = Some(dictionary.len());
        let chunk = pages.finish(
            Some(FirstPage::Dictionary(Box::new(dictionary))),
            filter,
            self.pages,
            self.options,
        )?;
        Ok(Some(EncodedLeaf {
            chunk,
            encoding: Encoding::Dictionary,
            entries,
        }))
    }

    fn append_indices(
        &mut self,
        pages: &mut Pages<'_>,
        page: &mut IndexPage,
        dictionary: &DictionaryBuilder,
        used: &mut Used,
    ) -> Result<()> {
        let (indices, width) = (&page.indices, physical::width(self.column));
        let lengths = || indices.iter().map(|it| dictionary.length(*it)).sum();
        let strings = width.is_none().then(lengths);
        let bounds = match &page.bounds {
            _ if self.statistics == EnabledStatistics::None => Bounds::default(),
            Some(bounds) => bounds.clone(),
            None => {
                used.look_at(indices, dictionary);
                used.bounds(indices, dictionary, width, self.order)
            }
        };
        let values = DenseValues::Indices(indices);
        let encoding = ValueEncoding::Dictionary;
        let levels = std::mem::take(&mut page.levels);
        let page = self.append(&levels, (values, None), encoding, &bounds, &mut pages.bytes)?;
        pages.append(&PagePart {
            levels,
            bounds,
            page,
            strings,
            bytes: Pieces::default(),
        });
        Ok(())
    }

    /// Returns bounds of no values, if bounds are taken from values and not from dictionary entries.
    fn first_bounds(&self) -> Option<Bounds> {
        let is_wanted = self.statistics != EnabledStatistics::None;
        let is_number = matches!(physical::width(self.column), Some(4 | 8));
        (is_wanted && is_number).then(Bounds::default)
    }

    /// Adds all entries of an ordered dictionary, in their order. Returns false if the dictionary has grown too large.
    fn add_all(&mut self, part: &LeafValues, dictionary: &mut DictionaryBuilder) -> Result<bool> {
        let Some(entries) = part.dictionary() else {
            return Ok(true);
        };
        let (parts, backend) = ([entries.unpacked()?], self.options.backend);
        with_dense(self.column, &parts, backend, self.scratch, |entries, _| {
            let mut all = (0..).map_while(|at| entries.get(at));
            Ok(all.all(|entry| dictionary.index(entry).is_some()))
        })
    }

    /// Appends the dictionary indices of values, and extends their bounds, unless these have to be
    /// taken from dictionary entries. Returns false if the dictionary has grown too large.
    fn find(
        &mut self,
        part: LeafValues,
        dictionary: &mut DictionaryBuilder,
        indices: &mut Vec<u32>,
        bounds: &mut Option<Bounds>,
    ) -> Result<bool> {
        let (backend, order) = (self.options.backend, self.order);
        if self.path.is_ordered() && !self.add_all(&part, dictionary)? {
            return Ok(false);
        }
        let Some(entries) = part.dictionary() else {
            let parts = [part.unpacked()?];
            return with_dense(self.column, &parts, backend, self.scratch, |values, _| {
                if let Some(bounds) = bounds {
                    bounds.merge(&bounds_of(values, order), order);
                }
                Ok(dictionary.append(values, indices))
            });
        };
        *bounds = None;
        let mut keys = Vec::new();
        part.keys(&mut keys);
        let parts = [entries.unpacked()?];
        with_dense(self.column, &parts, backend, self.scratch, |entries, _| {
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

/// Adds PLAIN-encoded entries.
fn add_entries(
    dictionary: &mut DictionaryBuilder,
    width: Option<usize>,
    entries: &[u8],
    count: usize,
) {
    let mut rest = entries;
    for _ in 0..count {
        let start = if width.is_some() { 0 } else { size_of::<u32>() };
        let length = width.or_else(|| Some(u32::from_le_bytes(*rest.first_chunk()?) as usize));
        let Some((entry, others)) = length.and_then(|it| rest.split_at_checked(start + it)) else {
            return;
        };
        dictionary.index(&entry[start..]);
        rest = others;
    }
}

/// Page that is being filled, step by step if page sizes are open to choice. It ends early where
/// indices become wider.
struct IndexPage {
    sizes: PageSizes,
    levels: SlotLevels,
    indices: Vec<u32>,
    /// Bounds of the values, unless they have to be taken from dictionary entries.
    bounds: Option<Bounds>,
}

impl IndexPage {
    fn new(sizes: PageSizes) -> Self {
        Self {
            sizes,
            levels: SlotLevels::default(),
            indices: Vec::new(),
            bounds: Some(Bounds::default()),
        }
    }

    /// Extends the bounds.
    fn merge(&mut self, bounds: Option<Bounds>, order: Order) {
        match (&mut self.bounds, bounds) {
            (Some(all), Some(bounds)) => all.merge(&bounds, order),
            (all, _) => *all = None,
        }
    }

    /// Returns the sizes of the next step.
    fn room(&self) -> PageSizes {
        let PageSizes { rows, bytes, .. } = self.sizes;
        let rows = rows - self.levels.rows;
        PageSizes {
            rows: self.sizes.step_rows.map_or(rows, |step| step.min(rows)),
            bytes: bytes.saturating_sub(self.indices.len() * INDEX_BITS / 8),
            ..self.sizes
        }
    }

    /// Moves the indices from number `held` on, whose levels were not appended yet, to a new page.
    fn split_off(&mut self, held: usize) -> Self {
        Self {
            indices: self.indices.split_off(held),
            ..Self::new(self.sizes)
        }
    }

    fn clear(&mut self) {
        self.levels = SlotLevels::default();
        self.indices.clear();
        self.bounds = Some(Bounds::default());
    }
}

/// Returns the number of bits of indices of so many entries.
fn bits(entries: usize) -> u32 {
    usize::BITS - entries.saturating_sub(1).leading_zeros()
}

/// Dictionary entries that a page uses.
#[derive(Default)]
struct Used {
    /// Number of the last page that used each entry.
    pages: Vec<u32>,
    page: u32,
    entries: Vec<u32>,
}

impl Used {
    fn look_at(&mut self, indices: &[u32], dictionary: &DictionaryBuilder) {
        self.page += 1;
        self.pages.resize(dictionary.len(), 0);
        self.entries.clear();
        for &index in indices {
            let page = &mut self.pages[index as usize];
            if *page != self.page {
                *page = self.page;
                self.entries.push(index);
            }
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
        let mut values = Vec::with_capacity(self.entries.len() * width);
        entries.for_each(|entry| values.extend_from_slice(entry));
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

//! Adds what the writer of a chunk left out: counts of NaN, geospatial statistics, and a Bloom filter if one is requested.

use crate::merge::join::bounds;
use crate::merge::join::entry::editor;
use crate::merge::join::{Entries, dictionary_of};
use crate::merge::leaf::Leaf;
use crate::merge::options::Repair;
use bytelane_parquet::Result;
use bytelane_parquet::budget::{MemoryLimit, RowLimit};
use bytelane_parquet::chunk::extent::Extent;
use bytelane_parquet::format::{Encoded, GeospatialStatistics};
use bytelane_parquet::page::{DenseValues, PageGatherer, PageKind, PageRows, read_header};
use bytelane_parquet::statistics::Order;
use bytelane_parquet::types::physical;
use bytes::Bytes;
use parquet::basic::Type;
use parquet::bloom_filter::Sbbf;
use parquet::schema::types::ColumnDescriptor;

/// False-positive probability of new Bloom filters.
const FALSE_POSITIVES: f64 = 0.01;

/// Maximum size of a Bloom filter, in bytes.
const MOST: u64 = 128 << 20;

/// Counts NaN in a chunk of floats without counts, and builds the Bloom filter of a column that
/// needs one. Nothing is added if values cannot be decoded.
pub(super) fn complete(leaf: &mut Leaf, column: &ColumnDescriptor, repair: &Repair) -> Result<()> {
    let statistics = bounds::of_chunk(leaf)?;
    let path = column.path().string();
    let mut values = Values {
        nans: counts_nans(column) && statistics.as_ref().is_some_and(|it| it.nan_count.is_none()),
        ..Values::of(column)
    };
    if repair.bloom_filters.contains(&path) && column.physical_type() != Type::BOOLEAN {
        let count = leaf.metadata().num_values;
        let filter = new_filter(count, leaf.chunk.bytes(), leaf.memory)?;
        values.filter = filter.filter(|_| leaf.bloom_filter.is_none());
    }
    if !values.nans && values.filter.is_none() {
        return Ok(());
    }
    let nans = match values.pages(leaf, column) {
        Ok(nans) => nans,
        Err(error) if error.is_obstacle() || error.is_of_memory() => return Ok(()),
        Err(error) => return Err(error),
    };
    if let Some(mut statistics) = statistics.filter(|_| values.nans) {
        statistics.nan_count = Some(nans.iter().sum());
        leaf.chunk.metadata_mut().statistics = Some(Encoded::new(&statistics)?);
        for (entry, nans) in leaf.entries.iter_mut().zip(nans) {
            if let Some(bounds) = &mut entry.bounds {
                bounds.nans = Some(nans);
            }
        }
    }
    if let Some(filter) = values.filter {
        leaf.bloom_filter = Some(written(filter)?);
    }
    Ok(())
}

/// Builds a Bloom filter of the values of several chunks; `None` if values cannot be decoded.
pub(in crate::merge) fn bloom_filter<'a>(
    leaves: impl Iterator<Item = &'a Leaf> + Clone,
    column: &ColumnDescriptor,
) -> Result<Option<Bytes>> {
    let counts = leaves.clone().map(|leaf| leaf.metadata().num_values);
    let count = counts.fold(0, i64::saturating_add);
    let bytes = leaves.clone().map(|leaf| leaf.chunk.bytes());
    let bytes = bytes.fold(0, u64::saturating_add);
    let memory = leaves.clone().next().map(|leaf| leaf.memory);
    let Some(filter) = new_filter(count, bytes, memory.unwrap_or_default())? else {
        return Ok(None);
    };
    let values = Values {
        filter: Some(filter),
        ..Values::of(column)
    };
    let filter = values.all(leaves, column)?.and_then(|it| it.filter);
    filter.map(written).transpose()
}

/// Returns the statistics of the geometries in several chunks; `None` if values cannot be decoded.
pub(in crate::merge) fn geospatial_statistics<'a>(
    leaves: impl Iterator<Item = &'a Leaf>,
    column: &ColumnDescriptor,
) -> Result<Option<GeospatialStatistics>> {
    let values = Values {
        extent: Extent::new(column),
        ..Values::of(column)
    };
    let extent = values.all(leaves, column)?.and_then(|it| it.extent);
    Ok(extent.and_then(|it| it.statistics()))
}

/// Returns an empty filter for this number of values, in chunks of this size; `None` if there are more values than
/// chunks of this size should have, or memory for their filter.
fn new_filter(values: i64, chunk_bytes: u64, memory: MemoryLimit) -> Result<Option<Sbbf>> {
    let count = u64::try_from(values).unwrap_or(0).max(1);
    let most = memory.of_column(chunk_bytes);
    // A value takes up to 20 bits in a filter whose size is a power of two.
    let bytes = count.saturating_mul(20) / 8;
    if RowLimit::default().check(values, chunk_bytes).is_err() || bytes.min(MOST) > most {
        return Ok(None);
    }
    Ok(Some(Sbbf::new_with_ndv_fpp(count, FALSE_POSITIVES)?))
}

/// Returns a filter as it is stored, as small as its false positives allow.
fn written(mut filter: Sbbf) -> Result<Bytes> {
    filter.fold_to_target_fpp(FALSE_POSITIVES);
    let mut bytes = Vec::new();
    filter.write(&mut bytes)?;
    Ok(bytes.into())
}

/// Returns whether a column has floats.
fn counts_nans(column: &ColumnDescriptor) -> bool {
    matches!(column.physical_type(), Type::FLOAT | Type::DOUBLE)
}

/// Scanner for the values of a chunk.
struct Values {
    order: Order,
    width: Option<usize>,
    nans: bool,
    filter: Option<Sbbf>,
    extent: Option<Extent>,
    /// Set for each entry of the dictionary that is NaN.
    dictionary: Vec<bool>,
    /// Set for each entry of the dictionary that a page has.
    used: Vec<bool>,
}

impl Values {
    /// Returns a scanner that looks for nothing.
    fn of(column: &ColumnDescriptor) -> Self {
        Self {
            order: Order::of(column),
            width: physical::width(column),
            nans: false,
            filter: None,
            extent: None,
            dictionary: Vec::new(),
            used: Vec::new(),
        }
    }

    /// Scans several chunks. Returns `None` if values cannot be decoded.
    fn all<'a>(
        mut self,
        leaves: impl Iterator<Item = &'a Leaf>,
        column: &ColumnDescriptor,
    ) -> Result<Option<Self>> {
        for leaf in leaves {
            match self.pages(leaf, column) {
                Ok(_) => {}
                Err(error) if error.is_obstacle() || error.is_of_memory() => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        Ok(Some(self))
    }

    /// Scans all pages; returns the number of NaN in each.
    fn pages(&mut self, leaf: &Leaf, column: &ColumnDescriptor) -> Result<Vec<i64>> {
        let mut editor = editor(leaf, column)?;
        let mut gatherer = PageGatherer::new(column, &leaf.limits().0)?;
        self.dictionary.clear();
        let dictionary = leaf.dictionary();
        let dictionary = dictionary.map(|page| dictionary_of(page, &mut editor));
        let dictionary = dictionary.transpose()?;
        if let Some((bytes, count)) = &dictionary {
            self.dictionary(bytes, *count)?;
            self.used = vec![false; *count];
        }
        let mut nans = Vec::new();
        for (number, page) in leaf.data_pages().enumerate() {
            let mut look = || {
                let (checked, body) = (read_header(&page.page.header)?, page.body());
                checked.check(&body)?;
                let PageKind::Data(header) = checked.kind else {
                    return Ok(0);
                };
                let parts = editor.open(&header, &body)?;
                gatherer.add(&header, parts, &PageRows::all(), None)?;
                gatherer.with_values(|values| Ok(self.look(values)))
            };
            nans.push(look().map_err(|error: bytelane_parquet::Error| error.in_page(number))?);
        }
        if let (Some(extent), Some((bytes, count))) = (&mut self.extent, dictionary) {
            let entries = Entries::new(bytes, count, self.width)?;
            let used = entries.iter().zip(&self.used).filter(|(_, used)| **used);
            used.for_each(|(entry, _)| extent.add(entry));
        }
        Ok(nans)
    }

    fn dictionary(&mut self, bytes: &Bytes, count: usize) -> Result<()> {
        match self.width {
            Some(width) => {
                for entry in bytes.chunks_exact(width.max(1)).take(count) {
                    let is_nan = self.look(DenseValues::Fixed(entry, width)) > 0;
                    self.dictionary.push(is_nan);
                }
            }
            None => {
                if let Some(filter) = &mut self.filter {
                    let entries = Entries::new(bytes.clone(), count, None)?;
                    entries.iter().for_each(|entry| filter.insert(entry));
                }
            }
        }
        Ok(())
    }

    /// Scans values; returns the number of NaN.
    fn look(&mut self, values: DenseValues<'_>) -> i64 {
        match values {
            DenseValues::Fixed(bytes, width) => {
                if let Some(filter) = &mut self.filter {
                    bytes
                        .chunks_exact(width.max(1))
                        .for_each(|value| filter.insert(value));
                }
                if self.nans {
                    self.order.bounds(bytes, width).nans as i64
                } else {
                    0
                }
            }
            DenseValues::Strings(strings) => {
                if let Some(filter) = &mut self.filter {
                    strings.iter().for_each(|value| filter.insert(*value));
                }
                if let Some(extent) = &mut self.extent {
                    strings.iter().for_each(|value| extent.add(value));
                }
                0
            }
            // The filter already has all entries of the dictionary.
            DenseValues::Indices(indices) => {
                for index in indices.iter().filter(|_| self.extent.is_some()) {
                    if let Some(used) = self.used.get_mut(*index as usize) {
                        *used = true;
                    }
                }
                let is_nan = |index: &&u32| self.dictionary.get(**index as usize) == Some(&true);
                indices.iter().filter(is_nan).count() as i64
            }
            DenseValues::Bits(_) => 0,
        }
    }
}

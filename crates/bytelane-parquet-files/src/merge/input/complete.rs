//! Adds what the writer of a chunk left out: counts of NaN, and a Bloom filter if one is requested.

use crate::merge::join::bounds;
use crate::merge::join::dictionary_of;
use crate::merge::join::entry::editor;
use crate::merge::leaf::Leaf;
use crate::merge::options::Repair;
use bytelane_parquet::Result;
use bytelane_parquet::budget::{MemoryLimit, RowLimit};
use bytelane_parquet::format::Encoded;
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
        order: Order::of(column),
        width: physical::width(column),
        nans: counts_nans(column) && statistics.as_ref().is_some_and(|it| it.nan_count.is_none()),
        filter: None,
        dictionary: Vec::new(),
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
    let mut values = Values {
        order: Order::of(column),
        width: physical::width(column),
        nans: false,
        filter: Some(filter),
        dictionary: Vec::new(),
    };
    for leaf in leaves {
        match values.pages(leaf, column) {
            Ok(_) => {}
            Err(error) if error.is_obstacle() || error.is_of_memory() => return Ok(None),
            Err(error) => return Err(error),
        }
    }
    values.filter.map(written).transpose()
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
    /// Set for each entry of the dictionary that is NaN.
    dictionary: Vec<bool>,
}

impl Values {
    /// Scans all pages; returns the number of NaN in each.
    fn pages(&mut self, leaf: &Leaf, column: &ColumnDescriptor) -> Result<Vec<i64>> {
        let mut editor = editor(leaf, column)?;
        let mut gatherer = PageGatherer::new(column, &leaf.limits().0)?;
        self.dictionary.clear();
        if let Some(page) = leaf.dictionary() {
            let (bytes, count) = dictionary_of(page, &mut editor)?;
            self.dictionary(&bytes, count)?;
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
                let mut rest = &bytes[..];
                for length in crate::merge::join::lengths(bytes, count)? {
                    let (entry, others) = rest[size_of::<u32>()..].split_at(length as usize);
                    self.look(DenseValues::Strings(&[entry]));
                    rest = others;
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
                0
            }
            // The filter already has all entries of the dictionary.
            DenseValues::Indices(indices) => {
                let is_nan = |index: &&u32| self.dictionary.get(**index as usize) == Some(&true);
                indices.iter().filter(is_nan).count() as i64
            }
            DenseValues::Bits(_) => 0,
        }
    }
}

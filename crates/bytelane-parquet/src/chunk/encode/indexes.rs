//! Builds the column index of a chunk from the bounds of its pages.

use super::statistics::shortened;
use crate::format::{BoundaryOrder, ColumnIndex};
use crate::page::SlotLevels;
use crate::statistics::{Bounds, Order};
use bytes::Bytes;
use parquet::schema::types::ColumnDescriptor;
use std::cmp::Ordering;

/// Column index of a chunk, built page by page; `None` if the chunk cannot have one.
pub(super) struct Index {
    index: Option<ColumnIndex>,
    boundaries: Boundaries,
    /// Maximum length of the bounds of strings.
    bound_bytes: usize,
}

impl Index {
    pub(super) fn new(is_wanted: bool, bound_bytes: usize) -> Self {
        Self {
            bound_bytes,
            index: is_wanted.then(ColumnIndex::default),
            boundaries: Boundaries::default(),
        }
    }

    /// Appends a page. A page that has values but no bounds invalidates the whole index, because
    /// the format cannot express it.
    pub(super) fn append(
        &mut self,
        column: &ColumnDescriptor,
        order: Order,
        levels: &SlotLevels,
        bounds: &Bounds,
        histograms: [&[i64]; 2],
    ) {
        let Some(index) = &mut self.index else {
            return;
        };
        let is_null = levels.values == 0;
        let (least, most) = match shortened(bounds, column, order, self.bound_bytes) {
            _ if is_null => Default::default(),
            Some([least, most]) => (least.bytes, most.bytes),
            None => {
                self.index = None;
                return;
            }
        };
        if !is_null {
            self.boundaries.append(&least, &most, order);
        }
        index.null_pages.push(is_null);
        index.min_values.push(least.into());
        index.max_values.push(most.into());
        let nulls = index.null_counts.get_or_insert_default();
        nulls.push((levels.slots - levels.values) as i64);
        if let Some(nans) = bounds.nan_count(order) {
            let counts = index.nan_counts.get_or_insert_default();
            counts.push(nans as i64);
        }
        let [repetition, definition] = histograms;
        for (all, histogram) in [
            (&mut index.repetition_level_histograms, repetition),
            (&mut index.definition_level_histograms, definition),
        ] {
            if !histogram.is_empty() {
                all.get_or_insert_default().extend_from_slice(histogram);
            }
        }
    }

    /// Returns the encoded index.
    pub(super) fn finish(self) -> crate::Result<Option<Bytes>> {
        let boundary_order = self.boundaries.order();
        let index = self.index.map(|index| ColumnIndex {
            boundary_order,
            ..index
        });
        let encoded = index.map(|index| crate::format::encode(&index));
        Ok(encoded.transpose()?.map(Bytes::from))
    }
}

/// Order of the bounds of pages: ascending, descending or neither.
struct Boundaries {
    last: Option<(Vec<u8>, Vec<u8>)>,
    ascending: bool,
    descending: bool,
}

impl Default for Boundaries {
    fn default() -> Self {
        Self {
            last: None,
            ascending: true,
            descending: true,
        }
    }
}

impl Boundaries {
    fn append(&mut self, least: &[u8], most: &[u8], order: Order) {
        if let Some((last_least, last_most)) = &self.last {
            let change = [
                order.compare(last_least, least),
                order.compare(last_most, most),
            ];
            self.ascending &= !change.contains(&Ordering::Greater);
            self.descending &= !change.contains(&Ordering::Less);
        }
        self.last = Some((least.to_vec(), most.to_vec()));
    }

    fn order(&self) -> BoundaryOrder {
        match (self.ascending, self.descending) {
            (true, _) => BoundaryOrder::Ascending,
            (false, true) => BoundaryOrder::Descending,
            (false, false) => BoundaryOrder::Unordered,
        }
    }
}

//! Holds a partially read batch: the rows that predicates leave, and the columns read so far.

use super::super::rows::Ranges;
use super::conditions::{Condition, View};
use crate::{Error, Result};
use arrow_array::{ArrayRef, BooleanArray, RecordBatch};
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder};
use arrow_select::filter::{FilterBuilder, FilterPredicate};

/// Maximum gap between two selected rows that is read as well: skipping so few rows takes longer.
const GAP: usize = 64;

/// Rows and columns of a batch so far.
pub(super) struct Partial {
    rows: usize,
    /// Mask of the rows for which all predicates so far are true; `None` for all rows.
    left: Option<BooleanBuffer>,
    /// Arrays that have been read, and the number of the part that each belongs to.
    columns: Vec<Option<(usize, ArrayRef)>>,
    /// Rows of the arrays of each stage.
    parts: Vec<Ranges>,
}

impl Partial {
    /// Returns a batch of all rows and no columns.
    pub(super) fn new(columns: usize, rows: usize) -> Self {
        Self {
            rows,
            left: None,
            columns: vec![None; columns],
            parts: Vec::new(),
        }
    }

    /// Returns the rows to read: those that are left, and short gaps between them.
    pub(super) fn cover(&self) -> Ranges {
        match &self.left {
            None => Ranges::all(self.rows),
            Some(left) => Ranges::covering(left, GAP),
        }
    }

    /// Returns the rows that are left.
    pub(super) fn left(&self) -> Ranges {
        match &self.left {
            None => Ranges::all(self.rows),
            Some(left) => Ranges::covering(left, 1),
        }
    }

    /// Adds columns that have been read.
    pub(super) fn put(&mut self, columns: &[usize], arrays: Vec<ArrayRef>, rows: Ranges) {
        for (column, array) in columns.iter().zip(arrays) {
            self.columns[*column] = Some((self.parts.len(), array));
        }
        self.parts.push(rows);
    }

    /// Keeps the rows for which a predicate is true.
    pub(super) fn narrow(&mut self, condition: &dyn Condition, view: &View) -> Result<()> {
        let last = self.parts.len() - 1;
        let is_of_last = |column: &usize| {
            let column = self.columns[*column].as_ref();
            column.is_some_and(|(part, _)| *part == last)
        };
        let is_exact = self.parts[last].count() == self.count();
        if is_exact || !condition.is_total() || !view.columns.iter().all(is_of_last) {
            let batch = self.batch(view)?;
            let result = condition.evaluate(batch)?;
            self.left = Some(match &self.left {
                Some(left) => spread(left, &result),
                None => result,
            });
        } else {
            let part = &self.parts[last];
            let batch = view.batch(self.arrays(view)?, part.count())?;
            let result = self.whole(part, &condition.evaluate(batch)?);
            self.left = Some(match &self.left {
                Some(left) => left & &result,
                None => result,
            });
        }
        let is_all = self
            .left
            .as_ref()
            .is_some_and(|it| it.count_set_bits() == self.rows);
        if is_all {
            self.left = None;
        }
        Ok(())
    }

    /// Returns the columns of a view with the rows that are left.
    pub(super) fn batch(&self, view: &View) -> Result<RecordBatch> {
        let count = self.count();
        if count == 0 {
            return Ok(RecordBatch::new_empty(view.schema.clone()));
        }
        let arrays = self.parts_and_arrays(view)?;
        let filters = self.parts.iter().enumerate().map(|(number, rows)| {
            let is_used = arrays.iter().any(|(part, _)| *part == number);
            is_used.then(|| self.filter(rows)).flatten()
        });
        let filters: Vec<_> = filters.collect();
        let arrays = arrays
            .into_iter()
            .map(|(part, array)| match &filters[part] {
                Some(filter) => Ok(filter.filter(&array)?),
                None => Ok(array),
            });
        view.batch(arrays.collect::<Result<_>>()?, count)
    }

    /// Returns the number of rows that are left.
    fn count(&self) -> usize {
        let left = self.left.as_ref();
        left.map_or(self.rows, BooleanBuffer::count_set_bits)
    }

    fn arrays(&self, view: &View) -> Result<Vec<ArrayRef>> {
        let columns = self.parts_and_arrays(view)?.into_iter();
        Ok(columns.map(|(_, array)| array).collect())
    }

    fn parts_and_arrays(&self, view: &View) -> Result<Vec<(usize, ArrayRef)>> {
        let columns = view.columns.iter().map(|column| {
            let read = self.columns[*column].clone();
            read.ok_or_else(|| Error::corrupt("a column of a condition was not read"))
        });
        columns.collect()
    }

    /// Returns a filter that drops the rows of a part that are not left; `None` if there are none
    /// to drop.
    fn filter(&self, part: &Ranges) -> Option<FilterPredicate> {
        let left = self.left.as_ref()?;
        let mut bits = BooleanBufferBuilder::new(part.count());
        part.iter()
            .for_each(|range| bits.append_buffer(&left.slice(range.start, range.len())));
        let bits = bits.finish();
        let is_needed = bits.count_set_bits() < bits.len();
        is_needed.then(|| {
            FilterBuilder::new(&BooleanArray::new(bits, None))
                .optimize()
                .build()
        })
    }

    /// Extends a mask of a part to all rows; bits outside the part are not set.
    fn whole(&self, part: &Ranges, bits: &BooleanBuffer) -> BooleanBuffer {
        if bits.len() == self.rows {
            return bits.clone();
        }
        let mut whole = BooleanBufferBuilder::new(self.rows);
        let mut taken = 0;
        for range in part.iter() {
            whole.append_n(range.start - whole.len(), false);
            whole.append_buffer(&bits.slice(taken, range.len()));
            taken += range.len();
        }
        whole.append_n(self.rows - whole.len(), false);
        whole.finish()
    }
}

/// Spreads `among`, which has one bit per set bit of `bits`, to the positions of those bits.
fn spread(bits: &BooleanBuffer, among: &BooleanBuffer) -> BooleanBuffer {
    let mut whole = BooleanBufferBuilder::new(bits.len());
    let mut taken = 0;
    for (start, end) in bits.set_slices() {
        whole.append_n(start - whole.len(), false);
        whole.append_buffer(&among.slice(taken, end - start));
        taken += end - start;
    }
    whole.append_n(bits.len() - whole.len(), false);
    whole.finish()
}

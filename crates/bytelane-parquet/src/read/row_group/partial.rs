//! Holds a partially read batch: the rows that predicates leave, and the columns read so far.

use super::super::rows::Ranges;
use super::conditions::{Condition, View};
use crate::memory::Compaction;
use crate::{Error, Result};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder};
use bytelane::Detected;

/// Array of a column, with the number of its part.
type Column = (Option<usize>, ArrayRef);

/// Rows and columns of a batch so far.
pub(super) struct Partial {
    backend: Detected,
    rows: usize,
    /// Mask of the rows for which all predicates so far are true; `None` for all rows.
    left: Option<BooleanBuffer>,
    /// Arrays that have been read, and the number of the part that each belongs to; `None` if they only have
    /// the rows that are left.
    columns: Vec<Option<Column>>,
    /// Rows of the arrays of each stage.
    parts: Vec<Ranges>,
}

impl Partial {
    /// Returns a batch of all rows and no columns.
    pub(super) fn new(backend: Detected, columns: usize, rows: usize) -> Self {
        Self {
            backend,
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
            Some(left) => Ranges::of_words(left),
        }
    }

    /// Returns the rows that are left.
    pub(super) fn left(&self) -> Ranges {
        match &self.left {
            None => Ranges::all(self.rows),
            Some(left) => Ranges::of_bits(left),
        }
    }

    /// Returns the mask of the rows that are left; `None` for all rows.
    pub(super) fn mask(&self) -> Option<BooleanBuffer> {
        self.left.clone()
    }

    /// Adds columns that have been read: arrays, and whether they only have the rows that are left. The other
    /// arrays have `rows`.
    pub(super) fn put(&mut self, columns: &[usize], arrays: Vec<(ArrayRef, bool)>, rows: Ranges) {
        for (column, (array, is_exact)) in columns.iter().zip(arrays) {
            let part = (!is_exact).then_some(self.parts.len());
            self.columns[*column] = Some((part, array));
        }
        self.parts.push(rows);
    }

    /// Keeps the rows for which a predicate is true.
    pub(super) fn narrow(&mut self, condition: &dyn Condition, view: &View) -> Result<()> {
        let last = self.parts.len() - 1;
        let is_of_last = |column: &usize| {
            let column = self.columns[*column].as_ref();
            column.is_some_and(|(part, _)| *part == Some(last))
        };
        let is_exact = self.parts[last].count() == self.count();
        if is_exact || !condition.is_total() || !view.columns.iter().all(is_of_last) {
            let batch = self.batch(view, condition.takes_dictionaries())?;
            let result = condition.evaluate(batch)?;
            self.left = Some(match &self.left {
                Some(left) => spread(left, &result),
                None => result,
            });
        } else {
            let part = &self.parts[last];
            let batch = view.batch(self.arrays(view)?, part.count(), true)?;
            let results = condition.evaluate(batch)?;
            let part = part.clone();
            self.narrow_by(&part, &results);
            return Ok(());
        }
        self.forget_all();
        Ok(())
    }

    /// Keeps the rows of a part for which a predicate is true, given its results.
    pub(super) fn narrow_by(&mut self, part: &Ranges, results: &BooleanBuffer) {
        let result = self.whole(part, results);
        self.left = Some(match &self.left {
            Some(left) => left & &result,
            None => result,
        });
        self.forget_all();
    }

    /// Drops a mask of all rows.
    fn forget_all(&mut self) {
        let is_all = self
            .left
            .as_ref()
            .is_some_and(|it| it.count_set_bits() == self.rows);
        if is_all {
            self.left = None;
        }
    }

    /// Returns the columns of a view with the rows that are left, without keeping them.
    pub(super) fn take(&mut self, view: &View) -> Result<RecordBatch> {
        let columns = view.columns.iter().map(|it| self.columns[*it].take());
        let arrays = columns.map(|it| it.ok_or_else(not_read)).collect();
        self.filtered(view, arrays, false)
    }

    /// Returns the columns of a view with the rows that are left, with dictionary keys in place of
    /// values if they were read as such and `takes_keys` is set.
    fn batch(&self, view: &View, takes_keys: bool) -> Result<RecordBatch> {
        self.filtered(view, self.parts_and_arrays(view), takes_keys)
    }

    /// Returns the rows that are left of arrays, which are accompanied by the numbers of their parts.
    fn filtered(
        &self,
        view: &View,
        arrays: Result<Vec<Column>>,
        takes_keys: bool,
    ) -> Result<RecordBatch> {
        let count = self.count();
        if count == 0 {
            return Ok(RecordBatch::new_empty(view.schema.clone()));
        }
        let arrays = arrays?;
        let filters = self.parts.iter().enumerate().map(|(number, rows)| {
            let is_used = arrays.iter().any(|(part, _)| *part == Some(number));
            is_used.then(|| self.filter(rows)).flatten()
        });
        let filters: Vec<_> = filters.collect();
        let arrays = arrays.into_iter().map(|(part, array)| {
            match part.and_then(|it| filters[it].as_ref()) {
                Some(filter) => Ok(filter.apply(array)?),
                None => Ok(array),
            }
        });
        view.batch(arrays.collect::<Result<_>>()?, count, takes_keys)
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

    fn parts_and_arrays(&self, view: &View) -> Result<Vec<Column>> {
        let columns = view.columns.iter().map(|column| {
            let read = self.columns[*column].clone();
            read.ok_or_else(not_read)
        });
        columns.collect()
    }

    /// Returns a filter that drops the rows of a part that are not left; `None` if there are none
    /// to drop.
    fn filter(&self, part: &Ranges) -> Option<Compaction> {
        let left = self.left.as_ref()?;
        if part.count() == self.rows {
            return Compaction::new(self.backend, left.clone());
        }
        let mut bits = BooleanBufferBuilder::new(part.count());
        part.iter()
            .for_each(|range| bits.append_buffer(&left.slice(range.start, range.len())));
        Compaction::new(self.backend, bits.finish())
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

fn not_read() -> Error {
    Error::corrupt("a column of a condition was not read")
}

/// Spreads `among`, which has one bit per set bit of `bits`, to the positions of those bits.
fn spread(bits: &BooleanBuffer, among: &BooleanBuffer) -> BooleanBuffer {
    let mut words = Vec::with_capacity(bits.len().div_ceil(64));
    let mut taken = among.offset();
    for word in bits.bit_chunks().iter_padded() {
        words.push(deposit(bits_at(among.values(), taken), word));
        taken += word.count_ones() as usize;
    }
    BooleanBuffer::new(words.into(), 0, bits.len())
}

/// Returns 64 bits from a place on; zeros after the end.
fn bits_at(bytes: &[u8], place: usize) -> u64 {
    let bytes = bytes.get(place / 8..).unwrap_or_default();
    let mut window = [0; 16];
    let count = bytes.len().min(9);
    window[..count].copy_from_slice(&bytes[..count]);
    (u128::from_le_bytes(window) >> (place % 8)) as u64
}

/// Moves the lowest bits to the places of the set bits of a mask.
fn deposit(mut bits: u64, mut mask: u64) -> u64 {
    let mut result = 0;
    while mask != 0 {
        let lowest = mask & mask.wrapping_neg();
        result |= lowest & (bits & 1).wrapping_neg();
        bits >>= 1;
        mask ^= lowest;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_spread_over_the_set_bits() {
        let mut random = 1_u64;
        let mut next = || {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            random >> 40
        };
        for length in [0, 1, 63, 64, 65, 200, 1000] {
            for share in [0, 1, 3, 7, 8] {
                let bits: BooleanBuffer = (0..length + 5).map(|_| next() % 8 < share).collect();
                let bits = bits.slice(5, length);
                let count = bits.count_set_bits();
                let among: BooleanBuffer = (0..count + 3).map(|_| next() % 2 == 0).collect();
                let among = among.slice(3, count);
                let mut results = among.iter();
                let expected = bits.iter().map(|bit| bit && results.next() == Some(true));
                assert_eq!(
                    spread(&bits, &among),
                    expected.collect(),
                    "{length} {share}"
                );
            }
        }
    }
}

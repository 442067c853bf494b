//! Compares rows in order.

use super::files::{Files, Rows};
use super::options::DiffOptions;
use super::outcome::{Difference, DifferentRow};
use arrow_array::{Array, ArrayRef};
use bytelane_parquet::Result;

/// Rows of one side that have not been compared yet.
struct Side<'a> {
    rows: Rows<'a>,
    batch: Option<Vec<ArrayRef>>,
}

impl Side<'_> {
    /// Returns the number of buffered rows; 0 after the last one.
    fn fill(&mut self) -> Result<usize> {
        loop {
            if let Some(batch) = &self.batch {
                let rows = batch.first().map_or(0, |column| column.len());
                if rows > 0 {
                    return Ok(rows);
                }
            }
            self.batch = self.rows.next()?;
            if self.batch.is_none() {
                return Ok(0);
            }
        }
    }

    /// Removes rows from the front of the batch.
    fn take(&mut self, rows: usize) -> Vec<ArrayRef> {
        let batch = self.batch.iter_mut().flatten();
        let taken = batch.map(|column| {
            let taken = column.slice(0, rows);
            *column = column.slice(rows, column.len() - rows);
            taken
        });
        taken.collect()
    }

    /// Reads to the end; returns the total number of rows.
    fn count(&mut self, options: &DiffOptions, total: u64) -> Result<u64> {
        while self.rows.next()?.is_some() {
            options.report(self.rows.count(), total)?;
        }
        Ok(self.rows.count())
    }
}

/// Compares both sides, row by row.
pub(super) fn compare(
    [left, right]: [&Files<'_>; 2],
    totals: [u64; 2],
    options: &DiffOptions,
    difference: &mut Difference,
) -> Result<()> {
    let total = totals[0].max(totals[1]);
    let [mut one, mut other] = [left, right].map(|files| Side {
        rows: files.rows(),
        batch: None,
    });
    let mut row = 0;
    loop {
        let (in_left, in_right) = (one.fill()?, other.fill()?);
        let rows = in_left.min(in_right);
        if rows == 0 {
            let place = |rows: usize, side: &Side<'_>| (rows > 0).then(|| side.rows.place(row));
            let places = [place(in_left, &one), place(in_right, &other)];
            (difference.left_rows, difference.right_rows) =
                (one.count(options, total)?, other.count(options, total)?);
            if places.iter().any(Option::is_some) {
                difference.more |= difference.left_rows.abs_diff(difference.right_rows) > 1;
                let row = DifferentRow::new([left, right], places, |_| true)?;
                difference.rows.push(row);
            }
            return Ok(());
        }
        let (before, after) = (one.take(rows), other.take(rows));
        for at in differing(&before, &after, rows) {
            let here = row + at as u64;
            if difference.rows.len() == options.named() {
                difference.more = true;
                (difference.left_rows, difference.right_rows) = (here, here);
                return Ok(());
            }
            let places = [&one, &other].map(|side| Some(side.rows.place(here)));
            let differs = |column: usize| !same_at(&before[column], &after[column], at);
            let row = DifferentRow::new([left, right], places, differs)?;
            difference.rows.push(row);
        }
        row += rows as u64;
        options.report(row, total)?;
    }
}

/// Returns the rows that differ between two batches.
fn differing(before: &[ArrayRef], after: &[ArrayRef], rows: usize) -> Vec<usize> {
    // Arrow compares floats bit for bit: NaN equals itself, and -0.0 does not equal 0.0.
    let pairs = before.iter().zip(after);
    let other: Vec<_> = pairs
        .filter(|(before, after)| !same(before, after))
        .collect();
    let differs = |row: &usize| {
        other
            .iter()
            .any(|(before, after)| !same_at(before, after, *row))
    };
    if other.is_empty() {
        Vec::new()
    } else {
        (0..rows).filter(differs).collect()
    }
}

/// Returns whether arrays have the same values. Arrays of different types do if all values are
/// null.
fn same(before: &ArrayRef, after: &ArrayRef) -> bool {
    let is_null = |array: &ArrayRef| array.logical_null_count() == array.len();
    if before.data_type() == after.data_type() {
        before == after
    } else {
        is_null(before) && is_null(after)
    }
}

fn same_at(before: &ArrayRef, after: &ArrayRef, row: usize) -> bool {
    same(&before.slice(row, 1), &after.slice(row, 1))
}

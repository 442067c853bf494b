//! Selects rows of a file, row group by row group.

mod ranges;

pub(crate) use ranges::Ranges;

use parquet::arrow::arrow_reader::RowSelection;
use std::ops::Range;

/// Rows to skip, then rows to read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Step {
    pub(super) skip: usize,
    pub(super) read: usize,
}

/// Selected rows of a row group, in ascending order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Rows {
    /// Steps in reverse order.
    steps: Vec<Step>,
}

impl Rows {
    /// Selects all rows of a row group with this many.
    pub(super) fn all(rows: usize) -> Self {
        let all = Step {
            skip: 0,
            read: rows,
        };
        Self {
            steps: Vec::from_iter((rows > 0).then_some(all)),
        }
    }

    /// Returns whether no rows are left.
    pub(super) fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Returns whether rows before or between the selected ones are skipped.
    pub(super) fn has_gaps(&self) -> bool {
        self.steps.iter().any(|step| step.skip > 0)
    }

    /// Returns the steps to the next rows, at most `most` of them, and the number of rows.
    pub(super) fn next(&mut self, most: usize) -> (Vec<Step>, usize) {
        let (mut steps, mut rows) = (Vec::new(), 0);
        while rows < most
            && let Some(step) = self.steps.last_mut()
        {
            let read = step.read.min(most - rows);
            let skip = std::mem::take(&mut step.skip);
            steps.push(Step { skip, read });
            step.read -= read;
            rows += read;
            if step.read == 0 {
                self.steps.pop();
            }
        }
        (steps, rows)
    }

    /// Puts back steps that `next` returned.
    pub(super) fn put_back(&mut self, steps: Vec<Step>) {
        self.steps.extend(steps.into_iter().rev());
    }

    /// Keeps the next `most` rows, and returns the others as rows of the whole row group, of which `at` rows have been passed.
    pub(super) fn split_off(&mut self, most: usize, at: usize) -> Self {
        let (steps, _) = self.next(most);
        let mut rest = std::mem::take(self);
        if let Some(first) = rest.steps.last_mut() {
            let passed = steps.iter().map(|step| step.skip + step.read);
            first.skip += at + passed.sum::<usize>();
        }
        self.put_back(steps);
        rest
    }

    /// Drops the rows that are not in a set.
    pub(super) fn retain(&mut self, rows: &Ranges) {
        let mut at = 0;
        let wanted = self.steps.iter().rev().map(|step| {
            let start = at + step.skip;
            at = start + step.read;
            start..at
        });
        let left = wanted.collect::<Ranges>().intersect(rows);
        let mut at = 0;
        let steps = left.iter().map(|range| {
            let skip = range.start - at;
            at = range.end;
            let read = range.len();
            Step { skip, read }
        });
        self.steps = steps.collect();
        self.steps.reverse();
    }

    /// Returns the ranges of the rows, which begin after `at` rows.
    pub(super) fn places(&self, mut at: usize) -> Vec<Range<usize>> {
        let places = self.steps.iter().rev().map(|step| {
            let start = at + step.skip;
            at = start + step.read;
            start..at
        });
        places.collect()
    }

    /// Returns the number of selected rows.
    pub(super) fn wanted(&self) -> usize {
        self.steps.iter().map(|step| step.read).sum()
    }
}

/// Applies a selection, an offset and a limit to row groups of these lengths.
pub(super) fn selected(
    lengths: &[usize],
    selection: Option<&RowSelection>,
    offset: usize,
    limit: usize,
) -> Vec<Rows> {
    let everything = 0..usize::MAX;
    let ranges = selection.map_or_else(|| vec![everything], ranges_of);
    let mut ranges = limited(ranges, offset, limit).into_iter().peekable();
    let mut start = 0_usize;
    let rows_of = |length: &usize| {
        let group = start..start.saturating_add(*length);
        start = group.end;
        let mut steps = Vec::new();
        let mut at = group.start;
        while let Some(range) = ranges.peek_mut().filter(|range| range.start < group.end) {
            let end = range.end.min(group.end);
            steps.push(Step {
                skip: range.start - at,
                read: end - range.start,
            });
            at = end;
            range.start = end;
            if range.start == range.end {
                ranges.next();
            }
        }
        steps.reverse();
        Rows { steps }
    };
    lengths.iter().map(rows_of).collect()
}

/// Returns the rows of a selection as ranges that do not touch.
fn ranges_of(selection: &RowSelection) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut at = 0_usize;
    for selector in selection.iter() {
        let end = at.saturating_add(selector.row_count);
        match ranges.last_mut() {
            _ if selector.skip || at == end => {}
            Some(last) if last.end == at => last.end = end,
            _ => ranges.push(at..end),
        }
        at = end;
    }
    ranges
}

/// Skips the first `offset` rows and keeps up to `limit` of the others.
fn limited(ranges: Vec<Range<usize>>, offset: usize, limit: usize) -> Vec<Range<usize>> {
    let (mut offset, mut limit) = (offset, limit);
    let ranges = ranges.into_iter().map(|range| {
        let passed = range.len().min(offset);
        offset -= passed;
        let start = range.start + passed;
        let taken = (range.end - start).min(limit);
        limit -= taken;
        start..start + taken
    });
    ranges.filter(|range| !range.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::arrow::arrow_reader::RowSelector;
    use proptest::collection::vec;
    use proptest::prelude::{any, prop_assert_eq, proptest};

    /// Returns the rows of each row group, numbered across the file.
    fn numbers(rows: Vec<Rows>, lengths: &[usize], most: usize) -> Vec<usize> {
        let (mut numbers, mut start) = (Vec::new(), 0);
        for (mut rows, length) in rows.into_iter().zip(lengths) {
            let mut at = start;
            while !rows.is_empty() {
                let (steps, count) = rows.next(most);
                assert!((1..=most).contains(&count));
                for step in steps {
                    at += step.skip;
                    numbers.extend(at..at + step.read);
                    at += step.read;
                }
            }
            start += length;
            assert!(at <= start);
        }
        numbers
    }

    proptest! {
        #[test]
        fn the_rows_are_those_that_are_asked_for(
            lengths in vec(0..30usize, 0..6),
            selectors in vec((0..20usize, any::<bool>()), 0..12),
            is_selected in any::<bool>(),
            offset in 0..40usize,
            limit in 0..80usize,
            most in 1..12usize,
        ) {
            let total: usize = lengths.iter().sum();
            let wanted: Vec<usize> = if is_selected {
                    let each = selectors.iter();
                    let each = each.flat_map(|(rows, skip)| std::iter::repeat_n(!skip, *rows));
                    each.enumerate().filter(|(_, is)| *is).map(|(row, _)| row).collect()
                } else { (0..total).collect() };
            let wanted = wanted.into_iter().skip(offset).take(limit);
            let wanted: Vec<usize> = wanted.filter(|row| *row < total).collect();
            let selection: RowSelection = selectors
                .iter()
                .map(|(row_count, skip)| RowSelector { row_count: *row_count, skip: *skip })
                .collect::<Vec<_>>()
                .into();
            let selection = is_selected.then_some(&selection);
            let rows = selected(&lengths, selection, offset, limit);
            prop_assert_eq!(numbers(rows, &lengths, most), wanted);
        }
    }
}

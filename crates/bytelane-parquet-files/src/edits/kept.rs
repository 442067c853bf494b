//! Rows of a row group that are kept.

use std::ops::Range;

/// Rows of a row group that are kept: ranges in their order, which do not overlap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct KeptRows {
    ranges: Vec<Range<u64>>,
    /// Number of kept rows before the end of each range.
    ends: Vec<u64>,
}

impl KeptRows {
    /// Returns the rows in these ranges.
    pub(crate) fn new(mut ranges: Vec<Range<u64>>) -> Self {
        ranges.retain(|rows| rows.start < rows.end);
        let ends = ranges.iter().scan(0, |end, rows| {
            *end += rows.end - rows.start;
            Some(*end)
        });
        Self {
            ends: ends.collect(),
            ranges,
        }
    }

    /// Returns the rows of a row group without some of its rows, whose numbers ascend.
    pub(crate) fn without(rows: u64, deleted: impl IntoIterator<Item = u64>) -> Self {
        let (mut ranges, mut start) = (Vec::new(), 0);
        for row in deleted {
            if start < row {
                ranges.push(start..row);
            }
            start = row + 1;
        }
        ranges.push(start..rows);
        Self::new(ranges)
    }

    /// Returns the other rows of a row group of this many rows.
    pub(crate) fn deleted(&self, rows: u64) -> Vec<Range<u64>> {
        let starts = std::iter::once(0).chain(self.ranges.iter().map(|rows| rows.end));
        let ends = self.ranges.iter().map(|rows| rows.start).chain([rows]);
        let ranges = starts.zip(ends).map(|(start, end)| start..end);
        ranges.filter(|rows| rows.start < rows.end).collect()
    }

    pub(crate) fn len(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Returns some of the kept rows, counted from 0 among them, as rows of the row group.
    pub(crate) fn within(&self, kept: &Range<u64>) -> Vec<Range<u64>> {
        let first = self.ends.partition_point(|end| *end <= kept.start);
        let left = self.ranges.iter().zip(&self.ends).skip(first);
        let ranges = left.map_while(|(rows, end)| {
            let before = end - (rows.end - rows.start);
            let start = rows.start + kept.start.saturating_sub(before);
            let end = rows.end - end.saturating_sub(kept.end);
            (before < kept.end).then_some(start..end)
        });
        ranges.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_ranges_of_the_row_group() {
        let kept = KeptRows::without(10, [0, 4, 5, 9]);
        assert_eq!(kept, KeptRows::new(vec![1..4, 6..9]));
        assert_eq!(kept.deleted(10), [0..1, 4..6, 9..10]);
        assert_eq!(kept.len(), 6);
        assert_eq!(kept.within(&(0..6)), [1..4, 6..9]);
        assert_eq!(kept.within(&(1..2)), vec![2..3; 1]);
        assert_eq!(kept.within(&(2..5)), [3..4, 6..8]);
        assert_eq!(kept.within(&(3..3)), []);
        assert_eq!(KeptRows::without(2, [0, 1]).len(), 0);
    }
}

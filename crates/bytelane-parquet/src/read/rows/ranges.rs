//! Represents sets of rows as ranges.

use arrow_buffer::BooleanBuffer;
use std::ops::Range;

/// Rows of a row group: ranges in ascending order, not empty and with gaps between them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ranges(Vec<Range<usize>>);

impl Ranges {
    /// Returns the set of all rows, given their number.
    pub(crate) fn all(rows: usize) -> Self {
        std::iter::once(0..rows).collect()
    }

    /// Returns whether there are no rows.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the ranges.
    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Range<usize>> {
        self.0.iter()
    }

    /// Returns the number of rows.
    pub(crate) fn count(&self) -> usize {
        self.0.iter().map(Range::len).sum()
    }

    /// Returns the rows that are in both sets.
    pub(crate) fn intersect(&self, other: &Self) -> Self {
        let (mut one, mut two) = (self.0.iter().peekable(), other.0.iter().peekable());
        let mut both = Vec::new();
        while let (Some(a), Some(b)) = (one.peek(), two.peek()) {
            let common = a.start.max(b.start)..a.end.min(b.end);
            if a.end <= b.end {
                one.next();
            } else {
                two.next();
            }
            both.push(common);
        }
        both.into_iter().collect()
    }

    /// Returns the rows that are in one of the sets.
    pub(crate) fn union(&self, other: &Self) -> Self {
        let mut all = [&self.0[..], &other.0[..]].concat();
        all.sort_by_key(|range| range.start);
        all.into_iter().collect()
    }

    /// Returns the rows whose bits are set, and those in gaps between them that are shorter than
    /// `gap`.
    pub(crate) fn covering(bits: &BooleanBuffer, gap: usize) -> Self {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for (start, end) in bits.set_slices() {
            match ranges.last_mut() {
                Some(last) if start - last.end < gap => last.end = end,
                _ => ranges.push(start..end),
            }
        }
        Self(ranges)
    }
}

impl FromIterator<Range<usize>> for Ranges {
    /// Merges ranges sorted by their starts.
    fn from_iter<I: IntoIterator<Item = Range<usize>>>(ranges: I) -> Self {
        let mut joined: Vec<Range<usize>> = Vec::new();
        for range in ranges.into_iter().filter(|range| !range.is_empty()) {
            match joined.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => joined.push(range),
            }
        }
        Self(joined)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::{any, prop_assert_eq, proptest};

    fn ranges(bits: &[bool]) -> Ranges {
        Ranges::covering(&bits.to_vec().into(), 1)
    }

    fn bits(ranges: &Ranges, length: usize) -> Vec<bool> {
        let has = |row| ranges.iter().any(|range| range.contains(&row));
        (0..length).map(has).collect()
    }

    proptest! {
        #[test]
        fn sets_are_those_of_their_rows(rows in vec((any::<bool>(), any::<bool>()), 0..40)) {
            let (one, other): (Vec<bool>, Vec<bool>) = rows.iter().copied().unzip();
            let both = ranges(&one).intersect(&ranges(&other));
            let any = ranges(&one).union(&ranges(&other));
            let of = |rule: fn(bool, bool) -> bool| ranges(&rows.iter().map(|(a, b)| rule(*a, *b)).collect::<Vec<_>>());
            prop_assert_eq!(&both, &of(|a, b| a && b));
            prop_assert_eq!(&any, &of(|a, b| a || b));
            prop_assert_eq!(bits(&ranges(&one), one.len()), one.clone());
            prop_assert_eq!(ranges(&one).count(), one.iter().filter(|it| **it).count());
        }
    }

    #[test]
    fn short_gaps_are_covered() {
        let bits = [true, false, false, true, false, false, false, true, false];
        let covering = |gap| Ranges::covering(&bits.to_vec().into(), gap).0;
        assert_eq!(covering(1), [0..1, 3..4, 7..8]);
        assert_eq!(covering(3), [0..4, 7..8]);
        assert_eq!(covering(4), Ranges::all(8).0);
    }
}

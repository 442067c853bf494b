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

    /// Returns the rows whose bits are set, and those in gaps between them unless a gap includes a
    /// whole word of 64 bits. Reading so few rows takes less time than skipping them.
    pub(crate) fn of_words(bits: &BooleanBuffer) -> Self {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        let mut is_after_gap = true;
        let chunks = bits.bit_chunks();
        for (index, word) in chunks.iter_padded().enumerate() {
            if word == 0 {
                is_after_gap = true;
                continue;
            }
            let end = (index + 1) * 64 - word.leading_zeros() as usize;
            match ranges.last_mut() {
                Some(last) if !is_after_gap => last.end = end,
                _ => ranges.push(index * 64 + word.trailing_zeros() as usize..end),
            }
            is_after_gap = false;
        }
        Self(ranges)
    }

    /// Returns the rows whose bits are set.
    pub(crate) fn of_bits(bits: &BooleanBuffer) -> Self {
        bits.set_slices().map(|(start, end)| start..end).collect()
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
        Ranges::of_bits(&bits.to_vec().into())
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
    fn gaps_of_a_word_are_not_covered() {
        let covered = |rows: &[usize], length| {
            let bits = BooleanBuffer::collect_bool(length, |row| rows.contains(&row));
            Ranges::of_words(&bits).0
        };
        assert_eq!(
            covered(&[3, 60, 70, 130], 131),
            [Range { start: 3, end: 131 }]
        );
        assert_eq!(covered(&[63, 128], 300), [63..64, 128..129]);
        assert_eq!(covered(&[0, 127, 128, 299], 300), [0..129, 299..300]);
        assert!(covered(&[], 300).is_empty() && covered(&[], 0).is_empty());
    }
}

//! Decides which rows of a batch a leaf decodes: those that predicates leave, and short gaps between them.
//!
//! Skipping costs the same for a gap of any length: two calls of the decoder, and for indices a search for the run
//! after the gap. Decoding and dropping costs time per row. `examples/time_late.rs` measures both, for gaps between
//! runs of 32 rows that are left, on an idle core of an AMD EPYC of the Zen 5 generation. Nanoseconds per row that is
//! left, with gaps skipped and decoded:
//!
//! | column | 64 rows | 128 | 192 | 256 | 512 | 1024 | skipped from |
//! |---|--:|--:|--:|--:|--:|--:|--:|
//! | `i64`, PLAIN | 18.4, 18.1 | 29.9, 29.8 | 40.4, 41.1 | 52.4, 52.0 | 96, 99 | 184, 189 | 192 |
//! | `i64`, DELTA | 7.1, 6.5 | 10.9, 10.8 | 14.4, 14.9 | 18.0, 18.9 | 32, 35 | 61, 68 | 192 |
//! | `i64`, dictionary | 3.5, 2.3 | 4.9, 3.6 | 5.4, 4.8 | 5.6, 5.8 | 7.2, 10.5 | 11, 20 | 256 |
//! | decimal, PLAIN | 19.9, 19.7 | 30.1, 31.3 | 40.6, 42.9 | 51.1, 54.5 | 93, 102 | 180, 195 | 64 |
//! | text, PLAIN | 27.0, 26.0 | 43.8, 43.2 | 59.2, 58.7 | 78.2, 76.5 | 143, 142 | 276, 279 | 64 |
//! | text, DELTA_LENGTH | 24.9, 24.6 | 39.2, 40.9 | 53.5, 56.1 | 67.2, 70.6 | 125, 133 | 241, 257 | 64 |
//! | text, dictionary | 5.6, 5.5 | 6.0, 8.7 | 6.4, 11.9 | 6.7, 14.7 | 8.4, 26.6 | 12, 51 | 64 |
//!
//! The rest of the time is reading and decompressing pages. Gaps of less than a word of the mask, 64 rows, are always
//! decoded.

use super::super::rows::Ranges;
use arrow_buffer::BooleanBuffer;
use arrow_schema::DataType;
use std::ops::Range;

/// Least number of rows to skip where values are copied, and where they are converted or strings.
const COPIED: usize = 192;
const CONVERTED: usize = 64;
/// Least number of rows to skip where indices are looked up, whose runs must be found again after a gap.
const LOOKED_UP: usize = 256;

/// Returns the least number of rows that a leaf skips rather than decodes and drops.
pub(super) fn least_gap(data_type: &DataType, has_indices: bool) -> usize {
    match data_type {
        DataType::Dictionary(..) => LOOKED_UP,
        other if other.is_string() || other.is_binary() => CONVERTED,
        other if has_indices && other.is_primitive() => LOOKED_UP,
        other if other.is_decimal() => CONVERTED,
        _ => COPIED,
    }
}

/// Rows of a batch to read.
pub(super) struct Wanted {
    /// Rows in ascending order, with short gaps included.
    parts: Vec<Part>,
    /// Mask of the rows of the batch to keep. `None` if the rows in short gaps are not dropped while they are
    /// decoded.
    pub(super) left: Option<BooleanBuffer>,
}

/// Consecutive rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// Numbers within the row group.
    pub(super) rows: Range<usize>,
    /// Number of the first of them within the batch.
    pub(super) first: usize,
}

impl Wanted {
    /// Returns the rows in `cover`, which are numbered within a batch. `places` are the rows of the batch.
    pub(super) fn new(
        places: &[Range<usize>],
        cover: &Ranges,
        left: Option<BooleanBuffer>,
    ) -> Self {
        let parts = within(places, cover);
        Self { parts, left }
    }

    /// Returns the number of rows.
    pub(super) fn count(&self) -> usize {
        self.parts.iter().map(|part| part.rows.len()).sum()
    }

    /// Returns the number of rows to keep.
    pub(super) fn kept(&self) -> usize {
        let left = self.left.as_ref();
        left.map_or_else(|| self.count(), BooleanBuffer::count_set_bits)
    }

    /// Returns the end of the last row.
    pub(super) fn end(&self) -> Option<usize> {
        self.parts.last().map(|last| last.rows.end)
    }

    /// Returns the rows, including those in gaps of less than `least_gap` rows.
    pub(super) fn joined(&self, least_gap: usize) -> impl Iterator<Item = Part> {
        let mut parts = self.parts.iter().peekable();
        std::iter::from_fn(move || {
            let mut part = parts.next()?.clone();
            // Rows that are not in the batch are never included.
            while let Some(next) = parts.next_if(|next| {
                next.rows.start - part.rows.end < least_gap
                    && next.rows.start - part.rows.start == next.first - part.first
            }) {
                part.rows.end = next.rows.end;
            }
            Some(part)
        })
    }
}

/// Maps rows numbered across all `places` to their places.
pub(super) fn within(places: &[Range<usize>], rows: &Ranges) -> Vec<Part> {
    let mut places = places.iter();
    let (mut place, mut before) = (0..0, 0);
    let mut found = Vec::new();
    for range in rows.iter() {
        let mut at = range.start;
        while at < range.end {
            while at >= before + place.len() {
                before += place.len();
                match places.next() {
                    Some(next) => place = next.clone(),
                    None => return found,
                }
            }
            let end = range.end.min(before + place.len());
            found.push(Part {
                rows: place.start + at - before..place.start + end - before,
                first: at,
            });
            at = end;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(rows: Range<usize>, first: usize) -> Part {
        Part { rows, first }
    }

    #[test]
    fn the_rule_has_the_measured_gaps() {
        let of = |data_type: &DataType, has_indices| least_gap(data_type, has_indices);
        for (data_type, has_indices, measured) in [
            (DataType::Int64, false, 192),
            (DataType::Int64, true, 256),
            (DataType::Decimal128(15, 2), false, 64),
            (DataType::Utf8, false, 64),
            (DataType::Utf8View, true, 64),
        ] {
            assert_eq!(of(&data_type, has_indices), measured, "{data_type}");
        }
    }

    #[test]
    fn short_gaps_are_included_unless_they_are_outside_of_the_batch() {
        let places = [10..20, 25..60];
        let cover: Ranges = [2..5, 8..12, 15..40].into_iter().collect();
        let wanted = Wanted::new(&places, &cover, None);
        let parts = [
            part(12..15, 2),
            part(18..20, 8),
            part(25..27, 10),
            part(30..55, 15),
        ];
        assert_eq!(wanted.joined(0).collect::<Vec<_>>(), parts);
        assert_eq!((wanted.count(), wanted.end()), (32, Some(55)));
        let joined = [part(12..20, 2), part(25..55, 10)];
        assert_eq!(wanted.joined(4).collect::<Vec<_>>(), joined);
        let joined = [part(12..15, 2), part(18..20, 8), part(25..55, 10)];
        assert_eq!(wanted.joined(3).collect::<Vec<_>>()[..2], joined[..2]);
    }
}

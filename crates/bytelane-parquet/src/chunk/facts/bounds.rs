//! Compares the column index with page headers, and with the statistics of the chunk.

use super::{Contradiction, Fact, Facts};
use crate::format::{BoundaryOrder, ColumnIndex};
use crate::statistics::Compare;
use bytes::Bytes;
use std::cmp::Ordering;

impl Facts<'_> {
    pub(super) fn check_column_index(&self, found: &mut Vec<Contradiction>) {
        let Some(index) = self.column_index else {
            return;
        };
        let pages = self.pages.len();
        let lengths = [
            index.null_pages.len(),
            index.min_values.len(),
            index.max_values.len(),
        ];
        let counts = index.null_counts.as_ref().map_or(pages, Vec::len);
        if lengths != [pages; 3] || counts != pages {
            found.push(Contradiction {
                fact: Fact::IndexedPages,
                page: None,
                problem: format!("the column index has not {pages} pages, as the chunk has"),
            });
            return;
        }
        for page in 0..pages {
            self.check_nulls(index, page, found);
        }
        self.check_nulls_of_chunk(index, found);
        if let Some(compare) = self.compare {
            self.check_bounds(index, compare, found);
        }
    }

    /// Checks the nulls of a page. Lists may count empty lists or not.
    fn check_nulls(&self, index: &ColumnIndex, page: usize, found: &mut Vec<Contradiction>) {
        let mut add = |fact, problem: String| {
            let page = Some(page);
            found.push(Contradiction {
                fact,
                page,
                problem,
            });
        };
        let header = self.pages[page].as_ref();
        let nulls = index.null_counts.as_ref().map(|counts| counts[page]);
        let with_values = self.histogram(page, 1).and_then(|it| it.last().copied());
        let is_flat = !self.is_list();
        let values = header.map(|it| it.values).filter(|_| is_flat);
        if index.null_pages[page] {
            let has_values = header.is_some_and(|it| it.has_bounds)
                || header.is_some_and(|it| it.nulls.is_some_and(|nulls| nulls < it.values))
                || with_values.is_some_and(|count| count > 0)
                || (is_flat && nulls == Some(0) && header.is_none_or(|it| it.values > 0))
                || values
                    .zip(nulls)
                    .is_some_and(|(values, nulls)| nulls < values);
            if has_values {
                add(
                    Fact::NullPages,
                    "the column index says that all values of the page are null, but some are not"
                        .to_owned(),
                );
            }
        }
        let claimed = header.and_then(|it| it.nulls);
        let by_levels = values.zip(with_values).map(|(all, some)| all - some);
        for known in [claimed, by_levels].into_iter().flatten() {
            if nulls.is_some_and(|nulls| nulls != known) {
                let nulls = nulls.unwrap_or(0);
                add(
                    Fact::NullCounts,
                    format!("the column index counts {nulls} nulls, but the page has {known}"),
                );
            }
        }
        let most = header.map_or(i64::MAX, |it| it.values);
        if nulls.is_some_and(|nulls| nulls < 0 || nulls > most) {
            add(
                Fact::NullCounts,
                "the column index counts more nulls than the page has values".to_owned(),
            );
        }
    }

    fn check_nulls_of_chunk(&self, index: &ColumnIndex, found: &mut Vec<Contradiction>) {
        let mut add = |fact, problem: String| {
            found.push(Contradiction {
                fact,
                page: None,
                problem,
            });
        };
        let is_flat = !self.is_list();
        let claimed = self.statistics.nulls.filter(|_| is_flat);
        let counted = index.null_counts.as_ref();
        let counted = counted.map(|counts| {
            counts
                .iter()
                .fold(0, |sum: i64, it| sum.saturating_add(*it))
        });
        if let Some((claimed, counted)) = claimed.zip(counted).filter(|(one, other)| one != other) {
            add(
                Fact::ChunkNulls,
                format!(
                    "the column index counts {counted} nulls, the statistics of the chunk {claimed}"
                ),
            );
        }
        let all = self.pages.iter().zip(&index.null_pages);
        let null = all.filter(|(_, is_null)| **is_null);
        let null = null.filter_map(|(page, _)| page.as_ref().map(|it| it.values));
        let null = null.fold(0, i64::saturating_add);
        let is_wrong = claimed.is_some_and(|claimed| claimed < null)
            || (self.statistics.range.is_some()
                && !index.null_pages.is_empty()
                && index.null_pages.iter().all(|is_null| *is_null));
        if is_wrong {
            add(
                Fact::NullPages,
                "the column index has pages of only nulls, but the statistics of the chunk have values for them".to_owned(),
            );
        }
    }

    fn check_bounds(&self, index: &ColumnIndex, compare: Compare, found: &mut Vec<Contradiction>) {
        let with_values = (0..index.null_pages.len()).filter(|page| !index.null_pages[*page]);
        let with_values: Vec<usize> = with_values.collect();
        for &page in &with_values {
            let (least, most) = (&index.min_values[page], &index.max_values[page]);
            if !self.can_be_bound(least) || !self.can_be_bound(most) {
                found.push(Contradiction {
                    fact: Fact::PageBounds,
                    page: Some(page),
                    problem: "the column index has bounds that cannot be values of the type"
                        .to_owned(),
                });
            } else if compare.values(least, most) == Ordering::Greater {
                found.push(Contradiction {
                    fact: Fact::PageBounds,
                    page: Some(page),
                    problem: "the column index has a minimum above the maximum".to_owned(),
                });
            }
        }
        let mut add = |fact, problem: &str| {
            found.push(Contradiction {
                fact,
                page: None,
                problem: problem.to_owned(),
            });
        };
        let unwanted = match index.boundary_order {
            BoundaryOrder::Ascending => Some(Ordering::Greater),
            BoundaryOrder::Descending => Some(Ordering::Less),
            _ => None,
        };
        let breaks = |list: &[Bytes]| {
            let mut pairs = with_values.windows(2);
            pairs.any(|pair| Some(compare.values(&list[pair[0]], &list[pair[1]])) == unwanted)
        };
        if breaks(&index.min_values) || breaks(&index.max_values) {
            add(
                Fact::PageBounds,
                "the column index says that its bounds are ordered, but they are not",
            );
        }
        let Some((least, most)) = self.statistics.range.as_ref() else {
            return;
        };
        let is_float = matches!(compare, Compare::Float | Compare::Half);
        let is_outside = !is_float
            && with_values.iter().any(|page| {
                compare.values(&index.min_values[*page], most) == Ordering::Greater
                    || compare.values(&index.max_values[*page], least) == Ordering::Less
            });
        if is_outside {
            add(
                Fact::ChunkBounds,
                "the column index has bounds of a page outside those of the chunk",
            );
            return;
        }
        // Bounds of bytes may be truncated, and those of floats leave out NaN and the sign of zeros.
        if !matches!(compare, Compare::Signed | Compare::Unsigned) {
            return;
        }
        let is = |bounds: &[Bytes], bound: &Bytes, beyond: Ordering| {
            let compared = with_values
                .iter()
                .map(|page| compare.values(&bounds[*page], bound));
            let compared: Vec<Ordering> = compared.collect();
            !compared.contains(&beyond) && compared.contains(&Ordering::Equal)
        };
        let agree = is(&index.min_values, least, Ordering::Less)
            && is(&index.max_values, most, Ordering::Greater);
        if !with_values.is_empty() && !agree {
            add(
                Fact::ChunkBounds,
                "the bounds of the column index are not those of the chunk",
            );
        }
    }
}

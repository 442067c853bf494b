//! Joins bounds and counts of the values of chunks and pages.

use crate::merge::leaf::{Leaf, PageBounds};
use bytelane_parquet::Result;
use bytelane_parquet::format::{ColumnIndex, DataPageHeader, DataPageHeaderV2, Statistics};
use bytelane_parquet::statistics::Compare;
use bytes::Bytes;
use std::cmp::Ordering;

/// Length, in bytes, to which bounds in an index are truncated.
const INDEXED: usize = 64;

/// Returns the bounds of statistics; `None` unless they have both.
fn range_of(statistics: &Statistics) -> Option<(&Bytes, &Bytes)> {
    statistics
        .min_value
        .as_ref()
        .zip(statistics.max_value.as_ref())
}

fn bounds_of(statistics: &Statistics, values: i64) -> Option<PageBounds> {
    let is_null = statistics.null_count == Some(values);
    let range = range_of(statistics).map(|(least, most)| (least.clone(), most.clone()));
    (is_null || range.is_some()).then(|| PageBounds {
        range: range.filter(|_| !is_null),
        nulls: statistics.null_count,
        nans: statistics.nan_count,
    })
}

/// Returns the bounds of each data page of a chunk: from its index, from its page headers, or from
/// the chunk if it has one page.
pub(super) fn of_pages(leaf: &Leaf, index: Option<&ColumnIndex>) -> Vec<Option<PageBounds>> {
    let count = leaf.data_pages().count();
    if let Some(index) = index.filter(|index| {
        let lengths = [
            index.null_pages.len(),
            index.min_values.len(),
            index.max_values.len(),
        ];
        lengths == [count; 3]
    }) {
        let at = |counts: &Option<Vec<i64>>, page: usize| counts.as_ref()?.get(page).copied();
        let bounds = (0..count).map(|page| {
            let range = || {
                (
                    index.min_values[page].clone(),
                    index.max_values[page].clone(),
                )
            };
            Some(PageBounds {
                range: (!index.null_pages[page]).then(range),
                nulls: at(&index.null_counts, page),
                nans: at(&index.nan_counts, page),
            })
        });
        return bounds.collect();
    }
    let of_chunk = leaf.metadata().statistics.as_ref().filter(|_| count == 1);
    let of_chunk = of_chunk.and_then(|it| it.decode().ok());
    let bounds = leaf.data_pages().map(|page| {
        let (one, two) = (
            &page.page.header.data_page_header,
            &page.page.header.data_page_header_v2,
        );
        let header = match (one, two) {
            (Some(DataPageHeader { statistics, .. }), _)
            | (_, Some(DataPageHeaderV2 { statistics, .. })) => statistics.as_ref(),
            _ => None,
        };
        let header = header.and_then(|it| it.decode().ok());
        let values = page.page.values();
        let of_header = header.and_then(|it| bounds_of(&it, values));
        of_header.or_else(|| bounds_of(of_chunk.as_ref()?, values))
    });
    bounds.collect()
}

/// Truncates long bounds as for an index; they remain valid bounds.
pub(in crate::merge) fn indexed(bounds: PageBounds, compare: Compare) -> PageBounds {
    let Compare::Bytes = compare else {
        return bounds;
    };
    let cut = |(least, most): (Bytes, Bytes)| {
        let short = |bytes: &Bytes| match std::str::from_utf8(bytes) {
            Ok(text) => bytes.slice(..text.floor_char_boundary(INDEXED)),
            Err(_) => bytes.slice(..bytes.len().min(INDEXED)),
        };
        let most = if most.len() > INDEXED {
            greater(&short(&most)).unwrap_or(most)
        } else {
            most
        };
        (short(&least), most)
    };
    PageBounds {
        range: bounds.range.map(cut),
        ..bounds
    }
}

/// Returns a string greater than all that begin with these bytes, valid UTF-8 if the bytes are;
/// `None` if there is none.
fn greater(bytes: &[u8]) -> Option<Bytes> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        let (at, last) = text
            .char_indices()
            .rfind(|(_, last)| char::from_u32(*last as u32 + 1).is_some())?;
        let mut greater = text[..at].to_owned();
        greater.push(char::from_u32(last as u32 + 1)?);
        return Some(greater.into_bytes().into());
    }
    let at = bytes.iter().rposition(|byte| *byte != 0xff)?;
    let mut greater = bytes[..=at].to_vec();
    greater[at] += 1;
    Some(greater.into())
}

/// Joins the bounds and counts of several pages; `None` if their bounds are not comparable.
pub(super) fn of_all(pages: &[&PageBounds], compare: Compare) -> Option<PageBounds> {
    let mut range: Option<(Bytes, Bytes)> = None;
    for (least, most) in pages.iter().filter_map(|it| it.range.as_ref()) {
        let (own_least, own_most) = range.get_or_insert_with(|| (least.clone(), most.clone()));
        if compare.values(least, own_least) == Ordering::Less {
            *own_least = least.clone();
        }
        if compare.values(most, own_most) == Ordering::Greater {
            *own_most = most.clone();
        }
    }
    let has_nans = pages.iter().any(|it| it.nans.is_some());
    // Pages without values have no NaN.
    let nans = pages.iter().map(|it| match it.range {
        None => Some(it.nans.unwrap_or(0)),
        Some(_) => it.nans,
    });
    Some(PageBounds {
        range,
        nulls: pages.iter().map(|it| it.nulls).sum(),
        nans: nans.sum::<Option<i64>>().filter(|_| has_nans),
    })
}

/// Joins the statistics of chunks, each with its number of values. Bounds are joined only if all
/// chunks have them and `compare` orders them.
pub(in crate::merge) fn joined(
    chunks: &[(Option<Statistics>, i64)],
    compare: Option<Compare>,
) -> Option<Statistics> {
    if let [(statistics, _)] = chunks {
        let has_bounds = compare.is_some();
        return statistics
            .clone()
            .map(|it| if has_bounds { it } else { without_bounds(it) });
    }
    let all: Vec<(&Statistics, i64)> = chunks
        .iter()
        .filter_map(|(it, values)| Some((it.as_ref()?, *values)))
        .collect();
    let is_complete = all.len() == chunks.len();
    let sum = |of: fn(&Statistics) -> Option<i64>| {
        let counts = all.iter().map(|(it, values)| {
            if is_null(it, *values) {
                // Values that are null have no other counts.
                Some(of(it).unwrap_or(0))
            } else {
                of(it)
            }
        });
        let sum = counts.sum::<Option<i64>>();
        sum.filter(|_| is_complete)
    };
    let mut joined = Statistics {
        null_count: sum(|it| it.null_count),
        nan_count: sum(|it| it.nan_count).filter(|_| all.iter().any(|it| it.0.nan_count.is_some())),
        ..Default::default()
    };
    if let Some(compare) = compare.filter(|_| is_complete) {
        join_bounds(&mut joined, &all, compare);
    }
    let is_empty = joined == Statistics::default();
    (!is_empty).then_some(joined)
}

/// Returns bounds for a subset of the values of a chunk.
pub(in crate::merge) fn of_some(statistics: &Statistics) -> Option<PageBounds> {
    let (least, most) = range_of(statistics)?;
    Some(PageBounds {
        range: Some((least.clone(), most.clone())),
        nulls: None,
        nans: None,
    })
}

/// Returns the statistics of a part of a chunk whose pages have these bounds.
pub(in crate::merge) fn of_part(
    pages: Option<PageBounds>,
    chunk: Option<Statistics>,
    values: i64,
) -> Option<Statistics> {
    let bounds = pages.or_else(|| of_some(&chunk?))?;
    let (least, most) = bounds.range.unzip();
    let statistics = Statistics {
        null_count: bounds.nulls.or(least.is_none().then_some(values)),
        nan_count: bounds.nans,
        is_min_value_exact: least.is_some().then_some(false),
        is_max_value_exact: most.is_some().then_some(false),
        min_value: least,
        max_value: most,
        ..Default::default()
    };
    Some(statistics)
}

fn is_null(statistics: &Statistics, values: i64) -> bool {
    statistics.null_count == Some(values)
}

fn without_bounds(statistics: Statistics) -> Statistics {
    Statistics {
        min: None,
        max: None,
        min_value: None,
        max_value: None,
        is_min_value_exact: None,
        is_max_value_exact: None,
        ..statistics
    }
}

fn join_bounds(joined: &mut Statistics, all: &[(&Statistics, i64)], compare: Compare) {
    let with_values = all.iter().filter(|(it, values)| !is_null(it, *values));
    let with_values: Vec<&Statistics> = with_values.map(|(it, _)| *it).collect();
    if with_values.iter().any(|it| range_of(it).is_none()) {
        return;
    }
    let first = with_values.first().copied();
    let by = |of: fn(&Statistics) -> Option<&Bytes>, wanted: Ordering| {
        let mut bound = first?;
        for other in &with_values {
            if compare.values(of(other)?, of(bound)?) == wanted {
                bound = other;
            }
        }
        Some(bound)
    };
    let least = by(|it| it.min_value.as_ref(), Ordering::Less);
    let most = by(|it| it.max_value.as_ref(), Ordering::Greater);
    let (Some(least), Some(most)) = (least, most) else {
        return;
    };
    joined.min_value.clone_from(&least.min_value);
    joined.max_value.clone_from(&most.max_value);
    joined.is_min_value_exact = least.is_min_value_exact;
    joined.is_max_value_exact = most.is_max_value_exact;
    // Old readers use the deprecated fields, which mean the same if the values are equal.
    let both = |it: &&Statistics| it.min == it.min_value && it.max == it.max_value;
    if with_values.iter().all(both) {
        joined.min.clone_from(&least.min);
        joined.max.clone_from(&most.max);
    }
}

/// Returns the statistics of a chunk.
pub(in crate::merge) fn of_chunk(leaf: &Leaf) -> Result<Option<Statistics>> {
    let statistics = leaf.metadata().statistics.as_ref();
    statistics.map(|it| it.decode()).transpose()
}

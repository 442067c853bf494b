//! Builds the indexes of a new chunk: the locations, bounds and sizes of its pages.

use super::Input;
use super::bounds::indexed;
use super::entry::levels_of_nulls;
use crate::merge::leaf::{Entry, PageBounds};
use bytelane_parquet::format::{
    self, BoundaryOrder, ColumnIndex, Encoded, OffsetIndex, PageLocation, SizeStatistics,
};
use bytelane_parquet::statistics::Compare;
use bytelane_parquet::{Error, Result};
use bytes::Bytes;
use parquet::basic::Type;
use parquet::schema::types::ColumnDescriptor;
use std::cmp::Ordering;

/// Returns the column index of pages, if all have bounds.
pub(in crate::merge) fn column_index(
    entries: &[Entry],
    compare: Option<Compare>,
) -> Result<Option<Bytes>> {
    let bounds = entries.iter().map(|it| it.bounds.clone());
    let bounds = bounds.collect::<Option<Vec<_>>>();
    let (Some(bounds), Some(compare)) = (bounds, compare) else {
        return Ok(None);
    };
    let bounds: Vec<PageBounds> = bounds.into_iter().map(|it| indexed(it, compare)).collect();
    let (least, most): (Vec<Bytes>, Vec<Bytes>) = bounds
        .iter()
        .map(|it| it.range.clone().unwrap_or_default())
        .unzip();
    let null_counts = bounds.iter().map(|it| it.nulls).collect::<Option<Vec<_>>>();
    let has_nans = bounds.iter().any(|it| it.nans.is_some());
    let nan_counts = bounds.iter().map(|it| match it.range {
        None => Some(it.nans.unwrap_or(0)),
        Some(_) => it.nans,
    });
    let index = ColumnIndex {
        null_pages: bounds.iter().map(|it| it.range.is_none()).collect(),
        boundary_order: order_of(&bounds, compare),
        min_values: least,
        max_values: most,
        null_counts,
        nan_counts: nan_counts.collect::<Option<Vec<_>>>().filter(|_| has_nans),
        repetition_level_histograms: histograms(entries, 0),
        definition_level_histograms: histograms(entries, 1),
        ..Default::default()
    };
    Ok(Some(format::encode(&index)?.into()))
}

/// Returns the order of the pages' bounds, ignoring pages with only nulls.
fn order_of(bounds: &[PageBounds], compare: Compare) -> BoundaryOrder {
    let ranges: Vec<&(Bytes, Bytes)> = bounds.iter().filter_map(|it| it.range.as_ref()).collect();
    let never = |unwanted: Ordering| {
        ranges.windows(2).all(|pair| {
            compare.values(&pair[0].0, &pair[1].0) != unwanted
                && compare.values(&pair[0].1, &pair[1].1) != unwanted
        })
    };
    if never(Ordering::Greater) {
        BoundaryOrder::Ascending
    } else if never(Ordering::Less) {
        BoundaryOrder::Descending
    } else {
        BoundaryOrder::Unordered
    }
}

/// Returns the histograms of repetition or definition levels of all pages, if each page has one.
fn histograms(entries: &[Entry], which: usize) -> Option<Vec<i64>> {
    let mut all = Vec::new();
    for entry in entries {
        all.extend(entry.levels[which].as_ref()?);
    }
    Some(all)
}

/// Returns the offset index of pages.
pub(in crate::merge) fn offset_index(
    entries: &[Entry],
    locations: Vec<PageLocation>,
) -> OffsetIndex {
    let sizes = entries.iter().map(|it| it.string_bytes);
    OffsetIndex {
        unencoded_byte_array_data_bytes: sizes.collect(),
        page_locations: locations,
        ..Default::default()
    }
}

/// Returns the sums of the chunks' sizes; only sizes that all chunks have.
pub(in crate::merge) fn size_statistics(
    inputs: &[Input],
    column: &ColumnDescriptor,
) -> Result<Option<Encoded<SizeStatistics>>> {
    let is_text = column.physical_type() == Type::BYTE_ARRAY;
    let mut all: Option<SizeStatistics> = None;
    for input in inputs {
        let next = match input {
            Input::Missing(rows) => SizeStatistics {
                // Only BYTE_ARRAY has such sizes; pyarrow refuses files that have them for other types.
                unencoded_byte_array_data_bytes: is_text.then_some(0),
                repetition_level_histogram: Some(levels_of_nulls(column.max_rep_level(), *rows)),
                definition_level_histogram: Some(levels_of_nulls(column.max_def_level(), *rows)),
                ..Default::default()
            },
            Input::Leaf(leaf) => match &leaf.metadata().size_statistics {
                Some(sizes) => sizes.decode()?,
                None => return Ok(None),
            },
        };
        all = match all {
            None => Some(next),
            Some(all) => Some(SizeStatistics {
                unencoded_byte_array_data_bytes: added(
                    all.unencoded_byte_array_data_bytes,
                    next.unencoded_byte_array_data_bytes,
                )?,
                repetition_level_histogram: both(
                    all.repetition_level_histogram,
                    next.repetition_level_histogram,
                ),
                definition_level_histogram: both(
                    all.definition_level_histogram,
                    next.definition_level_histogram,
                ),
                ..Default::default()
            }),
        };
    }
    all.map(|it| Encoded::new(&it)).transpose()
}

fn added(one: Option<i64>, other: Option<i64>) -> Result<Option<i64>> {
    match (one, other) {
        (Some(one), Some(other)) => match one.checked_add(other) {
            Some(sum) => Ok(Some(sum)),
            None => Err(Error::corrupt(
                "the size statistics are larger than any file",
            )),
        },
        _ => Ok(None),
    }
}

fn both(one: Option<Vec<i64>>, other: Option<Vec<i64>>) -> Option<Vec<i64>> {
    let (one, other) = (one?, other?);
    let sums = || {
        one.iter()
            .zip(&other)
            .map(|(one, other)| one.saturating_add(*other))
    };
    (one.len() == other.len()).then(|| sums().collect())
}

//! Prunes pages by the column index.

use super::super::bind::Leaf;
use super::super::test::Test;
use super::bounds::{Bound, Bounds, are_bounds_of};
use crate::Result;
use crate::format::{self, ColumnIndex};
use crate::input::bytes_at;
use crate::read::{Input, Ranges, page_ranges};
use bytes::Bytes;
use parquet::basic::ColumnOrder;
use parquet::file::metadata::ColumnChunkMetaData;

/// Returns the rows of pages that may have the wanted result; `None` if the file has no page
/// indexes or they cannot be right.
pub(super) fn rows(
    input: &Input,
    chunk: &ColumnChunkMetaData,
    order: ColumnOrder,
    leaf: &Leaf,
    wanted: bool,
    rows: usize,
) -> Result<Option<Ranges>> {
    let is_null = matches!(leaf.test, Test::IsNull);
    if !is_null && !are_bounds_of(chunk.column_descr(), leaf.field.data_type()) {
        return Ok(None);
    }
    let Some(index) = column_index(input, chunk) else {
        return Ok(None);
    };
    let Some(pages) = page_ranges(input, chunk, rows) else {
        return Ok(None);
    };
    let count = pages.len();
    let has_count = |counts: &Vec<i64>| counts.len() == count;
    if [&index.min_values, &index.max_values].map(Vec::len) != [count; 2]
        || index.null_pages.len() != count
        || !index.null_counts.as_ref().is_none_or(has_count)
    {
        return Ok(None);
    }
    let may_be = if is_null {
        nulls(&index, wanted)
    } else {
        let least = bounds(&index, &index.min_values);
        let greatest = bounds(&index, &index.max_values);
        let bounds = Bounds::of_pages(leaf, chunk.column_descr(), order, &least, &greatest)?;
        let may_be = bounds.may_be(leaf, wanted)?.into_iter();
        // A comparison with null is neither true nor false.
        let is_null = index.null_pages.iter();
        may_be
            .zip(is_null)
            .map(|(may_be, is_null)| may_be && !is_null)
            .collect()
    };
    let left = pages.into_iter().zip(may_be);
    let left = left.filter_map(|(page, may_be)| may_be.then_some(page));
    Ok(Some(left.collect()))
}

/// Returns for each page whether it may have null values, or non-null values.
fn nulls(index: &ColumnIndex, wanted: bool) -> Vec<bool> {
    if !wanted {
        return index.null_pages.iter().map(|is_null| !is_null).collect();
    }
    match &index.null_counts {
        Some(counts) => counts.iter().map(|count| *count != 0).collect(),
        None => vec![true; index.null_pages.len()],
    }
}

/// Returns the bounds of pages. Pages with only nulls have none.
fn bounds<'a>(index: &ColumnIndex, values: &'a [Bytes]) -> Vec<Bound<'a>> {
    let pages = index.null_pages.iter().zip(values);
    pages
        .map(|(is_null, value)| (!is_null).then_some(&**value))
        .collect()
}

fn column_index(input: &Input, chunk: &ColumnChunkMetaData) -> Option<ColumnIndex> {
    let start = u64::try_from(chunk.column_index_offset()?).ok()?;
    let length = u64::try_from(chunk.column_index_length()?).ok()?;
    let bytes = bytes_at(input, start..start.checked_add(length)?).ok()?;
    format::decode(&bytes).ok()
}

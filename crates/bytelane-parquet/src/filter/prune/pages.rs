//! Prunes pages by the column index.

use super::super::bind::Leaf;
use super::super::test::Test;
use super::bounds::{Bound, Bounds, are_bounds_of};
use crate::Result;
use crate::chunk::facts::{ChunkFacts, Fact, Facts, Reaction, Verb};
use crate::format::{self, ColumnIndex};
use crate::input::bytes_at;
use crate::read::{IndexedPages, Input, Ranges, indexed_pages};
use crate::statistics::Compare;
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
    if !is_null && !are_bounds_of(chunk.column_descr(), leaf.column.field.data_type()) {
        return Ok(None);
    }
    let Some(index) = column_index(input, chunk) else {
        return Ok(None);
    };
    let Some(pages) = indexed_pages(input, chunk, rows) else {
        return Ok(None);
    };
    if contradicts(&index, chunk, order, &pages) {
        return Ok(None);
    }
    let pages = pages.rows;
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

/// Returns whether the column index contradicts the page headers or the statistics of the chunk. Bounds of single
/// pages that contradict each other exclude nothing.
fn contradicts(
    index: &ColumnIndex,
    chunk: &ColumnChunkMetaData,
    order: ColumnOrder,
    pages: &IndexedPages,
) -> bool {
    let facts = Facts {
        column: chunk.column_descr(),
        rows: pages.rows.last().map_or(0, |last| last.end as i64),
        values: chunk.num_values(),
        pages: &pages.facts,
        offset_index: None,
        column_index: Some(index),
        statistics: statistics(chunk),
        compare: Compare::of(chunk.column_descr(), order),
        metadata: None,
    };
    let found = facts.contradictions();
    found.iter().any(|it| {
        let is_of_index = !matches!(it.fact, Fact::ColumnRows | Fact::PageBounds);
        is_of_index && it.fact.reaction(Verb::Filter) != Reaction::Refuses
    })
}

/// Returns the statistics of a chunk. Bounds of the first readers may be in another order.
fn statistics(chunk: &ColumnChunkMetaData) -> ChunkFacts {
    let Some(statistics) = chunk.statistics() else {
        return ChunkFacts::default();
    };
    let is_exact = !statistics.is_min_max_deprecated()
        && statistics.min_is_exact()
        && statistics.max_is_exact();
    let bytes = |bound: Option<&[u8]>| bound.map(Bytes::copy_from_slice);
    let least = bytes(statistics.min_bytes_opt().filter(|_| is_exact));
    let most = bytes(statistics.max_bytes_opt());
    ChunkFacts {
        nulls: statistics
            .null_count_opt()
            .and_then(|it| i64::try_from(it).ok()),
        range: least.zip(most),
    }
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

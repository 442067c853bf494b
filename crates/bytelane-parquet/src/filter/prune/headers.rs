//! Prunes pages by the statistics in their headers, which files have that were written without a column index.

use super::super::bind::Leaf;
use super::super::test::Test;
use super::bounds::{Bound, Bounds, are_bounds_of};
use crate::Result;
use crate::chunk::Pages;
use crate::file::LeafChunk;
use crate::format::{PageHeader, Statistics};
use crate::read::{Input, Ranges};
use parquet::basic::ColumnOrder;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::Length;
use std::ops::Range;

/// Returns the rows of pages that may have the wanted result; `None` if a page has no statistics, or if reading
/// headers costs too much.
pub(super) fn rows(
    input: &Input,
    chunk: &ColumnChunkMetaData,
    order: ColumnOrder,
    leaf: &Leaf,
    wanted: bool,
    rows: usize,
) -> Result<Option<Ranges>> {
    let is_null = matches!(leaf.test, Test::IsNull);
    let has_bounds = are_bounds_of(chunk.column_descr(), leaf.column.field.data_type());
    if is_null || !has_bounds || !input.reads_headers() {
        return Ok(None);
    }
    let Some(pages) = pages(input, chunk, rows) else {
        return Ok(None);
    };
    let bounds = |bound: fn(&Statistics) -> Bound<'_>| -> Vec<_> {
        pages.iter().map(|(_, page)| bound(page)).collect()
    };
    let least = bounds(|page| page.min_value.as_deref());
    let greatest = bounds(|page| page.max_value.as_deref());
    let bounds = Bounds::of_pages(leaf, chunk.column_descr(), order, &least, &greatest)?;
    let left = pages.iter().zip(bounds.may_be(leaf, wanted)?);
    let left = left.filter(|(_, may_be)| *may_be);
    Ok(Some(left.map(|((page, _), _)| page.clone()).collect()))
}

/// Returns the rows of each page, which are its values, and its statistics.
fn pages(
    input: &Input,
    chunk: &ColumnChunkMetaData,
    rows: usize,
) -> Option<Vec<(Range<usize>, Statistics)>> {
    let range = LeafChunk::of_decoded(chunk, input.len()).ok()?.range;
    let (mut pages, mut at) = (Vec::new(), 0_usize);
    for page in Pages::new(input, range) {
        let page = page.ok()?;
        if page.is_data() {
            let statistics = statistics(&page.header)?;
            let end = at.checked_add(usize::try_from(page.values()).ok()?)?;
            pages.push((at..end, statistics));
            at = end;
        }
    }
    (at == rows).then_some(pages)
}

fn statistics(header: &PageHeader) -> Option<Statistics> {
    let of_data = header.data_page_header.as_ref();
    let of_data_v2 = header.data_page_header_v2.as_ref();
    let encoded = of_data.and_then(|page| page.statistics.as_ref());
    let encoded = encoded.or(of_data_v2.and_then(|page| page.statistics.as_ref()));
    encoded?.decode().ok()
}

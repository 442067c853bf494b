//! Checks the indexes of a chunk against its pages.

use super::outcome::Findings;
use crate::Result;
use crate::chunk::{Chunk, Page};
use crate::format::{self, BoundaryOrder, ColumnIndex, ColumnOrder, OffsetIndex};
use crate::statistics::Compare;
use bytes::Bytes;
use parquet::basic::{ColumnOrder as InParquet, SortOrder};
use parquet::schema::types::ColumnDescriptor;
use std::cmp::Ordering;

/// Returns the comparison function of a column's bounds, if their order is known.
pub(super) fn compare_of(
    column: &ColumnDescriptor,
    order: Option<&ColumnOrder>,
) -> Option<Compare> {
    match order {
        None | Some(ColumnOrder::Unknown(_)) => None,
        Some(_) => Compare::of(column, InParquet::TYPE_DEFINED_ORDER(SortOrder::SIGNED)),
    }
}

/// Checks both indexes of a chunk.
pub(super) fn check(
    chunk: &Chunk,
    pages: &[Page],
    column: &ColumnDescriptor,
    rows: i64,
    order: Option<&ColumnOrder>,
    findings: &mut Findings,
) -> Result<()> {
    let pages: Vec<&Page> = pages.iter().filter(|page| page.is_data()).collect();
    if let Some(index) = chunk.offset_index() {
        check_offsets(index, &pages, column, rows, findings);
    }
    let Some(index) = chunk.column_index() else {
        return Ok(());
    };
    if chunk.offset_index().is_none() {
        findings.warning("it has a column index, but no offset index, so readers cannot use it");
    }
    match format::decode::<ColumnIndex>(index) {
        Ok(index) => check_bounds(&index, pages.len(), column, order, findings),
        Err(error) => findings.add_error(error)?,
    }
    Ok(())
}

fn check_offsets(
    index: &OffsetIndex,
    pages: &[&Page],
    column: &ColumnDescriptor,
    rows: i64,
    findings: &mut Findings,
) {
    let locations = &index.page_locations;
    if locations.len() != pages.len() {
        let (own, count) = (locations.len(), pages.len());
        findings.error(format!(
            "the offset index has {own} pages, but the chunk has {count}"
        ));
        return;
    }
    let mut values = 0;
    for (number, (location, page)) in locations.iter().zip(pages).enumerate() {
        let size = i64::from(location.compressed_page_size);
        if location.offset != page.offset as i64 || size != page.compressed() as i64 {
            findings.error_in_page(
                number,
                "the offset index says that the page is elsewhere, or of another size",
            );
        }
        let first = location.first_row_index;
        let next = locations
            .get(number + 1)
            .map_or(rows, |it| it.first_row_index);
        if first > next || first < 0 || (number == 0 && first != 0) {
            findings.error_in_page(
                number,
                "the rows of the offset index do not ascend from 0 to those of the row group",
            );
        } else if column.max_rep_level() == 0 && first != values {
            findings.error_in_page(number, format!("the offset index says that it begins with row {first}, but it begins with {values}"));
        }
        values += page.values();
    }
}

fn check_bounds(
    index: &ColumnIndex,
    pages: usize,
    column: &ColumnDescriptor,
    order: Option<&ColumnOrder>,
    findings: &mut Findings,
) {
    let lengths = [
        index.null_pages.len(),
        index.min_values.len(),
        index.max_values.len(),
    ];
    if lengths != [pages; 3] {
        findings.error(format!(
            "the column index has not {pages} pages, as the chunk has"
        ));
        return;
    }
    let has_length = |list: &Option<Vec<i64>>, length: usize| {
        list.as_ref().is_none_or(|list| list.len() == length)
    };
    let levels = |greatest: i16| pages * (usize::try_from(greatest).unwrap_or(0) + 1);
    let lists = [
        has_length(&index.null_counts, pages),
        has_length(&index.nan_counts, pages),
        has_length(
            &index.repetition_level_histograms,
            levels(column.max_rep_level()),
        ),
        has_length(
            &index.definition_level_histograms,
            levels(column.max_def_level()),
        ),
    ];
    if lists.contains(&false) {
        findings.warning(
            "a list of counts of the column index has another length than that of its pages",
        );
    }
    let Some(compare) = compare_of(column, order) else {
        return;
    };
    let with_values = (0..pages).filter(|page| !index.null_pages[*page]);
    let with_values: Vec<usize> = with_values.collect();
    for &page in &with_values {
        if compare.values(&index.min_values[page], &index.max_values[page]) == Ordering::Greater {
            findings.error_in_page(page, "the column index has a minimum above the maximum");
        }
    }
    let unwanted = match index.boundary_order {
        BoundaryOrder::Ascending => Ordering::Greater,
        BoundaryOrder::Descending => Ordering::Less,
        _ => return,
    };
    let breaks = |list: &[Bytes]| {
        let mut pairs = with_values.windows(2);
        pairs.any(|pair| compare.values(&list[pair[0]], &list[pair[1]]) == unwanted)
    };
    if breaks(&index.min_values) || breaks(&index.max_values) {
        findings.error("the column index says that its bounds are ordered, but they are not");
    }
}

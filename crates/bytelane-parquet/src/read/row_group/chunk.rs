//! Reads the page indexes of a row group's chunks, and compares them with the page headers.

use super::super::input::Input;
use super::super::leaf::{PageIndex, RowCounts};
use crate::Result;
use crate::chunk::Pages;
use crate::chunk::facts::{ChunkFacts, Facts, PageFacts, refused};
use crate::file::LeafChunk;
use crate::format::{self, ColumnIndex, OffsetIndex, PageLocation};
use crate::input::bytes_at;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::{ChunkReader, Length};
use std::ops::Range;

/// Rows of each page of a chunk, and the facts in their headers if these were read.
pub(crate) struct IndexedPages {
    pub(crate) rows: Vec<Range<usize>>,
    pub(crate) facts: Vec<Option<PageFacts>>,
}

/// Returns where the numbers of rows of skipped pages come from.
///
/// # Errors
///
/// The pages have other rows than the row group: those of two columns would not belong together.
pub(super) fn row_counts(input: &Input, chunk: &LeafChunk, rows: usize) -> Result<RowCounts> {
    if chunk.offset_index.is_none() {
        return Ok(RowCounts::Headers);
    }
    if let Some((index, _)) = verified(input, chunk, rows) {
        return Ok(RowCounts::Index(index));
    }
    let values = input.headers().map(|headers| {
        let (facts, _) = facts_of_all(&headers, chunk);
        facts.iter().map(PageFacts::values).sum::<i64>()
    });
    let is_flat = chunk.column.max_rep_level() == 0;
    match values.filter(|values| is_flat && usize::try_from(*values) != Ok(rows)) {
        // Either the index or the headers are wrong about the rows of lists.
        None => Ok(RowCounts::Levels),
        Some(values) => {
            let problem = format!("it has {values} values, but its row group has {rows} rows");
            Err(refused(&problem).in_column(chunk.column.path().string()))
        }
    }
}

/// Returns the pages of a chunk; `None` if the file has no offset index, or if it contradicts the page headers.
pub(crate) fn indexed_pages(
    input: &Input,
    chunk: &ColumnChunkMetaData,
    rows: usize,
) -> Option<IndexedPages> {
    let chunk = LeafChunk::of_decoded(chunk, input.len()).ok()?;
    let (index, facts) = verified(input, &chunk, rows)?;
    let rows = index.ranges();
    Some(IndexedPages { rows, facts })
}

/// Reads an offset index, and the headers of the pages unless each of them would be a request. Pages that are
/// skipped are never decoded: only their headers tell that another row is where the index says.
fn verified(
    input: &Input,
    chunk: &LeafChunk,
    rows: usize,
) -> Option<(PageIndex, Vec<Option<PageFacts>>)> {
    let bytes = bytes_at(input, chunk.offset_index.clone()?).ok()?;
    let index: OffsetIndex = format::decode(&bytes).ok()?;
    let locations = &index.page_locations;
    let pages = PageIndex::new(locations.clone(), &chunk.range, rows)?;
    let Some(headers) = input.headers() else {
        return Some((pages, vec![None; locations.len()]));
    };
    let facts = facts_at(&headers, chunk, locations)?;
    // If all headers can be read one after the other, none is damaged, and a location is wrong.
    if facts.iter().any(Option::is_none) && facts_of_all(&headers, chunk).1 {
        return None;
    }
    let is_list = chunk.column.max_rep_level() > 0;
    let levels = chunk.column_index.clone().filter(|_| is_list);
    let levels = levels.and_then(|range| bytes_at(&headers, range).ok());
    let levels = levels.and_then(|bytes| format::decode::<ColumnIndex>(&bytes).ok());
    let all = Facts {
        column: &chunk.column,
        rows: i64::try_from(rows).ok()?,
        values: i64::try_from(chunk.values).ok()?,
        pages: &facts,
        offset_index: Some(&index),
        column_index: levels.as_ref(),
        statistics: ChunkFacts::default(),
        compare: None,
        metadata: None,
    };
    all.has_right_rows().then_some((pages, facts))
}

/// Reads the headers of the data pages one after the other, up to a damaged one. Returns whether there is none.
fn facts_of_all(headers: &impl ChunkReader, chunk: &LeafChunk) -> (Vec<PageFacts>, bool) {
    let (mut facts, mut all_are_read) = (Vec::new(), true);
    for page in Pages::new(headers, chunk.range.clone()) {
        match page {
            Ok(page) if page.is_data() => facts.push(PageFacts::of(&page, &chunk.column)),
            Ok(_) => {}
            Err(_) => all_are_read = false,
        }
    }
    (facts, all_are_read)
}

/// Reads the headers at these locations; `None` if they are not all of the data pages.
fn facts_at(
    headers: &impl ChunkReader,
    chunk: &LeafChunk,
    locations: &[PageLocation],
) -> Option<Vec<Option<PageFacts>>> {
    let starts = locations.iter().map(|it| u64::try_from(it.offset));
    let starts: Vec<u64> = starts.collect::<std::result::Result<_, _>>().ok()?;
    let first = *starts.first()?;
    let before = Pages::new(headers, chunk.range.start..first);
    if before.flatten().any(|page| page.is_data()) {
        return None;
    }
    let ends = starts.iter().skip(1).chain([&chunk.range.end]);
    let pages = starts.iter().zip(ends).map(|(start, end)| {
        match Pages::new(headers, *start..*end).next() {
            Some(Ok(page)) if page.is_data() => Some(Some(PageFacts::of(&page, &chunk.column))),
            Some(Ok(_)) => None,
            // Reading the page would be an error, but skipping it is not.
            _ => Some(None),
        }
    });
    pages.collect()
}

//! Reads the page indexes of a row group's chunks.

use super::super::input::Input;
use super::super::leaf::PageIndex;
use crate::file::LeafChunk;
use crate::format::{self, OffsetIndex};
use crate::input::bytes_at;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::Length;
use std::ops::Range;

/// Returns the offset index of a chunk; `None` if the file has none or it cannot be right.
pub(super) fn page_index(input: &Input, chunk: &LeafChunk, rows: usize) -> Option<PageIndex> {
    let bytes = bytes_at(input, chunk.offset_index.clone()?).ok()?;
    let index: OffsetIndex = format::decode(&bytes).ok()?;
    PageIndex::new(index.page_locations, &chunk.range, rows)
}

/// Returns the rows of each page of a chunk; `None` if the file has no offset index or it cannot be
/// right.
pub(crate) fn page_ranges(
    input: &Input,
    chunk: &ColumnChunkMetaData,
    rows: usize,
) -> Option<Vec<Range<usize>>> {
    let chunk = LeafChunk::of_decoded(chunk, input.len()).ok()?;
    Some(page_index(input, &chunk, rows)?.ranges())
}

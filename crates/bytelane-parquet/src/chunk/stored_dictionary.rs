//! Reads the dictionary of a stored chunk.

use super::Pages;
use crate::Result;
use crate::budget::{Budget, MemoryLimit};
use crate::format::ColumnMetaData;
use crate::input::bytes_at;
use crate::page::{PageEditor, PageKind, codec_in_parquet, read_header};
use bytes::Bytes;
use parquet::file::reader::ChunkReader;
use parquet::schema::types::ColumnDescriptor;
use std::ops::Range;

/// Returns the PLAIN-encoded entries of the dictionary of a chunk whose pages are in this range, and their number; `None`
/// if it has no dictionary, or its codec is not known.
pub fn stored_dictionary(
    reader: &impl ChunkReader,
    metadata: &ColumnMetaData,
    range: Range<u64>,
    column: &ColumnDescriptor,
    memory: MemoryLimit,
) -> Result<Option<(Bytes, usize)>> {
    let stored = range.end - range.start;
    let Some(page) = Pages::new(reader, range).next().transpose()? else {
        return Ok(None);
    };
    let Ok(codec) = codec_in_parquet(metadata.codec) else {
        return Ok(None);
    };
    let header = read_header(&page.header)?;
    let end = page.offset + page.compressed();
    let body = bytes_at(reader, page.offset + page.header_length..end)?;
    header.check(&body)?;
    let PageKind::Dictionary(header) = header.kind else {
        return Ok(None);
    };
    let values = u64::try_from(metadata.num_values).unwrap_or(0);
    let (most, budget) = (
        memory.of_page(stored, values),
        Budget::new(memory.of_read(stored)),
    );
    let mut editor = PageEditor::new(codec, column, most, &budget)?;
    Ok(Some((editor.dictionary(&header, &body)?, header.values)))
}

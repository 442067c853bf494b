//! Chunks of a row group, as their footer describes them.

use super::super::input::Input;
use super::super::leaf::PageIndex;
use crate::Result;
use crate::chunk::chunk_range;
use crate::format::{self, OffsetIndex};
use crate::input::bytes_at;
use parquet::basic::{CompressionCodec, Encoding, EncodingMask, PageType};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::Length;
use parquet::schema::types::ColumnDescPtr;
use std::ops::Range;

/// A column chunk, as far as its footer must tell.
#[derive(Clone, Debug)]
pub(crate) struct LeafChunk {
    pub(crate) column: ColumnDescPtr,
    pub(crate) codec: CompressionCodec,
    /// Number of values that it claims to have; nulls count.
    pub(crate) values: u64,
    /// Position of its pages.
    pub(crate) range: Range<u64>,
    /// Position of its offset index.
    pub(crate) offset_index: Option<Range<u64>>,
    /// True if all values are said to be indices into a dictionary.
    pub(crate) has_indices_only: bool,
}

/// Returns what a footer tells of a chunk.
pub(super) fn leaf_chunk(chunk: &ColumnChunkMetaData, file_bytes: u64) -> Result<LeafChunk> {
    let index = || {
        let start = u64::try_from(chunk.offset_index_offset()?).ok()?;
        let length = u64::try_from(chunk.offset_index_length()?).ok()?;
        Some(start..start.checked_add(length)?)
    };
    Ok(LeafChunk {
        column: chunk.column_descr_ptr(),
        codec: chunk.compression_codec(),
        values: u64::try_from(chunk.num_values()).unwrap_or(0),
        range: chunk_range(chunk, file_bytes)?,
        offset_index: index(),
        has_indices_only: has_indices_only(chunk),
    })
}

/// The offset index of a chunk, if the file has one that can be true.
pub(super) fn page_index(input: &Input, chunk: &LeafChunk, rows: usize) -> Option<PageIndex> {
    let bytes = bytes_at(input, chunk.offset_index.clone()?).ok()?;
    let index: OffsetIndex = format::decode(&bytes).ok()?;
    PageIndex::new(index.page_locations, &chunk.range, rows)
}

/// Returns the rows of each page of a chunk, if the file has an index of them that can be true.
pub(crate) fn page_ranges(
    input: &Input,
    chunk: &ColumnChunkMetaData,
    rows: usize,
) -> Option<Vec<Range<usize>>> {
    let chunk = leaf_chunk(chunk, input.len()).ok()?;
    Some(page_index(input, &chunk, rows)?.ranges())
}

fn has_indices_only(chunk: &ColumnChunkMetaData) -> bool {
    let are = |encodings: &EncodingMask| {
        let is_of_indices =
            |it| matches!(it, Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY);
        encodings.encodings().all(is_of_indices)
    };
    let of_stats = chunk.page_encoding_stats().map(|stats| {
        let data = stats.iter();
        let data = data.filter(|it| !matches!(it.page_type, PageType::DICTIONARY_PAGE));
        EncodingMask::new_from_encodings(data.map(|it| &it.encoding))
    });
    let of_data = of_stats.as_ref().or(chunk.page_encoding_stats_mask());
    of_data.is_some_and(are)
}

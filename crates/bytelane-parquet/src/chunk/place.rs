//! Locates the parts of a chunk in its file, based on the footer.

use crate::format::{self, BloomFilterHeader, ChunkView, ColumnChunk, ColumnMetaData};
use crate::input::bytes_at;
use crate::{Error, Problem, Result};
use bytes::Bytes;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::ChunkReader;
use std::ops::Range;

/// Number of bytes that are read for the header of a Bloom filter, which is shorter.
const BLOOM_FILTER_HEADER: u64 = 64;

/// Returns the range of a column chunk's pages in a file of `length` bytes.
pub fn chunk_range(chunk: &ColumnChunkMetaData, length: u64) -> Result<Range<u64>> {
    in_this_file(chunk.file_path())?;
    pages_at(
        chunk.data_page_offset(),
        chunk.dictionary_page_offset(),
        chunk.compressed_size(),
        length,
    )
}

/// Returns the range of a chunk's pages in a file of `length` bytes, from its decoded metadata.
pub fn stored_range(chunk: &ColumnChunk, length: u64) -> Result<Range<u64>> {
    let path = chunk.file_path.as_deref().map(String::from_utf8_lossy);
    in_this_file(path.as_deref())?;
    let values = &chunk.meta_data;
    pages_at(
        values.data_page_offset,
        values.first_page_offset(),
        values.total_compressed_size,
        length,
    )
}

/// Returns the range of a chunk's pages in a file of `length` bytes, from a view of its metadata.
pub fn viewed_range(chunk: &ChunkView<'_>, length: u64) -> Result<Range<u64>> {
    in_this_file(chunk.file_path)?;
    let values = &chunk.meta_data;
    pages_at(
        values.data_page_offset,
        values
            .dictionary_page_offset
            .or(values.symbol_table_page_offset),
        values.total_compressed_size,
        length,
    )
}

fn in_this_file(path: Option<&str>) -> Result<()> {
    let Some(path) = path else {
        return Ok(());
    };
    let problem = format!("the column's pages are in another file, {path}");
    Err(Problem::Unsupported(problem).into())
}

/// Returns the range of pages of this total size in a file of `length` bytes, given the positions
/// of the first data page and the dictionary.
pub(super) fn pages_at(
    data: i64,
    dictionary: Option<i64>,
    bytes: i64,
    length: u64,
) -> Result<Range<u64>> {
    // Some writers store 0 for a page that does not exist.
    let offsets = [Some(data), dictionary].into_iter().flatten();
    let start = offsets.filter(|&offset| offset > 0).min().unwrap_or(0);
    let range = u64::try_from(start).ok().zip(u64::try_from(bytes).ok());
    let range = range.and_then(|(start, size)| Some(start..start.checked_add(size)?));
    range.filter(|range| range.end <= length).ok_or_else(|| {
        Error::corrupt(format!(
            "the column's {bytes} bytes at offset {start} reach beyond the file, which has {length}",
        ))
    })
}

/// Returns an offset and a length from two fields of the footer. The length may be missing.
fn place(offset: Option<i64>, length: Option<i32>) -> Result<Option<(u64, Option<u64>)>> {
    let length = length.map(u64::try_from).transpose();
    match (offset.map(u64::try_from).transpose(), length) {
        // Some writers store 0 for parts that do not exist.
        (Ok(None | Some(0)), Ok(_)) => Ok(None),
        (Ok(Some(offset)), Ok(length)) => Ok(Some((offset, length))),
        _ => Err(Error::corrupt("the footer has a negative offset or length")),
    }
}

/// Reads the bytes of an index, if the footer has its location.
pub(super) fn index_at(
    reader: &impl ChunkReader,
    offset: Option<i64>,
    length: Option<i32>,
) -> Result<Option<Bytes>> {
    match place(offset, length)? {
        Some((offset, Some(length))) => {
            bytes_at(reader, offset..offset.saturating_add(length)).map(Some)
        }
        _ => Ok(None),
    }
}

/// Returns the offset and length fields of an index, if it has a range.
pub(super) fn fields_of(range: Option<Range<u64>>) -> Result<(Option<i64>, Option<i32>)> {
    let Some(range) = range else {
        return Ok((None, None));
    };
    let length = i32::try_from(range.end - range.start)
        .map_err(|_| Error::corrupt("an index is larger than 2 GiB"))?;
    Ok((Some(range.start as i64), Some(length)))
}

/// Returns the range of a chunk's Bloom filter. Old footers do not contain its length.
pub(super) fn bloom_filter(
    reader: &impl ChunkReader,
    metadata: &ColumnMetaData,
) -> Result<Option<Range<u64>>> {
    let place = place(metadata.bloom_filter_offset, metadata.bloom_filter_length)?;
    let Some((offset, length)) = place else {
        return Ok(None);
    };
    let length = match length {
        Some(length) => length,
        None => bloom_filter_length(reader, offset)?,
    };
    Ok(Some(offset..offset.saturating_add(length)))
}

fn bloom_filter_length(reader: &impl ChunkReader, offset: u64) -> Result<u64> {
    let end = reader.len().min(offset.saturating_add(BLOOM_FILTER_HEADER));
    let bytes = bytes_at(reader, offset..end)?;
    let (header, length) =
        format::decode_prefix::<BloomFilterHeader>(&bytes).map_err(format::damaged)?;
    let bytes = u64::try_from(header.num_bytes)
        .map_err(|_| Error::corrupt("a Bloom filter of negative size"))?;
    Ok(length as u64 + bytes)
}

//! Estimates the level at which a chunk was compressed: files store the codec, but not its level.

use super::{Page, Pages};
use crate::Result;
use crate::budget::MemoryLimit;
use crate::format::PageType;
use crate::input::bytes_at;
use crate::page::{Compressor, Decompressor, check_size};
use bytes::Bytes;
use parquet::basic::{BrotliLevel, Compression, GzipLevel, ZstdLevel};
use parquet::errors::Result as ParquetResult;
use parquet::file::reader::ChunkReader;
use std::ops::Range;

/// Levels to try, from the fastest on.
const ZSTD: [i32; 8] = [1, 3, 6, 9, 12, 15, 19, 22];
const GZIP: [u32; 4] = [1, 4, 6, 9];
const BROTLI: [u32; 5] = [1, 4, 6, 9, 11];

/// Size, in bytes, of decompressed pages above which smaller ones are preferred.
const ENOUGH: u64 = 256 << 10;

/// Maximum size, in bytes, of a decompressed page that is compressed again.
const MOST: u64 = 4 << 20;

/// Factor by which a page may be larger than the one in the file: libraries of other versions differ a little.
const TOLERANCE: f64 = 1.003;

/// Returns the codec of a chunk with the lowest level at which one of its pages becomes as small as it is in the file,
/// or the level at which it becomes the smallest. A codec without levels is returned as it is. `range` has the pages, with
/// `values` values.
pub fn estimated_compression(
    reader: &impl ChunkReader,
    usual: Compression,
    values: i64,
    range: Range<u64>,
    limit: MemoryLimit,
) -> Result<Compression> {
    if levels(usual).is_empty() {
        return Ok(usual);
    }
    let stored = range.end - range.start;
    let values = u64::try_from(values).unwrap_or(0);
    let most = limit.of_page(stored, values);
    let pages = Pages::new(reader, range).collect::<ParquetResult<Vec<_>>>()?;
    let pages = pages.iter().map(|page| {
        let start = page.offset + page.header_length;
        let end = page.offset + page.compressed();
        (page, move || bytes_at(reader, start..end))
    });
    estimated_of_pages(usual, pages, most)
}

/// Does the same for these pages, each with a function that returns its bytes. Those that take more than `most` bytes are not
/// decompressed.
pub fn estimated_of_pages<'a>(
    usual: Compression,
    pages: impl Iterator<Item = (&'a Page, impl Fn() -> Result<Bytes>)>,
    most: u64,
) -> Result<Compression> {
    let levels = levels(usual);
    if levels.is_empty() {
        return Ok(usual);
    }
    let most = most.min(MOST);
    let rank = |page: &Page| match page.uncompressed() {
        size if size <= ENOUGH => size,
        size => ENOUGH.saturating_mul(2).saturating_sub(size),
    };
    let pages = pages.filter(|(page, _)| is_compressed(page) && page.uncompressed() <= most);
    let Some((page, body)) = pages.max_by_key(|(page, _)| rank(page)) else {
        return Ok(usual);
    };
    let body = body()?;
    // The levels of a page of version 2 are not compressed.
    let own = page.header.data_page_header_v2.as_ref();
    let levels_length = own.map_or(0, |header| {
        let length = |bytes: i32| usize::try_from(bytes).unwrap_or(0);
        length(header.repetition_levels_byte_length) + length(header.definition_levels_byte_length)
    });
    let size = usize::try_from(page.header.uncompressed_page_size).unwrap_or(0);
    let (Some(body), Some(size)) = (body.get(levels_length..), size.checked_sub(levels_length))
    else {
        return Ok(usual);
    };
    let mut bytes = Vec::new();
    check_size(size as u64, most)?;
    Decompressor::new(usual.into())?.decompress(body, size, &mut bytes)?;
    let mut smallest = (usize::MAX, usual);
    for level in levels {
        let mut compressed = Vec::new();
        Compressor::new(level)?.append(&bytes[..size], &mut compressed)?;
        if compressed.len() as f64 <= TOLERANCE * body.len() as f64 {
            return Ok(level);
        }
        if compressed.len() < smallest.0 {
            smallest = (compressed.len(), level);
        }
    }
    Ok(smallest.1)
}

fn levels(of: Compression) -> Vec<Compression> {
    match of {
        Compression::ZSTD(_) => {
            let levels = ZSTD
                .iter()
                .filter_map(|level| ZstdLevel::try_new(*level).ok());
            levels.map(Compression::ZSTD).collect()
        }
        Compression::GZIP(_) => {
            let levels = GZIP
                .iter()
                .filter_map(|level| GzipLevel::try_new(*level).ok());
            levels.map(Compression::GZIP).collect()
        }
        Compression::BROTLI(_) => {
            let levels = BROTLI
                .iter()
                .filter_map(|level| BrotliLevel::try_new(*level).ok());
            levels.map(Compression::BROTLI).collect()
        }
        _ => Vec::new(),
    }
}

fn is_compressed(page: &Page) -> bool {
    let header = &page.header;
    match header.page_type {
        PageType::DataPage | PageType::DictionaryPage => true,
        PageType::DataPageV2 => {
            let own = header.data_page_header_v2.as_ref();
            own.is_some_and(|it| it.is_compressed != Some(false))
        }
        _ => false,
    }
}

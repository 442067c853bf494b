//! Summarizes the page headers of a chunk.

use super::{Page, Pages, chunk_range, encoding_name, estimated_compression};
use crate::budget::MemoryLimit;
use crate::format::{Encoding as Coding, PageType};
use crate::page::check_size;
use crate::types::physical;
use crate::{DataPageVersion, Encoding, Error, Result};
use parquet::basic::{Compression, Type};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::ChunkReader;
use std::ops::Range;

/// Encodings of a chunk's values, and properties of its pages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageSummary {
    /// Encodings in order of appearance.
    pub encodings: Vec<Coding>,
    /// Version of its data pages.
    pub version: DataPageVersion,
    /// Codec with its estimated level, if that was asked for.
    pub compression: Option<Compression>,
    /// Set if any of its pages has a checksum.
    pub checksums: bool,
    /// Set if any of its pages has an unknown type or encoding.
    pub unknown: bool,
    /// Number of bytes of its decompressed pages.
    pub uncompressed: u64,
    /// Number of data pages.
    pages: usize,
    /// Number of values of the largest data page.
    page_values: i64,
    /// Number of bytes of the largest data page after decompression, without its header.
    page_bytes: u64,
    values: i64,
}

impl PageSummary {
    /// Returns the number of rows per page of a chunk with `rows` rows: that of the largest page if
    /// all pages but the last are equally large, or the average if they differ or their sizes are
    /// unknown.
    pub fn page_rows(&self, rows: usize) -> usize {
        let pages = self.pages.max(1);
        let largest = usize::try_from(self.page_values).unwrap_or(0).max(1);
        let is_flat = i64::try_from(rows) == Ok(self.values);
        if is_flat && rows.div_ceil(largest) == pages {
            largest
        } else {
            rows.div_ceil(pages).max(1)
        }
    }

    /// Returns whether a page may exceed a limit: it has more values than the maximum number of
    /// rows, or more bytes than the maximum size. Nested columns may have more values than rows.
    pub fn exceed(&self, (rows, bytes): (Option<usize>, Option<usize>)) -> bool {
        let rows =
            rows.is_some_and(|rows| i64::try_from(rows).is_ok_and(|rows| self.page_values > rows));
        rows || bytes.is_some_and(|bytes| self.page_bytes > bytes as u64)
    }

    /// Returns the names of the encodings.
    pub fn names(&self) -> impl Iterator<Item = String> {
        self.encodings.iter().copied().map(encoding_name)
    }

    /// Returns whether these are exactly the encodings of the values. Each must be listed once.
    pub fn has_encodings(&self, encodings: &[Coding]) -> bool {
        let here = |encoding| self.encodings.contains(encoding);
        self.encodings.len() == encodings.len() && encodings.iter().all(here)
    }

    /// Returns whether any of the values are in this encoding.
    pub fn have(&self, encoding: Encoding) -> bool {
        self.names().any(|name| name == encoding.name())
    }

    /// Returns whether any of the values are indices into a dictionary.
    pub fn have_dictionary(&self) -> bool {
        let is = |it: &Coding| matches!(it, Coding::RleDictionary | Coding::PlainDictionary);
        self.encodings.iter().any(is)
    }

    /// Returns whether all values are in this encoding, or in the fallback of its writer.
    pub fn are(&self, encoding: Encoding) -> bool {
        let names: Vec<String> = self.names().collect();
        match encoding {
            Encoding::Dictionary => names == ["rle_dictionary"] || names == ["plain_dictionary"],
            // ALP pages fall back to PLAIN if ALP would not make them smaller.
            Encoding::Alp => {
                self.have(encoding) && names.iter().all(|name| name == "alp" || name == "plain")
            }
            // Chunks whose codes would not be smaller fall back.
            Encoding::Fsst => names == ["fsst"] || names == ["delta_length_byte_array"],
            other => names == [other.name()],
        }
    }

    /// Estimates the level of its compression.
    pub fn with_level(
        self,
        reader: &impl ChunkReader,
        chunk: &ColumnChunkMetaData,
        range: Range<u64>,
        limit: MemoryLimit,
    ) -> Result<Self> {
        let (usual, values) = (chunk.compression(), chunk.num_values());
        let compression = estimated_compression(reader, usual, values, range, limit)?;
        Ok(Self {
            compression: Some(compression),
            ..self
        })
    }

    /// Summarizes the page headers of a chunk, and returns the range of its pages. Returns an error
    /// unless the pages cover the chunk, contain all its values, and stay within the memory limit.
    pub fn of(
        reader: &impl ChunkReader,
        chunk: &ColumnChunkMetaData,
        limit: MemoryLimit,
    ) -> Result<(Self, Range<u64>)> {
        let mut range = chunk_range(chunk, reader.len())?;
        let values = u64::try_from(chunk.num_values()).unwrap_or(0);
        let most = limit.of_page(range.end - range.start, values);
        let mut summary = Self::default();
        for page in Pages::new(reader, range.clone()) {
            let page = page?;
            page.check_promise(chunk.compression_codec())?;
            check_size(page.uncompressed(), most)?;
            check_dictionary(&page, chunk)?;
            let coding = page.encoding().unwrap_or_default();
            summary.unknown |= matches!(page.header.page_type, PageType::Unknown(_))
                || matches!(coding, Coding::Unknown(_));
            if page.is_data() {
                let new = |encoding: &Coding| !summary.encodings.contains(encoding);
                summary.encodings.extend(page.encoding().filter(new));
                summary.values += page.values();
                summary.pages += 1;
                summary.page_values = summary.page_values.max(page.values());
                let bytes = page.uncompressed() - page.header_length;
                summary.page_bytes = summary.page_bytes.max(bytes);
            }
            if page.header.page_type == PageType::DataPageV2 {
                summary.version = DataPageVersion::V2;
            }
            summary.checksums |= page.header.crc.is_some();
            summary.uncompressed += page.uncompressed();
            range.end = range.end.max(page.offset + page.compressed());
        }
        if summary.values != chunk.num_values() {
            let problem = format!(
                "its pages have {} values, but the footer says {}",
                summary.values,
                chunk.num_values()
            );
            return Err(Error::corrupt(problem));
        }
        Ok((summary, range))
    }
}

/// Returns an error if a dictionary claims more values than it has bytes for. The crate `parquet`
/// would allocate memory for them.
fn check_dictionary(page: &Page, chunk: &ColumnChunkMetaData) -> Result<()> {
    let Some(dictionary) = &page.header.dictionary_page_header else {
        return Ok(());
    };
    let width = match chunk.column_type() {
        Type::BYTE_ARRAY => size_of::<u32>(),
        _ => physical::width(chunk.column_descr()).unwrap_or(0),
    };
    let values = usize::try_from(dictionary.num_values).unwrap_or(0);
    if values.saturating_mul(width) as u64 > page.uncompressed() {
        Err(Error::corrupt(format!(
            "a dictionary of {} bytes, too few for {values} values",
            page.uncompressed()
        )))
    } else {
        Ok(())
    }
}

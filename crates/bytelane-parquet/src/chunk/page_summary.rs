//! What the page headers of a chunk tell.

use super::{Page, Pages, chunk_range, encoding_name};
use crate::budget::MemoryLimit;
use crate::format::{Encoding as Coding, PageType};
use crate::page::check_size;
use crate::types::physical;
use crate::{DataPageVersion, Encoding, Error, Result};
use parquet::basic::Type;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::ChunkReader;
use std::ops::Range;

/// The encodings of a chunk's values, and what its pages have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PageSummary {
    /// In order of appearance.
    pub encodings: Vec<Coding>,
    /// The version of its data pages.
    pub version: DataPageVersion,
    /// Whether any of its pages has a checksum.
    pub checksums: bool,
    /// True if any of its pages has a type or an encoding that is not known.
    pub unknown: bool,
    /// Bytes of its pages without compression.
    pub uncompressed: u64,
    /// Data pages.
    pages: usize,
    /// Values of the largest of them.
    page_values: i64,
    /// Bytes of the largest of them without compression and header.
    page_bytes: u64,
    values: i64,
}

impl PageSummary {
    /// How many rows the pages of a chunk of `rows` rows have: those of the largest one, if each but the last is as
    /// large; if they differ, or it is not known, their average.
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

    /// Whether a page has more values than a page may have rows, or more bytes. Values of nested columns may be more than
    /// their rows.
    pub fn exceed(&self, (rows, bytes): (Option<usize>, Option<usize>)) -> bool {
        let rows =
            rows.is_some_and(|rows| i64::try_from(rows).is_ok_and(|rows| self.page_values > rows));
        rows || bytes.is_some_and(|bytes| self.page_bytes > bytes as u64)
    }

    /// The names of the encodings.
    pub fn names(&self) -> impl Iterator<Item = String> {
        self.encodings.iter().copied().map(encoding_name)
    }

    /// Returns whether the values are in these encodings, each of which is named once.
    pub fn has_encodings(&self, encodings: &[Coding]) -> bool {
        let here = |encoding| self.encodings.contains(encoding);
        self.encodings.len() == encodings.len() && encodings.iter().all(here)
    }

    /// Whether any of the values are in this encoding.
    pub fn have(&self, encoding: Encoding) -> bool {
        self.names().any(|name| name == encoding.name())
    }

    /// Returns whether any of the values are indices into a dictionary.
    pub fn have_dictionary(&self) -> bool {
        let is = |it: &Coding| matches!(it, Coding::RleDictionary | Coding::PlainDictionary);
        self.encodings.iter().any(is)
    }

    /// Whether all values are in this encoding, as far as its writer stores pages in it.
    pub fn are(&self, encoding: Encoding) -> bool {
        let names: Vec<String> = self.names().collect();
        match encoding {
            Encoding::Dictionary => names == ["rle_dictionary"] || names == ["plain_dictionary"],
            // Pages that it would not make smaller are PLAIN.
            Encoding::Alp => {
                self.have(encoding) && names.iter().all(|name| name == "alp" || name == "plain")
            }
            other => names == [other.name()],
        }
    }

    /// Looks at the header of each page of a chunk, which must tile it and have all its values, and may be as large as the
    /// limit allows. Returns as well where they are.
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

/// An error if a dictionary claims more values than it has bytes for: the crate `parquet` would make room for them.
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

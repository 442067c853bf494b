//! Chunk of a leaf in memory, with its pages and what is known about them.

use super::join::codec::compression_of;
use super::window::Window;
use bytelane_parquet::Result;
use bytelane_parquet::budget::{Budget, MemoryLimit};
use bytelane_parquet::chunk::facts::{self, Verb};
use bytelane_parquet::chunk::{Chunk, Page, Pages, Stored, estimated_of_pages, stored_range};
use bytelane_parquet::format::{self, ColumnChunk, Encoding, PageType};
use bytelane_parquet::input::bytes_at;
use bytelane_parquet::page::{CodeReplacer, Replaced};
use bytelane_parquet::statistics::Compare;
use bytes::Bytes;
use parquet::basic::Compression;
use parquet::file::reader::Length;
use parquet::schema::types::ColumnDescriptor;
use std::ops::Range;

/// Chunk with its pages.
pub(super) struct Leaf {
    pub chunk: Chunk,
    pub pages: Vec<StoredPage>,
    /// Index data for each data page.
    pub entries: Vec<Entry>,
    pub rows: u64,
    pub bloom_filter: Option<Bytes>,
    /// Total size of its pages in bytes.
    pub bytes: u64,
    /// Number of its pages that were encoded without some of their rows.
    pub cut: u64,
    pub memory: MemoryLimit,
}

/// Page in memory.
#[derive(Clone)]
pub(super) struct StoredPage {
    pub page: Page,
    /// All bytes of the page, starting with the header.
    pub bytes: Bytes,
}

impl StoredPage {
    /// Returns whether it has dictionary indices.
    pub(super) fn uses_dictionary(&self) -> bool {
        matches!(
            self.page.encoding(),
            Some(Encoding::RleDictionary | Encoding::PlainDictionary)
        )
    }

    /// Returns the bytes after the header.
    pub(super) fn body(&self) -> Bytes {
        self.bytes.slice(self.page.header_length as usize..)
    }

    /// Replaces a page in FSST, a preview, where the symbols of its chunk will be missing. Returns `None` for a page of
    /// symbols, which are kept for the pages that follow.
    pub(super) fn without_codes(mut self, replacer: &mut CodeReplacer) -> Result<Option<Self>> {
        match replacer.replace(&self.page.header, &self.body())? {
            Replaced::Unchanged => {}
            Replaced::Dropped => return Ok(None),
            Replaced::New(bytes) => {
                let (header, length) = format::decode_prefix(&bytes).map_err(format::damaged)?;
                self.page.header = header;
                self.page.header_length = length as u64;
                self.bytes = bytes;
            }
        }
        Ok(Some(self))
    }
}

impl Leaf {
    pub(super) fn read(
        window: &Window,
        chunk: ColumnChunk,
        rows: u64,
        memory: MemoryLimit,
    ) -> Result<Self> {
        let range = stored_range(&chunk, window.len())?;
        let chunk = Chunk::open(window, chunk, range.clone())?;
        let filter = chunk.bloom_filter().map(|stored| match stored {
            Stored::File(range) => bytes_at(window, range.clone()),
            _ => Ok(Bytes::new()),
        });
        let mut pages = Vec::new();
        for page in Pages::new(window, range) {
            let page = page?;
            let Range { start, end } = page.offset..page.offset + page.compressed();
            pages.push(StoredPage {
                bytes: bytes_at(window, start..end)?,
                page,
            });
        }
        Ok(Self {
            bloom_filter: filter.transpose()?,
            bytes: chunk.bytes(),
            chunk,
            pages,
            entries: Vec::new(),
            rows,
            cut: 0,
            memory,
        })
    }

    /// Replaces pages in FSST.
    pub(super) fn replace_codes(&mut self, column: &ColumnDescriptor) -> Result<()> {
        if self.symbols().is_none() {
            return Ok(());
        }
        let compression = self.compression()?.unwrap_or(Compression::UNCOMPRESSED);
        let mut replacer = self.code_replacer(compression, column)?;
        let (mut pages, mut places, mut at) = (Vec::new(), Vec::new(), self.chunk.start());
        for stored in std::mem::take(&mut self.pages) {
            let Some(mut stored) = stored.without_codes(&mut replacer)? else {
                continue;
            };
            stored.page.offset = at;
            if stored.page.is_data() {
                places.push((at as i64, stored.bytes.len() as i32));
            }
            at += stored.bytes.len() as u64;
            pages.push(stored);
        }
        self.pages = pages;
        self.chunk
            .place_pages(&places, self.pages.iter().map(|it| &it.page))
    }

    /// Returns what replaces its pages in FSST, by pages with this compression.
    pub(super) fn code_replacer(
        &self,
        compression: Compression,
        column: &ColumnDescriptor,
    ) -> Result<CodeReplacer> {
        let (budget, most) = self.limits();
        CodeReplacer::new(compression, column, most, &budget)
    }

    /// Compares the facts about the chunk, puts its metadata right, and drops indexes that contradict its pages.
    pub(super) fn reconcile(
        &mut self,
        window: &Window,
        column: &ColumnDescriptor,
        compare: Option<Compare>,
        is_repair: bool,
    ) -> Result<()> {
        let pages = self.pages.iter().map(|page| &page.page);
        let verb = if is_repair { Verb::Repair } else { Verb::Merge };
        let rows = i64::try_from(self.rows).unwrap_or(i64::MAX);
        let of = (column, compare);
        facts::reconcile(window, &mut self.chunk, pages, of, rows, verb)
    }

    /// Returns the data pages.
    pub(super) fn data_pages(&self) -> impl Iterator<Item = &StoredPage> {
        self.pages.iter().filter(|page| page.page.is_data())
    }

    /// Returns the dictionary page.
    pub(super) fn dictionary(&self) -> Option<&StoredPage> {
        let is_dictionary =
            |page: &&StoredPage| page.page.header.page_type == PageType::DictionaryPage;
        self.pages.iter().find(is_dictionary)
    }

    /// Returns the page of symbols of its pages in FSST.
    pub(super) fn symbols(&self) -> Option<&StoredPage> {
        let is_of_symbols =
            |page: &&StoredPage| page.page.header.page_type == PageType::SymbolTablePage;
        self.pages.iter().find(is_of_symbols)
    }

    pub(super) fn metadata(&self) -> &format::ColumnMetaData {
        self.chunk.metadata()
    }

    /// Returns its codec with about the level at which its pages are compressed; `None` for codecs that are only copied.
    pub(super) fn compression(&self) -> Result<Option<Compression>> {
        let Some(usual) = compression_of(self.metadata().codec)? else {
            return Ok(None);
        };
        let pages = self.pages.iter();
        let pages = pages.map(|stored| (&stored.page, || Ok(stored.body())));
        estimated_of_pages(usual, pages, self.limits().1).map(Some)
    }

    /// Returns the memory budget for reading it, and the maximum size of its pages.
    pub(super) fn limits(&self) -> (Budget, u64) {
        let bytes = self.chunk.bytes();
        let values = u64::try_from(self.metadata().num_values).unwrap_or(0);
        (
            Budget::new(self.memory.of_read(bytes)),
            self.memory.of_page(bytes, values),
        )
    }
}

/// Index data of a data page.
#[derive(Clone, Debug, Default)]
pub(super) struct Entry {
    /// Number of rows; `None` if the page begins within a row.
    pub rows: Option<u64>,
    pub bounds: Option<PageBounds>,
    /// Number of slots at each repetition and definition level, for columns with such levels.
    pub levels: [Option<Vec<i64>>; 2],
    /// Size of strings, in bytes, without their lengths.
    pub string_bytes: Option<i64>,
}

/// Bounds and counts of a page, as in a column index.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PageBounds {
    /// Smallest and largest value; `None` if all are null.
    pub range: Option<(Bytes, Bytes)>,
    pub nulls: Option<i64>,
    pub nans: Option<i64>,
}

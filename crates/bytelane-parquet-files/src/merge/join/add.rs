//! Adds data pages to a chunk: copied, mapped, recompressed, or, if small, joined.

use super::Join;
use super::codec::compression_of;
use super::dictionary::Map;
use super::entry::Editors;
use super::pages::{NewPages, encoded_page};
use crate::merge::leaf::{Entry, Leaf, StoredPage};
use crate::merge::outcome::MergedPages;
use bytelane::Detected;
use bytelane_parquet::format::{CompressionCodec, Encoding};
use bytelane_parquet::page::{
    Compressor, PageEncoder, PageGatherer, PageKind, PageRows, null_page, read_header,
};
use bytelane_parquet::{Error, Result};
use parquet::basic::Compression;

/// Size, in bytes, up to which a page is small: its header and index entries are at least a tenth
/// of it.
const SMALL: usize = 1 << 10;

/// Maximum uncompressed size of a small page, in bytes.
const SMALL_UNCOMPRESSED: i32 = 1 << 16;

/// Minimum size in bytes, and number of rows, at which a page joined from small ones is complete.
const JOINED: usize = 8 << 10;
const JOINED_ROWS: u64 = 20_000;

/// Dictionary of an input.
pub(super) struct Prepared {
    pub has_dictionary: bool,
    pub map: Map,
}

/// Small page that may be joined with others.
struct Small<'a> {
    leaf: &'a Leaf,
    page: &'a StoredPage,
    entry: &'a Entry,
    input: usize,
    number: usize,
}

/// Adds pages to a chunk.
pub(super) struct Adder<'a> {
    join: &'a Join<'a>,
    codec: CompressionCodec,
    /// Set if new pages can be compressed with the codec.
    is_written: bool,
    /// Compression of new pages, once there are some.
    pub compression: Option<Compression>,
    compressor: Option<Compressor>,
    prepared: Vec<Prepared>,
    editors: Editors<'a>,
    small: Vec<Small<'a>>,
    gatherer: Option<PageGatherer>,
    pub pages: NewPages,
    pub entries: Vec<Entry>,
    pub counts: MergedPages,
}

impl<'a> Adder<'a> {
    pub(super) fn new(
        join: &'a Join<'a>,
        codec: CompressionCodec,
        prepared: Vec<Prepared>,
        editors: Editors<'a>,
    ) -> Result<Self> {
        Ok(Self {
            join,
            codec,
            is_written: compression_of(codec)?.is_some(),
            compression: None,
            compressor: None,
            prepared,
            editors,
            small: Vec::new(),
            gatherer: None,
            pages: NewPages::default(),
            entries: Vec::new(),
            counts: MergedPages::default(),
        })
    }

    /// Returns the compression of new pages: about the level of the first chunk with the codec.
    fn compression(&mut self) -> Result<Compression> {
        if let Some(compression) = self.compression {
            return Ok(compression);
        }
        let mut leaves = self.join.leaves();
        let compression = match leaves.find(|leaf| leaf.metadata().codec == self.codec) {
            Some(leaf) => leaf.compression()?,
            None => compression_of(self.codec)?,
        };
        let unknown = || Error::corrupt("pages of a compression that is not known");
        let compression = compression.ok_or_else(unknown)?;
        self.compression = Some(compression);
        Ok(compression)
    }

    /// Returns the compressor of new pages.
    pub(super) fn compressor(&mut self) -> Result<&mut Compressor> {
        let compressor = match self.compressor.take() {
            Some(compressor) => compressor,
            None => Compressor::new(self.compression()?)?,
        };
        Ok(self.compressor.insert(compressor))
    }

    /// Adds a page of nulls.
    pub(super) fn nulls(&mut self, rows: u64) -> Result<()> {
        self.flush()?;
        let compression = compression_of(self.codec)?.unwrap_or(Compression::UNCOMPRESSED);
        let has_order = self.join.order.is_some();
        let (header, body) = null_page(self.join.column, rows as usize, compression, has_order)?;
        self.pages.add_new(&header, body.into(), Some(rows))?;
        self.counts.nulls += 1;
        self.entries.push(Entry::of_nulls(self.join.column, rows));
        Ok(())
    }

    /// Adds the data pages of an input.
    pub(super) fn leaf(&mut self, leaf: &'a Leaf, input: usize) -> Result<()> {
        for (number, (page, entry)) in leaf.data_pages().zip(&leaf.entries).enumerate() {
            let next = Small {
                leaf,
                page,
                entry,
                input,
                number,
            };
            if !self.is_small(&next) {
                self.flush()?;
                self.page(&next)?;
                continue;
            }
            if self.small.last().is_some_and(|last| !alike(last, &next)) {
                self.flush()?;
            }
            self.small.push(next);
            let bytes: usize = self.small.iter().map(|it| it.page.bytes.len()).sum();
            let rows: u64 = self.small.iter().filter_map(|it| it.entry.rows).sum();
            if bytes >= JOINED || rows >= JOINED_ROWS {
                self.flush()?;
            }
        }
        Ok(())
    }

    fn is_small(&self, it: &Small<'_>) -> bool {
        let is_known = it.page.page.encoding().is_some_and(|encoding| {
            !matches!(
                encoding,
                Encoding::Rle | Encoding::BitPacked | Encoding::Fsst | Encoding::Unknown(_)
            )
        });
        let codec = it.leaf.metadata().codec;
        self.join.inputs.len() > 1
            && is_known
            && it.page.bytes.len() < SMALL
            && it.page.page.header.uncompressed_page_size < SMALL_UNCOMPRESSED
            && it.entry.rows.is_some()
            && self.is_written
            && matches!(compression_of(codec), Ok(Some(_)))
    }

    /// Writes the small pages so far.
    pub(super) fn flush(&mut self) -> Result<()> {
        let small = std::mem::take(&mut self.small);
        match &small[..] {
            [] => Ok(()),
            [one] => self.page(one),
            [first, ..] => self.joined(first, &small),
        }
    }

    fn joined(&mut self, first: &Small<'_>, all: &[Small<'_>]) -> Result<()> {
        let join = self.join;
        let mut gatherer = match self.gatherer.take() {
            Some(gatherer) => gatherer,
            None => PageGatherer::new(join.column, &first.leaf.limits().0)?,
        };
        for it in all {
            let prepared = &self.prepared[it.input];
            let editors = &mut self.editors;
            let add = || {
                let (checked, body) = (read_header(&it.page.page.header)?, it.page.body());
                checked.check(&body)?;
                let PageKind::Data(header) = checked.kind else {
                    return Err(Error::corrupt("a page without data"));
                };
                let parts = editors.of(it.input, it.leaf)?.open(&header, &body)?;
                let map = prepared
                    .map
                    .as_deref()
                    .filter(|_| it.page.uses_dictionary());
                gatherer.add(&header, parts, &PageRows::all(), map)
            };
            let added: Result<()> = { add }();
            added.map_err(|error| error.in_page(it.number))?;
        }
        let with_checksum = all.iter().find(|it| it.page.page.header.crc.is_some());
        let like = &with_checksum.unwrap_or(first).page.page.header;
        let compression = self.compression()?;
        let version = first.page.version();
        let mut encoder = PageEncoder::new(Detected::active(), version, compression)?;
        let (page, gathered) = encoded_page(&mut gatherer, &mut encoder, like, |_| {})?;
        self.gatherer = Some(gatherer);
        let entries: Vec<Entry> = all.iter().map(|it| it.entry.clone()).collect();
        let old = Entry::joined(&entries, join.compare);
        let mut entry = Entry::of_gathered(gathered, old.rows, old.bounds);
        entry.string_bytes = entry.string_bytes.or(old.string_bytes);
        self.counts.joined += all.len() as u64;
        let StoredPage { page, bytes } = page;
        self.pages
            .add_copy(&page.header, page.header_length, bytes, entry.rows)?;
        self.entries.push(entry);
        Ok(())
    }

    /// Adds a page without joining it.
    fn page(&mut self, it: &Small<'_>) -> Result<()> {
        let added = self.one(it.leaf, it.page, it.entry, it.input);
        added.map_err(|error| error.in_page(it.number))
    }

    fn one(&mut self, leaf: &Leaf, stored: &StoredPage, entry: &Entry, input: usize) -> Result<()> {
        self.entries.push(entry.clone());
        let header = &stored.page.header;
        let prepared = &self.prepared[input];
        let is_mapped = prepared.map.is_some() && stored.uses_dictionary();
        if !is_mapped && leaf.metadata().codec == self.codec {
            self.counts.copied += 1;
            let bytes = stored.bytes.clone();
            return self
                .pages
                .add_copy(header, stored.page.header_length, bytes, entry.rows);
        }
        let body = stored.body();
        // A new checksum must not hide that the old one was wrong.
        read_header(header)?.check(&body)?;
        self.compressor()?;
        let Some(compressor) = &mut self.compressor else {
            return Err(Error::corrupt("pages of a compression that is not known"));
        };
        let prepared = &self.prepared[input];
        let map = prepared.map.as_deref().filter(|_| is_mapped);
        let editor = self.editors.of(input, leaf)?;
        let (header, body) = editor.edit(header, &body, map, compressor)?;
        if is_mapped {
            self.counts.mapped += 1;
        } else {
            self.counts.recompressed += 1;
        }
        self.pages.add_new(&header, body, entry.rows)
    }
}

/// Returns whether two pages can be joined.
fn alike(one: &Small<'_>, other: &Small<'_>) -> bool {
    let kind = |it: &Small<'_>| (it.page.page.header.page_type, it.page.page.encoding());
    kind(one) == kind(other)
}

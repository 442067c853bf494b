//! The chunks of a leaf joined to one.

use super::bloom;
use super::bounds::{self, PageBounds};
use super::codec::{compression_of, target};
use super::dictionary::{Dictionary, Map};
use super::index::{column_index, offset_index, size_statistics};
use super::pages::{NewPages, START};
use crate::budget::{Budget, MemoryLimit};
use crate::chunk::Chunk;
use crate::format::{
    ColumnMetaData, CompressionCodec, DictionaryPageHeader, Encoded, Encoding, PageHeader,
    PageType, Statistics,
};
use crate::merge::input::{Leaf, StoredPage};
use crate::merge::outcome::{MergedPages, Notes};
use crate::page::{
    Compressor, PageEditor, PageKind, codec_in_parquet, null_page, read_header, set_sizes,
};
use crate::statistics::Compare;
use crate::types::physical;
use crate::{Error, Result};
use bytes::Bytes;
use parquet::basic::{Compression, Type};
use parquet::schema::types::ColumnDescriptor;

/// Bytes of a joined dictionary, unless one of an input has more.
const DICTIONARY: usize = 1 << 20;

/// Bytes by which indices may become larger than dictionaries become smaller.
const SLACK: u64 = 4096;

/// The chunk of an input.
pub(in crate::merge) enum Input {
    Leaf(Box<Leaf>),
    /// Number of rows, all null.
    Missing(u64),
}

/// Joins the chunks of a leaf.
pub(in crate::merge) struct Join<'a> {
    pub column: &'a ColumnDescriptor,
    pub inputs: &'a [Input],
    /// Order of the bounds of all inputs, if they have the same.
    pub compare: Option<Compare>,
    /// Set if dictionaries of any size are joined.
    pub any_dictionary: bool,
}

/// State of an input while its pages are written.
struct Prepared {
    editor: Option<PageEditor>,
    has_dictionary: bool,
    map: Map,
}

impl Join<'_> {
    /// Returns true if there is nothing to join.
    fn is_copy(&self) -> bool {
        self.inputs.len() == 1
    }

    fn leaves(&self) -> impl Iterator<Item = &Leaf> {
        self.inputs.iter().filter_map(|input| match input {
            Input::Leaf(leaf) => Some(&**leaf),
            Input::Missing(_) => None,
        })
    }

    /// Returns the joined chunk; none if the dictionaries together are so large that the values are better encoded again.
    pub(in crate::merge) fn chunk(
        &self,
        notes: &mut Notes,
    ) -> Result<Option<(Chunk, MergedPages)>> {
        let mut dictionary = Dictionary::new(match self.column.physical_type() {
            Type::BYTE_ARRAY => None,
            _ => Some(physical::width(self.column).unwrap_or(1)),
        });
        let mut prepared = Vec::new();
        let mut sizes = Sizes::default();
        for leaf in self.leaves() {
            match self.prepare(leaf, &mut dictionary, &mut sizes)? {
                Some(input) => prepared.push(input),
                None => return Ok(None),
            }
        }
        if !self.any_dictionary && sizes.grow(dictionary.len(), dictionary.bytes().len()) {
            return Ok(None);
        }
        let is_mapped = prepared.iter().any(|it| it.map.is_some());
        let codec = target(self.leaves().map(Leaf::metadata), is_mapped)?;
        let compression = compression_of(codec)?;
        let mut compressor = compression.map(Compressor::new).transpose()?;
        let mut pages = NewPages::default();
        let mut counts = MergedPages::default();
        // The entries of the first dictionary are the first of the joined one, unless it has one twice.
        let mut with_dictionary = prepared.iter().filter(|it| it.has_dictionary);
        let is_first = with_dictionary.next().is_some_and(|it| it.map.is_none());
        self.add_dictionary(
            &dictionary,
            is_first,
            codec,
            compressor.as_mut(),
            &mut pages,
        )?;
        let mut bounds: Vec<Option<PageBounds>> = Vec::new();
        let mut prepared = prepared.into_iter();
        for input in self.inputs {
            match input {
                Input::Missing(rows) => {
                    let compression = compression.unwrap_or(Compression::UNCOMPRESSED);
                    let (header, body) = null_page(self.column, *rows as usize, compression)?;
                    pages.add_new(&header, body.into(), Some(*rows))?;
                    counts.nulls += 1;
                    bounds.push(Some(PageBounds {
                        range: None,
                        nulls: Some(*rows as i64),
                        nans: None,
                    }));
                }
                Input::Leaf(leaf) => {
                    let Some(mut prepared) = prepared.next() else {
                        continue;
                    };
                    let rows = self.rows(leaf, &mut prepared)?;
                    let mut add = Add {
                        codec,
                        compressor: compressor.as_mut(),
                        pages: &mut pages,
                        counts: &mut counts,
                    };
                    for (number, (page, rows)) in leaf.data_pages().zip(rows).enumerate() {
                        add.page(self, leaf, page, rows, &mut prepared)
                            .map_err(|error| error.in_page(number))?;
                    }
                    bounds.extend(bounds::of_pages(leaf));
                }
            }
        }
        self.described(pages, bounds, codec, notes)
            .map(|chunk| Some((chunk, counts)))
    }

    /// Adds the dictionary of an input to the joined one; none if that becomes too large.
    fn prepare(
        &self,
        leaf: &Leaf,
        dictionary: &mut Dictionary,
        sizes: &mut Sizes,
    ) -> Result<Option<Prepared>> {
        if self.is_copy() || !leaf.data_pages().any(uses_dictionary) {
            return Ok(Some(Prepared {
                editor: None,
                has_dictionary: false,
                map: None,
            }));
        }
        let is_dictionary =
            |page: &&StoredPage| page.page.header.page_type == PageType::DictionaryPage;
        let Some(page) = leaf.pages.iter().find(is_dictionary) else {
            return Err(Error::corrupt("a page of indices, but no dictionary"));
        };
        let (checked, body) = (read_header(&page.page.header)?, page.body());
        checked.check(&body)?;
        let PageKind::Dictionary(header) = checked.kind else {
            return Err(Error::corrupt("a dictionary without its header"));
        };
        let mut editor = self.editor(leaf)?;
        let bytes = editor.dictionary(&header, &body)?;
        let limit = if self.any_dictionary {
            u32::MAX as usize
        } else {
            DICTIONARY.max(bytes.len())
        };
        let indices = leaf.data_pages().filter(|page| uses_dictionary(page));
        let values = indices.map(|page| page.page.values()).sum();
        sizes.add(values, header.values, bytes.len());
        let map = dictionary.add(&bytes, header.values, limit)?;
        Ok(map.map(|map| Prepared {
            editor: Some(editor),
            has_dictionary: true,
            map,
        }))
    }

    fn editor(&self, leaf: &Leaf) -> Result<PageEditor> {
        let metadata = leaf.metadata();
        let bytes = leaf.chunk.bytes();
        let values = u64::try_from(metadata.num_values).unwrap_or(0);
        let limit = MemoryLimit::default();
        let budget = Budget::new(limit.of_read(bytes));
        let most = limit.of_page(bytes, values);
        PageEditor::new(
            codec_in_parquet(metadata.codec)?,
            self.column,
            most,
            &budget,
        )
    }

    /// Returns the rows of each page of an input, if they are known.
    fn rows(&self, leaf: &Leaf, prepared: &mut Prepared) -> Result<Vec<Option<u64>>> {
        if self.column.max_rep_level() == 0 {
            let values = leaf
                .data_pages()
                .map(|page| u64::try_from(page.page.values()).ok());
            return Ok(values.collect());
        }
        if let Some(rows) = indexed_rows(leaf) {
            return Ok(rows.into_iter().map(Some).collect());
        }
        if leaf.metadata().codec == CompressionCodec::Lzo {
            return Ok(vec![None; leaf.data_pages().count()]);
        }
        if prepared.editor.is_none() {
            prepared.editor = Some(self.editor(leaf)?);
        }
        let editor = &mut prepared.editor;
        let rows = leaf.data_pages().map(|page| {
            let header = read_header(&page.page.header)?;
            match (header.kind, &mut *editor) {
                (PageKind::Data(header), Some(editor)) => {
                    Ok(editor.rows(&header, &page.body())?.map(|rows| rows as u64))
                }
                _ => Ok(None),
            }
        });
        rows.collect()
    }

    /// Adds the dictionary, that of the inputs where it is the same.
    fn add_dictionary(
        &self,
        dictionary: &Dictionary,
        is_first: bool,
        codec: CompressionCodec,
        compressor: Option<&mut Compressor>,
        pages: &mut NewPages,
    ) -> Result<()> {
        let used = self
            .leaves()
            .filter(|leaf| leaf.data_pages().any(uses_dictionary));
        let used: Vec<&Leaf> = used.collect();
        let old = used.iter().flat_map(|leaf| &leaf.pages);
        let is_dictionary =
            |page: &&StoredPage| page.page.header.page_type == PageType::DictionaryPage;
        let old: Vec<&StoredPage> = old.filter(is_dictionary).collect();
        if used.is_empty() {
            return Ok(());
        }
        let count = |page: &StoredPage| {
            let header = page.page.header.dictionary_page_header.as_ref();
            header.map_or(0, |it| it.num_values)
        };
        let Some(first) = old.first() else {
            return Err(Error::corrupt("a page of indices, but no dictionary"));
        };
        let is_same = is_first && usize::try_from(count(first)) == Ok(dictionary.len());
        let is_same = is_same || self.is_copy();
        if is_same && used[0].metadata().codec == codec {
            let page = &first.page;
            return pages.add_copy(&page.header, page.header_length, first.bytes.clone(), None);
        }
        let header = first.page.header.dictionary_page_header.as_ref();
        let mut header = PageHeader {
            page_type: PageType::DictionaryPage,
            crc: old
                .iter()
                .any(|it| it.page.header.crc.is_some())
                .then_some(0),
            dictionary_page_header: Some(DictionaryPageHeader {
                num_values: i32::try_from(dictionary.len())
                    .map_err(|_| Error::corrupt("a dictionary of too many values"))?,
                encoding: header.map_or(Encoding::Plain, |it| it.encoding),
                is_sorted: None,
                ..Default::default()
            }),
            ..Default::default()
        };
        let mut body = Vec::new();
        needed(compressor)?.append(dictionary.bytes(), &mut body)?;
        set_sizes(&mut header, dictionary.bytes().len(), &body)?;
        pages.add_new(&header, body.into(), None)
    }

    /// Makes a chunk of pages.
    fn described(
        &self,
        mut pages: NewPages,
        bounds: Vec<Option<PageBounds>>,
        codec: CompressionCodec,
        notes: &mut Notes,
    ) -> Result<Chunk> {
        let rows = self.inputs.iter().map(|input| match input {
            Input::Leaf(leaf) => leaf.rows,
            Input::Missing(rows) => *rows,
        });
        let rows: u64 = rows.sum();
        let locations = pages.locations(rows);
        let (like, encodings) = self.like(codec, notes)?;
        let statistics = self.statistics()?;
        let metadata = ColumnMetaData {
            statistics: statistics.map(|it| Encoded::new(&it)).transpose()?,
            size_statistics: size_statistics(self.inputs, self.column)?,
            ..like
        };
        let metadata = pages.metadata(metadata, encodings)?;
        let offset_index = locations.map(|locations| offset_index(self.inputs, locations));
        let column_index = match offset_index {
            Some(_) => column_index(self.inputs, self.column, bounds, self.compare)?,
            None => None,
        };
        let bytes = std::mem::take(&mut pages.pieces);
        let mut chunk = Chunk::of_pages(bytes, START, metadata, column_index, offset_index);
        chunk.take_bloom_filter(self.bloom_filter(notes));
        Ok(chunk)
    }

    /// Returns a Bloom filter of all values, if there can be one.
    fn bloom_filter(&self, notes: &mut Notes) -> Option<Bytes> {
        let filters = self.leaves().filter_map(|it| it.bloom_filter.as_ref());
        let filters: Vec<&Bytes> = filters.collect();
        if filters.is_empty() {
            return None;
        }
        let joined = if filters.len() == self.leaves().count() {
            bloom::joined(&filters)
        } else {
            Err("some inputs have none")
        };
        let note = |why: &str| {
            let column = self.column.path().string();
            notes.add(format!(
                "Bloom filters of column {column} were left out: {why}"
            ));
        };
        joined.map_err(note).ok()
    }

    /// Adds what is said of the values to a chunk in which they are encoded again.
    pub(in crate::merge) fn describe_encoded(
        &self,
        chunk: &mut Chunk,
        notes: &mut Notes,
    ) -> Result<()> {
        let (like, _) = self.like(chunk.metadata().codec, notes)?;
        chunk.take_bloom_filter(self.bloom_filter(notes));
        let metadata = chunk.metadata_mut();
        metadata.key_value_metadata = like.key_value_metadata;
        metadata.geospatial_statistics = like.geospatial_statistics;
        metadata.unknown_fields = like.unknown_fields;
        Ok(())
    }

    /// The statistics of all chunks.
    fn statistics(&self) -> Result<Option<Statistics>> {
        let statistics = self.inputs.iter().map(|input| match input {
            Input::Leaf(leaf) => Ok((bounds::of_chunk(leaf)?, leaf.metadata().num_values)),
            Input::Missing(rows) => {
                let nulls = Statistics {
                    null_count: Some(*rows as i64),
                    ..Default::default()
                };
                Ok((Some(nulls), *rows as i64))
            }
        });
        let statistics = statistics.collect::<Result<Vec<_>>>()?;
        Ok(bounds::joined(&statistics, self.compare))
    }

    /// Returns what is said of the chunks of all inputs alike, and the encodings that their footers name.
    fn like(
        &self,
        codec: CompressionCodec,
        notes: &mut Notes,
    ) -> Result<(ColumnMetaData, Vec<Encoding>)> {
        let mut encodings: Vec<Encoding> = Vec::new();
        let mut like: Option<ColumnMetaData> = None;
        for leaf in self.leaves() {
            let metadata = leaf.metadata();
            for encoding in metadata.encodings.decode()? {
                if !encodings.contains(&encoding) {
                    encodings.push(encoding);
                }
            }
            let Some(like) = &mut like else {
                like = Some(metadata.clone());
                continue;
            };
            let column = || self.column.path().string();
            if like.key_value_metadata != metadata.key_value_metadata {
                like.key_value_metadata = None;
                notes.add(format!(
                    "key-value pairs of chunks of column {} differ; they were left out",
                    column()
                ));
            }
            if like.geospatial_statistics != metadata.geospatial_statistics {
                like.geospatial_statistics = None;
                notes.add(format!(
                    "geospatial statistics of column {} were left out",
                    column()
                ));
            }
            if like.unknown_fields != metadata.unknown_fields {
                like.unknown_fields = Default::default();
            }
        }
        if like.is_none() {
            encodings.extend([Encoding::Rle, Encoding::Plain]);
        }
        let path = self.column.path().parts().iter();
        let path: Vec<Bytes> = path.map(|name| name.clone().into_bytes().into()).collect();
        let like = ColumnMetaData {
            codec,
            physical_type: super::codec::physical_type(self.column.physical_type()),
            path_in_schema: Some(Encoded::new(&path)?),
            ..like.unwrap_or_default()
        };
        Ok((like, encodings))
    }
}

fn uses_dictionary(page: &StoredPage) -> bool {
    let encoding = page.page.encoding();
    matches!(
        encoding,
        Some(Encoding::RleDictionary | Encoding::PlainDictionary)
    )
}

fn needed(compressor: Option<&mut Compressor>) -> Result<&mut Compressor> {
    compressor.ok_or_else(|| Error::corrupt("pages of a compression that is not known"))
}

/// Rows of pages as the offset index tells them, if it is one of these pages.
fn indexed_rows(leaf: &Leaf) -> Option<Vec<u64>> {
    let locations = &leaf.chunk.offset_index()?.page_locations;
    let starts = locations.iter().map(|it| it.first_row_index);
    let ends = starts.clone().skip(1).chain([leaf.rows as i64]);
    let rows = starts
        .zip(ends)
        .map(|(start, end)| u64::try_from(end.checked_sub(start)?).ok());
    let rows = rows.collect::<Option<Vec<_>>>()?;
    let begins = locations.first()?.first_row_index == 0;
    let offsets = leaf.data_pages().map(|page| page.page.offset as i64);
    let same = offsets.eq(locations.iter().map(|it| it.offset));
    (begins && same).then_some(rows)
}

/// Adds the pages of an input.
struct Add<'a> {
    codec: CompressionCodec,
    compressor: Option<&'a mut Compressor>,
    pages: &'a mut NewPages,
    counts: &'a mut MergedPages,
}

impl Add<'_> {
    fn page(
        &mut self,
        join: &Join<'_>,
        leaf: &Leaf,
        stored: &StoredPage,
        rows: Option<u64>,
        prepared: &mut Prepared,
    ) -> Result<()> {
        let header = &stored.page.header;
        let map = prepared.map.as_deref().filter(|_| uses_dictionary(stored));
        if map.is_none() && leaf.metadata().codec == self.codec {
            self.counts.copied += 1;
            let bytes = stored.bytes.clone();
            return self
                .pages
                .add_copy(header, stored.page.header_length, bytes, rows);
        }
        let body = stored.body();
        // A new page has a new checksum, which must not hide that the old one was wrong.
        read_header(header)?.check(&body)?;
        if prepared.editor.is_none() {
            prepared.editor = Some(join.editor(leaf)?);
        }
        let Some(editor) = &mut prepared.editor else {
            return Err(Error::corrupt("pages of a compression that is not known"));
        };
        let compressor = needed(self.compressor.as_deref_mut())?;
        let (header, body) = editor.edit(header, &body, map, compressor)?;
        match map {
            Some(_) => self.counts.mapped += 1,
            None => self.counts.recompressed += 1,
        }
        self.pages.add_new(&header, body, rows)
    }
}

/// Sizes of dictionaries and of their indices before they are joined.
#[derive(Default)]
struct Sizes {
    dictionaries: u64,
    /// Bits of indices, each with the number of values.
    indices: Vec<(u64, u32)>,
}

impl Sizes {
    fn add(&mut self, values: i64, entries: usize, bytes: usize) {
        self.dictionaries += bytes as u64;
        self.indices.push((values.unsigned_abs(), width(entries)));
    }

    /// Returns true if indices of so many entries need more bytes than one dictionary of so many bytes saves.
    fn grow(&self, entries: usize, bytes: usize) -> bool {
        let wider = |(values, old): &(u64, u32)| {
            values * u64::from(width(entries).saturating_sub(*old)) / 8
        };
        let more: u64 = self.indices.iter().map(wider).sum();
        more > self.dictionaries.saturating_sub(bytes as u64) + SLACK
    }
}

/// Bits of an index into so many entries.
fn width(entries: usize) -> u32 {
    usize::BITS - entries.saturating_sub(1).leading_zeros()
}

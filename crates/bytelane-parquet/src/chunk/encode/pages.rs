//! Collects the pages of a chunk, and the metadata for its footer.

use super::super::extent::Extent;
use super::super::leaf::LeafPath;
use super::super::{Chunk, Stored, physical_type};
use super::indexes::Index;
use super::statistics::described;
use crate::format::{
    ColumnChunk, ColumnMetaData, CompressionCodec, Encoded, Encoding, MAGIC, OffsetIndex,
    PageEncodingStats, PageLocation, PageType, SizeStatistics,
};
use crate::page::{
    DictionaryBuilder, EncodedPage, PageEncoder, Pieces, SlotLevels, SymbolEncoder, ValueEncoding,
};
use crate::statistics::{Bounds, Order};
use crate::{Problem, Result, WriterOptions};
use bytes::Bytes;
use parquet::basic::{Compression, Type};
use parquet::file::properties::EnabledStatistics;
use parquet::schema::types::ColumnDescPtr;

/// Position of the first page, as in a file that consists of this chunk. It is not 0, which means
/// no position.
const START: usize = MAGIC.len();

/// Data pages of a chunk.
pub struct Pages<'a> {
    column: &'a ColumnDescPtr,
    order: Order,
    greatest: (u16, u16),
    statistics: EnabledStatistics,
    /// Encoded pages.
    pub(super) bytes: Pieces,
    bounds: Bounds,
    slots: usize,
    rows: usize,
    values: usize,
    /// Number of bytes of all strings without their lengths, in columns of strings.
    string_bytes: Option<i64>,
    /// Number of slots with each repetition and definition level.
    histograms: [Vec<i64>; 2],
    /// Encodings of pages, each with the number of its pages.
    encodings: Vec<(ValueEncoding, i32)>,
    uncompressed: usize,
    index: Index,
    places: OffsetIndex,
    /// Extent of the values, in columns of geometries.
    pub(super) extent: Option<Extent>,
}

impl<'a> Pages<'a> {
    pub(super) fn new(
        column: &'a ColumnDescPtr,
        order: Order,
        path: &LeafPath,
        statistics: EnabledStatistics,
        bound_bytes: usize,
    ) -> Self {
        let is_string = column.physical_type() == Type::BYTE_ARRAY;
        Self {
            column,
            order,
            greatest: path.levels(),
            statistics,
            bytes: Pieces::default(),
            bounds: Bounds::default(),
            slots: 0,
            rows: 0,
            values: 0,
            string_bytes: is_string.then_some(0),
            histograms: Default::default(),
            encodings: Vec::new(),
            uncompressed: 0,
            extent: Extent::new(column).filter(|_| statistics != EnabledStatistics::None),
            index: Index::new(statistics == EnabledStatistics::Page, bound_bytes),
            places: OffsetIndex {
                unencoded_byte_array_data_bytes: is_string.then(Vec::new),
                ..Default::default()
            },
        }
    }

    /// Appends a page with its metadata.
    pub(super) fn append_part(&mut self, mut part: PagePart) {
        self.bytes.append(std::mem::take(&mut part.bytes));
        self.append(&part);
    }

    fn add_strings(&mut self, bytes: Option<usize>) {
        let bytes = bytes.unwrap_or(0);
        if let Some(all) = &mut self.string_bytes {
            *all += bytes as i64;
        }
        if let Some(pages) = &mut self.places.unencoded_byte_array_data_bytes {
            pages.push(bytes as i64);
        }
    }

    /// Records the metadata of a page whose bytes have been appended.
    pub(super) fn append(&mut self, part: &PagePart) {
        let PagePart {
            levels,
            bounds,
            page,
            strings,
            ..
        } = part;
        self.add_strings(*strings);
        self.places.page_locations.push(PageLocation {
            offset: (START + self.bytes.len() - page.compressed) as i64,
            compressed_page_size: page.compressed as i32,
            first_row_index: self.rows as i64,
            ..Default::default()
        });
        if self.statistics != EnabledStatistics::None {
            let (definition, repetition) = self.greatest;
            let of_page = [
                histogram(repetition, || levels.repetition_histogram(repetition)),
                histogram(definition, || levels.definition_histogram(definition)),
            ];
            let [repetition, definition] = &of_page;
            self.index.append(
                self.column,
                self.order,
                levels,
                bounds,
                [repetition, definition],
            );
            for (all, page) in self.histograms.iter_mut().zip(&of_page) {
                all.resize(page.len(), 0);
                all.iter_mut()
                    .zip(page)
                    .for_each(|(all, page)| *all += page);
            }
            self.bounds.merge(bounds, self.order);
        }
        self.slots += levels.slots;
        self.rows += levels.rows;
        self.values += levels.values;
        self.uncompressed += page.uncompressed;
        let encoding = page.encoding;
        match self.encodings.iter_mut().find(|(it, _)| *it == encoding) {
            Some((_, pages)) => *pages += 1,
            None => self.encodings.push((encoding, 1)),
        }
    }

    /// Returns the chunk. It starts with the page of the dictionary or of the symbols, if there is one.
    pub(super) fn finish(
        mut self,
        first_page: Option<FirstPage<'_>>,
        filter: Option<Vec<u8>>,
        encoder: &mut PageEncoder,
        options: &WriterOptions,
    ) -> Result<Chunk> {
        let mut pages = std::mem::take(&mut self.bytes);
        let mut counts = Vec::new();
        let mut used = vec![Encoding::Rle];
        let (mut dictionary, mut symbols) = (None, None);
        if let Some(first_page) = first_page {
            let mut first = Pieces::default();
            let page = match first_page {
                FirstPage::Dictionary(entries) => {
                    dictionary = Some(START as i64);
                    counts.push(pages_in(PageType::DictionaryPage, Encoding::Plain, 1));
                    used.push(Encoding::Plain);
                    if let Some(extent) = &mut self.extent {
                        entries.for_each(|entry| extent.add(entry));
                    }
                    encoder.append_dictionary(*entries, &mut first)?
                }
                FirstPage::Symbols(table) => {
                    symbols = Some(START as i64);
                    encoder.append_symbols(table, &mut first)?
                }
            };
            for place in &mut self.places.page_locations {
                place.offset += first.len() as i64;
            }
            first.append(pages);
            pages = first;
            self.uncompressed += page.uncompressed;
        }
        for (encoding, pages) in &self.encodings {
            let (page_type, encoding) = (encoder.page_type(*encoding), encoding.in_format());
            counts.push(pages_in(page_type, encoding, *pages));
            used.push(encoding);
        }
        used.sort_by_key(|encoding| i32::from(*encoding));
        used.dedup();

        let pages = Stored::Pieces(pages.into_bytes());
        let first = self
            .places
            .page_locations
            .first()
            .map_or(START as i64, |page| page.offset);
        let path = self.column.path().clone();
        let parts: Vec<Bytes> = path.parts().iter().map(|it| it.clone().into()).collect();
        let has_statistics = self.statistics != EnabledStatistics::None;
        let (nulls, length) = (self.slots - self.values, options.bound_bytes);
        let statistics =
            has_statistics.then(|| described(&self.bounds, self.column, self.order, nulls, length));
        let sizes = has_statistics.then(|| self.sizes()).flatten();
        let extent = self.extent.as_ref().and_then(Extent::statistics);
        let metadata = ColumnMetaData {
            physical_type: physical_type(self.column.physical_type()),
            encodings: Encoded::new(&used)?,
            path_in_schema: Some(Encoded::new(&parts)?),
            codec: codec(options.compression_of(path))?,
            num_values: self.slots as i64,
            total_uncompressed_size: self.uncompressed as i64,
            total_compressed_size: pages.len() as i64,
            data_page_offset: first,
            dictionary_page_offset: dictionary,
            symbol_table_page_offset: symbols,
            symbol_table_page_length: symbols.map(|start| (first - start) as i32),
            statistics: statistics.as_ref().map(Encoded::new).transpose()?,
            encoding_stats: Some(Encoded::new(&counts)?),
            bloom_filter_length: filter.as_ref().map(|it| it.len() as i32),
            size_statistics: sizes.as_ref().map(Encoded::new).transpose()?,
            geospatial_statistics: extent.as_ref().map(Encoded::new).transpose()?,
            ..Default::default()
        };
        Ok(Chunk {
            pages,
            start: START as u64,
            metadata: ColumnChunk {
                meta_data: metadata,
                ..Default::default()
            },
            column_index: self.index.finish()?,
            offset_index: options.write_page_index.then_some(self.places),
            bloom_filter: filter.map(|filter| Stored::Memory(filter.into())),
        })
    }

    fn sizes(&mut self) -> Option<SizeStatistics> {
        let some = |histogram: Vec<i64>| Some(histogram).filter(|it| !it.is_empty());
        let [repetition, definition] = std::mem::take(&mut self.histograms).map(some);
        let is_known = self.string_bytes.is_some() || repetition.is_some() || definition.is_some();
        is_known.then(|| SizeStatistics {
            unencoded_byte_array_data_bytes: self.string_bytes,
            repetition_level_histogram: repetition,
            definition_level_histogram: definition,
            ..Default::default()
        })
    }
}

/// Page before the data pages.
pub(super) enum FirstPage<'a> {
    Dictionary(Box<DictionaryBuilder>),
    Symbols(&'a SymbolEncoder),
}

/// Returns the number of slots with each level; empty if there are no levels.
fn histogram(greatest: u16, count: impl FnOnce() -> Vec<i64>) -> Vec<i64> {
    match greatest {
        0 => Vec::new(),
        _ => count(),
    }
}

fn pages_in(page_type: PageType, encoding: Encoding, count: i32) -> PageEncodingStats {
    PageEncodingStats {
        page_type,
        encoding,
        count,
        ..Default::default()
    }
}

fn codec(compression: Compression) -> Result<CompressionCodec> {
    Ok(match compression {
        Compression::UNCOMPRESSED => CompressionCodec::Uncompressed,
        Compression::SNAPPY => CompressionCodec::Snappy,
        Compression::GZIP(_) => CompressionCodec::Gzip,
        Compression::BROTLI(_) => CompressionCodec::Brotli,
        Compression::ZSTD(_) => CompressionCodec::Zstd,
        Compression::LZ4_RAW => CompressionCodec::Lz4Raw,
        Compression::LZO | Compression::LZ4 => {
            let problem = "the compressions LZO and LZ4 are deprecated and cannot be written";
            return Err(Problem::Unsupported(problem.to_owned()).into());
        }
    })
}

/// Encoded page, and its metadata.
pub(super) struct PagePart {
    pub(super) levels: SlotLevels,
    pub(super) bounds: Bounds,
    pub(super) page: EncodedPage,
    /// Number of bytes of its strings.
    pub(super) strings: Option<usize>,
    /// The page, unless it was appended to others.
    pub(super) bytes: Pieces,
}

//! Column chunks: pages with their metadata, whether the pages were read, encoded or copied.
//!
//! The metadata of a chunk is the struct of the footer, carried over field by field. If the pages
//! are only moved, only offsets change; if other pages replace them, encodings and sizes change,
//! too.

mod checksums;
mod column;
mod encode;
pub mod extent;
pub mod facts;
mod layout;
mod leaf;
mod level;
mod page_headers;
mod page_summary;
mod place;
mod rows;
pub mod stored_dictionary;

pub use checksums::with_checksums;
pub use column::{Column, ColumnEncoder};
pub use encode::{EncodedLeaf, Helpers};
pub use layout::{Layout, PageSizes};
pub use level::{estimated_compression, estimated_of_pages};
pub use page_headers::{Page, Pages, count_page, encoding_name};
pub use page_summary::PageSummary;
pub use place::{chunk_range, stored_range, viewed_range};
pub use stored_dictionary::stored_dictionary;

use crate::format::{self, ColumnChunk, ColumnMetaData, Encoded, OffsetIndex, PhysicalType};
use crate::{Error, Result};
use bytes::Bytes;
use parquet::basic::Type;
use parquet::file::reader::ChunkReader;
use place::{bloom_filter, fields_of, index_at};
use std::ops::Range;

/// Location of bytes: a range of the input file, or memory.
#[derive(Clone, Debug)]
pub enum Stored {
    File(Range<u64>),
    Memory(Bytes),
    /// Consecutive pieces in memory.
    Pieces(Vec<Bytes>),
}

impl Stored {
    /// Returns the number of bytes.
    pub(crate) fn len(&self) -> u64 {
        match self {
            Self::File(range) => range.end - range.start,
            Self::Memory(bytes) => bytes.len() as u64,
            Self::Pieces(pieces) => pieces.iter().map(|piece| piece.len() as u64).sum(),
        }
    }
}

/// Column chunk.
#[derive(Clone, Debug)]
pub struct Chunk {
    pages: Stored,
    /// Position of the first page, on which the offsets in the metadata are based.
    start: u64,
    metadata: ColumnChunk,
    /// Encoded statistics of its pages.
    column_index: Option<Bytes>,
    /// Locations of its pages.
    offset_index: Option<OffsetIndex>,
    bloom_filter: Option<Stored>,
}

impl Chunk {
    /// Opens a chunk with this metadata from a file's footer, whose pages are in `range`.
    pub fn open(
        reader: &impl ChunkReader,
        mut metadata: ColumnChunk,
        range: Range<u64>,
    ) -> Result<Self> {
        drop_unreadable_positions(&mut metadata);
        let bloom_filter = bloom_filter(reader, &metadata.meta_data)?;
        if bloom_filter.is_none() {
            metadata.meta_data.bloom_filter_offset = None;
            metadata.meta_data.bloom_filter_length = None;
        }
        let (offset, length) = (metadata.offset_index_offset, metadata.offset_index_length);
        let offset_index = index_at(reader, offset, length)?;
        let (offset, length) = (metadata.column_index_offset, metadata.column_index_length);
        Ok(Self {
            start: range.start,
            pages: Stored::File(range),
            column_index: index_at(reader, offset, length)?,
            offset_index: offset_index.as_ref().map(format::decode).transpose()?,
            bloom_filter: bloom_filter.map(Stored::File),
            metadata,
        })
    }

    /// Creates a chunk of pages in memory. The offsets in its metadata and its index assume that
    /// the first page is at `start`, which is not 0.
    pub fn of_pages(
        pages: Vec<Bytes>,
        start: u64,
        metadata: ColumnChunk,
        column_index: Option<Bytes>,
        offset_index: Option<OffsetIndex>,
    ) -> Self {
        Self {
            pages: Stored::Pieces(pages),
            start,
            metadata,
            column_index,
            offset_index,
            bloom_filter: None,
        }
    }

    /// Returns its pages.
    pub(crate) fn pages(&self) -> &Stored {
        &self.pages
    }

    /// Returns its Bloom filter.
    pub fn bloom_filter(&self) -> Option<&Stored> {
        self.bloom_filter.as_ref()
    }

    /// Returns the encoded statistics of its pages.
    pub fn column_index(&self) -> Option<&Bytes> {
        self.column_index.as_ref()
    }

    /// Returns the locations of its pages.
    pub fn offset_index(&self) -> Option<&OffsetIndex> {
        self.offset_index.as_ref()
    }

    /// Returns its metadata from the footer, which does not include the locations of its indexes.
    pub fn metadata(&self) -> &ColumnMetaData {
        &self.metadata.meta_data
    }

    /// Returns the position of the first page.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// Returns the size of its pages in bytes.
    pub fn bytes(&self) -> u64 {
        self.pages.len()
    }

    /// Returns the first row of each of its pages, if it has an offset index.
    pub fn page_starts(&self) -> Option<Vec<i64>> {
        let pages = self.offset_index.as_ref()?.page_locations.iter();
        Some(pages.map(|page| page.first_row_index).collect())
    }

    /// Replaces the pages with those of a chunk that has the same values, and the column index with
    /// the given one. Keeps the statistics of the values: none is recomputed, and none changes its
    /// order.
    pub fn take_pages(&mut self, other: Self, column_index: Option<Bytes>) {
        let pages = other.metadata.meta_data;
        let metadata = &mut self.metadata.meta_data;
        *metadata = ColumnMetaData {
            encodings: pages.encodings,
            codec: pages.codec,
            total_uncompressed_size: pages.total_uncompressed_size,
            total_compressed_size: pages.total_compressed_size,
            data_page_offset: pages.data_page_offset,
            index_page_offset: pages.index_page_offset,
            dictionary_page_offset: pages.dictionary_page_offset,
            symbol_table_page_offset: pages.symbol_table_page_offset,
            symbol_table_page_length: pages.symbol_table_page_length,
            encoding_stats: pages.encoding_stats,
            ..std::mem::take(metadata)
        };
        self.pages = other.pages;
        self.start = other.start;
        self.column_index = column_index;
        self.offset_index = self.offset_index.take().and(other.offset_index);
    }

    /// Replaces the values with those of a chunk of another type, along with all their metadata.
    pub fn take_converted(&mut self, mut other: Self) {
        let metadata = &mut self.metadata.meta_data;
        metadata.physical_type = PhysicalType::Int64;
        metadata.statistics = other.metadata.meta_data.statistics.take();
        metadata.bloom_filter_offset = None;
        metadata.bloom_filter_length = None;
        self.bloom_filter = None;
        let column_index = other.column_index.take();
        self.take_pages(other, column_index);
    }

    /// Changes the type of an empty chunk.
    pub fn convert_empty(&mut self) {
        self.metadata.meta_data.physical_type = PhysicalType::Int64;
        self.metadata.meta_data.statistics = None;
    }

    /// Removes the offset index, the column index, or both, because they contradict its pages.
    pub fn forget_indexes(&mut self, offsets: bool, bounds: bool) {
        if offsets {
            self.offset_index = None;
        }
        if bounds {
            self.column_index = None;
        }
    }

    /// Empties the offset index, which then only says that the chunk has one: a part of the chunk has other pages.
    pub fn clear_locations(&mut self) {
        if let Some(index) = &mut self.offset_index {
            *index = OffsetIndex::default();
        }
    }

    /// Describes other data pages in place of those that the chunk has, with the offset and size of each.
    pub fn place_pages<'a>(
        &mut self,
        places: &[(i64, i32)],
        pages: impl Iterator<Item = &'a Page>,
    ) -> Result<()> {
        let metadata = &mut self.metadata.meta_data;
        let (mut counts, mut sizes) = (Vec::new(), [0; 2]);
        for page in pages {
            sizes[0] += page.compressed() as i64;
            sizes[1] += page.uncompressed() as i64;
            if let Some(encoding) = page.encoding() {
                count_page(&mut counts, page.header.page_type, encoding);
            }
        }
        let mut encodings: Vec<_> = counts
            .iter()
            .map(|it| it.encoding)
            .chain([format::Encoding::Rle])
            .collect();
        encodings.sort_unstable();
        encodings.dedup();
        metadata.encodings = Encoded::new(&encodings)?;
        metadata.encoding_stats = Some(Encoded::new(&counts)?);
        [
            metadata.total_compressed_size,
            metadata.total_uncompressed_size,
        ] = sizes;
        metadata.data_page_offset = places
            .first()
            .map_or(self.start as i64, |(offset, _)| *offset);
        metadata.symbol_table_page_offset = None;
        metadata.symbol_table_page_length = None;
        if let Some(index) = &mut self.offset_index {
            for (location, (offset, size)) in index.page_locations.iter_mut().zip(places) {
                (location.offset, location.compressed_page_size) = (*offset, *size);
            }
        }
        Ok(())
    }

    /// Replaces the pages with encrypted ones.
    pub(crate) fn take_sealed(&mut self, pages: Vec<Bytes>, moved: &[MovedPage]) -> Result<()> {
        let start = self.start as i64;
        let find = |offset: i64| {
            let at = moved.binary_search_by_key(&(offset - start), |page| page.from);
            at.ok().map(|at| &moved[at])
        };
        let metadata = &mut self.metadata.meta_data;
        for offset in page_offsets(metadata) {
            if let Some(page) = find(*offset) {
                *offset = start + page.to;
            }
        }
        for location in self
            .offset_index
            .iter_mut()
            .flat_map(|it| &mut it.page_locations)
        {
            if let Some(page) = find(location.offset) {
                location.offset = start + page.to;
                location.compressed_page_size = i32::try_from(page.bytes)
                    .map_err(|_| Error::corrupt("a page is larger than 2 GiB"))?;
            }
        }
        let plain = self.pages.len() as i64;
        self.pages = Stored::Pieces(pages);
        metadata.total_uncompressed_size += self.pages.len() as i64 - plain;
        Ok(())
    }

    /// Sets the position of its pages in a file to which they have been written, and frees them.
    pub(crate) fn move_pages(&mut self, start: u64) {
        let forward = (start as i64).wrapping_sub(self.start as i64);
        for offset in page_offsets(&mut self.metadata.meta_data) {
            // Some writers store 0 if there is no dictionary. Negative numbers are no positions
            // either.
            if *offset > 0 {
                *offset = offset.wrapping_add(forward);
            }
        }
        // Old versions of parquet-java do not count the header of the dictionary.
        self.metadata.meta_data.total_compressed_size = self.bytes() as i64;
        // Formerly the position of a copy of the metadata. No program reads that copy, and this
        // crate does not write it.
        self.metadata.file_offset = 0;
        let pages = self.offset_index.iter_mut();
        for page in pages.flat_map(|index| &mut index.page_locations) {
            page.offset = page.offset.wrapping_add(forward);
        }
        self.pages = Stored::File(start..start + self.bytes());
        self.start = start;
    }

    /// Sets the position of its Bloom filter in a file.
    pub(crate) fn move_bloom_filter(&mut self, start: u64) {
        self.metadata.meta_data.bloom_filter_offset = Some(start as i64);
    }

    /// Returns its metadata from the footer, to be changed.
    pub fn metadata_mut(&mut self) -> &mut ColumnMetaData {
        &mut self.metadata.meta_data
    }

    /// Sets or removes the Bloom filter of its values.
    pub fn take_bloom_filter(&mut self, filter: Option<Bytes>) {
        let metadata = &mut self.metadata.meta_data;
        metadata.bloom_filter_offset = None;
        metadata.bloom_filter_length = filter.as_ref().and_then(|it| i32::try_from(it.len()).ok());
        self.bloom_filter = filter.map(Stored::Memory);
    }

    /// Returns the number of bytes that it adds to a file besides its pages: its Bloom filter, its
    /// indexes and its metadata in the footer.
    pub fn tail_bytes(&self) -> Result<u64> {
        let filter = self.bloom_filter.as_ref().map_or(0, Stored::len);
        let column_index = self.column_index.as_ref().map_or(0, Bytes::len);
        let offset_index = self.offset_index.as_ref().map(format::encode).transpose()?;
        let offset_index = offset_index.map_or(0, |it| it.len());
        let metadata = Encoded::new(&self.metadata)?.len();
        Ok(filter + (column_index + offset_index + metadata) as u64 + PLACES)
    }

    /// Returns the parts that belong at the end of the file: indexes, and metadata for the footer.
    pub(crate) fn finish(self) -> Result<Finished> {
        let offset_index = self.offset_index.as_ref().map(format::encode);
        Ok(Finished {
            metadata: Encoded::new(&self.metadata)?,
            column_index: self.column_index,
            offset_index: offset_index.transpose()?,
        })
    }
}

/// Page whose bytes are replaced, by its offsets from the start of its chunk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MovedPage {
    pub(crate) from: i64,
    pub(crate) to: i64,
    /// Number of bytes, with the header.
    pub(crate) bytes: i64,
}

/// Chunk that has been written, except for its indexes.
#[derive(Debug)]
pub(crate) struct Finished {
    metadata: Encoded<ColumnChunk>,
    /// Encoded indexes.
    pub(crate) column_index: Option<Bytes>,
    pub(crate) offset_index: Option<Vec<u8>>,
}

/// Number of bytes that the locations of both indexes take in the footer.
const PLACES: u64 = 20;

impl Finished {
    /// Returns the number of bytes of its indexes and its metadata.
    pub(crate) fn bytes(&self) -> u64 {
        let column_index = self.column_index.as_ref().map_or(0, Bytes::len);
        let offset_index = self.offset_index.as_ref().map_or(0, Vec::len);
        (column_index + offset_index + self.metadata.len()) as u64 + PLACES
    }

    /// Returns the chunk's metadata for the footer, with the locations of its indexes.
    pub(crate) fn described(
        &self,
        column_index: Option<Range<u64>>,
        offset_index: Option<Range<u64>>,
    ) -> Result<Encoded<ColumnChunk>> {
        let mut chunk = self.metadata.decode()?;
        (chunk.column_index_offset, chunk.column_index_length) = fields_of(column_index)?;
        (chunk.offset_index_offset, chunk.offset_index_length) = fields_of(offset_index)?;
        Encoded::new(&chunk)
    }
}

/// Drops the unknown fields if one of them has the id of a file position but another type. That
/// position is damaged, and readers that ignore field types would still use it after the chunk has
/// moved. Lengths do not change when a chunk moves, and some writers gave the id of a length to
/// another field, which is kept.
fn drop_unreadable_positions(chunk: &mut ColumnChunk) {
    /// Field ids of the positions of pages, the Bloom filter and both indexes.
    const IN_METADATA: [i16; 5] = [9, 10, 11, 14, 18];
    const IN_CHUNK: [i16; 2] = [4, 6];
    let drop_if_damaged = |unknown: &mut bytelane_thrift::UnknownFields, positions: &[i16]| {
        if unknown.iter().any(|it| positions.contains(&it.id())) {
            unknown.clear();
        }
    };
    drop_if_damaged(&mut chunk.meta_data.unknown_fields, &IN_METADATA);
    drop_if_damaged(&mut chunk.unknown_fields, &IN_CHUNK);
}

/// Returns a physical type as the footer stores it.
pub fn physical_type(physical: Type) -> PhysicalType {
    match physical {
        Type::BOOLEAN => PhysicalType::Boolean,
        Type::INT32 => PhysicalType::Int32,
        Type::INT64 => PhysicalType::Int64,
        Type::INT96 => PhysicalType::Int96,
        Type::FLOAT => PhysicalType::Float,
        Type::DOUBLE => PhysicalType::Double,
        Type::BYTE_ARRAY => PhysicalType::ByteArray,
        Type::FIXED_LEN_BYTE_ARRAY => PhysicalType::FixedLenByteArray,
    }
}

/// Returns the fields that contain positions of pages in the file.
fn page_offsets(metadata: &mut ColumnMetaData) -> impl Iterator<Item = &mut i64> {
    let data = Some(&mut metadata.data_page_offset);
    let others = [
        &mut metadata.index_page_offset,
        &mut metadata.dictionary_page_offset,
        &mut metadata.symbol_table_page_offset,
    ];
    data.into_iter().chain(others.into_iter().flatten())
}

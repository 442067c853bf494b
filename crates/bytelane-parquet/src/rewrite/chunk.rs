//! Column chunks on their way from one file to another.
//!
//! What a footer says about a chunk moves with it, field by field. Only offsets change and, for re-encoded pages, the
//! encodings.

use super::checksums::MovedPage;
use super::target::Target;
use crate::format::{
    self, BloomFilterHeader, ColumnChunk, ColumnMetaData, Encoded, OffsetIndex, PhysicalType,
};
use crate::{Error, Result};
use bytes::Bytes;
use parquet::file::reader::ChunkReader;
use std::ops::Range;

/// More bytes than the header of a Bloom filter has.
const BLOOM_FILTER_HEADER: u64 = 64;

/// The place that two fields of the footer tell, the second of which may be missing.
fn place(offset: Option<i64>, length: Option<i32>) -> Result<Option<(u64, Option<u64>)>> {
    let length = length.map(u64::try_from).transpose();
    match (offset.map(u64::try_from).transpose(), length) {
        // Some writers have 0 for what is not there.
        (Ok(None | Some(0)), Ok(_)) => Ok(None),
        (Ok(Some(offset)), Ok(length)) => Ok(Some((offset, length))),
        _ => Err(Error::corrupt("the footer has a negative offset or length")),
    }
}

/// The bytes of an index, if the footer says where it is.
fn index_at(
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

/// The two fields about an index that is in `range`, or nowhere.
fn fields_of(range: Option<Range<u64>>) -> Result<(Option<i64>, Option<i32>)> {
    let Some(range) = range else {
        return Ok((None, None));
    };
    let length = i32::try_from(range.end - range.start)
        .map_err(|_| Error::corrupt("an index is larger than 2 GiB"))?;
    Ok((Some(range.start as i64), Some(length)))
}

/// The fields that are places of pages in the file.
fn page_offsets(metadata: &mut ColumnMetaData) -> impl Iterator<Item = &mut i64> {
    let data = Some(&mut metadata.data_page_offset);
    let others = [
        &mut metadata.index_page_offset,
        &mut metadata.dictionary_page_offset,
    ];
    data.into_iter().chain(others.into_iter().flatten())
}

/// A column chunk, as the footer describes it.
#[derive(Debug)]
pub(super) struct Chunk {
    /// Where its pages are.
    range: Range<u64>,
    /// Metadata from the footer.
    chunk: ColumnChunk,
    /// The statistics of its pages, encoded.
    column_index: Option<Bytes>,
    /// The places of its pages.
    offset_index: Option<OffsetIndex>,
}

impl Chunk {
    /// A chunk of the file that `reader` reads, whose pages are in `range`.
    pub fn new(chunk: ColumnChunk, range: Range<u64>, reader: &impl ChunkReader) -> Result<Self> {
        let (offset, length) = (chunk.offset_index_offset, chunk.offset_index_length);
        let offset_index = index_at(reader, offset, length)?;
        let (offset, length) = (chunk.column_index_offset, chunk.column_index_length);
        Ok(Self {
            range,
            column_index: index_at(reader, offset, length)?,
            offset_index: offset_index.as_ref().map(format::decode).transpose()?,
            chunk,
        })
    }

    /// The statistics of its pages.
    pub fn column_index(&self) -> Option<&Bytes> {
        self.column_index.as_ref()
    }

    /// The first row of each of its pages, if an index tells it.
    pub fn page_starts(&self) -> Option<Vec<i64>> {
        let pages = self.offset_index.as_ref()?.page_locations.iter();
        Some(pages.map(|page| page.first_row_index).collect())
    }

    /// Takes the pages of a chunk with the same values, and this index of their statistics. What is said of the values
    /// stays: no statistic is recomputed, and none changes its order.
    pub fn take_pages(&mut self, other: Self, column_index: Option<Bytes>) {
        let pages = other.chunk.meta_data;
        let metadata = &mut self.chunk.meta_data;
        *metadata = ColumnMetaData {
            encodings: pages.encodings,
            codec: pages.codec,
            total_uncompressed_size: pages.total_uncompressed_size,
            total_compressed_size: pages.total_compressed_size,
            data_page_offset: pages.data_page_offset,
            index_page_offset: pages.index_page_offset,
            dictionary_page_offset: pages.dictionary_page_offset,
            encoding_stats: pages.encoding_stats,
            ..std::mem::take(metadata)
        };
        self.range = other.range;
        self.column_index = column_index;
        self.offset_index = self.offset_index.take().and(other.offset_index);
    }

    /// Takes the values of a chunk of another type, and all that is said of them.
    pub fn take_converted(&mut self, mut other: Self) {
        let metadata = &mut self.chunk.meta_data;
        metadata.physical_type = PhysicalType::Int64;
        metadata.statistics = other.chunk.meta_data.statistics.take();
        metadata.bloom_filter_offset = None;
        metadata.bloom_filter_length = None;
        let column_index = other.column_index.take();
        self.take_pages(other, column_index);
    }

    /// Makes an empty chunk one of another type.
    pub fn convert_empty(&mut self) {
        self.chunk.meta_data.physical_type = PhysicalType::Int64;
        self.chunk.meta_data.statistics = None;
    }

    /// Says that its pages, the headers of which have changed, are in `range` of other bytes.
    pub fn set_pages(&mut self, pages: &[MovedPage], range: Range<u64>) {
        for offset in page_offsets(&mut self.chunk.meta_data) {
            if let Some(page) = pages.iter().find(|page| page.from as i64 == *offset) {
                *offset = page.to as i64;
            }
        }
        let longer: i64 = pages.iter().map(|page| page.longer).sum();
        self.chunk.meta_data.total_uncompressed_size += longer;
        self.chunk.meta_data.total_compressed_size += longer;
        if let Some(index) = &mut self.offset_index {
            let locations = &mut index.page_locations;
            // A dictionary is before the first of them.
            let data = &pages[pages.len().saturating_sub(locations.len())..];
            for (location, page) in locations.iter_mut().zip(data) {
                location.offset = page.to as i64;
                location.compressed_page_size += page.longer as i32;
            }
        }
        self.range = range;
    }

    /// Copies the pages to the end of the file.
    pub fn write_pages(
        &mut self,
        reader: &impl ChunkReader,
        target: &mut Target<'_>,
    ) -> Result<()> {
        let start = target.position();
        target.copy(reader, self.range.clone())?;
        let forward = (start as i64).wrapping_sub(self.range.start as i64);
        let moved = |offset: i64| offset.wrapping_add(forward);
        for offset in page_offsets(&mut self.chunk.meta_data) {
            // Some writers have 0 for no dictionary.
            if *offset != 0 {
                *offset = moved(*offset);
            }
        }
        // Old versions of parquet-java do not count the header of the dictionary.
        self.chunk.meta_data.total_compressed_size = self.bytes() as i64;
        // Once the place of a copy of the metadata, which nobody reads and we do not make.
        self.chunk.file_offset = 0;
        let pages = self.offset_index.iter_mut();
        for page in pages.flat_map(|index| &mut index.page_locations) {
            page.offset = moved(page.offset);
        }
        self.range = start..target.position();
        Ok(())
    }

    /// Copies the Bloom filter, if there is one, to the end of the file.
    pub fn write_bloom_filter(
        &mut self,
        reader: &impl ChunkReader,
        target: &mut Target<'_>,
    ) -> Result<()> {
        let metadata = &mut self.chunk.meta_data;
        let place = place(metadata.bloom_filter_offset, metadata.bloom_filter_length)?;
        let Some((offset, length)) = place else {
            (metadata.bloom_filter_offset, metadata.bloom_filter_length) = (None, None);
            return Ok(());
        };
        let length = match length {
            Some(length) => length,
            None => bloom_filter_length(reader, offset)?,
        };
        metadata.bloom_filter_offset = Some(target.position() as i64);
        target.copy(reader, offset..offset.saturating_add(length))
    }

    /// What the footer says of the chunk, and the indexes that are to come before it.
    pub fn finish(self) -> Result<Finished> {
        let offset_index = self.offset_index.as_ref().map(format::encode);
        Ok(Finished {
            chunk: Encoded::new(&self.chunk)?,
            column_index: self.column_index,
            offset_index: offset_index.transpose()?,
        })
    }

    /// Where its pages are.
    pub fn range(&self) -> Range<u64> {
        self.range.clone()
    }

    /// Bytes of its pages.
    pub fn bytes(&self) -> u64 {
        self.range.end - self.range.start
    }

    /// Bytes of its pages before compression.
    pub fn uncompressed(&self) -> i64 {
        self.chunk.meta_data.total_uncompressed_size
    }
}

/// A chunk that is in the file but for its indexes.
#[derive(Debug)]
pub(super) struct Finished {
    chunk: Encoded<ColumnChunk>,
    column_index: Option<Bytes>,
    offset_index: Option<Vec<u8>>,
}

/// Where the indexes of a chunk are.
#[derive(Clone, Debug, Default)]
pub(super) struct Indexes {
    column_index: Option<Range<u64>>,
    offset_index: Option<Range<u64>>,
}

impl Finished {
    /// Writes the statistics of the pages to the end of the file.
    pub fn write_column_index(&mut self, target: &mut Target<'_>) -> Result<Indexes> {
        let index = self.column_index.take();
        let column_index = index.map(|index| target.write(&index)).transpose()?;
        Ok(Indexes {
            column_index,
            offset_index: None,
        })
    }

    /// Writes the places of the pages to the end of the file.
    pub fn write_offset_index(
        &mut self,
        indexes: &mut Indexes,
        target: &mut Target<'_>,
    ) -> Result<()> {
        let index = self.offset_index.take();
        indexes.offset_index = index.map(|index| target.write(&index)).transpose()?;
        Ok(())
    }

    /// What the footer says of the chunk, whose indexes are there.
    pub fn described(&self, indexes: Indexes) -> Result<Encoded<ColumnChunk>> {
        let mut chunk = self.chunk.decode()?;
        (chunk.column_index_offset, chunk.column_index_length) = fields_of(indexes.column_index)?;
        (chunk.offset_index_offset, chunk.offset_index_length) = fields_of(indexes.offset_index)?;
        Encoded::new(&chunk)
    }
}

/// The length of a Bloom filter in a file whose footer does not tell it.
fn bloom_filter_length(reader: &impl ChunkReader, offset: u64) -> Result<u64> {
    let end = reader.len().min(offset.saturating_add(BLOOM_FILTER_HEADER));
    let bytes = bytes_at(reader, offset..end)?;
    let (header, length) =
        format::decode_prefix::<BloomFilterHeader>(&bytes).map_err(format::damaged)?;
    let bytes = u64::try_from(header.num_bytes)
        .map_err(|_| Error::corrupt("a Bloom filter of negative size"))?;
    Ok(length as u64 + bytes)
}

/// A part of a file, if the file has it.
pub(super) fn bytes_at(reader: &impl ChunkReader, range: Range<u64>) -> Result<Bytes> {
    if range.start > range.end || range.end > reader.len() {
        let Range { start, end } = range;
        return Err(Error::corrupt(format!(
            "the file has no bytes from {start} to {end}"
        )));
    }
    Ok(reader.get_bytes(range.start, (range.end - range.start) as usize)?)
}

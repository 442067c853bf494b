//! Column chunks on their way from one file to another.
//!
//! What a footer says about a chunk moves with it, field by field. Only offsets change and, for re-encoded pages, the
//! encodings.

use super::checksums::MovedPage;
use super::int96::INT64;
use super::target::Target;
use crate::metadata::{COLUMN_METADATA, Fields, PageLocation};
use crate::{Error, Result};
use bytes::Bytes;
use parquet::file::reader::ChunkReader;
use std::ops::Range;

/// Fields of `ColumnChunk` in parquet.thrift.
const FILE_OFFSET: i16 = 2;
const OFFSET_INDEX: Location = Location {
    offset: 4,
    length: 5,
};
const COLUMN_INDEX: Location = Location {
    offset: 6,
    length: 7,
};

/// Fields of `ColumnMetaData` there.
const TYPE: i16 = 1;
const ENCODINGS: i16 = 2;
const CODEC: i16 = 4;
pub(super) const UNCOMPRESSED_SIZE: i16 = 6;
pub(super) const COMPRESSED_SIZE: i16 = 7;
const DATA_PAGE_OFFSET: i16 = 9;
const INDEX_PAGE_OFFSET: i16 = 10;
pub(super) const DICTIONARY_PAGE_OFFSET: i16 = 11;
const STATISTICS: i16 = 12;
const ENCODING_STATISTICS: i16 = 13;
const BLOOM_FILTER: Location = Location {
    offset: 14,
    length: 15,
};

/// Fields of `ColumnMetaData` that describe pages, not values.
const OF_PAGES: [i16; 8] = [
    ENCODINGS,
    CODEC,
    UNCOMPRESSED_SIZE,
    COMPRESSED_SIZE,
    DATA_PAGE_OFFSET,
    INDEX_PAGE_OFFSET,
    DICTIONARY_PAGE_OFFSET,
    ENCODING_STATISTICS,
];

/// Those of them that are places in the file.
const PAGE_OFFSETS: [i16; 3] = [DATA_PAGE_OFFSET, INDEX_PAGE_OFFSET, DICTIONARY_PAGE_OFFSET];

/// The field of `BloomFilterHeader` that gives the number of bytes after it.
const BLOOM_FILTER_BYTES: i16 = 1;

/// More bytes than the header of a Bloom filter has.
const BLOOM_FILTER_HEADER: u64 = 64;

/// Two fields that tell where something is.
#[derive(Clone, Copy)]
struct Location {
    offset: i16,
    length: i16,
}

impl Location {
    fn get(self, fields: &Fields) -> Result<Option<(u64, Option<u64>)>> {
        let offset: Option<i64> = fields.typed(self.offset).map_err(damaged)?;
        let length: Option<i32> = fields.typed(self.length).map_err(damaged)?;
        let length = length.map(u64::try_from).transpose();
        match (offset.map(u64::try_from).transpose(), length) {
            (Ok(offset), Ok(length)) => Ok(offset.map(|offset| (offset, length))),
            _ => Err(Error::corrupt("the footer has a negative offset or length")),
        }
    }

    /// What is there, if the fields are.
    fn read(self, fields: &Fields, reader: &impl ChunkReader) -> Result<Option<Bytes>> {
        match self.get(fields)? {
            Some((offset, Some(length))) => {
                let length = Range {
                    start: offset,
                    end: offset.saturating_add(length),
                };
                bytes_at(reader, length).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Says that it is in `range`, or nowhere.
    fn set(self, fields: &mut Fields, range: Option<Range<u64>>) -> Result<()> {
        let Some(range) = range else {
            fields.remove(self.offset);
            fields.remove(self.length);
            return Ok(());
        };
        let length = i32::try_from(range.end - range.start)
            .map_err(|_| Error::corrupt("an index or a Bloom filter is larger than 2 GiB"))?;
        fields
            .set(self.offset, &(range.start as i64))
            .map_err(damaged)?;
        fields.set(self.length, &length).map_err(damaged)
    }
}

/// A column chunk, as the footer describes it.
#[derive(Debug)]
pub(super) struct Chunk {
    /// Where its pages are.
    range: Range<u64>,
    /// `ColumnChunk`.
    fields: Fields,
    /// `ColumnMetaData`, which is a part of it.
    metadata: Fields,
    /// The statistics of its pages, encoded.
    column_index: Option<Bytes>,
    /// The places of its pages.
    offset_index: Option<Fields>,
}

impl Chunk {
    /// A chunk of the file that `reader` reads, whose pages are in `range`.
    pub fn new(fields: Fields, range: Range<u64>, reader: &impl ChunkReader) -> Result<Self> {
        let offset_index = OFFSET_INDEX.read(&fields, reader)?;
        let offset_index = offset_index.map(|bytes| Fields::read(&bytes).map(|read| read.0));
        Ok(Self {
            range,
            metadata: fields
                .structure(COLUMN_METADATA, "meta_data")
                .map_err(damaged)?,
            column_index: COLUMN_INDEX.read(&fields, reader)?,
            offset_index: offset_index.transpose().map_err(damaged)?,
            fields,
        })
    }

    /// The statistics of its pages.
    pub fn column_index(&self) -> Option<&Bytes> {
        self.column_index.as_ref()
    }

    /// The first row of each of its pages, if an index tells it.
    pub fn page_starts(&self) -> Result<Option<Vec<i64>>> {
        let Some(index) = &self.offset_index else {
            return Ok(None);
        };
        let pages: Vec<PageLocation> = page_locations(index)?;
        Ok(Some(pages.iter().map(|page| page.first_row).collect()))
    }

    /// Takes the pages of a chunk with the same values, and this index of their statistics. What is said of the values
    /// stays: no statistic is recomputed, and none changes its order.
    pub fn take_pages(&mut self, other: Self, column_index: Option<Bytes>) {
        for field in OF_PAGES {
            self.metadata.take(field, &other.metadata);
        }
        self.range = other.range;
        self.column_index = column_index;
        self.offset_index = self.offset_index.take().and(other.offset_index);
    }

    /// Takes the values of a chunk of another type, and all that is said of them.
    pub fn take_converted(&mut self, other: Self) -> Result<()> {
        self.metadata.set(TYPE, &INT64).map_err(damaged)?;
        self.metadata.take(STATISTICS, &other.metadata);
        BLOOM_FILTER.set(&mut self.metadata, None)?;
        let column_index = other.column_index.clone();
        self.take_pages(other, column_index);
        Ok(())
    }

    /// Makes an empty chunk one of another type.
    pub fn convert_empty(&mut self) -> Result<()> {
        self.metadata.remove(STATISTICS);
        self.metadata.set(TYPE, &INT64).map_err(damaged)
    }

    /// Says that its pages, the headers of which have changed, are in `range` of other bytes.
    pub fn set_pages(&mut self, pages: &[MovedPage], range: Range<u64>) -> Result<()> {
        let moved = |offset: i64| pages.iter().find(|page| page.from as i64 == offset);
        for field in PAGE_OFFSETS {
            let offset = self.metadata.get::<i64>(field).map_err(damaged)?;
            if let Some(page) = offset.and_then(moved) {
                let to = page.to as i64;
                self.metadata.set(field, &to).map_err(damaged)?;
            }
        }
        let longer: i64 = pages.iter().map(|page| page.longer).sum();
        for field in [UNCOMPRESSED_SIZE, COMPRESSED_SIZE] {
            let size: i64 = self.metadata.require(field, "size").map_err(damaged)?;
            self.metadata
                .set(field, &(size + longer))
                .map_err(damaged)?;
        }
        if let Some(index) = &mut self.offset_index {
            let mut locations = page_locations(index)?;
            // A dictionary is before the first of them.
            let data = &pages[pages.len().saturating_sub(locations.len())..];
            for (location, page) in locations.iter_mut().zip(data) {
                location.offset = page.to as i64;
                location.compressed_size += page.longer as i32;
            }
            index.set(1, &locations).map_err(damaged)?;
        }
        self.range = range;
        Ok(())
    }

    /// Copies the pages to the end of the file.
    pub fn write_pages(
        &mut self,
        reader: &impl ChunkReader,
        target: &mut Target<'_>,
    ) -> Result<()> {
        let start = target.position();
        target.copy(reader, self.range.clone())?;
        let moved = |offset: i64| match offset {
            // Some writers have 0 for no dictionary.
            0 => 0,
            _ => offset - self.range.start as i64 + start as i64,
        };
        for field in PAGE_OFFSETS {
            if let Some(offset) = self.metadata.get::<i64>(field).map_err(damaged)? {
                self.metadata.set(field, &moved(offset)).map_err(damaged)?;
            }
        }
        // Old versions of parquet-java do not count the header of the dictionary.
        let size = self.range.end - self.range.start;
        self.metadata
            .set(COMPRESSED_SIZE, &(size as i64))
            .map_err(damaged)?;
        // Once the place of a copy of the metadata, which nobody reads and we do not make.
        self.fields.set(FILE_OFFSET, &0_i64).map_err(damaged)?;
        if let Some(index) = &mut self.offset_index {
            let mut pages = page_locations(index)?;
            for page in &mut pages {
                page.offset = moved(page.offset);
            }
            index.set(1, &pages).map_err(damaged)?;
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
        let Some((offset, length)) = BLOOM_FILTER.get(&self.metadata)? else {
            return Ok(());
        };
        let length = match length {
            Some(length) => length,
            None => bloom_filter_length(reader, offset)?,
        };
        let start = target.position() as i64;
        target.copy(reader, offset..offset.saturating_add(length))?;
        self.metadata
            .set(BLOOM_FILTER.offset, &start)
            .map_err(damaged)
    }

    /// What the footer says of the chunk, and the indexes that are to come before it.
    pub fn finish(mut self) -> Result<Finished> {
        self.fields
            .set_structure(COLUMN_METADATA, &self.metadata)
            .map_err(damaged)?;
        let offset_index = self.offset_index.map(|index| index.write());
        Ok(Finished {
            fields: self.fields.write().map_err(damaged)?.into(),
            column_index: self.column_index,
            offset_index: offset_index.transpose().map_err(damaged)?,
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
    pub fn uncompressed(&self) -> Result<i64> {
        self.metadata
            .require(UNCOMPRESSED_SIZE, "total_uncompressed_size")
            .map_err(damaged)
    }
}

/// A chunk that is in the file but for its indexes.
#[derive(Debug)]
pub(super) struct Finished {
    /// `ColumnChunk`.
    fields: Bytes,
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
    pub fn described(&self, indexes: Indexes) -> Result<Vec<u8>> {
        let (mut fields, _) = Fields::read(&self.fields).map_err(damaged)?;
        COLUMN_INDEX.set(&mut fields, indexes.column_index)?;
        OFFSET_INDEX.set(&mut fields, indexes.offset_index)?;
        fields.write().map_err(damaged)
    }
}

fn page_locations(index: &Fields) -> Result<Vec<PageLocation>> {
    index.require(1, "page_locations").map_err(damaged)
}

/// The length of a Bloom filter in a file whose footer does not tell it.
fn bloom_filter_length(reader: &impl ChunkReader, offset: u64) -> Result<u64> {
    let end = reader.len().min(offset.saturating_add(BLOOM_FILTER_HEADER));
    let bytes = bytes_at(reader, offset..end)?;
    let (header, length) = Fields::read(&bytes).map_err(damaged)?;
    let bytes: i32 = header
        .require(BLOOM_FILTER_BYTES, "numBytes")
        .map_err(damaged)?;
    let bytes =
        u64::try_from(bytes).map_err(|_| Error::corrupt("a Bloom filter of negative size"))?;
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

/// A footer or an index that cannot be.
pub(super) fn damaged(error: bytelane_thrift::Error) -> Error {
    Error::corrupt(format!("the metadata is damaged: {error}"))
}

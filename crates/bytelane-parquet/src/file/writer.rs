//! Writes a Parquet file from column chunks.
//!
//! Pages come first: those of a row group together, followed by its Bloom filters. Then come the
//! indexes of all chunks, column indexes before offset indexes, and finally the footer. The crate
//! `parquet` uses the same order, which keeps the parts that a reader needs first close to the end.

use super::seal::{ChunkPlace, Part, Seal, seal_filter, seal_pages};
use crate::chunk::{Chunk, Finished, Stored};
use crate::format::{self, FileMetaData, MAGIC, encode_footer};
use crate::input::bytes_at;
use crate::{Error, Result};
use parquet::file::reader::ChunkReader;
use std::io::Write;
use std::ops::Range;
use std::path::PathBuf;

/// Number of bytes that are copied at a time.
const PART: u64 = 1 << 20;

/// Writes chunks, their indexes and a footer to a sink.
pub struct FileWriter<W> {
    sink: W,
    /// Name for errors.
    name: Option<PathBuf>,
    position: u64,
    row_groups: Vec<FinishedRowGroup>,
    /// Chunks of the next row group.
    chunks: Vec<Chunk>,
    /// Encrypts the file, if it is to be encrypted.
    seal: Option<Box<dyn Seal>>,
}

/// Fields of a row group that cannot be derived from its chunks.
pub(crate) type RowGroup = format::RowGroup;

/// Row group that has been written, except for its indexes.
struct FinishedRowGroup {
    /// Metadata without columns.
    described: RowGroup,
    chunks: Vec<Finished>,
}

impl<W: Write> FileWriter<W> {
    /// Starts a file. Errors refer to it by this name.
    pub fn new(sink: W, name: Option<PathBuf>) -> Result<Self> {
        Self::sealed(sink, name, None)
    }

    /// Starts a file that may be encrypted.
    pub(crate) fn sealed(
        sink: W,
        name: Option<PathBuf>,
        seal: Option<Box<dyn Seal>>,
    ) -> Result<Self> {
        let magic = seal.as_ref().map_or(MAGIC, |seal| seal.magic());
        let mut file = Self {
            sink,
            name,
            position: 0,
            row_groups: Vec::new(),
            chunks: Vec::new(),
            seal,
        };
        file.write(magic)?;
        Ok(file)
    }

    /// Returns the number of bytes written.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Returns the sink.
    pub(crate) fn into_sink(self) -> W {
        self.sink
    }

    /// Returns the number of row groups that are complete.
    pub fn row_groups(&self) -> usize {
        self.row_groups.len()
    }

    /// Returns the number of bytes that the indexes and the metadata of the row groups so far will
    /// take.
    pub fn tail_bytes(&self) -> u64 {
        let chunks = self.row_groups.iter().flat_map(|group| &group.chunks);
        chunks.map(Finished::bytes).sum()
    }

    /// Writes the pages of the next chunk. They may be copied from another file.
    pub fn add_chunk(&mut self, mut chunk: Chunk, from: &impl ChunkReader) -> Result<()> {
        let place = (self.row_groups.len(), self.chunks.len());
        if let Some(seal) = self.seal_of(place) {
            seal_pages(seal, place, &mut chunk, from)?;
        }
        let start = self.position;
        self.write_stored(chunk.pages(), from)?;
        chunk.move_pages(start);
        self.chunks.push(chunk);
        Ok(())
    }

    /// Ends a row group after its chunks have been added, and writes their Bloom filters.
    pub fn end_row_group(&mut self, described: RowGroup, from: &impl ChunkReader) -> Result<()> {
        let mut chunks = std::mem::take(&mut self.chunks);
        for (column, chunk) in chunks.iter_mut().enumerate() {
            let place = (self.row_groups.len(), column);
            if let Some(seal) = self.seal_of(place) {
                seal_filter(seal, place, chunk, from)?;
            }
            let start = self.position;
            if let Some(filter) = chunk.bloom_filter() {
                self.write_stored(filter, from)?;
                chunk.move_bloom_filter(start);
            }
        }
        let described = with_sizes(described, &chunks);
        let chunks = chunks.into_iter().map(Chunk::finish);
        self.row_groups.push(FinishedRowGroup {
            described,
            chunks: chunks.collect::<Result<_>>()?,
        });
        Ok(())
    }

    /// Writes the indexes, and a footer with the row groups written so far and otherwise this
    /// content. Flushes the sink, and returns the footer.
    pub fn finish(&mut self, footer: FileMetaData) -> Result<FileMetaData> {
        let row_groups = std::mem::take(&mut self.row_groups);
        let column_indexes = self.write_indexes(&row_groups, Part::ColumnIndex)?;
        let offset_indexes = self.write_indexes(&row_groups, Part::OffsetIndex)?;
        let mut indexes = column_indexes.into_iter().zip(offset_indexes);
        let elements = footer.schema.iter();
        let leaves = elements.filter(|it| it.physical_type.is_some()).count();
        let mut footer = FileMetaData {
            row_groups: Vec::with_capacity(row_groups.len()),
            // With another number of orders, nobody knows whose they are.
            column_orders: footer.column_orders.filter(|it| it.len() == leaves),
            ..footer
        };
        for group in row_groups {
            let columns = group.chunks.iter().zip(indexes.by_ref());
            let columns = columns.map(|(chunk, (column, offset))| chunk.described(column, offset));
            footer.row_groups.push(RowGroup {
                columns: columns.collect::<Result<_>>()?,
                ..group.described
            });
        }
        let tail = match &self.seal {
            Some(seal) => seal.tail(footer.clone())?,
            None => encode_footer(&footer)?,
        };
        self.write(&tail)?;
        let flushed = self.sink.flush();
        flushed.map_err(|error| self.located(error.into()))?;
        Ok(footer)
    }

    /// Writes the indexes of one kind that exist, and returns the range of each.
    fn write_indexes(
        &mut self,
        row_groups: &[FinishedRowGroup],
        part: Part,
    ) -> Result<Vec<Option<Range<u64>>>> {
        let mut ranges = Vec::new();
        for (row_group, group) in row_groups.iter().enumerate() {
            for (column, chunk) in group.chunks.iter().enumerate() {
                let index = match part {
                    Part::ColumnIndex => chunk.column_index.as_deref(),
                    _ => chunk.offset_index.as_deref(),
                };
                let place = (row_group, column);
                let range = match (index, self.seal_of(place)) {
                    (Some(index), Some(seal)) => Some(self.write(&seal.seal(part, place, index)?)?),
                    (Some(index), None) => Some(self.write(index)?),
                    (None, _) => None,
                };
                ranges.push(range);
            }
        }
        Ok(ranges)
    }

    /// Returns what encrypts a column, if anything does.
    fn seal_of(&self, (_, column): ChunkPlace) -> Option<&dyn Seal> {
        self.seal.as_deref().filter(|seal| seal.seals(column))
    }

    /// Writes bytes, and returns their range.
    fn write(&mut self, bytes: &[u8]) -> Result<Range<u64>> {
        let written = self.sink.write_all(bytes);
        written.map_err(|error| self.located(error.into()))?;
        let start = self.position;
        self.position += bytes.len() as u64;
        Ok(start..self.position)
    }

    fn write_stored(&mut self, stored: &Stored, from: &impl ChunkReader) -> Result<()> {
        let mut range = match stored {
            Stored::Memory(bytes) => return self.write(bytes).map(drop),
            Stored::Pieces(pieces) => {
                return pieces.iter().try_for_each(|it| self.write(it).map(drop));
            }
            Stored::File(range) => range.clone(),
        };
        while !range.is_empty() {
            let end = range.end.min(range.start + PART);
            self.write(&bytes_at(from, range.start..end)?)?;
            range.start = end;
        }
        Ok(())
    }

    fn located(&self, error: Error) -> Error {
        match &self.name {
            Some(name) => error.in_file(name),
            None => error,
        }
    }
}

/// Adds the fields that are derived from the written chunks of a row group.
fn with_sizes(described: RowGroup, chunks: &[Chunk]) -> RowGroup {
    let start = chunks.iter().map(Chunk::start).min().unwrap_or(0) as i64;
    let compressed = chunks.iter().map(Chunk::bytes).sum::<u64>() as i64;
    let uncompressed = chunks
        .iter()
        .map(|it| it.metadata().total_uncompressed_size);
    RowGroup {
        total_byte_size: uncompressed.fold(0, i64::saturating_add),
        file_offset: described.file_offset.map(|_| start),
        total_compressed_size: described.total_compressed_size.map(|_| compressed),
        ..described
    }
}

//! Row groups of a file that is being read.

use super::repair::{fits, in_parquet};
use super::sizes::with_right_sizes;
use crate::catch_panic::catch_panic;
use crate::chunk::{chunk_range, viewed_range};
use crate::format::{self, ChunkView, ColumnChunk, Encoded, FileMetaData, RowGroupView};
use crate::page::codec_in_parquet;
use crate::stack::with_stack;
use crate::{Error, Result};
use bytes::Bytes;
use parquet::basic::{CompressionCodec, Encoding, EncodingMask, PageType};
use parquet::file::metadata::{
    ColumnChunkMetaData, ParquetMetaData, ParquetMetaDataOptions, ParquetMetaDataReader,
};
use parquet::schema::types::{ColumnDescPtr, SchemaDescriptor};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Column chunk, with the metadata needed to read it.
#[derive(Clone, Debug)]
pub struct LeafChunk {
    pub column: ColumnDescPtr,
    pub codec: CompressionCodec,
    /// Claimed number of values, including nulls.
    pub values: u64,
    /// Range of its pages.
    pub range: Range<u64>,
    /// Range of its offset index.
    pub offset_index: Option<Range<u64>>,
    /// Range of its column index.
    pub column_index: Option<Range<u64>>,
    /// Set if all values are indices into a dictionary, as far as the footer says.
    pub has_indices_only: bool,
}

/// Row groups of a file. If the schema is regular, they stay encoded, and a chunk is decoded when
/// it is used.
#[derive(Clone, Debug)]
pub enum RowGroups {
    Decoded(Arc<ParquetMetaData>),
    Encoded(Arc<EncodedRowGroups>),
}

/// Encoded row groups of a footer whose schema the crate `parquet` reads correctly.
#[derive(Debug)]
pub struct EncodedRowGroups {
    pub(super) footer: Bytes,
    pub(super) row_groups: Vec<RowGroupView>,
    /// Schema of the file, without its row groups.
    pub(super) schema: Arc<ParquetMetaData>,
    pub(super) depth: usize,
    /// Complete decoded footer, once it has been requested.
    pub(super) decoded: OnceLock<Arc<ParquetMetaData>>,
}

impl RowGroups {
    /// Returns the number of row groups.
    pub(crate) fn count(&self) -> usize {
        match self {
            Self::Decoded(file) => file.num_row_groups(),
            Self::Encoded(file) => file.row_groups.len(),
        }
    }

    /// Returns the number of rows that a row group claims to have.
    pub(crate) fn rows(&self, row_group: usize) -> i64 {
        match self {
            Self::Decoded(file) => file.row_group(row_group).num_rows(),
            Self::Encoded(file) => file.row_groups[row_group].num_rows,
        }
    }

    /// Returns the number of bytes of a chunk's pages before compression.
    pub(crate) fn uncompressed_size(&self, row_group: usize, column: usize) -> Result<i64> {
        Ok(match self {
            Self::Decoded(file) => file.row_group(row_group).column(column).uncompressed_size(),
            Self::Encoded(file) => {
                let chunk = file.chunk(row_group, column)?;
                chunk.meta_data.total_uncompressed_size
            }
        })
    }

    /// Returns a chunk in a file of `length` bytes.
    pub(crate) fn chunk(&self, row_group: usize, column: usize, length: u64) -> Result<LeafChunk> {
        match self {
            Self::Decoded(file) => {
                let chunk = file.row_group(row_group).column(column);
                let leaf = LeafChunk::of_decoded(chunk, length);
                leaf.map_err(|error| error.in_column(chunk.column_path().string()))
            }
            Self::Encoded(file) => {
                let descriptor = file.schema.file_metadata().schema_descr().column(column);
                let chunk = file.chunk(row_group, column);
                let leaf = chunk.and_then(|it| LeafChunk::of_view(&it, &descriptor, length));
                leaf.map_err(|error| error.in_column(descriptor.path().string()))
            }
        }
    }

    /// Returns the complete footer, as decoded by the crate `parquet`. Chunks that cannot be
    /// decoded have no values and no statistics here; reading them returns an error.
    pub(crate) fn metadata(&self) -> &Arc<ParquetMetaData> {
        match self {
            Self::Decoded(file) => file,
            Self::Encoded(file) => file.decoded.get_or_init(|| {
                let decoded = file.decode_regular();
                let decoded = decoded.or_else(|_| file.decode_repaired(|it| it.decode().is_ok()));
                let decoded = decoded.or_else(|_| file.decode_repaired(|_| false));
                decoded.map_or(Arc::clone(&file.schema), Arc::new)
            }),
        }
    }
}

impl EncodedRowGroups {
    fn chunk(&self, row_group: usize, column: usize) -> Result<ChunkView<'_>> {
        self.row_groups[row_group].columns[column].decode(&self.footer)
    }

    /// Decodes a footer whose chunks the crate `parquet` reads correctly.
    fn decode_regular(&self) -> Result<ParquetMetaData> {
        let schema = self.schema.file_metadata().schema_descr_ptr();
        let is_regular = |it: &RowGroupView| are_regular_chunks(it, &schema, &self.footer);
        if !self.row_groups.iter().all(is_regular) {
            return Err(Error::corrupt("a chunk is to be repaired"));
        }
        let options = ParquetMetaDataOptions::new().with_schema(schema);
        let footer = &self.footer;
        catch_panic(|| {
            let options = Some(&options);
            Ok(ParquetMetaDataReader::decode_metadata_with_options(
                footer, options,
            )?)
        })
    }

    /// Decodes a footer in which chunks that are not kept are replaced with empty metadata.
    fn decode_repaired(
        &self,
        is_kept: impl Fn(&Encoded<ColumnChunk>) -> bool,
    ) -> Result<ParquetMetaData> {
        let mut file: FileMetaData = format::decode(&self.footer)?;
        let chunks = file.row_groups.iter_mut().flat_map(|it| &mut it.columns);
        for chunk in chunks.filter(|it| !is_kept(it)) {
            *chunk = Encoded::new(&ColumnChunk::default())?;
        }
        with_stack(self.depth, || {
            with_right_sizes(&self.footer, in_parquet(&file)?)
        })
    }
}

impl LeafChunk {
    /// Converts a chunk that the crate `parquet` has decoded.
    pub(crate) fn of_decoded(chunk: &ColumnChunkMetaData, length: u64) -> Result<Self> {
        Ok(Self {
            column: chunk.column_descr_ptr(),
            codec: chunk.compression_codec(),
            values: u64::try_from(chunk.num_values()).unwrap_or(0),
            range: chunk_range(chunk, length)?,
            offset_index: index(chunk.offset_index_offset(), chunk.offset_index_length()),
            column_index: index(chunk.column_index_offset(), chunk.column_index_length()),
            has_indices_only: has_indices_only(chunk),
        })
    }

    fn of_view(chunk: &ChunkView<'_>, column: &ColumnDescPtr, length: u64) -> Result<Self> {
        Ok(Self {
            column: ColumnDescPtr::clone(column),
            codec: codec_in_parquet(chunk.meta_data.codec)?,
            values: u64::try_from(chunk.meta_data.num_values).unwrap_or(0),
            range: viewed_range(chunk, length)?,
            offset_index: index(chunk.offset_index_offset, chunk.offset_index_length),
            column_index: index(chunk.column_index_offset, chunk.column_index_length),
            has_indices_only: chunk.meta_data.has_indices_only(),
        })
    }
}

/// Returns the range of an index, if the footer contains it.
fn index(offset: Option<i64>, length: Option<i32>) -> Option<Range<u64>> {
    let start = u64::try_from(offset?).ok()?;
    let length = u64::try_from(length?).ok()?;
    Some(start..start.checked_add(length)?)
}

fn has_indices_only(chunk: &ColumnChunkMetaData) -> bool {
    let is_of_indices = |it| matches!(it, Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY);
    let of_stats = chunk.page_encoding_stats().map(|stats| {
        let data = stats.iter();
        let data = data.filter(|it| !matches!(it.page_type, PageType::DICTIONARY_PAGE));
        EncodingMask::new_from_encodings(data.map(|it| &it.encoding))
    });
    match of_stats.as_ref().or(chunk.page_encoding_stats_mask()) {
        Some(of_data) => of_data.encodings().all(is_of_indices),
        None => {
            // Entries are PLAIN, and levels RLE.
            let of_others = |it| matches!(it, Encoding::PLAIN | Encoding::RLE);
            let mut all = chunk.encodings();
            chunk.dictionary_page_offset().is_some()
                && all.all(|it| is_of_indices(it) || of_others(it))
        }
    }
}

/// Returns whether the chunks of a row group, one per leaf, need no repair.
fn are_regular_chunks(row_group: &RowGroupView, leaves: &SchemaDescriptor, footer: &[u8]) -> bool {
    let mut chunks = row_group.columns.iter().zip(leaves.columns());
    chunks.all(|(chunk, leaf)| {
        let Some(chunk) = format::view::<ChunkView<'_>>(chunk.bytes(footer)) else {
            return false;
        };
        let values = &chunk.meta_data;
        let bounds = values.statistics.as_ref();
        chunk.is_regular()
            && values.dictionary_page_offset != Some(0)
            && bounds.is_none_or(|it| fits(it, leaf))
    })
}

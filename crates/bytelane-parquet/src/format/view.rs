//! Views of a footer for reading: borrowed from its bytes, and without fields that no reader uses.
//!
//! The structs of `generated.rs` keep everything, so that rewriting a file loses nothing. These
//! views contain ranges, slices and numbers, and allocate nothing for a column chunk. A chunk is a
//! [`Span`]: opening a file skips it, and reading a column decodes it. Fields that are not declared
//! here, or whose type differs from the format, are in `unknown_fields`.

use super::{
    ColumnChunk, ColumnOrder, CompressionCodec, ConvertedType, Encoding, FieldRepetitionType,
    LogicalType, PageEncodingStats, PageType, PhysicalType, SortingColumn, decode_part,
};
use crate::Result;
use bytelane_thrift::{
    Decode, Element, Error, Items, Outlines, Reader, Thrift, Type, UnknownFields,
};
use std::marker::PhantomData;
use std::ops::Range;

/// Range of a value in a footer that was skipped.
#[derive(Debug)]
pub struct Span<T> {
    start: u32,
    end: u32,
    of: PhantomData<fn() -> T>,
}

impl<T> Span<T> {
    /// Returns the bytes of the value.
    pub fn bytes<'a>(&self, footer: &'a [u8]) -> &'a [u8] {
        &footer[self.start as usize..self.end as usize]
    }

    /// Decodes the value, or a part of it.
    pub fn decode<'a, P: Decode<'a>>(&self, footer: &'a [u8]) -> Result<P> {
        decode_part(self.bytes(footer))
    }
}

impl<T> Clone for Span<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Span<T> {}

impl<T> Default for Span<T> {
    fn default() -> Self {
        Self {
            start: 0,
            end: 0,
            of: PhantomData,
        }
    }
}

impl<T: Element> Element for Span<T> {
    const TYPE: Type = T::TYPE;
}

impl<'de, T: Element> Decode<'de> for Span<T> {
    #[inline]
    fn read<R: Reader<'de>>(reader: &mut R) -> std::result::Result<Self, Error> {
        // A footer has less than 4 GiB.
        let start = reader.input().offset() as u32;
        reader.skip(T::TYPE)?;
        Ok(Self {
            start,
            end: reader.input().offset() as u32,
            of: PhantomData,
        })
    }

    /// Skips the elements together: structs of a list often have the same layout.
    fn read_list<R: Reader<'de>>(
        reader: &mut R,
        mut items: Items,
        values: &mut Vec<Self>,
    ) -> std::result::Result<(), Error> {
        let count = items.left().unwrap_or(0);
        values.reserve_exact(count);
        let mut outlines = Outlines::new(count);
        while reader.next(&mut items)? {
            let start = reader.input().offset() as u32;
            reader.skip_alike(T::TYPE, &mut outlines)?;
            values.push(Self {
                start,
                end: reader.input().offset() as u32,
                of: PhantomData,
            });
        }
        Ok(())
    }
}

/// Value with its range in the footer.
#[derive(Debug, Default)]
pub struct Placed<T> {
    pub value: T,
    pub range: Range<usize>,
}

impl<T: Element> Element for Placed<T> {
    const TYPE: Type = T::TYPE;
}

impl<'de, T: Decode<'de>> Decode<'de> for Placed<T> {
    fn read<R: Reader<'de>>(reader: &mut R) -> std::result::Result<Self, Error> {
        let start = reader.input().offset();
        let value = T::read(reader)?;
        let range = start..reader.input().offset();
        Ok(Self { value, range })
    }
}

/// List whose elements are checked, but not kept.
#[derive(Debug)]
pub struct Checked<T> {
    is_known: bool,
    is_of_indices: bool,
    of: PhantomData<fn() -> T>,
}

/// Element of a list that the crate `parquet` might not know.
trait MayBeUnknown {
    fn is_known(&self) -> bool {
        true
    }

    /// Returns false for an encoding of a data page other than indices into a dictionary. In a list of all encodings of a chunk, PLAIN may
    /// be that of the entries, and RLE that of the levels.
    fn is_of_indices(&self) -> bool {
        true
    }
}

impl MayBeUnknown for i64 {}

impl MayBeUnknown for Encoding {
    fn is_known(&self) -> bool {
        !matches!(self, Self::Fsst | Self::Unknown(_))
    }

    fn is_of_indices(&self) -> bool {
        matches!(
            self,
            Self::Plain | Self::Rle | Self::RleDictionary | Self::PlainDictionary
        )
    }
}

impl MayBeUnknown for PageEncodingStats {
    fn is_known(&self) -> bool {
        self.encoding.is_known()
            && !matches!(
                self.page_type,
                PageType::SymbolTablePage | PageType::Unknown(_)
            )
            && self.unknown_fields.is_empty()
    }

    fn is_of_indices(&self) -> bool {
        !matches!(self.page_type, PageType::DataPage | PageType::DataPageV2)
            || matches!(
                self.encoding,
                Encoding::RleDictionary | Encoding::PlainDictionary
            )
    }
}

impl<T> Default for Checked<T> {
    fn default() -> Self {
        Self {
            is_known: true,
            is_of_indices: true,
            of: PhantomData,
        }
    }
}

impl<T> Element for Checked<T> {
    const TYPE: Type = Type::List;
}

impl<'de, T: Decode<'de> + MayBeUnknown> Decode<'de> for Checked<T> {
    #[inline]
    fn read<R: Reader<'de>>(reader: &mut R) -> std::result::Result<Self, Error> {
        let mut items = reader.list_begin(Type::List, Some(T::TYPE), 0)?;
        let mut list = Self::default();
        while reader.next(&mut items)? {
            let element = T::read(reader)?;
            list.is_known &= element.is_known();
            list.is_of_indices &= element.is_of_indices();
        }
        Ok(list)
    }
}

/// Complete footer, with schema elements of type `E`.
#[derive(Debug, Thrift)]
#[thrift(decode_only, name = "FileMetaData")]
pub struct FileView<'a, E> {
    #[thrift(id = 1, required)]
    pub version: i32,
    #[thrift(id = 2, required)]
    pub schema: Vec<E>,
    #[thrift(id = 3, required)]
    pub num_rows: i64,
    #[thrift(id = 4, required)]
    pub row_groups: Placed<Vec<RowGroupView>>,
    #[thrift(id = 5)]
    pub key_value_metadata: Option<Vec<KeyValueView<'a>>>,
    #[thrift(id = 6)]
    pub created_by: Option<&'a str>,
    #[thrift(id = 7)]
    pub column_orders: Option<Vec<Span<ColumnOrder>>>,
    #[thrift(unknown)]
    pub unknown_fields: UnknownFields,
}

/// Element of a schema.
#[derive(Debug, Thrift)]
#[thrift(decode_only, name = "SchemaElement")]
pub struct ElementView<'a> {
    #[thrift(id = 1, name = "type")]
    pub physical_type: Option<PhysicalType>,
    #[thrift(id = 2)]
    type_length: Option<i32>,
    #[thrift(id = 3)]
    repetition_type: Option<FieldRepetitionType>,
    #[thrift(id = 4, required)]
    pub name: &'a [u8],
    #[thrift(id = 5)]
    pub num_children: Option<i32>,
    #[thrift(id = 6)]
    pub converted_type: Option<ConvertedType>,
    #[thrift(id = 7)]
    scale: Option<i32>,
    #[thrift(id = 8)]
    precision: Option<i32>,
    #[thrift(id = 9)]
    field_id: Option<i32>,
    #[thrift(id = 10, name = "logicalType")]
    pub logical_type: Option<Span<LogicalType>>,
    #[thrift(unknown)]
    pub unknown_fields: UnknownFields,
}

/// Name of a schema element, and its place in the tree.
#[derive(Debug, Thrift)]
#[thrift(decode_only, name = "SchemaElement")]
pub struct NodeView<'a> {
    #[thrift(id = 1, name = "type")]
    pub physical_type: Option<PhysicalType>,
    #[thrift(id = 4, required)]
    pub name: &'a [u8],
    #[thrift(id = 5)]
    pub num_children: Option<i32>,
}

#[derive(Debug, Thrift)]
#[thrift(decode_only, name = "KeyValue")]
pub struct KeyValueView<'a> {
    #[thrift(id = 1, required)]
    pub key: &'a str,
    #[thrift(id = 2)]
    pub value: Option<&'a str>,
    #[thrift(unknown)]
    pub unknown_fields: UnknownFields,
}

#[derive(Debug, Thrift)]
#[thrift(decode_only, name = "RowGroup")]
pub struct RowGroupView {
    #[thrift(id = 1, required)]
    pub columns: Vec<Span<ColumnChunk>>,
    #[thrift(id = 2, required)]
    pub total_byte_size: i64,
    #[thrift(id = 3, required)]
    pub num_rows: i64,
    #[thrift(id = 4)]
    pub sorting_columns: Option<Vec<SortingColumn>>,
    #[thrift(id = 5)]
    pub file_offset: Option<i64>,
    #[thrift(id = 6)]
    pub total_compressed_size: Option<i64>,
    #[thrift(id = 7)]
    pub ordinal: Option<i16>,
    #[thrift(unknown)]
    pub unknown_fields: UnknownFields,
}

#[derive(Debug, Thrift)]
#[thrift(decode_only, name = "ColumnChunk")]
pub struct ChunkView<'a> {
    #[thrift(id = 1)]
    pub file_path: Option<&'a str>,
    #[thrift(id = 2, required)]
    file_offset: i64,
    #[thrift(id = 3, required)]
    pub meta_data: ChunkValuesView<'a>,
    #[thrift(id = 4)]
    pub offset_index_offset: Option<i64>,
    #[thrift(id = 5)]
    pub offset_index_length: Option<i32>,
    #[thrift(id = 6)]
    pub column_index_offset: Option<i64>,
    #[thrift(id = 7)]
    pub column_index_length: Option<i32>,
    #[thrift(unknown)]
    unknown_fields: UnknownFields,
}

#[derive(Debug, Thrift)]
#[thrift(decode_only, name = "ColumnMetaData")]
pub struct ChunkValuesView<'a> {
    #[thrift(id = 1, required, name = "type")]
    physical_type: PhysicalType,
    #[thrift(id = 2, required)]
    encodings: Checked<Encoding>,
    #[thrift(id = 3)]
    path_in_schema: Option<Span<Vec<&'a [u8]>>>,
    #[thrift(id = 4, required)]
    pub codec: CompressionCodec,
    #[thrift(id = 5, required)]
    pub num_values: i64,
    #[thrift(id = 6, required)]
    pub total_uncompressed_size: i64,
    #[thrift(id = 7, required)]
    pub total_compressed_size: i64,
    #[thrift(id = 8)]
    key_value_metadata: Option<Span<Vec<KeyValueView<'a>>>>,
    #[thrift(id = 9, required)]
    pub data_page_offset: i64,
    #[thrift(id = 10)]
    index_page_offset: Option<i64>,
    #[thrift(id = 11)]
    pub dictionary_page_offset: Option<i64>,
    #[thrift(id = 12)]
    pub statistics: Option<StatisticsView<'a>>,
    #[thrift(id = 13)]
    encoding_stats: Option<Checked<PageEncodingStats>>,
    #[thrift(id = 14)]
    bloom_filter_offset: Option<i64>,
    #[thrift(id = 15)]
    bloom_filter_length: Option<i32>,
    #[thrift(id = 16)]
    size_statistics: Option<SizesView>,
    #[thrift(id = 18)]
    pub symbol_table_page_offset: Option<i64>,
    #[thrift(unknown)]
    unknown_fields: UnknownFields,
}

#[derive(Debug, Thrift)]
#[thrift(decode_only, name = "Statistics")]
pub struct StatisticsView<'a> {
    #[thrift(id = 1)]
    pub max: Option<&'a [u8]>,
    #[thrift(id = 2)]
    pub min: Option<&'a [u8]>,
    #[thrift(id = 3)]
    pub null_count: Option<i64>,
    #[thrift(id = 4)]
    pub distinct_count: Option<i64>,
    #[thrift(id = 5)]
    pub max_value: Option<&'a [u8]>,
    #[thrift(id = 6)]
    pub min_value: Option<&'a [u8]>,
    #[thrift(id = 7)]
    pub is_max_value_exact: Option<bool>,
    #[thrift(id = 8)]
    pub is_min_value_exact: Option<bool>,
    #[thrift(id = 9)]
    pub nan_count: Option<i64>,
    #[thrift(unknown)]
    pub unknown_fields: UnknownFields,
}

#[derive(Debug, Thrift)]
#[thrift(decode_only, name = "SizeStatistics")]
struct SizesView {
    #[thrift(id = 1)]
    unencoded_byte_array_data_bytes: Option<i64>,
    #[thrift(id = 2)]
    repetition_level_histogram: Option<Checked<i64>>,
    #[thrift(id = 3)]
    definition_level_histogram: Option<Checked<i64>>,
    #[thrift(unknown)]
    unknown_fields: UnknownFields,
}

impl ChunkView<'_> {
    /// Returns whether the crate `parquet` reads the chunk correctly, apart from its bounds: all
    /// fields, including nested ones, are known and have the right type. The crate does not check
    /// the types of fields.
    pub fn is_regular(&self) -> bool {
        let values = &self.meta_data;
        let statistics = values.statistics.as_ref();
        let pages = values.encoding_stats.as_ref();
        let sizes = values.size_statistics.as_ref();
        self.unknown_fields.is_empty()
            && values.unknown_fields.is_empty()
            && values.symbol_table_page_offset.is_none()
            && !matches!(values.physical_type, PhysicalType::Unknown(_))
            && !matches!(values.codec, CompressionCodec::Unknown(_))
            && values.encodings.is_known
            && pages.is_none_or(|pages| pages.is_known)
            && sizes.is_none_or(|sizes| sizes.unknown_fields.is_empty())
            && statistics.is_none_or(StatisticsView::is_regular)
    }
}

impl ChunkValuesView<'_> {
    /// Returns whether all values are indices into a dictionary, as far as the footer says.
    pub(crate) fn has_indices_only(&self) -> bool {
        match &self.encoding_stats {
            Some(pages) => pages.is_of_indices,
            None => self.dictionary_page_offset.is_some() && self.encodings.is_of_indices,
        }
    }
}

impl StatisticsView<'_> {
    fn is_regular(&self) -> bool {
        let counts = [self.null_count, self.distinct_count, self.nan_count];
        self.unknown_fields.is_empty() && counts.into_iter().flatten().all(|count| count >= 0)
    }
}

//! Converts options of the crate `parquet`.

use super::{ColumnOptions, ContentDefinedPages, DataPageVersion, Encoding, WriterOptions};
use parquet::basic::Encoding as InParquet;
use parquet::file::properties::{
    DEFAULT_CREATED_BY, DEFAULT_DATA_PAGE_ROW_COUNT_LIMIT, DEFAULT_DICTIONARY_PAGE_SIZE_LIMIT,
    DEFAULT_PAGE_SIZE, WriterProperties, WriterVersion,
};
use parquet::schema::types::{ColumnPath, SchemaDescriptor};

impl WriterOptions {
    /// Converts properties of the crate `parquet` to options, for files with this schema.
    ///
    /// Each column gets the compression, statistics and Bloom filter of the properties, and their encoding if
    /// they name one. Otherwise, [`Encoding::Auto`] chooses. The limits of pages and dictionaries and the
    /// writer's name are taken from the properties, unless they are that crate's defaults. A byte limit of
    /// row groups counts memory before encoding.
    ///
    /// Properties without a counterpart are ignored: whether dictionaries are enabled, limits of pages of single
    /// columns, the position of Bloom filters, `coerce_types`, `offset_index_disabled`, `write_path_in_schema`,
    /// encoder options of DELTA_BINARY_PACKED, and the compression ratio of version 2 pages.
    ///
    /// ```
    /// use bytelane_parquet::parquet::basic::{Compression, Encoding as InParquet};
    /// use bytelane_parquet::parquet::file::properties::WriterProperties;
    /// use bytelane_parquet::parquet::schema::{parser::parse_message_type, types::SchemaDescriptor};
    /// use bytelane_parquet::{Encoding, WriterOptions};
    /// use std::sync::Arc;
    ///
    /// let schema = parse_message_type("message schema { required double price; required int64 id; }")?;
    /// let schema = SchemaDescriptor::new(Arc::new(schema));
    /// let properties = WriterProperties::builder()
    ///     .set_compression(Compression::SNAPPY)
    ///     .set_column_encoding("id".into(), InParquet::DELTA_BINARY_PACKED)
    ///     .build();
    /// let options = WriterOptions::from_properties(&properties, &schema);
    /// assert_eq!(options.compression_of("price"), Compression::SNAPPY);
    /// assert_eq!(options.encoding_of("price"), Encoding::Auto);
    /// assert_eq!(options.encoding_of("id"), Encoding::DeltaBinaryPacked);
    /// # Ok::<(), bytelane_parquet::parquet::errors::ParquetError>(())
    /// ```
    #[must_use]
    pub fn from_properties(properties: &WriterProperties, schema: &SchemaDescriptor) -> Self {
        let paths = schema.columns().iter().map(|leaf| leaf.path());
        let columns = paths.map(|path| (path.string(), column(properties, path)));
        let defaults = Self::default();
        let other = |value: usize, default: usize| (value != default).then_some(value);
        let dictionary = properties.dictionary_page_size_limit();
        let dictionary = other(dictionary, DEFAULT_DICTIONARY_PAGE_SIZE_LIMIT);
        let created_by = properties.created_by();
        let mut leaves = schema.columns().iter().map(|leaf| leaf.path());
        Self {
            columns: columns.collect(),
            data_page_version: match properties.writer_version() {
                WriterVersion::PARQUET_1_0 => DataPageVersion::V1,
                WriterVersion::PARQUET_2_0 => DataPageVersion::V2,
            },
            max_rows_per_page: other(
                properties.data_page_row_count_limit(),
                DEFAULT_DATA_PAGE_ROW_COUNT_LIMIT,
            ),
            data_page_size: other(properties.data_page_size_limit(), DEFAULT_PAGE_SIZE),
            content_defined_pages: properties
                .content_defined_chunking()
                .and_then(|it| ContentDefinedPages::new(it.min_chunk_size, it.max_chunk_size).ok()),
            row_group_size: properties
                .max_row_group_row_count()
                .unwrap_or(defaults.row_group_size),
            row_group_bytes: properties
                .max_row_group_bytes()
                .unwrap_or(defaults.row_group_bytes),
            dictionary_pagesize_limit: dictionary.unwrap_or(defaults.dictionary_pagesize_limit),
            page_header_statistics: leaves
                .any(|path| properties.write_page_header_statistics(path)),
            bound_bytes: match (
                properties.column_index_truncate_length(),
                properties.statistics_truncate_length(),
            ) {
                (Some(index), Some(statistics)) => index.max(statistics),
                _ => usize::MAX,
            },
            key_values: properties.key_value_metadata().cloned().unwrap_or_default(),
            sorting_columns: properties.sorting_columns().cloned(),
            created_by: if created_by == DEFAULT_CREATED_BY {
                defaults.created_by
            } else {
                created_by.to_owned()
            },
            ..defaults
        }
    }
}

fn column(properties: &WriterProperties, path: &ColumnPath) -> ColumnOptions {
    let encoding = properties.encoding(path).and_then(|named| {
        Some(match named {
            InParquet::PLAIN => Encoding::Plain,
            InParquet::BYTE_STREAM_SPLIT => Encoding::ByteStreamSplit,
            InParquet::DELTA_BINARY_PACKED => Encoding::DeltaBinaryPacked,
            InParquet::DELTA_LENGTH_BYTE_ARRAY => Encoding::DeltaLengthByteArray,
            InParquet::DELTA_BYTE_ARRAY => Encoding::DeltaByteArray,
            InParquet::RLE => Encoding::Rle,
            _ => return None,
        })
    });
    ColumnOptions {
        encoding,
        compression: Some(properties.compression(path)),
        statistics: Some(properties.statistics_enabled(path)),
        bloom_filter: properties.bloom_filter_properties(path).cloned(),
        ..ColumnOptions::default()
    }
}

//! Tests footers.

use super::{decoded, encoded};
use bytelane_parquet::format;
use bytes::Bytes;
use parquet::basic::{
    Compression, ConvertedType, EdgeInterpolationAlgorithm, Encoding, LogicalType, PageType,
    Repetition, TimeUnit, Type as PhysicalType,
};
use parquet::data_type::ByteArray;
use parquet::file::metadata::{
    ColumnChunkMetaData, FileMetaData, KeyValue, LevelHistogram, PageEncodingStats,
    ParquetMetaData, ParquetMetaDataOptions, ParquetMetaDataReader, ParquetMetaDataWriter,
    RowGroupMetaData, SortingColumn,
};
use parquet::file::statistics::ValueStatistics;
use parquet::schema::types::{SchemaDescriptor, Type};
use std::sync::Arc;

/// Reads a footer of ours with the crate `parquet`.
fn read(footer: &format::FileMetaData) -> ParquetMetaData {
    let options = ParquetMetaDataOptions::new().with_encoding_stats_as_mask(false);
    let bytes = format::encode(footer).unwrap();
    ParquetMetaDataReader::decode_metadata_with_options(&bytes, Some(&options)).unwrap()
}

/// Reads a footer of the crate `parquet` with our code.
fn written(metadata: &ParquetMetaData) -> format::FileMetaData {
    let mut bytes = Vec::new();
    let writer =
        ParquetMetaDataWriter::new(&mut bytes, metadata).with_preserve_page_index_locations(true);
    writer.finish().unwrap();
    decoded(&Bytes::from(bytes))
}

fn schema(leaves: Vec<Type>) -> Arc<SchemaDescriptor> {
    let leaves = leaves.into_iter().map(Arc::new).collect();
    let schema = Type::group_type_builder("schema").with_fields(leaves);
    Arc::new(SchemaDescriptor::new(Arc::new(schema.build().unwrap())))
}

/// Returns a footer in which all numbers are distinct.
fn theirs() -> ParquetMetaData {
    let leaf = Type::primitive_type_builder("text", PhysicalType::BYTE_ARRAY)
        .with_repetition(Repetition::OPTIONAL)
        .with_id(Some(41));
    let schema = schema(vec![leaf.build().unwrap()]);
    let bounds = ["least", "most"].map(|text| Some(ByteArray::from(text)));
    let [least, most] = bounds;
    let statistics = ValueStatistics::new(least, most, Some(21), Some(22), false)
        .with_min_is_exact(false)
        .with_max_is_exact(true);
    let pages = [
        (PageType::DICTIONARY_PAGE, Encoding::PLAIN, 31),
        (PageType::DATA_PAGE, Encoding::RLE_DICTIONARY, 32),
    ];
    let pages = pages.map(|(page_type, encoding, count)| PageEncodingStats {
        page_type,
        encoding,
        count,
    });
    let chunk = ColumnChunkMetaData::builder(schema.column(0))
        .set_file_path("elsewhere".to_owned())
        .set_encodings(vec![
            Encoding::PLAIN,
            Encoding::RLE,
            Encoding::RLE_DICTIONARY,
        ])
        .set_compression(Compression::SNAPPY)
        .set_num_values(1)
        .set_total_uncompressed_size(2)
        .set_total_compressed_size(3)
        .set_data_page_offset(4)
        .set_index_page_offset(Some(5))
        .set_dictionary_page_offset(Some(6))
        .set_statistics(statistics.into())
        .set_page_encoding_stats(pages.to_vec())
        .set_bloom_filter_offset(Some(7))
        .set_bloom_filter_length(Some(8))
        .set_unencoded_byte_array_data_bytes(Some(9))
        .set_repetition_level_histogram(Some(LevelHistogram::from(vec![10])))
        .set_definition_level_histogram(Some(LevelHistogram::from(vec![11, 12])))
        .set_offset_index_offset(Some(13))
        .set_offset_index_length(Some(14))
        .set_column_index_offset(Some(15))
        .set_column_index_length(Some(16));
    let sorted = SortingColumn {
        column_idx: 0,
        descending: true,
        nulls_first: false,
    };
    let row_group = RowGroupMetaData::builder(Arc::clone(&schema))
        .set_column_metadata(vec![chunk.build().unwrap()])
        .set_num_rows(17)
        .set_total_byte_size(18)
        .set_sorting_columns(Some(vec![sorted]))
        .set_file_offset(19)
        .set_ordinal(0);
    let pairs = vec![
        KeyValue::new("key".to_owned(), "value".to_owned()),
        KeyValue::new("alone".to_owned(), None),
    ];
    let orders = written(&ParquetMetaData::new(
        FileMetaData::new(2, 17, None, None, Arc::clone(&schema), None),
        Vec::new(),
    ));
    let orders = read(&orders).file_metadata().column_orders().cloned();
    let file = FileMetaData::new(2, 17, Some("somebody".into()), Some(pairs), schema, orders);
    ParquetMetaData::new(file, vec![row_group.build().unwrap()])
}

/// Returns the same footer as `theirs`.
fn ours() -> format::FileMetaData {
    let statistics = format::Statistics {
        min_value: Some("least".into()),
        max_value: Some("most".into()),
        distinct_count: Some(21),
        null_count: Some(22),
        is_min_value_exact: Some(false),
        is_max_value_exact: Some(true),
        ..Default::default()
    };
    let pages = [
        (
            format::PageType::DictionaryPage,
            format::Encoding::Plain,
            31,
        ),
        (
            format::PageType::DataPage,
            format::Encoding::RleDictionary,
            32,
        ),
    ];
    let pages = pages.map(|(page_type, encoding, count)| format::PageEncodingStats {
        page_type,
        encoding,
        count,
        ..Default::default()
    });
    let chunk = format::ColumnChunk {
        file_path: Some("elsewhere".into()),
        file_offset: 0,
        meta_data: format::ColumnMetaData {
            physical_type: format::PhysicalType::ByteArray,
            encodings: encoded(&vec![
                format::Encoding::Plain,
                format::Encoding::Rle,
                format::Encoding::RleDictionary,
            ]),
            path_in_schema: Some(encoded(&vec!["text".into()])),
            codec: format::CompressionCodec::Snappy,
            num_values: 1,
            total_uncompressed_size: 2,
            total_compressed_size: 3,
            data_page_offset: 4,
            index_page_offset: Some(5),
            dictionary_page_offset: Some(6),
            statistics: Some(encoded(&statistics)),
            encoding_stats: Some(encoded(&pages.to_vec())),
            bloom_filter_offset: Some(7),
            bloom_filter_length: Some(8),
            size_statistics: Some(encoded(&format::SizeStatistics {
                unencoded_byte_array_data_bytes: Some(9),
                repetition_level_histogram: Some(vec![10]),
                definition_level_histogram: Some(vec![11, 12]),
                ..Default::default()
            })),
            ..Default::default()
        },
        offset_index_offset: Some(13),
        offset_index_length: Some(14),
        column_index_offset: Some(15),
        column_index_length: Some(16),
        ..Default::default()
    };
    let row_group = format::RowGroup {
        columns: vec![encoded(&chunk)],
        total_byte_size: 18,
        num_rows: 17,
        sorting_columns: Some(vec![format::SortingColumn {
            column_idx: 0,
            descending: true,
            nulls_first: false,
            ..Default::default()
        }]),
        file_offset: Some(19),
        total_compressed_size: Some(3),
        ordinal: Some(0),
        ..Default::default()
    };
    let pair = |key: &'static str, value: Option<&'static str>| format::KeyValue {
        key: key.into(),
        value: value.map(Bytes::from),
        ..Default::default()
    };
    let root = format::SchemaElement {
        name: "schema".into(),
        num_children: Some(1),
        ..Default::default()
    };
    let leaf = format::SchemaElement {
        physical_type: Some(format::PhysicalType::ByteArray),
        repetition_type: Some(format::FieldRepetitionType::Optional),
        name: "text".into(),
        field_id: Some(41),
        ..Default::default()
    };
    format::FileMetaData {
        version: 2,
        schema: vec![root, leaf],
        num_rows: 17,
        row_groups: vec![row_group],
        key_value_metadata: Some(vec![pair("key", Some("value")), pair("alone", None)]),
        created_by: Some("somebody".into()),
        column_orders: Some(vec![format::ColumnOrder::TypeOrder(Default::default())]),
        ..Default::default()
    }
}

#[test]
fn both_crates_read_what_the_other_writes() {
    assert_eq!(written(&theirs()), ours());
    let read = read(&ours());
    assert_eq!(read.file_metadata(), theirs().file_metadata());
    assert_eq!(read.row_groups(), theirs().row_groups());
}

/// Returns the statistics that a chunk of one column has in a footer of the crate `parquet`.
fn of_statistics(
    physical: PhysicalType,
    statistics: parquet::file::statistics::Statistics,
) -> format::Statistics {
    let leaf = Type::primitive_type_builder("x", physical);
    let schema = schema(vec![leaf.build().unwrap()]);
    let chunk = ColumnChunkMetaData::builder(schema.column(0)).set_statistics(statistics);
    let row_group = RowGroupMetaData::builder(Arc::clone(&schema))
        .set_column_metadata(vec![chunk.build().unwrap()]);
    let file = FileMetaData::new(1, 0, None, None, schema, None);
    let file = written(&ParquetMetaData::new(
        file,
        vec![row_group.build().unwrap()],
    ));
    let chunk = file.row_groups[0].columns[0].decode();
    chunk
        .unwrap()
        .meta_data
        .statistics
        .unwrap()
        .decode()
        .unwrap()
}

#[test]
fn statistics_of_old_and_of_new_readers_are_told_apart() {
    let numbers = ValueStatistics::new(Some(-5_i64), Some(7), None, None, true);
    let statistics = of_statistics(PhysicalType::INT64, numbers.into());
    let bytes = |number: i64| Some(Bytes::copy_from_slice(&number.to_le_bytes()));
    assert_eq!((statistics.min, statistics.max), (bytes(-5), bytes(7)));
    assert_eq!((statistics.min_value, statistics.max_value), (None, None));

    let floats = ValueStatistics::new(Some(0.5_f64), None, None, Some(3), false);
    let statistics = of_statistics(PhysicalType::DOUBLE, floats.with_nan_count(Some(4)).into());
    let least = Bytes::copy_from_slice(&0.5_f64.to_le_bytes());
    assert_eq!(
        (statistics.min_value, statistics.max_value),
        (Some(least), None)
    );
    assert_eq!(
        (statistics.null_count, statistics.nan_count),
        (Some(3), Some(4))
    );
}

/// Returns leaves of the crate `parquet`, with their logical types in this crate.
fn leaves() -> Vec<(Type, format::LogicalType)> {
    use LogicalType as Theirs;
    use PhysicalType::{BYTE_ARRAY, FIXED_LEN_BYTE_ARRAY, INT32, INT64};
    use format::LogicalType as Ours;
    let time = |utc, unit| format::TimeType {
        is_adjusted_to_utc: utc,
        unit,
        ..Default::default()
    };
    let timestamp = |utc, unit| format::TimestampType {
        is_adjusted_to_utc: utc,
        unit,
        ..Default::default()
    };
    let millis = format::TimeUnit::Millis(Default::default());
    let micros = format::TimeUnit::Micros(Default::default());
    let nanos = format::TimeUnit::Nanos(Default::default());
    let decimal = format::DecimalType {
        scale: 3,
        precision: 17,
        ..Default::default()
    };
    let integer = format::IntType {
        bit_width: 16,
        is_signed: false,
        ..Default::default()
    };
    let geometry = format::GeometryType {
        crs: Some("here".into()),
        ..Default::default()
    };
    let geography = format::GeographyType {
        crs: Some("there".into()),
        algorithm: Some(format::EdgeInterpolationAlgorithm::Andoyer),
        ..Default::default()
    };
    let andoyer = Some(EdgeInterpolationAlgorithm::ANDOYER);
    let leaves = [
        (
            BYTE_ARRAY,
            -1,
            Theirs::String,
            Ours::Text(Default::default()),
        ),
        (BYTE_ARRAY, -1, Theirs::Enum, Ours::Enum(Default::default())),
        (INT64, -1, Theirs::decimal(3, 17), Ours::Decimal(decimal)),
        (INT32, -1, Theirs::Date, Ours::Date(Default::default())),
        (
            INT32,
            -1,
            Theirs::time(true, TimeUnit::MILLIS),
            Ours::Time(time(true, millis)),
        ),
        (
            INT64,
            -1,
            Theirs::time(false, TimeUnit::NANOS),
            Ours::Time(time(false, nanos)),
        ),
        (
            INT64,
            -1,
            Theirs::timestamp(false, TimeUnit::MICROS),
            Ours::Timestamp(timestamp(false, micros)),
        ),
        (
            INT32,
            -1,
            Theirs::integer(16, false),
            Ours::Integer(integer),
        ),
        (INT32, -1, Theirs::Unknown, Ours::Null(Default::default())),
        (BYTE_ARRAY, -1, Theirs::Json, Ours::Json(Default::default())),
        (BYTE_ARRAY, -1, Theirs::Bson, Ours::Bson(Default::default())),
        (
            FIXED_LEN_BYTE_ARRAY,
            16,
            Theirs::Uuid,
            Ours::Uuid(Default::default()),
        ),
        (
            FIXED_LEN_BYTE_ARRAY,
            2,
            Theirs::Float16,
            Ours::Float16(Default::default()),
        ),
        (
            BYTE_ARRAY,
            -1,
            Theirs::geometry(Some("here".into())),
            Ours::Geometry(geometry),
        ),
        (
            BYTE_ARRAY,
            -1,
            Theirs::geography(Some("there".into()), andoyer),
            Ours::Geography(geography),
        ),
    ];
    let leaves = leaves.into_iter().map(|(physical, length, theirs, ours)| {
        let leaf = Type::primitive_type_builder("leaf", physical)
            .with_repetition(Repetition::REQUIRED)
            .with_length(length)
            .with_precision(if physical == INT64 { 17 } else { -1 })
            .with_scale(if physical == INT64 { 3 } else { -1 })
            .with_logical_type(Some(theirs));
        (leaf.build().unwrap(), ours)
    });
    leaves.collect()
}

#[test]
fn logical_types_are_the_same() {
    for (leaf, ours) in leaves() {
        let theirs = schema(vec![leaf]);
        let file = FileMetaData::new(1, 0, None, None, Arc::clone(&theirs), None);
        let file = written(&ParquetMetaData::new(file, Vec::new()));
        let logical = file.schema[1].logical_type.as_ref().unwrap();
        assert_eq!(logical.decode().unwrap(), ours);
        assert_eq!(*logical, encoded(&ours));
        let read = read(&file);
        assert_eq!(read.file_metadata().schema_descr(), &*theirs);
    }
}

#[test]
fn groups_have_the_other_logical_types() {
    use format::LogicalType as Ours;
    let variant = format::VariantType {
        specification_version: Some(1),
        ..Default::default()
    };
    for (theirs, ours) in [
        (LogicalType::List, Ours::List(Default::default())),
        (LogicalType::Map, Ours::Map(Default::default())),
        (LogicalType::variant(Some(1)), Ours::Variant(variant)),
        (LogicalType::File, Ours::File(Default::default())),
    ] {
        let leaf = Type::primitive_type_builder("inline", PhysicalType::BYTE_ARRAY).build();
        let group = Type::group_type_builder("group")
            .with_repetition(Repetition::OPTIONAL)
            .with_fields(vec![Arc::new(leaf.unwrap())])
            .with_logical_type(Some(theirs));
        let schema = schema(vec![group.build().unwrap()]);
        let file = FileMetaData::new(1, 0, None, None, schema, None);
        let file = written(&ParquetMetaData::new(file, Vec::new()));
        assert_eq!(file.schema[1].num_children, Some(1));
        assert_eq!(file.schema[1].logical_type, Some(encoded(&ours)));
    }
}

#[test]
fn converted_types_and_lengths_are_the_same() {
    let leaf = Type::primitive_type_builder("leaf", PhysicalType::FIXED_LEN_BYTE_ARRAY)
        .with_repetition(Repetition::REPEATED)
        .with_length(9)
        .with_converted_type(ConvertedType::DECIMAL)
        .with_precision(18)
        .with_scale(4);
    let schema = schema(vec![leaf.build().unwrap()]);
    let file = FileMetaData::new(1, 0, None, None, schema, None);
    let file = written(&ParquetMetaData::new(file, Vec::new()));
    let expected = format::SchemaElement {
        physical_type: Some(format::PhysicalType::FixedLenByteArray),
        type_length: Some(9),
        repetition_type: Some(format::FieldRepetitionType::Repeated),
        name: "leaf".into(),
        converted_type: Some(format::ConvertedType::Decimal),
        scale: Some(4),
        precision: Some(18),
        ..Default::default()
    };
    let found = &file.schema[1];
    let logical_type = found.logical_type.clone();
    assert_eq!(
        *found,
        format::SchemaElement {
            logical_type,
            ..expected
        }
    );
}

/// Both crates use the same names for the same numbers.
#[test]
fn enums_are_the_same() {
    macro_rules! same {
        ($theirs:ty, $ours:ty, $($theirs_name:ident $name:ident,)*) => { $(
            let (theirs, ours) = (<$theirs>::$theirs_name as i32, i32::from(<$ours>::$name));
            assert_eq!(theirs, ours, stringify!($name));
            assert_eq!(<$ours>::from(theirs), <$ours>::$name);
        )* };
    }
    same!(PhysicalType, format::PhysicalType,
        BOOLEAN Boolean, INT32 Int32, INT64 Int64, INT96 Int96, FLOAT Float, DOUBLE Double,
        BYTE_ARRAY ByteArray, FIXED_LEN_BYTE_ARRAY FixedLenByteArray,);
    same!(ConvertedType, format::ConvertedType,
        UTF8 Utf8, MAP Map, MAP_KEY_VALUE MapKeyValue, LIST List, ENUM Enum, DECIMAL Decimal,
        DATE Date, TIME_MILLIS TimeMillis, TIME_MICROS TimeMicros,
        TIMESTAMP_MILLIS TimestampMillis, TIMESTAMP_MICROS TimestampMicros,
        UINT_8 Uint8, UINT_16 Uint16, UINT_32 Uint32, UINT_64 Uint64,
        INT_8 Int8, INT_16 Int16, INT_32 Int32, INT_64 Int64,
        JSON Json, BSON Bson, INTERVAL Interval,);
    same!(Repetition, format::FieldRepetitionType,
        REQUIRED Required, OPTIONAL Optional, REPEATED Repeated,);
    same!(Encoding, format::Encoding,
        PLAIN Plain, PLAIN_DICTIONARY PlainDictionary, RLE Rle,
        DELTA_BINARY_PACKED DeltaBinaryPacked, DELTA_LENGTH_BYTE_ARRAY DeltaLengthByteArray,
        DELTA_BYTE_ARRAY DeltaByteArray, RLE_DICTIONARY RleDictionary,
        BYTE_STREAM_SPLIT ByteStreamSplit, ALP Alp,);
    same!(parquet::basic::CompressionCodec, format::CompressionCodec,
        UNCOMPRESSED Uncompressed, SNAPPY Snappy, GZIP Gzip, LZO Lzo, BROTLI Brotli, LZ4 Lz4,
        ZSTD Zstd, LZ4_RAW Lz4Raw,);
    same!(PageType, format::PageType,
        DATA_PAGE DataPage, INDEX_PAGE IndexPage, DICTIONARY_PAGE DictionaryPage,
        DATA_PAGE_V2 DataPageV2,);
    same!(parquet::basic::BoundaryOrder, format::BoundaryOrder,
        UNORDERED Unordered, ASCENDING Ascending, DESCENDING Descending,);
}

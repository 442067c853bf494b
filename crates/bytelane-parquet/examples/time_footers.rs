//! Measures the time to read footers with this crate and with the crate `parquet`.
//!
//! ```sh
//! cargo run --release -p bytelane-parquet --example time_footers [COLUMNS]
//! ```
//!
//! With a number of columns, only footers with as many are measured.

use bytelane_measure::clock::Clock;
use bytelane_measure::rounds::{Measurement, Rounds, Subject};
use bytelane_parquet::format::{self, ChunkView, ElementView, FileMetaData, FileView, decode};
use bytelane_parquet::{ReaderBuilder, Result};
use bytes::Bytes;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::arrow::{ARROW_SCHEMA_META_KEY, encode_arrow_schema, parquet_to_arrow_schema};
use parquet::basic::{Compression, Encoding, PageType, Repetition, Type as PhysicalType};
use parquet::data_type::ByteArray;
use parquet::file::metadata::{
    ColumnChunkMetaData, FileMetaData as TheirFile, KeyValue, LevelHistogram, PageEncodingStats,
    ParquetMetaData, ParquetMetaDataOptions, ParquetMetaDataReader, ParquetMetaDataWriter,
    ParquetStatisticsPolicy, RowGroupMetaData,
};
use parquet::file::statistics::{Statistics, ValueStatistics};
use parquet::schema::types::{ColumnDescPtr, SchemaDescriptor, Type};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let wanted = std::env::args().nth(1).map(|it| it.parse::<usize>());
    let wanted = wanted.transpose()?;
    println!("footer\tKiB\tsubject\tms\tspeedup");
    for (columns, row_groups, arrow_schema) in [
        (10, 1, false),
        (100, 10, false),
        (10_000, 1, false),
        (10_000, 1, true),
        (1_000, 100, false),
    ] {
        if wanted.is_some_and(|wanted| wanted != columns) {
            continue;
        }
        let metadata = metadata(columns, row_groups, arrow_schema)?;
        let name = if arrow_schema {
            format!("{columns} columns, {row_groups} row groups, Arrow schema")
        } else {
            format!("{columns} columns, {row_groups} row groups")
        };
        for measured in measure(&metadata)? {
            for subject in &measured {
                println!(
                    "{name}\t{}\t{}\t{:.3}\t{:.2}",
                    footer(&metadata)?.len() / 1024,
                    subject.name,
                    subject.nanoseconds / 1e6,
                    measured[0].nanoseconds / subject.nanoseconds,
                );
            }
        }
    }
    Ok(())
}

/// Measures three groups of subjects: parsing a footer, opening a file up to a reader of all
/// columns, and the same for a reader of three columns. The crate `parquet` parses all columns in
/// the last case, but can skip the statistics.
fn measure(metadata: &ParquetMetaData) -> Result<[Vec<Measurement>; 3]> {
    let schema = metadata.file_metadata().schema_descr_ptr();
    let footer = footer(metadata)?;
    let chunks = metadata.num_row_groups() * schema.num_columns();
    assert_eq!(read(&footer)?, chunks);
    assert_eq!(view(&footer), Some(chunks));
    let given = ParquetMetaDataOptions::new().with_schema(Arc::clone(&schema));
    let theirs = |options| {
        let read = ParquetMetaDataReader::decode_metadata_with_options(&footer, options);
        black_box(read).expect("a footer");
    };
    let rounds = Rounds {
        clock: Clock::ThreadCpu,
        rounds: 31,
        sample: Duration::from_millis(50),
    };
    let parsers = rounds.measure(vec![
        Subject::new("parquet", |_| theirs(None)),
        Subject::new("parquet, schema given", |_| theirs(Some(&given))),
        Subject::new("bytelane, for rewriting", |_| {
            black_box(read(&footer)).expect("a footer");
        }),
        Subject::new("bytelane, for reading", |_| {
            black_box(view(&footer)).expect("a footer");
        }),
    ]);
    let mut file = b"PAR1".to_vec();
    ParquetMetaDataWriter::new(&mut file, metadata).finish()?;
    let file = Bytes::from(file);
    let open = |options| {
        black_box(ArrowReaderMetadata::load(&file, options)).expect("a footer");
    };
    let opened = rounds.measure(vec![
        Subject::new("parquet, opened", |_| open(ArrowReaderOptions::new())),
        Subject::new("bytelane, opened", |_| {
            black_box(ReaderBuilder::try_new(file.clone())).expect("a footer");
        }),
    ]);
    let all = schema.num_columns();
    let names = [0, all / 2, all - 1].map(|column| schema.column(column).path().string());
    let without_statistics = || {
        ArrowReaderOptions::new()
            .with_column_stats_policy(ParquetStatisticsPolicy::SkipAll)
            .with_encoding_stats_policy(ParquetStatisticsPolicy::SkipAll)
            .with_size_stats_policy(ParquetStatisticsPolicy::SkipAll)
    };
    let three = rounds.measure(vec![
        Subject::new("parquet, all columns for three", |_| {
            open(ArrowReaderOptions::new());
        }),
        Subject::new("parquet, without statistics", |_| {
            open(without_statistics());
        }),
        Subject::new("bytelane, three columns", |_| {
            let names = names.iter().map(String::as_str);
            let opened = ReaderBuilder::try_new_with_columns(file.clone(), names);
            black_box(opened).expect("a footer");
        }),
    ]);
    Ok([parsers, opened, three])
}

/// Decodes a footer to structs that keep everything, with each chunk and its statistics. Lists
/// remain encoded. Returns the number of chunks with statistics.
fn read(footer: &Bytes) -> Result<usize> {
    let file: FileMetaData = decode(footer)?;
    let mut with_statistics = 0;
    for chunk in file.row_groups.iter().flat_map(|group| &group.columns) {
        let chunk = chunk.decode()?;
        let chunk = &black_box(&chunk).meta_data;
        if let Some(sizes) = &chunk.size_statistics {
            black_box(&sizes.decode()?);
        }
        if let Some(statistics) = &chunk.statistics {
            with_statistics += usize::from(black_box(&statistics.decode()?).null_count.is_some());
        }
    }
    Ok(with_statistics)
}

/// Decodes a footer to structs that borrow from it, with each chunk and its statistics. Lists are
/// checked. Returns the number of chunks with statistics.
fn view(footer: &Bytes) -> Option<usize> {
    let file: FileView<'_, ElementView<'_>> = format::view(footer)?;
    let mut with_statistics = 0;
    for chunk in file
        .row_groups
        .value
        .iter()
        .flat_map(|group| &group.columns)
    {
        let chunk: ChunkView<'_> = format::view(chunk.bytes(footer))?;
        let statistics = black_box(&chunk).meta_data.statistics.as_ref();
        with_statistics += usize::from(statistics.is_some_and(|it| it.null_count.is_some()));
    }
    Some(with_statistics)
}

fn footer(metadata: &ParquetMetaData) -> Result<Bytes> {
    let mut file = Vec::new();
    ParquetMetaDataWriter::new(&mut file, metadata).finish()?;
    file.truncate(file.len() - 8);
    Ok(file.into())
}

/// Returns metadata of integer, float and string columns in turn, with the fields that a writer
/// sets by default.
fn metadata(columns: usize, row_groups: usize, arrow_schema: bool) -> Result<ParquetMetaData> {
    let types = [
        PhysicalType::INT64,
        PhysicalType::DOUBLE,
        PhysicalType::BYTE_ARRAY,
    ];
    let leaves = (0..columns).map(|column| {
        let name = format!("column_{column}");
        let leaf = Type::primitive_type_builder(&name, types[column % types.len()]);
        Ok(Arc::new(
            leaf.with_repetition(Repetition::OPTIONAL).build()?,
        ))
    });
    let schema = Type::group_type_builder("schema").with_fields(leaves.collect::<Result<_>>()?);
    let schema = Arc::new(SchemaDescriptor::new(Arc::new(schema.build()?)));
    let groups = (0..row_groups).map(|group| {
        let chunks = schema.columns().iter().enumerate();
        let chunks = chunks.map(|(column, leaf)| chunk(leaf, group * columns + column));
        let group = RowGroupMetaData::builder(Arc::clone(&schema))
            .set_num_rows(1 << 20)
            .set_column_metadata(chunks.collect::<Result<_>>()?);
        Ok(group.build()?)
    });
    let groups = groups.collect::<Result<_>>()?;
    let created_by = Some("bytelane".to_owned());
    let rows = (row_groups as i64) << 20;
    let pairs = arrow_schema.then(|| -> Result<_> {
        let encoded = encode_arrow_schema(&parquet_to_arrow_schema(&schema, None)?);
        Ok(vec![KeyValue::new(
            ARROW_SCHEMA_META_KEY.to_owned(),
            encoded,
        )])
    });
    let pairs = pairs.transpose()?;
    let file = TheirFile::new(2, rows, created_by, pairs, Arc::clone(&schema), None);
    Ok(ParquetMetaData::new(file, groups))
}

fn chunk(leaf: &ColumnDescPtr, index: usize) -> Result<ColumnChunkMetaData> {
    let statistics: Statistics = match leaf.physical_type() {
        PhysicalType::INT64 => {
            ValueStatistics::new(Some(-(index as i64)), Some(1 << 40), None, Some(17), false).into()
        }
        PhysicalType::DOUBLE => {
            ValueStatistics::new(Some(-0.5), Some(index as f64), None, Some(0), false).into()
        }
        _ => {
            let bounds = ["a first text", "the last text"].map(|it| Some(ByteArray::from(it)));
            let [least, most] = bounds;
            ValueStatistics::new(least, most, None, Some(3), false).into()
        }
    };
    let pages = [
        (PageType::DICTIONARY_PAGE, Encoding::PLAIN, 1),
        (PageType::DATA_PAGE, Encoding::RLE_DICTIONARY, 53),
    ];
    let pages = pages.map(|(page_type, encoding, count)| PageEncodingStats {
        page_type,
        encoding,
        count,
    });
    let offset = 4 + ((index as i64) << 20);
    let chunk = ColumnChunkMetaData::builder(Arc::clone(leaf))
        .set_compression(Compression::SNAPPY)
        .set_encodings(vec![
            Encoding::PLAIN,
            Encoding::RLE,
            Encoding::RLE_DICTIONARY,
        ])
        .set_num_values(1 << 20)
        .set_total_compressed_size(1 << 19)
        .set_total_uncompressed_size(1 << 20)
        .set_dictionary_page_offset(Some(offset))
        .set_data_page_offset(offset + 1000)
        .set_statistics(statistics)
        .set_page_encoding_stats(pages.to_vec())
        .set_definition_level_histogram(Some(LevelHistogram::from(vec![17, (1 << 20) - 17])));
    Ok(chunk.build()?)
}

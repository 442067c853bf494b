//! Measures how long footers take to read: here, and with the crate `parquet`. Whatever that crate decodes is decoded, down
//! to the statistics of each chunk; the lists of encodings and paths, which are structs in memory here, also apart.
//!
//! ```sh
//! cargo run --release -p bytelane-parquet --example time_footers
//! ```

use bytelane_measure::clock::Clock;
use bytelane_measure::rounds::{Rounds, Subject};
use bytelane_parquet::Result;
use bytelane_parquet::format::{FileMetaData, decode};
use bytes::Bytes;
use parquet::basic::{Compression, Encoding, PageType, Repetition, Type as PhysicalType};
use parquet::data_type::ByteArray;
use parquet::file::metadata::{
    ColumnChunkMetaData, FileMetaData as TheirFile, LevelHistogram, PageEncodingStats,
    ParquetMetaData, ParquetMetaDataOptions, ParquetMetaDataReader, ParquetMetaDataWriter,
    RowGroupMetaData,
};
use parquet::file::statistics::{Statistics, ValueStatistics};
use parquet::schema::types::{ColumnDescPtr, SchemaDescriptor, Type};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    println!("footer\tKiB\tsubject\tms\tspeedup");
    for (columns, row_groups) in [(10, 1), (100, 10), (10_000, 1), (1_000, 100)] {
        let metadata = metadata(columns, row_groups)?;
        let schema = metadata.file_metadata().schema_descr_ptr();
        let footer = footer(&metadata)?;
        assert_eq!(read(&footer, true)?, columns * row_groups);
        let options = ParquetMetaDataOptions::new().with_schema(schema);
        let theirs = |options| {
            let read = ParquetMetaDataReader::decode_metadata_with_options(&footer, options);
            black_box(read).expect("a footer");
        };
        let rounds = Rounds {
            clock: Clock::ThreadCpu,
            rounds: 31,
            sample: Duration::from_millis(50),
        };
        let measured = rounds.measure(vec![
            Subject::new("parquet", |_| theirs(None)),
            Subject::new("parquet, schema given", |_| theirs(Some(&options))),
            Subject::new("bytelane", |_| {
                black_box(read(&footer, false)).expect("a footer");
            }),
            Subject::new("bytelane, and lists", |_| {
                black_box(read(&footer, true)).expect("a footer");
            }),
        ]);
        for subject in &measured {
            println!(
                "{columns} columns, {row_groups} row groups\t{}\t{}\t{:.3}\t{:.2}",
                footer.len() / 1024,
                subject.name,
                subject.nanoseconds / 1e6,
                measured[0].nanoseconds / subject.nanoseconds,
            );
        }
    }
    Ok(())
}

/// Decodes a footer, each chunk and its statistics; returns how many chunks have some. Lists of encodings are decoded on
/// request.
fn read(footer: &Bytes, lists: bool) -> Result<usize> {
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
        if lists {
            black_box(&chunk.encodings.decode()?);
            let pages = chunk.encoding_stats.as_ref();
            black_box(&pages.map(|it| it.decode()).transpose()?);
            let path = chunk.path_in_schema.as_ref();
            black_box(&path.map(|it| it.decode()).transpose()?);
        }
    }
    Ok(with_statistics)
}

fn footer(metadata: &ParquetMetaData) -> Result<Bytes> {
    let mut file = Vec::new();
    ParquetMetaDataWriter::new(&mut file, metadata).finish()?;
    file.truncate(file.len() - 8);
    Ok(file.into())
}

/// Numbers, floats and texts in turns, with what a writer says of them by default.
fn metadata(columns: usize, row_groups: usize) -> Result<ParquetMetaData> {
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
    let file = TheirFile::new(2, rows, created_by, None, Arc::clone(&schema), None);
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
    let offset = (index as i64) << 20;
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

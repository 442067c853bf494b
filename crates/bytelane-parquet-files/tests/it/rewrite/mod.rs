//! Tests `rewrite`: what changes, what stays, and how errors affect the file.

use arrow_array::builder::{Float64Builder, ListBuilder};
use arrow_array::{
    ArrayRef, Decimal128Array, Float32Array, Float64Array, Int64Array, RecordBatch, StringArray,
    UInt32Array,
};
use bytelane_parquet::{
    DataPageVersion, Encoding, Goal, Problem, Writer, WriterOptions, parse_compression,
};
use bytelane_parquet_files::inspect::{Inspection, inspect_reader};
use bytelane_parquet_files::rewrite::{RewriteOptions, Rewritten, rewrite, rewrite_bytes};
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::file::metadata::{
    PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader, SortingColumn,
};
use parquet::file::properties::ReaderProperties;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::serialized_reader::ReadOptionsBuilder;
use std::fs;
use std::num::NonZero;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

mod damaged;
mod deep;
mod files;
mod names;
mod physical;

const ROWS: i64 = 5000;
const GROUPS: usize = 3;

fn float(row: i64) -> f64 {
    match row % 97 {
        0 => f64::NAN,
        1 => -0.0,
        2 => 0.0,
        _ => 20.0 + (row as f64 / 100.0).sin(),
    }
}

/// Returns columns of several types; half of them have nulls.
fn batch() -> RecordBatch {
    let rows = || 0..ROWS;
    let optional = |row: i64| (row % 7 != 3).then(|| float(row));
    let mut lists = ListBuilder::new(Float64Builder::new());
    for row in rows() {
        match row % 5 {
            0 => lists.append_null(),
            length => lists.append_value((0..length - 1).map(|at| optional(row + at))),
        }
    }
    let decimals = Decimal128Array::from_iter_values(rows().map(|row| i128::from(row * row)));
    let decimals = decimals.with_precision_and_scale(12, 2).unwrap();
    let columns: [(&str, ArrayRef); 7] = [
        (
            "double",
            Arc::new(Float64Array::from_iter_values(rows().map(float))),
        ),
        (
            "float",
            Arc::new(Float32Array::from_iter(
                rows().map(|row| optional(row).map(|v| v as f32)),
            )),
        ),
        (
            "time",
            Arc::new(Int64Array::from_iter_values(
                rows().map(|row| 1_600_000_000 + 60 * row),
            )),
        ),
        (
            "unsigned",
            Arc::new(UInt32Array::from_iter_values(
                rows().map(|row| (row as u32).wrapping_mul(2_654_435_761)),
            )),
        ),
        ("decimal", Arc::new(decimals)),
        (
            "name",
            Arc::new(StringArray::from_iter_values(
                rows().map(|row| format!("name {}", row % 50)),
            )),
        ),
        ("list", Arc::new(lists.finish())),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true)))
        .unwrap()
}

/// Writes a file with the crate `parquet` that has everything a file can have.
fn file(version: WriterVersion) -> Bytes {
    let properties = WriterProperties::builder()
        .set_writer_version(version)
        .set_compression(Compression::SNAPPY)
        .set_statistics_enabled(EnabledStatistics::Page)
        .set_data_page_row_count_limit(1000)
        .set_write_batch_size(500)
        .set_bloom_filter_enabled(true)
        .set_sorting_columns(Some(vec![SortingColumn {
            column_idx: 2,
            descending: false,
            nulls_first: true,
        }]))
        .set_max_row_group_row_count(Some(ROWS as usize / GROUPS + 1))
        .set_created_by("a test".to_owned())
        .build();
    let batch = batch();
    let mut file = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut file, batch.schema(), Some(properties)).unwrap();
    writer.append_key_value_metadata(parquet::file::metadata::KeyValue::new(
        "station".to_owned(),
        "north".to_owned(),
    ));
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    file.into()
}

fn metadata(file: &Bytes) -> ParquetMetaData {
    ParquetMetaDataReader::new()
        .with_page_index_policy(PageIndexPolicy::Required)
        .parse_and_finish(file)
        .unwrap()
}

fn values(file: &Bytes) -> Vec<RecordBatch> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(file.clone()).unwrap();
    let batches = reader.with_batch_size(ROWS as usize).build().unwrap();
    batches.map(Result::unwrap).collect()
}

fn columns(
    inspection: &Inspection,
) -> impl Iterator<Item = &bytelane_parquet_files::inspect::Column> {
    inspection
        .row_groups
        .iter()
        .flat_map(|group| &group.columns)
}

/// Returns options that change the encoding of every column.
fn other_encodings() -> RewriteOptions {
    RewriteOptions::default()
        .with_column_encoding("double", Encoding::ByteStreamSplit)
        .with_column_encoding("float", Encoding::ByteStreamSplit)
        .with_column_encoding("time", Encoding::DeltaBinaryPacked)
        .with_column_encoding("unsigned", Encoding::ByteStreamSplit)
        .with_column_encoding("decimal", Encoding::Plain)
        .with_column_encoding("name", Encoding::DeltaByteArray)
        .with_column_encoding("list", Encoding::ByteStreamSplit)
        .with_verify(true)
}

/// Asserts that everything is kept that must not change.
fn assert_kept(before: &Bytes, after: &Bytes) {
    assert_eq!(values(before), values(after));
    let (old, new) = (metadata(before), metadata(after));
    let (old_file, new_file) = (old.file_metadata(), new.file_metadata());
    assert_eq!(old_file.schema(), new_file.schema());
    assert_eq!(old_file.key_value_metadata(), new_file.key_value_metadata());
    assert_eq!(old_file.created_by(), new_file.created_by());
    assert_eq!(old_file.version(), new_file.version());
    assert_eq!(old_file.column_orders(), new_file.column_orders());
    assert_eq!(old.num_row_groups(), new.num_row_groups());
    for (group, (one, other)) in old.row_groups().iter().zip(new.row_groups()).enumerate() {
        assert_eq!(one.num_rows(), other.num_rows());
        assert_eq!(one.sorting_columns(), other.sorting_columns());
        assert_eq!(one.ordinal(), other.ordinal());
        let uncompressed = other
            .columns()
            .iter()
            .map(|column| column.uncompressed_size())
            .sum::<i64>();
        assert_eq!(other.total_byte_size(), uncompressed);
        for (column, (one, other)) in one.columns().iter().zip(other.columns()).enumerate() {
            let place = format!("row group {group}, column {}", one.column_path());
            assert_eq!(one.statistics(), other.statistics(), "{place}");
            assert_eq!(one.num_values(), other.num_values(), "{place}");
            let index = |file: &ParquetMetaData| {
                let index = file.page_index().unwrap();
                (
                    index.column_index(group, column).is_some(),
                    index.offset_index(group, column).is_some(),
                )
            };
            assert_eq!(index(&old), index(&new), "{place}");
            assert_index_is_true(after, &new, group, column, &place);
        }
        assert_eq!(bloom_filters(before, group), bloom_filters(after, group));
    }
}

/// Asserts that the offset index refers to pages, and that the column index has valid bounds for their
/// values.
fn assert_index_is_true(
    file: &Bytes,
    metadata: &ParquetMetaData,
    group: usize,
    column: usize,
    place: &str,
) {
    let index = metadata.page_index().unwrap();
    let Some(offsets) = index.offset_index(group, column) else {
        return;
    };
    let inspection = inspect_reader(file).unwrap();
    let pages = &inspection.row_groups[group].columns[column].pages;
    let pages: Vec<_> = pages
        .iter()
        .filter(|page| page.kind != "dictionary")
        .collect();
    let locations = offsets.page_locations();
    assert_eq!(locations.len(), pages.len(), "{place}");
    for (location, page) in locations.iter().zip(&pages) {
        assert_eq!(location.offset as u64, page.offset, "{place}");
        assert_eq!(
            location.compressed_page_size as u64, page.compressed,
            "{place}"
        );
    }
    if let Some(bounds) = index.column_index(group, column) {
        assert_eq!(bounds.num_pages() as usize, pages.len(), "{place}");
    }
}

/// Looks up some values in the Bloom filters of a row group.
fn bloom_filters(file: &Bytes, group: usize) -> Vec<Option<[bool; 3]>> {
    let options = ReadOptionsBuilder::new()
        .with_reader_properties(
            ReaderProperties::builder()
                .set_read_bloom_filter(true)
                .build(),
        )
        .build();
    let reader = SerializedFileReader::new_with_options(file.clone(), options).unwrap();
    let group = reader.get_row_group(group).unwrap();
    let columns = 0..group.num_columns();
    let filters = columns.map(|column| {
        let filter = group.get_column_bloom_filter(column)?;
        Some([
            filter.check(&"name 7"),
            filter.check(&"nobody"),
            filter.check(&1_600_000_060_i64),
        ])
    });
    filters.collect()
}

#[test]
fn everything_but_the_pages_stays() {
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        let before = file(version);
        let (after, rewritten) = rewrite_bytes(before.clone(), &other_encodings()).unwrap();
        assert!(rewritten.verified);
        assert!(
            rewritten
                .columns
                .iter()
                .all(|column| column.rewritten == GROUPS),
            "{rewritten:?}"
        );
        assert_eq!(rewritten.bytes_after, after.len() as u64);
        assert_kept(&before, &after);
        let inspection = inspect_reader(&after).unwrap();
        let wanted = [
            "byte_stream_split",
            "byte_stream_split",
            "delta_binary_packed",
            "byte_stream_split",
            "plain",
            "delta_byte_array",
            "byte_stream_split",
        ];
        for (index, column) in columns(&inspection).enumerate() {
            assert_eq!(
                column.encodings,
                [wanted[index % wanted.len()]],
                "{}",
                column.path
            );
            assert_eq!(column.compression, "snappy");
            let kind = match version {
                WriterVersion::PARQUET_1_0 => "data",
                WriterVersion::PARQUET_2_0 => "data_v2",
            };
            assert!(
                column.pages.iter().all(|page| page.kind == kind),
                "{}",
                column.path
            );
        }
    }
}

#[test]
fn what_gains_nothing_is_copied_byte_for_byte() {
    let options = WriterOptions::default()
        .with_encoding(Encoding::Plain)
        .with_compression(Compression::UNCOMPRESSED);
    // Bits that look random.
    let mixed = (0..ROWS).map(|row| (row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mixed =
        mixed.map(|bits| ((bits ^ (bits >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 1) as i64);
    let batch = RecordBatch::try_from_iter([(
        "random",
        Arc::new(Int64Array::from_iter_values(mixed)) as ArrayRef,
    )]);
    let batch = batch.unwrap();
    let mut before = Vec::new();
    let mut writer = Writer::try_new(&mut before, batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let before = Bytes::from(before);
    let (after, rewritten) = rewrite_bytes(before.clone(), &RewriteOptions::default()).unwrap();
    assert_eq!(rewritten.columns[0].rewritten, 0, "{rewritten:?}");
    assert_eq!(before, after);
}

#[test]
fn automatically_columns_become_smaller_and_rewriting_again_changes_little() {
    let before = file(WriterVersion::PARQUET_1_0);
    let options = RewriteOptions::default().with_goal(Goal::Size);
    let (after, rewritten) = rewrite_bytes(before.clone(), &options).unwrap();
    assert_kept(&before, &after);
    assert!(
        rewritten.bytes_after < rewritten.bytes_before,
        "{rewritten:?}"
    );
    for column in &rewritten.columns {
        assert!(column.after.bytes <= column.before.bytes, "{column:?}");
    }
    let (_, again) = rewrite_bytes(after, &options).unwrap();
    assert_eq!(
        again
            .columns
            .iter()
            .map(|column| column.rewritten)
            .sum::<usize>(),
        0,
        "{again:?}"
    );
}

#[test]
fn another_compression_is_for_all_columns() {
    let before = file(WriterVersion::PARQUET_2_0);
    for name in ["none", "snappy", "lz4_raw", "zstd:3", "gzip:6", "brotli:4"] {
        let options = RewriteOptions::default()
            .with_compression(parse_compression(name).unwrap())
            .with_verify(true);
        let (after, _) = rewrite_bytes(before.clone(), &options).unwrap();
        assert_kept(&before, &after);
        let inspection = inspect_reader(&after).unwrap();
        let codec = name.split(':').next().unwrap();
        for column in columns(&inspection) {
            assert!(
                column.compression.starts_with(codec),
                "{name}: {}",
                column.compression
            );
        }
    }
}

#[test]
fn any_number_of_threads_makes_the_same_file() {
    let before = file(WriterVersion::PARQUET_1_0);
    let with = |threads: usize| {
        let options = other_encodings().with_threads(NonZero::new(threads).unwrap());
        rewrite_bytes(before.clone(), &options).unwrap()
    };
    let one = with(1);
    for threads in [2, 3, 8] {
        assert_eq!(with(threads), one, "{threads} threads");
    }
}

#[test]
fn a_level_is_told_where_it_is_known() {
    let before = file(WriterVersion::PARQUET_1_0);
    let compression = parse_compression("zstd:7").unwrap();
    let options = RewriteOptions::default().with_compression(compression);
    let (after, rewritten) = rewrite_bytes(before, &options).unwrap();
    for column in &rewritten.columns {
        assert_eq!(column.before.compressions, ["snappy"]);
        assert_eq!(column.after.compressions, ["zstd:7"]);
    }
    let (_, again) = rewrite_bytes(after, &RewriteOptions::default()).unwrap();
    for column in &again.columns {
        assert_eq!(column.before.compressions, ["zstd"], "{}", column.path);
    }
}

#[test]
fn a_file_without_rows_and_one_without_row_groups() {
    let empty = batch().slice(0, 0);
    let mut none = Vec::new();
    let writer = ArrowWriter::try_new(&mut none, empty.schema(), None).unwrap();
    writer.close().unwrap();
    let (after, rewritten) = rewrite_bytes(none.clone().into(), &other_encodings()).unwrap();
    assert_eq!(
        (after.as_ref(), rewritten.bytes_after),
        (none.as_slice(), none.len() as u64)
    );
}

#[test]
fn options_that_do_not_fit_the_file_are_errors() {
    let before = file(WriterVersion::PARQUET_1_0);
    let with = |name: &str, encoding| {
        let options = RewriteOptions::default().with_column_encoding(name, encoding);
        rewrite_bytes(before.clone(), &options).unwrap_err()
    };
    let error = with("nosuch", Encoding::Plain);
    assert!(
        matches!(error.problem(), Problem::NoSuchColumn(name) if name == "nosuch"),
        "{error}"
    );
    let error = with("name", Encoding::ByteStreamSplit);
    assert!(
        matches!(error.problem(), Problem::Encoding { .. }),
        "{error}"
    );
    assert_eq!(error.place().column.as_deref(), Some("name"));
}

#[test]
fn files_of_this_crate_keep_the_order_that_readers_know() {
    let batch = batch();
    let mut before = Vec::new();
    let options = WriterOptions::default()
        .with_encoding(Encoding::Plain)
        .with_data_page_version(DataPageVersion::V2);
    let mut writer = Writer::try_new(&mut before, batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let before = Bytes::from(before);
    let (after, _) = rewrite_bytes(before.clone(), &other_encodings()).unwrap();
    assert_kept(&before, &after);
    let inspection = inspect_reader(&after).unwrap();
    assert_eq!(inspection.row_groups[0].columns[0].order, "type_defined");
}

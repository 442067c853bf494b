//! Tests columns whose dictionaries save nothing, and the limits of size and memory.

use super::{Files, properties, read, rows};
use arrow_array::types::{ArrowPrimitiveType, Float32Type, Float64Type, Int32Type, Int64Type};
use arrow_array::{ArrayRef, PrimitiveArray, RecordBatch};
use arrow_select::concat::concat_batches;
use bytelane_parquet_files::merge::{MergeOptions, merge};
use parquet::basic::Compression;
use parquet::file::properties::WriterVersion;
use std::sync::Arc;

fn column<T: ArrowPrimitiveType>(values: impl Iterator<Item = Option<T::Native>>) -> ArrayRef {
    Arc::new(PrimitiveArray::<T>::from_iter(values))
}

/// Returns numbers that differ in all rows, with different shares of nulls.
fn numbers(from: i64) -> RecordBatch {
    let rows = || from..from + 2000;
    // Rows of different files interleave, so that bounds overlap.
    let mixed = |row: i64| row.wrapping_mul(7919) % 1_000_003;
    let columns = [
        ("id", column::<Int64Type>(rows().map(Some))),
        (
            "small",
            column::<Int32Type>(rows().map(|row| (row % 7 > 0).then_some(row as i32))),
        ),
        (
            "mixed",
            column::<Int64Type>(rows().map(|row| (row % 3 > 0).then_some(mixed(row)))),
        ),
        (
            "float",
            column::<Float32Type>(rows().map(|row| Some(mixed(row) as f32))),
        ),
        (
            "double",
            column::<Float64Type>(rows().map(|row| (row % 5 > 0).then_some((row as f64).sin()))),
        ),
        (
            "nulls",
            column::<Int64Type>(rows().map(|row| (from % 4000 == 0).then_some(row))),
        ),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true)))
        .unwrap()
}

#[test]
fn numbers_whose_dictionaries_save_nothing_are_encoded_directly() {
    let kinds = [
        properties(),
        properties().set_compression(Compression::SNAPPY),
        properties().set_compression(Compression::ZSTD(Default::default())),
        // Pages after the first ones have no dictionary.
        properties().set_dictionary_page_size_limit(4000),
        properties()
            .set_writer_version(WriterVersion::PARQUET_2_0)
            .set_compression(Compression::LZ4_RAW),
    ];
    let mut files = Files::new();
    let mut all = Vec::new();
    for at in 0..60 {
        let batch = numbers(2000 * at);
        files.write(&batch, kinds[at as usize % kinds.len()].clone().build());
        all.push(batch);
    }
    let all = concat_batches(&all[0].schema(), &all).unwrap();
    let (merged, file) = files.merged(&MergeOptions::default());
    assert_eq!(read(&file, None), all);
    let encoded = merged.columns.iter().filter(|it| it.pages.encoded > 0);
    assert!(encoded.count() >= 4, "{merged:?}");
    let (_, file) = files.merged(&MergeOptions::default().with_row_group_size(1777));
    assert_eq!(read(&file, None), all);
}

#[test]
fn outputs_are_never_larger_than_inputs() {
    let kinds = [
        properties().set_compression(Compression::SNAPPY),
        properties().set_compression(Compression::ZSTD(Default::default())),
        properties().set_dictionary_enabled(false),
    ];
    for (number, kind) in kinds.into_iter().enumerate() {
        for count in [2, 9, 40] {
            let mut files = Files::new();
            for at in 0..count {
                files.write(&rows(700 * at, 700), kind.clone().build());
            }
            let (merged, _) = files.merged(&MergeOptions::default());
            assert!(
                merged.bytes_after < merged.bytes_before,
                "{number}, {count}: {merged:?}"
            );
            for column in &merged.columns {
                let (before, after) = (column.bytes_before, column.bytes_after);
                assert!(
                    after <= before,
                    "{number}, {count}, {}: {before}, {after}",
                    column.path
                );
            }
        }
    }
}

#[test]
fn memory_is_that_of_two_row_groups() {
    // Buffers for writing, and footers.
    const BESIDE: u64 = 3 << 20;
    let mut files = Files::new();
    for at in 0..32 {
        let properties = properties().set_dictionary_enabled(at % 2 == 0);
        files.write(&rows(20_000 * at, 20_000), properties.build());
    }
    let options = MergeOptions::default().with_row_group_size(8 * 20_000);
    let mut merged = None;
    let memory = allocation_counter::measure(|| {
        merged = Some(merge(&files.paths, files.path("merged"), &options).unwrap());
    });
    let merged = merged.unwrap();
    assert_eq!(merged.row_groups_after, 4);
    let row_group = merged.bytes_before / 4;
    assert!(
        memory.bytes_max < 2 * row_group + BESIDE,
        "{} of {row_group}",
        memory.bytes_max
    );
}

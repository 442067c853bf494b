//! Tests splitting of row groups and files.

use super::*;
use bytelane_parquet::{Writer, WriterOptions};
use bytelane_parquet_files::merge::MergePages;

/// Merges one file, and checks the rows of the outputs.
fn split(files: &Files, options: &MergeOptions) -> Merged {
    let output = files.path("part.parquet");
    let merged = merge(&files.paths, &output, options).unwrap();
    let outputs: Vec<&Path> = merged.outputs.iter().map(|it| it.path.as_path()).collect();
    let difference = diff(&files.paths, &outputs, &DiffOptions::default()).unwrap();
    assert!(difference.is_none(), "{difference:?}");
    for output in outputs {
        let checked = check(output, &CheckOptions::default().with_values(true)).unwrap();
        assert_eq!(checked.findings, Vec::new());
    }
    merged
}

#[test]
fn large_row_groups_are_split_at_any_row() {
    let kinds = [
        properties().set_compression(Compression::SNAPPY),
        properties()
            .set_compression(Compression::ZSTD(Default::default()))
            .set_writer_version(WriterVersion::PARQUET_2_0),
        properties().set_statistics_enabled(EnabledStatistics::Chunk),
        properties()
            .set_dictionary_enabled(false)
            .set_column_encoding("id".into(), Encoding::DELTA_BINARY_PACKED)
            .set_column_encoding("float".into(), Encoding::BYTE_STREAM_SPLIT)
            .set_column_encoding("many".into(), Encoding::DELTA_BYTE_ARRAY)
            .set_column_encoding("few".into(), Encoding::DELTA_LENGTH_BYTE_ARRAY),
    ];
    for (number, kind) in kinds.into_iter().enumerate() {
        let mut files = Files::new();
        let all = rows(0, 2000);
        files.write(&all, kind.build());
        for most in [150, 299, 300, 301, 1999, 2000] {
            let merged = split(&files, &MergeOptions::default().with_row_group_size(most));
            assert_eq!(
                merged.row_groups_after as u64,
                2000_u64.div_ceil(most),
                "{number}, {most}"
            );
            let file = Bytes::from(fs::read(files.path("part.parquet")).unwrap());
            assert_eq!(read(&file, None), all);
            for row in [0, 299, 750, 1493] {
                let selection = vec![RowSelector::skip(row), RowSelector::select(501)];
                assert_eq!(read(&file, Some(selection.into())), all.slice(row, 501));
            }
        }
    }
    let mut files = Files::new();
    files.write(&rows(0, 20), properties().build());
    let merged = split(&files, &MergeOptions::default().with_row_group_size(1));
    assert_eq!(merged.row_groups_after, 20);
}

#[test]
fn pages_within_a_part_are_copied() {
    let mut files = Files::new();
    let properties = properties().set_dictionary_enabled(false);
    files.write(&rows(0, 3000), properties.build());
    let merged = split(&files, &MergeOptions::default().with_row_group_size(1500));
    let float = merged.columns.iter().find(|it| it.path == "float").unwrap();
    assert_eq!((float.pages.copied, float.pages.encoded), (10, 0));
    // By default, row groups are not split.
    let merged = split(&files, &MergeOptions::default());
    assert_eq!(merged.row_groups_after, 1);
    assert!(merged.columns.iter().all(|it| it.pages.copied == 10));
}

#[test]
fn one_file_becomes_several_of_a_size() {
    for has_dictionaries in [true, false] {
        let mut files = Files::new();
        let properties = WriterProperties::builder()
            .set_dictionary_enabled(has_dictionaries)
            .set_data_page_row_count_limit(2000);
        files.write(&rows(0, 30_000), properties.build());
        let wanted = 90_000;
        let merged = split(&files, &MergeOptions::default().with_file_size(wanted));
        let (_, full) = merged.outputs.split_last().unwrap();
        assert!(full.len() >= 4, "{:?}", merged.outputs);
        for file in full {
            let share = file.bytes as f64 / wanted as f64;
            assert!((0.97..=1.03).contains(&share), "{:?}", merged.outputs);
        }
    }
}

#[test]
fn files_of_any_size_have_rows() {
    let mut files = Files::new();
    files.write(&rows(0, 20), properties().build());
    let merged = split(&files, &MergeOptions::default().with_file_size(1));
    assert_eq!(merged.outputs.len(), 20);
    assert!(merged.outputs.iter().all(|file| file.rows == 1));
}

#[test]
fn fresh_pages_are_as_small_as_written_at_once() {
    let mut files = Files::new();
    let mut all = Vec::new();
    for at in 0..30 {
        let rows = rows(300 * at, 300);
        let properties = properties().set_compression(Compression::SNAPPY).build();
        files.write(&rows, properties);
        all.push(rows);
    }
    let options = MergeOptions::default().with_pages(MergePages::Fresh);
    let (merged, _) = files.merged(&options);
    assert!(merged.columns.iter().all(|it| it.pages.encoded > 0));
    let all = concat_batches(&all[0].schema(), &all).unwrap();
    let options = WriterOptions::default().with_compression(Compression::SNAPPY);
    let mut once = Vec::new();
    let mut writer = Writer::try_new(&mut once, all.schema(), options).unwrap();
    writer.write(&all).unwrap();
    writer.close().unwrap();
    let size = merged.bytes_after as f64 / once.len() as f64;
    assert!((0.95..1.05).contains(&size), "{size}");
}

#[test]
fn tiny_pages_are_joined() {
    let mut files = Files::new();
    for at in 0..100 {
        files.write(&rows(20 * at, 20), properties().build());
    }
    let (merged, file) = files.merged(&MergeOptions::default());
    assert!(merged.bytes_after * 3 < merged.bytes_before, "{merged:?}");
    let pages = |name: &str| merged.columns.iter().find(|it| it.path == name).unwrap();
    assert_eq!(pages("flag").pages.joined, 100);
    let selection = vec![RowSelector::skip(77), RowSelector::select(1234)];
    let all: Vec<RecordBatch> = (0..100).map(|at| rows(20 * at, 20)).collect();
    let all = concat_batches(&all[0].schema(), &all).unwrap();
    assert_eq!(read(&file, Some(selection.into())), all.slice(77, 1234));
}

//! Tests `merge`: rows, pages and their metadata in footers.

mod damaged;
mod footers;
mod fsst;
mod geometries;
mod meanings;
mod numbers;
mod readers;
mod schemas;
mod split;

use arrow_array::builder::{Int64Builder, ListBuilder};
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray,
    StructArray, UInt32Array,
};
use arrow_schema::{DataType, Field, Fields};
use arrow_select::concat::concat_batches;
use bytelane_parquet_files::check::{CheckOptions, check};
use bytelane_parquet_files::diff::{DiffOptions, diff};
use bytelane_parquet_files::merge::{MergeOptions, MergePages, Merged, MergedPages, merge};
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{
    ArrowReaderOptions, ParquetRecordBatchReaderBuilder, RowSelection, RowSelector,
};
use parquet::basic::{Compression, Encoding};
use parquet::file::metadata::PageIndexPolicy;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

/// Directory of files.
struct Files {
    directory: TempDir,
    paths: Vec<PathBuf>,
}

impl Files {
    fn new() -> Self {
        Self {
            directory: tempfile::tempdir().unwrap(),
            paths: Vec::new(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Writes the next file with the crate `parquet`.
    fn write(&mut self, rows: &RecordBatch, properties: WriterProperties) {
        let path = self.path(&format!("{:03}.parquet", self.paths.len()));
        fs::write(&path, written(rows, properties)).unwrap();
        self.paths.push(path);
    }

    /// Merges all files, and compares the rows.
    fn merged(&self, options: &MergeOptions) -> (Merged, Bytes) {
        let output = self.path("merged");
        let merged = merge(&self.paths, &output, options).unwrap();
        let difference = diff(&self.paths, &[&output], &DiffOptions::default()).unwrap();
        assert!(difference.is_none(), "{difference:?}");
        assert!(
            merged.bytes_after <= merged.bytes_before,
            "{} became {}",
            merged.bytes_before,
            merged.bytes_after
        );
        let checked = check(&output, &CheckOptions::default().with_values(true)).unwrap();
        assert_eq!(checked.findings, Vec::new());
        (merged, Bytes::from(fs::read(output).unwrap()))
    }
}

fn written(rows: &RecordBatch, properties: WriterProperties) -> Vec<u8> {
    let mut file = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut file, rows.schema(), Some(properties)).unwrap();
    writer.write(rows).unwrap();
    writer.close().unwrap();
    file
}

/// Returns rows with all kinds of columns, including nulls.
fn rows(from: i64, count: i64) -> RecordBatch {
    let rows = || from..from + count;
    let some = |row: i64, of: i64| row % of != 0;
    let mut lists = ListBuilder::new(Int64Builder::new());
    for row in rows() {
        lists.append_option(
            some(row, 5).then(|| (0..row % 4).map(|at| some(at, 3).then_some(row % 9))),
        );
    }
    let members: Fields = vec![Field::new("a", DataType::Int64, true)].into();
    let inner: ArrayRef = Arc::new(Int64Array::from_iter(
        rows().map(|row| some(row, 3).then_some(row % 77)),
    ));
    let nulls = rows().map(|row| some(row, 11)).collect::<Vec<_>>().into();
    let columns: [(&str, ArrayRef); 8] = [
        ("id", Arc::new(Int64Array::from_iter_values(rows()))),
        (
            "few",
            Arc::new(StringArray::from_iter(rows().map(|row| {
                some(row, 6).then(|| format!("few {}", (row + from / 100) % 40))
            }))),
        ),
        (
            "many",
            Arc::new(StringArray::from_iter_values(
                rows().map(|row| format!("value number {}", row * 7919 % 100_003)),
            )),
        ),
        (
            "float",
            Arc::new(Float64Array::from_iter_values(
                rows().map(|row| (row as f64).sin()),
            )),
        ),
        (
            "unsigned",
            Arc::new(UInt32Array::from_iter_values(
                rows().map(|row| u32::MAX - (row % 50) as u32),
            )),
        ),
        (
            "flag",
            Arc::new(BooleanArray::from_iter(
                rows().map(|row| some(row, 4).then_some(row % 3 == 0)),
            )),
        ),
        ("lists", Arc::new(lists.finish())),
        (
            "struct",
            Arc::new(StructArray::new(members, vec![inner], Some(nulls))),
        ),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true)))
        .unwrap()
}

/// Reads rows with the crate `parquet`, which relies on the page indexes.
fn read(file: &Bytes, selection: Option<RowSelection>) -> RecordBatch {
    let options = ArrowReaderOptions::new().with_page_index_policy(PageIndexPolicy::Required);
    let builder =
        ParquetRecordBatchReaderBuilder::try_new_with_options(file.clone(), options).unwrap();
    let schema = Arc::clone(builder.schema());
    let builder = match selection {
        Some(selection) => builder.with_row_selection(selection),
        None => builder,
    };
    let batches: Vec<RecordBatch> = builder.build().unwrap().map(Result::unwrap).collect();
    concat_batches(&schema, &batches).unwrap()
}

fn properties() -> parquet::file::properties::WriterPropertiesBuilder {
    WriterProperties::builder()
        .set_data_page_row_count_limit(300)
        .set_write_batch_size(100)
}

#[test]
fn files_of_all_kinds_become_one_row_group() {
    let kinds = [
        properties().set_compression(Compression::SNAPPY),
        properties().set_compression(Compression::ZSTD(Default::default())),
        properties()
            .set_compression(Compression::SNAPPY)
            .set_writer_version(WriterVersion::PARQUET_2_0),
        properties()
            .set_compression(Compression::LZ4_RAW)
            .set_dictionary_enabled(false)
            .set_writer_version(WriterVersion::PARQUET_2_0),
        properties()
            .set_dictionary_enabled(false)
            .set_column_encoding("id".into(), Encoding::DELTA_BINARY_PACKED)
            .set_column_encoding("float".into(), Encoding::BYTE_STREAM_SPLIT)
            .set_column_encoding("many".into(), Encoding::DELTA_BYTE_ARRAY),
        properties().set_max_row_group_row_count(Some(170)),
    ];
    for same in [false, true] {
        let mut files = Files::new();
        let mut all = Vec::new();
        for at in 0..12 {
            let kind = if same { 0 } else { at % kinds.len() };
            let rows = rows(1000 * at as i64, 1000);
            files.write(&rows, kinds[kind].clone().build());
            all.push(rows);
        }
        let (merged, file) = files.merged(&MergeOptions::default().with_verify(true));
        assert!(merged.verified);
        assert_eq!((merged.rows, merged.row_groups_after), (12_000, 1));
        let all = concat_batches(&all[0].schema(), &all).unwrap();
        assert_eq!(read(&file, None), all);
        // The offset index is correct.
        for row in [0, 299, 300, 5999, 6000, 11_650] {
            let selection = vec![RowSelector::skip(row), RowSelector::select(7)];
            assert_eq!(
                read(&file, Some(selection.into())),
                all.slice(row, 7),
                "{row}"
            );
        }
        let pages = |name: &str| {
            let mut columns = merged.columns.iter();
            columns.find(|it| it.path == name).unwrap().pages
        };
        if same {
            assert!(pages("few").joined > 0 && pages("few").encoded == 0);
            assert_eq!(pages("flag").joined, 48);
        } else {
            assert!(pages("flag").recompressed > 0, "{merged:?}");
        }
    }
}

#[test]
fn any_number_of_threads_makes_the_same_file() {
    let mut files = Files::new();
    for at in 0..12 {
        files.write(&rows(1000 * at, 1000), properties().build());
    }
    let options = [
        MergeOptions::default(),
        MergeOptions::default().with_pages(MergePages::Fresh),
        MergeOptions::default().with_row_group_size(700),
    ];
    for options in options {
        let with = |threads: usize| {
            let threads = NonZero::new(threads).unwrap();
            files.merged(&options.clone().with_threads(threads))
        };
        let one = with(1);
        for threads in [2, 3, 20] {
            assert_eq!(with(threads), one, "{threads} threads");
        }
    }
}

#[test]
fn columns_beyond_the_memory_limit_keep_their_pages() {
    let mut files = Files::new();
    for at in 0..2 {
        files.write(&rows(1000 * at, 1000), properties().build());
    }
    let fresh = MergeOptions::default().with_pages(MergePages::Fresh);
    let encoded = |options: &MergeOptions| -> Vec<String> {
        let (merged, _) = files.merged(options);
        let columns = merged.columns.into_iter();
        let encoded = columns.filter(|column| column.pages.encoded > 0);
        encoded.map(|column| column.path).collect()
    };
    let all = encoded(&fresh);
    assert_eq!(all.len(), 8);
    // Only numbers of 32 bits take less.
    let small = encoded(&fresh.with_memory_limit(15_000));
    assert_eq!(small, ["unsigned"]);
}

#[test]
fn pages_without_dictionaries_are_copied_byte_for_byte() {
    let mut files = Files::new();
    let mut pieces = Vec::new();
    for at in 0..3 {
        let properties = properties().set_dictionary_enabled(false).build();
        files.write(&rows(500 * at, 500), properties);
        let file = fs::read(&files.paths[at as usize]).unwrap();
        let metadata = parquet::file::metadata::ParquetMetaDataReader::new()
            .parse_and_finish(&Bytes::from(file.clone()))
            .unwrap();
        let (start, length) = metadata.row_group(0).column(3).byte_range();
        pieces.extend_from_slice(&file[start as usize..(start + length) as usize]);
    }
    let (merged, file) = files.merged(&MergeOptions::default());
    assert!(file.windows(pieces.len()).any(|bytes| bytes == pieces));
    for column in &merged.columns {
        let MergedPages {
            copied,
            mapped,
            recompressed,
            encoded,
            joined,
            nulls,
            ..
        } = column.pages;
        assert_eq!((mapped, recompressed, encoded, nulls), (0, 0, 0, 0));
        assert_eq!(copied + joined, 6, "{}", column.path);
        assert_eq!(joined == 0, column.bytes_before == column.bytes_after);
    }
}

#[test]
fn dictionaries_that_are_the_same_leave_pages_as_they_are() {
    let mut files = Files::new();
    for _ in 0..5 {
        files.write(&rows(0, 1000), properties().build());
    }
    let (merged, _) = files.merged(&MergeOptions::default());
    for column in &merged.columns {
        let pages = column.pages;
        assert_eq!(pages.copied + pages.joined, 20, "{}", column.path);
        let has_dictionary = column.path != "flag";
        assert!(column.bytes_after < column.bytes_before || !has_dictionary);
    }
}

#[test]
fn dictionaries_that_are_too_large_together_give_way() {
    let mut files = Files::new();
    let columns = |at: i64| {
        let texts = (0..4000)
            .map(move |row| format!("a rather long text with the number {}", at * 4000 + row));
        let columns: [(&str, ArrayRef); 2] = [
            ("text", Arc::new(StringArray::from_iter_values(texts))),
            (
                "few",
                Arc::new(Int32Array::from_iter_values((0..4000).map(|row| row % 9))),
            ),
        ];
        RecordBatch::try_from_iter(columns).unwrap()
    };
    for at in 0..10 {
        files.write(&columns(at), WriterProperties::builder().build());
    }
    let (merged, file) = files.merged(&MergeOptions::default());
    assert!(merged.columns[0].pages.encoded > 0);
    let pages = merged.columns[1].pages;
    assert_eq!(pages.copied + pages.joined + pages.mapped, 10);
    assert_eq!(read(&file, None).num_rows(), 40_000);
}

#[test]
fn row_groups_and_files_have_the_sizes_asked_for() {
    let mut files = Files::new();
    let properties = || {
        properties()
            .set_dictionary_enabled(false)
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .build()
    };
    for at in 0..150 {
        files.write(&rows(200 * at, 200), properties());
    }
    let (merged, _) = files.merged(&MergeOptions::default().with_row_group_size(3000));
    assert_eq!(
        (merged.row_groups_before, merged.row_groups_after),
        (150, 10)
    );
    let wanted = merged.bytes_after / 5;
    let options = MergeOptions::default()
        .with_row_group_size(1000)
        .with_file_size(wanted);
    let output = files.path("part.parquet");
    let merged = merge(&files.paths, &output, &options).unwrap();
    let count = merged.outputs.len();
    assert!((5..=6).contains(&count), "{:?}", merged.outputs);
    for (number, file) in merged.outputs.iter().enumerate() {
        assert_eq!(file.path, files.path(&format!("part-{number:05}.parquet")));
        assert_eq!(fs::metadata(&file.path).unwrap().len(), file.bytes);
        if number + 1 < count {
            let share = file.bytes as f64 / wanted as f64;
            assert!((0.97..=1.0).contains(&share), "{:?}", merged.outputs);
        }
    }
    let outputs: Vec<&Path> = merged
        .outputs
        .iter()
        .map(|file| file.path.as_path())
        .collect();
    let difference = diff(&files.paths, &outputs, &DiffOptions::default()).unwrap();
    assert!(difference.is_none(), "{difference:?}");
}

#[test]
fn an_output_may_be_an_input_and_files_may_have_no_rows() {
    let mut files = Files::new();
    files.write(&rows(0, 100), properties().build());
    files.write(&rows(0, 0), properties().build());
    files.write(&rows(100, 50), properties().build());
    let first = files.paths[0].clone();
    let merged = merge(&files.paths, &first, &MergeOptions::default()).unwrap();
    assert_eq!((merged.rows, merged.row_groups_after), (150, 1));
    let file = Bytes::from(fs::read(&first).unwrap());
    let all = [rows(0, 100), rows(100, 50)];
    assert_eq!(
        read(&file, None),
        concat_batches(&all[0].schema(), &all).unwrap()
    );
    let empty = files.path("empty");
    let merged = merge(&files.paths[1..2], &empty, &MergeOptions::default()).unwrap();
    assert_eq!((merged.rows, merged.row_groups_after), (0, 0));
    let builder = ParquetRecordBatchReaderBuilder::try_new(Bytes::from(fs::read(empty).unwrap()));
    assert_eq!(builder.unwrap().schema().fields().len(), 8);
    let none: [&Path; 0] = [];
    let error = merge(&none, files.path("none"), &MergeOptions::default()).unwrap_err();
    assert!(error.to_string().contains("name the files"), "{error}");
}

//! Tests files in FSST, a preview: what is merged, edited or repaired has the same rows in other encodings, which all programs read.

use super::Files;
use arrow_array::{ArrayRef, Int32Array, RecordBatch, StringArray};
use arrow_select::concat::concat_batches;
use bytelane_parquet::{ColumnOptions, Encoding, Writer, WriterOptions, parse_compression};
use bytelane_parquet_files::check::{CheckOptions, check};
use bytelane_parquet_files::edit::{EditOptions, edit};
use bytelane_parquet_files::edits::Edits;
use bytelane_parquet_files::merge::{MergeOptions, merge};
use bytelane_parquet_files::repair::{RepairOptions, repair};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

fn rows(from: i32, count: i32) -> RecordBatch {
    let text =
        |i| (i % 7 != 3).then(|| format!("https://example.com/orders/{i}/items?page={}", i % 13));
    let columns: [(&str, ArrayRef); 2] = [
        (
            "number",
            Arc::new(Int32Array::from_iter_values(from..from + count)),
        ),
        (
            "url",
            Arc::new(StringArray::from_iter((from..from + count).map(text))),
        ),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

fn write(path: &Path, rows: &RecordBatch, compression: &str) {
    let options = WriterOptions::default()
        .with_compression(parse_compression(compression).unwrap())
        .with_max_rows_per_page(400)
        .with_column(
            "url",
            ColumnOptions::default().with_encoding(Encoding::Fsst),
        );
    let mut writer = Writer::try_new(File::create(path).unwrap(), rows.schema(), options).unwrap();
    writer.write(rows).unwrap();
    writer.close().unwrap();
}

/// Reads a file with the crate `parquet`, which does not know FSST.
fn read(path: &Path) -> RecordBatch {
    let found = check(path, &CheckOptions::default().with_values(true)).unwrap();
    assert_eq!(found.findings, Vec::new());
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    let rows: Vec<RecordBatch> = reader.build().unwrap().map(Result::unwrap).collect();
    concat_batches(&rows[0].schema(), &rows).unwrap()
}

#[test]
fn other_verbs_write_what_all_programs_read() {
    for (one, other) in [("none", "none"), ("zstd", "zstd"), ("none", "zstd")] {
        let mut files = Files::new();
        for (number, compression) in [one, other].into_iter().enumerate() {
            let path = files.path(&format!("{number}.parquet"));
            write(&path, &rows(3000 * number as i32, 3000), compression);
            files.paths.push(path);
        }
        let to = files.path("to.parquet");
        merge(
            &files.paths,
            &to,
            &MergeOptions::default().with_verify(true),
        )
        .unwrap();
        assert_eq!(
            read(&to).columns(),
            rows(0, 6000).columns(),
            "{one}, {other}"
        );

        let edited = files.path("edited.parquet");
        let edits =
            Edits::default().with_delete_where("number between 3100 and 3199".parse().unwrap());
        let options = EditOptions::default().with_edits(edits);
        edit(&files.paths[1], &edited, &options).unwrap();
        let left = [rows(3000, 100), rows(3200, 2800)];
        let left = concat_batches(&left[0].schema(), &left).unwrap();
        assert_eq!(read(&edited).columns(), left.columns());

        let repaired = files.path("repaired.parquet");
        repair(&files.paths[0], &repaired, &RepairOptions::default()).unwrap();
        assert_eq!(read(&repaired).columns(), rows(0, 3000).columns());
    }
}

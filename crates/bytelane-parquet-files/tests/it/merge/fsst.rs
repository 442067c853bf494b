//! Tests files in FSST, a preview: what is merged, edited, repaired or salvaged has the same rows in other encodings, which all programs read.

use super::Files;
use arrow_array::{ArrayRef, Int32Array, RecordBatch, StringArray};
use arrow_select::concat::concat_batches;
use bytelane_parquet::{ColumnOptions, Encoding, Writer, WriterOptions, format, parse_compression};
use bytelane_parquet_files::check::{CheckOptions, check};
use bytelane_parquet_files::edit::{EditOptions, edit};
use bytelane_parquet_files::edits::Edits;
use bytelane_parquet_files::merge::{MergeOptions, merge};
use bytelane_parquet_files::repair::{RepairOptions, SalvageOptions, repair, salvage};
use bytes::Bytes;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::fs::{self, File};
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
        .with_write_page_checksum(true)
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

#[test]
fn salvage_loses_the_rows_of_damaged_pages_alone() {
    for compression in ["none", "zstd"] {
        let files = Files::new();
        let (path, to) = (files.path("damaged.parquet"), files.path("to.parquet"));
        write(&path, &rows(0, 3000), compression);
        let intact = fs::read(&path).unwrap();
        let footer = format::decode_footer(&Bytes::from(intact.clone())).unwrap();
        let chunk = footer.row_groups[0].columns[1].decode().unwrap().meta_data;
        let first = chunk.symbol_table_page_offset.unwrap() as usize;
        let end = first + chunk.total_compressed_size as usize;
        for (at, most) in [(end - 40, 400), (first + 40, 3000)] {
            let mut bytes = intact.clone();
            bytes[at] ^= 0x55;
            fs::write(&path, &bytes).unwrap();
            let salvaged = salvage(&path, &to, &SalvageOptions::default());
            let salvaged = salvaged.unwrap();
            assert!(!salvaged.lost.is_empty(), "{compression} {at}");
            let lost: u64 = salvaged.lost.iter().map(|it| it.rows).sum();
            assert!(lost <= most && salvaged.rows == 3000 - lost, "{salvaged:?}");
            if salvaged.rows > 0 {
                assert_eq!(read(&to).columns(), rows(0, salvaged.rows as i32).columns());
            }
        }
    }
}

#[test]
fn salvage_needs_no_footer() {
    for compression in ["none", "zstd"] {
        let files = Files::new();
        let [path, like, to] = ["damaged", "like", "to"].map(|name| files.path(name));
        write(&path, &rows(0, 3000), compression);
        write(&like, &rows(0, 10), compression);
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() - 100]).unwrap();
        let salvaged = salvage(&path, &to, &SalvageOptions::default().with_schema(&like)).unwrap();
        assert_eq!(
            (salvaged.rows, salvaged.lost.len()),
            (3000, 0),
            "{compression}"
        );
        assert_eq!(read(&to).columns()[..2], rows(0, 3000).columns()[..]);
    }
}

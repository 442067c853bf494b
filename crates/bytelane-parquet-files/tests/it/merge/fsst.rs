//! Tests files in FSST, a preview: pages of one table of symbols move, and others are written in an encoding that all programs read.

use super::Files;
use arrow_array::{ArrayRef, Int32Array, RecordBatch, StringArray};
use arrow_select::concat::concat_batches;
use bytelane_parquet::{
    ColumnOptions, Encoding, Reader, Writer, WriterOptions, format, parse_compression,
};
use bytelane_parquet_files::check::{CheckOptions, check};
use bytelane_parquet_files::edit::{EditOptions, edit};
use bytelane_parquet_files::edits::Edits;
use bytelane_parquet_files::merge::{MergeOptions, merge};
use bytelane_parquet_files::repair::{RepairOptions, SalvageOptions, repair, salvage};
use bytes::Bytes;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::properties::BloomFilterProperties;
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
    write_with(path, rows, compression, false);
}

fn write_with(path: &Path, rows: &RecordBatch, compression: &str, has_filter: bool) {
    let url = ColumnOptions::default().with_encoding(Encoding::Fsst);
    let url = if has_filter {
        url.with_bloom_filter(BloomFilterProperties::default())
    } else {
        url
    };
    let options = WriterOptions::default()
        .with_compression(parse_compression(compression).unwrap())
        .with_max_rows_per_page(400)
        .with_write_page_checksum(true)
        .with_column("url", url);
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

/// Reads a file with bytelane.
fn read_codes(path: &Path) -> RecordBatch {
    let found = check(path, &CheckOptions::default().with_values(true)).unwrap();
    assert_eq!(found.findings, Vec::new());
    let reader = Reader::builder(File::open(path).unwrap()).unwrap();
    let rows: Vec<RecordBatch> = reader.build().unwrap().map(Result::unwrap).collect();
    concat_batches(&rows[0].schema(), &rows).unwrap()
}

/// Returns the bytes of the pages of the column `url`, and whether they have symbols.
fn pages(path: &Path) -> (Bytes, bool) {
    let file = Bytes::from(fs::read(path).unwrap());
    let footer = format::decode_footer(&file).unwrap();
    let chunk = footer.row_groups[0].columns[1].decode().unwrap().meta_data;
    let start = chunk.symbol_table_page_offset;
    if let Some(start) = start {
        let length = i64::from(chunk.symbol_table_page_length.unwrap());
        assert_eq!(start + length, chunk.data_page_offset);
    }
    let first = start.unwrap_or(chunk.data_page_offset) as usize;
    let end = first + chunk.total_compressed_size as usize;
    (file.slice(first..end), start.is_some())
}

#[test]
fn pages_of_one_table_of_symbols_move() {
    let mut files = Files::new();
    let (one, other) = (files.path("one.parquet"), files.path("other.parquet"));
    write(&one, &rows(0, 3000), "zstd");
    fs::copy(&one, &other).unwrap();
    let (to, edited) = (files.path("to.parquet"), files.path("edited.parquet"));
    files.paths = vec![one, other];
    let options = MergeOptions::default().with_verify(true);
    let merged = merge(&files.paths, &to, &options).unwrap();
    assert_eq!(merged.columns[1].pages.copied, 16, "{merged:?}");
    let twice = concat_batches(&rows(0, 9).schema(), &[rows(0, 3000), rows(0, 3000)]).unwrap();
    assert_eq!(read_codes(&to).columns(), twice.columns());
    let (before, (after, has_symbols)) = (pages(&files.paths[0]).0, pages(&to));
    assert!(has_symbols && after.starts_with(&before) && after.len() < 2 * before.len());

    // All of a row group moves, and a part of it does not.
    let edits = Edits::default().with_rename([("number", "id")]);
    edit(
        &files.paths[0],
        &edited,
        &EditOptions::default().with_edits(edits),
    )
    .unwrap();
    assert_eq!(read_codes(&edited).columns(), rows(0, 3000).columns());
    assert_eq!(pages(&edited), (before, true));
    let edits = Edits::default().with_delete_where("number < 10".parse().unwrap());
    edit(
        &files.paths[0],
        &edited,
        &EditOptions::default().with_edits(edits),
    )
    .unwrap();
    assert_eq!(read(&edited).columns(), rows(10, 2990).columns());

    // One filter is copied; several may have to be made again, from values.
    for path in &files.paths {
        write_with(path, &rows(0, 3000), "zstd", true);
    }
    merge(&files.paths[..1], &to, &options).unwrap();
    assert_eq!(read_codes(&to).columns(), rows(0, 3000).columns());
    assert!(pages(&to).1);
    merge(&files.paths, &to, &options).unwrap();
    assert_eq!(read(&to).columns(), twice.columns());
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

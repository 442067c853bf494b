//! Tests that `rewrite` makes the requested pages.

use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray};
use bytelane_parquet::{DataPageVersion, Reader, Writer, WriterOptions};
use bytelane_parquet_files::inspect::{Inspection, inspect_reader};
use bytelane_parquet_files::rewrite::{RewriteOptions, rewrite_bytes};
use bytes::Bytes;
use std::sync::Arc;

const ROWS: i64 = 9000;

/// Returns columns that gain from another encoding, and some that do not.
fn batch() -> RecordBatch {
    let rows = || 0..ROWS;
    let columns: [(&str, ArrayRef); 4] = [
        (
            "id",
            Arc::new(Int64Array::from_iter_values(rows().map(|row| row * row))),
        ),
        (
            "sine",
            Arc::new(Float64Array::from_iter_values(
                rows().map(|row| (row as f64).sin()),
            )),
        ),
        (
            "even",
            Arc::new(BooleanArray::from_iter(
                rows().map(|row| Some(row % 2 == 0)),
            )),
        ),
        (
            "text",
            Arc::new(StringArray::from_iter_values(
                rows().map(|row| format!("text {}", row % 9)),
            )),
        ),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

/// Returns a file whose columns are already in the best encoding, in pages of 1000 rows.
fn file() -> Bytes {
    let options = WriterOptions::default().with_max_rows_per_page(1000);
    let mut file = Vec::new();
    let mut writer = Writer::try_new(&mut file, batch().schema(), options).unwrap();
    writer.write(&batch()).unwrap();
    writer.close().unwrap();
    file.into()
}

/// Rewrites the file with verification. Returns its inspection.
fn rewritten(options: RewriteOptions) -> Inspection {
    let (new, _) = rewrite_bytes(file(), &options.with_verify(true)).unwrap();
    let mut reader = Reader::builder(new.clone()).unwrap().build().unwrap();
    assert_eq!(reader.next().unwrap().unwrap(), batch());
    inspect_reader(&new).unwrap()
}

/// Returns the version and the largest number of values of the data pages of each column.
fn pages(inspection: &Inspection) -> Vec<(String, u64)> {
    let columns = inspection.row_groups[0].columns.iter();
    let pages = columns.map(|column| {
        let data = column
            .pages
            .iter()
            .filter(|page| page.values.is_some() && page.kind != "dictionary");
        let kinds: Vec<&str> = data.clone().map(|page| page.kind.as_str()).collect();
        assert!(kinds.windows(2).all(|pair| pair[0] == pair[1]), "{kinds:?}");
        let most = data.filter_map(|page| page.values).max();
        (kinds[0].to_owned(), most.unwrap())
    });
    pages.collect()
}

fn all(kind: &str, values: u64) -> Vec<(String, u64)> {
    vec![(kind.to_owned(), values); 4]
}

#[test]
fn pages_stay_unless_others_are_asked_for() {
    assert_eq!(pages(&inspect_reader(&file()).unwrap()), all("data", 1000));
    assert_eq!(
        pages(&rewritten(RewriteOptions::default())),
        all("data", 1000)
    );
    let as_they_are = RewriteOptions::default().with_max_rows_per_page(1000);
    let options = as_they_are.with_data_page_version(DataPageVersion::V1);
    assert_eq!(pages(&rewritten(options)), all("data", 1000));
}

#[test]
fn all_columns_get_the_pages_that_are_asked_for() {
    let options = RewriteOptions::default().with_data_page_version(DataPageVersion::V2);
    assert_eq!(pages(&rewritten(options)), all("data_v2", 1000));
    let smaller = RewriteOptions::default().with_max_rows_per_page(300);
    assert_eq!(pages(&rewritten(smaller)), all("data", 300));
}

#[test]
fn columns_with_too_many_bytes_in_a_page_get_smaller_ones() {
    let options = RewriteOptions::default().with_data_page_size(4096);
    let pages = pages(&rewritten(options));
    let most: Vec<u64> = pages.iter().map(|(_, most)| *most).collect();
    // 4096 bytes are 512 doubles.
    assert_eq!(most[1], 512);
    assert!(most[2] <= 9000 && most[3] <= 9000, "{most:?}");
}

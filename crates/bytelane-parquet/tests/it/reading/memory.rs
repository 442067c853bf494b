//! Tests that the peak of the memory that reading takes follows the given limit.

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use bytelane_parquet::filter::Selection;
use bytelane_parquet::parquet::arrow::ArrowWriter;
use bytelane_parquet::parquet::basic::Compression;
use bytelane_parquet::parquet::file::properties::WriterProperties;
use bytelane_parquet::{Reader, arrow_array};
use bytes::Bytes;
use std::sync::Arc;

const ROWS: i64 = 300_000;

/// Memory for the footer, readers of columns and headers of pages, which no limit covers.
const BESIDE: u64 = 128 << 10;

/// Returns a file with a row group of 15 MiB of values: numbers, and strings with and without a dictionary.
fn file() -> Bytes {
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..ROWS));
    let names = (0..ROWS).map(|row| format!("name {}", row * 7919 % 1000));
    let texts = (0..ROWS).map(|row| format!("{} of many texts", row * 7919));
    let columns: [(&str, ArrayRef); 3] = [
        ("id", ids),
        ("name", Arc::new(StringArray::from_iter_values(names))),
        ("text", Arc::new(StringArray::from_iter_values(texts))),
    ];
    let batch = RecordBatch::try_from_iter(columns).expect("columns");
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_dictionary_page_size_limit(1 << 16);
    let mut file = Vec::new();
    let writer = ArrowWriter::try_new(&mut file, batch.schema(), Some(properties.build()));
    let mut writer = writer.expect("a schema");
    writer.write(&batch).expect("rows");
    writer.close().expect("a file");
    file.into()
}

#[test]
fn peak_memory_follows_the_limit() {
    let file = file();
    let mut peaks = Vec::new();
    for limit in [4 << 20, 8 << 20, 64 << 20] {
        for (condition, kept) in [
            (None, ROWS),
            (Some("id >= 6000"), ROWS - 6000),
            (Some("name != 'name 7'"), ROWS - ROWS / 1000),
            (Some("name = 'name 7'"), ROWS / 1000),
        ] {
            let mut selection = Selection::default();
            if let Some(condition) = condition {
                selection = selection.with_filter(condition.parse().expect("a condition"));
            }
            let mut found = 0;
            // Only this thread's memory is measured.
            let memory = allocation_counter::measure(|| {
                let builder = Reader::builder(file.clone()).expect("a footer");
                let rows = selection.read(builder.with_memory_limit(limit));
                for batch in rows.expect("a reader") {
                    found += batch.expect("rows").num_rows() as i64;
                }
            });
            assert_eq!(found, kept, "{condition:?}");
            peaks.push((condition, limit, memory.bytes_max));
        }
    }
    let is_within = |(_, limit, peak): &(_, u64, u64)| *peak <= limit + limit / 10 + BESIDE;
    assert!(peaks.iter().all(is_within), "{peaks:?}");
}

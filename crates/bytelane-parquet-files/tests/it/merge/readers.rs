//! Tests that joined pages are in an order that the readers can read.

use super::{Files, properties, rows};
use bytelane_parquet_files::merge::{MergeOptions, Merged};
use bytes::Bytes;
use parquet::basic::Encoding;
use parquet::column::page::Page;
use parquet::file::reader::{FileReader, SerializedFileReader};

/// Returns the number of chunks with a page of indices after one of values.
fn late_indices(file: &Bytes) -> usize {
    let reader = SerializedFileReader::new(file.clone()).unwrap();
    let mut count = 0;
    for group in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group).unwrap();
        for column in 0..group.num_columns() {
            let mut pages = group.get_column_page_reader(column).unwrap();
            let mut has_values = false;
            let mut is_late = false;
            while let Some(page) = pages.get_next_page().unwrap() {
                if matches!(page, Page::DictionaryPage { .. }) {
                    continue;
                }
                let is_index = matches!(
                    page.encoding(),
                    Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY
                );
                is_late |= is_index && has_values;
                has_values |= !is_index;
            }
            count += usize::from(is_late);
        }
    }
    count
}

#[test]
fn spark_gets_no_indices_after_values() {
    let mut files = Files::new();
    for at in 0..6 {
        let properties = match at % 3 {
            0 => properties().set_dictionary_enabled(false),
            1 => properties(),
            // Pages after the first ones have no dictionary.
            _ => properties().set_dictionary_page_size_limit(200),
        };
        files.write(&rows(700 * at, 700), properties.build());
    }
    let merged = |readers: &str| -> (Merged, Bytes) {
        files.merged(&MergeOptions::default().with_readers(readers.parse().unwrap()))
    };
    let (_, file) = merged("any");
    assert!(late_indices(&file) > 0);
    for readers in ["pyarrow,duckdb,polars", "spark", "pyarrow,spark>=3.5"] {
        let (_, file) = merged(readers);
        assert_eq!(late_indices(&file), 0, "{readers}");
    }
}

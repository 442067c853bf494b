//! `repair`: what is added, and that pages stay.

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, Int64Array, ListArray, RecordBatch, StringArray};
use bytelane_parquet::check::{CheckOptions, check};
use bytelane_parquet::inspect::{Inspection, inspect};
use bytelane_parquet::repair::{RepairOptions, repair};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use std::fs;
use std::path::Path;
use std::sync::Arc;

fn rows() -> RecordBatch {
    let lists =
        (0..3000).map(|row| (row % 5 > 0).then(|| (0..row % 4).map(move |at| Some(at * row))));
    let texts = (0..3000).map(|row| (row % 7 > 0).then(|| format!("text {}", row % 90)));
    let columns: [(&str, ArrayRef); 3] = [
        ("id", Arc::new(Int64Array::from_iter_values(0..3000))),
        ("text", Arc::new(StringArray::from_iter(texts))),
        (
            "list",
            Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(lists)),
        ),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true)))
        .unwrap()
}

/// The bytes of all pages.
fn pages(path: &Path, inspection: &Inspection) -> Vec<Vec<u8>> {
    let file = fs::read(path).unwrap();
    let columns = inspection
        .row_groups
        .iter()
        .flat_map(|group| &group.columns);
    let pages = columns.flat_map(|column| &column.pages);
    pages
        .map(|page| file[page.offset as usize..(page.offset + page.compressed) as usize].to_vec())
        .collect()
}

#[test]
fn indexes_are_added_and_pages_stay() {
    let directory = tempfile::tempdir().unwrap();
    let (old, new) = (directory.path().join("old"), directory.path().join("new"));
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        for (statistics, indexed) in [(EnabledStatistics::None, 0), (EnabledStatistics::Page, 6)] {
            let properties = WriterProperties::builder()
                .set_writer_version(version)
                .set_statistics_enabled(statistics)
                .set_write_page_header_statistics(true)
                .set_offset_index_disabled(true)
                .set_max_row_group_row_count(Some(1500))
                .set_data_page_row_count_limit(400)
                .set_write_batch_size(100);
            let mut file = Vec::new();
            let properties = properties.build();
            let mut writer =
                ArrowWriter::try_new(&mut file, rows().schema(), Some(properties)).unwrap();
            writer.write(&rows()).unwrap();
            writer.close().unwrap();
            fs::write(&old, file).unwrap();
            let options = RepairOptions::default().with_verification(true);
            let repaired = repair(&old, &new, &options).unwrap();
            assert!(repaired.verified);
            assert_eq!((repaired.chunks, repaired.after.offset_indexes), (6, 6));
            assert_eq!(repaired.after.column_indexes, indexed, "{repaired:?}");
            assert_eq!(repaired.after.encoding_stats, 6);
            let (before, after) = (inspect(&old).unwrap(), inspect(&new).unwrap());
            assert_eq!(pages(&old, &before), pages(&new, &after));
            let checked = check(&new, &CheckOptions::default().with_values(true)).unwrap();
            assert_eq!(checked.findings, Vec::new());
        }
    }
}

//! Tests footers and indexes after a merge.

use super::{Files, properties, rows};
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use bytelane_parquet_files::merge::{MergeOptions, Merged};
use bytes::Bytes;
use parquet::basic::{BoundaryOrder, Encoding, Type};
use parquet::bloom_filter::Sbbf;
use parquet::file::metadata::{
    KeyValue, PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader, SortingColumn,
};
use parquet::file::page_index::column_index::ColumnIndexMetaData;
use parquet::file::properties::WriterPropertiesBuilder;
use parquet::file::statistics::Statistics;
use std::sync::Arc;

fn footer(file: &Bytes) -> ParquetMetaData {
    let reader = ParquetMetaDataReader::new().with_page_index_policy(PageIndexPolicy::Required);
    reader.parse_and_finish(file).unwrap()
}

/// Merges files with sorted ids and with names. Each file's ids begin at one of `starts`.
fn merged(
    starts: &[i64],
    properties: impl Fn(usize) -> WriterPropertiesBuilder,
) -> (Merged, Bytes) {
    let mut files = Files::new();
    for (at, start) in starts.iter().enumerate() {
        let names =
            (*start..start + 1000).map(|row| (row % 3 > 0).then(|| format!("name {}", row % 500)));
        let columns: [(&str, ArrayRef, bool); 2] = [
            (
                "id",
                Arc::new(Int64Array::from_iter_values(*start..start + 1000)),
                false,
            ),
            ("name", Arc::new(StringArray::from_iter(names)), true),
        ];
        let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
        files.write(&batch, properties(at).build());
    }
    files.merged(&MergeOptions::default())
}

#[test]
fn statistics_and_indexes_are_those_of_all_inputs() {
    let (merged, file) = merged(&[0, 1000, 2000], |_| {
        properties().set_column_dictionary_enabled("id".into(), false)
    });
    assert_eq!(merged.notes, Vec::<String>::new());
    let footer = footer(&file);
    let row_group = footer.row_group(0);
    let Some(Statistics::Int64(ids)) = row_group.column(0).statistics() else {
        panic!("no statistics");
    };
    assert_eq!((ids.min_opt(), ids.max_opt()), (Some(&0), Some(&2999)));
    assert_eq!(ids.null_count_opt(), Some(0));
    let names = row_group.column(1).statistics().unwrap();
    assert_eq!(names.min_bytes_opt(), Some(&b"name 0"[..]));
    assert_eq!(names.max_bytes_opt(), Some(&b"name 99"[..]));
    assert_eq!(names.null_count_opt(), Some(1000));
    let index = footer.page_index().unwrap();
    let of_ids = index.column_index(0, 0).unwrap();
    let ColumnIndexMetaData::INT64(ids) = of_ids else {
        panic!("no index");
    };
    assert_eq!(ids.num_pages(), 12);
    assert_eq!(of_ids.get_boundary_order(), Some(BoundaryOrder::ASCENDING));
    let bounds = (ids.min_value(5).copied(), ids.max_value(5).copied());
    assert_eq!(bounds, (Some(1300), Some(1599)));
    let offsets = index.offset_index(0, 0).unwrap();
    let starts = offsets
        .page_locations()
        .iter()
        .map(|page| page.first_row_index);
    let wanted = (0..3000)
        .step_by(1000)
        .flat_map(|start| [0, 300, 600, 900].map(|row| start + row));
    assert!(starts.eq(wanted));
    // Byte counts and level histograms.
    assert_eq!(merged.columns[1].pages.encoded, 0, "{merged:?}");
    let bytes = row_group
        .column(1)
        .unencoded_byte_array_data_bytes()
        .unwrap();
    let names = (0..3000)
        .filter(|row| row % 3 > 0)
        .map(|row| format!("name {}", row % 500).len());
    assert_eq!(bytes, names.sum::<usize>() as i64);
    let levels = row_group.column(1).definition_level_histogram().unwrap();
    assert_eq!(levels.values(), [1000, 2000]);
    assert_eq!(row_group.ordinal(), Some(0));
    let encodings = row_group.column(0).page_encoding_stats_mask().unwrap();
    assert!(encodings.is_only(Encoding::PLAIN));
}

#[test]
fn sorting_columns_stay_if_ranges_follow_each_other() {
    let sorted = |at: usize| {
        let by = SortingColumn {
            column_idx: 0,
            descending: false,
            nulls_first: at == 9,
        };
        properties().set_sorting_columns(Some(vec![by]))
    };
    let (_, file) = merged(&[0, 1000, 5000], sorted);
    let by = footer(&file).row_group(0).sorting_columns().cloned();
    assert_eq!(by.unwrap()[0].column_idx, 0);
    for starts in [[0, 500, 2000], [2000, 1000, 0]] {
        let (merged, file) = merged(&starts, sorted);
        assert_eq!(footer(&file).row_group(0).sorting_columns(), None);
        assert!(
            merged
                .notes
                .iter()
                .any(|note| note.contains("sorting columns"))
        );
    }
}

#[test]
fn bloom_filters_of_one_size_are_joined() {
    let filter = |rows: u64| {
        move |at: usize| {
            let rows = if at == 2 { rows } else { 5000 };
            properties()
                .set_bloom_filter_enabled(true)
                .set_bloom_filter_max_ndv(rows)
                .set_bloom_filter_fpp(0.0001)
        }
    };
    // Filters of one size are joined, others are made again.
    for rows in [5000, 100] {
        let (merged_files, file) = merged(&[0, 1000, 2000], filter(rows));
        assert_eq!(merged_files.notes, Vec::<String>::new());
        let footer = footer(&file);
        let column = footer.row_group(0).column(0);
        assert_eq!(column.column_type(), Type::INT64);
        let filter_of = Sbbf::read_from_column_chunk(column, &file)
            .unwrap()
            .unwrap();
        assert!((0..3000_i64).all(|id| filter_of.check(&id)));
        let others = (3000..13_000_i64).filter(|id| filter_of.check(id)).count();
        assert!(others < 1000, "{rows}: {others}");
    }
}

#[test]
fn full_and_missing_bloom_filters_are_made_again() {
    // Each filter has room for 100 values, and gets 1,000.
    let with = |at: usize| {
        let properties = properties().set_bloom_filter_enabled(at != 1);
        if at == 1 {
            properties
        } else {
            properties.set_bloom_filter_max_ndv(100)
        }
    };
    let (merged_files, file) = merged(&[0, 1000, 2000], with);
    assert_eq!(merged_files.notes, Vec::<String>::new());
    let footer = footer(&file);
    for (at, column) in footer.row_group(0).columns().iter().enumerate() {
        let filter = Sbbf::read_from_column_chunk(column, &file).unwrap();
        let is_boolean = column.column_type() == Type::BOOLEAN;
        assert_eq!(filter.is_none(), is_boolean, "{at}");
        match (filter, at) {
            (Some(filter), 0) => {
                assert!((0..3000_i64).all(|id| filter.check(&id)));
                let others = (3000..13_000_i64).filter(|id| filter.check(id)).count();
                assert!(others < 500, "{others}");
            }
            (Some(filter), 1) => {
                let names = (0..3000).filter(|row| row % 3 > 0);
                assert!(
                    names
                        .map(|row| format!("name {}", row % 500))
                        .all(|it| filter.check(it.as_str()))
                );
            }
            _ => {}
        }
    }
}

#[test]
fn equal_key_value_pairs_are_kept_and_others_are_noted() {
    let (merged, file) = merged(&[0, 1000, 2000], |at| {
        let pairs = [
            ("same", "a".to_owned()),
            ("other", at.to_string()),
            (["x", "y", "z"][at], "own".to_owned()),
        ];
        let pairs = pairs.map(|(key, value)| KeyValue::new(key.to_owned(), value));
        properties().set_key_value_metadata(Some(pairs.to_vec()))
    });
    let footer = footer(&file);
    let pairs = footer.file_metadata().key_value_metadata().unwrap();
    let value = |key: &str| {
        let found = pairs.iter().find(|it| it.key == key);
        found.and_then(|it| it.value.as_deref())
    };
    assert_eq!(value("same"), Some("a"));
    assert_eq!(value("other"), None);
    assert!(
        ["x", "y", "z", "ARROW:schema"]
            .map(value)
            .iter()
            .all(Option::is_some)
    );
    assert_eq!(merged.notes.len(), 1);
    assert!(merged.notes[0].contains("other") && merged.notes[0].contains("2 of 3 files"));
}

#[test]
fn bounds_of_unsigned_numbers_and_of_nulls_are_right() {
    let mut files = Files::new();
    for at in 0..3 {
        files.write(&rows(at * 60, 60), properties().build());
    }
    let (_, file) = files.merged(&MergeOptions::default());
    let footer = footer(&file);
    let Some(Statistics::Int32(unsigned)) = footer.row_group(0).column(4).statistics() else {
        panic!("no statistics");
    };
    let bounds = (unsigned.min_opt(), unsigned.max_opt());
    assert_eq!(bounds, (Some(&-50), Some(&-1)));
}

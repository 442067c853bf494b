//! Tests that impossible statistics are ignored.

use super::{ROWS, check, file_of, with_chunk, with_element};
use arrow_array::{ArrayRef, BinaryArray, FixedSizeBinaryArray, Int32Array, Int64Array};
use bytelane_parquet::Reader;
use bytelane_parquet::filter::Selection;
use bytelane_parquet::format::{ConvertedType, Encoded, Statistics, decode};
use bytelane_parquet_files::inspect::inspect_reader;
use bytes::Bytes;
use std::sync::Arc;

fn statistics(bounds: Option<(&'static [u8], &'static [u8])>) -> Statistics {
    let statistics: Statistics = decode(&Bytes::from_static(&[0])).unwrap();
    let (least, most) = bounds.unzip();
    Statistics {
        min_value: least.map(Bytes::from_static),
        max_value: most.map(Bytes::from_static),
        null_count: Some(0),
        ..statistics
    }
}

fn with_statistics(file: &Bytes, statistics: &Statistics) -> Bytes {
    with_chunk(file, |chunk| {
        chunk.meta_data.statistics = Some(Encoded::new(statistics).unwrap());
    })
}

fn count(file: &Bytes, filter: &str) -> usize {
    let selection = Selection::default().with_filter(filter.parse().unwrap());
    let rows = selection
        .read(Reader::builder(file.clone()).unwrap())
        .unwrap();
    rows.map(|batch| batch.unwrap().num_rows()).sum()
}

#[test]
fn bounds_of_another_length_are_ignored() {
    let narrow: ArrayRef = Arc::new(Int32Array::from_iter_values(0..ROWS as i32));
    let wide: ArrayRef = Arc::new(Int64Array::from_iter_values(0..ROWS as i64));
    let fixed = (0..ROWS).map(|row| vec![row as u8; 4]);
    let fixed: ArrayRef = Arc::new(FixedSizeBinaryArray::try_from_iter(fixed).unwrap());
    let bounds: [(&[u8], &[u8]); 5] = [
        (&[], &[]),
        (&[1], &[1]),
        (&[0, 0, 0], &[1, 0, 0]),
        (&[1, 0, 0, 0, 0, 0, 0, 0, 0], &[1, 0, 0, 0, 0, 0, 0, 0, 0]),
        (&[1; 5], &[1; 100]),
    ];
    for values in [&narrow, &wide, &fixed] {
        for bounds in bounds {
            let file = with_statistics(&file_of(values), &statistics(Some(bounds)));
            let what = format!("{} {bounds:?}", values.data_type());
            check(&file, values, &what);
            if values.data_type().is_integer() {
                assert_eq!(count(&file, "x >= 50"), ROWS - 50, "{what}");
                let inspected = inspect_reader(&file).unwrap();
                let column = &inspected.row_groups[0].columns[1];
                assert_eq!((&column.min, &column.max), (&None, &None), "{what}");
                assert_eq!(column.nulls, Some(0), "{what}");
            }
        }
    }
}

#[test]
fn negative_counts_are_ignored() {
    let values: ArrayRef = Arc::new(Int32Array::from_iter_values(0..ROWS as i32));
    let (least, most) = (&0_i32.to_le_bytes(), &199_i32.to_le_bytes());
    let whole = Statistics {
        null_count: Some(-1),
        distinct_count: Some(-7),
        nan_count: Some(i64::MIN),
        min_value: Some(Bytes::copy_from_slice(least)),
        max_value: Some(Bytes::copy_from_slice(most)),
        ..statistics(None)
    };
    let file = with_statistics(&file_of(&values), &whole);
    check(&file, &values, "negative counts");
    assert_eq!(count(&file, "x is null"), 0);
    let inspected = inspect_reader(&file).unwrap();
    let column = &inspected.row_groups[0].columns[1];
    assert_eq!((column.nulls, column.max.as_deref()), (None, Some("199")));
}

#[test]
fn statistics_that_are_no_struct_are_ignored() {
    let values: ArrayRef = Arc::new(Int32Array::from_iter_values(0..ROWS as i32));
    let file = with_chunk(&file_of(&values), |chunk| {
        // Bound that consists of arbitrary bytes, not of text.
        let bytes = Statistics {
            max: Some(Bytes::from_static(&[0xff, 0xfe])),
            min: Some(Bytes::new()),
            ..statistics(None)
        };
        chunk.meta_data.statistics = Some(Encoded::new(&bytes).unwrap());
    });
    check(&file, &values, "old bounds");
}

/// Decimals have an order other than that of bytes.
#[test]
fn bounds_in_the_order_of_an_ignored_annotation_are_ignored() {
    let values: ArrayRef = Arc::new(BinaryArray::from_iter_values(
        (0..ROWS).map(|row| vec![row as u8; 2]),
    ));
    let signed = statistics(Some((&[0x80, 0x80], &[0x7f, 0x7f])));
    let contradicting = statistics(Some((&[0x01, 0x01], &[0x01, 0x01])));
    for statistics in [signed, contradicting] {
        for precision in [77, 300] {
            let file = with_statistics(&file_of(&values), &statistics);
            let file = with_element(&file, |it| {
                it.converted_type = Some(ConvertedType::Decimal);
                (it.precision, it.scale) = (Some(precision), Some(0));
            });
            check(&file, &values, "a decimal without a type in Arrow");
            assert_eq!(count(&file, "x is not null"), ROWS);
        }
    }
}

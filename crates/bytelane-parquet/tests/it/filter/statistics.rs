//! Tests pruning of row groups by statistics.

use super::{filter, groups_of, ids, selected, write};
use arrow_array::{ArrayRef, Decimal128Array, Float64Array, Int32Array, RecordBatch, StringArray};
use bytelane_parquet::{Reader, ReaderBuilder, arrow_array, parquet};
use bytes::Bytes;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataBuilder};
use parquet::file::statistics::{Statistics, ValueStatistics};
use std::sync::Arc;

#[test]
fn excluded_row_groups_are_not_read() {
    let batch = ids(0..3000);
    let file = write(&batch, groups_of(1000));
    let reader = Reader::builder(file.clone()).expect("a footer");
    // The first and the last row group cannot be decoded.
    let mut bytes = file.to_vec();
    for row_group in [0, 2] {
        let (start, length) = reader
            .metadata()
            .row_group(row_group)
            .column(0)
            .byte_range();
        bytes[start as usize..(start + length) as usize].fill(0xff);
    }
    let read = |text: &str| {
        let rows =
            filter(text).read(Reader::builder(Bytes::from(bytes.clone())).expect("a footer"))?;
        rows.map(|batch| batch.map(|batch| batch.num_rows()))
            .sum::<Result<usize, _>>()
            .map_err(bytelane_parquet::Error::new)
    };
    for (text, count) in [
        ("id between 1000 and 1003", 4),
        ("id > 999 and id < 2000.5 and not id >= 2000", 1000),
        ("id = 1500 or id = -1", 1),
        ("id in (1001, 1002, 7000)", 2),
        ("id >= 1990 and not (id > 1999 or id is null)", 10),
        ("id is null", 0),
        ("id = 1500.5", 0),
        ("id > 1e30", 0),
    ] {
        assert_eq!(
            read(text).expect("the row group that can be read"),
            count,
            "{text}"
        );
    }
    assert!(read("id != 1500").is_err());
    assert!(read("id >= 2000").is_err());
}

/// Replaces the statistics of the file's only column.
fn with_statistics(file: &Bytes, statistics: Statistics) -> ReaderBuilder<Bytes> {
    let reader = Reader::builder(file.clone()).expect("a footer");
    let metadata = ParquetMetaData::clone(reader.metadata());
    let mut builder = ParquetMetaDataBuilder::new(metadata.file_metadata().clone());
    for row_group in metadata.row_groups() {
        let columns = row_group.columns().iter().cloned().map(|column| {
            column
                .into_builder()
                .set_statistics(statistics.clone())
                .build()
                .expect("a column")
        });
        let columns = columns.collect();
        let changed = row_group
            .clone()
            .into_builder()
            .set_column_metadata(columns)
            .build()
            .expect("a row group");
        builder = builder.add_row_group(changed);
    }
    let metadata =
        ArrowReaderMetadata::try_new(Arc::new(builder.build()), ArrowReaderOptions::new())
            .expect("a schema");
    ReaderBuilder::new_with_metadata(file.clone(), metadata)
}

#[test]
fn statistics_that_say_nothing_exclude_nothing() {
    let floats: ArrayRef = Arc::new(Float64Array::from(vec![1.0, f64::NAN, 3.0]));
    let texts: ArrayRef = Arc::new(StringArray::from(vec!["a", "é", "z"]));
    let numbers: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), None, Some(3)]));
    let float =
        |min, max| Statistics::from(ValueStatistics::<f64>::new(min, max, None, Some(0), false));
    let text = |min: &str, max: &str, is_deprecated| {
        Statistics::byte_array(
            Some(min.into()),
            Some(max.into()),
            None,
            None,
            is_deprecated,
        )
    };
    let number = |min, max| Statistics::int32(min, max, None, None, false);
    for (array, statistics, condition, rows) in [
        // NaN is a wrong bound, and bounds do not say whether there are NaNs.
        (&floats, float(Some(f64::NAN), Some(f64::NAN)), "x = 3", 1),
        (&floats, float(Some(0.0), Some(f64::NAN)), "x > 2", 1),
        (&floats, float(Some(1.0), Some(3.0)), "not x <= 3", 1),
        (&floats, float(Some(1.0), Some(1.0)), "x != 1", 2),
        (&floats, float(Some(1.0), Some(3.0)), "not x in (1, 3)", 1),
        // The lower bound is greater than the upper one.
        (&floats, float(Some(3.0), Some(1.0)), "x = 1", 1),
        (&numbers, number(Some(3), Some(1)), "x in (3)", 1),
        // One bound is missing.
        (&numbers, number(None, Some(2)), "x = 3", 1),
        // Old writers order strings by signed bytes, so é is the smallest.
        (&texts, text("é", "z", true), "x = 'a'", 1),
        (&texts, text("a", "z", true), "x like 'é%'", 1),
        // Nulls were not counted.
        (&numbers, number(Some(1), Some(3)), "x is null", 1),
        (&numbers, number(Some(1), Some(3)), "not x is null", 2),
    ] {
        let batch = RecordBatch::try_from_iter([("x", Arc::clone(array))]).expect("a column");
        let file = write(&batch, groups_of(1000));
        let read = selected(
            &filter(condition),
            with_statistics(&file, statistics.clone()),
        );
        assert_eq!(read.num_rows(), rows, "{condition} with {statistics}");
    }
    // Row groups that statistics exclude are not read, even if the statistics are wrong as here.
    let batch = RecordBatch::try_from_iter([("x", numbers)]).expect("a column");
    let file = write(&batch, groups_of(1000));
    let read = selected(
        &filter("x = 3"),
        with_statistics(&file, number(Some(1), Some(2))),
    );
    assert_eq!(read.num_rows(), 0);
}

#[test]
fn bounds_of_too_many_bytes_exclude_nothing() {
    let decimals = Decimal128Array::from(vec![1, 2]);
    let decimals = decimals.with_precision_and_scale(38, 0).expect("a scale");
    let batch =
        RecordBatch::try_from_iter([("x", Arc::new(decimals) as ArrayRef)]).expect("a column");
    let file = write(&batch, groups_of(1000));
    let bound = || Some(vec![0xff; 20].into());
    let statistics = Statistics::fixed_len_byte_array(bound(), bound(), None, None, false);
    assert_eq!(
        selected(&filter("x = 2"), with_statistics(&file, statistics)).num_rows(),
        1
    );
}

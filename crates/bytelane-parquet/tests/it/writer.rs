//! What the writer writes, read by the crate `parquet`.

use arrow_array::{
    ArrayRef, BooleanArray, Float32Array, Float64Array, Int32Array, RecordBatch, StringArray,
};
use arrow_schema::{DataType, Field, Schema};
use bytelane_parquet::{ColumnOptions, DataPageVersion, Encoding, Writer, WriterOptions};
use bytes::Bytes;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{ColumnOrder, SortOrder};
use parquet::file::metadata::ParquetMetaDataReader;
use parquet::file::statistics::Statistics;
use std::sync::Arc;

fn batch(rows: usize, seed: usize) -> RecordBatch {
    let value = |i: usize| (((i + seed) * 7919) % 1000) as f64 / 10.0;
    let columns: [(&str, ArrayRef); 5] = [
        (
            "f64",
            Arc::new(Float64Array::from_iter_values((0..rows).map(value))),
        ),
        (
            "f32",
            Arc::new(Float32Array::from_iter(
                (0..rows).map(|i| (i % 7 != 3).then(|| value(i) as f32)),
            )),
        ),
        (
            "i32",
            Arc::new(Int32Array::from_iter(
                (0..rows).map(|i| (i % 3 != 0).then_some(i as i32 - 50)),
            )),
        ),
        (
            "text",
            Arc::new(StringArray::from_iter_values(
                (0..rows).map(|i| format!("name {}", i % 17)),
            )),
        ),
        (
            "bool",
            Arc::new(BooleanArray::from_iter(
                (0..rows).map(|i| (i % 5 != 0).then_some(i % 2 == 0)),
            )),
        ),
    ];
    let nullable = columns.into_iter().map(|(name, array)| (name, array, true));
    RecordBatch::try_from_iter_with_nullable(nullable).expect("a batch")
}

fn write(batches: &[RecordBatch], options: WriterOptions) -> Bytes {
    let mut file = Vec::new();
    let mut writer =
        Writer::try_new(&mut file, batches[0].schema(), options).expect("options that fit");
    for batch in batches {
        writer.write(batch).expect("a batch that fits");
    }
    writer.close().expect("a file");
    file.into()
}

fn read(file: Bytes) -> RecordBatch {
    let reader = ParquetRecordBatchReaderBuilder::try_new(file)
        .and_then(|builder| builder.with_batch_size(1 << 20).build())
        .expect("a reader");
    let schema = arrow_array::RecordBatchReader::schema(&reader);
    let batches: Vec<RecordBatch> = reader.collect::<Result<_, _>>().expect("batches");
    arrow_select::concat::concat_batches(&schema, &batches).expect("one batch")
}

#[test]
fn batches_come_back_whatever_the_pages() {
    let batches = [batch(1000, 0), batch(1, 5), batch(2500, 9)];
    let whole =
        arrow_select::concat::concat_batches(&batches[0].schema(), &batches).expect("one batch");
    for version in [DataPageVersion::V1, DataPageVersion::V2] {
        for (page_rows, group_rows) in [(1 << 17, 1 << 20), (100, 1 << 20), (333, 1001)] {
            let options = WriterOptions::default()
                .with_encoding(Encoding::ByteStreamSplit)
                .with_data_page_version(version)
                .with_page_rows(page_rows)
                .with_row_group_rows(group_rows);
            assert_eq!(
                read(write(&batches, options)),
                whole,
                "{version:?} {page_rows}"
            );
        }
    }
}

/// A footer as a reader sees it: the smallest and the largest value of the first column.
fn bounds(file: &Bytes) -> Option<(f64, f64)> {
    let metadata = ParquetMetaDataReader::new()
        .parse_and_finish(file)
        .expect("a footer");
    for column in 0..metadata.file_metadata().schema_descr().num_columns() {
        assert_eq!(
            metadata.file_metadata().column_order(column),
            ColumnOrder::TYPE_DEFINED_ORDER(SortOrder::SIGNED)
        );
    }
    match metadata.row_group(0).column(0).statistics() {
        Some(Statistics::Double(own)) => own.min_opt().copied().zip(own.max_opt().copied()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn float_statistics_are_in_the_type_defined_order() {
    let nan = f64::NAN;
    let cases = [
        (vec![3.0, nan, -2.5], Some((-2.5, 3.0))),
        (vec![0.0, 1.0], Some((-0.0, 1.0))),
        (vec![-1.0, -0.0], Some((-1.0, 0.0))),
        (vec![-nan, nan], None),
        (
            vec![f64::INFINITY, f64::NEG_INFINITY],
            Some((f64::NEG_INFINITY, f64::INFINITY)),
        ),
        (
            vec![f64::INFINITY, nan],
            Some((f64::INFINITY, f64::INFINITY)),
        ),
    ];
    for (values, want) in cases {
        for encoding in [
            Encoding::Plain,
            Encoding::Dictionary,
            Encoding::ByteStreamSplit,
        ] {
            let array: ArrayRef = Arc::new(Float64Array::from(values.clone()));
            let batch = RecordBatch::try_from_iter([("x", array)]).expect("a batch");
            let options = WriterOptions::default().with_encoding(encoding);
            let file = write(&[batch], options);
            let bits = |(least, most): (f64, f64)| (least.to_bits(), most.to_bits());
            assert_eq!(
                bounds(&file).map(bits),
                want.map(bits),
                "{encoding} {values:?}"
            );
        }
    }
}

#[test]
fn options_that_do_not_fit_are_refused() {
    let schema = batch(1, 0).schema();
    let cases = [
        (
            WriterOptions::default().with_column("f65", ColumnOptions::default()),
            "the file has no column \"f65\"",
        ),
        (
            WriterOptions::default().with_column(
                "text",
                ColumnOptions::default().with_encoding(Encoding::ByteStreamSplit),
            ),
            "column text: the encoding byte_stream_split does not support columns of the type BYTE_ARRAY",
        ),
        (
            WriterOptions::default().with_page_rows(0),
            "the rows of a page cannot be 0",
        ),
    ];
    for (options, want) in cases {
        let error = Writer::try_new(Vec::new(), Arc::clone(&schema), options)
            .map(drop)
            .expect_err(want);
        assert_eq!(error.to_string(), want);
    }
}

#[test]
fn nulls_in_a_required_column_are_refused() {
    let schema = Schema::new(vec![Field::new("x", DataType::Float64, false)]);
    let mut writer = Writer::try_new(Vec::new(), Arc::new(schema), WriterOptions::default())
        .expect("options that fit");
    let array: ArrayRef = Arc::new(Float64Array::from(vec![Some(1.0), None]));
    let batch = RecordBatch::try_from_iter_with_nullable([("x", array, true)]).expect("a batch");
    assert!(writer.write(&batch).is_err() || writer.close().is_err());
}

//! Tests lists of many values, whose pages have places of rows in place of levels: they read as with the crate `parquet`.

use arrow_array::{
    Array, ArrayRef, FixedSizeListArray, Float32Array, Int32Array, LargeListArray, ListArray,
    RecordBatch, StructArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{ArrowError, DataType, Field, Fields};
use arrow_select::concat::concat_batches;
use bytelane_parquet::Reader;
use bytelane_parquet::filter::Selection;
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReaderBuilder, RowSelection, RowSelector};
use parquet::file::properties::{WriterProperties, WriterVersion};
use std::num::NonZero;
use std::sync::Arc;

const ROWS: usize = 700;
const LENGTH: usize = 48;

fn floats(count: usize, nulls: Option<NullBuffer>) -> ArrayRef {
    let values = (0..count).map(|i| i as f32 * 0.5);
    Arc::new(Float32Array::new(values.collect(), nulls))
}

/// Returns validity bits of which those from `from` on are unset every 7 slots.
fn late_nulls(count: usize, from: usize) -> NullBuffer {
    (0..count)
        .map(|i| i < from || i % 7 > 0)
        .collect::<Vec<_>>()
        .into()
}

/// Returns lists of one length, of several lengths, with nulls from the second half on, and within and around structs.
fn rows() -> RecordBatch {
    let item = |is_nullable| Arc::new(Field::new("element", DataType::Float32, is_nullable));
    let all = floats(ROWS * LENGTH, None);
    let constant = OffsetBuffer::from_lengths(vec![LENGTH; ROWS]);
    let lengths: Vec<usize> = (0..ROWS).map(|row| 20 + row * 7919 % 60).collect();
    let varied = floats(lengths.iter().sum(), None);
    let some: Vec<usize> = (0..ROWS)
        .map(|row| if row > ROWS / 2 { row % 3 } else { 60 })
        .collect();
    let late = floats(
        some.iter().sum(),
        Some(late_nulls(some.iter().sum(), 21_100)),
    );
    let fixed = |nulls| FixedSizeListArray::new(item(true), LENGTH as i32, Arc::clone(&all), nulls);
    let fields = Fields::from(vec![
        Field::new("a", DataType::Float32, false),
        Field::new("b", DataType::Int32, true),
    ]);
    let numbers =
        Int32Array::from_iter((0..ROWS * LENGTH).map(|i| (i % 500 != 77).then_some(i as i32)));
    let members: Vec<ArrayRef> = vec![Arc::clone(&all), Arc::new(numbers)];
    let members = StructArray::new(fields.clone(), members, None);
    let entry = Arc::new(Field::new("element", DataType::Struct(fields), true));
    let list = ListArray::new(item(false), constant.clone(), Arc::clone(&all), None);
    let around = Fields::from(vec![Field::new("list", list.data_type().clone(), true)]);
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("id", Arc::new(Int32Array::from_iter_values(0..ROWS as i32))),
        ("constant", Arc::new(list.clone())),
        (
            "varied",
            Arc::new(LargeListArray::new(
                item(true),
                OffsetBuffer::from_lengths(lengths),
                varied,
                None,
            )),
        ),
        (
            "late",
            Arc::new(ListArray::new(
                item(true),
                OffsetBuffer::from_lengths(some),
                late,
                Some(late_nulls(ROWS, 600)),
            )),
        ),
        ("fixed", Arc::new(fixed(None))),
        ("some", Arc::new(fixed(Some(late_nulls(ROWS, 300))))),
        (
            "structs",
            Arc::new(ListArray::new(entry, constant, Arc::new(members), None)),
        ),
        (
            "around",
            Arc::new(StructArray::new(
                around,
                vec![Arc::new(list)],
                Some(late_nulls(ROWS, 500)),
            )),
        ),
    ];
    let columns = columns.into_iter().map(|(name, array)| (name, array, true));
    RecordBatch::try_from_iter_with_nullable(columns).expect("a batch")
}

fn write(rows: &RecordBatch, version: WriterVersion, page_rows: usize) -> Bytes {
    let properties = WriterProperties::builder()
        .set_writer_version(version)
        .set_dictionary_enabled(false)
        .set_data_page_row_count_limit(page_rows)
        .set_write_batch_size(10)
        .build();
    let mut file = Vec::new();
    let writer = ArrowWriter::try_new(&mut file, rows.schema(), Some(properties));
    let mut writer = writer.expect("a writer");
    writer.write(rows).expect("rows");
    writer.close().expect("a file");
    file.into()
}

#[test]
fn long_lists_are_those_of_the_other_reader() {
    let rows = rows();
    let gaps: Vec<_> = [40, 3, 200, 1, 90, 300, 66]
        .into_iter()
        .enumerate()
        .map(|(i, row_count)| RowSelector {
            row_count,
            skip: i % 2 == 0,
        })
        .collect();
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        for page_rows in [13, 100, 10_000] {
            let file = write(&rows, version, page_rows);
            for (batch_rows, threads) in [(64, 1), (10_000, 1), (33, 2)] {
                for selected in [false, true] {
                    let mut ours = Reader::builder(file.clone()).expect("a footer");
                    let mut other =
                        ParquetRecordBatchReaderBuilder::try_new(file.clone()).expect("a footer");
                    if selected {
                        ours = ours.with_row_selection(RowSelection::from(gaps.clone()));
                        other = other.with_row_selection(RowSelection::from(gaps.clone()));
                    }
                    let ours = ours
                        .with_batch_size(batch_rows)
                        .with_threads(NonZero::new(threads).expect("a thread"));
                    let ours: Vec<RecordBatch> = ours
                        .build()
                        .expect("a reader")
                        .collect::<Result<_, ArrowError>>()
                        .expect("rows");
                    let other: Vec<RecordBatch> = other
                        .build()
                        .expect("a reader")
                        .collect::<Result<_, ArrowError>>()
                        .expect("rows");
                    let [ours, other] = [ours, other]
                        .map(|all| concat_batches(&rows.schema(), &all).expect("rows"));
                    assert_eq!(
                        ours, other,
                        "{version:?} {page_rows} {batch_rows} {threads} {selected}"
                    );
                    ours.columns()
                        .iter()
                        .for_each(|column| column.to_data().validate_full().expect("an array"));
                }
            }
        }
    }
}

#[test]
fn rows_of_long_lists_are_filtered() {
    let rows = rows();
    let file = write(&rows, WriterVersion::PARQUET_1_0, 100);
    let selection = Selection::default().with_filter(
        "id between 95 and 310 and id <> 200"
            .parse()
            .expect("a condition"),
    );
    let builder = selection
        .choose(Reader::builder(file).expect("a footer"))
        .expect("columns");
    let found: Vec<RecordBatch> = builder
        .build()
        .expect("a reader")
        .collect::<Result<_, ArrowError>>()
        .expect("rows");
    let expected = [rows.slice(95, 105), rows.slice(201, 110)];
    assert_eq!(
        concat_batches(&rows.schema(), &found).expect("rows"),
        concat_batches(&rows.schema(), &expected).expect("rows")
    );
}

#[test]
fn damaged_levels_of_long_lists_give_rows_or_errors() {
    let rows = rows().project(&[1]).expect("a column");
    let file = write(&rows, WriterVersion::PARQUET_1_0, 10_000);
    let mut errors = 0;
    for at in 4..1500 {
        let mut damaged = file.to_vec();
        damaged[at] ^= 1 << (at % 8);
        let reader = Reader::builder(Bytes::from(damaged))
            .expect("a footer")
            .build()
            .expect("a reader");
        match reader.collect::<Result<Vec<_>, ArrowError>>() {
            Ok(all) => all
                .iter()
                .for_each(|rows| rows.column(0).to_data().validate_full().expect("an array")),
            Err(_) => errors += 1,
        }
    }
    assert!(errors > 300, "{errors}");
}

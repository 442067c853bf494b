//! Tests that `bytelane::validity` converts levels that the crate `parquet` writes and reads to the bitmaps,
//! offsets and values of the arrays that were written.

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, Float64Array, ListArray, RecordBatch};
use bytelane::validity::lists::List;
use bytelane::validity::{Format, values};
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::column::reader::ColumnReader;
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::sync::Arc;

/// Levels and values of a file's only leaf, in the form in which they are stored.
struct Stored {
    definition: Vec<u16>,
    repetition: Vec<u16>,
    dense: Vec<f64>,
}

fn stored(array: ArrayRef) -> Stored {
    let batch = RecordBatch::try_from_iter_with_nullable([("v", array, true)]).expect("a batch");
    let mut file = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut file, batch.schema(), None).expect("a writer");
    writer.write(&batch).expect("it takes the batch");
    writer.close().expect("the end of the file");

    let reader = SerializedFileReader::new(Bytes::from(file)).expect("a file");
    let group = reader.get_row_group(0).expect("a row group");
    let column = group.get_column_reader(0).expect("a column");
    let ColumnReader::DoubleColumnReader(mut column) = column else {
        panic!("not a column of doubles");
    };
    let (mut definition, mut repetition, mut dense) = (Vec::new(), Vec::new(), Vec::new());
    let read = column.read_records(
        batch.num_rows(),
        Some(&mut definition),
        Some(&mut repetition),
        &mut dense,
    );
    assert_eq!(read.expect("all records").0, batch.num_rows());
    let levels = |levels: Vec<i16>| levels.into_iter().map(i16::cast_unsigned).collect();
    Stored {
        definition: levels(definition),
        repetition: levels(repetition),
        dense,
    }
}

/// Returns the validity of an array, one bit per slot.
fn is_valid(array: &dyn Array) -> Vec<bool> {
    (0..array.len()).map(|i| array.is_valid(i)).collect()
}

fn bits(bitmap: &[u8], count: usize) -> Vec<bool> {
    (0..count)
        .map(|i| bitmap[i / 8] >> (i % 8) & 1 != 0)
        .collect()
}

/// Returns numbers that do not repeat soon.
fn number(i: usize) -> usize {
    (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) as usize >> 33
}

#[test]
fn optional_values_come_back() {
    for (rows, nulls) in [(1, 2), (64, 3), (1000, 10), (5000, 2), (5000, 100)] {
        let value = |i| (!number(i).is_multiple_of(nulls)).then_some(i as f64);
        let array: Float64Array = (0..rows).map(value).collect();
        let stored = stored(Arc::new(array.clone()));
        let format = Format::<u16>::new(1).expect("a level");
        let (bitmap, valid) = format.encode_to_vec(&stored.definition).expect("levels");
        assert_eq!(bits(&bitmap, rows), is_valid(&array));
        assert_eq!(valid, rows - array.null_count());
        let spread = values::spread_to_vec(&stored.dense, &bitmap, rows).expect("all values");
        for (i, value) in array.iter().enumerate() {
            assert_eq!(spread[i], value.unwrap_or(0.0), "row {i}");
        }
        let dense = values::compact_to_vec(&spread, &bitmap).expect("a bitmap of all");
        assert_eq!(dense, stored.dense);
        let (levels, _) = format.decode_to_vec(&bitmap, rows).expect("enough bits");
        assert_eq!(levels, stored.definition);
    }
}

/// Returns null, empty and other lists, with nulls among their values.
fn lists(rows: usize, seed: usize) -> ListArray {
    ListArray::from_iter_primitive::<Float64Type, _, _>((0..rows).map(|row| {
        let kind = number(row + seed);
        let values = (0..kind / 8 % 7).map(move |i| {
            let value = number(100 * row + i + seed);
            (!value.is_multiple_of(5)).then_some(value as f64)
        });
        (!kind.is_multiple_of(8)).then(|| values.collect::<Vec<_>>())
    }))
}

#[test]
fn lists_come_back() {
    for rows in [1, 63, 1000] {
        let array = lists(rows, 7);
        let stored = stored(Arc::new(array.clone()));
        let (repetition, definition) = (&stored.repetition[..], &stored.definition[..]);
        let list = List::<u16>::new(1).expect("a level");
        let offsets: Vec<i32> = list.offsets_to_vec(repetition, definition).expect("levels");
        assert_eq!(offsets, array.value_offsets());
        let (bitmap, found) = list
            .validity_to_vec(repetition, definition)
            .expect("levels");
        assert_eq!(found.count, rows);
        assert_eq!(bits(&bitmap, rows), is_valid(&array));
        let entries = array.values().as_primitive::<Float64Type>();
        let (bitmap, found) = list
            .entries_to_vec(3, repetition, definition)
            .expect("levels");
        assert_eq!(found.count, entries.len());
        assert_eq!(found.valid, entries.len() - entries.null_count());
        let spread = values::spread_to_vec(&stored.dense, &bitmap, found.count);
        for (i, value) in spread.expect("all values").into_iter().enumerate() {
            let expected = entries.is_valid(i).then(|| entries.value(i));
            assert_eq!(value, expected.unwrap_or(0.0), "entry {i}");
        }
    }
}

#[test]
fn lists_of_lists_come_back() {
    let inner = lists(900, 3);
    // Null, empty and other lists of these, one after the other.
    let lengths = (0..400).map(|row| number(row) % 5);
    let lengths: Vec<usize> = lengths
        .scan(0, |sum, length| {
            *sum += length;
            (*sum <= inner.len()).then_some(length)
        })
        .collect();
    let total = lengths.iter().sum();
    let valid: Vec<bool> = lengths
        .iter()
        .enumerate()
        .map(|(row, &length)| length > 0 || row.is_multiple_of(2))
        .collect();
    let outer = ListArray::new(
        Arc::new(arrow_schema::Field::new(
            "item",
            inner.data_type().clone(),
            true,
        )),
        arrow_buffer::OffsetBuffer::from_lengths(lengths),
        Arc::new(inner.slice(0, total)),
        Some(valid.into()),
    );
    let stored = stored(Arc::new(outer.clone()));
    let (repetition, definition) = (&stored.repetition[..], &stored.definition[..]);
    let rows = List::<u16>::new(1).expect("a level");
    let offsets: Vec<i32> = rows.offsets_to_vec(repetition, definition).expect("levels");
    assert_eq!(offsets, outer.value_offsets());
    let (bitmap, found) = rows
        .validity_to_vec(repetition, definition)
        .expect("levels");
    assert_eq!(bits(&bitmap, found.count), is_valid(&outer));

    let written = outer.values().as_list::<i32>();
    let lists = rows.inner(3).expect("a greater level");
    let offsets: Vec<i64> = lists
        .offsets_to_vec(repetition, definition)
        .expect("levels");
    let first = written.value_offsets()[0];
    let expected = written
        .value_offsets()
        .iter()
        .map(|&offset| i64::from(offset - first));
    assert_eq!(offsets, expected.collect::<Vec<_>>());
    let (bitmap, found) = lists
        .validity_to_vec(repetition, definition)
        .expect("levels");
    assert_eq!(bits(&bitmap, found.count), is_valid(written));
    let (_, found) = lists
        .entries_to_vec(5, repetition, definition)
        .expect("levels");
    assert_eq!(found.count, offsets[offsets.len() - 1] as usize);
    assert_eq!(found.valid, stored.dense.len());
}

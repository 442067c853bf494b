//! Compares arrays with those of the crate `parquet`.

use super::{ENCODINGS, Layout, MEMORY, Step, file, pages, read};
use arrow_array::{
    Array, ArrayRef, BinaryArray, Decimal32Array, Decimal64Array, Decimal128Array, Decimal256Array,
    StringArray,
};
use arrow_buffer::i256;
use arrow_schema::{DataType, Field, Schema};
use bytes::Bytes;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use std::sync::Arc;

/// Number of rows of an array.
const ROWS: usize = 1000;

/// Reads the arrays of a file with the crate `parquet`.
fn theirs(file: Bytes, data_type: &DataType) -> Vec<ArrayRef> {
    let field = Field::new("x", data_type.clone(), true);
    let options = ArrowReaderOptions::new().with_schema(Arc::new(Schema::new(vec![field])));
    let builder = ParquetRecordBatchReaderBuilder::try_new_with_options(file, options);
    let builder = builder.expect("a type that the column can be read as");
    let batches = builder.with_batch_size(ROWS).build().expect("a reader");
    batches
        .map(|batch| Arc::clone(batch.expect("a batch").column(0)))
        .collect()
}

/// Returns strings, most of them short, some null, and some equal. With `few`, only a few are distinct.
fn strings(few: bool) -> ArrayRef {
    let rows = (0..10_000u64).map(|row| {
        let mixed = row.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        let number = if few { mixed % 300 } else { row };
        let string = match number % 7 {
            0 => format!("größer {number}"),
            1 => format!("a common prefix of many strings {number:09}"),
            _ => format!("{number}"),
        };
        (mixed % 11 > 0).then_some(string)
    });
    Arc::new(StringArray::from_iter(rows))
}

#[test]
fn arrays_equal_theirs() {
    let dictionary = |values| DataType::Dictionary(Box::new(DataType::Int32), Box::new(values));
    let types = [
        DataType::Utf8,
        DataType::LargeUtf8,
        DataType::Utf8View,
        dictionary(DataType::Utf8),
        dictionary(DataType::LargeUtf8),
        dictionary(DataType::Utf8View),
    ];
    for encoding in ENCODINGS {
        for (few, dictionary_bytes) in [(true, 1 << 20), (false, 10_000)] {
            let array = strings(few);
            let mut layout = Layout::of(encoding, 700);
            layout.dictionary_bytes = dictionary_bytes;
            let file = file(&array, layout);
            let chunk = pages(file.clone(), &array);
            for data_type in &types {
                let ours = read(&chunk, data_type, &[Step::Read(ROWS)], MEMORY);
                let ours = ours.expect("pages of a writer");
                assert!(
                    ours == theirs(file.clone(), data_type),
                    "{data_type}, {layout:?}"
                );
            }
        }
    }
}

/// Keys and values are those of the pages, and arrays share the dictionary.
#[test]
fn dictionaries_are_kept() {
    let array = strings(true);
    let chunk = pages(file(&array, Layout::of(None, 700)), &array);
    let data_type = DataType::Dictionary(Box::new(DataType::UInt16), Box::new(DataType::Utf8));
    let arrays = read(&chunk, &data_type, &[Step::Read(ROWS)], MEMORY).expect("pages of a writer");
    let (_, count) = chunk.dictionary.expect("a dictionary");
    let values = |array: &ArrayRef| {
        let array = arrow_array::cast::as_dictionary_array::<arrow_array::types::UInt16Type>(array);
        Arc::clone(array.values())
    };
    let first = values(&arrays[0]);
    assert_eq!(first.len(), count);
    assert!(
        arrays
            .iter()
            .all(|array| Arc::ptr_eq(&values(array), &first))
    );
}

#[test]
fn keys_must_fit() {
    let rows = |count: i32| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(
            (0..count).map(|row| row.to_string()),
        ))
    };
    let data_type = DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8));
    for encoding in ENCODINGS {
        let read = |count| {
            let array = rows(count);
            let chunk = pages(file(&array, Layout::of(encoding, 1000)), &array);
            read(&chunk, &data_type, &[Step::Read(ROWS)], MEMORY)
        };
        assert_eq!(read(128).expect("keys up to 127")[0].len(), 128);
        let error = read(129).expect_err("a key of 128");
        assert_eq!(
            error.to_string(),
            "a dictionary of more values than keys of the type Int8 can have: \
             read the column with greater keys, or without a dictionary"
        );
    }
}

/// Returns a number in two's complement, in at least `bytes` bytes.
fn big_endian(number: i32, bytes: usize) -> Vec<u8> {
    let all = i256::from(number).to_be_bytes();
    let needed = 4 - match number {
        -128..128 => 3,
        -32_768..32_768 => 2,
        _ => 0,
    };
    all[32 - needed.max(bytes)..].to_vec()
}

#[test]
fn decimals_have_any_number_of_bytes() {
    let numbers = [
        0,
        1,
        -1,
        127,
        -128,
        128,
        -129,
        1 << 20,
        -(1 << 20),
        999_999_999,
    ];
    let rows: Vec<_> = (0..3000)
        .map(|row| (row % 5 > 0).then(|| numbers[row % numbers.len()]))
        .collect();
    let bytes = rows
        .iter()
        .enumerate()
        .map(|(row, number)| number.map(|n| big_endian(n, row % 33)));
    let array: ArrayRef = Arc::new(BinaryArray::from_iter(bytes));
    let expected: [ArrayRef; 4] = [
        Arc::new(decimals(
            &rows,
            |n| n,
            Decimal32Array::from_iter::<Vec<Option<i32>>>,
        )),
        Arc::new(decimals(
            &rows,
            i64::from,
            Decimal64Array::from_iter::<Vec<Option<i64>>>,
        )),
        Arc::new(decimals(
            &rows,
            i128::from,
            Decimal128Array::from_iter::<Vec<Option<i128>>>,
        )),
        Arc::new(decimals(
            &rows,
            i256::from,
            Decimal256Array::from_iter::<Vec<Option<i256>>>,
        )),
    ];
    for encoding in ENCODINGS {
        let chunk = pages(file(&array, Layout::of(encoding, 300)), &array);
        for expected in &expected {
            let steps = [Step::Read(700), Step::Skip(100), Step::Read(3000)];
            let arrays = read(&chunk, expected.data_type(), &steps, MEMORY);
            let arrays = arrays.expect("decimals that fit");
            assert_eq!(&arrays[0], &expected.slice(0, 700));
            assert_eq!(&arrays[1], &expected.slice(800, 2200));
        }
    }
}

fn decimals<N, A>(
    rows: &[Option<i32>],
    number: impl Fn(i32) -> N,
    array: impl Fn(Vec<Option<N>>) -> A,
) -> A {
    array(rows.iter().map(|row| row.map(&number)).collect())
}

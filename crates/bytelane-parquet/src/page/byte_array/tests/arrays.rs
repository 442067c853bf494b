//! Compares arrays from pages of the crate `parquet` with the values that were written.

use super::{Chunk, ENCODINGS, Layout, MEMORY, Step, file, pages, read};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BinaryArray, StringArray};
use arrow_schema::DataType;
use proptest::prelude::*;
use std::sync::Arc;

/// Returns the values of an array of any type.
pub(super) fn values(array: &dyn Array) -> Vec<Option<Vec<u8>>> {
    fn of<'a, T: AsRef<[u8]> + ?Sized + 'a>(
        values: impl Iterator<Item = Option<&'a T>>,
    ) -> Vec<Option<Vec<u8>>> {
        values
            .map(|value| value.map(|value| value.as_ref().to_vec()))
            .collect()
    }
    match array.data_type() {
        DataType::Utf8 => of(array.as_string::<i32>().iter()),
        DataType::LargeUtf8 => of(array.as_string::<i64>().iter()),
        DataType::Binary => of(array.as_binary::<i32>().iter()),
        DataType::LargeBinary => of(array.as_binary::<i64>().iter()),
        DataType::Utf8View => of(array.as_string_view().iter()),
        DataType::BinaryView => of(array.as_binary_view().iter()),
        DataType::Dictionary(..) => {
            let array = array.as_any_dictionary();
            let entries = values(array.values());
            if entries.is_empty() {
                assert_eq!(array.null_count(), array.len());
                return vec![None; array.len()];
            }
            let keys = array.normalized_keys();
            (0..array.len())
                .map(|row| {
                    array
                        .is_valid(row)
                        .then(|| entries[keys[row]].clone())
                        .flatten()
                })
                .collect()
        }
        other => panic!("no type of strings: {other}"),
    }
}

/// Returns every type that strings can have.
fn types() -> Vec<DataType> {
    let keys = [
        DataType::Int8,
        DataType::UInt8,
        DataType::Int16,
        DataType::UInt16,
        DataType::Int32,
        DataType::UInt32,
        DataType::Int64,
        DataType::UInt64,
    ];
    let values = [
        DataType::Utf8,
        DataType::LargeUtf8,
        DataType::Binary,
        DataType::LargeBinary,
        DataType::Utf8View,
        DataType::BinaryView,
    ];
    let dictionaries = keys.iter().zip(values.iter().cycle());
    let dictionaries = dictionaries
        .map(|(key, value)| DataType::Dictionary(Box::new(key.clone()), Box::new(value.clone())));
    values.iter().cloned().chain(dictionaries).collect()
}

/// Returns the rows that the steps read. The last step is repeated.
fn expected<T: Clone>(rows: &[T], steps: &[Step]) -> Vec<Vec<T>> {
    let mut left = rows;
    let mut steps = steps
        .iter()
        .chain(std::iter::repeat(&steps[steps.len() - 1]));
    let mut arrays = Vec::new();
    while !left.is_empty() {
        let step = steps.next().expect("steps without end");
        let (Step::Read(count) | Step::Skip(count)) = step;
        let taken;
        (taken, left) = left.split_at(left.len().min(*count));
        if let Step::Read(_) = step {
            arrays.push(taken.to_vec());
        }
    }
    arrays
}

fn check(chunk: &Chunk, rows: &[Option<Vec<u8>>], data_type: &DataType, steps: &[Step]) {
    let arrays = read(chunk, data_type, steps, MEMORY);
    let arrays = arrays.unwrap_or_else(|error| panic!("{data_type}: {error}"));
    for array in &arrays {
        assert_eq!(array.data_type(), data_type);
        array.to_data().validate_full().expect("a valid array");
    }
    let found: Vec<_> = arrays.iter().map(|array| values(array)).collect();
    assert_eq!(found, expected(rows, steps), "{data_type}, {steps:?}");
}

/// Generates short and long strings, empty ones, and non-ASCII ones, often with the same value or the same
/// beginning.
fn string() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[a-c]{0,12}",
        2 => "(common prefix of many )?[äß€😀x]{0,9}",
        1 => "[a-z]{13,200}",
        1 => Just(String::new()),
    ]
}

fn layout() -> impl Strategy<Value = Layout> {
    let page_rows = prop_oneof![1..40usize, Just(1000)];
    let encoding = prop::sample::select(&ENCODINGS[..]);
    (
        encoding,
        page_rows,
        prop::sample::select(&[100usize, 1 << 20][..]),
    )
        .prop_map(|(encoding, page_rows, dictionary_bytes)| Layout {
            encoding,
            page_rows,
            dictionary_bytes,
        })
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => (1..100usize).prop_map(Step::Read),
        1 => (1..60usize).prop_map(Step::Skip),
    ];
    (prop::collection::vec(step, 0..6), 1..200usize).prop_map(|(mut steps, last)| {
        steps.push(Step::Read(last));
        steps
    })
}

/// Generates runs of values and of nulls, so that pages and pieces of them are all null or all valid. `nulls`
/// of ten runs are null.
fn rows<T: Clone + std::fmt::Debug>(
    value: impl Strategy<Value = T> + Clone,
) -> impl Strategy<Value = Vec<Option<T>>> {
    prop::sample::select(&[0, 1, 5, 10][..]).prop_flat_map(move |nulls| {
        let run = (value.clone(), 0..10, 1..12usize);
        let run = run.prop_map(move |(value, rank, count)| {
            let slot = Some(value).filter(|_| rank >= nulls);
            vec![slot; count]
        });
        prop::collection::vec(run, 1..60).prop_map(|runs| runs.concat())
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn strings_are_read(
        rows in rows(string().boxed()),
        layout in layout(),
        steps in steps(),
    ) {
        let array: ArrayRef = Arc::new(StringArray::from(rows));
        let rows = values(&array);
        let chunk = pages(file(&array, layout), &array);
        for data_type in types() {
            check(&chunk, &rows, &data_type, &steps);
        }
    }

    #[test]
    fn bytes_are_read(
        rows in rows(prop::collection::vec(any::<u8>(), 0..40).boxed()),
        layout in layout(),
        steps in steps(),
    ) {
        let array: ArrayRef = Arc::new(BinaryArray::from_iter(rows));
        let rows = values(&array);
        let chunk = pages(file(&array, layout), &array);
        let is_binary = |data_type: &DataType| match data_type {
            DataType::Dictionary(_, values) => values.is_binary(),
            other => other.is_binary(),
        };
        for data_type in types().into_iter().filter(is_binary) {
            check(&chunk, &rows, &data_type, &steps);
        }
    }
}

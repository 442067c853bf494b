//! Columns that differ between inputs.

use super::{Files, properties, read};
use arrow_array::{Array, ArrayRef, Int32Array, Int64Array, NullArray, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use bytelane_parquet::merge::{MergeOptions, merge};
use std::collections::HashMap;
use std::sync::Arc;

fn batch(columns: Vec<(&str, ArrayRef, bool)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}

fn ints(from: i64) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(from..from + 10))
}

fn texts() -> ArrayRef {
    Arc::new(StringArray::from_iter_values(
        (0..10).map(|row| row.to_string()),
    ))
}

#[test]
fn columns_may_be_in_another_order_missing_or_null() {
    let mut files = Files::new();
    files.write(
        &batch(vec![("id", ints(0), false), ("text", texts(), true)]),
        properties().build(),
    );
    files.write(
        &batch(vec![("text", texts(), true), ("id", ints(10), false)]),
        properties().build(),
    );
    files.write(&batch(vec![("id", ints(20), false)]), properties().build());
    let nulls: ArrayRef = Arc::new(NullArray::new(10));
    files.write(
        &batch(vec![
            ("id", ints(30), false),
            ("text", nulls, true),
            ("new", ints(5), true),
        ]),
        properties().build(),
    );
    let options = MergeOptions::default().with_verification(true);
    let output = files.path("merged");
    let merged = merge(&files.paths, &output, &options).unwrap();
    assert_eq!(
        (merged.row_groups_after, merged.columns[1].pages.nulls),
        (1, 2)
    );
    assert_eq!(merged.columns[2].pages.nulls, 3);
    assert!(
        merged
            .notes
            .iter()
            .any(|note| note.contains("ARROW:schema"))
    );
    let rows = read(&std::fs::read(output).unwrap().into(), None);
    assert_eq!(
        rows.column(0),
        &(Arc::new(Int64Array::from_iter_values(0..40)) as ArrayRef)
    );
    assert_eq!(rows.column(1).null_count(), 20);
    assert_eq!(&rows.column(1).slice(10, 10), &texts());
    assert_eq!(rows.column(2).null_count(), 30);
    assert_eq!(rows.schema().field(2).name(), "new");
}

#[test]
fn other_differences_are_refused_with_the_file_and_the_column() {
    let id = |id: &str| HashMap::from([("PARQUET:field_id".to_owned(), id.to_owned())]);
    let with_id = |of: &str| {
        let field = Field::new("id", DataType::Int64, false).with_metadata(id(of));
        RecordBatch::try_new(Arc::new(Schema::new(vec![field])), vec![ints(0)]).unwrap()
    };
    let numbers: ArrayRef = Arc::new(Int32Array::from_iter_values(0..10));
    let cases = [
        (
            batch(vec![("id", ints(0), true)]),
            "is optional, but required",
        ),
        (batch(vec![("id", numbers, false)]), "INT32, but INT64"),
        (
            batch(vec![("other", ints(0), true)]),
            "does not have the column",
        ),
        (
            batch(vec![("id", ints(0), false), ("x", ints(0), false)]),
            "not optional",
        ),
        (with_id("8"), "field id 8, but 7"),
    ];
    for (other, wanted) in cases {
        let mut files = Files::new();
        files.write(&with_id("7"), properties().build());
        files.write(&other, properties().build());
        let output = files.path("merged");
        let error = merge(&files.paths, &output, &MergeOptions::default()).unwrap_err();
        let message = error.to_string();
        assert!(message.contains(wanted), "{message}");
        let place = error.place();
        assert!(place.file.is_some() && place.column.is_some(), "{message}");
        assert!(!output.exists());
    }
}

#[test]
fn field_ids_that_one_input_lacks_are_those_of_another() {
    let mut files = Files::new();
    files.write(&batch(vec![("id", ints(0), false)]), properties().build());
    let field = Field::new("id", DataType::Int64, false);
    let field = field.with_metadata(HashMap::from([(
        "PARQUET:field_id".to_owned(),
        "7".to_owned(),
    )]));
    let with_id = RecordBatch::try_new(Arc::new(Schema::new(vec![field])), vec![ints(10)]);
    files.write(&with_id.unwrap(), properties().build());
    let (_, file) = files.merged(&MergeOptions::default());
    let builder =
        parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    let column = builder.parquet_schema().column(0);
    assert_eq!(column.self_type().get_basic_info().id(), 7);
}

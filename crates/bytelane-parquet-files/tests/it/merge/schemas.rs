//! Tests columns that differ between inputs.

use super::{Files, properties, read};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Int64Array, NullArray, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use bytelane_parquet_files::merge::{MergeOptions, merge};
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
    let options = MergeOptions::default().with_verify(true);
    let output = files.path("merged");
    let merged = merge(&files.paths, &output, &options).unwrap();
    assert_eq!(
        (merged.row_groups_after, merged.columns[1].pages.nulls),
        (1, 2)
    );
    assert_eq!(merged.columns[2].pages.nulls, 3, "{merged:?}");
    assert_eq!(merged.notes, Vec::<String>::new());
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
    let cases = [
        (batch(vec![("id", texts(), true)]), "string, but int64"),
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

/// Returns rows of columns that are optional, or required, at every level.
fn nested(from: i64, is_optional: bool) -> RecordBatch {
    let rows = || from..from + 500;
    let some = |row: i64, of: i64| !is_optional || row % of != 0;
    let numbers = || Int64Array::from_iter(rows().map(|row| some(row, 5).then_some(row % 90)));
    let lists = {
        let values = Int64Array::from_iter(
            rows()
                .flat_map(|row| (0..row % 3).map(move |at| some(at + row, 4).then_some(at * row))),
        );
        let lengths = rows().map(|row| (row % 3) as usize);
        let nulls = is_optional.then(|| rows().map(|row| row % 3 != 0).collect::<Vec<_>>().into());
        let item = Arc::new(Field::new("item", DataType::Int64, is_optional));
        let offsets = arrow_buffer::OffsetBuffer::from_lengths(lengths);
        arrow_array::ListArray::new(item, offsets, Arc::new(values), nulls)
    };
    let members = vec![
        Field::new("a", DataType::Int64, is_optional),
        Field::new("lists", lists.data_type().clone(), is_optional),
    ];
    let nulls = is_optional.then(|| rows().map(|row| row % 7 != 0).collect::<Vec<_>>().into());
    let columns: Vec<ArrayRef> = vec![Arc::new(numbers()), Arc::new(lists.clone())];
    let group = arrow_array::StructArray::new(members.into(), columns, nulls);
    batch(vec![
        ("id", Arc::new(numbers()), is_optional),
        ("lists", Arc::new(lists), is_optional),
        ("group", Arc::new(group), is_optional),
    ])
}

#[test]
fn required_columns_become_optional_where_another_file_has_nulls() {
    use parquet::file::properties::WriterVersion;
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        for dictionary in [true, false] {
            for order in [[false, true, false], [true, false, false]] {
                let mut files = Files::new();
                let mut all = Vec::new();
                for (at, is_optional) in order.into_iter().enumerate() {
                    let rows = nested(500 * at as i64, is_optional);
                    let properties = properties()
                        .set_writer_version(version)
                        .set_dictionary_enabled(dictionary)
                        .set_compression(parquet::basic::Compression::SNAPPY);
                    files.write(&rows, properties.build());
                    all.push(rows);
                }
                let output = files.path("merged");
                let options = MergeOptions::default().with_verify(true);
                let merged = merge(&files.paths, &output, &options).unwrap();
                assert_eq!(merged.row_groups_after, 1);
                let options =
                    bytelane_parquet_files::check::CheckOptions::default().with_values(true);
                let checked = bytelane_parquet_files::check::check(&output, &options).unwrap();
                assert_eq!(checked.findings, Vec::new());
                let found = read(&std::fs::read(&output).unwrap().into(), None);
                let optional = all.iter().find(|it| it.schema().field(0).is_nullable());
                let schema = optional.unwrap().schema();
                let mut at = 0;
                for rows in all {
                    let part = found.slice(at, rows.num_rows());
                    at += rows.num_rows();
                    for (one, other) in part.columns().iter().zip(rows.columns()) {
                        let other = arrow_cast::cast(other, one.data_type()).unwrap();
                        assert_eq!(one, &other);
                    }
                }
                assert!(found.schema().field(0).is_nullable() && schema.field(0).is_nullable());
            }
        }
    }
}

/// Returns rows with a list and a map, whose members have these names.
fn with_members(from: i64, element: &str, [entries, key, value]: [&str; 3]) -> RecordBatch {
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(from..from + 20));
    let offsets = || arrow_buffer::OffsetBuffer::from_lengths([2; 10]);
    let field = Arc::new(Field::new(element, DataType::Int64, true));
    let list = arrow_array::ListArray::new(field, offsets(), Arc::clone(&numbers), None);
    let fields = vec![
        Field::new(key, DataType::Int64, false),
        Field::new(value, list.data_type().clone(), true),
    ];
    let values = {
        let field = Arc::new(Field::new(element, DataType::Int64, true));
        let offsets = arrow_buffer::OffsetBuffer::from_lengths([1; 20]);
        arrow_array::ListArray::new(field, offsets, Arc::clone(&numbers), None)
    };
    let pairs = arrow_array::StructArray::new(fields.into(), vec![numbers, Arc::new(values)], None);
    let field = Arc::new(Field::new(entries, pairs.data_type().clone(), false));
    let map = arrow_array::MapArray::new(field, offsets(), pairs, None, false);
    batch(vec![
        ("list", Arc::new(list), true),
        ("map", Arc::new(map), true),
    ])
}

#[test]
fn members_of_lists_and_maps_are_named_as_in_the_first_file() {
    let mut files = Files::new();
    let names = ["key_value", "key", "value"];
    files.write(&with_members(0, "item", names), properties().build());
    let others = with_members(100, "element", ["entries", "keys", "values"]);
    files.write(&others, properties().build());
    let options = MergeOptions::default().with_verify(true);
    let output = files.path("merged");
    merge(&files.paths, &output, &options).unwrap();
    let rows = read(&std::fs::read(output).unwrap().into(), None);
    let [first, second] = [0, 100].map(|from| with_members(from, "item", names));
    assert_eq!(rows.slice(0, 10), first);
    assert_eq!(rows.slice(10, 10), second);

    // Members of structs are found by their names.
    let group = |name: &str| -> ArrayRef {
        let field = Arc::new(Field::new(name, DataType::Int64, true));
        Arc::new(arrow_array::StructArray::from(vec![(field, ints(0))]))
    };
    let mut files = Files::new();
    for name in ["item", "element"] {
        let rows = batch(vec![("group", group(name), true)]);
        files.write(&rows, properties().build());
    }
    let output = files.path("merged");
    merge(&files.paths, &output, &MergeOptions::default()).unwrap();
    let rows = read(&std::fs::read(output).unwrap().into(), None);
    let groups = rows.column(0).as_struct();
    assert_eq!(groups.column_names(), ["item", "element"]);
    let nulls = groups.columns().iter().map(|it| it.null_count());
    assert!(nulls.eq([10, 10]));
}

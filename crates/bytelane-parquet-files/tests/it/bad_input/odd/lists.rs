//! Tests groups that are annotated as lists or maps, but do not have that form.

use super::{ROWS, changed, check, numbers, with_element};
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, Int32Array, ListArray, MapArray, StringArray, StructArray};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field, Fields};
use bytelane_parquet::Reader;
use bytelane_parquet::format::{ConvertedType, Encoded, FieldRepetitionType, LogicalType};
use bytes::Bytes;
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::sync::Arc;

/// Returns the levels of each row. Even rows have two maps, the first of them with two entries, and odd rows
/// have none.
fn levels() -> (Vec<i16>, Vec<i16>) {
    let rows = (0..ROWS).flat_map(|row| match row % 2 {
        0 => vec![(2, 0), (2, 2), (2, 1)],
        _ => vec![(0, 0)],
    });
    rows.unzip()
}

/// Returns a file of the columns `ok` and `x`, a group with the leaves `key` and `value` within two repeated
/// groups.
fn file_of(group: &str) -> Bytes {
    let schema = format!("message schema {{ required int32 ok; {group} }}");
    let schema = Arc::new(parse_message_type(&schema).unwrap());
    let mut file = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut file, schema, Arc::default()).unwrap();
    let mut row_group = writer.next_row_group().unwrap();
    let mut ok = row_group.next_column().unwrap().unwrap();
    let numbers = numbers();
    let numbers = numbers.as_primitive::<Int32Type>().values();
    let ok_writer = ok.typed::<parquet::data_type::Int32Type>();
    ok_writer.write_batch(numbers, None, None).unwrap();
    ok.close().unwrap();
    let (definition, repetition) = levels();
    let entries = (0..3 * ROWS / 2).collect::<Vec<_>>();
    let mut keys = row_group.next_column().unwrap().unwrap();
    let texts: Vec<ByteArray> = entries.iter().map(|it| key(*it).as_str().into()).collect();
    let key_writer = keys.typed::<ByteArrayType>();
    key_writer
        .write_batch(&texts, Some(&definition), Some(&repetition))
        .unwrap();
    keys.close().unwrap();
    let mut values = row_group.next_column().unwrap().unwrap();
    let entries: Vec<i32> = entries.iter().map(|it| *it as i32).collect();
    let value_writer = values.typed::<parquet::data_type::Int32Type>();
    value_writer
        .write_batch(&entries, Some(&definition), Some(&repetition))
        .unwrap();
    values.close().unwrap();
    row_group.close().unwrap();
    writer.close().unwrap();
    file.into()
}

fn key(entry: usize) -> String {
    format!("key {entry}")
}

fn entries() -> StructArray {
    let fields = Fields::from(vec![
        Field::new("key", DataType::Utf8, false),
        Field::new("value", DataType::Int32, false),
    ]);
    let count = 3 * ROWS / 2;
    let keys: ArrayRef = Arc::new(StringArray::from_iter_values((0..count).map(key)));
    let values: ArrayRef = Arc::new(Int32Array::from_iter_values(0..count as i32));
    StructArray::new(fields, vec![keys, values], None)
}

/// Returns lists of maps with these names for the item and the entry.
fn lists_of_maps(item: &str, entry: &str) -> ArrayRef {
    let entries = entries();
    let entry = Field::new(entry, entries.data_type().clone(), false);
    let maps = OffsetBuffer::from_lengths((0..ROWS).map(|map| 2 - map % 2));
    let maps = MapArray::new(Arc::new(entry), maps, entries, None, false);
    let item = Field::new(item, maps.data_type().clone(), false);
    let lists = OffsetBuffer::from_lengths((0..ROWS).map(|row| 2 * (1 - row % 2)));
    Arc::new(ListArray::new(Arc::new(item), lists, Arc::new(maps), None))
}

const ENTRY: &str = "required binary key (UTF8); required int32 value;";

#[test]
fn a_list_of_a_repeated_map_is_a_list_of_maps() {
    for annotation in ["(MAP)", "(MAP_KEY_VALUE)"] {
        let file = file_of(&format!(
            "required group x (LIST) {{ repeated group array (MAP) {{ \
             repeated group key_value {annotation} {{ {ENTRY} }} }} }}"
        ));
        check(&file, &lists_of_maps("array", "key_value"), annotation);
    }
}

#[test]
fn a_repeated_map_is_a_list_of_maps() {
    let file = file_of(&format!(
        "repeated group x (MAP) {{ repeated group entries {{ {ENTRY} }} }}"
    ));
    check(&file, &lists_of_maps("x", "entries"), "a repeated map");
}

/// Tests the group of a map with a list in place of a key and a value.
#[test]
fn other_groups_are_structs_and_lists() {
    let file = file_of(
        "required group x (MAP) { repeated group a (LIST) { \
         repeated group b { required binary key (UTF8); required int32 value; } } }",
    );
    let rows = Reader::builder(file.clone()).unwrap().build().unwrap();
    let batch = rows.collect::<Result<Vec<_>, _>>().unwrap().remove(0);
    let x: ArrayRef = Arc::clone(batch.column(1));
    assert_eq!(leaves(&x), entries());
    check(&file, &x, "a map without entries");
}

/// Returns the structs in lists of lists.
fn leaves(x: &ArrayRef) -> StructArray {
    match x.data_type() {
        DataType::List(_) => leaves(x.as_list::<i32>().values()),
        DataType::Struct(fields) if fields.len() == 1 => leaves(x.as_struct().column(0)),
        DataType::Map(..) => x.as_map().entries().clone(),
        _ => x.as_struct().clone(),
    }
}

#[test]
fn annotations_of_groups_that_are_unknown_are_ignored() {
    let file = file_of(&format!(
        "required group x {{ repeated group a {{ repeated group b {{ {ENTRY} }} }} }}"
    ));
    let rows = Reader::builder(file.clone()).unwrap().build().unwrap();
    let batch = rows.collect::<Result<Vec<_>, _>>().unwrap().remove(0);
    assert!(matches!(batch.column(1).data_type(), DataType::Struct(_)));
    let unknown = Bytes::from_static(&[0x0c, 100, 0, 0]);
    let unknown: LogicalType = bytelane_parquet::format::decode(&unknown).unwrap();
    for (converted, logical) in [
        (Some(ConvertedType::Unknown(99)), None),
        (Some(ConvertedType::Date), None),
        (None, Some(unknown)),
    ] {
        let what = format!("{converted:?} {logical:?}");
        let file = with_element(&file, |it| {
            it.converted_type = converted;
            it.logical_type = logical.map(|it| Encoded::new(&it).unwrap());
        });
        check(&file, batch.column(1), &what);
    }
}

#[test]
fn groups_without_a_repetition_are_required() {
    let file = file_of(&format!(
        "required group x {{ repeated group a {{ repeated group b {{ {ENTRY} }} }} }}"
    ));
    let rows = Reader::builder(file.clone()).unwrap().build().unwrap();
    let batch = rows.collect::<Result<Vec<_>, _>>().unwrap().remove(0);
    let file = changed(&file, |footer| {
        for element in &mut footer.schema {
            if element.repetition_type == Some(FieldRepetitionType::Required) {
                element.repetition_type = None;
            }
        }
    });
    check(&file, batch.column(1), "no repetition");
}

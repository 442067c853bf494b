//! Tests columns with dots in their names.

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StructArray};
use arrow_schema::{DataType, Field};
use bytelane_parquet::{ColumnOptions, Encoding, Problem, Reader, Writer, WriterOptions};
use bytelane_parquet_files::rewrite::{RewriteOptions, rewrite_bytes};
use bytes::Bytes;
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::sync::Arc;

/// Returns the columns `a`, `a.b` and `g.x`, and `x` in the group `g`.
fn batch() -> RecordBatch {
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..50));
    let field = Arc::new(Field::new("x", DataType::Int64, false));
    let group: ArrayRef = Arc::new(StructArray::from(vec![(field, Arc::clone(&numbers))]));
    let columns = [
        ("a", Arc::clone(&numbers)),
        ("a.b", Arc::clone(&numbers)),
        ("g", group),
        ("g.x", numbers),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

fn written(options: WriterOptions) -> (Bytes, Vec<Encoding>) {
    let batch = batch();
    let mut file = Vec::new();
    let mut writer = Writer::try_new(&mut file, batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    let mut written = writer.close().unwrap();
    (file.into(), written.encodings.remove(0))
}

fn read(file: &Bytes, columns: &[&str]) -> Vec<String> {
    let reader = Reader::builder(file.clone()).unwrap();
    let mut reader = reader
        .with_columns(columns.iter().copied())
        .unwrap()
        .build()
        .unwrap();
    let batch = reader.next().unwrap().unwrap();
    let schema = batch.schema();
    let names = schema.fields().iter().map(|field| field.name().clone());
    names.collect()
}

#[test]
fn a_column_is_not_in_a_group_because_its_name_has_a_dot() {
    let (file, _) = written(WriterOptions::default());
    assert_eq!(read(&file, &["a"]), ["a"]);
    assert_eq!(read(&file, &["a.b"]), ["a.b"]);
    assert_eq!(read(&file, &["g"]), ["g"]);
    // Both columns have this name.
    assert_eq!(read(&file, &["g.x"]), ["g", "g.x"]);
    let reader = Reader::builder(file).unwrap();
    let error = reader.with_columns(["a.c"]).unwrap_err();
    assert!(
        matches!(error.problem(), Problem::NoSuchColumn(_)),
        "{error}"
    );
}

#[test]
fn options_are_for_the_columns_that_they_name() {
    let plain = WriterOptions::default().with_encoding(Encoding::Plain);
    let split = ColumnOptions::default().with_encoding(Encoding::ByteStreamSplit);
    for (name, expected) in [
        ("a", [true, false, false, false]),
        ("a.b", [false, true, false, false]),
        ("g", [false, false, true, false]),
        ("g.x", [false, false, true, true]),
    ] {
        let options = plain.clone().with_column(name, split.clone());
        let (_, encodings) = written(options);
        let is_split = |encoding: &Encoding| *encoding == Encoding::ByteStreamSplit;
        assert_eq!(
            encodings.iter().map(is_split).collect::<Vec<_>>(),
            expected,
            "{name}"
        );

        let (file, _) = written(plain.clone());
        let options = RewriteOptions::default()
            .with_encoding(Encoding::Plain)
            .with_column_encoding(name, Encoding::ByteStreamSplit);
        let (new, _) = rewrite_bytes(file, &options).unwrap();
        let new = SerializedFileReader::new(new).unwrap();
        let columns = new.metadata().row_group(0).columns().iter();
        let split = columns.map(|column| {
            let mut encodings = column.encodings();
            encodings.any(|it| it == parquet::basic::Encoding::BYTE_STREAM_SPLIT)
        });
        assert_eq!(split.collect::<Vec<_>>(), expected, "{name}");
    }
}

//! Tests strings that are not UTF-8, and unknown numbers.

use super::{ROWS, changed, check, check_unreadable, file_of, footer, with_chunk, with_element};
use arrow_array::{ArrayRef, FixedSizeBinaryArray, Int32Array};
use bytelane_parquet::Reader;
use bytelane_parquet::format::{
    CompressionCodec, Encoded, Encoding, KeyValue, PageEncodingStats, PageType, PhysicalType,
};
use bytes::Bytes;
use std::sync::Arc;

fn values() -> ArrayRef {
    Arc::new(Int32Array::from_iter_values(
        (0..ROWS as i32).map(|it| it / 3),
    ))
}

fn pair(key: &'static [u8], value: Option<&'static [u8]>) -> KeyValue {
    KeyValue {
        key: Bytes::from_static(key),
        value: value.map(Bytes::from_static),
        unknown_fields: Default::default(),
    }
}

#[test]
fn metadata_need_not_be_text() {
    let pairs = vec![
        pair(b"text", Some(b"PAR1")),
        pair(b"stats", Some(b"PAR1\xff\xfe\0")),
        pair(b"\xff", Some(b"1")),
        pair(b"none", None),
    ];
    let file = changed(&file_of(&values()), |footer| {
        footer.key_value_metadata = Some(pairs.clone());
        footer.created_by = Some(Bytes::from_static(b"a writer \xe9"));
    });
    check(&file, &values(), "metadata");
    assert_eq!(footer(&file).key_value_metadata, Some(pairs));
    let reader = Reader::builder(file).unwrap();
    assert_eq!(reader.schema().metadata().get("text").unwrap(), "PAR1");
    assert!(!reader.schema().metadata().contains_key("stats"));
}

#[test]
fn metadata_of_a_column_need_not_be_text() {
    let file = with_chunk(&file_of(&values()), |chunk| {
        chunk.meta_data.key_value_metadata = Some(vec![pair(b"\xff", Some(b"\xfe"))]);
    });
    check(&file, &values(), "metadata of a column");
}

#[test]
fn a_name_need_not_be_text() {
    let file = with_element(&file_of(&values()), |it| {
        it.name = Bytes::from_static(b"\xff")
    });
    let reader = Reader::builder(file.clone()).unwrap();
    let names = reader.schema().fields().iter().map(|it| it.name().as_str());
    assert_eq!(names.collect::<Vec<_>>(), ["ok", "\u{fffd}"]);
    let batch = reader.build().unwrap().next().unwrap().unwrap();
    assert_eq!(batch.column(1), &values());
    super::check_others(&file, "a name");
}

#[test]
fn too_few_orders_of_columns_are_ignored() {
    let file = changed(&file_of(&values()), |footer| {
        footer.column_orders.as_mut().unwrap().truncate(1);
    });
    check(&file, &values(), "orders");
}

/// The list of encodings of a chunk is not needed for reading it.
#[test]
fn encodings_that_are_listed_need_not_be_known() {
    let file = with_chunk(&file_of(&values()), |chunk| {
        let mut encodings = chunk.meta_data.encodings.decode().unwrap();
        encodings.push(Encoding::Unknown(77));
        chunk.meta_data.encodings = Encoded::new(&encodings).unwrap();
        let pages = vec![PageEncodingStats {
            page_type: PageType::Unknown(9),
            encoding: Encoding::Unknown(77),
            count: 1,
            unknown_fields: Default::default(),
        }];
        chunk.meta_data.encoding_stats = Some(Encoded::new(&pages).unwrap());
    });
    check(&file, &values(), "encodings");
}

#[test]
fn the_type_of_a_chunk_is_that_of_the_schema() {
    let file = with_chunk(&file_of(&values()), |chunk| {
        chunk.meta_data.physical_type = PhysicalType::Unknown(50);
    });
    check(&file, &values(), "a type");
}

#[test]
fn a_column_with_an_unknown_compression_is_copied() {
    let file = with_chunk(&file_of(&values()), |chunk| {
        chunk.meta_data.codec = CompressionCodec::Unknown(50);
    });
    let error = check_unreadable(&file, "a codec");
    assert!(
        error.contains("column x: ") && error.contains("not known"),
        "{error}"
    );
}

#[test]
fn a_column_of_values_of_no_bytes_is_copied() {
    let fixed = (0..ROWS).map(|row| [row as u8; 4]);
    let fixed: ArrayRef = Arc::new(FixedSizeBinaryArray::try_from_iter(fixed).unwrap());
    for length in [Some(0), Some(-4), None] {
        let file = with_element(&file_of(&fixed), |it| it.type_length = length);
        let error = check_unreadable(&file, "no bytes");
        assert!(error.contains("column x: "), "{error}");
    }
}

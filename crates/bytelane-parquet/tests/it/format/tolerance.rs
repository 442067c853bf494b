//! Tests fields that the structs do not declare, and malformed footers.

use bytelane_parquet::format::{
    DataPageHeader, Encoded, Encoding, FileMetaData, PageHeader, Statistics, decode, encode,
};
use bytes::Bytes;

/// Adds a field to a struct: the field's header, which is its distance from the last field and its type, and
/// its value.
fn with_field(structure: &[u8], field: &[u8]) -> Bytes {
    let (stop, fields) = structure.split_last().unwrap();
    [fields, field, &[*stop]].concat().into()
}

#[test]
fn what_is_not_declared_returns() {
    let file = encode(&FileMetaData::default()).unwrap();
    for field in [
        // Field 100, a string; and `true`.
        &[0x08, 0xc8, 0x01, 3, b'n', b'e', b'w'][..],
        &[0x01, 0xc8, 0x01],
        // Field 5, the key-value pairs, as an i32, and as a list of them.
        &[0x15, 14],
        &[0x19, 0x15, 14],
        // Field 8, the encryption, as a list of lists of structs.
        &[0x49, 0x19, 0x1c, 0],
    ] {
        let bytes = with_field(&file, field);
        let file: FileMetaData = decode(&bytes).unwrap();
        assert_eq!(file.unknown_fields.len(), 1, "{field:x?}");
        assert_eq!(
            (file.key_value_metadata, file.encryption_algorithm),
            (None, None)
        );
        let file: FileMetaData = decode(&bytes).unwrap();
        assert_eq!(encode(&file).unwrap(), bytes, "{field:x?}");
    }
}

/// Bytes of a struct may be invalid if nobody reads it.
#[test]
fn structs_that_nobody_reads_may_be_damaged() {
    let statistics = [0x18, 1, b'x', 0x18, 1, b'y', 0x00];
    let header = [
        0x15, 0, 0x15, 0, 0x15, 0, 0x2c, 0x15, 2, 0x15, 0, 0x15, 6, 0x2c,
    ];
    let bytes = Bytes::from([&header[..], &statistics, &[0, 0]].concat());
    let header: PageHeader = decode(&bytes).unwrap();
    let page = header.data_page_header.as_ref().unwrap();
    let statistics = page.statistics.as_ref().unwrap().decode().unwrap();
    assert_eq!(
        (&statistics.max, &statistics.min),
        (&Some("x".into()), &Some("y".into()))
    );
    assert_eq!(page.repetition_level_encoding, None);
    assert_eq!(encode(&header).unwrap(), bytes);
}

#[test]
fn cut_metadata_is_an_error() {
    let mut page = page_header();
    page.crc = Some(7);
    let bytes = Bytes::from(encode(&page).unwrap());
    for length in 0..bytes.len() {
        assert!(
            decode::<PageHeader>(&bytes.slice(..length)).is_err(),
            "{length}"
        );
    }
    assert_eq!(decode::<PageHeader>(&bytes).unwrap(), page);
}

/// Lists of 2^31 - 1 elements in a few bytes, and deeply nested groups.
#[test]
fn lists_are_counted_before_they_are_allocated() {
    let file = encode(&FileMetaData::default()).unwrap();
    let most = [0xff, 0xff, 0xff, 0xff, 0x07];
    let deep = [[0x1c].repeat(10_000), [0].repeat(10_000)].concat();
    for (field, problem) in [
        ([&[0x19, 0xfc], &most[..]].concat(), "ends unexpectedly"),
        ([&[0x39, 0xfc], &most[..]].concat(), "ends unexpectedly"),
        ([&[0x0c, 0xc8, 0x01], &deep[..]].concat(), "nested"),
    ] {
        let bytes = with_field(&file, &field);
        let mut error = None;
        let memory = allocation_counter::measure(|| error = decode::<FileMetaData>(&bytes).err());
        let error = error.unwrap().to_string();
        assert!(error.contains(problem), "{error}");
        assert!(memory.bytes_max < 10_000, "{}", memory.bytes_max);
    }
}

fn page_header() -> PageHeader {
    let statistics = Statistics {
        min_value: Some("least".into()),
        max_value: Some("most".into()),
        null_count: Some(3),
        ..Default::default()
    };
    PageHeader {
        data_page_header: Some(DataPageHeader {
            num_values: 1000,
            encoding: Encoding::RleDictionary,
            definition_level_encoding: Encoding::Rle,
            repetition_level_encoding: Some(Encoding::Rle),
            statistics: Some(Encoded::new(&statistics).unwrap()),
            ..Default::default()
        }),
        ..Default::default()
    }
}

/// There is one header per page.
#[test]
fn reading_a_page_header_allocates_nothing() {
    let header = encode(&page_header()).unwrap();
    let bytes = Bytes::from([&header[..], &[1, 2, 3]].concat());
    // Memory that is already shared, like that of a file.
    let bytes = bytes.slice(..);
    let mut read = None;
    let memory = allocation_counter::measure(|| read = decode::<PageHeader>(&bytes).ok());
    assert_eq!(memory.count_total, 0);
    assert_eq!(read, Some(page_header()));
}

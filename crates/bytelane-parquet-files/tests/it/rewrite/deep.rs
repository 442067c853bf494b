//! Tests deeply nested columns, and schemas that claim more than they have.

use super::physical::{stored, value};
use bytelane_parquet::{Reader, parse_compression};
use bytelane_parquet_files::advise::{AdviseOptions, advise};
use bytelane_parquet_files::inspect::inspect_reader;
use bytelane_parquet_files::rewrite::{RewriteOptions, rewrite_bytes};
use bytes::Bytes;
use parquet::basic::{Repetition, Type as PhysicalType};
use parquet::data_type::Int64Type;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::num::NonZero;
use std::sync::Arc;
use std::thread;

const ROWS: usize = 100;

/// Runs work on a large stack, because the crate `parquet` needs as much as the code under test.
fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(256 << 20);
        thread.spawn_scoped(scope, work).unwrap().join().unwrap()
    })
}

/// Returns a file with a number within this many groups, and another number beside them.
fn nested(groups: usize, repetition: Repetition) -> Bytes {
    let leaf = |name| {
        let leaf = Type::primitive_type_builder(name, PhysicalType::INT64);
        leaf.with_repetition(Repetition::REQUIRED).build().unwrap()
    };
    let mut column = leaf("leaf");
    for _ in 0..groups {
        let group = Type::group_type_builder("g").with_repetition(repetition);
        column = group.with_fields(vec![Arc::new(column)]).build().unwrap();
    }
    let root = Type::group_type_builder("schema")
        .with_fields(vec![Arc::new(column), Arc::new(leaf("beside"))])
        .build();
    let mut file = Vec::new();
    let mut writer =
        SerializedFileWriter::new(&mut file, Arc::new(root.unwrap()), Arc::default()).unwrap();
    let mut row_group = writer.next_row_group().unwrap();
    let numbers: Vec<i64> = (0..ROWS)
        .map(|row| i64::from_le_bytes(value(row, 8).try_into().unwrap()))
        .collect();
    let levels = vec![groups as i16; ROWS];
    while let Some(mut column) = row_group.next_column().unwrap() {
        let levels = (repetition == Repetition::OPTIONAL).then_some(levels.as_slice());
        let column_writer = column.typed::<Int64Type>();
        column_writer.write_batch(&numbers, levels, None).unwrap();
        column.close().unwrap();
    }
    row_group.close().unwrap();
    writer.close().unwrap();
    file.into()
}

/// Tests with the small stack of an ordinary thread.
#[test]
fn deep_columns_are_read_and_rewritten() {
    for (groups, repetition) in [
        (230, Repetition::OPTIONAL),
        (230, Repetition::REQUIRED),
        (511, Repetition::REQUIRED),
    ] {
        let file = on_large_stack(|| nested(groups, repetition));
        let before = on_large_stack(|| stored(&file));
        for threads in [1, 2].map(|it| NonZero::new(it).unwrap()) {
            let options = RewriteOptions::default()
                .with_compression(parse_compression("zstd").unwrap())
                .with_threads(threads)
                .with_verify(true);
            let (new, rewritten) = rewrite_bytes(file.clone(), &options).unwrap();
            assert_eq!(rewritten.columns[0].rewritten, 1, "{groups} {repetition}");
            assert_eq!(on_large_stack(|| stored(&new)), before);

            let reader = Reader::builder(file.clone()).unwrap();
            let batches = reader.with_threads(threads).build().unwrap();
            let rows = batches.map(|batch| batch.unwrap().num_rows());
            assert_eq!(rows.sum::<usize>(), ROWS);
        }
        assert_eq!(inspect_reader(&file).unwrap().rows, ROWS as u64);
        let path = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&path, &file).unwrap();
        let advice = advise(&path, &AdviseOptions::default()).unwrap();
        assert_eq!(advice.columns.len(), 2);
        assert!(
            !advice.columns[0].candidates.is_empty(),
            "{groups} {repetition} {:?}",
            advice.columns[0]
        );
    }
}

/// Writes a number in Thrift's compact protocol.
fn varint(mut number: u64, to: &mut Vec<u8>) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

/// Encodes a schema element: a group, or a required INT32 if it has no children.
fn element(children: i32) -> Vec<u8> {
    let mut bytes = Vec::new();
    match children {
        0 => bytes.extend([0x15, 2, 0x25, 0, 0x18, 1, b'a']),
        _ => {
            bytes.extend([0x35, 0, 0x18, 1, b'g', 0x15]);
            let zigzag = (i64::from(children) << 1) ^ (i64::from(children) >> 63);
            varint(zigzag as u64, &mut bytes);
        }
    }
    bytes.push(0);
    bytes
}

/// Returns a file without rows that has these elements in its schema.
fn file_of(elements: &[Vec<u8>]) -> Bytes {
    let mut footer = vec![0x15, 2, 0x19, 0xfc];
    varint(elements.len() as u64, &mut footer);
    footer.extend(elements.concat());
    footer.extend([0x16, 0, 0x19, 0x0c, 0]);
    let length = (footer.len() as u32).to_le_bytes();
    [b"PAR1", footer.as_slice(), &length, b"PAR1"]
        .concat()
        .into()
}

fn errors(file: &Bytes) -> [String; 3] {
    let path = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(&path, file).unwrap();
    let rewritten = rewrite_bytes(file.clone(), &RewriteOptions::default());
    [
        Reader::builder(file.clone()).unwrap_err().to_string(),
        rewritten.unwrap_err().to_string(),
        advise(&path, &AdviseOptions::default())
            .unwrap_err()
            .to_string(),
    ]
}

#[test]
fn a_group_has_no_more_children_than_there_are_elements() {
    let readable = file_of(&[element(2), element(0), element(0)]);
    assert!(Reader::builder(readable).is_ok(), "what the others change");
    for (group, child) in [
        (i32::MAX, 0),
        (3, 0),
        (-1, 0),
        (2, i32::MAX),
        (2, 2),
        (2, i32::MIN),
    ] {
        let file = file_of(&[element(group), element(child), element(0)]);
        for error in errors(&file) {
            assert!(error.contains("children"), "{group} {child}: {error}");
        }
    }
}

#[test]
fn columns_nested_too_deep_are_an_error() {
    for groups in [513, 5000, 200_000] {
        let mut elements = vec![element(1); groups];
        elements.push(element(0));
        for error in errors(&file_of(&elements)) {
            assert!(error.contains("more than 512 groups"), "{error}");
        }
    }
}

/// Each of the leaves would get a path of 256 KiB.
#[test]
fn names_that_groups_share_are_an_error() {
    let leaves = 1000;
    let mut group = vec![0x35, 0, 0x18];
    varint(256 << 10, &mut group);
    group.extend(vec![b'g'; 256 << 10]);
    group.push(0x15);
    varint(2 * leaves, &mut group);
    group.push(0);
    let mut elements = vec![element(1), group];
    elements.resize(elements.len() + leaves as usize, element(0));
    let file = file_of(&elements);
    let mut all = errors(&file).to_vec();
    all.push(inspect_reader(&file).unwrap_err().to_string());
    for error in all {
        assert!(error.contains("the names of its columns"), "{error}");
    }
}

#[test]
fn the_physical_type_takes_the_place_of_an_annotation_that_does_not_fit() {
    use arrow_schema::DataType;

    let unknown_converted: &[u8] = &[0x25, 0xc6, 1];
    let text: &[u8] = &[0x6c, 0x1c, 0, 0];
    let unknown_logical: &[u8] = &[0x6c, 0x0c, 50, 0, 0];
    for annotation in [unknown_converted, text, unknown_logical] {
        let mut odd = element(0);
        odd.pop();
        odd.extend(annotation);
        odd.push(0);
        let file = file_of(&[element(2), odd, element(0)]);
        let reader = Reader::builder(file.clone()).unwrap();
        let types = reader.schema().fields().iter();
        let types: Vec<&DataType> = types.map(|field| field.data_type()).collect();
        assert_eq!(
            types,
            [&DataType::Int32, &DataType::Int32],
            "{annotation:?}"
        );
        let options = RewriteOptions::default().with_verify(true);
        let (new, _) = rewrite_bytes(file.clone(), &options).unwrap();
        let has = new
            .windows(annotation.len())
            .any(|bytes| bytes == annotation);
        assert!(has, "the annotation {annotation:?} stays in the file");
    }
}

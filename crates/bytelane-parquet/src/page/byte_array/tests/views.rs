//! Tests which bytes arrays of views retain.

use super::{ENCODINGS, Layout, MEMORY, Step, decoder, file, pages, read};
use crate::budget::Budget;
use crate::page::byte_array::room::Room;
use crate::page::values::{ArrayDecoder, Slots};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BinaryArray};
use arrow_schema::DataType;
use bytes::Bytes;
use parquet::basic::Encoding;
use std::sync::Arc;

/// Returns values of a length, ten of them distinct.
fn values(length: usize) -> ArrayRef {
    let value = |row: usize| format!("{:0length$}", row % 10);
    Arc::new(BinaryArray::from_iter_values((0..100).map(value)))
}

#[test]
fn short_values_need_no_page() {
    for encoding in ENCODINGS {
        let array = values(12);
        let chunk = pages(file(&array, Layout::of(encoding, 50)), &array);
        for data_type in [DataType::BinaryView, DataType::Utf8View] {
            // Those with offsets have all their strings in one buffer, whose views may be whole.
            if data_type == DataType::Utf8View && encoding.is_some() {
                continue;
            }
            let arrays = read(&chunk, &data_type, &[Step::Read(100)], MEMORY);
            let array = &arrays.expect("pages of a writer")[0];
            assert_eq!(
                array.to_data().buffers().len(),
                1,
                "{encoding:?}, {data_type}"
            );
        }
    }
}

#[test]
fn pages_are_held_once() {
    for encoding in ENCODINGS {
        let array = values(100);
        let chunk = pages(file(&array, Layout::of(encoding, 50)), &array);
        let arrays = read(&chunk, &DataType::BinaryView, &[Step::Read(100)], MEMORY);
        let array = arrays.expect("pages of a writer")[0].clone();
        let buffers = array.as_binary_view().data_buffers();
        let held: Vec<_> = buffers.iter().map(|buffer| buffer.as_ptr()).collect();
        let pages: Vec<_> = chunk
            .pages
            .iter()
            .map(|page| page.values.as_ptr())
            .collect();
        match (encoding, &chunk.dictionary) {
            (Some(Encoding::DELTA_BYTE_ARRAY), _) => assert_eq!(held.len(), 2),
            (Some(_), _) => assert_eq!(held, pages),
            (None, Some((dictionary, _))) => assert_eq!(held, [dictionary.as_ptr()]),
            (None, None) => panic!("no dictionary"),
        }
    }
}

#[test]
fn pages_come_back_unless_they_are_held() {
    for (length, is_held) in [(12, false), (13, true)] {
        let array = values(length);
        let chunk = pages(file(&array, Layout::of(Encoding::PLAIN, 100)), &array);
        let page = &chunk.pages[0];
        for (data_type, is_held) in [(DataType::BinaryView, is_held), (DataType::Binary, false)] {
            let mut decoder = decoder(&data_type, MEMORY);
            let bytes = Bytes::from(page.values.to_vec());
            decoder
                .open_page(page.encoding, bytes.clone(), 100)
                .expect("a page");
            decoder.append(Slots::Valid(100)).expect("all values");
            decoder.close_page();
            assert_eq!(!bytes.is_unique(), is_held, "{data_type}");
        }
    }
}

/// Checks the limit without writing 2 GB.
#[test]
fn offsets_must_fit() {
    let memory = Budget::new(u64::MAX).reservation();
    let room = Room::new(&memory, i32::MAX as u64);
    assert!(room.check(i32::MAX as u64).is_ok());
    assert_eq!(
        room.check(1 << 31).expect_err("2 GiB").to_string(),
        "the values of one array take more than the 2147483647 bytes that offsets of 32 bits can address: \
         read the column as LargeUtf8 or LargeBinary"
    );
}

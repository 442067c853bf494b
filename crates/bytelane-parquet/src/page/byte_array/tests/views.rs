//! Tests which bytes arrays of views retain.

use super::{ENCODINGS, Layout, MEMORY, Step, decoder, file, pages, read};
use crate::budget::Budget;
use crate::page::byte_array::encodings::room::Room;
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

#[test]
fn values_are_copied_from_pages_of_which_few_are_left() {
    let array = values(100);
    let chunk = pages(file(&array, Layout::of(Encoding::PLAIN, 50)), &array);
    for (every, skips, is_held) in [
        (1, false, true),
        (3, false, true),
        (10, false, false),
        (10, true, false),
        (1000, false, false),
    ] {
        let is_kept = |row: usize| (row % 50).is_multiple_of(every);
        let mut decoder = decoder(&DataType::BinaryView, MEMORY);
        let mut pages = Vec::new();
        for (page, start) in chunk.pages.iter().zip([0, 50]) {
            let bytes = Bytes::from(page.values.to_vec());
            pages.push(bytes.clone());
            decoder.open_page(page.encoding, bytes, 50).expect("a page");
            for start in [start, start + 25] {
                if skips {
                    for row in start..start + 25 {
                        if is_kept(row) {
                            decoder.append(Slots::Valid(1)).expect("a value");
                        } else {
                            decoder.skip(1).expect("a value");
                        }
                    }
                } else {
                    decoder.append(Slots::Valid(25)).expect("half of the page");
                    decoder.retain(&(start..start + 25).map(is_kept).collect());
                }
            }
            decoder.close_page();
        }
        let read = decoder.finish(None).expect("values");
        for page in pages {
            assert_eq!(!page.is_unique(), is_held, "one of {every}");
        }
        read.to_data().validate_full().expect("valid views");
        let read = read.as_binary_view().iter().flatten();
        let expected = array.as_binary::<i32>().iter().flatten().enumerate();
        let expected = expected.filter_map(|(row, value)| is_kept(row).then_some(value));
        assert!(read.eq(expected), "one of {every}");
    }
}

#[test]
fn rows_of_several_pages_are_dropped_together() {
    let array = values(100);
    let chunk = pages(file(&array, Layout::of(Encoding::PLAIN, 10)), &array);
    for every in [1, 2, 5, 7, 50, 1000] {
        let is_kept = |row: usize| row.is_multiple_of(every);
        let mut decoder = decoder(&DataType::BinaryView, MEMORY);
        for (number, page) in chunk.pages.iter().enumerate() {
            let bytes = Bytes::from(page.values.to_vec());
            decoder.open_page(page.encoding, bytes, 10).expect("a page");
            decoder.append(Slots::Valid(10)).expect("a page");
            decoder.close_page();
            if number % 4 == 3 || number == 9 {
                let rows = 10 * (number - number % 4)..10 * number + 10;
                decoder.retain(&rows.map(is_kept).collect());
            }
        }
        let read = decoder.finish(None).expect("values");
        read.to_data().validate_full().expect("valid views");
        let read = read.as_binary_view().iter().flatten();
        let expected = array.as_binary::<i32>().iter().flatten().step_by(every);
        assert!(read.eq(expected), "one of {every}");
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

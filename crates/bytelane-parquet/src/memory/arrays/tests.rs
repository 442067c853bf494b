//! The arrays are valid for Arrow, and nothing else becomes one.

use super::*;
use arrow_array::Array;
use arrow_array::types::{BinaryType, LargeUtf8Type, Utf8Type};
use std::panic::{AssertUnwindSafe, catch_unwind};

const TEXTS: [&[&str]; 5] = [
    &[],
    &[""],
    &["a", "", "bc", "a value of more than twelve bytes"],
    &[
        "ä",
        "€uro",
        "",
        "and a longer one with a 🦀, which has four bytes",
    ],
    &[
        "twelve bytes",
        "thirteen byte",
        "thirteen b\u{e4}te",
        "zwölf bytes",
    ],
];

fn backend() -> Detected {
    Detected::active()
}

fn offsets(values: &[&[u8]]) -> (Vec<i32>, Vec<u8>) {
    let mut offsets = vec![0];
    let ends = values.iter().scan(0, |end, value| {
        *end += value.len() as i32;
        Some(*end)
    });
    offsets.extend(ends);
    (offsets, values.concat())
}

fn view(value: &[u8], buffer: u32, offset: u32) -> u128 {
    let mut bytes = [0; 16];
    bytes[..4].copy_from_slice(&(value.len() as u32).to_le_bytes());
    if value.len() <= INLINE {
        bytes[4..4 + value.len()].copy_from_slice(value);
    } else {
        bytes[4..8].copy_from_slice(&value[..4]);
        bytes[8..12].copy_from_slice(&buffer.to_le_bytes());
        bytes[12..].copy_from_slice(&offset.to_le_bytes());
    }
    u128::from_le_bytes(bytes)
}

/// Views into a buffer of all values, and that buffer, which has another byte before each of them.
fn views(values: &[&[u8]], between: u8) -> (Vec<u128>, Vec<ViewBuffer>) {
    let mut buffer = Vec::new();
    let mut views = Vec::new();
    for value in values {
        buffer.push(between);
        views.push(view(value, 0, buffer.len() as u32));
        buffer.extend_from_slice(value);
    }
    (views, vec![ViewBuffer::new(buffer.into())])
}

#[test]
fn strings_become_valid_arrays() {
    for texts in TEXTS {
        let values: Vec<_> = texts.iter().map(|text| text.as_bytes()).collect();
        let (ends, bytes) = offsets(&values);
        let array = byte_array::<Utf8Type>(backend(), ends, bytes, None).unwrap();
        array.to_data().validate_full().unwrap();
        assert!(array.iter().flatten().eq(texts.iter().copied()));
        // As a whole the bytes are UTF-8, or are not, since a byte between them is none.
        for between in [b'.', 0xff] {
            let (views, buffers) = views(&values, between);
            let array = byte_view_array::<StringViewType>(backend(), views, buffers, None).unwrap();
            array.to_data().validate_full().unwrap();
            assert!(array.iter().flatten().eq(texts.iter().copied()));
        }
    }
}

#[test]
fn nulls_are_kept() {
    let nulls = Some(NullBuffer::from(vec![true, false]));
    let array = byte_array::<BinaryType>(backend(), vec![0, 2, 2], vec![0xff, 1], nulls.clone());
    assert!(array.unwrap().iter().eq([Some(&[0xff, 1][..]), None]));
    let views = vec![view(b"x", 0, 0), 0];
    let array = byte_view_array::<StringViewType>(backend(), views, Vec::new(), nulls);
    assert!(array.unwrap().iter().eq([Some("x"), None]));
}

#[test]
fn no_offsets_are_no_values() {
    let array = byte_array::<LargeUtf8Type>(backend(), vec![0], vec![], None).unwrap();
    assert_eq!(array.len(), 0);
}

/// Strings that are cut within a character, or are no text at all: the first of them is named.
#[test]
fn what_is_not_text_is_found() {
    let euro = "€".as_bytes();
    let long: &[u8] = b"a value of more than twelve bytes \xff";
    let (half, rest) = long.split_at(20);
    let cases: [(&[&[u8]], usize); 5] = [
        (&[b"a", &euro[..1], &euro[1..]], 1),
        (&[b"a", b"b", b"\xff"], 2),
        (&[half, rest, b"\xff"], 1),
        (
            &[b"a string that is cut \xe2\x82", b"\xac and goes on here"],
            0,
        ),
        (
            &[
                b"a string that is right: \xe2\x82\xac",
                b"\x82 and one that is not",
            ],
            1,
        ),
    ];
    for (values, index) in cases {
        let (ends, bytes) = offsets(values);
        let error = byte_array::<Utf8Type>(backend(), ends, bytes, None).unwrap_err();
        assert_eq!(error.index, index);
        for between in [b'.', 0xff] {
            let (views, buffers) = views(values, between);
            let array =
                byte_view_array::<StringViewType>(backend(), views.clone(), buffers.clone(), None);
            assert_eq!(array.unwrap_err().index, index);
            let array = byte_view_array::<BinaryViewType>(backend(), views, buffers, None);
            assert!(array.unwrap().iter().flatten().eq(values.iter().copied()));
        }
    }
}

/// Neighbours in a buffer that are UTF-8 together, but not each of them.
#[test]
fn views_of_half_characters_are_found() {
    let bytes = "a long string up to here: ä, and more of it".as_bytes();
    let middle = bytes.iter().position(|byte| !byte.is_ascii()).unwrap() + 1;
    let cut = [
        view(&bytes[..middle], 0, 0),
        view(&bytes[middle..], 0, middle as u32),
    ];
    let whole = view(bytes, 0, 0);
    for (views, expected) in [
        (vec![whole, cut[0]], 1),
        (vec![whole, cut[1]], 1),
        (cut.to_vec(), 0),
    ] {
        let buffers = vec![ViewBuffer::new(bytes.to_vec().into())];
        let array = byte_view_array::<StringViewType>(backend(), views, buffers, None);
        assert_eq!(array.unwrap_err().index, expected);
    }
}

fn panics<T>(call: impl FnOnce() -> T) -> bool {
    catch_unwind(AssertUnwindSafe(call)).is_err()
}

#[test]
fn wrong_offsets_make_no_array() {
    let one = Some(NullBuffer::new_valid(1));
    let cases: [(Vec<i32>, Option<NullBuffer>); 7] = [
        (vec![], None),
        (vec![1, 0], None),
        (vec![0, 2, 1, 3], None),
        (vec![-1, 0], None),
        (vec![0, 4], None),
        (vec![4], None),
        (vec![0, 1, 2], one),
    ];
    for (offsets, nulls) in cases {
        let make = || byte_array::<BinaryType>(backend(), offsets.clone(), vec![0; 3], nulls);
        assert!(panics(make), "{offsets:?}");
    }
}

#[test]
fn wrong_views_make_no_array() {
    let bytes = b"a value of more than twelve bytes";
    let right = view(bytes, 0, 0);
    let wrong = [
        view(bytes, 1, 0),
        view(bytes, 0, 1),
        view(bytes, 0, u32::MAX),
        right ^ 1 << 32,
        right + 1,
        view(b"short", 0, 0) | 1 << 127,
        view(b"short", 0, 0) - 1,
    ];
    let make = |view| {
        let buffers = vec![ViewBuffer::new(bytes.to_vec().into())];
        byte_view_array::<BinaryViewType>(backend(), vec![view], buffers, None)
    };
    assert!(make(right).is_ok());
    for view in wrong {
        assert!(panics(|| make(view)), "{view:#x}");
    }
    let nulls = Some(NullBuffer::new_valid(2));
    let make = || byte_view_array::<BinaryViewType>(backend(), vec![0], Vec::new(), nulls);
    assert!(panics(make));
}

//! Tests that the arrays are valid for Arrow, and that invalid parts are rejected.

use super::*;
use arrow_array::Array;
use arrow_array::GenericByteViewArray;
use arrow_array::types::{BinaryType, BinaryViewType, LargeUtf8Type, StringViewType, Utf8Type};
use bytelane::rle_hybrid::{self, Format};
use bytes::Bytes;
use std::convert::Infallible;
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

/// Builds an array of views of these ranges of the bytes.
fn views_of<T: ViewContent>(
    bytes: &[u8],
    places: &[(usize, usize)],
) -> Result<GenericByteViewArray<T>, NotText> {
    let mut builder = ViewBuilder::<T>::new(backend());
    append(&mut builder, &Bytes::copy_from_slice(bytes), places);
    builder.finish(None)
}

fn append<T: ViewContent>(builder: &mut ViewBuilder<T>, bytes: &Bytes, places: &[(usize, usize)]) {
    let mut left = places.iter();
    let next = || {
        let (start, end) = left.next().expect("a place for each value");
        Ok::<_, Infallible>(*start..*end)
    };
    let Ok(()) = builder.append(bytes, places.len(), next);
}

/// Joins the values, each with another byte before it. Returns the bytes, and the ranges of the values.
fn apart(values: &[&[u8]], between: u8) -> (Vec<u8>, Vec<(usize, usize)>) {
    let mut bytes = Vec::new();
    let places = values.iter().map(|value| {
        bytes.push(between);
        let start = bytes.len();
        bytes.extend_from_slice(value);
        (start, bytes.len())
    });
    let places = places.collect();
    (bytes, places)
}

#[test]
fn strings_become_valid_arrays() {
    for texts in TEXTS {
        let values: Vec<_> = texts.iter().map(|text| text.as_bytes()).collect();
        let (ends, bytes) = offsets(&values);
        let array = byte_array::<Utf8Type>(backend(), ends, bytes, None).unwrap();
        array.to_data().validate_full().unwrap();
        assert!(array.iter().flatten().eq(texts.iter().copied()));
        // Depending on the byte between the values, all bytes together are UTF-8 or not.
        for between in [b'.', 0xff] {
            let (bytes, places) = apart(&values, between);
            let array = views_of::<StringViewType>(&bytes, &places).unwrap();
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
    let mut builder = ViewBuilder::<StringViewType>::new(backend());
    append(&mut builder, &Bytes::from_static(b"x"), &[(0, 1)]);
    builder.append_nulls(1);
    assert!(builder.finish(nulls).unwrap().iter().eq([Some("x"), None]));
}

#[test]
fn no_offsets_are_no_values() {
    let array = byte_array::<LargeUtf8Type>(backend(), vec![0], vec![], None).unwrap();
    assert_eq!(array.len(), 0);
}

/// Strings that are cut within a character, or are not text at all: the first of them is reported.
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
            let (bytes, places) = apart(values, between);
            let array = views_of::<StringViewType>(&bytes, &places);
            assert_eq!(array.unwrap_err().index, index);
            let array = views_of::<BinaryViewType>(&bytes, &places);
            assert!(array.unwrap().iter().flatten().eq(values.iter().copied()));
        }
    }
}

/// Neighbouring values in a buffer that are UTF-8 together, but not individually.
#[test]
fn views_of_half_characters_are_found() {
    let bytes = "a long string up to here: ä, and more of it".as_bytes();
    let middle = bytes.iter().position(|byte| !byte.is_ascii()).unwrap() + 1;
    let (whole, cut) = ((0, bytes.len()), [(0, middle), (middle, bytes.len())]);
    for (places, expected) in [
        (vec![whole, cut[0]], 1),
        (vec![whole, cut[1]], 1),
        (cut.to_vec(), 0),
    ] {
        let array = views_of::<StringViewType>(bytes, &places);
        assert_eq!(array.unwrap_err().index, expected);
    }
}

fn append_entries<T: ViewContent>(
    builder: &mut ViewBuilder<T>,
    dictionary: &ViewDictionary<T>,
    indices: &[u32],
) -> Result<(), rle_hybrid::Error> {
    let format = Format::<u32>::new(3).unwrap();
    let runs = format.encode_to_vec(&[&[7, 7], indices].concat()).unwrap();
    builder.append_entries(dictionary, format, &runs, 2..2 + indices.len())
}

/// Array that points into several pages and dictionaries.
#[test]
fn views_of_several_buffers_are_valid() {
    let pages = [
        "a value of more than twelve bytes",
        "another value of more than twelve bytes, ähnlich",
    ];
    let pages = pages.map(|page| Bytes::from_static(page.as_bytes()));
    let entries = Bytes::from_static(b"short, and one that is not short");
    let dictionary = ViewDictionary::new(backend(), &entries, &[(0, 5), (7, 25)]);
    let mut builder = ViewBuilder::<StringViewType>::new(backend());
    for _ in 0..2 {
        append(&mut builder, &pages[0], &[(0, 33), (2, 7)]);
        append(&mut builder, &pages[0], &[(8, 33)]);
        append_entries(&mut builder, &dictionary, &[1, 0, 1]).unwrap();
        append(&mut builder, &pages[1], &[(8, 48)]);
        append_entries(&mut builder, &dictionary, &[1]).unwrap();
        assert_eq!(builder.held(), 33 + 49);
        assert_eq!(builder.len(), 8);
        let array = builder.finish(None).unwrap();
        array.to_data().validate_full().unwrap();
        let expected = [
            "a value of more than twelve bytes",
            "value",
            "of more than twelve bytes",
            "and one that is not short",
            "short",
            "and one that is not short",
            "value of more than twelve bytes, ähnlic",
            "and one that is not short",
        ];
        assert!(array.iter().flatten().eq(expected));
        assert_eq!(array.data_buffers().len(), 3);
    }
}

#[test]
fn short_values_hold_no_bytes() {
    let bytes = Bytes::from_static(b"twelve bytes and more");
    let dictionary = ViewDictionary::new(backend(), &bytes, &[(0, 12), (17, 4)]);
    let mut builder = ViewBuilder::<BinaryViewType>::new(backend());
    append(&mut builder, &bytes, &[(0, 12), (17, 21)]);
    append_entries(&mut builder, &dictionary, &[1, 0]).unwrap();
    let array = builder.finish(None).unwrap();
    let expected: [&[u8]; 4] = [b"twelve bytes", b"more", b"more", b"twelve bytes"];
    assert!(array.iter().flatten().eq(expected));
    assert_eq!(array.data_buffers().len(), 0);
}

#[test]
fn an_entry_that_is_not_text_is_found_where_it_is_used() {
    let bytes = Bytes::from_static(b"a \xff");
    let dictionary = ViewDictionary::new(backend(), &bytes, &[(0, 1), (2, 1)]);
    let mut builder = ViewBuilder::<StringViewType>::new(backend());
    append_entries(&mut builder, &dictionary, &[0, 0]).unwrap();
    assert!(
        builder
            .finish(None)
            .unwrap()
            .iter()
            .flatten()
            .eq(["a", "a"])
    );
    append_entries(&mut builder, &dictionary, &[0, 1]).unwrap();
    assert_eq!(builder.finish(None).unwrap_err().index, 1);
}

#[test]
fn values_move_to_their_slots() {
    let bytes = Bytes::from_static(b"abc");
    for (bits, slots) in [(0b111, 3), (0b101_0100, 7), (0b1_0011, 5), (0b1110_0000, 8)] {
        let mut builder = ViewBuilder::<StringViewType>::new(backend());
        append(&mut builder, &bytes, &[(0, 3), (0, 1), (1, 2), (2, 3)]);
        builder.spread(&[bits], slots, 3);
        let array = builder.finish(None).unwrap();
        let mut letters = ["a", "b", "c"].iter();
        let spread = (0..slots).map(|slot| match bits >> slot & 1 {
            1 => letters.next().copied().unwrap_or_default(),
            _ => "",
        });
        let expected: Vec<_> = std::iter::once("abc").chain(spread).collect();
        assert!(array.iter().flatten().eq(expected), "{bits:b}");
    }
}

#[test]
fn after_an_error_there_are_no_more_views() {
    let bytes = Bytes::from_static(b"a value of more than twelve bytes");
    let mut builder = ViewBuilder::<BinaryViewType>::new(backend());
    let mut places = [Ok(0..33), Err("no")].into_iter();
    let appended = builder.append(&bytes, 2, || places.next().expect("two"));
    assert_eq!(appended, Err("no"));
    assert_eq!((builder.len(), builder.held()), (0, 0));
    assert_eq!(builder.finish(None).unwrap().data_buffers().len(), 0);
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
fn wrong_places_make_no_array() {
    let bytes = b"a value of more than twelve bytes";
    let most = usize::MAX;
    for place in [
        (0, 34),
        (33, 34),
        (34, 34),
        (most, most),
        (20, 40),
        (30, 36),
    ] {
        let make = || views_of::<BinaryViewType>(bytes, &[place]);
        assert!(panics(make), "{place:?}");
    }
    let nulls = Some(NullBuffer::new_valid(2));
    let mut builder = ViewBuilder::<BinaryViewType>::new(backend());
    builder.append_nulls(1);
    assert!(panics(|| builder.finish(nulls)));
    let dictionary = ViewDictionary::new(backend(), &Bytes::new(), &[]);
    append_entries(&mut builder, &dictionary, &[0]).unwrap_err();
    assert_eq!(builder.len(), 0);
}

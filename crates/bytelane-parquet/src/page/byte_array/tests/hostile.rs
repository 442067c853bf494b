//! Tests pages that no writer produces.

use super::{ENCODINGS, Layout, MEMORY, Step, column, decoder, file, pages, read};
use crate::Error;
use crate::budget::Budget;
use crate::page::byte_array::{ByteArrayDecoder, delta};
use crate::page::header::ValueEncoding;
use crate::page::values::{ArrayDecoder, Slots};
use arrow_array::{Array, ArrayRef, FixedSizeBinaryArray, StringArray};
use arrow_schema::DataType;
use bytelane::Detected;
use bytes::Bytes;
use parquet::basic::{Encoding, Type};
use proptest::prelude::*;
use std::sync::Arc;

use ValueEncoding::{DeltaByteArray, DeltaLengthByteArray, Dictionary, Plain};

/// Dictionary of `one` and `three`.
const DICTIONARY: &[u8] = b"\x03\0\0\0one\x05\0\0\0three";

/// Types that are implemented by different code.
fn types() -> Vec<DataType> {
    let dictionary = DataType::Dictionary(Box::new(DataType::Int16), Box::new(DataType::Utf8));
    let decimal = DataType::Decimal128(10, 2);
    let strings = [
        DataType::Utf8,
        DataType::LargeBinary,
        DataType::Utf8View,
        DataType::BinaryView,
    ];
    [&strings[..], &[dictionary, decimal]].concat()
}

/// Returns the error for a page that claims `valid` values, when all of them are read.
fn refused(data_type: &DataType, encoding: ValueEncoding, page: &[u8], valid: usize) -> Error {
    let page = Bytes::copy_from_slice(page);
    let mut decoder = decoder(data_type, MEMORY);
    let dictionary = Bytes::from_static(DICTIONARY);
    decoder
        .keep_dictionary(dictionary, 2)
        .expect("a dictionary");
    let opened = decoder.open_page(encoding, page, valid);
    let appended = opened.and_then(|()| decoder.append(Slots::Valid(valid)));
    appended.expect_err("a page that no writer makes")
}

/// Encodes lengths in DELTA_BINARY_PACKED.
fn packed(lengths: &[i32]) -> Vec<u8> {
    bytelane::delta::encode_to_vec(lengths)
}

/// 2^31 - 1 values in two blocks, all of them 0.
const MANY_ZEROS: &[u8] = b"\x80\xff\xff\xff\x07\x01\xff\xff\xff\xff\x07\0\0\0\0\0";

#[test]
fn damaged_pages_are_refused() {
    let (prefixes, suffixes) = (packed(&[0, 4]), packed(&[3, 1]));
    let beyond = [&prefixes[..], &suffixes, b"onee"].concat();
    let negative = [&packed(&[-1, 0])[..], &suffixes, b"onee"].concat();
    let few = [&packed(&[0, 1])[..], &packed(&[3, 9]), b"onee"].concat();
    let uneven = [&packed(&[0, 1])[..], &packed(&[3]), b"onee"].concat();
    let pages: [(ValueEncoding, &[u8], usize, &str); 17] = [
        (
            Plain,
            b"\x01\0\0",
            1,
            "3 bytes of values in PLAIN, too few for the lengths of 1 values",
        ),
        (
            Plain,
            b"\x01\0\0\0a\x01\0\0",
            2,
            "the page ends within the length of a value",
        ),
        (
            Plain,
            b"\x02\0\0\0a",
            1,
            "a value of 2 bytes, but the page has only 1 bytes left",
        ),
        (
            Plain,
            b"\xff\xff\xff\xffa",
            1,
            "a value of 4294967295 bytes, but the page has only 1 bytes left",
        ),
        (
            Plain,
            b"",
            usize::MAX,
            "0 bytes of values in PLAIN, too few for the lengths of 18446744073709551615 values",
        ),
        (DeltaLengthByteArray, b"", 1, "the lengths of values: "),
        (
            DeltaLengthByteArray,
            &packed(&[1, 2, 3]),
            2,
            "3 lengths for 2 values",
        ),
        (
            DeltaLengthByteArray,
            &packed(&[1, 2]),
            2,
            "values of 3 bytes in DELTA_LENGTH_BYTE_ARRAY, but the page has only 0 bytes for them",
        ),
        (
            DeltaLengthByteArray,
            &packed(&[1, -1]),
            2,
            "the lengths of values: one is negative",
        ),
        (
            DeltaByteArray,
            &beyond,
            2,
            "a prefix of 4 bytes in DELTA_BYTE_ARRAY, after a value of 3 bytes",
        ),
        (
            DeltaByteArray,
            &negative,
            2,
            "the prefix lengths of values: one is negative",
        ),
        (
            DeltaByteArray,
            &few,
            2,
            "suffixes of 12 bytes in DELTA_BYTE_ARRAY, but the page has only 4 bytes for them",
        ),
        (DeltaByteArray, &uneven, 2, "1 suffix lengths for 2 values"),
        (Dictionary, b"\x02\x04\x02", 2, "the ind"),
        (Dictionary, b"\x21\x04\x01", 2, "indices of 33 bits"),
        (Dictionary, b"", 2, "the indices into the dictionary: "),
        (
            ValueEncoding::Alp,
            b"",
            0,
            "a page in ALP, which values of the type BYTE_ARRAY cannot have",
        ),
    ];
    for data_type in types() {
        for (encoding, page, valid, expected) in pages {
            let error = refused(&data_type, encoding, page, valid).to_string();
            assert!(error.starts_with(expected), "{data_type}: {error}");
        }
    }
}

/// A few bytes that claim a huge number of values take no memory.
#[test]
fn promises_take_no_memory() {
    let many = i32::MAX as usize;
    let repeated = [&b"\x01"[..], &[0xfe, 0xff, 0xff, 0xff, 0x0f], b"\x01"].concat();
    let both = [MANY_ZEROS, MANY_ZEROS].concat();
    let pages = [
        (DeltaLengthByteArray, MANY_ZEROS),
        (DeltaByteArray, &both),
        (Dictionary, &repeated),
    ];
    for data_type in types() {
        for (encoding, page) in pages {
            let mut error = None;
            let used = allocation_counter::measure(|| {
                error = Some(refused(&data_type, encoding, page, many));
            });
            let error = error.expect("an error").to_string();
            let expected = "it takes more memory than the limit of 1073741824 bytes, which \
                            with_memory_limit raises";
            assert_eq!(error, expected, "{data_type}, {encoding:?}");
            assert!(
                used.bytes_max < 1 << 20,
                "{data_type}: {} bytes",
                used.bytes_max
            );
        }
    }
}

/// Repeated dictionary strings and prefixes take memory, which is limited.
#[test]
fn arrays_stay_within_the_memory() {
    let array: ArrayRef = Arc::new(StringArray::from_iter_values(
        (0..4000).map(|row| format!("{:01000}", row % 3)),
    ));
    for encoding in ENCODINGS {
        let chunk = pages(file(&array, Layout::of(encoding, 5000)), &array);
        for data_type in [DataType::Utf8, DataType::LargeBinary] {
            let read = |rows, memory| read(&chunk, &data_type, &[Step::Read(rows)], memory);
            assert!(read(4000, 4_100_000).is_ok(), "{encoding:?}");
            assert!(read(100, 200_000).is_ok(), "{encoding:?}");
            let mut error = None;
            let used = allocation_counter::measure(|| error = read(4000, 200_000).err());
            let error = error.expect("an array of 4 MB").to_string();
            assert!(error.contains("the limit of 200000 bytes"), "{error}");
            if encoding != Some(Encoding::PLAIN) {
                assert!(
                    used.bytes_max < 1 << 20,
                    "{encoding:?}: {} bytes",
                    used.bytes_max
                );
            }
        }
    }
}

#[test]
fn nulls_take_memory() {
    for data_type in types() {
        let mut decoder = decoder(&data_type, 1 << 20);
        assert!(decoder.append(Slots::Null(10_000)).is_ok());
        assert!(
            decoder.append(Slots::Null(usize::MAX)).is_err(),
            "{data_type}"
        );
    }
}

#[test]
fn strings_are_utf8() {
    // Two-byte character, split between two strings.
    let halves = b"\x01\0\0\0\xc3\x01\0\0\0\xa4";
    let split = [&packed(&[1, 1])[..], b"\xc3\xa4"].concat();
    let dictionary = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8View));
    for data_type in [
        DataType::Utf8,
        DataType::LargeUtf8,
        DataType::Utf8View,
        dictionary,
    ] {
        for (encoding, page) in [(Plain, &halves[..]), (DeltaLengthByteArray, &split)] {
            let mut decoder = decoder(&data_type, MEMORY);
            let page = Bytes::copy_from_slice(page);
            decoder.open_page(encoding, page, 2).expect("a page");
            decoder.append(Slots::Valid(2)).expect("two values");
            let error = decoder.finish(None).expect_err("halves of a character");
            let error = error.to_string();
            assert!(
                error.starts_with("the value 0 of the array is not UTF-8: "),
                "{error}"
            );
        }
        let error = decoder(&data_type, MEMORY).keep_dictionary(Bytes::from_static(halves), 2);
        let error = error.expect_err("halves of a character").to_string();
        assert!(
            error.starts_with("the value 0 of the dictionary is not UTF-8: "),
            "{error}"
        );
    }
}

#[test]
fn indices_need_a_dictionary() {
    for data_type in types() {
        let mut decoder = decoder(&data_type, MEMORY);
        let opened = decoder.open_page(Dictionary, Bytes::from_static(&[1, 4, 0]), 2);
        assert_eq!(
            opened.expect_err("no dictionary").to_string(),
            "a page of indices, but the column chunk has no dictionary before it"
        );
        for (dictionary, count) in [
            (&DICTIONARY[..9], 2),
            (DICTIONARY, 3),
            (DICTIONARY, usize::MAX),
        ] {
            let dictionary = Bytes::from_static(dictionary);
            assert!(decoder.keep_dictionary(dictionary, count).is_err());
        }
    }
}

#[test]
fn only_some_types_are_read() {
    let new = |data_type: DataType, physical| {
        ByteArrayDecoder::new(
            Detected::active(),
            &data_type,
            &column(physical),
            &Budget::new(MEMORY),
        )
        .is_ok()
    };
    assert!(new(DataType::Utf8, Type::BYTE_ARRAY));
    assert!(!new(DataType::Utf8, Type::FIXED_LEN_BYTE_ARRAY));
    assert!(!new(DataType::Int32, Type::BYTE_ARRAY));
    let floats = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Float32));
    assert!(!new(floats, Type::BYTE_ARRAY));
}

#[test]
fn decimals_must_fit() {
    let mut decoder = decoder(&DataType::Decimal128(10, 2), MEMORY);
    let page = [&packed(&[17])[..], &[1; 17]].concat();
    decoder
        .open_page(DeltaLengthByteArray, page.into(), 1)
        .expect("a page");
    decoder.append(Slots::Valid(1)).expect("a value");
    assert_eq!(
        decoder.finish(None).expect_err("17 bytes").to_string(),
        "a decimal of 17 bytes, which is too great for the type Decimal128(10, 2): \
         read the column with a wider one"
    );
}

#[test]
fn values_of_a_fixed_width() {
    let rows: Vec<_> = (0..3000u64).map(|row| (row * 77).to_be_bytes()).collect();
    let array: ArrayRef =
        Arc::new(FixedSizeBinaryArray::try_from_iter(rows.iter()).expect("values of 8 bytes"));
    let chunk = pages(
        file(&array, Layout::of(Encoding::DELTA_BYTE_ARRAY, 3000)),
        &array,
    );
    let page = &chunk.pages[0].values;
    let decode = |width| delta::decode_fixed(Detected::active(), page.clone(), 3000, width);
    assert_eq!(decode(8).expect("values of 8 bytes"), rows.concat());
    assert_eq!(
        decode(7).expect_err("another width").to_string(),
        "a value of 8 bytes in DELTA_BYTE_ARRAY, but those of the column have 7"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any bytes result in an array or an error.
    #[test]
    fn any_bytes(
        encoding in prop::sample::select(&[Plain, DeltaLengthByteArray, DeltaByteArray, Dictionary][..]),
        rows in prop::collection::vec("[ab]{0,20}", 1..50),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        valid in 1..60usize,
        skipped in 0..20usize,
    ) {
        let array: ArrayRef = Arc::new(StringArray::from(rows));
        let written = match encoding {
            Dictionary => None,
            other => Some(other.in_specification().parse().expect("an encoding of the crate `parquet`")),
        };
        let chunk = pages(file(&array, Layout::of(written, 1000)), &array);
        let mut page = chunk.pages[0].values.to_vec();
        for (at, byte) in changes {
            *at.get_mut(&mut page) = byte;
        }
        for data_type in types() {
            let mut decoder = decoder(&data_type, 1 << 20);
            if let Some((dictionary, count)) = &chunk.dictionary {
                decoder.keep_dictionary(dictionary.clone(), *count).expect("a dictionary");
            }
            let page = Bytes::from(page.clone());
            let skipped = skipped.min(valid);
            let result = decoder
                .open_page(encoding, page, valid)
                .and_then(|()| decoder.skip(skipped))
                .and_then(|()| decoder.append(Slots::Valid(valid - skipped)))
                .and_then(|()| decoder.finish(None));
            if let Ok(array) = result {
                prop_assert_eq!(array.len(), valid - skipped);
                array.to_data().validate_full().expect("a valid array");
            }
        }
    }
}

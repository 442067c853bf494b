//! Tests bytes after the last value of a page, which fastparquet writes.

use super::Case;
use super::by_hand::{
    Column, dictionary, optional, page, page_v2, plain, plain_strings, required, strings,
    with_length,
};
use arrow_array::{BooleanArray, FixedSizeBinaryArray, Int32Array, StringArray};
use bytelane_parquet::format::{Encoding, PhysicalType, SchemaElement};

/// Bytes that fastparquet writes after each page.
const PADDING: [u8; 8] = [0; 8];

fn padded(values: &[u8]) -> Vec<u8> {
    [values, &PADDING].concat()
}

pub fn cases() -> Vec<Case> {
    let numbers = padded(&plain(&[7, 8, 9]));
    let with_null = [&with_length(&[3, 0b1101]), &numbers[..]].concat();
    let indices = padded(&[2, 3, 0b01_10_01_00, 0]);
    let texts = ["x", "a string of more than 16 bytes", ""];
    let fixed = SchemaElement {
        type_length: Some(3),
        ..required(PhysicalType::FixedLenByteArray)
    };
    let three = padded(b"abcdef");
    vec![
        Case::new(
            "numbers",
            Column::flat(
                required(PhysicalType::Int32),
                3,
                vec![page(3, Encoding::Plain, &numbers)],
            ),
            Int32Array::from(vec![7, 8, 9]),
        ),
        Case::new(
            "two pages of numbers",
            Column::flat(
                required(PhysicalType::Int32),
                6,
                vec![
                    page(3, Encoding::Plain, &numbers),
                    page_v2([3, 3], Encoding::Plain, [&[], &[]], &numbers),
                ],
            ),
            Int32Array::from(vec![7, 8, 9, 7, 8, 9]),
        ),
        Case::new(
            "numbers and a null",
            Column::flat(
                optional(PhysicalType::Int32),
                4,
                vec![page(4, Encoding::Plain, &with_null)],
            ),
            Int32Array::from(vec![Some(7), None, Some(8), Some(9)]),
        ),
        Case::new(
            "a dictionary of numbers",
            Column::flat(
                required(PhysicalType::Int32),
                4,
                vec![
                    dictionary(3, &numbers),
                    page(4, Encoding::PlainDictionary, &indices),
                ],
            ),
            Int32Array::from(vec![7, 8, 9, 8]),
        ),
        Case::new(
            "a dictionary of strings",
            Column::flat(
                strings(required(PhysicalType::ByteArray)),
                4,
                vec![
                    dictionary(3, &padded(&plain_strings(&texts))),
                    page(4, Encoding::RleDictionary, &indices),
                ],
            ),
            StringArray::from(vec![texts[0], texts[1], texts[2], texts[1]]),
        ),
        Case::new(
            "strings",
            Column::flat(
                strings(required(PhysicalType::ByteArray)),
                3,
                vec![page(3, Encoding::Plain, &padded(&plain_strings(&texts)))],
            ),
            StringArray::from(texts.to_vec()),
        ),
        Case::new(
            "booleans",
            Column::flat(
                required(PhysicalType::Boolean),
                3,
                vec![page(3, Encoding::Plain, &padded(&[0b101]))],
            ),
            BooleanArray::from(vec![true, false, true]),
        ),
        Case::new(
            "bytes",
            Column::flat(fixed, 2, vec![page(2, Encoding::Plain, &three)]),
            FixedSizeBinaryArray::try_from_iter([b"abc", b"def"].into_iter()).unwrap(),
        ),
    ]
}

#[test]
fn fewer_values_than_claimed_are_an_error() {
    let page_of = |bytes: &[u8]| page(3, Encoding::Plain, bytes);
    let indices = page(3, Encoding::RleDictionary, &[2, 3, 0b00_10_01_00, 0]);
    let short = plain(&[7, 8, 9])[..11].to_vec();
    let int = || required(PhysicalType::Int32);
    for column in [
        Column::flat(int(), 3, vec![page_of(&short)]),
        Column::flat(int(), 3, vec![dictionary(3, &short), indices]),
    ] {
        let mut reader = bytelane_parquet::Reader::try_new(column.file(), 10).unwrap();
        let error = reader.next().unwrap().unwrap_err().to_string();
        assert!(error.contains("11 bytes"), "{error}");
    }
}

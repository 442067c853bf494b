//! Tests pages of only nulls whose values take no bytes: no width of indices, no header of deltas.

use super::Case;
use super::by_hand::{Column, dictionary, optional, page, page_v2, plain, strings, with_length};
use arrow_array::{BooleanArray, Int32Array, StringArray};
use bytelane_parquet::format::{Encoding, PhysicalType};

pub fn cases() -> Vec<Case> {
    let levels = with_length(&[6, 0]);
    let nulls = |encoding| page(3, encoding, &levels);
    let nulls_v2 = |encoding| page_v2([3, 3], encoding, [&[], &[6, 0]], &[]).with_nulls(3);
    let mut cases = Vec::new();
    for encoding in [
        Encoding::Plain,
        Encoding::RleDictionary,
        Encoding::DeltaBinaryPacked,
        Encoding::ByteStreamSplit,
    ] {
        for (empty, entries) in [(true, 0), (false, 1)] {
            let mut pages = vec![nulls(encoding), nulls_v2(encoding)];
            let needs_dictionary = encoding == Encoding::RleDictionary;
            if needs_dictionary {
                pages.insert(0, dictionary(entries, &plain(&[5])[..4 * entries as usize]));
            }
            if !empty {
                let values = match encoding {
                    Encoding::RleDictionary => vec![0, 2],
                    _ => plain(&[5]),
                };
                let encoding = match encoding {
                    Encoding::DeltaBinaryPacked => Encoding::Plain,
                    other => other,
                };
                pages.push(page_v2([1, 1], encoding, [&[], &[2, 1]], &values));
            }
            let rows = if empty { 6 } else { 7 };
            let want = (0..rows).map(|row| (row == 6).then_some(5));
            let numbers = Column::flat(optional(PhysicalType::Int32), rows, pages);
            cases.push(Case::new(
                "nulls of a column of numbers",
                numbers,
                Int32Array::from_iter(want),
            ));
        }
    }
    for encoding in [
        Encoding::Plain,
        Encoding::RleDictionary,
        Encoding::DeltaLengthByteArray,
        Encoding::DeltaByteArray,
    ] {
        let of = strings(optional(PhysicalType::ByteArray));
        // There is no dictionary either.
        let pages = vec![nulls(encoding), nulls_v2(encoding)];
        cases.push(Case::new(
            "nulls of a column of strings",
            Column::flat(of, 6, pages),
            StringArray::from(vec![None::<&str>; 6]),
        ));
    }
    for encoding in [Encoding::Plain, Encoding::Rle] {
        let pages = vec![nulls(encoding), nulls_v2(encoding)];
        let booleans = Column::flat(optional(PhysicalType::Boolean), 6, pages);
        cases.push(Case::new(
            "nulls of a column of booleans",
            booleans,
            BooleanArray::from(vec![None; 6]),
        ));
    }
    cases
}

#[test]
fn a_wrong_number_of_nulls_is_an_error() {
    let of = optional(PhysicalType::Int32);
    for (nulls, is_right) in [(3, true), (2, false), (4, false), (0, false)] {
        let page = page_v2([3, 3], Encoding::Plain, [&[], &[6, 0]], &[]).with_nulls(nulls);
        let column = Column::flat(of.clone(), 3, vec![page]);
        let mut reader = bytelane_parquet::Reader::try_new(column.file(), 10).unwrap();
        assert_eq!(reader.next().unwrap().is_ok(), is_right, "{nulls}");
    }
}

#[test]
fn values_without_a_dictionary_are_an_error() {
    let of = optional(PhysicalType::Int32);
    let indices = [&with_length(&[2, 1])[..], &[1, 2, 0]].concat();
    let column = Column::flat(of, 1, vec![page(1, Encoding::RleDictionary, &indices)]);
    let mut reader = bytelane_parquet::Reader::try_new(column.file(), 10).unwrap();
    let error = reader.next().unwrap().unwrap_err().to_string();
    assert!(error.contains("no dictionary"), "{error}");
}

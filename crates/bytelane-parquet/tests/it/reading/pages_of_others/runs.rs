//! Tests empty runs of levels, indices and booleans: repetitions of length zero with their value, and without
//! it.

use super::Case;
use super::by_hand::{
    Column, dictionary, optional, page, page_v2, plain, plain_strings, required, strings,
    with_length,
};
use arrow_array::types::Int32Type;
use arrow_array::{BooleanArray, Int32Array, ListArray, StringArray};
use bytelane_parquet::format::{Encoding, PhysicalType};

/// One-bit runs: four ones, with empty runs around them.
const ONES: [&[u8]; 5] = [
    &[0, 0, 8, 1],
    &[0, 8, 1],
    &[1, 8, 1],
    &[4, 1, 0, 0, 1, 4, 1],
    &[4, 1, 0, 4, 1, 0],
];

/// Two-bit indices 1, 1, 2, 2, after their width.
const INDICES: [&[u8]; 4] = [
    &[2, 0, 0, 4, 1, 4, 2],
    &[2, 0, 3, 4, 1, 0, 2, 4, 2],
    &[2, 0, 4, 1, 0, 4, 2],
    &[2, 1, 4, 1, 1, 1, 4, 2, 0],
];

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for ones in ONES {
        let numbers = [&with_length(ones), &plain(&[1, 2, 3, 4])[..]].concat();
        let optional_numbers = Column::flat(
            optional(PhysicalType::Int32),
            4,
            vec![page(4, Encoding::Plain, &numbers)],
        );
        let want = Int32Array::from(vec![1, 2, 3, 4]);
        cases.push(Case::new("definition levels", optional_numbers, want));
        let lists = Column::of_lists(
            PhysicalType::Int32,
            [2, 6],
            vec![
                page_v2([1, 1], Encoding::Plain, [&[2, 0], &[2, 1]], &plain(&[0])),
                page_v2([0, 4], Encoding::Plain, [ones, ones], &plain(&[1, 2, 3, 4])),
                page_v2([1, 1], Encoding::Plain, [&[2, 0], &[2, 1]], &plain(&[5])),
            ],
        );
        let want = [vec![0, 1, 2, 3, 4], vec![5]].map(|list| Some(list.into_iter().map(Some)));
        let want = ListArray::from_iter_primitive::<Int32Type, _, _>(want);
        cases.push(Case::new("levels of lists", lists, as_required(&want)));
        let booleans = Column::flat(
            required(PhysicalType::Boolean),
            4,
            vec![page(4, Encoding::Rle, &with_length(ones))],
        );
        cases.push(Case::new(
            "booleans",
            booleans,
            BooleanArray::from(vec![true; 4]),
        ));
    }
    for indices in INDICES {
        let pages = |entries: &[u8]| {
            vec![
                dictionary(4, entries),
                page(4, Encoding::RleDictionary, indices),
                page(4, Encoding::RleDictionary, indices),
            ]
        };
        let numbers = pages(&plain(&[10, 20, 30, 40]));
        let numbers = Column::flat(required(PhysicalType::Int32), 8, numbers);
        let want = [20, 20, 30, 30].repeat(2);
        cases.push(Case::new(
            "indices of numbers",
            numbers,
            Int32Array::from(want),
        ));
        let texts = pages(&plain_strings(&["p", "q", "r", "s"]));
        let texts = Column::flat(strings(required(PhysicalType::ByteArray)), 8, texts);
        let want = ["q", "q", "r", "r"].repeat(2);
        cases.push(Case::new(
            "indices of strings",
            texts,
            StringArray::from(want),
        ));
    }
    cases
}

/// Returns the same lists with values that cannot be null.
pub fn as_required(lists: &ListArray) -> ListArray {
    let field = arrow_schema::Field::new("element", lists.value_type(), false);
    let (_, offsets, values, nulls) = lists.clone().into_parts();
    ListArray::new(field.into(), offsets, values, nulls)
}

#[test]
fn too_few_values_are_an_error() {
    let column = |levels: &[u8]| {
        let numbers = [&with_length(levels), &plain(&[1, 2, 3, 4])[..]].concat();
        let numbers = page(4, Encoding::Plain, &numbers);
        Column::flat(optional(PhysicalType::Int32), 4, vec![numbers])
    };
    for levels in [
        &[0, 0, 6, 1][..],
        &[0, 0, 1],
        &[0],
        &[0, 8],
        &[0x80, 0, 8, 1],
    ] {
        let mut reader = bytelane_parquet::Reader::try_new(column(levels).file(), 10).unwrap();
        let error = reader.next().unwrap().unwrap_err().to_string();
        assert!(error.contains("definition levels"), "{levels:?}: {error}");
    }
}

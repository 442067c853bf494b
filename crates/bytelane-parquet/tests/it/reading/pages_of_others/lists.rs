//! Tests version 2 levels: lists that continue on the next page, and repetition levels in columns without
//! lists.

use super::Case;
use super::by_hand::{Column, Page, optional, page_v2, plain, required};
use super::runs::as_required;
use arrow_array::types::Int32Type;
use arrow_array::{BooleanArray, Int32Array, ListArray};
use bytelane_parquet::format::{Encoding, PhysicalType};

/// Returns a page of list values, each with its repetition level. `rows` rows begin in it.
fn list_page(rows: i32, entries: &[(u8, i32)]) -> Page {
    let repetition: Vec<u8> = entries.iter().flat_map(|(level, _)| [2, *level]).collect();
    let definition = [entries.len() as u8 * 2, 1];
    let values: Vec<i32> = entries.iter().map(|(_, value)| *value).collect();
    page_v2(
        [rows, entries.len() as i32],
        Encoding::Plain,
        [&repetition, &definition],
        &plain(&values),
    )
}

fn lists(lists: &[&[i32]]) -> ListArray {
    let lists = lists
        .iter()
        .map(|list| Some(list.iter().copied().map(Some)));
    as_required(&ListArray::from_iter_primitive::<Int32Type, _, _>(lists))
}

pub fn cases() -> Vec<Case> {
    let int = PhysicalType::Int32;
    let flat_levels: &[u8] = &[4, 0];
    let three = plain(&[1, 2, 3]);
    vec![
        Case::new(
            "a list in two pages",
            Column::of_lists(
                int,
                [2, 4],
                vec![
                    list_page(1, &[(0, 1), (1, 2)]),
                    list_page(1, &[(1, 3), (0, 4)]),
                ],
            ),
            lists(&[&[1, 2, 3], &[4]]),
        ),
        Case::new(
            "lists in several pages, some of which begin no row",
            Column::of_lists(
                int,
                [4, 9],
                vec![
                    list_page(1, &[(0, 1)]),
                    list_page(1, &[(0, 2), (1, 3)]),
                    list_page(0, &[(1, 4)]),
                    list_page(0, &[]),
                    list_page(2, &[(1, 5), (0, 6), (0, 7)]),
                    list_page(0, &[(1, 8), (1, 9)]),
                ],
            ),
            lists(&[&[1], &[2, 3, 4, 5], &[6], &[7, 8, 9]]),
        ),
        Case::new(
            "rows that are counted where they end as well",
            Column::of_lists(
                int,
                [3, 5],
                vec![
                    list_page(1, &[(0, 1), (1, 2)]),
                    list_page(2, &[(1, 3), (0, 4)]),
                    list_page(1, &[(0, 5)]),
                ],
            ),
            lists(&[&[1, 2, 3], &[4], &[5]]),
        ),
        Case::new(
            "levels of lists in a flat column",
            Column::flat(
                required(int),
                3,
                vec![page_v2([3, 3], Encoding::Plain, [flat_levels, &[]], &three)],
            ),
            Int32Array::from(vec![1, 2, 3]),
        ),
        Case::new(
            "levels of lists in a flat column with nulls",
            Column::flat(
                optional(int),
                4,
                vec![
                    page_v2([4, 4], Encoding::Plain, [b"anything", &[3, 0b1011]], &three)
                        .with_nulls(1),
                ],
            ),
            Int32Array::from(vec![Some(1), Some(2), None, Some(3)]),
        ),
        Case::new(
            "definition levels in a required column",
            Column::flat(
                required(int),
                3,
                vec![page_v2([3, 3], Encoding::Plain, [&[], &[6, 1]], &three)],
            ),
            Int32Array::from(vec![1, 2, 3]),
        ),
        Case::new(
            "booleans in runs after levels of lists",
            Column::flat(
                required(PhysicalType::Boolean),
                3,
                vec![page_v2(
                    [3, 3],
                    Encoding::Rle,
                    [flat_levels, &[]],
                    &[2, 0, 0, 0, 3, 0b101],
                )],
            ),
            BooleanArray::from(vec![true, false, true]),
        ),
    ]
}

#[test]
fn levels_beyond_the_page_are_an_error() {
    let page = page_v2([3, 3], Encoding::Plain, [&[6, 0], &[]], &[]);
    let column = Column::flat(required(PhysicalType::Int32), 3, vec![page]);
    let mut reader = bytelane_parquet::Reader::try_new(column.file(), 10).unwrap();
    let error = reader.next().unwrap().unwrap_err().to_string();
    assert!(error.contains("0 bytes of values"), "{error}");
}

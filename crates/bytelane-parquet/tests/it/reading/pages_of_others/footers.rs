//! Tests footers that refer to missing parts of the file, or that omit the repetition of columns.

use super::Case;
use super::by_hand::{Column, page, plain, required};
use arrow_array::{Decimal128Array, Int32Array};
use bytelane_parquet::format::{ConvertedType, Encoding, PhysicalType, SchemaElement};
use bytelane_parquet_files::inspect::inspect_reader;
use bytelane_parquet_files::rewrite::{RewriteOptions, rewrite_bytes};

fn numbers(of: SchemaElement) -> Column {
    let pages = vec![page(3, Encoding::Plain, &plain(&[1, 2, 3]))];
    Column::flat(of, 3, pages)
}

pub fn cases() -> Vec<Case> {
    let int = || required(PhysicalType::Int32);
    let without_repetition = SchemaElement {
        repetition_type: None,
        ..int()
    };
    let without_scale = SchemaElement {
        converted_type: Some(ConvertedType::Decimal),
        precision: Some(9),
        ..int()
    };
    let want = || Int32Array::from(vec![1, 2, 3]);
    let decimals = Decimal128Array::from(vec![1, 2, 3]);
    let want_decimals = decimals.with_precision_and_scale(9, 0).unwrap();
    vec![
        Case::new(
            "an offset index at 0",
            numbers(int()).changed(|chunk| {
                (chunk.offset_index_offset, chunk.offset_index_length) = (Some(0), Some(0));
            }),
            want(),
        ),
        Case::new(
            "a column index at 0",
            numbers(int()).changed(|chunk| {
                (chunk.column_index_offset, chunk.column_index_length) = (Some(0), Some(0));
            }),
            want(),
        ),
        Case::new(
            "a Bloom filter at 0",
            numbers(int()).changed(|chunk| chunk.meta_data.bloom_filter_offset = Some(0)),
            want(),
        ),
        Case::new("no repetition", numbers(without_repetition), want()),
        Case::new(
            "a decimal without scale",
            numbers(without_scale),
            want_decimals,
        ),
    ]
}

#[test]
fn what_is_not_there_is_not_shown_and_not_copied() {
    let options = RewriteOptions::default().with_verify(true);
    for case in cases() {
        let file = case.column.file();
        let (new, _) = rewrite_bytes(file.clone(), &options).expect(case.name);
        for file in [file, new] {
            let inspected = inspect_reader(&file).expect(case.name);
            for chunk in &inspected.row_groups[0].columns {
                assert!(!chunk.bloom_filter, "{}", case.name);
                assert!(!chunk.offset_index, "{}", case.name);
                assert!(!chunk.column_index, "{}", case.name);
            }
        }
    }
}

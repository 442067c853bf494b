//! Tests that pages of an unknown type are skipped.

use super::{ROWS, check, check_unreadable, file_of, with_chunk};
use arrow_array::{ArrayRef, Int32Array};
use bytelane_parquet::format::{Encoding, PageHeader, PageType, decode, encode};
use bytes::Bytes;
use std::sync::Arc;

fn values() -> ArrayRef {
    Arc::new(Int32Array::from_iter_values(
        (0..ROWS as i32).map(|it| it / 3),
    ))
}

/// Returns the same file with other pages of `x`, and a gap in place of the old ones.
fn with_pages(file: &Bytes, pages: impl FnOnce(&Bytes) -> Vec<u8>) -> Bytes {
    let mut old = Bytes::new();
    with_chunk(file, |chunk| {
        let described = &chunk.meta_data;
        let offset = described
            .dictionary_page_offset
            .unwrap_or(described.data_page_offset);
        let length = described.total_compressed_size;
        old = file.slice(offset as usize..(offset + length) as usize);
    });
    let new = pages(&old);
    let footer = super::footer_length(file) + 8;
    let start = file.len() - footer;
    let moved: Bytes = [&file[..start], &new, &file[start..]].concat().into();
    with_chunk(&moved, |chunk| {
        let described = &mut chunk.meta_data;
        let before = described
            .dictionary_page_offset
            .unwrap_or(described.data_page_offset);
        let data = described.data_page_offset - before;
        if let Some(dictionary) = &mut described.dictionary_page_offset {
            *dictionary = start as i64;
        }
        described.data_page_offset = start as i64 + data;
        described.total_compressed_size = new.len() as i64;
        described.total_uncompressed_size += (new.len() - old.len()) as i64;
        chunk.offset_index_offset = None;
        chunk.offset_index_length = None;
        chunk.column_index_offset = None;
        chunk.column_index_length = None;
    })
}

fn unknown_page(page_type: PageType) -> Vec<u8> {
    let header = PageHeader {
        page_type,
        uncompressed_page_size: 5,
        compressed_page_size: 5,
        crc: None,
        data_page_header: None,
        index_page_header: None,
        dictionary_page_header: None,
        data_page_header_v2: None,
        symbol_table_page_header: None,
        unknown_fields: Default::default(),
    };
    [encode(&header).unwrap(), b"other".to_vec()].concat()
}

#[test]
fn pages_of_an_unknown_type_are_passed_over() {
    for page_type in [
        PageType::Unknown(5),
        PageType::Unknown(99),
        PageType::IndexPage,
    ] {
        let other = unknown_page(page_type);
        let file = file_of(&values());
        for (what, file) in [
            (
                "before",
                with_pages(&file, |pages| [&other, &pages[..]].concat()),
            ),
            (
                "after",
                with_pages(&file, |pages| [&pages[..], &other].concat()),
            ),
        ] {
            check(&file, &values(), &format!("{page_type:?} {what}"));
        }
    }
}

#[test]
fn pages_in_an_unknown_encoding_are_an_error_of_their_column() {
    let file = with_pages(&file_of(&values()), |pages| {
        // Header of the first page, which is the whole of such a small column or its dictionary.
        let mut header: PageHeader = decode(pages).unwrap();
        let length = pages.len() - encode(&header).unwrap().len();
        if let Some(page) = &mut header.data_page_header {
            page.encoding = Encoding::Unknown(60);
        }
        if let Some(page) = &mut header.dictionary_page_header {
            page.encoding = Encoding::Unknown(60);
        }
        let values = &pages[pages.len() - length..];
        [&encode(&header).unwrap(), values].concat()
    });
    let error = check_unreadable(&file, "an encoding");
    assert!(
        error.contains("column x") && error.contains("encoding 60"),
        "{error}"
    );
}

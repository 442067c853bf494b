//! Pages that no other crate writes.

use super::input::Input;
use super::leaf::Leaf;
use super::pages::PageReader;
use crate::Result;
use crate::allowance::{Allowance, Budget};
use crate::metadata::{DataPage, PageHeader, PageType, Parquet};
use crate::page::{LeafLevels, Opener, PageLevels, decoder_of};
use arrow_array::{ArrayRef, Float64Array};
use arrow_schema::DataType;
use bytelane::Detected;
use bytelane_thrift::Message;
use bytes::Bytes;
use flate2::Crc;
use parquet::basic::{CompressionCodec, Repetition, Type};
use parquet::schema::types::{SchemaDescriptor, Type as SchemaType};
use std::sync::Arc;

const VALUES: [u8; 16] = [7; 16];
const PLAIN: i32 = 0;
const RLE: i32 = 3;
const BIT_PACKED: i32 = 4;
const RLE_DICTIONARY: i32 = 8;

/// A data page with its header.
fn page(values: i32, encoding: i32, levels: i32, bytes: &[u8], checksum: Option<u32>) -> Vec<u8> {
    let size = i32::try_from(bytes.len()).expect("a small page");
    let header = PageHeader {
        page_type: PageType::Data,
        uncompressed_size: size,
        compressed_size: size,
        checksum: checksum.map(u32::cast_signed),
        data: Some(DataPage {
            values,
            encoding,
            definition_level_encoding: levels,
            repetition_level_encoding: RLE,
        }),
        dictionary: None,
        data_v2: None,
    };
    let header = header.encode::<Parquet>().expect("a small header");
    [&header, bytes].concat()
}

/// Two pages of two doubles each; the second has this checksum.
fn pages(checksum: u32) -> Vec<u8> {
    let page = |checksum| page(2, PLAIN, RLE, &VALUES, checksum);
    [page(None), page(Some(checksum))].concat()
}

fn read(pages: Vec<u8>, repetition: Repetition, rows: usize) -> Result<ArrayRef> {
    let column = SchemaType::primitive_type_builder("x", Type::DOUBLE)
        .with_repetition(repetition)
        .build()?;
    let schema = SchemaType::group_type_builder("schema")
        .with_fields(vec![Arc::new(column)])
        .build()?;
    let column = SchemaDescriptor::new(Arc::new(schema)).column(0);
    let range = 0..pages.len() as u64;
    let input = Input::new(Arc::new(Bytes::from(pages)));
    let levels = LeafLevels {
        max_definition: u8::from(repetition == Repetition::OPTIONAL),
        max_repetition: 0,
        slot: 0,
        is_nested: false,
    };
    let (backend, allowance) = (Detected::active(), Allowance::of(0));
    let budget = Budget::of(allowance);
    let decoder = decoder_of(backend, &DataType::Float64, &column, allowance, &budget)?;
    let mut leaf = Leaf::new(
        Arc::clone(&column),
        PageReader::new(input, range, None),
        Opener::new(CompressionCodec::UNCOMPRESSED, &column, None)?,
        PageLevels::new(backend, levels, allowance),
        decoder,
        budget,
    );
    leaf.read(rows)?;
    Ok(leaf.finish()?.array)
}

/// The encoding of levels before 2013: the first level is the highest bit.
#[test]
fn levels_of_old_files_are_read() {
    let values: Vec<u8> = (0..4).flat_map(|i| f64::from(i).to_le_bytes()).collect();
    let bytes = [&[0b1001_0000, 0b1010_0000], &values[..]].concat();
    let array = read(
        page(11, PLAIN, BIT_PACKED, &bytes, None),
        Repetition::OPTIONAL,
        11,
    );
    let array = array.expect("a page of an old file");
    let mut expected = [None; 11];
    for (value, place) in [0, 3, 8, 10].into_iter().enumerate() {
        expected[place] = Some(value as f64);
    }
    assert_eq!(array.as_ref(), &Float64Array::from(expected.to_vec()));
}

#[test]
fn indices_need_a_dictionary() {
    let page = page(2, RLE_DICTIONARY, RLE, &[1, 4, 0], None);
    let error = read(page, Repetition::REQUIRED, 2).expect_err("no dictionary");
    assert_eq!(
        error.to_string(),
        "column x, page 0: a page of indices, but the column chunk has no dictionary before it"
    );
}

#[test]
fn checksums_are_compared_where_they_are() {
    let mut crc = Crc::new();
    crc.update(&VALUES);
    let right = crc.sum();
    assert_eq!(
        read(pages(right), Repetition::REQUIRED, 4)
            .expect("whole pages")
            .len(),
        4
    );
    let damaged = read(pages(right ^ 1), Repetition::REQUIRED, 4);
    let error = damaged.expect_err("another checksum");
    let want = format!(
        "column x, page 1: the page has the checksum {right:08x}, but its header says {:08x}",
        right ^ 1
    );
    assert_eq!(error.to_string(), want);
}

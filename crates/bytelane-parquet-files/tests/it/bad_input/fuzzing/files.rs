//! Derives files from arbitrary bytes, and their rows, for the tests and for the fuzz targets.
//!
//! A fuzzer that changes bytes of a file rarely gets beyond its footer. So bytes that do not begin like a
//! Parquet file are a recipe: changes to a file of this crate, or pages to put into a file.

use super::chunk::Chunk;
use arrow_array::builder::{Float64Builder, ListBuilder};
use arrow_array::{
    ArrayRef, BooleanArray, Decimal128Array, FixedSizeBinaryArray, Float64Array, Int32Array,
    Int64Array, RecordBatch, StringArray,
};
use bytelane_parquet::parquet::basic::{Compression, Encoding as Coding, Type};
use bytelane_parquet::parquet::column::page::{CompressedPage, Page};
use bytelane_parquet::{DataPageVersion, Encoding, Writer, WriterOptions, parse_compression};
use bytes::Bytes;
use std::sync::{Arc, OnceLock};

/// Recipes whose first byte is below this are changes.
const CHANGES: u8 = 0x80;

/// Returns the file that these bytes describe.
pub fn file_of(input: &[u8]) -> Bytes {
    match input.split_first() {
        Some((kind, recipe)) if !input.starts_with(b"PAR") => {
            if *kind < CHANGES {
                changed(&samples()[usize::from(*kind) % samples().len()], recipe)
            } else {
                around_pages(&mut Recipe(recipe))
            }
        }
        _ => Bytes::copy_from_slice(input),
    }
}

/// Applies changes to a file. Two bytes give the place of each change, and one gives the bits.
fn changed(file: &Bytes, changes: &[u8]) -> Bytes {
    let mut file = file.to_vec();
    for change in changes.chunks_exact(3) {
        let at = usize::from(u16::from_le_bytes([change[0], change[1]])) % file.len();
        file[at] ^= change[2];
    }
    file.into()
}

/// Returns small files in every encoding, page version and compression.
pub fn samples() -> &'static [Bytes] {
    static SAMPLES: OnceLock<Vec<Bytes>> = OnceLock::new();
    SAMPLES.get_or_init(|| {
        let compressions = [
            "none", "snappy", "zstd:1", "gzip:6", "lz4_raw", "brotli:1", "none", "none", "none",
            "none",
        ];
        let versions = [DataPageVersion::V1, DataPageVersion::V2];
        let encodings = Encoding::ALL.iter().enumerate();
        let samples = encodings.map(|(index, encoding)| {
            let options = WriterOptions::default()
                .with_encoding(*encoding)
                .with_compression(parse_compression(compressions[index]).expect("a compression"))
                .with_data_page_version(versions[index % 2])
                .with_max_rows_per_page(25)
                .with_row_group_size(45);
            let (mut file, batch) = (Vec::new(), batch());
            let mut writer =
                Writer::try_new(&mut file, batch.schema(), options).expect("options that fit");
            writer.write(&batch).expect("rows that fit");
            writer.close().expect("a file");
            file.into()
        });
        samples.collect()
    })
}

/// Returns columns of many types.
fn batch() -> RecordBatch {
    const ROWS: i64 = 60;
    let optional = |row: i64| (row % 7 != 3).then_some(row as f64 / 4.0);
    let mut lists = ListBuilder::new(Float64Builder::new());
    for row in 0..ROWS {
        match row % 5 {
            0 => lists.append_null(),
            length => lists.append_value((0..length - 1).map(|at| optional(row + at))),
        }
    }
    let decimals = Decimal128Array::from_iter_values((0..ROWS).map(|row| i128::from(row * row)));
    let decimals = decimals
        .with_precision_and_scale(30, 2)
        .expect("30 digits are enough");
    let fixed = (0..ROWS).map(|row| (row % 3 != 0).then_some([row as u8, 1, 2]));
    let fixed = FixedSizeBinaryArray::try_from_sparse_iter_with_size(fixed, 3).expect("3 bytes");
    let columns: [(&str, ArrayRef); 8] = [
        (
            "double",
            Arc::new(Float64Array::from_iter((0..ROWS).map(optional))),
        ),
        (
            "integer",
            Arc::new(Int32Array::from_iter_values(
                (0..ROWS as i32).map(|row| row * 3),
            )),
        ),
        (
            "time",
            Arc::new(Int64Array::from_iter_values(
                (0..ROWS).map(|row| 1_600_000_000 + 60 * row),
            )),
        ),
        ("decimal", Arc::new(decimals)),
        ("fixed", Arc::new(fixed)),
        (
            "flag",
            Arc::new(BooleanArray::from_iter(
                (0..ROWS).map(|row| Some(row % 3 == 0)),
            )),
        ),
        (
            "name",
            Arc::new(StringArray::from_iter_values(
                (0..ROWS).map(|row| format!("name {}", row % 9)),
            )),
        ),
        ("list", Arc::new(lists.finish())),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true)))
        .expect("columns of one length")
}

/// Bytes that describe how to make a file, followed by zeros.
struct Recipe<'a>(&'a [u8]);

impl<'a> Recipe<'a> {
    fn bytes(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(count.min(self.0.len()));
        self.0 = rest;
        taken
    }

    fn byte(&mut self) -> u8 {
        self.bytes(1).first().copied().unwrap_or(0)
    }

    fn number(&mut self) -> u16 {
        u16::from_le_bytes([self.byte(), self.byte()])
    }

    fn one_of<T: Copy>(&mut self, of: &[T]) -> T {
        of[usize::from(self.byte()) % of.len()]
    }

    fn is(&mut self) -> bool {
        self.byte() % 2 == 1
    }
}

/// Physical types, with the lengths of those that have one.
const TYPES: [(Type, i32); 9] = [
    (Type::DOUBLE, 0),
    (Type::FLOAT, 0),
    (Type::INT32, 0),
    (Type::INT64, 0),
    (Type::FIXED_LEN_BYTE_ARRAY, 3),
    (Type::FIXED_LEN_BYTE_ARRAY, 16),
    (Type::BYTE_ARRAY, 0),
    (Type::BOOLEAN, 0),
    (Type::INT96, 0),
];

const COMPRESSIONS: [&str; 6] = ["none", "snappy", "gzip:6", "brotli:1", "zstd:1", "lz4_raw"];

const CODINGS: [Coding; 9] = [
    Coding::BYTE_STREAM_SPLIT,
    Coding::PLAIN,
    Coding::RLE_DICTIONARY,
    Coding::DELTA_BINARY_PACKED,
    Coding::DELTA_LENGTH_BYTE_ARRAY,
    Coding::DELTA_BYTE_ARRAY,
    Coding::RLE,
    Coding::PLAIN_DICTIONARY,
    Coding::ALP,
];

/// Returns a file of one column. Its footer and page headers are intact, and its pages are bytes of the
/// recipe.
fn around_pages(recipe: &mut Recipe<'_>) -> Bytes {
    let (physical, length) = recipe.one_of(&TYPES);
    let kind = recipe.byte() % 4;
    let compression = parse_compression(recipe.one_of(&COMPRESSIONS)).expect("a compression");
    let version = recipe.one_of(&[DataPageVersion::V1, DataPageVersion::V2]);
    let mut chunk = Chunk {
        physical,
        length,
        optional: kind > 0,
        is_list: kind == 2,
        compression,
        dictionary: None,
        pages: Vec::new(),
    };
    if recipe.is() {
        chunk.dictionary = Some(dictionary(&chunk, recipe));
    }
    while !recipe.0.is_empty() {
        chunk.pages.push(page(&chunk, version, recipe));
    }
    chunk.file()
}

fn dictionary(chunk: &Chunk, recipe: &mut Recipe<'_>) -> CompressedPage {
    let num_values = u32::from(recipe.number());
    let length = usize::from(recipe.byte());
    let page = Page::DictionaryPage {
        buf: Bytes::copy_from_slice(recipe.bytes(length)),
        num_values,
        encoding: Coding::PLAIN,
        is_sorted: false,
    };
    with_any_size(page, chunk, recipe)
}

fn page(chunk: &Chunk, version: DataPageVersion, recipe: &mut Recipe<'_>) -> CompressedPage {
    let encoding = recipe.one_of(&CODINGS);
    let num_values = u32::from(recipe.number());
    let length = if chunk.optional {
        usize::from(recipe.byte())
    } else {
        0
    };
    let levels = recipe.bytes(length);
    let length = usize::from(recipe.number());
    let values = recipe.bytes(length);
    let page = match version {
        _ if chunk.is_list => chunk.list_page(num_values, levels, values),
        DataPageVersion::V1 => chunk.page(num_values, encoding, levels, values),
        DataPageVersion::V2 => Page::DataPageV2 {
            buf: [levels, values].concat().into(),
            num_values,
            encoding,
            num_nulls: 0,
            num_rows: num_values,
            def_levels_byte_len: levels.len() as u32,
            rep_levels_byte_len: 0,
            is_compressed: chunk.compression != Compression::UNCOMPRESSED,
            statistics: None,
        },
    };
    with_any_size(page, chunk, recipe)
}

/// Sets any uncompressed size in the header, if the page is compressed.
fn with_any_size(page: Page, chunk: &Chunk, recipe: &mut Recipe<'_>) -> CompressedPage {
    let size = match chunk.compression {
        Compression::UNCOMPRESSED => page.buffer().len(),
        _ => usize::from(recipe.number()),
    };
    CompressedPage::new(page, size)
}

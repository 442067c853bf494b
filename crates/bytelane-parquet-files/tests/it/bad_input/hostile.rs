//! Tests malformed files: each ends in an error or in rows, and errors name the place.

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, FixedSizeBinaryArray, Float64Array, Int32Array, ListArray, RecordBatch,
    StringArray,
};
use bytelane_parquet::{
    DataPageVersion, Encoding, Reader, ReaderBuilder, Writer, WriterOptions, parse_compression,
};
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::basic::Encoding as Coding;
use parquet::file::metadata::ParquetMetaDataReader;
use parquet::file::properties::{WriterProperties, WriterVersion};
use std::ops::Range;
use std::sync::Arc;

const ROWS: usize = 100;

fn batch() -> RecordBatch {
    let float = |i: usize| (i % 5 != 2).then_some(i as f64 / 4.0);
    let fixed = (0..ROWS).map(|i| (i % 3 != 0).then_some([i as u8, 1, 2]));
    let columns: [(&str, ArrayRef, bool); 3] = [
        (
            "price",
            Arc::new(Float64Array::from_iter((0..ROWS).map(float))),
            true,
        ),
        (
            "id",
            Arc::new(Int32Array::from_iter_values(
                (0..ROWS).map(|i| i as i32 * 3),
            )),
            false,
        ),
        (
            "key",
            Arc::new(
                FixedSizeBinaryArray::try_from_sparse_iter_with_size(fixed, 3).expect("3 bytes"),
            ),
            true,
        ),
    ];
    RecordBatch::try_from_iter_with_nullable(columns).expect("columns of one length")
}

fn file(version: DataPageVersion, compression: &str) -> Vec<u8> {
    let batch = batch();
    let mut file = Vec::new();
    let options = WriterOptions::default()
        .with_encoding(Encoding::ByteStreamSplit)
        .with_compression(parse_compression(compression).expect("a compression"))
        .with_data_page_version(version)
        .with_max_rows_per_page(32);
    let mut writer = Writer::try_new(&mut file, batch.schema(), options).expect("options");
    writer.write(&batch).expect("rows");
    writer.close().expect("a file");
    file
}

/// Reads all rows. Returns their number, or the first error.
fn read(file: Vec<u8>) -> Result<usize, String> {
    let reader = Reader::builder(Bytes::from(file)).and_then(|builder| {
        let builder = builder.with_batch_size(25);
        builder.build()
    });
    let mut rows = 0;
    for batch in reader.map_err(|error| error.to_string())? {
        rows += batch.map_err(|error| error.to_string())?.num_rows();
    }
    Ok(rows)
}

fn pages(file: &[u8], column: usize) -> Range<usize> {
    let metadata = ParquetMetaDataReader::new()
        .parse_and_finish(&Bytes::copy_from_slice(file))
        .expect("a footer");
    let (start, length) = metadata.row_group(0).column(column).byte_range();
    start as usize..(start + length) as usize
}

/// Reads a file once for each change to each byte of the first three columns. Returns the number of errors, which
/// name these places.
fn errors_of_changes(whole: &[u8], changes: &[u8], places: &[&str]) -> usize {
    let mut errors = 0;
    for at in pages(whole, 0).start..pages(whole, 2).end {
        for change in changes {
            let mut changed = whole.to_vec();
            changed[at] ^= change;
            match read(changed) {
                Ok(rows) => assert_eq!(rows, ROWS),
                Err(error) => {
                    errors += 1;
                    assert!(places.iter().all(|place| error.contains(place)), "{error}");
                }
            }
        }
    }
    errors
}

#[test]
fn a_changed_byte_of_a_page_is_an_error_or_a_value() {
    for version in [DataPageVersion::V1, DataPageVersion::V2] {
        for compression in ["none", "zstd", "snappy", "gzip", "brotli", "lz4_raw"] {
            let whole = file(version, compression);
            assert_eq!(read(whole.clone()), Ok(ROWS));
            let errors =
                errors_of_changes(&whole, &[1, 0xff], &["row group 0, column ", ", page "]);
            assert!(errors > 60, "{version:?} {compression}: {errors} errors");
        }
    }
}

/// Writes columns of strings, booleans and lists with the crate `parquet`.
fn nested_file(encoding: Coding, version: WriterVersion) -> Vec<u8> {
    let names = (0..ROWS).map(|i| (i % 5 != 2).then(|| format!("name {}, one of them", i / 2)));
    let flags = (0..ROWS).map(|i| (i % 7 != 3).then_some(i % 3 == 0));
    let lists = (0..ROWS).map(|i| {
        let entries = (0..i % 4).map(|at| (at != 2).then_some(i as i32));
        (i % 6 != 5).then(|| entries.collect::<Vec<_>>())
    });
    let columns: [(&str, ArrayRef, bool); 3] = [
        ("name", Arc::new(StringArray::from_iter(names)), true),
        ("flag", Arc::new(BooleanArray::from_iter(flags)), true),
        (
            "list",
            Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(lists)),
            true,
        ),
    ];
    let batch = RecordBatch::try_from_iter_with_nullable(columns).expect("columns of one length");
    let properties = WriterProperties::builder()
        .set_writer_version(version)
        .set_dictionary_enabled(encoding == Coding::RLE_DICTIONARY)
        .set_data_page_row_count_limit(32)
        .set_write_batch_size(16);
    let properties = match encoding {
        Coding::RLE_DICTIONARY => properties,
        encoding => properties
            .set_column_encoding("name".into(), encoding)
            .set_column_encoding("flag".into(), Coding::RLE)
            .set_column_encoding("list.list.item".into(), Coding::DELTA_BINARY_PACKED),
    };
    let mut file = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut file, batch.schema(), Some(properties.build()))
        .expect("a schema");
    writer.write(&batch).expect("rows");
    writer.close().expect("a file");
    file
}

#[test]
fn a_changed_byte_of_strings_and_lists_is_an_error_or_a_value() {
    for encoding in [
        Coding::PLAIN,
        Coding::RLE_DICTIONARY,
        Coding::DELTA_LENGTH_BYTE_ARRAY,
        Coding::DELTA_BYTE_ARRAY,
    ] {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            let whole = nested_file(encoding, version);
            assert_eq!(read(whole.clone()), Ok(ROWS));
            let errors = errors_of_changes(&whole, &[1, 0x80, 0xff], &["row group 0, column "]);
            assert!(errors > 200, "{encoding} {version:?}: {errors} errors");
        }
    }
}

#[test]
fn a_changed_byte_of_the_footer_is_an_error_or_rows() {
    let whole = file(DataPageVersion::V1, "zstd");
    for at in pages(&whole, 2).end..whole.len() {
        for change in [1, 4, 0x10, 0x80, 0xff] {
            let mut changed = whole.clone();
            changed[at] ^= change;
            // Either rows or an error are fine, as long as the call returns.
            if let Ok(rows) = read(changed) {
                assert!(rows <= ROWS, "{at} {change}: {rows}");
            }
        }
    }
}

#[test]
fn a_file_cut_anywhere_is_an_error() {
    let whole = file(DataPageVersion::V2, "snappy");
    for length in 0..whole.len() {
        assert!(read(whole[..length].to_vec()).is_err(), "{length}");
    }
}

#[test]
fn a_list_longer_than_the_footer_is_refused_before_anybody_skips_it() {
    // A field that no reader knows, with a list that claims 2^31 - 1 booleans but has none.
    let footer = [0xf9, 0xf2, 0xff, 0xff, 0xff, 0xff, 0x07, 0x00];
    let length = (footer.len() as u32).to_le_bytes();
    let error = read([b"PAR1", &footer[..], &length, b"PAR1"].concat());
    let error = error.expect_err("a list that is not there");
    assert!(error.starts_with("the footer is damaged: "), "{error}");
}

#[test]
fn the_error_names_the_place() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("prices.parquet");
    let whole = file(DataPageVersion::V1, "none");
    // The first bytes of an uncompressed page are the length of its levels.
    let page = pages(&whole, 0);
    let levels = whole[page.clone()]
        .windows(4)
        .position(|bytes| bytes == 5u32.to_le_bytes())
        .expect("levels of 32 values: a number and 4 bytes");
    let mut changed = whole;
    changed[page.start + levels + 2] = 1;
    std::fs::write(&path, changed).expect("a file");
    let mut reader = ReaderBuilder::open(&path)
        .and_then(ReaderBuilder::build)
        .expect("the footer is whole");
    let error = reader
        .next()
        .expect("a batch")
        .expect_err("levels that lie");
    let want = format!(
        "{}, row group 0, column price, page 0: the page ends within its definition levels",
        path.display()
    );
    assert_eq!(error.to_string(), format!("External error: {want}"));
    assert!(reader.next().is_none());
}

#[test]
fn no_parquet_file_is_a_plain_sentence() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("notes.txt");
    std::fs::write(&path, "This is no Parquet file.").expect("a file");
    let error = ReaderBuilder::open(&path).expect_err("no magic");
    assert!(
        error.to_string().starts_with(&path.display().to_string()),
        "{error}"
    );
    let missing = ReaderBuilder::open(directory.path().join("missing.parquet"));
    assert!(missing.is_err());
}

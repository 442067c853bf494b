//! Tests pages that no other crate writes.

use super::ReaderBuilder;
use super::input::Input;
use super::leaf::{Leaf, PageReader, RowCounts};
use super::row_group::{RowGroup, Settings};
use crate::Result;
use crate::budget::Budget;
use crate::format::{DataPageHeader, Encoding, PageHeader, PageType, encode};
use crate::page::{LeafLevels, Opener, PageLevels, decoder_of};
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, Decimal128Array, Float64Array, Int32Array, ListArray, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use bytelane::Detected;
use bytes::Bytes;
use flate2::Crc;
use parquet::arrow::ArrowWriter;
use parquet::basic::{CompressionCodec, Repetition, Type};
use parquet::schema::types::{SchemaDescriptor, Type as SchemaType};
use std::num::NonZero;
use std::sync::Arc;

const VALUES: [u8; 16] = [7; 16];

/// Encodes a data page with its header.
fn page(
    values: i32,
    encoding: Encoding,
    levels: Encoding,
    bytes: &[u8],
    checksum: Option<u32>,
) -> Vec<u8> {
    let size = i32::try_from(bytes.len()).expect("a small page");
    let header = PageHeader {
        page_type: PageType::DataPage,
        uncompressed_page_size: size,
        compressed_page_size: size,
        crc: checksum.map(u32::cast_signed),
        data_page_header: Some(DataPageHeader {
            num_values: values,
            encoding,
            definition_level_encoding: levels,
            repetition_level_encoding: Some(Encoding::Rle),
            ..Default::default()
        }),
        ..Default::default()
    };
    let header = encode(&header).expect("a small header");
    [&header, bytes].concat()
}

/// Encodes two pages of two doubles each; the second has this checksum.
fn pages(checksum: u32) -> Vec<u8> {
    let page = |checksum| page(2, Encoding::Plain, Encoding::Rle, &VALUES, checksum);
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
    let (backend, budget) = (Detected::active(), Budget::new(1 << 20));
    let decoder = decoder_of(backend, &DataType::Float64, &column, &budget)?;
    let mut leaf = Leaf::new(
        Arc::clone(&column),
        PageReader::new(input, range, RowCounts::Headers),
        Opener::new(CompressionCodec::UNCOMPRESSED, &column, 1 << 20, &budget)?,
        PageLevels::new(backend, levels, &budget),
        decoder,
        &budget,
    );
    leaf.read(rows)?;
    Ok(leaf.finish()?.array)
}

/// Encodes levels as before 2013: the first level is in the highest bit.
#[test]
fn levels_of_old_files_are_read() {
    let values: Vec<u8> = (0..4).flat_map(|i| f64::from(i).to_le_bytes()).collect();
    let bytes = [&[0b1001_0000, 0b1010_0000], &values[..]].concat();
    let array = read(
        page(11, Encoding::Plain, Encoding::BitPacked, &bytes, None),
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
    let page = page(2, Encoding::RleDictionary, Encoding::Rle, &[1, 4, 0], None);
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

/// Writes a file with one column and the Arrow schema of other columns.
fn with_schema(array: ArrayRef, schema: &Schema) -> Bytes {
    with_encoded(array, parquet::arrow::encode_arrow_schema(schema))
}

fn with_encoded(array: ArrayRef, encoded: String) -> Bytes {
    use parquet::arrow::ARROW_SCHEMA_META_KEY;
    use parquet::arrow::arrow_writer::{ArrowWriter, ArrowWriterOptions};
    use parquet::file::metadata::KeyValue;

    let batch = RecordBatch::try_from_iter_with_nullable([("a", array, true)]).unwrap();
    let mut file = Vec::new();
    let options = ArrowWriterOptions::new().with_skip_arrow_metadata(true);
    let mut writer = ArrowWriter::try_new_with_options(&mut file, batch.schema(), options).unwrap();
    writer.append_key_value_metadata(KeyValue::new(ARROW_SCHEMA_META_KEY.to_owned(), encoded));
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    file.into()
}

fn of_type(data_type: DataType) -> Schema {
    Schema::new(vec![Field::new("a", data_type, true)])
}

#[test]
fn an_arrow_schema_changes_no_value() {
    let of = |digits, scale| {
        let decimals = Decimal128Array::from(vec![12_345, -1]);
        let decimals = decimals.with_precision_and_scale(digits, scale);
        Arc::new(decimals.unwrap()) as ArrayRef
    };
    for (asked, read) in [
        (DataType::Decimal256(40, 10), DataType::Decimal128(20, 2)),
        (DataType::Decimal128(20, 3), DataType::Decimal128(20, 2)),
        (DataType::Decimal64(18, 2), DataType::Decimal128(20, 2)),
        (DataType::Decimal256(40, 2), DataType::Decimal256(40, 2)),
    ] {
        let file = with_schema(of(20, 2), &of_type(asked.clone()));
        let batch = read_one(file);
        assert_eq!(*batch.column(0).data_type(), read, "{asked}");
    }
}

#[test]
fn an_arrow_schema_has_types_although_its_metadata_is_not_text() {
    let text = "any bytes";
    let metadata = std::collections::HashMap::from([("key".to_owned(), text.to_owned())]);
    let duration = DataType::Duration(arrow_schema::TimeUnit::Second);
    let schema = of_type(duration.clone()).with_metadata(metadata);
    let encoded = parquet::arrow::encode_arrow_schema(&schema);
    let base64 = bytelane::base64::STANDARD;
    let mut message = base64.decode_to_vec(&encoded).unwrap();
    let at = message
        .windows(text.len())
        .position(|it| it == text.as_bytes());
    message[at.unwrap()] = 0xff;
    let numbers: ArrayRef = Arc::new(arrow_array::Int64Array::from(vec![1]));
    let batch = read_one(with_encoded(numbers, base64.encode_to_string(&message)));
    assert_eq!(*batch.column(0).data_type(), duration);
}

#[test]
fn an_arrow_schema_of_other_columns_is_ignored() {
    let number: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), None]));
    let more = Schema::new(vec![
        Field::new("b", DataType::Utf8, true),
        Field::new("a", DataType::Int32, true),
    ]);
    for schema in [more, Schema::empty(), of_type(DataType::Utf8)] {
        let batch = read_one(with_schema(Arc::clone(&number), &schema));
        assert_eq!(batch.column(0), &number, "{schema}");
    }
}

#[test]
fn lists_of_a_length_that_the_file_cannot_have_are_an_error() {
    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>([None::<Vec<Option<i32>>>, None]);
    let item = Arc::new(Field::new_list_field(DataType::Int32, true));
    let inner = DataType::FixedSizeList(Arc::clone(&item), i32::MAX);
    let schema = of_type(inner);
    let file = with_schema(Arc::new(lists), &schema);
    let mut reader = ReaderBuilder::try_new(file).unwrap().build().unwrap();
    let error = reader.next().unwrap().unwrap_err().to_string();
    assert!(error.contains("memory"), "{error}");
}

fn read_one(file: Bytes) -> RecordBatch {
    let mut reader = ReaderBuilder::try_new(file).unwrap().build().unwrap();
    reader.next().unwrap().unwrap()
}

/// Reads all parts, and returns the sizes of their batches.
fn sizes(parts: impl IntoIterator<Item = RowGroup>, settings: &Settings) -> Vec<Vec<usize>> {
    let parts = parts.into_iter().map(|mut part| {
        let batches = std::iter::from_fn(|| part.next(settings));
        batches.map(|batch| batch.unwrap().num_rows()).collect()
    });
    parts.collect()
}

#[test]
fn parts_of_a_row_group_end_with_batches() {
    let numbers: ArrayRef = Arc::new(Int32Array::from_iter_values(0..10_000));
    let file = with_schema(numbers, &of_type(DataType::Int32));
    let split =
        |selected: usize, batch_size: usize, begun: usize, (count, most): (usize, usize)| {
            let builder = ReaderBuilder::try_new(file.clone()).unwrap();
            let builder = builder
                .with_batch_size(batch_size)
                .with_offset(10_000 - selected);
            let mut reader = builder.build().unwrap();
            let (index, rows) = reader.in_flight.take_waiting().pop_front().unwrap();
            let settings = &reader.settings;
            let mut first = RowGroup::open(settings, &reader.row_groups, index, rows).unwrap();
            let before = (0..begun).map(|_| first.next(settings).unwrap().unwrap().num_rows());
            let mut all = vec![before.collect::<Vec<_>>()];
            let parts = first.split(settings, count, most);
            all.extend(sizes(std::iter::once(first).chain(parts), settings));
            all
        };
    let thousands = |batches: usize| vec![1000; batches];
    let expected = [thousands(2), thousands(4), thousands(4)];
    assert_eq!(split(10_000, 1000, 2, (2, usize::MAX)), expected);
    // Too many batches would wait for those before them.
    assert_eq!(split(10_000, 1000, 0, (2, 4)), [vec![], thousands(10)]);
    let last = [thousands(1), thousands(1), vec![500]].concat();
    assert_eq!(
        split(6500, 1000, 0, (2, usize::MAX)),
        [vec![], thousands(4), last]
    );
    // A part has a sixteenth of the row group at least.
    assert_eq!(
        split(10_000, 10, 990, (8, usize::MAX)),
        [vec![10; 990], vec![10; 10]]
    );
    let each = split(10_000, 10, 0, (100, usize::MAX));
    assert_eq!(each[1..17], vec![vec![10; 62]; 16]);
    assert_eq!(
        split(10_000, 20_000, 0, (3, usize::MAX)),
        [vec![], vec![10_000]]
    );
}

/// With `with_max_threads`, a small file is read by the caller's thread alone.
#[test]
fn threads_are_used_if_they_are_worth_waking() {
    let four = NonZero::new(4).expect("not 0");
    for (rows, is_large) in [(1000, false), (1_000_000, true)] {
        let numbers = Int32Array::from_iter_values(0..rows);
        let batch = RecordBatch::try_from_iter([("x", Arc::new(numbers) as ArrayRef)]);
        let batch = batch.expect("a batch");
        let mut file = Vec::new();
        let writer = ArrowWriter::try_new(&mut file, batch.schema(), None);
        let mut writer = writer.expect("a writer");
        writer.write(&batch).expect("rows");
        writer.close().expect("a file");
        let builder = ReaderBuilder::try_new(Bytes::from(file)).expect("a footer");
        let builder = builder.with_batch_size(100);
        let has_threads = |builder: ReaderBuilder<Bytes>| {
            let reader = builder.build().expect("a reader");
            reader.settings.pool.is_some()
        };
        assert!(has_threads(builder.clone().with_threads(four)));
        assert_eq!(
            has_threads(builder.clone().with_max_threads(four)),
            is_large
        );
        let few = builder.with_max_threads(four).with_limit(50);
        assert!(!has_threads(few));
    }
}

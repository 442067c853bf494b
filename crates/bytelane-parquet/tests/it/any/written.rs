//! Tests files with arbitrary columns from our writer: the crate `parquet` must read and describe them in the
//! same way.

use super::arrays::Numbers;
use super::batch;
use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::{
    Array, ArrayRef, DictionaryArray, Int8Array, Int32Array, ListViewArray, RecordBatch, RunArray,
    StringArray,
};
use arrow_buffer::NullBuffer;
use arrow_schema::Field;
use bytelane_parquet::{
    ColumnOptions, DataPageVersion, Encoding, Reader, Writer, WriterOptions, arrow_array,
    arrow_schema, parquet, parse_compression,
};
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::basic::Type;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::file::metadata::{ColumnChunkMetaData, PageIndexPolicy, ParquetMetaDataReader};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::SchemaDescriptor;
use proptest::prelude::{ProptestConfig, any, prop_assert, prop_assert_eq, proptest};
use std::sync::Arc;

fn options(numbers: &mut Numbers, schema: &SchemaDescriptor, page_rows: usize) -> WriterOptions {
    let version = [DataPageVersion::V1, DataPageVersion::V2][numbers.below(2)];
    let compression = ["none", "snappy", "zstd:1"][numbers.below(3)];
    let mut options = WriterOptions::default()
        .with_data_page_version(version)
        .with_compression(parse_compression(compression).expect("a name"))
        .with_max_rows_per_page(page_rows)
        .with_data_page_size([100, 5000, 1 << 20][numbers.below(3)])
        .with_page_header_statistics(numbers.below(2) == 0)
        .with_write_page_checksum(numbers.below(2) == 0)
        .with_dictionary_pagesize_limit([200, 1 << 20][numbers.below(2)]);
    for column in schema.columns() {
        // The crate does not read FSST.
        let exists = |encoding: &&Encoding| {
            encoding.exists_for(column.physical_type())
                && !matches!(encoding, Encoding::Fsst | Encoding::Auto)
        };
        let encodings: Vec<&Encoding> = Encoding::ALL.iter().filter(exists).collect();
        let encoding = *encodings[numbers.below(encodings.len())];
        let column_options = ColumnOptions::default().with_encoding(encoding);
        options = options.with_column(column.path().string(), column_options);
    }
    options
}

/// Definition and repetition levels of a chunk.
type Levels = (Vec<i16>, Vec<i16>);

fn levels(file: &Bytes, column: usize) -> Levels {
    fn all<T: DataType>(mut reader: ColumnReaderImpl<T>) -> Levels {
        let (mut definition, mut repetition, mut values) = (Vec::new(), Vec::new(), Vec::new());
        let (def, rep) = (&mut definition, &mut repetition);
        while reader
            .read_records(1000, Some(def), Some(rep), &mut values)
            .expect("rows")
            .0
            > 0
        {}
        (definition, repetition)
    }
    let reader = SerializedFileReader::new(file.clone()).expect("a footer");
    let row_group = reader.get_row_group(0).expect("a row group");
    match row_group.get_column_reader(column).expect("a column") {
        ColumnReader::BoolColumnReader(reader) => all(reader),
        ColumnReader::Int32ColumnReader(reader) => all(reader),
        ColumnReader::Int64ColumnReader(reader) => all(reader),
        ColumnReader::Int96ColumnReader(reader) => all(reader),
        ColumnReader::FloatColumnReader(reader) => all(reader),
        ColumnReader::DoubleColumnReader(reader) => all(reader),
        ColumnReader::ByteArrayColumnReader(reader) => all(reader),
        ColumnReader::FixedLenByteArrayColumnReader(reader) => all(reader),
    }
}

/// Returns the bounds and counts that do not depend on the writer.
fn described(chunk: &ColumnChunkMetaData) -> impl PartialEq + std::fmt::Debug + use<> {
    let statistics = chunk.statistics().expect("statistics");
    let is_float = matches!(chunk.column_type(), Type::FLOAT | Type::DOUBLE);
    let bound = |bytes: Option<&[u8]>| bytes.filter(|_| !is_float).map(<[u8]>::to_vec);
    let histograms = [
        chunk.definition_level_histogram(),
        chunk.repetition_level_histogram(),
    ];
    (
        chunk.num_values(),
        statistics.null_count_opt(),
        bound(statistics.min_bytes_opt()),
        bound(statistics.max_bytes_opt()),
        chunk.unencoded_byte_array_data_bytes(),
        histograms.map(|levels| levels.map(|it| it.values().to_vec())),
    )
}

fn by_parquet(batch: &RecordBatch) -> Bytes {
    let mut file = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut file, batch.schema(), None).expect("a schema");
    writer.write(batch).expect("a batch");
    writer.close().expect("a file");
    file.into()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn any_rows_are_written_as_by_the_crate_parquet(seed in any::<u64>()) {
        let mut numbers = Numbers::new(seed);
        let rows = [1, 60, 1000][numbers.below(3)];
        let batch = batch(&mut numbers, rows);
        let theirs = by_parquet(&batch);
        let their_footer = ParquetMetaDataReader::new().parse_and_finish(&theirs).expect("a footer");
        let schema = their_footer.file_metadata().schema_descr();
        let page_rows = [7, 300, 1 << 20][numbers.below(3)];
        let options = options(&mut numbers, schema, page_rows);
        let mut file = Vec::new();
        let mut writer = Writer::try_new(&mut file, batch.schema(), options).expect("options");
        let cut = numbers.below(rows + 1);
        for part in [batch.slice(0, cut), batch.slice(cut, rows - cut)] {
            writer.write(&part).expect("rows");
        }
        writer.close().expect("a file");
        let file = Bytes::from(file);

        let indexes = ParquetMetaDataReader::new().with_page_index_policy(PageIndexPolicy::Required);
        let footer = indexes.parse_and_finish(&file).expect("a footer and indexes");
        let chunks = footer.row_group(0).columns().iter();
        for (column, (chunk, theirs_chunk)) in
            chunks.zip(their_footer.row_group(0).columns()).enumerate()
        {
            prop_assert_eq!(levels(&file, column), levels(&theirs, column));
            prop_assert_eq!(described(chunk), described(theirs_chunk));
            prop_assert!(chunk.page_encoding_stats_mask().is_some());
            let places = footer.page_index_for_row_group(0);
            let places = places.offset_index(column).expect("an index").page_locations();
            let starts = places.iter().map(|page| page.first_row_index as usize).chain([rows]);
            let starts: Vec<usize> = starts.collect();
            prop_assert!(starts.windows(2).all(|pair| (1..=page_rows).contains(&(pair[1] - pair[0]))));
        }

        let reader = ParquetRecordBatchReaderBuilder::try_new(file.clone()).expect("a footer");
        let mut reader = reader.with_batch_size(rows).build().expect("a reader");
        let read = reader.next().expect("a batch").expect("rows");
        prop_assert_eq!(&read, &batch);
        let ours = Reader::builder(file).expect("a footer").with_batch_size(rows);
        let ours = ours.build().expect("a reader").next().expect("a batch").expect("rows");
        prop_assert_eq!(&ours, &batch);
    }
}

#[test]
fn other_kinds_of_arrays_are_written_as_those_that_parquet_has() {
    let item = Arc::new(Field::new("item", arrow_schema::DataType::Int32, true));
    let items = Int32Array::from_iter((0..50).map(|i| (i % 7 != 3).then_some(i)));
    let offsets = [30, 0, 7, 7, 2, 40];
    let sizes = [5, 2, 0, 3, 9, 10];
    let valid = NullBuffer::from(vec![true, true, true, false, true, true]);
    let views = ListViewArray::new(
        item,
        offsets.to_vec().into(),
        sizes.to_vec().into(),
        Arc::new(items),
        Some(valid),
    );
    let ends = Int32Array::from(vec![2, 3, 6]);
    let runs = StringArray::from(vec![Some("a"), None, Some("b")]);
    let runs = RunArray::<Int32Type>::try_new(&ends, &runs).expect("runs");
    let values = Arc::new(StringArray::from(vec![None, Some("x"), Some("never")]));
    let keys = Int8Array::from(vec![Some(1), Some(0), None, Some(1), Some(1), Some(0)]);
    let dictionary = DictionaryArray::<Int8Type>::new(keys, values);
    let none = DictionaryArray::<Int8Type>::new(
        Int8Array::new_null(6),
        Arc::new(StringArray::new_null(0)),
    );
    let columns: [(&str, ArrayRef); 4] = [
        ("views", Arc::new(views)),
        ("runs", Arc::new(runs)),
        ("dictionary", Arc::new(dictionary)),
        ("none", Arc::new(none)),
    ];
    let columns = columns.map(|(name, array)| (name, array, true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).expect("a batch");
    for encoding in [Encoding::Plain, Encoding::Dictionary, Encoding::Auto] {
        for page_rows in [1, 4, 100] {
            let options = WriterOptions::default()
                .with_encoding(encoding)
                .with_max_rows_per_page(page_rows);
            let mut file = Vec::new();
            let mut writer = Writer::try_new(&mut file, batch.schema(), options).expect("options");
            writer.write(&batch.slice(0, 4)).expect("rows");
            writer.write(&batch.slice(4, 2)).expect("rows");
            writer.close().expect("a file");
            let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
            let reader =
                ParquetRecordBatchReaderBuilder::try_new_with_options(Bytes::from(file), options);
            let mut reader = reader.expect("a footer").build().expect("a reader");
            let read = reader.next().expect("a batch").expect("rows");
            for (array, read) in batch.columns().iter().zip(read.columns()) {
                let want = arrow_cast::cast(array, read.data_type()).expect("a cast");
                assert_eq!(read, &want, "{encoding} {page_rows}");
            }
        }
    }
}

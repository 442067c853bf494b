//! Tests the types in which rows are stored, which are the same as in pyarrow.

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Int8Type, Time32MillisecondType, TimestampMillisecondType};
use arrow_array::{
    Array, ArrayRef, Date32Array, Date64Array, DictionaryArray, FixedSizeBinaryArray, Int8Array,
    Int32Array, ListArray, NullArray, RecordBatch, StringArray, StructArray,
    Time32MillisecondArray, Time32SecondArray, TimestampMillisecondArray, TimestampSecondArray,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::extension::EXTENSION_TYPE_NAME_KEY;
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};
use bytelane_parquet::{Encoding, Problem, Reader, Result, Writer, WriterOptions};
use bytelane_parquet_files::advise::{AdviseOptions, advise_batches};
use bytelane_parquet_files::inspect::inspect_reader;
use bytelane_parquet_files::rewrite::{RewriteOptions, rewrite_bytes};
use bytes::Bytes;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::basic::{LogicalType, TimeUnit};
use parquet::schema::types::ColumnDescriptor;
use std::sync::Arc;

fn write(batch: &RecordBatch, options: WriterOptions) -> Result<Bytes> {
    let mut file = Vec::new();
    let mut writer = Writer::try_new(&mut file, batch.schema(), options)?;
    writer.write(batch)?;
    writer.close()?;
    Ok(file.into())
}

fn of(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    let columns = columns.into_iter().map(|(name, array)| (name, array, true));
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}

fn read(file: &Bytes) -> RecordBatch {
    let mut reader = Reader::builder(file.clone()).unwrap().build().unwrap();
    reader.next().unwrap().unwrap()
}

/// Returns the columns of a file and their types, without an Arrow schema.
fn in_file(file: &Bytes) -> (Vec<Option<LogicalType>>, SchemaRef) {
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let builder = ParquetRecordBatchReaderBuilder::try_new_with_options(file.clone(), options);
    let builder = builder.unwrap();
    let logical = |column: &ColumnDescriptor| column.logical_type_ref().cloned();
    let columns = builder.parquet_schema().columns().iter();
    let logical_types = columns.map(|column| logical(column)).collect();
    (logical_types, Arc::clone(builder.schema()))
}

const DAY: i64 = 86_400_000;

fn list(values: ArrayRef) -> ArrayRef {
    let item = Field::new("item", values.data_type().clone(), true);
    let offsets = OffsetBuffer::from_lengths([1, 0, 2]);
    Arc::new(ListArray::new(Arc::new(item), offsets, values, None))
}

fn dictionary(values: ArrayRef) -> ArrayRef {
    let keys = Int8Array::from(vec![Some(1), None, Some(0)]);
    Arc::new(DictionaryArray::<Int8Type>::new(keys, values))
}

#[test]
fn times_are_stored_as_pyarrow_does() {
    let seconds = || TimestampSecondArray::from(vec![Some(1_700_000_000), None, Some(-1)]);
    let dates = || Date64Array::from(vec![Some(20_000 * DAY), None, Some(-DAY)]);
    let milliseconds =
        TimestampMillisecondArray::from(vec![Some(1_700_000_000_000), None, Some(-1000)]);
    let days = Date32Array::from(vec![Some(20_000), None, Some(-1)]);
    let times = Time32SecondArray::from(vec![Some(3600), None, Some(86_399)]);
    let group = StructArray::from(vec![(
        Arc::new(Field::new("day", DataType::Date64, true)),
        Arc::new(dates()) as ArrayRef,
    )]);
    let batch = of(vec![
        ("local", Arc::new(seconds())),
        ("utc", Arc::new(seconds().with_timezone("Europe/Berlin"))),
        ("time", Arc::new(times)),
        ("date", Arc::new(dates())),
        ("list", list(Arc::new(seconds()))),
        ("group", Arc::new(group)),
    ]);
    let file = write(&batch, WriterOptions::default()).unwrap();
    let (logical, schema) = in_file(&file);
    let timestamp = |utc| Some(LogicalType::timestamp(utc, TimeUnit::MILLIS));
    let expected = [
        timestamp(false),
        timestamp(true),
        Some(LogicalType::time(false, TimeUnit::MILLIS)),
        Some(LogicalType::Date),
        timestamp(false),
        Some(LogicalType::Date),
    ];
    assert_eq!(logical, expected);
    assert_eq!(schema.field(3).data_type(), &DataType::Date32);

    let read = read(&file);
    let local = read.column(0).as_primitive::<TimestampMillisecondType>();
    assert_eq!(local, &milliseconds);
    let utc = read.column(1).as_primitive::<TimestampMillisecondType>();
    assert_eq!(
        (utc.values(), utc.timezone()),
        (milliseconds.values(), Some("Europe/Berlin"))
    );
    let expected = Time32MillisecondArray::from(vec![Some(3_600_000), None, Some(86_399_000)]);
    assert_eq!(
        read.column(2).as_primitive::<Time32MillisecondType>(),
        &expected
    );
    assert_eq!(read.column(3).as_primitive::<Date32Type>(), &days);
    let items = read.column(4).as_list::<i32>().values();
    assert_eq!(
        items.as_primitive::<TimestampMillisecondType>(),
        &milliseconds
    );
    let days_in_group = read.column(5).as_struct().column(0);
    assert_eq!(days_in_group.as_primitive::<Date32Type>(), &days);

    let advice = advise_batches(batch.schema(), vec![batch], &AdviseOptions::default()).unwrap();
    let types: Vec<&str> = advice
        .columns
        .iter()
        .map(|it| it.column_type.as_str())
        .collect();
    assert!(types[0].contains("TIMESTAMP(MILLIS,false)"), "{types:?}");
    assert!(types[3].contains("DATE"), "{types:?}");
}

#[test]
fn dictionaries_of_times_are_stored_too() {
    let dates: ArrayRef = Arc::new(Date64Array::from(vec![20_000 * DAY, -DAY]));
    let file = write(
        &of(vec![("a", dictionary(dates))]),
        WriterOptions::default(),
    )
    .unwrap();
    let (logical, schema) = in_file(&file);
    assert_eq!(logical, [Some(LogicalType::Date)]);
    assert_eq!(schema.field(0).data_type(), &DataType::Date32);
    let read = read(&file);
    let read = read.column(0).as_dictionary::<Int8Type>();
    let values = read.downcast_dict::<Date32Array>().unwrap();
    let values: Vec<Option<i32>> = values.into_iter().collect();
    assert_eq!(values, [Some(-1), None, Some(20_000)]);
}

#[test]
fn a_dictionary_of_nulls_is_a_column_of_nulls() {
    let nulls = dictionary(Arc::new(NullArray::new(2)));
    let file = write(
        &of(vec![("a", Arc::clone(&nulls))]),
        WriterOptions::default().with_row_group_size(2),
    )
    .unwrap();
    let (logical, _) = in_file(&file);
    assert_eq!(logical, [Some(LogicalType::Unknown)]);
    let batches = Reader::builder(file).unwrap().build().unwrap();
    let columns: Vec<ArrayRef> = batches.map(|it| it.unwrap().column(0).clone()).collect();
    assert!(columns.iter().all(|it| it.data_type() == &DataType::Null));
    let rows: usize = columns.iter().map(Array::len).sum();
    assert_eq!(rows, nulls.len());
}

#[test]
fn a_time_too_far_away_is_an_error_of_its_column() {
    let cases: [ArrayRef; 5] = [
        Arc::new(TimestampSecondArray::from(vec![i64::MAX / 1000 + 1])),
        Arc::new(TimestampSecondArray::from(vec![i64::MIN])),
        Arc::new(Time32SecondArray::from(vec![i32::MAX])),
        Arc::new(Date64Array::from(vec![i64::MAX])),
        list(Arc::new(TimestampSecondArray::from(vec![1, 2, i64::MAX]))),
    ];
    for array in cases {
        let batch = of(vec![("far", Arc::clone(&array))]);
        let error = write(&batch, WriterOptions::default()).unwrap_err();
        assert!(matches!(error.problem(), Problem::Input(_)), "{error}");
        assert!(error.to_string().contains("column far: "), "{error}");
    }
    // The slot of a null has arbitrary bits.
    let null = TimestampSecondArray::new(vec![i64::MAX].into(), Some(vec![false].into()));
    write(&of(vec![("a", Arc::new(null))]), WriterOptions::default()).unwrap();
}

fn with_extension(name: &str, data_type: DataType, extension: &str) -> FieldRef {
    let metadata = [(EXTENSION_TYPE_NAME_KEY.to_owned(), extension.to_owned())];
    Arc::new(Field::new(name, data_type, true).with_metadata(metadata))
}

fn extension(field: &Field) -> Option<&str> {
    field.extension_type_name()
}

/// Returns columns of both extension types, one of them nested, and two whose storage types do not fit.
fn extended() -> RecordBatch {
    let ids =
        || FixedSizeBinaryArray::try_from_iter([[1; 16], [2; 16], [3; 16]].into_iter()).unwrap();
    let texts = || StringArray::from(vec!["{}", "[1]", "null"]);
    let id = with_extension("item", DataType::FixedSizeBinary(16), "arrow.uuid");
    let offsets = OffsetBuffer::from_lengths([1, 0, 2]);
    let lists = ListArray::new(Arc::clone(&id), offsets, Arc::new(ids()), None);
    let columns: Vec<(FieldRef, ArrayRef)> = vec![
        (
            Arc::new(Field::new("plain", DataType::Utf8, true)),
            Arc::new(texts()),
        ),
        (
            with_extension("id", DataType::FixedSizeBinary(16), "arrow.uuid"),
            Arc::new(ids()),
        ),
        (
            with_extension("json", DataType::Utf8, "arrow.json"),
            Arc::new(texts()),
        ),
        (
            Arc::new(Field::new("ids", lists.data_type().clone(), true)),
            Arc::new(lists),
        ),
        (
            with_extension("other", DataType::Utf8, "arrow.uuid"),
            Arc::new(texts()),
        ),
        (
            with_extension("number", DataType::Int32, "arrow.json"),
            Arc::new(Int32Array::from(vec![1; 3])),
        ),
    ];
    let (fields, arrays): (Vec<FieldRef>, Vec<ArrayRef>) = columns.into_iter().unzip();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).unwrap()
}

#[test]
fn extension_types_are_logical_types() {
    let batch = extended();
    let file = write(&batch, WriterOptions::default()).unwrap();
    let (logical, _) = in_file(&file);
    let expected = [
        Some(LogicalType::String),
        Some(LogicalType::Uuid),
        Some(LogicalType::Json),
        Some(LogicalType::Uuid),
        Some(LogicalType::String),
        None,
    ];
    assert_eq!(logical, expected);
    assert_eq!(read(&file), batch);
    let (new, _) = rewrite_bytes(file, &RewriteOptions::default()).unwrap();
    assert_eq!(in_file(&new).0, expected);
    assert_eq!(read(&new), batch);
}

/// Files of other writers have no Arrow schema, or one without extension types.
#[test]
fn logical_types_are_extension_types() {
    use parquet::arrow::arrow_writer::{ArrowWriter, ArrowWriterOptions};
    use parquet::arrow::{ARROW_SCHEMA_META_KEY, ArrowSchemaConverter, encode_arrow_schema};
    use parquet::file::metadata::KeyValue;

    let own = extended();
    let file = write(&own, WriterOptions::default()).unwrap();
    let in_file = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    let bare = own
        .schema()
        .fields()
        .iter()
        .map(without_metadata)
        .collect::<Vec<_>>();
    let bare = Arc::new(Schema::new(bare));
    let columns = own.columns().iter().zip(bare.fields());
    let columns = columns.map(|(array, field)| {
        let data = array
            .to_data()
            .into_builder()
            .data_type(field.data_type().clone());
        let data = match array.as_list_opt::<i32>() {
            Some(lists) => data.child_data(vec![lists.values().to_data()]),
            None => data,
        };
        arrow_array::make_array(data.build().unwrap())
    });
    let batch = RecordBatch::try_new(Arc::clone(&bare), columns.collect()).unwrap();
    assert_eq!(
        ArrowSchemaConverter::new()
            .convert(&bare)
            .unwrap()
            .num_columns(),
        6
    );
    for has_schema in [false, true] {
        let mut file = Vec::new();
        let options = ArrowWriterOptions::new()
            .with_skip_arrow_metadata(true)
            .with_parquet_schema(in_file.parquet_schema().clone());
        let mut writer =
            ArrowWriter::try_new_with_options(&mut file, Arc::clone(&bare), options).unwrap();
        if has_schema {
            let schema = encode_arrow_schema(&bare);
            let pair = KeyValue::new(ARROW_SCHEMA_META_KEY.to_owned(), schema);
            writer.append_key_value_metadata(pair);
        }
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let read = read(&file.into());
        let schema = read.schema();
        let found: Vec<Option<&str>> = schema.fields().iter().map(|it| extension(it)).collect();
        let (uuid, json) = (Some("arrow.uuid"), Some("arrow.json"));
        assert_eq!(found, [None, uuid, json, None, None, None]);
        let DataType::List(item) = schema.field(3).data_type() else {
            panic!("{schema}");
        };
        assert_eq!(extension(item), uuid);
        assert_eq!(read.column(1), own.column(1));
    }
}

fn without_metadata(field: &FieldRef) -> FieldRef {
    let field = Field::clone(field).with_metadata(arrow_schema::Metadata::default());
    let data_type = match field.data_type() {
        DataType::List(item) => DataType::List(without_metadata(item)),
        other => other.clone(),
    };
    Arc::new(field.with_data_type(data_type))
}

#[test]
fn bounds_of_a_fixed_length_are_never_cut() {
    let value = |row: usize, width: usize| [vec![row as u8], vec![0xff; width - 1]].concat();
    for width in [5, 64, 65, 300] {
        let values = (0..50).map(|row| value(row, width));
        let values = FixedSizeBinaryArray::try_from_iter(values).unwrap();
        let text = StringArray::from_iter_values((0..50).map(|row| format!("{row:0>400}")));
        let group = StructArray::from(vec![(
            Arc::new(Field::new("hash", values.data_type().clone(), true)),
            Arc::new(values.clone()) as ArrayRef,
        )]);
        let batch = of(vec![
            ("hash", Arc::new(values)),
            ("group", Arc::new(group)),
            ("text", Arc::new(text)),
        ]);
        for encoding in [
            Encoding::Auto,
            Encoding::Plain,
            Encoding::Dictionary,
            Encoding::ByteStreamSplit,
        ] {
            let options = WriterOptions::default().with_encoding(encoding);
            let file = write(&batch, options).unwrap();
            let reader = ParquetRecordBatchReaderBuilder::try_new_with_options(
                file.clone(),
                ArrowReaderOptions::new()
                    .with_page_index_policy(parquet::file::metadata::PageIndexPolicy::Required),
            );
            let reader = reader.unwrap();
            for (leaf, column) in reader.metadata().row_group(0).columns().iter().enumerate() {
                let statistics = column.statistics().unwrap();
                let bounds = (
                    statistics.min_bytes_opt().unwrap(),
                    statistics.max_bytes_opt().unwrap(),
                );
                let what = format!("{width} {encoding} {}", column.column_path());
                if leaf == 2 {
                    assert!(bounds.0.len() <= 64, "{what}");
                    continue;
                }
                let expected = (value(0, width), value(49, width));
                assert_eq!(bounds, (&expected.0[..], &expected.1[..]), "{what}");
                assert!(
                    statistics.min_is_exact() && statistics.max_is_exact(),
                    "{what}"
                );
            }
            let rewritten = rewrite_bytes(file.clone(), &RewriteOptions::default())
                .unwrap()
                .0;
            assert_eq!(read(&rewritten), batch);
        }
    }
}

#[test]
fn values_of_no_bytes_are_an_error_of_their_column() {
    let empty: ArrayRef = Arc::new(
        FixedSizeBinaryArray::try_new_with_len(0, Vec::<u8>::new().into(), None, 3).unwrap(),
    );
    for array in [Arc::clone(&empty), list(empty)] {
        let batch = of(vec![("empty", array)]);
        let error = write(&batch, WriterOptions::default()).unwrap_err();
        assert!(error.to_string().contains("column empty: "), "{error}");
        let options = AdviseOptions::default();
        let error = advise_batches(batch.schema(), vec![batch], &options).unwrap_err();
        assert!(error.to_string().contains("column empty: "), "{error}");
    }
}

/// pyarrow cannot join dictionaries of several row groups in lists.
#[test]
fn nested_dictionaries_of_several_row_groups_are_not_chosen() {
    let keys = Int8Array::from_iter_values((0..1000).map(|row| (row * 7 % 6) as i8));
    let words = (0..6).map(|word| format!("a rather long word, number {word}"));
    let words: ArrayRef = Arc::new(StringArray::from_iter_values(words));
    let words: ArrayRef = Arc::new(DictionaryArray::new(keys, words));
    let item = Arc::new(Field::new("item", words.data_type().clone(), true));
    let offsets = OffsetBuffer::from_lengths((0..500).map(|_| 2));
    let lists: ArrayRef = Arc::new(ListArray::new(item, offsets, words, None));
    let flat = Int32Array::from_iter_values(0..500);
    let batch = of(vec![("flat", Arc::new(flat)), ("lists", lists)]);
    let encodings = |encoding, row_group_size, readers: &str| {
        let options = WriterOptions::default()
            .with_encoding(encoding)
            .with_row_group_size(row_group_size);
        let file = write(&batch, options).unwrap();
        let options = RewriteOptions::default().with_readers(readers.parse().unwrap());
        let (new, _) = rewrite_bytes(file, &options).unwrap();
        let inspected = inspect_reader(&new).unwrap();
        inspected.row_groups[0].columns[1].encodings.clone()
    };
    let (plain, dictionary) = (Encoding::Plain, Encoding::Dictionary);
    assert_eq!(encodings(plain, 500, "pyarrow"), ["rle_dictionary"]);
    assert_eq!(encodings(plain, 100, "pyarrow"), ["plain"]);
    assert_ne!(encodings(plain, 100, "duckdb"), ["plain"]);
    assert_eq!(encodings(dictionary, 100, "pyarrow"), ["rle_dictionary"]);
}

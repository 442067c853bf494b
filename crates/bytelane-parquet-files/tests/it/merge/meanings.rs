//! Tests that merged columns keep their meaning: units, widths, keys and orders.

use super::{Files, properties, read};
use arrow_array::builder::StringDictionaryBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, Int16Type, UInt8Type};
use arrow_array::{
    Array, ArrayRef, DictionaryArray, DurationMillisecondArray, DurationSecondArray, Float64Array,
    Int32Array, Int64Array, RecordBatch, StringArray, UInt32Array,
};
use arrow_schema::{DataType, Field, Schema};
use bytelane_parquet::compatibility::Readers;
use bytelane_parquet::{Reader, Writer, WriterOptions};
use bytelane_parquet_files::check::{CheckOptions, check};
use bytelane_parquet_files::merge::{MergeOptions, MergePages, merge};
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::{KeyValue, ParquetMetaDataReader, SortingColumn};
use std::fs;
use std::sync::Arc;

fn batch(column: ArrayRef) -> RecordBatch {
    RecordBatch::try_from_iter([("x", column)]).unwrap()
}

/// Merges files of one column each, and reads the outcome.
fn merged(columns: &[ArrayRef], options: &MergeOptions) -> Result<(Bytes, ArrayRef), String> {
    let mut files = Files::new();
    for column in columns {
        files.write(&batch(Arc::clone(column)), properties().build());
    }
    merged_files(&files, options)
}

fn merged_files(files: &Files, options: &MergeOptions) -> Result<(Bytes, ArrayRef), String> {
    let output = files.path("merged");
    merge(&files.paths, &output, options).map_err(|error| error.to_string())?;
    let file = Bytes::from(fs::read(output).unwrap());
    let rows = read(&file, None);
    let own = Reader::builder(file.clone()).unwrap().build().unwrap();
    let own: usize = own.map(|batch| batch.unwrap().num_rows()).sum();
    assert_eq!(own, rows.num_rows());
    Ok((file, Arc::clone(rows.column(0))))
}

fn default_merged(columns: &[ArrayRef]) -> Result<ArrayRef, String> {
    merged(columns, &MergeOptions::default()).map(|(_, column)| column)
}

#[test]
fn values_are_converted_where_one_type_holds_both() {
    let seconds: ArrayRef = Arc::new(DurationSecondArray::from(vec![Some(1), None]));
    let millis: ArrayRef = Arc::new(DurationMillisecondArray::from(vec![2]));
    let both: ArrayRef = Arc::new(DurationMillisecondArray::from(vec![
        Some(1000),
        None,
        Some(2),
    ]));
    assert_eq!(default_merged(&[seconds.clone(), millis.clone()]), Ok(both));
    let narrow: ArrayRef = Arc::new(Int32Array::from(vec![-1, 5]));
    let wide: ArrayRef = Arc::new(Int64Array::from(vec![1 << 40]));
    let both: ArrayRef = Arc::new(Int64Array::from(vec![-1, 5, 1 << 40]));
    assert_eq!(default_merged(&[narrow.clone(), wide]), Ok(both));
    let unsigned: ArrayRef = Arc::new(UInt32Array::from(vec![u32::MAX]));
    let both: ArrayRef = Arc::new(Int64Array::from(vec![-1, 5, i64::from(u32::MAX)]));
    assert_eq!(default_merged(&[narrow.clone(), unsigned]), Ok(both));
    let error = default_merged(&[seconds, Arc::new(Int64Array::from(vec![1]))]).unwrap_err();
    assert!(error.contains("is int64, but duration[s] in"), "{error}");
    assert!(
        error.contains("column x") && error.contains("001.parquet"),
        "{error}"
    );
    let error = default_merged(&[narrow, Arc::new(Float64Array::from(vec![1.0]))]).unwrap_err();
    assert!(error.contains("is double, but int32 in"), "{error}");
}

#[test]
fn converted_columns_keep_the_level_of_their_compression() {
    let texts = |row: usize| (row * 7919 % 100_003) as i64;
    let narrow: ArrayRef = Arc::new(Int32Array::from_iter_values(
        (0..60_000).map(|row| texts(row) as i32),
    ));
    let wide: ArrayRef = Arc::new(Int64Array::from_iter_values((0..500).map(texts)));
    let merged = |compression: Compression| {
        let mut files = Files::new();
        for column in [&narrow, &wide] {
            let written = properties().set_compression(compression);
            files.write(
                &batch(Arc::clone(column)),
                written.set_dictionary_enabled(false).build(),
            );
        }
        let options = MergeOptions::default();
        let merged = merge(&files.paths, files.path("merged"), &options).unwrap();
        assert!(merged.columns[0].pages.encoded > 0);
        merged.columns[0].compressions.clone()
    };
    let zstd = |level| Compression::ZSTD(ZstdLevel::try_new(level).unwrap());
    assert_eq!(merged(zstd(1)), ["zstd:1"]);
    let high = merged(zstd(19));
    assert!(
        high[0].starts_with("zstd:") && high != ["zstd:1"],
        "{high:?}"
    );
    assert_eq!(merged(Compression::SNAPPY), ["snappy"]);
}

fn categories(from: usize, count: usize) -> ArrayRef {
    let mut builder = StringDictionaryBuilder::<Int8Type>::new();
    for row in 0..2 * count {
        builder.append_value(format!("category {}", from + row % count));
    }
    Arc::new(builder.finish())
}

#[test]
fn keys_become_wide_enough_for_the_entries_of_all_files() {
    let (_, column) = merged(
        &[categories(0, 100), categories(100, 100)],
        &MergeOptions::default(),
    )
    .unwrap();
    let keys = column.as_dictionary::<Int16Type>();
    assert_eq!((keys.len(), keys.values().len()), (400, 200));
    for options in [
        MergeOptions::default().with_row_group_size(100),
        MergeOptions::default().with_pages(MergePages::Fresh),
    ] {
        let columns = [categories(0, 100), categories(100, 100)];
        let (file, _) = merged(&columns, &options).unwrap();
        let schema = Reader::builder(file).unwrap().schema().clone();
        let DataType::Dictionary(keys, _) = schema.field(0).data_type() else {
            panic!("{schema:?}");
        };
        assert_eq!(**keys, DataType::Int16);
    }
    let same = default_merged(&[categories(0, 100), categories(20, 80)]).unwrap();
    assert_eq!(same.as_dictionary::<Int8Type>().len(), 360);
    let numbers = |from: i64| -> ArrayRef {
        let values = Arc::new(Int64Array::from_iter_values(from..from + 200));
        let keys = (0..200).map(|key| Some(key as u8)).collect();
        Arc::new(DictionaryArray::<UInt8Type>::new(keys, values))
    };
    let (file, _) = merged(&[numbers(0), numbers(200)], &MergeOptions::default()).unwrap();
    let schema = Reader::builder(file).unwrap().schema().clone();
    let DataType::Dictionary(keys, _) = schema.field(0).data_type() else {
        panic!("{schema:?}");
    };
    assert_eq!(**keys, DataType::UInt16);
}

#[test]
fn new_pages_of_dictionaries_have_encodings_that_readers_know() {
    let distinct = |from: usize| -> ArrayRef {
        let texts = (from..from + 2000).map(|row| format!("text {row} {}", row * 7919 % 1_000_003));
        let values: StringArray = texts.map(Some).collect();
        let keys = (0..2000).map(Some).collect();
        Arc::new(DictionaryArray::<arrow_array::types::Int32Type>::new(
            keys,
            Arc::new(values),
        ))
    };
    let encodings = |options: &MergeOptions| {
        let (file, _) = merged(&[distinct(0), distinct(2000)], options).unwrap();
        let footer = ParquetMetaDataReader::new()
            .parse_and_finish(&file)
            .unwrap();
        let chunk = footer.row_group(0).column(0);
        chunk
            .encodings()
            .map(|it| it.to_string())
            .collect::<Vec<_>>()
    };
    let fresh = MergeOptions::default().with_pages(MergePages::Fresh);
    assert!(!encodings(&fresh).iter().any(|it| it.starts_with("DELTA")));
    let any = fresh.with_readers(Readers::any());
    assert!(encodings(&any).iter().any(|it| it.starts_with("DELTA")));
}

/// Writes a file with an ordered dictionary.
fn write_ordered(files: &mut Files, categories: &[&str], keys: &[Option<i8>]) {
    let values: ArrayRef = Arc::new(StringArray::from(categories.to_vec()));
    let column = DictionaryArray::<Int8Type>::new(keys.iter().copied().collect(), values);
    let field = Field::new("x", column.data_type().clone(), true).with_dict_is_ordered(true);
    let schema = Arc::new(Schema::new(vec![field]));
    let rows = RecordBatch::try_new(Arc::clone(&schema), vec![Arc::new(column)]).unwrap();
    let path = files.path(&format!("{:03}.parquet", files.paths.len()));
    let file = fs::File::create(&path).unwrap();
    let mut writer = Writer::try_new(file, schema, WriterOptions::default()).unwrap();
    writer.write(&rows).unwrap();
    writer.close().unwrap();
    files.paths.push(path);
}

fn entries(column: &ArrayRef) -> Vec<String> {
    let values = column.as_any_dictionary().values();
    let values = values.as_string::<i32>();
    values.iter().flatten().map(str::to_owned).collect()
}

#[test]
fn ordered_dictionaries_keep_their_order_and_unused_entries() {
    let mut files = Files::new();
    write_ordered(&mut files, &["low", "high"], &[Some(1)]);
    write_ordered(&mut files, &["low", "mid", "high"], &[Some(2), Some(0)]);
    for options in [
        MergeOptions::default(),
        MergeOptions::default().with_pages(MergePages::Fresh),
        MergeOptions::default().with_row_group_size(1),
    ] {
        let output = files.path("merged");
        merge(&files.paths, &output, &options).unwrap();
        let file = Bytes::from(fs::read(&output).unwrap());
        for batch in Reader::builder(file).unwrap().build().unwrap() {
            assert_eq!(entries(batch.unwrap().column(0)), ["low", "mid", "high"]);
        }
    }
    write_ordered(&mut files, &["high", "low"], &[Some(0)]);
    let error = merged_files(&files, &MergeOptions::default()).unwrap_err();
    assert!(error.contains("have another order than in"), "{error}");
}

#[test]
fn sorting_columns_are_dropped_where_there_may_be_nan() {
    let sorted = SortingColumn {
        column_idx: 0,
        descending: false,
        nulls_first: false,
    };
    let mut files = Files::new();
    for values in [vec![1.0, f64::NAN], vec![2.0, 3.0]] {
        let column: ArrayRef = Arc::new(Float64Array::from(values));
        let properties = properties().set_sorting_columns(Some(vec![sorted.clone()]));
        files.write(&batch(column), properties.build());
    }
    let (file, _) = merged_files(&files, &MergeOptions::default()).unwrap();
    let footer = ParquetMetaDataReader::new()
        .parse_and_finish(&file)
        .unwrap();
    assert_eq!(footer.row_group(0).sorting_columns(), None);
}

#[test]
fn chunks_of_nulls_have_sizes_of_strings_only_if_they_are_strings() {
    let mut files = Files::new();
    let one: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    let two: ArrayRef = Arc::new(Float64Array::from(vec![0.5]));
    files.write(&batch(Arc::clone(&one)), properties().build());
    let both = RecordBatch::try_from_iter_with_nullable([("x", one, false), ("y", two, true)]);
    files.write(&both.unwrap(), properties().build());
    let (file, _) = merged_files(&files, &MergeOptions::default()).unwrap();
    let footer = ParquetMetaDataReader::new()
        .parse_and_finish(&file)
        .unwrap();
    let chunk = footer.row_group(0).column(1);
    assert_eq!(chunk.unencoded_byte_array_data_bytes(), None);
}

#[test]
fn facts_of_key_value_metadata_are_joined_by_their_rules() {
    let merged = |pairs: [&[(&str, &str)]; 2]| {
        let mut files = Files::new();
        for pairs in pairs {
            let pairs = pairs.iter();
            let pairs =
                pairs.map(|(key, value)| KeyValue::new((*key).to_owned(), (*value).to_owned()));
            let properties = properties().set_key_value_metadata(Some(pairs.collect()));
            files.write(
                &batch(Arc::new(Int64Array::from(vec![1]))),
                properties.build(),
            );
        }
        let (file, _) = merged_files(&files, &MergeOptions::default())?;
        let footer = ParquetMetaDataReader::new()
            .parse_and_finish(&file)
            .unwrap();
        let pairs = footer.file_metadata().key_value_metadata().cloned();
        let pairs = pairs
            .into_iter()
            .flatten()
            .filter(|it| it.key != "ARROW:schema");
        Ok::<_, String>(
            pairs
                .map(|it| (it.key, it.value.unwrap()))
                .collect::<Vec<_>>(),
        )
    };
    let kept = |key: &str, value: &str| Ok(vec![(key.to_owned(), value.to_owned())]);
    assert_eq!(merged([&[("own", "1")], &[]]), kept("own", "1"));
    assert_eq!(merged([&[("own", "1")], &[("own", "2")]]), Ok(vec![]));
    let schema = [("iceberg.schema", "{}")];
    assert_eq!(merged([&schema, &schema]), kept("iceberg.schema", "{}"));
    let calendar = [("org.apache.spark.legacyDateTime", "")];
    assert!(merged([&calendar, &calendar]).is_ok());
    let error = merged([&calendar, &[]]).unwrap_err();
    assert!(error.contains("legacyDateTime differs"), "{error}");
}

#[test]
fn too_narrow_keys_are_found_by_check_and_mended() {
    let mut file = Vec::new();
    let schema = batch(categories(0, 1)).schema();
    let mut writer = ArrowWriter::try_new(&mut file, schema, None).unwrap();
    for from in [0, 100] {
        writer.write(&batch(categories(from, 100))).unwrap();
        writer.flush().unwrap();
    }
    writer.close().unwrap();
    let mut files = Files::new();
    let path = files.path("narrow.parquet");
    fs::write(&path, file).unwrap();
    let options = CheckOptions::default().with_values(true);
    let checked = check(&path, &options).unwrap();
    let [finding] = &checked.findings[..] else {
        panic!("{:?}", checked.findings);
    };
    assert!(
        finding.problem.contains("200 entries, too many"),
        "{finding}"
    );
    files.paths.push(path);
    let output = files.path("merged");
    merge(&files.paths, &output, &MergeOptions::default()).unwrap();
    assert_eq!(check(&output, &options).unwrap().findings, Vec::new());
}

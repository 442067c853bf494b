//! Tests the advice of `advise` for files of all kinds, and its reports about files that it cannot read.

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, ListArray, RecordBatch, StringArray,
    StructArray,
};
use arrow_schema::{DataType, Field, Schema, UnionFields, UnionMode};
use bytelane_parquet::{Encoding, Goal, Problem, Writer, WriterOptions, parse_compression};
use bytelane_parquet_files::advise::{Advice, AdviseOptions, Advisor, advise, advise_batches};
use bytelane_parquet_files::rewrite::{RewriteOptions, rewrite};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::Int64Type;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

/// Returns a slow walk in small steps: BYTE_STREAM_SPLIT is better than PLAIN.
fn walk(count: usize) -> Vec<f64> {
    let mut value = 300.0;
    let steps = (0..count).map(|index| {
        value += (index as f64 * 0.37).sin() * 0.01 + (index as f64 * 12.9898).sin() * 0.002;
        value
    });
    steps.collect()
}

fn bytes(values: &[f64]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

fn file(directory: &TempDir, name: &str, contents: &[u8]) -> PathBuf {
    let path = directory.path().join(name);
    fs::write(&path, contents).unwrap();
    path
}

fn for_size(path: &Path) -> Advice {
    let options = AdviseOptions::default()
        .with_goal(Goal::Size)
        .with_rows(5000);
    advise(path, &options).unwrap()
}

fn advise_again(directory: &TempDir, name: &str, options: &AdviseOptions) -> Advice {
    advise(directory.path().join(name), options).unwrap()
}

#[test]
fn a_raw_array_gets_a_choice_and_settings() {
    let directory = TempDir::new().unwrap();
    let advice = for_size(&file(&directory, "walk.f64", &bytes(&walk(20_000))));
    assert_eq!((advice.kind.as_str(), advice.rows), ("array", 20_000));
    let column = &advice.columns[0];
    assert_eq!(column.column_type, "DOUBLE");
    assert_eq!(column.encoding, Encoding::ByteStreamSplit);
    assert!(column.entropy_bits.unwrap() > 10.0);
    // PLAIN, a dictionary and BYTE_STREAM_SPLIT.
    assert_eq!(column.candidates.len(), 3);
    assert!(column.bytes_plain.unwrap() > column.bytes_then);
    let comparisons = ["none", "zstd:3"].map(|name| parse_compression(name).unwrap());
    let options = AdviseOptions::default().with_compare(comparisons.to_vec());
    let compared = advise_again(&directory, "walk.f64", &options);
    assert_eq!(compared.columns[0].candidates.len(), 9);
    let settings: Vec<&str> = advice.settings.iter().map(|it| it.text.as_str()).collect();
    let settings = settings.join("\n");
    for part in [
        "column_encoding",
        "set_column_encoding",
        "PARQUET_VERSION V2",
        "write_parquet",
    ] {
        assert!(settings.contains(part), "{part} in {settings}");
    }
}

#[test]
fn a_parquet_file_says_what_it_has_and_could_save() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("trades.parquet");
    let prices = Float64Array::from_iter_values(walk(10_000));
    let times = Int64Array::from_iter_values((0..10_000).map(|row| 1_700_000_000_000 + 1000 * row));
    let columns = [
        ("price", Arc::new(prices) as _),
        ("time", Arc::new(times) as _),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let options = WriterOptions::default()
        .with_encoding(Encoding::Plain)
        .with_compression(parse_compression("none").unwrap());
    let sink = fs::File::create(&path).unwrap();
    let mut writer = Writer::try_new(sink, batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();

    let advice = for_size(&path);
    let [price, time] = advice.columns.as_slice() else {
        panic!("{advice:?}");
    };
    assert_eq!(price.now.as_deref(), Some("PLAIN UNCOMPRESSED"));
    assert_eq!(time.encoding, Encoding::DeltaBinaryPacked);
    assert!(!time.keep && time.saved() > 0.5, "{time:?}");
    assert_eq!(time.distinct, Some(10_000));
    let rewrite = &advice.settings.last().unwrap().text;
    assert!(
        rewrite.contains("trades.parquet out.parquet --goal size"),
        "{rewrite}"
    );
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let directory = TempDir::new().unwrap();
    let cases: [(&str, &[u8], &str); 6] = [
        ("empty.parquet", b"", ""),
        ("garbage.parquet", &[0x55; 1000], ""),
        (
            "odd.f64",
            b"12345",
            "not a multiple of the value size, 8 bytes",
        ),
        ("garbage.npy", b"garbage", "not an .npy file"),
        (
            "short.npy",
            b"\x93NUMPY\x01\x00\x10\x00{'descr': '<f8'}",
            "cannot be parsed",
        ),
        (
            "odd.npy",
            b"\x93NUMPY\x01\x00\x22\x00{'descr': '<f8', 'shape': (10,), }.",
            "claims 10 values",
        ),
    ];
    for (name, contents, expected) in cases {
        let path = file(&directory, name, contents);
        let message = advise(&path, &AdviseOptions::default())
            .unwrap_err()
            .to_string();
        assert!(
            message.contains(name) && message.contains(expected),
            "{message}"
        );
    }
    let message = advise(directory.path(), &AdviseOptions::default())
        .unwrap_err()
        .to_string();
    assert!(message.contains("a directory"), "{message}");
}

#[test]
fn a_file_without_rows_and_one_with_a_single_row() {
    let directory = TempDir::new().unwrap();
    for values in [&[][..], &[1.5]] {
        let advice = for_size(&file(&directory, "few.f64", &bytes(values)));
        assert_eq!(advice.rows, values.len() as u64);
        if values.is_empty() {
            assert_eq!(advice.saved(), 0.0);
        }
    }
}

/// Maximum size of a rewritten file, relative to the prediction from samples.
const PROMISE: f64 = 1.05;

/// Writes a file with a part of a walk.
fn part(directory: &TempDir, name: &str, values: &[f64]) -> PathBuf {
    let column = Arc::new(Float64Array::from(values.to_vec()));
    let batch = RecordBatch::try_from_iter([("x", column as _)]).unwrap();
    let mut file = Vec::new();
    let options = WriterOptions::default().with_encoding(Encoding::Plain);
    let mut writer = Writer::try_new(&mut file, batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    self::file(directory, name, &file)
}

#[test]
fn several_files_get_one_advice() {
    let directory = TempDir::new().unwrap();
    let walk = walk(12_000);
    let parts = [
        part(&directory, "1.parquet", &walk[..9000]),
        part(&directory, "2.parquet", &[]),
        part(&directory, "3.parquet", &walk[9000..]),
    ];
    let options = AdviseOptions::default()
        .with_goal(Goal::Size)
        .with_rows(6000);
    let mut advisor = Advisor::open_all(&parts, &options).unwrap();
    advisor.advise_next().unwrap();
    let advice = advisor.advice();
    assert_eq!(
        (advice.rows, advice.file.as_path()),
        (12_000, directory.path())
    );
    let column = &advice.columns[0];
    assert_eq!(column.encoding, Encoding::ByteStreamSplit);
    // Whole row groups, and at least four if there are that many.
    assert_eq!(column.rows_tried, 12_000);
    let each = parts.iter().map(|path| for_size(path).bytes_now());
    assert_eq!(advice.bytes_now(), each.sum::<u64>());
    assert!(
        advice
            .settings
            .iter()
            .all(|it| it.writer != "bytelane rewrite")
    );

    let other = RecordBatch::try_from_iter([("y", Arc::new(Int64Array::from(vec![1])) as _)]);
    let other = other.unwrap();
    let path = directory.path().join("other.parquet");
    let sink = fs::File::create(&path).unwrap();
    let mut writer = Writer::try_new(sink, other.schema(), WriterOptions::default()).unwrap();
    writer.write(&other).unwrap();
    writer.close().unwrap();
    let error = Advisor::open_all(&[&parts[0], &path], &options)
        .err()
        .unwrap();
    assert_eq!(error.place().file.as_deref(), Some(path.as_path()));
    assert!(error.to_string().contains("y (Int64)"), "{error}");
    assert!(Advisor::open_all(&[] as &[PathBuf], &options).is_err());
}

#[test]
fn a_table_gets_the_advice_of_its_file() {
    let directory = TempDir::new().unwrap();
    let walk = walk(12_000);
    let in_file = for_size(&part(&directory, "x.parquet", &walk));
    let array = Arc::new(Float64Array::from(walk));
    let batch = RecordBatch::try_from_iter([("x", array as _)]).unwrap();
    let options = AdviseOptions::default()
        .with_goal(Goal::Size)
        .with_rows(5000);
    let batches = vec![batch.slice(0, 5000), batch.slice(5000, 7000)];
    let advice = advise_batches(batch.schema(), batches, &options).unwrap();
    assert_eq!((advice.kind.as_str(), advice.rows), ("table", 12_000));
    let (table, file) = (&advice.columns[0], &in_file.columns[0]);
    assert_eq!((table.encoding, &table.now), (file.encoding, &None));
    let near = table.bytes_then as f64 / file.bytes_then as f64;
    assert!((0.9..1.1).contains(&near), "{near}");
    assert!(advice.bytes_then() < advice.bytes_now());
}

#[test]
fn lists_in_a_table_have_the_paths_of_the_format() {
    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>([Some([Some(1), None]), None]);
    let batch = RecordBatch::try_from_iter([("l", Arc::new(lists) as _)]).unwrap();
    let options = AdviseOptions::default();
    let advice = advise_batches(batch.schema(), vec![batch], &options).unwrap();
    assert_eq!(advice.columns[0].path, "l.list.element");
}

#[test]
fn a_type_without_a_place_in_parquet_is_refused() {
    let fields = UnionFields::from_fields([Field::new("a", DataType::Int32, true)]);
    let union = DataType::Union(fields, UnionMode::Sparse);
    let schema = Arc::new(Schema::new(vec![Field::new("u", union, true)]));
    let error = advise_batches(schema, Vec::new(), &AdviseOptions::default()).unwrap_err();
    assert!(
        matches!(error.problem(), Problem::Unsupported(_)),
        "{error}"
    );
    assert_eq!(error.place().column.as_deref(), Some("u"));
}

/// Writes a file with an invalid list, whose items do not repeat, between two well-formed columns.
fn with_a_list_that_is_none(path: &Path) {
    let schema = "message schema {
        REQUIRED INT64 a;
        REQUIRED GROUP none (LIST) { REQUIRED INT64 element; }
        REQUIRED INT64 b;
    }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let sink = fs::File::create(path).unwrap();
    let mut writer = SerializedFileWriter::new(sink, schema, Default::default()).unwrap();
    let values: Vec<i64> = (0..5000)
        .map(|index| 1_700_000_000 + index * index)
        .collect();
    let mut row_group = writer.next_row_group().unwrap();
    while let Some(mut column) = row_group.next_column().unwrap() {
        let typed = column.typed::<Int64Type>();
        typed.write_batch(&values, None, None).unwrap();
        column.close().unwrap();
    }
    row_group.close().unwrap();
    writer.close().unwrap();
}

#[test]
fn a_column_that_cannot_be_judged_leaves_the_others_their_advice() {
    let directory = TempDir::new().unwrap();
    let [path, new] = ["in.parquet", "out.parquet"].map(|name| directory.path().join(name));
    with_a_list_that_is_none(&path);
    let advice = advise(&path, &AdviseOptions::default()).unwrap();
    let rewritten = rewrite(&path, &new, &RewriteOptions::default()).unwrap();
    let paths: Vec<&str> = advice.columns.iter().map(|it| it.path.as_str()).collect();
    assert_eq!(paths, ["a", "none.element", "b"]);
    for (promise, column) in advice.columns.iter().zip(&rewritten.columns) {
        assert_eq!(promise.bytes_now, column.before.bytes, "{}", promise.path);
        assert_eq!(promise.bytes_then, column.after.bytes, "{}", promise.path);
    }
    let [a, none, b] = &advice.columns[..] else {
        panic!("three columns");
    };
    assert!(none.keep && none.candidates.is_empty());
    let obstacle = none.obstacle.as_deref().unwrap();
    assert!(
        obstacle.starts_with("Arrow has no type for it"),
        "{obstacle}"
    );
    for column in [a, b] {
        assert_eq!(column.encoding, Encoding::DeltaBinaryPacked);
        assert_eq!((column.distinct, column.keep), (Some(5000), false));
    }
}

#[test]
fn texts_that_hardly_repeat_are_nearly_as_many_as_the_rows() {
    let rows = 100_000;
    let texts = StringArray::from_iter_values((0..rows).map(|row| format!("text {}", row / 2 * 2)));
    let few = StringArray::from_iter_values((0..rows).map(|row| format!("text {}", row % 7)));
    let coins = BooleanArray::from_iter((0..rows).map(|row| Some(row % 3 == 0)));
    let columns: [(&str, ArrayRef); 3] = [
        ("texts", Arc::new(texts)),
        ("few", Arc::new(few)),
        ("coins", Arc::new(coins)),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let options = AdviseOptions::default();
    let advice = advise_batches(batch.schema(), vec![batch], &options).unwrap();
    let distinct: Vec<u64> = advice
        .columns
        .iter()
        .map(|it| it.distinct.unwrap())
        .collect();
    assert!((45_000..=55_000).contains(&distinct[0]), "{distinct:?}");
    assert_eq!(distinct[1..], [7, 2]);
}

#[test]
#[ignore = "needs BYTELANE_FLOATS, a directory of .f32 and .f64 files"]
fn given_files_become_what_was_advised() {
    let directory = TempDir::new().unwrap();
    let zstd = parse_compression("zstd:1").unwrap();
    let plainly = WriterOptions::default()
        .with_goal(Goal::Size)
        .with_compression(zstd)
        .with_encoding(Encoding::Plain);
    for (path, column) in crate::given::columns() {
        let file = directory.path().join("plain.parquet");
        let batch = RecordBatch::try_from_iter([("x", column)]).unwrap();
        let sink = fs::File::create(&file).unwrap();
        let mut writer = Writer::try_new(sink, batch.schema(), plainly.clone()).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();

        let advice = advise(&file, &AdviseOptions::default().with_goal(Goal::Size)).unwrap();
        let options = RewriteOptions::default()
            .with_goal(Goal::Size)
            .with_compression(zstd);
        let rewritten = rewrite(&file, &file, &options.with_verify(true)).unwrap();
        let (before, after) = (rewritten.bytes_before, rewritten.bytes_after);
        eprintln!("{}: {before}, then {after}", path.display());
        assert!(rewritten.verified && after <= before, "{}", path.display());
        let promised = advice.columns[0].bytes_then as f64 * PROMISE;
        let became = rewritten.columns[0].after.bytes as f64;
        assert!(became <= promised, "{}: {became}", path.display());
    }
}

#[test]
fn each_leaf_keeps_its_level() {
    let directory = TempDir::new().unwrap();
    let array: ArrayRef = Arc::new(Float64Array::from(walk(20_000)));
    let leaf = |name: &str| Arc::new(Field::new(name, DataType::Float64, false));
    let pair = StructArray::from(vec![
        (leaf("one"), Arc::clone(&array)),
        (leaf("other"), array),
    ]);
    let rows = RecordBatch::try_from_iter([("pair", Arc::new(pair) as ArrayRef)]).unwrap();
    let level = |level| Compression::ZSTD(ZstdLevel::try_new(level).unwrap());
    let other = ColumnPath::new(vec!["pair".to_owned(), "other".to_owned()]);
    let properties = WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_compression(level(1))
        .set_column_compression(other, level(19))
        .build();
    let path = directory.path().join("levels.parquet");
    let written = fs::File::create(&path).unwrap();
    let mut writer = ArrowWriter::try_new(written, rows.schema(), Some(properties)).unwrap();
    writer.write(&rows).unwrap();
    writer.close().unwrap();

    let advice = advise(&path, &AdviseOptions::default()).unwrap();
    let new = directory.path().join("new.parquet");
    let outcome = rewrite(&path, &new, &RewriteOptions::default()).unwrap();
    for (column, new) in advice.columns.iter().zip(&outcome.columns) {
        assert_eq!(new.after.compressions, [column.compression.as_str()]);
    }
    assert_ne!(advice.columns[0].compression, advice.columns[1].compression);
}

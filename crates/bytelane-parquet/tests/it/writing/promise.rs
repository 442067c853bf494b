//! Tests that a rewritten file is as predicted.

use arrow_array::builder::{FixedSizeBinaryBuilder, ListBuilder, PrimitiveBuilder};
use arrow_array::types::Float32Type;
use arrow_array::{
    Array, ArrayRef, BooleanArray, Decimal128Array, Float32Array, Float64Array, Int32Array,
    Int64Array, RecordBatch, StringArray, StructArray,
};
use bytelane_measure::data::{DATASETS, ElementType};
use bytelane_parquet::compatibility::Readers;
use bytelane_parquet::{Encoding, Encodings, Goal, Writer, WriterOptions, parse_compression};
use bytelane_parquet_files::advise::{AdviseOptions, ColumnAdvice, advise};
use bytelane_parquet_files::rewrite::{RewriteOptions, rewrite};
use std::path::Path;
use std::sync::{Arc, LazyLock};
use tempfile::TempDir;

const ROWS: usize = 60_000;

/// Returns a column of a synthetic dataset of real numbers or integers.
fn generated(name: &str) -> Vec<f64> {
    let dataset = DATASETS.iter().find(|dataset| dataset.name == name);
    let bytes = dataset.unwrap().generate(ElementType::F64, ROWS, 7);
    let (values, _) = bytes.as_chunks();
    values
        .iter()
        .map(|bytes| f64::from_le_bytes(*bytes))
        .collect()
}

fn integers(name: &str) -> Vec<i64> {
    generated(name)
        .into_iter()
        .map(|value| value as i64)
        .collect()
}

/// Returns columns of every type, with many kinds of values.
fn columns() -> Vec<(String, ArrayRef)> {
    let mut columns: Vec<(String, ArrayRef)> = Vec::new();
    let reals = [
        "smooth",
        "decimals",
        "repeated",
        "few_decimals",
        "prices",
        "plateaus",
    ];
    for name in reals {
        let values = generated(name);
        let singles = values.iter().map(|value| *value as f32);
        let single = Float32Array::from_iter_values(singles);
        columns.push((format!("{name}_f32"), Arc::new(single)));
        columns.push((name.to_owned(), Arc::new(Float64Array::from(values))));
    }
    for name in ["timestamps", "gaps", "bits_9", "bits_20"] {
        let values = integers(name);
        let narrow = values.iter().map(|value| *value as i32);
        let narrow = Int32Array::from_iter_values(narrow);
        columns.push((format!("{name}_i32"), Arc::new(narrow)));
        columns.push((name.to_owned(), Arc::new(Int64Array::from(values))));
    }
    let ids = integers("bits_16");
    let url = |id: &i64| format!("https://example.org/{}/item?number={id}", id % 50);
    let urls = StringArray::from_iter_values(ids.iter().map(url));
    let colours = ["red", "green", "blue"];
    let colours = ids.iter().map(|id| colours[*id as usize % 3]);
    let colours = StringArray::from_iter_values(colours);
    let coins = BooleanArray::from_iter(ids.iter().map(|id| Some(id % 2 == 0)));
    let cents = Decimal128Array::from_iter_values(ids.iter().map(|id| i128::from(*id)));
    let mut uuids = FixedSizeBinaryBuilder::new(16);
    for id in integers("bits_63") {
        let id = i128::from(id) * i128::from(id);
        uuids.append_value(id.to_le_bytes()).unwrap();
    }
    columns.push((
        "cents".into(),
        Arc::new(cents.with_precision_and_scale(20, 2).unwrap()),
    ));
    columns.push(("uuids".into(), Arc::new(uuids.finish())));
    columns.push(("coins".into(), Arc::new(coins)));
    columns.push((
        "with_nulls".into(),
        with_nulls(&generated("decimals"), &ids),
    ));
    columns.push(("embeddings".into(), embeddings(&generated("decimals"))));
    columns.push((
        "both".into(),
        both(Arc::new(urls.clone()), Arc::new(colours.clone())),
    ));
    columns.push(("urls".into(), Arc::new(urls)));
    columns.push(("colours".into(), Arc::new(colours)));
    columns
}

fn with_nulls(values: &[f64], ids: &[i64]) -> ArrayRef {
    let values = values.iter().zip(ids);
    let values = values.map(|(value, id)| (id % 3 > 0).then_some(*value));
    Arc::new(Float64Array::from_iter(values))
}

/// Returns lists of one number for each row.
fn embeddings(values: &[f64]) -> ArrayRef {
    let mut lists = ListBuilder::new(PrimitiveBuilder::<Float32Type>::new());
    for value in values {
        lists.values().append_value(*value as f32);
        lists.append(true);
    }
    Arc::new(lists.finish())
}

fn both(one: ArrayRef, other: ArrayRef) -> ArrayRef {
    let field = |name: &str, array: &ArrayRef| {
        Arc::new(arrow_schema::Field::new(
            name,
            array.data_type().clone(),
            true,
        ))
    };
    let fields = vec![(field("one", &one), one), (field("other", &other), other)];
    Arc::new(StructArray::from(fields))
}

/// All columns, with [`ROWS`] rows.
static BATCH: LazyLock<RecordBatch> = LazyLock::new(|| {
    let columns = columns().into_iter();
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true)))
        .unwrap()
});

/// Writes a file of all columns, in three row groups with three pages each.
fn write(path: &Path, rows: usize, compression: &str) {
    let options = WriterOptions::default()
        .with_encoding(Encoding::Dictionary)
        .with_row_group_size(rows / 3)
        .with_max_rows_per_page(rows / 9)
        .with_compression(parse_compression(compression).unwrap());
    let batch = BATCH.slice(0, rows);
    let sink = std::fs::File::create(path).unwrap();
    let mut writer = Writer::try_new(sink, batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

/// Returns the relative error of the prediction for a column.
fn error(promise: &ColumnAdvice, became: u64) -> f64 {
    (promise.bytes_then as f64 / became.max(1) as f64 - 1.0).abs()
}

fn assert_kept(errors: &mut [(f64, String)]) {
    errors.sort_by(|one, other| other.0.total_cmp(&one.0));
    assert!(errors[0].0 <= 0.1, "{:?}", &errors[..5]);
    assert!(errors[errors.len() / 20].0 <= 0.03, "{:?}", &errors[..9]);
}

#[test]
fn columns_become_what_was_promised() {
    let directory = TempDir::new().unwrap();
    let [path, new] = ["in.parquet", "out.parquet"].map(|name| directory.path().join(name));
    let mut errors = Vec::new();
    let mut written = "";
    for (compression, goal, encodings) in [
        ("zstd:1", Goal::Balanced, ""),
        ("zstd:1", Goal::Balanced, "+alp"),
        ("snappy", Goal::Size, ""),
        ("zstd:3", Goal::Size, "+alp"),
        ("none", Goal::Write, "+alp"),
        ("none", Goal::Read, ""),
    ] {
        let (encodings, readers) = match encodings {
            "" => (Encodings::default(), Readers::default()),
            more => (more.parse().unwrap(), Readers::any()),
        };
        if compression != written {
            write(&path, ROWS, compression);
            written = compression;
        }
        let options = AdviseOptions::default()
            .with_goal(goal)
            .with_readers(readers.clone())
            .with_encodings(encodings.clone());
        let advice = advise(&path, &options).unwrap();
        let options = RewriteOptions::default()
            .with_goal(goal)
            .with_readers(readers)
            .with_encodings(encodings.clone());
        let rewritten = rewrite(&path, &new, &options).unwrap();
        assert_eq!(advice.columns.len(), rewritten.columns.len());
        let mut columns = rewritten.columns.iter();
        let has_alp = columns.any(|column| column.after.encodings.contains(&"alp".to_owned()));
        assert_eq!(has_alp, encodings.contains(Encoding::Alp));
        for (promise, column) in advice.columns.iter().zip(&rewritten.columns) {
            assert_eq!(promise.path, column.path);
            assert_eq!(
                promise.keep,
                column.rewritten == 0,
                "{}, {goal}",
                column.path
            );
            let what = format!("{} with {compression} for {goal} {encodings}", column.path);
            errors.push((error(promise, column.after.bytes), what.clone()));
            if matches!(goal, Goal::Size | Goal::Balanced) {
                assert!(
                    column.after.bytes <= column.before.bytes * 101 / 100,
                    "{what}"
                );
            }
        }
    }
    assert_kept(&mut errors);
}

#[test]
fn exact_sizes_are_exact() {
    let directory = TempDir::new().unwrap();
    let [path, new] = ["in.parquet", "out.parquet"].map(|name| directory.path().join(name));
    write(&path, ROWS / 2, "snappy");
    let zstd = parse_compression("zstd:3").unwrap();
    for (goal, compression) in [
        (Goal::Balanced, Some(zstd)),
        (Goal::Balanced, None),
        (Goal::Size, None),
    ] {
        let mut advised = AdviseOptions::default().with_goal(goal);
        let mut options = RewriteOptions::default().with_goal(goal);
        if let Some(compression) = compression {
            advised = advised.with_compression(compression);
            options = options.with_compression(compression);
        }
        let advice = advise(&path, &advised.with_exact(true)).unwrap();
        let rewritten = rewrite(&path, &new, &options).unwrap();
        assert_eq!(advice.columns.len(), rewritten.columns.len());
        for (promise, column) in advice.columns.iter().zip(&rewritten.columns) {
            assert_eq!(promise.bytes_now, column.before.bytes, "{}", promise.path);
            assert_eq!(promise.bytes_then, column.after.bytes, "{}", promise.path);
            assert_eq!(promise.keep, column.rewritten == 0, "{}", promise.path);
        }
        std::fs::remove_file(&new).unwrap();
    }
}

#[test]
fn settings_agree_with_what_is_left_unchanged() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("in.parquet");
    let noise = generated("bits_63");
    let few: Vec<i64> = integers("bits_16").iter().map(|id| id % 3).collect();
    let columns: [(&str, ArrayRef); 2] = [
        ("few", Arc::new(Int64Array::from(few))),
        ("noise", Arc::new(Float64Array::from(noise))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let options = WriterOptions::default().with_row_group_size(ROWS / 2);
    let sink = std::fs::File::create(&path).unwrap();
    let mut writer = Writer::try_new(sink, batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();

    let advice = advise(&path, &AdviseOptions::default()).unwrap();
    let shown: Vec<_> = advice
        .columns
        .iter()
        .map(|it| (it.keep, it.now.clone()))
        .collect();
    assert!(shown.iter().all(|(keep, _)| *keep), "{shown:?}");
    assert_eq!(advice.columns[0].encoding, Encoding::Dictionary);
    let pyarrow = &advice.settings[0].text;
    assert!(pyarrow.contains(r#"use_dictionary=["few"]"#), "{pyarrow}");
    assert!(pyarrow.contains("row_group_size=30000"), "{pyarrow}");
}

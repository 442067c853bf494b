//! Tests `edit`: the rows and columns that are left, what files say of them, and that other pages stay.

use arrow_array::builder::{Int64Builder, ListBuilder, StringDictionaryBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal128Type, Float64Type, Int32Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Date32Array, Decimal128Array, Float64Array, Int32Array,
    Int64Array, RecordBatch, StringArray, StructArray, UInt32Array,
};
use arrow_schema::{DataType, Field, TimeUnit};
use arrow_select::concat::concat_batches;
use arrow_select::take::take_record_batch;
use bytelane_parquet::{Writer, WriterOptions};
use bytelane_parquet_files::check::{CheckOptions, check};
use bytelane_parquet_files::edit::{EditOptions, Edited, edit};
use bytelane_parquet_files::edits::{DeletedRows, Edits, Promotion, RowNumbers};
use bytelane_parquet_files::inspect::{InspectOptions, inspect};
use bytelane_parquet_files::merge::{MergeOptions, merge};
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::file::metadata::{KeyValue, ParquetMetaData, SortingColumn};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use parquet::file::statistics::Statistics;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// Number of random files.
const FILES: u64 = 60;

/// Number of rows of a file, and of its row groups.
const ROWS: usize = 900;
const GROUP: usize = 300;

fn random(below: usize, seed: &mut Xoshiro256PlusPlus) -> usize {
    seed.next_u64() as usize % below
}

/// Returns rows with all kinds of columns, including nulls and NaN.
fn rows(seed: &mut Xoshiro256PlusPlus) -> RecordBatch {
    let mut numbers =
        |below: usize| -> Vec<usize> { (0..ROWS).map(|_| random(below, seed)).collect() };
    let (ids, floats, texts, few) = (numbers(5000), numbers(400), numbers(700), numbers(40));
    let some = |row: usize, of: usize| !row.is_multiple_of(of);
    let mut lists = ListBuilder::new(Int64Builder::new());
    let mut dictionary = StringDictionaryBuilder::<Int32Type>::new();
    for row in 0..ROWS {
        let items = (0..row % 4).map(|at| some(at, 3).then_some(ids[row] as i64 + at as i64));
        lists.append_option(some(row, 5).then_some(items));
        dictionary.append_option(some(row, 6).then(|| format!("category {}", few[row])));
    }
    let floats = floats.iter().map(|it| match it {
        0 => f64::NAN,
        1 => -0.0,
        it => *it as f64 / 8.0 - 20.0,
    });
    let text = |row: usize| some(row, 7).then(|| format!("größe {:03}", texts[row]));
    let members = |row: usize| some(row, 3).then_some(few[row] as i64);
    let place = StructArray::from(vec![
        (
            Arc::new(Field::new("number", DataType::Int64, true)),
            Arc::new(Int64Array::from_iter((0..ROWS).map(members))) as ArrayRef,
        ),
        (
            Arc::new(Field::new("city", DataType::Utf8, true)),
            Arc::new(StringArray::from_iter((0..ROWS).map(text))) as ArrayRef,
        ),
    ]);
    let ids = ids.iter().map(|it| *it as i64);
    let columns: [(&str, ArrayRef); 7] = [
        ("id", Arc::new(Int64Array::from_iter_values(ids))),
        ("x", Arc::new(Float64Array::from_iter_values(floats))),
        (
            "flag",
            Arc::new(BooleanArray::from_iter(
                (0..ROWS).map(|row| some(row, 9).then_some(few[row] < 3)),
            )),
        ),
        (
            "text",
            Arc::new(StringArray::from_iter((0..ROWS).map(text))),
        ),
        ("category", Arc::new(dictionary.finish())),
        ("list", Arc::new(lists.finish())),
        ("place", Arc::new(place)),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| {
        let is_optional = name != "id" && name != "x";
        (name, array, is_optional)
    }))
    .unwrap()
}

/// Returns rows as a file of one of two writers, with pages of up to 50 rows.
fn written(rows: &RecordBatch, seed: &mut Xoshiro256PlusPlus) -> Vec<u8> {
    let codecs = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::LZ4_RAW,
    ];
    let codec = codecs[random(codecs.len(), seed)];
    let mut file = Vec::new();
    if random(3, seed) == 0 {
        let options = WriterOptions::default()
            .with_compression(codec)
            .with_row_group_size(GROUP)
            .with_max_rows_per_page(50);
        let mut writer = Writer::try_new(&mut file, rows.schema(), options).unwrap();
        writer.write(rows).unwrap();
        writer.close().unwrap();
        return file;
    }
    let versions = [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0];
    let statistics = [EnabledStatistics::Chunk, EnabledStatistics::Page];
    let properties = WriterProperties::builder()
        .set_compression(codec)
        .set_writer_version(versions[random(2, seed)])
        .set_statistics_enabled(statistics[random(2, seed)])
        .set_dictionary_enabled(random(2, seed) == 0)
        .set_bloom_filter_enabled(random(3, seed) == 0)
        .set_offset_index_disabled(random(2, seed) == 0)
        .set_max_row_group_row_count(Some(GROUP))
        .set_data_page_row_count_limit(50)
        .set_write_batch_size(10);
    let mut writer =
        ArrowWriter::try_new(&mut file, rows.schema(), Some(properties.build())).unwrap();
    writer.write(rows).unwrap();
    writer.close().unwrap();
    file
}

/// Returns the rows of a file, or of one row group, as the crate `parquet` reads them, and the footer.
fn read(path: &Path, row_group: Option<usize>) -> (RecordBatch, Arc<ParquetMetaData>) {
    let bytes = Bytes::from(fs::read(path).unwrap());
    let mut builder = ParquetRecordBatchReaderBuilder::try_new(bytes).unwrap();
    let (schema, footer) = (Arc::clone(builder.schema()), Arc::clone(builder.metadata()));
    if let Some(row_group) = row_group {
        builder = builder.with_row_groups(vec![row_group]);
    }
    let batches: Vec<RecordBatch> = builder.build().unwrap().map(Result::unwrap).collect();
    (concat_batches(&schema, &batches).unwrap(), footer)
}

/// Returns numbers of rows in one of several patterns.
fn some_rows(seed: &mut Xoshiro256PlusPlus) -> BTreeSet<usize> {
    let start = random(ROWS, seed);
    match random(5, seed) {
        0 => (0..3).map(|_| random(ROWS, seed)).collect(),
        1 => (0..ROWS / 3).map(|_| random(ROWS, seed)).collect(),
        2 => (start..(start + 130).min(ROWS)).collect(),
        // A whole row group, and a few others.
        3 => (GROUP..2 * GROUP).chain([0, ROWS - 1]).collect(),
        _ => (0..ROWS).filter(|row| row % 50 != 7).collect(),
    }
}

fn of_rows(deleted: &BTreeSet<usize>) -> Edits {
    let numbers = RowNumbers::List(deleted.iter().map(|row| *row as u64).collect());
    Edits::default().with_delete_rows(vec![DeletedRows {
        input: None,
        numbers,
    }])
}

fn options(edits: Edits) -> EditOptions {
    EditOptions::default().with_edits(edits)
}

/// Edits a file, and checks everything that the new one says.
fn edited(input: &Path, output: &Path, edits: Edits) -> Edited {
    let options = options(edits).with_verify(true);
    let edited = edit(input, output, &options).unwrap();
    assert!(edited.verified);
    let checked = check(output, &CheckOptions::default().with_values(true)).unwrap();
    assert_eq!(checked.findings, Vec::new());
    edited
}

/// Asserts that the bounds of a chunk are its smallest and largest value.
fn assert_tight<T: PartialEq + std::fmt::Debug>(
    statistics: &Statistics,
    own: [Option<T>; 2],
    bounds: [Option<T>; 2],
) {
    assert_eq!(own, bounds);
    let has_values = bounds[0].is_some();
    assert_eq!(statistics.min_is_exact(), has_values);
    assert_eq!(statistics.max_is_exact(), has_values);
}

#[test]
fn deleted_rows_are_gone_and_bounds_are_those_of_the_others() {
    let directory = tempfile::tempdir().unwrap();
    let (old, new) = (directory.path().join("old"), directory.path().join("new"));
    for number in 0..FILES {
        let seed = &mut Xoshiro256PlusPlus::seed_from_u64(number);
        let all = rows(seed);
        fs::write(&old, written(&all, seed)).unwrap();
        let deleted = some_rows(seed);
        let edited = edited(&old, &new, of_rows(&deleted));
        let kept = (0..ROWS).filter(|row| !deleted.contains(row));
        let kept = UInt32Array::from_iter_values(kept.map(|row| row as u32));
        let (found, footer) = read(&new, None);
        assert_eq!(
            found,
            take_record_batch(&read(&old, None).0, &kept).unwrap(),
            "{number}"
        );
        assert_eq!(edited.deleted_rows as usize, deleted.len());
        assert_eq!(edited.rows as usize, ROWS - deleted.len());
        for (group, described) in footer.row_groups().iter().enumerate() {
            let (rows, _) = read(&new, Some(group));
            let statistics = |column: usize| described.column(column).statistics().unwrap();
            let ids = rows["id"].as_primitive::<Int64Type>().values();
            let Statistics::Int64(own) = statistics(0) else {
                panic!()
            };
            let bounds = [ids.iter().min().copied(), ids.iter().max().copied()];
            assert_tight(
                statistics(0),
                [own.min_opt().copied(), own.max_opt().copied()],
                bounds,
            );
            let texts = rows["text"].as_string::<i32>();
            assert_eq!(
                statistics(3).null_count_opt(),
                Some(texts.null_count() as u64)
            );
            let bounds = [texts.iter().flatten().min(), texts.iter().flatten().max()];
            let bounds = bounds.map(|it| it.map(str::as_bytes));
            let own = [statistics(3).min_bytes_opt(), statistics(3).max_bytes_opt()];
            assert_tight(statistics(3), own, bounds);
            let floats = rows["x"].as_primitive::<Float64Type>().values();
            let floats = || floats.iter().copied().filter(|it| !it.is_nan());
            let Statistics::Double(own) = statistics(1) else {
                panic!()
            };
            let (least, most) = (floats().reduce(f64::min), floats().reduce(f64::max));
            assert_eq!(
                [own.min_opt().copied(), own.max_opt().copied()],
                [least, most]
            );
        }
    }
}

#[test]
fn a_condition_deletes_the_rows_for_which_it_is_true() {
    let directory = tempfile::tempdir().unwrap();
    let [old, new, other] = ["old", "new", "other"].map(|it| directory.path().join(it));
    for number in 0..10 {
        let seed = &mut Xoshiro256PlusPlus::seed_from_u64(number);
        fs::write(&old, written(&rows(seed), seed)).unwrap();
        let (all, _) = read(&old, None);
        let texts = all["text"].as_string::<i32>();
        let ids = all["id"].as_primitive::<Int64Type>();
        // It is null where the text is: such rows stay.
        let is_deleted = |row: &usize| {
            texts.is_valid(*row) && texts.value(*row) >= "größe 5" || ids.value(*row) < 100
        };
        let deleted = (0..ROWS).filter(is_deleted).collect();
        edited(&old, &other, of_rows(&deleted));
        let condition = "text >= 'größe 5' or id < 100".parse().unwrap();
        edited(&old, &new, Edits::default().with_delete_where(condition));
        assert_eq!(fs::read(&new).unwrap(), fs::read(&other).unwrap());
    }
}

/// Returns a sorted file with three columns in two row groups.
fn sorted(path: &Path) -> RecordBatch {
    let days = Date32Array::from_iter_values((0..1000).map(|row| 20_000 + row / 10));
    let prices = Int32Array::from_iter_values((0..1000).map(|row| row % 10 * 40));
    let texts = StringArray::from_iter_values((0..1000).map(|row| format!("text {}", row % 30)));
    let place = StructArray::from(vec![(
        Arc::new(Field::new("city", DataType::Utf8, false)),
        Arc::new(texts) as ArrayRef,
    )]);
    let columns: [(&str, ArrayRef); 3] = [
        ("day", Arc::new(days)),
        ("price", Arc::new(prices)),
        ("place", Arc::new(place)),
    ];
    let rows = RecordBatch::try_from_iter(columns).unwrap();
    let sorting = [0, 1].map(|column_idx| SortingColumn {
        column_idx,
        descending: false,
        nulls_first: false,
    });
    let pandas = r#"{"index_columns":[],"columns":[{"name":"price","field_name":"price"},{"name":"day","field_name":"day"}]}"#;
    let pairs = [
        ("pandas", pandas),
        ("note", "about text 17 and others"),
        ("avro.schema", "{}"),
    ];
    let pairs = pairs.map(|(key, value)| KeyValue::new(key.to_owned(), value.to_owned()));
    let properties = WriterProperties::builder()
        .set_sorting_columns(Some(sorting.to_vec()))
        .set_key_value_metadata(Some(pairs.to_vec()))
        .set_max_row_group_row_count(Some(500))
        .set_data_page_row_count_limit(100)
        .set_write_batch_size(10)
        .build();
    let mut file = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut file, rows.schema(), Some(properties)).unwrap();
    writer.write(&rows).unwrap();
    writer.close().unwrap();
    fs::write(path, file).unwrap();
    rows
}

#[test]
fn numbers_are_promoted_to_other_kinds() {
    let directory = tempfile::tempdir().unwrap();
    let (old, new) = (directory.path().join("old"), directory.path().join("new"));
    let numbers = || (0..1000).map(|it| (it % 7 != 0).then_some(it));
    let hundredths = Decimal128Array::from_iter(numbers().map(|it| it.map(i128::from)));
    let hundredths = hundredths.with_precision_and_scale(6, 2).unwrap();
    let columns: [(&str, ArrayRef); 3] = [
        ("count", Arc::new(Int32Array::from_iter(numbers()))),
        ("whole", Arc::new(Int32Array::from_iter(numbers()))),
        ("price", Arc::new(hundredths)),
    ];
    let columns = columns.map(|(name, column)| (name, column, true));
    let rows = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    let file = fs::File::create(&old).unwrap();
    let mut writer = ArrowWriter::try_new(file, rows.schema(), None).unwrap();
    writer.write(&rows).unwrap();
    writer.close().unwrap();
    let promote = |price| {
        Edits::default().with_promote([
            ("count", Promotion::Type(DataType::Float64)),
            ("whole", Promotion::Type(DataType::Decimal128(12, 2))),
            ("price", Promotion::Type(price)),
        ])
    };
    edited(&old, &new, promote(DataType::Decimal128(8, 4)));
    let (after, _) = read(&new, None);
    let count = after["count"].as_primitive::<Float64Type>();
    assert!(count.iter().eq(numbers().map(|it| it.map(f64::from))));
    let digits = |name: &str| after[name].as_primitive::<Decimal128Type>().clone();
    let hundredfold = || numbers().map(|it| it.map(|it| i128::from(it) * 100));
    assert!(digits("whole").iter().eq(hundredfold()));
    assert!(digits("price").iter().eq(hundredfold()));
    // Fewer digits before the point do not hold all values.
    let narrower = options(promote(DataType::Decimal128(7, 4)));
    let error = edit(&old, directory.path().join("other"), &narrower);
    let error = error.unwrap_err().to_string();
    assert!(
        error.contains("decimal128(7, 4) does not hold all"),
        "{error}"
    );
}

#[test]
fn columns_are_changed_and_their_pages_stay() {
    let directory = tempfile::tempdir().unwrap();
    let (old, new) = (directory.path().join("old"), directory.path().join("new"));
    let before = sorted(&old);
    let microseconds = DataType::Timestamp(TimeUnit::Microsecond, None);
    let edits = Edits::default()
        .with_rename([("price", "amount"), ("place.city", "town")])
        .with_promote([
            ("day", Promotion::Type(microseconds.clone())),
            ("price", Promotion::Optional),
        ])
        .with_add(vec![
            "country string = 'DE'".parse().unwrap(),
            "rest decimal128(10, 2)".parse().unwrap(),
        ])
        .with_order(["country", "amount"]);
    let outcome = edited(&old, &new, edits);
    let (after, footer) = read(&new, None);
    let names: Vec<&str> = after
        .schema_ref()
        .fields()
        .iter()
        .map(|it| it.name().as_str())
        .collect();
    assert_eq!(names, ["country", "amount", "day", "place", "rest"]);
    assert_eq!(after["amount"].to_data(), before["price"].to_data());
    assert!(after.schema_ref().field(1).is_nullable());
    assert_eq!(after["day"].data_type(), &microseconds);
    let first = after["day"].as_primitive::<arrow_array::types::TimestampMicrosecondType>();
    assert_eq!(first.value(999), (20_000 + 99) * 86_400_000_000);
    let towns = after["place"].as_struct().column_by_name("town").unwrap();
    let cities = before["place"].as_struct().column_by_name("city").unwrap();
    assert_eq!(towns.to_data(), cities.to_data());
    assert!(
        after["country"]
            .as_string::<i32>()
            .iter()
            .all(|it| it == Some("DE"))
    );
    assert_eq!(after["rest"].null_count(), 1000);
    let copied = |path: &str| {
        let column = outcome.columns.iter().find(|it| it.path == path).unwrap();
        (column.pages.copied, column.pages.encoded)
    };
    assert_eq!(copied("place.town"), (10, 0));
    assert_eq!(copied("amount"), (10, 0));
    assert_eq!(copied("day").0, 0);
    // A column that is encoded again is not the first one to sort by, so nothing is known of the order.
    assert!(footer.row_group(0).sorting_columns().is_none());
    let pairs = footer.file_metadata().key_value_metadata().unwrap();
    let value = |key: &str| pairs.iter().find(|it| it.key == key)?.value.clone();
    let pandas = value("pandas").unwrap();
    assert!(
        pandas.contains(r#""name":"amount""#) && !pandas.contains("day"),
        "{pandas}"
    );
    assert_eq!(value("avro.schema"), None);
    assert!(
        outcome.notes.iter().any(|it| it.contains("avro.schema")),
        "{:?}",
        outcome.notes
    );
}

#[test]
fn row_groups_stay_sorted_by_the_columns_that_are_left() {
    let directory = tempfile::tempdir().unwrap();
    let (old, new) = (directory.path().join("old"), directory.path().join("new"));
    sorted(&old);
    for (edits, columns) in [
        (Edits::default().with_drop(["place"]), Some(vec![0, 1])),
        (Edits::default().with_drop(["price"]), Some(vec![0])),
        (Edits::default().with_drop(["day"]), None),
        (
            Edits::default().with_order(["price", "place"]),
            Some(vec![2, 0]),
        ),
        (of_rows(&(10..20).collect()), Some(vec![0, 1])),
    ] {
        edited(&old, &new, edits);
        let (_, footer) = read(&new, None);
        let sorting = footer.row_group(1).sorting_columns();
        let sorting = sorting.map(|it| it.iter().map(|by| by.column_idx).collect::<Vec<_>>());
        assert_eq!(sorting, columns);
    }
}

#[test]
fn only_pages_that_lose_rows_are_cut() {
    let directory = tempfile::tempdir().unwrap();
    let (old, new) = (directory.path().join("old"), directory.path().join("new"));
    sorted(&old);
    let outcome = edited(&old, &new, of_rows(&[5, 205, 206].into_iter().collect()));
    for column in &outcome.columns {
        assert_eq!(
            (column.pages.copied, column.pages.cut),
            (8, 2),
            "{}",
            column.path
        );
    }
    let pages = |path: &Path| {
        let file = fs::read(path).unwrap();
        let inspection = inspect(path, &InspectOptions::default()).unwrap();
        let columns = inspection
            .row_groups
            .iter()
            .flat_map(|group| &group.columns);
        let pages = columns.flat_map(|column| &column.pages);
        let bytes =
            pages.map(|it| file[it.offset as usize..(it.offset + it.compressed) as usize].to_vec());
        bytes.collect::<BTreeSet<_>>()
    };
    let (before, after) = (pages(&old), pages(&new));
    assert!(after.difference(&before).count() <= 6);
}

#[test]
fn nothing_of_scrubbed_values_remains() {
    let directory = tempfile::tempdir().unwrap();
    let (old, new) = (directory.path().join("old"), directory.path().join("new"));
    let seed = &mut Xoshiro256PlusPlus::seed_from_u64(1);
    let secrets: Vec<u64> = (0..4000).map(|_| seed.next_u64()).collect();
    let text = |number: &u64| format!("secret {number:016x}");
    let texts = || secrets.iter().map(text);
    let mut categories = StringDictionaryBuilder::<Int32Type>::new();
    texts().for_each(|text| categories.append_value(text));
    let columns: [(&str, ArrayRef); 4] = [
        ("row", Arc::new(Int64Array::from_iter_values(0..4000))),
        (
            "number",
            Arc::new(Int64Array::from_iter_values(
                secrets.iter().map(|it| it.cast_signed()),
            )),
        ),
        ("text", Arc::new(StringArray::from_iter_values(texts()))),
        ("category", Arc::new(categories.finish())),
    ];
    let rows = RecordBatch::try_from_iter(columns).unwrap();
    let deleted = |row: usize| row % 4 == 1;
    let note = KeyValue::new("note".to_owned(), format!("first: {}", text(&secrets[5])));
    let other = KeyValue::new("other".to_owned(), format!("first: {}", text(&secrets[0])));
    for with_dictionary in [false, true] {
        let properties = WriterProperties::builder()
            .set_dictionary_enabled(with_dictionary)
            .set_bloom_filter_enabled(true)
            .set_key_value_metadata(Some(vec![note.clone(), other.clone()]))
            .set_max_row_group_row_count(Some(2000))
            .set_data_page_row_count_limit(300);
        let mut file = Vec::new();
        let mut writer =
            ArrowWriter::try_new(&mut file, rows.schema(), Some(properties.build())).unwrap();
        writer.write(&rows).unwrap();
        writer.close().unwrap();
        fs::write(&old, file).unwrap();
        let edits = || of_rows(&(0..4000).filter(|row| deleted(*row)).collect());
        let found = |path: &Path| {
            let file = fs::read(path).unwrap();
            let secrets = secrets.iter().enumerate().filter(|(row, _)| deleted(*row));
            let find = |bytes: &[u8]| file.windows(bytes.len()).any(|it| it == bytes);
            secrets
                .step_by(10)
                .filter(|(_, it)| find(text(it).as_bytes()) || find(&it.to_le_bytes()))
                .count()
        };
        assert_eq!(found(&old), 100);
        let outcome = edited(&old, &new, edits().with_scrub(true));
        assert_eq!(outcome.deleted_rows, 1000);
        assert_eq!(found(&new), 0);
        assert!(
            outcome
                .notes
                .iter()
                .any(|it| it.contains("note was left out")),
            "{:?}",
            outcome.notes
        );
        let (_, footer) = read(&new, None);
        let pairs = footer.file_metadata().key_value_metadata().unwrap();
        assert!(pairs.iter().any(|it| it.key == "other"));
        assert!(
            footer
                .row_group(1)
                .column(2)
                .bloom_filter_offset()
                .is_some()
        );
        // Without scrubbing, dictionaries keep their entries; a scrub of everything removes them.
        edited(&old, &new, edits());
        assert_eq!(found(&new) > 0, with_dictionary);
        edited(&new, &new, Edits::default().with_scrub(true));
        let file = fs::read(&new).unwrap();
        let own = text(&secrets[5]);
        let left = file
            .windows(own.len())
            .filter(|it| *it == own.as_bytes())
            .count();
        // The note is no trace of this scrub: it deletes no rows.
        assert_eq!(left, 1);
    }
}

#[test]
fn a_merge_takes_the_same_edits() {
    let directory = tempfile::tempdir().unwrap();
    let [one, two, new] = ["one", "two", "new"].map(|it| directory.path().join(it));
    let rows = |columns: [(&str, ArrayRef); 2]| RecordBatch::try_from_iter(columns).unwrap();
    let ids = |from: i32| -> ArrayRef { Arc::new(Int32Array::from_iter_values(from..from + 100)) };
    let texts = || -> ArrayRef {
        Arc::new(StringArray::from_iter_values(
            (0..100).map(|it| it.to_string()),
        ))
    };
    let write = |path: &Path, rows: &RecordBatch| {
        let file = fs::File::create(path).unwrap();
        let mut writer = Writer::try_new(file, rows.schema(), WriterOptions::default()).unwrap();
        writer.write(rows).unwrap();
        writer.close().unwrap();
    };
    // The second file has the new name already.
    write(&one, &rows([("id", ids(0)), ("old", texts())]));
    write(&two, &rows([("id", ids(100)), ("text", texts())]));
    let numbers = |input: &Path, rows: &[u64]| DeletedRows {
        input: Some(input.to_owned()),
        numbers: RowNumbers::List(rows.to_vec()),
    };
    let edits = Edits::default()
        .with_rename([("old", "text")])
        .with_delete_rows(vec![numbers(&one, &[0, 99]), numbers(&two, &[50])])
        .with_delete_where("id between 10 and 19".parse().unwrap())
        .with_promote([("id", Promotion::Type(DataType::Int64))]);
    let options = MergeOptions::default().with_edits(edits).with_verify(true);
    let merged = merge(&[&one, &two], &new, &options).unwrap();
    assert_eq!(
        (merged.deleted_rows, merged.rows, merged.row_groups_after),
        (13, 187, 1)
    );
    let (found, _) = read(&new, None);
    let ids = found["id"].as_primitive::<Int64Type>().values();
    let wanted = (1..200).filter(|it| !(10..20).contains(it) && ![99, 150].contains(it));
    assert_eq!(ids.to_vec(), wanted.collect::<Vec<i64>>());
}

#[test]
fn members_that_exchange_their_names_keep_their_values() {
    let directory = tempfile::tempdir().unwrap();
    let [one, two, new] = ["one", "two", "new"].map(|it| directory.path().join(it));
    let write = |path: &Path, wide: bool, dictionary: bool| {
        let numbers = 0..20_000_i64;
        let text = |it: i64| format!("{path:?} {}", it * 7919 % 15_013);
        let a: ArrayRef = match wide {
            true => Arc::new(Int64Array::from_iter_values(numbers.clone())),
            false => Arc::new(Int32Array::from_iter_values(0..20_000)),
        };
        let texts = |shift: i64| -> ArrayRef {
            Arc::new(StringArray::from_iter_values(
                numbers.clone().map(|it| text(it + shift)),
            ))
        };
        let field = |name: &str, array: &ArrayRef| {
            Arc::new(Field::new(name, array.data_type().clone(), true))
        };
        let members = [("a", a), ("b", texts(0)), ("c", texts(5))];
        let place = StructArray::from(
            members
                .map(|(name, array)| (field(name, &array), array))
                .to_vec(),
        );
        let rows = RecordBatch::try_from_iter_with_nullable([(
            "place",
            Arc::new(place) as ArrayRef,
            true,
        )])
        .unwrap();
        let properties = WriterProperties::builder()
            .set_dictionary_enabled(dictionary)
            .build();
        let file = fs::File::create(path).unwrap();
        let mut writer = ArrowWriter::try_new(file, rows.schema(), Some(properties)).unwrap();
        writer.write(&rows).unwrap();
        writer.close().unwrap();
        rows
    };
    // Types that differ are converted, and dictionaries that are too large together are encoded again.
    for wide in [false, true] {
        let (first, second) = (write(&one, true, true), write(&two, wide, true));
        let swap = [("place.b", "c"), ("place.c", "b")];
        let options = MergeOptions::default()
            .with_edits(Edits::default().with_rename(swap))
            .with_verify(true);
        merge(&[&one, &two], &new, &options).unwrap();
        let (found, _) = read(&new, None);
        let found = found["place"].as_struct();
        for (before, from) in [(first, 0), (second, 20_000)] {
            let before = before["place"].as_struct();
            for (old, new) in [("b", "c"), ("c", "b")] {
                let found = found.column_by_name(new).unwrap().slice(from, 20_000);
                assert_eq!(&found, before.column_by_name(old).unwrap(), "{wide}");
            }
        }
    }
}

#[test]
fn errors_name_what_is_wrong() {
    let directory = tempfile::tempdir().unwrap();
    let (old, new) = (directory.path().join("old"), directory.path().join("new"));
    sorted(&old);
    let narrower = || Promotion::Type(DataType::Int16);
    for (edits, message) in [
        (Edits::default(), "nothing is changed"),
        (Edits::default().with_drop(["x"]), "no column \"x\""),
        (Edits::default().with_drop(["place.city"]), "whole columns"),
        (Edits::default().with_drop(["day", "day"]), "day twice"),
        (
            Edits::default().with_drop(["day", "price", "place"]),
            "keep one",
        ),
        (
            Edits::default().with_rename([("day", "d"), ("day", "e")]),
            "rename names the column day twice",
        ),
        (
            Edits::default().with_rename([("x", "y")]),
            "no column \"x\"",
        ),
        (
            Edits::default().with_rename([("day", "price")]),
            "several columns have this name",
        ),
        (Edits::default().with_order(["x"]), "no column \"x\""),
        (
            Edits::default().with_add(vec!["day int64".parse().unwrap()]),
            "there is a column with this name",
        ),
        (
            Edits::default().with_promote([("price", narrower())]),
            "int16 does not hold all of its values",
        ),
        (
            of_rows(&[1000].into_iter().collect()),
            "row 1000 cannot be deleted: the file has 1000 rows",
        ),
        (
            Edits::default().with_delete_where("x = 1".parse().unwrap()),
            "\"x\"",
        ),
    ] {
        let error = edit(&old, &new, &options(edits)).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
        assert!(!new.exists());
    }
}

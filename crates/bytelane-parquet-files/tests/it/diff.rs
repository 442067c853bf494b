//! Tests `diff`, which compares rows regardless of how they are stored.

use arrow_array::builder::{Int64Builder, ListBuilder, StringBuilder};
use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::{
    Array, ArrayRef, Decimal128Array, DictionaryArray, DurationMillisecondArray,
    DurationSecondArray, FixedSizeListArray, Float64Array, Int32Array, Int64Array,
    LargeStringArray, RecordBatch, StringArray, StringViewArray, StructArray,
    TimestampMicrosecondArray,
};
use arrow_schema::{DataType, Field, Fields};
use arrow_select::concat::concat_batches;
use arrow_select::take::take_record_batch;
use bytelane_parquet::Progress;
use bytelane_parquet::{Encoding, NewFile, Writer, WriterOptions};
use bytelane_parquet_files::diff::{DiffOptions, Difference, diff};
use parquet::data_type::{ByteArray, FixedLenByteArray, FixedLenByteArrayType};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::cell::Cell;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

/// Returns rows with numbers, strings, lists and structs, including nulls.
fn rows(from: i64, count: i64) -> RecordBatch {
    let rows = || from..from + count;
    let mut lists = ListBuilder::new(Int64Builder::new());
    let mut texts = ListBuilder::new(StringBuilder::new());
    for row in rows() {
        lists
            .append_option((row % 5 != 0).then(|| (0..row % 4).map(|at| (at != 2).then_some(row))));
        texts.append_value((0..row % 3).map(|at| Some(format!("{row}.{at}"))));
    }
    let float = |row: i64| match row % 7 {
        0 => f64::NAN,
        1 => -0.0,
        _ => row as f64 / 8.0,
    };
    let members: Fields = vec![Field::new("a", DataType::Int64, true)].into();
    let inner: ArrayRef = Arc::new(Int64Array::from_iter(
        rows().map(|row| (row % 3 > 0).then_some(row)),
    ));
    let nulls = rows().map(|row| row % 11 > 0).collect::<Vec<_>>().into();
    let columns: [(&str, ArrayRef); 6] = [
        ("id", Arc::new(Int64Array::from_iter_values(rows()))),
        (
            "float",
            Arc::new(Float64Array::from_iter_values(rows().map(float))),
        ),
        (
            "text",
            Arc::new(StringArray::from_iter(
                rows().map(|row| (row % 6 > 0).then(|| format!("text {}", row % 50))),
            )),
        ),
        ("lists", Arc::new(lists.finish())),
        ("texts", Arc::new(texts.finish())),
        (
            "struct",
            Arc::new(StructArray::new(members, vec![inner], Some(nulls))),
        ),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true)))
        .unwrap()
}

struct Files(TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, rows: &RecordBatch, options: WriterOptions) -> PathBuf {
        let path = self.0.path().join(name);
        let new = NewFile::create(&path).unwrap();
        let mut writer = Writer::try_new(new.file(), rows.schema(), options).unwrap();
        writer.write(rows).unwrap();
        writer.close().unwrap();
        new.finish().unwrap();
        path
    }

    fn plain(&self, name: &str, rows: &RecordBatch) -> PathBuf {
        self.write(name, rows, WriterOptions::default())
    }
}

fn compared(left: &[&PathBuf], right: &[&PathBuf], any_order: bool) -> Difference {
    diff(
        left,
        right,
        &DiffOptions::default().with_any_order(any_order),
    )
    .unwrap()
}

#[test]
fn encodings_row_groups_and_borders_of_files_do_not_count() {
    let files = Files::new();
    let all = rows(0, 20_000);
    let small = WriterOptions::default()
        .with_encoding(Encoding::Plain)
        .with_row_group_size(700);
    let one = files.write("one", &all, small);
    let parts = [(0, 1), (1, 9000), (9001, 10_999)];
    let parts = parts.map(|(from, count)| files.plain(&format!("part {from}"), &rows(from, count)));
    for any_order in [false, true] {
        let parts: Vec<&PathBuf> = parts.iter().collect();
        let difference = compared(&[&one], &parts, any_order);
        assert!(difference.is_none(), "{difference:?}");
        assert_eq!(
            (difference.left_rows, difference.right_rows),
            (20_000, 20_000)
        );
    }
}

#[test]
fn rows_in_another_order_are_the_same_without_one() {
    let files = Files::new();
    let all = rows(0, 5000);
    let turned = Int32Array::from_iter_values((0..5000).rev());
    let turned = files.plain("turned", &take_record_batch(&all, &turned).unwrap());
    let one = files.plain("one", &all);
    assert!(compared(&[&one], &[&turned], true).is_none());
    let difference = compared(&[&one], &[&turned], false);
    assert!(difference.more);
    assert_eq!(difference.rows.len(), 10);
    // With an additional copy of a row, the multisets differ.
    let twice = concat_batches(&all.schema(), [&all, &rows(7, 1)]).unwrap();
    let twice = files.plain("twice", &twice);
    let difference = compared(&[&turned], &[&twice], true);
    assert_eq!(difference.rows.len(), 1, "{difference:?}");
    assert_eq!(difference.rows[0].left, None);
    let place = difference.rows[0].right.as_ref().unwrap();
    assert_eq!(place.row, 5000);
    assert_eq!(difference.rows[0].values[0].right.as_deref(), Some("7"));
}

#[test]
fn rows_that_differ_are_named_with_their_files_and_values() {
    let files = Files::new();
    let all = rows(0, 3000);
    let one = files.plain("one", &all);
    for column in 0..all.num_columns() {
        let mut columns = all.columns().to_vec();
        // Row 2500 gets the value of another row.
        let indices = Int32Array::from_iter_values((0..3000).map(|row| match row {
            2500 => 1234,
            row => row,
        }));
        columns[column] = arrow_select::take::take(&columns[column], &indices, None).unwrap();
        let other = RecordBatch::try_new(all.schema(), columns).unwrap();
        let parts = [
            files.plain("first", &other.slice(0, 1000)),
            files.plain("second", &other.slice(1000, 2000)),
        ];
        let parts: Vec<&PathBuf> = parts.iter().collect();
        let difference = compared(&[&one], &parts, false);
        assert!(!difference.more);
        assert_eq!(difference.rows.len(), 1, "{column}: {difference:?}");
        let row = &difference.rows[0];
        assert_eq!(row.left.as_ref().unwrap().row, 2500);
        let place = row.right.as_ref().unwrap();
        assert_eq!((place.row, place.row_in_file), (2500, 1500));
        assert_eq!(&place.file, parts[1]);
        assert_eq!(row.values.len(), 1);
        assert_eq!(&row.values[0].column, all.schema().field(column).name());
        assert_ne!(row.values[0].left, row.values[0].right);
        let difference = compared(&[&one], &parts, true);
        assert_eq!(difference.rows.len(), 2, "{column}: {difference:?}");
    }
}

#[test]
fn bits_count_and_what_columns_allow_does_not() {
    let files = Files::new();
    let floats = |name: &str, values: Vec<f64>, nullable: bool| {
        let array: ArrayRef = Arc::new(Float64Array::from(values));
        let batch = RecordBatch::try_from_iter_with_nullable([("x", array, nullable)]);
        files.plain(name, &batch.unwrap())
    };
    let nan = f64::from_bits(0x7ff8_0000_0000_0001);
    let one = floats("one", vec![0.0, nan, 1.0], true);
    let required = floats("required", vec![0.0, nan, 1.0], false);
    let negative = floats("negative", vec![-0.0, nan, 1.0], true);
    let usual = floats("usual", vec![0.0, f64::NAN, 1.0], true);
    let longer = floats("longer", vec![0.0, nan, 1.0, 2.0, 3.0], true);
    for any_order in [false, true] {
        assert!(compared(&[&one], &[&required], any_order).is_none());
        for (other, count) in [(&negative, 1), (&usual, 1), (&longer, 1)] {
            let difference = compared(&[&one], &[other], any_order);
            assert!(!difference.is_none());
            assert!(difference.rows.len() >= count, "{difference:?}");
        }
    }
}

#[test]
fn other_columns_are_named() {
    let files = Files::new();
    let one = files.plain("one", &rows(0, 10));
    let columns: [(&str, ArrayRef); 2] = [
        ("id", Arc::new(Int32Array::from_iter_values(0..10))),
        ("new", Arc::new(Int64Array::from_iter_values(0..10))),
    ];
    let other = files.plain("other", &RecordBatch::try_from_iter(columns).unwrap());
    let difference = compared(&[&one], &[&other], false);
    let all = [difference.columns, difference.types].concat().join("\n");
    for wanted in [
        "types differ: column id is int64",
        "no column float",
        "has a column new",
    ] {
        assert!(all.contains(wanted), "{wanted}: {all}");
    }
    // The order of columns is ignored.
    let turned = rows(0, 10);
    let turned = turned.project(&[5, 4, 3, 2, 1, 0]).unwrap();
    assert!(compared(&[&one], &[&files.plain("turned", &turned)], false).is_none());
}

fn one_column(x: ArrayRef) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable([("x", x, true)]).unwrap()
}

#[test]
fn types_that_differ_are_named_and_their_values_compared() {
    let files = Files::new();
    let durations = |name: &str, array: ArrayRef| files.plain(name, &one_column(array));
    let seconds = durations("s", Arc::new(DurationSecondArray::from(vec![1, 2])));
    let same = DurationMillisecondArray::from(vec![1000, 2000]);
    let same = durations("ms", Arc::new(same));
    let other = DurationMillisecondArray::from(vec![1, 2000]);
    let other = durations("other", Arc::new(other));
    let numbers = durations("int64", Arc::new(Int64Array::from(vec![1, 2])));
    for any_order in [false, true] {
        let difference = compared(&[&seconds], &[&same], any_order);
        assert!(!difference.is_none() && difference.has_same_values());
        let expected = format!(
            "types differ: column x is duration[s] in {} and duration[ms] in {}",
            seconds.display(),
            same.display()
        );
        assert_eq!(difference.types, [expected]);
        let difference = compared(&[&seconds], &[&other], any_order);
        assert_eq!(difference.types.len(), 1);
        assert!(!difference.rows.is_empty());
        // No type can hold both.
        let difference = compared(&[&seconds], &[&numbers], any_order);
        assert_eq!(difference.columns.len(), 1, "{difference:?}");
        assert!(difference.columns[0].contains("duration[s]"));
        assert_eq!(difference.types.len(), 1, "{difference:?}");
    }
}

#[test]
fn merged_files_may_have_types_that_hold_more() {
    let files = Files::new();
    let seconds: ArrayRef = Arc::new(DurationSecondArray::from(vec![1]));
    let millis: ArrayRef = Arc::new(DurationMillisecondArray::from(vec![1000]));
    let [seconds, millis] =
        [("s", seconds), ("ms", millis)].map(|(name, array)| files.plain(name, &one_column(array)));
    let merged = DiffOptions::default().with_missing_as_null(true);
    let difference = diff(&[&seconds], &[&millis], &merged).unwrap();
    assert!(difference.is_none(), "{difference:?}");
    let difference = diff(&[&millis], &[&seconds], &merged).unwrap();
    assert_eq!(difference.types.len(), 1);
}

#[test]
fn widths_of_offsets_and_keys_are_no_meaning() {
    let files = Files::new();
    let texts = ["a", "b", "a"];
    let columns: [ArrayRef; 5] = [
        Arc::new(StringArray::from_iter_values(texts)),
        Arc::new(LargeStringArray::from_iter_values(texts)),
        Arc::new(StringViewArray::from_iter_values(texts)),
        Arc::new(DictionaryArray::<Int8Type>::from_iter(texts)),
        Arc::new(DictionaryArray::<Int32Type>::from_iter(texts)),
    ];
    let paths: Vec<PathBuf> = columns
        .into_iter()
        .enumerate()
        .map(|(number, array)| files.plain(&number.to_string(), &one_column(array)))
        .collect();
    for path in &paths[1..] {
        for any_order in [false, true] {
            let difference = compared(&[&paths[0]], &[path], any_order);
            assert!(difference.is_none(), "{difference:?}");
        }
    }
}

#[test]
fn zones_and_sizes_are_meanings() {
    let files = Files::new();
    let times = TimestampMicrosecondArray::from(vec![1, 2]);
    let zone = |zone: &str| Arc::new(times.clone().with_timezone(zone)) as ArrayRef;
    let sized = |size| {
        let item = Arc::new(Field::new("item", DataType::Int64, true));
        let values: ArrayRef = Arc::new(Int64Array::from_iter_values(0..6));
        Arc::new(FixedSizeListArray::new(item, size, values, None)) as ArrayRef
    };
    let number = Cell::new(0);
    let write = |array: ArrayRef| {
        number.set(number.get() + 1);
        files.plain(&number.get().to_string(), &one_column(array))
    };
    for (one, other) in [
        (zone("UTC"), zone("Asia/Tokyo")),
        (sized(2), sized(3)),
        (Arc::new(times.clone()) as ArrayRef, zone("UTC")),
    ] {
        let (one, other) = (write(one), write(other));
        let difference = compared(&[&one], &[&other], false);
        assert_eq!(difference.types.len(), 1, "{difference:?}");
    }
}

/// Writes the prices 1.59, null and -2.00 as bytes, as other programs do.
fn prices_in_bytes(path: &Path) {
    let schema = "message m { optional fixed_len_byte_array(4) x (DECIMAL(9, 2)); }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let file = File::create(path).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, Arc::default()).unwrap();
    let mut row_group = writer.next_row_group().unwrap();
    let mut column = row_group.next_column().unwrap().unwrap();
    let values = [159_i32, -200].map(|it| it.to_be_bytes().to_vec());
    let values = values.map(ByteArray::from).map(FixedLenByteArray::from);
    let typed = column.typed::<FixedLenByteArrayType>();
    typed.write_batch(&values, Some(&[1, 0, 1]), None).unwrap();
    column.close().unwrap();
    row_group.close().unwrap();
    writer.close().unwrap();
}

#[test]
fn decimals_are_compared_however_they_are_stored() {
    let files = Files::new();
    let of = |unscaled: [Option<i128>; 3]| {
        let prices = Decimal128Array::from(unscaled.to_vec());
        Arc::new(prices.with_precision_and_scale(9, 2).unwrap())
    };
    let integers = files.plain("integers", &one_column(of([Some(159), None, Some(-200)])));
    let others = files.plain("others", &one_column(of([Some(159), None, Some(-201)])));
    let bytes = files.0.path().join("bytes");
    prices_in_bytes(&bytes);
    for any_order in [false, true] {
        let difference = compared(&[&integers], &[&bytes], any_order);
        assert!(difference.is_none(), "{difference:?}");
        assert!(!compared(&[&others], &[&bytes], any_order).has_same_values());
    }
}

#[test]
fn times_in_named_zones_are_shown() {
    let files = Files::new();
    let of = |time| {
        let times = TimestampMicrosecondArray::from(vec![time]).with_timezone("UTC");
        let members: Fields = vec![Field::new("t", times.data_type().clone(), true)].into();
        one_column(Arc::new(StructArray::new(
            members,
            vec![Arc::new(times)],
            None,
        )))
    };
    let (one, other) = (files.plain("one", &of(1)), files.plain("other", &of(2)));
    let difference = compared(&[&one], &[&other], false);
    let shown = difference.rows[0].values[0].left.as_deref();
    assert_eq!(shown, Some("{t: 1970-01-01T00:00:00.000001Z}"));
}

#[test]
fn columns_of_directories_are_compared_with_those_of_files() {
    use bytelane_parquet::arrow_array::Int32Array;
    use bytelane_parquet::table::TableFile;
    use bytelane_parquet_files::diff::diff_tables;
    use std::sync::{Arc, Mutex};

    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, columns: &[(&str, &[i32])]| {
        let columns = columns.iter().map(|(name, values)| {
            let values: ArrayRef = Arc::new(Int32Array::from(values.to_vec()));
            (*name, values)
        });
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let path = directory.path().join(name);
        let file = std::fs::File::create(&path).unwrap();
        let mut writer = Writer::try_new(file, batch.schema(), WriterOptions::default()).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        path
    };
    let of_year = |path: &std::path::Path, year: i32| {
        let value: ArrayRef = Arc::new(Int32Array::from(vec![year]));
        let field = arrow_schema::Field::new("year", value.data_type().clone(), true);
        let mut file = TableFile::new(path);
        file.constants.push((Arc::new(field), value));
        file
    };
    let [one, two] = ["1", "2"].map(|name| write(name, &[("id", &[1, 2])]));
    let left = [of_year(&one, 2024), of_year(&two, 2025)];
    let whole = |name, years: &[i32]| {
        TableFile::new(write(name, &[("id", &[1, 2, 1, 2]), ("year", years)]))
    };
    let same = [whole("same", &[2024, 2024, 2025, 2025])];
    let other = [whole("other", &[2024, 2024, 2025, 2026])];
    for any_order in [false, true] {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let progress = Arc::clone(&seen);
        let options = DiffOptions::default().with_any_order(any_order);
        let options = options.with_progress(Progress::new(move |done, total| {
            progress.lock().unwrap().push((done, total));
            std::ops::ControlFlow::Continue(())
        }));
        assert!(diff_tables(&left, &same, &options).unwrap().is_none());
        let last = if any_order { (8, 8) } else { (4, 4) };
        assert_eq!(seen.lock().unwrap().last(), Some(&last));
        let difference = diff_tables(&left, &other, &options).unwrap();
        let rows = if any_order { 2 } else { 1 };
        assert_eq!(difference.rows.len(), rows, "{difference:?}");
        let last = if any_order { (16, 16) } else { (4, 4) };
        assert_eq!(seen.lock().unwrap().last(), Some(&last));
        if !any_order {
            let value = &difference.rows[0].values[0];
            assert_eq!(value.left.as_deref(), Some("2025"));
            assert_eq!(value.right.as_deref(), Some("2026"));
        }
    }
    let contradicting = [of_year(&same[0].path, 2024)];
    let error = diff_tables(&contradicting, &same, &DiffOptions::default());
    let error = error.unwrap_err().to_string();
    assert!(
        error.contains("the column year has other values"),
        "{error}"
    );
}

#[test]
fn files_of_a_side_are_one_table() {
    let files = Files::new();
    let batch = |columns: Vec<(&str, ArrayRef)>| RecordBatch::try_from_iter(columns).unwrap();
    let narrow: ArrayRef = Arc::new(Int32Array::from(vec![1]));
    let wide: ArrayRef = Arc::new(Int64Array::from(vec![2]));
    let text: ArrayRef = Arc::new(StringArray::from(vec!["x"]));
    let one = files.plain("one", &batch(vec![("a", narrow)]));
    let two = files.plain("two", &batch(vec![("b", Arc::clone(&text)), ("a", wide)]));
    let texts: ArrayRef = Arc::new(StringArray::from(vec![None, Some("x")]));
    let ids: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
    let columns = [("a", ids, true), ("b", texts, true)];
    let merged = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    let merged = files.plain("merged", &merged);
    let other: ArrayRef = Arc::new(Int64Array::from(vec![1, 3]));
    let other = files.plain(
        "other",
        &batch(vec![
            ("a", other),
            ("b", Arc::new(StringArray::from(vec!["", "x"]))),
        ]),
    );
    let number = files.plain("number", &batch(vec![("a", text)]));
    for any_order in [false, true] {
        for right in [vec![&one, &two], vec![&merged]] {
            let difference = compared(&[&one, &two], &right, any_order);
            assert!(difference.is_none(), "{difference:?}");
        }
        let difference = compared(&[&one, &two], &[&other], any_order);
        assert!(difference.columns.is_empty() && !difference.rows.is_empty());
        let difference = compared(&[&one, &two], &[&one], any_order);
        let expected = format!(
            "{} has no column b, but {} has",
            one.display(),
            two.display()
        );
        assert_eq!(difference.columns, [expected]);
        // These files are no table.
        let difference = compared(&[&one, &number], &[&one], any_order);
        let expected = format!(
            "column a is string in {}, but int32 in {}",
            number.display(),
            one.display()
        );
        assert_eq!(difference.columns, [expected]);
    }
}

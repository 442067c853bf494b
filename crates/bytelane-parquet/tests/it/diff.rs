//! Tests `diff`, which compares rows regardless of how they are stored.

use arrow_array::builder::{Int64Builder, ListBuilder, StringBuilder};
use arrow_array::{
    ArrayRef, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray, StructArray,
};
use arrow_schema::{DataType, Field, Fields};
use arrow_select::concat::concat_batches;
use arrow_select::take::take_record_batch;
use bytelane_parquet::diff::{DiffOptions, Difference, diff};
use bytelane_parquet::{Encoding, NewFile, Writer, WriterOptions};
use std::path::PathBuf;
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
        .with_row_group_rows(700);
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
    let all = difference.columns.join("\n");
    for wanted in ["column id is Int32", "no column float", "has a column new"] {
        assert!(all.contains(wanted), "{wanted}: {all}");
    }
    // The order of columns is ignored.
    let turned = rows(0, 10);
    let turned = turned.project(&[5, 4, 3, 2, 1, 0]).unwrap();
    assert!(compared(&[&one], &[&files.plain("turned", &turned)], false).is_none());
}

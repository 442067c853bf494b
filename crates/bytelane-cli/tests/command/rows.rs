//! `bytelane head`, `cat`, `sample` and `count`.

use crate::{bytelane, failure, text};
use arrow_array::builder::{Int32Builder, MapBuilder, StringBuilder};
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, Float64Array, Int32Array,
    Int64Array, ListArray, NullArray, RecordBatch, StringArray, TimestampMicrosecondArray,
    TimestampSecondArray, UInt64Array,
};
use bytelane_parquet::parquet::arrow::ArrowWriter;
use bytelane_parquet::parquet::file::properties::WriterProperties;
use serde_json::Value;
use std::fs::{self, File};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use tempfile::TempDir;

fn write(path: &Path, batch: &RecordBatch) {
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(1000))
        .build();
    let mut writer = ArrowWriter::try_new(
        File::create(path).unwrap(),
        batch.schema(),
        Some(properties),
    )
    .unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

/// Returns rows with an id, a rising price, and a venue that is null in every fifth row.
fn trades(ids: std::ops::Range<i64>) -> RecordBatch {
    let prices = ids.clone().map(|id| id as f64 / 4.0);
    let venues = ids
        .clone()
        .map(|id| (id % 5 > 0).then(|| format!("venue {}", id % 3)));
    let columns: [(&str, ArrayRef); 3] = [
        ("id", Arc::new(Int64Array::from_iter_values(ids))),
        ("price", Arc::new(Float64Array::from_iter_values(prices))),
        ("venue", Arc::new(StringArray::from_iter(venues))),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

/// Creates a directory with `lake/a.parquet` (3000 rows) and `lake/b/b.parquet` (2000 rows).
fn lake() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir_all(directory.path().join("lake/b")).unwrap();
    write(&directory.path().join("lake/a.parquet"), &trades(0..3000));
    write(
        &directory.path().join("lake/b/b.parquet"),
        &trades(3000..5000),
    );
    directory
}

fn run(directory: &Path, arguments: &[&str]) -> String {
    let output = bytelane(arguments).current_dir(directory).unwrap();
    assert_eq!(text(&output.stderr), "");
    text(&output.stdout)
}

fn ids(directory: &Path, arguments: &[&str]) -> Vec<i64> {
    let lines = run(directory, &[arguments, &["--format", "json"]].concat());
    let id = |line: &str| {
        serde_json::from_str::<Value>(line).unwrap()["id"]
            .as_i64()
            .unwrap()
    };
    lines.lines().map(id).collect()
}

#[test]
fn head_shows_the_first_rows() {
    let lake = lake();
    let lake = lake.path();
    assert_eq!(
        run(lake, &["head", "-n", "2", "lake/a.parquet"]),
        " id  price  venue
────────────────────
  0    0.0  null
  1   0.25  venue 1
"
    );
    assert_eq!(ids(lake, &["head", "lake"]), (0..10).collect::<Vec<_>>());
    assert_eq!(
        ids(lake, &["head", "lake", "--rows", "3500"]),
        (0..3500).collect::<Vec<_>>()
    );
    assert_eq!(
        run(lake, &["head", "lake", "-n", "0", "--format", "csv"]),
        "id,price,venue\n"
    );
    let where_ = [
        "head",
        "lake",
        "-n",
        "3",
        "--where",
        "price >= 749.25 and venue is not null",
    ];
    assert_eq!(ids(lake, &where_), [2997, 2998, 2999]);
    let csv = [
        "head",
        "lake/b/b.parquet",
        "-n",
        "2",
        "--columns",
        "venue,id",
        "--format",
        "csv",
    ];
    assert_eq!(run(lake, &csv), "venue,id\n,3000\nvenue 1,3001\n");
}

#[test]
fn cat_shows_all_rows() {
    let lake = lake();
    let lake = lake.path();
    assert_eq!(
        ids(lake, &["cat", "lake/b/b.parquet", "lake/a.parquet"]),
        (3000..5000).chain(0..3000).collect::<Vec<_>>()
    );
    let table = run(lake, &["cat", "lake"]);
    assert_eq!(table.lines().count(), 5002);
    let none = run(
        lake,
        &["cat", "lake", "--where", "id < 0", "--columns", "price"],
    );
    assert_eq!(none, " price\n───────\n");
}

#[test]
fn count_needs_only_footers() {
    let lake = lake();
    let lake = lake.path();
    assert_eq!(run(lake, &["count", "lake/a.parquet"]), "3000\n");
    assert_eq!(
        run(
            lake,
            &["count", "lake/a.parquet", "--where", "venue is null"]
        ),
        "600\n"
    );
    assert_eq!(
        run(lake, &["count", "lake", "--format", "csv"]),
        "file,rows\nlake/a.parquet,3000\nlake/b/b.parquet,2000\n"
    );
    let table = run(lake, &["count", "lake", "--where", "id >= 2999"]);
    assert!(table.ends_with(" 2 files           2001\n"), "{table}");
    let json = run(lake, &["count", "lake/a.parquet", "--format", "json"]);
    assert_eq!(json, "{\"file\":\"lake/a.parquet\",\"rows\":3000}\n");

    // Unreadable values do not matter.
    let path = lake.join("lake/a.parquet");
    let mut bytes = fs::read(&path).unwrap();
    let (start, end) = (4, bytes.len() - 8);
    let footer = u32::from_le_bytes(bytes[end..end + 4].try_into().unwrap()) as usize;
    bytes[start..end - footer].fill(0xff);
    fs::write(&path, bytes).unwrap();
    assert_eq!(run(lake, &["count", "lake/a.parquet"]), "3000\n");
    failure(bytelane(&["count", "lake/a.parquet", "--where", "price > 1"]).current_dir(lake));
}

#[test]
fn samples_are_spread_over_all_files_and_repeat_with_a_seed() {
    let lake = lake();
    let lake = lake.path();
    let sample = |seed: &str| ids(lake, &["sample", "lake", "-n", "1000", "--seed", seed]);
    let rows = sample("1");
    assert_eq!(rows.len(), 1000);
    assert!(rows.is_sorted_by(|one, other| one < other));
    // The expected number from the second file is 400, with a standard deviation of 14.
    let second = rows.iter().filter(|id| **id >= 3000).count();
    assert!((300..500).contains(&second), "{second}");
    assert_eq!(sample("1"), rows);
    assert_ne!(sample("2"), rows);
    assert_eq!(
        ids(lake, &["sample", "lake", "-n", "9000"]),
        (0..5000).collect::<Vec<_>>()
    );
    assert_eq!(ids(lake, &["sample", "lake"]).len(), 10);
    let filtered = ids(
        lake,
        &["sample", "lake", "-n", "50", "--where", "id > 4900"],
    );
    assert_eq!(filtered.len(), 50);
    assert!(
        filtered.iter().all(|id| *id > 4900) && filtered.is_sorted_by(|one, other| one < other)
    );
    let header = run(
        lake,
        &["sample", "lake", "--where", "id < 0", "--format", "csv"],
    );
    assert_eq!(header, "id,price,venue\n");
}

/// Returns values that the formats treat differently.
fn values() -> RecordBatch {
    let mut map = MapBuilder::new(None, Int32Builder::new(), StringBuilder::new());
    map.keys().append_value(7);
    map.values().append_value("\"x\"");
    map.append(true).unwrap();
    map.append(true).unwrap();
    let decimals = Decimal128Array::from(vec![12_345_678_901_234_567_890_123_450, -5]);
    let columns: [(&str, ArrayRef); 12] = [
        ("big", Arc::new(UInt64Array::from(vec![u64::MAX, 0]))),
        (
            "decimal",
            Arc::new(decimals.with_precision_and_scale(38, 3).unwrap()),
        ),
        (
            "float",
            Arc::new(Float64Array::from(vec![f64::NAN, f64::NEG_INFINITY])),
        ),
        ("bool", Arc::new(BooleanArray::from(vec![Some(true), None]))),
        (
            "text",
            Arc::new(StringArray::from(vec![Some("a,\"b\"\n\u{1b}"), Some("")])),
        ),
        (
            "null",
            Arc::new(StringArray::from(vec![None::<&str>, None])),
        ),
        (
            "bytes",
            Arc::new(BinaryArray::from_vec(vec![b"\x00\xff", b""])),
        ),
        ("date", Arc::new(Date32Array::from(vec![19_723, i32::MAX]))),
        (
            "time",
            Arc::new(TimestampMicrosecondArray::from(vec![1_500_000, 0]).with_timezone("UTC")),
        ),
        (
            "local",
            Arc::new(TimestampSecondArray::from(vec![0, i64::MAX])),
        ),
        (
            "list",
            Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>([
                Some(vec![Some(1), None]),
                None,
            ])),
        ),
        ("map", Arc::new(map.finish())),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

#[test]
fn json_has_all_digits_and_is_valid() {
    let directory = tempfile::tempdir().unwrap();
    write(&directory.path().join("a.parquet"), &values());
    let json = run(directory.path(), &["cat", "a.parquet", "--format", "json"]);
    insta::assert_snapshot!(json);
    for line in json.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        assert_eq!(row.as_object().unwrap().len(), 12);
    }
}

#[test]
fn csv_and_tables_show_every_type() {
    let directory = tempfile::tempdir().unwrap();
    write(&directory.path().join("a.parquet"), &values());
    insta::assert_snapshot!(run(
        directory.path(),
        &["cat", "a.parquet", "--format", "csv"]
    ));
    let mut command = bytelane(&["cat", "a.parquet"]);
    let table = command
        .env("COLUMNS", "300")
        .current_dir(&directory)
        .unwrap();
    insta::assert_snapshot!(text(&table.stdout));
    let mut command = bytelane(&["cat", "a.parquet", "--vertical=never"]);
    let table = text(
        &command
            .env("COLUMNS", "80")
            .current_dir(&directory)
            .unwrap()
            .stdout,
    );
    assert!(
        table.lines().all(|line| line.chars().count() <= 80),
        "{table}"
    );
    assert!(table.contains("of 12 columns (null"), "{table}");
}

#[test]
fn columns_of_the_null_type_are_nulls() {
    let directory = tempfile::tempdir().unwrap();
    let columns: [(&str, ArrayRef); 2] = [
        ("none", Arc::new(NullArray::new(2))),
        ("id", Arc::new(Int32Array::from(vec![1, 2]))),
    ];
    let batch =
        RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true)));
    write(&directory.path().join("a.parquet"), &batch.unwrap());
    let shown = |format| run(directory.path(), &["cat", "a.parquet", "--format", format]);
    assert_eq!(shown("csv"), "none,id\n,1\n,2\n");
    assert_eq!(shown("table").matches("null ").count(), 2);
}

#[test]
fn errors_say_what_would_help() {
    let lake = lake();
    let fails = |arguments: &[&str]| failure(bytelane(arguments).current_dir(&lake));
    assert_eq!(
        fails(&["head", "lake", "--columns", "id,prise"]),
        "error: lake/a.parquet: the file has no column prise; did you mean price? Its columns: id, price, venue\n"
    );
    assert_eq!(
        fails(&["count", "lake", "--where", "xyz = 1"]),
        "error: lake/a.parquet: the file has no column xyz. Its columns: id, price, venue\n"
    );
    assert_eq!(
        fails(&["cat", "lake", "--where", "price > 'a'"]),
        "error: lake/a.parquet, column price: the type Float64 cannot be compared with the text \"a\"\n"
    );
    let error = fails(&["head", "lake", "--where", "price >"]);
    assert!(
        error.contains("expected a column or a value at the end of the condition `price >`"),
        "{error}"
    );
    assert!(fails(&["head", "missing.parquet"]).contains("missing.parquet"));
    fs::create_dir(lake.path().join("empty")).unwrap();
    assert_eq!(
        fails(&["count", "empty"]),
        "error: empty: no .parquet file in this directory\n"
    );

    let other =
        RecordBatch::try_from_iter([("id", Arc::new(StringArray::from(vec!["a"])) as ArrayRef)])
            .unwrap();
    write(&lake.path().join("other.parquet"), &other);
    let files = [
        "count",
        "lake/a.parquet",
        "other.parquet",
        "--format",
        "csv",
    ];
    assert!(run(lake.path(), &files).ends_with("other.parquet,1\n"));
    let files = ["head", "lake/a.parquet", "other.parquet", "-n", "5000"];
    let output = bytelane(&files).current_dir(&lake).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let error = text(&output.stderr);
    let expected =
        "error: other.parquet: other columns than in lake/a.parquet: id: int64 and string\n";
    assert_eq!(error, expected);
    damage(&lake.path().join("lake/a.parquet"));
    for command in ["head", "cat", "sample"] {
        let error = fails(&[command, "lake/a.parquet"]);
        let place = "error: lake/a.parquet, row group 0, column ";
        assert!(error.starts_with(place), "{error}");
        assert_eq!(error.matches("a.parquet").count(), 1, "{error}");
    }
}

/// Damages the pages of a file, but not its footer.
fn damage(path: &Path) {
    let mut file = fs::read(path).unwrap();
    let end = file.len() / 2;
    file[4..end].fill(0xff);
    fs::write(path, file).unwrap();
}

#[test]
fn a_pipe_that_closes_ends_quietly() {
    let lake = lake();
    for format in ["table", "json", "csv"] {
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("bytelane"));
        command
            .args(["cat", "lake", "--format", format])
            .current_dir(&lake);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(text(&output.stderr), "", "{format}");
        assert_eq!(output.status.code(), Some(0), "{format}");
    }
}

#[test]
fn standard_input_is_read_as_a_file() {
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("trades.parquet");
    write(&file, &trades(0..2500));
    let run = |arguments: &[&str]| {
        let output = bytelane(arguments)
            .write_stdin(fs::read(&file).unwrap())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let from_file = |arguments: &[&str]| text(&bytelane(arguments).output().unwrap().stdout);
    let path = file.to_str().unwrap();
    let condition = ["--where", "price > 100 and id < 410", "--format", "csv"];
    assert_eq!(
        run(&[&["cat", "-"], &condition[..]].concat()),
        from_file(&[&["cat", path], &condition[..]].concat())
    );
    assert_eq!(
        run(&["head", "-n", "2", "--format", "csv", "-"])
            .lines()
            .count(),
        3
    );
    // Rows are counted, and then read.
    let sample = [
        "--seed",
        "1",
        "-n",
        "3",
        "--where",
        "id >= 2000",
        "--format",
        "csv",
    ];
    assert_eq!(
        run(&[&["sample", "-"], &sample[..]].concat()),
        from_file(&[&["sample", path], &sample[..]].concat())
    );
    assert!(run(&["count", "-"]).contains("2500"));

    let message = failure(bytelane(&["head", "-"]).write_stdin(""));
    assert!(message.starts_with("error: standard input"), "{message}");
    let message = failure(bytelane(&["head", "-", path]).write_stdin(""));
    assert!(message.contains("together with files"), "{message}");
    let message = failure(bytelane(&["check", "-"]).write_stdin(""));
    assert!(
        message.contains("only head, tail, cat, sample and count"),
        "{message}"
    );
}

#[test]
fn names_with_a_comma_are_quoted() {
    let directory = tempfile::tempdir().unwrap();
    let values: arrow_array::ArrayRef = Arc::new(arrow_array::Int64Array::from(vec![7]));
    let columns = [("a,b", Arc::clone(&values)), ("c", values)];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let file = std::fs::File::create(directory.path().join("a.parquet")).unwrap();
    let options = bytelane_parquet::WriterOptions::default();
    let mut writer = bytelane_parquet::Writer::try_new(file, batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let head = |columns: &str| {
        let mut head = bytelane(&["head", "a.parquet", "--format", "csv", "--columns", columns]);
        head.current_dir(directory.path()).output().unwrap()
    };
    assert_eq!(text(&head("\"a,b\",c").stdout), "\"a,b\",c\n7,7\n");
    assert_eq!(text(&head("c").stdout), "c\n7\n");
    let message = text(&head("a,b").stderr);
    assert!(message.contains("--columns '\"a,b\"'"), "{message}");
}

/// Creates a table with partitions: `year=2024` and `year=2025`, each with ids of its own.
fn partitions() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (year, ids) in [("2024", 0..3), ("2025", 3..5)] {
        let partition = directory.path().join(format!("lake/year={year}"));
        fs::create_dir_all(partition.join("_temporary")).unwrap();
        write(&partition.join("a.PARQUET"), &trades(ids));
        write(&partition.join("_temporary/b.parquet"), &trades(9..10));
    }
    directory
}

#[test]
fn partitions_are_columns() {
    let lake = partitions();
    let lake = lake.path();
    assert_eq!(run(lake, &["count", "lake/year=2024"]), "3\n");
    let csv = ["cat", "lake", "--columns", "id,year", "--format", "csv"];
    let rows = run(lake, &csv);
    assert_eq!(rows, "id,year\n0,2024\n1,2024\n2,2024\n3,2025\n4,2025\n");
    for input in ["lake", "lake/*/*.PARQUET", "lake/year=202[45]"] {
        assert_eq!(ids(lake, &["cat", input, "--where", "year = 2025"]), [3, 4]);
    }
    let text = [
        "--partition-type",
        "year=string",
        "--where",
        "year = '2025'",
    ];
    assert_eq!(ids(lake, &[&["cat", "lake"][..], &text].concat()), [3, 4]);
    let error = failure(bytelane(&["merge", "lake", "out.parquet"]).current_dir(lake));
    assert!(error.contains("would lose the column year"), "{error}");
    // A directory that contradicts the file.
    fs::create_dir_all(lake.join("wrong/id=1")).unwrap();
    write(&lake.join("wrong/id=1/a.parquet"), &trades(1..2));
    assert_eq!(ids(lake, &["cat", "wrong"]), [1]);
    write(&lake.join("wrong/id=1/a.parquet"), &trades(1..3));
    let error = failure(bytelane(&["cat", "wrong"]).current_dir(lake));
    assert!(
        error.contains("the column id has other values than 1"),
        "{error}"
    );
}

#[test]
fn files_with_other_columns_are_one_table() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let one: [(&str, ArrayRef); 2] = [
        ("id", Arc::new(Int64Array::from(vec![1]))),
        ("x", Arc::new(StringArray::from(vec!["a"]))),
    ];
    let other: [(&str, ArrayRef); 2] = [
        ("y", Arc::new(BooleanArray::from(vec![true]))),
        ("id", Arc::new(arrow_array::Int32Array::from(vec![2]))),
    ];
    write(
        &path.join("1.parquet"),
        &RecordBatch::try_from_iter(one).unwrap(),
    );
    write(
        &path.join("2.parquet"),
        &RecordBatch::try_from_iter(other).unwrap(),
    );
    let csv = ["cat", "1.parquet", "2.parquet", "--format", "csv"];
    assert_eq!(run(path, &csv), "id,x,y\n1,a,\n2,,true\n");
    let missing = [
        "cat",
        ".",
        "--where",
        "x is null",
        "--columns",
        "id,y",
        "--format",
        "csv",
    ];
    assert_eq!(run(path, &missing), "id,y\n2,true\n");
    let strict = [&csv[..], &["--strict-schema"]].concat();
    let error = failure(bytelane(&strict).current_dir(path));
    assert!(error.contains("y, id and not id, x"), "{error}");
}

#[test]
fn tables_of_other_formats_are_refused() {
    let lake = partitions();
    let lake = lake.path();
    fs::create_dir(lake.join("lake/_delta_log")).unwrap();
    for input in ["lake", "lake/year=2024", "lake/*/*.PARQUET"] {
        for command in ["count", "head", "check", "advise"] {
            let error = failure(bytelane(&[command, input]).current_dir(lake));
            assert!(error.contains("a table of Delta Lake"), "{error}");
        }
        let error = failure(bytelane(&["rewrite", input, "lake/"]).current_dir(lake));
        assert!(error.contains("--as-files"), "{error}");
    }
    assert_eq!(run(lake, &["count", "lake/year=2024", "--as-files"]), "3\n");
    assert_eq!(run(lake, &["count", "lake/year=2024/a.PARQUET"]), "3\n");
}

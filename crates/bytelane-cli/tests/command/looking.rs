//! Windows of rows, their columns, the vertical view, and rows in new files.

use crate::{bytelane, failure, text};
use arrow_array::{
    ArrayRef, DictionaryArray, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray,
    StructArray, types::Int8Type,
};
use bytelane_parquet::arrow_schema::{DataType, Field};
use bytelane_parquet::parquet::arrow::ArrowWriter;
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

/// Returns rows with columns of several types, in groups of 7 rows.
fn rows(ids: std::ops::Range<i64>) -> RecordBatch {
    let prices = ids
        .clone()
        .map(|id| (id % 6 > 0).then_some(id as f64 / 4.0));
    let kinds: DictionaryArray<Int8Type> = ids
        .clone()
        .map(|id| ["buy", "sell"][id as usize % 2])
        .collect();
    let member = |name: &str| Arc::new(Field::new(name, DataType::Int32, false));
    let place = StructArray::from(vec![
        (
            member("x"),
            Arc::new(Int32Array::from_iter_values(
                ids.clone().map(|id| id as i32),
            )) as ArrayRef,
        ),
        (
            member("y"),
            Arc::new(Int32Array::from_iter_values(ids.clone().map(|_| 7))) as ArrayRef,
        ),
    ]);
    let notes = StringArray::from_iter(ids.clone().map(|_| None::<&str>));
    RecordBatch::try_from_iter([
        (
            "id",
            Arc::new(Int64Array::from_iter_values(ids)) as ArrayRef,
        ),
        ("note", Arc::new(notes)),
        ("price", Arc::new(Float64Array::from_iter(prices))),
        ("kind", Arc::new(kinds)),
        ("place", Arc::new(place)),
    ])
    .unwrap()
}

fn write(path: &Path, batch: &RecordBatch) {
    let properties = bytelane_parquet::parquet::file::properties::WriterProperties::builder()
        .set_max_row_group_row_count(Some(7))
        .build();
    let file = File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

/// Creates a directory with `lake/a.parquet` (20 rows), `lake/b.parquet` (no rows) and `lake/c.parquet` (10 rows).
fn lake() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let lake = directory.path().join("lake");
    fs::create_dir(&lake).unwrap();
    write(&lake.join("a.parquet"), &rows(0..20));
    write(&lake.join("b.parquet"), &rows(0..0));
    write(&lake.join("c.parquet"), &rows(20..30));
    directory
}

#[track_caller]
fn run(directory: &Path, arguments: &[&str]) -> String {
    let output = bytelane(arguments).current_dir(directory).output().unwrap();
    assert_eq!(text(&output.stderr), "", "{arguments:?}");
    assert!(output.status.success(), "{arguments:?}");
    text(&output.stdout)
}

/// Returns the first column of the rows that a command shows.
fn ids(directory: &Path, arguments: &[&str]) -> Vec<i64> {
    let shown = run(
        directory,
        &[arguments, &["--columns", "id", "--format", "csv"]].concat(),
    );
    shown
        .lines()
        .skip(1)
        .map(|id| id.parse().unwrap())
        .collect()
}

#[test]
fn tail_and_offsets_show_the_same_rows_as_a_slice() {
    let lake = lake();
    let lake = lake.path();
    let even: Vec<i64> = (0..30).filter(|id| id % 2 == 0).collect();
    let every: Vec<i64> = (0..30).collect();
    for (condition, all) in [(None, every), (Some("kind = 'buy'"), even)] {
        let of = |arguments: &[&str]| {
            let condition = condition.map(|condition| ["--where", condition]);
            ids(
                lake,
                &[arguments, condition.as_ref().map_or(&[], |it| &it[..])].concat(),
            )
        };
        for rows in [0, 1, 6, 7, 8, 14, 15, 29, 30, 99] {
            let number = rows.to_string();
            let (before, after) = (rows.min(all.len()), all.len().saturating_sub(rows));
            assert_eq!(
                of(&["tail", "lake", "-n", &number]),
                all[after..],
                "tail {rows}"
            );
            assert_eq!(
                of(&["cat", "lake", "--offset", &number]),
                all[before..],
                "offset {rows}"
            );
            let end = (before + 3).min(all.len());
            let head = of(&["head", "lake", "-n", "3", "--offset", &number]);
            assert_eq!(head, all[before..end], "head {rows}");
        }
    }
}

#[test]
fn columns_are_shown_in_the_order_asked_for() {
    let lake = lake();
    let lake = lake.path();
    let header = |arguments: &[&str]| {
        let head = ["head", "lake", "-n", "0", "--format", "csv"];
        run(lake, &[&head[..], arguments].concat())
            .trim()
            .to_owned()
    };
    assert_eq!(header(&["--columns", "price,id"]), "price,id");
    assert_eq!(
        header(&["--columns", "place.y", "--columns", "kind"]),
        "place,kind"
    );
    assert_eq!(header(&["--exclude", "note,place"]), "id,price,kind");
    assert_eq!(
        header(&["--columns", "kind,price,id", "--exclude", "price"]),
        "kind,id"
    );
    let file = "lake/c.parquet";
    let json = [
        "head",
        file,
        "-n",
        "1",
        "--columns",
        "place,id",
        "--exclude",
        "place.y",
        "--format",
        "json",
    ];
    assert_eq!(run(lake, &json), "{\"place\":{\"x\":20},\"id\":20}\n");
    // Members that are not asked for do not come back as nulls where several files are one table.
    let several = |arguments: &[&str]| {
        let head = ["head", "lake", "-n", "1", "--format", "json"];
        run(lake, &[&head[..], arguments].concat())
    };
    assert_eq!(
        several(&["--columns", "place.y,id"]),
        "{\"place\":{\"y\":7},\"id\":0}\n"
    );
    assert_eq!(
        several(&["--exclude", "place.y,note,kind,price"]),
        "{\"id\":0,\"place\":{\"x\":0}}\n"
    );
    // A condition may use a column that is not shown.
    let hidden = [
        "head",
        file,
        "--exclude",
        "kind,note,place",
        "--where",
        "kind = 'sell' and id > 26",
        "--format",
        "csv",
    ];
    assert_eq!(run(lake, &hidden), "id,price\n27,6.75\n29,7.25\n");
    let missing = failure(bytelane(&["head", "lake", "--exclude", "prize"]).current_dir(lake));
    assert!(
        missing.contains("no column prize; did you mean price?"),
        "{missing}"
    );
}

#[test]
fn columns_that_do_not_fit_are_shown_below_each_other() {
    let lake = lake();
    let lake = lake.path();
    let show = |columns: &str, arguments: &[&str]| {
        let head = ["head", "lake/a.parquet", "-n", "2"];
        let mut command = bytelane(&[&head[..], arguments].concat());
        if !columns.is_empty() {
            command.env("COLUMNS", columns);
        }
        text(&command.current_dir(lake).unwrap().stdout)
    };
    let narrow = "row 1 ──────────────────
id     0
note   null
price  null
kind   buy
place  {\"x\":0,\"y\":7}
row 2 ──────────────────
id     1
note   null
price  0.25
kind   sell
place  {\"x\":1,\"y\":7}
";
    assert_eq!(show("24", &[]), narrow);
    assert!(show("200", &["--vertical"]).starts_with("row 1 ──────────"));
    assert!(show("200", &[]).starts_with(" id  note  price  kind  place"));
    // Columns that tell nothing about the rows are hidden first: one without values, and then the last ones.
    let table = " id  price  kind
─────────────────
  0   null  buy
  1   0.25  sell
Hidden at this width: 2
  of 5 columns (note,
  place). --vertical
  shows them; --columns
  chooses others.
";
    assert_eq!(show("24", &["--vertical=never"]), table);
    // A pipe has no width.
    assert!(show("", &["--columns", "id,note,price,kind,place"]).starts_with(" id  note"));
}

#[test]
fn rows_are_written_to_new_files() {
    let lake = lake();
    let lake = lake.path();
    for (arguments, expected) in [
        (&["cat", "lake"][..], (0..30).collect::<Vec<i64>>()),
        (&["head", "lake", "-n", "12"], (0..12).collect()),
        (&["tail", "lake", "-n", "12"], (18..30).collect()),
        (
            &["head", "lake", "--offset", "5", "--where", "id > 2"],
            (8..18).collect(),
        ),
        (&["sample", "lake", "-n", "30"], (0..30).collect()),
        (&["cat", "lake", "--where", "id < 0"], Vec::new()),
    ] {
        let written = run(
            lake,
            &[arguments, &["-o", "new.parquet", "--force"]].concat(),
        );
        assert!(
            written.starts_with(&format!("new.parquet: {} rows in ", expected.len())),
            "{written}"
        );
        assert_eq!(
            ids(lake, &["cat", "new.parquet"]),
            expected,
            "{arguments:?}"
        );
    }
    // Values, Arrow types and categories stay the same.
    let options = [
        "--goal",
        "size",
        "--compression",
        "zstd:9",
        "--row-group-size",
        "4",
        "--column-encoding",
        "price=byte_stream_split",
    ];
    run(
        lake,
        &[&["cat", "lake", "-o", "all.parquet"][..], &options].concat(),
    );
    run(lake, &["diff", "lake", "--with", "all.parquet"]);
    let inspected = run(lake, &["inspect", "all.parquet", "--format", "json"]);
    let inspected: serde_json::Value = serde_json::from_str(&inspected).unwrap();
    assert_eq!(inspected["row_groups"].as_array().unwrap().len(), 8);
    assert!(
        inspected["row_groups"][1]["columns"][2]["encodings"]
            .to_string()
            .contains("byte_stream_split")
    );
    // The file may be one that is read, and the columns those that were asked for.
    run(
        lake,
        &[
            "cat",
            "all.parquet",
            "-o",
            "all.parquet",
            "--columns",
            "kind,id",
            "--where",
            "id > 27",
        ],
    );
    assert_eq!(
        run(lake, &["cat", "all.parquet", "--format", "csv"]),
        "kind,id\nbuy,28\nsell,29\n"
    );
}

#[test]
fn options_of_the_output_need_one() {
    let lake = lake();
    let lake = lake.path();
    for (arguments, problem) in [
        (&["head", "lake", "--goal", "size"][..], "--output"),
        (&["head", "lake", "--force"], "--output"),
        (
            &["head", "lake", "-o", "new.parquet", "--format", "csv"],
            "--format",
        ),
        (
            &["head", "lake", "-o", "lake/new.parquet"],
            "the next run would read it",
        ),
        (&["head", "lake", "-o", "lake"], "choose a place outside"),
        (
            &["head", "lake", "-o", "none/new.parquet"],
            "none/new.parquet",
        ),
        (
            &[
                "head",
                "lake",
                "-o",
                "new.parquet",
                "--column-encoding",
                "kinds=plain",
            ],
            "kinds",
        ),
    ] {
        let output = bytelane(arguments).current_dir(lake).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let message = text(&output.stderr);
        assert!(message.contains(problem), "{arguments:?}: {message}");
        assert!(!lake.join("new.parquet").exists(), "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_nothing_behind() {
    let lake = lake();
    let message = failure(bytelane(&["cat", "lake", "-o", "/dev/full"]).current_dir(&lake));
    assert!(
        message.contains("/dev/full: ") && message.contains("No space left"),
        "{message}"
    );
    let names: Vec<_> = fs::read_dir(&lake)
        .unwrap()
        .flatten()
        .map(|it| it.file_name())
        .collect();
    assert_eq!(names, ["lake"]);
}

/// Returns members of the JSON objects that `stats` shows of each column.
fn described(directory: &TempDir, options: &[&str]) -> Vec<Vec<serde_json::Value>> {
    let arguments = [&["stats", "lake", "--format", "json"], options].concat();
    let output = bytelane(&arguments).current_dir(directory).unwrap();
    let known = ["column", "type", "rows", "nulls", "min", "max"];
    let columns = crate::rows(&output).into_iter();
    columns
        .map(|column| known.map(|name| column[name].clone()).to_vec())
        .collect()
}

#[test]
fn footers_tell_what_values_do() {
    let directory = lake();
    let every = described(&directory, &[]);
    assert_eq!(every.len(), 6);
    assert_eq!(described(&directory, &["--footer"]), every);
    let chosen = ["--columns", "place,id"];
    let footer = [&chosen[..], &["--footer"]].concat();
    assert_eq!(
        described(&directory, &footer),
        described(&directory, &chosen)
    );
    // Damaged pages are not read.
    let path = directory.path().join("lake/c.parquet");
    let mut bytes = fs::read(&path).unwrap();
    let footer = u32::from_le_bytes(bytes[bytes.len() - 8..][..4].try_into().unwrap()) as usize;
    let pages = 4..bytes.len() - 8 - footer;
    bytes[pages].fill(0xff);
    fs::write(&path, bytes).unwrap();
    let exact = ["--columns", "id,note,place"];
    let footer = [&exact[..], &["--footer"]].concat();
    assert_eq!(described(&directory, &footer).len(), 4);
    let arguments = [&["stats", "lake"], &exact[..]].concat();
    failure(bytelane(&arguments).current_dir(&directory));
    let output = bytelane(&["stats", "--footer", "lake", "--columns", "id"]);
    let shown = text(&{ output }.current_dir(&directory).unwrap().stdout);
    assert!(
        shown.contains("30 rows. All figures are exact, from the footers."),
        "{shown}"
    );
    let message = failure(
        bytelane(&["stats", "lake", "--footer", "--where", "id > 3"]).current_dir(&directory),
    );
    assert!(message.contains("cannot be used with"), "{message}");
}

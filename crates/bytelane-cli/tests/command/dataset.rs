//! `bytelane dataset`.

use crate::{bytelane, failure, text};
use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use bytelane_parquet::{Encoding, Writer, WriterOptions};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

/// Creates a data set of six small files in two partitions.
fn lake() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for number in 0..6 {
        let partition = directory.path().join(format!("lake/year={}", number / 3));
        fs::create_dir_all(&partition).unwrap();
        let first = number * 1000;
        let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(first..first + 1000));
        let batch = RecordBatch::try_from_iter([("id", ids)]).unwrap();
        let file = fs::File::create(partition.join(format!("{number}.parquet"))).unwrap();
        let options = WriterOptions::default().with_encoding(Encoding::Plain);
        let mut writer = Writer::try_new(file, batch.schema(), options).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
    }
    directory
}

/// Runs a command, checks its exit status, and returns its output.
#[track_caller]
fn printed(directory: &Path, status: i32, arguments: &[&str]) -> String {
    let output = bytelane(arguments).current_dir(directory).output().unwrap();
    assert_eq!(text(&output.stderr), "");
    assert_eq!(
        output.status.code(),
        Some(status),
        "{}",
        text(&output.stdout)
    );
    text(&output.stdout)
}

const PLAN: [&str; 5] = ["dataset", "plan", "lake", "--output", "plan.json"];
const RUN: [&str; 5] = ["dataset", "run", "plan.json", "--out", "new"];

#[test]
fn from_the_plan_to_the_deletion() {
    let directory = lake();
    let directory = directory.path();
    let shown = printed(directory, 0, &PLAN);
    for wanted in [
        "merge",
        "id",
        "PLAIN ZSTD",
        "6 files",
        "become about 2 files",
    ] {
        assert!(shown.contains(wanted), "{wanted} in\n{shown}");
    }
    let shown = printed(
        directory,
        0,
        &[&PLAN[..], &["--force", "--format", "json"]].concat(),
    );
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!((&shown["rows"], &shown["units"]), (&6000.into(), &2.into()));
    assert_eq!(shown["advice"][0]["columns"][0]["path"], "id");
    let message = failure(bytelane(&["dataset", "swap", "lake", "."]).current_dir(directory));
    assert!(message.contains("side by side"), "{message}");

    let shown = printed(directory, 1, &[&RUN[..], &["--shard", "0/2"]].concat());
    assert!(shown.contains("1 of 2 units published"), "{shown}");
    let message = failure(bytelane(&["dataset", "swap", "lake", "new"]).current_dir(directory));
    assert!(message.contains("dataset verify lake new"), "{message}");
    let shown = printed(directory, 0, &RUN);
    assert!(shown.contains("The new directory is complete"), "{shown}");
    let shown = printed(directory, 0, &[&RUN[..], &["--format", "json"]].concat());
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(
        (&shown["published"], &shown["published_before"]),
        (&0.into(), &2.into())
    );

    let shown = printed(directory, 0, &["dataset", "verify", "lake", "new"]);
    assert_eq!(shown, "The same 6000 rows in 6 old files and 2 new files\n");
    printed(directory, 0, &["dataset", "swap", "lake", "new"]);
    let shown = printed(directory, 0, &["count", "lake"]);
    assert!(
        shown.contains("2 files") && shown.contains("6000"),
        "{shown}"
    );
    let delete = ["dataset", "delete", "new", "--verified-by", "lake"];
    let shown = printed(directory, 0, &delete);
    assert!(shown.starts_with("Deleted 6 files"), "{shown}");
    let message = failure(bytelane(&PLAN).current_dir(directory));
    assert!(
        message.contains("the file exists; --force replaces it"),
        "{message}"
    );
    let shown = printed(directory, 0, &[&PLAN[..], &["--force"]].concat());
    assert!(
        shown.ends_with("The data set needs no changes\n"),
        "{shown}"
    );
}

#[test]
fn failures_and_differences_have_exit_status_1() {
    let directory = lake();
    let directory = directory.path();
    printed(directory, 0, &PLAN);
    let path = directory.join("lake/year=1/4.parquet");
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    let shown = printed(directory, 1, &RUN);
    for wanted in ["year=1/3.parquet", "4.parquet: it has changed", "1 failed"] {
        assert!(shown.contains(wanted), "{wanted} in\n{shown}");
    }
    fs::write(&path, &bytes).unwrap();
    let shown = printed(directory, 1, &["dataset", "verify", "lake", "new"]);
    assert!(
        shown.contains("year=1") && shown.contains("1 difference"),
        "{shown}"
    );
    let shown = printed(
        directory,
        1,
        &["dataset", "verify", "lake", "new", "--format", "json"],
    );
    assert!(shown.starts_with("{\"same\":false"), "{shown}");
}

#[test]
fn a_file_that_cannot_be_read_is_listed() {
    let directory = lake();
    let directory = directory.path();
    fs::write(directory.join("lake/bad.parquet"), "nothing").unwrap();
    let shown = printed(directory, 1, &PLAN);
    for wanted in ["1 file cannot be read", "bad.parquet", "6 files"] {
        assert!(shown.contains(wanted), "{wanted} in\n{shown}");
    }
    let shown = printed(directory, 1, &RUN);
    assert!(shown.contains("1 file could not be read"), "{shown}");
}

#[test]
fn tables_are_planned_by_the_list_of_their_files() {
    let directory = lake();
    let directory = directory.path();
    fs::create_dir(directory.join("lake/_delta_log")).unwrap();
    let message = failure(bytelane(&PLAN).current_dir(directory));
    assert!(message.contains("a table of Delta Lake"), "{message}");
    assert!(
        message.contains("the Python module bytelane.deltalake"),
        "{message}"
    );
    fs::write(
        directory.join("files"),
        "lake/year=0/0.parquet\nyear=0/1.parquet\n",
    )
    .unwrap();
    let shown = printed(
        directory,
        0,
        &[&PLAN[..], &["--files-from", "files"]].concat(),
    );
    assert!(shown.contains("2 files"), "{shown}");
    printed(directory, 0, &RUN);
    let shown = printed(directory, 0, &["dataset", "verify", "lake", "new"]);
    assert_eq!(shown, "The same 2000 rows in 2 old files and 1 new file\n");
}

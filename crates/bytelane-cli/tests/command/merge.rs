//! `bytelane diff`, `merge`, `check` and `repair`.

use crate::{bytelane, failure, text};
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use bytelane_parquet::{Encoding, Writer, WriterOptions};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use tempfile::TempDir;

/// Writes a file of two columns, `id` and `name`, whose rows have these ids.
fn write(directory: &Path, name: &str, ids: impl Iterator<Item = i64> + Clone) {
    write_with(directory, name, ids, WriterOptions::default());
}

fn write_with(
    directory: &Path,
    name: &str,
    ids: impl Iterator<Item = i64> + Clone,
    options: WriterOptions,
) {
    let names = ids.clone().map(|id| format!("name {}", id % 7));
    let columns: [(&str, ArrayRef); 2] = [
        ("id", Arc::new(Int64Array::from_iter_values(ids))),
        ("name", Arc::new(StringArray::from_iter_values(names))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let file = fs::File::create(directory.join(name)).unwrap();
    let mut writer = Writer::try_new(file, batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

/// Creates a directory with three files of 1000 rows each.
fn directory() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, first) in [("a.parquet", 0), ("b.parquet", 1000), ("c.parquet", 2000)] {
        write(directory.path(), name, first..first + 1000);
    }
    directory
}

/// Runs a command, checks its exit status, and returns its output.
#[track_caller]
fn printed(directory: &Path, status: i32, arguments: &[&str]) -> String {
    let output = bytelane(arguments).current_dir(directory).output().unwrap();
    assert_eq!(text(&output.stderr), "");
    assert_eq!(output.status.code(), Some(status));
    text(&output.stdout)
}

#[test]
fn diff_finds_the_rows_that_differ() {
    let directory = directory();
    let directory = directory.path();
    write(directory, "all", 0..3000);
    write(directory, "turned", (0..3000).rev());
    write(
        directory,
        "changed",
        (0..3000).map(|id| if id == 1234 { -5 } else { id }),
    );
    assert_eq!(
        printed(directory, 0, &["diff", ".", "all"]),
        "The same 3000 rows\n"
    );
    let parts = [
        "diff",
        "a.parquet",
        "b.parquet",
        "c.parquet",
        "--with",
        "all",
    ];
    assert_eq!(printed(directory, 0, &parts), "The same 3000 rows\n");
    assert_eq!(
        printed(directory, 0, &["diff", "all", "turned", "--any-order"]),
        "The same 3000 rows\n"
    );
    printed(directory, 1, &["diff", "all", "turned"]);
    let shown = printed(directory, 1, &["diff", ".", "changed"]);
    for wanted in [
        "234 of ./b.parquet",
        "1234",
        "id",
        "name 2",
        "name -5",
        "1 row differs",
    ] {
        assert!(shown.contains(wanted), "{wanted} in\n{shown}");
    }
    let shown = printed(directory, 1, &["diff", ".", "changed", "--format", "json"]);
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(shown["same"], false);
    assert_eq!(shown["rows"][0]["left"]["row"], 1234);
    assert_eq!(shown["rows"][0]["right"]["row_in_file"], 1234);
    assert_eq!(shown["rows"][0]["values"][0]["right"], "-5");
    let message = failure(bytelane(&["diff", "all"]).current_dir(directory));
    assert!(message.contains("name two files"), "{message}");
    let message = failure(bytelane(&["diff", "all", "none"]).current_dir(directory));
    assert!(message.contains("none"), "{message}");
}

/// Kills merges after different times. The output has its old bytes or the new ones each time.
#[cfg(unix)]
#[test]
fn a_merge_that_is_killed_leaves_the_old_file_or_the_new_one() {
    use assert_cmd::cargo::cargo_bin;
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    let directory = tempfile::tempdir().unwrap();
    let inputs = directory.path().join("in");
    fs::create_dir(&inputs).unwrap();
    for number in 0..60 {
        let first = number * 1000;
        write(&inputs, &format!("{number}.parquet"), first..first + 1000);
    }
    let read_inputs = || -> Vec<Vec<u8>> {
        let paths = (0..60).map(|number| inputs.join(format!("{number}.parquet")));
        paths.map(|path| fs::read(path).unwrap()).collect()
    };
    let before = read_inputs();
    let output = directory.path().join("out.parquet");
    let merge = || {
        let mut command = Command::new(cargo_bin!("bytelane"));
        command.args(["merge", "in", "out.parquet", "--force"]);
        command.current_dir(directory.path());
        command
    };
    let start = Instant::now();
    assert!(merge().output().unwrap().status.success());
    let whole = start.elapsed();
    let new = fs::read(&output).unwrap();
    let mut killed = 0;
    for step in 0..16 {
        fs::write(&output, b"old").unwrap();
        let mut child = merge()
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(whole.max(Duration::from_millis(1)) * step / 14);
        child.kill().unwrap();
        killed += usize::from(child.wait().unwrap().code().is_none());
        let found = fs::read(&output).unwrap();
        assert!(found == b"old" || found == new, "{} bytes", found.len());
        assert!(read_inputs() == before, "an input has changed");
    }
    assert!(killed > 0, "no merge was killed");
    assert!(merge().output().unwrap().status.success());
    assert_eq!(fs::read(&output).unwrap(), new);
}

#[cfg(unix)]
#[test]
fn merge_takes_more_files_than_a_process_may_open() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    for number in 0..200 {
        write(
            directory,
            &format!("{number:03}.parquet"),
            number..number + 1,
        );
    }
    write(directory, "all", 0..200);
    let limited = "ulimit -n 100; \"$0\" \"$@\"";
    let command = bytelane(&[]).get_program().to_owned();
    let merge = ["merge", ".", "merged", "--verify", "--threads", "2"];
    let mut shell = Command::new("sh");
    let shell = shell.args(["-c", limited]).arg(command).args(merge);
    let output = shell.current_dir(directory).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(
        printed(directory, 0, &["diff", "merged", "all"]),
        "The same 200 rows\n"
    );
}

/// Returns whether a file has a page of indices after one of values in a row group, which Spark misreads.
fn has_late_indices(directory: &Path, file: &str) -> bool {
    let arguments = ["inspect", file, "--by", "pages", "--format", "json"];
    let inspected: Value = serde_json::from_str(&printed(directory, 0, &arguments)).unwrap();
    let chunks = inspected["row_groups"].as_array().unwrap().iter();
    let mut chunks = chunks.flat_map(|group| group["columns"].as_array().unwrap());
    chunks.any(|chunk| {
        let pages = chunk["pages"].as_array().unwrap().iter();
        let pages = pages.filter(|page| page["kind"] != "dictionary");
        let encodings: Vec<&Value> = pages.map(|page| &page["encoding"]).collect();
        let first_of_values = encodings.iter().position(|it| *it != "rle_dictionary");
        first_of_values.is_some_and(|at| encodings[at..].iter().any(|it| *it == "rle_dictionary"))
    })
}

#[test]
fn spark_gets_no_indices_after_values() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    fs::create_dir(directory.join("lake")).unwrap();
    for (name, encoding) in [
        ("lake/a", Encoding::Plain),
        ("lake/b", Encoding::Dictionary),
    ] {
        let options = WriterOptions::default().with_encoding(encoding);
        write_with(directory, &format!("{name}.parquet"), 0..1000, options);
    }
    fs::write(directory.join("rows"), "5\n").unwrap();
    let plan = "dataset plan lake --output plan";
    let doors = [
        ("merge --readers any lake late", "late", true),
        ("merge lake a", "a", false),
        ("merge late b", "b", false),
        ("merge --readers duckdb late c", "c", false),
        // `edit` keeps the pages of its input, unless Spark is to read them.
        ("edit late d --delete-rows rows", "d", true),
        ("edit late e --delete-rows rows --readers spark", "e", false),
        (plan, "f", false),
    ];
    for (command, file, is_late) in doors {
        let arguments: Vec<&str> = command.split(' ').collect();
        printed(directory, 0, &arguments);
        if command == plan {
            printed(directory, 0, &["dataset", "run", "plan", "--out", "new"]);
            let files = fs::read_dir(directory.join("new")).unwrap();
            let mut paths = files.map(|file| file.unwrap().path());
            let merged = paths.find(|path| path.extension().is_some_and(|it| it == "parquet"));
            fs::rename(merged.unwrap(), directory.join(file)).unwrap();
        }
        assert_eq!(has_late_indices(directory, file), is_late, "{command}");
    }
}

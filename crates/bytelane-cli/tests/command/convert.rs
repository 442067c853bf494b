//! `bytelane convert`.

use crate::{bytelane, failure, text};
use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray,
    TimestampMillisecondArray,
};
use bytelane_parquet::{Writer, WriterOptions};
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

/// Creates a directory with `a.parquet`, of types that all formats have.
fn directory() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let rows = 20_000_i64;
    let texts = (0..rows).map(|i| (i % 5 > 0).then(|| format!("größe, \"{i}\"\n")));
    let times = (0..rows).map(|i| 1_700_000_000_001 + i);
    let columns: [(&str, ArrayRef); 5] = [
        ("id", Arc::new(Int64Array::from_iter_values(0..rows))),
        (
            "price",
            Arc::new(Float64Array::from_iter(
                (0..rows).map(|i| (i % 7 > 0).then_some(i as f64 + 0.25)),
            )),
        ),
        (
            "flag",
            Arc::new(BooleanArray::from_iter((0..rows).map(|i| Some(i % 3 == 0)))),
        ),
        ("text", Arc::new(StringArray::from_iter(texts))),
        (
            "time",
            Arc::new(TimestampMillisecondArray::from_iter_values(times)),
        ),
    ];
    let columns = columns.map(|(name, array)| (name, array, true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    write(&directory.path().join("a.parquet"), &batch);
    let mut lists = ListBuilder::new(StringBuilder::new());
    lists.append_value([Some("a"), None]);
    lists.append_null();
    let nested: ArrayRef = Arc::new(lists.finish());
    let batch = RecordBatch::try_from_iter([("list", nested)]).unwrap();
    write(&directory.path().join("nested.parquet"), &batch);
    directory
}

fn write(path: &Path, batch: &RecordBatch) {
    let options = WriterOptions::default();
    let mut writer = Writer::try_new(File::create(path).unwrap(), batch.schema(), options).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

#[track_caller]
fn run(directory: &Path, arguments: &[&str]) -> String {
    let output = bytelane(arguments).current_dir(directory).output().unwrap();
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        text(&output.stderr)
    );
    text(&output.stdout)
}

#[test]
fn every_format_keeps_the_rows() {
    let directory = directory();
    let directory = directory.path();
    for name in ["b.csv", "b.jsonl", "b.arrow"] {
        run(directory, &["convert", "a.parquet", name]);
        let back = [
            "convert",
            name,
            "b.parquet",
            "--force",
            "--type",
            "time=timestamp",
        ];
        run(
            directory,
            if name == "b.arrow" { &back[..4] } else { &back },
        );
        let csv = |file: &str| run(directory, &["cat", file, "--format", "csv"]);
        assert!(csv("b.parquet") == csv("a.parquet"), "{name}");
    }
    run(directory, &["diff", "a.parquet", "b.parquet"]);
    // Types, options of the output, and other pairs of formats.
    run(
        directory,
        &[
            "convert",
            "b.csv",
            "c.parquet",
            "--row-group-size",
            "6000",
            "--goal",
            "size",
        ],
    );
    assert!(run(directory, &["inspect", "c.parquet"]).contains("20000 rows in 4 row groups"));
    run(directory, &["convert", "b.csv", "c.jsonl"]);
    run(directory, &["convert", "b.arrow", "d.csv"]);
    assert_eq!(
        fs::read(directory.join("d.csv")).unwrap(),
        fs::read(directory.join("b.csv")).unwrap()
    );
    for name in ["n.jsonl", "n.arrow"] {
        run(directory, &["convert", "nested.parquet", name]);
        run(directory, &["convert", name, "n.parquet", "--force"]);
        let rows = run(directory, &["cat", "n.parquet", "--format", "json"]);
        assert_eq!(rows, "{\"list\":[\"a\",null]}\n{\"list\":null}\n");
    }
}

#[test]
fn pipes_and_types_are_given() {
    let directory = directory();
    let directory = directory.path();
    let convert = |arguments: &[&str], input: &str| {
        let mut command = bytelane(&[&["convert"], arguments].concat());
        let output = command
            .current_dir(directory)
            .write_stdin(input)
            .output()
            .unwrap();
        (
            output.status.code(),
            text(&output.stdout),
            text(&output.stderr),
        )
    };
    let csv = "zip;n\n00123;1\n00456;\n";
    let (_, json, message) = convert(
        &[
            "-",
            "-",
            "--from",
            "csv",
            "--to",
            "json",
            "--delimiter",
            ";",
            "--type",
            "zip=string",
        ],
        csv,
    );
    assert_eq!(
        (json.as_str(), message.as_str()),
        (
            "{\"zip\":\"00123\",\"n\":1}\n{\"zip\":\"00456\",\"n\":null}\n",
            ""
        )
    );
    let (_, json, _) = convert(
        &["-", "-", "--from", "csv", "--to", "json", "--no-header"],
        "1,a\n2,b\n",
    );
    assert_eq!(
        json,
        "{\"column_1\":1,\"column_2\":\"a\"}\n{\"column_1\":2,\"column_2\":\"b\"}\n"
    );
    fs::write(directory.join("t.tsv"), "a\tb\n1\t2\n").unwrap();
    assert_eq!(
        run(directory, &["convert", "t.tsv", "-", "--to", "csv"]),
        "a,b\n1,2\n"
    );
    let (code, parquet, summary) = {
        let mut command = bytelane(&["convert", "-", "-", "--from", "json", "--to", "parquet"]);
        let output = command
            .write_stdin("{\"a\": 1}\n{\"a\": null, \"b\": \"x\"}\n")
            .output()
            .unwrap();
        (output.status.code(), output.stdout, text(&output.stderr))
    };
    assert!(code == Some(0) && parquet.starts_with(b"PAR1") && parquet.ends_with(b"PAR1"));
    assert!(summary.starts_with("-: 2 rows in 1 row group"), "{summary}");
}

#[test]
fn wrong_inputs_are_errors_and_leave_nothing_behind() {
    let directory = directory();
    let directory = directory.path();
    let before = fs::read_dir(directory).unwrap().count();
    for (format, input, problem) in [
        ("csv", &b"a\n1\nx\n"[..], "--type NAME=string"),
        ("csv", b"a,b\n1,2\n3\n", "line 3"),
        ("csv", b"\xff\xfe\0", "UTF-8"),
        ("csv", b"", "it is empty"),
        ("json", b"", "it is empty"),
        ("json", b"{\"a\": 1}\n[1]\n", "expected { got [1]"),
        ("json", b"{\"a\": ", "standard input: "),
        ("json", b"garbage", "standard input: "),
        ("arrow", b"", "ends in the middle"),
        (
            "arrow",
            b"ARROW1\0\0garbage and more of it",
            "standard input: ",
        ),
        (
            "arrow",
            b"\xff\xff\xff\xff\xff\xff\xff\x7f",
            "ends in the middle",
        ),
        ("parquet", b"garbage", "standard input: "),
    ] {
        let arguments = [
            "convert",
            "-",
            "new.parquet",
            "--from",
            format,
            "--infer-rows",
            "1",
        ];
        let mut command = bytelane(&arguments);
        let message = failure(command.current_dir(directory).write_stdin(input));
        assert!(message.contains(problem), "{format}: {message}");
        assert_eq!(
            fs::read_dir(directory).unwrap().count(),
            before,
            "{format}: {message}"
        );
    }
    for (arguments, problem) in [
        (&["convert", "a.parquet", "new.xyz"][..], "give --to"),
        (&["convert", "-", "new.parquet"], "give --from"),
        (
            &["convert", "a.parquet", "nested.parquet"],
            "--force replaces it",
        ),
        (&["convert", "missing.csv", "new.parquet"], "missing.csv"),
        (&["convert", ".", "new.parquet"], "choose a place outside"),
    ] {
        let message = failure(bytelane(arguments).current_dir(directory));
        assert!(message.contains(problem), "{arguments:?}: {message}");
    }
    #[cfg(target_os = "linux")]
    for format in ["csv", "json", "arrow", "parquet"] {
        let message = failure(
            bytelane(&["convert", "a.parquet", "/dev/full", "--to", format]).current_dir(directory),
        );
        assert!(
            message.contains("/dev/full") && message.contains("No space left"),
            "{format}: {message}"
        );
    }
}

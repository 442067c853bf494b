//! `bytelane advise`: results for files of all kinds, and errors for unreadable files.

use crate::{bytelane, failure, text};
use arrow_array::{Float64Array, Int64Array, RecordBatch};
use bytelane_parquet::{Encoding, Writer, WriterOptions};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

/// Returns a slow random walk, which BYTE_STREAM_SPLIT stores better than PLAIN.
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

/// Writes a Parquet file whose columns are PLAIN and uncompressed.
fn parquet(path: &Path, rows: usize) {
    let prices = Float64Array::from_iter_values(walk(rows));
    let times =
        Int64Array::from_iter_values((0..rows).map(|row| 1_700_000_000_000 + 1000 * row as i64));
    let columns = [
        ("price", Arc::new(prices) as _),
        ("time", Arc::new(times) as _),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let options = WriterOptions::default()
        .with_encoding(Encoding::Plain)
        .with_compression(bytelane_parquet::parquet::basic::Compression::UNCOMPRESSED);
    let mut writer =
        Writer::try_new(fs::File::create(path).unwrap(), batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

fn advise(path: &Path, more: &[&str]) -> assert_cmd::Command {
    let mut command = bytelane(&["advise", "--rows", "5000"]);
    command.arg(path).args(more);
    command
}

fn json(path: &Path, more: &[&str]) -> Value {
    let output = advise(path, more).args(["--format", "json"]).unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_raw_array_gets_a_choice_and_settings() {
    let directory = TempDir::new().unwrap();
    let path = file(&directory, "walk.f64", &bytes(&walk(20_000)));
    let advice = json(
        &path,
        &["--goal", "size", "--compare", "none,snappy,lz4_raw,zstd:3"],
    );
    assert_eq!(
        (advice["kind"].as_str(), advice["rows"].as_u64()),
        (Some("array"), Some(20_000))
    );
    let column = &advice["columns"][0];
    assert_eq!(column["column_type"], "DOUBLE");
    assert_eq!(column["encoding"], "byte_stream_split");
    assert!(column["entropy_bits"].as_f64().unwrap() > 10.0, "{column}");
    let candidates = column["candidates"].as_array().unwrap();
    // PLAIN, DICTIONARY and BYTE_STREAM_SPLIT, with five compressions each.
    assert_eq!(candidates.len(), 15);
    assert!(
        candidates
            .iter()
            .all(|candidate| candidate["write_mib_s"].as_f64().unwrap() > 0.0)
    );
    let settings = advice["settings"].to_string();
    for part in [
        "column_encoding",
        "set_column_encoding",
        "PARQUET_VERSION V2",
        "parquet.enable.dictionary#values",
        "write_parquet",
    ] {
        assert!(settings.contains(part), "{part} in {settings}");
    }
}

#[test]
fn readers_limit_the_choice() {
    let directory = TempDir::new().unwrap();
    let path = file(&directory, "walk.f64", &bytes(&walk(20_000)));
    let advice = json(&path, &["--readers", "pyarrow,spark>=4.2"]);
    assert_ne!(advice["columns"][0]["encoding"], "byte_stream_split");
    let shown = text(&advise(&path, &["--readers", "spark>=4.2"]).unwrap().stdout);
    assert!(shown.contains("spark>=4.2 cannot read it"), "{shown}");
    let message = failure(&mut advise(&path, &["--readers", "pandas"]));
    assert!(
        message.contains("pandas") && message.contains("pyarrow, duckdb"),
        "{message}"
    );
}

#[test]
fn directories_are_walked_and_checked() {
    let directory = TempDir::new().unwrap();
    fs::create_dir(directory.path().join("below")).unwrap();
    parquet(&directory.path().join("below/trades.parquet"), 10_000);
    file(&directory, "notes.txt", b"not of interest");
    let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (100, 20), }";
    let mut npy = b"\x93NUMPY\x01\x00".to_vec();
    npy.extend((header.len() as u16).to_le_bytes());
    npy.extend(header.bytes());
    npy.extend(bytes(&walk(2000)));
    file(&directory, "walk.npy", &npy);

    let shown = text(
        &advise(directory.path(), &["--format", "csv"])
            .unwrap()
            .stdout,
    );
    assert!(shown.starts_with("file,column,type,encoding,"), "{shown}");
    for part in [
        "trades.parquet,price,DOUBLE",
        "trades.parquet,time,INT64,delta_binary_packed",
        "walk.npy,values,DOUBLE",
    ] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    let code = |more: &[&str]| {
        advise(directory.path(), more)
            .output()
            .unwrap()
            .status
            .code()
    };
    assert_eq!(code(&["--brief"]), Some(0));
    assert_eq!(code(&["--brief", "--check"]), Some(1));
    assert_eq!(
        code(&["--brief", "--check", "--threshold", "99.9"]),
        Some(0)
    );
}

#[test]
fn several_files_share_a_table_and_settings() {
    let directory = TempDir::new().unwrap();
    for month in 1..=3 {
        let below = directory.path().join(format!("lake/month={month}"));
        fs::create_dir_all(&below).unwrap();
        parquet(&below.join("trades.parquet"), 10_000);
    }
    let lake = directory.path().join("lake");
    let shown = text(&advise(&lake, &[]).unwrap().stdout);
    assert!(shown.contains("\n 3 files "), "{shown}");
    assert!(
        shown.contains("and 2 files with the same columns"),
        "{shown}"
    );
    assert_eq!(shown.matches("pq.write_table").count(), 1, "{shown}");
    assert!(shown.contains("lake out/"), "{shown}");
    assert!(shown.lines().count() < 60, "{shown}");

    let output = directory.path().join("new/lake");
    let mut command = bytelane(&["rewrite"]);
    let shown = text(&command.args([&lake, &output]).unwrap().stdout);
    assert!(shown.contains("\n 3 files "), "{shown}");
    for month in 1..=3 {
        let new = output.join(format!("month={month}/trades.parquet"));
        assert!(new.is_file(), "{}", new.display());
    }
}

#[test]
fn exact_sizes_are_those_of_rewrite() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("trades.parquet");
    parquet(&path, 10_000);
    let advice = json(&path, &["--exact"]);
    let new = directory.path().join("new.parquet");
    let mut command = bytelane(&["rewrite", "--format", "json"]);
    let output = command.args([&path, &new]).unwrap();
    let rewritten: Value = serde_json::from_slice(&output.stdout).unwrap();
    for index in 0..2 {
        let (one, other) = (&advice["columns"][index], &rewritten["columns"][index]);
        assert_eq!(one["bytes_then"], other["after"]["bytes"], "{one}");
    }
}

#[test]
fn a_stronger_compression_is_named() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("trades.parquet");
    parquet(&path, 10_000);
    let shown = text(&advise(&path, &["--encodings", "plain"]).unwrap().stdout);
    assert!(
        shown.contains("--compression zstd:3 would save about"),
        "{shown}"
    );
    let arguments = ["--encodings", "plain", "--compression", "zstd:9"];
    let shown = text(&advise(&path, &arguments).unwrap().stdout);
    assert!(!shown.contains("would save"), "{shown}");
}

#[test]
fn what_it_says_to_rewrite_can_be_done_and_leaves_nothing_to_do() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("trades.parquet");
    parquet(&path, 10_000);
    let advice = json(&path, &["--goal", "size"]);
    let settings = advice["settings"].as_array().unwrap();
    let rewrite = settings
        .iter()
        .find(|it| it["writer"] == "bytelane rewrite")
        .unwrap();
    let line = rewrite["text"].as_str().unwrap().replace("\\\n", "");
    let arguments: Vec<&str> = line.split_whitespace().skip(1).collect();
    bytelane(&arguments)
        .current_dir(directory.path())
        .assert()
        .success();
    let rewritten = directory.path().join("out.parquet");
    advise(
        &rewritten,
        &["--goal", "size", "--check", "--threshold", "3"],
    )
    .assert()
    .success();
    for column in json(&rewritten, &["--goal", "size"])["columns"]
        .as_array()
        .unwrap()
    {
        assert_eq!(column["keep"], true, "{column}");
    }
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let directory = TempDir::new().unwrap();
    let cases: [(&str, &[u8], &str); 2] = [
        ("garbage.parquet", &[0x55; 1000], "garbage.parquet"),
        ("garbage.npy", b"garbage", "not an .npy file"),
    ];
    for (name, contents, expected) in cases {
        let path = file(&directory, name, contents);
        let message = failure(&mut advise(&path, &["--format", "json"]));
        assert!(
            message.contains(name) && message.contains(expected),
            "{message}"
        );
    }
    let message = failure(&mut advise(&directory.path().join("none.f64"), &[]));
    assert!(message.contains("none.f64"), "{message}");
    let empty = TempDir::new().unwrap();
    let message = failure(&mut advise(empty.path(), &[]));
    assert!(message.contains(".parquet"), "{message}");
}

#[test]
fn a_file_without_rows_and_one_with_a_single_row() {
    let directory = TempDir::new().unwrap();
    for values in [&[][..], &[1.5]] {
        let path = file(&directory, "few.f64", &bytes(values));
        let advice = json(&path, &[]);
        assert_eq!(advice["rows"].as_u64(), Some(values.len() as u64));
        advise(&path, &["--check", "--threshold", "100"])
            .assert()
            .success();
    }
}

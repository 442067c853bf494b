//! Runs the commands in the documents: all blocks marked `sh`. The blocks of a page share a
//! directory.

use arrow_array::{Float32Array, Int64Array, RecordBatch};
use bytelane_parquet::{Writer, WriterOptions};
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// Returns the blocks of a page that are marked `sh`.
fn blocks(page: &str) -> Vec<&str> {
    let pieces = page.split("\n```sh\n").skip(1);
    pieces
        .map(|piece| piece.split("```").next().unwrap())
        .collect()
}

/// Writes the file that the guide to Parquet creates with pyarrow, which need not be installed here.
/// `interop/test_guides.py` runs the guide's own line.
fn write_weather(path: &Path) {
    let hours = Int64Array::from_iter_values((0..5000).map(|hour| 1_700_000_000 + 3600 * hour));
    let degrees = (0..5000).map(|hour| 280.0 + (hour as f32 / 24.0).sin() * 9.7);
    let temperatures = Float32Array::from_iter_values(degrees);
    let columns = [
        ("hour", Arc::new(hours) as _),
        ("temperature", Arc::new(temperatures) as _),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let file = File::create(path).unwrap();
    let mut writer = Writer::try_new(file, batch.schema(), WriterOptions::default()).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

/// Returns whether a block needs pyarrow.
fn needs_pyarrow(block: &str) -> bool {
    block.contains("import") && block.contains("pyarrow")
}

/// Runs the blocks of a page; there must be `count`.
fn run(page: &str, count: usize) {
    let documents = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let text = fs::read_to_string(documents.join(page)).unwrap();
    let blocks = blocks(&text);
    assert_eq!(blocks.len(), count, "blocks of commands in {page}");

    let directory = tempfile::tempdir().unwrap();
    write_weather(&directory.path().join("weather.parquet"));
    let binary = PathBuf::from(assert_cmd::cargo::cargo_bin!("bytelane"));
    let mut path = OsString::from(binary.parent().unwrap());
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap());
    for block in blocks.into_iter().filter(|block| !needs_pyarrow(block)) {
        // With `pipefail`, a failure on the left of a pipe counts too.
        let output = Command::new("bash")
            .args(["-euo", "pipefail", "-c", block])
            .current_dir(directory.path())
            .env("PATH", &path)
            .env_remove("BYTELANE_BACKEND")
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{page}:\n{block}\n{errors}");
    }
}

#[test]
fn the_commands_about_parquet_run() {
    run("getting-started/parquet.md", 6);
}

#[test]
fn the_commands_about_data_sets_run() {
    run("getting-started/data-sets.md", 4);
}

#[test]
fn the_commands_about_thrift_run() {
    run("getting-started/thrift.md", 1);
}

#[test]
fn the_commands_about_posting_lists_run() {
    run("getting-started/posting-lists.md", 1);
}

#[test]
fn the_commands_about_json_and_base64_run() {
    run("getting-started/json-and-base64.md", 1);
}

#[test]
fn the_commands_about_choosing_run() {
    run("how-to-choose.md", 2);
}

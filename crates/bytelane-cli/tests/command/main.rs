//! Tests of the command as a user runs it.

mod advise;
mod bench;
mod bench_thrift;
mod convert;
mod dataset;
mod documents;
mod encrypted;
mod first_commands;
mod general;
mod looking;
mod merge;
mod names;
mod options;
mod options_of_reading;
mod outputs;
mod parquet;
mod process;
mod report;
mod rows;
mod thrift;
mod transcode;
mod widths;

use assert_cmd::Command;
use serde_json::{Map, Value};
use std::process::Output;

/// Returns the command with these arguments, without the caller's own settings.
fn bytelane(arguments: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("bytelane"));
    command.args(arguments);
    for variable in [
        "BYTELANE_BACKEND",
        "COLUMNS",
        "NO_COLOR",
        "CLICOLOR",
        "CLICOLOR_FORCE",
    ] {
        command.env_remove(variable);
    }
    command
}

/// Runs a command that must fail: exit code 2, nothing on standard output. Returns its message.
#[track_caller]
fn failure(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert_eq!(text(&output.stdout), "");
    assert!(message.starts_with("error: "), "{message}");
    message
}

#[track_caller]
fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Parses the rows that a benchmark printed as JSON.
#[track_caller]
fn rows(output: &Output) -> Vec<Map<String, Value>> {
    text(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Returns the distinct values of a key, sorted as text.
fn distinct(rows: &[Map<String, Value>], key: &str) -> Vec<String> {
    let shown = |value: &Value| value.as_str().map_or(value.to_string(), str::to_owned);
    let mut values: Vec<String> = rows.iter().map(|row| shown(&row[key])).collect();
    values.sort();
    values.dedup();
    values
}

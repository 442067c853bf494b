//! State that the command takes from its process: standard streams and signals.
#![cfg(unix)]

use crate::text;
use arrow_array::{Float64Array, RecordBatch};
use assert_cmd::cargo::cargo_bin;
use bytelane_parquet::{Encoding, Writer, WriterOptions};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Runs a line of shell in a directory, with `bytelane` as the command.
fn shell(directory: &Path, line: &str) -> Output {
    let line = line.replace("bytelane", "\"$0\"");
    let mut shell = Command::new("sh");
    shell.args(["-c", &line]).arg(cargo_bin!("bytelane"));
    shell.current_dir(directory).output().unwrap()
}

#[test]
fn a_closed_standard_stream_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    fs::write(directory.join("in"), "bytes").unwrap();
    for (line, stream) in [
        ("bytelane encode base64 < in >&-", "output"),
        ("bytelane encode base64 in -o - >&-", "output"),
        ("bytelane encode base64 < in 1</dev/null", "output"),
        ("bytelane cpu >&-", "output"),
        ("bytelane completions bash >&-", "output"),
        ("bytelane --help >&-", "output"),
        ("bytelane report --quick -o page.html >&-", "output"),
        ("bytelane encode base64 -o out <&-", "input"),
        ("bytelane encode base64 -o out 0>/dev/null", "input"),
    ] {
        let output = shell(directory, line);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}: {message}");
        let expected = format!("standard {stream}: it is closed");
        assert!(message.contains(&expected), "{line}: {message}");
        assert_eq!(fs::read_dir(directory).unwrap().count(), 1, "{line}");
    }
}

#[test]
fn streams_that_are_there_are_none() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    fs::write(directory.join("in"), "bytes").unwrap();
    for line in [
        "bytelane encode base64 < in > /dev/null",
        "bytelane encode base64 < in 1<> /dev/null",
        "bytelane encode base64 < /dev/null > /dev/null",
        "bytelane encode base64 in -o out <&- >&-",
        "bytelane encode base64 in <&-",
    ] {
        let output = shell(directory, line);
        assert_eq!(text(&output.stderr), "", "{line}");
        assert_eq!(output.status.code(), Some(0), "{line}");
    }
    assert_eq!(fs::read(directory.join("out")).unwrap(), b"Ynl0ZXM=");
}

/// Waits until an entry of a directory is the expected one.
fn wait_for(directory: &Path, is_expected: impl Fn(&fs::DirEntry) -> bool) {
    let start = Instant::now();
    let is_there = || {
        let mut entries = fs::read_dir(directory).unwrap().map(Result::unwrap);
        entries.any(|entry| is_expected(&entry))
    };
    while !is_there() {
        assert!(start.elapsed() < Duration::from_secs(60), "nothing came");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Waits until there is a half-written file in a directory.
fn wait_for_output(directory: &Path) {
    wait_for(directory, |entry| {
        let name = entry.file_name();
        name.to_string_lossy().starts_with(".bytelane-")
    });
}

/// Starts the command in a directory.
fn start(directory: &Path, arguments: &[&str]) -> Child {
    let mut command = Command::new(cargo_bin!("bytelane"));
    let command = command.args(arguments).current_dir(directory);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// Sends a signal to the command, and checks that its exit status names the signal.
fn check_ends(mut child: Child, (name, status): (&str, i32)) {
    // Waiting for the child closes its standard input.
    let input = child.stdin.take();
    let line = format!("kill -{name} {}", child.id());
    let sent = Command::new("sh").args(["-c", &line]).status().unwrap();
    assert!(sent.success());
    assert_eq!(child.wait().unwrap().code(), Some(status), "{name}");
    drop(input);
}

const SIGNALS: [(&str, i32); 3] = [("INT", 130), ("TERM", 143), ("HUP", 129)];

#[test]
fn a_filter_that_is_asked_to_end_says_by_what_and_leaves_nothing() {
    for signal in SIGNALS {
        let directory = tempfile::tempdir().unwrap();
        let directory = directory.path();
        fs::write(directory.join("out"), "precious").unwrap();
        let child = start(directory, &["encode", "base64", "-o", "out", "--force"]);
        wait_for_output(directory);
        check_ends(child, signal);
        assert_eq!(fs::read(directory.join("out")).unwrap(), b"precious");
        assert_eq!(fs::read_dir(directory).unwrap().count(), 1, "{signal:?}");
    }
}

/// Writes a file with a column of numbers.
fn write_parquet(path: &Path, rows: u32) {
    let values = (0..rows).map(|n| f64::from(n).sin());
    let values = Arc::new(Float64Array::from_iter_values(values));
    let batch = RecordBatch::try_from_iter([("value", values as _)]).unwrap();
    let file = fs::File::create(path).unwrap();
    let options = WriterOptions::default().with_encoding(Encoding::Plain);
    let mut writer = Writer::try_new(file, batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

#[test]
fn a_rewrite_that_is_asked_to_end_says_by_what_and_leaves_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    write_parquet(&directory.join("in.parquet"), 3_000_000);
    let line = "rewrite in.parquet out.parquet --verify --compression zstd:9";
    let arguments: Vec<&str> = line.split(' ').collect();
    for signal in SIGNALS {
        let child = start(directory, &arguments);
        wait_for_output(directory);
        check_ends(child, signal);
        assert_eq!(fs::read_dir(directory).unwrap().count(), 1, "{signal:?}");
    }
}

/// Repairs, merges and salvage write files; a signal ends them before these have their names.
#[test]
fn commands_that_write_files_leave_nothing_if_they_are_asked_to_end() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    write_parquet(&directory.join("in.parquet"), 3_000_000);
    for (arguments, signal) in [
        ["repair", "in.parquet", "out.parquet", "--verify"],
        ["merge", "in.parquet", "out.parquet", "--verify"],
        ["check", "in.parquet", "--salvage", "out.parquet"],
        ["cat", "in.parquet", "-o", "out.parquet"],
        ["tail", "in.parquet", "-n9999999", "-oout.parquet"],
        ["convert", "in.parquet", "out.parquet", "--force"],
    ]
    .into_iter()
    .zip(SIGNALS.into_iter().cycle())
    {
        let child = start(directory, &arguments);
        wait_for_output(directory);
        check_ends(child, signal);
        assert_eq!(fs::read_dir(directory).unwrap().count(), 1, "{arguments:?}");
    }
}

/// Commands that only read are ended at once.
#[cfg(target_os = "linux")]
#[test]
fn commands_that_read_say_by_which_signal_they_were_ended() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    write_parquet(&directory.join("in.parquet"), 3_000_000);
    for (arguments, signal) in [
        ["check", "in.parquet", "--values", "--format=text"],
        ["diff", "in.parquet", "in.parquet", "--any-order"],
        ["count", "in.parquet", "--where", "value > 0.5"],
    ]
    .into_iter()
    .zip(SIGNALS)
    {
        let child = start(directory, &arguments);
        wait_for_handler(&child);
        check_ends(child, signal);
    }
}

/// A rewrite to a pipe or a stream writes the same bytes as one to a file, and replaces nothing.
#[test]
fn a_rewrite_writes_to_pipes_and_streams() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    write_parquet(&directory.join("in.parquet"), 1000);
    for line in [
        "bytelane rewrite in.parquet file",
        "bytelane rewrite in.parquet - > stream",
        "mkfifo pipe && { cat pipe > piped & } && bytelane rewrite in.parquet pipe && wait",
    ] {
        let output = shell(directory, line);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{line}: {message}");
        let summary = if line.contains("- >") {
            message
        } else {
            text(&output.stdout)
        };
        assert!(summary.contains("saved"), "{line}: {summary}");
    }
    let expected = fs::read(directory.join("file")).unwrap();
    assert!(expected.len() > 1000);
    assert!(fs::read(directory.join("stream")).unwrap() == expected);
    assert!(fs::read(directory.join("piped")).unwrap() == expected);
    let pipe = fs::metadata(directory.join("pipe")).unwrap();
    assert!(!pipe.is_file(), "the pipe was replaced");

    let full = shell(directory, "bytelane rewrite in.parquet - > /dev/full");
    assert_eq!(full.status.code(), Some(2));
    let message = text(&full.stderr);
    assert!(message.contains("No space left"), "{message}");
    // The reader stops early.
    let left = shell(
        directory,
        "(sleep 0.3; bytelane rewrite in.parquet -; echo $? >&2) | true",
    );
    assert_eq!(text(&left.stderr).trim_end().lines().last(), Some("0"));
    assert!(!text(&left.stderr).contains("roken pipe"));
    for output in ["-", "pipe"] {
        let line = format!("bytelane rewrite in.parquet {output} --verify > verified");
        let verified = shell(directory, &line);
        assert_eq!(verified.status.code(), Some(2), "{line}");
        let message = text(&verified.stderr);
        assert!(
            message.contains("cannot be read again"),
            "{line}: {message}"
        );
    }
}

/// Waits until the signal handler's thread exists: an earlier signal would end the process by itself.
#[cfg(target_os = "linux")]
fn wait_for_handler(child: &Child) {
    let threads = format!("/proc/{}/task", child.id());
    wait_for(Path::new(&threads), |thread| {
        fs::read_to_string(thread.path().join("comm")).is_ok_and(|name| name == "signals\n")
    });
}

/// A rewrite waits for the reader of a pipe until a signal ends it.
#[cfg(target_os = "linux")]
#[test]
fn a_rewrite_that_waits_for_a_reader_can_be_ended() {
    for signal in SIGNALS {
        let directory = tempfile::tempdir().unwrap();
        let directory = directory.path();
        write_parquet(&directory.join("in.parquet"), 10);
        assert!(shell(directory, "mkfifo pipe").status.success());
        let child = start(directory, &["rewrite", "in.parquet", "pipe"]);
        wait_for_handler(&child);
        check_ends(child, signal);
    }
}

/// A conversion waits for the rows of a pipe, of which it has inferred the types, until a signal ends it.
#[cfg(target_os = "linux")]
#[test]
fn a_conversion_that_waits_for_rows_can_be_ended() {
    for signal in SIGNALS {
        let directory = tempfile::tempdir().unwrap();
        let directory = directory.path();
        let line = "convert - out.parquet --from csv --infer-rows 1";
        let mut child = start(directory, &line.split(' ').collect::<Vec<_>>());
        let rows = child.stdin.as_mut().unwrap().write_all(b"id\n1\n2\n");
        rows.unwrap();
        wait_for_handler(&child);
        check_ends(child, signal);
        assert_eq!(fs::read_dir(directory).unwrap().count(), 0, "{signal:?}");
    }
}

#[test]
fn a_rewrite_replaces_a_file_that_is_read_only_if_it_is_forced_to() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    write_parquet(&directory.join("in.parquet"), 10);
    fs::write(directory.join("out"), "precious").unwrap();
    let refused = shell(directory, "chmod 444 out; bytelane rewrite in.parquet out");
    assert_eq!(refused.status.code(), Some(2));
    assert_eq!(
        text(&refused.stderr),
        "error: out: the file exists; --force replaces it\n"
    );
    assert_eq!(fs::read(directory.join("out")).unwrap(), b"precious");
    let forced = shell(directory, "bytelane rewrite in.parquet out --force");
    assert_eq!(forced.status.code(), Some(0), "{}", text(&forced.stderr));
    let replaced = fs::metadata(directory.join("out")).unwrap();
    assert!(replaced.permissions().readonly(), "the permissions stay");
    assert!(replaced.len() > 8);
}

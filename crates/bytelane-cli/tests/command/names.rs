//! Names with control characters for terminals.
#![cfg(unix)]

use crate::{bytelane, text};
use arrow_array::{Float64Array, RecordBatch};
use bytelane_parquet::{Encoding, Writer, WriterOptions};
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// Sets the title of the terminal, rings, and makes a second line of an output.
const EVIL: &str = "a\x1b]0;title\x07\nQ";

/// Escaped form of the name.
const ESCAPED: &str = r"a\u{1b}]0;title\u{7}\nQ";

/// Column name that would turn the following text red. It has no line break, because a schema would
/// keep it.
const EVIL_COLUMN: &str = "c\x1b[31m";
const ESCAPED_COLUMN: &str = r"c\u{1b}[31m";

/// Writes a Parquet file with an evil name and column.
fn write_parquet(directory: &Path) -> String {
    let name = format!("{EVIL}.parquet");
    let values = Arc::new(Float64Array::from_iter_values((0..3000).map(f64::from)));
    let batch = RecordBatch::try_from_iter([(EVIL_COLUMN, values as _)]).unwrap();
    let file = fs::File::create(directory.join(&name)).unwrap();
    let options = WriterOptions::default().with_encoding(Encoding::Plain);
    let mut writer = Writer::try_new(file, batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    name
}

/// Runs a command, which must show the evil name, escaped.
#[track_caller]
fn check(directory: &Path, arguments: &[&str]) {
    let output = bytelane(arguments).current_dir(directory).output().unwrap();
    let shown = text(&output.stdout) + &text(&output.stderr);
    assert!(
        shown.contains(ESCAPED) || shown.contains(ESCAPED_COLUMN),
        "{arguments:?}: {shown}"
    );
    let is_raw = |c: char| c.is_control() && c != '\n';
    assert!(!shown.contains(is_raw), "{arguments:?}: {shown:?}");
    assert!(
        !shown.lines().any(|line| line.trim_start().starts_with('Q')),
        "{arguments:?}: {shown}"
    );
}

#[test]
fn no_command_shows_control_characters() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let parquet = &*write_parquet(directory);
    let float = &*format!("{EVIL}.f64");
    fs::write(directory.join(float), [7; 15]).unwrap();
    fs::create_dir(directory.join(EVIL)).unwrap();
    fs::write(directory.join(EVIL).join("a.thrift"), "struct \x1b {}").unwrap();
    fs::write(directory.join(EVIL).join("no.parquet"), "PAR0").unwrap();
    let missing = &*format!("{EVIL}/missing");
    let no_parquet = &*format!("{EVIL}/no.parquet");
    let idl = &*format!("{EVIL}/a.thrift");
    let codec = "big_endian:width=4";
    for arguments in [
        &["encode", codec, EVIL][..],
        &["encode", codec, missing],
        &["encode", codec, float],
        &["encode", codec, "-o", EVIL],
        &["encode", codec, "-o", &format!("{missing}/out")],
        &["encode", codec, "in", float],
        &["inspect", parquet],
        &["inspect", parquet, "--by", "pages"],
        &["inspect", parquet, "--schema"],
        &["inspect", missing],
        &["inspect", no_parquet],
        &["advise", parquet, "--rows", "1000"],
        &["advise", parquet, "--rows", "1000", "--format", "md"],
        &["advise", missing],
        &["advise", no_parquet],
        &["advise", no_parquet, no_parquet],
        &["rewrite", parquet, &format!("{EVIL}/out.parquet")],
        &["rewrite", no_parquet, "out.parquet"],
        &["rewrite", parquet, &format!("{missing}/out.parquet")],
        &["rewrite", parquet, "out.parquet", "--column", "price=plain"],
        &[
            "report",
            "--quick",
            "--only",
            "sizes",
            "-o",
            &format!("{EVIL}.csv"),
        ],
        &["report", "--quick", "--only", "files", missing],
        &["report", "--quick", "--only", "files", no_parquet],
        &["bench", "parquet", float],
        &["bench", "parquet", &format!("{EVIL}.txt")],
        &["thrift", "compile", missing, "-o", "modules"],
        // Names from a shell's expansion of `*`.
        &["encode", EVIL],
        &["encode", codec, "in", EVIL],
        &["inspect", EVIL, EVIL],
        &["inspect", &format!("--{EVIL}")],
        &["thrift", "compile", idl, "-o", "modules"],
    ] {
        check(directory, arguments);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn results_for_programs_have_names_that_are_not_unicode() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let parquet = write_parquet(directory);
    let name = OsStr::from_bytes(b"\xff.parquet");
    fs::create_dir(directory.join("lake")).unwrap();
    fs::rename(directory.join(parquet), directory.join("lake").join(name)).unwrap();
    for arguments in [
        &["check", "lake"][..],
        &["advise", "lake", "--rows", "1000"],
        &["count", "lake"],
        &["diff", "lake", "lake"],
        &["rewrite", "lake", "new"],
    ] {
        let output = bytelane(&[arguments, &["--format", "json"]].concat());
        let output = { output }.current_dir(directory).output().unwrap();
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {message}");
    }
}

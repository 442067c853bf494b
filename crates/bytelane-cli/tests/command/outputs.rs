//! Names of outputs, and files that must not be replaced.

use crate::{bytelane, failure, text};
use arrow_array::{ArrayRef, Float64Array, RecordBatch};
use bytelane_parquet::{Encoding, Writer, WriterOptions};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

/// Writes a file of 20,000 rows that no encoding makes smaller.
fn write(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let random = |i: u64| (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 11;
    let values = (0..20_000).map(|i| random(i) as f64);
    let values: ArrayRef = Arc::new(Float64Array::from_iter_values(values));
    let batch = RecordBatch::try_from_iter([("value", values)]).unwrap();
    let options = WriterOptions::default().with_encoding(Encoding::Plain);
    let mut writer =
        Writer::try_new(fs::File::create(path).unwrap(), batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

fn directory() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    write(&directory.path().join("lake/in.parquet"));
    directory
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap().flatten();
    let names = entries.map(|entry| entry.file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[track_caller]
fn succeeds(directory: &Path, arguments: &[&str]) -> std::process::Output {
    let output = bytelane(arguments).current_dir(directory).output().unwrap();
    assert_eq!(
        output.status.code(),
        Some(0),
        "{arguments:?}: {}",
        text(&output.stderr)
    );
    output
}

const IN: &str = "lake/in.parquet";

/// Arguments of each command that writes one Parquet file to this output.
fn commands(output: &str) -> [Vec<&str>; 6] {
    [
        vec!["cat", IN, "-o", output],
        vec!["rewrite", IN, output],
        vec!["merge", IN, output],
        vec!["repair", IN, output],
        vec!["edit", IN, output, "--add", "more int64"],
        vec!["check", IN, "--salvage", output],
    ]
}

#[test]
fn a_dash_is_standard_output() {
    let directory = directory();
    let directory = directory.path();
    for arguments in commands("-") {
        let output = succeeds(directory, &arguments);
        let bytes = &output.stdout;
        assert!(
            bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"),
            "{arguments:?}"
        );
        assert!(!output.stderr.is_empty(), "{arguments:?}: the summary");
        assert_eq!(names(directory), ["lake"], "{arguments:?}");
    }
    let refused = ["merge", IN, "-", "--file-size", "1MiB"];
    assert!(failure(bytelane(&refused).current_dir(directory)).contains("name a file"));
}

#[test]
fn an_existing_file_is_only_replaced_if_the_command_is_forced_to() {
    let directory = directory();
    let directory = directory.path();
    let there = directory.join("there.parquet");
    let encode = vec!["encode", "base64", IN, "-o", "there.parquet"];
    for arguments in commands("there.parquet").into_iter().chain([encode]) {
        fs::write(&there, "precious").unwrap();
        let message = failure(bytelane(&arguments).current_dir(directory));
        let expected = "there.parquet: the file exists; --force replaces it";
        assert!(message.contains(expected), "{arguments:?}: {message}");
        assert_eq!(fs::read(&there).unwrap(), b"precious", "{arguments:?}");
        succeeds(directory, &[&arguments[..], &["--force"]].concat());
        assert_ne!(fs::read(&there).unwrap(), b"precious", "{arguments:?}");
        assert_eq!(names(directory), ["lake", "there.parquet"], "{arguments:?}");
    }
    // The file that is read is replaced by its own new version.
    for arguments in commands(IN).into_iter().take(4) {
        succeeds(directory, &arguments);
    }
}

#[test]
fn parts_of_an_earlier_merge_are_noticed() {
    let directory = directory();
    let directory = directory.path();
    let merge = |size: &'static str| ["merge", IN, "o.parquet", "--file-size", size];
    succeeds(directory, &merge("40000"));
    let parts = names(directory);
    assert!(parts.len() > 3, "{parts:?}");
    let message = failure(bytelane(&merge("600000")).current_dir(directory));
    assert!(
        message.contains("o-00000.parquet: the file exists"),
        "{message}"
    );
    fs::remove_file(directory.join("o-00000.parquet")).unwrap();
    let message = failure(bytelane(&merge("600000")).current_dir(directory));
    assert!(
        message.contains("o-00001.parquet: the file exists"),
        "{message}"
    );
    fs::write(directory.join("o-notes.parquet"), "other").unwrap();
    succeeds(directory, &[&merge("600000")[..], &["--force"]].concat());
    assert_eq!(
        names(directory),
        ["lake", "o-00000.parquet", "o-notes.parquet"]
    );
}

#[test]
fn an_output_in_a_directory_that_is_read_is_refused() {
    let directory = directory();
    let directory = directory.path();
    write(&directory.join("lake/one/in.parquet"));
    let mut inside = vec![
        "lake",
        "lake/",
        "lake/new",
        "lake/../lake",
        "./lake/one",
        "new/../lake/two",
    ];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("lake", directory.join("link")).unwrap();
        inside.extend(["link", "link/", "link/new"]);
    }
    let before = fs::read(directory.join(IN)).unwrap();
    for output in &inside {
        let message = failure(bytelane(&["rewrite", "lake", output]).current_dir(directory));
        assert!(
            message.contains("choose a place outside"),
            "{output}: {message}"
        );
        let file = format!("{output}/merged.parquet");
        let message = failure(bytelane(&["merge", "lake", &file]).current_dir(directory));
        assert!(
            message.contains("choose a place outside"),
            "{file}: {message}"
        );
        assert_eq!(fs::read(directory.join(IN)).unwrap(), before, "{output}");
        assert_eq!(
            names(&directory.join("lake")),
            ["in.parquet", "one"],
            "{output}"
        );
    }
    succeeds(directory, &["rewrite", "lake", "lake.new"]);
    assert_eq!(names(&directory.join("lake.new")), ["in.parquet", "one"]);
    succeeds(directory, &["merge", "lake", "merged.parquet"]);
}

#[test]
fn outputs_that_the_next_run_would_read_are_refused_by_all_commands() {
    let directory = directory();
    let directory = directory.path();
    write(&directory.join("k=1/in.parquet"));
    for arguments in [
        &["merge", "lake/*.parquet", "lake/new.parquet"][..],
        &[
            "merge",
            "lake/in*.parquet",
            "lake/in.parquet",
            "--file-size",
            "1MiB",
        ],
        &["merge", "k=*", "k=1/new.parquet"],
        &["rewrite", "**", "new"],
        &["rewrite", "lake/**/*.parquet", "lake/new"],
        &["repair", "lake", "lake/new.parquet"],
        &["edit", "lake", "lake/new.parquet", "--add", "more int64"],
        &["check", "lake", "--salvage", "lake/new.parquet"],
        &["dataset", "plan", "lake", "--output", "lake/plan.parquet"],
    ] {
        let message = failure(bytelane(arguments).current_dir(directory));
        let expected = "so that the next run would read it as well";
        assert!(message.contains(expected), "{arguments:?}: {message}");
        assert_eq!(names(directory), ["k=1", "lake"], "{arguments:?}");
        assert_eq!(
            names(&directory.join("lake")),
            ["in.parquet"],
            "{arguments:?}"
        );
    }
    // A file that matches is replaced by its own new version, and other names do not match.
    succeeds(directory, &["merge", "lake/*.parquet", "lake/in.parquet"]);
    succeeds(directory, &["rewrite", "lake/*.parquet", "lake"]);
    succeeds(
        directory,
        &["merge", "lake/in*.parquet", "lake/new.parquet"],
    );
    // Other names are not read.
    for arguments in [
        &["dataset", "plan", "lake", "--output", "lake/plan.json"][..],
        &["rewrite", "lake", "lake/_new/"],
    ] {
        succeeds(directory, arguments);
    }
    let output = succeeds(&directory.join("k=1"), &["merge", ".", "-"]);
    assert!(output.stdout.ends_with(b"PAR1"));
}

#[test]
fn files_of_a_table_format_are_only_replaced_with_as_files() {
    let directory = directory();
    let directory = directory.path();
    let file = "table/year=1/in.parquet";
    write(&directory.join(file));
    fs::create_dir_all(directory.join("table/_delta_log")).unwrap();
    fs::write(directory.join("table/_delta_log/0.json"), "{}").unwrap();
    let before = fs::read(directory.join(file)).unwrap();
    for arguments in [
        &["rewrite", file, file][..],
        &["repair", file, file],
        &["merge", IN, file, "--force"],
        &["rewrite", IN, "table/year=1", "--force"],
        &["check", IN, "--salvage", file, "--force"],
    ] {
        let message = failure(bytelane(arguments).current_dir(directory));
        let expected = "in a table of Delta Lake, whose metadata describes it";
        assert!(message.contains(expected), "{arguments:?}: {message}");
        assert!(
            fs::read(directory.join(file)).unwrap() == before,
            "{arguments:?}"
        );
    }
    // A new file is none of the table until it is committed.
    succeeds(directory, &["merge", file, "table/year=1/new.parquet"]);
    succeeds(directory, &["repair", file, file, "--as-files"]);
}

#[test]
fn no_file_is_rewritten_if_one_of_the_outputs_exists() {
    let directory = directory();
    let directory = directory.path();
    write(&directory.join("lake/other.parquet"));
    fs::create_dir(directory.join("new")).unwrap();
    fs::write(directory.join("new/other.parquet"), "precious").unwrap();
    let message = failure(bytelane(&["rewrite", "lake", "new"]).current_dir(directory));
    assert!(
        message.contains("other.parquet: the file exists"),
        "{message}"
    );
    assert_eq!(names(&directory.join("new")), ["other.parquet"]);
}

#[cfg(unix)]
#[test]
fn devices_and_links_in_a_circle_are_outputs_like_others() {
    let directory = directory();
    let directory = directory.path();
    std::os::unix::fs::symlink("circle", directory.join("circle")).unwrap();
    for arguments in commands("circle") {
        let message = failure(bytelane(&arguments).current_dir(directory));
        assert!(message.contains("circle: "), "{arguments:?}: {message}");
    }
    for arguments in commands("/dev/null") {
        succeeds(directory, &arguments);
    }
    let several = ["merge", IN, "/dev/null", "--file-size", "1MiB"];
    let message = failure(bytelane(&several).current_dir(directory));
    assert!(message.contains("name a file"), "{message}");
    assert!(!Path::new("/dev/null-00000").exists());
}

#[test]
fn flags_may_stand_anywhere_among_paths() {
    let directory = directory();
    let directory = directory.path();
    fs::copy(directory.join(IN), directory.join("b")).unwrap();
    // The paths, a flag with a value, and the files that are written.
    for (paths, flag, written) in [
        ("merge IN b out", "--row-group-size 9000", "out"),
        ("rewrite IN b out", "--goal size", "out/b out/in.parquet"),
        ("rewrite IN out", "--goal size", "out"),
        ("convert IN out.csv", "--infer-rows 9", "out.csv"),
        ("edit IN out", "--rename value=number", "out"),
        ("repair IN out", "--bloom-filter value", "out"),
    ] {
        let mut expected = None;
        let paths = paths.replace("IN", IN);
        let paths: Vec<&str> = paths.split(' ').collect();
        for place in 1..=paths.len() {
            let mut arguments = paths.clone();
            arguments.insert(paths.len() + 1 - place, "--force");
            arguments.splice(place..place, flag.split(' '));
            succeeds(directory, &arguments);
            let read = |name| fs::read(directory.join(name)).unwrap();
            let found: Vec<_> = written.split(' ').map(read).collect();
            let expected = expected.get_or_insert(found.clone());
            assert!(*expected == found, "{arguments:?}");
        }
        let out = directory.join("out");
        let _ = fs::remove_dir_all(&out).or_else(|_| fs::remove_file(&out));
    }
    succeeds(directory, &["merge", IN, "--", "b", "--force"]);
    assert!(directory.join("--force").exists());
    for verb in ["merge", "rewrite"] {
        for (arguments, expected) in [
            (&[verb, IN, "--force"][..], "OUTPUT is missing"),
            (&[verb], "  <INPUT>...\n  <OUTPUT>\n"),
            (&[verb, IN, "--forced", "out"], "'--forced'"),
        ] {
            let message = failure(bytelane(arguments).current_dir(directory));
            assert!(message.contains(expected), "{message}");
        }
    }
}

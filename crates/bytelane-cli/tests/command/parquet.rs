//! `bytelane inspect`, `bytelane rewrite` and `bytelane bench parquet`.

use crate::{bytelane, failure, text};
use arrow_array::{Float64Array, RecordBatch, StringArray};
use bytelane_parquet::{Encoding, Writer, WriterOptions};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

/// Creates a directory with a file of two columns, `value` and `name`.
fn directory() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let values = Float64Array::from_iter_values((0..3000).map(|i| 20.0 + f64::from(i).sin()));
    let names = StringArray::from_iter_values((0..3000).map(|i| format!("name {}", i % 7)));
    let columns = [
        ("value", Arc::new(values) as _),
        ("name", Arc::new(names) as _),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let file = fs::File::create(directory.path().join("in.parquet")).unwrap();
    let options = WriterOptions::default().with_encoding(Encoding::Plain);
    let mut writer = Writer::try_new(file, batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    directory
}

fn run(directory: &Path, arguments: &[&str]) -> String {
    let output = bytelane(arguments).current_dir(directory).unwrap();
    assert_eq!(text(&output.stderr), "");
    text(&output.stdout)
}

fn json(directory: &Path, arguments: &[&str]) -> Value {
    let arguments = [arguments, &["--format", "json"]].concat();
    serde_json::from_str(&run(directory, &arguments)).unwrap()
}

#[test]
fn inspect_shows_columns_row_groups_and_pages() {
    let directory = directory();
    let directory = directory.path();
    let shown = run(directory, &["inspect", "in.parquet"]);
    for word in [
        "3000 rows in 1 row group",
        "value",
        "DOUBLE",
        "STRING",
        "plain",
        "zstd",
    ] {
        assert!(shown.contains(word), "{word} in\n{shown}");
    }
    assert!(shown.contains(" KiB"), "{shown}");
    // A file does not store the level.
    assert!(!shown.contains("zstd:"), "{shown}");
    let shown = run(
        directory,
        &[
            "inspect",
            "in.parquet",
            "--by",
            "row-groups",
            "--format",
            "csv",
        ],
    );
    assert!(
        shown
            .lines()
            .nth(1)
            .unwrap()
            .contains("column index, offset index"),
        "{shown}"
    );
    assert!(!shown.contains("KiB"), "exact sizes in CSV: {shown}");
    let shown = run(
        directory,
        &["inspect", "in.parquet", "--by", "pages", "--format", "md"],
    );
    assert_eq!(shown.matches("| data ").count(), 2, "{shown}");
    let shown = run(directory, &["inspect", "in.parquet", "--schema"]);
    assert!(
        shown.starts_with("message ") && shown.contains("REQUIRED DOUBLE value;"),
        "{shown}"
    );
    let inspection = json(directory, &["inspect", "in.parquet"]);
    let column = &inspection["row_groups"][0]["columns"][0];
    assert_eq!(column["path"], "value");
    assert_eq!(column["order"], "type_defined");
    assert_eq!(column["pages"][0]["values"], 3000);
}

#[test]
fn rewrite_tells_what_became_of_each_column() {
    let directory = directory();
    let directory = directory.path();
    let line = ["rewrite", "in.parquet", "out.parquet", "--verify"];
    let shown = run(directory, &line);
    assert!(shown.contains("saved, every value compared"), "{shown}");
    let rewritten = json(
        directory,
        &[
            &line[..],
            &["--force", "--column", "value=byte_stream_split"],
        ]
        .concat(),
    );
    assert_eq!(rewritten["verified"], true);
    let column = &rewritten["columns"][0];
    assert_eq!(column["rewritten"], 1);
    assert_eq!(column["before"]["encodings"][0], "plain");
    assert_eq!(column["after"]["encodings"][0], "byte_stream_split");
    let bytes = fs::metadata(directory.join("out.parquet")).unwrap().len();
    assert_eq!(rewritten["bytes_after"], bytes);
}

#[test]
#[cfg(target_os = "linux")]
fn nothing_follows_a_file_on_standard_output() {
    use std::process::Stdio;

    let directory = directory();
    let directory = directory.path();
    let whole = |bytes: &[u8]| bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1");
    for name in ["-", "/dev/stdout", "/proc/self/fd/1"] {
        let mut run = bytelane(&["rewrite", "in.parquet", name]);
        let output = run.current_dir(directory).output().unwrap();
        assert!(whole(&output.stdout), "{name}");
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(told.contains("saved"), "{name}: {told}");
    }
    let out = directory.join("redirected");
    let mut run = std::process::Command::new(assert_cmd::cargo::cargo_bin!("bytelane"));
    run.args(["rewrite", "in.parquet", "/dev/stdout"])
        .stderr(Stdio::null());
    let run = run
        .stdout(fs::File::create(&out).unwrap())
        .current_dir(directory);
    assert!(run.status().unwrap().success());
    assert!(whole(&fs::read(&out).unwrap()));
}

#[test]
fn alp_is_written_only_if_it_is_asked_for() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let random = |i: u64| (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) % 1_000_000;
    let prices = (0..20_000).map(|i| random(i) as f64 / 100.0);
    let prices = Arc::new(Float64Array::from_iter_values(prices)) as _;
    let batch = RecordBatch::try_from_iter([("price", prices)]).unwrap();
    let sink = fs::File::create(path.join("prices.parquet")).unwrap();
    let options = WriterOptions::default().with_encoding(Encoding::Plain);
    let mut writer = Writer::try_new(sink, batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let rewrite = |from: &str, to: &str, more: &[&str]| {
        let rewritten = json(path, &[&["rewrite", from, to], more].concat());
        rewritten["columns"][0]["after"]["encodings"].clone()
    };
    let more = ["--encodings", "+alp", "--readers", "arrow-rs"];
    let advice = run(path, &[&["advise", "prices.parquet"][..], &more].concat());
    assert!(advice.contains("alp (preview)"), "{advice}");
    assert!(
        advice.contains("--encodings +alp --readers arrow-rs"),
        "{advice}"
    );
    assert_eq!(
        rewrite("prices.parquet", "alp.parquet", &more),
        serde_json::json!(["alp"])
    );
    assert_eq!(
        rewrite("alp.parquet", "again.parquet", &more),
        serde_json::json!(["alp"])
    );
    let usual = rewrite("alp.parquet", "usual.parquet", &[]);
    assert_ne!(usual, serde_json::json!(["alp"]));

    // The default readers do not support it.
    let output = bytelane(&["advise", "prices.parquet", "--encodings", "+alp"])
        .current_dir(path)
        .unwrap();
    let (shown, note) = (text(&output.stdout), text(&output.stderr));
    assert!(
        shown.contains("alp (preview)") && shown.contains("pyarrow cannot read it"),
        "{shown}"
    );
    assert!(
        note.starts_with("note: pyarrow cannot read alp, so it is not chosen"),
        "{note}"
    );
    let advice = run(path, &["advise", "alp.parquet", "--brief"]);
    let reason =
        "price is re-encoded: it is in alp, a preview, which is kept only with --encodings +alp";
    assert!(advice.contains(reason), "{advice}");
    let wrong = ["rewrite", "a", "b", "--encodings", "alp,+plain"];
    let message = failure(&mut bytelane(&wrong));
    assert!(message.contains("mixes encodings"), "{message}");
}

#[test]
fn a_file_is_rewritten_in_its_place() {
    let directory = directory();
    let directory = directory.path();
    let line = [
        "rewrite",
        "in.parquet",
        "in.parquet",
        "--compression",
        "gzip:6",
    ];
    let shown = run(directory, &line);
    assert!(shown.contains("zstd -> gzip:6"), "{shown}");
    let inspection = json(directory, &["inspect", "in.parquet"]);
    assert_eq!(
        inspection["row_groups"][0]["columns"][1]["compression"],
        "gzip"
    );
}

#[test]
fn several_files_are_rewritten_into_a_directory() {
    let directory = directory();
    let directory = directory.path();
    fs::copy(
        directory.join("in.parquet"),
        directory.join("other.parquet"),
    )
    .unwrap();
    fs::create_dir(directory.join("out")).unwrap();
    let files = ["in.parquet", "other.parquet"];
    let line = ["rewrite", files[0], files[1], "out", "--verify"];
    let shown = run(directory, &line);
    assert!(
        shown.contains("2 files in out; every value compared"),
        "{shown}"
    );
    for file in files {
        assert_eq!(shown.matches(&format!(" {file} ")).count(), 1, "{shown}");
        assert!(directory.join("out").join(file).exists());
    }
    let csv = run(
        directory,
        &[&line[..], &["--force", "--format", "csv"]].concat(),
    );
    assert!(csv.starts_with("file,column,"), "{csv}");
    assert_eq!(csv.lines().count(), 5, "{csv}");
    let shown = run(
        directory,
        &[&line[..], &["--force", "--format", "json"]].concat(),
    );
    let objects: Vec<Value> = shown
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(objects[1]["input"], "other.parquet");
    assert_eq!(objects[1]["output"], "out/other.parquet");

    let message = |arguments: &[&str]| failure(bytelane(arguments).current_dir(directory));
    let told = message(&["rewrite", files[0], files[1], "in.parquet"]);
    assert!(
        told.contains("in.parquet: this is not a directory"),
        "{told}"
    );
    let told = message(&["rewrite", files[0], "out/in.parquet", "out"]);
    assert!(
        told.contains("several files would have this name"),
        "{told}"
    );
}

#[test]
fn a_dry_run_writes_nothing_and_tells_the_same() {
    let directory = directory();
    let directory = directory.path();
    let line = ["rewrite", "in.parquet", "out.parquet"];
    let dry = json(directory, &[&line[..], &["--dry-run"]].concat());
    assert!(!directory.join("out.parquet").exists());
    assert_eq!(dry["output"], Value::Null);
    let done = json(directory, &line);
    for key in ["bytes_before", "bytes_after", "columns"] {
        assert_eq!(dry[key], done[key]);
    }
    let shown = run(directory, &[&line[..], &["--dry-run"]].concat());
    assert!(shown.contains("nothing was written"), "{shown}");
}

#[test]
fn an_error_names_a_path_once() {
    let directory = directory();
    let directory = directory.path();
    let line = ["rewrite", "in.parquet", "missing/out.parquet"];
    let told = failure(bytelane(&line).current_dir(directory));
    assert!(told.contains("missing/out.parquet: No such file"), "{told}");
    assert_eq!(told.matches("missing").count(), 1, "{told}");
}

#[test]
fn what_is_no_parquet_file_is_called_the_same_by_all_commands() {
    let directory = directory();
    let directory = directory.path();
    let whole = fs::read(directory.join("in.parquet")).unwrap();
    let middle = whole.len() / 2;
    let lying = [b"PAR1", &[0xff; 100][..], &[100, 0, 0, 0], b"PAR1"].concat();
    for (name, contents) in [
        ("empty.parquet", &b""[..]),
        (
            "text.parquet",
            "No table, but lines of text.\n".repeat(9).as_bytes(),
        ),
        ("cut.parquet", &whole[..middle]),
        ("lying.parquet", &lying),
        ("directory/file.txt", b"text"),
    ] {
        let path = directory.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    }
    let mut told = String::new();
    for name in [
        "nosuch.parquet",
        "empty.parquet",
        "text.parquet",
        "cut.parquet",
        "lying.parquet",
        "directory",
        "/dev/null",
        "-",
    ] {
        let message = |arguments: &[&str]| failure(bytelane(arguments).current_dir(directory));
        let inspect = message(&["inspect", name]);
        assert_eq!(message(&["rewrite", name, "out"]), inspect);
        assert!(!directory.join("out").exists());
        let advise = message(&["advise", name]);
        told += &inspect;
        if advise != inspect {
            told += &format!("advise: {advise}");
        }
    }
    insta::assert_snapshot!(told);
}

#[test]
fn what_cannot_be_done_is_a_plain_sentence() {
    let directory = directory();
    fs::write(directory.path().join("text"), "not a table").unwrap();
    let message = |arguments: &[&str]| failure(bytelane(arguments).current_dir(directory.path()));
    for (arguments, expected) in [
        (&["inspect", "nosuch"][..], "nosuch: No such file"),
        (
            &["inspect", "text"],
            "text: not a Parquet file: it has only 11 bytes",
        ),
        (
            &["rewrite", "text", "out"],
            "text: not a Parquet file: it has only 11 bytes",
        ),
        (&["rewrite", "in.parquet", "no/out"], "no/out: No such file"),
        (
            &["rewrite", "in.parquet", "out", "--column", "price=plain"],
            "the file has no column \"price\"; `bytelane inspect in.parquet` lists them",
        ),
        (
            &[
                "rewrite",
                "in.parquet",
                "out",
                "--column",
                "name=byte_stream_split",
            ],
            "byte_stream_split does not support columns of the type BYTE_ARRAY",
        ),
        (
            &["rewrite", "in.parquet", "out", "--column", "name"],
            "give NAME=ENCODING",
        ),
        (
            &["rewrite", "in.parquet", "out", "--compression", "zstd:99"],
            "99",
        ),
        (
            &["bench", "parquet", "text"],
            "the file extension must say what the numbers are",
        ),
    ] {
        let message = message(arguments);
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
    assert!(!directory.path().join("out").exists());
}

#[test]
fn bench_parquet_measures_every_way_of_storing() {
    let directory = tempfile::tempdir().unwrap();
    let numbers: Vec<u8> = (0..2000).flat_map(|i: i32| (i / 3).to_le_bytes()).collect();
    fs::write(directory.path().join("steps.i32"), numbers).unwrap();
    let quick = ["--sample", "1", "--format", "json"];
    let rows = |arguments: &[&str]| -> Vec<Value> {
        let shown = run(
            directory.path(),
            &[&["bench", "parquet"], arguments, &quick].concat(),
        );
        shown
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    let of_file = rows(&["steps.i32"]);
    assert!(of_file.len() >= 5, "{of_file:?}");
    for row in &of_file {
        assert_eq!(row["file"], "steps.i32");
        assert_eq!(row["bytes"], 8000);
        assert!(row["rustc"].is_string() && row["cpu"].is_string(), "{row}");
        for key in ["ratio", "write_mib_s", "read_mib_s"] {
            assert!(row[key].as_f64().unwrap() > 0.0, "{key} in {row}");
        }
        assert!(row.get("entropy_bits").is_none(), "{row}");
    }
    assert!(of_file.iter().all(|row| row["encoding"] != "alp"));
    let prices: Vec<u8> = (0..2000)
        .flat_map(|i: i32| (f64::from(i) / 100.0).to_le_bytes())
        .collect();
    fs::write(directory.path().join("prices.f64"), prices).unwrap();
    let alp = rows(&["prices.f64", "--encoding", "alp"]);
    let compressions: Vec<_> = alp.iter().map(|row| row["compression"].as_str()).collect();
    assert_eq!(compressions, [Some("none"), Some("zstd:1")]);
    assert!(alp.iter().all(|row| row["ratio"].as_f64().unwrap() > 2.0));
    let auto = rows(&["steps.i32", "--encoding", "auto,plain", "--goal", "size"]);
    let (auto, others): (Vec<_>, Vec<_>) = auto.iter().partition(|row| row["encoding"] == "auto");
    assert_eq!(auto.len(), 1, "{auto:?}");
    assert_eq!(auto[0]["chosen"], "delta_binary_packed");
    assert!(auto[0]["choice_share_of_write"].as_f64().unwrap() < 1.0);
    assert!(
        others
            .iter()
            .all(|row| row["encoding"] == "plain" && row.get("chosen").is_none())
    );
    let sweep = rows(&["--only", "sweep", "--values", "1000"]);
    assert!(
        sweep
            .iter()
            .all(|row| row["entropy_bits"].as_f64().unwrap() > 0.5)
    );
    let shown = run(
        directory.path(),
        &[
            "bench", "parquet", "--only", "files", "--values", "1000", "--sample", "1",
        ],
    );
    assert!(
        shown.contains("Write, MB/s") && shown.contains("messages.f64"),
        "{shown}"
    );
}

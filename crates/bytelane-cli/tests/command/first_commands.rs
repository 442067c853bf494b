//! First commands of a person who looks at a file, on a terminal of 80 and of 200 columns.

use crate::{bytelane, text};
use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::{
    ArrayRef, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray,
    TimestampMicrosecondArray,
};
use bytelane_parquet::{Writer, WriterOptions};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

fn write(path: &Path) {
    let rows = 1000_i64;
    let random = |i: i64| {
        (i + 1)
            .wrapping_mul(6_364_136_223_846_793_005)
            .rotate_left(17)
            & 0xffff
    };
    let times = (0..rows).map(|i| 1_704_067_200_000_000 + i * 60_000_000);
    let times = TimestampMicrosecondArray::from_iter_values(times).with_timezone("UTC");
    let venues = (0..rows).map(|i| {
        ["XNYS", "XLON", "XPAR"]
            .get(random(i) as usize % 4)
            .copied()
    });
    let prices =
        (0..rows).map(|i| ((random(i) + random(i + 1) + random(i * i)) / 16) as f64 / 100.0);
    let mut tags = ListBuilder::new(StringBuilder::new());
    for i in 0..rows {
        let own = ["late", "odd lot"][..random(i) as usize % 3].iter();
        tags.append_value(own.map(|tag| Some(*tag)));
    }
    let columns: [(&str, ArrayRef); 7] = [
        ("id", Arc::new(Int64Array::from_iter_values(0..rows))),
        ("time", Arc::new(times)),
        ("venue", Arc::new(StringArray::from_iter(venues))),
        ("price", Arc::new(Float64Array::from_iter_values(prices))),
        (
            "size",
            Arc::new(Int32Array::from_iter_values(
                (0..rows).map(|i| [1, 10, 100][random(i) as usize % 3]),
            )),
        ),
        (
            "note",
            Arc::new(StringArray::from(vec![None::<&str>; rows as usize])),
        ),
        ("tags", Arc::new(tags.finish())),
    ];
    let columns = columns.map(|(name, array)| (name, array, true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    let options = WriterOptions::default();
    let mut writer = Writer::try_new(File::create(path).unwrap(), batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

const COMMANDS: [&[&str]; 10] = [
    &["schema", "trades.parquet"],
    &["count", "trades.parquet"],
    &["head", "trades.parquet", "-n", "3"],
    &[
        "tail",
        "trades.parquet",
        "-n",
        "2",
        "--columns",
        "price,venue,id",
    ],
    &["head", "trades.parquet", "-n", "3", "--vertical=never"],
    &["stats", "trades.parquet"],
    &[
        "head",
        "trades.parquet",
        "-n",
        "2",
        "--exclude",
        "note,time",
        "--where",
        "price > size * 1.5 and tags[*] = 'late'",
    ],
    &[
        "cat",
        "trades.parquet",
        "--where",
        "venue ilike 'x%s'",
        "--columns",
        "id,price",
        "-o",
        "some.parquet",
    ],
    &["schema", "trades.parquet", "some.parquet"],
    &["head", "trades.parquet", "--colums", "id"],
];

#[test]
fn ten_commands_tell_about_a_file() {
    let directory = tempfile::tempdir().unwrap();
    write(&directory.path().join("trades.parquet"));
    for width in ["80", "200"] {
        let mut session = String::new();
        for arguments in COMMANDS {
            let output = bytelane(arguments)
                .env("COLUMNS", width)
                .current_dir(&directory)
                .output()
                .unwrap();
            let quoted = arguments.iter().map(|argument| {
                if argument.contains(' ') {
                    format!("\"{argument}\"")
                } else {
                    (*argument).to_owned()
                }
            });
            let quoted = quoted.collect::<Vec<_>>().join(" ");
            session += &format!(
                "$ bytelane {quoted}\n{}{}\n",
                text(&output.stdout),
                text(&output.stderr)
            );
            // Errors are wrapped by their own rules.
            for line in text(&output.stdout).lines() {
                assert!(line.chars().count() <= width.parse().unwrap(), "{line}");
            }
        }
        // The size depends on the compressor.
        let lines = session
            .lines()
            .map(|line| match line.split_once(" row group, ") {
                Some((start, _)) => format!("{start} row group, SIZE"),
                None => line.to_owned(),
            });
        let session: Vec<String> = lines.collect();
        insta::assert_snapshot!(format!("first_commands_{width}"), session.join("\n"));
        std::fs::remove_file(directory.path().join("some.parquet")).unwrap();
    }
}

#[test]
fn inputs_that_are_no_tables_are_errors() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    std::fs::write(directory.join("garbage.parquet"), "garbage, and more of it").unwrap();
    std::fs::write(directory.join("empty.parquet"), "").unwrap();
    std::fs::create_dir(directory.join("none")).unwrap();
    for command in ["head", "tail", "cat", "sample", "stats", "schema"] {
        for (input, problem) in [
            ("garbage.parquet", "not a Parquet file"),
            ("empty.parquet", "empty.parquet"),
            ("none", "no .parquet file in this directory"),
            ("missing.parquet", "missing.parquet"),
        ] {
            let output = bytelane(&[command, input])
                .current_dir(directory)
                .output()
                .unwrap();
            let message = text(&output.stderr);
            assert_eq!(
                output.status.code(),
                Some(2),
                "{command} {input}: {message}"
            );
            assert!(message.contains(problem), "{command} {input}: {message}");
        }
    }
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::ffi::OsStrExt;
        let name = std::ffi::OsStr::from_bytes(b"gr\xf6\xdfe.parquet");
        write(&directory.join(name));
        for command in ["head", "tail", "stats", "schema"] {
            let mut command = bytelane(&[command]);
            let output = command.arg(name).current_dir(directory).output().unwrap();
            assert!(output.status.success(), "{}", text(&output.stderr));
        }
        let mut copy = bytelane(&["head", "-o"]);
        let copy = copy
            .arg(name)
            .arg("--force")
            .arg(name)
            .current_dir(directory);
        assert!(copy.output().unwrap().status.success());
    }
}

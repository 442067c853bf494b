//! Tables fit the width of the terminal without breaking numbers or names.

use crate::{bytelane, text};
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch};
use bytelane_parquet::parquet::basic::Compression;
use bytelane_parquet::{Encoding, Writer, WriterOptions};
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// Writes a file whose sizes do not depend on compression.
fn write_parquet(directory: &Path) {
    let prices = Float64Array::from_iter_values((0..3000).map(f64::from));
    let numbers = Int64Array::from_iter((0..3000).map(|number| (number % 7 > 0).then_some(number)));
    let columns: [(&str, ArrayRef); 2] = [
        ("price_without_tax", Arc::new(prices)),
        ("order_number", Arc::new(numbers)),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let file = fs::File::create(directory.join("in.parquet")).unwrap();
    let options = WriterOptions::default()
        .with_encoding(Encoding::Plain)
        .with_compression(Compression::UNCOMPRESSED);
    let mut writer = Writer::try_new(file, batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

/// Returns the output of a command with 60, 80, 120, and an unknown number of characters per line.
fn at_all_widths(directory: &Path, arguments: &[&str]) -> String {
    let mut all = String::new();
    for width in ["60", "80", "120", "0"] {
        let mut command = bytelane(arguments);
        let output = command.env("COLUMNS", width).current_dir(directory);
        let shown = text(&output.unwrap().stdout);
        // These lines name the version, or depend on its length.
        let is_stable = |line: &&str| !line.contains("written by") && !line.contains("was written");
        let table: Vec<&str> = shown.lines().filter(is_stable).collect();
        all += &format!("== {width} ==\n{}\n\n", table.join("\n").trim());
    }
    all
}

#[test]
fn inspect_hides_columns() {
    let directory = tempfile::tempdir().unwrap();
    write_parquet(directory.path());
    let rewrite = ["rewrite", "in.parquet", "out.parquet", "--column"];
    let mut rewrite = bytelane(&rewrite);
    let rewrite = rewrite.arg("order_number=delta_binary_packed");
    rewrite.current_dir(&directory).unwrap();
    for by in ["columns", "row-groups", "pages"] {
        let shown = at_all_widths(directory.path(), &["inspect", "out.parquet", "--by", by]);
        insta::assert_snapshot!(format!("inspect_{by}"), shown);
    }
}

#[test]
fn rewrite_hides_columns() {
    let directory = tempfile::tempdir().unwrap();
    write_parquet(directory.path());
    let rewrite = ["rewrite", "in.parquet", "out.parquet", "--dry-run"];
    let column = ["--column", "order_number=delta_binary_packed"];
    let shown = at_all_widths(directory.path(), &[&rewrite[..], &column].concat());
    insta::assert_snapshot!(shown);
}

#[test]
fn every_line_about_the_cpu_fits() {
    for width in [40, 60, 80, 120] {
        let mut command = bytelane(&["cpu"]);
        let shown = text(&command.env("COLUMNS", width.to_string()).unwrap().stdout);
        for line in shown.lines() {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
        for backend in bytelane::Backend::ALL {
            for feature in backend.features() {
                assert!(shown.contains(feature), "{width}: {feature}: {shown}");
            }
        }
    }
}

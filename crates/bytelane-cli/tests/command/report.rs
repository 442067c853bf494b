//! `bytelane report`: runs, outputs and their paths. Speed is not tested.

use crate::{bytelane, failure, text};
use arrow_array::{Float64Array, Int64Array, RecordBatch};
use assert_cmd::Command;
use bytelane_catalog::plain::Level;
use bytelane_parquet::{Encoding, Writer, WriterOptions, parse_compression};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// Runs as briefly as possible: figures mean nothing, everything else is as in a real run.
fn report(arguments: &[&str]) -> Command {
    let mut command = bytelane(&["report", "--quick", "--sample", "1"]);
    command.args(arguments);
    command
}

fn files(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[test]
fn every_experiment_is_on_the_page_and_its_figures_beside_it() {
    let directory = tempfile::tempdir().unwrap();
    let output = report(&[]).current_dir(&directory).unwrap();
    assert_eq!(
        text(&output.stdout),
        "bytelane-report.html\nbytelane-report.json\nbytelane-report.csv\nbytelane-report-parquet.csv\n"
    );
    let names =
        ["-parquet.csv", ".csv", ".html", ".json"].map(|end| format!("bytelane-report{end}"));
    assert_eq!(files(directory.path()), names);
    let [parquet, csv, page, json] =
        names.map(|name| fs::read_to_string(directory.path().join(name)).unwrap());

    let json: Value = serde_json::from_str(&json).unwrap();
    let rows = json["rows"].as_array().unwrap();
    assert_eq!(csv.lines().count(), 1 + rows.len());
    let provenance = &json["provenance"];
    for key in ["rustc", "build"] {
        let value = provenance[key].as_str().unwrap();
        assert!(page.contains(value), "{key}: {value}");
    }
    let command_line = provenance["command_line"].as_str().unwrap();
    assert!(command_line.contains(" report --quick"), "{command_line}");
    assert!(
        provenance["rustc"]
            .as_str()
            .unwrap()
            .starts_with("rustc 1.")
    );
    let header = csv.lines().next().unwrap();
    for key in [
        "spread", "version", "cpu", "commit", "rustc", "kernel", "governor", "load",
    ] {
        assert!(header.split(',').any(|name| name == key), "{key}: {header}");
    }
    assert!(json["spread"].as_f64().unwrap() >= 0.0);
    let columns = json["parquet"].as_array().unwrap();
    assert_eq!(parquet.lines().count(), 1 + columns.len());
    assert!(columns.iter().any(|row| row["entropy_bits"].is_number()));
    assert_eq!(json["left_out"].as_array().unwrap().len(), 1);
    assert_eq!(json["left_out"][0]["experiment"], "files");
    for entry in bytelane_catalog::CODECS {
        assert!(
            rows.iter().any(|row| row["codec"] == entry.name),
            "{}",
            entry.name
        );
        assert!(page.contains(entry.name), "{}", entry.name);
    }
    let verdict = json["verdict"].as_array().unwrap();
    assert_eq!(verdict.len(), 28);
    assert!(json["record"]["cases"].as_u64().unwrap() > verdict.len() as u64);
    for line in verdict {
        let loops = line["plain"].as_array().unwrap().iter();
        let loops: Vec<_> = loops
            .map(|speed| speed["backend"].as_str().unwrap())
            .collect();
        let levels = Level::available();
        assert_eq!(
            loops,
            levels.iter().map(|level| level.name()).collect::<Vec<_>>()
        );
        let backends = line["backends"].as_array().unwrap();
        assert_eq!(
            backends.len(),
            bytelane::Backend::available().count(),
            "{line}"
        );
    }

    for loading in [
        "<script",
        " src=",
        "url(",
        "@import",
        "<link rel=\"stylesheet",
    ] {
        assert!(!page.contains(loading), "{loading}");
    }
    assert_messages(&page);
    assert!(page.matches("<svg").count() > 20);
    assert!(page.matches("<title>").count() > 500);
}

/// Checks that every section of results begins with a sentence that states its result.
fn assert_messages(page: &str) {
    let sections: Vec<&str> = page.split("<section id=\"").skip(1).collect();
    assert!(sections.len() > 8, "{}", sections.len());
    for section in sections {
        let (name, rest) = section.split_once('"').unwrap();
        let (_, after) = rest.split_once("</h2>").unwrap();
        let has_message = after.trim_start().starts_with("<p class=\"message\">");
        assert_eq!(has_message, name != "measurement", "{name}");
    }
}

#[test]
fn a_page_about_files_alone_says_so_and_needs_files() {
    let directory = tempfile::tempdir().unwrap();
    let message = failure(report(&["--only", "files"]).current_dir(&directory));
    assert!(message.contains("--only files needs files"), "{message}");
    assert_eq!(files(directory.path()), Vec::<String>::new());
    let values: Vec<u8> = (0..500_i32).flat_map(i32::to_le_bytes).collect();
    fs::write(directory.path().join("ids.i32"), values).unwrap();
    report(&["--only", "files", "ids.i32"])
        .current_dir(&directory)
        .unwrap();
    let page = fs::read_to_string(directory.path().join("bytelane-report.html")).unwrap();
    assert!(page.contains("<h1>The best encodings for your files</h1>"));
    assert!(!page.contains("<section id=\"verdict\">"));
}

#[test]
fn experiments_can_be_chosen() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("lists.html");
    report(&["--only", "lists", "-o", path.to_str().unwrap()]).unwrap();
    let page = fs::read_to_string(&path).unwrap();
    assert!(page.contains("<section id=\"lists\">"));
    assert!(!page.contains("<section id=\"memory\">"));
    assert!(page.contains("not selected by --only"));
    let json: Value =
        serde_json::from_str(&fs::read_to_string(path.with_extension("json")).unwrap()).unwrap();
    let codecs = json["rows"].as_array().unwrap().iter();
    assert!(
        codecs
            .map(|row| &row["codec"])
            .all(|codec| codec == "big_endian")
    );
}

/// Writes a Parquet file with a column of steps and a column without repetitions.
fn write_parquet(path: &Path) {
    let steps = Float64Array::from_iter_values((0..5000).map(|row| f64::from(row / 7)));
    let scattered = (0..5000_i64).map(|row| row.wrapping_mul(0x9E37_79B9_7F4A_7C15_u64 as i64));
    let columns = [
        ("steps", Arc::new(steps) as _),
        (
            "scattered",
            Arc::new(Int64Array::from_iter_values(scattered)) as _,
        ),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let options = WriterOptions::default()
        .with_encoding(Encoding::Plain)
        .with_compression(parse_compression("none").unwrap());
    let file = fs::File::create(path).unwrap();
    let mut writer = Writer::try_new(file, batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

#[test]
fn ones_own_files_are_advised_on() {
    let directory = tempfile::tempdir().unwrap();
    let [array, parquet, page] =
        ["steps.f64", "table.parquet", "page.html"].map(|name| directory.path().join(name));
    let values: Vec<u8> = (0..5000)
        .flat_map(|step| f64::from(step / 7).to_le_bytes())
        .collect();
    fs::write(&array, &values).unwrap();
    write_parquet(&parquet);
    let output = report(&["--only", "files", "-o"])
        .args([&page, &array, &parquet])
        .unwrap();
    let names = files(directory.path());
    let beside = [
        "page-files.csv",
        "page-parquet.csv",
        "page.csv",
        "page.html",
    ];
    for name in beside.iter().chain(&["page.json"]) {
        assert!(names.iter().any(|found| found == name), "{names:?}");
        assert!(text(&output.stdout).contains(name), "{name}");
    }

    let json = fs::read_to_string(page.with_extension("json")).unwrap();
    let json: Value = serde_json::from_str(&json).unwrap();
    let advice = json["files"].as_array().unwrap();
    assert_eq!(advice.len(), 2, "{json}");
    let columns = advice[1]["columns"].as_array().unwrap();
    assert_eq!(columns[0]["now"], "PLAIN UNCOMPRESSED");
    assert!(columns[0]["bytes_then"].as_u64() < columns[0]["bytes_now"].as_u64());
    let csv = fs::read_to_string(directory.path().join("page-files.csv")).unwrap();
    let tried = advice
        .iter()
        .flat_map(|file| file["columns"].as_array().unwrap());
    let tried = tried.map(|column| column["candidates"].as_array().unwrap().len());
    assert_eq!(csv.lines().count(), 1 + tried.sum::<usize>());
    assert_eq!(
        csv.matches(",true\n").count(),
        3,
        "one choice a column: {csv}"
    );

    let html = fs::read_to_string(&page).unwrap();
    for part in [
        "<section id=\"files\">",
        "steps.f64",
        "table.parquet",
        "PLAIN UNCOMPRESSED",
        "write_table",
        "bytelane rewrite",
    ] {
        assert!(html.contains(part), "{part}");
    }
    assert_eq!(html.matches("<svg").count(), 2 * 3, "two drawings a column");
}

#[test]
fn files_that_cannot_be_read_end_the_run_before_it_begins() {
    let directory = tempfile::tempdir().unwrap();
    let [good, bad, page] =
        ["good.f64", "bad.parquet", "page.html"].map(|name| directory.path().join(name));
    fs::write(&good, [0; 80]).unwrap();
    fs::write(&bad, [0x55; 1000]).unwrap();
    for path in [&bad, &directory.path().join("none.npy")] {
        let message = failure(report(&["-o"]).args([&page, &good, path]));
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(message.contains(name), "{message}");
        assert_eq!(files(directory.path()), ["bad.parquet", "good.f64"]);
    }
    let message = failure(report(&["-o"]).args([&good, &good]));
    assert!(message.contains("would overwrite"), "{message}");
    assert_eq!(fs::read(&good).unwrap(), [0; 80]);
}

#[test]
fn the_environment_restricts_the_backends() {
    let mut command = report(&["--only", "lists", "-o", "-"]);
    let output = command.env("BYTELANE_BACKEND", "scalar").unwrap();
    let page = text(&output.stdout);
    assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"));
    assert!(page.contains("scalar</strong> (forced)"));
    assert!(page.contains("rect class=\"area scalar\""));
    assert!(
        !page.contains("rect class=\"area avx2\"") && !page.contains("rect class=\"area neon\"")
    );
}

#[test]
fn what_cannot_be_written_ends_the_run_before_it_begins() {
    let directory = tempfile::tempdir().unwrap();
    let missing = directory.path().join("missing/page.html");
    let message = failure(&mut report(&["-o", missing.to_str().unwrap()]));
    assert!(message.contains("missing/page.html"), "{message}");
    let message = failure(&mut report(&["-o", directory.path().to_str().unwrap()]));
    assert!(message.contains("is a directory"), "{message}");
    for figures in ["page.json", "page.csv"] {
        let path = directory.path().join(figures);
        let message = failure(&mut report(&["-o", path.to_str().unwrap()]));
        assert!(message.contains("another extension"), "{message}");
    }
    let message = failure(&mut report(&["--only", "nothing"]));
    assert!(message.contains("lists"), "{message}");
    assert_eq!(files(directory.path()), [""; 0]);
}

#[test]
fn reports_are_compared() {
    let directory = tempfile::tempdir().unwrap();
    let first = ["--only", "lists", "-o", "first.html"];
    report(&first).current_dir(&directory).unwrap();
    let second = [
        "--only",
        "lists",
        "-o",
        "second.html",
        "--compare",
        "first.json",
    ];
    report(&second).current_dir(&directory).unwrap();
    let read = |name: &str| fs::read_to_string(directory.path().join(name)).unwrap();
    let [first, second]: [Value; 2] =
        ["first.json", "second.json"].map(|name| serde_json::from_str(&read(name)).unwrap());
    let there = first["verdict"].as_array().unwrap();
    let lines = second["comparison"]["lines"].as_array().unwrap();
    assert_eq!(lines.len(), 4, "two widths, both operations");
    for (line, there) in lines.iter().zip(there) {
        for key in ["codec", "parameters", "operation", "type", "data"] {
            assert_eq!(line[key], there[key], "{line}");
        }
        assert_eq!(line["there"]["of_memcpy"], there["of_memcpy"], "{line}");
    }
    assert!(read("second.html").contains("Beside another report"));
    let wrong = ["--compare", "first.csv"];
    let message = failure(report(&wrong).current_dir(&directory));
    assert!(message.contains("first.csv is not a report"), "{message}");
    let missing = ["--compare", "missing.json"];
    let message = failure(report(&missing).current_dir(&directory));
    assert!(message.contains("missing.json"), "{message}");
}

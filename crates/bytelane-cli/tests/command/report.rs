//! `bytelane report`: that it runs, what it writes and where. How fast is not a test.

use crate::{bytelane, failure, text};
use assert_cmd::Command;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// As short as it can be: figures mean nothing, everything else is as in a real run.
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
    assert_eq!(verdict.len(), 20);
    for line in verdict {
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
    assert!(page.matches("<svg").count() > 20);
    assert!(page.matches("<title>").count() > 500);
}

#[test]
fn experiments_can_be_chosen() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("lists.html");
    report(&["--only", "lists", "-o", path.to_str().unwrap()]).unwrap();
    let page = fs::read_to_string(&path).unwrap();
    assert!(page.contains("<section id=\"lists\">"));
    assert!(!page.contains("<section id=\"memory\">"));
    assert!(page.contains("not asked for"));
    let json: Value =
        serde_json::from_str(&fs::read_to_string(path.with_extension("json")).unwrap()).unwrap();
    let codecs = json["rows"].as_array().unwrap().iter();
    assert!(
        codecs
            .map(|row| &row["codec"])
            .all(|codec| codec == "big_endian")
    );
}

#[test]
fn ones_own_columns_are_measured_too() {
    let directory = tempfile::tempdir().unwrap();
    let [column, page] = ["steps.f64", "page.html"].map(|name| directory.path().join(name));
    let values: Vec<u8> = (0..5000)
        .flat_map(|step| f64::from(step / 7).to_le_bytes())
        .collect();
    fs::write(&column, &values).unwrap();
    let arguments = [
        "--only",
        "files",
        "-o",
        page.to_str().unwrap(),
        column.to_str().unwrap(),
    ];
    report(&arguments).unwrap();
    let text = fs::read_to_string(page.with_extension("json")).unwrap();
    let json: Value = serde_json::from_str(&text).unwrap();
    let rows = json["files"].as_array().unwrap();
    assert!(
        rows.len() >= 6 && rows.iter().all(|row| row["file"] == "steps.f64"),
        "{text}"
    );
    assert!(
        rows.iter().any(|row| row["ratio"].as_f64().unwrap() > 1.5),
        "{text}"
    );
    assert!(
        fs::read_to_string(&page)
            .unwrap()
            .contains("<th scope=\"row\">steps.f64</th>")
    );

    fs::write(&column, &values[1..]).unwrap();
    let message = failure(&mut report(&arguments));
    assert!(message.contains("steps.f64"), "{message}");
    fs::remove_file(&column).unwrap();
    let message = failure(&mut report(&arguments));
    assert!(message.contains("steps.f64"), "{message}");
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
        assert!(message.contains("another ending"), "{message}");
    }
    let message = failure(&mut report(&["--only", "nothing"]));
    assert!(message.contains("lists"), "{message}");
    assert_eq!(files(directory.path()), [""; 0]);
}

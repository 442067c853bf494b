//! `bytelane bench codec`: runs, measurements and output. Speed is not tested.

use crate::{bytelane, distinct, failure, text};
use assert_cmd::Command;
use bytelane_catalog::plain::Level;
use serde_json::{Map, Value};

/// Runs as briefly as possible: figures mean nothing, everything else is as in a real run.
fn bench(arguments: &[&str]) -> Command {
    let mut command = bytelane(&["bench", "codec", "--sample", "1"]);
    command.args(arguments);
    command
}

fn rows(arguments: &[&str]) -> Vec<Map<String, Value>> {
    let output = bench(arguments).args(["--format", "json"]).unwrap();
    assert_eq!(text(&output.stderr), "");
    crate::rows(&output)
}

#[test]
fn every_codec_of_the_catalog_is_measured_on_every_backend() {
    for entry in bytelane_catalog::CODECS {
        let rows = rows(&[entry.name, "--values", "1,100"]);
        assert_eq!(distinct(&rows, "codec"), [entry.name]);
        assert_eq!(distinct(&rows, "operation"), ["decode", "encode"]);
        assert_eq!(distinct(&rows, "values"), ["1", "100"]);
        let backends = distinct(&rows, "backend");
        for backend in bytelane::Backend::available() {
            assert!(
                backends.contains(&backend.to_string()),
                "{backend}: {backends:?}"
            );
        }
        assert!(backends.contains(&"memcpy".to_owned()));
        for level in Level::available() {
            assert!(backends.contains(&level.name().to_owned()), "{level:?}");
        }
    }
}

#[test]
fn backends_are_compared_with_the_plain_loops() {
    let rows = rows(&["big_endian:width=8", "--values", "100"]);
    for row in &rows {
        let Ok(backend) = row["backend"]
            .as_str()
            .unwrap()
            .parse::<bytelane::Backend>()
        else {
            assert!(row.get("of_plain").is_none(), "{row:?}");
            continue;
        };
        let of = |name: &str| {
            let is_same = |other: &&Map<String, Value>| {
                other["backend"] == name && other["operation"] == row["operation"]
            };
            let other = rows.iter().find(is_same).unwrap();
            other["ns"].as_f64().unwrap() / row["ns"].as_f64().unwrap()
        };
        for (key, level) in [
            ("of_plain", Level::TARGET),
            ("of_plain_same_level", Level::of(backend)),
        ] {
            let ratio = row[key].as_f64().unwrap();
            assert!(
                (ratio / of(level.name()) - 1.0).abs() < 1e-9,
                "{key} in {row:?}"
            );
        }
    }
}

#[test]
fn rows_have_every_key_and_their_figures_agree() {
    let rows = rows(&["byte_stream_split", "--type", "f32", "--values", "1000"]);
    for row in &rows {
        for key in ["version", "cpu", "rustc", "build", "command_line"] {
            assert!(row[key].is_string(), "{key} in {row:?}");
        }
        for key in [
            "commit",
            "kernel",
            "cpu_model",
            "governor",
            "megahertz",
            "load",
        ] {
            assert!(row.contains_key(key), "{key} in {row:?}");
        }
        for key in ["codec", "operation", "type", "data", "backend"] {
            assert!(row[key].is_string(), "{key} in {row:?}");
        }
        let number = |key: &str| {
            row[key]
                .as_f64()
                .unwrap_or_else(|| panic!("{key} in {row:?}"))
        };
        assert_eq!((number("values"), number("bytes")), (1000.0, 4000.0));
        assert_eq!(row["evicted"], false);
        let close = |one: f64, other: f64| (one / other - 1.0).abs() < 1e-9;
        assert!(close(number("gb_per_s"), 4000.0 / number("ns")));
        assert!(close(
            number("of_memcpy"),
            number("gb_per_s") / number("memcpy_gb_per_s")
        ));
    }
}

#[test]
fn options_choose_what_is_measured() {
    let rows = rows(&[
        "byte_stream_split:width=12",
        "--operation",
        "decode",
        "--values",
        "100",
        "--backend",
        "scalar",
        "--data",
        "random",
        "--evicted",
        "--inputs",
        "3",
    ]);
    assert_eq!(distinct(&rows, "type"), ["fixed12"]);
    assert_eq!(distinct(&rows, "operation"), ["decode"]);
    assert_eq!(distinct(&rows, "data"), ["random"]);
    assert_eq!(distinct(&rows, "evicted"), ["true"]);
    let mut workers = distinct(&rows, "backend");
    workers.retain(|name| name != "streaming copy");
    let plain = Level::TARGET.name();
    assert_eq!(workers, ["memcpy", plain, "scalar"]);
}

#[test]
fn codecs_stand_beside_the_loops_of_publications() {
    for codec in ["byte_stream_split:width=4", "big_endian:width=8"] {
        let rows = rows(&[codec, "--values", "100", "--evicted"]);
        assert!(distinct(&rows, "backend").contains(&"unvectorised".to_owned()));
    }
}

#[test]
fn the_environment_restricts_the_backends() {
    let arguments = [
        "byte_stream_split:width=4",
        "--values",
        "10",
        "--format",
        "csv",
    ];
    let output = bench(&arguments).env("BYTELANE_BACKEND", "scalar").unwrap();
    let lines = text(&output.stdout);
    let backends = lines
        .lines()
        .skip(1)
        .map(|line| line.split(',').nth(5).unwrap());
    assert_eq!(
        backends.collect::<Vec<_>>(),
        ["memcpy", Level::TARGET.name(), "scalar"].repeat(2)
    );
}

#[test]
fn tables_put_backends_side_by_side() {
    let arguments = ["byte_stream_split:width=4", "--values", "10,20", "--format"];
    for format in ["table", "md"] {
        let mut command = bench(&arguments);
        let shown = text(&command.arg(format).env("COLUMNS", "200").unwrap().stdout);
        let is_header = |line: &&str| line.contains(" memcpy ") && line.contains(" scalar ");
        assert_eq!(shown.lines().filter(is_header).count(), 2, "{shown}");
        assert_eq!(
            shown.lines().filter(|line| line.contains("f32")).count(),
            4,
            "{shown}"
        );
    }
}

#[test]
fn wrong_options_say_what_there_is() {
    assert!(failure(&mut bench(&["byte_stream_spilt"])).contains("`byte_stream_split`"));
    assert!(failure(&mut bench(&["--data", "smoth"])).contains("smooth"));
    assert!(failure(&mut bench(&["--backend", "avx3"])).contains("avx2"));
    assert!(failure(&mut bench(&["--type", "f33"])).contains("f32"));
    assert!(failure(&mut bench(&["byte_stream_split", "--type", "fixed99"])).contains("fixed99"));
    assert!(failure(&mut bench(&["--values", "0"])).contains('0'));
    assert!(failure(&mut bench(&["--core", "100000"])).contains("100000"));
    let missing = bytelane::Backend::ALL
        .iter()
        .find(|backend| !backend.is_available());
    let message = failure(&mut bench(&["--backend", missing.unwrap().name()]));
    assert!(message.contains("available: scalar"), "{message}");
}

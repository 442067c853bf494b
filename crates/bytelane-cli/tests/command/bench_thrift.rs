//! `bytelane bench thrift`: runs, measurements and output. Speed is not tested.

use crate::{bytelane, distinct, failure, rows, text};
use assert_cmd::Command;
use serde_json::Value;

/// Runs as briefly as possible: figures mean nothing, everything else is as in a real run.
fn bench(arguments: &[&str]) -> Command {
    let mut command = bytelane(&["bench", "thrift", "--sample", "1"]);
    command.args(arguments);
    command
}

const PROTOCOLS: [&str; 4] = ["binary", "compact", "json", "simple_json"];

#[test]
fn every_struct_is_measured_in_every_protocol_on_every_backend() {
    let output = bench(&["--format", "json"]).unwrap();
    let notice = text(&output.stderr);
    assert!(notice.starts_with("Left out: LargeBinary, "), "{notice}");
    let rows = rows(&output);
    assert_eq!(distinct(&rows, "codec"), ["thrift"]);
    assert_eq!(distinct(&rows, "protocol"), PROTOCOLS);
    assert_eq!(distinct(&rows, "operation"), ["read", "write"]);
    let structs = distinct(&rows, "struct");
    for name in ["SmallString", "BigBinary", "LargeMixed", "BigListFloat"] {
        assert!(structs.iter().any(|of| of == name), "{name}: {structs:?}");
    }
    let backends = distinct(&rows, "backend");
    for backend in bytelane::Backend::available() {
        assert!(backends.iter().any(|of| of == backend.name()), "{backend}");
    }
    // Each has both operations, on all backends and memcpy.
    let cases = rows.len() / (2 * backends.len());
    assert_eq!(rows.len(), cases * 2 * backends.len());
    assert!(cases >= 4 * structs.len(), "{cases}");
}

#[test]
fn rows_have_every_key_and_their_figures_agree() {
    let output = bench(&["SmallString", "--format", "json"]).unwrap();
    assert_eq!(text(&output.stderr), "");
    let rows = rows(&output);
    assert_eq!(
        rows.iter().filter(|row| row["backend"] == "memcpy").count(),
        8
    );
    for row in &rows {
        assert_eq!(row["struct"], "SmallString");
        assert_eq!(row["data"], "published");
        let number = |key: &str| row[key].as_f64().unwrap();
        // Type, id, length, text and stop, in every protocol.
        assert_eq!(number("bytes"), 20.0);
        assert!((number("gb_per_s") * number("ns") / 20.0 - 1.0).abs() < 1e-9);
    }
    let encoded = |protocol: &str| {
        let row = rows.iter().find(|row| row["protocol"] == protocol).unwrap();
        row["encoded_bytes"].as_u64()
    };
    let lengths = PROTOCOLS.map(encoded);
    let json = r#"{"1":{"str":"small string"}}"#.len() as u64;
    let simple_json = r#"{"text":"small string"}"#.len() as u64;
    assert_eq!(lengths, [20, 15, json, simple_json].map(Some));
}

#[test]
fn options_choose_what_is_measured() {
    let arguments = [
        "ListInt",
        "--protocol",
        "compact",
        "--operation",
        "read",
        "--data",
        "one_byte,two_bytes",
        "--backend",
        "scalar",
        "--format",
        "json",
    ];
    let rows = rows(&bench(&arguments).unwrap());
    assert_eq!(distinct(&rows, "data"), ["one_byte", "two_bytes"]);
    assert_eq!(distinct(&rows, "backend"), ["memcpy", "scalar"]);
    assert_eq!(rows.len(), 4);
    let is_chosen = |row: &serde_json::Map<String, Value>| {
        row["operation"] == "read" && row["protocol"] == "compact" && row["values"] == 12_345
    };
    assert!(rows.iter().all(is_chosen));
}

#[test]
fn there_is_one_table_for_each_protocol() {
    let arguments = ["BigString", "ListInt", "--operation", "read", "--format"];
    let shown = text(&bench(&arguments).arg("md").unwrap().stdout);
    let titles = shown.lines().filter(|line| line.starts_with("**"));
    let expected = PROTOCOLS
        .map(|protocol| format!("**thrift, protocol={protocol}: GB/s (share of memcpy's speed)**"));
    assert_eq!(titles.collect::<Vec<_>>(), expected);
    // Six kinds of strings, three lengths of random integers, three other ranges.
    let is_line = |line: &&str| line.contains("BigString") || line.contains("ListInt");
    assert_eq!(shown.lines().filter(is_line).count(), 4 * 12, "{shown}");
}

#[test]
fn tables_put_backends_side_by_side() {
    let shown = text(&bench(&["Mixed", "--format", "md"]).unwrap().stdout);
    let lines = |operation: &str| {
        let is_line =
            |line: &&str| line.contains("| Mixed | published |") && line.contains(operation);
        shown.lines().filter(is_line).count()
    };
    assert_eq!([lines("| write "), lines("| read ")], [4, 4], "{shown}");
    let is_header = |line: &&str| line.contains(" memcpy ") && line.contains(" scalar ");
    assert_eq!(shown.lines().filter(is_header).count(), 4, "{shown}");
}

#[test]
fn wrong_options_say_what_there_is() {
    assert!(failure(&mut bench(&["SmalString"])).contains("SmallString"));
    assert!(failure(&mut bench(&["--protocol", "jsn"])).contains("simple_json"));
    assert!(failure(&mut bench(&["--data", "letters"])).contains("published"));
    assert!(failure(&mut bench(&["Mixed", "--data", "prose"])).contains("these data"));
}

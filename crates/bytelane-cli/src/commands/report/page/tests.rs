//! Tests the text of a page with invented figures, without its charts.

use super::{breakable, page};
use crate::commands::report::compare::Other;
use crate::commands::report::measurements::Figures;
use crate::commands::report::model::{BackendState, Cache, LeftOut, Machine, Report};
use crate::commands::report::record::Record;
use crate::commands::report::verdict::verdict;
use crate::commands::report::workloads::WORKLOADS;
use crate::provenance::Provenance;
use bytelane::Backend;
use bytelane_catalog::plain::Level;
use bytelane_measure::rounds::Measurement;
use bytelane_measure::row::{Row, Workload};

/// Nanoseconds of each subject, for 1000 bytes.
const SUBJECTS: [(&str, f64); 5] = [
    ("memcpy", 20.0),
    (Level::TARGET.name(), 100.0),
    ("unvectorised", 800.0),
    ("scalar", 400.0),
    ("avx2", 25.0),
];

fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for workload in WORKLOADS {
        let case = workload.case().unwrap();
        for operation in ["encode", "decode"] {
            let workload = Workload {
                codec: case.codec.to_owned(),
                parameters: case.parameters.clone(),
                operation: operation.to_owned(),
                element_type: "f32".to_owned(),
                data: case.data.clone(),
                values: case.values as u64,
                bytes: case.bytes as u64,
                evicted: false,
            };
            let thousands = case.bytes as f64 / 1000.0;
            let measured = SUBJECTS.map(|(name, nanoseconds)| Measurement {
                name: name.to_owned(),
                nanoseconds: nanoseconds * thousands,
                spread: 0.01,
            });
            let took = measured.iter();
            rows.extend(took.map(|measurement| workload.row(measurement, &measured[0])));
        }
    }
    rows
}

fn backend(name: &'static str, available: bool) -> BackendState {
    BackendState {
        name,
        active: name == "avx2",
        available,
        missing_features: if available {
            vec![]
        } else {
            vec!["avx512f", "avx512bw"]
        },
    }
}

/// Returns a record of one workload.
fn record() -> Record {
    let text = "# 2026-01-01, Model 7\n\
                codec,parameters,operation,type,data,values,library,speedup\n\
                big_endian,width=4,encode,i32,random,12345,other,2.5\n";
    Record::parse(text).unwrap()
}

fn report() -> Report {
    let figures = Figures {
        rows: rows(),
        ..Figures::default()
    };
    Report {
        version: "1.2.3",
        provenance: Provenance {
            version: "1.2.3",
            cpu: "A CPU".to_owned(),
            commit: Some("0123456789ab"),
            rustc: "rustc 1.2.3",
            build: "x86_64-unknown-linux-gnu, opt-level=3 -Ctarget-cpu=native",
            command_line: "bytelane report <b>.parquet".to_owned(),
            kernel: Some("Linux 1.2.3".to_owned()),
            cpu_model: Some("family 1, model 2, stepping 3".to_owned()),
            governor: Some("performance".to_owned()),
            megahertz: Some(2600.0),
            load: Some(0.5),
        },
        spread: figures.spread(),
        date: "2026-01-02 03:04 UTC".to_owned(),
        quick: true,
        seconds: 61.0,
        rounds: 11,
        sample_microseconds: 200,
        machine: Machine {
            cpu: "A CPU <b>of</b> 2013".to_owned(),
            architecture: "x86_64",
            operating_system: "linux",
            caches: vec![Cache {
                name: "L1d 32 KiB".to_owned(),
                bytes: 32 << 10,
            }],
            backends: vec![
                backend("scalar", true),
                backend("avx2", true),
                backend("avx512", false),
            ],
            forced: false,
        },
        left_out: vec![LeftOut {
            experiment: "memory",
            what: "Something else",
            why: "not selected by --only",
        }],
        verdict: verdict(&figures, &record(), Backend::Avx2),
        record: record().summary,
        comparison: None,
        figures,
    }
}

/// Removes every text between `from` and `to`, and these.
fn without(page: &str, from: &str, to: &str) -> String {
    let mut parts = page.split(from);
    let mut rest = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        rest += part.split_once(to).map_or(part, |(_, after)| after);
    }
    rest
}

#[test]
fn what_the_page_says() {
    let page = page(&report()).unwrap();
    let page = without(&without(&page, "<style>", "</style>"), "<svg", "</svg>");
    let lines = page
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.is_empty());
    insta::assert_snapshot!("page", lines.collect::<Vec<_>>().join("\n"));
}

#[test]
fn the_verdict_compares_with_memcpy_plain_loops_and_other_libraries() {
    let report = report();
    assert_eq!(report.verdict.len(), 2 * WORKLOADS.len());
    for line in &report.verdict {
        assert_eq!(line.best, "avx2");
        assert!(
            (line.gain - 4.0).abs() < 1e-9 && (line.of_memcpy - 0.8).abs() < 1e-9,
            "{line:?}"
        );
        assert_eq!(line.plain.len(), 1);
        let work = &line.work;
        let is_recorded = (&*work.codec, &*work.operation) == ("big_endian", "encode")
            && work.parameters.as_deref() == Some("width=4");
        let other = line.other_library.as_ref().map(|other| &*other.name);
        assert_eq!(other, is_recorded.then_some("other"), "{line:?}");
    }
}

#[test]
fn the_gain_is_that_of_the_active_backend() {
    let figures = Figures {
        rows: rows(),
        ..Figures::default()
    };
    // The scalar code takes 16 times as long as the fastest backend here, and 4 times as long as the plain loop.
    for line in verdict(&figures, &record(), Backend::Scalar) {
        assert_eq!((line.best, line.active), ("avx2", "scalar"));
        assert!((line.gain - 0.25).abs() < 1e-9, "{line:?}");
        assert!((line.of_memcpy - 0.05).abs() < 1e-9, "{line:?}");
    }
    let mut report = report();
    report.verdict = verdict(&figures, &record(), Backend::Scalar);
    for backend in &mut report.machine.backends {
        backend.active = backend.name == "scalar";
    }
    let page = page(&report).unwrap();
    assert!(page.contains("The active backend reaches 5% of memcpy’s speed and 0.250× that of the plain loop compiled for the same instruction set"));
    assert!(page.contains("Programs use the active backend, <code>scalar</code>"));
    assert!(page.contains("class=\"number gain\">0.250×<"));
    // A worker that did not run has no figures.
    for line in verdict(&figures, &record(), Backend::Avx512) {
        assert_eq!((line.best, line.active), ("avx2", "avx2"));
    }
}

#[test]
fn a_load_above_1_is_a_warning_before_everything_else() {
    let page_at = |load| {
        let mut report = report();
        report.provenance.load = load;
        page(&report).unwrap()
    };
    for load in [None, Some(0.0), Some(1.0)] {
        assert!(!page_at(load).contains("Other programs were running"));
    }
    for (load, text) in [(1.01, "1.01"), (4.656, "4.66"), (12.0, "12.00")] {
        let page = page_at(Some(load));
        let (_, after) = page.split_once("Other programs were running").unwrap();
        assert!(after.contains("class=\"tiles"));
        let warning = format!(":</b> the load average before measuring was {text}.");
        assert!(after.starts_with(&warning), "{load}");
    }
}

#[test]
fn names_break_at_their_separators() {
    let name = breakable("a_b/c.d-<e>").to_string();
    assert_eq!(name, "a_<wbr>b&#x2f;<wbr>c.<wbr>d-<wbr>&lt;e&gt;");
}

#[test]
fn names_are_text_and_not_markup() {
    let page = page(&report()).unwrap();
    assert!(!page.contains("<b>of</b>"));
    assert!(page.contains("A CPU &lt;b&gt;of&lt;"));
}

#[test]
fn another_report_is_shown_beside_this_one() {
    let mut report = report();
    assert!(!page(&report).unwrap().contains("id=\"comparison\""));
    let line = &report.verdict[0];
    let other = serde_json::json!({
        "version": "1.1.0", "date": "2025-01-02 03:04 UTC", "machine": { "cpu": "Another <CPU>" },
        "verdict": [{
            "codec": line.work.codec, "parameters": line.work.parameters, "operation": line.work.operation,
            "type": line.work.element_type, "data": line.work.data, "values": line.work.values,
            "memcpy_gb_per_s": 20.0, "best": "neon", "of_memcpy": 0.5,
        }],
    });
    let other: Other = serde_json::from_value(other).unwrap();
    report.comparison = Some(other.beside(&report.verdict));
    let pairs = &report.comparison.as_ref().unwrap().lines;
    let there = pairs[0].there.as_ref().unwrap();
    assert_eq!((there.backend.as_str(), there.gb_per_s), ("neon", 10.0));
    assert!((pairs[0].here.gb_per_s - 40.0).abs() < 1e-9, "{pairs:?}");
    assert!(
        pairs[1..].iter().all(|pair| pair.there.is_none()),
        "{pairs:?}"
    );
    let page = page(&report).unwrap();
    let (_, section) = page.split_once("<section id=\"comparison\">").unwrap();
    let (section, _) = section.split_once("</section>").unwrap();
    let lines = section
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.is_empty());
    // Show the first result, which both reports have, and the second one.
    insta::assert_snapshot!("comparison", lines.take(26).collect::<Vec<_>>().join("\n"));
}

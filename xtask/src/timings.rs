//! Times of a stage: compilation and running, and with `--timings` the slowest crates and tests.

use std::fs;
use std::io::BufRead;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::root::root;

/// Kind of work that a command does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Work {
    Compile,
    Run,
}

/// Time of a stage's commands. Everything else that a stage does counts as running.
#[derive(Default, Clone)]
pub struct Timings {
    pub compiling: Duration,
    /// Compile time of each crate in seconds, if requested.
    pub crates: Vec<(String, f64)>,
    /// Time of each test in seconds, if requested.
    pub tests: Vec<(String, f64)>,
}

static ENABLED: AtomicBool = AtomicBool::new(false);

/// Timings of the running stage.
static CURRENT: Mutex<Timings> = Mutex::new(Timings {
    compiling: Duration::ZERO,
    crates: Vec::new(),
    tests: Vec::new(),
});

/// Number of crates and of tests in the summary.
pub const SLOWEST: usize = 10;

/// Program that makes a test program print the time of each test.
const RUNNER: &str = "xtask/timed.sh";

/// Makes all following commands report crates and tests.
pub fn enable() {
    ENABLED.store(true, Relaxed);
}

pub fn enabled() -> bool {
    ENABLED.load(Relaxed)
}

/// Returns the timings since the last call.
pub fn take() -> Timings {
    std::mem::take(&mut CURRENT.lock().expect("no panic while it was locked"))
}

pub fn measure<T>(work: Work, command: impl FnOnce() -> Result<T>) -> Result<T> {
    let start = Instant::now();
    let result = command();
    if work == Work::Compile {
        add(|current| current.compiling += start.elapsed());
    }
    result
}

fn add(change: impl FnOnce(&mut Timings)) {
    change(&mut CURRENT.lock().expect("no panic while it was locked"));
}

/// Cargo's report about a build.
pub struct CrateReport(PathBuf);

/// Makes cargo write a report, if `--timings` was given and the command supports it.
pub fn crates(command: &mut Command) -> Option<CrateReport> {
    let words: Vec<_> = command.get_args().map(|word| word.to_owned()).collect();
    let can = ["build", "test", "rustc"];
    if !enabled()
        || !words
            .first()
            .is_some_and(|word| can.iter().any(|can| word == can))
    {
        return None;
    }
    // `rustc` has arguments of its own after `--`.
    if words.iter().any(|word| word == "--") {
        return None;
    }
    command.arg("--timings");
    let target = words.windows(2).find(|pair| pair[0] == "--target-dir");
    let target = target.map_or("target".into(), |pair| pair[1].clone());
    Some(CrateReport(
        root().join(target).join("cargo-timings/cargo-timing.html"),
    ))
}

impl CrateReport {
    /// Adds the crates of the report to those of the stage.
    pub fn read(&self) -> Result<()> {
        let page = fs::read_to_string(&self.0)
            .with_context(|| format!("cannot read {}", self.0.display()))?;
        let crates = units(&page).context("cargo's report about its timings has no units")?;
        add(|current| current.crates.extend(crates));
        Ok(())
    }
}

/// Parses the crates in cargo's report, and their times in seconds: the data of its diagram.
fn units(page: &str) -> Option<Vec<(String, f64)>> {
    let (_, data) = page.split_once("const UNIT_DATA = ")?;
    let units = serde_json::Deserializer::from_str(data)
        .into_iter::<Value>()
        .next()?
        .ok()?;
    let unit = |unit: &Value| {
        let name = format!("{}{}", unit["name"].as_str()?, unit["target"].as_str()?);
        Some((name, unit["duration"].as_f64()?))
    };
    units.as_array()?.iter().map(unit).collect()
}

/// Returns the command that runs test programs through [`RUNNER`], which may start an emulator.
pub fn runner(emulator: &str) -> String {
    let runner = root().join(RUNNER);
    format!("{} {emulator}", runner.display())
        .trim_end()
        .to_owned()
}

/// Shows the lines of test programs, and adds the time of each test to those of the stage.
pub fn show_tests(lines: impl BufRead) -> Result<()> {
    for line in lines.lines() {
        let line = line?;
        println!("{line}");
        if let Some(test) = test_time(&line) {
            add(|current| current.tests.push(test));
        }
    }
    Ok(())
}

/// Parses the name and the seconds in a line like `test a::b ... ok <1.234s>`.
fn test_time(line: &str) -> Option<(String, f64)> {
    let (name, rest) = line.strip_prefix("test ")?.split_once(" ... ")?;
    let (_, time) = rest.split_once('<')?;
    let seconds = time.strip_suffix("s>")?.parse().ok()?;
    Some((name.to_owned(), seconds))
}

/// Formats the slowest entries, one per line.
pub fn slowest(entries: &[(String, f64)]) -> Vec<String> {
    let mut entries = entries.to_vec();
    entries.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    let entries = entries.into_iter().take(SLOWEST);
    entries
        .map(|(name, seconds)| format!("{seconds:>8.1} s  {name}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_a_report_are_found() {
        let page = r#"<script>const UNIT_DATA = [{"i": 0, "name": "syn", "target": "", "duration": 2.5},
            {"i": 1, "name": "xtask", "target": " xtask \"bin\" (test)", "duration": 1.0}];
            const CONCURRENCY_DATA = [];</script>"#;
        let expected = [
            ("syn".to_owned(), 2.5),
            ("xtask xtask \"bin\" (test)".to_owned(), 1.0),
        ];
        assert_eq!(units(page).unwrap(), expected);
        assert!(units("nothing").is_none());
    }

    #[test]
    fn times_of_tests_are_found() {
        let time = test_time("test oracle::every_length ... ok <5.438s>");
        assert_eq!(time, Some(("oracle::every_length".to_owned(), 5.438)));
        assert!(test_time("test result: ok. 68 passed; 0 failed").is_none());
        assert!(test_time("test a ... ok").is_none());
    }

    #[test]
    fn the_slowest_are_shown() {
        let entries: Vec<_> = (0..20).map(|i| (format!("t{i}"), f64::from(i))).collect();
        let lines = slowest(&entries);
        assert_eq!(lines.len(), SLOWEST);
        assert!(lines[0].ends_with("19.0 s  t19"));
    }
}

//! Compares the verdict with that of another report, usually from another machine.

use super::verdict::{Verdict, Work};
use crate::readable;
use anyhow::Context;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;

/// Fields of a report's JSON that are used here.
#[derive(Debug, Deserialize)]
pub struct Other {
    version: String,
    date: String,
    machine: Machine,
    verdict: Vec<Line>,
}

#[derive(Debug, Deserialize)]
struct Machine {
    cpu: String,
}

/// Fields of a line of its verdict that are used here.
#[derive(Debug, Deserialize)]
struct Line {
    #[serde(flatten)]
    work: Work,
    memcpy_gb_per_s: f64,
    /// Active backend. It is missing in reports of 0.1.0, whose share of memcpy is that of the
    /// fastest backend.
    active: Option<String>,
    best: String,
    of_memcpy: f64,
}

/// Comparison of two reports.
#[derive(Debug, Serialize)]
pub struct Comparison {
    /// Version of bytelane in the other report.
    pub version: String,
    pub date: String,
    pub cpu: String,
    /// One pair for each line of the verdict.
    pub lines: Vec<Pair>,
}

/// Results of the active backend here and in the other report, if that has one.
#[derive(Debug, Serialize)]
pub struct Pair {
    #[serde(flatten)]
    pub work: Work,
    pub bytes: u64,
    pub here: Result,
    pub there: Option<Result>,
}

/// Result of a backend.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Result {
    pub backend: String,
    pub gb_per_s: f64,
    pub of_memcpy: f64,
}

impl Other {
    /// Reads the JSON file of a report.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let name = readable::path(path);
        let text = fs::read_to_string(path).with_context(|| name.clone())?;
        serde_json::from_str(&text).with_context(|| {
            format!("{name} is not a report; name the .json file next to a report's page")
        })
    }

    /// Compares it with the verdict of this machine.
    pub fn beside(self, verdict: &[Verdict]) -> Comparison {
        let pair = |here: &Verdict| {
            let there = self.verdict.iter().find(|line| line.work == here.work);
            Pair {
                work: here.work.clone(),
                bytes: here.bytes,
                here: Result::new(here.active, here.memcpy_gb_per_s, here.of_memcpy),
                there: there.map(|line| {
                    let backend = line.active.as_ref().unwrap_or(&line.best);
                    Result::new(backend, line.memcpy_gb_per_s, line.of_memcpy)
                }),
            }
        };
        Comparison {
            lines: verdict.iter().map(pair).collect(),
            version: self.version,
            date: self.date,
            cpu: self.machine.cpu,
        }
    }
}

impl Result {
    fn new(backend: &str, memcpy_gb_per_s: f64, of_memcpy: f64) -> Self {
        Self {
            backend: backend.to_owned(),
            gb_per_s: of_memcpy * memcpy_gb_per_s,
            of_memcpy,
        }
    }
}

//! Compares the verdict with that of another report, usually from another machine.

use super::verdict::Verdict;
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
    codec: String,
    parameters: Option<String>,
    operation: String,
    #[serde(rename = "type")]
    element_type: String,
    data: String,
    values: u64,
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
    pub codec: String,
    pub parameters: Option<String>,
    pub operation: String,
    #[serde(rename = "type")]
    pub element_type: String,
    pub data: String,
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
            let there = self.verdict.iter().find(|line| line.is_of(here));
            Pair {
                codec: here.codec.clone(),
                parameters: here.parameters.clone(),
                operation: here.operation.clone(),
                element_type: here.element_type.clone(),
                data: here.data.clone(),
                bytes: here.bytes,
                here: Result::new(here.active, here.memcpy_gb_per_s, here.of_memcpy),
                there: there
                    .map(|line| Result::new(line.backend(), line.memcpy_gb_per_s, line.of_memcpy)),
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

impl Line {
    /// Returns the backend to which `of_memcpy` refers.
    fn backend(&self) -> &str {
        self.active.as_ref().unwrap_or(&self.best)
    }

    /// Returns whether both results are for the same work.
    fn is_of(&self, other: &Verdict) -> bool {
        let Verdict {
            codec,
            parameters,
            operation,
            element_type,
            data,
            values,
            ..
        } = other;
        (&self.codec, &self.parameters, &self.operation) == (codec, parameters, operation)
            && (&self.element_type, &self.data, &self.values) == (element_type, data, values)
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

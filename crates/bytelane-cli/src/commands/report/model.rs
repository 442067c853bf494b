//! Model of a report, from which the page is made. The JSON output is its serialised form.

use super::compare::Comparison;
use super::measurements::Figures;
use super::record::Summary;
use super::verdict::Verdict;
use crate::provenance::Provenance;
use bytelane::Backend;
use bytelane_measure::cpu;
use bytelane_measure::row::Row;
use serde::Serialize;

/// Report.
#[derive(Debug, Serialize)]
pub struct Report {
    /// Version of bytelane.
    pub version: &'static str,
    pub provenance: Provenance,
    /// Date of the measurement, in UTC.
    pub date: String,
    /// True for a short run.
    pub quick: bool,
    /// Duration of the measurement.
    pub seconds: f64,
    pub rounds: usize,
    pub sample_microseconds: u128,
    /// Median of the rows' spreads.
    pub spread: Option<f64>,
    pub machine: Machine,
    /// Measurements that were left out, and the reasons.
    pub left_out: Vec<LeftOut>,
    pub verdict: Vec<Verdict>,
    /// Record of other libraries to which the verdict refers.
    pub record: Summary,
    /// Comparison of the verdict with that of another report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Comparison>,
    #[serde(flatten)]
    pub figures: Figures,
}

/// Machine of the measurement.
#[derive(Debug, Serialize)]
pub struct Machine {
    pub cpu: String,
    pub architecture: &'static str,
    pub operating_system: &'static str,
    pub caches: Vec<Cache>,
    pub backends: Vec<BackendState>,
    /// True if `BYTELANE_BACKEND` chose the active backend.
    pub forced: bool,
}

/// Data cache.
#[derive(Debug, Serialize)]
pub struct Cache {
    pub name: String,
    pub bytes: u64,
}

/// State of a backend on this machine.
#[derive(Debug, Serialize)]
pub struct BackendState {
    pub name: &'static str,
    pub active: bool,
    pub available: bool,
    pub missing_features: Vec<&'static str>,
}

/// Measurement that was left out.
#[derive(Debug, Serialize)]
pub struct LeftOut {
    /// Name of the experiment.
    pub experiment: &'static str,
    pub what: &'static str,
    pub why: &'static str,
}

impl Report {
    pub fn has_left_out(&self, experiment: &str) -> bool {
        let left_out = self.left_out.iter();
        left_out
            .map(|left_out| left_out.experiment)
            .any(|name| name == experiment)
    }

    /// Returns the wanted rows of the backend that programs use.
    pub fn of_active_backend(&self, wanted: impl Fn(&Row) -> bool) -> Vec<&Row> {
        let active = self.machine.active();
        let rows = self.figures.rows.iter();
        rows.filter(|row| row.backend == active && wanted(row))
            .collect()
    }
}

impl Machine {
    pub fn here(forced: bool) -> Self {
        let holds_values = |cache: &cpu::Cache| cache.kind != "Instruction";
        let caches = cpu::caches().into_iter().filter(holds_values);
        Self {
            cpu: cpu::name(),
            architecture: std::env::consts::ARCH,
            operating_system: std::env::consts::OS,
            caches: caches
                .map(|cache| Cache {
                    name: cache.to_string(),
                    bytes: cache.bytes,
                })
                .collect(),
            backends: Backend::ALL.iter().copied().map(BackendState::of).collect(),
            forced,
        }
    }
}

impl Machine {
    /// Returns the backend that programs use.
    pub fn active(&self) -> &'static str {
        let active = self.backends.iter().find(|backend| backend.active);
        active.map_or(Backend::Scalar.name(), |backend| backend.name)
    }
}

impl BackendState {
    fn of(backend: Backend) -> Self {
        Self {
            name: backend.name(),
            active: backend == Backend::active(),
            available: backend.is_available(),
            missing_features: backend.missing_features().collect(),
        }
    }
}

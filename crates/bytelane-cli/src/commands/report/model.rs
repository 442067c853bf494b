//! Model of a report, from which the page is made. The JSON output is its serialised form.

use super::compare::Comparison;
use super::figures::median;
use super::record::Summary;
use super::verdict::Verdict;
use crate::commands::bench::UNVECTORISED;
use crate::commands::bench::parquet::ParquetRow;
use crate::provenance::Provenance;
use bytelane::Backend;
use bytelane_measure::cpu;
use bytelane_measure::row::Row;
use bytelane_measure::transform::{MEMCPY, NON_TEMPORAL_COPY};
use bytelane_parquet_files::advise::Advice;
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

/// Returns the speedup of a backend's row over the plain loop without options.
pub fn gain(row: &Row) -> Option<f64> {
    row.extra.get("of_plain")?.as_f64()
}

/// All measurements.
#[derive(Debug, Default, Serialize)]
pub struct Figures {
    /// Codecs and protocols.
    pub rows: Vec<Row>,
    /// Parquet columns.
    pub parquet: Vec<ParquetRow>,
    /// Advice for the user's own files.
    pub files: Vec<Advice>,
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

impl Figures {
    /// Returns the rows of a codec with these parameters, in measurement order.
    pub fn of<'a>(
        &'a self,
        codec: &'a str,
        parameters: &'a str,
        operation: &'a str,
        data: &'a str,
    ) -> impl Iterator<Item = &'a Row> {
        self.rows.iter().filter(move |row| {
            row.codec == codec
                && row.parameters.as_deref().unwrap_or_default() == parameters
                && row.operation == operation
                && row.data == data
        })
    }

    /// Returns the median of the rows' spreads.
    pub fn spread(&self) -> Option<f64> {
        median(self.rows.iter().filter_map(|row| row.spread))
    }

    /// Returns the names of the compared workers on values in the caches, each once. The scalar code and the
    /// loop of publications are left out unless there are no other backends, because they are slower than
    /// realistic code.
    pub fn workers(&self) -> Vec<String> {
        let mut workers: Vec<String> = Vec::new();
        for row in &self.rows {
            if !row.evicted && row.library.is_none() && !workers.contains(&row.backend) {
                workers.push(row.backend.clone());
            }
        }
        let is_slow = |name: &str| [UNVECTORISED, Backend::Scalar.name()].contains(&name);
        let is_backend = |name: &String| name.parse::<Backend>().is_ok();
        if workers
            .iter()
            .any(|name| is_backend(name) && !is_slow(name))
        {
            workers.retain(|name| !is_slow(name));
        }
        workers
    }

    /// Returns the speed of copies of uncached memory: with plain stores, and with stores that
    /// bypass the caches.
    pub fn memory_bandwidth(&self) -> Option<(f64, Option<f64>)> {
        let best = |name: &str| {
            let rows = self.rows.iter();
            let copies = rows.filter(|row| row.evicted && row.backend == name);
            copies.map(|row| row.gb_per_s).reduce(f64::max)
        };
        Some((best(MEMCPY)?, best(NON_TEMPORAL_COPY)))
    }
}

//! Verdict: one line per codec and operation, next to other libraries and published figures.

use super::measurements::Figures;
use super::record::{OtherLibrary, Record};
use super::workloads::{Published, WORKLOADS, Workload};
use bytelane::Backend;
use bytelane_catalog::plain::Level;
use bytelane_measure::row::Row;
use serde::{Deserialize, Serialize};

/// Work of a line of the verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    pub codec: String,
    pub parameters: Option<String>,
    pub operation: String,
    #[serde(rename = "type")]
    pub element_type: String,
    pub data: String,
    pub values: u64,
}

/// Line of the verdict, with speeds in decoded gigabytes per second.
#[derive(Clone, Debug, Serialize)]
pub struct Verdict {
    #[serde(flatten)]
    pub work: Work,
    pub bytes: u64,
    pub memcpy_gb_per_s: f64,
    /// Plain loop, compiled for each level that ran, the lowest first.
    pub plain: Vec<Speed>,
    /// Backends that ran, the scalar code first.
    pub backends: Vec<Speed>,
    /// Fastest backend.
    pub best: &'static str,
    /// Backend that programs use, or the fastest one if that did not run.
    pub active: &'static str,
    /// Speed of the active backend as a share of memcpy's.
    pub of_memcpy: f64,
    /// Speed of the active backend, as a multiple of the plain loop compiled without options.
    pub gain: f64,
    /// Same gain over the loop compiled for the instruction set of the backend.
    pub gain_at_level: Option<f64>,
    /// Plain loop that the backend is compared with: that of its instruction set, if it ran.
    pub level: &'static str,
    /// Fastest other library in the newest record.
    pub other_library: Option<OtherLibrary>,
    pub published: &'static [Published],
}

impl Verdict {
    /// Returns the gain over the plain loop that the backend is compared with.
    pub fn equal_gain(&self) -> f64 {
        self.gain_at_level.unwrap_or(self.gain)
    }
}

/// Speed of a backend or a plain loop.
#[derive(Clone, Debug, Serialize)]
pub struct Speed {
    pub backend: &'static str,
    pub gb_per_s: f64,
}

/// Returns the lines that have figures. `active` is the backend that programs use.
pub fn verdict(figures: &Figures, record: &Record, active: Backend) -> Vec<Verdict> {
    let lines = WORKLOADS.iter().flat_map(|workload| {
        let operations = [("encode", workload.encode), ("decode", workload.decode)];
        operations.map(|(operation, published)| {
            line((figures, record, active), workload, operation, published)
        })
    });
    lines.flatten().collect()
}

fn line(
    (figures, record, active): (&Figures, &Record, Backend),
    workload: &Workload,
    operation: &str,
    published: &'static [Published],
) -> Option<Verdict> {
    let &Workload {
        codec,
        parameters,
        data,
        values,
        ..
    } = workload;
    let rows: Vec<&Row> = figures
        .of(codec, parameters, operation, data)
        .filter(|row| !row.evicted && row.values == values as u64)
        .collect();
    let speed = |name: &str| {
        rows.iter()
            .find(|row| row.backend == name)
            .map(|row| row.gb_per_s)
    };
    let speeds = |names: &[&'static str]| -> Vec<Speed> {
        let ran = names.iter().filter_map(|&backend| {
            let gb_per_s = speed(backend)?;
            Some(Speed { backend, gb_per_s })
        });
        ran.collect()
    };
    let levels = Level::available();
    let plain = speeds(&levels.iter().map(|level| level.name()).collect::<Vec<_>>());
    let names = Backend::ALL.iter().map(|backend| backend.name());
    let backends = speeds(&names.collect::<Vec<_>>());
    let best = backends
        .iter()
        .max_by(|one, other| one.gb_per_s.total_cmp(&other.gb_per_s))?;
    let is_active = |speed: &&Speed| speed.backend == active.name();
    let used = backends.iter().find(is_active).unwrap_or(best);
    let gain_over = |level: Level| Some(used.gb_per_s / speed(level.name())?);
    let level = Level::of(used.backend.parse().ok()?);
    let first = rows.first()?;
    Some(Verdict {
        work: Work {
            codec: first.codec.clone(),
            parameters: first.parameters.clone(),
            operation: first.operation.clone(),
            element_type: first.element_type.clone(),
            data: first.data.clone(),
            values: first.values,
        },
        bytes: first.bytes,
        memcpy_gb_per_s: first.memcpy_gb_per_s,
        best: best.backend,
        active: used.backend,
        of_memcpy: used.gb_per_s / first.memcpy_gb_per_s,
        gain: gain_over(Level::TARGET)?,
        gain_at_level: gain_over(level),
        level: match speed(level.name()) {
            Some(_) => level.name(),
            None => Level::TARGET.name(),
        },
        other_library: record.of(workload, operation),
        plain,
        backends,
        published,
    })
}

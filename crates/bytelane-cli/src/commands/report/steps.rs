//! Measurements, piece by piece, with their expected cost.

use super::measurements::Figures;
use crate::commands::bench::{Case, measure_codec};
use anyhow::Context;
use bytelane::Backend;
use bytelane_catalog::plain::Level;
use bytelane_measure::rounds::{FEWEST_ROUNDS, Rounds};
use std::path::PathBuf;
use std::time::Duration;

/// Settings of the measurements of a report.
#[derive(Debug)]
pub struct Settings {
    pub quick: bool,
    /// User's own files.
    pub files: Vec<PathBuf>,
    pub rounds: Rounds,
    /// Requested backends; empty for all.
    pub backends: Vec<Backend>,
}

/// Unit of work.
pub struct Step {
    /// Name of the measurement. Steps with the same label are run once.
    pub label: String,
    /// Expected duration. Once some steps are done, only the proportions matter.
    pub expected: Duration,
    pub run: Run,
}

pub type Run = Box<dyn Fn(&Settings, &mut Figures) -> anyhow::Result<()>>;

/// Estimated throughput of the slowest subject of a codec, in bytes per nanosecond.
const SLOWEST: f64 = 0.7;

/// Nanoseconds for generating a byte of input.
const GENERATION: f64 = 4.0;

/// Nanoseconds for evicting a byte.
const EVICTION: f64 = 0.2;

impl Step {
    /// Creates a step for each case.
    pub fn codecs(
        cases: impl IntoIterator<Item = anyhow::Result<Case>>,
        settings: &Settings,
    ) -> anyhow::Result<Vec<Self>> {
        let cases = cases.into_iter();
        cases.map(|case| Ok(Self::codec(case?, settings))).collect()
    }

    /// Creates a step that measures both operations of a codec.
    pub fn codec(case: Case, settings: &Settings) -> Self {
        let state = if case.evicted { ", evicted" } else { "" };
        let label = format!(
            "{}, {} values of {}{state}",
            case.name(),
            case.values,
            case.data
        );
        let expected = expected(&case, settings);
        let context = label.clone();
        let run = move |settings: &Settings, figures: &mut Figures| {
            let rows = measure_codec(&case, 1, None, &settings.rounds, &settings.backends);
            figures.rows.extend(rows.with_context(|| context.clone())?);
            Ok(())
        };
        Self {
            label,
            expected,
            run: Box::new(run),
        }
    }
}

fn expected(case: &Case, settings: &Settings) -> Duration {
    let bytes = case.bytes as f64;
    // The plain loops, the loop of publications and the scalar code may be slow; the copy and the other
    // backends are fast.
    let slow_subjects = 2.0 + Level::available().len() as f64;
    let subjects = slow_subjects + Backend::available().count() as f64;
    let sample = settings.rounds.sample.as_nanos() as f64;
    let slow = (bytes / SLOWEST).max(sample);
    let evicting = if case.evicted {
        2.0 * EVICTION * bytes
    } else {
        0.0
    };
    let fast_subjects = subjects - slow_subjects;
    let turn =
        slow_subjects * slow + fast_subjects * sample.max(bytes / 10.0) + subjects * evicting;
    let turns = 2.0 * (FEWEST_ROUNDS.max(settings.rounds.rounds) + 2) as f64;
    Duration::from_nanos((turns * turn + GENERATION * bytes) as u64)
}

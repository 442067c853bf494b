//! Provenance of figures: build, command line, and state of the machine.

use bytelane_measure::row::Row;
use bytelane_measure::{cpu, system};
use serde::Serialize;
use serde_json::Value;
use std::env;

/// Facts for checking and reproducing a figure.
#[derive(Clone, Debug, Serialize)]
pub struct Provenance {
    /// Version of bytelane.
    pub version: &'static str,
    pub cpu: String,
    /// Commit of an optimised build in a checkout.
    pub commit: Option<&'static str>,
    pub rustc: &'static str,
    /// Target, optimisation level and compiler flags.
    pub build: &'static str,
    pub command_line: String,
    pub kernel: Option<String>,
    /// Family, model and stepping of an x86 CPU.
    pub cpu_model: Option<String>,
    pub governor: Option<String>,
    /// Frequency before measuring.
    pub megahertz: Option<f64>,
    /// Load average over the minute before measuring.
    pub load: Option<f64>,
}

impl Provenance {
    /// Collects the facts before measuring, and pins the thread to its core.
    pub fn here() -> Self {
        // If pinning is refused, as in some sandboxes, the system may move the thread; medians
        // tolerate that.
        let core = cpu::pin_to_current_core().unwrap_or(0);
        let arguments: Vec<_> = env::args_os().collect();
        let arguments = arguments.iter().map(|argument| argument.to_string_lossy());
        Self {
            version: env!("CARGO_PKG_VERSION"),
            cpu: cpu::name(),
            commit: Some(env!("BYTELANE_COMMIT")).filter(|commit| !commit.is_empty()),
            rustc: env!("BYTELANE_RUSTC"),
            build: env!("BYTELANE_BUILD"),
            command_line: arguments.collect::<Vec<_>>().join(" "),
            kernel: system::kernel(),
            cpu_model: system::model().map(|model| model.to_string()),
            governor: system::governor(core),
            megahertz: system::megahertz(core),
            load: system::load(),
        }
    }

    /// Returns the row with all facts added, for output that consists only of rows.
    pub fn add_to(&self, row: &Row) -> Row {
        let mut row = row.clone();
        if let Ok(Value::Object(fields)) = serde_json::to_value(self) {
            row.extra.extend(fields);
        }
        row
    }
}

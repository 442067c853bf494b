//! Where figures come from: what was built, how it was called, and the state of the machine.

use bytelane_measure::row::Row;
use bytelane_measure::{cpu, system};
use serde::Serialize;
use serde_json::Value;
use std::env;

/// Facts for anyone who doubts a figure, or repeats it.
#[derive(Clone, Debug, Serialize)]
pub struct Provenance {
    /// The version of bytelane.
    pub version: &'static str,
    pub cpu: String,
    /// The commit of an optimised build in a checkout.
    pub commit: Option<&'static str>,
    pub rustc: &'static str,
    /// The target, the optimisation and the flags of the compiler.
    pub build: &'static str,
    pub command_line: String,
    pub kernel: Option<String>,
    /// The family, model and stepping of an x86 CPU.
    pub cpu_model: Option<String>,
    pub governor: Option<String>,
    /// The frequency before measuring.
    pub megahertz: Option<f64>,
    /// Processes that ran or waited in the minute before measuring.
    pub load: Option<f64>,
}

impl Provenance {
    /// Collects the facts before measuring. Keeps the thread on its core, if it may run on others.
    pub fn here() -> Self {
        // Where it is refused, as in some sandboxes, the system may move us: the medians survive that.
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

    /// The row with all of it, for output that has nothing but rows.
    pub fn add_to(&self, row: &Row) -> Row {
        let mut row = row.clone();
        if let Ok(Value::Object(fields)) = serde_json::to_value(self) {
            row.extra.extend(fields);
        }
        row
    }
}

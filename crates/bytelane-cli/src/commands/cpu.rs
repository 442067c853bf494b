//! `bytelane cpu`.

use crate::table::{self, Format, Table, text};
use crate::{Outcome, backend, standard};
use bytelane::Backend;
use bytelane_measure::cpu;
use std::io::Write;

/// Show the instruction sets of this CPU and which one is used
///
/// Lists every backend (an instruction set for which the codecs have kernels): the active one, the
/// others that this CPU can run, and the missing features of the rest.
#[derive(Debug, clap::Args)]
pub struct Arguments {}

impl Arguments {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let forced = backend::force_from_environment()?;
        let reason = match forced {
            Some(_) => "forced by BYTELANE_BACKEND",
            None => "the best one of this CPU",
        };
        let caches: Vec<String> = cpu::caches().iter().map(ToString::to_string).collect();
        let mut out = standard::output()?;
        let mut line = |text: String| {
            let width = table::terminal_width();
            writeln!(out, "{}", table::wrapped(&text, width))
        };
        line(format!(
            "CPU:     {} ({})",
            cpu::name(),
            std::env::consts::ARCH
        ))?;
        if !caches.is_empty() {
            line(format!("caches:  {}", caches.join(", ")))?;
        }
        line(format!("backend: {}, {reason}", Backend::active()))?;
        writeln!(out)?;
        backends().write(Format::Table, [()], &mut out)?;
        Ok(Outcome::Fine)
    }
}

fn backends() -> Table {
    let mut table = Table::new([text("backend"), text("state"), text("needs")]);
    for &backend in Backend::ALL {
        let missing: Vec<&str> = backend.missing_features().collect();
        let state = match backend {
            _ if backend == Backend::active() => "active".to_owned(),
            _ if backend.is_available() => "available".to_owned(),
            _ => format!("unavailable: no {}", missing.join(", ")),
        };
        let needs = match backend.features() {
            [] => "nothing".to_owned(),
            features => features.join(" "),
        };
        table.row([backend.name().to_owned(), state, needs]);
    }
    table
}

//! Options of every benchmark: how to measure, and how to show the results.

use crate::output::measured::{self, Tables, Titles, Unit};
use crate::provenance::Provenance;
use crate::table::{Format, format_parser};
use crate::{progress, standard};
use anyhow::Context;
use bytelane_measure::clock::Clock;
use bytelane_measure::cpu;
use bytelane_measure::rounds::{FEWEST_ROUNDS, Rounds};
use bytelane_measure::row::Row;
use std::io::{self, Write};
use std::time::Duration;

/// How to measure.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Measuring")]
pub struct Timing {
    /// Rounds, in each of which every subject is sampled; the median counts. At least 11
    #[arg(long, value_name = "N", default_value_t = FEWEST_ROUNDS)]
    rounds: usize,
    /// Time per sample, in microseconds; short calls are repeated to fill it
    #[arg(long, value_name = "MICROSECONDS", default_value_t = 1000)]
    sample: u64,
    /// Measure wall-clock time [default: the CPU time of the thread, which excludes time in which other
    /// programs hold the core]
    #[arg(long)]
    wall_time: bool,
    /// Run on this core [default: the current one]
    #[arg(long, value_name = "NUMBER")]
    core: Option<usize>,
}

/// How to measure codecs, and how to show it.
#[derive(Debug, clap::Args)]
pub struct Measuring {
    #[command(flatten)]
    timing: Timing,
    /// A table, one JSON object per line, CSV, or Markdown tables
    #[arg(long, value_name = "FORMAT", default_value = "table", value_parser = format_parser(),
        help_heading = "Output")]
    format: Format,
    /// Show nanoseconds per call in tables instead of gigabytes per second
    #[arg(long, help_heading = "Output")]
    nanoseconds: bool,
}

impl Timing {
    /// Pins the thread to a core and returns how to measure.
    pub fn rounds(&self) -> anyhow::Result<Rounds> {
        match self.core {
            Some(core) => {
                cpu::pin_to_core(core).with_context(|| format!("cannot run on core {core}"))?;
            }
            // Without the option, pin if possible: some systems and sandboxes do not allow it.
            None => drop(cpu::pin_to_current_core()),
        }
        Ok(Rounds {
            clock: if self.wall_time {
                Clock::Monotonic
            } else {
                Clock::ThreadCpu
            },
            rounds: self.rounds,
            sample: Duration::from_micros(self.sample),
        })
    }
}

impl Measuring {
    /// Pins the thread to a core and returns how to measure.
    pub fn rounds(&self) -> anyhow::Result<Rounds> {
        self.timing.rounds()
    }

    /// Measures `cases` one after the other and shows their rows. Rows with the same title share a
    /// table, and rows for programs include their provenance. Progress goes to standard error if that
    /// is a terminal.
    pub fn show<C>(
        &self,
        cases: &[C],
        titles: Titles,
        label: impl Fn(&C) -> String,
        mut measure: impl FnMut(&C) -> anyhow::Result<Vec<Row>>,
    ) -> anyhow::Result<()> {
        let mut out = standard::output()?;
        let provenance = Provenance::here();
        let with_provenance = matches!(self.format, Format::Json | Format::Csv);
        let measure = |case: &C| {
            let rows = measure(case).with_context(|| label(case))?;
            Ok(if with_provenance {
                rows.iter().map(|row| provenance.add_to(row)).collect()
            } else {
                rows
            })
        };
        let rows = each(cases, &label, measure, self.format, |rows| {
            measured::write(rows, Format::Json, Tables::default(), &mut out)?;
            out.flush()
        })?;
        let unit = if self.nanoseconds {
            Unit::Nanoseconds
        } else {
            Unit::GigabytesPerSecond
        };
        let tables = Tables {
            unit,
            titles,
            ..Tables::default()
        };
        measured::write(&rows, self.format, tables, &mut out)?;
        out.flush()?;
        Ok(())
    }
}

/// Measures `cases` one after the other, with progress on standard error if that is a terminal. In JSON, writes the rows of each
/// case when it is measured, because a program may be waiting at the other end of a pipe. Returns the rows in
/// other formats.
pub fn each<C, R>(
    cases: &[C],
    label: impl Fn(&C) -> String,
    mut measure: impl FnMut(&C) -> anyhow::Result<Vec<R>>,
    format: Format,
    mut write_json: impl FnMut(&[R]) -> io::Result<()>,
) -> anyhow::Result<Vec<R>> {
    let progress = progress::bar(cases.len() as u64, "{pos}/{len}")?;
    let mut rows = Vec::new();
    for case in cases {
        progress.set_message(label(case));
        let measured = measure(case)?;
        match format {
            Format::Json => write_json(&measured)?,
            _ => rows.extend(measured),
        }
        progress.inc(1);
    }
    progress.finish_and_clear();
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::tests::at_all_widths;
    use bytelane_measure::rounds::Measurement;
    use bytelane_measure::row::Workload;

    /// Returns rows of a codec on six backends, with parameters that the type does not imply.
    fn rows(operation: &str, values: u64) -> Vec<Row> {
        let workload = Workload {
            codec: "byte_stream_split".to_owned(),
            parameters: "protocol=simple_json".to_owned(),
            operation: operation.to_owned(),
            element_type: "LargeListMixed".to_owned(),
            data: "mixed_widths".to_owned(),
            values,
            bytes: 8 * values,
            evicted: true,
        };
        let took = |(name, nanoseconds): (&str, f64)| Measurement {
            name: name.to_owned(),
            nanoseconds: nanoseconds * values as f64,
            spread: 0.01,
        };
        let workers = [
            ("memcpy", 0.05),
            ("plain v1", 0.8),
            ("plain v3", 0.3),
            ("plain v4", 0.1),
            ("unvectorised", 4.0),
            ("scalar", 3.0),
            ("sse4.1", 0.4),
            ("avx2", 0.2),
            ("avx512", 0.06),
        ];
        let rows = workers.map(|worker| workload.row(&took(worker), &took(workers[0])));
        rows.to_vec()
    }

    #[test]
    fn tables_fit() {
        let rows = [
            rows("write", 12_345),
            rows("write", 100),
            rows("read", 10_000_000),
        ];
        for titles in [Titles::Data, Titles::Parameters] {
            let shown = at_all_widths(|width, out| {
                let tables = Tables {
                    unit: Unit::default(),
                    titles,
                    width,
                };
                measured::write(&rows.concat(), Format::Table, tables, out)
            });
            insta::assert_snapshot!(format!("tables_fit_{titles:?}"), shown);
        }
    }
}

//! ProtocolBench: Thrift's protocols with the scalar code and with the active backend.

use super::section::{Experiment, Shown};
use crate::commands::bench::thrift::{self, Case, Operation, Protocol, WORKLOADS, Workload};
use crate::commands::report::figures::{grouped, median, times};
use crate::commands::report::model::Report;
use crate::commands::report::plot::{Bar, Bars, Figure, Group};
use crate::commands::report::steps::{Settings, Step};
use bytelane::Backend;
use bytelane_measure::row::Row;
use std::time::Duration;

pub const EXPERIMENT: Experiment = Experiment {
    name: "thrift",
    title: "Thrift messages before and after",
    steps,
    show,
};

const CODEC: &str = "thrift";

/// Estimated nanoseconds per value in the slowest case, map entries in JSON.
const SLOWEST: u64 = 60;

const ABOUT: &str = "\
<p>The structs of fbthrift’s ProtocolBench, written to a new buffer and read into a new value: how many \
times as fast the active backend is as the scalar code of the same library, and nanoseconds before and \
after. A struct without lists, strings or binary data does not benefit. The published BigString needs no \
escapes, so other texts are shown as well. Published for NEON (fbthrift’s pull request 632, Neoverse V2, \
compared with that library’s previous code): JSON write BigString 14.8×, read 5.6×; write \
BigBinary 6.6×, read BigBinary and SmallBinary 11×.</p>";

fn steps(settings: &Settings) -> anyhow::Result<Vec<Step>> {
    let mut backends = vec![Backend::Scalar, Backend::active()];
    backends.dedup();
    let wanted = |workload: &&Workload| !(settings.quick && workload.is_long());
    let workloads: Vec<&'static Workload> = WORKLOADS.iter().filter(wanted).collect();
    let cases = thrift::cases(&workloads, &[]);
    let steps = cases.into_iter().filter(is_shown).map(|case| {
        let backends = backends.clone();
        let turns = 2 * (settings.rounds.rounds as u32 + 2) * (1 + backends.len() as u32);
        let call = Duration::from_nanos(SLOWEST * case.workload.values as u64);
        Step {
            label: format!("thrift, {}", case.label()),
            expected: turns * call.max(settings.rounds.sample),
            run: Box::new(move |settings, figures| {
                let rows = thrift::measure(&case, &Operation::ALL, &settings.rounds, &backends)?;
                figures.rows.extend(rows);
                Ok(())
            }),
        }
    });
    Ok(steps.collect())
}

/// Returns whether a case is shown: the published ones, and other strings where they matter.
fn is_shown(case: &Case) -> bool {
    let is_text = case.workload.name == "BigString" && case.protocol == Protocol::Json;
    case.workload.is_published() || is_text
}

fn show(report: &Report) -> anyhow::Result<Shown> {
    let mut figures = Vec::new();
    for protocol in Protocol::ALL {
        for operation in Operation::ALL {
            figures.push(figure(report, protocol, operation));
        }
    }
    Ok(Shown {
        message: message(report).unwrap_or_default(),
        about: ABOUT,
        figures,
        ..Shown::default()
    })
}

fn message(report: &Report) -> Option<String> {
    let rows = &report.figures.rows;
    fn work(row: &Row) -> (&Option<String>, [&str; 3]) {
        let names = [&row.operation, &row.element_type, &row.data];
        (&row.parameters, names.map(String::as_str))
    }
    let messages = rows.chunk_by(|one, other| work(one) == work(other));
    let messages = messages.filter(|rows| rows[0].codec == CODEC);
    let gains = messages.filter_map(|rows| {
        let before = rows
            .iter()
            .find(|row| row.backend == Backend::Scalar.name())?;
        let after = rows.last()?;
        Some((before.ns / after.ns, after))
    });
    let gains: Vec<(f64, &Row)> = gains.collect();
    let middle = median(gains.iter().map(|(gain, _)| *gain))?;
    let (most, row) = gains
        .iter()
        .max_by(|one, other| one.0.total_cmp(&other.0))?;
    let protocol = row.extra.get("protocol")?.as_str()?;
    Some(format!(
        "The active backend handles messages {} as fast as the scalar code (median), and up to {}: {} {}, {protocol}.",
        times(middle),
        times(*most),
        row.operation,
        row.element_type,
    ))
}

fn figure(report: &Report, protocol: Protocol, operation: Operation) -> Figure {
    let parameters = format!("protocol={}", protocol.name());
    let bars = WORKLOADS.iter().filter_map(|workload| {
        let rows = report
            .figures
            .of(CODEC, &parameters, operation.name(), workload.data)
            .filter(|row| {
                (&*row.element_type, row.values) == (workload.name, workload.values as u64)
            });
        bar(workload, &rows.collect::<Vec<_>>())
    });
    let bars = Bars {
        title: format!("{}, {}", protocol.name(), operation.name()),
        groups: vec![Group {
            name: String::new(),
            bars: bars.collect(),
        }],
    };
    bars.figure()
}

fn bar(workload: &Workload, rows: &[&Row]) -> Option<Bar> {
    let before = rows
        .iter()
        .find(|row| row.backend == Backend::Scalar.name())?;
    let after = rows.last()?;
    let gain = before.ns / after.ns;
    let nanoseconds = [before.ns, after.ns].map(|ns| grouped(ns.round() as u64));
    let name = if workload.is_published() {
        workload.name.to_owned()
    } else {
        format!("{}, {}", workload.name, workload.data)
    };
    Some(Bar {
        name: format!("{name}, {} → {} ns", nanoseconds[0], nanoseconds[1]),
        ..Bar::of(after, gain, times(gain))
    })
}

//! First screen of the page: the results in three numbers, and a chart of all of them.

use crate::commands::report::figures::{self, times};
use crate::commands::report::plot::{Bar, Bars, Figure, Group, class_of};
use crate::commands::report::verdict::{Verdict, Work};
use serde::Serialize;

/// Results in a few numbers.
#[derive(Serialize)]
pub struct Summary {
    /// Median gain over the plain loop compiled for the same instruction set.
    median_gain: f64,
    /// Median share of the speed of `memcpy`.
    median_share: f64,
    /// Plain loop that the active backend is compared with, and the one without options.
    level: &'static str,
    target: &'static str,
}

impl Summary {
    pub fn of(verdict: &[Verdict]) -> Option<Self> {
        Some(Self {
            median_gain: figures::median(verdict.iter().map(Verdict::equal_gain))?,
            median_share: figures::median(verdict.iter().map(|line| line.of_memcpy))?,
            level: verdict.first()?.level,
            target: verdict.first()?.plain.first()?.backend,
        })
    }
}

/// Draws the gain over the plain loop for the same instruction set in every line of the results, one chart per operation.
pub fn gains(verdict: &[Verdict]) -> Vec<Figure> {
    if verdict.is_empty() {
        return Vec::new();
    }
    let chart = |operation: &str| {
        let lines = verdict
            .iter()
            .filter(|line| line.work.operation == operation);
        let bars = lines.map(|line| Bar {
            class: class_of(line.active),
            name: name(line),
            value: line.equal_gain(),
            text: times(line.equal_gain()),
        });
        let bars = Bars {
            title: format!(
                "{operation}: times as fast as the plain loop for the same instruction set"
            ),
            groups: vec![Group {
                name: String::new(),
                bars: bars.collect(),
            }],
        };
        bars.figure()
    };
    ["encode", "decode"].map(chart).into()
}

/// Returns the codec with the parameters that distinguish its lines.
fn name(line: &Verdict) -> String {
    let Work {
        codec,
        element_type,
        data,
        ..
    } = &line.work;
    match element_type.as_str() {
        "u8" => format!("{codec} {data}"),
        element_type => format!("{codec} {element_type}"),
    }
}

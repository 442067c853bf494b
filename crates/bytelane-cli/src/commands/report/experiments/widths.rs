//! Unpacking by the number of bits per value.

use super::section::{Experiment, Shown};
use crate::commands::bench::Case;
use crate::commands::report::figures::{figure, median, short, times};
use crate::commands::report::measurements::gain;
use crate::commands::report::model::Report;
use crate::commands::report::plot::{Axis, Chart, Figure, Point, Scale, Series};
use crate::commands::report::steps::{Settings, Step};
use bytelane_measure::row::Row;

pub const EXPERIMENT: Experiment = Experiment {
    name: "bit-packing",
    title: "Bit packing by width",
    steps,
    show,
};

const CODEC: &str = "bit_packing";

/// Bytes of values: more than the first-level cache holds.
const BYTES: usize = 128 << 10;

/// Type of values: name, bytes, and the measured widths.
struct Curve {
    element: &'static str,
    bytes: usize,
    widths: &'static [u32],
}

const CURVES: &[Curve] = &[
    Curve {
        element: "u32",
        bytes: 4,
        widths: &[1, 3, 5, 7, 9, 13, 16, 17, 20, 26, 31],
    },
    Curve {
        element: "u64",
        bytes: 8,
        widths: &[1, 3, 7, 13, 17, 20, 26, 33, 48, 57, 59, 63],
    },
];

const ABOUT: &str = "\
<p>Random values of each width are unpacked, 128 KiB of them per call. <code>memcpy</code> copies the \
unpacked values. The loops do not depend on the width, except where the instruction set shifts fewer bits at \
once than a value and the bits before it in its first byte have.</p>";

impl Curve {
    fn values(&self) -> usize {
        BYTES / self.bytes
    }

    fn parameters(&self, width: u32) -> String {
        format!("type={},width={width}", self.element)
    }
}

/// Returns the data set for values of a width.
fn data(width: u32) -> String {
    format!("bits_{width}")
}

fn steps(settings: &Settings) -> anyhow::Result<Vec<Step>> {
    let cases = CURVES.iter().flat_map(|curve| {
        curve.widths.iter().map(|&width| {
            let values = curve.values();
            Case::new(CODEC, &curve.parameters(width), &data(width), values)
        })
    });
    Step::codecs(cases, settings)
}

fn show(report: &Report) -> anyhow::Result<Shown> {
    let figures = CURVES.iter().map(|curve| chart(report, curve));
    Ok(Shown {
        message: message(report).unwrap_or_default(),
        about: ABOUT,
        legend: report.figures.workers(),
        figures: figures.collect(),
        ..Shown::default()
    })
}

fn message(report: &Report) -> Option<String> {
    let curve = CURVES.first()?;
    let rows = report.of_active_backend(|row| {
        row.codec == CODEC
            && row.operation == "decode"
            && row.element_type == curve.element
            && row.values == curve.values() as u64
    });
    let speeds = || rows.iter().map(|row| billions(row));
    let gain = median(rows.iter().filter_map(|row| gain(row)))?;
    Some(format!(
        "The active backend unpacks {} to {} billion {} values per second, {} as many as the plain loop (median).",
        figure(speeds().reduce(f64::min)?),
        figure(speeds().reduce(f64::max)?),
        curve.element,
        times(gain),
    ))
}

fn chart(report: &Report, curve: &Curve) -> Figure {
    let mut rows: Vec<(u32, &Row)> = Vec::new();
    for &width in curve.widths {
        let (parameters, data) = (curve.parameters(width), data(width));
        let decoded = report.figures.of(CODEC, &parameters, "decode", &data);
        let decoded = decoded.filter(|row| row.values == curve.values() as u64);
        rows.extend(decoded.map(|row| (width, row)));
    }
    let chart = Chart {
        title: format!("{CODEC} to {}, decode", curve.element),
        x: Axis {
            label: "bits per value",
            scale: Scale::from_zero(rows.iter().map(|&(width, _)| f64::from(width))),
            tick: short,
        },
        y: Axis {
            label: "billions of values per second",
            scale: Scale::from_zero(rows.iter().map(|&(_, row)| billions(row))),
            tick: short,
        },
        series: Series::of_workers(&report.figures, |worker| points(&rows, worker)),
        places: Vec::new(),
    };
    chart.figure()
}

fn points(rows: &[(u32, &Row)], worker: &str) -> Vec<Point> {
    let of_worker = rows.iter().filter(|(_, row)| row.backend == worker);
    let points = of_worker.map(|&(width, row)| {
        let mut point = Point::at((f64::from(width), billions(row)));
        point.title = format!(
            "{worker}, {width} bits: {} billion values/s, {:.2} of memcpy",
            figure(billions(row)),
            row.of_memcpy,
        );
        point
    });
    points.collect()
}

fn billions(row: &Row) -> f64 {
    row.values as f64 / row.ns
}

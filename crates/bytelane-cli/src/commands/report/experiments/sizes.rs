//! Throughput of every codec by the size of its input.

use super::section::{Experiment, Shown};
use crate::commands::bench::Case;
use crate::commands::report::figures::{
    bytes, gigabytes_per_second, median, percent, short, times,
};
use crate::commands::report::measurements::gain;
use crate::commands::report::model::Report;
use crate::commands::report::plot::{Axis, Chart, Point, Scale, Series};
use crate::commands::report::steps::{Settings, Step};
use crate::commands::report::workloads::{WORKLOADS, Workload};
use bytelane_catalog::CODECS;
use bytelane_measure::row::Row;
use std::ops::RangeInclusive;

pub const EXPERIMENT: Experiment = Experiment {
    name: "sizes",
    title: "Throughput by input size",
    steps,
    show,
};

/// Number of parameter sets per codec: the others look alike.
const MOST_CASES: usize = 2;

const QUICK_BYTES: &[usize] = &[64, 512, 4 << 10, 32 << 10, 256 << 10];
const FULL_BYTES: &[usize] = &[
    64,
    256,
    1 << 10,
    4 << 10,
    16 << 10,
    64 << 10,
    256 << 10,
    1 << 20,
    4 << 20,
    16 << 20,
    64 << 20,
];

/// Row of charts: a codec with parameters and data.
struct Curve {
    codec: &'static str,
    parameters: &'static str,
    element: String,
    data: &'static str,
    width: usize,
}

fn curves() -> anyhow::Result<Vec<Curve>> {
    let mut curves = Vec::new();
    for entry in CODECS {
        let cases = entry
            .experiments
            .first()
            .map_or(&[""][..], |first| first.cases);
        for parameters in cases.iter().take(MOST_CASES) {
            let codec = entry.open(parameters)?;
            curves.push(Curve {
                codec: entry.name,
                parameters,
                element: codec.element(),
                data: codec.data()[0],
                width: codec.width(),
            });
        }
    }
    Ok(curves)
}

const ABOUT: &str = "\
<p>Both axes are logarithmic. <code>memcpy</code> copies the decoded values and is the limit; a codec \
that reads or writes fewer bytes can exceed it. At the thin vertical lines, input and output together \
fill a cache.</p>";

fn steps(settings: &Settings) -> anyhow::Result<Vec<Step>> {
    let sizes = if settings.quick {
        QUICK_BYTES
    } else {
        FULL_BYTES
    };
    let mut cases = Vec::new();
    for curve in curves()? {
        for &bytes in sizes {
            let values = bytes / curve.width;
            let case = Case::new(curve.codec, curve.parameters, curve.data, values);
            cases.push(case.map(|case| Case { bytes, ..case }));
        }
    }
    let cases = cases.into_iter();
    Step::codecs(cases.chain(WORKLOADS.iter().map(Workload::case)), settings)
}

fn show(report: &Report) -> anyhow::Result<Shown> {
    let mut charts = Vec::new();
    for curve in curves()? {
        for operation in ["encode", "decode"] {
            charts.push(chart(report, &curve, operation).figure());
        }
    }
    Ok(Shown {
        message: message(report).unwrap_or_default(),
        about: ABOUT,
        legend: report.figures.workers(),
        figures: charts,
        ..Shown::default()
    })
}

/// Medium sizes: large enough to hide the cost of a call, small enough for a cache.
const TYPICAL: RangeInclusive<u64> = 4 << 10..=256 << 10;

fn message(report: &Report) -> Option<String> {
    let rows = report.of_active_backend(|row| {
        !row.evicted && TYPICAL.contains(&row.bytes) && gain(row).is_some()
    });
    let share = median(rows.iter().map(|row| row.of_memcpy))?;
    let gain = median(rows.iter().filter_map(|row| gain(row)))?;
    Some(format!(
        "From {} to {}, the active backend reaches {} of memcpy’s speed and {} that of the plain loop (medians).",
        bytes(*TYPICAL.start()),
        bytes(*TYPICAL.end()),
        percent(share),
        times(gain),
    ))
}

fn chart(report: &Report, curve: &Curve, operation: &str) -> Chart {
    let Curve {
        codec,
        parameters,
        element,
        data,
        ..
    } = curve;
    let rows: Vec<&Row> = report
        .figures
        .of(codec, parameters, operation, data)
        .filter(|row| !row.evicted)
        .collect();
    let name = match *parameters {
        "" => format!("{codec}, {operation}"),
        parameters => format!("{codec}:{parameters}, {operation}"),
    };
    // The input takes one half, the output the other.
    let caches = report.machine.caches.iter();
    let places = caches.map(|cache| {
        let level = cache.name.split(' ').next().unwrap_or_default();
        (cache.bytes as f64 / 2.0, level.to_owned())
    });
    Chart {
        title: format!("{name}: {data} {element}"),
        x: Axis {
            label: "bytes of decoded values",
            scale: Scale::doubling(rows.iter().map(|row| row.bytes as f64)),
            tick: |value| bytes(value as u64),
        },
        y: Axis {
            label: "GB/s",
            scale: Scale::doubling(rows.iter().map(|row| row.gb_per_s)),
            // More digits would reach the label of the axis on a phone.
            tick: |value| short((value * 1e3).round() / 1e3),
        },
        series: Series::of_workers(&report.figures, |worker| points(&rows, worker)),
        places: places.collect(),
    }
}

fn points(rows: &[&Row], worker: &str) -> Vec<Point> {
    let of_worker = rows.iter().filter(|row| row.backend == worker);
    let mut points: Vec<Point> = of_worker
        .map(|row| Point {
            title: format!(
                "{worker}, {}: {}, {:.2} of memcpy",
                bytes(row.bytes),
                gigabytes_per_second(row.gb_per_s),
                row.of_memcpy,
            ),
            ..Point::at((row.bytes as f64, row.gb_per_s))
        })
        .collect();
    points.sort_by(|one, other| one.x.total_cmp(&other.x));
    points
}

//! Parquet columns of growing entropy: figures 1 to 3 of BYTE_STREAM_SPLIT's proposal.

use super::parquet::{by_way, read_speed, steps_of, values, write_speed};
use super::section::{Experiment, Shown};
use crate::commands::bench::parquet::{Input, ParquetRow};
use crate::commands::report::figures::{figure, short};
use crate::commands::report::model::Report;
use crate::commands::report::plot::{Axis, Chart, Figure, Point, Scale, Series, class_of};
use crate::commands::report::steps::{Settings, Step};
use bytelane_parquet::Encoding;

pub const EXPERIMENT: Experiment = Experiment {
    name: "entropy",
    title: "A Parquet column of increasing entropy",
    steps,
    show,
};

/// Encodings of the proposal.
const ENCODINGS: [Encoding; 3] = [
    Encoding::Plain,
    Encoding::Dictionary,
    Encoding::ByteStreamSplit,
];

const ABOUT: &str = "\
<p>Samples of a discrete Gaussian of increasing variance, stored as PLAIN, DICTIONARY and \
BYTE_STREAM_SPLIT, each with zstd. The curve of DICTIONARY breaks where the writer falls back to PLAIN. \
Touch a dot for its values.</p>";

fn steps(settings: &Settings) -> anyhow::Result<Vec<Step>> {
    let values = values(settings);
    let every = if settings.quick { 2 } else { 1 };
    let inputs = Input::sweep(values).into_iter().step_by(every);
    steps_of(inputs.collect(), &ENCODINGS, values, settings)
}

fn show(report: &Report) -> anyhow::Result<Shown> {
    Ok(Shown {
        message: message(report).unwrap_or_default(),
        about: ABOUT,
        legend: ENCODINGS.map(|it| it.name().to_owned()).to_vec(),
        figures: vec![
            chart(report, "Ratio", "bytes of values / bytes of file", |row| {
                row.ratio
            }),
            chart(report, "Write", "MB/s", write_speed),
            chart(report, "Read", "MB/s", read_speed),
        ],
        ..Shown::default()
    })
}

/// Names the entropy from which on BYTE_STREAM_SPLIT is the smallest.
fn message(report: &Report) -> Option<String> {
    let rows = report.figures.parquet.iter();
    let mut rows: Vec<_> = rows
        .filter(|row| row.is_compressed())
        .filter_map(|row| Some((row.entropy_bits?, row)))
        .collect();
    rows.sort_by(|one, other| one.0.total_cmp(&other.0));
    let samples = rows.chunk_by(|one, other| one.0 == other.0);
    let is_smallest = |sample: &&[(f64, &ParquetRow)]| {
        let best = sample
            .iter()
            .max_by(|one, other| one.1.ratio.total_cmp(&other.1.ratio));
        best.is_some_and(|(_, row)| row.encoding == "byte_stream_split")
    };
    let samples: Vec<_> = samples.collect();
    let smallest = samples.iter().copied().rev().take_while(is_smallest).last();
    Some(match (smallest, samples.is_empty()) {
        (_, true) => return None,
        (Some(sample), _) => format!(
            "From {} bits of entropy per value on, BYTE_STREAM_SPLIT makes the smallest files of the three.",
            figure(sample[0].0)
        ),
        (None, _) => {
            "At the highest entropy, BYTE_STREAM_SPLIT does not make the smallest file of the three."
                .to_owned()
        }
    })
}

fn chart(report: &Report, title: &str, label: &'static str, of: fn(&ParquetRow) -> f64) -> Figure {
    let rows = report
        .figures
        .parquet
        .iter()
        .filter(|row| row.entropy_bits.is_some());
    let compressed = rows.filter(|row| row.is_compressed());
    // The tables of the previous experiment have the scalar code of BYTE_STREAM_SPLIT.
    let ways = by_way(compressed.filter(|row| row.backend != "scalar"));
    let series: Vec<Series> = ways
        .iter()
        .map(|(name, rows)| {
            let mut points: Vec<Point> = rows.iter().map(|row| point(name, row, of)).collect();
            points.sort_by(|one, other| one.x.total_cmp(&other.x));
            Series {
                class: class_of(&rows[0].encoding),
                joined: true,
                points,
            }
        })
        .collect();
    let points = || series.iter().flat_map(|series| &series.points);
    let chart = Chart {
        title: format!("{title} over entropy"),
        x: Axis {
            label: "bits of entropy per value",
            scale: Scale::from_zero(points().map(|point| point.x)),
            tick: short,
        },
        y: Axis {
            label,
            scale: Scale::from_zero(points().map(|point| point.y)),
            tick: short,
        },
        series,
        places: Vec::new(),
    };
    chart.figure()
}

fn point(name: &str, row: &ParquetRow, of: fn(&ParquetRow) -> f64) -> Point {
    let mut point = Point::at((row.entropy_bits.unwrap_or_default(), of(row)));
    point.title = format!("{name}, {} bits: {}", figure(point.x), figure(point.y));
    point
}

//! Parquet columns of growing entropy: the figures 1 to 3 of BYTE_STREAM_SPLIT's proposal.

use super::parquet::{ENCODINGS, by_way, read_speed, steps_of, values, write_speed};
use super::{Experiment, Shown};
use crate::commands::bench::parquet::{Input, ParquetRow};
use crate::commands::report::figures::{figure, short};
use crate::commands::report::model::Report;
use crate::commands::report::plot::{Axis, Chart, Figure, Point, Scale, Series, class_of};
use crate::commands::report::steps::{Settings, Step};

pub const EXPERIMENT: Experiment = Experiment {
    name: "entropy",
    title: "A Parquet column of increasing entropy",
    steps,
    show,
};

const ABOUT: &str = "\
<p>Samples of a discrete Gaussian of increasing variance, stored as PLAIN, DICTIONARY and \
BYTE_STREAM_SPLIT, each with zstd. The curve of DICTIONARY breaks where the writer falls back to PLAIN. \
Touch a dot for its values.</p>";

fn steps(settings: &Settings) -> anyhow::Result<Vec<Step>> {
    let values = values(settings);
    let every = if settings.quick { 2 } else { 1 };
    let inputs = Input::sweep(values).into_iter().step_by(every);
    steps_of(inputs.collect(), values, settings)
}

fn show(report: &Report) -> anyhow::Result<Shown> {
    Ok(Shown {
        about: ABOUT,
        legend: ENCODINGS.map(str::to_owned).to_vec(),
        figures: vec![
            chart(report, "Ratio", "bytes of values / bytes of file", |row| {
                row.ratio
            })?,
            chart(report, "Write", "MB/s", write_speed)?,
            chart(report, "Read", "MB/s", read_speed)?,
        ],
        ..Shown::default()
    })
}

fn chart(
    report: &Report,
    title: &str,
    label: &'static str,
    of: fn(&ParquetRow) -> f64,
) -> anyhow::Result<Figure> {
    let rows = report
        .figures
        .parquet
        .iter()
        .filter(|row| row.entropy_bits.is_some());
    let compressed = rows.filter(|row| row.is_compressed());
    // The scalar code of BYTE_STREAM_SPLIT is in the tables of the experiment before.
    let ways = by_way(compressed.filter(|row| row.backend != "scalar"));
    let series: Vec<Series> = ways
        .iter()
        .map(|(name, rows)| {
            let mut points: Vec<Point> = rows.iter().map(|row| point(name, row, of)).collect();
            points.sort_by(|one, other| one.x.total_cmp(&other.x));
            if let Some(last) = points.last_mut() {
                last.label = Some(rows[0].encoding.clone());
            }
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

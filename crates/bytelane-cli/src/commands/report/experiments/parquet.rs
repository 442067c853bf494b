//! Columns of a Parquet file: size, and write and read speed.

use super::scatter::{Way, scatter};
use super::section::{Experiment, Shown};
use super::table::Table;
use crate::commands::bench::parquet::{Input, ParquetRow, Plan, measure};
use crate::commands::report::figures::{figure, ratio, times};
use crate::commands::report::measurements::Figures;
use crate::commands::report::model::Report;
use crate::commands::report::plot::{Figure, class_of};
use crate::commands::report::steps::{Settings, Step};
use crate::readable;
use bytelane_parquet::parquet::basic::{Compression, ZstdLevel};
use bytelane_parquet::{Encoding, Goal};
use std::time::Duration;

pub const EXPERIMENT: Experiment = Experiment {
    name: "parquet",
    title: "A Parquet column: size against speed",
    steps,
    show,
};

/// Number of values. As doubles, they exceed the writer's limit for a dictionary.
const VALUES_QUICK: usize = 200_000;
const VALUES: usize = 1_000_000;

/// Estimated throughput of the slowest layout, in bytes of values per nanosecond.
const SLOWEST: f64 = 0.1;

/// Compared encodings, by their names in the rows.
const ENCODINGS: [&str; 4] = ["plain", "dictionary", "byte_stream_split", "alp"];

/// Number of layouts.
const WAYS: f64 = 8.0;

const ABOUT: &str = "\
<p>One column per file, written from an array into memory and read back into arrays, by the crates \
<code>parquet</code> and <code>bytelane-parquet</code>. The data is synthetic, similar to the files of the \
published experiment, which are not available. The dots are geometric means over all columns. The line \
joins those that are best in at least one direction; touch another dot for its name. ALP, which turns \
decimal numbers into integers, is a preview in the format: few readers know it. Published for 37 columns (M. Radev, 2019, \
Arrow C++ on a Sandy Bridge i7-3930K, zstd; geometric means of his table, ratio, write and read, converted to MB/s): \
PLAIN 1.63, 299 and 445; DICTIONARY 1.73, 262 and 447; BYTE_STREAM_SPLIT 1.97, 289 and 707, with SIMD \
382 and 880.</p>";

/// Returns one step per input, restricted to these encodings if there are any.
pub fn steps_of(
    inputs: Vec<Input>,
    encodings: &[Encoding],
    values: usize,
    settings: &Settings,
) -> anyhow::Result<Vec<Step>> {
    let compression = Compression::ZSTD(ZstdLevel::try_new(1)?);
    let turns = 2.0 * (settings.rounds.rounds as f64 + 2.0) * WAYS;
    let call = (8 * values) as f64 / SLOWEST / 1e9;
    let expected = Duration::from_secs_f64(turns * call.max(settings.rounds.sample.as_secs_f64()));
    let plan = Plan {
        encodings: encodings.to_vec(),
        goal: Goal::default(),
        compression,
        rounds: settings.rounds.clone(),
    };
    let steps = inputs.into_iter().map(|input| {
        let plan = plan.clone();
        Step {
            label: format!("Parquet, {}", input.name()),
            expected,
            run: Box::new(move |_, figures: &mut Figures| {
                figures.parquet.extend(measure(&plan, &input)?);
                Ok(())
            }),
        }
    });
    Ok(steps.collect())
}

/// Returns the number of values of a run.
pub fn values(settings: &Settings) -> usize {
    if settings.quick { VALUES_QUICK } else { VALUES }
}

fn steps(settings: &Settings) -> anyhow::Result<Vec<Step>> {
    let values = values(settings);
    steps_of(Input::stand_ins(values), &[], values, settings)
}

/// Groups the rows of an experiment by layout, in measurement order.
pub fn by_way<'a>(
    rows: impl Iterator<Item = &'a ParquetRow>,
) -> Vec<(String, Vec<&'a ParquetRow>)> {
    let mut ways: Vec<(String, Vec<&ParquetRow>)> = Vec::new();
    for row in rows {
        let name = way(row);
        match ways.iter_mut().find(|(known, _)| *known == name) {
            Some((_, rows)) => rows.push(row),
            None => ways.push((name, vec![row])),
        }
    }
    ways
}

fn way(row: &ParquetRow) -> String {
    let compression = row.compression.to_lowercase();
    let compression = compression.split([':', '(']).next().unwrap_or_default();
    match row.backend.as_str() {
        "parquet" => format!("{}, {compression}", row.encoding),
        backend => format!("{}, {compression}, {backend}", row.encoding),
    }
}

fn show(report: &Report) -> anyhow::Result<Shown> {
    let rows = report.figures.parquet.iter();
    let ways = by_way(rows.filter(|row| row.entropy_bits.is_none()));
    Ok(Shown {
        message: message(report).unwrap_or_default(),
        about: ABOUT,
        remark: remark(&ways),
        legend: ENCODINGS.map(str::to_owned).to_vec(),
        figures: vec![
            shown(&ways, "write", "written MB/s", write_speed),
            shown(&ways, "read", "read MB/s", read_speed),
        ],
        tables: vec![
            table("Ratio", &ways, ratio, |row| row.ratio),
            table("Written MB/s", &ways, figure, write_speed),
            table("Read MB/s", &ways, figure, read_speed),
        ],
        ..Shown::default()
    })
}

/// Returns the two compared layouts: zstd over two encodings, the second one by the active backend.
fn compared<'a>(ways: &'a [(String, Vec<&'a ParquetRow>)]) -> Option<[&'a [&'a ParquetRow]; 2]> {
    let find = |encoding: &str| {
        let is_it = |row: &ParquetRow| row.encoding == encoding && row.is_compressed();
        let ways = ways.iter().rev();
        ways.map(|(_, rows)| rows.as_slice())
            .find(|rows| rows.first().is_some_and(|row| is_it(row)))
    };
    Some([find("plain")?, find("byte_stream_split")?])
}

fn message(report: &Report) -> Option<String> {
    let rows = report.figures.parquet.iter();
    let ways = by_way(rows.filter(|row| row.entropy_bits.is_none()));
    let [plain, split] = compared(&ways)?;
    let faster = |of: Of| times(mean(split, of) / mean(plain, of));
    Some(format!(
        "With zstd, BYTE_STREAM_SPLIT is written {} and read {} as fast as PLAIN, at a ratio of {} instead of {} (geometric means).",
        faster(write_speed),
        faster(read_speed),
        ratio(mean(split, |row| row.ratio)),
        ratio(mean(plain, |row| row.ratio)),
    ))
}

/// Explains where PLAIN is smaller, and why.
fn remark(ways: &[(String, Vec<&ParquetRow>)]) -> Option<String> {
    let [plain, split] = compared(ways)?;
    let is_smaller = |plain: &&&ParquetRow| {
        let split = split.iter().find(|split| split.file == plain.file);
        split.is_some_and(|split| plain.ratio > split.ratio)
    };
    let smaller: Vec<&str> = plain
        .iter()
        .filter(is_smaller)
        .map(|row| row.file.as_str())
        .collect();
    (!smaller.is_empty()).then(|| {
        format!(
            "PLAIN with zstd is smaller for {}: whole values recur there, and zstd replaces each of them by one \
             reference. Split into streams, a value leaves one byte in each stream, which is too short for a \
             reference: zstd codes these bytes one by one, and pays for the choice of the value in every stream. \
             DICTIONARY suits such columns better than both.",
            smaller.join(", ")
        )
    })
}

type Of = fn(&ParquetRow) -> f64;

/// Returns MB/s.
pub fn write_speed(row: &ParquetRow) -> f64 {
    readable::decimal_megabytes(row.write_mib_s)
}

/// Returns MB/s.
pub fn read_speed(row: &ParquetRow) -> f64 {
    readable::decimal_megabytes(row.read_mib_s)
}

fn shown(
    ways: &[(String, Vec<&ParquetRow>)],
    verb: &str,
    label: &'static str,
    speed: Of,
) -> Figure {
    let ways = ways.iter().map(|(name, rows)| Way {
        name: name.clone(),
        class: class_of(&rows[0].encoding),
        ratio: mean(rows, |row| row.ratio),
        speed: mean(rows, speed),
        is_choice: false,
    });
    let ways: Vec<Way> = ways.collect();
    scatter(format!("Ratio and {verb} throughput"), label, &ways)
}

/// Returns the geometric mean.
fn mean(rows: &[&ParquetRow], of: Of) -> f64 {
    let logarithms: f64 = rows.iter().map(|row| of(row).ln()).sum();
    (logarithms / rows.len() as f64).exp()
}

/// Returns a table with one line per file, one column per layout, and the geometric means.
fn table(
    caption: &'static str,
    ways: &[(String, Vec<&ParquetRow>)],
    shown: fn(f64) -> String,
    of: Of,
) -> Table {
    let files = ways.first().map_or(&[][..], |(_, rows)| rows.as_slice());
    let mut header = vec!["column".to_owned()];
    header.extend(ways.iter().map(|(name, _)| name.clone()));
    let mut rows: Vec<Vec<String>> = Vec::new();
    for file in files {
        let mut cells = vec![file.file.clone()];
        cells.extend(ways.iter().map(|(_, rows)| {
            let row = rows.iter().find(|row| row.file == file.file);
            row.map_or_else(String::new, |row| shown(of(row)))
        }));
        rows.push(cells);
    }
    let mut means = vec!["geometric mean".to_owned()];
    means.extend(ways.iter().map(|(_, rows)| shown(mean(rows, of))));
    rows.push(means);
    Table {
        caption: caption.to_owned(),
        header,
        rows,
    }
}

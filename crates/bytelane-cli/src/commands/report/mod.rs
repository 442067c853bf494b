//! `bytelane report`.
//!
//! The experiments define what to measure, in steps. The steps fill the figures of the model; the
//! page, the JSON and the CSV are three views of the model.

mod compare;
mod experiments;
mod figures;
mod measurements;
mod model;
mod page;
mod plot;
mod progress;
mod record;
mod steps;
mod verdict;
mod workloads;

use crate::commands::bench::parquet;
use crate::files::{Force, Output};
use crate::output::measured::{self, Tables};
use crate::provenance::Provenance;
use crate::search::Search;
use crate::table::Format;
use crate::{Outcome, backend, readable, standard};
use anyhow::{Context, bail};
use bytelane::Backend;
use bytelane_measure::clock::Clock;
use bytelane_measure::rounds::{FEWEST_ROUNDS, Rounds};
use bytelane_measure::row::Row;
use bytelane_parquet::Replace;
use clap::builder::PossibleValuesParser;
use compare::Other;
use experiments::{EXPERIMENTS, Experiment};
use measurements::Figures;
use model::{LeftOut, Machine, Report};
use progress::Progress;
use record::Record;
use std::collections::HashSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use steps::{Settings, Step};

/// Measure this machine and write the results to an HTML page
///
/// Repeats the published experiments that bytelane is based on, with synthetic data. The page opens
/// without a network, and the same figures are written next to it as JSON and CSV. Pass it your own
/// files and the page also shows the best encoding for each of their columns. A full run takes a few
/// minutes, --quick less than a minute; your own files add to that.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Arguments {
    /// Your own files, as for `bytelane advise`: Parquet, .npy, raw numbers with the extensions .f32 .sp .f64 .dp .i32 .i64, or directories
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The page to write; the .json and .csv files go next to it. `-` writes only the page, to standard output
    #[arg(
        short,
        long,
        value_name = "OUTPUT",
        default_value = "bytelane-report.html"
    )]
    output: PathBuf,
    #[command(flatten)]
    force: Force,
    /// Fewer sizes, shorter samples and less data: less than a minute
    #[arg(long)]
    quick: bool,
    /// Run only these experiments
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = experiment_parser())]
    only: Vec<String>,
    /// Time per sample, in microseconds [default: 1000, or 200 with --quick]
    #[arg(long, value_name = "MICROSECONDS")]
    sample: Option<u64>,
    /// Show the results beside those of another report, such as that of another machine: its .json file
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
}

const EXAMPLES: &str = "Examples:
  bytelane report --quick
  bytelane report weather.parquet prices.f64 -o my-data.html
  bytelane report --only files lake/
  bytelane report --only stream-vbyte,lists
  bytelane report --compare other-machine.json";

fn experiment_parser() -> PossibleValuesParser {
    PossibleValuesParser::new(EXPERIMENTS.iter().map(|experiment| experiment.name))
}

impl Arguments {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let mut out = standard::output()?;
        if self.is_about_files() && self.files.is_empty() {
            bail!("--only files needs files: name Parquet files, arrays or directories");
        }
        let settings = self.settings()?;
        let other = self.compare.as_deref().map(Other::read).transpose()?;
        let outputs = Outputs::create(&self.output, &settings.files, self.force.replace)?;
        let (wanted, left_out) = self.experiments();
        let steps = steps(&wanted, &settings)?;
        let provenance = Provenance::here();
        let started = SystemTime::now();
        let (figures, taken) = measure(&steps, &settings)?;
        let record = Record::newest()?;
        let verdict = verdict::verdict(&figures, &record, Backend::active());
        let report = Report {
            version: env!("CARGO_PKG_VERSION"),
            provenance,
            date: date(started),
            quick: settings.quick,
            seconds: taken.as_secs_f64(),
            rounds: settings.rounds.rounds,
            sample_microseconds: settings.rounds.sample.as_micros(),
            spread: figures.spread(),
            machine: Machine::here(!settings.backends.is_empty()),
            left_out,
            record: record.summary,
            comparison: other.map(|other| other.beside(&verdict)),
            verdict,
            figures,
        };
        for name in outputs.write(&report)? {
            writeln!(out, "{name}")?;
        }
        Ok(Outcome::Fine)
    }

    /// Returns whether the report is only about the user's files.
    fn is_about_files(&self) -> bool {
        self.only.iter().all(|name| name == experiments::FILES) && !self.only.is_empty()
    }

    fn settings(&self) -> anyhow::Result<Settings> {
        let backends = match backend::force_from_environment()? {
            None => Vec::new(),
            Some(Backend::Scalar) => vec![Backend::Scalar],
            Some(forced) => vec![Backend::Scalar, forced],
        };
        let sample = self.sample.unwrap_or(if self.quick { 200 } else { 1000 });
        Ok(Settings {
            quick: self.quick,
            files: if self.files.is_empty() {
                Vec::new()
            } else {
                Search::default().columns(&self.files)?
            },
            rounds: Rounds {
                clock: Clock::ThreadCpu,
                rounds: FEWEST_ROUNDS,
                sample: Duration::from_micros(sample),
            },
            backends,
        })
    }

    fn experiments(&self) -> (Vec<&'static Experiment>, Vec<LeftOut>) {
        let (mut wanted, mut left_out) = (Vec::new(), Vec::new());
        for experiment in EXPERIMENTS {
            match self.why_not(experiment) {
                None => wanted.push(experiment),
                Some(why) => left_out.push(LeftOut {
                    experiment: experiment.name,
                    what: experiment.title,
                    why,
                }),
            }
        }
        (wanted, left_out)
    }

    /// Returns why an experiment is not run; `None` if it is.
    fn why_not(&self, experiment: &Experiment) -> Option<&'static str> {
        let chosen = self.only.iter().any(|name| name == experiment.name);
        if experiment.name == experiments::FILES && self.files.is_empty() {
            return Some("no files were given");
        }
        (!chosen && !self.only.is_empty()).then_some("not selected by --only")
    }
}

/// Returns the steps of the experiments, each once.
fn steps(experiments: &[&Experiment], settings: &Settings) -> anyhow::Result<Vec<Step>> {
    let mut known = HashSet::new();
    let mut steps = Vec::new();
    for experiment in experiments {
        let all = (experiment.steps)(settings)?;
        steps.extend(
            all.into_iter()
                .filter(|step| known.insert(step.label.clone())),
        );
    }
    Ok(steps)
}

fn measure(steps: &[Step], settings: &Settings) -> anyhow::Result<(Figures, Duration)> {
    let expected = steps.iter().map(|step| step.expected).sum();
    let mut progress = Progress::new(expected)?;
    let mut figures = Figures::default();
    for step in steps {
        let label = readable::line(&step.label);
        progress.begin(&label);
        (step.run)(settings, &mut figures).with_context(|| label.into_owned())?;
        progress.finish(step.expected);
    }
    Ok((figures, progress.elapsed()))
}

fn date(time: SystemTime) -> String {
    let time: chrono::DateTime<chrono::Utc> = time.into();
    time.format("%Y-%m-%d %H:%M UTC").to_string()
}

/// Contents of an output file.
type Contents = fn(&Report, &mut Output) -> anyhow::Result<()>;

/// Files beside the page, by the ends of their names. The last one is for advice on the user's own files.
const BESIDE: [(&str, Contents); 4] = [
    (".json", |report, out| {
        Ok(serde_json::to_writer_pretty(out, report)?)
    }),
    (".csv", |report, out| {
        let rows = report.figures.rows.iter();
        let rows: Vec<Row> = rows.map(|row| report.provenance.add_to(row)).collect();
        Ok(measured::write(&rows, Format::Csv, Tables::default(), out)?)
    }),
    // Figures of Parquet columns have other units.
    ("-parquet.csv", |report, out| {
        let rows = &report.figures.parquet;
        Ok(parquet::list(rows).write(Format::Csv, rows, out)?)
    }),
    ("-files.csv", |report, out| {
        let files = &report.figures.files;
        Ok(experiments::list(files).write(Format::Csv, files, out)?)
    }),
];

/// Output files of a report, the page first. They appear under their names when all of them are complete.
#[derive(Debug)]
struct Outputs(Vec<(Output, Contents)>);

impl Outputs {
    /// Opens the outputs, so that an unwritable path ends the run before it begins. There is only a page if it goes to
    /// standard output or a device.
    fn create(page: &Path, files: &[PathBuf], replace: Replace) -> anyhow::Result<Self> {
        if page
            .extension()
            .is_some_and(|ending| ending == "json" || ending == "csv")
        {
            bail!(
                "the page's .json and .csv files would overwrite {}; give the page another extension, such as .html",
                readable::path(page)
            );
        }
        let same_file = |file: &PathBuf| {
            let canonical = |path: &Path| fs::canonicalize(path).ok();
            canonical(file).is_some_and(|file| canonical(page) == Some(file))
        };
        if files.iter().any(same_file) {
            bail!(
                "the page would overwrite {}; choose another file with --output",
                readable::path(page)
            );
        }
        let output = Output::create(Some(page), None, replace)?;
        let is_file = matches!(&output, Output::File { new, .. } if new.unfinished().is_some());
        let contents: Contents = |report, out| Ok(out.write_all(page::page(report)?.as_bytes())?);
        let mut outputs = vec![(output, contents)];
        if is_file {
            let stem = page.file_stem().unwrap_or_default().to_string_lossy();
            let count = BESIDE.len() - usize::from(files.is_empty());
            for (end, contents) in &BESIDE[..count] {
                let path = page.with_file_name(format!("{stem}{end}"));
                outputs.push((Output::create(Some(&path), None, replace)?, *contents));
            }
        }
        Ok(Self(outputs))
    }

    /// Writes the outputs, and returns the names of the files.
    fn write(mut self, report: &Report) -> anyhow::Result<Vec<String>> {
        let mut names = Vec::new();
        for (output, contents) in &mut self.0 {
            let name = output.name();
            contents(report, output).with_context(|| format!("cannot write {name}"))?;
            names.extend(matches!(output, Output::File { .. }).then_some(name));
        }
        for (output, _) in self.0 {
            output.finish()?;
        }
        Ok(names)
    }
}

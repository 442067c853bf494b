//! `bytelane report`.
//!
//! The experiments say what to measure, in steps; the steps fill the figures of the model; the
//! page, the JSON and the CSV are three views of it.

mod experiments;
mod figures;
mod model;
mod page;
mod plot;
mod progress;
mod steps;
mod verdict;

use crate::files::Output;
use crate::{Outcome, backend};
use anyhow::{Context, bail};
use bytelane::Backend;
use bytelane_measure::clock::Clock;
use bytelane_measure::cpu;
use bytelane_measure::format::{self, Format, Unit};
use bytelane_measure::rounds::{FEWEST_ROUNDS, Rounds};
use clap::builder::PossibleValuesParser;
use experiments::{EXPERIMENTS, Experiment};
use model::{Figures, LeftOut, Machine, Report};
use progress::Progress;
use std::collections::HashSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use steps::{Settings, Step};

/// Measure this machine and write a page about it
///
/// Runs the published experiments that bytelane grew from, on data that it makes itself, and writes
/// one HTML page that opens without a network, with the same figures as JSON and CSV beside it. A
/// full run takes some minutes, --quick less than one.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Arguments {
    /// The page to write; .json and .csv go beside it. `-` writes the page alone to standard output
    #[arg(
        short,
        long,
        value_name = "PAGE",
        default_value = "bytelane-report.html"
    )]
    output: PathBuf,
    /// Fewer sizes and shorter turns: less than a minute
    #[arg(long)]
    quick: bool,
    /// Only these experiments
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = experiment_parser())]
    only: Vec<String>,
    /// Length of a turn in microseconds [default: 1000, or 200 with --quick]
    #[arg(long, value_name = "MICROSECONDS")]
    sample: Option<u64>,
}

const EXAMPLES: &str = "Examples:
  bytelane report --quick
  bytelane report -o report/my-laptop.html
  bytelane report --only stream-vbyte,lists";

fn experiment_parser() -> PossibleValuesParser {
    PossibleValuesParser::new(EXPERIMENTS.iter().map(|experiment| experiment.name))
}

impl Arguments {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let settings = self.settings()?;
        let outputs = Outputs::create(&self.output)?;
        let (wanted, left_out) = self.experiments();
        let steps = steps(&wanted, &settings)?;
        // Where it is refused, as in some sandboxes, the system may move us: the medians survive that.
        drop(cpu::pin_to_current_core());
        let started = SystemTime::now();
        let (figures, taken) = measure(&steps, &settings)?;
        let report = Report {
            version: env!("CARGO_PKG_VERSION"),
            date: date(started),
            quick: settings.quick,
            seconds: taken.as_secs_f64(),
            rounds: settings.rounds.rounds,
            sample_microseconds: settings.rounds.sample.as_micros(),
            machine: Machine::here(!settings.backends.is_empty()),
            left_out,
            verdict: verdict::verdict(&figures),
            figures,
        };
        outputs.write(&report)?;
        Ok(Outcome::Fine)
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
            rounds: Rounds {
                clock: Clock::ThreadCpu,
                rounds: FEWEST_ROUNDS,
                sample: Duration::from_micros(sample),
            },
            backends,
        })
    }

    fn experiments(&self) -> (Vec<&'static Experiment>, Vec<LeftOut>) {
        let wanted = |experiment: &&Experiment| {
            self.only.is_empty() || self.only.iter().any(|name| name == experiment.name)
        };
        let (wanted, others): (Vec<_>, Vec<_>) = EXPERIMENTS.iter().partition(wanted);
        let left_out = others.iter().map(|experiment| LeftOut {
            experiment: experiment.name,
            what: experiment.title.to_owned(),
            why: "not asked for".to_owned(),
        });
        (wanted, left_out.collect())
    }
}

/// The steps of the experiments, each once.
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
        progress.begin(&step.label);
        (step.run)(settings, &mut figures).with_context(|| step.label.clone())?;
        progress.finish(step.expected);
    }
    Ok((figures, progress.elapsed()))
}

fn date(time: SystemTime) -> String {
    let time: chrono::DateTime<chrono::Utc> = time.into();
    time.format("%Y-%m-%d %H:%M UTC").to_string()
}

/// The files of a report. They appear under their names when all of them are complete.
#[derive(Debug)]
struct Outputs {
    page: Output,
    /// JSON and CSV; none beside standard output and devices.
    beside: Option<(Output, Output)>,
}

impl Outputs {
    /// Prepares to write, so that a path that cannot be written ends the run before it begins.
    fn create(page: &Path) -> anyhow::Result<Self> {
        if page
            .extension()
            .is_some_and(|ending| ending == "json" || ending == "csv")
        {
            bail!(
                "{} would be overwritten by the figures beside the page; give the page another ending, such as .html",
                page.display()
            );
        }
        let output = Output::create(Some(page))?;
        let beside = match output {
            Output::File { .. } => Some((
                Output::create(Some(&page.with_extension("json")))?,
                Output::create(Some(&page.with_extension("csv")))?,
            )),
            Output::Stdout { .. } | Output::Device { .. } => None,
        };
        Ok(Self {
            page: output,
            beside,
        })
    }

    fn write(mut self, report: &Report) -> anyhow::Result<()> {
        let mut names = Vec::new();
        let page = page::page(report)?;
        let cannot_write = |output: &Output| format!("cannot write {}", output.name());
        let context = cannot_write(&self.page);
        self.page.write_all(page.as_bytes()).context(context)?;
        if let Some((mut json, mut csv)) = self.beside {
            let context = cannot_write(&json);
            serde_json::to_writer_pretty(&mut json, report).context(context)?;
            let context = cannot_write(&csv);
            format::write(&report.figures.rows, Format::Csv, Unit::default(), &mut csv)
                .context(context)?;
            names = [&self.page, &json, &csv].map(Output::name).to_vec();
            json.finish()?;
            csv.finish()?;
        }
        self.page.finish()?;
        let mut out = io::stdout().lock();
        for name in names {
            writeln!(out, "{name}")?;
        }
        Ok(())
    }
}

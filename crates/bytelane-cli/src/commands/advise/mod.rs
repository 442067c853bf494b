//! `bytelane advise`.

mod groups;
mod show;

use crate::search::Search;
use crate::table::{Format, format_parser};
use crate::verb::Verb;
use crate::{Outcome, backend, progress, readable, standard};
use anyhow::Context;
use bytelane_parquet::bounded_threads;
use bytelane_parquet_files::advise::{Advice, AdviseOptions, Advisor, advise};
use indicatif::ProgressBar;
use rayon::ThreadPoolBuilder;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use std::io::Write;
use std::num::NonZero;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Find the best Parquet encodings for the columns of files
///
/// Reads Parquet files, .npy files, and raw little-endian numbers with the extensions .f32 .sp .f64 .dp .i32
/// .i64. Encodes parts of each column in memory in every encoding. Shows the best choice for the goal, the size
/// that `bytelane rewrite` would make of it, and the settings for other writers.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Arguments {
    /// Files, or directories, which are searched for files with these extensions
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    search: Search,
    #[command(flatten)]
    options: AdviseOptions,
    /// Exit with code 1 if any file could become smaller by more than the threshold
    #[arg(long)]
    check: bool,
    /// For --check: the size reduction of a file's columns, in percent
    #[arg(
        long,
        value_name = "PERCENT",
        default_value_t = 10.0,
        requires = "check"
    )]
    threshold: f64,
    /// Leave out the table of everything that was tried
    #[arg(long)]
    brief: bool,
    /// A table, one JSON object per file, CSV, or Markdown tables
    #[arg(long, value_name = "FORMAT", default_value = "table", value_parser = format_parser())]
    format: Format,
}

const EXAMPLES: &str = "Examples:
  bytelane advise weather.parquet
  bytelane advise positions.f32 --goal size --compression zstd:3
  bytelane advise lake/ --readers 'pyarrow>=17,duckdb,spark' --brief
  bytelane advise prices.f64 --encodings +alp --readers arrow-rs
  bytelane advise lake/ --check --threshold 20 --format json

Speeds are measured on one thread while other threads are busy; the size ratios do not depend on that.";

impl Arguments {
    pub fn run(self) -> anyhow::Result<Outcome> {
        backend::force_from_environment()?;
        let mut out = standard::output()?;
        let files = self.search.columns(&self.paths)?;
        super::rewrite::note_obstacles(self.options.encodings.as_ref(), &self.options.readers);
        let progress = progress::bar(files.len() as u64, "{pos}/{len}")?;
        let _verb = Verb::reading(progress.clone())?;
        let advice = match files.as_slice() {
            [only] => vec![self.advise_columns(only, &progress)],
            several => self.advise_files(several, &progress)?,
        };
        progress.finish_and_clear();
        self.show(advice, &mut out)
    }

    /// Analyses several columns at the same time.
    fn advise_columns(
        &self,
        file: &Path,
        progress: &ProgressBar,
    ) -> bytelane_parquet::Result<Advice> {
        let mut advisor = Advisor::open(file, &self.options)?;
        progress.set_length(advisor.columns() as u64);
        progress.set_message(readable::path(file));
        advisor.advise_rest(|tried| {
            progress.set_position(tried as u64);
            ControlFlow::Continue(())
        })?;
        Ok(advisor.advice())
    }

    /// Analyses several files at the same time.
    fn advise_files(
        &self,
        files: &[PathBuf],
        progress: &ProgressBar,
    ) -> anyhow::Result<Vec<bytelane_parquet::Result<Advice>>> {
        // 0: one per core.
        let bounded = |threads| bounded_threads(threads, files.len()).get();
        let threads = self.options.threads.map_or(0, bounded);
        let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
        let options = self.options.clone();
        let options = options.with_threads(NonZero::<usize>::MIN);
        let advised = |file: &PathBuf| {
            progress.set_message(readable::path(file));
            let advice = advise(file, &options);
            progress.inc(1);
            advice
        };
        Ok(pool.install(|| files.par_iter().map(advised).collect()))
    }

    /// Shows the results, then fails if some file could not be read.
    fn show(
        &self,
        advice: Vec<bytelane_parquet::Result<Advice>>,
        out: &mut impl Write,
    ) -> anyhow::Result<Outcome> {
        let mut outcome = Outcome::Fine;
        let (mut found, mut failures) = (Vec::new(), Vec::new());
        for result in advice {
            match result {
                Ok(advice) => found.push(advice),
                Err(error) => failures.push(error),
            }
        }
        match self.format {
            Format::Json | Format::Csv => {
                self.candidates(&found).write(self.format, &found, out)?;
            }
            Format::Table | Format::Markdown => match found.as_slice() {
                [] => {}
                [only] => self.show_file(only, out)?,
                several => groups::show(self, several, out)?,
            },
        }
        out.flush()?;
        let worst = found.iter().map(Advice::saved).fold(0.0, f64::max);
        if self.check && 100.0 * worst > self.threshold {
            outcome = Outcome::Found;
        }
        let many = failures.len();
        match failures.pop() {
            None => Ok(outcome),
            Some(only) if many == 1 => Err(only.into()),
            Some(last) => {
                failures
                    .iter()
                    .for_each(|error| anstream::eprintln!("{}", readable::parquet_error(error)));
                Err(last).with_context(|| format!("cannot read {many} files; the last one"))
            }
        }
    }

    /// Returns the paths, quoted for a shell.
    fn words(&self) -> String {
        let words = self.paths.iter().map(|path| {
            let path = readable::path(path);
            if path.contains(|c: char| !c.is_ascii_alphanumeric() && !"._-/=".contains(c)) {
                format!("'{}'", path.replace('\'', r"'\''"))
            } else {
                path
            }
        });
        words.collect::<Vec<_>>().join(" ")
    }
}

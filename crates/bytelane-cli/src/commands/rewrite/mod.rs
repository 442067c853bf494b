//! `bytelane rewrite`.

mod show;

use crate::files::{Force, is_stream};
use crate::search::Search;
use crate::table::{Format, format_parser};
use crate::verb::Verb;
use crate::{Outcome, backend, progress, readable, standard};
use anyhow::{Context, bail};
use bytelane_parquet::compatibility::Readers;
use bytelane_parquet::parquet::basic::Compression;
use bytelane_parquet::remote_url;
use bytelane_parquet::rewrite::{Int96Unit, RewriteOptions, Rewritten, rewrite, rewrite_to};
use bytelane_parquet::{
    ColumnOptions, DataPageVersion, Encoding, Encodings, Error, Goal, Problem, WriterOptions,
    parse_compression,
};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::Serialize;
use std::fs;
use std::io::{self, Write};
use std::num::NonZero;
use std::path::{Path, PathBuf};

/// Rewrite a Parquet file with better encodings
///
/// Re-encodes the columns that benefit, separately in each row group, and copies the others unchanged.
/// Values stay the same bit for bit; the schema, row groups, statistics, indexes, Bloom filters, metadata and
/// file permissions are preserved.
///
/// The new file appears under its name only when it is complete. If interrupted, a partial file named
/// `.bytelane-*` may remain next to it and can be deleted. If OUTPUT is a symbolic link, the file that it points to
/// is replaced; other hard links to a file keep the old one. A device or a named pipe is written to.
///
/// Several files, and the .parquet files in directories and below, are rewritten into a directory, one after the other.
/// Directories keep their layout, and OUTPUT is created where it does not exist; it must lie outside of them.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Arguments {
    /// The Parquet files to read, or directories that are searched for .parquet files
    #[arg(value_name = "INPUT", required = true, num_args = 1..)]
    inputs: Vec<PathBuf>,
    /// The file to write, or the directory; if it is INPUT, it is replaced when the new file is complete; -: standard
    /// output
    #[arg(value_name = "OUTPUT")]
    output: PathBuf,
    #[command(flatten)]
    search: Search,
    /// Goal to optimise for
    #[arg(long, value_name = "GOAL", default_value = Goal::Balanced.name(), value_parser = goal_parser())]
    goal: Goal,
    /// Programs that must be able to read the file, optionally with the oldest version in use; any: no restriction
    #[arg(long, value_name = "NAME[>=VERSION],..", default_value_t)]
    readers: Readers,
    /// Encodings to choose from: names, or +alp to add a preview to the usual ones, which --readers must all know
    #[arg(long, value_name = "NAME,..")]
    encodings: Option<Encodings>,
    /// Force this encoding for a column. NAME is the column's path, separated by dots, or that of a group,
    /// for all columns in it
    #[arg(long = "column", value_name = "NAME=ENCODING", value_parser = parse_column)]
    columns: Vec<(String, Encoding)>,
    /// Compress all columns with this codec [default: unchanged]: none, snappy, lz4_raw, zstd:LEVEL, gzip:LEVEL,
    /// brotli:LEVEL
    #[arg(long, value_name = "CODEC[:LEVEL]", value_parser = parse_compression)]
    compression: Option<Compression>,
    /// Convert INT96 columns, an obsolete type for timestamps, to INT64 timestamps in microseconds (us) or nanoseconds
    /// (ns) [default: copy them] [default unit: us]
    #[arg(long, value_name = "UNIT", num_args = 0..=1, require_equals = true, default_missing_value = "us",
        value_parser = unit_parser())]
    convert_int96: Option<Int96Unit>,
    /// Maximum number of rows of a page; columns with larger pages get new ones [default: those of the old pages, or with the goal
    /// size what compresses best]
    #[arg(long, value_name = "N")]
    page_rows: Option<NonZero<usize>>,
    /// The most bytes of values of a page, before compression, about; columns with larger pages get new ones
    #[arg(long, value_name = "BYTES")]
    page_bytes: Option<NonZero<usize>>,
    /// The version of the pages of all columns [default: unchanged]
    #[arg(long, value_name = "VERSION", value_parser = version_parser())]
    page_version: Option<DataPageVersion>,
    /// Write nothing, only show what a rewrite would do
    #[arg(long, conflicts_with = "verify")]
    dry_run: bool,
    /// Threads that work at the same time; the output is the same for any number [default: all cores]
    #[arg(long, value_name = "N")]
    threads: Option<NonZero<usize>>,
    /// Maximum memory for a column of a row group, or for a page, as in 4GiB [default: 128MiB and 1024 times its size in the file, else it is copied]
    #[arg(long, value_name = "SIZE", value_parser = bytelane_parquet::parse_size)]
    memory_limit: Option<u64>,
    /// Read both files and compare every value before the new file appears under its name
    #[arg(long)]
    verify: bool,
    #[command(flatten)]
    force: Force,
    /// A table, one JSON object, CSV, or a Markdown table
    #[arg(long, value_name = "FORMAT", default_value = "table", value_parser = format_parser())]
    format: Format,
}

const EXAMPLES: &str = "Examples:
  bytelane rewrite weather.parquet smaller.parquet --verify
  bytelane rewrite weather.parquet weather.parquet --goal size --compression zstd:3
  bytelane rewrite january.parquet february.parquet smaller/ --threads 4
  bytelane rewrite trades.parquet out.parquet --column price=byte_stream_split --column id=delta_binary_packed";

pub fn goal_parser() -> impl TypedValueParser<Value = Goal> {
    PossibleValuesParser::new(Goal::ALL.iter().map(|goal| goal.name())).try_map(|name| name.parse())
}

fn version_parser() -> impl TypedValueParser<Value = DataPageVersion> {
    let names = DataPageVersion::ALL.map(DataPageVersion::name);
    PossibleValuesParser::new(names).try_map(|name| name.parse())
}

fn unit_parser() -> impl TypedValueParser<Value = Int96Unit> {
    let names = Int96Unit::ALL.map(Int96Unit::name);
    PossibleValuesParser::new(names).try_map(|name| name.parse())
}

fn parse_column(text: &str) -> anyhow::Result<(String, Encoding)> {
    let (name, encoding) = text
        .rsplit_once('=')
        .context("give NAME=ENCODING, as in price=byte_stream_split")?;
    Ok((name.to_owned(), encoding.parse()?))
}

/// Notes which requested previews are never chosen, and why.
pub fn note_obstacles(encodings: Option<&Encodings>, readers: &Readers) {
    let obstacles = encodings.map(|encodings| encodings.obstacles(readers));
    for (encoding, reader) in obstacles.into_iter().flatten() {
        anstream::eprintln!(
            "note: {reader} cannot read {encoding}, so it is not chosen; --readers names the programs that must read \
             the file"
        );
    }
}

/// File to rewrite.
struct Job {
    input: PathBuf,
    /// Output path; `None` if nothing is written.
    output: Option<PathBuf>,
    /// Set if the output lies in a directory that may not exist yet.
    is_in_directory: bool,
}

/// Result for a file.
#[derive(Serialize)]
struct Done {
    input: String,
    /// Output path; `None` if nothing was written.
    output: Option<String>,
    #[serde(flatten)]
    rewritten: Rewritten,
}

impl Arguments {
    pub fn run(self) -> anyhow::Result<Outcome> {
        backend::force_from_environment()?;
        let mut out = standard::output()?;
        let jobs = self.jobs()?;
        note_obstacles(self.encodings.as_ref(), &self.readers);
        let verb = begin(&jobs)?;
        let mut all = Vec::new();
        for job in jobs {
            let rewritten = self.rewrite(&job, &verb, &mut out)?;
            let name = |path: &PathBuf| path.to_string_lossy().into_owned();
            all.push(Done {
                input: name(&job.input),
                output: job.output.as_ref().map(name),
                rewritten,
            });
        }
        if is_stream(&self.output) && !self.dry_run {
            self.show(&all, &mut io::stderr().lock())?
        } else {
            self.show(&all, &mut out)?
        }
        Ok(Outcome::Fine)
    }

    /// Returns which files to rewrite, and their outputs.
    fn jobs(&self) -> anyhow::Result<Vec<Job>> {
        let found = self.search.find(&self.inputs)?;
        let outputs = if is_stream(&self.output) {
            if found.len() > 1 {
                bail!("there are several files, and standard output is one; name a directory");
            }
            vec![self.output.clone()]
        } else {
            let outputs = bytelane_store::outputs_of(&found, &self.output);
            outputs.map_err(|error| anyhow::anyhow!("{}", readable::line(&error.to_string())))?
        };
        let jobs = found.into_iter().zip(outputs).map(|(file, output)| Job {
            input: file.path,
            is_in_directory: output != self.output,
            output: Some(output),
        });
        let mut jobs: Vec<Job> = jobs.collect();
        if self.dry_run {
            jobs.iter_mut().for_each(|job| job.output = None);
        } else {
            self.check(&jobs)?;
        }
        Ok(jobs)
    }

    /// Checks all outputs before the first file is rewritten.
    fn check(&self, jobs: &[Job]) -> anyhow::Result<()> {
        let outputs: Vec<&PathBuf> = jobs.iter().filter_map(|job| job.output.as_ref()).collect();
        self.search.check_outputs(&self.inputs, &outputs)?;
        let is_local = |output: &PathBuf| remote_url(output).is_none() && !is_stream(output);
        let mut local = jobs.iter().zip(outputs).filter(|(_, it)| is_local(it));
        local.try_for_each(|(job, output)| Ok(self.force.replace().check(output, &[&job.input])?))
    }

    /// Rewrites one file, unless a signal asks the process to end.
    fn rewrite(&self, job: &Job, verb: &Verb, out: &mut impl Write) -> anyhow::Result<Rewritten> {
        if let Some(directory) = job.output.as_deref().and_then(Path::parent)
            && job.is_in_directory
            && remote_url(&self.output).is_none()
        {
            let cannot_create = || format!("cannot create {}", readable::path(directory));
            fs::create_dir_all(directory).with_context(cannot_create)?;
        }
        verb.name(readable::path(&job.input));
        let options = self.options(verb);
        let rewritten = match &job.output {
            None => rewrite_to(&job.input, &mut io::sink(), &options),
            Some(output) if is_stream(output) => rewrite_to(&job.input, out, &options),
            Some(output) => rewrite(&job.input, output, &options),
        };
        verb.finish(rewritten.map_err(|error| job.with_hint(error)))
    }

    fn options(&self, verb: &Verb) -> RewriteOptions {
        let mut writer = WriterOptions::default()
            .with_goal(self.goal)
            .with_readers(self.readers.clone())
            .with_encodings(self.encodings.clone().unwrap_or_default());
        if let Some(rows) = self.page_rows {
            writer = writer.with_page_rows(rows.get());
        }
        if let Some(bytes) = self.page_bytes {
            writer = writer.with_page_bytes(bytes.get());
        }
        for (name, encoding) in &self.columns {
            writer = writer.with_column(name, ColumnOptions::default().with_encoding(*encoding));
        }
        let mut options = RewriteOptions::new(writer)
            .with_verify(self.verify)
            .with_replace(self.force.replace())
            .with_progress(verb.progress());
        if let Some(version) = self.page_version {
            options = options.with_data_page_version(version);
        }
        if let Some(compression) = self.compression {
            options = options.with_compression(compression);
        }
        if let Some(unit) = self.convert_int96 {
            options = options.with_int96_converted(unit);
        }
        if let Some(threads) = self.threads {
            options = options.with_threads(threads);
        }
        if let Some(limit) = self.memory_limit {
            options = options.with_memory_limit(limit);
        }
        options
    }
}

impl Job {
    fn with_hint(&self, error: Error) -> anyhow::Error {
        let hint = match (error.problem(), &self.output) {
            (Problem::NoSuchColumn(_), _) => {
                format!(
                    "; `bytelane inspect {}` lists them",
                    readable::path(&self.input)
                )
            }
            (Problem::Io(error), Some(output)) if error.kind() == io::ErrorKind::StorageFull => {
                if fs::metadata(output).is_ok_and(|there| there.is_file()) {
                    "; that file is unchanged".to_owned()
                } else {
                    String::new()
                }
            }
            _ => return error.into(),
        };
        anyhow::anyhow!("{}{hint}", readable::parquet_error(&error))
    }
}

/// Begins the work. If no output is a file, a signal ends the process at once: nothing needs to be removed, and it may
/// be waiting for a reader that never comes.
fn begin(jobs: &[Job]) -> anyhow::Result<Verb> {
    let leaves_nothing = |job: &Job| match &job.output {
        None => true,
        Some(output) => {
            is_stream(output) || fs::metadata(output).is_ok_and(|there| !there.is_file())
        }
    };
    let bar = progress::bar(0, "{bytes}/{total_bytes}")?;
    if jobs.iter().all(leaves_nothing) {
        Verb::reading(bar)
    } else {
        Verb::writing(bar)
    }
}

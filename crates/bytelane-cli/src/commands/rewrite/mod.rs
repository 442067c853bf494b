//! `bytelane rewrite`.

mod show;

use crate::files::{is_stream, last_path};
use crate::search::Search;
use crate::table::{Format, format_parser};
use crate::verb::Verb;
use crate::{Outcome, backend, progress, readable, standard};
use anyhow::{Context, bail};
use bytelane_parquet::compatibility::Readers;
use bytelane_parquet::remote_url;
use bytelane_parquet::{Encodings, Error, Problem};
use bytelane_parquet_files::rewrite::{RewriteOptions, Rewritten, rewrite, rewrite_to};
use serde::Serialize;
use std::fs;
use std::io::{self, Write};
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
    #[arg(value_name = "OUTPUT", required = true)]
    output: Option<PathBuf>,
    #[command(flatten)]
    search: Search,
    #[command(flatten)]
    options: RewriteOptions,
    /// A table, one JSON object, CSV, or a Markdown table
    #[arg(long, value_name = "FORMAT", default_value = "table", value_parser = format_parser())]
    format: Format,
}

const EXAMPLES: &str = "Examples:
  bytelane rewrite weather.parquet smaller.parquet --verify
  bytelane rewrite weather.parquet weather.parquet --goal size --compression zstd:3
  bytelane rewrite january.parquet february.parquet smaller/ --threads 4
  bytelane rewrite trades.parquet out.parquet --column-encoding price=byte_stream_split \
    --column-encoding id=delta_binary_packed";

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
    pub fn run(mut self) -> anyhow::Result<Outcome> {
        backend::force_from_environment()?;
        let mut out = standard::output()?;
        let output = last_path(&mut self.inputs)?;
        let jobs = self.jobs(&output)?;
        note_obstacles(self.options.encodings.as_ref(), &self.options.readers);
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
        if is_stream(&output) && !self.options.dry_run {
            self.show(&all, &output, &mut io::stderr().lock())?
        } else {
            self.show(&all, &output, &mut out)?
        }
        Ok(Outcome::Fine)
    }

    /// Returns which files to rewrite, and their outputs.
    fn jobs(&self, output: &Path) -> anyhow::Result<Vec<Job>> {
        let found = self.search.find(&self.inputs)?;
        let outputs = if is_stream(output) {
            if found.len() > 1 {
                bail!("there are several files, and standard output is one; name a directory");
            }
            vec![output.to_owned()]
        } else {
            let outputs = bytelane_store::outputs_of(&found, output);
            outputs.map_err(|error| anyhow::anyhow!("{}", readable::line(&error.to_string())))?
        };
        let jobs = found.into_iter().zip(outputs).map(|(file, path)| Job {
            input: file.path,
            is_in_directory: path != output,
            output: Some(path),
        });
        let mut jobs: Vec<Job> = jobs.collect();
        if self.options.dry_run {
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
        let replace = self.options.replace;
        local.try_for_each(|(job, output)| Ok(replace.check(output, &[&job.input])?))
    }

    /// Rewrites one file, unless a signal asks the process to end.
    fn rewrite(&self, job: &Job, verb: &Verb, out: &mut impl Write) -> anyhow::Result<Rewritten> {
        if let Some(directory) = job.output.as_deref().and_then(Path::parent)
            && job.is_in_directory
            && remote_url(directory).is_none()
        {
            let cannot_create = || format!("cannot create {}", readable::path(directory));
            fs::create_dir_all(directory).with_context(cannot_create)?;
        }
        verb.name(readable::path(&job.input));
        let options = self.options.clone().with_progress(verb.progress());
        let rewritten = match &job.output {
            None => rewrite_to(&job.input, &mut io::sink(), &options),
            Some(output) if is_stream(output) => rewrite_to(&job.input, out, &options),
            Some(output) => rewrite(&job.input, output, &options),
        };
        verb.finish(rewritten.map_err(|error| job.with_hint(error)))
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

//! `bytelane rewrite`.

use crate::table::{Table, format_parser, number, text};
use crate::{Outcome, backend, readable, signals, standard};
use anyhow::Context;
use bytelane_measure::format::Format;
use bytelane_parquet::parquet::basic::Compression;
use bytelane_parquet::readers::Readers;
use bytelane_parquet::rewrite::{
    ColumnState, RewriteOptions, Rewritten, RewrittenColumn, rewrite, rewrite_to,
};
use bytelane_parquet::{
    ColumnOptions, Encoding, Error, Goal, Problem, WriterOptions, parse_compression,
};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use indicatif::{ProgressBar, ProgressStyle};
use std::fs;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

/// Rewrite a Parquet file with better encodings
///
/// Re-encodes the columns that benefit, separately in each row group, and copies the others unchanged.
/// Values stay the same bit for bit; the schema, row groups, statistics, indexes, Bloom filters, metadata and
/// file permissions are preserved.
///
/// The new file appears under its name only when it is complete. If interrupted, a partial file named
/// `.bytelane-*` may remain next to it and can be deleted. If OUT is a symbolic link, the file that it points to
/// is replaced; other hard links to a file keep the old one. A device or a named pipe is written to.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Arguments {
    /// The Parquet file to read
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The file to write; if it is IN, it is replaced when the new file is complete; -: standard output
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// What to optimise for
    #[arg(long, value_name = "GOAL", default_value = Goal::Balanced.name(), value_parser = goal_parser())]
    goal: Goal,
    /// Programs that must be able to read the file, optionally with the oldest version in use; any: no restriction
    #[arg(long, value_name = "NAME[>=VERSION],..", default_value_t)]
    readers: Readers,
    /// Force this encoding for a column. NAME is the column's path, separated by dots, or that of a group,
    /// for all columns in it
    #[arg(long = "column", value_name = "NAME=ENCODING", value_parser = parse_column)]
    columns: Vec<(String, Encoding)>,
    /// Compress all columns with this codec [default: unchanged]: none, snappy, lz4_raw, zstd:LEVEL, gzip:LEVEL,
    /// brotli:LEVEL
    #[arg(long, value_name = "CODEC[:LEVEL]", value_parser = parse_compression)]
    compression: Option<Compression>,
    /// Read both files and compare every value before the new file appears under its name
    #[arg(long)]
    verify: bool,
    /// Replace OUT even if it is read-only
    #[arg(long)]
    force: bool,
    /// A table, one JSON object, CSV, or a Markdown table
    #[arg(long, value_name = "FORMAT", default_value = "table", value_parser = format_parser())]
    format: Format,
}

const EXAMPLES: &str = "Examples:
  bytelane rewrite weather.parquet smaller.parquet --verify
  bytelane rewrite weather.parquet weather.parquet --goal size --compression zstd:3
  bytelane rewrite trades.parquet out.parquet --column price=byte_stream_split --column id=delta_binary_packed";

/// What stands for no signal where the exit status for one would.
const RUNNING: i32 = 0;

pub fn goal_parser() -> impl TypedValueParser<Value = Goal> {
    PossibleValuesParser::new(Goal::ALL.iter().map(|goal| goal.name())).try_map(|name| name.parse())
}

fn parse_column(text: &str) -> anyhow::Result<(String, Encoding)> {
    let (name, encoding) = text
        .rsplit_once('=')
        .context("give NAME=ENCODING, as in price=byte_stream_split")?;
    Ok((name.to_owned(), encoding.parse()?))
}

impl Arguments {
    pub fn run(self) -> anyhow::Result<Outcome> {
        backend::force_from_environment()?;
        let mut out = standard::output()?;
        let signal = Arc::new(AtomicI32::new(RUNNING));
        self.end_on_signal(Arc::clone(&signal))?;
        let progress = ProgressBar::new(0).with_style(ProgressStyle::with_template(
            "{bar:30} {bytes}/{total_bytes} {wide_msg}",
        )?);
        progress.set_message(readable::path(&self.input));
        let options = self.options(progress.clone(), Arc::clone(&signal));
        let rewritten = match self.to_standard_output() {
            true => rewrite_to(&self.input, &mut out, &options),
            false => rewrite(&self.input, &self.output, &options),
        };
        progress.finish_and_clear();
        let rewritten = match rewritten {
            Err(error) if matches!(error.problem(), Problem::Cancelled) => {
                std::process::exit(signal.load(Ordering::Relaxed))
            }
            other => other.map_err(|error| self.with_hint(error))?,
        };
        match self.to_standard_output() {
            true => self.show(&rewritten, &mut io::stderr().lock())?,
            false => self.show(&rewritten, &mut out)?,
        }
        Ok(Outcome::Fine)
    }

    fn to_standard_output(&self) -> bool {
        self.output == Path::new("-")
    }

    /// Ends the work when a signal asks for it: before the next column, so that the new file is removed. What is
    /// not a file leaves nothing behind, and may wait for a reader that never comes.
    fn end_on_signal(&self, signal: Arc<AtomicI32>) -> io::Result<()> {
        let is_file = fs::metadata(&self.output).map_or(true, |there| there.is_file());
        let at_once = self.to_standard_output() || !is_file;
        signals::on_signal(move |status| match at_once {
            true => std::process::exit(status),
            false => signal.store(status, Ordering::Relaxed),
        })
    }

    fn options(&self, progress: ProgressBar, signal: Arc<AtomicI32>) -> RewriteOptions {
        let mut writer = WriterOptions::default()
            .with_goal(self.goal)
            .with_readers(self.readers.clone());
        for (name, encoding) in &self.columns {
            writer = writer.with_column(name, ColumnOptions::default().with_encoding(*encoding));
        }
        let options = RewriteOptions::new(writer)
            .with_verification(self.verify)
            .with_force(self.force)
            .with_progress(move |done, total| {
                progress.set_length(total);
                progress.set_position(done);
                match signal.load(Ordering::Relaxed) {
                    RUNNING => ControlFlow::Continue(()),
                    _ => ControlFlow::Break(()),
                }
            });
        match self.compression {
            Some(compression) => options.with_compression(compression),
            None => options,
        }
    }

    fn with_hint(&self, error: Error) -> anyhow::Error {
        let hint = match error.problem() {
            Problem::NoSuchColumn(_) => {
                format!(
                    "; `bytelane inspect {}` lists them",
                    readable::path(&self.input)
                )
            }
            Problem::Io(error) if error.kind() == io::ErrorKind::StorageFull => {
                format!("; {} is unchanged", readable::path(&self.output))
            }
            Problem::ReadOnly => "; --force replaces it all the same".to_owned(),
            _ => return error.into(),
        };
        anyhow::anyhow!("{}{hint}", readable::parquet_error(&error))
    }

    fn show(&self, rewritten: &Rewritten, out: &mut impl Write) -> anyhow::Result<()> {
        let mut table = Table::new([
            text("column"),
            text("re-encoded"),
            text("encodings"),
            text("compression"),
            number("old size"),
            number("new size"),
            number("saved"),
        ]);
        for column in &rewritten.columns {
            let anew = match (&column.obstacle, column.rewritten) {
                (Some(obstacle), 0) => obstacle.clone(),
                _ => format!("{} of {}", column.rewritten, column.chunks),
            };
            table.row([
                column.path.clone(),
                anew,
                change(column, |state| &state.encodings),
                change(column, |state| &state.compressions),
                column.before.bytes.to_string(),
                column.after.bytes.to_string(),
                saved(column.before.bytes, column.after.bytes),
            ]);
        }
        table.write(self.format, [rewritten], out)?;
        if self.format == Format::Table {
            let Rewritten {
                bytes_before,
                bytes_after,
                verified,
                ..
            } = rewritten;
            let verified = if *verified {
                ", every value compared"
            } else {
                ""
            };
            let (input, output) = (readable::path(&self.input), readable::path(&self.output));
            let saved = saved(*bytes_before, *bytes_after);
            writeln!(
                out,
                "\n{input}: {bytes_before} bytes. {output}: {bytes_after} bytes, {saved} saved{verified}"
            )?;
        }
        out.flush()?;
        Ok(())
    }
}

/// `before -> after`, or what stayed.
fn change(column: &RewrittenColumn, of: impl Fn(&ColumnState) -> &Vec<String>) -> String {
    let (before, after) = (of(&column.before).join(", "), of(&column.after).join(", "));
    match before == after {
        true => before,
        false => format!("{before} -> {after}"),
    }
}

fn saved(before: u64, after: u64) -> String {
    let (before, after) = (before as f64, after as f64);
    format!("{:.1}%", 100.0 * (before - after) / before.max(1.0))
}

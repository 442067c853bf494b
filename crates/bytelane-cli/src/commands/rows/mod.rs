//! `bytelane head`, `tail`, `cat`, `sample`, `count`, `stats` and `convert`.

mod convert;
mod files;
mod footers;
mod input;
mod new_rows;
mod piped;
mod sample;
mod shown;
mod source;
mod stats;
mod text;

use crate::table::{self, Format as TableFormat, Table, number};
use crate::verb::Verb;
use crate::{Outcome, progress, readable, standard};
pub use convert::Convert;
use files::{Chosen, Files, Window};
use serde_json::json;
use shown::Shown;
use source::Source;
pub use stats::Stats;
use std::io::Write;
use text::output::Format;

/// Default number of rows of `head` and `sample`.
const USUAL_ROWS: u64 = 10;

/// Show the first rows of Parquet files
///
/// The footers of all files are read first: columns that only later files have are shown as well, and types that differ are united.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Head {
    #[command(flatten)]
    source: Source,
    /// Number of rows
    #[arg(short = 'n', long, value_name = "N", default_value_t = USUAL_ROWS)]
    rows: u64,
    /// Number of rows to leave out before the first one
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: u64,
    #[command(flatten)]
    shown: Shown,
}

/// Show the last rows of Parquet files
///
/// The footers say where they begin; with --where, files are read twice.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Tail {
    #[command(flatten)]
    source: Source,
    /// Number of rows
    #[arg(short = 'n', long, value_name = "N", default_value_t = USUAL_ROWS)]
    rows: u64,
    #[command(flatten)]
    shown: Shown,
}

/// Show all rows of Parquet files
///
/// Rows are read and written in batches, so files may be larger than memory.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Cat {
    #[command(flatten)]
    source: Source,
    /// Number of rows to leave out before the first one
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: u64,
    #[command(flatten)]
    shown: Shown,
}

/// Show random rows of Parquet files
///
/// Each set of rows is equally likely, over all files. Rows are shown in the order of the files. Only the pages that have them
/// are read, if the file has an index of its pages; with --where, files are read twice.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Sample {
    #[command(flatten)]
    source: Source,
    /// Number of rows
    #[arg(short = 'n', long, value_name = "N", default_value_t = USUAL_ROWS)]
    rows: u64,
    /// Seed of the random numbers: the same seed gives the same rows [default: another one each time]
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
    #[command(flatten)]
    shown: Shown,
}

/// Count the rows of Parquet files
///
/// Reads only the footers; with --where, the columns of the condition as well.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Count {
    #[command(flatten)]
    source: Source,
    /// How to show the numbers
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    format: Format,
}

const EXAMPLES: &str = "Examples:
  bytelane head trades.parquet
  bytelane head -n 3 trades.parquet --columns id,price --where \"price > 100 and venue in ('X', 'Y')\"
  bytelane head trades.parquet --exclude note --vertical
  bytelane tail lake/ -n 3 --where \"venue is not null\"
  bytelane cat lake/ --format csv > all.csv
  bytelane cat lake/ --columns price,id --where \"price > 100\" -o expensive.parquet --goal size
  bytelane cat trades.parquet --format json | jq .price
  bytelane sample -n 1000 lake/ --seed 1 --format json
  bytelane count lake/ --where \"venue is null\"

In JSON, integers and decimals have all their digits, NaN and infinities are null, bytes are hexadecimal, and dates and \
times are texts (ISO 8601); those with a time zone are in UTC.";

impl Head {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let window = Window {
            offset: self.offset,
            rows: self.rows,
        };
        show(&self.source, &self.shown, window)
    }
}

impl Cat {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let window = Window {
            offset: self.offset,
            rows: u64::MAX,
        };
        show(&self.source, &self.shown, window)
    }
}

/// Shows rows that follow each other.
fn show(source: &Source, shown: &Shown, window: Window) -> anyhow::Result<Outcome> {
    let files = source.open(!shown.is_written())?;
    show_window(&files, source, shown, window)
}

fn show_window(
    files: &Files,
    source: &Source,
    shown: &Shown,
    window: Window,
) -> anyhow::Result<Outcome> {
    let (selection, named) = (shown.selection(source), shown.named(source));
    shown.pass_on(source, files, |hand_on| {
        files.each(&selection, &named, window, hand_on)
    })?;
    Ok(Outcome::Fine)
}

/// Returns the number of rows of each file that the condition selects, or all.
fn counts(
    files: &Files,
    source: &Source,
    named: &[&str],
    is_written: bool,
) -> anyhow::Result<Vec<u64>> {
    let filter = source.has_condition().then(|| source.selection());
    let bar = progress::bar(0, "{pos}/{len} rows")?;
    // A signal must not end the process at once if a file is written afterwards.
    let verb = if is_written {
        Verb::writing(bar)?
    } else {
        Verb::reading(bar)?
    };
    verb.name(readable::plural(files.paths().len(), "file"));
    verb.finish(files.counts(filter.as_ref(), named, &verb))
}

/// Returns the sum of row counts, saturated because footers may have wrong counts.
fn sum(counts: &[u64]) -> u64 {
    counts
        .iter()
        .fold(0, |sum, count| sum.saturating_add(*count))
}

impl Tail {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let files = self.source.open(!self.shown.is_written())?;
        let counts = counts(
            &files,
            &self.source,
            &self.shown.named(&self.source),
            self.shown.is_written(),
        )?;
        let window = Window {
            offset: sum(&counts).saturating_sub(self.rows),
            rows: self.rows,
        };
        show_window(&files, &self.source, &self.shown, window)
    }
}

impl Sample {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let (source, shown) = (&self.source, &self.shown);
        let files = source.open(!shown.is_written())?;
        let (selection, named) = (shown.selection(source), shown.named(source));
        let counts = counts(&files, source, &named, shown.is_written())?;
        let chosen = sample::choose(sum(&counts), self.rows, self.seed);
        let chosen = Chosen {
            counts: &counts,
            rows: &chosen,
            is_filtered: source.has_condition(),
        };
        shown.pass_on(source, &files, |hand_on| {
            files.rows(&selection, &named, chosen, hand_on)
        })?;
        Ok(Outcome::Fine)
    }
}

impl Count {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let files = self.source.open(true)?;
        let mut out = standard::output()?;
        let counts = counts(
            &files,
            &self.source,
            &self.source.condition_columns(),
            false,
        )?;
        let names = files
            .paths()
            .map(|path| path.to_string_lossy().into_owned());
        let sum = sum(&counts);
        let named: Vec<(String, u64)> = names.zip(counts).collect();
        let format = match self.format {
            Format::Table if named.len() == 1 => {
                writeln!(out, "{sum}")?;
                return Ok(Outcome::Fine);
            }
            Format::Table => TableFormat::Table,
            Format::Json => TableFormat::Json,
            Format::Csv => TableFormat::Csv,
        };
        let mut table = Table::new([table::text("file"), number("rows")]);
        for (name, rows) in &named {
            table.row([name.clone(), rows.to_string()]);
        }
        if format == TableFormat::Table {
            table.row([format!("{} files", named.len()), sum.to_string()]);
        }
        let objects = named
            .iter()
            .map(|(file, rows)| json!({"file": file, "rows": rows}));
        table.write(format, objects, &mut out)?;
        out.flush()?;
        Ok(Outcome::Fine)
    }
}

//! `bytelane head`, `cat`, `sample` and `count`.

mod cells;
mod files;
mod input;
mod json;
mod output;
mod sample;
mod table;

use crate::search::{Search, parse_partition_type};
use crate::table::{Format as TableFormat, Table, number, text};
use crate::verb::Verb;
use crate::{Outcome, backend, progress, readable, standard};
use arrow_array::RecordBatch;
use bytelane_parquet::arrow_schema::DataType;
use bytelane_parquet::filter::{Predicate, Selection};
use files::{Chosen, Files};
use indicatif::ProgressBar;
use output::{Format, Output};
use serde_json::json;
use std::io::{BufWriter, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::str::FromStr;

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
    #[command(flatten)]
    shown: Shown,
    /// Number of rows
    #[arg(short = 'n', long, value_name = "N", default_value_t = USUAL_ROWS)]
    rows: u64,
}

/// Show all rows of Parquet files
///
/// Rows are read and written in batches, so files may be larger than memory.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Cat {
    #[command(flatten)]
    source: Source,
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
    #[command(flatten)]
    shown: Shown,
    /// Number of rows
    #[arg(short = 'n', long, value_name = "N", default_value_t = USUAL_ROWS)]
    rows: u64,
    /// Seed of the random numbers: the same seed gives the same rows [default: another one each time]
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
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

#[derive(Debug, clap::Args)]
struct Source {
    /// Parquet files, directories, or patterns such as 'lake/year=*', as one table, or - for standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    search: Search,
    /// Refuse files with other columns than the first one, instead of uniting them by name: in another order, missing, or with types that
    /// have a common one
    #[arg(long)]
    strict_schema: bool,
    /// Type of the column in the names of directories such as year=2024 [default: int32 if all its values are, else string]
    #[arg(long = "partition-type", value_name = "NAME=TYPE", value_parser = parse_partition_type)]
    partition_types: Vec<(String, DataType)>,
    /// Only rows for which this condition is true
    #[arg(long = "where", value_name = "CONDITION", long_help = WHERE)]
    condition: Option<Predicate>,
    /// With --where: maximum number of rows of a file to decode; 64 Mi, plus 1 Ki for each byte of the file by default
    #[arg(long, value_name = "ROWS", requires = "condition")]
    row_limit: Option<u64>,
}

#[derive(Debug, clap::Args)]
struct Shown {
    /// Only these columns, by their paths: all in a group, or one. They are shown in the order of the file. A name with a comma has double
    /// quotation marks: '"a,b",c'
    #[arg(long, value_name = "PATH,..")]
    columns: Option<Vec<Paths>>,
    /// How to show the rows
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    format: Format,
}

/// Paths of columns, separated by commas.
#[derive(Clone, Debug)]
struct Paths(Vec<String>);

impl FromStr for Paths {
    type Err = String;

    /// Splits a list at its commas, except for those between double quotation marks, of which two stand for one.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut paths = vec![String::new()];
        let (mut is_quoted, mut characters) = (false, text.chars().peekable());
        while let Some(character) = characters.next() {
            let Some(path) = paths.last_mut() else { break };
            match character {
                '"' if is_quoted && characters.next_if_eq(&'"').is_some() => path.push('"'),
                '"' if is_quoted || path.is_empty() => is_quoted = !is_quoted,
                ',' if !is_quoted => paths.push(String::new()),
                character => path.push(character),
            }
        }
        if is_quoted {
            return Err("a quotation mark is not closed".to_owned());
        }
        Ok(Self(paths))
    }
}

const WHERE: &str = "\
Only rows for which this condition is true, as in SQL:

  price > 100, = == != <> < <= > >=
  id in (1, 2), day between '2024-01-01' and '2024-01-31'
  name is null, name is not null
  name like 'a%': % stands for any characters, _ for one
  and, or, not, parentheses

Texts, dates and times have single quotation marks: day >= '2024-12-31'. Bytes are x'00ff'. Names of columns may have \
double quotation marks: \"unit price\" > 1. Columns in groups are paths: item.price. Nulls are neither equal nor unequal \
to a value. NaN equals nothing.";

const EXAMPLES: &str = "Examples:
  bytelane head trades.parquet
  bytelane head -n 3 trades.parquet --columns id,price --where \"price > 100 and venue in ('X', 'Y')\"
  bytelane cat lake/ --format csv > all.csv
  bytelane cat trades.parquet --format json | jq .price
  bytelane sample -n 1000 lake/ --seed 1 --format json
  bytelane count lake/ --where \"venue is null\"

In JSON, integers and decimals have all their digits, NaN and infinities are null, bytes are hexadecimal, and dates and \
times are texts (ISO 8601); those with a time zone are in UTC.";

impl Source {
    fn open(&self) -> anyhow::Result<Files> {
        backend::force_from_environment()?;
        Files::find(
            &self.files,
            self.search,
            &self.partition_types,
            self.strict_schema,
        )
    }

    fn selection(&self) -> Selection {
        let mut selection = Selection::default();
        if let Some(condition) = &self.condition {
            selection = selection.with_filter(condition.clone());
        }
        if let Some(rows) = self.row_limit {
            selection = selection.with_row_limit(rows);
        }
        selection
    }

    /// Returns the paths of the columns of the condition.
    fn condition_columns(&self) -> Vec<&str> {
        self.condition.iter().flat_map(Predicate::columns).collect()
    }
}

impl Shown {
    /// Returns the rows and columns to read.
    fn selection(&self, source: &Source) -> Selection {
        match &self.columns {
            Some(columns) => source
                .selection()
                .with_columns(columns.iter().flat_map(|it| &it.0)),
            None => source.selection(),
        }
    }

    /// Returns all columns that must exist.
    fn named<'a>(&'a self, source: &'a Source) -> Vec<&'a str> {
        let shown = self.columns.iter().flatten();
        let shown = shown.flat_map(|paths| &paths.0).map(String::as_str);
        shown.chain(source.condition_columns()).collect()
    }
}

impl Head {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let files = self.source.open()?;
        show(&files, &self.source, &self.shown, self.rows)
    }
}

impl Cat {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let files = self.source.open()?;
        show(&files, &self.source, &self.shown, u64::MAX)
    }
}

/// Shows the first rows.
fn show(files: &Files, source: &Source, shown: &Shown, rows: u64) -> anyhow::Result<Outcome> {
    let mut out = BufWriter::new(standard::output()?);
    let mut left = rows;
    let mut output = Output::new(shown.format, &mut out);
    let selection = shown.selection(source);
    files.each(
        &selection,
        &shown.named(source),
        left,
        &mut |batch: RecordBatch| {
            let count = batch
                .num_rows()
                .min(usize::try_from(left).unwrap_or(usize::MAX));
            output.write(&batch.slice(0, count))?;
            left -= count as u64;
            Ok(if left == 0 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            })
        },
    )?;
    output.finish()?;
    out.flush()?;
    Ok(Outcome::Fine)
}

/// Returns the sum of row counts, saturated because footers may have wrong counts.
fn sum(counts: &[u64]) -> u64 {
    counts
        .iter()
        .fold(0, |sum, count| sum.saturating_add(*count))
}

impl Sample {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let files = self.source.open()?;
        let mut out = BufWriter::new(standard::output()?);
        let mut output = Output::new(self.shown.format, &mut out);
        let named = self.shown.named(&self.source);
        let is_filtered = self.source.condition.is_some();
        let filter = is_filtered.then(|| self.source.selection());
        let verb = Verb::reading(counting()?)?;
        let counts = verb.finish(files.counts(filter.as_ref(), &named, &verb))?;
        let chosen = sample::choose(sum(&counts), self.rows, self.seed);
        let selection = self.shown.selection(&self.source);
        let chosen = Chosen {
            counts: &counts,
            rows: &chosen,
            is_filtered,
        };
        files.rows(&selection, &named, chosen, &mut |batch| {
            output.write(&batch)
        })?;
        output.finish()?;
        out.flush()?;
        Ok(Outcome::Fine)
    }
}

/// Returns a progress bar for rows that are counted.
fn counting() -> anyhow::Result<ProgressBar> {
    progress::bar(0, "{pos}/{len} rows")
}

impl Count {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let files = self.source.open()?;
        let mut out = standard::output()?;
        let selection = self
            .source
            .condition
            .is_some()
            .then(|| self.source.selection());
        let verb = Verb::reading(counting()?)?;
        verb.name(readable::plural(files.paths().len(), "file"));
        let columns = self.source.condition_columns();
        let counts = verb.finish(files.counts(selection.as_ref(), &columns, &verb))?;
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
        let mut table = Table::new([text("file"), number("rows")]);
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

//! `bytelane convert`.

use super::files::{Files, Window};
use super::new_rows::NewRows;
use super::piped::Piped;
use super::text::output::{Format, Output};
use super::text::table::Vertical;
use crate::files::{self, DASH, Input};
use crate::search::{Search, parse_partition_type};
use crate::{Outcome, backend, readable};
use anyhow::{Context, anyhow, bail};
use arrow_array::{RecordBatch, RecordBatchReader};
use bytelane_parquet::Error;
use bytelane_parquet::arrow_schema::DataType;
use bytelane_parquet::budget::RowLimit;
use bytelane_parquet::filter::Selection;
use bytelane_parquet_files::convert::{ArrowFile, ConvertOptions, TableFormat, read};
use bytelane_parquet_files::rows::RowsOptions;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Convert CSV, JSON lines and Arrow files to Parquet, and back
///
/// The file extensions tell the formats. Rows are read and written in batches, so files may be larger than memory, and INPUT may be a pipe, except
/// for Parquet.
///
/// The types of CSV and JSON are inferred from the first rows: integers, floats, booleans, and in CSV dates and timestamps; anything else is text. If a
/// later value is of another type, give more rows with --infer-rows, or the type of its column with --type. An empty value of CSV is null.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Convert {
    /// The file to read, -: standard input; for Parquet, also directories and patterns
    #[arg(value_name = "INPUT")]
    input: PathBuf,
    /// The file to write; -: standard output
    #[arg(value_name = "OUTPUT")]
    output: PathBuf,
    /// Format of INPUT, if its extension does not tell
    #[arg(long, value_name = "FORMAT")]
    from: Option<TableFormat>,
    /// Format of OUTPUT, if its extension does not tell
    #[arg(long, value_name = "FORMAT")]
    to: Option<TableFormat>,
    #[command(flatten)]
    options: ConvertOptions,
    /// Type of a column of CSV or JSON, as in zip=string
    #[arg(long = "type", value_name = "NAME=TYPE", value_parser = parse_partition_type)]
    types: Vec<(String, DataType)>,
    /// Maximum number of rows of a Parquet file to convert; 64 Mi, plus 1 Ki for each byte of the file by default
    #[arg(long, value_name = "ROWS")]
    row_limit: Option<u64>,
    #[command(flatten)]
    search: Search,
    #[command(flatten, next_help_heading = "Options of the output file")]
    written: RowsOptions,
}

const EXAMPLES: &str = "Examples:
  bytelane convert trades.csv trades.parquet --type zip=string
  bytelane convert trades.parquet trades.csv
  zcat events.jsonl.gz | bytelane convert - events.parquet --from json
  bytelane convert lake/ all.arrow
  bytelane convert trades.parquet - --to json | jq .price";

/// Function that takes batches of rows.
type HandOn<'a> = dyn FnMut(&RecordBatch) -> anyhow::Result<()> + 'a;

impl Convert {
    pub fn run(self) -> anyhow::Result<Outcome> {
        backend::force_from_environment()?;
        let is_directory = self.input.is_dir();
        let from = self.from.or(is_directory.then_some(TableFormat::Parquet));
        let from = format(from, &self.input, "--from")?;
        let to = format(self.to, &self.output, "--to")?;
        if from == TableFormat::Parquet {
            let inputs = [self.input.clone()];
            let files = Files::find(
                &inputs,
                self.search,
                &[],
                false,
                Some(RowLimit(self.row_limit)),
            )?;
            if self.input != Path::new(DASH) {
                self.search.check_outputs(&inputs, &[&self.output])?;
            }
            let paths = files.paths().map(Path::to_owned).collect();
            self.write(to, paths, |hand_on| {
                files.each(&Selection::default(), &[], Window::ALL, hand_on)
            })?;
            return Ok(Outcome::Fine);
        }
        let mut options = self.options.clone().with_types(self.types.clone());
        let is_tsv = self
            .input
            .extension()
            .is_some_and(|it| it.eq_ignore_ascii_case("tsv"));
        options.delimiter = options.delimiter.or(is_tsv.then_some('\t'));
        let input = Input::open(Some(&self.input))?;
        let name = input.name().to_owned();
        let failed = |error: Error| {
            anyhow!(
                "{name}: {}{}",
                readable::parquet_error(&error),
                hint(&error, from)
            )
        };
        let input: Box<dyn Read + Send> = match input.length() {
            Some(_) => Box::new(input),
            None => Box::new(Piped::new(input)?),
        };
        let rows = read(input, from, &options).map_err(failed)?;
        self.write(to, vec![self.input.clone()], |hand_on| {
            hand_on(&RecordBatch::new_empty(rows.schema()))?;
            for batch in rows {
                hand_on(&batch.map_err(|error| failed(Error::from(error)))?)?;
            }
            Ok(())
        })?;
        Ok(Outcome::Fine)
    }

    fn write(
        &self,
        to: TableFormat,
        inputs: Vec<PathBuf>,
        rows: impl FnOnce(&mut HandOn<'_>) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        if to == TableFormat::Parquet {
            let mut file = NewRows::new(&self.output, inputs, self.written.clone())?;
            let result = rows(&mut |batch| file.write(batch));
            return file.finish(result);
        }
        let replace = self.written.replace;
        let mut out = files::Output::create(Some(&self.output), Some(&self.input), replace)?;
        if to == TableFormat::Arrow {
            return self.write_arrow(out, rows);
        }
        let format = match to {
            TableFormat::Csv => Format::Csv,
            _ => Format::Json,
        };
        let mut text = Output::new(format, Vertical::Never, &mut out);
        let written = rows(&mut |batch| text.write(batch)).and_then(|()| text.finish());
        written.map_err(|error| {
            if error.is::<io::Error>() {
                error.context(format!("cannot write {}", readable::path(&self.output)))
            } else {
                error
            }
        })?;
        out.finish()
    }

    fn write_arrow(
        &self,
        out: files::Output,
        rows: impl FnOnce(&mut HandOn<'_>) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let cannot_write = || format!("cannot write {}", readable::path(&self.output));
        let (mut out, mut file) = (Some(out), None);
        rows(&mut |batch| {
            if let Some(out) = out.take() {
                let begun = ArrowFile::try_new(out, batch.schema_ref());
                file = Some(begun.with_context(cannot_write)?);
            }
            let written = file.as_mut().map(|file| file.write(batch)).transpose();
            written.map(drop).with_context(cannot_write)
        })?;
        match file {
            Some(file) => file.finish().with_context(cannot_write)?.finish(),
            None => bail!("no file was read"),
        }
    }
}

/// Returns a given format, or that of the extension.
fn format(given: Option<TableFormat>, path: &Path, flag: &str) -> anyhow::Result<TableFormat> {
    match given.or_else(|| TableFormat::of_path(path)) {
        Some(format) => Ok(format),
        None => bail!(
            "{}: the name does not tell the format; give {flag}: parquet, csv, json or arrow",
            readable::path(path)
        ),
    }
}

/// Says what helps if a value does not have the type that was inferred.
fn hint(error: &Error, from: TableFormat) -> &'static str {
    let text = error.to_string();
    let is_about = |parts: &[&str]| parts.iter().any(|part| text.contains(part));
    match from {
        TableFormat::Csv | TableFormat::Json
            if is_about(&["parsing value", "failed to parse", "whilst decoding"]) =>
        {
            "; --type NAME=string sets the type of a column, and --infer-rows infers it from more rows"
        }
        _ => "",
    }
}

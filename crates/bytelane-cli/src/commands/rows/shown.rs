//! Columns that are read, and where the rows go: to the terminal, to programs, or to a new Parquet file.

use super::files::Files;
use super::new_rows::NewRows;
use super::source::Source;
use super::text::output::{Format, Output};
use super::text::table::Vertical;
use crate::standard;
use arrow_array::RecordBatch;
use bytelane_parquet::filter::Selection;
use bytelane_parquet_files::rows::RowsOptions;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Columns to read.
#[derive(Debug, clap::Args)]
pub struct Columns {
    /// Only these columns, in this order, by their paths: all in a group, or one. A name with a comma has double quotation marks:
    /// '"a,b",c'
    #[arg(long, value_name = "PATH,..")]
    columns: Vec<Paths>,
    /// All columns but these
    #[arg(long, value_name = "PATH,..")]
    exclude: Vec<Paths>,
}

#[derive(Debug, clap::Args)]
pub struct Shown {
    #[command(flatten)]
    columns: Columns,
    /// How to show the rows
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    format: Format,
    /// Show each row as lines of a name and a value, instead of a table
    #[arg(long, value_name = "WHEN", default_value = "auto", num_args = 0..=1, require_equals = true, default_missing_value = "always")]
    vertical: Vertical,
    /// Write the rows to this Parquet file instead; -: standard output
    #[arg(short, long, value_name = "OUTPUT", conflicts_with_all = ["format", "vertical"])]
    output: Option<PathBuf>,
    #[command(flatten, next_help_heading = "Options of the output file")]
    written: RowsOptions,
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

fn all(lists: &[Paths]) -> impl Iterator<Item = &str> {
    lists.iter().flat_map(|it| &it.0).map(String::as_str)
}

impl Columns {
    /// Returns the rows and columns to read.
    pub fn selection(&self, source: &Source) -> Selection {
        let selection = source.selection().with_excluded(all(&self.exclude));
        match &self.columns[..] {
            [] => selection,
            columns => selection.with_columns(all(columns)),
        }
    }

    /// Returns all columns that must exist.
    pub fn named<'a>(&'a self, source: &'a Source) -> Vec<&'a str> {
        let shown = all(&self.columns).chain(all(&self.exclude));
        shown.chain(source.condition_columns()).collect()
    }
}

impl Shown {
    pub fn selection(&self, source: &Source) -> Selection {
        self.columns.selection(source)
    }

    pub fn named<'a>(&'a self, source: &'a Source) -> Vec<&'a str> {
        self.columns.named(source)
    }

    /// Returns whether the rows are written to a new file.
    pub fn is_written(&self) -> bool {
        self.output.is_some()
    }

    /// Passes rows on to the output, and completes it. The callback gets a function that takes batches.
    pub fn pass_on(
        &self,
        source: &Source,
        files: &Files,
        read: impl FnOnce(&mut dyn FnMut(&RecordBatch) -> anyhow::Result<()>) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let Some(path) = &self.output else {
            let out = BufWriter::new(standard::output()?);
            let mut output = Output::new(self.format, self.vertical, out);
            read(&mut |batch| output.write(batch))?;
            return output.finish();
        };
        source.check_output(path)?;
        let inputs = files.paths().map(Path::to_owned).collect();
        let mut file = NewRows::new(path, inputs, self.written.clone())?;
        let result = read(&mut |batch| file.write(batch));
        file.finish(result)
    }
}

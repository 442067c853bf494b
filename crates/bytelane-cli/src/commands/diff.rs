//! `bytelane diff`.

use crate::search::{Partitions, Search};
use crate::table::{Format, Table, format_parser, text};
use crate::verb::Verb;
use crate::{Outcome, progress, readable, standard};
use anyhow::bail;
use bytelane_parquet_files::diff::{DiffOptions, Difference, RowPlace, diff_tables};
use bytelane_store::table_sides;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

/// Compare the rows of Parquet files
///
/// Values are compared as they are stored, bit for bit, and so are the Arrow types of columns; encodings, compressions, row
/// groups, the order of columns and the borders of files do not count. If only the types differ, the values are compared in a
/// type that holds those of both. The first rows that differ are named. The exit status is 1 if there are any.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Arguments {
    /// The files to compare, or directories that are searched for .parquet files: the last one with those before it, or all with
    /// those of --with
    #[arg(value_name = "FILE", required = true, num_args = 1..)]
    files: Vec<PathBuf>,
    /// The files on the other side, if there are several
    #[arg(long = "with", value_name = "FILE", num_args = 1..)]
    others: Vec<PathBuf>,
    #[command(flatten)]
    search: Search,
    #[command(flatten)]
    partitions: Partitions,
    #[command(flatten)]
    options: DiffOptions,
    /// A table, one JSON object, CSV, or a Markdown table
    #[arg(long, value_name = "FORMAT", default_value = "table", value_parser = format_parser())]
    format: Format,
}

const EXAMPLES: &str = "Examples:
  bytelane diff weather.parquet smaller.parquet
  bytelane diff january.parquet february.parquet --with merged.parquet
  bytelane diff lake/ merged.parquet --any-order";

/// Result for programs.
#[derive(Serialize)]
struct Answer<'a> {
    same: bool,
    #[serde(flatten)]
    difference: &'a Difference,
}

impl Arguments {
    pub fn run(mut self) -> anyhow::Result<Outcome> {
        let mut out = standard::output()?;
        if self.others.is_empty() {
            let Some(last) = self.files.pop().filter(|_| !self.files.is_empty()) else {
                bail!("name two files to compare, as in `bytelane diff old.parquet new.parquet`");
            };
            self.others.push(last);
        }
        let [left, right] = [&self.files, &self.others].map(|paths| self.search.find(paths));
        let sides = table_sides([left?, right?], &self.partitions.types)?;
        let [left, right] = &sides;
        let verb = Verb::reading(progress::bar(0, "{pos}/{len} rows")?)?;
        let options = self.options.clone().with_progress(verb.progress());
        let difference = verb.finish(diff_tables(left, right, &options))?;
        self.show(&difference, [left.len(), right.len()], &mut out)?;
        if difference.is_none() {
            Ok(Outcome::Fine)
        } else {
            Ok(Outcome::Found)
        }
    }

    fn show(
        &self,
        difference: &Difference,
        files: [usize; 2],
        out: &mut impl Write,
    ) -> anyhow::Result<()> {
        let mut table = Table::new([
            text("left row"),
            text("right row"),
            text("column"),
            text("left"),
            text("right"),
        ]);
        for row in &difference.rows {
            let left = place(row.left.as_ref(), files[0]);
            let right = place(row.right.as_ref(), files[1]);
            for value in &row.values {
                table.row([
                    left.clone(),
                    right.clone(),
                    value.column.clone(),
                    value.left.clone().unwrap_or_default(),
                    value.right.clone().unwrap_or_default(),
                ]);
            }
        }
        let is_table = self.format == Format::Table;
        if !is_table || !difference.rows.is_empty() {
            let same = difference.is_none();
            table.write(self.format, [Answer { same, difference }], out)?;
        }
        if is_table {
            if !difference.rows.is_empty() {
                writeln!(out)?;
            }
            summarize(difference, out)?;
        }
        out.flush()?;
        Ok(())
    }
}

/// Formats a row by its number, and its file if there are several.
fn place(place: Option<&RowPlace>, files: usize) -> String {
    match place {
        None => "none".to_owned(),
        Some(place) if files == 1 => place.row.to_string(),
        Some(place) => format!("{} of {}", place.row_in_file, place.file.display()),
    }
}

fn summarize(difference: &Difference, out: &mut impl Write) -> anyhow::Result<()> {
    let Difference {
        columns,
        types,
        left_rows,
        right_rows,
        more,
        rows,
        ..
    } = difference;
    for column in columns.iter().chain(types) {
        writeln!(out, "{}", readable::line(column))?;
    }
    if !columns.is_empty() {
        writeln!(out, "The columns differ; no rows were compared")?;
    } else if difference.has_same_values() && !types.is_empty() {
        writeln!(
            out,
            "Only the types differ; {left_rows} rows have the same values"
        )?;
    } else if difference.is_none() {
        writeln!(out, "The same {left_rows} rows")?;
    } else {
        let at_least = if *more { "at least " } else { "" };
        let count = rows.len();
        let rows = if count == 1 {
            "row differs"
        } else {
            "rows differ"
        };
        writeln!(
            out,
            "{at_least}{count} {rows}, of {left_rows} and {right_rows} rows compared"
        )?;
    }
    Ok(())
}

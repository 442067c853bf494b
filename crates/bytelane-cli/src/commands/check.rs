//! `bytelane check`.

use crate::files::Target;
use crate::search::Search;
use crate::verb::Verb;
use crate::{Outcome, progress, readable, standard};
use bytelane_parquet_files::check::{CheckOptions, Checked, Finding, check};
use bytelane_parquet_files::repair::{SalvageOptions, Salvaged, salvage};
use clap::ValueEnum;
use serde::Serialize;
use std::borrow::Cow;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Check whether Parquet files keep what they promise
///
/// Compares the footer, page headers, sizes, checksums and indexes with each other; with --values, the values with statistics, indexes, Bloom
/// filters, the promised sort order and UTF-8. Prints one line per finding. The exit status is 1 if there are any.
///
/// With --salvage, the rows of a damaged file that all columns still have are written to a new file, and those that are lost are listed
/// first; --columns keeps the rows of these columns, whatever the others have lost. --schema names a file with the same columns, if FILE has
/// lost its footer: rows are kept where the borders of pages and columns are certain. The exit status is then 1 if rows are lost or left out.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The Parquet files, or directories that are searched for .parquet files
    #[arg(value_name = "FILE", required = true, num_args = 1..)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    search: Search,
    #[command(flatten)]
    options: CheckOptions,
    /// Write the rows whose pages are intact to this file, and list those that are lost; for one FILE. -: standard output
    #[arg(long, value_name = "OUTPUT")]
    salvage: Option<PathBuf>,
    #[command(flatten)]
    salvaging: SalvageOptions,
    /// Lines, or one JSON object for each file
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One line per finding
    Text,
    /// One object per file
    Json,
}

/// Result for a file, for programs.
#[derive(Serialize)]
struct Answer<'a> {
    file: Cow<'a, str>,
    #[serde(flatten)]
    checked: &'a Checked,
    #[serde(skip_serializing_if = "Option::is_none")]
    salvaged: Option<&'a Salvaged>,
}

impl Arguments {
    /// Returns whether it writes a file with the rows that are intact.
    pub fn salvages(&self) -> bool {
        self.salvage.is_some()
    }

    pub fn run(self) -> anyhow::Result<Outcome> {
        let mut out = standard::output()?;
        let target = self.salvage.as_deref().map(Target::new).transpose()?;
        let bar = progress::bar(0, "{bytes}/{total_bytes}")?;
        let verb = match target {
            Some(_) => Verb::writing(bar)?,
            None => Verb::reading(bar)?,
        };
        let options = self.options.clone().with_progress(verb.progress());
        let mut found = false;
        let files = self.search.paths(&self.files)?;
        if self.salvage.is_some() && files.len() != 1 {
            anyhow::bail!(
                "--salvage writes one file, but there are {}; name one",
                files.len()
            );
        }
        self.search
            .check_outputs(&self.files, self.salvage.as_slice())?;
        for file in files {
            verb.name(readable::path(&file));
            let checked = verb.finish(check(&file, &options))?;
            let (salvaged, mut out): (_, Box<dyn Write>) = match &target {
                Some(to) => {
                    verb.name(readable::path(&file));
                    let salvaged = salvage(&file, to.path(), &self.salvaging(&verb));
                    (Some(verb.finish(salvaged)?), to.publish(&mut out)?)
                }
                None => (None, Box::new(&mut out)),
            };
            found |= match &salvaged {
                Some(salvaged) => !salvaged.lost.is_empty() || !salvaged.left_out.is_empty(),
                None => !checked.findings.is_empty(),
            };
            match self.format {
                Format::Json => {
                    let answer = Answer {
                        file: file.to_string_lossy(),
                        checked: &checked,
                        salvaged: salvaged.as_ref(),
                    };
                    serde_json::to_writer(&mut out, &answer)?;
                    writeln!(out)?;
                }
                Format::Text => {
                    if let (Some(salvaged), Some(to)) = (&salvaged, &self.salvage) {
                        show_salvaged(salvaged, to, &mut out)?;
                    }
                    show(&file, &checked, &mut out)?;
                }
            }
            out.flush()?;
        }
        if found {
            Ok(Outcome::Found)
        } else {
            Ok(Outcome::Fine)
        }
    }

    fn salvaging(&self, verb: &Verb) -> SalvageOptions {
        let mut options = self.salvaging.clone().with_progress(verb.progress());
        options.row_limit = self.options.row_limit;
        options
    }
}

fn show(file: &Path, checked: &Checked, out: &mut impl Write) -> anyhow::Result<()> {
    for finding in &checked.findings {
        writeln!(out, "{}", line(finding))?;
    }
    let Checked {
        rows,
        row_groups,
        pages,
        summary,
        ..
    } = checked;
    let file = readable::path(file);
    writeln!(
        out,
        "{file}: {rows} rows, {row_groups} row groups, {pages} pages: {summary}"
    )?;
    Ok(())
}

fn show_salvaged(salvaged: &Salvaged, to: &Path, out: &mut impl Write) -> anyhow::Result<()> {
    let (to, rows, before) = (readable::path(to), salvaged.rows, salvaged.rows_before);
    let lost = before.saturating_sub(rows);
    if lost > 0 {
        writeln!(out, "{to}: {lost} of {before} rows are lost")?;
    }
    for lost in &salvaged.lost {
        let (column, problem) = (readable::line(&lost.column), readable::line(&lost.problem));
        let column = match lost.column.as_str() {
            "" => String::new(),
            _ => format!(", column {column}"),
        };
        writeln!(
            out,
            "lost: {} from row {} of row group {} on{column}: {problem}",
            readable::plural(lost.rows as usize, "row"),
            lost.first_row,
            lost.row_group,
        )?;
    }
    for left_out in &salvaged.left_out {
        let (start, end) = (left_out.start, left_out.end);
        let problem = readable::line(&left_out.problem);
        writeln!(out, "left out: bytes {start} to {end}: {problem}")?;
    }
    if !salvaged.intact_columns.is_empty() {
        let columns = salvaged.intact_columns.join(",");
        let columns = readable::line(&columns);
        writeln!(
            out,
            "{} lost no row: --columns '{columns}' keeps all {before} rows",
            readable::plural(salvaged.intact_columns.len(), "column"),
        )?;
    }
    for note in &salvaged.notes {
        writeln!(out, "note: {}", readable::line(note))?;
    }
    writeln!(out, "{to}: {rows} of {before} rows")?;
    Ok(())
}

/// Formats a finding on one line.
fn line(finding: &Finding) -> String {
    let mut place = finding.place();
    place.file = place.file.map(|file| readable::path(&file).into());
    place.column = place
        .column
        .map(|column| readable::line(&column).into_owned());
    let problem = readable::line(&finding.problem);
    format!("{place}{}: {problem}", finding.severity)
}

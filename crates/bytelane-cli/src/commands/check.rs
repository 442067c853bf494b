//! `bytelane check`.

use super::rows::files_at;
use crate::{Outcome, readable, standard};
use bytelane_parquet::check::{CheckOptions, Checked, Finding, Severity, check};
use clap::ValueEnum;
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Check whether Parquet files keep what they promise
///
/// Compares the footer, page headers, sizes, checksums and indexes with each other; with --values, the values with statistics, indexes, Bloom
/// filters, the promised sort order and UTF-8. Prints one line per finding. The exit status is 1 if there are any.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The Parquet files, or directories that are searched for .parquet files
    #[arg(value_name = "FILE", required = true, num_args = 1..)]
    files: Vec<PathBuf>,
    /// Decode all values, and compare them with what is said of them
    #[arg(long)]
    values: bool,
    /// The most memory that pages and values may take, as in 4GiB
    #[arg(long, value_name = "SIZE", value_parser = readable::parse_size)]
    memory_limit: Option<u64>,
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

/// The outcome of a file for programs.
#[derive(Serialize)]
struct Answer<'a> {
    file: &'a Path,
    #[serde(flatten)]
    checked: &'a Checked,
}

impl Arguments {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let mut out = standard::output()?;
        let mut options = CheckOptions::default().with_values(self.values);
        if let Some(limit) = self.memory_limit {
            options = options.with_memory_limit(limit);
        }
        let mut found = false;
        for file in files_at(&self.files)? {
            let checked = check(&file, &options)?;
            found |= !checked.findings.is_empty();
            match self.format {
                Format::Json => {
                    let (file, checked) = (&*file, &checked);
                    serde_json::to_writer(&mut out, &Answer { file, checked })?;
                    writeln!(out)?;
                }
                Format::Text => show(&file, &checked, &mut out)?,
            }
            out.flush()?;
        }
        if found {
            Ok(Outcome::Found)
        } else {
            Ok(Outcome::Fine)
        }
    }
}

fn show(file: &Path, checked: &Checked, out: &mut impl Write) -> anyhow::Result<()> {
    for finding in &checked.findings {
        writeln!(out, "{}", line(finding))?;
    }
    let count = |severity: Severity| {
        let findings = checked.findings.iter();
        findings.filter(|it| it.severity == severity).count()
    };
    let what = match (count(Severity::Error), count(Severity::Warning)) {
        (0, 0) => "nothing is wrong".to_owned(),
        (errors, warnings) => {
            format!(
                "{}, {}",
                readable::plural(errors, "error"),
                readable::plural(warnings, "warning")
            )
        }
    };
    let Checked {
        rows,
        row_groups,
        pages,
        ..
    } = checked;
    let file = readable::path(file);
    writeln!(
        out,
        "{file}: {rows} rows, {row_groups} row groups, {pages} pages: {what}"
    )?;
    Ok(())
}

/// A finding on one line.
fn line(finding: &Finding) -> String {
    let mut place = finding.place();
    place.file = place.file.map(|file| readable::path(&file).into());
    place.column = place
        .column
        .map(|column| readable::line(&column).into_owned());
    let problem = readable::line(&finding.problem);
    format!("{place}{}: {problem}", finding.severity)
}

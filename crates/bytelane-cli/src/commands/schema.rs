//! `bytelane schema`.

use crate::search::{Partitions, Search};
use crate::table::{Format, Table, format_parser, text};
use crate::{Outcome, readable, standard};
use bytelane_parquet_files::schema::{Difference, SchemaGroup, Schemas, schemas};
use bytelane_store::table_files;
use std::io::Write;
use std::path::PathBuf;

/// Number of files that are named for each difference.
const NAMED: usize = 3;

/// Show the columns of Parquet files, and the differences between files
///
/// Reads the footers. Several files, or those of a directory, are shown as one table, with the columns and types that `head` and `cat` show.
/// Files with other columns than most are listed with the differences.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Arguments {
    /// Parquet files, directories, or patterns such as 'lake/year=*'
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    search: Search,
    #[command(flatten)]
    partitions: Partitions,
    /// A table, one JSON object, CSV, or a Markdown table
    #[arg(long, value_name = "FORMAT", default_value = "table", value_parser = format_parser())]
    format: Format,
}

const EXAMPLES: &str = "Examples:
  bytelane schema trades.parquet
  bytelane schema lake/
  bytelane schema old.parquet new.parquet --format json

`bytelane inspect FILE --schema` shows the schema of one file in the syntax of the Parquet specification.";

impl Arguments {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let mut out = standard::output()?;
        let found = self.search.find(&self.files)?;
        let found = schemas(&table_files(found, &self.partitions.types)?)?;
        let mut table = Table::new([text("column"), text("type"), text("nulls").dispensable(1)]);
        for column in &found.columns {
            let nulls = if column.nullable { "yes" } else { "no" };
            table.row([
                column.path.clone(),
                column.data_type.clone(),
                nulls.to_owned(),
            ]);
        }
        table.write(self.format, [&found], &mut out)?;
        if self.format == Format::Table {
            summarize(&found, &mut out)?;
        }
        out.flush()?;
        Ok(Outcome::Fine)
    }
}

fn summarize(found: &Schemas, out: &mut impl Write) -> anyhow::Result<()> {
    let [usual, others @ ..] = &found.groups[..] else {
        return Ok(());
    };
    if found.files > 1 && others.is_empty() {
        writeln!(out, "\n{} files with the same columns", found.files)?;
    }
    if let Some(problem) = &found.problem {
        let problem = readable::line(problem);
        writeln!(
            out,
            "\nThese are the columns of {}, because the files are not one table: {problem}",
            files(usual)
        )?;
    }
    for group in others {
        writeln!(out, "\n{}, compared with {}:", files(group), files(usual))?;
        for difference in &group.differences {
            writeln!(out, "  {}", readable::line(&sentence(difference)))?;
        }
    }
    Ok(())
}

/// Names the first files of a group.
fn files(group: &SchemaGroup) -> String {
    let named = group
        .files
        .iter()
        .take(NAMED)
        .map(|path| readable::path(path));
    let named = named.collect::<Vec<_>>().join(", ");
    match group.files.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

fn sentence(difference: &Difference) -> String {
    let column = &difference.column;
    match (&difference.usual, &difference.own) {
        (Some(usual), Some(own)) if column.is_empty() => {
            format!("columns in another order: {own}, and not {usual}")
        }
        (Some(usual), Some(own)) => format!("{column}: {own}, and not {usual}"),
        (Some(usual), None) => format!("{column}: missing, and not {usual}"),
        (None, Some(own)) => format!("{column}: {own}, and not missing"),
        (None, None) => column.clone(),
    }
}

//! `bytelane dataset verify`.

use crate::table::{Format, Table, format_parser, number, text};
use crate::verb::Verb;
use crate::{Outcome, progress, readable, standard};
use bytelane_dataset::{Verified, verify};
use bytelane_parquet_files::diff::Difference;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

/// Compare the rows of two data sets
///
/// Compares the rows of each directory, for files with the same columns together, bit for bit; their order and the borders of files do not
/// count. If all are the same, this is noted in NEW, and `swap` and `delete` may be used. The exit status is 1 if there are differences.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The old directory, or its URL on a store
    #[arg(value_name = "OLD")]
    old: PathBuf,
    /// The directory or URL that `bytelane dataset run` wrote
    #[arg(value_name = "NEW")]
    new: PathBuf,
    /// A table, one JSON object, CSV, or a Markdown table
    #[arg(long, value_name = "FORMAT", default_value = "table", value_parser = format_parser())]
    format: Format,
}

/// Machine-readable outcome.
#[derive(Serialize)]
struct Answer<'a> {
    same: bool,
    #[serde(flatten)]
    verified: &'a Verified,
}

impl Arguments {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let mut out = standard::output()?;
        let verb = Verb::writing(progress::spinner("{pos} rows of a directory compared")?)?;
        let counting = verb.clone();
        let verified = verify(&self.old, &self.new, move |rows| counting.count(rows));
        let verified = verb.finish(verified)?;
        self.show(&verified, &mut out)?;
        if verified.is_same() {
            Ok(Outcome::Fine)
        } else {
            Ok(Outcome::Found)
        }
    }

    fn show(&self, verified: &Verified, out: &mut impl Write) -> anyhow::Result<()> {
        let mut table = Table::new([
            text("directory"),
            number("old files"),
            number("new files"),
            text("difference"),
        ]);
        for group in &verified.differences {
            let [old, new] = group.files.map(|count| count.to_string());
            let difference = described(group.difference.as_ref());
            table.row([group.partition.clone(), old, new, difference]);
        }
        if self.format != Format::Table || !verified.is_same() {
            let same = verified.is_same();
            table.write(self.format, [Answer { same, verified }], out)?;
        }
        if self.format == Format::Table {
            let [old, new] = verified.files;
            let files = (
                readable::plural(old, "old file"),
                readable::plural(new, "new file"),
            );
            if verified.is_same() {
                let rows = verified.rows[0];
                writeln!(out, "The same {rows} rows in {} and {}", files.0, files.1)?;
            } else {
                let count = readable::plural(verified.differences.len(), "difference");
                writeln!(out, "{count} between {} and {}", files.0, files.1)?;
            }
        }
        out.flush()?;
        Ok(())
    }
}

/// Describes a difference in a few words.
fn described(difference: Option<&Difference>) -> String {
    let Some(difference) = difference else {
        return "one side has no files with these columns".to_owned();
    };
    if let Some(column) = difference.columns.first() {
        return column.clone();
    }
    let Difference {
        left_rows,
        right_rows,
        ..
    } = difference;
    let first = difference
        .rows
        .iter()
        .find_map(|row| row.left.as_ref().or(row.right.as_ref()));
    let place = first.map(|it| {
        format!(
            ", such as row {} of {}",
            it.row_in_file,
            readable::path(&it.file)
        )
    });
    format!(
        "{left_rows} and {right_rows} rows differ{}",
        place.unwrap_or_default()
    )
}

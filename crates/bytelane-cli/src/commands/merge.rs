//! `bytelane merge`.

use crate::files::{DASH, Target, last_path};
use crate::search::Search;
use crate::table::{Format, Largest, Table, format_parser, number, size, text};
use crate::verb::Verb;
use crate::{Outcome, progress, readable, standard};
use anyhow::bail;
use bytelane_parquet_files::merge::{MergeOptions, Merged, MergedColumn, MergedPages, merge};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

/// Merge or split Parquet files without decoding their values
///
/// Joins the row groups of the files, in their order, to larger ones, or splits them to smaller ones. Data pages are copied unchanged; where
/// dictionaries differ, they are joined, and the indices of pages are mapped. Pages on both sides of a border are cut, and very small ones
/// joined. Statistics, indexes of pages, Bloom filters and metadata are joined. What could not be kept is listed.
///
/// Columns are matched by name. An optional column that a file does not have is null there, and one that is required in some files becomes
/// optional. The members of lists and maps may have other names, such as item and element: those of the first file are kept. Columns of
/// other types are joined if one type holds the values of both, such as int64 those of int32, or milliseconds whole seconds: they are encoded
/// again. Other differences of types are errors.
///
/// The outputs appear under their names when all of them are complete; OUTPUT may be one of the files. With --force, files of an earlier
/// run with a smaller --file-size are removed.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Arguments {
    /// The Parquet files to read, or directories that are searched for .parquet files
    #[arg(value_name = "INPUT", required = true, num_args = 1..)]
    inputs: Vec<PathBuf>,
    #[command(flatten)]
    search: Search,
    /// The file to write; -: standard output. With --file-size, OUTPUT.parquet becomes OUTPUT-00000.parquet and so on
    #[arg(value_name = "OUTPUT", required = true)]
    output: Option<PathBuf>,
    #[command(flatten)]
    options: MergeOptions,
    /// A table, one JSON object, CSV, or a Markdown table
    #[arg(long, value_name = "FORMAT", default_value = "table", value_parser = format_parser())]
    format: Format,
}

const EXAMPLES: &str = "Examples:
  bytelane merge january.parquet february.parquet winter.parquet --verify
  bytelane merge lake/ merged.parquet --file-size 512MiB
  bytelane merge lake/ merged.parquet --row-group-size 500000
  bytelane merge large.parquet part.parquet --file-size 128MiB";

impl Arguments {
    pub fn run(mut self) -> anyhow::Result<Outcome> {
        let mut out = standard::output()?;
        let output = last_path(&mut self.inputs)?;
        let inputs = self.search.one_partition(&self.inputs)?;
        let first = self.options.output_path(&output, 0);
        self.search.check_outputs(&self.inputs, &[first])?;
        let target = Target::new(&output)?;
        if target.is_stream() && self.options.file_size.is_some() {
            bail!("--file-size writes several files, and standard output is one; name a file");
        }
        let verb = Verb::writing(progress::bar(0, "{bytes}/{total_bytes}")?)?;
        let options = self.options.clone().with_progress(verb.progress());
        let mut merged = verb.finish(merge(&inputs, target.path(), &options))?;
        if target.is_stream() {
            let files = merged.outputs.iter_mut();
            files.for_each(|file| file.path = DASH.into());
        }
        self.show(&merged, &mut target.publish(&mut out)?)?;
        Ok(Outcome::Fine)
    }

    fn show(&self, merged: &Merged, out: &mut impl Write) -> anyhow::Result<()> {
        write_columns(&merged.columns, merged, self.format, out)?;
        if self.format == Format::Table {
            summarize(merged, out)?;
        }
        out.flush()?;
        Ok(())
    }
}

/// Writes a table of the columns, and an empty line for people; as JSON, the whole outcome.
pub fn write_columns(
    columns: &[MergedColumn],
    outcome: &impl Serialize,
    format: Format,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let mut table = Table::new([
        text("column"),
        text("pages"),
        text("new compression"),
        number("old size"),
        number("new size"),
    ]);
    let columns = Largest::new(columns, format, |column| column.bytes_before);
    for column in columns.iter() {
        table.row([
            column.path.clone(),
            pages(column.pages),
            column.compressions.join(", "),
            size(column.bytes_before, format),
            size(column.bytes_after, format),
        ]);
    }
    table.write(format, [outcome], out)?;
    if format == Format::Table {
        columns.note("old size", out)?;
        writeln!(out)?;
    }
    Ok(())
}

/// Formats the number of pages by operation.
fn pages(pages: MergedPages) -> String {
    let kinds = [
        (pages.copied, "copied"),
        (pages.cut, "cut"),
        (pages.mapped, "mapped"),
        (pages.recompressed, "recompressed"),
        (pages.joined, "joined"),
        (pages.encoded, "re-encoded"),
        (pages.nulls, "of nulls"),
    ];
    let kinds = kinds.iter().filter(|(count, _)| *count > 0);
    let kinds: Vec<String> = kinds
        .map(|(count, kind)| format!("{count} {kind}"))
        .collect();
    kinds.join(", ")
}

fn summarize(merged: &Merged, out: &mut impl Write) -> anyhow::Result<()> {
    let verified = if merged.verified {
        "; every value compared"
    } else {
        ""
    };
    writeln!(
        out,
        "{}, {}, {}, {} rows became {}, {}, {}{verified}",
        readable::plural(merged.inputs, "file"),
        readable::size(merged.bytes_before),
        readable::plural(merged.row_groups_before, "row group"),
        merged.rows,
        readable::plural(merged.outputs.len(), "file"),
        readable::size(merged.bytes_after),
        readable::plural(merged.row_groups_after, "row group"),
    )?;
    for file in &merged.outputs {
        let (path, size) = (readable::path(&file.path), readable::size(file.bytes));
        let groups = readable::plural(file.row_groups, "row group");
        writeln!(out, "{path}: {size}, {} rows in {groups}", file.rows)?;
    }
    for note in &merged.notes {
        writeln!(out, "note: {}", readable::line(note))?;
    }
    Ok(())
}

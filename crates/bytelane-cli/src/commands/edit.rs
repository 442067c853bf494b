//! `bytelane edit`.

use super::merge::write_columns;
use crate::files::Target;
use crate::search::Search;
use crate::table::{Format, format_parser};
use crate::verb::Verb;
use crate::{Outcome, progress, readable, standard};
use bytelane_parquet_files::edit::{EditOptions, Edited, edit};
use std::io::Write;
use std::path::PathBuf;

/// Delete rows of a Parquet file, and rename, drop, order, add or promote columns, without decoding what stays
///
/// Pages that keep all of their rows are copied byte for byte; pages that lose some are cut. Columns that get another type are encoded again.
/// Row groups stay, unless they lose all rows. Statistics become those of the rows that are left; indexes of pages, sorting columns, field
/// ids and the schemas of Arrow, pandas and GeoParquet change with the columns. What could not be kept is listed.
///
/// Deleted values may remain in dictionaries and Bloom filters, unless --scrub encodes their columns again.
///
/// The new file appears under its name when it is complete; OUTPUT may be INPUT.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Arguments {
    /// The Parquet file to read
    #[arg(value_name = "INPUT")]
    input: PathBuf,
    /// The file to write; -: standard output
    #[arg(value_name = "OUTPUT")]
    output: PathBuf,
    #[command(flatten)]
    search: Search,
    #[command(flatten)]
    options: EditOptions,
    /// A table, one JSON object, CSV, or a Markdown table
    #[arg(long, value_name = "FORMAT", default_value = "table", value_parser = format_parser())]
    format: Format,
}

const EXAMPLES: &str = "Examples:
  bytelane edit events.parquet events.parquet --delete-where \"user_id = 17\" --scrub
  bytelane edit events.parquet kept.parquet --delete-rows deleted.roaring --verify
  bytelane edit a.parquet b.parquet --rename amount=price --drop comment --order day,price
  bytelane edit a.parquet b.parquet --add \"country string = 'DE'\" --promote id=int64";

impl Arguments {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let mut out = standard::output()?;
        let target = Target::new(&self.output)?;
        let verb = Verb::writing(progress::bar(0, "{bytes}/{total_bytes}")?)?;
        let options = self.options.clone().with_progress(verb.progress());
        let input = self.search.one(&self.input)?;
        self.search
            .check_outputs(std::slice::from_ref(&self.input), &[&self.output])?;
        let edited = verb.finish(edit(&input, target.path(), &options))?;
        self.show(&edited, &mut target.publish(&mut out)?)?;
        Ok(Outcome::Fine)
    }

    fn show(&self, edited: &Edited, out: &mut impl Write) -> anyhow::Result<()> {
        write_columns(&edited.columns, edited, self.format, out)?;
        if self.format == Format::Table {
            self.summarize(edited, out)?;
        }
        out.flush()?;
        Ok(())
    }

    fn summarize(&self, edited: &Edited, out: &mut impl Write) -> anyhow::Result<()> {
        let verified = if edited.verified {
            "; every value compared"
        } else {
            ""
        };
        writeln!(
            out,
            "{} of {} rows deleted; {} became {}{verified}",
            edited.deleted_rows,
            edited.deleted_rows + edited.rows,
            readable::plural(edited.row_groups_before, "row group"),
            edited.row_groups_after,
        )?;
        writeln!(
            out,
            "{}: {}. {}: {}",
            readable::path(&self.input),
            readable::size(edited.bytes_before),
            readable::path(&self.output),
            readable::size(edited.bytes_after),
        )?;
        for note in &edited.notes {
            writeln!(out, "note: {}", readable::line(note))?;
        }
        Ok(())
    }
}

//! `bytelane repair`.

use crate::files::Target;
use crate::search::Search;
use crate::verb::Verb;
use crate::{Outcome, progress, readable, standard};
use bytelane_parquet_files::repair::{RepairOptions, Repaired, repair};
use clap::ValueEnum;
use std::io::Write;
use std::path::PathBuf;

/// Add the indexes and counts to a Parquet file that its writer left out
///
/// Copies pages byte for byte, and makes offset and column indexes, encoding_stats and sizes from their headers. Readers then skip pages, and
/// read less. NaN are counted. created_by, the name of the program that wrote the values, stays. The new file appears under its name when it is complete; OUTPUT may be INPUT.
#[derive(Debug, clap::Args)]
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
    options: RepairOptions,
    /// Lines, or one JSON object
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Lines
    Text,
    /// One object
    Json,
}

impl Arguments {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let mut out = standard::output()?;
        let target = Target::new(&self.output)?;
        let verb = Verb::writing(progress::bar(0, "{bytes}/{total_bytes}")?)?;
        let options = self.options.clone().with_progress(verb.progress());
        let input = self.search.one(&self.input)?;
        self.search
            .check_outputs(std::slice::from_ref(&self.input), &[&self.output])?;
        let repaired = verb.finish(repair(&input, target.path(), &options))?;
        self.answer(&repaired, &mut target.publish(&mut out)?)?;
        Ok(Outcome::Fine)
    }

    fn answer(&self, repaired: &Repaired, out: &mut impl Write) -> anyhow::Result<()> {
        match self.format {
            Format::Json => {
                serde_json::to_writer(&mut *out, repaired)?;
                writeln!(out)?;
            }
            Format::Text => self.show(repaired, out)?,
        }
        out.flush()?;
        Ok(())
    }

    fn show(&self, repaired: &Repaired, out: &mut impl Write) -> anyhow::Result<()> {
        let (before, after) = (repaired.before, repaired.after);
        let counts = [
            (
                "offset indexes",
                before.offset_indexes,
                after.offset_indexes,
            ),
            (
                "column indexes",
                before.column_indexes,
                after.column_indexes,
            ),
            (
                "encoding_stats",
                before.encoding_stats,
                after.encoding_stats,
            ),
            ("counts of NaN", before.nan_counts, after.nan_counts),
            ("Bloom filters", before.bloom_filters, after.bloom_filters),
        ];
        for (what, before, after) in counts {
            let chunks = repaired.chunks;
            writeln!(out, "{what}: {before} -> {after} of {chunks} chunks")?;
        }
        let verified = if repaired.verified {
            ", every value compared"
        } else {
            ""
        };
        writeln!(
            out,
            "{}: {}. {}: {}{verified}",
            readable::path(&self.input),
            readable::size(repaired.bytes_before),
            readable::path(&self.output),
            readable::size(repaired.bytes_after),
        )?;
        for note in &repaired.notes {
            writeln!(out, "note: {}", readable::line(note))?;
        }
        Ok(())
    }
}

//! `bytelane bench parquet`.

mod input;
mod measure;

pub use input::Input;
pub use measure::{ParquetRow, Plan, measure};

use super::measuring::{Timing, each};
use crate::provenance::Provenance;
use crate::table::{Column, Field, Format, Table, format_parser, number, optional, text};
use crate::{Outcome, backend, readable, standard};
use bytelane_parquet::options::flags;
use bytelane_parquet::parquet::basic::Compression;
use bytelane_parquet::{Encoding, Goal, parse_compression};
use clap::ValueEnum;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

/// Measure Parquet columns: PLAIN, DICTIONARY, BYTE_STREAM_SPLIT and ALP, in memory
///
/// Repeats the published experiment on BYTE_STREAM_SPLIT: size ratio and write and read speed, with and
/// without compression; BYTE_STREAM_SPLIT with the scalar code and with the active backend; and ALP, which the
/// format calls a preview, for floats. Without files, it generates similar data, and a discrete Gaussian of increasing entropy. Statistics and page
/// indexes are written. Before anything is timed, every file must be read back correctly.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Arguments {
    /// Raw little-endian numbers with the extensions .f32 .sp .f64 .dp .i32 or .i64
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Data to generate if no files are given
    #[arg(long, value_name = "WHAT", conflicts_with = "files")]
    only: Option<Part>,
    /// Only these encodings: plain, dictionary, byte_stream_split, alp, or auto. `auto` is measured only if it is
    /// listed, and shows its choice and the share of the write time that choosing takes
    #[arg(long = "encoding", value_name = "NAME", value_delimiter = ',')]
    encodings: Vec<Encoding>,
    /// Goal of `auto`
    #[arg(long, value_name = "GOAL", default_value_t, value_parser = flags::names(Goal::ALL, Goal::name))]
    goal: Goal,
    /// Number of values to generate
    #[arg(long, value_name = "N", default_value_t = 500_000, conflicts_with = "files",
        value_parser = clap::value_parser!(u32).range(1..=1 << 28))]
    values: u32,
    /// The compression
    #[arg(long, value_name = "CODEC[:LEVEL]", default_value = "zstd:1", value_parser = parse_compression)]
    compression: Compression,
    #[command(flatten)]
    timing: Timing,
    /// A table, one JSON object per line, CSV, or Markdown tables
    #[arg(long, value_name = "FORMAT", default_value = "table", value_parser = format_parser(),
        help_heading = "Output")]
    format: Format,
}

const EXAMPLES: &str = "Examples:
  bytelane bench parquet
  bytelane bench parquet msg_bt.dp obs_temp.sp
  bytelane bench parquet --only sweep --values 4000000 --format csv
  bytelane bench parquet --encoding auto --goal size --format json";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Data similar to the published files
    Files,
    /// A discrete Gaussian of increasing entropy
    Sweep,
}

impl Arguments {
    pub fn run(self) -> anyhow::Result<Outcome> {
        backend::force_from_environment()?;
        let rounds = self.timing.rounds()?;
        let mut out = standard::output()?;
        let provenance = Provenance::here();
        let plan = Plan {
            encodings: self.encodings.clone(),
            goal: self.goal,
            compression: self.compression,
            rounds,
        };
        let rows = each(
            &self.inputs(),
            |input| readable::line(&input.name()).into_owned(),
            |input| measure(&plan, input),
            self.format,
            |measured| {
                let objects = measured.iter().map(|row| WithProvenance {
                    row,
                    provenance: &provenance,
                });
                list(measured).write(self.format, objects, &mut out)?;
                out.flush()
            },
        )?;
        match self.format {
            Format::Json => {}
            Format::Csv => list(&rows).write(self.format, &rows, &mut out)?,
            Format::Table | Format::Markdown => self.write_tables(&rows, &mut out)?,
        }
        out.flush()?;
        Ok(Outcome::Fine)
    }

    fn inputs(&self) -> Vec<Input> {
        if !self.files.is_empty() {
            return self.files.iter().cloned().map(Input::File).collect();
        }
        let values = self.values as usize;
        let mut inputs = Vec::new();
        if self.only != Some(Part::Sweep) {
            inputs.extend(Input::stand_ins(values));
        }
        if self.only != Some(Part::Files) {
            inputs.extend(Input::sweep(values));
        }
        inputs
    }

    /// Writes a table for each kind of figure, with the layouts side by side, as published.
    fn write_tables(&self, rows: &[ParquetRow], out: &mut impl Write) -> anyhow::Result<()> {
        type Figure = (&'static str, fn(&ParquetRow) -> String);
        let figures: [Figure; 3] = [
            ("Bytes of the values over bytes of the file", |row| {
                format!("{:.2}", row.ratio)
            }),
            ("Write, MB/s", |row| readable::megabytes(row.write_mib_s)),
            ("Read, MB/s", |row| readable::megabytes(row.read_mib_s)),
        ];
        for (index, (heading, figure)) in figures.into_iter().enumerate() {
            let heading = match self.format {
                Format::Markdown => format!("**{heading}**\n"),
                _ => heading.to_owned(),
            };
            let gap = if index > 0 { "\n" } else { "" };
            writeln!(out, "{gap}{heading}")?;
            side_by_side(rows, figure).write(self.format, rows, out)?;
        }
        Ok(())
    }
}

/// Row in the JSON output.
#[derive(Serialize)]
struct WithProvenance<'a> {
    #[serde(flatten)]
    row: &'a ParquetRow,
    #[serde(flatten)]
    provenance: &'a Provenance,
}

/// Returns a table with one line per row.
pub fn list<'a>(rows: &'a [ParquetRow]) -> Table {
    let columns: [Field<&'a ParquetRow>; 15] = [
        (text("file"), |row| row.file.clone()),
        (text("type"), |row| row.element_type.clone()),
        (number("values"), |row| row.values.to_string()),
        (number("bytes"), |row| row.bytes.to_string()),
        (text("encoding"), |row| row.encoding.clone()),
        (text("compression"), |row| row.compression.clone()),
        (text("backend"), |row| row.backend.clone()),
        (number("ratio"), |row| row.ratio.to_string()),
        (number("write_mib_s"), |row| row.write_mib_s.to_string()),
        (number("read_mib_s"), |row| row.read_mib_s.to_string()),
        (number("zstd_share_of_write"), |row| {
            optional(row.zstd_share.map(|shares| shares[0]))
        }),
        (number("zstd_share_of_read"), |row| {
            optional(row.zstd_share.map(|shares| shares[1]))
        }),
        (text("chosen"), |row| optional(row.chosen.as_ref())),
        (number("choice_share_of_write"), |row| {
            optional(row.choice_share_of_write)
        }),
        (number("entropy_bits"), |row| optional(row.entropy_bits)),
    ];
    Table::of(&columns, rows)
}

/// Returns a table with one line per file and one column per layout.
fn side_by_side(rows: &[ParquetRow], figure: impl Fn(&ParquetRow) -> String) -> Table {
    let is_scalar = |row: &ParquetRow| row.backend == "scalar";
    // The scalar code and uncompressed files are only for comparison, unless there is nothing else.
    let has_vectors = rows
        .iter()
        .any(|row| !is_scalar(row) && row.backend != "parquet");
    let has_compressed = rows.iter().any(ParquetRow::is_compressed);
    let way = |row: &ParquetRow| {
        let dispensable = match row {
            row if has_vectors && is_scalar(row) => 3,
            row if has_compressed && !row.is_compressed() => 2,
            _ => 0,
        };
        // Only BYTE_STREAM_SPLIT is measured on several backends.
        let name = match row.backend.as_str() {
            _ if row.encoding == Encoding::Alp.name() => {
                format!("{}\n{}", row.encoding, row.compression)
            }
            "parquet" => format!("{}\n{}", row.encoding, row.compression),
            backend => format!("{}\n{}, {backend}", row.encoding, row.compression),
        };
        number(name).dispensable(dispensable)
    };
    let mut ways: Vec<Column> = Vec::new();
    let mut files: Vec<&str> = Vec::new();
    for row in rows {
        if !ways.contains(&way(row)) {
            ways.push(way(row));
        }
        if !files.contains(&row.file.as_str()) {
            files.push(&row.file);
        }
    }
    let has_entropy = rows.iter().any(|row| row.entropy_bits.is_some());
    let mut header = vec![text("file")];
    header.extend(has_entropy.then(|| number("entropy\nbits").dispensable(1)));
    header.extend(ways.iter().cloned());
    let mut table = Table::new(header);
    for file in files {
        let of_file: Vec<&ParquetRow> = rows.iter().filter(|row| row.file == file).collect();
        let entropy = of_file[0]
            .entropy_bits
            .map_or(String::new(), |bits| format!("{bits:.1}"));
        let mut cells = vec![file.to_owned()];
        cells.extend(has_entropy.then_some(entropy));
        cells.extend(ways.iter().map(|wanted| {
            let found = of_file.iter().find(|row| way(row) == *wanted);
            found.map_or_else(String::new, |row| figure(row))
        }));
        table.row(cells);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::tests::at_all_widths;

    #[test]
    fn tables_fit() {
        let ways = [
            ("plain", "none", "parquet"),
            ("plain", "zstd:1", "parquet"),
            ("dictionary", "zstd:1", "parquet"),
            ("alp", "none", "avx512"),
            ("byte_stream_split", "zstd:1", "scalar"),
            ("byte_stream_split", "zstd:1", "avx512"),
            ("alp", "zstd:1", "avx512"),
        ];
        let row = |file: &str, (encoding, compression, backend): (&str, &str, &str)| ParquetRow {
            file: file.to_owned(),
            element_type: "f64".to_owned(),
            values: 500_000,
            bytes: 4_000_000,
            encoding: encoding.to_owned(),
            compression: compression.to_owned(),
            backend: backend.to_owned(),
            ratio: 0.93,
            write_mib_s: 285.0,
            read_mib_s: 12_345.6,
            zstd_share: None,
            chosen: None,
            choice_share_of_write: None,
            entropy_bits: Some(9.97),
        };
        let files = ["messages.f64", "observed_temperature.f32"];
        let rows: Vec<ParquetRow> = files
            .iter()
            .flat_map(|file| ways.map(|way| row(file, way)))
            .collect();
        let shown = at_all_widths(|width, out| {
            side_by_side(&rows, |row| format!("{:.2}", row.ratio)).draw(width, out)?;
            writeln!(out)?;
            side_by_side(&rows, |row| readable::megabytes(row.read_mib_s)).draw(width, out)
        });
        insta::assert_snapshot!(shown);
    }
}

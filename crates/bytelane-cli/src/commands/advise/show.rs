//! Advice as tables and text.

use super::Arguments;
use crate::readable;
use crate::table::{Format, Table, number, text};
use bytelane_parquet_files::advise::{Advice, Candidate, ColumnAdvice, Settings};
use std::io::{self, Write};

impl Arguments {
    /// Returns all results for the columns of these files.
    pub(super) fn candidates<'a>(&self, files: impl IntoIterator<Item = &'a Advice>) -> Table {
        let is_csv = self.format == Format::Csv;
        // Names in CSV files are stable.
        let [write, read] = if is_csv {
            ["write MiB/s", "read MiB/s"]
        } else {
            ["write\nMB/s", "read\nMB/s"]
        };
        // All results of a column have the same compression, unless several are compared.
        let compression = if self.options.compare.is_empty() {
            2
        } else {
            0
        };
        let file = is_csv.then(|| text("file"));
        let mut table = Table::new(file.into_iter().chain([
            text("column"),
            text("type").dispensable(3),
            text("encoding"),
            text("compression").dispensable(compression),
            number("ratio"),
            number(write).dispensable(1),
            number(read).dispensable(1),
            text("choice"),
        ]));
        for advice in files {
            for column in &advice.columns {
                for candidate in &column.candidates {
                    let mut row = Vec::new();
                    row.extend(is_csv.then(|| advice.file.display().to_string()));
                    row.extend([column.path.clone(), column.column_type.clone()]);
                    row.extend(cells(candidate, column, is_csv));
                    table.row(row);
                }
            }
        }
        table
    }

    pub(super) fn show_file(&self, advice: &Advice, out: &mut impl Write) -> anyhow::Result<()> {
        let Advice {
            file,
            rows,
            goal,
            readers,
            compression,
            ..
        } = advice;
        let heading = if self.format == Format::Markdown {
            "## "
        } else {
            ""
        };
        writeln!(out, "{heading}{}: {rows} rows", readable::path(file))?;
        writeln!(
            out,
            "Goal: {goal}. Compression: {}. Readers: {readers}.\n",
            match compression.as_str() {
                "" => "unchanged",
                asked => asked,
            }
        )?;
        choices(advice).write(self.format, [()], out)?;
        write_notes(advice, out)?;
        if !self.brief {
            writeln!(out)?;
            self.candidates([advice]).write(self.format, [()], out)?;
        }
        let (now, then) = (advice.bytes_now(), advice.bytes_then());
        let before = match (advice.kind.as_str(), advice.bytes_plain()) {
            ("parquet", _) | (_, None) => "today".to_owned(),
            (_, Some(plain)) => {
                let plain = readable::size(plain);
                format!("with pyarrow's default encoding ({plain} in PLAIN)")
            }
        };
        let saved = 100.0 * advice.saved();
        let about = if self.options.exact { "" } else { "about " };
        writeln!(
            out,
            "\n{} {before}, {about}{} with the choice: {saved:.1}% smaller\n",
            readable::size(now),
            readable::size(then)
        )?;
        if let Some(line) = smaller_compression(advice) {
            writeln!(out, "{line}\n")?;
        }
        write_settings(self.format, &advice.settings, out)
    }
}

/// Suggests another compression if it would save much more.
pub(super) fn smaller_compression(advice: &Advice) -> Option<String> {
    let (name, bytes) = advice.smaller_compression()?;
    let more = 100.0 * (1.0 - bytes as f64 / advice.bytes_then().max(1) as f64);
    let size = readable::size(bytes);
    Some(format!(
        "--compression {name} would save about {more:.0}% more: {size}."
    ))
}

/// Writes why columns cannot be re-encoded, or must be.
pub(super) fn write_notes(advice: &Advice, out: &mut impl Write) -> io::Result<()> {
    for column in &advice.columns {
        let name = readable::line(&column.path);
        if let Some(reason) = &column.reason {
            writeln!(out, "\n{name} is re-encoded: {reason}")?;
        }
        if let Some(obstacle) = &column.obstacle {
            writeln!(out, "\n{name} cannot change: {}", readable::line(obstacle))?;
        }
    }
    Ok(())
}

pub(super) fn write_settings(
    format: Format,
    all: &[Settings],
    out: &mut impl Write,
) -> anyhow::Result<()> {
    for settings in all {
        let text = readable::lines(&settings.text);
        match format {
            Format::Markdown => writeln!(out, "{}:\n\n```\n{}\n```", settings.writer, text)?,
            _ => writeln!(
                out,
                "{}:\n  {}",
                settings.writer,
                text.replace('\n', "\n  ")
            )?,
        }
        if let Some(shortcoming) = &settings.shortcoming {
            writeln!(out, "  ({})", readable::line(shortcoming))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Returns the choice for each column of a file.
pub(super) fn choices(advice: &Advice) -> Table {
    let mut table = Table::new([
        text("column"),
        text("type").dispensable(3),
        number("nulls").dispensable(6),
        number("distinct").dispensable(5),
        number("entropy").dispensable(4),
        text("current").dispensable(2),
        text("choice"),
        number("current size"),
        number("new size"),
        number("saved").dispensable(1),
    ]);
    for column in &advice.columns {
        table.row(summary(column));
    }
    table
}

fn cells(candidate: &Candidate, column: &ColumnAdvice, is_csv: bool) -> [String; 6] {
    let is_choice =
        candidate.encoding == column.encoding && candidate.compression == column.compression;
    let throughput = |mib_s: f64| {
        if is_csv {
            format!("{mib_s:.0}")
        } else {
            readable::megabytes(mib_s)
        }
    };
    [
        if candidate.preview && !is_csv {
            format!("{} (preview)", candidate.encoding)
        } else {
            candidate.encoding.to_string()
        },
        candidate.compression.clone(),
        format!("{:.2}", candidate.ratio),
        throughput(candidate.write_mib_s),
        throughput(candidate.read_mib_s),
        match (&candidate.obstacle, is_choice) {
            (Some(reader), _) => format!("{reader} cannot read it"),
            (None, true) if column.keep => "current".to_owned(),
            (None, true) => "chosen".to_owned(),
            (None, false) => String::new(),
        },
    ]
}

/// Formats a number, with a mark if it is an estimate.
fn count(number: Option<u64>, is_estimated: bool) -> String {
    match (number, is_estimated) {
        (None, _) => "?".to_owned(),
        (Some(number), true) => format!("~{number}"),
        (Some(number), false) => number.to_string(),
    }
}

fn summary(column: &ColumnAdvice) -> [String; 10] {
    [
        column.path.clone(),
        column.column_type.clone(),
        // The share of nulls in a sample may differ from that in the other rows.
        count((!column.nulls_estimated).then_some(column.nulls), false),
        count(column.distinct, column.distinct_estimated),
        column
            .entropy_bits
            .map_or_else(|| "?".to_owned(), |bits| format!("{bits:.1}")),
        column.now.clone().unwrap_or_default(),
        match (&column.obstacle, column.keep) {
            (Some(_), _) => "cannot change".to_owned(),
            (None, true) => "unchanged".to_owned(),
            (None, false) => column.encoding.to_string(),
        },
        readable::size(column.bytes_now),
        readable::size(column.bytes_then),
        format!("{:.1}%", 100.0 * column.saved()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::tests::at_all_widths;
    use clap::Parser;
    use serde_json::json;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        arguments: Arguments,
    }

    fn advice() -> Advice {
        let candidate = |encoding: &str, ratio: f64, obstacle: Option<&str>| {
            json!({
                "encoding": encoding, "compression": "zstd:1", "bytes": 1_000_000, "ratio": ratio,
                "write_mib_s": 285.4, "read_mib_s": 1234.0, "obstacle": obstacle, "preview": encoding == "alp",
            })
        };
        let column = |path: &str, encoding: &str| {
            json!({
                "path": path, "column_type": "INT64 TIMESTAMP(MICROS,true)", "rows": 1_048_576, "nulls": 12_345,
                "rows_tried": 1_048_576, "distinct": 987_654, "entropy_bits": 19.9,
                "now": "RLE_DICTIONARY ZSTD", "bytes_now": 4_321_987, "encoding": encoding,
                "compression": "zstd:1", "bytes_then": 1_234_567, "keep": false,
                "candidates": [
                    candidate("plain", 0.93, None),
                    candidate(encoding, 2.7, None),
                    candidate("delta_length_byte_array", 1.0, Some("pyarrow")),
                    candidate("alp", 3.1, Some("pyarrow")),
                ],
            })
        };
        let advice = json!({
            "file": "lake.parquet", "kind": "parquet", "rows": 1_048_576, "goal": "balanced",
            "readers": "duckdb", "compression": "zstd:1", "settings": [],
            "columns": [
                column("departure", "delta_binary_packed"),
                column("passenger.name.first", "byte_stream_split"),
            ],
        });
        serde_json::from_value(advice).unwrap()
    }

    fn arguments(line: &[&str]) -> Arguments {
        let line = ["advise", "lake.parquet"].iter().chain(line);
        Command::try_parse_from(line).unwrap().arguments
    }

    #[test]
    fn tables_fit() {
        let advice = advice();
        let shown = at_all_widths(|width, out| {
            choices(&advice).draw(width, out)?;
            writeln!(out)?;
            arguments(&[]).candidates([&advice]).draw(width, out)
        });
        insta::assert_snapshot!(shown);
    }

    #[test]
    fn csv_keeps_its_names_and_units() {
        let arguments = arguments(&["--format", "csv"]);
        let mut out = Vec::new();
        let table = arguments.candidates([&advice()]);
        table.write(Format::Csv, [()], &mut out).unwrap();
        let csv = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = csv.lines().take(2).collect();
        assert!(
            lines[0].ends_with(",ratio,write MiB/s,read MiB/s,choice"),
            "{csv}"
        );
        assert!(lines[1].ends_with(",0.93,285,1234,"), "{csv}");
    }
}

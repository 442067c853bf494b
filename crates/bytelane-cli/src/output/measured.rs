//! Formats of rows for people and for programs.
//!
//! Programs get one row per line ([`Format::Json`], [`Format::Csv`]). People get tables in which
//! everything that did the same work is side by side ([`Format::Table`], [`Format::Markdown`]).

use super::layout::{self, Column, number, text};
use super::readable::grouped;
use super::table::Format;
use bytelane_measure::row::{self, Row};
use bytelane_measure::transform::{MEMCPY, PLAIN};
use std::io::{self, Write};

/// Unit of the cells in a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unit {
    /// Decoded gigabytes per second.
    #[default]
    GigabytesPerSecond,
    /// Nanoseconds per call.
    Nanoseconds,
}

/// Properties that the rows of a table share. The other properties distinguish its lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Titles {
    /// Codec, operation and data.
    #[default]
    Data,
    /// Codec and parameters.
    Parameters,
}

/// Layout of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tables {
    /// Unit of the cells.
    pub unit: Unit,
    /// Grouping of rows into tables.
    pub titles: Titles,
    /// Number of characters per line of the terminal.
    pub width: usize,
}

impl Default for Tables {
    /// Returns the layout for the terminal on standard output.
    fn default() -> Self {
        Self {
            unit: Unit::default(),
            titles: Titles::default(),
            width: layout::terminal_width(),
        }
    }
}

/// Writes `rows` to `out`.
///
/// `tables` affects only tables; programs get all figures, one per row.
///
/// # Errors
/// The errors of `out`.
pub fn write(rows: &[Row], format: Format, tables: Tables, out: &mut impl Write) -> io::Result<()> {
    match format {
        Format::Table | Format::Markdown => write_tables(rows, format, tables, out),
        Format::Json => row::write_json(rows, out),
        Format::Csv => row::write_csv(rows, out),
    }
}

impl Titles {
    /// Returns the title of a row's table.
    fn of(self, row: &Row) -> String {
        let Row {
            codec,
            operation,
            data,
            ..
        } = row;
        let place = if row.evicted {
            ", evicted from the caches"
        } else {
            ""
        };
        match self {
            Self::Data => format!("{codec} {operation}, {data}{place}"),
            Self::Parameters => format!("{codec}, {}{place}", parameters(row)),
        }
    }

    /// Returns the columns that distinguish the lines of a table, besides the numbers of values and
    /// bytes.
    fn labels(self, rows: &[&Row]) -> Vec<Label> {
        let element_type: Label = ("type", |row| &row.element_type);
        match self {
            // Usually the type is enough: `width=4` is f32.
            Self::Data => {
                let kinds = distinct(rows, |row| (&row.element_type, &row.parameters));
                if kinds.len() > distinct(rows, |row| &row.element_type).len() {
                    vec![element_type, ("parameters", parameters)]
                } else {
                    vec![element_type]
                }
            }
            Self::Parameters => vec![
                element_type,
                ("data", |row| &row.data),
                ("operation", |row| &row.operation),
            ],
        }
    }
}

/// Name and contents of a text column.
type Label = (&'static str, fn(&Row) -> &str);

fn parameters(row: &Row) -> &str {
    row.parameters.as_deref().unwrap_or_default()
}

/// Properties that the figures on one line share: the labels, and the numbers of values and bytes.
type Line<'a> = (Vec<&'a str>, u64, u64);

fn line<'a>(row: &'a Row, labels: &[Label]) -> Line<'a> {
    let texts = labels.iter().map(|(_, text)| text(row)).collect();
    (texts, row.values, row.bytes)
}

/// Returns the distinct values of `key`, in order of appearance.
fn distinct<'a, K: PartialEq>(rows: &[&'a Row], key: impl Fn(&'a Row) -> K) -> Vec<K> {
    let mut keys = Vec::new();
    for &row in rows {
        let key = key(row);
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}

fn write_tables(
    rows: &[Row],
    format: Format,
    tables: Tables,
    out: &mut impl Write,
) -> io::Result<()> {
    let rows: Vec<&Row> = rows.iter().collect();
    let unit_name = match tables.unit {
        Unit::GigabytesPerSecond => "GB/s",
        Unit::Nanoseconds => "ns",
    };
    let title = |row: &Row| tables.titles.of(row);
    for (index, name) in distinct(&rows, title).into_iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        let of_table = rows.iter().filter(|row| title(row) == name);
        let (columns, cells) = cells(&of_table.copied().collect::<Vec<_>>(), tables);
        let heading = format!("{name}: {unit_name} (share of memcpy's speed)");
        if format == Format::Markdown {
            writeln!(out, "**{heading}**\n")?;
            layout::write_markdown(&columns, &cells, out)?;
        } else {
            writeln!(out, "{}", layout::wrapped(&heading, tables.width))?;
            layout::write_terminal(&columns, &cells, tables.width, out)?;
        }
    }
    Ok(())
}

/// Returns the columns and the lines of a table.
fn cells(rows: &[&Row], tables: Tables) -> (Vec<Column>, Vec<Vec<String>>) {
    let labels = tables.titles.labels(rows);
    let workers = workers(rows);
    let mut columns: Vec<Column> = labels.iter().map(|(name, _)| text(*name)).collect();
    columns.extend([number("values"), number("bytes").dispensable(u8::MAX)]);
    columns.extend(
        workers
            .iter()
            .map(|(name, rank)| number(name).dispensable(*rank)),
    );
    let lines = sorted_by_size(distinct(rows, |row| line(row, &labels)));
    let cells = lines.into_iter().map(|key| {
        let (texts, values, bytes) = &key;
        let mut cells: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
        cells.extend([grouped(*values), bytes_text(*bytes)]);
        cells.extend(workers.iter().map(|(worker, _)| {
            let found = rows
                .iter()
                .find(|row| line(row, &labels) == key && row.worker() == *worker);
            found.map_or_else(String::new, |row| cell(row, tables.unit))
        }));
        cells
    });
    let cells = cells.collect();
    (columns, cells)
}

/// Returns the workers, and how dispensable the column of each is. Our slower backends and the
/// plain loops for higher levels are dropped first, alternately. The last backend, which is the
/// fastest, is kept, and so are other libraries; memcpy and the first plain loop are dropped next.
fn workers(rows: &[&Row]) -> Vec<(String, u8)> {
    let workers = distinct(rows, |row| (row.worker(), row.library.is_some()));
    let is_plain = |name: &str| name.starts_with(PLAIN);
    let last = workers
        .iter()
        .rposition(|(name, is_other)| !is_other && !is_plain(name));
    let first_plain = workers.iter().position(|(name, _)| is_plain(name));
    let ranked = workers.iter().enumerate().map(|(place, (name, is_other))| {
        let of_its_kind =
            |(other, is_other): &&(String, bool)| !is_other && is_plain(other) == is_plain(name);
        let after = workers[place + 1..].iter().filter(of_its_kind).count();
        let rank = match name.as_str() {
            _ if *is_other || last == Some(place) => 0,
            MEMCPY => 1,
            _ if first_plain == Some(place) => 2,
            name => 2 * after + if is_plain(name) { 3 } else { 2 },
        };
        (name.clone(), u8::try_from(rank).unwrap_or(u8::MAX))
    });
    ranked.collect()
}

/// Sorts lines: labels stay in their order of appearance, and sizes within them ascend.
fn sorted_by_size(mut lines: Vec<Line<'_>>) -> Vec<Line<'_>> {
    let labels: Vec<Vec<&str>> = lines.iter().map(|line| line.0.clone()).collect();
    lines.sort_by_key(|(texts, values, bytes)| {
        let first = labels.iter().position(|known| known == texts);
        (first, *values, *bytes)
    });
    lines
}

fn cell(row: &Row, unit: Unit) -> String {
    let figure = match unit {
        Unit::GigabytesPerSecond => significant(row.gb_per_s),
        Unit::Nanoseconds => significant(row.ns),
    };
    match row.backend.as_str() {
        MEMCPY => figure,
        _ => format!("{figure} ({:.2})", row.of_memcpy),
    }
}

/// Formats a number with three significant digits; never fewer than those before the point, and
/// never more than two after it unless all of these are zero.
fn significant(figure: f64) -> String {
    let decimals = match figure.abs() {
        size if size >= 99.95 => 0,
        size if size >= 9.995 => 1,
        size if size >= 0.005 => 2,
        _ => 4,
    };
    format!("{figure:.decimals$}")
}

/// Formats sizes: `100 B`, `8 KiB`, `48.2 KiB`.
fn bytes_text(bytes: u64) -> String {
    let (unit, name) = match bytes {
        0..1024 => return format!("{bytes} B"),
        1024..0x10_0000 => (1 << 10, "KiB"),
        _ => (1 << 20, "MiB"),
    };
    if bytes.is_multiple_of(unit) {
        return format!("{} {name}", bytes / unit);
    }
    format!("{} {name}", significant(bytes as f64 / unit as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(rows: &[Row], format: Format) -> String {
        let mut out = Vec::new();
        let tables = Tables {
            width: 80,
            ..Tables::default()
        };
        write(rows, format, tables, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn rows() -> Vec<Row> {
        vec![
            Row::example("scalar", 1024, 1000.0),
            Row::example("avx2", 1024, 125.0),
            Row::example("avx2", 12_345, 1000.0),
        ]
    }

    #[test]
    fn markdown_puts_backends_side_by_side() {
        let expected = "\
**byte_stream_split encode, random: GB/s (share of memcpy's speed)**

| type | values |    bytes |      scalar |        avx2 |
|------|--------|----------|-------------|-------------|
| f32  |  1,024 |    4 KiB | 4.10 (0.10) | 32.8 (0.80) |
| f32  | 12,345 | 48.2 KiB |             | 49.4 (0.10) |
";
        assert_eq!(text(&rows(), Format::Markdown), expected);
    }

    #[test]
    fn evicted_rows_get_a_table_of_their_own() {
        let mut rows = rows();
        rows[1].evicted = true;
        let text = text(&rows, Format::Table);
        assert_eq!(
            text.matches("byte_stream_split encode").count(),
            2,
            "{text}"
        );
        assert_eq!(text.matches("evicted from the caches").count(), 1, "{text}");
    }

    #[test]
    fn parameters_are_shown_where_the_type_does_not_imply_them() {
        let with = |parameters: &str| {
            let mut row = Row::example("avx2", 1, 1.0);
            row.parameters = Some(parameters.to_owned());
            row
        };
        assert!(!text(&[with("width=4"), with("width=4")], Format::Table).contains("width=4"));
        let different = [with("width=4"), with("width=4,stores=non_temporal")];
        assert!(text(&different, Format::Table).contains("width=4,stores=non_temporal"));
    }

    #[test]
    fn no_rows_are_no_output() {
        for (_, format) in Format::ALL {
            assert_eq!(text(&[], format), "");
        }
    }

    #[test]
    fn figures_have_three_digits() {
        let shown = [0.0012, 0.0123, 0.9996, 1.0, 9.996, 53.21, 99.96, 12_345.6].map(significant);
        assert_eq!(
            shown,
            [
                "0.0012", "0.01", "1.00", "1.00", "10.0", "53.2", "100", "12346"
            ]
        );
        assert_eq!(
            [0, 8192, 3 << 20, 49_380, 400_000_000].map(bytes_text),
            ["0 B", "8 KiB", "3 MiB", "48.2 KiB", "381 MiB"]
        );
    }
}

//! Tables of strings, for commands whose rows are not measurements of codecs, and their formats.

pub use super::layout::{Column, USUAL_WIDTH, known_width, number, terminal_width, text, wrapped};

use super::layout;
use crate::readable;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::Serialize;
use std::io::{self, Write};

/// Output format of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Tables for a terminal.
    Table,
    /// One JSON object per line.
    Json,
    /// Comma-separated values with a header; a key that a row lacks is empty.
    Csv,
    /// Tables for a document.
    Markdown,
}

impl Format {
    /// All formats, with their names on the command line.
    pub const ALL: [(&'static str, Self); 4] = [
        ("table", Self::Table),
        ("json", Self::Json),
        ("csv", Self::Csv),
        ("md", Self::Markdown),
    ];
}

/// Returns a parser for [`Format`] that also lists the formats for help and completions.
pub fn format_parser() -> impl TypedValueParser<Value = Format> {
    let names = Format::ALL.map(|(name, _)| name);
    PossibleValuesParser::new(names).try_map(|name| {
        let format = Format::ALL.iter().find(|row| row.0 == name);
        format.map(|row| row.1).ok_or("unknown format")
    })
}

/// Formats a number of bytes: exact for programs, short for people.
pub fn size(bytes: u64, format: Format) -> String {
    match format {
        Format::Csv | Format::Json => bytes.to_string(),
        Format::Table | Format::Markdown => readable::size(bytes),
    }
}

/// Formats a value if there is one.
#[cfg(feature = "measuring")]
pub fn optional(value: Option<impl std::fmt::Display>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

/// Maximum number of columns of files that a summary for people lists.
const LISTED: usize = 20;

/// Largest items of a summary, in their order; all of them for programs.
pub struct Largest<'a, T> {
    items: Vec<&'a T>,
    all: usize,
}

impl<'a, T> Largest<'a, T> {
    pub fn new(all: &'a [T], format: Format, size: impl Fn(&T) -> u64) -> Self {
        let mut items: Vec<(usize, &T)> = all.iter().enumerate().collect();
        if matches!(format, Format::Table | Format::Markdown) {
            items.sort_by_key(|(_, item)| std::cmp::Reverse(size(item)));
            items.truncate(LISTED);
            items.sort_by_key(|(index, _)| *index);
        }
        Self {
            items: items.into_iter().map(|(_, item)| item).collect(),
            all: all.len(),
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &'a T> + '_ {
        self.items.iter().copied()
    }

    /// Says that some are missing, and by what the listed ones were chosen.
    pub fn note(&self, by: &str, out: &mut impl Write) -> io::Result<()> {
        let listed = self.items.len();
        if listed == self.all {
            return Ok(());
        }
        let note = format!(
            "The {listed} columns with the largest {by} of {}; --format json lists all.",
            self.all
        );
        writeln!(out, "{}", wrapped(&note, terminal_width()))
    }
}

/// Column with its cell of an item.
#[cfg(feature = "measuring")]
pub type Field<T> = (Column, fn(&T) -> String);

/// Table under construction.
#[derive(Debug)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new(columns: impl IntoIterator<Item = Column>) -> Self {
        Self {
            columns: columns.into_iter().collect(),
            rows: Vec::new(),
        }
    }

    /// Creates a table with a row for each item.
    #[cfg(feature = "measuring")]
    pub fn of<T>(columns: &[Field<T>], items: impl IntoIterator<Item = T>) -> Self {
        let mut table = Self::new(columns.iter().map(|(column, _)| column.clone()));
        for item in items {
            table.row(columns.iter().map(|(_, cell)| cell(&item)));
        }
        table
    }

    /// Adds a row with one cell per column.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Writes the table; `objects` are its rows for programs that read JSON, one per line.
    pub fn write<T: Serialize>(
        &self,
        format: Format,
        objects: impl IntoIterator<Item = T>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        match format {
            Format::Json => objects.into_iter().try_for_each(|object| {
                serde_json::to_writer(&mut *out, &object)?;
                out.write_all(b"\n")
            }),
            Format::Csv => self.write_csv(out),
            Format::Table => self.draw(terminal_width(), out),
            Format::Markdown => layout::write_markdown(&self.columns, &self.readable(), out),
        }
    }

    /// Writes the table for a terminal with this many characters per line.
    pub fn draw(&self, width: usize, out: &mut impl Write) -> io::Result<()> {
        layout::write_terminal(&self.columns, &self.readable(), width, out)
    }

    fn write_csv(&self, out: &mut impl Write) -> io::Result<()> {
        // Errors of the crate `csv` hide the kind of those of `out`, which may be a closed pipe.
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(self.columns.iter().map(Column::name))?;
        for row in &self.rows {
            writer.write_record(row)?;
        }
        let text = writer
            .into_inner()
            .map_err(csv::IntoInnerError::into_error)?;
        out.write_all(&text)
    }

    /// Returns the escaped cells, for people.
    fn readable(&self) -> Vec<Vec<String>> {
        let cells = |row: &Vec<String>| {
            let cells = row.iter().map(|cell| readable::line(cell).into_owned());
            cells.collect()
        };
        self.rows.iter().map(cells).collect()
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    #[test]
    fn people_get_the_largest_items() {
        let all: Vec<u64> = (0..100).map(|number| number % 50).collect();
        let largest = Largest::new(&all, Format::Table, |number| *number);
        assert!(
            largest
                .iter()
                .eq((40..50).chain(40..50).collect::<Vec<u64>>().iter())
        );
        let mut note = Vec::new();
        largest.note("size", &mut note).unwrap();
        let note = String::from_utf8(note).unwrap();
        assert!(
            note.starts_with("The 20 columns with the largest size of 100; "),
            "{note}"
        );
        assert!(
            Largest::new(&all, Format::Json, |number| *number)
                .iter()
                .eq(&all)
        );
    }

    /// Returns the output with 60, 80, 120 and 0 characters per line.
    pub fn at_all_widths(write: impl Fn(usize, &mut Vec<u8>) -> io::Result<()>) -> String {
        let mut all = String::new();
        for width in [60, 80, 120, 0] {
            let mut out = Vec::new();
            write(width, &mut out).unwrap();
            let shown = String::from_utf8(out).unwrap();
            let most = if width == 0 { 80 } else { width };
            for line in shown.lines() {
                assert!(line.chars().count() <= most, "{width}: {line}");
            }
            all += &format!("== {width} ==\n{shown}\n");
        }
        all
    }
}

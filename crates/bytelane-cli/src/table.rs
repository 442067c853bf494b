//! Tables of texts, for commands whose rows are not measurements of codecs.

use crate::readable;
use bytelane_measure::format::Format;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use comfy_table::{
    CellAlignment, ContentArrangement, LineStyle, Table as Drawn, TableStyle, presets,
};
use serde::Serialize;
use std::io::{self, Write};

/// Reads the name of a [`Format`], and tells help and completions which there are.
pub fn format_parser() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::ALL.map(|(name, _)| name)).try_map(|name| name.parse())
}

/// A table under construction.
#[derive(Debug)]
pub struct Table {
    /// The names of the columns; those of numbers, which go to the right, are true.
    columns: Vec<(String, bool)>,
    rows: Vec<Vec<String>>,
}

/// A column of texts.
pub fn text(name: &str) -> (&str, bool) {
    (name, false)
}

/// A column of numbers.
pub fn number(name: &str) -> (&str, bool) {
    (name, true)
}

impl Table {
    pub fn new<'a>(columns: impl IntoIterator<Item = (&'a str, bool)>) -> Self {
        let columns = columns.into_iter();
        Self {
            columns: columns
                .map(|(name, is_number)| (name.to_owned(), is_number))
                .collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row of as many cells as there are columns.
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
            Format::Table => {
                let header = LineStyle::none().fill('─').junction('─');
                self.draw(TableStyle::new().header_separator(header), out)
            }
            Format::Markdown => self.draw(presets::ASCII_MARKDOWN, out),
        }
    }

    fn write_csv(&self, out: &mut impl Write) -> io::Result<()> {
        let mut writer = csv::Writer::from_writer(out);
        writer.write_record(self.columns.iter().map(|column| &column.0))?;
        for row in &self.rows {
            writer.write_record(row)?;
        }
        writer.flush()
    }

    fn draw(&self, style: TableStyle, out: &mut impl Write) -> io::Result<()> {
        let mut drawn = Drawn::new();
        drawn.load_style(style);
        drawn.set_content_arrangement(ContentArrangement::Dynamic);
        drawn.set_header(self.columns.iter().map(|column| &column.0));
        let rows = self.rows.iter();
        drawn.add_rows(rows.map(|row| row.iter().map(|cell| readable::line(cell))));
        for (column, (_, is_number)) in drawn.column_iter_mut().zip(&self.columns) {
            if *is_number {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        writeln!(out, "{}", drawn.trim_fmt())
    }
}

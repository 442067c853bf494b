//! Rows as lines of a name and a value, for tables with more columns than fit a terminal.

use super::cells::{Cells, cut};
use crate::readable;
use arrow_array::RecordBatch;
use bytelane_parquet::arrow_schema::Schema;
use std::io::Write;
use unicode_width::UnicodeWidthStr;

/// Space between a name and its value.
const GAP: usize = 2;

/// Layout of rows below each other.
pub struct Lines {
    /// Characters per line.
    width: usize,
    names: Vec<String>,
    name_width: usize,
    /// Number of rows that were written.
    rows: u64,
}

impl Lines {
    /// Names may take half of a line.
    pub fn new(schema: &Schema, width: usize) -> Self {
        let fields = schema.fields().iter();
        let names = fields.map(|field| cut(readable::line(field.name()).into(), width / 2));
        let names: Vec<String> = names.collect();
        Self {
            width,
            name_width: names.iter().map(|name| name.width()).max().unwrap_or(0),
            names,
            rows: 0,
        }
    }

    pub fn write(&mut self, batch: &RecordBatch, out: &mut impl Write) -> anyhow::Result<()> {
        let schema = batch.schema();
        let columns = schema.fields().iter().zip(batch.columns());
        let cells = columns.map(|(field, array)| Cells::new(field, array));
        let mut cells: Vec<Cells> = cells.collect::<anyhow::Result<_>>()?;
        let room = self.width.saturating_sub(self.name_width + GAP).max(1);
        for row in 0..batch.num_rows() {
            self.rows += 1;
            let title = format!("row {} ", self.rows);
            let line = "─".repeat(self.width.saturating_sub(title.len()));
            writeln!(out, "{title}{line}")?;
            let columns = cells.iter_mut().zip(&self.names);
            for (cells, name) in columns {
                let text = cells.line(row, room);
                let padding = " ".repeat(self.name_width + GAP - name.width());
                writeln!(out, "{}", format!("{name}{padding}{text}").trim_end())?;
            }
        }
        Ok(())
    }
}

//! Rows in the requested format.

use super::cells::{Cells, in_utc};
use super::json;
use super::table::{RowTable, Vertical};
use crate::table::known_width;
use arrow_array::{Array, ArrayRef, RecordBatch, StructArray};
use bytelane_parquet::arrow_schema::{Field, FieldRef};
use clap::ValueEnum;
use std::io::{self, Write};
use std::sync::Arc;

/// Writes batches of rows, all with the same columns.
pub enum Output<W> {
    Json(W),
    Csv { out: W, has_header: bool },
    Table(RowTable<W>),
}

impl<W: Write> Output<W> {
    pub fn new(format: Format, vertical: Vertical, out: W) -> Self {
        match format {
            Format::Json => Self::Json(out),
            Format::Csv => Self::Csv {
                out,
                has_header: false,
            },
            Format::Table => Self::Table(RowTable::new(known_width(), vertical, out)),
        }
    }

    /// Writes rows, or only the columns of a batch without rows.
    pub fn write(&mut self, batch: &RecordBatch) -> anyhow::Result<()> {
        let batch = &in_utc(batch)?;
        match self {
            Self::Json(out) => write_json(batch, out),
            Self::Csv { out, has_header } => {
                if !std::mem::replace(has_header, true) {
                    let names = batch
                        .schema_ref()
                        .fields()
                        .iter()
                        .map(|field| Some(field.name().clone()));
                    write_csv_row(names, out)?;
                }
                write_csv(batch, out)
            }
            Self::Table(table) => table.add(batch),
        }
    }

    pub fn finish(self) -> anyhow::Result<()> {
        match self {
            Self::Table(table) => table.finish(),
            Self::Json(mut out) | Self::Csv { mut out, .. } => Ok(out.flush()?),
        }
    }
}

/// Writes an object for each row.
fn write_json(batch: &RecordBatch, out: &mut impl Write) -> anyhow::Result<()> {
    if batch.num_rows() == 0 {
        return Ok(());
    }
    let fields = batch.schema_ref().fields().clone();
    let field: FieldRef = Arc::new(Field::new_struct("", fields, false));
    let rows: ArrayRef = Arc::new(StructArray::from(batch.clone()));
    let mut encoder = json::encoder(&field, &rows)?;
    let mut line = Vec::new();
    for row in 0..rows.len() {
        encoder.encode(row, &mut line);
        line.push(b'\n');
        out.write_all(&line)?;
        line.clear();
    }
    Ok(())
}

fn write_csv(batch: &RecordBatch, out: &mut impl Write) -> anyhow::Result<()> {
    let schema = batch.schema();
    let columns = schema.fields().iter().zip(batch.columns());
    let cells = columns.map(|(field, array)| Cells::new(field, array));
    let mut cells: Vec<Cells> = cells.collect::<anyhow::Result<_>>()?;
    for row in 0..batch.num_rows() {
        write_csv_row(cells.iter_mut().map(|cells| cells.text(row)), out)?;
    }
    Ok(())
}

/// Writes a line of CSV ([RFC 4180](https://www.rfc-editor.org/rfc/rfc4180), with line feeds). A null is empty, and an empty
/// string has quotation marks, as in DuckDB: the crate `csv` does not distinguish the two.
fn write_csv_row(
    cells: impl Iterator<Item = Option<String>>,
    out: &mut impl Write,
) -> io::Result<()> {
    for (index, cell) in cells.enumerate() {
        if index > 0 {
            out.write_all(b",")?;
        }
        match cell {
            None => {}
            Some(text) if text.is_empty() || text.contains(['"', ',', '\n', '\r']) => {
                write!(out, "\"{}\"", text.replace('"', "\"\""))?;
            }
            Some(text) => out.write_all(text.as_bytes())?,
        }
    }
    out.write_all(b"\n")
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A table with the columns that fit the terminal; long texts are cut
    Table,
    /// JSON lines: one object per row
    Json,
    /// CSV: nulls are empty, empty texts are ""
    Csv,
}

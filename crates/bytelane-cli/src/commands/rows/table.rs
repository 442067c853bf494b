//! Tables for people, with any number of rows.

use super::cells::Cells;
use crate::readable;
use crate::table::wrapped;
use arrow_array::RecordBatch;
use std::io::{self, Write};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Number of rows that determine the column widths. About this many rows are kept in memory.
const LAYOUT_ROWS: usize = 1000;

/// Size of the rows in bytes from which on fewer of them determine the widths.
const LAYOUT_BYTES: usize = 16 << 20;

/// Longest string or nested value in characters; longer ones are truncated.
const WIDEST: usize = 40;

/// Number of characters of a text that are looked at.
const PREFIX: usize = 1000;

/// Text of nulls.
const NULL: &str = "null";

/// Writes rows as a table with the first columns that fit.
pub struct RowTable<W> {
    out: W,
    /// Characters per line.
    width: usize,
    /// Rows that wait for the layout, their number, and their size in bytes.
    waiting: Vec<RecordBatch>,
    rows: usize,
    bytes: usize,
    layout: Option<Layout>,
}

struct Layout {
    columns: Vec<Column>,
    hidden: usize,
}

/// Shown column.
struct Column {
    width: usize,
    is_number: bool,
}

impl<W: Write> RowTable<W> {
    pub fn new(width: usize, out: W) -> Self {
        Self {
            out,
            width,
            waiting: Vec::new(),
            rows: 0,
            bytes: 0,
            layout: None,
        }
    }

    pub fn add(&mut self, batch: &RecordBatch) -> anyhow::Result<()> {
        if let Some(layout) = &self.layout {
            return layout.write(batch, &mut self.out);
        }
        // A condition can leave any number of batches without rows; the first one has the columns.
        if batch.num_rows() == 0 && !self.waiting.is_empty() {
            return Ok(());
        }
        self.waiting.push(batch.clone());
        self.rows += batch.num_rows();
        self.bytes += batch.get_array_memory_size();
        if self.rows < LAYOUT_ROWS && self.bytes < LAYOUT_BYTES {
            Ok(())
        } else {
            self.begin()
        }
    }

    /// Writes the waiting rows, and says how many columns are hidden.
    pub fn finish(mut self) -> anyhow::Result<()> {
        if self.layout.is_none() {
            self.begin()?;
        }
        let Some(Layout { columns, hidden }) = self.layout.filter(|layout| layout.hidden > 0)
        else {
            return Ok(());
        };
        let all = columns.len() + hidden;
        let note = format!(
            "Hidden at this width: {hidden} of {all} columns. A wider terminal or --format json shows them; --columns chooses others."
        );
        writeln!(self.out, "{}", wrapped(&note, self.width))?;
        Ok(())
    }

    /// Writes the header and the waiting rows.
    fn begin(&mut self) -> anyhow::Result<()> {
        let waiting = std::mem::take(&mut self.waiting);
        let Some(first) = waiting.first() else {
            return Ok(());
        };
        let schema = first.schema();
        let (mut columns, mut names, mut total) = (Vec::new(), Vec::new(), 0);
        for (index, field) in schema.fields().iter().enumerate() {
            let is_number = field.data_type().is_numeric();
            // The first column is always shown.
            let widest = if index == 0 {
                WIDEST.min(self.width.saturating_sub(2))
            } else {
                WIDEST
            };
            let name = cut(readable::line(field.name()).into_owned(), widest);
            let mut width = name.width();
            for batch in &waiting {
                let rows = batch.num_rows().min(LAYOUT_ROWS);
                let mut cells = Cells::new(field, batch.column(index))?;
                let widths = (0..rows).map(|row| shown(&mut cells, row, is_number, widest).width());
                width = widths.fold(width, usize::max);
            }
            // Columns have a space on each side, as in other tables.
            if total + width + 2 > self.width && index > 0 {
                break;
            }
            total += width + 2;
            columns.push(Column { width, is_number });
            names.push(name);
        }
        let layout = Layout {
            hidden: schema.fields().len() - columns.len(),
            columns,
        };
        layout.write_line(names, &mut self.out)?;
        writeln!(self.out, "{}", "─".repeat(total))?;
        waiting
            .iter()
            .try_for_each(|batch| layout.write(batch, &mut self.out))?;
        self.layout = Some(layout);
        Ok(())
    }
}

impl Layout {
    /// Writes rows. Numbers that are too wide for their column are shown in full.
    fn write(&self, batch: &RecordBatch, out: &mut impl Write) -> anyhow::Result<()> {
        let schema = batch.schema();
        let columns = schema
            .fields()
            .iter()
            .zip(batch.columns())
            .zip(&self.columns);
        let cells = columns.map(|((field, array), _)| Cells::new(field, array));
        let mut cells: Vec<Cells> = cells.collect::<anyhow::Result<_>>()?;
        for row in 0..batch.num_rows() {
            let columns = cells.iter_mut().zip(&self.columns);
            let texts =
                columns.map(|(cells, column)| shown(cells, row, column.is_number, column.width));
            self.write_line(texts.collect(), out)?;
        }
        Ok(())
    }

    fn write_line(&self, texts: Vec<String>, out: &mut impl Write) -> io::Result<()> {
        let mut line = String::new();
        for (text, column) in texts.iter().zip(&self.columns) {
            let padding = " ".repeat(column.width.saturating_sub(text.width()));
            line += &if column.is_number {
                format!(" {padding}{text} ")
            } else {
                format!(" {text}{padding} ")
            };
        }
        writeln!(out, "{}", line.trim_end())
    }
}

/// Returns a value on one line: numbers in full, anything else truncated.
fn shown(cells: &mut Cells<'_>, row: usize, is_number: bool, widest: usize) -> String {
    let text = cells.text(row).unwrap_or_else(|| NULL.to_owned());
    if is_number {
        return text;
    }
    let end = text.char_indices().nth(PREFIX);
    let prefix = end.map_or(&*text, |(end, _)| &text[..end]);
    cut(readable::line(prefix).into_owned(), widest)
}

/// Truncates a text to `widest` characters.
fn cut(text: String, widest: usize) -> String {
    if text.width() <= widest {
        return text;
    }
    let (mut kept, mut width) = (String::new(), 1);
    for c in text.chars() {
        width += c.width().unwrap_or(0);
        if width > widest {
            break;
        }
        kept.push(c);
    }
    kept + "…"
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{ArrayRef, Float64Array, StringArray};
    use std::sync::Arc;

    fn batch(rows: usize) -> RecordBatch {
        let names =
            (0..rows).map(|row| (row % 3 > 0).then(|| format!("größe\n{}", "❤".repeat(row))));
        let numbers = (0..rows).map(|row| row as f64 / 8.0);
        let columns: [(&str, ArrayRef); 3] = [
            ("name", Arc::new(StringArray::from_iter(names))),
            ("number", Arc::new(Float64Array::from_iter_values(numbers))),
            (
                "with a long name",
                Arc::new(StringArray::from_iter_values(vec!["x"; rows])),
            ),
        ];
        RecordBatch::try_from_iter(columns).unwrap()
    }

    fn drawn(width: usize, batches: &[RecordBatch]) -> String {
        let mut out = Vec::new();
        let mut table = RowTable::new(width, &mut out);
        batches.iter().for_each(|batch| table.add(batch).unwrap());
        table.finish().unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn columns_that_do_not_fit_are_counted() {
        assert_eq!(
            drawn(30, &[batch(3)]),
            " name       number
───────────────────
 null          0.0
 größe\\n❤    0.125
 größe\\n❤❤    0.25
Hidden at this width: 1 of 3
  columns. A wider terminal or
  --format json shows them;
  --columns chooses others.
"
        );
        let wide = drawn(80, &[batch(3)]);
        assert!(
            wide.starts_with(" name       number  with a long name\n"),
            "{wide}"
        );
        assert!(!wide.contains("Hidden"), "{wide}");
        let narrow = drawn(8, &[batch(9)]);
        assert!(
            narrow.lines().take(11).all(|line| line.width() <= 8),
            "{narrow}"
        );
    }

    #[test]
    fn all_batches_have_the_same_layout() {
        let batch = batch(2500);
        let parts = [
            batch.slice(0, 700),
            batch.slice(700, 700),
            batch.slice(1400, 1100),
        ];
        let (whole, parts) = (drawn(80, &[batch]), drawn(80, &parts));
        assert_eq!(parts.lines().count(), 2502);
        assert_eq!(parts.matches("number").count(), 1);
        assert_eq!(whole, parts);
    }
}

//! Tables for people, with any number of rows.

use super::cells::{Cells, NULL, cut};
use super::vertical::Lines;
use crate::readable;
use crate::table::{USUAL_WIDTH, wrapped};
use arrow_array::RecordBatch;
use clap::ValueEnum;
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

/// Number of rows that determine the column widths. About this many rows are kept in memory.
const LAYOUT_ROWS: usize = 1000;

/// Size of the rows in bytes from which on fewer of them determine the widths.
const LAYOUT_BYTES: usize = 16 << 20;

/// Longest string or nested value in characters; longer ones are truncated.
const WIDEST: usize = 40;

/// Number of hidden columns that are named.
const NAMED: usize = 5;

/// Condition for showing rows as lines of a name and a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Vertical {
    /// If the columns do not fit the terminal
    Auto,
    Always,
    Never,
}

/// Writes rows as a table with the columns that fit, or below each other.
pub struct RowTable<W> {
    out: W,
    /// Characters per line; `None` if the output is no terminal.
    width: Option<usize>,
    vertical: Vertical,
    /// Rows that wait for the layout, their number, and their size in bytes.
    waiting: Vec<RecordBatch>,
    rows: usize,
    bytes: usize,
    layout: Option<Layout>,
}

enum Layout {
    Table(Grid),
    Lines(Lines),
}

struct Grid {
    /// Columns with their indices in batches.
    columns: Vec<(usize, Column)>,
    /// Names of the other columns.
    hidden: Vec<String>,
}

/// Column of a table.
struct Column {
    name: String,
    width: usize,
    is_number: bool,
    information: Information,
}

/// Information in the rows that determine the layout. Columns with the least are hidden first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Information {
    /// Only nulls.
    None,
    /// One value in all of several rows.
    Constant,
    Different,
}

impl<W: Write> RowTable<W> {
    pub fn new(width: Option<usize>, vertical: Vertical, out: W) -> Self {
        Self {
            out,
            width,
            vertical,
            waiting: Vec::new(),
            rows: 0,
            bytes: 0,
            layout: None,
        }
    }

    pub fn add(&mut self, batch: &RecordBatch) -> anyhow::Result<()> {
        match &mut self.layout {
            Some(Layout::Table(grid)) => return grid.write(batch, &mut self.out),
            Some(Layout::Lines(lines)) => return lines.write(batch, &mut self.out),
            None => {}
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

    /// Writes the waiting rows, and says which columns are hidden.
    pub fn finish(mut self) -> anyhow::Result<()> {
        if self.layout.is_none() {
            self.begin()?;
        }
        if let Some(Layout::Table(Grid { columns, hidden })) = &self.layout
            && !hidden.is_empty()
        {
            let all = columns.len() + hidden.len();
            let more = if hidden.len() > NAMED { ", .." } else { "" };
            let names = hidden[..hidden.len().min(NAMED)].join(", ");
            let note = format!(
                "Hidden at this width: {} of {all} columns ({names}{more}). --vertical shows them; --columns chooses others.",
                hidden.len()
            );
            let width = self.width.unwrap_or(USUAL_WIDTH);
            writeln!(self.out, "{}", wrapped(&note, width))?;
        }
        Ok(self.out.flush()?)
    }

    /// Chooses a layout, and writes the waiting rows.
    fn begin(&mut self) -> anyhow::Result<()> {
        let waiting = std::mem::take(&mut self.waiting);
        let Some(first) = waiting.first() else {
            return Ok(());
        };
        let width = self.width.unwrap_or(USUAL_WIDTH);
        let lines = || Layout::Lines(Lines::new(first.schema_ref(), width));
        let layout = if self.vertical == Vertical::Always {
            lines()
        } else {
            let columns = columns(&waiting, width)?;
            let fits = columns.iter().map(Column::room).sum::<usize>() <= width;
            if fits || self.width.is_none() || self.vertical == Vertical::Never {
                let grid = Grid::new(columns, width);
                grid.begin(&mut self.out)?;
                Layout::Table(grid)
            } else {
                lines()
            }
        };
        self.layout = Some(layout);
        waiting.iter().try_for_each(|batch| self.add(batch))
    }
}

impl Column {
    /// Characters that the column takes. It has a space on each side, as in other tables.
    fn room(&self) -> usize {
        self.width + 2
    }
}

/// Returns all columns of rows with the widths that they need.
fn columns(rows: &[RecordBatch], width: usize) -> anyhow::Result<Vec<Column>> {
    let schema = rows[0].schema();
    let fields = schema.fields().iter().enumerate();
    let columns = fields.map(|(index, field)| {
        let is_number = field.data_type().is_numeric();
        // The first column is always shown.
        let widest = if index == 0 {
            WIDEST.min(width.saturating_sub(2))
        } else {
            WIDEST
        };
        let name = cut(readable::line(field.name()).into_owned(), widest);
        let (mut width, mut texts) = (name.width(), Texts::default());
        for batch in rows {
            let mut cells = Cells::new(field, batch.column(index))?;
            for row in 0..batch.num_rows().min(LAYOUT_ROWS) {
                let text = cells.line(row, widest);
                width = width.max(text.width());
                texts.add(text);
            }
        }
        Ok(Column {
            name,
            width,
            is_number,
            information: texts.information(),
        })
    });
    columns.collect()
}

/// Texts of a column, as far as they tell its information.
#[derive(Default)]
struct Texts {
    first: Option<String>,
    rows: usize,
    has_values: bool,
    differ: bool,
}

impl Texts {
    fn add(&mut self, text: String) {
        self.rows += 1;
        self.has_values |= text != NULL;
        let first = self.first.get_or_insert_with(|| text.clone());
        self.differ |= *first != text;
    }

    fn information(&self) -> Information {
        if !self.has_values {
            Information::None
        } else if self.differ || self.rows == 1 {
            Information::Different
        } else {
            Information::Constant
        }
    }
}

impl Grid {
    /// Hides columns until the others fit: those with the least information, and of these the last ones.
    fn new(columns: Vec<Column>, width: usize) -> Self {
        let mut total: usize = columns.iter().map(Column::room).sum();
        let mut order: Vec<usize> = (1..columns.len()).rev().collect();
        order.sort_by_key(|&index| columns[index].information);
        let mut is_hidden = vec![false; columns.len()];
        for index in order {
            if total <= width {
                break;
            }
            is_hidden[index] = true;
            total -= columns[index].room();
        }
        let mut grid = Self {
            columns: Vec::new(),
            hidden: Vec::new(),
        };
        for (index, column) in columns.into_iter().enumerate() {
            if is_hidden[index] {
                grid.hidden.push(column.name);
            } else {
                grid.columns.push((index, column));
            }
        }
        grid
    }

    /// Writes the header.
    fn begin(&self, out: &mut impl Write) -> io::Result<()> {
        let columns = self.columns.iter();
        self.write_line(
            columns.map(|(_, column)| column.name.clone()).collect(),
            out,
        )?;
        let total: usize = self.columns.iter().map(|(_, column)| column.room()).sum();
        writeln!(out, "{}", "─".repeat(total))
    }

    /// Writes rows. Numbers that are too wide for their column are shown in full.
    fn write(&self, batch: &RecordBatch, out: &mut impl Write) -> anyhow::Result<()> {
        let schema = batch.schema();
        let cells = self.columns.iter().map(|(index, _)| {
            let field = &schema.fields()[*index];
            Cells::new(field, batch.column(*index))
        });
        let mut cells: Vec<Cells> = cells.collect::<anyhow::Result<_>>()?;
        for row in 0..batch.num_rows() {
            let columns = cells.iter_mut().zip(&self.columns);
            let texts = columns.map(|(cells, (_, column))| cells.line(row, column.width));
            self.write_line(texts.collect(), out)?;
        }
        Ok(())
    }

    fn write_line(&self, texts: Vec<String>, out: &mut impl Write) -> io::Result<()> {
        let mut line = String::new();
        for (text, (_, column)) in texts.iter().zip(&self.columns) {
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
        let mut table = RowTable::new(Some(width), Vertical::Never, &mut out);
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
  columns (with a long name).
  --vertical shows them;
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

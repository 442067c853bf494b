//! Tables for people, laid out for a number of characters per line.
//!
//! No number and no name is ever broken. A table that is too wide drops columns, the least
//! important first, and names them. If the remaining columns are still too wide, each row becomes a
//! block of lines `name: value`, with all columns.

use comfy_table::{
    CellAlignment, ContentArrangement, LineStyle, Table as Drawn, TableStyle, presets,
};
use std::io::{self, Write};

/// Number of characters per line if it is unknown.
pub const USUAL_WIDTH: usize = 80;

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    name: String,
    is_number: bool,
    dispensable: u8,
}

/// Creates a column of texts. Line breaks in its name are shown.
pub fn text(name: impl Into<String>) -> Column {
    Column {
        name: name.into(),
        is_number: false,
        dispensable: 0,
    }
}

/// Creates a column of numbers, which are right-aligned.
pub fn number(name: impl Into<String>) -> Column {
    Column {
        is_number: true,
        ..text(name)
    }
}

impl Column {
    /// Allows a table that is too wide to hide the column. Columns with a higher `rank` are hidden
    /// first, and of several with the same rank the last one. A column with rank 0, which is the
    /// default, is always shown.
    #[must_use]
    pub fn dispensable(self, rank: u8) -> Self {
        Self {
            dispensable: rank,
            ..self
        }
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the name on one line.
    fn label(&self) -> String {
        self.name.replace('\n', ", ")
    }
}

/// Returns the number of characters per line on standard output: that of the environment variable
/// `COLUMNS` or of the terminal. `None` if neither is known, or 0.
#[must_use]
pub fn known_width() -> Option<usize> {
    let asked = std::env::var("COLUMNS").ok();
    let asked = asked.and_then(|columns| columns.parse().ok());
    let terminal = || Drawn::new().width().map(usize::from);
    usable(asked).or_else(|| usable(terminal()))
}

/// Returns the number of characters per line on standard output, or [`USUAL_WIDTH`] if it is unknown.
#[must_use]
pub fn terminal_width() -> usize {
    known_width().unwrap_or(USUAL_WIDTH)
}

/// Returns a width unless it is 0, which means that it is unknown.
fn usable(width: Option<usize>) -> Option<usize> {
    width.filter(|&width| width > 0)
}

/// Writes a table for a terminal with `width` characters per line; 0 means [`USUAL_WIDTH`]. Each
/// row has one cell per column.
///
/// # Errors
/// The errors of `out`.
pub fn write_terminal(
    columns: &[Column],
    rows: &[Vec<String>],
    width: usize,
    out: &mut impl Write,
) -> io::Result<()> {
    let width = usable(Some(width)).unwrap_or(USUAL_WIDTH);
    let Some(shown) = fitting(columns, &drawn(columns, rows), width) else {
        return write_blocks(columns, rows, width, out);
    };
    let (mut visible, mut hidden) = (Vec::new(), Vec::new());
    for (column, is_shown) in columns.iter().zip(&shown) {
        if *is_shown {
            visible.push(column.clone())
        } else {
            hidden.push(column.label())
        }
    }
    let rows = rows.iter().map(|row| {
        let cells = row.iter().zip(&shown).filter(|(_, is_shown)| **is_shown);
        cells.map(|(cell, _)| cell.clone()).collect()
    });
    let mut table = drawn(&visible, &rows.collect::<Vec<_>>());
    table.load_style(TableStyle::new().header_separator(LineStyle::none().fill('─')));
    writeln!(out, "{}", table.trim_fmt())?;
    if hidden.is_empty() {
        return Ok(());
    }
    let note = format!(
        "Hidden at this width: {}. A wider terminal or --format json shows them.",
        hidden.join("; ")
    );
    writeln!(out, "{}", wrapped(&note, width))
}

/// Writes a Markdown table. Each row has one cell per column.
///
/// # Errors
/// The errors of `out`.
pub fn write_markdown(
    columns: &[Column],
    rows: &[Vec<String>],
    out: &mut impl Write,
) -> io::Result<()> {
    // A line break would end the header.
    let columns: Vec<Column> = columns
        .iter()
        .map(|column| Column {
            name: column.label(),
            ..column.clone()
        })
        .collect();
    let mut table = drawn(&columns, rows);
    table.load_style(presets::ASCII_MARKDOWN);
    writeln!(out, "{}", table.trim_fmt())
}

/// Wraps a text to lines of up to `width` characters, all but the first indented; 0 means
/// [`USUAL_WIDTH`]. Words stay whole, even those that are longer than a line.
#[must_use]
pub fn wrapped(text: &str, width: usize) -> String {
    const INDENTATION: &str = "  ";
    let width = usable(Some(width)).unwrap_or(USUAL_WIDTH);
    let (mut lines, mut length) = (String::new(), 0);
    for word in text.split(' ') {
        let characters = word.chars().count();
        if length > 0 && length + 1 + characters > width {
            lines.push('\n');
            lines.push_str(INDENTATION);
            length = INDENTATION.len();
        } else if !lines.is_empty() {
            lines.push(' ');
            length += 1;
        }
        lines.push_str(word);
        length += characters;
    }
    lines
}

fn drawn(columns: &[Column], rows: &[Vec<String>]) -> Drawn {
    let mut table = Drawn::new();
    table.set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(columns.iter().map(|column| &column.name));
    table.add_rows(rows);
    for (drawn, column) in table.column_iter_mut().zip(columns) {
        if column.is_number {
            drawn.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// Returns which columns to show, if the mandatory ones fit the width.
fn fitting(columns: &[Column], table: &Drawn, width: usize) -> Option<Vec<bool>> {
    // One space on each side of a cell.
    let widths = table.column_max_content_widths();
    let widths: Vec<usize> = widths.iter().map(|&width| usize::from(width) + 2).collect();
    let mut shown = vec![true; columns.len()];
    let mut total: usize = widths.iter().sum();
    while total > width {
        let is_dispensable = |&at: &usize| shown[at] && columns[at].dispensable > 0;
        let dispensable = (0..columns.len()).filter(is_dispensable);
        let least = dispensable.max_by_key(|&at| columns[at].dispensable)?;
        shown[least] = false;
        total -= widths[least];
    }
    Some(shown)
}

/// Writes everything known of a row, without empty cells.
fn write_blocks(
    columns: &[Column],
    rows: &[Vec<String>],
    width: usize,
    out: &mut impl Write,
) -> io::Result<()> {
    for (index, row) in rows.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        for (column, cell) in columns.iter().zip(row) {
            if !cell.is_empty() {
                writeln!(
                    out,
                    "{}",
                    wrapped(&format!("{}: {cell}", column.label()), width)
                )?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(columns: &[Column], width: usize) -> String {
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        let rows = [row(["price", "12345", "0.93"]), row(["größe", "7", ""])];
        let mut out = Vec::new();
        write_terminal(columns, &rows, width, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn columns_are_hidden_from_the_highest_rank_on() {
        let columns = [
            text("column"),
            number("bytes").dispensable(1),
            number("ratio").dispensable(2),
        ];
        let all = " column  bytes  ratio
──────────────────────
 price   12345   0.93
 größe       7
";
        assert_eq!(shown(&columns, 22), all);
        let two = " column  bytes
───────────────
 price   12345
 größe       7
Hidden at this
  width: ratio.
  A wider
  terminal or
  --format json
  shows them.
";
        assert_eq!(shown(&columns, 15), two);
        let one = shown(&columns, 14);
        assert!(
            one.starts_with(" column\n────────\n price\n größe\nHidden"),
            "{one}"
        );
    }

    #[test]
    fn rows_become_blocks_where_no_column_may_be_hidden() {
        let columns = [text("column"), number("bytes"), number("ratio\nof all")];
        let blocks = "column: price
bytes: 12345
ratio, of all:
  0.93

column: größe
bytes: 7
";
        assert_eq!(shown(&columns, 15), blocks);
    }

    #[test]
    fn a_width_of_0_is_the_usual_one() {
        let wide = number("n".repeat(USUAL_WIDTH - 17));
        let columns = |wide| [text("column"), wide, number("ratio")];
        let fits = shown(&columns(wide), 0);
        assert!(fits.starts_with(" column "), "{fits}");
        assert_eq!(fits, shown(&columns(number("n".repeat(63))), 80));
        let too_wide = shown(&columns(number("n".repeat(USUAL_WIDTH - 16))), 0);
        assert!(too_wide.starts_with("column: price\n"), "{too_wide}");
    }

    #[test]
    fn words_stay_whole() {
        assert_eq!(wrapped("a bc def", 8), "a bc def");
        assert_eq!(wrapped("a bc def", 7), "a bc\n  def");
        assert_eq!(wrapped("a 12345678 b", 4), "a\n  12345678\n  b");
        assert_eq!(wrapped("12345678", 4), "12345678");
        assert_eq!(wrapped("a bc def", 0), "a bc def");
    }
}

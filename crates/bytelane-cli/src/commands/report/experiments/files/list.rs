//! Advice as one table, for spreadsheets, with all results.

use crate::table::{Table, number, text};
use bytelane_parquet_files::advise::{Advice, Candidate, ColumnAdvice};

/// Returns a table with one line for each column, encoding and compression.
pub fn list(files: &[Advice]) -> Table {
    let mut table = Table::new([
        text("file"),
        text("column"),
        text("type"),
        number("rows"),
        number("nulls"),
        number("rows_tried"),
        number("distinct"),
        number("entropy_bits"),
        text("now"),
        number("bytes_now"),
        number("bytes_then"),
        text("encoding"),
        text("compression"),
        number("ratio"),
        number("write_mib_s"),
        number("read_mib_s"),
        text("cannot_read"),
        text("choice"),
    ]);
    for advice in files {
        for column in &advice.columns {
            for candidate in &column.candidates {
                table.row(line(advice, column, candidate));
            }
        }
    }
    table
}

fn line(advice: &Advice, column: &ColumnAdvice, candidate: &Candidate) -> [String; 18] {
    let is_choice =
        candidate.encoding == column.encoding && candidate.compression == column.compression;
    [
        advice.file.display().to_string(),
        column.path.clone(),
        column.column_type.clone(),
        column.rows.to_string(),
        column.nulls.to_string(),
        column.rows_tried.to_string(),
        column.distinct.map(|it| it.to_string()).unwrap_or_default(),
        column
            .entropy_bits
            .map(|it| it.to_string())
            .unwrap_or_default(),
        column.now.clone().unwrap_or_default(),
        column.bytes_now.to_string(),
        column.bytes_then.to_string(),
        candidate.encoding.to_string(),
        candidate.compression.clone(),
        candidate.ratio.to_string(),
        candidate.write_mib_s.to_string(),
        candidate.read_mib_s.to_string(),
        candidate.obstacle.clone().unwrap_or_default(),
        is_choice.to_string(),
    ]
}

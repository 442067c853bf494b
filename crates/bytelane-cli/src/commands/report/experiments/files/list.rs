//! Advice as one table, for spreadsheets, with all results.

use crate::table::{Field, Table, number, optional, text};
use bytelane_parquet_files::advise::{Advice, Candidate, ColumnAdvice};

/// Result for an encoding and a compression of a column of a file.
type Item<'a> = (&'a Advice, &'a ColumnAdvice, &'a Candidate);

/// Returns a table with one line for each column, encoding and compression.
pub fn list<'a>(files: &'a [Advice]) -> Table {
    let columns: [Field<Item<'a>>; 18] = [
        (text("file"), |(file, ..)| file.file.display().to_string()),
        (text("column"), |(_, column, _)| column.path.clone()),
        (text("type"), |(_, column, _)| column.column_type.clone()),
        (number("rows"), |(_, column, _)| column.rows.to_string()),
        (number("nulls"), |(_, column, _)| column.nulls.to_string()),
        (number("rows_tried"), |(_, column, _)| {
            column.rows_tried.to_string()
        }),
        (number("distinct"), |(_, column, _)| {
            optional(column.distinct)
        }),
        (number("entropy_bits"), |(_, column, _)| {
            optional(column.entropy_bits)
        }),
        (text("now"), |(_, column, _)| optional(column.now.as_ref())),
        (number("bytes_now"), |(_, column, _)| {
            column.bytes_now.to_string()
        }),
        (number("bytes_then"), |(_, column, _)| {
            column.bytes_then.to_string()
        }),
        (text("encoding"), |(.., it)| it.encoding.to_string()),
        (text("compression"), |(.., it)| it.compression.clone()),
        (number("ratio"), |(.., it)| it.ratio.to_string()),
        (number("write_mib_s"), |(.., it)| it.write_mib_s.to_string()),
        (number("read_mib_s"), |(.., it)| it.read_mib_s.to_string()),
        (text("cannot_read"), |(.., it)| {
            optional(it.obstacle.as_ref())
        }),
        (text("choice"), |(_, column, it)| {
            is_choice(it, column).to_string()
        }),
    ];
    let items = files.iter().flat_map(|file| {
        let columns = file.columns.iter();
        columns.flat_map(move |column| column.candidates.iter().map(move |it| (file, column, it)))
    });
    Table::of(&columns, items)
}

/// Returns whether a candidate is the one to use.
pub fn is_choice(candidate: &Candidate, column: &ColumnAdvice) -> bool {
    candidate.encoding == column.encoding && candidate.compression == column.compression
}

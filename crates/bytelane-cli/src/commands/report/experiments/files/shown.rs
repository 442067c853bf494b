//! Advice as the page shows it: the files and columns that save most come first, the others are
//! collapsed.

use super::super::scatter::{Way, scatter};
use super::super::table::Table;
use super::list::is_choice;
use crate::commands::report::figures::{figure, ratio};
use crate::commands::report::plot::{Figure, class_of};
use crate::readable::{self, decimal_megabytes};
use bytelane_parquet_files::advise::{Advice, Candidate, ColumnAdvice, Settings};
use serde::Serialize;
use std::cmp::Reverse;

/// Number of files that are expanded and have charts.
const LEADING_FILES: usize = 3;

/// Number of columns of a file that are expanded and have charts.
const LEADING_COLUMNS: usize = 10;

/// File on the page.
#[derive(Debug, Serialize)]
pub struct ShownFile {
    name: String,
    is_array: bool,
    rows: u64,
    /// Largest number of rows tried in a column.
    rows_tried: u64,
    goal: String,
    readers: String,
    compression: String,
    bytes_now: u64,
    bytes_then: u64,
    saved: f64,
    is_leading: bool,
    /// Columns that save most; the others follow.
    leading: Vec<Line>,
    others: Vec<Line>,
    others_saved: u64,
    drawn: Vec<DrawnColumn>,
    settings: Vec<Settings>,
}

/// Column in a table.
#[derive(Debug, Serialize)]
struct Line {
    name: String,
    column_type: String,
    nulls: u64,
    distinct: Option<u64>,
    entropy_bits: Option<f64>,
    now: Option<String>,
    choice: String,
    bytes_now: u64,
    bytes_then: u64,
    saved: f64,
}

/// Column with all results.
#[derive(Debug, Serialize)]
struct DrawnColumn {
    name: String,
    /// Names whose colours the charts use.
    legend: Vec<String>,
    figures: Vec<Figure>,
    table: Table,
}

/// Returns the files, those that save most first.
pub fn of(files: &[Advice]) -> Vec<ShownFile> {
    let mut sorted: Vec<&Advice> = files.iter().collect();
    sorted.sort_by_key(|advice| Reverse(advice.bytes_now().saturating_sub(advice.bytes_then())));
    let shown = sorted.into_iter().enumerate();
    shown
        .map(|(place, advice)| ShownFile::new(advice, place < LEADING_FILES))
        .collect()
}

impl ShownFile {
    fn new(advice: &Advice, is_leading: bool) -> Self {
        let mut columns: Vec<&ColumnAdvice> = advice.columns.iter().collect();
        columns.sort_by_key(|column| Reverse(saved(column)));
        let (leading, others) = columns.split_at(columns.len().min(LEADING_COLUMNS));
        let drawn = leading.iter().filter(|_| is_leading);
        let drawn = drawn.map(|column| DrawnColumn::new(column));
        let lines = |columns: &[&ColumnAdvice]| columns.iter().map(|it| Line::new(it)).collect();
        Self {
            name: readable::path(&advice.file),
            is_array: advice.kind == "array",
            rows: advice.rows,
            rows_tried: columns.iter().map(|it| it.rows_tried).max().unwrap_or(0),
            goal: advice.goal.to_string(),
            readers: advice.readers.replace(',', ", "),
            compression: advice.compression.clone(),
            bytes_now: advice.bytes_now(),
            bytes_then: advice.bytes_then(),
            saved: advice.saved(),
            is_leading,
            leading: lines(leading),
            others: lines(others),
            others_saved: others.iter().map(|column| saved(column)).sum(),
            drawn: drawn.collect(),
            settings: advice.settings.clone(),
        }
    }
}

impl Line {
    fn new(column: &ColumnAdvice) -> Self {
        Self {
            name: column.path.clone(),
            column_type: column.column_type.clone(),
            nulls: column.nulls,
            distinct: column.distinct,
            entropy_bits: column.entropy_bits,
            now: column.now.clone(),
            choice: choice(column),
            bytes_now: column.bytes_now,
            bytes_then: column.bytes_then,
            saved: column.saved(),
        }
    }
}

impl DrawnColumn {
    fn new(column: &ColumnAdvice) -> Self {
        let drawing = |verb: &str, label: &'static str, speed: fn(&Candidate) -> f64| {
            let ways = column.candidates.iter().map(|candidate| Way {
                name: name(candidate),
                class: class_of(candidate.encoding.name()),
                ratio: candidate.ratio,
                speed: speed(candidate),
                is_choice: is_choice(candidate, column),
            });
            let title = format!("{}: ratio and {verb} throughput", column.path);
            scatter(title, label, &ways.collect::<Vec<_>>())
        };
        let mut legend: Vec<String> = column
            .candidates
            .iter()
            .map(|candidate| candidate.encoding.to_string())
            .collect();
        legend.dedup();
        Self {
            name: column.path.clone(),
            legend,
            figures: vec![
                drawing("write", "written MB/s", |it| {
                    decimal_megabytes(it.write_mib_s)
                }),
                drawing("read", "read MB/s", |it| decimal_megabytes(it.read_mib_s)),
            ],
            table: table(column),
        }
    }
}

/// Returns the number of bytes that a column saves.
fn saved(column: &ColumnAdvice) -> u64 {
    column.bytes_now.saturating_sub(column.bytes_then)
}

fn choice(column: &ColumnAdvice) -> String {
    if column.keep {
        "as it is".to_owned()
    } else {
        column.encoding.to_string()
    }
}

fn name(candidate: &Candidate) -> String {
    format!("{}, {}", candidate.encoding, candidate.compression)
}

/// Returns a table with all results for a column.
fn table(column: &ColumnAdvice) -> Table {
    let header = [
        "encoding",
        "compression",
        "ratio",
        "written MB/s",
        "read MB/s",
        "",
    ];
    let rows = column.candidates.iter().map(|candidate| {
        let remark = match &candidate.obstacle {
            Some(reader) => format!("{reader} cannot read it"),
            None if is_choice(candidate, column) => "chosen".to_owned(),
            None => String::new(),
        };
        let speeds = [candidate.write_mib_s, candidate.read_mib_s].map(decimal_megabytes);
        let figures = [ratio(candidate.ratio), figure(speeds[0]), figure(speeds[1])];
        let way = [
            candidate.encoding.to_string(),
            candidate.compression.clone(),
        ];
        let cells = way.into_iter().chain(figures);
        cells.chain([remark]).collect()
    });
    Table {
        caption: "Everything that was tried".to_owned(),
        header: header.map(str::to_owned).to_vec(),
        rows: rows.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Returns advice for a file with this number of columns; later columns save more.
    fn advice(columns: u64) -> Advice {
        let candidates = ["plain", "byte_stream_split"].map(|encoding| {
            json!({
                "encoding": encoding, "compression": "zstd:1", "bytes": 50, "ratio": 2.0,
                "write_mib_s": 100.0, "read_mib_s": 300.0, "obstacle": null,
            })
        });
        let columns = (0..columns).map(|column| {
            json!({
                "path": format!("c{column}"), "column_type": "DOUBLE", "rows": 9, "nulls": 0,
                "rows_tried": 9, "distinct": 3, "entropy_bits": 1.5, "now": "PLAIN ZSTD",
                "bytes_now": 1000, "encoding": "byte_stream_split", "compression": "zstd:1", "bytes_then": 1000 - column,
                "keep": column == 0, "candidates": candidates,
            })
        });
        let advice = json!({
            "file": "lake.parquet", "kind": "parquet", "rows": 9, "goal": "balanced", "readers": "duckdb",
            "compression": "zstd:1", "columns": columns.collect::<Vec<_>>(), "settings": [],
        });
        serde_json::from_value(advice).unwrap()
    }

    #[test]
    fn of_many_columns_those_that_save_most_stand_first_and_have_drawings() {
        let file = &of(&[advice(500)])[0];
        assert_eq!(file.leading.len(), LEADING_COLUMNS);
        assert_eq!(file.others.len(), 500 - LEADING_COLUMNS);
        assert_eq!(file.leading[0].name, "c499");
        assert_eq!(file.others.last().unwrap().name, "c0");
        assert_eq!(file.others.last().unwrap().choice, "as it is");
        assert_eq!(file.others_saved, (0..490).sum::<u64>());
        let drawn: Vec<&str> = file.drawn.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(drawn[..2], ["c499", "c498"]);
        assert_eq!(drawn.len(), LEADING_COLUMNS);
        assert_eq!(file.drawn[0].table.rows[1].last().unwrap(), "chosen");
    }

    #[test]
    fn of_many_files_those_that_save_most_are_unfolded() {
        let files: Vec<Advice> = (0..6).map(advice).collect();
        let shown = of(&files);
        let unfolded = shown.iter().map(|file| file.is_leading);
        assert!(unfolded.eq([true, true, true, false, false, false]));
        assert_eq!(shown[0].leading.len(), 5);
        assert!(shown[3].drawn.is_empty() && shown[0].drawn.len() == 5);
        assert!(shown[4].leading.is_empty(), "a file without columns");
    }
}

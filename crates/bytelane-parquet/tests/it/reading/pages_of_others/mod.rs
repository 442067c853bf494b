//! Tests pages that deviate from the format, but that some writers write and other readers read.

mod by_hand;
mod footers;
mod lists;
mod nulls;
mod padding;
mod runs;

use arrow_array::{Array, ArrayRef, Int32Array, RecordBatch};
use arrow_select::concat::concat_batches;
use by_hand::Column;
use bytelane::{Backend, Detected};
use bytelane_parquet::{Goal, Problem, Reader, ReaderBuilder, bytelane};
use bytelane_parquet_files::advise::{AdviseOptions, advise};
use bytelane_parquet_files::rewrite::{RewriteOptions, rewrite_bytes};
use bytes::Bytes;
use parquet::arrow::arrow_reader::{RowSelection, RowSelector};
use std::sync::Arc;

/// File with the expected values.
struct Case {
    name: &'static str,
    column: Column,
    values: ArrayRef,
}

impl Case {
    fn new(name: &'static str, column: Column, values: impl Array + 'static) -> Self {
        assert_eq!(values.len() as i64, column.rows, "{name}");
        Self {
            name,
            column,
            values: Arc::new(values),
        }
    }

    /// Returns all columns.
    fn rows(&self) -> [ArrayRef; 2] {
        let numbers = Int32Array::from_iter_values(0..self.column.rows as i32);
        [Arc::clone(&self.values), Arc::new(numbers)]
    }
}

fn cases() -> Vec<Case> {
    [
        padding::cases(),
        runs::cases(),
        nulls::cases(),
        lists::cases(),
        footers::cases(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Reads all rows, in one batch.
fn read(builder: ReaderBuilder<Bytes>, name: &str) -> RecordBatch {
    let schema = builder.schema().clone();
    let reader: Reader = builder.build().unwrap_or_else(|it| panic!("{name}: {it}"));
    let schema = match arrow_array::RecordBatchReader::schema(&reader) {
        projected if projected != schema => projected,
        _ => schema,
    };
    let batches: Result<Vec<_>, _> = reader.collect();
    let batches = batches.unwrap_or_else(|it| panic!("{name}: {it}"));
    concat_batches(&schema, &batches).unwrap()
}

fn builder(file: &Bytes, name: &str) -> ReaderBuilder<Bytes> {
    Reader::builder(file.clone()).unwrap_or_else(|it| panic!("{name}: {it}"))
}

#[test]
fn all_is_read_at_once_and_in_small_batches() {
    for case in cases() {
        let (name, file) = (case.name, case.column.file());
        for backend in Backend::available() {
            let backend = Detected::new(backend).unwrap();
            for rows in [1000, 1, 2, 3] {
                let builder = builder(&file, name).with_backend(backend);
                let batch = read(builder.with_batch_size(rows), name);
                assert_eq!(batch.columns(), case.rows(), "{name} by {rows}");
            }
        }
    }
}

#[test]
fn either_column_is_read_alone() {
    for case in cases() {
        let (name, file) = (case.name, case.column.file());
        for (path, values) in ["a", "n"].into_iter().zip(case.rows()) {
            let builder = builder(&file, name).with_columns([path]).unwrap();
            assert_eq!(read(builder, name).columns(), [values], "{name}: {path}");
        }
    }
}

#[test]
fn any_row_is_read_alone_and_left_out() {
    for case in cases() {
        let (name, file) = (case.name, case.column.file());
        let rows = case.column.rows as usize;
        for row in 0..rows {
            let alone = builder(&file, name).with_offset(row).with_limit(1);
            let want = case.rows().map(|column| column.slice(row, 1));
            assert_eq!(read(alone, name).columns(), want, "{name}, row {row}");
            let others = RowSelection::from(vec![
                RowSelector::select(row),
                RowSelector::skip(1),
                RowSelector::select(rows - row - 1),
            ]);
            let others = read(builder(&file, name).with_row_selection(others), name);
            let whole = read(builder(&file, name), name);
            let want = [whole.slice(0, row), whole.slice(row + 1, rows - row - 1)];
            let want = concat_batches(&whole.schema(), &want).unwrap();
            assert_eq!(others, want, "{name} without row {row}");
        }
    }
}

#[test]
fn there_is_advice() {
    let directory = tempfile::tempdir().unwrap();
    for case in cases() {
        let name = case.name;
        let path = directory.path().join("file.parquet");
        std::fs::write(&path, case.column.file()).unwrap();
        let advice = advise(&path, &AdviseOptions::default());
        let advice = advice.unwrap_or_else(|it| panic!("{name}: {it}"));
        assert_eq!(advice.rows, case.column.rows as u64, "{name}");
        for column in &advice.columns {
            assert_eq!(column.obstacle, None, "{name}");
        }
    }
}

/// Cases for which the crate `parquet`, the witness of verifications, returns other values than the readers
/// named in `runs`.
const DISPUTED: [&str; 2] = ["indices of numbers", "indices of strings"];

#[test]
fn the_values_stay_in_rewrites() {
    for case in cases() {
        let (name, file) = (case.name, case.column.file());
        for goal in [Goal::Balanced, Goal::Size, Goal::Read] {
            let options = RewriteOptions::default().with_goal(goal);
            let verified = rewrite_bytes(file.clone(), &options.clone().with_verify(true));
            if let Err(error) = verified {
                let is_disputed = matches!(error.problem(), Problem::Different(_));
                assert!(DISPUTED.contains(&name) && is_disputed, "{name}: {error}");
            }
            let new = rewrite_bytes(file.clone(), &options);
            let (new, _) = new.unwrap_or_else(|it| panic!("{name}: {it}"));
            assert_eq!(read(builder(&new, name), name).columns(), case.rows());
        }
    }
}

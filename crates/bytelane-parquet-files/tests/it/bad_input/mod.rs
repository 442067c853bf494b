//! Damaged, hostile and unusual files, and the inputs of the fuzzers.

mod bombs;
mod contradictions;
mod fuzz;
pub mod fuzzing;
mod growth;
mod hostile;
mod mutated;
mod odd;

use bytelane_parquet_files::edit::EditOptions;
use bytelane_parquet_files::edits::{DeletedRows, Edits, RowNumbers};

/// Returns options that delete the first row of a file.
fn without_first_row() -> EditOptions {
    let first = DeletedRows {
        input: None,
        numbers: RowNumbers::List(vec![0]),
    };
    EditOptions::default().with_edits(Edits::default().with_delete_rows(vec![first]))
}

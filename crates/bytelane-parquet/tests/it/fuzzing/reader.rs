//! What must hold for any file that the reader is given.

use super::files::file_of;
use super::rows::{BATCH, first, read};
use arrow_select::concat::concat_batches;
use bytelane::Backend;
use bytelane_parquet::bytelane;
use bytelane_parquet::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use bytes::Bytes;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Reads the file that these bytes stand for: on every backend the same rows or the same error, with smaller
/// batches the same rows, and no others than the crate `parquet` reads.
pub fn check(input: &[u8]) {
    let file = file_of(input);
    let result = read(&file, BATCH, Backend::active());
    for backend in Backend::available() {
        assert_eq!(read(&file, BATCH, backend), result, "{backend:?}");
    }
    let Ok(rows) = result else {
        return;
    };
    let smaller = read(&file, BATCH / 5, Backend::active()).expect("it was read in larger batches");
    let common = smaller.num_rows().min(rows.num_rows());
    assert_eq!(smaller.slice(0, common), rows.slice(0, common));
    // It panics at some files that lie, where this crate has an error of its own.
    if let Ok(Some(others)) = catch_unwind(AssertUnwindSafe(|| by_parquet(&file))) {
        let common = others.num_rows().min(rows.num_rows());
        let (others, rows) = (others.slice(0, common), rows.slice(0, common));
        assert_eq!(others.columns(), rows.columns());
    }
}

/// The first rows as the crate `parquet` reads them, if it does, and if row groups have as many rows as their
/// columns have values: of others it reads rows that the row group does not count.
fn by_parquet(file: &Bytes) -> Option<arrow_array::RecordBatch> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(file.clone()).ok()?;
    let counted = builder.metadata().row_groups().iter().all(|row_group| {
        row_group.columns().iter().all(|column| {
            let values = column.num_values();
            let repeated = column.column_descr().max_rep_level() > 0;
            values == row_group.num_rows() || repeated && values > row_group.num_rows()
        })
    });
    if !counted {
        return None;
    }
    let schema = builder.schema().clone();
    let reader = builder.with_batch_size(BATCH).build().ok()?;
    concat_batches(&schema, &first(reader).ok()?).ok()
}

//! Checks properties of the reader that hold for any file.

use super::files::file_of;
use super::rows::{BATCH, first, read};
use arrow_select::concat::concat_batches;
use bytelane::Backend;
use bytelane_parquet::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
#[expect(deprecated, reason = "old files have it")]
use bytelane_parquet::parquet::basic::Encoding::BIT_PACKED;
use bytelane_parquet::parquet::column::page::Page;
use bytelane_parquet::parquet::file::reader::{FileReader, SerializedFileReader};
use bytelane_parquet::{bytelane, format};
use bytes::Bytes;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Reads the file that these bytes describe. Every backend must return the same rows or the same error,
/// smaller batches must return the same rows, and the crate `parquet` must not return different ones.
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
    // The crate panics for some malformed files, where this one returns an error.
    if let Ok(Some(others)) = catch_unwind(AssertUnwindSafe(|| by_parquet(&file))) {
        let common = others.num_rows().min(rows.num_rows());
        let (others, rows) = (others.slice(0, common), rows.slice(0, common));
        let is_disputed = || has_bit_packed_levels(&file) || has_misplaced_fields(&file);
        if others.columns() != rows.columns() && !is_disputed() {
            assert_eq!(others.columns(), rows.columns());
        }
    }
}

/// Returns whether a part of the schema has fields with a type other than the format's. The crate `parquet`
/// reads them nevertheless.
fn has_misplaced_fields(file: &Bytes) -> bool {
    let footer = || {
        let end = file.len().checked_sub(8)?;
        let length = u32::from_le_bytes(*file[end..].first_chunk()?) as usize;
        format::decode::<format::FileMetaData>(&file.slice(end.checked_sub(length)?..end)).ok()
    };
    let is_misplaced = |it: &format::SchemaElement| !it.unknown_fields.is_empty();
    footer().is_some_and(|footer| footer.schema.iter().any(is_misplaced))
}

/// Returns whether a page has levels in BIT_PACKED. The crate `parquet` reads their bits in an order other
/// than the format's.
#[expect(deprecated, reason = "old files have levels in it")]
fn has_bit_packed_levels(file: &Bytes) -> bool {
    let Ok(reader) = SerializedFileReader::new(file.clone()) else {
        return false;
    };
    let row_groups = (0..reader.num_row_groups()).filter_map(|at| reader.get_row_group(at).ok());
    let bit_packed = |page: Page| match page {
        Page::DataPage {
            def_level_encoding,
            rep_level_encoding,
            ..
        } => [def_level_encoding, rep_level_encoding].contains(&BIT_PACKED),
        _ => false,
    };
    row_groups.into_iter().any(|row_group| {
        let columns = 0..row_group.num_columns();
        columns
            .filter_map(|at| row_group.get_column_page_reader(at).ok())
            .any(|pages| pages.map_while(Result::ok).any(bit_packed))
    })
}

/// Reads the first rows with the crate `parquet`, if it can. Requires that row groups have as many rows as
/// their columns have values. Otherwise, the crate reads rows that the row group does not count.
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

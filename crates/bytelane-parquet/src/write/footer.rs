//! Builds the footer of a new file.

use crate::Result;
use crate::format::{self, ColumnOrder, FileMetaData, decode_footer};
use bytes::Bytes;
use parquet::file::metadata::SortingColumn;
use parquet::file::properties::WriterPropertiesPtr;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::TypePtr;

/// Returns the footer of a file without rows, as the crate `parquet` writes it.
///
/// The crate labels every float column with the IEEE 754 total order, and cannot label it
/// otherwise. Unless `total_order` is set, statistics use the order that all readers know (see
/// [`statistics`](crate::statistics)), and this footer is labelled accordingly.
pub(super) fn empty(
    schema: TypePtr,
    properties: WriterPropertiesPtr,
    total_order: bool,
) -> Result<FileMetaData> {
    let mut file = Vec::new();
    SerializedFileWriter::new(&mut file, schema, properties)?.close()?;
    let mut footer = decode_footer(&Bytes::from(file))?;
    for order in footer.column_orders.iter_mut().flatten() {
        if !total_order && matches!(order, ColumnOrder::Ieee754TotalOrder(_)) {
            *order = ColumnOrder::TypeOrder(Default::default());
        }
    }
    Ok(footer)
}

/// Returns the footer's metadata of a row group, without its chunks.
pub(super) fn row_group(
    rows: usize,
    index: usize,
    sorted_by: Option<&[SortingColumn]>,
) -> format::RowGroup {
    let sorted_by = sorted_by.map(|columns| {
        let columns = columns.iter().map(|column| format::SortingColumn {
            column_idx: column.column_idx,
            descending: column.descending,
            nulls_first: column.nulls_first,
            ..Default::default()
        });
        columns.collect()
    });
    format::RowGroup {
        num_rows: rows as i64,
        sorting_columns: sorted_by,
        file_offset: Some(0),
        total_compressed_size: Some(0),
        ordinal: i16::try_from(index).ok(),
        ..Default::default()
    }
}

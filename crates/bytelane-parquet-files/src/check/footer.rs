//! Checks the footer's metadata of the file and its row groups.

use super::chunk::Found;
use super::outcome::Findings;
use crate::opened::OpenedFile;
use bytelane_parquet::Result;
use bytelane_parquet::format::{FileMetaData, MAGIC};
use bytelane_parquet::input::bytes_at;
use std::ops::Range;

/// Checks the start of the file, and the total number of rows.
pub(super) fn check(file: &OpenedFile, findings: &mut Findings) -> Result<()> {
    let (footer, sum) = (&file.footer, file.rows());
    let magic = bytes_at(&file.reader, 0..MAGIC.len() as u64)?;
    if magic[..] != MAGIC[..] {
        findings.warning("the file does not begin with PAR1");
    }
    let leaves = footer
        .schema
        .iter()
        .filter(|it| it.physical_type.is_some())
        .count();
    let orders = footer.column_orders.as_ref().map_or(leaves, Vec::len);
    if orders != leaves {
        findings.warning(format!(
            "the footer has orders of bounds for {orders} columns, but {leaves} columns"
        ));
    }
    if sum != footer.num_rows {
        let claimed = footer.num_rows;
        findings.error(format!(
            "the footer says {claimed} rows, but its row groups have {sum}"
        ));
    }
    Ok(())
}

/// Checks the footer's metadata of a row group whose chunks have been checked.
pub(super) fn check_row_group(
    footer: &FileMetaData,
    index: usize,
    chunks: &[Found],
    findings: &mut Findings,
) {
    let row_group = &footer.row_groups[index];
    if row_group.num_rows < 0 {
        findings.error(format!("it has {} rows", row_group.num_rows));
    }
    if chunks.len() == row_group.columns.len() {
        let uncompressed: i64 = chunks.iter().map(|it| it.uncompressed).sum();
        if row_group.total_byte_size != uncompressed {
            let claimed = row_group.total_byte_size;
            findings.warning(format!(
                "the footer says {claimed} bytes without compression, but its chunks have {uncompressed}"
            ));
        }
        let compressed: i64 = chunks.iter().map(|it| it.compressed).sum();
        if row_group
            .total_compressed_size
            .is_some_and(|it| it != compressed)
        {
            findings.warning(format!(
                "the footer says another size than the {compressed} bytes of its chunks"
            ));
        }
    }
    if row_group
        .ordinal
        .is_some_and(|it| usize::try_from(it) != Ok(index))
    {
        findings.warning("the ordinal is not that of the row group");
    }
    let leaves = row_group.columns.len();
    for by in row_group.sorting_columns.iter().flatten() {
        if usize::try_from(by.column_idx).is_ok_and(|it| it < leaves) {
            continue;
        }
        findings.warning(format!("the sorting column {} is not there", by.column_idx));
    }
}

/// Checks that chunks do not overlap.
pub(super) fn check_overlaps(
    mut ranges: Vec<(Range<u64>, usize, String)>,
    findings: &mut Findings,
) {
    ranges.retain(|(range, ..)| !range.is_empty());
    ranges.sort_by_key(|(range, ..)| range.start);
    for pair in ranges.windows(2) {
        let ((one, group, column), (two, other_group, other)) = (&pair[0], &pair[1]);
        if one.end > two.start {
            findings.error(format!(
                "the chunks of column {column} in row group {group} and of column {other} in row group {other_group} share bytes"
            ));
        }
    }
}

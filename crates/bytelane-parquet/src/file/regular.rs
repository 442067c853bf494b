//! Decodes footers that need no repair, in one pass over their bytes.

use super::repair::{has_unknown_type, is_converted_group, is_logical_group};
use super::row_groups::EncodedRowGroups;
use super::schema::depth_of_schema;
use super::sizes::counts_too_little;
use crate::Result;
use crate::catch_panic::catch_panic;
use crate::format::{self, ElementView, FileView, RowGroupView};
use crate::stack::with_stack;
use bytes::Bytes;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Header of an empty list in the compact protocol, with structs as element type.
const EMPTY_LIST: u8 = 12;

/// Opens a footer that needs no repair, except perhaps in its chunks, which are skipped. Returns
/// `None` if a field is unknown or has a type that differs from the format, or if the footer has a
/// known error of writers. The crate `parquet` decodes the schema.
pub(super) fn regular(footer: &Bytes) -> Option<EncodedRowGroups> {
    let view: FileView<'_, ElementView<'_>> = format::view(footer)?;
    let depth = depth_of_schema(&view.schema).ok()?;
    let row_groups = view.row_groups.value.iter();
    let rows = row_groups.clone().map(|it| it.num_rows);
    let rows = rows.fold(0, i64::saturating_add);
    let mut pairs = view.key_value_metadata.iter().flatten();
    let is_regular = view.unknown_fields.is_empty()
        && (view.num_rows != 0 || rows == 0)
        && !view.created_by.is_some_and(counts_too_little)
        && view.schema.iter().all(|it| is_regular_element(it, footer))
        && pairs.all(|pair| pair.unknown_fields.is_empty())
        && row_groups.clone().all(is_regular_row_group);
    if !is_regular {
        return None;
    }
    let schema = with_stack(depth, || without_row_groups(footer, &view.row_groups.range)).ok()?;
    let leaves = schema.file_metadata().schema_descr().num_columns();
    let mut row_groups = row_groups;
    if has_unknown_type(&schema) || !row_groups.all(|it| it.columns.len() == leaves) {
        return None;
    }
    Some(EncodedRowGroups {
        row_groups: view.row_groups.value,
        schema: Arc::new(schema),
        footer: footer.clone(),
        depth,
        decoded: OnceLock::new(),
    })
}

/// Decodes a footer without its row groups.
fn without_row_groups(footer: &[u8], row_groups: &Range<usize>) -> Result<ParquetMetaData> {
    let mut bytes = Vec::with_capacity(footer.len() - row_groups.len() + 1);
    bytes.extend(&footer[..row_groups.start]);
    bytes.push(EMPTY_LIST);
    bytes.extend(&footer[row_groups.end..]);
    catch_panic(|| Ok(ParquetMetaDataReader::decode_metadata(&bytes)?))
}

fn is_regular_element(element: &ElementView<'_>, footer: &[u8]) -> bool {
    let is_group = element.physical_type.is_none() || element.num_children.is_some_and(|it| it > 0);
    let logical = element.logical_type.as_ref();
    element.unknown_fields.is_empty()
        && (!is_group
            || element
                .converted_type
                .is_none_or(|it| is_converted_group(&it))
                && logical.is_none_or(|it| it.decode(footer).is_ok_and(|it| is_logical_group(&it))))
}

fn is_regular_row_group(row_group: &RowGroupView) -> bool {
    let mut sorting = row_group.sorting_columns.iter().flatten();
    row_group.unknown_fields.is_empty() && sorting.all(|it| it.unknown_fields.is_empty())
}

//! Checks that the keys of Arrow dictionaries suffice for the entries of all row groups, which readers join.

use super::outcome::Findings;
use crate::opened::OpenedFile;
use arrow_schema::DataType;
use bytelane_parquet::budget::MemoryLimit;
use bytelane_parquet::catch_panic::catch_panic;
use bytelane_parquet::chunk::{stored_dictionary, stored_range};
use bytelane_parquet::read::arrow_schema;
use bytelane_parquet::types::fields::leaves;
use bytelane_parquet::types::physical;
use bytelane_parquet::types::unite::{is_enum, wide_enough, words};
use parquet::file::reader::Length;
use parquet::schema::types::{ColumnDescPtr, ColumnDescriptor};
use std::collections::HashSet;

pub(super) fn check(
    file: &OpenedFile,
    columns: &[ColumnDescPtr],
    memory: MemoryLimit,
    findings: &mut Findings,
) {
    let Ok(schema) = catch_panic(|| arrow_schema(&file.footer, file.depth)) else {
        return;
    };
    let fields: Vec<_> = schema.fields().iter().flat_map(leaves).collect();
    if fields.len() != columns.len() {
        return;
    }
    for (leaf, (field, column)) in fields.into_iter().zip(columns).enumerate() {
        let DataType::Dictionary(keys, _) = field.data_type() else {
            continue;
        };
        let is_narrow = keys.primitive_width().is_some_and(|width| width <= 2);
        if !is_narrow || is_enum(field) {
            continue;
        }
        let entries = entries(file, leaf, column, memory);
        if wide_enough(keys, entries) != **keys {
            findings.enter_column(column.path().string());
            let words = words(field);
            findings.error(format!(
                "it is a {words} in Arrow, but its dictionaries have {entries} entries, too many for these keys"
            ));
            findings.leave_column();
        }
    }
}

/// Returns the number of distinct entries of the dictionaries of a leaf, except damaged ones, which other checks report.
fn entries(
    file: &OpenedFile,
    leaf: usize,
    column: &ColumnDescriptor,
    memory: MemoryLimit,
) -> usize {
    let width = physical::width(column);
    let mut distinct = HashSet::new();
    for row_group in &file.footer.row_groups {
        let Some(chunk) = row_group.columns.get(leaf) else {
            continue;
        };
        let found = catch_panic(|| {
            let chunk = chunk.decode()?;
            let range = stored_range(&chunk, file.reader.len())?;
            stored_dictionary(&file.reader, &chunk.meta_data, range, column, memory)
        });
        let Ok(Some((bytes, count))) = found else {
            continue;
        };
        let mut rest = &bytes[..];
        for _ in 0..count {
            let start = if width.is_some() { 0 } else { size_of::<u32>() };
            let length = width.or_else(|| Some(u32::from_le_bytes(*rest.first_chunk()?) as usize));
            let Some((entry, others)) = length.and_then(|it| rest.split_at_checked(start + it))
            else {
                break;
            };
            distinct.insert(entry.to_vec());
            rest = others;
        }
    }
    distinct.len()
}

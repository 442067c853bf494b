//! Checks that rows are in the order of the sorting columns.

use super::index::compare_of;
use super::outcome::Findings;
use super::values::{each_batch, each_value};
use crate::Result;
use crate::budget::MemoryLimit;
use crate::input::InputFile;
use crate::rewrite::source::{Root, Source};
use crate::statistics::Compare;
use std::cmp::Ordering;

/// Values of a sorting column.
struct Key {
    values: Vec<Option<Box<[u8]>>>,
    compare: Compare,
    descending: bool,
    nulls_first: bool,
}

impl Key {
    fn compare(&self, row: usize) -> Ordering {
        let nulls = |first: bool| {
            if first {
                Ordering::Less
            } else {
                Ordering::Greater
            }
        };
        match (&self.values[row], &self.values[row + 1]) {
            (None, None) => Ordering::Equal,
            (None, Some(_)) => nulls(self.nulls_first),
            (Some(_), None) => nulls(!self.nulls_first),
            (Some(one), Some(other)) => {
                let order = self.compare.values(one, other);
                if self.descending {
                    order.reverse()
                } else {
                    order
                }
            }
        }
    }
}

/// Returns the paths of the sorting columns of a row group, followed by `descending` where they are.
pub(super) fn promised(source: &Source<InputFile>, index: usize) -> Result<Vec<String>> {
    let row_group = source.row_group(index)?;
    let sorting = row_group.described.sorting_columns.iter().flatten();
    let named = sorting.map(|by| {
        let leaf = usize::try_from(by.column_idx).unwrap_or(usize::MAX);
        let is_its = |root: &&Root| root.leaves.contains(&leaf);
        let root = source.roots.iter().find(is_its);
        let columns = root.map(|root| (root.schema.columns(), leaf - root.leaves.start));
        let column = columns.and_then(|(columns, at)| columns.get(at));
        let path = column.map_or_else(|| format!("column {leaf}"), |it| it.path().string());
        if by.descending {
            format!("{path} descending")
        } else {
            path
        }
    });
    Ok(named.collect())
}

/// Checks that the rows of a row group are sorted as declared. Stops at columns in lists and
/// structs, and columns without an order.
pub(super) fn check(
    source: &Source<InputFile>,
    index: usize,
    memory: MemoryLimit,
    findings: &mut Findings,
) -> Result<()> {
    if let Some(row) = unsorted(source, index, memory)?.first() {
        findings.error(format!(
            "the rows are not sorted as the row group says: row {row} belongs before the one before it"
        ));
    }
    Ok(())
}

/// Returns the rows of a row group that belong before the one before them.
pub(super) fn unsorted(
    source: &Source<InputFile>,
    index: usize,
    memory: MemoryLimit,
) -> Result<Vec<usize>> {
    let row_group = source.row_group(index)?;
    let sorting = row_group.described.sorting_columns.as_ref();
    let mut keys = Vec::new();
    for by in sorting.into_iter().flatten() {
        let leaf = usize::try_from(by.column_idx).ok();
        let root = source.roots.iter().find(|root| {
            Some(root.leaves.start) == leaf
                && root.leaves.len() == 1
                && root.in_file().is_primitive()
        });
        let Some((root, leaf)) = root.zip(leaf) else {
            break;
        };
        let orders = source.footer.column_orders.as_ref();
        let order = orders.and_then(|orders| orders.get(leaf));
        let Some(compare) = compare_of(&root.schema.columns()[0], order) else {
            break;
        };
        let mut values = Vec::new();
        each_batch(source, index, root, memory, |array| {
            let first = values.len();
            values.resize(first + array.len(), None);
            each_value(array, |slot, value| {
                values[first + slot] = Some(value.into())
            });
            Ok(())
        })?;
        keys.push(Key {
            values,
            compare,
            descending: by.descending,
            nulls_first: by.nulls_first,
        });
    }
    let rows = keys.iter().map(|key| key.values.len()).min().unwrap_or(0);
    let order = |row: usize| {
        let orders = keys.iter().map(|key| key.compare(row));
        orders.fold(Ordering::Equal, Ordering::then)
    };
    let is_unsorted = |row: &usize| order(row - 1) == Ordering::Greater;
    Ok((1..rows).filter(is_unsorted).collect())
}

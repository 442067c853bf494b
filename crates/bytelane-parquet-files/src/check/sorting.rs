//! Checks that rows are in the order of the sorting columns.

use super::index::compare_of;
use super::outcome::Findings;
use super::values::{each_batch, each_value};
use crate::rewrite::source::{Root, Source};
use bytelane_parquet::Result;
use bytelane_parquet::budget::MemoryLimit;
use bytelane_parquet::input::InputFile;
use bytelane_parquet::statistics::Compare;
use std::cmp::Ordering;

/// Order of a sorting column, and its value in the row before.
struct Key {
    compare: Compare,
    descending: bool,
    nulls_first: bool,
    /// `None` before the first row.
    before: Option<Option<Vec<u8>>>,
}

impl Key {
    fn compare(&self, before: Option<&[u8]>, value: Option<&[u8]>) -> Ordering {
        let nulls = |first: bool| {
            if first {
                Ordering::Less
            } else {
                Ordering::Greater
            }
        };
        match (before, value) {
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

    /// Compares the value of a row with the one before it, if the columns before this one do not decide. `orders` has the
    /// orders of the second row and of those that follow it.
    fn add(&mut self, row: usize, value: Option<&[u8]>, orders: &mut Vec<Ordering>) {
        if let Some(before) = &self.before {
            let order = || self.compare(before.as_deref(), value);
            match orders.get(row - 1) {
                None => orders.push(order()),
                Some(Ordering::Equal) => orders[row - 1] = order(),
                Some(_) => {}
            }
        }
        match (&mut self.before, value) {
            (Some(Some(before)), Some(value)) => value.clone_into(before),
            (before, value) => *before = Some(value.map(<[u8]>::to_vec)),
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
    let mut orders = Vec::new();
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
        let columns = source.file.footer.column_orders.as_ref();
        let order = columns.and_then(|orders| orders.get(leaf));
        let Some(compare) = compare_of(&root.schema.columns()[0], order) else {
            break;
        };
        let mut key = Key {
            compare,
            descending: by.descending,
            nulls_first: by.nulls_first,
            before: None,
        };
        let mut rows = 0;
        each_batch(source, index, root, memory, |array| {
            let first = rows;
            each_value(array, |slot, value| {
                (rows..first + slot).for_each(|row| key.add(row, None, &mut orders));
                key.add(first + slot, Some(value), &mut orders);
                rows = first + slot + 1;
            });
            let end = first + array.len();
            (rows..end).for_each(|row| key.add(row, None, &mut orders));
            rows = end;
            Ok(())
        })?;
        orders.truncate(rows.saturating_sub(1));
        if !orders.contains(&Ordering::Equal) {
            break;
        }
    }
    let is_unsorted = |(_, order): &(usize, Ordering)| *order == Ordering::Greater;
    let orders = (1..).zip(orders);
    Ok(orders.filter(is_unsorted).map(|(row, _)| row).collect())
}

//! Joins the sorting columns of consecutive row groups.

use super::input::RowGroup;
use super::join::bounds;
use super::plan::Plan;
use super::schema::Columns;
use bytelane_parquet::Result;
use bytelane_parquet::format::SortingColumn;
use bytes::Bytes;
use parquet::basic::{LogicalType, Type};
use parquet::schema::types::ColumnDescriptor;
use std::cmp::Ordering;

/// Returns the sorting columns that hold for consecutive row groups together, as output columns, if
/// all row groups declare them and their bounds are in order.
pub(super) fn joined(groups: &[RowGroup], plan: &Plan<'_>) -> Result<Option<Vec<SortingColumn>>> {
    let columns = &plan.columns;
    let Some(first) = groups.first() else {
        return Ok(None);
    };
    if plan.unsorted.contains(&first.index) {
        return Ok(None);
    }
    let Some(sorting) = in_output(first, columns) else {
        return Ok(None);
    };
    let Some(by) = sorting.first() else {
        return Ok(None);
    };
    let leaf = usize::try_from(by.column_idx).unwrap_or(usize::MAX);
    let mut last: Option<Bytes> = None;
    for group in groups {
        if in_output(group, columns).as_ref() != Some(&sorting) {
            return Ok(None);
        }
        // The intact rows of a damaged row group stay in their order.
        if groups.len() == 1 || plan.is_salvage {
            break;
        }
        let Some(range) = range(group, plan, leaf)? else {
            return Ok(None);
        };
        let (from, to) = if by.descending {
            (range.1, range.0)
        } else {
            range
        };
        if let Some(last) = &last {
            let wanted = if by.descending {
                Ordering::Greater
            } else {
                Ordering::Less
            };
            let order = plan
                .compare(leaf)
                .map(|compare| compare.values(last, &from));
            let is_next = order == Some(wanted)
                // Rows that are equal in the first column may be in any order in the others.
                || order == Some(Ordering::Equal) && sorting.len() == 1;
            if !is_next {
                return Ok(None);
            }
        }
        last = Some(to);
    }
    Ok(Some(sorting))
}

/// Returns the sorting columns of a row group as output columns: those before the first one that the output lacks.
fn in_output(group: &RowGroup, columns: &Columns) -> Option<Vec<SortingColumn>> {
    let described = &group.file.footer.row_groups[group.index];
    let sorting = described.sorting_columns.as_ref()?.iter().map_while(|by| {
        let leaf = usize::try_from(by.column_idx).ok()?;
        let own = columns.leaf_of(&group.layout, leaf)?;
        Some(SortingColumn {
            column_idx: i32::try_from(own).ok()?,
            ..by.clone()
        })
    });
    Some(sorting.collect())
}

/// Returns whether a column may have NaN.
fn is_float(column: &ColumnDescriptor) -> bool {
    matches!(column.physical_type(), Type::FLOAT | Type::DOUBLE)
        || matches!(column.logical_type_ref(), Some(LogicalType::Float16))
}

/// Returns the bounds of an output leaf in a row group without nulls and NaN.
fn range(group: &RowGroup, plan: &Plan<'_>, leaf: usize) -> Result<Option<(Bytes, Bytes)>> {
    let Some((root, number)) = plan.columns.root_of(leaf) else {
        return Ok(None);
    };
    let Some(place) = plan.columns.place(&group.layout, root) else {
        return Ok(None);
    };
    if plan.columns.roots[root].is_converted {
        return Ok(None);
    }
    let chunk = group.leaf(plan, place, root, (number, leaf))?;
    let statistics = bounds::of_chunk(&chunk)?;
    // Bounds exclude NaN, whose place in the order is not known.
    let may_have_nans = is_float(&plan.schema.columns()[leaf]);
    Ok(statistics.and_then(|it| {
        let has_others = it.null_count != Some(0) || may_have_nans && it.nan_count != Some(0);
        it.min_value.zip(it.max_value).filter(|_| !has_others)
    }))
}

//! Builds the column index of new pages that replace others.

use bytelane_parquet::Result;
use bytelane_parquet::chunk::Chunk;
use bytelane_parquet::format::{self, BoundaryOrder, ColumnIndex};
use bytelane_parquet::statistics::Compare;
use bytes::Bytes;
use parquet::basic::ColumnOrder;
use parquet::schema::types::ColumnDescriptor;
use std::cmp::Ordering;

/// Returns the column index of the new pages of a chunk whose old pages have one, or `None` if it cannot be
/// built.
///
/// If the new pages have the same rows as the old ones, their index is kept. Otherwise the writer's index is
/// used, unless there is none: the format has no bounds for a page of only NaN values, and no order for some
/// types. In that case, each new page gets the bounds of all old pages with which it shares rows.
pub(super) fn index_of(
    old: &Chunk,
    new: &Chunk,
    column: &ColumnDescriptor,
    order: ColumnOrder,
) -> Result<Option<Bytes>> {
    let Some(index) = old.column_index() else {
        return Ok(None);
    };
    let (Some(before), Some(after)) = (old.page_starts(), new.page_starts()) else {
        return Ok(new.column_index().cloned());
    };
    if before == after {
        return Ok(Some(index.clone()));
    }
    if let Some(new) = new.column_index() {
        return Ok(Some(new.clone()));
    }
    let Ok(index) = format::decode(index) else {
        return Ok(None);
    };
    let merged = merged(&index, &before, &after, Compare::of(column, order));
    let merged = merged.map(|index| format::encode(&index)).transpose()?;
    Ok(merged.map(Bytes::from))
}

/// Merges an index for pages that start at other rows, without counts.
fn merged(
    index: &ColumnIndex,
    before: &[i64],
    after: &[i64],
    compare: Option<Compare>,
) -> Option<ColumnIndex> {
    let ColumnIndex {
        null_pages,
        min_values,
        max_values,
        ..
    } = index;
    let pages = before.len();
    if [null_pages.len(), min_values.len(), max_values.len()] != [pages; 3] {
        return None;
    }
    let mut merged = ColumnIndex {
        boundary_order: BoundaryOrder::Unordered,
        ..Default::default()
    };
    for (page, &start) in after.iter().enumerate() {
        let end = after.get(page + 1).copied().unwrap_or(i64::MAX);
        let first = before.partition_point(|&other| other <= start).max(1) - 1;
        let last = before.partition_point(|&other| other < end).max(first + 1);
        let with_values: Vec<usize> = (first..last).filter(|&page| !null_pages[page]).collect();
        merged.null_pages.push(with_values.is_empty());
        let bound = |values: &[Bytes], wanted: Ordering| {
            let mut values = with_values.iter().map(|&page| &values[page]);
            let mut bound = values.next().cloned().unwrap_or_default();
            for value in values {
                if compare?.values(value, &bound) == wanted {
                    bound.clone_from(value);
                }
            }
            Some(bound)
        };
        merged.min_values.push(bound(min_values, Ordering::Less)?);
        merged
            .max_values
            .push(bound(max_values, Ordering::Greater)?);
    }
    Some(merged)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(bounds: &[Option<(i32, i32)>]) -> ColumnIndex {
        let bytes = |value: i32| Bytes::copy_from_slice(&value.to_le_bytes());
        ColumnIndex {
            null_pages: bounds.iter().map(Option::is_none).collect(),
            min_values: bounds
                .iter()
                .map(|it| it.map_or(Bytes::new(), |it| bytes(it.0)))
                .collect(),
            max_values: bounds
                .iter()
                .map(|it| it.map_or(Bytes::new(), |it| bytes(it.1)))
                .collect(),
            boundary_order: BoundaryOrder::Unordered,
            ..Default::default()
        }
    }

    #[test]
    fn pages_get_the_bounds_of_those_with_which_they_share_rows() {
        let old = index(&[Some((-5, 7)), None, Some((3, 300))]);
        let pages = |after: &[i64]| merged(&old, &[0, 10, 20], after, Some(Compare::Signed));
        let all = Some((-5, 300));
        assert_eq!(pages(&[0]), Some(index(&[all])));
        assert_eq!(
            pages(&[0, 5, 12, 18, 25]),
            Some(index(&[
                Some((-5, 7)),
                Some((-5, 7)),
                None,
                Some((3, 300)),
                Some((3, 300))
            ]))
        );
        // Without an order, bounds can be copied but not compared.
        assert_eq!(merged(&old, &[0, 10, 20], &[0], None), None);
        let halves = merged(&old, &[0, 10, 20], &[0, 15], None);
        assert_eq!(halves, Some(index(&[Some((-5, 7)), Some((3, 300))])));
    }

    #[test]
    fn values_are_compared_as_their_types_are() {
        use Compare::{Bytes, Decimal, Float, Half, Signed, Unsigned};
        let less: [(Compare, &[u8], &[u8]); 7] = [
            (Signed, &(-1_i32).to_le_bytes(), &256_i32.to_le_bytes()),
            (Unsigned, &256_u32.to_le_bytes(), &u32::MAX.to_le_bytes()),
            (Float, &(-0.0_f64).to_le_bytes(), &0.0_f64.to_le_bytes()),
            (Float, &1e30_f32.to_le_bytes(), &f32::NAN.to_le_bytes()),
            (Half, &[0x00, 0xbc], &[0x00, 0x3c]),
            (Decimal, &[0xff, 0x00], &[0xff]),
            (Bytes, b"Z", b"a"),
        ];
        for (compare, one, other) in less {
            assert_eq!(compare.values(one, other), Ordering::Less, "{compare:?}");
            assert_eq!(compare.values(other, one), Ordering::Greater, "{compare:?}");
        }
    }
}

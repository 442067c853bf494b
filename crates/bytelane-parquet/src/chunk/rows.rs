//! Takes the rows of a column, page by page.

use super::layout::PageSizes;
use super::leaf::{Cutter, LeafPath, Unit, fitting};
use arrow_array::{Array, ArrayRef};
use std::collections::VecDeque;

/// Rows to be written. Each array is released once its rows have been taken and nobody else holds
/// it: otherwise the values and the pages of a chunk that hardly compresses would take twice the
/// memory.
#[derive(Clone)]
pub(super) struct Rows(VecDeque<ArrayRef>);

impl Rows {
    /// Queues all rows of some arrays.
    pub(super) fn new(arrays: Vec<ArrayRef>) -> Self {
        let arrays = arrays.into_iter().filter(|array| !array.is_empty());
        Self(arrays.collect())
    }

    /// Returns whether no rows are left.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the approximate number of bytes of the values.
    pub(super) fn bytes(&self) -> usize {
        let bytes = self.0.iter().map(|array| {
            let slice = array.to_data().get_slice_memory_size();
            slice.unwrap_or_else(|_| array.get_buffer_memory_size())
        });
        bytes.sum()
    }

    /// Takes the rows for the next page of a leaf, at least one, as slices of arrays. Returns
    /// `None` if no rows are left.
    pub(super) fn take_page(
        &mut self,
        path: &LeafPath,
        unit: Unit,
        pages: PageSizes,
    ) -> Option<Vec<ArrayRef>> {
        let mut parts = Vec::new();
        let PageSizes {
            mut rows,
            mut bytes,
            content,
            ..
        } = pages;
        let mut cutter = content.map(|content| Cutter::new(content, unit));
        while rows > 0
            && let Some(first) = self.0.front()
        {
            let most = rows.min(first.len());
            let (fit, used) = fitting(first, path, unit, most, bytes);
            let fit = if parts.is_empty() { fit.max(1) } else { fit };
            let cut = cutter.as_mut().and_then(|it| it.cut(first, path, fit));
            let taken = cut.unwrap_or(fit);
            if taken > 0 {
                parts.extend(self.take(taken));
            }
            if taken < most || cut.is_some() {
                break;
            }
            rows -= taken;
            bytes = bytes.saturating_sub(used);
        }
        (!parts.is_empty()).then_some(parts)
    }

    /// Takes rows from the first array, up to its length.
    fn take(&mut self, rows: usize) -> Option<ArrayRef> {
        let first = self.0.pop_front()?;
        if rows < first.len() {
            self.0.push_front(first.slice(rows, first.len() - rows));
        }
        Some(first.slice(0, rows))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::Int32Array;
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int32Type;
    use arrow_schema::{DataType, Field};
    use std::ops::Range;
    use std::sync::Arc;

    fn array(range: Range<i32>) -> ArrayRef {
        Arc::new(Int32Array::from_iter_values(range))
    }

    #[test]
    fn rows_are_taken_once_and_in_order() {
        let first = array(0..3);
        let held = Arc::downgrade(&first);
        let mut rows = Rows::new(vec![first, array(3..3), array(3..10)]);
        let path = &LeafPath::all(&Arc::new(Field::new("x", DataType::Int32, false)))[0];
        let mut taken = Vec::new();
        let mut page = |rows: &mut Rows, most, bytes| {
            let pages = PageSizes {
                rows: most,
                bytes,
                step_rows: None,
                content: None,
            };
            let parts = rows.take_page(path, Unit::Bits(32), pages);
            let parts = parts.into_iter().flatten();
            let values = parts.map(|part| part.as_primitive::<Int32Type>().values().to_vec());
            taken.push(values.collect::<Vec<_>>().concat());
        };
        for (most, bytes) in [(2, 100), (3, usize::MAX), (9, 8), (9, 3), (9, 4000), (9, 9)] {
            page(&mut rows, most, bytes);
        }
        let want = [
            vec![0, 1],
            vec![2, 3, 4],
            vec![5, 6],
            vec![7],
            vec![8, 9],
            vec![],
        ];
        assert_eq!(taken, want);
        assert!(held.upgrade().is_none());
    }
}

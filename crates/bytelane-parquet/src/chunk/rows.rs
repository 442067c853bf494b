//! The rows of a column, taken from the front.

use crate::Result;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use arrow_select::concat::concat;
use std::collections::VecDeque;

/// Rows that are still to be written. The memory of others is free as soon as nobody else holds it: of a chunk that
/// hardly becomes smaller, the values and the pages would otherwise take twice as much.
pub(super) struct Rows(VecDeque<ArrayRef>);

impl Rows {
    /// All rows of some arrays.
    pub(super) fn new(arrays: Vec<ArrayRef>) -> Self {
        let arrays = arrays.into_iter().filter(|array| !array.is_empty());
        Self(arrays.collect())
    }

    /// Their type; that of nulls if there are none.
    pub(super) fn data_type(&self) -> &DataType {
        self.0
            .front()
            .map_or(&DataType::Null, |array| array.data_type())
    }

    /// The next rows that are in one array.
    pub(super) fn together(&self) -> usize {
        self.0.front().map_or(0, |array| array.len())
    }

    /// The next rows, at most so many: a slice of one array, or a copy of what several have. None if there is none left.
    pub(super) fn take(&mut self, most: usize) -> Result<Option<ArrayRef>> {
        let mut parts = Vec::new();
        let mut left = most.max(1);
        while left > 0
            && let Some(first) = self.0.pop_front()
        {
            let taken = left.min(first.len());
            if taken < first.len() {
                self.0.push_front(first.slice(taken, first.len() - taken));
            }
            parts.push(first.slice(0, taken));
            left -= taken;
        }
        if parts.len() > 1 {
            let several: Vec<&dyn Array> = parts.iter().map(AsRef::as_ref).collect();
            return Ok(Some(concat(&several)?));
        }
        Ok(parts.pop())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::Int32Array;
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int32Type;
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
        assert_eq!(rows.together(), 3);
        let mut taken = Vec::new();
        for most in [2, 2, 1, usize::MAX] {
            let part = rows.take(most).unwrap().unwrap();
            taken.push(part.as_primitive::<Int32Type>().values().to_vec());
        }
        assert_eq!(
            taken,
            [vec![0, 1], vec![2, 3], vec![4], vec![5, 6, 7, 8, 9]]
        );
        assert!(rows.take(1).unwrap().is_none());
        assert_eq!(rows.together(), 0);
        assert!(held.upgrade().is_none());
    }
}

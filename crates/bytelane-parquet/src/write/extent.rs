//! Measures the memory of rows, to decide how many of them fit into a row group.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, OffsetSizeTrait};
use arrow_schema::DataType;

/// Number of bytes of a string view, and the maximum length of strings that it contains.
const VIEW: usize = size_of::<u128>();
const IN_VIEW: u32 = 12;

/// Returns the number of bytes of an array's values. A slice counts only its part of shared memory,
/// and entries of dictionaries are not counted.
pub(super) fn extent(array: &dyn Array) -> usize {
    let rows = array.len();
    let nulls = array.nulls().map_or(0, |_| rows.div_ceil(8));
    nulls
        + match array.data_type() {
            DataType::Utf8View => views(array.as_string_view().views()),
            DataType::BinaryView => views(array.as_binary_view().views()),
            DataType::Dictionary(keys, _) => rows * keys.primitive_width().unwrap_or(0),
            DataType::Struct(_) => all(array.as_struct().columns()),
            DataType::FixedSizeList(..) => extent(array.as_fixed_size_list().values()),
            DataType::List(_) => {
                let list = array.as_list::<i32>();
                entries(list.value_offsets(), list.values().as_ref())
            }
            DataType::LargeList(_) => {
                let list = array.as_list::<i64>();
                entries(list.value_offsets(), list.values().as_ref())
            }
            DataType::Map(..) => {
                let map = array.as_map();
                entries(map.value_offsets(), map.entries())
            }
            _ => {
                let size = array.to_data().get_slice_memory_size();
                return size.unwrap_or_else(|_| array.get_buffer_memory_size());
            }
        }
}

/// Returns the number of bytes of the values of several arrays.
pub(super) fn all(arrays: &[ArrayRef]) -> usize {
    arrays.iter().map(|array| extent(array)).sum()
}

fn views(views: &[u128]) -> usize {
    let lengths = views.iter().map(|view| *view as u32);
    let long = lengths.filter(|length| *length > IN_VIEW);
    VIEW * views.len() + long.map(|length| length as usize).sum::<usize>()
}

fn entries<O: OffsetSizeTrait>(offsets: &[O], values: &dyn Array) -> usize {
    let [first, .., last] = offsets else {
        return 0;
    };
    let (start, end) = (first.as_usize(), last.as_usize());
    size_of_val(offsets) + extent(&values.slice(start, end - start))
}

/// Returns the number of rows of some columns that fit into `bytes` bytes: at least one, and at
/// most `most`.
pub(super) fn fitting(columns: &[ArrayRef], most: usize, bytes: usize) -> usize {
    let size = |rows: usize| columns.iter().map(|it| extent(&it.slice(0, rows))).sum();
    let fits = |rows: usize| -> bool { usize::le(&size(rows), &bytes) };
    if fits(most) {
        return most;
    }
    let (mut fit, mut beyond) = (1, most);
    while fit + 1 < beyond {
        let middle = fit.midpoint(beyond);
        if fits(middle) {
            fit = middle
        } else {
            beyond = middle
        }
    }
    fit.min(most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::types::Int32Type;
    use arrow_array::{DictionaryArray, Int64Array, ListArray, StringArray, StringViewArray};
    use std::sync::Arc;

    #[test]
    fn slices_have_a_part() {
        let long = "x".repeat(100);
        let texts: Vec<&str> = (0..100).map(|_| long.as_str()).collect();
        let lists = (0..100).map(|_| Some([Some(1), None]));
        let arrays: [(ArrayRef, std::ops::Range<usize>); 5] = [
            (Arc::new(Int64Array::from(vec![7; 100])), 80..81),
            (Arc::new(StringArray::from(texts.clone())), 1040..1050),
            (Arc::new(StringViewArray::from(texts.clone())), 1160..1161),
            (
                Arc::new(texts.into_iter().collect::<DictionaryArray<Int32Type>>()),
                40..41,
            ),
            (
                Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(lists)),
                120..140,
            ),
        ];
        for (array, bytes) in &arrays {
            let size = extent(&array.slice(50, 10));
            assert!(bytes.contains(&size), "{}: {size}", array.data_type());
        }
        let columns = arrays.map(|(array, _)| array);
        let size = |rows: usize| all(&columns.each_ref().map(|it| it.slice(0, rows)));
        for most in [1, 30, 100] {
            let fit = fitting(&columns, most, size(20));
            assert_eq!(fit, most.min(20));
        }
        assert_eq!((fitting(&columns, 100, 0), fitting(&columns, 0, 0)), (1, 0));
    }
}

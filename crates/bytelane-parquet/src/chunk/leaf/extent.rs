//! Computes the size of the values of rows without building levels, to find where a page ends.

use super::{LeafPath, Step};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, OffsetSizeTrait};
use arrow_schema::DataType;
use std::ops::Range;

/// Space that values take in a page.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Unit {
    /// Number of bits per value.
    Bits(usize),
    /// Strings: their bytes, and four bytes each for the length.
    Strings,
}

/// Number of bytes of a string's length in PLAIN.
const LENGTH: usize = 4;

/// Returns the number of rows from the start, at most `most`, whose values fit into `bytes` bytes,
/// and the number of bytes that they take. Nulls count as values.
pub(crate) fn fitting(
    array: &ArrayRef,
    path: &LeafPath,
    unit: Unit,
    most: usize,
    bytes: usize,
) -> (usize, usize) {
    if bytes == usize::MAX {
        return (most, 0);
    }
    let lists = Lists::new(array, path);
    let whole = lists.start()..lists.end(most);
    let (end, used) = prefix(&lists.leaf, whole.clone(), unit, bytes);
    if end == whole.end {
        return (most, used);
    }
    // Find the first row that ends past the limit.
    let (mut fit, mut beyond) = (0, most);
    while fit + 1 < beyond {
        let middle = fit.midpoint(beyond);
        if lists.end(middle) <= end {
            fit = middle
        } else {
            beyond = middle
        }
    }
    (fit, bytes)
}

/// Arrays with offsets on the path to a leaf.
pub(super) struct Lists {
    lists: Vec<ArrayRef>,
    pub(super) leaf: ArrayRef,
}

impl Lists {
    pub(super) fn new(array: &ArrayRef, path: &LeafPath) -> Self {
        let mut lists = Vec::new();
        let mut leaf = ArrayRef::clone(array);
        for node in &path.nodes {
            leaf = match node.step {
                Step::Field(index) => ArrayRef::clone(leaf.as_struct().column(index)),
                Step::Entries => {
                    let entries = entries(&leaf);
                    lists.push(leaf);
                    entries
                }
            };
        }
        Self { lists, leaf }
    }

    pub(super) fn start(&self) -> usize {
        self.end(0)
    }

    /// Returns the index of the leaf element after those of the first `rows` rows.
    pub(super) fn end(&self, rows: usize) -> usize {
        let lists = self.lists.iter();
        lists.fold(rows, |index, list| offset(list, index))
    }
}

fn entries(list: &ArrayRef) -> ArrayRef {
    match list.data_type() {
        DataType::LargeList(_) => ArrayRef::clone(list.as_list::<i64>().values()),
        DataType::Map(..) => std::sync::Arc::new(list.as_map().entries().clone()),
        DataType::FixedSizeList(..) => ArrayRef::clone(list.as_fixed_size_list().values()),
        _ => ArrayRef::clone(list.as_list::<i32>().values()),
    }
}

fn offset(list: &ArrayRef, index: usize) -> usize {
    match list.data_type() {
        DataType::LargeList(_) => list.as_list::<i64>().value_offsets()[index] as usize,
        DataType::Map(..) => list.as_map().value_offsets()[index] as usize,
        DataType::FixedSizeList(_, length) => index * *length as usize,
        _ => list.as_list::<i32>().value_offsets()[index] as usize,
    }
}

/// Returns the end of the longest prefix of a range whose elements fit into `bytes` bytes, and the
/// number of bytes that they take.
fn prefix(leaf: &ArrayRef, range: Range<usize>, unit: Unit, bytes: usize) -> (usize, usize) {
    let bits = match unit {
        Unit::Bits(bits) => bits,
        Unit::Strings => return strings(leaf, range, bytes),
    };
    let fit = range.len().min(bytes.saturating_mul(8) / bits);
    (range.start + fit, (fit * bits).div_ceil(8))
}

fn strings(leaf: &ArrayRef, range: Range<usize>, bytes: usize) -> (usize, usize) {
    match leaf.data_type() {
        DataType::Utf8 => of_offsets(leaf.as_string::<i32>().value_offsets(), range, bytes),
        DataType::Binary => of_offsets(leaf.as_binary::<i32>().value_offsets(), range, bytes),
        DataType::LargeUtf8 => of_offsets(leaf.as_string::<i64>().value_offsets(), range, bytes),
        DataType::LargeBinary => of_offsets(leaf.as_binary::<i64>().value_offsets(), range, bytes),
        DataType::Utf8View => of_views(leaf.as_string_view().views(), range, bytes),
        DataType::BinaryView => of_views(leaf.as_binary_view().views(), range, bytes),
        DataType::Dictionary(..) => {
            let dictionary = leaf.as_any_dictionary();
            if dictionary.values().is_empty() {
                return (range.end, 0);
            }
            let part = leaf.slice(range.start, range.len());
            let keys = part.as_any_dictionary().normalized_keys();
            let key = |index: usize| keys[index - range.start];
            let length = |index: usize| length_of(dictionary.values(), key(index));
            one_by_one(length, range.clone(), bytes)
        }
        _ => one_by_one(|_| 0, range, bytes),
    }
}

/// Returns the length of a string.
fn length_of(values: &ArrayRef, index: usize) -> usize {
    let (end, used) = strings(values, index..index + 1, usize::MAX);
    if end > index { used - LENGTH } else { 0 }
}

fn of_offsets<O: OffsetSizeTrait>(
    offsets: &[O],
    range: Range<usize>,
    bytes: usize,
) -> (usize, usize) {
    let start = offsets[range.start].as_usize();
    let used = |end: usize| offsets[end].as_usize() - start + LENGTH * (end - range.start);
    if used(range.end) <= bytes {
        return (range.end, used(range.end));
    }
    let (mut fit, mut beyond) = (range.start, range.end);
    while fit + 1 < beyond {
        let middle = fit.midpoint(beyond);
        if used(middle) <= bytes {
            fit = middle
        } else {
            beyond = middle
        }
    }
    (fit, used(fit))
}

fn of_views(views: &[u128], range: Range<usize>, bytes: usize) -> (usize, usize) {
    one_by_one(|index| views[index] as u32 as usize, range, bytes)
}

fn one_by_one(
    length: impl Fn(usize) -> usize,
    range: Range<usize>,
    bytes: usize,
) -> (usize, usize) {
    let mut used = 0;
    for index in range.clone() {
        let next = used + length(index) + LENGTH;
        if next > bytes {
            return (index, used);
        }
        used = next;
    }
    (range.end, used)
}

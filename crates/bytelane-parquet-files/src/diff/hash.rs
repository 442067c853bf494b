//! Hashes rows. The two 64-bit halves of a hash share no constant.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, FixedSizeBinaryArray};
use arrow_buffer::NullBuffer;
use arrow_cast::cast;
use arrow_schema::DataType;
use bytelane_parquet::{Problem, Result};
use std::sync::Arc;

/// Hash of a row or a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(crate) struct Hash(pub(crate) u64, pub(crate) u64);

/// First digits of pi, chosen because they are not special.
const FIRST: [u64; 2] = [0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344];
const SECOND: [u64; 2] = [0xa409_3822_299f_31d0, 0x082e_fa98_ec4e_6c89];

/// Hash of a null, and of a row without columns.
const NULL: Hash = Hash(0x4528_21e6_38d0_1377, 0xbe54_66cf_34e9_0c6c);
const EMPTY: Hash = Hash(0xc0ac_29b7_c97c_50dd, 0x3f84_d5b5_b547_0917);

/// Maximum length of a value that is part of its view.
const INLINE: u32 = 12;

/// Multiplies two 64-bit numbers, and combines both halves of the product by XOR.
fn folded([a, b]: [u64; 2], one: u64, other: u64) -> u64 {
    let product = u128::from(one ^ a) * u128::from(other ^ b);
    (product as u64) ^ (product >> 64) as u64
}

impl Hash {
    /// Adds a number.
    fn with(self, number: u64) -> Self {
        Self(
            folded(FIRST, self.0, number),
            folded(SECOND, self.1, number.rotate_left(32)),
        )
    }

    /// Adds another hash.
    pub(super) fn and(self, other: Self) -> Self {
        Self(
            folded(FIRST, self.0, other.0),
            folded(SECOND, self.1, other.1),
        )
    }

    /// Adds more than 8 bytes, and their length first.
    fn with_long(self, bytes: &[u8]) -> Self {
        let hash = self.with(bytes.len() as u64);
        let words = bytes.as_chunks::<8>().0.iter();
        // It overlaps the word before.
        let words = words.chain(bytes.last_chunk::<8>());
        words.fold(hash, |hash, word| hash.with(u64::from_le_bytes(*word)))
    }

    /// Adds bytes and their length.
    pub(super) fn with_bytes(self, bytes: &[u8]) -> Self {
        let (words, rest) = bytes.as_chunks::<8>();
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        let words = words.iter().chain([&last]);
        let hash = words.fold(self, |hash, word| hash.with(u64::from_le_bytes(*word)));
        hash.with(bytes.len() as u64)
    }
}

/// Returns the hash of each row.
pub(crate) fn of_rows(columns: &[ArrayRef]) -> Result<Vec<Hash>> {
    let rows = columns.first().map_or(0, |column| column.len());
    let mut hashes = vec![EMPTY; rows];
    for column in columns {
        add(&mut hashes, column)?;
    }
    Ok(hashes)
}

/// Adds the values of a column to the hashes of its rows, ignoring children of nulls.
///
/// The words of each value say where it ends, so that no other values of the same types have the same words.
fn add(hashes: &mut [Hash], column: &ArrayRef) -> Result<()> {
    let nulls = column.logical_nulls();
    let nulls = nulls.as_ref().filter(|nulls| nulls.null_count() > 0);
    let count = hashes.len();
    /// Adds the values of a primitive array, as numbers.
    macro_rules! numbers {
        ($of:ty, $bits:expr) => {{
            let values = &column.as_primitive::<$of>().values()[..count];
            each(hashes, nulls, |hash, at| hash.with($bits(values[at])));
        }};
    }
    match column.data_type() {
        DataType::Boolean => {
            let values = column.as_boolean().values();
            each(hashes, nulls, |hash, at| hash.with(values.value(at).into()));
        }
        DataType::Int32 => numbers!(Int32Type, |it| it as u64),
        DataType::Int64 => numbers!(Int64Type, |it| it as u64),
        DataType::Float32 => numbers!(Float32Type, |it: f32| it.to_bits().into()),
        DataType::Float64 => numbers!(Float64Type, f64::to_bits),
        DataType::BinaryView => {
            let values = column.as_binary_view();
            let views = &values.views()[..count];
            each(hashes, nulls, |hash, at| match views[at] {
                // The view is the length and the bytes, followed by zeros.
                view if view as u32 <= INLINE => hash.with(view as u64).with((view >> 64) as u64),
                _ => hash.with_long(values.value(at)),
            });
        }
        DataType::FixedSizeBinary(_) => {
            let values = column.as_fixed_size_binary();
            each(hashes, nulls, |hash, at| hash.with_bytes(values.value(at)));
        }
        DataType::List(_) => {
            let list = column.as_list::<i32>();
            let offsets = list.offsets().iter().map(|offset| *offset as usize);
            let lists = of_lists(&of_items(list.values())?, offsets);
            each(hashes, nulls, |hash, at| hash.and(lists[at]));
        }
        DataType::LargeList(_) => {
            let list = column.as_list::<i64>();
            let offsets = list.offsets().iter().map(|offset| *offset as usize);
            let lists = of_lists(&of_items(list.values())?, offsets);
            each(hashes, nulls, |hash, at| hash.and(lists[at]));
        }
        DataType::Struct(_) if column.as_struct().num_columns() > 0 => {
            let groups = of_rows(column.as_struct().columns())?;
            each(hashes, nulls, |hash, at| hash.and(groups[at]));
        }
        DataType::Struct(_) | DataType::Null => each(hashes, nulls, |hash, _| hash.and(EMPTY)),
        _ => add(hashes, &as_stored(column)?)?,
    }
    Ok(())
}

/// Returns an array of a type that columns of stored values do not have, as one that they may have.
fn as_stored(array: &ArrayRef) -> Result<ArrayRef> {
    let data_type = array.data_type();
    let Some(width) = data_type.primitive_width() else {
        return Ok(match data_type {
            DataType::FixedSizeList(item, _) => cast(array, &DataType::List(Arc::clone(item)))?,
            DataType::Utf8 => cast(&cast(array, &DataType::Binary)?, &DataType::BinaryView)?,
            DataType::Binary => cast(array, &DataType::BinaryView)?,
            other => {
                let problem = format!("rows with the type {other} cannot be compared in any order");
                return Err(Problem::Unsupported(problem).into());
            }
        });
    };
    let data = array.to_data();
    let values = data.buffers()[0].slice_with_length(data.offset() * width, data.len() * width);
    let width = i32::try_from(width).unwrap_or(0);
    Ok(Arc::new(FixedSizeBinaryArray::try_new(
        width,
        values,
        array.nulls().cloned(),
    )?))
}

/// Adds the value of each row, or a null.
fn each(hashes: &mut [Hash], nulls: Option<&NullBuffer>, with: impl Fn(Hash, usize) -> Hash) {
    match nulls {
        None => {
            for (at, hash) in hashes.iter_mut().enumerate() {
                *hash = with(*hash, at);
            }
        }
        Some(nulls) => {
            for ((at, hash), is_valid) in hashes.iter_mut().enumerate().zip(nulls.iter()) {
                *hash = if is_valid {
                    with(*hash, at)
                } else {
                    hash.and(NULL)
                };
            }
        }
    }
}

/// Returns the hash of each item of lists.
fn of_items(items: &ArrayRef) -> Result<Vec<Hash>> {
    of_rows(std::slice::from_ref(items))
}

fn of_lists(values: &[Hash], offsets: impl Iterator<Item = usize> + Clone) -> Vec<Hash> {
    let lists = offsets.clone().zip(offsets.skip(1));
    let hash = |(start, end): (usize, usize)| {
        let items = values[start..end].iter();
        let hash = items.fold(EMPTY, |hash, item| hash.and(*item));
        hash.with((end - start) as u64)
    };
    lists.map(hash).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{BinaryViewArray, Int64Array, ListArray};
    use std::collections::HashSet;
    use std::sync::Arc;

    #[test]
    fn values_have_hashes_of_their_own() {
        let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..100_000));
        let hashes = of_rows(&[numbers]).unwrap();
        let halves = |of: fn(&Hash) -> u64| hashes.iter().map(of).collect::<HashSet<_>>().len();
        assert_eq!((halves(|it| it.0), halves(|it| it.1)), (100_000, 100_000));
        let texts = [
            &b""[..],
            b"\0",
            b"\0\0",
            b"abcdefgh",
            b"abcdefgh\0",
            b"abcdefg",
            b"abcdefghijkl",
            b"abcdefghijklm",
            b"abcdefghijklmnop",
            b"abcdefghijklmnopijklmnop",
            b"abcdefghijklmnopijklmno\0",
        ];
        let count = texts.len();
        let texts: ArrayRef = Arc::new(BinaryViewArray::from_iter_values(texts));
        let hashes = of_rows(&[texts]).unwrap();
        assert_eq!(hashes.iter().collect::<HashSet<_>>().len(), count);
    }

    #[test]
    fn lists_are_told_from_their_items_and_nulls_from_empty_lists() {
        let lists = [
            None,
            Some(vec![]),
            Some(vec![None]),
            Some(vec![Some(0)]),
            Some(vec![Some(0), Some(0)]),
            Some(vec![Some(0), None]),
        ];
        let lists: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(lists));
        let hashes = of_rows(&[lists]).unwrap();
        assert_eq!(hashes.iter().collect::<HashSet<_>>().len(), 6);
    }
}

//! Hashes rows. The two 64-bit halves of a hash share no constant.

use crate::Result;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;

/// Hash of a row or a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(super) struct Hash(pub(super) u64, pub(super) u64);

/// First digits of pi, chosen because they are not special.
const FIRST: [u64; 2] = [0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344];
const SECOND: [u64; 2] = [0xa409_3822_299f_31d0, 0x082e_fa98_ec4e_6c89];

/// Hash of a null, and of a row without columns.
const NULL: Hash = Hash(0x4528_21e6_38d0_1377, 0xbe54_66cf_34e9_0c6c);
const EMPTY: Hash = Hash(0xc0ac_29b7_c97c_50dd, 0x3f84_d5b5_b547_0917);

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
pub(super) fn of_rows(columns: &[ArrayRef]) -> Result<Vec<Hash>> {
    let rows = columns.first().map_or(0, |column| column.len());
    let mut hashes = vec![EMPTY; rows];
    for column in columns {
        let values = of_values(column)?;
        for (hash, value) in hashes.iter_mut().zip(values) {
            *hash = hash.and(value);
        }
    }
    Ok(hashes)
}

/// Returns the hash of each value of an array, ignoring children of nulls.
fn of_values(array: &ArrayRef) -> Result<Vec<Hash>> {
    let mut hashes: Vec<Hash> = match array.data_type() {
        DataType::Boolean => {
            let values = array.as_boolean().values();
            values
                .iter()
                .map(|value| EMPTY.with(value.into()))
                .collect()
        }
        DataType::Int32 => numbers(array.as_primitive::<Int32Type>().values(), |it| *it as u64),
        DataType::Int64 => numbers(array.as_primitive::<Int64Type>().values(), |it| *it as u64),
        DataType::Float32 => {
            let values = array.as_primitive::<Float32Type>().values();
            numbers(values, |it| it.to_bits().into())
        }
        DataType::Float64 => {
            let values = array.as_primitive::<Float64Type>().values();
            numbers(values, |it| it.to_bits())
        }
        DataType::BinaryView => {
            let values = array.as_binary_view();
            let hash = |at| EMPTY.with_bytes(values.value(at));
            (0..array.len()).map(hash).collect()
        }
        DataType::FixedSizeBinary(_) => {
            let values = array.as_fixed_size_binary();
            let hash = |at| EMPTY.with_bytes(values.value(at));
            (0..array.len()).map(hash).collect()
        }
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            let offsets = list.offsets().iter().map(|offset| *offset as usize);
            of_lists(&of_values(list.values())?, offsets)
        }
        DataType::LargeList(_) => {
            let list = array.as_list::<i64>();
            let offsets = list.offsets().iter().map(|offset| *offset as usize);
            of_lists(&of_values(list.values())?, offsets)
        }
        DataType::Struct(_) if array.as_struct().num_columns() > 0 => {
            of_rows(array.as_struct().columns())?
        }
        _ => vec![EMPTY; array.len()],
    };
    if let Some(nulls) = array.logical_nulls() {
        for (hash, is_valid) in hashes.iter_mut().zip(nulls.iter()) {
            if !is_valid {
                *hash = NULL;
            }
        }
    }
    Ok(hashes)
}

fn numbers<T>(values: &[T], bits: impl Fn(&T) -> u64) -> Vec<Hash> {
    values.iter().map(|value| EMPTY.with(bits(value))).collect()
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
        ];
        let texts: ArrayRef = Arc::new(BinaryViewArray::from_iter_values(texts));
        let hashes = of_rows(&[texts]).unwrap();
        assert_eq!(hashes.iter().collect::<HashSet<_>>().len(), 6);
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

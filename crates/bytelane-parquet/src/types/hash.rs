//! Computes hashes of the values of arrays. They are the same in every process.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;

/// Mixes bits, so that the upper bits of the result depend on all of them.
pub(crate) fn mix(bits: u64) -> u64 {
    (bits ^ (bits >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Hashes a string.
fn hash(value: &[u8]) -> u64 {
    let next = |hash: u64, part: [u8; 8]| mix(hash.rotate_left(23) ^ u64::from_le_bytes(part));
    let (parts, rest) = value.as_chunks::<8>();
    let length = mix(value.len() as u64);
    let hash = parts.iter().fold(length, |hash, part| next(hash, *part));
    if rest.is_empty() {
        return hash;
    }
    let mut padded = [0; 8];
    padded[..rest.len()].copy_from_slice(rest);
    next(hash, padded)
}

/// Calls a function with the hash of each value of an array, including nulls. Returns `None` for types whose
/// values have no bytes of their own, such as booleans. For dictionaries, the keys are hashed, not their
/// entries.
pub(crate) fn for_each_hash(array: &ArrayRef, mut see: impl FnMut(u64)) -> Option<()> {
    match array.data_type() {
        DataType::Utf8 => bytes_of(array.as_string::<i32>().iter(), see),
        DataType::LargeUtf8 => bytes_of(array.as_string::<i64>().iter(), see),
        DataType::Utf8View => bytes_of(array.as_string_view().iter(), see),
        DataType::Binary => bytes_of(array.as_binary::<i32>().iter(), see),
        DataType::LargeBinary => bytes_of(array.as_binary::<i64>().iter(), see),
        DataType::BinaryView => bytes_of(array.as_binary_view().iter(), see),
        DataType::FixedSizeBinary(_) => bytes_of(array.as_fixed_size_binary().iter(), see),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            // This panics if there are no values, for example where all keys are null.
            let keys = if dictionary.values().is_empty() {
                vec![0; array.len()]
            } else {
                dictionary.normalized_keys()
            };
            keys.iter().for_each(|key| see(mix(*key as u64)));
        }
        data_type => {
            let width = data_type.primitive_width()?;
            let data = array.to_data();
            let bytes = &data.buffers()[0][data.offset() * width..][..data.len() * width];
            match width {
                4 => of_fixed(bytes.as_chunks::<4>().0, see),
                8 => of_fixed(bytes.as_chunks::<8>().0, see),
                _ => bytes.chunks_exact(width).for_each(|value| see(hash(value))),
            }
        }
    }
    Some(())
}

fn bytes_of<T: AsRef<[u8]>>(values: impl Iterator<Item = Option<T>>, mut see: impl FnMut(u64)) {
    values.for_each(|value| see(value.map_or(0, |value| hash(value.as_ref()))));
}

/// Specialises the loop for common widths.
fn of_fixed<const WIDTH: usize>(values: &[[u8; WIDTH]], mut see: impl FnMut(u64)) {
    for value in values {
        let mut padded = [0; 8];
        padded[..WIDTH].copy_from_slice(value);
        see(mix(u64::from_le_bytes(padded)));
    }
}

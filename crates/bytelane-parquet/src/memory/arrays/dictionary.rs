//! Builds dictionary arrays.

use arrow_array::types::ArrowDictionaryKeyType;
use arrow_array::{Array, ArrayRef, DictionaryArray, PrimitiveArray};
use arrow_buffer::ArrowNativeType;
use arrow_schema::ArrowError;

/// Builds an array of keys and the values that they refer to. Returns an error if a key has no value.
pub(crate) fn dictionary_array<K: ArrowDictionaryKeyType>(
    keys: PrimitiveArray<K>,
    values: ArrayRef,
) -> Result<DictionaryArray<K>, ArrowError> {
    let zero = K::Native::default();
    // The compiler vectorises this, unlike the search for a key without a value.
    let (least, greatest) = keys
        .values()
        .iter()
        .fold((zero, zero), |(least, greatest), key| {
            (
                if *key < least { *key } else { least },
                if *key > greatest { *key } else { greatest },
            )
        });
    let is_within = greatest.to_usize().is_some_and(|key| key < values.len());
    if least < zero || !is_within {
        // Keys of nulls are arbitrary.
        return DictionaryArray::try_new(keys, values);
    }
    // SAFETY: the check above has shown that no key is negative and that the greatest one is less than the
    // number of values. This includes the keys of nulls.
    Ok(unsafe { DictionaryArray::new_unchecked(keys, values) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::types::Int32Type;
    use arrow_array::{Int32Array, StringArray};
    use std::sync::Arc;

    #[test]
    fn keys_without_values_are_errors_unless_they_are_null() {
        let values: ArrayRef = Arc::new(StringArray::from(vec!["a", "b"]));
        let built = |keys: Int32Array| dictionary_array::<Int32Type>(keys, Arc::clone(&values));
        let keys = Int32Array::from(vec![1, 0, 1]);
        assert_eq!(built(keys.clone()).expect("an array").keys(), &keys);
        for key in [2, -1, i32::MIN] {
            assert!(built(Int32Array::from(vec![0, key])).is_err(), "{key}");
            let nulls = Some(vec![true, false].into());
            let keys = Int32Array::new(vec![0, key].into(), nulls);
            assert_eq!(built(keys).expect("an array").null_count(), 1);
        }
        assert!(built(Int32Array::from(Vec::<i32>::new())).is_ok());
    }
}

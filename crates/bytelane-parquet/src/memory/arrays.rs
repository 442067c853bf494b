//! Builds arrays of strings and bytes after checking their parts.
//!
//! Arrow's safe constructors perform the same checks string by string, which takes longer than decoding. Each
//! function here checks everything that Arrow requires for any input, so that none of them depends on
//! promises of its callers.

mod dictionary;
mod views;

pub(crate) use dictionary::dictionary_array;
pub(crate) use views::{ViewBuilder, ViewContent, ViewDictionary};

use arrow_array::types::{ByteArrayType, GenericBinaryType, GenericStringType};
use arrow_array::{GenericByteArray, OffsetSizeTrait};
use arrow_buffer::{ArrowNativeType, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use bytelane::{Detected, utf8};

/// Kind of values in an array: strings, which are UTF-8, or any bytes.
pub(crate) trait Content: ByteArrayType + Sized {
    /// Returns whether all values between the offsets are valid. All offsets must be within the bytes, and
    /// none may be smaller than the one before.
    fn are_values(backend: Detected, offsets: &[Self::Offset], bytes: &[u8]) -> bool;
}

impl<O: OffsetSizeTrait> Content for GenericBinaryType<O> {
    fn are_values(_: Detected, _: &[O], _: &[u8]) -> bool {
        true
    }
}

impl<O: OffsetSizeTrait> Content for GenericStringType<O> {
    fn are_values(backend: Detected, offsets: &[O], bytes: &[u8]) -> bool {
        if utf8::is_ascii_with(backend, bytes) {
            return true;
        }
        let is_end = |text: &str| {
            offsets
                .iter()
                .all(|at| text.is_char_boundary(at.as_usize()))
        };
        utf8::validate_with(backend, bytes).is_ok_and(is_end)
    }
}

/// Value of a string array that is not UTF-8.
#[derive(Debug)]
pub(crate) struct NotText {
    pub(crate) index: usize,
    pub(crate) error: utf8::Error,
}

impl NotText {
    /// Returns the first value that is not UTF-8, if there is one.
    fn first(values: impl Iterator<Item = impl AsRef<[u8]>>) -> Option<Self> {
        let mut faults = values.enumerate().filter_map(|(index, value)| {
            let error = utf8::validate(value.as_ref()).err()?;
            Some(Self { index, error })
        });
        faults.next()
    }
}

/// Builds the array of the values between the offsets. Returns an error if a string is not UTF-8.
///
/// # Panics
///
/// Panics if the offsets decrease or are not within the bytes, or if the number of bits in `nulls` differs
/// from the number of values.
pub(crate) fn byte_array<T: Content>(
    backend: Detected,
    offsets: Vec<T::Offset>,
    bytes: Vec<u8>,
    nulls: Option<NullBuffer>,
) -> Result<GenericByteArray<T>, NotText> {
    let [first, .., last] = offsets[..] else {
        // There are no values, perhaps not even the first offset.
        return Ok(GenericByteArray::new(
            OffsetBuffer::new(offsets.into()),
            bytes.into(),
            nulls,
        ));
    };
    // The compiler vectorises this, unlike `is_sorted`.
    let pairs = offsets.iter().zip(&offsets[1..]);
    let rise = pairs.fold(true, |rise, (start, end)| rise & (start <= end));
    assert!(
        rise && T::Offset::default() <= first,
        "the offsets of an array fall"
    );
    assert!(
        last.as_usize() <= bytes.len(),
        "an offset beyond the bytes of an array"
    );
    check_nulls(nulls.as_ref(), offsets.len() - 1);
    if !T::are_values(backend, &offsets, &bytes) {
        let ends = offsets
            .windows(2)
            .map(|ends| ends[0].as_usize()..ends[1].as_usize());
        let fault = NotText::first(ends.map(|place| &bytes[place]));
        return Err(fault.expect("a value that is not UTF-8"));
    }
    // SAFETY: the check above has shown that the first offset is not negative and none is smaller than the
    // one before.
    let offsets = unsafe { OffsetBuffer::new_unchecked(ScalarBuffer::from(offsets)) };
    // SAFETY: no offset is greater than the last one, which is within the bytes, and there are as many bits
    // of nulls as values. If these have to be strings, `are_values` has checked that all bytes are UTF-8 and
    // each offset is at the boundary of a character, so the bytes between any two offsets are UTF-8.
    Ok(unsafe { GenericByteArray::new_unchecked(offsets, Buffer::from_vec(bytes), nulls) })
}

fn check_nulls(nulls: Option<&NullBuffer>, values: usize) {
    let bits = nulls.map_or(values, NullBuffer::len);
    assert_eq!(
        bits, values,
        "the bits of nulls, and the values of an array"
    );
}

#[cfg(test)]
mod tests;

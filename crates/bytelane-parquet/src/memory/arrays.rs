//! Arrays of strings and bytes, whose parts are checked here.
//!
//! Arrow's safe constructors check the same, but string by string, which takes longer than decoding. Each function here
//! checks all that Arrow asks for, whatever it is given, so that none of them depends on promises of its callers.

mod views;

pub(crate) use views::{ViewBuilder, ViewContent, ViewDictionary};

use arrow_array::types::{ByteArrayType, GenericBinaryType, GenericStringType};
use arrow_array::{GenericByteArray, OffsetSizeTrait};
use arrow_buffer::{ArrowNativeType, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use bytelane::{Detected, utf8};

/// What the values of an array may be: strings, which are UTF-8, or any bytes.
pub(crate) trait Content: ByteArrayType + Sized {
    /// Whether each of the values between the offsets may be one. All offsets are within the bytes, and none is smaller
    /// than the one before.
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

/// A string of an array that is not UTF-8.
#[derive(Debug)]
pub(crate) struct NotText {
    pub(crate) index: usize,
    pub(crate) error: utf8::Error,
}

impl NotText {
    /// The first value that is not UTF-8, if there is one.
    fn first(values: impl Iterator<Item = impl AsRef<[u8]>>) -> Option<Self> {
        let mut faults = values.enumerate().filter_map(|(index, value)| {
            let error = utf8::validate(value.as_ref()).err()?;
            Some(Self { index, error })
        });
        faults.next()
    }
}

/// The array of the values between the offsets. An error if a string is not UTF-8.
///
/// # Panics
///
/// Panics if offsets fall, or are not within the bytes, or if there are not as many bits in `nulls` as values.
pub(crate) fn byte_array<T: Content>(
    backend: Detected,
    offsets: Vec<T::Offset>,
    bytes: Vec<u8>,
    nulls: Option<NullBuffer>,
) -> Result<GenericByteArray<T>, NotText> {
    let [first, .., last] = offsets[..] else {
        // No values, or not even the offset before the first one.
        return Ok(GenericByteArray::new(
            OffsetBuffer::new(offsets.into()),
            bytes.into(),
            nulls,
        ));
    };
    // In contrast to `is_sorted`, the compiler makes vectors of it.
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
    // SAFETY: the first offset is not negative and none is smaller than the one before, as has just been checked.
    let offsets = unsafe { OffsetBuffer::new_unchecked(ScalarBuffer::from(offsets)) };
    // SAFETY: no offset is greater than the last one, which is within the bytes, and there are as many bits of nulls as
    // values. If these have to be strings, all bytes are UTF-8 and each offset is at the boundary of a character, which
    // `are_values` has checked, so what is between two of them is UTF-8.
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

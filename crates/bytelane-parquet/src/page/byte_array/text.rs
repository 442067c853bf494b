//! Strings must be UTF-8, other values may be any bytes.

use super::plain::Entries;
use crate::{Error, Result};
use arrow_array::cast::AsArray;
use arrow_array::types::{ByteArrayType, GenericBinaryType, GenericStringType};
use arrow_array::{
    Array, ArrayRef, BooleanArray, GenericBinaryArray, GenericByteArray, GenericStringArray,
    OffsetSizeTrait,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use bytelane::{Detected, utf8};

/// Strings, or bytes.
pub(super) trait Kind: ByteArrayType + Sized {
    /// The array of values that end at offsets. Nulls have no bytes.
    fn array(
        backend: Detected,
        offsets: OffsetBuffer<Self::Offset>,
        bytes: Vec<u8>,
        nulls: Option<NullBuffer>,
    ) -> Result<GenericByteArray<Self>>;
}

impl<O: OffsetSizeTrait> Kind for GenericBinaryType<O> {
    fn array(
        _: Detected,
        offsets: OffsetBuffer<O>,
        bytes: Vec<u8>,
        nulls: Option<NullBuffer>,
    ) -> Result<GenericBinaryArray<O>> {
        Ok(GenericBinaryArray::try_new(offsets, bytes.into(), nulls)?)
    }
}

impl<O: OffsetSizeTrait> Kind for GenericStringType<O> {
    /// Arrow validates strings once more, which costs little if they are ASCII. Others are better copied: arrays of
    /// `&str` are not validated.
    fn array(
        backend: Detected,
        offsets: OffsetBuffer<O>,
        bytes: Vec<u8>,
        nulls: Option<NullBuffer>,
    ) -> Result<GenericStringArray<O>> {
        if utf8::is_ascii_with(backend, &bytes) {
            return Ok(GenericStringArray::try_new(offsets, bytes.into(), nulls)?);
        }
        let places = || {
            let ends = offsets.windows(2);
            ends.map(|ends| ends[0].as_usize()..ends[1].as_usize())
        };
        let text = utf8::validate_with(backend, &bytes).ok();
        // Each of the strings must begin and end with a character.
        let is_whole = |text: &&str| {
            let mut ends = offsets.iter();
            ends.all(|end| text.is_char_boundary(end.as_usize()))
        };
        let Some(text) = text.filter(is_whole) else {
            return Err(first_fault(places().map(|place| &bytes[place])));
        };
        let strings = places().map(|place| &text[place]);
        let array = GenericStringArray::<O>::from_iter_values(strings);
        Ok(with_nulls(&array, nulls)?.as_string::<O>().clone())
    }
}

/// The same array with nulls, which is not validated again.
pub(super) fn with_nulls(array: &dyn Array, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
    let is_null = match nulls {
        Some(nulls) => BooleanArray::new(!nulls.inner(), None),
        None => return Ok(array.slice(0, array.len())),
    };
    Ok(arrow_select::nullif::nullif(array, &is_null)?)
}

/// An error if an entry is not UTF-8.
pub(super) fn check(backend: Detected, entries: &Entries) -> Result<()> {
    for (index, entry) in entries.iter().enumerate() {
        if let Err(error) = utf8::validate_with(backend, entry) {
            return Err(fault(
                &format!("the value {index} of the dictionary"),
                &error,
            ));
        }
    }
    Ok(())
}

/// The error for the first value of an array that is not UTF-8.
fn first_fault<'a>(values: impl Iterator<Item = &'a [u8]>) -> Error {
    let fault = values.enumerate().find_map(|(index, value)| {
        let error = utf8::validate(value).err()?;
        Some(fault(&format!("the value {index} of the array"), &error))
    });
    fault.unwrap_or_else(|| Error::corrupt("a value that is not UTF-8"))
}

fn fault(value: &str, error: &utf8::Error) -> Error {
    Error::corrupt(format!(
        "{value} is not UTF-8: {error}; read the column as Binary, which can have any bytes"
    ))
}

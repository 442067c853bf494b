//! Arrays of strings and bytes, whose parts are checked here.
//!
//! Arrow's safe constructors check the same, but string by string, which takes longer than decoding. Each function here
//! checks all that Arrow asks for, whatever it is given, so that none of them depends on promises of its callers.

use arrow_array::types::ByteArrayType;
use arrow_array::types::{
    BinaryViewType, ByteViewType, GenericBinaryType, GenericStringType, StringViewType,
};
use arrow_array::{GenericByteArray, GenericByteViewArray, OffsetSizeTrait};
use arrow_buffer::{ArrowNativeType, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use bytelane::{Detected, utf8};
use std::ops::Range;

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
    /// The first one of values that are not all UTF-8.
    fn first(values: impl Iterator<Item = impl AsRef<[u8]>>) -> Self {
        let mut faults = values.enumerate().filter_map(|(index, value)| {
            let error = utf8::validate(value.as_ref()).err()?;
            Some(Self { index, error })
        });
        faults.next().expect("a value that is not UTF-8")
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
        return Err(NotText::first(ends.map(|place| &bytes[place])));
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

/// Bytes that views point into. Of some it is known that they are UTF-8.
#[derive(Clone, Debug)]
pub(crate) struct ViewBuffer {
    bytes: Buffer,
    /// UTF-8, from the first character to the last.
    text: Range<usize>,
}

impl ViewBuffer {
    /// Bytes of which nothing is known.
    pub(crate) fn new(bytes: Buffer) -> Self {
        Self { bytes, text: 0..0 }
    }

    pub(crate) fn bytes(&self) -> &Buffer {
        &self.bytes
    }

    /// Looks whether the bytes that views point into are UTF-8 as a whole. Then strings among them need not be looked at
    /// one by one. Nothing is looked at that is known.
    pub(crate) fn look_for_text(backend: Detected, views: &[u128], buffers: &mut [Self]) {
        if buffers.is_empty() {
            return;
        }
        let mut ranges = vec![None::<Range<usize>>; buffers.len()];
        for view in views.iter().map(|view| View(*view)) {
            if view.length() > INLINE {
                let (range, place) = (&mut ranges[view.buffer()], view.place());
                *range = Some(match range {
                    Some(range) => range.start.min(place.start)..range.end.max(place.end),
                    None => place,
                });
            }
        }
        for (buffer, range) in buffers.iter_mut().zip(ranges) {
            if buffer.text.is_empty()
                && let Some(range) = range
                && let Some(bytes) = buffer.bytes.get(range.clone())
                && utf8::validate_with(backend, bytes).is_ok()
            {
                buffer.text = range;
            }
        }
    }

    fn is_text(&self, backend: Detected, place: Range<usize>) -> bool {
        let is_known = self.text.start <= place.start && place.end <= self.text.end;
        match is_known {
            true => self.is_boundary(place.start) && self.is_boundary(place.end),
            false => utf8::validate_with(backend, &self.bytes[place]).is_ok(),
        }
    }

    /// Whether no character goes on at an offset into the text, or at its end.
    fn is_boundary(&self, at: usize) -> bool {
        let is_continuation = |byte: u8| byte & 0b1100_0000 == 0b1000_0000;
        at == self.text.end || !is_continuation(self.bytes[at])
    }
}

/// Bytes of a value that a view can have itself.
pub(crate) const INLINE: usize = 12;

/// The parts of a view.
#[derive(Clone, Copy)]
struct View(u128);

impl View {
    #[inline(always)]
    fn length(self) -> usize {
        self.0 as u32 as usize
    }

    /// What is after the length: the value and zeros, or its first four bytes and its place.
    #[inline(always)]
    fn rest(self) -> u128 {
        self.0 >> 32
    }

    fn buffer(self) -> usize {
        (self.0 >> 64) as u32 as usize
    }

    /// Where a long value is in its buffer.
    fn place(self) -> Range<usize> {
        let start = (self.0 >> 96) as usize;
        start..start + self.length()
    }
}

/// What values of views may be, as [`Content`].
pub(crate) trait ViewContent: ByteViewType {
    const IS_TEXT: bool;
}

impl ViewContent for BinaryViewType {
    const IS_TEXT: bool = false;
}

impl ViewContent for StringViewType {
    const IS_TEXT: bool = true;
}

/// The array of views. An error if a string is not UTF-8.
///
/// # Panics
///
/// Panics if a view points outside the buffers, does not begin as its value does, or has other bytes than zeros after
/// it, or if there are not as many bits in `nulls` as views.
pub(crate) fn byte_view_array<T: ViewContent>(
    backend: Detected,
    views: Vec<u128>,
    mut buffers: Vec<ViewBuffer>,
    nulls: Option<NullBuffer>,
) -> Result<GenericByteViewArray<T>, NotText> {
    check_nulls(nulls.as_ref(), views.len());
    if T::IS_TEXT {
        ViewBuffer::look_for_text(backend, &views, &mut buffers);
    }
    // The bits of all values in views, and those that ought to be zeros.
    let (mut inline, mut padding) = (0, 0);
    let mut is_text = true;
    for view in &views {
        let view = View(*view);
        let length = view.length();
        if length <= INLINE {
            inline |= view.rest();
            padding |= view.rest() >> (8 * length);
        } else {
            let (buffer, place) = (&buffers[view.buffer()], view.place());
            let value = &buffer.bytes[place.clone()];
            assert_eq!(
                value[..4],
                (view.rest() as u32).to_le_bytes(),
                "the first bytes of a view"
            );
            is_text &= !T::IS_TEXT || buffer.is_text(backend, place);
        }
    }
    assert_eq!(padding, 0, "the bytes after a value in its view");
    const NOT_ASCII: u128 = u128::from_ne_bytes([0x80; 16]);
    if T::IS_TEXT && inline & NOT_ASCII != 0 {
        is_text &= views.iter().all(|view| is_inline_text(View(*view)));
    }
    if !is_text {
        let values = views.iter().map(|view| value(View(*view), &buffers));
        return Err(NotText::first(values));
    }
    let buffers = buffers.into_iter().map(|buffer| buffer.bytes);
    // SAFETY: each value of up to 12 bytes is in its view, with zeros after it; each other one is within the buffer that
    // its view names, and begins with the bytes in the view; strings are UTF-8; and there are as many bits of nulls as
    // views. All of it has just been checked.
    Ok(unsafe { GenericByteViewArray::new_unchecked(views.into(), buffers.collect(), nulls) })
}

/// Whether a value that is in its view is UTF-8. Those of others were looked at before.
fn is_inline_text(view: View) -> bool {
    let bytes = view.rest().to_le_bytes();
    view.length() > INLINE || str::from_utf8(&bytes[..view.length()]).is_ok()
}

fn value(view: View, buffers: &[ViewBuffer]) -> Vec<u8> {
    match view.length() {
        length @ 0..=INLINE => view.rest().to_le_bytes()[..length].to_vec(),
        _ => buffers[view.buffer()].bytes[view.place()].to_vec(),
    }
}

#[cfg(test)]
mod tests;

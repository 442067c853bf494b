//! Builds arrays of views.
//!
//! The view of a value of up to 12 bytes contains all of its bytes. The view of a longer value contains its
//! first bytes, the index of a buffer and the offset in it. Views are made here from checked ranges, so the
//! array need not be checked again.

use super::super::compact::compact_values;
use super::{NotText, check_nulls};
use arrow_array::GenericByteViewArray;
use arrow_array::types::{BinaryViewType, ByteViewType, StringViewType};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer};
use bytelane::rle_hybrid::{self, Dictionary, Format};
use bytelane::{Detected, utf8};
use bytes::Bytes;
use std::marker::PhantomData;
use std::mem::take;
use std::ops::Range;

/// Kind of values in an array of views: strings, which are UTF-8, or any bytes.
pub(crate) trait ViewContent: ByteViewType {
    const IS_TEXT: bool;
}

impl ViewContent for BinaryViewType {
    const IS_TEXT: bool = false;
}

impl ViewContent for StringViewType {
    const IS_TEXT: bool = true;
}

/// Maximum size of a value that a view can contain, in bytes.
const INLINE: usize = 12;

/// A page is dropped if views need no more than one of so many parts of its bytes. Copying a quarter made a query 5% slower.
const SMALL_PART: usize = 6;

/// Sizes of the first and of the largest buffer of copied values, in bytes.
const LEAST_COPIES: usize = 1 << 10;
const MOST_COPIES: usize = 1 << 20;

/// Masks of the lowest bytes of a number; the index is the number of bytes.
const LOWEST: [u128; 17] = {
    let mut masks = [u128::MAX; 17];
    let mut length = 0;
    while length < 16 {
        masks[length] = (1 << (8 * length)) - 1;
        length += 1;
    }
    masks
};

/// View of a value.
#[derive(Clone, Copy)]
struct View(u128);

impl View {
    /// Makes the view of a value in buffer 0.
    ///
    /// # Panics
    ///
    /// Panics if the value is not within `bytes`.
    #[inline(always)]
    fn new(bytes: &[u8], place: &Range<usize>) -> Self {
        let length = place.len();
        let from = &bytes[place.start..];
        let first = match from.first_chunk() {
            Some(first) if length <= from.len() => u128::from_le_bytes(*first),
            _ => first_at_end(&from[..length]),
        };
        Self(if length <= INLINE {
            (first & LOWEST[length]) << 32 | length as u128
        } else {
            (place.start as u128) << 96 | (first & LOWEST[4]) << 32 | length as u128
        })
    }

    #[inline(always)]
    fn is_long(self) -> bool {
        self.0 as u32 as usize > INLINE
    }

    /// Moves the view to another buffer, if its value is long.
    #[inline(always)]
    fn in_buffer(self, number: u128) -> Self {
        Self(self.0 | if self.is_long() { number << 64 } else { 0 })
    }

    /// Returns the index of the buffer of a long value.
    fn buffer(self) -> usize {
        (self.0 >> 64) as u32 as usize
    }

    /// Returns the range of a long value in its buffer.
    fn range(self) -> Range<usize> {
        let start = (self.0 >> 96) as usize;
        start..start + self.0 as u32 as usize
    }

    /// Moves the view of a long value to another place.
    fn moved(self, buffer: usize, start: usize) -> Self {
        Self((start as u128) << 96 | (buffer as u128) << 64 | self.0 & u128::from(u64::MAX))
    }

    fn value(self, buffers: &[Buffer]) -> Vec<u8> {
        if self.is_long() {
            buffers[self.buffer()][self.range()].to_vec()
        } else {
            (self.0 >> 32).to_le_bytes()[..self.0 as u32 as usize].to_vec()
        }
    }
}

/// Returns the bytes of a value near the end of the buffer, padded with zeros.
#[cold]
fn first_at_end(value: &[u8]) -> u128 {
    let mut padded = [0; 16];
    let length = value.len().min(16);
    padded[..length].copy_from_slice(&value[..length]);
    u128::from_le_bytes(padded)
}

/// Builder for arrays of views. All of its views are valid: they contain the whole value, or point to a value
/// within one of its buffers.
pub(crate) struct ViewBuilder<T> {
    backend: Detected,
    views: Vec<u128>,
    buffers: Vec<Buffer>,
    /// Buffer of the page that was appended last.
    page: Option<HeldPage>,
    /// Values copied from pages, and the index of their buffer.
    copies: Vec<u8>,
    copied_to: usize,
    /// Size of the buffers that are not dictionaries, in bytes.
    held: u64,
    /// Set if all values are known to be UTF-8, in case they have to be.
    is_text: bool,
    of: PhantomData<fn() -> T>,
}

/// Buffer of a page.
struct HeldPage {
    /// Index of the buffer.
    number: usize,
    /// Index of the first view that may point into it.
    first: usize,
    /// Total length of the values that views were made of, in bytes, and whether some of these were dropped.
    bytes: usize,
    has_gaps: bool,
}

impl<T: ViewContent> ViewBuilder<T> {
    pub(crate) fn new(backend: Detected) -> Self {
        Self {
            backend,
            views: Vec::new(),
            buffers: Vec::new(),
            page: None,
            copies: Vec::new(),
            copied_to: 0,
            held: 0,
            is_text: true,
            of: PhantomData,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.views.len()
    }

    /// Returns the size of the buffers that views point into, apart from dictionaries, in bytes.
    pub(crate) fn held(&self) -> u64 {
        self.held
    }

    pub(crate) fn reserve(&mut self, views: usize) {
        self.views.reserve_exact(views);
    }

    pub(crate) fn append_nulls(&mut self, count: usize) {
        self.views.resize(self.views.len() + count, 0);
    }

    /// Appends views of the values at the ranges that `next` returns. The bytes are retained if one of the
    /// values is long. After an error, no views have been added.
    ///
    /// # Panics
    ///
    /// Panics if a range is not within `bytes`, or if these are more than 2 GiB.
    pub(crate) fn append<E>(
        &mut self,
        bytes: &Bytes,
        count: usize,
        mut next: impl FnMut() -> Result<Range<usize>, E>,
    ) -> Result<(), E> {
        check_length(bytes);
        let mut number = self.number_of(bytes);
        if number == self.buffers.len() {
            self.end_page();
            number = self.buffers.len();
        }
        self.views.reserve(count);
        let (mut first, mut end, mut longest, mut total) = (bytes.len(), 0, 0, 0);
        for to in &mut self.views.spare_capacity_mut()[..count] {
            let place = next()?;
            to.write(View::new(bytes, &place).in_buffer(number as u128).0);
            first = first.min(place.start);
            end = end.max(place.end);
            longest = longest.max(place.len());
            total += place.len();
        }
        let start = self.views.len();
        // SAFETY: there is room for `count` views, each of which has just been written.
        unsafe { self.views.set_len(start + count) };
        if longest > INLINE && number == self.buffers.len() {
            self.buffers.push(bytes.clone().into());
            self.page = Some(HeldPage {
                number,
                first: start,
                bytes: 0,
                has_gaps: false,
            });
            self.held += bytes.len() as u64;
        }
        if let Some(page) = self.page.as_mut().filter(|page| page.number == number) {
            page.bytes += total;
        }
        if T::IS_TEXT && first < end {
            let (views, values) = (&self.views[start..], &bytes[first..end]);
            self.is_text &= are_text(self.backend, views, values, first);
        }
        Ok(())
    }

    /// Appends views of dictionary entries: those of a range of the indices that runs encode. After an error,
    /// no views have been added.
    pub(crate) fn append_entries(
        &mut self,
        dictionary: &ViewDictionary<T>,
        format: Format<u32>,
        runs: &[u8],
        range: Range<usize>,
    ) -> Result<(), rle_hybrid::Error> {
        let (start, count) = (self.views.len(), range.len());
        self.views.reserve(count);
        let to = &mut self.views.spare_capacity_mut()[..count];
        let entries = &dictionary.views;
        let found = entries.decode_range_with(self.backend, format, runs, range, to)?;
        assert_eq!(found.len(), count, "fewer views than indices");
        self.is_text &= dictionary.is_text;
        let number = match &dictionary.bytes {
            None => 0,
            Some(bytes) => {
                let found = self.buffers.iter().position(|it| is_same(it, bytes));
                found.unwrap_or_else(|| {
                    self.buffers.push(bytes.clone());
                    self.buffers.len() - 1
                })
            }
        };
        if number > 0 {
            for view in found {
                *view = View(*view).in_buffer(number as u128).0;
            }
        }
        // SAFETY: there is room for `count` views, each of which has just been written: `found` are references
        // to all of them.
        unsafe { self.views.set_len(start + count) };
        Ok(())
    }

    /// Moves the last `valid` views to the slots that are set in a bitmap of `slots` bits. The other slots
    /// get views of empty values.
    pub(crate) fn spread(&mut self, bits: &[u8], slots: usize, valid: usize) {
        let start = self.views.len() - valid;
        self.views.resize(start + slots, 0);
        let views = &mut self.views[start..];
        // Move the last view first, so that none is overwritten before it is moved.
        let mut left = valid;
        for slot in (0..slots).rev() {
            let is_valid = bits[slot / 8] >> (slot % 8) & 1 != 0;
            left -= usize::from(is_valid);
            views[slot] = if is_valid { views[left] } else { 0 };
        }
    }

    /// Drops those of the last views whose bits are not set.
    pub(crate) fn retain(&mut self, bits: &BooleanBuffer) {
        let start = self.views.len() - bits.len();
        let kept = compact_values(self.backend, bits, &mut self.views[start..]);
        self.views.truncate(start + kept);
        if let Some(page) = &mut self.page {
            // Its views may have moved forward, behind those of earlier pages.
            page.first = page.first.min(start);
            page.has_gaps = true;
        }
    }

    /// Copies the values that views have in the last page, and drops the page, if they are a small part of it. An array
    /// of few rows would hold all pages otherwise.
    fn end_page(&mut self) {
        let Some(page) = self.page.take() else {
            return;
        };
        let is_last = page.number + 1 == self.buffers.len();
        let is_in_page = |view: &View| view.is_long() && view.buffer() == page.number;
        let mut bytes = page.bytes;
        if page.has_gaps {
            let views = self.views[page.first..].iter().map(|view| View(*view));
            let lengths = views.filter(is_in_page).map(|view| view.range().len());
            bytes = lengths.sum();
        }
        let Some(values) = self
            .buffers
            .pop_if(|it| is_last && bytes <= it.len() / SMALL_PART)
        else {
            return;
        };
        self.held -= values.len() as u64;
        for at in page.first..self.views.len() {
            let view = View(self.views[at]);
            if is_in_page(&view) {
                self.views[at] = self.copied(view, &values[view.range()]).0;
            }
        }
    }

    /// Copies a long value, and returns the view of the copy.
    fn copied(&mut self, view: View, value: &[u8]) -> View {
        if self.copies.capacity() - self.copies.len() < value.len() {
            let room = (2 * self.copies.capacity()).clamp(LEAST_COPIES, MOST_COPIES);
            self.end_copies();
            self.copies = Vec::with_capacity(room.max(value.len()));
            self.copied_to = self.buffers.len();
            self.buffers.push(Buffer::default());
        }
        let start = self.copies.len();
        self.copies.extend_from_slice(value);
        self.held += value.len() as u64;
        view.moved(self.copied_to, start)
    }

    /// Makes a buffer of the copied values.
    fn end_copies(&mut self) {
        if self.copies.capacity() > 0 {
            self.buffers[self.copied_to] = take(&mut self.copies).into();
        }
    }

    /// Returns the index that the bytes have, or would get, among the buffers.
    fn number_of(&self, bytes: &Bytes) -> usize {
        let last = self.buffers.last();
        let number = self.buffers.len() - usize::from(last.is_some_and(|it| is_same(it, bytes)));
        assert!(
            i32::try_from(number).is_ok(),
            "more buffers than there can be"
        );
        number
    }

    /// Returns the array of everything appended since the last call. Returns an error if a string is not
    /// UTF-8.
    ///
    /// # Panics
    ///
    /// Panics if the number of bits in `nulls` differs from the number of views.
    pub(crate) fn finish(
        &mut self,
        nulls: Option<NullBuffer>,
    ) -> Result<GenericByteViewArray<T>, NotText> {
        self.end_page();
        self.end_copies();
        let (views, buffers) = (take(&mut self.views), take(&mut self.buffers));
        self.held = 0;
        check_nulls(nulls.as_ref(), views.len());
        if !std::mem::replace(&mut self.is_text, true) {
            let values = views.iter().map(|view| View(*view).value(&buffers));
            NotText::first(values).map_or(Ok(()), Err)?;
        }
        // SAFETY: each view was made by `View::new`, for a range within its bytes, or is 0, the view of an
        // empty value. A view of up to 12 bytes contains all of them, followed by zeros. Any other view
        // begins with the first four, and names the buffer of its bytes by the index at which `append` or
        // `append_entries` found or put it, or by that of the buffer to which `copied` copied them before
        // `end_page` dropped the page, into which no view before its first one points. `append_entries` gets its
        // views from a `Dictionary`, which writes nothing but its values, all of which `ViewDictionary::new` made.
        // Strings were validated when they were appended, or just now.
        // There are as many bits of nulls as views.
        Ok(unsafe { GenericByteViewArray::new_unchecked(views.into(), buffers.into(), nulls) })
    }
}

/// Returns whether views are UTF-8. Those of long values point to `bytes`, which begin at an offset of their buffer.
fn are_text(backend: Detected, views: &[u128], bytes: &[u8], offset: usize) -> bool {
    if utf8::is_ascii_with(backend, bytes) {
        return true;
    }
    // If all bytes together are UTF-8, a string is text if it begins and ends at a character boundary.
    let whole = utf8::validate_with(backend, bytes).ok();
    views.iter().all(|view| {
        let view = View(*view);
        let length = view.0 as u32 as usize;
        if !view.is_long() {
            return str::from_utf8(&(view.0 >> 32).to_le_bytes()[..length]).is_ok();
        }
        let start = (view.0 >> 96) as usize - offset;
        match whole {
            Some(text) => text.is_char_boundary(start) && text.is_char_boundary(start + length),
            None => utf8::validate_with(backend, &bytes[start..start + length]).is_ok(),
        }
    })
}

fn is_same(one: &[u8], other: &[u8]) -> bool {
    one.as_ptr() == other.as_ptr() && one.len() == other.len()
}

/// Views of dictionary entries.
pub(crate) struct ViewDictionary<T> {
    /// Views of the entries, as if their bytes were buffer 0.
    views: Dictionary<u128>,
    /// Bytes of the dictionary, if one of the entries is long.
    bytes: Option<Buffer>,
    is_text: bool,
    of: PhantomData<fn() -> T>,
}

impl<T: ViewContent> ViewDictionary<T> {
    /// Makes views of the entries, each given by its offset in the bytes and its length.
    ///
    /// # Panics
    ///
    /// Panics under the same conditions as [`ViewBuilder::append`].
    pub(crate) fn new(backend: Detected, bytes: &Bytes, places: &[(u32, u32)]) -> Self {
        check_length(bytes);
        let mut longest = 0;
        let views = places.iter().map(|(start, length)| {
            longest = longest.max(*length as usize);
            let start = *start as usize;
            View::new(bytes, &(start..start + *length as usize)).0
        });
        let views = Dictionary::from_values(places.len(), views);
        Self {
            bytes: (longest > INLINE).then(|| bytes.clone().into()),
            is_text: !T::IS_TEXT || are_text(backend, views.values(), bytes, 0),
            views,
            of: PhantomData,
        }
    }
}

fn check_length(bytes: &[u8]) {
    assert!(
        i32::try_from(bytes.len()).is_ok(),
        "bytes that views cannot point into"
    );
}

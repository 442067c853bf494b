//! Arrays of views of strings and bytes, which point into pages.

use super::pages::Page;
use super::plain::Entries;
use super::room::Room;
use super::{Values, view};
use crate::budget::{Budget, Reservation};
use crate::memory::{self, ViewBuffer, ViewContent};
use crate::{Error, Result};
use arrow_array::ArrayRef;
use arrow_buffer::NullBuffer;
use bytelane::Detected;
use bytelane::rle_hybrid::Dictionary;
use bytelane::validity::values;
use bytes::Bytes;
use std::marker::PhantomData;
use std::sync::Arc;

/// Views of an array that is being made.
pub(super) struct Views<T> {
    backend: Detected,
    memory: Reservation,
    views: Vec<u128>,
    /// What they point into.
    buffers: Vec<ViewBuffer>,
    /// Bytes of the buffers that are not dictionaries.
    buffer_bytes: u64,
    /// Views that are spread to the slots.
    dense: Vec<u128>,
    dictionary: Option<Viewed>,
    of: PhantomData<fn() -> T>,
}

/// A dictionary.
struct Viewed {
    /// Views of its entries, as if it were the first buffer.
    entries: Dictionary<u128>,
    page: ViewBuffer,
    has_long: bool,
    /// Its number among the buffers of the array.
    number: Option<usize>,
}

impl<T: ViewContent> Views<T> {
    pub(super) fn new(backend: Detected, budget: &Budget) -> Self {
        Self {
            backend,
            memory: budget.reservation(),
            views: Vec::new(),
            buffers: Vec::new(),
            buffer_bytes: 0,
            dense: Vec::new(),
            dictionary: None,
            of: PhantomData,
        }
    }

    /// Memory for bytes that are not those of pages, with so many more slots.
    fn room(&self, slots: usize) -> Result<Room<'_>> {
        room(&self.memory, &self.views, self.buffer_bytes, slots)
    }
}

/// Memory for bytes that are not those of pages, with so many more slots.
fn room<'a>(
    memory: &'a Reservation,
    views: &[u128],
    buffer_bytes: u64,
    slots: usize,
) -> Result<Room<'a>> {
    let slots = views.len().saturating_add(slots);
    let room = Room::new(memory, u64::from(u32::MAX)).beside(slots, size_of::<u128>())?;
    room.beside(1, usize::try_from(buffer_bytes).unwrap_or(usize::MAX))
}

/// The views of the next values.
fn make(
    page: &mut Page,
    dictionary: &mut Option<Viewed>,
    buffers: &mut Vec<ViewBuffer>,
    buffer_bytes: &mut u64,
    room: &Room<'_>,
    views: &mut [u128],
) -> Result<()> {
    match page {
        Page::Plain(page) => {
            let number = next_number(page.bytes(), buffers);
            if page.view(number, views)? {
                *buffer_bytes += keep(page.bytes(), number, buffers);
            }
        }
        Page::DeltaLength(page) => {
            let number = next_number(page.bytes(), buffers);
            if page.view(number, views)? {
                *buffer_bytes += keep(page.bytes(), number, buffers);
            }
        }
        Page::Delta(page) => {
            room.beside(views.len(), size_of::<i64>())?;
            let (mut ends, mut bytes) = (vec![0i64; views.len()], Vec::new());
            page.copy(&mut ends, &mut bytes, room)?;
            let starts = std::iter::once(&0).chain(&ends);
            let lengths = starts.zip(&ends).map(|(start, end)| (end - start) as usize);
            let number = view::buffer(buffers.len())?;
            if view::consecutive(&bytes, 0, lengths, number, views) {
                *buffer_bytes += bytes.len() as u64;
                buffers.push(ViewBuffer::new(bytes.into()));
            }
        }
        Page::Indices(page) => {
            let Some(dictionary) = dictionary else {
                return Err(super::no_dictionary());
            };
            page.look_up(&dictionary.entries, views)?;
            dictionary.point(views, buffers)?;
        }
    }
    Ok(())
}

/// The number that a page has or would have among the buffers.
fn next_number(page: &Bytes, buffers: &[ViewBuffer]) -> usize {
    let is_last = |last: &ViewBuffer| {
        last.bytes().as_ptr() == page.as_ptr() && last.bytes().len() == page.len()
    };
    buffers.len() - usize::from(buffers.last().is_some_and(is_last))
}

/// Keeps a page among the buffers, and returns how many bytes they have more.
fn keep(page: &Bytes, number: usize, buffers: &mut Vec<ViewBuffer>) -> u64 {
    match number == buffers.len() {
        true => {
            buffers.push(ViewBuffer::new(page.clone().into()));
            page.len() as u64
        }
        false => 0,
    }
}

impl Viewed {
    /// Lets views of entries point to the buffer.
    fn point(&mut self, views: &mut [u128], buffers: &mut Vec<ViewBuffer>) -> Result<()> {
        let is_long = |view: u128| view::length(view) > view::INLINE;
        if !self.has_long || !views.iter().any(|view| is_long(*view)) {
            return Ok(());
        }
        let number = *self.number.get_or_insert_with(|| {
            buffers.push(self.page.clone());
            buffers.len() - 1
        });
        if number > 0 {
            let number = view::buffer(number)?;
            for view in views {
                *view |= if is_long(*view) { number } else { 0 };
            }
        }
        Ok(())
    }
}

impl<T: ViewContent> Values for Views<T> {
    fn keep_dictionary(&mut self, entries: Entries) -> Result<()> {
        let places = entries.places.iter();
        let views: Vec<u128> = places
            .map(|(start, length)| {
                let start = *start as usize;
                view::make(&entries.bytes[start..], *length as usize, 0, start)
            })
            .collect();
        let mut buffers = [ViewBuffer::new(entries.bytes.into())];
        if T::IS_TEXT {
            ViewBuffer::look_for_text(self.backend, &views, &mut buffers);
        }
        let [page] = buffers;
        self.dictionary = Some(Viewed {
            has_long: views.iter().any(|view| view::length(*view) > view::INLINE),
            entries: Dictionary::new(&views),
            page,
            number: None,
        });
        Ok(())
    }

    fn reserve(&mut self, slots: usize) {
        if self.room(slots).is_ok() {
            self.views.reserve(slots);
        }
    }

    fn append(&mut self, page: &mut Page, count: usize) -> Result<()> {
        let room = room(&self.memory, &self.views, self.buffer_bytes, count)?;
        let start = self.views.len();
        self.views.resize(start + count, 0);
        make(
            page,
            &mut self.dictionary,
            &mut self.buffers,
            &mut self.buffer_bytes,
            &room,
            &mut self.views[start..],
        )
    }

    fn append_nulls(&mut self, count: usize) -> Result<()> {
        self.room(count)?;
        self.views.resize(self.views.len() + count, 0);
        Ok(())
    }

    fn append_mixed(
        &mut self,
        page: &mut Page,
        bits: &[u8],
        slots: usize,
        valid: usize,
    ) -> Result<()> {
        let room = room(&self.memory, &self.views, self.buffer_bytes, slots)?;
        self.dense.resize(valid, 0);
        make(
            page,
            &mut self.dictionary,
            &mut self.buffers,
            &mut self.buffer_bytes,
            &room,
            &mut self.dense,
        )?;
        let start = self.views.len();
        self.views.resize(start + slots, 0);
        let to = &mut self.views[start..];
        values::spread_uninit_with(self.backend, &self.dense, bits, to)
            .map(drop)
            .map_err(|error| Error::corrupt(error.to_string()))
    }

    fn release(&mut self) {
        self.memory.release();
    }

    fn finish(&mut self, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        let views = std::mem::take(&mut self.views);
        let buffers = std::mem::take(&mut self.buffers);
        self.buffer_bytes = 0;
        if let Some(dictionary) = &mut self.dictionary {
            dictionary.number = None;
        }
        let array = memory::byte_view_array::<T>(self.backend, views, buffers, nulls)?;
        Ok(Arc::new(array))
    }
}
